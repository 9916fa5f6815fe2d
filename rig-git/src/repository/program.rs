//! Reads through the git program.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use rig_core::cancel::Cancel;

use super::linked::inaccessible;
use super::open::{Places, Repository};
use crate::error::{Error, Result};
use crate::git::{Answer, Git};

impl Repository {
    /// What git prints; none if it answers no (status 1).
    pub(super) fn ask<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Option<Vec<u8>>> {
        let answer = self.run(args)?;
        match answer.status {
            Some(0) => Ok(Some(answer.stdout)),
            Some(1) => Ok(None),
            _ => Err(answer.failure(args[0].as_ref().to_string_lossy())),
        }
    }

    /// The first word of what git prints; none if there is no such thing, for which git has more
    /// than one status.
    pub(super) fn look_up<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Option<String>> {
        let answer = self.run(args)?;
        match answer.status {
            Some(0) => Ok(word(&answer.stdout)),
            Some(_) => Ok(None),
            None => Err(answer.failure(args[0].as_ref().to_string_lossy())),
        }
    }

    /// Hands on each line that git prints, however many there are.
    pub(super) fn each_line<S: AsRef<OsStr>>(
        &self,
        args: &[S],
        line: &mut dyn FnMut(&[u8]),
    ) -> Result<()> {
        let mut rest = Vec::new();
        let mut split = |bytes: &[u8]| {
            rest.extend_from_slice(bytes);
            let Some(end) = rest.iter().rposition(|&byte| byte == b'\n') else { return };
            rest[..end].split(|&byte| byte == b'\n').for_each(&mut *line);
            rest.drain(..=end);
        };
        self.git.read(self.folder()).args(args).output_to(&mut split).succeed(&Cancel::new())?;
        Ok(())
    }

    fn run<S: AsRef<OsStr>>(&self, args: &[S]) -> Result<Answer> {
        self.git.read(self.folder()).args(args).run(&Cancel::new())
    }
}

/// Where git finds the repository around a folder; none if it refuses or finds none.
pub(super) fn places(git: &Git, folder: &Path) -> Result<Option<Places>> {
    // One question at a time: a path may hold a line feed.
    let ask = |question: &str| -> Result<Option<PathBuf>> {
        let answer = git.read(folder).args(["rev-parse", question]).run(&Cancel::new());
        let mut answer = match answer {
            Err(Error::Io { source, .. }) if !folder.is_dir() => {
                return Err(inaccessible(folder, source));
            }
            answer => answer?,
        };
        if answer.status != Some(0) {
            return Ok(None);
        }
        answer.stdout.pop_if(|last| *last == b'\n');
        Ok(Some(folder.join(OsString::from_vec(answer.stdout))))
    };
    let real = |path: PathBuf| path.canonicalize().map_err(|error| inaccessible(&path, error));
    let (Some(git_dir), Some(common_dir)) = (ask("--absolute-git-dir")?, ask("--git-common-dir")?)
    else {
        return Ok(None);
    };
    let top_level = ask("--show-toplevel")?.map(real).transpose()?;
    Ok(Some(Places { top_level, git_dir: real(git_dir)?, common_dir: real(common_dir)? }))
}

/// The first word of an answer.
pub(super) fn word(bytes: &[u8]) -> Option<String> {
    let word = bytes.split(u8::is_ascii_whitespace).next().filter(|word| !word.is_empty())?;
    Some(String::from_utf8_lossy(word).into_owned())
}

/// A path among what git printed.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(bytes))
}
