use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::config::DaemonMode;

use super::error::{Error, Result};
use super::leader::{Leader, Role};
use super::link::{Greeted, Link, Patience, Unconnected};
use super::lock::{Holder, LockFile};
use super::open::Node;
use super::socket;
use crate::protocol::Failure;

/// The first pause between two tries, in microseconds.
const FIRST: std::ops::RangeInclusive<u64> = 300..=1300;

/// The longest pause.
const LONGEST: Duration = Duration::from_millis(20);

impl Node {
    /// A connection to whoever leads; this process does if nobody else does.
    pub(super) fn reach(&self, patience: &mut Patience<'_>) -> Result<Link, Failure> {
        let mut pause = pause()?;
        let mut lock = LockFile::open(&self.state)?;
        let mut body = Vec::new();
        loop {
            if self.interrupt().is_set() {
                return Err(Failure::new("cancelled", "interrupted"));
            }
            if let Some(link) = self.own_link() {
                return self.greeted(link, patience)?.ok_or_else(|| self.silent());
            }
            match Link::connect(&self.socket) {
                Ok(link) => {
                    if let Some(link) = self.greeted(link, patience)? {
                        return Ok(link);
                    }
                }
                Err(Unconnected::Failed(source)) => {
                    let path = self.socket.clone();
                    return Err(Error::State { path, source }.into());
                }
                Err(Unconnected::Nobody) => {
                    if !lock.is_in_place() {
                        lock = LockFile::open(&self.state)?;
                    }
                    let mut slot = self.leader();
                    if slot.is_none() && lock.try_take()? {
                        if lock.is_in_place() {
                            *slot = Some(self.lead(lock)?);
                            lock = LockFile::open(&self.state)?;
                        } else {
                            lock.give_back()?;
                        }
                        continue;
                    }
                    drop(slot);
                    let (holder, text) = lock.holder();
                    if text != body {
                        body = text;
                        patience.renew();
                    }
                    if let Some(link) = self.elsewhere(holder.as_ref())
                        && let Some(link) = self.greeted(link, patience)?
                    {
                        return Ok(link);
                    }
                }
            }
            if patience.is_over() {
                return Err(self.silent());
            }
            let _ = Cancel::new().pause(pause);
            pause = (pause * 2).min(LONGEST);
        }
    }

    /// A connection to this process, if it leads.
    fn own_link(&self) -> Option<Link> {
        let mut slot = self.leader();
        let stream = slot.as_ref()?.connect();
        if stream.is_none() {
            // It has left, asked by a newer build for one.
            *slot = None;
        }
        stream.map(Link::over)
    }

    /// Leads, unless a resident daemon is required.
    fn lead(&self, lock: LockFile) -> Result<Leader, Failure> {
        if !self.role.is_daemon() && self.daemon_mode()? == DaemonMode::Require {
            lock.give_back()?;
            return Err(Error::NoLeader.into());
        }
        let leader = Leader::start(lock, self)?;
        if let Some(leading) = &self.hooks.leading {
            leading();
        }
        Ok(leader)
    }

    /// A connection to the socket that the lock's holder names, if that is another one than ours.
    fn elsewhere(&self, holder: Option<&Holder>) -> Option<Link> {
        let path: PathBuf = holder?.socket.to_path_buf();
        if path == self.socket {
            return None;
        }
        socket::check(path.parent()?).ok()?;
        Link::connect(&path).ok()
    }

    /// The connection, once its leader welcomes us; none if it went away.
    fn greeted(
        &self,
        mut link: Link,
        patience: &mut Patience<'_>,
    ) -> Result<Option<Link>, Failure> {
        let interrupt = self.interrupt();
        let greeted = interrupt.watching(&mut link, |link| link.greet(&self.hello, patience));
        match greeted {
            Greeted::Welcome(welcome) => {
                self.resident.store(welcome.role != Role::Command.as_str(), Ordering::SeqCst);
                Ok(Some(link))
            }
            Greeted::Refused(failure) => Err(failure),
            Greeted::Lost => Ok(None),
            Greeted::Silent => Err(self.silent()),
        }
    }

    /// The error of a leader that says nothing.
    pub(super) fn silent(&self) -> Failure {
        Error::LeaderSilent { pid: self.awaited() }.into()
    }

    pub(super) fn say_waiting(&self) {
        if let Some(waiting) = &self.hooks.waiting {
            waiting(self.awaited());
        }
    }

    /// The process in the lock file.
    fn awaited(&self) -> Option<u32> {
        let (holder, _) = LockFile::open(&self.state).ok()?.holder();
        holder.map(|holder| holder.pid)
    }
}

/// A first pause, at random, so that many that begin at once do not stay in step.
fn pause() -> Result<Duration, Failure> {
    let random = getrandom::u32().map_err(|error| Failure::new("internal", error.to_string()))?;
    let span = FIRST.end() - FIRST.start() + 1;
    Ok(Duration::from_micros(FIRST.start() + u64::from(random) % span))
}
