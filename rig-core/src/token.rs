//! Tokens: by one of them an agent shows that it is the agent of its ID.

use std::fmt;
use std::hint::black_box;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use crate::base32;
use crate::id::fill;

/// What every token begins with.
const PREFIX: &str = "tok_";

/// Characters after the prefix: 52 of 5 bits hold 256 bits; the first is `0` or `1`.
const LENGTH: usize = 52;

/// A token: 256 random bits. It goes into the environment of the agent it is for and is never
/// stored; what is kept is its [digest](Token::digest).
#[derive(Clone)]
pub struct Token([u8; 32]);

/// A text that is no token. It is not repeated, for it may be one with a slip.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the token must be `{PREFIX}` and {LENGTH} characters of lower-case Crockford base32 for 256 bits"
)]
pub struct BadToken;

impl Token {
    /// A new token.
    ///
    /// # Panics
    ///
    /// If the operating system has no random source.
    #[must_use]
    pub fn generate() -> Self {
        let mut bits = [0; 32];
        fill(&mut bits);
        Self(bits)
    }

    /// The text, for the one place that hands it to its agent.
    #[must_use]
    pub fn reveal(&self) -> String {
        let mut text = String::with_capacity(PREFIX.len() + LENGTH);
        text.push_str(PREFIX);
        base32::encode::<LENGTH>(&self.0, &mut text);
        text
    }

    /// The SHA-256 of the text.
    #[must_use]
    pub fn digest(&self) -> TokenDigest {
        TokenDigest(Sha256::digest(self.reveal()).into())
    }
}

impl FromStr for Token {
    type Err = BadToken;

    fn from_str(text: &str) -> Result<Self, BadToken> {
        let digits = text.strip_prefix(PREFIX).ok_or(BadToken)?;
        base32::decode(digits, LENGTH).map(Self).ok_or(BadToken)
    }
}

/// Hides the token.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The SHA-256 of a token, which is what a store keeps. Written as 64 lower-case hexadecimal digits.
/// Two are compared in a time that does not depend on where they differ.
#[derive(Clone, Copy)]
pub struct TokenDigest([u8; 32]);

impl PartialEq for TokenDigest {
    fn eq(&self, other: &Self) -> bool {
        let differing = self.0.iter().zip(&other.0).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        differing == 0
    }
}

impl Eq for TokenDigest {}

/// Hides the digest.
impl fmt::Debug for TokenDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenDigest(…)")
    }
}

impl Serialize for TokenDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digits = self.0.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let digits = digits.filter_map(|digit| char::from_digit(digit.into(), 16));
        serializer.serialize_str(&digits.collect::<String>())
    }
}

impl<'de> Deserialize<'de> for TokenDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let pair = |pair: &[u8]| Some((digit(pair[0])? << 4) | digit(pair[1])?);
        let bytes: Option<Vec<u8>> =
            if text.len() == 64 { text.as_bytes().chunks(2).map(pair).collect() } else { None };
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("a digest is 64 lower-case hexadecimal digits"))
    }
}
