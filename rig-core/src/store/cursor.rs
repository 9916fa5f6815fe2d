use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::error::{Error, Result};

/// A place in the journal: the store's ID and the number of an event. As text it is opaque, of at
/// most 64 bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// 32 hexadecimal digits.
    pub(super) store: String,
    pub(super) number: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.store, self.number)
    }
}

impl FromStr for Cursor {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parts = text.split_once('-').and_then(|(store, number)| {
            let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
            let number = number.parse().ok()?;
            (store.len() == 32 && store.bytes().all(hex))
                .then(|| Self { store: store.to_owned(), number })
        });
        // A number has one spelling.
        parts
            .filter(|cursor| cursor.to_string() == text)
            .ok_or_else(|| Error::CursorMalformed { given: text.chars().take(80).collect() })
    }
}

impl Serialize for Cursor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Cursor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}
