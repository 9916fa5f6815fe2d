//! Two agents that write to each other: the mailboxes of Rig in a program of one's own, with neither
//! a daemon nor an asynchronous runtime.
//!
//! ```text
//! agent_mail STORE
//! agent_mail mail.redb
//! ```
//!
//! A reviewer and a worker have an agent each, under IDs and tokens that their host keeps. The host
//! hands the worker's ID to the reviewer, which asks about it and may write to it from then on. The
//! worker's mailbox hands its messages out in order until they are acknowledged, and then never
//! again, however often the program is killed and started in between.

use std::env;
use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

use rig_core::agent::{self, Agents, Identity, NewAgent, View};
use rig_core::call_key::CallKey;
use rig_core::caller::Caller;
use rig_core::id::AgentId;
use rig_core::mail::{Body, FETCHED, NewMessage, Post};
use rig_core::store::{Options, Read as _, Record, Store, Table, Transact as _};
use rig_core::token::Token;
use serde::{Deserialize, Serialize};

/// Which agents this program has made, by their roles.
const MADE: Table<String, Made> = Table::new("example/agents");

/// A host that runs its agents in its own process needs nothing but their IDs. Tokens are for other
/// processes, to show whose they are.
#[derive(Clone, Serialize, Deserialize)]
struct Made {
    id: AgentId,
}

impl Record for Made {}

/// The name of this program's view of the disk; both agents are on it.
const DISK: &str = "example";

fn main() -> ExitCode {
    let args: Vec<String> = env::args().skip(1).collect();
    let [file] = args.as_slice() else {
        eprintln!("usage: agent_mail STORE");
        return ExitCode::from(2);
    };
    match talk(Path::new(file)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("agent_mail: {error}");
            ExitCode::FAILURE
        }
    }
}

fn talk(file: &Path) -> Result<(), Box<dyn Error>> {
    let store = Store::open(file, Options::default())?;
    let (reviewer, worker) = (made(&store, "Reviewer")?, made(&store, "Worker")?);

    // Knowing an ID and asking about it is what lets an agent write.
    let told = Agents(&store).info(reviewer, worker)?;
    let title = told.title.map(|title| title.to_string()).unwrap_or_default();
    println!("the reviewer knows {title}");

    // The key makes a repeated send harmless: after a crash the message is there once.
    let review = NewMessage {
        key: Some(CallKey::alone("first review")?),
        ..NewMessage::new(
            Caller::Agent(reviewer).into(),
            worker,
            Body::new("The retries look right. Please add a test for the time-out.")?,
        )
    };
    let sent = Post(&store).send(review)?;
    println!("message {} {}", sent.seq, if sent.new { "sent" } else { "was sent before" });

    // What the worker's model is shown: framed, so that no message can pass for something else.
    let mail = Post(&store).fetch(worker, FETCHED)?;
    let homes = file.with_file_name("homes");
    let view = View { disk: DISK, mounts: &[], homes: &homes };
    for message in &mail.messages {
        print!("{}", message.shown(view).framed());
    }

    // Only now is it done: killed before, the program would be handed the same messages again.
    let mailbox = Post(&store).ack(worker, mail.last)?;
    println!("{} to do", mailbox.unacked());
    Ok(())
}

/// The agent of a role, registered by the first run that needs it.
fn made(store: &Store, role: &str) -> Result<AgentId, Box<dyn Error>> {
    let key = role.to_owned();
    let known = store.read(|r| r.get(MADE, &key))?;
    let made = known.clone().unwrap_or(Made { id: AgentId::generate() });
    if known.is_none() {
        // First the ID, then the agent: killed in between, the next run asks for the same one.
        let (key, made) = (key, made.clone());
        store.write(move |tx| tx.put(MADE, &key, &made))?;
    }
    let new = NewAgent {
        id: made.id,
        token: None,
        title: Some(agent::title(role)?),
        parent: None,
        cwd: None,
        disk: DISK.to_owned(),
        workspace: None,
        project: None,
    };
    Agents(store).register(Caller::Person, new, agent::MAX_DEPTH)?;

    // Another process would be handed such a pair, and the host would ask who it is.
    let token = Token::generate();
    Agents(store).replace_tokens(Caller::Person, made.id, token.digest())?;
    let identity = Identity { agent: made.id, token };
    assert_eq!(store.read(|r| identity.check(r))?, Caller::Agent(made.id));
    Ok(made.id)
}
