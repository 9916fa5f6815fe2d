//! The keys there are: how each is read, shown and overridden, and which one a mistyped key meant.

use serde_json::{Value, json};

use super::settings::{Config, SetupCommand};
use super::value::{Given, Wrong, commands, daemon_mode, depth, duration, mounts, paths, switch};
use crate::agent::Mount;

/// A key of the configuration.
pub(super) struct Key {
    /// Its whole name, with dots.
    pub(super) name: &'static str,
    /// The environment variable that overrides it.
    pub(super) variable: Option<&'static str>,
    /// Whether the values of all layers add up; else the last one counts.
    pub(super) adds_up: bool,
    /// Takes a value into a configuration.
    pub(super) set: fn(&mut Config, &Given<'_>) -> Result<(), Wrong>,
    /// The value that a configuration has.
    pub(super) show: fn(&Config) -> Value,
}

impl Key {
    const fn new(
        name: &'static str,
        set: fn(&mut Config, &Given<'_>) -> Result<(), Wrong>,
        show: fn(&Config) -> Value,
    ) -> Self {
        Self { name, variable: None, adds_up: false, set, show }
    }
}

/// All keys, sorted by name.
pub(super) const KEYS: &[Key] = &[
    Key::new(
        "agents.max_depth",
        |config, given| depth(given).map(|depth| config.agents.max_depth = depth),
        |config| json!(config.agents.max_depth),
    ),
    Key::new(
        "agents.mounts",
        |config, given| mounts(given).map(|mounts| config.agents.mounts = mounts),
        |config| config.agents.mounts.iter().map(shown_mount).collect(),
    ),
    Key::new(
        "daemon.idle_exit",
        |config, given| duration(given).map(|after| config.idle_exit = Some(after)),
        |config| config.idle_exit.map_or(Value::Null, shown),
    ),
    Key {
        variable: Some("RIG_DAEMON"),
        ..Key::new(
            "daemon.mode",
            |config, given| daemon_mode(given).map(|mode| config.daemon = mode),
            |config| json!(config.daemon.as_str()),
        )
    },
    Key::new(
        "features.cross_workspace",
        |config, given| switch(given).map(|on| config.features.cross_workspace = on),
        |config| json!(config.features.cross_workspace),
    ),
    Key::new(
        "features.workspaces",
        |config, given| switch(given).map(|on| config.features.workspaces = on),
        |config| json!(config.features.workspaces),
    ),
    Key {
        adds_up: true,
        ..Key::new(
            "permissions.protected_paths",
            |config, given| {
                for path in paths(given)? {
                    if !config.protected_paths.contains(&path) {
                        config.protected_paths.push(path);
                    }
                }
                Ok(())
            },
            |config| json!(config.protected_paths),
        )
    },
    Key::new(
        "workspace.checkout_timeout",
        |config, given| duration(given).map(|limit| config.workspace.checkout_timeout = limit),
        |config| shown(config.workspace.checkout_timeout),
    ),
    Key::new(
        "workspace.fetch_timeout",
        |config, given| duration(given).map(|limit| config.workspace.fetch_timeout = limit),
        |config| shown(config.workspace.fetch_timeout),
    ),
    Key::new(
        "workspace.protected_sync",
        |config, given| paths(given).map(|paths| config.workspace.protected_sync = paths),
        |config| json!(config.workspace.protected_sync),
    ),
    Key::new(
        "workspace.setup_commands",
        |config, given| commands(given).map(|list| config.workspace.setup_commands = list),
        |config| config.workspace.setup_commands.iter().map(shown_command).collect(),
    ),
    Key::new(
        "workspace.setup_timeout",
        |config, given| duration(given).map(|limit| config.workspace.setup_timeout = limit),
        |config| shown(config.workspace.setup_timeout),
    ),
    Key::new(
        "workspace.sync",
        |config, given| paths(given).map(|paths| config.workspace.sync = paths),
        |config| json!(config.workspace.sync),
    ),
];

fn shown(limit: std::time::Duration) -> Value {
    json!(humantime::format_duration(limit).to_string())
}

fn shown_command(command: &SetupCommand) -> Value {
    match command.timeout {
        None => json!(command.run),
        Some(timeout) => json!({ "run": command.run, "timeout": shown(timeout) }),
    }
}

fn shown_mount(mount: &Mount) -> Value {
    json!({ "disk": mount.disk, "inside": mount.inside, "outside": mount.outside })
}

/// The key of this name.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// A part of a key as it is written, cut at 80 characters: in quotes unless it is bare. So a dot in
/// quotes parts nothing, and nothing in a file reaches a terminal as it is.
pub(super) fn part(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let cut: String = key.chars().take(80).collect();
    if !cut.is_empty() && cut.chars().all(bare) { cut } else { format!("{cut:?}") }
}

/// Whether keys begin with `table` and a dot.
pub(super) fn is_table(table: &str) -> bool {
    KEYS.iter().any(|key| is_within(key.name, table) && key.name != table)
}

/// Whether a key belongs to the machine, so that a project's file has no say in it. That goes for
/// keys which this build does not know as well.
pub(super) fn is_machine_level(name: &str) -> bool {
    const MACHINE: [&str; 5] = ["daemon", "hooks", "permissions.mode", "presence", "providers"];
    MACHINE.iter().any(|machine| is_within(name, machine))
}

fn is_within(name: &str, table: &str) -> bool {
    name.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// The one of `known` that is most like a mistyped `name`, compared as a whole or, for a key that
/// lacks its table, by its last part.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
    let likeness = |known: &str| {
        let whole = strsim::normalized_damerau_levenshtein(name, known);
        whole.max(strsim::normalized_damerau_levenshtein(&last(name), &last(known)))
    };
    let nearest = known.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    nearest.unwrap_or_default().to_owned()
}
