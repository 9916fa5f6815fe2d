use std::io::{self, Read as _};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

/// More than a pipe can hold, so that draining one ends even if somebody goes on writing.
const DRAINED_AT_MOST: usize = 1 << 20;

/// Where output came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// The reading ends of a program's output, read by one thread without blocking.
pub(super) struct Pipes {
    open: Vec<(Stream, std::fs::File)>,
    /// A file that standard error goes to, and how far it was read.
    log: Option<(std::fs::File, u64)>,
    chunk: Vec<u8>,
}

impl Pipes {
    pub(super) fn new(stdout: Option<OwnedFd>, stderr: Option<OwnedFd>) -> io::Result<Self> {
        let stdout = stdout.map(|pipe| (Stream::Stdout, pipe));
        let stderr = stderr.map(|pipe| (Stream::Stderr, pipe));
        let mut open = Vec::new();
        for (stream, pipe) in stdout.into_iter().chain(stderr) {
            rustix::io::ioctl_fionbio(&pipe, true)?;
            open.push((stream, pipe.into()));
        }
        Ok(Self { open, log: None, chunk: vec![0; 1 << 16] })
    }

    /// Hands on what is written to a file, from its beginning, as standard error.
    pub(super) fn follow(&mut self, log: std::fs::File) {
        self.log = Some((log, 0));
    }

    /// Blocks until there is output, `also` is readable, or `at_most` is over.
    pub(super) fn wait(&self, also: Option<BorrowedFd<'_>>, at_most: Duration) -> io::Result<()> {
        let pipes = self.open.iter().map(|(_, pipe)| pipe.as_fd());
        let mut all: Vec<_> =
            pipes.chain(also).map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let at_most = Timespec::try_from(at_most).map_err(io::Error::other)?;
        match poll(&mut all, Some(&at_most)) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Hands on one chunk of each pipe that has output.
    pub(super) fn read(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<()> {
        self.pass(output).map(drop)
    }

    /// Hands on what is there by now, and does not wait for more.
    pub(super) fn drain(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<()> {
        let mut drained = 0;
        while drained < 2 * DRAINED_AT_MOST {
            match self.pass(output)? {
                0 => break,
                read => drained += read,
            }
        }
        Ok(())
    }

    fn pass(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<usize> {
        let mut passed = 0;
        let mut at = 0;
        while let Some((stream, pipe)) = self.open.get_mut(at) {
            match pipe.read(&mut self.chunk) {
                Ok(0) => {
                    self.open.remove(at);
                    continue;
                }
                Ok(read) => {
                    output(*stream, &self.chunk[..read]);
                    passed += read;
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            at += 1;
        }
        if let Some((log, end)) = &mut self.log {
            let read = log.read_at(&mut self.chunk, *end)?;
            if read > 0 {
                output(Stream::Stderr, &self.chunk[..read]);
                *end += read as u64;
                passed += read;
            }
        }
        Ok(passed)
    }
}
