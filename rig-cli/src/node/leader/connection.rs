use std::collections::BTreeSet;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinSet, spawn_blocking};
use tokio::time::{Instant, interval, sleep_until, timeout};

use super::accept::PEER;
use super::doors::{Door, door};
use super::session::{Items, Session};
use crate::operations::{Operation as _, StandInLine};
use crate::protocol::{self, Answer, FRAME, Failure, Frames, Request, apart};

/// Requests that are open on one connection at once; what comes after waits in the socket.
const OPEN: usize = 64;

/// How often a request that takes long gives a sign of life.
const ALIVE: Duration = Duration::from_secs(5);

/// What one client asked for and has no answer to yet.
struct Connection {
    session: Session,
    frames: Frames,
    short: JoinSet<u64>,
    held: JoinSet<u64>,
    open: BTreeSet<u64>,
    answers: Sender<Vec<u8>>,
}

/// Serves a client until it goes away, or the leader does.
pub(super) async fn serve(stream: UnixStream, frames: Frames, session: Session) {
    let (mut reader, mut writer) = stream.into_split();
    let (answers, mut outgoing) = channel(1);
    let mut connection = Connection {
        session,
        frames,
        short: JoinSet::new(),
        held: JoinSet::new(),
        open: BTreeSet::new(),
        answers,
    };
    let handed_over = connection.run(&mut reader, &mut writer, &mut outgoing).await;
    // Whatever still works for this client may stop.
    connection.session.cancel.cancel();
    if handed_over.is_some()
        && let Ok(frame) = protocol::encode(&Answer::handover())
    {
        let _ = write(&mut writer, &frame).await;
    }
}

/// The client takes no answers, or broke the rules: it is dropped.
struct Dropped;

impl Connection {
    /// Serves until the client goes away, answering none, or the leader leaves.
    async fn run(
        &mut self,
        reader: &mut OwnedReadHalf,
        writer: &mut OwnedWriteHalf,
        outgoing: &mut Receiver<Vec<u8>>,
    ) -> Option<()> {
        let leaving = self.session.core.leaving.clone();
        let mut alive = interval(ALIVE);
        alive.reset();
        let mut bytes = vec![0; 16 << 10];
        let mut late = Instant::now() + PEER;
        loop {
            if self.take(&mut late).is_err() {
                return None;
            }
            tokio::select! {
                biased;
                _ = leaving.begun() => break,
                Some(frame) = outgoing.recv() => write(writer, &frame).await?,
                Some(ended) = self.short.join_next() => self.ended(ended),
                Some(ended) = self.held.join_next() => self.ended(ended),
                read = reader.read(&mut bytes), if self.open.len() < OPEN => match read {
                    Ok(0) | Err(_) => return None,
                    Ok(len) => {
                        if !self.frames.begun() {
                            late = Instant::now() + PEER;
                        }
                        self.frames.push(&bytes[..len]);
                    }
                },
                () = sleep_until(late), if self.frames.begun() && self.open.len() < OPEN => return None,
                _ = alive.tick() => {
                    for id in &self.open {
                        if let Ok(frame) = protocol::encode(&Answer::working(*id)) {
                            write(writer, &frame).await?;
                        }
                    }
                }
            }
        }
        // Whoever waits asks the next leader; what was read and is short is finished here.
        self.held.shutdown().await;
        while !self.short.is_empty() {
            tokio::select! {
                Some(frame) = outgoing.recv() => write(writer, &frame).await?,
                Some(_) = self.short.join_next() => {}
            }
        }
        while let Ok(frame) = outgoing.try_recv() {
            write(writer, &frame).await?;
        }
        Some(())
    }

    fn ended(&mut self, ended: Result<u64, tokio::task::JoinError>) {
        if let Ok(id) = ended {
            self.open.remove(&id);
        }
    }

    /// Takes up the requests that have arrived whole; `late` is when a begun one must be whole.
    fn take(&mut self, late: &mut Instant) -> Result<(), Dropped> {
        let mut taken = false;
        while self.open.len() < OPEN {
            let Some(frame) = self.frames.next().map_err(|_| Dropped)? else { break };
            taken = true;
            let request: Request = serde_json::from_slice(&frame).map_err(|_| Dropped)?;
            if !self.open.insert(request.id) {
                return Err(Dropped);
            }
            self.begin(request);
        }
        if taken {
            *late = Instant::now() + PEER;
        }
        Ok(())
    }

    fn begin(&mut self, request: Request) {
        let Request { id, op, args } = request;
        tracing::debug!(operation = %op, "called");
        let (session, answers) = (self.session.clone(), self.answers.clone());
        match door(&op).filter(|_| session.core.knows(&op)) {
            None => {
                let message = format!("this rig knows no operation {op:?}");
                let refused = Err(Failure::new("unknown_operation", message));
                self.short.spawn(async move {
                    answer(id, refused, &answers).await;
                    id
                });
            }
            Some(Door::Short(carry_out)) => {
                let working = session.core.requests.short(&op);
                self.short.spawn(async move {
                    let done = spawn_blocking(move || carry_out(&session, args.as_deref())).await;
                    let done = done.unwrap_or_else(|panic| Err(Failure::of("internal", &panic)));
                    answer(id, done, &answers).await;
                    drop(working);
                    id
                });
            }
            Some(Door::Held(carry_out)) => {
                // Who waits to lead next is no reason to go on leading.
                let ours = session.build == session.core.build.build && op != StandInLine::NAME;
                let held = ours.then(|| session.core.requests.held());
                self.held.spawn(async move {
                    let items = Items { id, answers: answers.clone() };
                    let done = carry_out(session, args, items).await;
                    answer(id, done, &answers).await;
                    drop(held);
                    id
                });
            }
        }
    }
}

/// Sends an answer, in parts if it does not fit into a frame.
async fn answer(id: u64, done: Result<serde_json::Value, Failure>, answers: &Sender<Vec<u8>>) {
    let frame = match done {
        Err(failure) => Answer { error: Some(failure), ..Answer::to(id) },
        Ok(reply) => match serde_json::value::to_raw_value(&reply) {
            // The rest of the frame is a few names and the number.
            Ok(raw) if raw.get().len() < FRAME - 100 => Answer { ok: Some(raw), ..Answer::to(id) },
            Ok(_) => {
                let (parts, rest) = apart(reply);
                let items = Items { id, answers: answers.clone() };
                for part in &parts {
                    items.send(part).await;
                }
                Answer { end: serde_json::value::to_raw_value(&rest).ok(), ..Answer::to(id) }
            }
            Err(error) => Answer { error: Some(Failure::of("internal", &error)), ..Answer::to(id) },
        },
    };
    let frame = protocol::encode(&frame).unwrap_or_else(|too_large| {
        let frame = Answer { error: Some(too_large.into()), ..Answer::to(id) };
        protocol::encode(&frame).unwrap_or_default()
    });
    // A client that went away needs no answer.
    let _ = answers.send(frame).await;
}

/// Writes a frame, unless the client does not take it in time.
async fn write(writer: &mut OwnedWriteHalf, frame: &[u8]) -> Option<()> {
    timeout(PEER, writer.write_all(frame)).await.ok()?.ok()
}
