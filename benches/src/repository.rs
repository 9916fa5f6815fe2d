use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::sandbox::{finish, output};
use crate::{Result, Sandbox, settle};

/// A generated repository, with `main` checked out and no remote.
#[derive(Debug)]
pub struct Repository<'a> {
    sandbox: &'a Sandbox,
    folder: PathBuf,
}

impl<'a> Repository<'a> {
    /// A repository of so many files with so many bytes together, in folders of 100.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn generate(sandbox: &'a Sandbox, files: u32, bytes: u64) -> Result<Self> {
        let repository = Self { sandbox, folder: sandbox.path("repository") };
        std::fs::create_dir(&repository.folder)?;
        repository.git(&["init", "--quiet", "--initial-branch=main"])?;
        let mut command = sandbox.git(&repository.folder);
        command.args(["fast-import", "--quiet", "--depth=0"]).stdin(Stdio::piped());
        let mut child = command.spawn()?;
        let input = child.stdin.take().ok_or("git takes no input")?;
        write_history(&mut BufWriter::with_capacity(1 << 20, input), files, bytes)?;
        finish(&command, child)?;
        repository.git(&["reset", "--quiet", "--hard", "main"])?;
        settle();
        Ok(repository)
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs git in it.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn git(&self, arguments: &[&str]) -> Result<String> {
        output(self.sandbox.git(&self.folder).args(arguments))
    }

    /// Runs `rig` in it.
    ///
    /// # Errors
    ///
    /// If it fails.
    pub fn rig(&self, arguments: &[&str]) -> Result<String> {
        output(self.sandbox.rig(&self.folder).args(arguments))
    }

    /// Runs several `rig` in it at once, to the end of all.
    ///
    /// # Errors
    ///
    /// If one of them fails.
    pub fn rig_at_once(&self, all: &[Vec<String>]) -> Result<()> {
        let start = |arguments: &Vec<String>| -> Result<_> {
            let mut command = self.sandbox.rig(&self.folder);
            command.args(arguments);
            let child = command.spawn()?;
            Ok((command, child))
        };
        let started = all.iter().map(start).collect::<Result<Vec<_>>>()?;
        for (command, child) in started {
            finish(&command, child)?;
        }
        Ok(())
    }

    /// `rig` in it, to be run by whoever asks.
    #[must_use]
    pub fn rig_command(&self, arguments: &[&str]) -> Command {
        let mut command = self.sandbox.rig(&self.folder);
        command.args(arguments);
        command
    }

    /// A plain `git worktree add` of `main` on a branch of its own.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn plain_add(&self, name: &str) -> Result<()> {
        let path = self.sandbox.path("plain").join(name);
        let path = path.to_str().ok_or("the temporary folder is not UTF-8")?;
        self.git(&["worktree", "add", "-b", &format!("plain/{name}"), "--", path, "main"])?;
        Ok(())
    }

    /// Removes what [`Repository::plain_add`] made.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn plain_remove(&self, name: &str) -> Result<()> {
        let path = self.sandbox.path("plain").join(name);
        let path = path.to_str().ok_or("the temporary folder is not UTF-8")?;
        self.git(&["worktree", "remove", "--force", "--", path])?;
        self.git(&["branch", "--quiet", "-D", &format!("plain/{name}")])?;
        Ok(())
    }
}

fn write_history(to: &mut impl Write, files: u32, bytes: u64) -> Result<()> {
    let mean = bytes / u64::from(files.max(1));
    writeln!(to, "commit refs/heads/main\ncommitter Bench <bench@example.com> 1785000000 +0000")?;
    writeln!(to, "data 5\nbench")?;
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for number in 0..files {
        // From a tenth of the mean to nearly twice of it, so that the whole comes out right.
        let size = mean / 10 + next(&mut state) % (mean * 9 / 5 + 1);
        writeln!(to, "M 100644 inline folder-{:03}/file-{number:05}.txt", number / 100)?;
        writeln!(to, "data {size}")?;
        write_text(to, &mut state, size)?;
        writeln!(to)?;
    }
    to.flush()?;
    Ok(())
}

/// Lines of letters that compress about as source text does.
fn write_text(to: &mut impl Write, state: &mut u64, size: u64) -> Result<()> {
    const WORDS: [&[u8; 8]; 8] = [
        b"    let ",
        b"return }",
        b"worktree",
        b" => Err(",
        b"struct A",
        b"pub fn i",
        b"self.it\n",
        b"// what ",
    ];
    let mut left = usize::try_from(size)?;
    while left > 0 {
        let random = next(state);
        let mut chunk = [0; 16];
        chunk[..8].copy_from_slice(WORDS[usize::try_from(random & 7)?]);
        for (at, byte) in chunk[8..].iter_mut().enumerate() {
            *byte = b'a' + u8::try_from((random >> (8 * at)) & 15)?;
        }
        let part = left.min(chunk.len());
        to.write_all(&chunk[..part])?;
        left -= part;
    }
    Ok(())
}

/// Marsaglia's xorshift: the same bytes on every machine.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
