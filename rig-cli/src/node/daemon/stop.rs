use std::time::Duration;

use rig_core::cancel::Cancel;

use crate::environment::Environment;
use crate::node::error::{Error, Result};
use crate::node::link::{Asked, Patience};
use crate::node::lock::LockFile;
use crate::node::open::{Hooks, Manner, Node};
use crate::operations::{Operation as _, Stop, Stopped};
use crate::protocol::Failure;

/// How often the lock is looked at.
const LOOK: Duration = Duration::from_millis(5);

impl Node {
    /// Stops the daemon that leads or stands in line, and waits until it does not lead any more.
    /// Answers with its process, if there is one.
    ///
    /// # Errors
    ///
    /// `leader_silent` if it does not go; as the connection is refused.
    pub(crate) fn stop_daemon(
        environment: Environment,
        hooks: Hooks,
    ) -> Result<Option<u32>, Failure> {
        let node = match Self::onlooker(environment, Manner::Stops, hooks) {
            Err(Error::NoLeader) => return Ok(None),
            other => other?,
        };
        let waiting = || node.say_waiting();
        let mut patience = Patience::new(false, &waiting);
        let stopped: Stopped = loop {
            let mut link = match node.reach(&mut patience) {
                Err(failure) if failure.code == "no_leader" => return Ok(None),
                other => other?,
            };
            match link.ask(Stop::NAME, &Stop {}, &mut patience, None)? {
                Asked::Done(reply) => {
                    let stopped = serde_json::from_value(reply);
                    break stopped.map_err(|error| Failure::of("internal", &error))?;
                }
                Asked::Refused(failure) => return Err(failure),
                Asked::Lost => {}
                Asked::Silent => return Err(node.silent()),
            }
        };
        if let Stopped { pid: Some(pid), leads: true } = stopped {
            node.until_free(pid, &mut patience)?;
        }
        Ok(stopped.pid)
    }

    /// Waits until a process holds the lock no more.
    fn until_free(&self, pid: u32, patience: &mut Patience<'_>) -> Result<(), Failure> {
        patience.renew();
        while let Some(lock) = LockFile::find(&self.state)? {
            if lock.try_take()? {
                return Ok(lock.give_back()?);
            }
            // Whoever waited for it to go may lead already.
            if lock.holder().0.is_some_and(|holder| holder.pid != pid) {
                return Ok(());
            }
            if patience.is_over() {
                return Err(self.silent());
            }
            let _ = Cancel::new().pause(LOOK);
        }
        Ok(())
    }
}
