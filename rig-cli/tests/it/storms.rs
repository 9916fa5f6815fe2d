//! Many processes on one state folder, with the leader killed in the middle: what was acknowledged
//! is there once, whoever survives ends as it would alone, and nothing is left behind.
//!
//! With `RIG_TEST_NIGHTLY=1` there are many more rounds.

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::crowd::{Crowd, Ended, PATIENCE};
use crate::world::{RIG, TestResult, World};

/// What one of a storm's processes does.
#[derive(Clone, Debug)]
enum Does {
    /// Adds the folder of this number as a project.
    Add(usize),
    /// Adds the repository, as others do.
    AddSame,
    /// Creates a workspace of this number, to be made later.
    Create(usize),
    /// Creates the workspace that others create too, with the same ID.
    CreateSame,
    /// Gives a workspace that was acknowledged a new name.
    Rename(String, usize),
    /// Gives a project that was acknowledged a new name.
    RenameProject(String, usize),
    /// Waits for moments, and is told when they are over.
    Wait,
    /// Schedules a message to nobody for later.
    Schedule,
    /// Schedules one that cannot be delivered, for now.
    ScheduleNow,
    List,
    ListEvents,
}

/// Knows nobody.
const AGENT: &str = "agt_01m8nsvd62f67tndkxwnbwbx30";

const SAME: &str = "ws_01m8nsvd62f67tndkxwnbwbx30";

impl Does {
    fn command(&self, world: &World) -> Command {
        let text = |text: &str| text.to_owned();
        let args = match self {
            Self::Add(number) => {
                let folder = world.path(format!("folders/{number}"));
                vec![text("project"), text("add"), folder.to_string_lossy().into_owned()]
            }
            Self::AddSame => vec![text("project"), text("add")],
            Self::Create(number) => {
                vec![text("workspace"), text("create"), task(*number), text("--no-wait")]
            }
            Self::CreateSame => {
                let args = ["workspace", "create", "Same", "--no-wait", "--id", SAME];
                args.map(text).to_vec()
            }
            Self::Rename(id, number) => {
                vec![text("workspace"), text("rename"), id.clone(), renamed(*number)]
            }
            Self::RenameProject(id, number) => {
                vec![text("project"), text("rename"), id.clone(), renamed(*number)]
            }
            Self::Wait => ["wait", "100ms"].map(text).to_vec(),
            Self::Schedule => ["schedule", "send", AGENT, "hello", "--in", "8h"].map(text).to_vec(),
            Self::ScheduleNow => {
                ["schedule", "send", AGENT, "hello", "--in", "0s"].map(text).to_vec()
            }
            Self::List => vec![text("workspace"), text("list")],
            Self::ListEvents => vec![text("events")],
        };
        let mut command = world.command(&["--json"]);
        command.args(args);
        command
    }
}

impl Does {
    fn is_timed(&self) -> bool {
        matches!(self, Self::Wait | Self::Schedule | Self::ScheduleNow)
    }
}

fn task(number: usize) -> String {
    format!("Task {number}")
}

fn renamed(number: usize) -> String {
    format!("Renamed {number}")
}

/// A storm on an empty state folder, and another one on what it left.
struct Storm {
    world: World,
    /// What was acknowledged, by its ID.
    made: BTreeMap<String, Does>,
    /// Who was killed before the answer, or after it.
    dead: Vec<Does>,
    kills: usize,
}

impl Storm {
    fn new(processes: usize) -> Result<Self, Box<dyn Error>> {
        let world = World::new()?;
        for number in 0..processes {
            std::fs::create_dir_all(world.path(format!("folders/{number}")))?;
        }
        Ok(Self { world, made: BTreeMap::new(), dead: Vec::new(), kills: 0 })
    }

    /// Lets all these loose at once. The leader is killed so many times, each time at a moment that
    /// nobody knows before.
    fn wave(&mut self, all: Vec<Does>, kills: usize) -> TestResult {
        let commands = all.iter().map(|does| does.command(&self.world));
        let crowd = Crowd::gather(&self.world, commands)?;
        let mut killed = 0;
        let ended = crowd.go(|crowd| {
            for _ in 0..kills {
                let wait = random(60_000);
                spin(Duration::from_micros(wait), || crowd.is_over());
                while !crowd.kill_leader(&self.world) && !crowd.is_over() {
                    std::thread::yield_now();
                }
            }
        })?;
        for (does, ended) in all.into_iter().zip(ended) {
            if ended.was_killed() {
                killed += 1;
            }
            self.acknowledged(does, ended)?;
        }
        assert!(killed <= kills, "{killed} were killed instead of {kills}");
        self.kills += killed;
        self.nothing_is_left()?;
        self.everything_is_there_once()
    }

    fn acknowledged(&mut self, does: Does, ended: Ended) -> TestResult {
        if ended.was_killed() {
            self.dead.push(does);
            return Ok(());
        }
        let said = ended.said;
        assert_eq!(said.status, Some(0), "{does:?} after {:?}: {said:?}", ended.after);
        let reply: Value = serde_json::from_str(&said.stdout)?;
        if let Some(id) = reply["id"].as_str().or_else(|| reply["wait_id"].as_str()) {
            self.made.insert(id.to_owned(), does);
        }
        Ok(())
    }

    /// No process, and no lock that is held.
    fn nothing_is_left(&self) -> TestResult {
        let lock = std::fs::File::open(self.world.path("state/rig.lock"))?;
        lock.try_lock()?;
        lock.unlock()?;
        assert_eq!(processes(&self.world), Vec::<String>::new());
        Ok(())
    }

    fn everything_is_there_once(&self) -> TestResult {
        let world = &self.world;
        assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));
        let projects = world.json(&["project", "list", "--all"])?["projects"].take();
        let workspaces = world.json(&["workspace", "list", "--all"])?["workspaces"].take();
        let [projects, workspaces] = [projects, workspaces].map(|rows| match rows {
            Value::Array(rows) => rows,
            _ => Vec::new(),
        });
        let events = world.events()?;
        self.times_are_kept(&events)?;
        for (id, does) in self.made.iter().filter(|(_, does)| !does.is_timed()) {
            let rows = if id.starts_with("ws_") { &workspaces } else { &projects };
            let found: Vec<_> = rows.iter().filter(|row| row["id"] == **id).collect();
            let [row] = found[..] else {
                return Err(format!("{id} of {does:?} is there {} times", found.len()).into());
            };
            let name = match does {
                Does::Create(number) => task(*number),
                Does::CreateSame => "Same".to_owned(),
                Does::Rename(_, number) | Does::RenameProject(_, number) => renamed(*number),
                _ => row["name"].as_str().unwrap_or_default().to_owned(),
            };
            // Of a new name whose giver was killed nobody knows whether it was given.
            let by_the_dead = self.dead.iter().any(|does| match does {
                Does::Rename(of, number) | Does::RenameProject(of, number) => {
                    of == id && row["name"] == *renamed(*number)
                }
                _ => false,
            });
            assert!(row["name"] == *name || by_the_dead, "{does:?}: {row}");
        }
        // Nothing is there twice: no path, no name, no branch, and one event for each.
        for (rows, what) in [(&projects, "path"), (&workspaces, "name"), (&workspaces, "branch")] {
            let mut seen: Vec<_> = rows.iter().map(|row| row[what].to_string()).collect();
            seen.sort_unstable();
            let all = seen.len();
            seen.dedup();
            assert_eq!(seen.len(), all, "{what}: {seen:?}");
        }
        for (rows, kind) in [(&projects, "project.added"), (&workspaces, "workspace.created")] {
            for row in rows {
                let about =
                    |event: &&Value| event["type"] == *kind && event["about"][0] == row["id"];
                assert_eq!(events.iter().filter(about).count(), 1, "{kind} {}", row["id"]);
            }
        }
        // Whoever was killed may have made one thing, and nobody else made any.
        let unknown =
            |row: &&Value| !self.made.contains_key(row["id"].as_str().unwrap_or_default());
        let extra = projects.iter().chain(&workspaces).filter(unknown).count();
        // A workspace brings its project along.
        assert!(extra <= self.dead.len() + 1, "{extra} of {:?}", self.dead);
        Ok(())
    }

    /// Each wait and each message has begun once; each wait that began has ended once, besides at
    /// most those of the dead; and what was due is settled once.
    fn times_are_kept(&self, events: &[Value]) -> TestResult {
        let of = |kind: &str| -> Vec<String> {
            let about = |event: &&Value| event["type"] == *kind;
            let ids = events.iter().filter(about).filter_map(|event| event["about"][0].as_str());
            ids.map(str::to_owned).collect()
        };
        let once = |kind: &str, ids: &[String]| {
            let distinct: BTreeSet<_> = ids.iter().collect();
            assert_eq!(distinct.len(), ids.len(), "{kind}: {ids:?}");
        };
        let kinds = ["wait.started", "wait.ended", "scheduled.created", "scheduled.undelivered"];
        let [started, ended, scheduled, undelivered] = kinds.map(|kind| {
            let ids = of(kind);
            once(kind, &ids);
            ids
        });
        for (id, does) in &self.made {
            match does {
                Does::Wait => assert!(started.contains(id) && ended.contains(id), "{id}"),
                Does::Schedule => assert!(scheduled.contains(id) && !undelivered.contains(id)),
                // Whoever led since then has tried to deliver it.
                Does::ScheduleNow => assert!(scheduled.contains(id) && undelivered.contains(id)),
                _ => {}
            }
        }
        let dead = self.dead.len();
        assert!(started.len() <= ended.len() + dead, "{started:?} and {ended:?}");
        let timed = self.made.values().filter(|does| does.is_timed()).count();
        assert!(started.len() + scheduled.len() <= timed + dead);
        let pending = self.world.json(&["schedule", "list", "--all"])?;
        assert_eq!(pending["items"].as_array().map(Vec::len), Some(scheduled.len()), "{pending}");
        Ok(())
    }

    /// IDs of what was acknowledged by such members.
    fn ids(&self, prefix: &str, of: impl Fn(&Does) -> bool) -> Vec<String> {
        let fits = |(id, does): &(&String, &Does)| id.starts_with(prefix) && of(does);
        self.made.iter().filter(fits).map(|(id, _)| id.clone()).collect()
    }
}

/// Waits that long without giving up the processor for longer than a moment.
fn spin(duration: Duration, or: impl Fn() -> bool) {
    let began = Instant::now();
    while began.elapsed() < duration && !or() {
        std::thread::yield_now();
    }
}

fn random(below: u64) -> u64 {
    getrandom::u64().map_or(0, |random| random % below)
}

/// The `rig` processes of a world, which end within moments if nothing keeps them.
fn processes(world: &World) -> Vec<String> {
    let began = Instant::now();
    loop {
        let found = running(world);
        if found.is_empty() || began.elapsed() > PATIENCE {
            return found;
        }
        std::thread::yield_now();
    }
}

fn running(world: &World) -> Vec<String> {
    let mine = format!("RIG_STATE_DIR={}", world.path("state").display());
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let of_rig = |entry: std::fs::DirEntry| {
        let folder = entry.path();
        let program = std::fs::read_link(folder.join("exe")).ok()?;
        let environment = std::fs::read(folder.join("environ")).ok()?;
        let ours = environment.split(|byte| *byte == 0).any(|line| line == mine.as_bytes());
        let rig = program == std::path::Path::new(RIG);
        (ours && rig).then(|| folder.display().to_string())
    };
    all.flatten().filter_map(of_rig).collect()
}

fn rounds(usual: usize, nightly: usize) -> usize {
    if std::env::var_os("RIG_TEST_NIGHTLY").is_some() { nightly } else { usual }
}

fn storms(processes: usize, rounds: usize, kills: usize) -> TestResult {
    let mut killed = 0;
    for _ in 0..rounds {
        let mut storm = Storm::new(processes)?;
        let first = |number: usize| match number % 9 {
            0 => Does::Add(number),
            1 => Does::Create(number),
            2 => Does::List,
            3 => Does::AddSame,
            4 => Does::Wait,
            5 => Does::Schedule,
            6 => Does::CreateSame,
            7 => Does::ScheduleNow,
            _ => Does::ListEvents,
        };
        storm.wave((0..processes / 2).map(first).collect(), kills)?;
        let workspaces = storm.ids("ws_", |does| matches!(does, Does::Create(_)));
        let projects = storm.ids("prj_", |does| matches!(does, Does::Add(_)));
        let (mut workspaces, mut projects) = (workspaces.into_iter(), projects.into_iter());
        let second = |number: usize| {
            let new = processes / 2 + number;
            match number % 9 {
                0 => workspaces.next().map_or(Does::Add(new), |id| Does::Rename(id, new)),
                1 => projects.next().map_or(Does::Add(new), |id| Does::RenameProject(id, new)),
                2 => Does::Create(new),
                3 => Does::CreateSame,
                4 => Does::Wait,
                5 => Does::ScheduleNow,
                6 => Does::Schedule,
                7 => Does::List,
                _ => Does::Add(new),
            }
        };
        storm.wave((0..processes / 2).map(second).collect(), kills)?;
        killed += storm.kills;
    }
    assert!(kills == 0 || killed >= rounds, "only {killed} leaders were killed");
    Ok(())
}

#[test]
fn storms_of_24_processes_lose_and_repeat_nothing() -> TestResult {
    storms(24, rounds(2, 20), 0)
}

#[test]
fn storms_of_24_processes_whose_leader_is_killed_lose_and_repeat_nothing() -> TestResult {
    storms(24, rounds(20, 200), 2)
}

#[test]
fn storms_of_100_processes_whose_leader_is_killed_lose_and_repeat_nothing() -> TestResult {
    storms(100, rounds(4, 100), 4)
}

#[test]
fn hundred_processes_at_once_make_one_thing() -> TestResult {
    let world = World::new()?;
    let crowd = Crowd::gather(&world, (0..100).map(|_| Does::AddSame.command(&world)))?;
    let ended = crowd.go(|_| {})?;
    let said: Vec<_> =
        ended.into_iter().map(|ended| ended.said.success()).collect::<Result<_, _>>()?;
    assert!(said.iter().all(|reply| *reply == said[0]), "{said:?}");
    assert_eq!(world.events()?.len(), 1);
    Ok(())
}

impl World {
    /// All events, oldest first.
    fn events(&self) -> Result<Vec<Value>, Box<dyn Error>> {
        let newest = self.json(&["events"])?["events"].take();
        let mut events = Vec::new();
        let Some(cursor) = newest[0]["cursor"].as_str() else { return Ok(events) };
        // Before the first one.
        let (store, _) = cursor.rsplit_once('-').ok_or("a cursor of another kind")?;
        let mut after = format!("{store}-0");
        loop {
            let mut page = self.json(&["events", "--after", &after])?;
            let page = page["events"].as_array_mut().map(std::mem::take).unwrap_or_default();
            let Some(last) = page.last() else { return Ok(events) };
            last["cursor"].as_str().unwrap_or_default().clone_into(&mut after);
            events.extend(page);
        }
    }
}
