//! Names of things: a prefix and 128 bits in 26 characters of Crockford base32.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::base32;
use crate::time::Timestamp;

/// Characters after the prefix: 26 of 5 bits hold 128 bits; the first is at most `7`.
const LENGTH: usize = 26;

/// A text that is not an ID of the kind asked for: `bad_id`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{given:?} is not an ID: it must be `{prefix}` and 26 characters of lower-case Crockford base32"
)]
pub struct BadId {
    /// The text as it was given, cut at 80 characters.
    pub given: String,
    /// What an ID of this kind begins with.
    pub prefix: &'static str,
}

fn encode(prefix: &str, bits: u128) -> String {
    let mut text = String::with_capacity(prefix.len() + LENGTH);
    text.push_str(prefix);
    base32::encode::<LENGTH>(&bits.to_be_bytes(), &mut text);
    text
}

fn decode(prefix: &'static str, text: &str) -> Result<u128, BadId> {
    let digits = text.strip_prefix(prefix);
    let bits = digits.and_then(|digits| base32::decode(digits, LENGTH)).map(u128::from_be_bytes);
    bits.ok_or_else(|| BadId { given: text.chars().take(80).collect(), prefix })
}

/// 128 bits of UUID version 7 (RFC 9562): 48 bits of milliseconds, then random bits, so that IDs
/// sort by age.
fn aged(now: Timestamp) -> u128 {
    let mut random = [0; 10];
    fill(&mut random);
    let ms = u64::try_from(now.as_millis()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(ms, &random).into_uuid().as_u128()
}

/// Fills `bytes` from the operating system's random source.
pub(crate) fn fill(bytes: &mut [u8]) {
    // Without a random source no ID can be trusted to be unique: nothing sensible can follow.
    getrandom::fill(bytes).expect("the operating system has a random source");
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u128);

        impl $name {
            /// What every ID of this kind begins with.
            pub const PREFIX: &'static str = $prefix;

            /// The 128 bits.
            #[must_use]
            pub fn bits(self) -> u128 {
                self.0
            }

            /// The ID with these 128 bits.
            #[must_use]
            pub fn from_bits(bits: u128) -> Self {
                Self(bits)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&encode($prefix, self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&encode($prefix, self.0))
            }
        }

        impl FromStr for $name {
            type Err = BadId;

            fn from_str(text: &str) -> Result<Self, BadId> {
                decode($prefix, text).map(Self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

macro_rules! aged_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        id!($(#[$doc])* $name, $prefix);

        impl $name {
            /// A new ID. IDs made in different milliseconds sort by age.
            ///
            /// # Panics
            ///
            /// If the operating system has no random source.
            #[must_use]
            pub fn generate(now: Timestamp) -> Self {
                Self(aged(now))
            }
        }
    };
}

aged_id!(
    /// Names a project: a folder Rig has been pointed at.
    ProjectId, "prj_"
);
aged_id!(
    /// Names a workspace: a folder an agent works in.
    WorkspaceId, "ws_"
);
aged_id!(
    /// Names an event of the journal.
    EventId, "evt_"
);
aged_id!(
    /// Names a message in a mailbox.
    MessageId, "msg_"
);
aged_id!(
    /// Names a conversation of an agent; never an address for mail.
    SessionId, "ses_"
);
aged_id!(
    /// Names a wait.
    WaitId, "wait_"
);
aged_id!(
    /// Names a scheduled message.
    ScheduleId, "sch_"
);
id!(
    /// Names an agent. Knowing one is permission to send to it, so the bits come from the system's
    /// random source.
    AgentId, "agt_"
);

impl AgentId {
    /// A new ID of 128 random bits.
    ///
    /// # Panics
    ///
    /// If the operating system has no random source.
    #[must_use]
    pub fn generate() -> Self {
        let mut bits = [0; 16];
        fill(&mut bits);
        Self(u128::from_be_bytes(bits))
    }
}
