use std::error::Error;
use std::iter;
use std::time::Duration;

use rig_core::config::{DaemonMode, Flag, Sources};
use rig_core::path::RawPath;
use rig_git::sync;

use super::error::Result;
use super::leader::{Handle, Session};
use crate::environment::Environment;
use crate::operations::{
    CheckConfig, CheckedConfig, ConfigFault, ConfigValue, ShowConfig, ShownConfig,
};

impl Handle<ShowConfig> for Session {
    fn handle(&self, asked: ShowConfig) -> Result<ShownConfig> {
        shown(&self.core.environment, &asked)
    }
}

impl Handle<CheckConfig> for Session {
    fn handle(&self, asked: CheckConfig) -> Result<CheckedConfig> {
        checked(&self.core.environment, &asked)
    }
}

/// The configuration as this environment has it.
pub(crate) fn shown(environment: &Environment, asked: &ShowConfig) -> Result<ShownConfig> {
    let user_file = environment.user_config()?;
    let loaded = sources(environment, &asked.root, &user_file).load()?;
    let shown = loaded.values().into_iter().map(|(key, valued)| {
        (key.to_owned(), ConfigValue { value: valued.value, from: valued.from })
    });
    Ok(ShownConfig { values: shown.collect() })
}

/// What is wrong with the configuration as this environment has it.
pub(crate) fn checked(environment: &Environment, asked: &CheckConfig) -> Result<CheckedConfig> {
    let user_file = environment.user_config()?;
    let sources = sources(environment, &asked.root, &user_file);
    let mut faults: Vec<_> =
        sources.faults().iter().map(|error| fault(error.code(), error)).collect();
    if let Ok(loaded) = sources.load() {
        let paths = sync::faults(&loaded.config);
        faults.extend(paths.iter().map(|error| fault(error.code(), error)));
    }
    if environment.names_a_config() && !user_file.exists() {
        let message = format!("RIG_CONFIG is {}, and there is no such file", user_file.display());
        faults.push(ConfigFault { code: "bad_config".to_owned(), message });
    }
    Ok(CheckedConfig { faults })
}

/// What is to happen to work that is left behind.
pub(super) fn daemon_mode(environment: &Environment) -> Result<DaemonMode> {
    let user_file = environment.user_config()?;
    let sources = Sources {
        user_file: Some(&user_file),
        environment: environment.variables(),
        ..Sources::default()
    };
    Ok(sources.load()?.config.daemon)
}

/// After how long a daemon without anything to do ends: as a flag says, else as configured.
pub(crate) fn idle_exit(environment: &Environment, flag: Option<&str>) -> Result<Option<Duration>> {
    let user_file = environment.user_config()?;
    let flag = flag.map(|value| Flag { flag: "--idle-exit", key: "daemon.idle_exit", value });
    let sources = Sources {
        user_file: Some(&user_file),
        environment: environment.variables(),
        flags: flag.as_slice(),
        ..Sources::default()
    };
    Ok(sources.load()?.config.idle_exit)
}

/// An error with its causes, in one line.
fn fault(code: &str, error: &(dyn Error + 'static)) -> ConfigFault {
    let causes = iter::successors(Some(error), |&error| error.source());
    let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    ConfigFault { code: code.to_owned(), message }
}

fn sources<'a>(
    environment: &'a Environment,
    root: &'a RawPath,
    user_file: &'a std::path::Path,
) -> Sources<'a> {
    Sources {
        user_file: Some(user_file),
        root: Some(root),
        environment: environment.variables(),
        ..Sources::default()
    }
}
