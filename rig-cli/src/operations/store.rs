use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Verifies the store: its pages, and that its tables agree with each other.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckStore {}

/// What is wrong with the store.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedStore {
    /// Each fault; none if all is well.
    pub findings: Vec<StoreFinding>,
}

/// A fault of the store.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreFinding {
    /// The table; none if it is about the file.
    pub table: Option<String>,
    /// The key, as hexadecimal digits.
    pub key: Option<String>,
    /// What is wrong.
    pub what: String,
}

/// Makes the store's file as small as it can be.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompactStore {}

/// How large the store was and is.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CompactedStore {
    /// Bytes of the file before.
    pub before: u64,
    /// Bytes of the file now.
    pub after: u64,
}

/// Tells every row of the store.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DumpStore {}

/// A row as it is dumped.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct StoreRow {
    /// Its table.
    pub table: String,
    /// Its key, as hexadecimal digits.
    pub key: String,
    /// Its record.
    pub value: serde_json::Value,
}

/// How much was dumped.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Dumped {
    /// Rows.
    pub rows: u64,
}
