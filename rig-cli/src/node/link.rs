//! A client's connection to whoever leads.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

use rig_core::clock::Deadline;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketType};
use serde::Serialize;
use serde_json::Value;

use crate::protocol::{
    self, Answer, Failure, Frames, Greeting, Hello, Opening, Parts, Request, TooLarge, Welcome,
};

/// After how long it is said for whom one waits.
const SILENCE: Duration = Duration::from_secs(1);

/// How long a short request waits for a sign of life.
const PATIENCE: Duration = Duration::from_secs(30);

/// An open connection.
#[derive(Debug)]
pub(super) struct Link {
    stream: UnixStream,
    frames: Frames,
    next: u64,
    welcome: Option<Welcome>,
}

/// How long to wait for a leader that says nothing.
pub(super) struct Patience<'a> {
    quiet: Deadline,
    said: bool,
    /// Whether the request may wait for ever.
    held: bool,
    waiting: &'a dyn Fn(),
}

impl<'a> Patience<'a> {
    /// Patience that begins now; `waiting` is called once after a second of silence.
    pub(super) fn new(held: bool, waiting: &'a dyn Fn()) -> Self {
        Self { quiet: Deadline::after(PATIENCE), said: false, held, waiting }
    }

    /// There was a sign of life.
    pub(super) fn renew(&mut self) {
        self.quiet = Deadline::after(PATIENCE);
    }

    /// Says for whom one waits, once it is time; answers whether patience is over.
    pub(super) fn is_over(&mut self) -> bool {
        if !self.held && !self.said && self.quiet.elapsed() >= SILENCE {
            self.said = true;
            (self.waiting)();
        }
        !self.held && self.quiet.has_passed()
    }

    fn slice(&self) -> Option<Duration> {
        let slice = if self.said { self.quiet.left() } else { SILENCE };
        (!self.held).then_some(slice.clamp(Duration::from_millis(10), SILENCE))
    }
}

/// What came of a request.
#[derive(Debug)]
pub(super) enum Asked {
    /// Its reply.
    Done(Value),
    /// It was refused, or failed.
    Refused(Failure),
    /// The leader went away: the request is to be made again.
    Lost,
    /// The leader says nothing.
    Silent,
}

/// What came of a hello.
#[derive(Debug)]
pub(super) enum Greeted {
    /// The leader listens.
    Welcome,
    /// It will not.
    Refused(Failure),
    /// It went away.
    Lost,
    /// It says nothing.
    Silent,
}

/// A frame that is awaited.
enum Next {
    Frame(Vec<u8>),
    Lost,
    Silent,
}

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum Unconnected {
    /// Nobody listens there, or not now.
    Nobody,
    /// The path cannot be used.
    Failed(io::Error),
}

impl Link {
    /// Connects without waiting.
    pub(super) fn connect(path: &Path) -> Result<Self, Unconnected> {
        let failed = |error: Errno| Unconnected::Failed(error.into());
        let address = SocketAddrUnix::new(path).map_err(failed)?;
        let socket =
            rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None).map_err(failed)?;
        rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC).map_err(failed)?;
        let stream = UnixStream::from(socket);
        stream.set_nonblocking(true).map_err(Unconnected::Failed)?;
        // A full backlog must not hold us: a leader that was stopped never takes from it.
        match rustix::net::connect(&stream, &address) {
            Ok(()) => {}
            Err(Errno::ACCESS | Errno::PERM) => return Err(failed(Errno::ACCESS)),
            Err(_) => return Err(Unconnected::Nobody),
        }
        stream.set_nonblocking(false).map_err(Unconnected::Failed)?;
        Ok(Self::over(stream))
    }

    /// A connection over this stream.
    pub(super) fn over(stream: UnixStream) -> Self {
        Self { stream, frames: Frames::default(), next: 1, welcome: None }
    }

    /// The stream, with which somebody else can break the connection.
    pub(super) fn stream(&self) -> io::Result<UnixStream> {
        self.stream.try_clone()
    }

    /// Says hello, and waits until the leader is ready.
    pub(super) fn greet(&mut self, hello: &Hello, patience: &mut Patience<'_>) -> Greeted {
        let opening = Opening { hello: hello.clone() };
        match protocol::encode(&opening).map(|frame| self.stream.write_all(&frame)) {
            Err(error) => return Greeted::Refused(error.into()),
            Ok(Err(_)) => return Greeted::Lost,
            Ok(Ok(())) => {}
        }
        loop {
            let frame = match self.frame(patience) {
                Next::Frame(frame) => frame,
                Next::Lost => return Greeted::Lost,
                Next::Silent => return Greeted::Silent,
            };
            match serde_json::from_slice(&frame) {
                Ok(Greeting::Welcome(welcome)) => {
                    self.welcome = Some(welcome);
                    return Greeted::Welcome;
                }
                Ok(Greeting::Refused(failure)) => return Greeted::Refused(failure),
                Ok(Greeting::Starting { .. }) => {}
                // It is not for us to guess what else that is: a leader that left, for one.
                Err(_) => return Greeted::Lost,
            }
        }
    }

    /// Who leads, once it has said so.
    pub(super) fn welcome(&self) -> Option<&Welcome> {
        self.welcome.as_ref()
    }

    /// Waits until the leader goes away.
    pub(super) fn until_lost(&mut self, patience: &mut Patience<'_>) {
        while let Next::Frame(frame) = self.frame(patience) {
            let answer = serde_json::from_slice::<Answer>(&frame);
            if answer.is_ok_and(|answer| answer.handover.is_some()) {
                return;
            }
        }
    }

    /// Asks for an operation and waits for its reply. Parts of the reply go to `item`, or, without
    /// it, back into the reply.
    pub(super) fn ask(
        &mut self,
        op: &str,
        args: &impl Serialize,
        patience: &mut Patience<'_>,
        mut item: Option<&mut dyn FnMut(Value)>,
    ) -> Result<Asked, Failure> {
        let id = self.next;
        self.next += 1;
        let args = serde_json::value::to_raw_value(args)
            .map_err(|error| Failure::of("internal", &error))?;
        let frame = protocol::encode(&Request { id, op: op.to_owned(), args: Some(args) })?;
        let _ = self.stream.set_write_timeout(Some(PATIENCE));
        // What a leader said before it left is still there to be read.
        if self.stream.write_all(&frame).is_err_and(|error| is_time_out(&error)) {
            return Ok(Asked::Silent);
        }
        let mut parts = Parts::default();
        loop {
            let frame = match self.frame(patience) {
                Next::Frame(frame) => frame,
                Next::Lost => return Ok(Asked::Lost),
                Next::Silent => return Ok(Asked::Silent),
            };
            let Ok(answer) = serde_json::from_slice::<Answer>(&frame) else {
                return Ok(Asked::Lost);
            };
            if answer.handover.is_some() {
                return Ok(Asked::Lost);
            }
            if answer.id != Some(id) {
                continue;
            }
            if let Some(failure) = answer.error {
                return Ok(Asked::Refused(failure));
            }
            if let Some(reply) = answer.ok {
                return value(&reply).map(Asked::Done);
            }
            if let Some(rest) = answer.end {
                return Ok(Asked::Done(parts.end(value(&rest)?)));
            }
            if let Some(part) = answer.item {
                let part = value(&part)?;
                match &mut item {
                    Some(item) => item(part),
                    None => parts.push(part),
                }
            }
        }
    }

    fn frame(&mut self, patience: &mut Patience<'_>) -> Next {
        let mut bytes = [0; 16 << 10];
        loop {
            match self.frames.next() {
                Ok(Some(frame)) => {
                    patience.renew();
                    return Next::Frame(frame);
                }
                Ok(None) => {}
                Err(TooLarge { .. }) => return Next::Lost,
            }
            let _ = self.stream.set_read_timeout(patience.slice());
            match self.stream.read(&mut bytes) {
                Ok(0) => return Next::Lost,
                Ok(len) => self.frames.push(&bytes[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if is_time_out(&error) => {
                    if patience.is_over() {
                        return Next::Silent;
                    }
                }
                Err(_) => return Next::Lost,
            }
        }
    }
}

fn value(raw: &serde_json::value::RawValue) -> Result<Value, Failure> {
    serde_json::from_str(raw.get()).map_err(|error| Failure::of("internal", &error))
}

fn is_time_out(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut)
}
