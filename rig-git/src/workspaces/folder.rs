use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::workspace::{Status, Workspace};

use super::edit::not_ready;
use crate::error::{Error, Result};

/// How often a folder that cannot be looked at is looked at again.
const LOOKS: u32 = 5;

/// The pause before each further look.
const PAUSE: Duration = Duration::from_millis(50);

/// The folder of a workspace that can be worked in. Ask this before anything is started in one:
/// nothing starts in a workspace that is not ready, and a folder that went is not made again.
///
/// # Errors
///
/// `WorkspaceNotReady`; `WorkspaceFolderMissing` if the folder is proven gone; `PathInaccessible` if
/// five looks in 200 ms proved nothing: what waits for the folder goes on waiting; `Cancelled`.
pub fn working_folder<'a>(row: &'a Workspace, cancel: &Cancel) -> Result<&'a Path> {
    match row.status {
        Status::Ready => {}
        Status::Initializing => {
            return Err(not_ready(row.clone(), " still: wait until it is ready"));
        }
        Status::Failed => return Err(not_ready(row.clone(), ": retry or archive it")),
        Status::Archiving | Status::Archived => return Err(not_ready(row.clone(), "")),
    }
    let path: &Path = &row.path;
    for look in 1.. {
        let source = match std::fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => return Ok(path),
            Ok(_) => break,
            Err(error) if error.kind() == ErrorKind::NotFound => break,
            Err(error) => error,
        };
        if look == LOOKS {
            let source = Box::new(source);
            return Err(Error::PathInaccessible { path: path.to_owned(), source });
        }
        if cancel.pause(PAUSE) {
            return Err(Error::Cancelled);
        }
    }
    Err(Error::WorkspaceFolderMissing { path: path.to_owned() })
}
