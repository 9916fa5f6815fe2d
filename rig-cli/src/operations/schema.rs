use schemars::JsonSchema;

/// A text or a number that says when something is.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "Instant")]
#[allow(dead_code)] // Only its schema is used.
pub(super) enum InstantSchema {
    /// RFC 3339, ISO 8601 with an offset, or RFC 2822.
    Text(String),
    /// Unix seconds or milliseconds.
    Number(f64),
}

/// How a caller names a call of its own.
#[derive(JsonSchema)]
#[serde(untagged)]
#[schemars(rename = "CallKey")]
#[allow(dead_code)]
pub(super) enum CallKeySchema {
    /// A call that stands alone.
    Alone(String),
    /// A call in a batch.
    Whole {
        /// The batch.
        batch: Option<String>,
        /// The call.
        call: String,
        /// Where it stands in the batch.
        index: Option<u64>,
    },
}
