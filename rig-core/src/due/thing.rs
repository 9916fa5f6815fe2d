use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base32;
use crate::store::{Key, Record};

/// Bytes of the longest name of an owner.
const NAME: usize = 16;

/// Digits of an ID without its prefix.
const DIGITS: usize = 26;

/// What kind of thing a time was armed for, such as `wait`: whoever armed it settles it.
///
/// A file may hold rows of owners that this build does not know. They stay as they are.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner([u8; NAME]);

impl Owner {
    /// Sorts behind every other one.
    pub(super) const LAST: Self = Self([u8::MAX; NAME]);

    /// The owner of this name.
    ///
    /// # Panics
    ///
    /// If the name is empty, or more than 16 ASCII letters and underscores; where it is a constant,
    /// when it is compiled.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        match Self::parse(name.as_bytes()) {
            Some(owner) => owner,
            None => panic!("an owner's name is 1 to 16 lower-case letters and underscores"),
        }
    }

    const fn parse(name: &[u8]) -> Option<Self> {
        if name.is_empty() || name.len() > NAME {
            return None;
        }
        let mut bytes = [0; NAME];
        let mut at = 0;
        while at < name.len() {
            if !name[at].is_ascii_lowercase() && name[at] != b'_' {
                return None;
            }
            bytes[at] = name[at];
            at += 1;
        }
        Some(Self(bytes))
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        // Only letters come in.
        std::str::from_utf8(&self.0).unwrap_or_default().trim_end_matches('\0')
    }
}

impl fmt::Debug for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for Owner {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Names are filled up with NUL, so that keys have one width.
impl Key for Owner {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        let (front, rest) = input.split_first_chunk::<NAME>()?;
        let name = front.split(|&byte| byte == 0).next()?;
        let owner = Self::parse(name).filter(|owner| owner.0 == *front)?;
        *input = rest;
        Some(owner)
    }
}

/// A thing that a time is armed for: its ID, and whose it is. Things sort by their IDs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Due {
    /// The bits of its ID.
    pub id: u128,
    /// Whose it is.
    pub owner: Owner,
}

impl Due {
    /// The thing of `owner` with these bits.
    #[must_use]
    pub const fn new(owner: Owner, id: u128) -> Self {
        Self { id, owner }
    }
}

/// As `wait:` and the 26 characters of the ID.
impl fmt::Display for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("{}:", self.owner);
        base32::encode::<DIGITS>(&self.id.to_be_bytes(), &mut text);
        f.pad(&text)
    }
}

impl fmt::Debug for Due {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Due {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (owner, id) = text.split_once(':')?;
            let owner = Owner::parse(owner.as_bytes())?;
            let id = base32::decode::<16>(id, DIGITS)?;
            Some(Self::new(owner, u128::from_be_bytes(id)))
        };
        read().ok_or_else(|| format!("{text:?} is no owner and ID"))
    }
}

impl Serialize for Due {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Due {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl Key for Due {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.id.to_be_bytes());
        self.owner.encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        let (id, rest) = input.split_first_chunk()?;
        *input = rest;
        Some(Self { id: u128::from_be_bytes(*id), owner: Owner::decode(input)? })
    }
}

impl Record for Due {}
