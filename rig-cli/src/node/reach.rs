use std::path::PathBuf;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::clock::{Clock as _, SystemClock};
use rig_core::config::DaemonMode;
use serde::Deserialize as _;

use super::error::{Error, Result};
use super::leader::{Leader, Start};
use super::link::{Asked, Greeted, Link, Patience, Unconnected};
use super::lock::{Holder, LockFile};
use super::open::{Manner, Node};
use super::socket;
use crate::operations::{Drain, Operation as _};
use crate::protocol::{Build, Failure};

/// The first pause between two tries, in microseconds.
const FIRST: std::ops::RangeInclusive<u64> = 300..=1300;

/// The longest pause.
const LONGEST: Duration = Duration::from_millis(20);

impl Node {
    /// A connection to whoever leads; this process does if nobody else does.
    pub(super) fn reach(&self, patience: &mut Patience<'_>) -> Result<Link, Failure> {
        let mut pause = pause()?;
        let mut lock = self.lock_file()?;
        let mut body = Vec::new();
        loop {
            if self.interrupt().is_set() {
                return Err(Failure::new("cancelled", "interrupted"));
            }
            if let Some(link) = self.own_link()?
                && let Some(link) = self.greeted(link, patience)?
            {
                return Ok(link);
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
                        lock = self.lock_file()?;
                    }
                    let mut slot = self.leader();
                    if slot.is_none() && lock.try_take()? {
                        if lock.is_in_place() {
                            *slot = Some(self.lead(lock)?);
                            lock = self.lock_file()?;
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
    ///
    /// # Errors
    ///
    /// If it led and failed; `cancelled` if it is a daemon, and so has ended.
    fn own_link(&self) -> Result<Option<Link>, Failure> {
        let mut slot = self.leader();
        let Some(mut leader) = slot.take() else { return Ok(None) };
        if let Some(stream) = leader.connect() {
            *slot = Some(leader);
            return Ok(Some(Link::over(stream)));
        }
        // It has left: a newer build asked for it, or it failed.
        let left = leader.wait()?;
        if !self.role.is_daemon() {
            return Ok(None);
        }
        for late in left.late {
            tracing::warn!("not waited for to its end: {late}");
        }
        Err(Failure::new("cancelled", "stopped"))
    }

    fn lock_file(&self) -> Result<LockFile, Failure> {
        if self.manner != Manner::Leads {
            return Ok(LockFile::find(&self.state)?.ok_or(Error::NoLeader)?);
        }
        Ok(LockFile::open(&self.state)?)
    }

    /// Leads, unless it only looks on or a resident daemon is required.
    fn lead(&self, lock: LockFile) -> Result<Leader, Failure> {
        let stays = self.role.is_daemon();
        if self.manner != Manner::Leads || !stays && self.daemon_mode()? == DaemonMode::Require {
            lock.give_back()?;
            return Err(Error::NoLeader.into());
        }
        if let Some(leading) = &self.hooks.leading {
            leading(self.interrupt());
        }
        let start = self.start(&lock);
        Ok(Leader::start(lock, self, start)?)
    }

    /// How a lead begins: whether another build left for it. A daemon that stood in line behind one
    /// that began so does as that one did.
    fn start(&self, lock: &LockFile) -> Start {
        let now = SystemClock::default().boot();
        let mut before = self.before();
        let before = std::mem::take(&mut *before);
        if before.drained {
            return Start { drained: now, ago: Duration::ZERO };
        }
        let (Some(now), Some(pid)) = (now, before.in_line_behind) else { return Start::default() };
        let (holder, _) = lock.holder();
        let drained = holder.filter(|holder| holder.pid == pid).and_then(|holder| holder.drained);
        match drained.and_then(|drained| Some((drained, now.since(drained)?))) {
            Some((drained, ago)) => Start { drained: Some(drained), ago },
            None => Start::default(),
        }
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
            Greeted::Welcome => {
                self.before().drained = false;
                self.seen(link.welcome());
                Ok(Some(link))
            }
            Greeted::Refused(failure) if self.is_newer_than(&failure) => {
                self.drain(&mut link, patience)?;
                Ok(None)
            }
            // Even who speaks another language may be asked to stop.
            Greeted::Refused(failure)
                if failure.code == "version_skew" && self.manner == Manner::Stops =>
            {
                Ok(Some(link))
            }
            Greeted::Refused(failure) => Err(failure),
            Greeted::Lost => Ok(None),
            Greeted::Silent => Err(self.silent()),
        }
    }

    /// Whether a leader refused to talk since its build is older than this one.
    fn is_newer_than(&self, failure: &Failure) -> bool {
        let theirs = failure.detail.as_deref();
        let theirs = theirs.and_then(|theirs| Build::deserialize(theirs).ok());
        self.manner == Manner::Leads
            && failure.code == "version_skew"
            && theirs.is_some_and(|theirs| theirs.protocol[1] < self.hello.build.protocol[0])
    }

    /// Has a leader of an older build leave.
    ///
    /// # Errors
    ///
    /// `version_skew` if it does not.
    pub(super) fn drain(
        &self,
        link: &mut Link,
        patience: &mut Patience<'_>,
    ) -> Result<(), Failure> {
        let interrupt = self.interrupt();
        let asked = |link: &mut Link| link.ask(Drain::NAME, &Drain {}, patience, None);
        match interrupt.watching(link, asked)? {
            Asked::Done(_) => {
                self.before().drained = true;
                interrupt.watching(link, |link| link.until_lost(patience));
                Ok(())
            }
            Asked::Lost => Ok(()),
            Asked::Silent => Err(self.silent()),
            Asked::Refused(failure) if failure.code == "unknown_operation" => {
                let message =
                    "the rig that leads is of another version, and cannot be asked to leave";
                Err(Failure::new("version_skew", message))
            }
            Asked::Refused(failure) => Err(failure),
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
        let (holder, _) = LockFile::find(&self.state).ok()??.holder();
        holder.map(|holder| holder.pid)
    }
}

/// A first pause, at random, so that many that begin at once do not stay in step.
fn pause() -> Result<Duration, Failure> {
    let random = getrandom::u32().map_err(|error| Failure::new("internal", error.to_string()))?;
    let span = FIRST.end() - FIRST.start() + 1;
    Ok(Duration::from_micros(FIRST.start() + u64::from(random) % span))
}
