use rig_core::clock::{Now, SystemClock};
use rig_core::concurrency::LoopState;
use rig_core::due;
use rig_core::store::Transact as _;

use crate::node::error::{Error, Result};
use crate::node::leader::{Handle, Hold, Items, Session, Why};
use crate::operations::{
    DaemonStatus, DaemonStatusReply, Dismissed, Drain, Draining, InLine, LeftBehind,
    LeftBehindReply, LoopReply, StandInLine, Stop, Stopped,
};
use crate::protocol::Failure;

impl Handle<DaemonStatus> for Session {
    fn handle(&self, _: DaemonStatus) -> Result<DaemonStatusReply> {
        let core = &self.core;
        let now = Now::read(&SystemClock::default());
        let next = core.store.read(|read| due::next(read, now, |_| Ok(true)))?;
        let loops = core.shutdown.loops().into_iter().map(|shown| LoopReply {
            name: shown.name,
            state: match shown.state {
                LoopState::Running => "running",
                LoopState::Sleeping => "sleeping",
                LoopState::BackingOff => "backing_off",
            }
            .to_owned(),
            failures: shown.failures,
            last_error: shown.last_error,
        });
        Ok(DaemonStatusReply {
            role: core.role.as_str().to_owned(),
            pid: std::process::id(),
            build: core.build.build.clone(),
            protocol: core.build.protocol,
            since: core.since.to_string(),
            socket: core.socket.clone(),
            heir: core.line.heir(),
            connections: *core.connections.borrow() as u64,
            pending: core.pending()?,
            next_due: next.and_then(|next| now.wall.checked_add(next)).map(|at| at.to_string()),
            loops: loops.collect(),
            shutdown_pending: core.shutdown.pending(),
            low_space: core.store.low_space(),
        })
    }
}

impl Handle<LeftBehind> for Session {
    fn handle(&self, _: LeftBehind) -> Result<LeftBehindReply> {
        let daemon = self.core.role.is_daemon() || self.core.line.heir().is_some();
        Ok(LeftBehindReply { pending: self.core.leaves_work()?, daemon })
    }
}

impl Handle<Stop> for Session {
    fn handle(&self, _: Stop) -> Result<Stopped> {
        Ok(self.core.stop())
    }
}

impl Handle<Drain> for Session {
    fn handle(&self, _: Drain) -> Result<Draining> {
        self.core.drain()
    }
}

impl Hold<StandInLine> for Session {
    async fn hold(self, asked: StandInLine, items: Items) -> Result<Dismissed> {
        if self.core.role.is_daemon() {
            return Err(Error::AlreadyRunning { pid: std::process::id() });
        }
        let place = self.core.line.take(asked.pid);
        let place = place.map_err(|pid| Error::AlreadyRunning { pid })?;
        items.send(&InLine {}).await;
        place.dismissed().await;
        Ok(Dismissed {})
    }
}

impl crate::node::leader::Core {
    /// Ends this process if it is a daemon, else sends away the one that stands in line.
    pub(in crate::node) fn stop(&self) -> Stopped {
        if self.role.is_daemon() {
            self.leaving.leave(Why::Told);
            return Stopped { pid: Some(std::process::id()), leads: true };
        }
        Stopped { pid: self.line.dismiss(), leads: false }
    }

    /// Leaves for a newer build, unless that would only go to and fro.
    pub(in crate::node) fn drain(&self) -> Result<Draining> {
        let why = if self.drained.is_some_and(|drained| !drained.has_passed()) {
            "it began to lead less than 60 s ago, when another build left for it"
        } else if self.requests.any_held() {
            "it serves somebody of its own build who waits"
        } else {
            self.leaving.leave(Why::Told);
            return Ok(Draining {});
        };
        let message = format!(
            "the rig that leads, {} (process {}), does not leave: {why}",
            self.build.build,
            std::process::id()
        );
        Err(Error::Failed(Failure::new("version_skew", message).detail(&self.build)))
    }
}
