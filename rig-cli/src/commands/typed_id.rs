use std::str::FromStr;

use rig_core::id::BadId;

use crate::error::CliError;
use crate::node;

/// An ID as it was typed. Its own error says more than one of the command line would.
pub(super) fn typed_id<I: FromStr<Err = BadId>>(id: &str) -> Result<I, CliError> {
    id.parse().map_err(|error| node::Error::from(rig_core::agent::Error::from(error)).into())
}
