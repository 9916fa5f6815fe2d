use rig_core::call_key::CallKey;

use crate::error::CliError;

/// The key of a call that stands alone, as `--key` names it.
pub(super) fn call_key(key: &str) -> Result<CallKey, CliError> {
    CallKey::alone(key).map_err(|error| CliError::new(error.code(), error.to_string()))
}
