use std::error::Error;
use std::iter;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why an operation was refused, or failed, as it is told to whoever asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The stable name.
    pub code: String,
    /// What happened.
    pub message: String,
    /// Why, each the cause of the one before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<String>,
    /// What to do next, where that is not the same for all errors of this code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The record as it stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<Box<Value>>,
}

impl Failure {
    /// A failure without a cause.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            causes: Vec::new(),
            hint: None,
            detail: None,
        }
    }

    /// An error with its causes.
    #[must_use]
    pub fn of(code: &str, error: &dyn Error) -> Self {
        let causes = iter::successors(error.source(), |&error| error.source());
        Self {
            causes: causes.map(ToString::to_string).collect(),
            ..Self::new(code, error.to_string())
        }
    }

    /// A request that is not understood.
    pub(crate) fn bad_request(error: &serde_json::Error) -> Self {
        Self::new("bad_request", error.to_string())
    }

    /// The same, with the record as it stands.
    #[must_use]
    pub(crate) fn detail(mut self, detail: impl Serialize) -> Self {
        self.detail = serde_json::to_value(detail).ok().map(Box::new);
        self
    }
}
