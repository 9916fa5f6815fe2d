//! Deletes a tree through opened folders: a link goes, its target stays.

use std::path::Path;

use crate::error::Result;

/// Deletes the folder at `path` with all it holds. Nothing outside of it is touched, whatever links
/// it has. That it is not there is fine.
///
/// # Errors
///
/// `Io` names what could not be deleted; the rest may be gone.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let _ = path;
    todo!()
}
