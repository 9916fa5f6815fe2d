use std::error::Error;
use std::iter;

use rig_core::config::Sources;
use rig_core::path::RawPath;
use rig_git::sync;

use super::error::Result;
use super::open::{Handle, Node};
use crate::operations::{
    CheckConfig, CheckedConfig, ConfigFault, ConfigValue, ShowConfig, ShownConfig,
};

impl Handle<ShowConfig> for Node {
    fn handle(&self, asked: ShowConfig) -> Result<ShownConfig> {
        let user_file = self.environment.user_config()?;
        let loaded = self.sources(&asked.root, &user_file).load()?;
        let shown = loaded.values().into_iter().map(|(key, valued)| {
            (key.to_owned(), ConfigValue { value: valued.value, from: valued.from })
        });
        Ok(ShownConfig { values: shown.collect() })
    }
}

impl Handle<CheckConfig> for Node {
    fn handle(&self, asked: CheckConfig) -> Result<CheckedConfig> {
        let user_file = self.environment.user_config()?;
        let sources = self.sources(&asked.root, &user_file);
        let mut faults: Vec<_> =
            sources.faults().iter().map(|error| fault(error.code(), error)).collect();
        if let Ok(loaded) = sources.load() {
            let paths = sync::faults(&loaded.config);
            faults.extend(paths.iter().map(|error| fault(error.code(), error)));
        }
        if self.environment.names_a_config() && !user_file.exists() {
            let message =
                format!("RIG_CONFIG is {}, and there is no such file", user_file.display());
            faults.push(ConfigFault { code: "bad_config".to_owned(), message });
        }
        Ok(CheckedConfig { faults })
    }
}

/// An error with its causes, in one line.
fn fault(code: &str, error: &(dyn Error + 'static)) -> ConfigFault {
    let causes = iter::successors(Some(error), |&error| error.source());
    let message = causes.map(ToString::to_string).collect::<Vec<_>>().join(": ");
    ConfigFault { code: code.to_owned(), message }
}

impl Node {
    fn sources<'a>(&'a self, root: &'a RawPath, user_file: &'a std::path::Path) -> Sources<'a> {
        Sources {
            user_file: Some(user_file),
            root: Some(root),
            environment: self.environment.variables(),
            ..Sources::default()
        }
    }
}
