use std::fs::{self, File, FileTimes};
use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;
use tempfile::TempDir;

use super::checkout::{Checkout, LIMIT};
use super::status::Paths;
use crate::error::{Error, Result};
use crate::git::{Call, Git};

/// A copy of a checkout's index to work on, so that the checkout's own one stays as it is, and a
/// lock on it is in nobody's way. It lies in the administrative folder: what a crash leaves of it
/// goes with that.
pub(super) struct TemporaryIndex<'a> {
    git: &'a Git,
    checkout: &'a Checkout,
    folder: TempDir,
}

impl<'a> TemporaryIndex<'a> {
    pub(super) fn copy(git: &'a Git, checkout: &'a Checkout) -> Result<Self> {
        let original = checkout.git_dir.join("index");
        let copy = || {
            let folder = TempDir::with_prefix_in("rig-index-", &checkout.git_dir)?;
            let copied = folder.path().join("index");
            let modified = fs::metadata(&original)?.modified()?;
            fs::copy(&original, &copied)?;
            // git takes a file for changed if it is as young as the index. A younger index would
            // hide the last changes.
            File::options()
                .write(true)
                .open(&copied)?
                .set_times(FileTimes::new().set_modified(modified))?;
            Ok(folder)
        };
        let folder =
            copy().map_err(|source| Error::Io { doing: "copy", path: original.clone(), source })?;
        Ok(Self { git, checkout, folder })
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join("index")
    }

    /// A command that works on this index, and never on the checkout's own: filters run, hooks do
    /// not.
    pub(super) fn call(&self) -> Call<'a> {
        quiet(self.git, &self.checkout.folder).env("GIT_INDEX_FILE", self.path())
    }

    /// Runs `update-index` with `options` for `paths`.
    pub(super) fn update(&self, options: &[&str], paths: &Paths, cancel: &Cancel) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let input = paths.in_file(self.folder.path())?;
        let call = self.call().arg("update-index").args(options).args(["-z", "--stdin"]);
        call.holding(&input).limit(LIMIT).succeed(cancel).map(drop)
    }

    /// Replaces entries by `lines`, each a mode, an object, a tab and a path.
    pub(super) fn update_entries(&self, lines: &Paths, cancel: &Cancel) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        let input = lines.in_file(self.folder.path())?;
        let call = self.call().args(["update-index", "-z", "--index-info"]);
        call.holding(&input).limit(LIMIT).succeed(cancel).map(drop)
    }

    /// Takes the marks away that keep git from looking at files.
    pub(super) fn unhide(&self, hidden: &Paths, cancel: &Cancel) -> Result<()> {
        self.update(&["--no-assume-unchanged"], hidden, cancel)?;
        self.update(&["--no-skip-worktree"], hidden, cancel)
    }

    /// The tree of what is in the index.
    pub(super) fn write_tree(&self, cancel: &Cancel) -> Result<String> {
        line(self.call().arg("write-tree").limit(LIMIT), cancel)
    }
}

/// A command that writes objects and one ref: no hooks, no signature, and what it wrote is on the
/// disk when it ends, since the only other copy is about to be deleted.
pub(super) fn quiet<'a>(git: &'a Git, folder: &'a Path) -> Call<'a> {
    git.write(folder).args([
        "-c",
        "core.hooksPath=/dev/null",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.splitIndex=false",
        "-c",
        "core.safecrlf=false",
        "-c",
        "core.fsync=committed",
        "-c",
        "core.fsyncMethod=batch",
        "-c",
        "commit.gpgSign=false",
        "-c",
        "submodule.recurse=false",
    ])
}

/// The one line that a command answers.
pub(super) fn line(call: Call<'_>, cancel: &Cancel) -> Result<String> {
    let answer = call.succeed(cancel)?;
    Ok(String::from_utf8_lossy(&answer.stdout).trim_end().to_owned())
}
