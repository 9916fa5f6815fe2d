use std::sync::Arc;
use std::time::Duration;

use rig_core::agent::Identity;
use rig_core::caller::Caller;
use rig_core::cancel::Cancel;
use rig_core::store::Transact as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::sync::watch;
use tokio::time::timeout;

use super::connection::serve;
use super::core::Core;
use super::lead::Opening;
use super::leave::Leaving;
use super::session::{Session, blocking};
use crate::node::error::Error;
use crate::operations::{Drain, Operation as _, Stop};
use crate::protocol::{
    self, Answer, Credentials, Failure, Frames, Greeting, Hello, Request, Welcome,
};

/// How long a peer may take over its first frame, a begun frame, or taking its answer.
pub(super) const PEER: Duration = Duration::from_secs(5);

/// How often a client is told that the store is being opened.
const STARTING: Duration = Duration::from_millis(500);

/// Serves whoever connected. `own` is a connection of this process to itself.
pub(super) async fn accept(
    stream: UnixStream,
    own: bool,
    opened: watch::Receiver<Opening>,
    leaving: Leaving,
) {
    if !own && !is_allowed(&stream) {
        return;
    }
    let welcomed = tokio::select! {
        // Who has not been welcomed has asked for nothing yet.
        biased;
        _ = leaving.begun() => return,
        welcomed = greet(stream, own, opened) => welcomed,
    };
    if let Some((stream, frames, session)) = welcomed {
        let core = Arc::clone(&session.core);
        let _counted = (!own).then(|| Counted::new(&core));
        let _present = core.present.connected(session.caller);
        serve(stream, frames, session).await;
    }
}

/// Hears who comes, and says whether they may ask; none if they may not.
async fn greet(
    mut stream: UnixStream,
    own: bool,
    mut opened: watch::Receiver<Opening>,
) -> Option<(UnixStream, Frames, Session)> {
    let mut frames = Frames::default();
    let first = timeout(PEER, first(&mut stream, &mut frames)).await.ok()??;
    let hello = match serde_json::from_slice::<protocol::Opening>(&first) {
        Ok(opening) => opening.hello,
        Err(error) => return refuse(stream, Failure::bad_request(&error)).await,
    };
    let core = loop {
        let now = opened.borrow_and_update().clone();
        match now {
            Opening::Open(core) => break core,
            Opening::Failed(failure) => return refuse(stream, failure).await,
            Opening::Going(percent) => {
                if timeout(STARTING, opened.changed()).await.is_err() {
                    say(&mut stream, &Greeting::Starting { percent }).await?;
                }
            }
        }
    };
    let protocol = match protocol_of(&core, &hello) {
        Ok(protocol) => protocol,
        Err(skew) => {
            say(&mut stream, &Greeting::Refused(skew)).await?;
            part(stream, frames, &core).await;
            return None;
        }
    };
    let caller = match caller(&core, hello.agent).await {
        Ok(caller) => caller,
        Err(error) => return refuse(stream, error.into()).await,
    };
    say(&mut stream, &Greeting::Welcome(welcome(&core, protocol))).await?;
    let (build, disk) = (hello.build.build, hello.disk);
    let session = Session { core, caller, own, build, disk, cancel: Cancel::new() };
    Some((stream, frames, session))
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

async fn refuse<T>(mut stream: UnixStream, failure: Failure) -> Option<T> {
    say(&mut stream, &Greeting::Refused(failure)).await;
    None
}

/// The highest protocol that both speak.
fn protocol_of(core: &Core, hello: &Hello) -> Result<u32, Failure> {
    let ours = &core.build;
    ours.common(hello.build.protocol).ok_or_else(|| {
        let [lowest, highest] = ours.protocol;
        let message = format!(
            "this rig speaks protocol {} to {}, and the one that leads, {} (process {}), {lowest} to {highest}",
            hello.build.protocol[0],
            hello.build.protocol[1],
            ours.build,
            std::process::id(),
        );
        Failure::new("version_skew", message).detail(ours)
    })
}

/// Who is calling, once they have shown that.
async fn caller(core: &Arc<Core>, shown: Option<Credentials>) -> Result<Caller, Error> {
    let Some(Credentials { id, token }) = shown else { return Ok(Caller::Person) };
    let core = Arc::clone(core);
    blocking(move || {
        let Some(identity) = Identity::parse(Some(&id), Some(&token))? else {
            return Ok(Caller::Person);
        };
        Ok(core.store.read(|read| identity.check(read))?)
    })
    .await
}

fn welcome(core: &Core, protocol: u32) -> Welcome {
    Welcome {
        protocol,
        build: core.build.build.clone(),
        schema: core.build.schema,
        role: core.role.as_str().to_owned(),
        pid: std::process::id(),
        heir: core.line.heir().is_some(),
    }
}
