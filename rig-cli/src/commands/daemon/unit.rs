use std::fmt::Write as _;
use std::path::Path;

use crate::app::Cli;
use crate::commands::Ended;
use crate::environment::Environment;
use crate::error::CliError;
use crate::exit::Exit;

/// Print a service file that keeps a daemon running: a systemd user unit, or a launchd agent
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig daemon unit > ~/.config/systemd/user/rig.service
  rig daemon unit --for launchd > ~/Library/LaunchAgents/rig.plist")]
pub(crate) struct Arguments {
    /// For which service manager; the default is this system's
    #[arg(long = "for", value_name = "MANAGER")]
    manager: Option<Manager>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Manager {
    Systemd,
    Launchd,
}

/// What says where things lie, so that the daemon finds them where the commands do.
const PLACES: [&str; 7] = [
    "RIG_STATE_DIR",
    "RIG_RUNTIME_DIR",
    "RIG_CONFIG",
    "RIG_WORKSPACES_DIRECTORY",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "PATH",
];

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let program = std::env::current_exe().map_err(|error| {
            CliError::new("io_failed", "cannot tell where this program lies")
                .told(|told| told.causes.push(error.to_string()))
        })?;
        let system = if cfg!(target_os = "macos") { Manager::Launchd } else { Manager::Systemd };
        let text = match self.manager.unwrap_or(system) {
            Manager::Systemd => systemd(&program, &places(&cli.environment)),
            Manager::Launchd => launchd(&program, &places(&cli.environment)),
        };
        cli.output.bytes(text.as_bytes())?;
        Ok(Exit::Done)
    }
}

fn places(environment: &Environment) -> Vec<(&'static str, String)> {
    let value = |key: &&'static str| {
        let found = environment.variables().iter().find(|(name, _)| name == *key);
        let (_, value) = found.filter(|(_, value)| !value.is_empty())?;
        Some((*key, value.to_string_lossy().into_owned()))
    };
    PLACES.iter().filter_map(value).collect()
}

fn systemd(program: &Path, places: &[(&str, String)]) -> String {
    let mut text = format!(
        "[Unit]\n\
         Description=Rig: what is due happens in time\n\
         \n\
         [Service]\n\
         ExecStart={} daemon run\n",
        quoted(&program.to_string_lossy()).replace('$', "$$"),
    );
    for (key, value) in places {
        let _ = writeln!(text, "Environment={}", quoted(&format!("{key}={value}")));
    }
    // 5 is another daemon. A leader that is asked to leave does so within 10 s.
    text + "Restart=on-failure\n\
            RestartPreventExitStatus=5\n\
            SuccessExitStatus=130 143\n\
            TimeoutStopSec=20\n\
            \n\
            [Install]\n\
            WantedBy=default.target\n"
}

/// A word of a systemd unit, in which `%` begins a specifier.
fn quoted(word: &str) -> String {
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%");
    format!("\"{}\"", escaped.replace('\n', "\\n"))
}

fn launchd(program: &Path, places: &[(&str, String)]) -> String {
    let mut variables = String::new();
    for (key, value) in places {
        let value = xml(value);
        let _ = write!(variables, "\n        <key>{key}</key>\n        <string>{value}</string>");
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<plist version=\"1.0\">
<dict>
    <key>Label</key>
    <string>rig</string>
    <key>ProgramArguments</key>
    <array>
        <string>{}</string>
        <string>daemon</string>
        <string>run</string>
    </array>
    <key>EnvironmentVariables</key>
    <dict>{variables}
    </dict>
    <key>RunAtLoad</key>
    <true/>
    <key>KeepAlive</key>
    <dict>
        <key>Crashed</key>
        <true/>
    </dict>
    <key>ExitTimeOut</key>
    <integer>20</integer>
</dict>
</plist>
",
        xml(&program.to_string_lossy()),
    )
}

fn xml(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
