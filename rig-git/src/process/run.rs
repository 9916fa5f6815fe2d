use std::fs::File;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rig_core::cancel::Cancel;
use rig_core::clock::Deadline;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};

use super::group;
use super::pipes::{Pipes, Stream};

/// How long a group has to tidy up after TERM, before KILL.
const GRACE: Duration = Duration::from_secs(5);
/// How long the rest of a killed group is waited for: what hangs in the kernel may never go.
const LAST_LOOK: Duration = Duration::from_secs(1);
/// How often the cancel flag is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How often the process is looked at where its end cannot be waited for together with its output.
const SHORT_TICK: Duration = Duration::from_millis(4);

/// How a program ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    Exited(ExitStatus),
    TimedOut,
    Cancelled,
}

/// Runs `command` with no terminal and an empty standard input (or `input`) until its own process
/// ends, and hands its output on as it comes.
///
/// It is over when its own process is, even if a child of it still holds the output open; such
/// children are left alone. After `limit`, on cancel, and if a signal killed the process, the whole
/// group is ended: TERM, after 5 s KILL. No error leaves anything running.
pub(crate) fn run(
    mut command: Command,
    input: Option<File>,
    limit: Duration,
    cancel: &Cancel,
    output: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Ended> {
    command.stdin(input.map_or_else(Stdio::null, Stdio::from));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    Running::start(command, None)?.follow(limit, cancel, output)
}

/// As [`run`], with standard error going to a file, which is emptied first, and no standard output. If
/// this process dies the program goes on to its end: a pipe that nobody reads would kill it.
pub(crate) fn run_with_log(
    mut command: Command,
    input: Option<File>,
    log: &File,
    limit: Duration,
    cancel: &Cancel,
    output: &mut dyn FnMut(Stream, &[u8]),
) -> io::Result<Ended> {
    log.set_len(0)?;
    command.stdin(input.map_or_else(Stdio::null, Stdio::from));
    command.stdout(Stdio::null()).stderr(log.try_clone()?);
    let mut running = Running::start(command, None)?;
    running.pipes.follow(log.try_clone()?);
    running.follow(limit, cancel, output)
}

/// As [`run`], with an empty standard input, and both kinds of output through one pipe, so that they
/// come in the order they were written in.
pub(crate) fn run_in_order(
    mut command: Command,
    limit: Duration,
    cancel: &Cancel,
    output: &mut dyn FnMut(&[u8]),
) -> io::Result<Ended> {
    let (reader, writer) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let running = Running::start(command, Some(reader.into()))?;
    running.follow(limit, cancel, &mut |_, bytes| output(bytes))
}

/// A process that leads a session and a group of its own. Dropped while it runs, it is killed with
/// its group.
struct Running {
    child: Box<dyn ChildWrapper>,
    group: Pid,
    grace: Duration,
    exit: Option<OwnedFd>,
    pipes: Pipes,
    reaped: bool,
}

impl Running {
    /// Starts the command; `both` is the pipe that all its output goes through, if there is one.
    fn start(command: Command, both: Option<OwnedFd>) -> io::Result<Self> {
        let mut command = CommandWrap::from(command);
        command.wrap(ProcessSession);
        // The inner child, since the outer one waits for all of the group that it can.
        let mut child = command.spawn()?.into_inner();
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(|| io::Error::other("the process has no usable ID"))?;
        let stdout = both.or_else(|| child.stdout().take().map(OwnedFd::from));
        let pipes = Pipes::new(stdout, child.stderr().take().map(OwnedFd::from));
        let (pipes, failed) = match pipes {
            Ok(pipes) => (pipes, None),
            Err(error) => (Pipes::new(None, None)?, Some(error)),
        };
        let running =
            Self { child, group, grace: GRACE, exit: exit_of(group), pipes, reaped: false };
        failed.map_or(Ok(running), Err)
    }

    fn follow(
        mut self,
        limit: Duration,
        cancel: &Cancel,
        output: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<Ended> {
        let deadline = Deadline::after(limit);
        loop {
            self.wait_for_news()?;
            self.pipes.read(output)?;
            if self.has_exited()? {
                return Ok(Ended::Exited(self.reap(output)?));
            }
            let ended = if cancel.is_cancelled() {
                Ended::Cancelled
            } else if deadline.has_passed() {
                Ended::TimedOut
            } else {
                continue;
            };
            self.end(output)?;
            return Ok(ended);
        }
    }

    fn wait_for_news(&self) -> io::Result<()> {
        let tick = if self.exit.is_some() { TICK } else { SHORT_TICK };
        self.pipes.wait(self.exit.as_ref().map(OwnedFd::as_fd), tick)
    }

    /// Whether the process has ended. It is not reaped, so its ID stays its group's.
    fn has_exited(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        Ok(waitid(WaitId::Pid(self.group), options)?.is_some())
    }

    /// Takes up the status of the process that has exited; if a signal ended it, so is its group.
    fn reap(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<ExitStatus> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let by_signal = waitid(WaitId::Pid(self.group), options)?
            .is_some_and(|status| status.killed() || status.dumped());
        if by_signal {
            self.end(output)?;
        } else {
            self.pipes.drain(output)?;
        }
        let status = self.child.wait()?;
        self.reaped = true;
        Ok(status)
    }

    /// Ends the whole group, and waits for it.
    fn end(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<()> {
        group::signal(self.group, Signal::TERM);
        let grace = Deadline::after(self.grace);
        while !self.is_gone()? {
            if grace.has_passed() {
                group::signal(self.group, Signal::KILL);
                self.child.wait()?;
                self.reaped = true;
                let last_look = Deadline::after(LAST_LOOK);
                while group::is_alive(self.group) && !last_look.has_passed() {
                    self.wait_a_moment(output)?;
                }
                break;
            }
            self.wait_a_moment(output)?;
        }
        self.pipes.drain(output)
    }

    fn wait_a_moment(&mut self, output: &mut dyn FnMut(Stream, &[u8])) -> io::Result<()> {
        // Once the process has exited, its exit is no news any more.
        let exit = self.exit.as_ref().filter(|_| !self.reaped).map(OwnedFd::as_fd);
        self.pipes.wait(exit, SHORT_TICK)?;
        self.pipes.read(output)
    }

    fn is_gone(&mut self) -> io::Result<bool> {
        if !self.reaped {
            self.reaped = self.child.try_wait()?.is_some();
        }
        Ok(self.reaped && !group::is_alive(self.group))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            group::signal(self.group, Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

/// Something that becomes readable when the process ends, where the system has that.
#[cfg(target_os = "linux")]
fn exit_of(process: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(process, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn exit_of(_: Pid) -> Option<OwnedFd> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_that_does_not_react_to_term_is_killed() {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", "trap '' TERM; sh -c 'echo $$; sleep 60; sleep 60' & sleep 60; sleep 60"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut running = Running::start(command, None).unwrap();
        running.grace = Duration::from_millis(50);
        let mut child = Vec::new();
        let ended = running.follow(Duration::from_millis(300), &Cancel::new(), &mut |_, bytes| {
            child.extend_from_slice(bytes);
        });
        assert!(matches!(ended, Ok(Ended::TimedOut)));
        let child: i32 = String::from_utf8(child).unwrap().trim().parse().unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
    }
}
