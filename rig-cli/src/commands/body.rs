use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use rig_core::mail::{self, Body, MAX_BODY};

use crate::error::CliError;
use crate::node;

/// The text of a message, from wherever it comes.
#[derive(clap::Args)]
pub(super) struct BodyArguments {
    /// The text; `-` reads it from standard input
    #[arg(value_name = "MSG", required_unless_present = "file")]
    message: Option<String>,
    /// Read the text from a file
    #[arg(long, value_name = "F", conflicts_with = "message")]
    file: Option<PathBuf>,
}

impl BodyArguments {
    /// The text, if it can be one of a message.
    pub(super) fn read(&self) -> Result<String, CliError> {
        let body = match (&self.file, self.message.as_deref()) {
            (Some(path), _) => {
                let failed = |error| unreadable(&path.display().to_string(), &error);
                let file = File::open(path).map_err(failed)?;
                Body::from_bytes(bytes(file).map_err(failed)?)
            }
            (None, Some("-")) => {
                let read = bytes(io::stdin().lock());
                Body::from_bytes(read.map_err(|error| unreadable("standard input", &error))?)
            }
            (None, text) => Body::new(text.unwrap_or_default()),
        };
        let body = body.map_err(|error: mail::Error| CliError::from(node::Error::from(error)))?;
        Ok(body.as_str().to_owned())
    }
}

/// What can be read, but no more than is needed to tell that it is too much.
fn bytes(from: impl Read) -> io::Result<Vec<u8>> {
    // A character has four bytes at most.
    let most = (MAX_BODY as u64 + 1) * 4;
    let mut bytes = Vec::new();
    from.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(what: &str, error: &io::Error) -> CliError {
    let code = match error.kind() {
        io::ErrorKind::NotFound => "path_missing",
        _ => "path_inaccessible",
    };
    CliError::new(code, format!("cannot read {what}")).told(|told| {
        told.causes.push(error.to_string());
    })
}
