use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

use serde::Serialize;

use super::error::Error;
use super::keys::{self, KEYS, Key};
use super::layer::{self, Owner};
use super::origin::Origin;
use super::settings::Config;

/// The file of a project's configuration, in its root.
pub const PROJECT_FILE: &str = "rig.toml";

/// Where configuration comes from, the weakest first. A file that is not there is a layer less.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// The user's file.
    pub user_file: Option<&'a Path>,
    /// The folder whose `rig.toml` counts: a project's root, or a workspace for its setup commands.
    pub root: Option<&'a Path>,
    /// The environment; variables that override no key are ignored, empty ones are unset.
    pub environment: &'a [(OsString, OsString)],
    /// What the command line says.
    pub flags: &'a [Flag<'a>],
}

/// A flag of the command line that overrides a key.
#[derive(Clone, Copy, Debug)]
pub struct Flag<'a> {
    /// The flag as it is typed, such as `--idle-exit`.
    pub flag: &'static str,
    /// The key it overrides.
    pub key: &'static str,
    /// The value, where a file would have it in quotes.
    pub value: &'a str,
}

/// A merged configuration that knows where its values come from.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    origins: BTreeMap<&'static str, Vec<Origin>>,
}

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Valued {
    /// The value as a configuration file would have it.
    pub value: serde_json::Value,
    /// `default`, `<file>:<line>`, a variable or a flag; for a list that adds up all of them.
    pub from: String,
}

impl Loaded {
    /// Every key with its value.
    #[must_use]
    pub fn values(&self) -> BTreeMap<&'static str, Valued> {
        let from = |key: &Key| match self.origins.get(key.name) {
            None => Origin::Default.to_string(),
            Some(given) => given.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        };
        let valued = |key: &Key| Valued { value: (key.show)(&self.config), from: from(key) };
        KEYS.iter().map(|key| (key.name, valued(key))).collect()
    }

    pub(super) fn given(&mut self, key: &Key, from: Origin) {
        let origins = self.origins.entry(key.name).or_default();
        if !key.adds_up {
            origins.clear();
        }
        origins.push(from);
    }
}

impl Sources<'_> {
    /// Merges the layers.
    ///
    /// # Errors
    ///
    /// The first of [`Sources::faults`].
    pub fn load(&self) -> Result<Loaded, Error> {
        let (loaded, faults) = self.merge();
        match faults.into_iter().next() {
            None => Ok(loaded),
            Some(fault) => Err(fault),
        }
    }

    /// Everything that is wrong, in the order of the layers and, in a file that is TOML, of the
    /// keys' names.
    #[must_use]
    pub fn faults(&self) -> Vec<Error> {
        self.merge().1
    }

    fn merge(&self) -> (Loaded, Vec<Error>) {
        let (mut loaded, mut errors) = (Loaded::default(), Vec::new());
        if let Some(file) = self.user_file {
            layer::apply(file, Owner::User, &mut loaded, &mut errors);
        }
        if let Some(root) = self.root {
            layer::apply(&root.join(PROJECT_FILE), Owner::Project, &mut loaded, &mut errors);
        }
        for key in KEYS {
            let Some(variable) = key.variable else { continue };
            let found = self.environment.iter().find(|(name, _)| name == variable);
            if let Some((_, value)) = found.filter(|(_, value)| !value.is_empty()) {
                let from = Origin::Environment(variable);
                errors.extend(layer::apply_text(key, &value.to_string_lossy(), from, &mut loaded));
            }
        }
        for flag in self.flags {
            let from = Origin::Flag(flag.flag);
            match keys::find(flag.key) {
                Some(key) => errors.extend(layer::apply_text(key, flag.value, from, &mut loaded)),
                None => errors.push(Error::UnknownKey {
                    at: from,
                    key: flag.key.to_owned(),
                    value: flag.value.to_owned(),
                    nearest: keys::nearest(flag.key, KEYS.iter().map(|key| key.name)),
                }),
            }
        }
        (loaded, errors)
    }
}

/// Loads the configuration of a folder: defaults, the user's file, `rig.toml` in `root`. A file
/// that is not there is a layer less.
///
/// # Errors
///
/// [`Error`] says which file, line, key and value, and what is expected.
pub fn load(user_file: Option<&Path>, root: &Path) -> Result<Config, Error> {
    let sources = Sources { user_file, root: Some(root), ..Sources::default() };
    sources.load().map(|loaded| loaded.config)
}
