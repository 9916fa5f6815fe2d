use rig_core::clock::{Clock as _, SystemClock};
use rig_core::id::WaitId;
use rig_sched::parse::{self, DurationInput};

use super::{Ended, call_key};
use crate::app::Cli;
use crate::error::CliError;
use crate::exit::Exit;
use crate::node;
use crate::operations::{
    AwaitWait, CancelledWait, Operation, Wait, WaitCancel, WaitReply, WaitUntil,
};
use crate::output::{Page, Show};
use crate::protocol::Failure;

/// Wait for a duration or until an instant; a message to the agent ends it before
///
/// The wait is kept on disk: with `--key`, the same command after a crash or a restart goes on with
/// the first wait, and answers with its result once it has ended. Ends with 0 if the time has passed
/// and with 10 if something else ended it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig wait 1h30m
  rig wait --until 2026-08-01T18:30:00Z
  rig wait --key nightly 30m
  rig wait --cancel wait_01m8nsvd62f67tndkxwnbwbx30")]
pub(crate) struct Arguments {
    /// How long, such as `1h 30m` or `PT90M`; 24 hours at most
    #[arg(value_name = "DUR", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Wait for so many seconds, fractions allowed; the numbers are added up
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    seconds: Option<String>,
    /// Wait for so many minutes
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    minutes: Option<String>,
    /// Wait for so many hours
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    hours: Option<String>,
    /// Wait for so many days
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    days: Option<String>,
    /// Wait until then: RFC 3339, ISO 8601 with an offset, RFC 2822, or a Unix time
    #[arg(long, value_name = "DATE", allow_hyphen_values = true)]
    until: Option<String>,
    /// A name for this call: the same command with the same name meets the same wait
    #[arg(long, value_name = "K")]
    key: Option<String>,
    /// The last number in the mailbox that was read: a later message ends the wait at once
    #[arg(long, value_name = "SEQ")]
    seen: Option<u64>,
    /// Wait for the end of this wait
    #[arg(long, value_name = "W", conflicts_with_all = ["duration", "seconds", "minutes", "hours", "days", "until", "key", "seen"])]
    id: Option<String>,
    /// Cancel this wait
    #[arg(long, value_name = "W", conflicts_with_all = ["duration", "seconds", "minutes", "hours", "days", "until", "key", "seen", "id"])]
    cancel: Option<String>,
}

impl Show for WaitReply {
    fn show(&self, page: &mut Page) {
        match self {
            Self::Ended(outcome) => page.line(outcome.to_string()),
            Self::Waiting(waiting) => page.line(format!("it goes on until {}", waiting.due_at)),
        }
    }
}

impl Show for CancelledWait {
    fn show(&self, page: &mut Page) {
        page.line(self.result.to_string());
    }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        if let Some(wait_id) = &self.cancel {
            return cancelled(cli, &cli.node()?.call(WaitCancel { wait_id: wait_id.clone() })?);
        }
        if let Some(wait_id) = self.id.clone() {
            let asked = AwaitWait { wait_id, hold_ms: None };
            return ended(cli, cli.patient_node()?.call(asked)?);
        }
        let key = self.key.as_deref().map(call_key).transpose()?;
        // Without a key this process alone knows the wait, by an ID of its own.
        let own = key.is_none().then(|| WaitId::generate(SystemClock::default().now()).to_string());
        let (wait_id, seen, hold_ms) = (own.clone(), self.seen, None);
        let length = self.length()?;
        if let Some(at) = &self.until {
            if !length.is_missing() {
                return Err(refused(parse::Error::TimeConflict));
            }
            let at = at.clone().into();
            return wait(cli, own, WaitUntil { at, wait_id, key, hold_ms, seen });
        }
        let DurationInput { duration, seconds, minutes, hours, days } = length;
        let duration = duration.map(String::from);
        wait(
            cli,
            own,
            Wait { duration, seconds, minutes, hours, days, wait_id, key, hold_ms, seen },
        )
    }

    fn length(&self) -> Result<DurationInput<'_>, CliError> {
        if let Some(unknown) = self.duration.as_deref().filter(|text| text.starts_with("--")) {
            let message = format!("unexpected argument '{unknown}' found");
            return Err(CliError::new("bad_request", message));
        }
        let numbers = [&self.seconds, &self.minutes, &self.hours, &self.days];
        DurationInput::of_flags(self.duration.as_deref(), numbers.map(Option::as_deref))
            .map_err(refused)
    }
}

fn refused(error: parse::Error) -> CliError {
    node::Error::from(rig_sched::Error::from(error)).into()
}

/// Waits for the end. A wait that only this process knows, by the ID `own`, is cancelled if a signal
/// ends the process: nobody could find it again.
fn wait<O>(cli: &Cli, own: Option<String>, asked: O) -> Ended
where
    O: Operation<Reply = WaitReply> + Held + Clone,
{
    let node = cli.patient_node()?;
    match (node.call(asked.clone()), own) {
        (Ok(reply), _) => ended(cli, reply),
        (Err(failure), Some(wait_id)) if failure.code == "cancelled" => {
            node.interrupt().clear();
            give_up(node, &wait_id, asked)?;
            Err(failure.into())
        }
        (Err(failure), _) => Err(failure.into()),
    }
}

/// Cancels a wait whose start may still be under way.
fn give_up<O>(node: &node::Node, wait_id: &str, asked: O) -> Result<(), Failure>
where
    O: Operation<Reply = WaitReply> + Held,
{
    let cancel = || node.call(WaitCancel { wait_id: wait_id.to_owned() });
    match cancel() {
        Err(failure) if failure.code == "wait_not_found" => {
            // Started once more, it is there for certain, and whatever is under way meets it.
            node.call(asked.held_for(0))?;
            cancel().map(drop)
        }
        done => done.map(drop),
    }
}

/// A request whose answer can be held.
trait Held {
    /// The same, answered after so many milliseconds at the latest.
    fn held_for(self, ms: u64) -> Self;
}

impl Held for Wait {
    fn held_for(self, ms: u64) -> Self {
        Self { hold_ms: Some(ms), ..self }
    }
}

impl Held for WaitUntil {
    fn held_for(self, ms: u64) -> Self {
        Self { hold_ms: Some(ms), ..self }
    }
}

fn ended(cli: &Cli, reply: WaitReply) -> Ended {
    cli.output.show(&reply)?;
    Ok(match reply {
        WaitReply::Ended(outcome) if outcome.interrupted => Exit::Interrupted,
        _ => Exit::Done,
    })
}

fn cancelled(cli: &Cli, reply: &CancelledWait) -> Ended {
    if reply.cancelled {
        cli.output.show(reply)?;
        return Ok(Exit::Done);
    }
    let (ended_at, reason) = (reply.result.ended_at, reply.result.reason.name());
    let message = format!("the wait {} ended as {reason} at {ended_at}", reply.wait_id);
    let detail = serde_json::to_value(reply).ok();
    Err(CliError::new("wait_settled", message).told(|told| told.detail = detail))
}
