use std::sync::Arc;
use std::time::Duration;

use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::connection::serve;
use super::core::Core;
use super::lead::Opening;
use super::session::Session;
use crate::operations::{Drain, Operation as _, Stop};
use crate::protocol::{self, Answer, Failure, Frames, Greeting, Hello, Request, Welcome};

/// How long a peer may take over its first frame, a begun frame, or taking its answer.
pub(super) const PEER: Duration = Duration::from_secs(5);

/// How often a client is told that the store is being opened.
const STARTING: Duration = Duration::from_millis(500);

/// Serves whoever connected. `own` is a connection of this process to itself.
pub(super) async fn accept(
    mut stream: UnixStream,
    own: bool,
    mut opened: watch::Receiver<Opening>,
) {
    if !own && !is_allowed(&stream) {
        return;
    }
    let mut frames = Frames::default();
    let Ok(Some(first)) = timeout(PEER, first(&mut stream, &mut frames)).await else { return };
    let hello = match serde_json::from_slice::<protocol::Opening>(&first) {
        Ok(opening) => opening.hello,
        Err(error) => {
            let refused = Greeting::Refused(Failure::bad_request(&error));
            let _ = say(&mut stream, &refused).await;
            return;
        }
    };
    let core = loop {
        let now = opened.borrow_and_update().clone();
        match now {
            Opening::Open(core) => break core,
            Opening::Failed(failure) => {
                let _ = say(&mut stream, &Greeting::Refused(failure)).await;
                return;
            }
            Opening::Going(percent) => {
                if timeout(STARTING, opened.changed()).await.is_err()
                    && say(&mut stream, &Greeting::Starting { percent }).await.is_none()
                {
                    return;
                }
            }
        }
    };
    match welcome(&core, &hello) {
        Ok((caller, welcome)) => {
            if say(&mut stream, &Greeting::Welcome(welcome)).await.is_none() {
                return;
            }
            let _counted = (!own).then(|| Counted::new(&core));
            let session = Session {
                core: Arc::clone(&core),
                caller,
                own,
                build: hello.build.build,
                disk: hello.disk,
                cancel: Cancel::new(),
            };
            serve(stream, frames, session).await;
        }
        Err(failure) => {
            let skew = failure.code == "version_skew";
            if say(&mut stream, &Greeting::Refused(failure)).await.is_some() && skew {
                part(stream, frames, &core).await;
            }
        }
    }
}

/// Serves a build of another protocol, which may only ask this one to leave.
async fn part(mut stream: UnixStream, mut frames: Frames, core: &Core) {
    let Ok(Some(frame)) = timeout(PEER, first(&mut stream, &mut frames)).await else { return };
    let Ok(Request { id, op, .. }) = serde_json::from_slice(&frame) else { return };
    let done = match op.as_str() {
        Drain::NAME => core.drain().map(|done| serde_json::value::to_raw_value(&done).ok()),
        Stop::NAME => Ok(serde_json::value::to_raw_value(&core.stop()).ok()),
        _ => return,
    };
    let answer = match done {
        Ok(ok) => Answer { ok, ..Answer::to(id) },
        Err(error) => Answer { error: Some(error.into()), ..Answer::to(id) },
    };
    if let Ok(frame) = protocol::encode(&answer) {
        // Whether it leaves does not depend on who hears of it.
        let _ = timeout(PEER, stream.write_all(&frame)).await;
    }
}

/// A connection counts, until this is dropped.
struct Counted<'a>(&'a Core);

impl<'a> Counted<'a> {
    fn new(core: &'a Core) -> Self {
        core.connections.send_modify(|count| *count += 1);
        Self(core)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.connections.send_modify(|count| *count -= 1);
    }
}

/// Whether the peer is us, or root.
fn is_allowed(stream: &UnixStream) -> bool {
    let us = rustix::process::getuid().as_raw();
    stream.peer_cred().is_ok_and(|peer| peer.uid() == us || peer.uid() == 0)
}

async fn first(stream: &mut UnixStream, frames: &mut Frames) -> Option<Vec<u8>> {
    let mut bytes = [0; 4096];
    loop {
        if let Some(frame) = frames.next().ok()? {
            return Some(frame);
        }
        match stream.read(&mut bytes).await.ok()? {
            0 => return None,
            len => frames.push(&bytes[..len]),
        }
    }
}

async fn say(stream: &mut UnixStream, greeting: &Greeting) -> Option<()> {
    let frame = protocol::encode(greeting).ok()?;
    timeout(PEER, stream.write_all(&frame)).await.ok()?.ok()
}

/// Who is calling, and what they are told; or why they are not let in.
fn welcome(core: &Core, hello: &Hello) -> Result<(Caller, Welcome), Failure> {
    let ours = &core.build;
    let protocol = ours.common(hello.build.protocol).ok_or_else(|| {
        let [lowest, highest] = ours.protocol;
        let message = format!(
            "this rig speaks protocol {} to {}, and the one that leads, {} (process {}), {lowest} to {highest}",
            hello.build.protocol[0],
            hello.build.protocol[1],
            ours.build,
            std::process::id(),
        );
        Failure::new("version_skew", message).detail(ours)
    })?;
    let caller = match &hello.agent {
        None => Caller::Person,
        Some(_) => {
            let message = "RIG_AGENT_ID and RIG_AGENT_TOKEN name no agent that is registered here";
            return Err(Failure::new("bad_identity", message));
        }
    };
    let welcome = Welcome {
        protocol,
        build: ours.build.clone(),
        schema: ours.schema,
        role: core.role.as_str().to_owned(),
        pid: std::process::id(),
        heir: core.line.heir().is_some(),
    };
    Ok((caller, welcome))
}
