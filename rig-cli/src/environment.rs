//! What the environment says: where things lie, who is calling, and how the command should behave.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rig_core::agent::{self, Identity};
use rig_core::token::Token;

use crate::protocol::Credentials;

/// The environment of a process, and what Rig reads from it. Nothing else reads it.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
}

/// The folder for sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Runtime {
    /// Named for rig.
    Named(PathBuf),
    /// The login session's; ours lies in it.
    Session(PathBuf),
    /// There is none.
    Unknown,
}

/// Why the environment is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A variable has a value that makes no sense: `bad_config`.
    #[error("the environment variable {key} is {value:?}: {expected}")]
    BadValue {
        /// The variable.
        key: &'static str,
        /// Its value, read with loss.
        value: String,
        /// What is expected.
        expected: &'static str,
    },
    /// A variable that is needed is not set: `bad_config`.
    #[error("the environment variable {key} is not set: {expected}")]
    Missing {
        /// The variable.
        key: &'static str,
        /// What is expected.
        expected: &'static str,
    },
    /// The environment names an agent, wholly or by half, that is not known: `bad_identity`.
    #[error("RIG_AGENT_ID and RIG_AGENT_TOKEN do not show who is calling: {why}")]
    BadIdentity {
        /// What is wrong.
        why: &'static str,
    },
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::BadValue { .. } | Self::Missing { .. } => "bad_config",
            Self::BadIdentity { .. } => "bad_identity",
        }
    }
}

impl Environment {
    /// An environment of these variables.
    pub fn new<K: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        let variables = variables.into_iter().map(|(key, value)| (key.into(), value.into()));
        Self { variables: variables.collect() }
    }

    /// The same with another token of the calling agent.
    pub(crate) fn with_token(&self, token: &Token) -> Self {
        const KEY: &str = "RIG_AGENT_TOKEN";
        let others = self.variables.iter().filter(|(key, _)| key != KEY).cloned();
        Self::new(others.chain([(KEY.into(), token.reveal().into())]))
    }

    /// The environment of this process.
    #[must_use]
    pub fn of_process() -> Self {
        Self { variables: std::env::vars_os().collect() }
    }

    /// All variables.
    #[must_use]
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }

    /// A variable that is set, even to nothing.
    fn set(&self, key: &str) -> Option<&OsStr> {
        let found = self.variables.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_os_str())
    }

    /// A variable that has a value; empty is unset.
    fn get(&self, key: &str) -> Option<&OsStr> {
        self.set(key).filter(|value| !value.is_empty())
    }

    /// A variable that must be an absolute path if it is set.
    fn absolute(&self, key: &'static str) -> Result<Option<PathBuf>, Error> {
        let Some(value) = self.get(key) else { return Ok(None) };
        if Path::new(value).is_absolute() {
            return Ok(Some(value.into()));
        }
        let value = value.to_string_lossy().into_owned();
        Err(Error::BadValue { key, value, expected: "an absolute path is expected" })
    }

    /// A folder of the XDG base directory specification, which says that a relative one is as good
    /// as none.
    fn xdg(&self, key: &str, below_home: &str) -> Result<PathBuf, Error> {
        match self.get(key).map(Path::new).filter(|path| path.is_absolute()) {
            Some(path) => Ok(path.to_owned()),
            None => Ok(self.home()?.join(below_home)),
        }
    }

    /// The user's home folder.
    ///
    /// # Errors
    ///
    /// If `HOME` is not set, or relative.
    pub fn home(&self) -> Result<PathBuf, Error> {
        const KEY: &str = "HOME";
        self.absolute(KEY)?.ok_or(Error::Missing {
            key: KEY,
            expected: "the path of your home folder is expected",
        })
    }

    /// The shell that setup commands run in.
    #[must_use]
    pub fn shell(&self) -> PathBuf {
        let shell = self.get("SHELL").map(PathBuf::from).filter(|path| path.is_absolute());
        shell.unwrap_or_else(|| "/bin/sh".into())
    }

    /// Where the store, its lock and the logs lie.
    ///
    /// # Errors
    ///
    /// If `RIG_STATE_DIR` is relative, or there is no home to derive the place from.
    pub fn state(&self) -> Result<PathBuf, Error> {
        match self.absolute("RIG_STATE_DIR")? {
            Some(path) => Ok(path),
            None if cfg!(target_os = "macos") => {
                Ok(self.home()?.join("Library/Application Support/rig"))
            }
            None => Ok(self.xdg("XDG_STATE_HOME", ".local/state")?.join("rig")),
        }
    }

    /// Where new workspaces are made. That it is absolute is checked when one is.
    ///
    /// # Errors
    ///
    /// If there is no home to derive the place from.
    pub fn workspaces_root(&self) -> Result<PathBuf, Error> {
        match self.get("RIG_WORKSPACES_DIRECTORY") {
            Some(path) => Ok(path.into()),
            None if cfg!(target_os = "macos") => Ok(self.home()?.join("Happy/Workspaces")),
            None => Ok(self.home()?.join("happy/workspaces")),
        }
    }

    /// The user's configuration file, whether it is there or not.
    ///
    /// # Errors
    ///
    /// If `RIG_CONFIG` is relative, or there is no home to derive the place from.
    pub fn user_config(&self) -> Result<PathBuf, Error> {
        match self.absolute("RIG_CONFIG")? {
            Some(path) => Ok(path),
            None => Ok(self.xdg("XDG_CONFIG_HOME", ".config")?.join("rig/rig.toml")),
        }
    }

    /// Whether the user's configuration file is named by a variable of its own.
    pub(crate) fn names_a_config(&self) -> bool {
        self.get("RIG_CONFIG").is_some()
    }

    /// How an agent shows who it is; none if the person is calling.
    ///
    /// # Errors
    ///
    /// If only half of an identity is set, or either half is empty or malformed.
    pub(crate) fn credentials(&self) -> Result<Option<Credentials>, Error> {
        let text = |key| match self.set(key).map(OsStr::to_str) {
            Some(None) => Err(Error::BadIdentity { why: "it is no text" }),
            Some(Some(text)) => Ok(Some(text)),
            None => Ok(None),
        };
        let (id, token) = (text("RIG_AGENT_ID")?, text("RIG_AGENT_TOKEN")?);
        match Identity::parse(id, token) {
            Ok(None) => Ok(None),
            // It is checked by whoever leads.
            Ok(Some(_)) => Ok(id
                .zip(token)
                .map(|(id, token)| Credentials { id: id.to_owned(), token: token.to_owned() })),
            Err(agent::Error::BadIdentity { why }) => Err(Error::BadIdentity { why }),
            Err(_) => Err(Error::BadIdentity { why: "it makes no sense" }),
        }
    }

    /// The name of this process's view of the disk: `RIG_DISK`, else one that tells machines and the
    /// root folders on them apart.
    #[must_use]
    pub fn disk(&self) -> String {
        if let Some(disk) = self.get("RIG_DISK") {
            return disk.to_string_lossy().into_owned();
        }
        let machine = ["/etc/machine-id", "/var/lib/dbus/machine-id"]
            .into_iter()
            .find_map(|path| std::fs::read_to_string(path).ok())
            .map(|id| id.trim().to_owned())
            .filter(|id| !id.is_empty());
        let machine = machine
            .unwrap_or_else(|| rustix::system::uname().nodename().to_string_lossy().into_owned());
        let root = std::fs::metadata("/").map(|root| (root.dev(), root.ino())).unwrap_or_default();
        format!("{machine}:{}:{}", root.0, root.1)
    }

    /// Where the socket is to lie.
    ///
    /// # Errors
    ///
    /// If `RIG_RUNTIME_DIR` is relative.
    pub(crate) fn runtime(&self) -> Result<Runtime, Error> {
        if let Some(folder) = self.absolute("RIG_RUNTIME_DIR")? {
            return Ok(Runtime::Named(folder));
        }
        let session = self.get("XDG_RUNTIME_DIR").map(Path::new).filter(|path| path.is_absolute());
        Ok(session.map_or(Runtime::Unknown, |path| Runtime::Session(path.to_owned())))
    }

    /// What `RIG_LOG` asks to be logged.
    ///
    /// # Errors
    ///
    /// If it is not text.
    pub(crate) fn log(&self) -> Result<Option<&str>, Error> {
        const KEY: &str = "RIG_LOG";
        let Some(value) = self.get(KEY) else { return Ok(None) };
        value.to_str().map(Some).ok_or_else(|| Error::BadValue {
            key: KEY,
            value: value.to_string_lossy().into_owned(),
            expected: crate::trace::EXPECTED,
        })
    }

    /// Whether colours are asked not to be used, by <https://no-color.org>.
    pub(crate) fn no_color(&self) -> bool {
        self.get("NO_COLOR").is_some() || self.get("TERM").is_some_and(|term| term == "dumb")
    }
}
