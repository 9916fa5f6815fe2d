use std::collections::BTreeMap;
use std::time::Duration;

use rig_core::failpoint;
use tokio::io::AsyncWriteExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinError, JoinSet, spawn_blocking};
use tokio::time::{Instant, sleep_until, timeout};

use super::accept::PEER;
use super::doors::{Door, door};
use super::session::{Items, Session};
use crate::operations::{Operation as _, StandInLine};
use crate::protocol::{self, Answer, FRAME, Failure, Frames, Request, apart};

/// Requests that are open on one connection at once; what comes after waits in the socket.
const OPEN: usize = 64;

/// How often a request that takes long gives a sign of life.
const ALIVE: Duration = Duration::from_secs(5);

/// Bytes that are read at once.
const READ: usize = 16 << 10;

/// What one client asked for and has no answer to yet.
struct Connection {
    session: Session,
    frames: Frames,
    short: JoinSet<u64>,
    held: JoinSet<u64>,
    open: BTreeMap<u64, Open>,
    answers: Sender<Vec<u8>>,
    /// When a begun frame must be whole.
    late: Instant,
    /// When short requests give a sign of life.
    alive: Instant,
}

/// A request that has no answer yet.
struct Open {
    kind: Kind,
    task: tokio::task::Id,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Short,
    Held,
}

/// The client went away, takes no answers, or broke the rules.
struct Dropped;

/// Serves a client until it goes away, or the leader does.
pub(super) async fn serve(stream: UnixStream, frames: Frames, session: Session) {
    let (reader, mut writer) = stream.into_split();
    let (answers, mut outgoing) = channel(1);
    let mut connection = Connection {
        session,
        frames,
        short: JoinSet::new(),
        held: JoinSet::new(),
        open: BTreeMap::new(),
        answers,
        late: Instant::now() + PEER,
        alive: Instant::now() + ALIVE,
    };
    let served = async {
        connection.run(&reader, &mut writer, &mut outgoing).await?;
        connection.hand_over(&mut writer, &mut outgoing).await
    };
    let _ = served.await;
}

impl Connection {
    /// Serves until the leader leaves.
    async fn run(
        &mut self,
        reader: &OwnedReadHalf,
        writer: &mut OwnedWriteHalf,
        outgoing: &mut Receiver<Vec<u8>>,
    ) -> Result<(), Dropped> {
        let leaving = self.session.core.leaving.clone();
        let mut begun = std::pin::pin!(leaving.begun());
        loop {
            self.take()?;
            let room = self.open.len() < OPEN;
            tokio::select! {
                biased;
                _ = &mut begun => return Ok(()),
                Some(frame) = outgoing.recv() => self.reply(writer, &frame).await?,
                Some(ended) = self.short.join_next() => self.ended(ended, writer).await?,
                Some(ended) = self.held.join_next() => self.ended(ended, writer).await?,
                readable = reader.readable(), if room => {
                    readable.map_err(|_| Dropped)?;
                    self.read(reader)?;
                }
                () = sleep_until(self.late), if self.frames.begun() && room => return Err(Dropped),
                () = sleep_until(self.alive), if self.has_short() => self.give_sign(writer).await?,
            }
        }
    }

    /// Finishes what is short, and tells whoever waits to ask the next leader.
    async fn hand_over(
        &mut self,
        writer: &mut OwnedWriteHalf,
        outgoing: &mut Receiver<Vec<u8>>,
    ) -> Result<(), Dropped> {
        let leaving = self.session.core.leaving.clone();
        let mut handing_over = std::pin::pin!(leaving.handing_over());
        let mut told = false;
        while !told || self.has_short() {
            tokio::select! {
                biased;
                Some(frame) = outgoing.recv() => self.reply(writer, &frame).await?,
                Some(ended) = self.short.join_next() => self.ended(ended, writer).await?,
                // What was due meanwhile may be what it waits for.
                Some(ended) = self.held.join_next() => self.ended(ended, writer).await?,
                () = &mut handing_over, if !told => told = true,
                else => break,
            }
        }
        self.held.shutdown().await;
        while let Ok(frame) = outgoing.try_recv() {
            self.reply(writer, &frame).await?;
        }
        let frame = protocol::encode(&Answer::handover()).map_err(|_| Dropped)?;
        write(writer, &frame).await
    }

    fn has_short(&self) -> bool {
        self.open.values().any(|request| request.kind == Kind::Short)
    }

    /// A request has its answer, unless what carried it out panicked.
    async fn ended(
        &mut self,
        ended: Result<u64, JoinError>,
        writer: &mut OwnedWriteHalf,
    ) -> Result<(), Dropped> {
        let (id, panic) = match ended {
            Ok(id) => (id, None),
            Err(error) => {
                let of = self.open.iter().find(|(_, request)| request.task == error.id());
                let Some((id, _)) = of else { return Ok(()) };
                (*id, Some(Failure::of("internal", &error)))
            }
        };
        self.open.remove(&id);
        if let Some(failure) = panic
            && let Ok(frame) = protocol::encode(&Answer { error: Some(failure), ..Answer::to(id) })
        {
            self.reply(writer, &frame).await?;
        }
        Ok(())
    }

    /// Reads what has arrived.
    fn read(&mut self, reader: &OwnedReadHalf) -> Result<(), Dropped> {
        let mut bytes = [0; READ];
        match reader.try_read(&mut bytes) {
            Ok(0) => Err(Dropped),
            Ok(len) => {
                if !self.frames.begun() {
                    self.late = Instant::now() + PEER;
                }
                self.frames.push(&bytes[..len]);
                Ok(())
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(()),
            Err(_) => Err(Dropped),
        }
    }

    async fn reply(&self, writer: &mut OwnedWriteHalf, frame: &[u8]) -> Result<(), Dropped> {
        failpoint!("reply.before");
        write(writer, frame).await?;
        failpoint!("reply.after");
        Ok(())
    }

    async fn give_sign(&mut self, writer: &mut OwnedWriteHalf) -> Result<(), Dropped> {
        self.alive = Instant::now() + ALIVE;
        for (id, request) in &self.open {
            if request.kind == Kind::Short
                && let Ok(frame) = protocol::encode(&Answer::working(*id))
            {
                write(writer, &frame).await?;
            }
        }
        Ok(())
    }

    /// Takes up the requests that have arrived whole.
    fn take(&mut self) -> Result<(), Dropped> {
        while self.open.len() < OPEN {
            let Some(frame) = self.frames.next().map_err(|_| Dropped)? else { break };
            self.late = Instant::now() + PEER;
            let request: Request = serde_json::from_slice(&frame).map_err(|_| Dropped)?;
            self.begin(request)?;
        }
        Ok(())
    }

    fn begin(&mut self, request: Request) -> Result<(), Dropped> {
        let Request { id, op, args } = request;
        tracing::debug!(operation = %op, "called");
        let (session, answers) = (self.session.clone(), self.answers.clone());
        let door = door(&op).filter(|_| session.core.knows(&op));
        let kind = if matches!(door, Some(Door::Held(_))) { Kind::Held } else { Kind::Short };
        if self.open.contains_key(&id) {
            return Err(Dropped);
        }
        if kind == Kind::Short && !self.has_short() {
            self.alive = Instant::now() + ALIVE;
        }
        let task = match door {
            None => {
                let message = format!("this rig knows no operation {op:?}");
                let refused = Err(Failure::new("unknown_operation", message));
                self.short.spawn(async move {
                    answer(id, refused, &answers).await;
                    id
                })
            }
            Some(Door::Short(carry_out)) => {
                let working = session.core.requests.short(&op);
                self.short.spawn(async move {
                    let done = spawn_blocking(move || carry_out(&session, args.as_deref())).await;
                    let done = done.unwrap_or_else(|panic| Err(Failure::of("internal", &panic)));
                    answer(id, done, &answers).await;
                    drop(working);
                    id
                })
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
                })
            }
        };
        self.open.insert(id, Open { kind, task: task.id() });
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Whatever still works for this client may stop.
        self.session.cancel.cancel();
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
async fn write(writer: &mut OwnedWriteHalf, frame: &[u8]) -> Result<(), Dropped> {
    let written = timeout(PEER, writer.write_all(frame)).await;
    written.map_err(|_| Dropped)?.map_err(|_| Dropped)
}
