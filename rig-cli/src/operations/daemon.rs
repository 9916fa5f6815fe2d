use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tells who leads and what it has to do.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DaemonStatus {}

/// Who leads and what it has to do.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DaemonStatusReply {
    /// `command`, `host` or `daemon`.
    pub role: String,
    /// The leader's process.
    pub pid: u32,
    /// The version of its program.
    pub build: String,
    /// The lowest and the highest protocol that it speaks.
    pub protocol: [u32; 2],
    /// Since when it leads.
    pub since: String,
    /// Where it listens.
    pub socket: PathBuf,
    /// The daemon that stands in line to lead next.
    pub heir: Option<u32>,
    /// Connections of other processes, the one that asks among them.
    pub connections: u64,
    /// How much is pending, by what it is: `wait`, `message`, `workspace` and so on.
    pub pending: BTreeMap<String, u64>,
    /// When the next of it is due.
    pub next_due: Option<String>,
    /// What goes on by itself.
    pub loops: Vec<LoopReply>,
    /// What an orderly end waits for.
    pub shutdown_pending: Vec<String>,
    /// Whether the disk ran full, so that new things are refused.
    pub low_space: bool,
}

/// Something that goes on by itself.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoopReply {
    /// Its name.
    pub name: String,
    /// `running`, `sleeping` or `backing_off`.
    pub state: String,
    /// How often it failed since it last did not.
    pub failures: u32,
    /// What it last failed with.
    pub last_error: Option<String>,
}

/// Makes the daemon leave, or the one that stands in line.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stop {}

/// Which daemon was told to stop.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Stopped {
    /// Its process; none if there is no daemon.
    pub pid: Option<u32>,
    /// Whether it is the one that leads, so that the lock is free once it has gone.
    pub leads: bool,
}

/// Makes the leader leave, so that a newer build can lead.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drain {}

/// It leaves.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Draining {}

/// Waits to lead next, for a daemon.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StandInLine {
    /// Its process.
    pub pid: u32,
}

/// It stands in line.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct InLine {}

/// It is not needed any more: somebody stopped it.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Dismissed {}

/// Asks whether work would be left behind if all commands ended now.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LeftBehind {}

/// Whether work is pending, and whether somebody stays who does it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftBehindReply {
    /// Whether there is work other than waits.
    pub pending: bool,
    /// Whether a daemon leads, or stands in line.
    pub daemon: bool,
}
