use std::ffi::OsStr;
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;

use super::checkout::Checkout;
use super::index::TemporaryIndex;
use crate::error::{Error, Result};
use crate::git::Git;

/// One file that is not as HEAD has it, as `git status --porcelain=v2` tells it.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Record<'a> {
    Tracked(Tracked<'a>),
    Unmerged(Unmerged<'a>),
    /// A nested repository ends in a slash.
    Untracked(&'a [u8]),
    /// A folder ends in a slash.
    Ignored(&'a [u8]),
}

/// A tracked file that differs between HEAD, index and disk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tracked<'a> {
    /// How the index differs from HEAD; `.` if it does not.
    pub(super) staged: u8,
    /// How the disk differs from the index; `.` if it does not.
    pub(super) unstaged: u8,
    submodule: &'a [u8],
    in_index: bool,
    same_content_in_index: bool,
    pub(super) path: &'a [u8],
}

/// A file with a conflict.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unmerged<'a> {
    /// Mode and object of our side; a mode of zeros if our side has no such file.
    pub(super) ours: (&'a [u8], &'a [u8]),
    pub(super) on_disk: bool,
    pub(super) path: &'a [u8],
}

impl Tracked<'_> {
    pub(super) fn is_submodule(&self) -> bool {
        self.submodule.first() == Some(&b'S')
    }

    /// Whether the submodule itself has changes, or another commit than the index says.
    pub(super) fn submodule_changed(&self) -> bool {
        self.is_submodule() && self.submodule != b"S..."
    }

    /// Whether the file itself is another one, not only what is inside of a submodule.
    pub(super) fn is_dirty(&self) -> bool {
        self.staged != b'.'
            || (self.unstaged != b'.'
                && (!self.is_submodule()
                    || self.unstaged != b'M'
                    || self.submodule.get(1) == Some(&b'C')))
    }

    /// Whether the index holds content that is neither in HEAD nor on disk.
    pub(super) fn only_in_index(&self) -> bool {
        let differs = self.staged != b'.' && self.unstaged != b'.';
        differs && self.in_index && !self.same_content_in_index && !self.is_submodule()
    }
}

/// Tells `each` of every record that `git status` has for the checkout, untracked files one by one
/// and, if asked for, ignored ones with their folders collapsed.
///
/// `index` is read instead of the checkout's own one.
pub(super) fn status(
    git: &Git,
    checkout: &Checkout,
    index: Option<&TemporaryIndex>,
    ignored: bool,
    limit: Duration,
    cancel: &Cancel,
    each: &mut dyn FnMut(Record<'_>),
) -> Result<()> {
    let mut unknown = None;
    let mut records = Records::new(|line| match Record::parse(line) {
        Some(record) => each(record),
        None => unknown = Some(String::from_utf8_lossy(line).into_owned()),
    });
    let mut call = git
        .read(&checkout.folder)
        .args(["status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=none"])
        .args([
            "--untracked-files=all",
            if ignored { "--ignored=matching" } else { "--ignored=no" },
        ])
        .limit(limit);
    if let Some(index) = index {
        call = call.env("GIT_INDEX_FILE", index.path());
    }
    let mut output = |bytes: &[u8]| records.take(bytes);
    let answer = call.output_to(&mut output).succeed(cancel)?;
    // git goes on without a folder that it cannot open and calls that a success. What it did not
    // look at must not pass for what is not there.
    let said = String::from_utf8_lossy(&answer.stderr);
    let unread = said.lines().find(|line| line.contains("could not open directory"));
    match unread.map(str::to_owned).or(unknown) {
        Some(last_lines) => {
            let status = "incomplete".to_owned();
            Err(Error::GitFailed { operation: "status".into(), status, last_lines })
        }
        None => Ok(()),
    }
}

/// What the index says of the checkout beyond what `git status` tells.
#[derive(Default)]
pub(super) struct Flagged {
    /// Files on disk that git was told not to look at (`--assume-unchanged`, `--skip-worktree`).
    pub(super) hidden: Paths,
    /// Submodules with a repository.
    pub(super) submodules: Vec<PathBuf>,
}

/// Looks through the index of the checkout.
pub(super) fn flagged(
    git: &Git,
    checkout: &Checkout,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Flagged> {
    let mut found = Flagged::default();
    let mut records = Records::new(|line| {
        let Some((about, path)) = split_once(line, b'\t') else { return };
        let on_disk = checkout.folder.join(OsStr::from_bytes(path));
        let mut about = about.split(|byte| *byte == b' ');
        let tag = about.next().and_then(|tag| tag.first()).copied().unwrap_or(b'H');
        if about.next() == Some(b"160000") {
            if on_disk.join(".git").symlink_metadata().is_ok() {
                found.submodules.push(OsStr::from_bytes(path).into());
            }
        } else if (tag.is_ascii_lowercase() || tag == b'S') && on_disk.symlink_metadata().is_ok() {
            found.hidden.push(path);
        }
    });
    let mut output = |bytes: &[u8]| records.take(bytes);
    git.read(&checkout.folder)
        .args(["ls-files", "-v", "-s", "-z"])
        .limit(limit)
        .output_to(&mut output)
        .succeed(cancel)?;
    drop(records);
    Ok(found)
}

/// A list of paths as git reads and writes it: each ends with a NUL.
#[derive(Default)]
pub(super) struct Paths(Vec<u8>);

impl Paths {
    pub(super) fn push(&mut self, path: &[u8]) {
        self.0.extend_from_slice(path);
        self.0.push(0);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The list as an open file in `folder`, to be a command's standard input.
    pub(super) fn in_file(&self, folder: &Path) -> Result<std::fs::File> {
        let write = || {
            let mut file = tempfile::tempfile_in(folder)?;
            file.write_all(&self.0)?;
            file.seek(SeekFrom::Start(0))?;
            Ok(file)
        };
        write().map_err(|source| Error::Io { doing: "write", path: folder.into(), source })
    }
}

/// Cuts a stream of bytes at its NULs.
pub(super) struct Records<F> {
    rest: Vec<u8>,
    each: F,
}

impl<F: FnMut(&[u8])> Records<F> {
    pub(super) fn new(each: F) -> Self {
        Self { rest: Vec::new(), each }
    }

    pub(super) fn take(&mut self, mut bytes: &[u8]) {
        while let Some((record, rest)) = split_once(bytes, 0) {
            if self.rest.is_empty() {
                (self.each)(record);
            } else {
                self.rest.extend_from_slice(record);
                (self.each)(&self.rest);
                self.rest.clear();
            }
            bytes = rest;
        }
        self.rest.extend_from_slice(bytes);
    }
}

fn split_once(bytes: &[u8], at: u8) -> Option<(&[u8], &[u8])> {
    let place = bytes.iter().position(|byte| *byte == at)?;
    Some((&bytes[..place], &bytes[place + 1..]))
}

impl<'a> Record<'a> {
    fn parse(line: &'a [u8]) -> Option<Self> {
        let (kind, rest) = split_once(line, b' ')?;
        match kind {
            b"?" => Some(Self::Untracked(rest)),
            b"!" => Some(Self::Ignored(rest)),
            b"1" => {
                let ([state, submodule, _, in_index, _, head, index], path) = fields(rest)?;
                let [staged, unstaged] = *state else { return None };
                Some(Self::Tracked(Tracked {
                    staged,
                    unstaged,
                    submodule,
                    in_index: !is_zero(in_index),
                    same_content_in_index: head == index,
                    path,
                }))
            }
            b"u" => {
                let ([_, _, _, ours, _, on_disk, _, object, _], path) = fields(rest)?;
                let on_disk = !is_zero(on_disk);
                Some(Self::Unmerged(Unmerged { ours: (ours, object), on_disk, path }))
            }
            _ => None,
        }
    }
}

/// The first `N` fields, and what follows them.
fn fields<const N: usize>(mut rest: &[u8]) -> Option<([&[u8]; N], &[u8])> {
    let mut fields = [&b""[..]; N];
    for field in &mut fields {
        (*field, rest) = split_once(rest, b' ')?;
    }
    Some((fields, rest))
}

fn is_zero(mode: &[u8]) -> bool {
    mode.iter().all(|digit| *digit == b'0')
}
