use serde_json::Value;

use crate::node::error::Error;
use crate::node::leader::Why;
use crate::node::link::{Asked, Patience};
use crate::node::open::Node;
use crate::operations::{Operation as _, StandInLine};
use crate::protocol::Failure;

/// Where a daemon stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It leads.
    Leads,
    /// It leads as soon as the command that does is done.
    InLine,
}

impl Node {
    /// Leads, behind whoever does so for a while, until it is stopped, has nothing to do, or is
    /// interrupted. `standing` is called when it is of use: as it leads, or stands in line. Answers
    /// with what was not waited for to its end.
    ///
    /// # Errors
    ///
    /// `already_running` behind another daemon; as the store fails; `cancelled` if it is interrupted
    /// before it leads.
    pub(crate) fn serve(&self, standing: &mut dyn FnMut(Standing)) -> Result<Vec<String>, Failure> {
        let waiting = || {};
        let mut patience = Patience::new(true, &waiting);
        let interrupt = self.interrupt();
        loop {
            let mut link = self.reach(&mut patience)?;
            if self.leads() {
                tracing::info!("leads");
                standing(Standing::Leads);
                interrupt.watching(&mut link, |link| link.until_lost(&mut patience));
                drop(link);
                tracing::info!(signal = interrupt.is_set(), "leaves");
                let told = if interrupt.is_set() { Why::Told } else { Why::Done };
                return self.leave(told).map(|left| left.late);
            }
            let Some(leader) = link.welcome() else { continue };
            let pid = leader.pid;
            if leader.role == "daemon" {
                return Err(Error::AlreadyRunning { pid }.into());
            }
            let asked = StandInLine { pid: std::process::id() };
            let mut in_line = |_: Value| {
                self.before().in_line_behind = Some(pid);
                tracing::info!(behind = pid, "stands in line");
                standing(Standing::InLine);
            };
            let asked = interrupt.watching(&mut link, |link| {
                link.ask(StandInLine::NAME, &asked, &mut patience, Some(&mut in_line))
            })?;
            match asked {
                Asked::Done(_) => return Ok(Vec::new()),
                Asked::Refused(failure) => return Err(failure),
                Asked::Lost | Asked::Silent => {}
            }
        }
    }
}
