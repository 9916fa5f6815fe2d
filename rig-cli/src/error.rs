//! What a command tells when it did not do what was asked.

use std::io;

use serde_json::Value;

use crate::exit::Exit;
use crate::protocol::Failure;
use crate::{environment, hint, node};

/// Why a command ends without what was asked for.
#[derive(Debug)]
pub(crate) enum CliError {
    /// Whoever read our output has gone, and that is fine.
    BrokenPipe,
    /// Something to tell.
    Told(Box<Told>),
}

/// An error as it is shown.
#[derive(Debug)]
pub(crate) struct Told {
    /// The stable name.
    pub(crate) code: String,
    /// What happened.
    pub(crate) message: String,
    /// Why, each the cause of the one before.
    pub(crate) causes: Vec<String>,
    /// Facts for people, as label and value; in JSON they are in the detail.
    pub(crate) facts: Vec<(&'static str, String)>,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// The record as it stands.
    pub(crate) detail: Option<Value>,
    /// How the command ends.
    pub(crate) exit: Exit,
}

impl CliError {
    /// An error without a cause.
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Self {
        Self::Told(Box::new(Told {
            code: code.to_owned(),
            message: message.into(),
            causes: Vec::new(),
            facts: Vec::new(),
            hint: hint::for_code(code).map(str::to_owned),
            detail: None,
            exit: Exit::of_code(code),
        }))
    }

    /// Changes what is told.
    pub(crate) fn told(mut self, change: impl FnOnce(&mut Told)) -> Self {
        if let Self::Told(told) = &mut self {
            change(told);
        }
        self
    }

    /// Says what to do next.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        self.told(|told| told.hint = Some(hint.into()))
    }

    /// Fixes how the command ends, whatever the code's class.
    pub(crate) fn exit(self, exit: Exit) -> Self {
        self.told(|told| told.exit = exit)
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        let Failure { code, message, causes, hint, detail } = failure;
        Self::new(&code, message).told(|told| {
            told.causes = causes;
            told.detail = detail.map(|detail| *detail);
            told.hint = hint.or(told.hint.take());
        })
    }
}

impl From<node::Error> for CliError {
    fn from(error: node::Error) -> Self {
        Failure::from(error).into()
    }
}

impl From<environment::Error> for CliError {
    fn from(error: environment::Error) -> Self {
        Failure::of(error.code(), &error).into()
    }
}

impl From<io::Error> for CliError {
    /// An error at writing to standard output.
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::new("io_failed", "cannot write to standard output").told(|told| {
                told.causes.push(error.to_string());
                told.hint = None;
            }),
        }
    }
}
