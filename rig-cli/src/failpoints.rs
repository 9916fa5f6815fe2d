//! What the environment says to a build with failpoints.

use std::time::Duration;

use rig_core::failpoint;
use serde::Deserialize;

use crate::environment::{Environment, Error};
use crate::protocol::Build;

/// Arms what `RIG_FAILPOINT` names, as `name` or `name:n`, and lets each sync of the store take
/// `RIG_MODEL_SYNC_MS` longer.
pub(crate) fn arm(environment: &Environment) -> Result<(), Error> {
    for (name, value) in environment.variables() {
        let value = value.to_string_lossy();
        let bad = |key, expected| Error::BadValue { key, value: value.to_string(), expected };
        match name.to_str() {
            Some("RIG_FAILPOINT") if !value.is_empty() => {
                failpoint::arm(&value).map_err(|expected| bad("RIG_FAILPOINT", expected))?;
            }
            Some("RIG_MODEL_SYNC_MS") if !value.is_empty() => {
                let expected = "whole milliseconds are expected";
                let ms = value.parse().map_err(|_| bad("RIG_MODEL_SYNC_MS", expected))?;
                failpoint::set_sync_takes(Duration::from_millis(ms));
            }
            _ => {}
        }
    }
    Ok(())
}

/// A build that this one plays, so that one program can be two.
#[derive(Debug, Deserialize)]
pub(crate) struct Played {
    /// Its numbers.
    #[serde(flatten)]
    pub(crate) build: Build,
    /// Operations that it does not know.
    #[serde(default)]
    pub(crate) without: Vec<String>,
}

/// The build that `RIG_BUILD` describes as JSON, such as
/// `{"protocol": [1, 2], "build": "0.2.0", "schema": 1}`.
pub(crate) fn played(environment: &Environment) -> Result<Option<Played>, Error> {
    let found = environment.variables().iter().find(|(name, _)| name == "RIG_BUILD");
    let Some((_, value)) = found else { return Ok(None) };
    let value = value.to_string_lossy();
    let played = serde_json::from_str(&value).map_err(|_| Error::BadValue {
        key: "RIG_BUILD",
        value: value.to_string(),
        expected: "a build is expected, as JSON",
    })?;
    Ok(Some(played))
}
