//! Paths as what they are: bytes.

use std::ffi::OsString;
use std::ops::Deref;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path that is stored without loss: text where it is UTF-8, else `{"bytes": "<base64>"}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RawPath(PathBuf);

/// A text that is not base64.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the path's bytes are not base64")]
pub struct BadBytes;

impl RawPath {
    /// The path whose bytes are `text` in base64.
    ///
    /// # Errors
    ///
    /// [`BadBytes`] if it is not base64.
    pub fn from_base64(text: &str) -> Result<Self, BadBytes> {
        let bytes = STANDARD.decode(text).map_err(|_| BadBytes)?;
        Ok(Self(PathBuf::from(OsString::from_vec(bytes))))
    }

    /// The path's bytes in base64 if they are not UTF-8, for the `pathBytes` of a reply.
    #[must_use]
    pub fn bytes_unless_text(&self) -> Option<String> {
        let bytes = self.0.as_os_str().as_bytes();
        std::str::from_utf8(bytes).is_err().then(|| STANDARD.encode(bytes))
    }
}

impl Deref for RawPath {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for RawPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl<P: Into<PathBuf>> From<P> for RawPath {
    fn from(path: P) -> Self {
        Self(path.into())
    }
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored {
    Text(String),
    Bytes { bytes: String },
}

impl Serialize for RawPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => Stored::Bytes { bytes: STANDARD.encode(self.0.as_os_str().as_bytes()) }
                .serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for RawPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Stored::deserialize(deserializer)? {
            Stored::Text(text) => Ok(Self(PathBuf::from(text))),
            Stored::Bytes { bytes } => Self::from_base64(&bytes).map_err(serde::de::Error::custom),
        }
    }
}
