//! By which strings a client names a call of its own, so that the call can be repeated.
//!
//! A thing that was made by such a call is found again by `(caller, family, batch, call)`: the same
//! call again, after a lost answer or a restart, meets the same thing.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use crate::caller::Caller;
use crate::store::Key;

/// Bytes of the longest batch and of the longest call.
pub const MAX_PART: usize = 200;

/// How a client names a call: two strings of its own, kept byte for byte, and where the call stands
/// in its batch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct CallKey {
    batch: String,
    call: String,
    index: u64,
}

/// Strings that cannot name a call.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCallKey {
    /// The call is the empty string: `bad_request`.
    #[error("`{field}` is empty: it must name the call")]
    Empty {
        /// The field at fault.
        field: &'static str,
    },
    /// There is a control character: `bad_request`.
    #[error("`{field}` has the control character U+{:04X}, and none is allowed", *.character as u32)]
    Control {
        /// The field at fault.
        field: &'static str,
        /// The first such character.
        character: char,
    },
    /// More than [`MAX_PART`] bytes: `too_long`.
    #[error("`{field}` has {bytes} bytes, and at most {MAX_PART} are allowed")]
    TooLong {
        /// The field at fault.
        field: &'static str,
        /// How many it has.
        bytes: usize,
    },
}

impl BadCallKey {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty { .. } | Self::Control { .. } => "bad_request",
            Self::TooLong { .. } => "too_long",
        }
    }
}

impl CallKey {
    /// The call `call` of `batch`, which stands at `index` there.
    ///
    /// # Errors
    ///
    /// [`BadCallKey`] if the call is empty, or one of the two has a control character or more than
    /// [`MAX_PART`] bytes.
    pub fn new(
        batch: impl Into<String>,
        call: impl Into<String>,
        index: u64,
    ) -> Result<Self, BadCallKey> {
        let (batch, call) = (batch.into(), call.into());
        if call.is_empty() {
            return Err(BadCallKey::Empty { field: "key.call" });
        }
        for (field, part) in [("key.batch", &batch), ("key.call", &call)] {
            if part.len() > MAX_PART {
                return Err(BadCallKey::TooLong { field, bytes: part.len() });
            }
            if let Some(character) = part.chars().find(|c| c.is_control()) {
                return Err(BadCallKey::Control { field, character });
            }
        }
        Ok(Self { batch, call, index })
    }

    /// The call `call` in the empty batch, as `--key` names one.
    ///
    /// # Errors
    ///
    /// As [`CallKey::new`].
    pub fn alone(call: impl Into<String>) -> Result<Self, BadCallKey> {
        Self::new("", call, 0)
    }

    /// The batch; empty if the call stands alone.
    #[must_use]
    pub fn batch(&self) -> &str {
        &self.batch
    }

    /// The call.
    #[must_use]
    pub fn call(&self) -> &str {
        &self.call
    }

    /// Where the call stands in its batch.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.index
    }

    /// What the thing made by this call is found by, among those of `family` that `caller` made.
    #[must_use]
    pub fn identity(&self, caller: Caller, family: &str) -> CallIdentity {
        CallIdentity {
            caller,
            family: family.to_owned(),
            batch: self.batch.clone(),
            call: self.call.clone(),
        }
    }
}

/// A key for people to read: the call, after its batch where it has one.
impl fmt::Display for CallKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.batch.as_str() {
            "" => write!(f, "{:?}", self.call),
            batch => write!(f, "{:?} of batch {batch:?}", self.call),
        }
    }
}

/// A text is a call in the empty batch; else `{"batch", "call", "index"}`, where only the call is
/// required.
impl<'de> Deserialize<'de> for CallKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Whole {
            batch: Option<String>,
            call: String,
            index: Option<u64>,
        }
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a text, or an object of `batch`, `call` and `index`")]
        enum Given {
            Alone(String),
            Whole(Whole),
        }
        let key = match Given::deserialize(deserializer)? {
            Given::Alone(call) => Self::alone(call),
            Given::Whole(Whole { batch, call, index }) => {
                Self::new(batch.unwrap_or_default(), call, index.unwrap_or_default())
            }
        };
        key.map_err(serde::de::Error::custom)
    }
}

/// What a thing made by a call is found by. As a key of a table it sorts by caller, family, batch
/// and call, so that the rows of a batch lie together: [`CallIdentity::of_batch`] is their prefix.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct CallIdentity {
    /// Whose call it is.
    pub caller: Caller,
    /// What it makes, such as `wait`.
    pub family: String,
    /// The batch; empty if the call stands alone.
    pub batch: String,
    /// The call.
    pub call: String,
}

impl CallIdentity {
    /// What the keys of a batch begin with.
    #[must_use]
    pub fn of_batch(caller: Caller, family: &str, batch: &str) -> (Caller, String, String) {
        (caller, family.to_owned(), batch.to_owned())
    }
}

impl Key for CallIdentity {
    fn encode(&self, out: &mut Vec<u8>) {
        Self::of_batch(self.caller, &self.family, &self.batch).encode(out);
        self.call.encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        let (caller, family, batch) = Key::decode(input)?;
        Some(Self { caller, family, batch, call: String::decode(input)? })
    }
}
