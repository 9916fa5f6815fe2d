//! Tracing: set up only where somebody asked for it, since a command has no time to lose.

use tracing_subscriber::EnvFilter;

use crate::environment::{Environment, Error};
use crate::node::Log;

/// What `RIG_LOG` must be.
pub(crate) const EXPECTED: &str = "filters are expected, such as `debug` or `rig_git=debug,info`";

/// Logs to standard error what `RIG_LOG` asks for; else what `-v`, given so many times, does. A
/// detached daemon, whose standard error is its log, always logs.
pub(crate) fn set_up(environment: &Environment, verbose: u8, detached: bool) -> Result<(), Error> {
    let filter = match (environment.log()?, verbose) {
        (Some(filter), _) => EnvFilter::try_new(filter).map_err(|_| Error::BadValue {
            key: "RIG_LOG",
            value: filter.to_owned(),
            expected: EXPECTED,
        })?,
        (None, 0) if detached => EnvFilter::new("info"),
        (None, 0) => return Ok(()),
        (None, 1) => EnvFilter::new("rig_cli=debug,rig_git=debug,rig_core=debug"),
        (None, _) => EnvFilter::new("trace"),
    };
    let subscriber = tracing_subscriber::fmt().with_env_filter(filter);
    match environment.state() {
        Ok(state) if detached => {
            let log = Log::of(&state);
            subscriber.with_ansi(false).with_writer(move || log.clone()).init();
        }
        _ => subscriber.with_writer(std::io::stderr).init(),
    }
    Ok(())
}
