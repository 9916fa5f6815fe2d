//! A workspace at its setup step.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_core::clock::Clock as _;
use rig_core::config::{Config, SetupCommand};
use rig_core::id::{ProjectId, WorkspaceId};
use rig_core::order::OrderKey;
use rig_core::path::RawPath;
use rig_core::workspace::{Step, Workspace};
use rig_git::progress::Progress;
use rig_git::setup::{log_path, run};
use rig_git::{Error, Machine, Result};

use crate::world::World;

/// A workspace at its setup step, and what was told while it ran.
pub(crate) struct Setup<'a> {
    pub(crate) world: &'a World,
    pub(crate) machine: Machine,
    pub(crate) workspace: Workspace,
    pub(crate) config: Config,
    pub(crate) cancel: Cancel,
    pub(crate) steps: Vec<Step>,
    pub(crate) shown: Vec<String>,
}

impl<'a> Setup<'a> {
    pub(crate) fn new(world: &'a World, commands: &[&str]) -> Self {
        Self::at(world, world.root().join("work space"), commands)
    }

    pub(crate) fn at(world: &'a World, path: PathBuf, commands: &[&str]) -> Self {
        fs::create_dir_all(&path).unwrap();
        let mut config = Config::default();
        let command = |line: &&str| SetupCommand { run: (*line).to_owned(), timeout: None };
        config.workspace.setup_commands = commands.iter().map(command).collect();
        Self {
            world,
            machine: world.machine(),
            workspace: workspace(world, path),
            config,
            cancel: Cancel::new(),
            steps: Vec::new(),
            shown: Vec::new(),
        }
    }

    pub(crate) fn limit(mut self, milliseconds: u64) -> Self {
        self.config.workspace.setup_timeout = Duration::from_millis(milliseconds);
        self
    }

    pub(crate) fn run(&mut self) -> Result<()> {
        let clock = &self.world.clock;
        let (steps, shown, cancel) = (&mut self.steps, &mut self.shown, self.cancel.clone());
        run(
            &self.machine,
            &self.workspace,
            Path::new("/the/project"),
            &self.config,
            &|| {
                clock.advance(Duration::from_millis(1));
                clock.now()
            },
            &mut |progress| match progress {
                Progress::Step(step, index) => shown.push(format!("{step:?} {}", index.unwrap())),
                Progress::Output(line) => {
                    shown.push(line.to_owned());
                    if line == "now stop me" {
                        cancel.cancel();
                    }
                }
                other => panic!("{other:?}"),
            },
            &mut |step| {
                steps.push(step);
                Ok(())
            },
            &self.cancel.clone(),
        )
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.workspace.path.join(file)).unwrap()
    }

    pub(crate) fn log(&self) -> String {
        let path = log_path(&self.world.state(), self.workspace.id);
        String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
    }

    /// The log without the times.
    pub(crate) fn log_lines(&self) -> Vec<String> {
        let untimed = |line: &str| match line.strip_prefix("[rig] ") {
            Some(text) => format!("[rig] {}", &text["1970-01-01T00:00:00.000Z ".len()..]),
            None => line.to_owned(),
        };
        self.log().lines().map(untimed).collect()
    }
}

pub(crate) fn workspace(world: &World, path: PathBuf) -> Workspace {
    let now = world.clock.now();
    let stored = serde_json::json!({
        "id": WorkspaceId::from_bits(7),
        "project": ProjectId::from_bits(7),
        "kind": "worktree",
        "origin": "managed",
        "name": "Work",
        "named_by": "person",
        "storage_key": "work",
        "branch": "worktree/work",
        "path": RawPath::from(path),
        "common_dir": world.root().join("common"),
        "status": "initializing",
        "base": {},
        "checkout": "done",
        "attempt": 1,
        "version": 2,
        "user_version": 1,
        "order": OrderKey::between(None, None),
        "created_at": now,
    });
    serde_json::from_value(stored).unwrap()
}

pub(crate) fn message(error: &Error) -> (&'static str, String) {
    (error.code(), error.to_string())
}
