use std::borrow::Cow;
use std::path::{Path, PathBuf};

use rig_core::path::{BadBytes, RawPath};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

/// A path in a reply: `path` is text for reading; where the path is no UTF-8, `pathBytes` beside it
/// is the path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Fields", try_from = "Fields")]
pub struct PathReply(RawPath);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Fields {
    /// The path as text.
    path: String,
    /// The path in base64, where it is no UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
}

impl PathReply {
    /// The path, byte for byte.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl<P: Into<PathBuf>> From<P> for PathReply {
    fn from(path: P) -> Self {
        Self(RawPath::from(path))
    }
}

impl From<PathReply> for Fields {
    fn from(PathReply(path): PathReply) -> Self {
        Self { path: path.to_string_lossy().into_owned(), path_bytes: path.bytes_unless_text() }
    }
}

impl TryFrom<Fields> for PathReply {
    type Error = BadBytes;

    fn try_from(fields: Fields) -> Result<Self, BadBytes> {
        match fields.path_bytes {
            Some(bytes) => RawPath::from_base64(&bytes).map(Self),
            None => Ok(Self(RawPath::from(fields.path))),
        }
    }
}

impl JsonSchema for PathReply {
    fn schema_name() -> Cow<'static, str> {
        "Path".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Fields::json_schema(generator)
    }
}

/// The schema of a [`RawPath`].
#[derive(JsonSchema)]
#[serde(untagged)]
#[allow(dead_code)] // Only its schema is used.
pub(super) enum PathSchema {
    /// A path that is UTF-8.
    Text(String),
    /// Any path.
    Bytes {
        /// Its bytes in base64.
        bytes: String,
    },
}
