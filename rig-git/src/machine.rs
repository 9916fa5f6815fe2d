//! What rig-git is handed of the machine: it reads no environment of its own.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::git::Git;

/// The git program, the folders and the environment that work is done with.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The git program.
    pub git: Git,
    /// The environment that setup commands start from, before what Rig removes of it.
    pub environment: Vec<(OsString, OsString)>,
    /// The user's home folder.
    pub home: PathBuf,
    /// The shell that setup commands run in; `/bin/sh` is used if it is not absolute.
    pub shell: PathBuf,
    /// Where new workspaces are made; absolute.
    pub workspaces_root: PathBuf,
    /// Where logs and lock files lie.
    pub state: PathBuf,
    /// The locks this process holds.
    pub locks: crate::turns::Locks,
    /// The user's configuration file, if there is one.
    pub user_config: Option<PathBuf>,
}
