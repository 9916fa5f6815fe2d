use std::collections::HashMap;
use std::fmt;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::configuration;
use super::daemon::Standby;
use super::error::{Error, Result};
use super::leader::{Leader, Left, Role, Why};
use super::link::{Asked, Link, Patience};
use super::lock::{found, state_folder};
use super::socket;
use crate::environment::Environment;
use crate::operations::{LeftBehind, Operation, Stream, leaves_work};
use crate::protocol::{Build, Failure, Hello, Welcome};

/// A way to whoever leads: another process, or this one if nobody else does.
///
/// One process leads for a state folder: it has the store open and carries out what all ask for. If it
/// goes away before it answered, the request is made again, with the same IDs, to the next one, which
/// may be this process. Threads may share a node; each call has a connection to itself.
pub struct Node {
    pub(super) environment: Environment,
    pub(super) role: Role,
    pub(super) hello: Hello,
    pub(super) state: PathBuf,
    pub(super) socket: PathBuf,
    pub(super) hooks: Hooks,
    pub(super) leader: Mutex<Option<Leader>>,
    pub(super) manner: Manner,
    standby: Mutex<Option<Standby>>,
    before: Mutex<Before>,
    seen: Mutex<Option<Welcome>>,
    /// Whether something was asked for that may leave work behind.
    may_leave: AtomicBool,
    idle: Mutex<Vec<Link>>,
    interrupt: Arc<Interrupt>,
}

/// What a process does where nobody leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// It leads.
    Leads,
    /// It says so. It makes nothing, and has nobody leave.
    LooksOn,
    /// The same, and it talks to whoever leads even with no language in common.
    Stops,
}

/// What a node tells while it waits or leads.
#[derive(Default)]
pub(crate) struct Hooks {
    /// Called when a leader has said nothing for a second, with its process if that is known.
    pub(crate) waiting: Option<Box<dyn Fn(Option<u32>) + Send + Sync>>,
    /// Called when this process begins to lead.
    pub(crate) leading: Option<Box<dyn Fn(Arc<Interrupt>) + Send + Sync>>,
}

/// How this process comes to lead.
#[derive(Debug, Default)]
pub(super) struct Before {
    /// Another build left, since we asked it to.
    pub(super) drained: bool,
    /// The leader we stand in line behind.
    pub(super) in_line_behind: Option<u32>,
}

/// Breaks off whatever a node waits for.
#[derive(Debug, Default)]
pub(crate) struct Interrupt {
    set: AtomicBool,
    next: AtomicU64,
    open: Mutex<HashMap<u64, UnixStream>>,
}

impl Interrupt {
    /// Breaks it off, and whatever would be waited for after it.
    pub(crate) fn set(&self) {
        self.set.store(true, Ordering::SeqCst);
        for stream in self.open().values() {
            // It may be broken already.
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Lets the node wait again, for what is left to do.
    pub(crate) fn clear(&self) {
        self.set.store(false, Ordering::SeqCst);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.set.load(Ordering::SeqCst)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, UnixStream>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a link be broken off while `work` uses it.
    pub(super) fn watching<T>(&self, link: &mut Link, work: impl FnOnce(&mut Link) -> T) -> T {
        let key = self.next.fetch_add(1, Ordering::SeqCst);
        if let Ok(stream) = link.stream() {
            self.open().insert(key, stream);
        }
        if self.is_set() {
            self.set();
        }
        let done = work(link);
        self.open().remove(&key);
        done
    }
}

impl Node {
    /// The node of a host: a program that stays. It leads as soon as nobody else does, then does all
    /// work that is due, and goes on until it is closed or dropped.
    ///
    /// # Errors
    ///
    /// If the environment makes no sense or another user can get at the socket; if this process leads
    /// and the store cannot be opened.
    pub fn open(environment: Environment) -> std::result::Result<Self, Failure> {
        let standby = Standby::start(environment.clone())?;
        let node = Self::new(environment, Role::Host, Hooks::default())?;
        *node.standby() = Some(standby);
        Ok(node)
    }

    /// The node of a process in this role; nothing is opened yet.
    pub(crate) fn new(environment: Environment, role: Role, hooks: Hooks) -> Result<Self> {
        let state = environment.state()?;
        Self::over(environment, role, Manner::Leads, hooks, |environment| {
            let state = state_folder(&state)?;
            let socket = socket::place(environment, &state)?;
            socket::make(&socket)?;
            Ok((state, socket))
        })
    }

    /// A node that asks whoever leads, never leads itself, and makes nothing.
    ///
    /// # Errors
    ///
    /// `no_leader` if nobody ever led; as calls do if nobody leads now.
    pub(crate) fn onlooker(environment: Environment, manner: Manner, hooks: Hooks) -> Result<Self> {
        let state = environment.state()?;
        Self::over(environment, Role::Command, manner, hooks, |environment| {
            let state = found(&state)?.ok_or(Error::NoLeader)?;
            let socket = socket::place(environment, &state)?;
            socket::check_if_there(&socket)?;
            Ok((state, socket))
        })
    }

    fn over(
        environment: Environment,
        role: Role,
        manner: Manner,
        hooks: Hooks,
        places: impl FnOnce(&Environment) -> Result<(PathBuf, PathBuf)>,
    ) -> Result<Self> {
        let build = Build::of(&environment)?;
        let disk = Some(environment.disk());
        let hello = Hello { build, agent: environment.credentials()?, disk };
        let (state, socket) = places(&environment)?;
        Ok(Self {
            environment,
            role,
            hello,
            state,
            socket,
            hooks,
            leader: Mutex::new(None),
            manner,
            standby: Mutex::default(),
            before: Mutex::default(),
            seen: Mutex::default(),
            may_leave: AtomicBool::default(),
            idle: Mutex::default(),
            interrupt: Arc::default(),
        })
    }

    /// Carries an operation out.
    ///
    /// # Errors
    ///
    /// As the operation is refused; `leader_silent` if the leader says nothing for 30 s.
    #[allow(clippy::needless_pass_by_value)] // What is asked for is done with.
    pub fn call<O: Operation>(&self, operation: O) -> std::result::Result<O::Reply, Failure> {
        reply(self.ask(O::NAME, &operation, O::HELD, None)?)
    }

    /// Carries an operation out that tells how it goes on; `item` is called with each part.
    ///
    /// # Errors
    ///
    /// As [`Node::call`].
    #[allow(clippy::needless_pass_by_value)] // What is asked for is done with.
    pub fn stream<O: Stream>(
        &self,
        operation: O,
        item: &mut dyn FnMut(O::Item),
    ) -> std::result::Result<O::Reply, Failure> {
        let mut told = |part: Value| {
            // A part of a later build that this one does not understand is only not shown.
            if let Ok(part) = serde_json::from_value(part) {
                item(part);
            }
        };
        reply(self.ask(O::NAME, &operation, O::HELD, Some(&mut told))?)
    }

    /// Carries out an operation that is followed for as long as anybody likes. `item` answers with
    /// what to ask the next leader for: what comes after the part it was told.
    ///
    /// # Errors
    ///
    /// As [`Node::call`].
    pub(crate) fn follow<O: Stream>(
        &self,
        operation: O,
        item: &mut dyn FnMut(O::Item) -> O,
    ) -> std::result::Result<O::Reply, Failure> {
        let next = std::cell::RefCell::new(operation);
        let mut told = |part: Value| {
            if let Ok(part) = serde_json::from_value(part) {
                let after = item(part);
                *next.borrow_mut() = after;
            }
        };
        reply(self.ask(O::NAME, &next, O::HELD, Some(&mut told))?)
    }

    fn ask(
        &self,
        op: &str,
        args: &impl serde::Serialize,
        held: bool,
        mut item: Option<&mut dyn FnMut(Value)>,
    ) -> std::result::Result<Value, Failure> {
        tracing::debug!(operation = op, "asked");
        if leaves_work(op) {
            self.may_leave.store(true, Ordering::SeqCst);
        }
        let waiting = || self.say_waiting();
        let mut patience = Patience::new(held, &waiting);
        loop {
            let idle = self.idle().pop();
            let mut link = match idle {
                Some(link) => link,
                None => self.reach(&mut patience)?,
            };
            let asked = self.interrupt.watching(&mut link, |link| {
                let item: Option<&mut dyn FnMut(Value)> = match &mut item {
                    Some(item) => Some(&mut **item),
                    None => None,
                };
                link.ask(op, args, &mut patience, item)
            })?;
            if self.interrupt.is_set() && !matches!(asked, Asked::Done(_)) {
                return Err(Failure::new("cancelled", "interrupted"));
            }
            match asked {
                Asked::Done(value) => {
                    self.give_back(link);
                    return Ok(value);
                }
                Asked::Refused(failure)
                    if failure.code == "unknown_operation"
                        && self.manner == Manner::Leads
                        && link.welcome().is_some_and(|it| it.build != self.hello.build.build) =>
                {
                    self.drain(&mut link, &mut patience)?;
                    self.idle().clear();
                }
                Asked::Refused(failure) => {
                    self.give_back(link);
                    return Err(failure);
                }
                // Whatever was idle is lost as well.
                Asked::Lost => self.idle().clear(),
                Asked::Silent => return Err(self.silent()),
            }
        }
    }

    /// What breaks off whatever this node waits for.
    pub(crate) fn interrupt(&self) -> Arc<Interrupt> {
        Arc::clone(&self.interrupt)
    }

    /// Leaves: hands over to the next leader if this process leads, and ends.
    ///
    /// # Errors
    ///
    /// If the store could not be closed well; everything acknowledged is saved even so.
    pub fn close(self) -> std::result::Result<(), Failure> {
        self.leave(Why::Done).map(drop)
    }

    /// As [`Node::close`], for whoever only borrows it.
    pub(super) fn leave(&self, why: Why) -> std::result::Result<Left, Failure> {
        self.idle().clear();
        let standby = self.standby().take();
        let stood = standby.map_or(Ok(()), Standby::end);
        let leader = self.leader().take();
        let left = leader.map_or_else(|| Ok(Left::default()), |leader| Ok(leader.leave(why)?));
        stood.and(left)
    }

    /// Leaves since its command is done, or because of a signal. Answers with what was not waited
    /// for to its end.
    pub(crate) fn finish(&self, signalled: bool) -> std::result::Result<Vec<String>, Failure> {
        let why = if signalled { Why::Told } else { Why::Done };
        self.leave(why).map(|left| left.late)
    }

    /// Whether a daemon leads, or stands in line.
    ///
    /// # Errors
    ///
    /// As [`Node::call`].
    pub(crate) fn daemon(&self) -> std::result::Result<bool, Failure> {
        let waiting = || self.say_waiting();
        let link = self.reach(&mut Patience::new(false, &waiting))?;
        Ok(link.welcome().is_some_and(|seen| seen.heir || seen.role == "daemon"))
    }

    /// Whether this process leads.
    pub(crate) fn leads(&self) -> bool {
        self.leader().is_some()
    }

    /// Whether somebody stays who does what is due, as far as it was last seen.
    pub(crate) fn is_resident(&self) -> bool {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.as_ref().is_some_and(|seen| seen.heir || seen.role != Role::Command.as_str())
    }

    /// Whether this process is about to leave work behind for which nobody stays, or in the hands of
    /// somebody who does not stay.
    ///
    /// # Errors
    ///
    /// As [`Node::call`].
    pub(crate) fn leaves_work_behind(&self) -> std::result::Result<bool, Failure> {
        let ours = self.role == Role::Command && self.manner == Manner::Leads;
        let stays = || {
            let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.as_ref().is_some_and(|seen| seen.heir || seen.role == "daemon")
        };
        if !ours || !self.leads() && (!self.may_leave.load(Ordering::SeqCst) || stays()) {
            return Ok(false);
        }
        let left = self.call(LeftBehind {})?;
        Ok(left.pending && !left.daemon)
    }

    /// Keeps in mind who leads.
    pub(super) fn seen(&self, welcome: Option<&Welcome>) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = welcome.cloned();
    }

    /// The state folder, as it really is.
    #[must_use]
    pub fn state(&self) -> &Path {
        &self.state
    }

    /// What is to happen to work that is left behind.
    pub(crate) fn daemon_mode(&self) -> Result<rig_core::config::DaemonMode> {
        configuration::daemon_mode(&self.environment)
    }

    fn standby(&self) -> MutexGuard<'_, Option<Standby>> {
        self.standby.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn before(&self) -> MutexGuard<'_, Before> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, link: Link) {
        self.idle().push(link);
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Link>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn leader(&self) -> MutexGuard<'_, Option<Leader>> {
        self.leader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn reply<T: DeserializeOwned>(value: Value) -> std::result::Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| Failure::of("internal", &error))
}

impl Drop for Node {
    fn drop(&mut self) {
        // Who wants to know closes.
        let _ = self.leave(Why::Done);
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node")
            .field("state", &self.state)
            .field("role", &self.role)
            .finish_non_exhaustive()
    }
}
