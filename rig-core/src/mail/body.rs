use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::error::{Error, Result};

/// Characters of the longest message.
pub const MAX_BODY: usize = 100_000;

/// The text of a message: 1 to 100 000 characters, not all of them blank, none of them NUL. It is
/// kept and handed out unchanged.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Body(String);

impl Body {
    /// The body that `text` is.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`], [`Error::TooLong`], [`Error::BadRequest`] if there is a NUL.
    pub fn new(text: impl Into<String>) -> Result<Self> {
        let text = text.into();
        if text.trim().is_empty() {
            return Err(Error::Empty { blank: !text.is_empty() });
        }
        let characters = text.chars().count();
        if characters > MAX_BODY {
            return Err(Error::TooLong { characters, limit: MAX_BODY });
        }
        if text.contains('\0') {
            return Err(Error::BadRequest { field: "message", rule: "must have no NUL" });
        }
        Ok(Self(text))
    }

    /// The body that `bytes` are in UTF-8.
    ///
    /// # Errors
    ///
    /// [`Error::BadRequest`] if they are not UTF-8; else as [`Body::new`].
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self> {
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::BadRequest { field: "message", rule: "must be valid UTF-8" })?;
        Self::new(text)
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How many characters it has.
    #[must_use]
    pub fn characters(&self) -> usize {
        self.0.chars().count()
    }
}

/// Tells the length only: a body belongs in no log.
impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Body({} bytes)", self.0.len())
    }
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
