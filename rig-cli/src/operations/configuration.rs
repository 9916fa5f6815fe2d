use std::collections::BTreeMap;

use rig_core::path::RawPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathSchema;

/// Shows the configuration that counts in a folder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowConfig {
    /// The folder whose `rig.toml` counts, above the user's; absolute.
    #[schemars(with = "PathSchema")]
    pub root: RawPath,
}

/// Checks the configuration that counts in a folder.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckConfig {
    /// The folder whose `rig.toml` counts, above the user's; absolute.
    #[schemars(with = "PathSchema")]
    pub root: RawPath,
}

/// A configuration that was merged of all layers.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShownConfig {
    /// Each key with its value.
    pub values: BTreeMap<String, ConfigValue>,
}

/// A configured value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfigValue {
    /// The value.
    pub value: serde_json::Value,
    /// Where it comes from: `default`, a file, or an environment variable.
    pub from: String,
}

/// What is wrong with a configuration.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct CheckedConfig {
    /// Each fault; none if all is well.
    pub faults: Vec<ConfigFault>,
}

/// A fault of a configuration.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConfigFault {
    /// The stable code.
    pub code: String,
    /// File, line, key and value, and what is expected.
    pub message: String,
}
