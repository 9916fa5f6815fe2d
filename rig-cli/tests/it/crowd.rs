//! Many processes that begin at once, some of which are killed, and all of which end in time.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, Mode};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};

use crate::world::{Said, World};

/// How long anything may take before it counts as hanging: more than the patience of a client, on a
/// machine that is very busy.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Processes that wait at a barrier, or have passed it.
pub(crate) struct Crowd {
    barrier: PathBuf,
    arrivals: PathBuf,
    children: Vec<Child>,
}

/// How one of them ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) said: Said,
    /// From when all began.
    pub(crate) after: Duration,
}

impl Ended {
    /// Whether a signal ended it.
    pub(crate) fn was_killed(&self) -> bool {
        self.said.status.is_none()
    }
}

impl Crowd {
    /// Starts these, up to the barrier.
    pub(crate) fn gather(
        world: &World,
        commands: impl IntoIterator<Item = Command>,
    ) -> Result<Self, Box<dyn Error>> {
        let (barrier, arrivals) = (world.path("barrier"), world.path("arrivals"));
        for path in [&barrier, &arrivals] {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
                _ => {}
            }
        }
        rustix::fs::mkfifoat(CWD, &barrier, Mode::RUSR | Mode::WUSR)?;
        File::create(&arrivals)?;
        let mut crowd = Self { barrier, arrivals, children: Vec::new() };
        for command in commands {
            let child = crowd.behind_the_barrier(&command).spawn()?;
            crowd.children.push(child);
        }
        let began = Instant::now();
        while std::fs::metadata(&crowd.arrivals)?.len() < crowd.children.len() as u64 {
            assert!(began.elapsed() < PATIENCE, "not all came to the barrier");
            thread::yield_now();
        }
        Ok(crowd)
    }

    /// The same command, begun as soon as somebody opens the barrier to write.
    fn behind_the_barrier(&self, command: &Command) -> Command {
        let script = "printf . >> \"$1\"; : < \"$2\"; shift 2; exec \"$@\"";
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", script, "sh"]).args([&self.arrivals, &self.barrier]);
        shell.arg(command.get_program()).args(command.get_args());
        if let Some(folder) = command.get_current_dir() {
            shell.current_dir(folder);
        }
        shell.env_clear();
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                shell.env(name, value);
            }
        }
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell
    }

    /// Opens the barrier, lets `meanwhile` do as it likes, and waits until all have ended. Who is
    /// late comes through an open barrier too.
    pub(crate) fn go(self, meanwhile: impl FnOnce(&Self)) -> Result<Vec<Ended>, Box<dyn Error>> {
        let open = OpenOptions::new().write(true).open(&self.barrier)?;
        let began = Instant::now();
        meanwhile(&self);
        let ended = self.end(began);
        drop(open);
        ended
    }

    /// Waits until all have ended; those that do not in time are killed, and that is an error.
    fn end(self, began: Instant) -> Result<Vec<Ended>, Box<dyn Error>> {
        let pids: Vec<_> = self.children.iter().map(Child::id).collect();
        let (tell, told) = channel();
        for (number, child) in self.children.into_iter().enumerate() {
            let tell = tell.clone();
            thread::spawn(move || {
                let output = child.wait_with_output();
                // Nobody listens any more if another one hangs.
                let _ = tell.send((number, output, began.elapsed()));
            });
        }
        let mut ended: Vec<_> = pids.iter().map(|_| None).collect();
        for _ in &pids {
            let Ok((number, output, after)) =
                told.recv_timeout(PATIENCE.saturating_sub(began.elapsed()))
            else {
                let hang = |number: &usize| ended[*number].is_none();
                let hang: Vec<_> = (0..pids.len()).filter(hang).collect();
                // They are still ours: nobody has waited for them to their end.
                for number in &hang {
                    let _ = kill(pids[*number]);
                }
                return Err(format!("these hang: {hang:?}").into());
            };
            ended[number] = Some(Ended { said: Said::from(output?), after });
        }
        Ok(ended.into_iter().flatten().collect())
    }

    /// Whether all have ended, without taking notice of it.
    pub(crate) fn is_over(&self) -> bool {
        self.children.iter().all(|child| is_over(child.id()))
    }

    /// Kills the one that leads, if it is one of these and still there.
    pub(crate) fn kill_leader(&self, world: &World) -> bool {
        let leads = |child: &&Child| Some(child.id()) == leader(world);
        let Some(leader) = self.children.iter().find(leads) else { return false };
        !is_over(leader.id()) && kill(leader.id()).is_ok()
    }
}

/// The process that wrote last that it leads.
pub(crate) fn leader(world: &World) -> Option<u32> {
    let body = std::fs::read(world.path("state/rig.lock")).ok()?;
    let body: serde_json::Value = serde_json::from_slice(&body).ok()?;
    body["pid"].as_u64().and_then(|pid| u32::try_from(pid).ok())
}

fn pid(number: u32) -> Option<Pid> {
    i32::try_from(number).ok().and_then(Pid::from_raw)
}

fn kill(number: u32) -> rustix::io::Result<()> {
    pid(number).map_or(Ok(()), |pid| kill_process(pid, Signal::KILL))
}

/// Whether a child has ended; nobody may have waited for it yet.
fn is_over(number: u32) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    pid(number).is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it never happened: {what}");
        thread::yield_now();
    }
}

/// A process that does not outlive the test.
#[derive(Debug)]
pub(crate) struct Running(Option<Child>);

impl Running {
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        command.spawn().map(|child| Self(Some(child)))
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.as_ref().map(Child::id).unwrap_or_default()
    }

    pub(crate) fn signal(&self, signal: Signal) -> rustix::io::Result<()> {
        // Nobody has waited for it to its end, so the number is still its own.
        pid(self.id()).map_or(Ok(()), |pid| kill_process(pid, signal))
    }

    pub(crate) fn is_over(&self) -> bool {
        is_over(self.id())
    }

    /// Sends it a signal, and waits for it to end.
    pub(crate) fn ended(self, signal: Signal) -> Result<Said, Box<dyn Error>> {
        self.signal(signal)?;
        self.ends()
    }

    /// Waits for it to end. If it hangs, it is killed, and that is an error.
    pub(crate) fn ends(mut self) -> Result<Said, Box<dyn Error>> {
        let (tell, told) = channel();
        let number = self.id();
        let child = self.0.take().ok_or("it has ended")?;
        thread::spawn(move || tell.send(child.wait_with_output()));
        let Ok(output) = told.recv_timeout(PATIENCE) else {
            kill(number)?;
            return Err("it hangs".into());
        };
        Ok(Said::from(output?))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl World {
    /// Starts `rig` in the repository.
    pub(crate) fn start(&self, args: &[&str]) -> io::Result<Running> {
        let mut command = self.command(args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(&mut command)
    }

    /// The socket of whoever wrote last that it leads.
    pub(crate) fn socket(&self) -> Result<PathBuf, Box<dyn Error>> {
        let body = std::fs::read(self.path("state/rig.lock"))?;
        let body: serde_json::Value = serde_json::from_slice(&body)?;
        Ok(body["socket"].as_str().ok_or("it says no socket")?.into())
    }
}
