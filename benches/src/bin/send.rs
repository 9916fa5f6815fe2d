//! Sending to a mailbox that is full of messages against sending to an empty one.
//!
//! The file lies in the folder for temporary files.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use rig_benches::{Report, Result, Runs, in_turns, median};
use rig_core::agent::{self, Agents, NewAgent};
use rig_core::caller::Caller;
use rig_core::clock::{Now, SystemClock};
use rig_core::id::AgentId;
use rig_core::mail::{self, Body, MAX_FROM_SENDER, NewMessage, Post, Sender};
use rig_core::store::{Options, Store, Transact as _};

#[derive(Parser)]
struct Arguments {
    /// Messages in the full mailbox
    #[arg(long, default_value_t = 100_000)]
    messages: u64,
    /// Messages sent in each run
    #[arg(long, default_value_t = 200)]
    sends: u64,
    #[command(flatten)]
    runs: Runs,
}

/// Messages delivered in one transaction while a mailbox is filled.
const PIECE: u64 = 1000;

fn registered(store: &Store) -> Result<AgentId> {
    let id = AgentId::generate();
    let new = NewAgent {
        id,
        token: None,
        title: None,
        parent: None,
        cwd: None,
        disk: "bench".to_owned(),
        workspace: None,
        project: None,
    };
    Agents(store).register(Caller::Person, new, agent::MAX_DEPTH)?;
    Ok(id)
}

fn message(from: AgentId, to: AgentId) -> Result<NewMessage> {
    let body = Body::new("Look at the retries first, then at the tests that failed.")?;
    Ok(NewMessage::new(Sender::Agent(from), to, body))
}

/// A mailbox of so many messages, from as few senders as may send them.
fn filled(store: &Store, messages: u64) -> Result<AgentId> {
    let target = registered(store)?;
    let (mut sender, mut sent) = (registered(store)?, 0);
    for from in (0..messages).step_by(usize::try_from(PIECE)?) {
        if sent + PIECE > MAX_FROM_SENDER {
            (sender, sent) = (registered(store)?, 0);
        }
        let piece = PIECE.min(messages - from);
        let (now, message) = (Now::read(&SystemClock::default()), message(sender, target)?);
        store.write(move |tx| {
            (0..piece).try_for_each(|_| mail::deliver(tx, now, &message).map(drop))
        })?;
        sent += piece;
    }
    Ok(target)
}

/// Sends so many messages, each in a transaction of its own.
fn send(store: &Store, message: &NewMessage, sends: u64) -> Result<()> {
    for _ in 0..sends {
        Post(store).send(message.clone())?;
    }
    Ok(())
}

fn main() -> Result<ExitCode> {
    let Arguments { messages, sends, runs } = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let store = Store::open(&folder.path().join("rig.redb"), Options::default())?;
    let full = filled(&store, messages)?;
    let (mut to_full, mut to_empty) = (Vec::<Duration>::new(), Vec::new());
    for run in 0..runs.runs {
        // So that neither sender nor the empty mailbox holds anything of an earlier run.
        let (sender, empty) = (registered(&store)?, registered(&store)?);
        Agents(&store).info(sender, full)?;
        Agents(&store).info(sender, empty)?;
        let (one, other) = (message(sender, full)?, message(sender, empty)?);
        let times = in_turns(run, || send(&store, &one, sends), || send(&store, &other, sends))?;
        to_full.push(times.0);
        to_empty.push(times.1);
    }
    let mut report = Report::default();
    let what = format!("{sends} messages to a mailbox of {messages}");
    report.ratio(&what, median(to_full), ("to an empty one", median(to_empty)), 1.2);
    Ok(report.exit())
}
