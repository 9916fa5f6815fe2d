use std::ffi::OsStr;
use std::fs::{Metadata, TryLockError};
use std::io;
use std::path::Path;
use std::time::Duration;

use cap_std::fs::Dir;
use rig_core::cancel::Cancel;
use rig_core::config::Config;

use super::above::Above;
use super::copy::{self, Look};
use super::report::{NotCopied, SyncReport, Synced, SyncedPath};
use super::source::{self, Identity, Source};
use super::{paths, place, protect};
use crate::error::{Error, Result};

/// How often another pass over the same workspace is looked for.
const POLL: Duration = Duration::from_millis(20);

/// Makes one pass over one workspace: copies what `workspace.sync` and `workspace.protected_sync`
/// name from `project_root` to `workspace`, both canonical.
///
/// A file that has the size, the modification time and the mode it would get is left. What is there
/// of another kind, a link too, is replaced. A dry run changes nothing. Of several passes at once
/// over one workspace one works and the others wait.
///
/// # Errors
///
/// `SyncPathInvalid`, before anything is copied; `WorkspaceFolderMissing`, also if a link is in its
/// place; `PathInaccessible`; `Cancelled`. A path that fails is in the report and stops nothing.
pub fn pass(
    config: &Config,
    project_root: &Path,
    workspace: &Path,
    dry_run: bool,
    cancel: &Cancel,
) -> Result<SyncReport> {
    let listed = paths::listed(config)?;
    let folder = place::open(workspace)?;
    let lock = folder.try_clone().map_err(|source| Error::PathInaccessible {
        path: workspace.to_owned(),
        source: source.into(),
    })?;
    // The lock ends with the opened folder, so a killed pass holds up nobody. Where folders cannot be
    // locked, passes are not kept apart.
    let lock = lock.into_std_file();
    while !dry_run && matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        if cancel.pause(POLL) {
            return Err(Error::Cancelled);
        }
    }
    let mut pass =
        Pass { config, root: project_root, dry_run, cancel, report: SyncReport::default() };
    for path in listed {
        match Above::of(project_root, &folder, &path, dry_run) {
            Ok(mut above) => pass.entry(&path, above.folder.as_ref(), &mut above.around)?,
            Err(why) => pass.tell(&path, Err(why))?,
        }
    }
    Ok(pass.report)
}

struct Pass<'a> {
    config: &'a Config,
    root: &'a Path,
    dry_run: bool,
    cancel: &'a Cancel,
    report: SyncReport,
}

impl Pass<'_> {
    /// Copies a file or folder of the project to the same name in `at`, an opened folder of the
    /// workspace, or none if a dry run would make it. `around` are the folders above on both sides:
    /// to enter one of them again would never end.
    fn entry(&mut self, path: &Path, at: Option<&Dir>, around: &mut Vec<Identity>) -> Result<()> {
        if self.cancel.is_cancelled() {
            return Err(Error::Cancelled);
        }
        let Some(name) = path.file_name() else { return Ok(()) };
        let source = if paths::is_git(name) {
            Err(NotCopied::Skipped("it is git's own"))
        } else {
            source::look(&self.root.join(path))
        };
        match source {
            Ok(Source::File(found)) => {
                let outcome = self.file(path, name, &found, at);
                self.tell(path, outcome)
            }
            Ok(Source::Folder(found)) if around.contains(&source::identity(&found)) => {
                self.tell(path, Err(NotCopied::Skipped("its links form a loop")))
            }
            Ok(Source::Folder(found)) => self.folder(path, name, &found, at, around),
            Err(why) => self.tell(path, Err(why)),
        }
    }

    fn file(
        &self,
        path: &Path,
        name: &OsStr,
        found: &Metadata,
        at: Option<&Dir>,
    ) -> Result<Synced, NotCopied> {
        let Some(at) = at else { return Ok(Synced::Copied) };
        let protected = protect::is_protected(self.config, path);
        match at.symlink_metadata(name) {
            Ok(there)
                if there.is_file() && Look::of_file(&there) == Look::of_copy(found, protected) =>
            {
                return Ok(Synced::Unchanged);
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(NotCopied::failed("look at the copy")(error));
            }
            _ => {}
        }
        if !self.dry_run {
            copy::file(&self.root.join(path), at, name, protected, self.cancel)?;
        }
        Ok(Synced::Copied)
    }

    /// Lays a folder over what is there. It is told of by its files, or by itself if it has none.
    fn folder(
        &mut self,
        path: &Path,
        name: &OsStr,
        found: &Metadata,
        at: Option<&Dir>,
        around: &mut Vec<Identity>,
    ) -> Result<()> {
        let opened = self.opened(name, found, at).and_then(|(folder, outcome)| {
            let names = source::names(&self.root.join(path));
            Ok((folder, outcome, names.map_err(NotCopied::failed("list it"))?))
        });
        let (folder, outcome, names) = match opened {
            Ok(opened) => opened,
            Err(why) => return self.tell(path, Err(why)),
        };
        if names.is_empty() {
            return self.tell(path, Ok(outcome));
        }
        let outside = around.len();
        around.push(source::identity(found));
        around.extend(folder.as_ref().and_then(|folder| place::identity(folder).ok()));
        for name in names {
            self.entry(&path.join(name), folder.as_ref(), around)?;
        }
        around.truncate(outside);
        Ok(())
    }

    /// Opens the folder at `name`, or makes it; anything else there makes room.
    fn opened(
        &self,
        name: &OsStr,
        found: &Metadata,
        at: Option<&Dir>,
    ) -> Result<(Option<Dir>, Synced), NotCopied> {
        let Some(at) = at else { return Ok((None, Synced::Copied)) };
        match at.symlink_metadata(name) {
            Ok(there) if there.is_dir() => {
                let folder =
                    place::child(at, name).map_err(NotCopied::failed("open the folder"))?;
                return Ok((Some(folder), Synced::Unchanged));
            }
            Ok(_) if !self.dry_run => {
                at.remove_file(name).map_err(NotCopied::failed("replace what is there"))?;
            }
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(NotCopied::failed("look at the folder")(error));
            }
            _ => {}
        }
        if self.dry_run {
            return Ok((None, Synced::Copied));
        }
        let folder = place::make(at, name, found).map_err(NotCopied::failed("make the folder"))?;
        Ok((Some(folder), Synced::Copied))
    }

    fn tell(&mut self, path: &Path, outcome: Result<Synced, NotCopied>) -> Result<()> {
        let (outcome, reason) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(NotCopied::Skipped(reason)) => (Synced::Skipped, Some(reason.to_owned())),
            Err(NotCopied::Failed(reason)) => (Synced::Failed, Some(reason)),
            Err(NotCopied::Cancelled) => return Err(Error::Cancelled),
        };
        self.report.paths.push(SyncedPath { path: path.to_owned(), outcome, reason });
        Ok(())
    }
}
