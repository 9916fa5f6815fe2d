//! What rig-git is handed of the machine: it reads no environment of its own.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::error::Result;
use crate::git::Git;
use crate::turns::Locks;

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
    pub locks: Locks,
    /// The user's configuration file, if there is one.
    pub user_config: Option<PathBuf>,
}

impl Machine {
    /// A machine whose git, home and shell are those that `environment` names with `PATH`, `HOME`
    /// and `SHELL`, without a configuration file of the user's. Both folders are absolute; they are
    /// made when they are needed.
    ///
    /// # Errors
    ///
    /// [`crate::Error::GitNotFound`].
    pub fn new(
        environment: Vec<(OsString, OsString)>,
        state: PathBuf,
        workspaces_root: PathBuf,
    ) -> Result<Self> {
        let named = |name: &str| {
            let mut fitting = environment.iter().filter(|(known, _)| known == OsStr::new(name));
            fitting.next_back().map(|(_, value)| PathBuf::from(value))
        };
        Ok(Self {
            git: Git::find(environment.clone())?,
            home: named("HOME").unwrap_or_else(|| "/".into()),
            shell: named("SHELL").unwrap_or_else(|| "/bin/sh".into()),
            environment,
            workspaces_root,
            state,
            locks: Locks::default(),
            user_config: None,
        })
    }
}
