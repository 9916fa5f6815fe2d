//! What the environment says to a build with failpoints.

use std::time::Duration;

use rig_core::failpoint;

use crate::environment::{Environment, Error};

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
