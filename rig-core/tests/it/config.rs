use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;
use std::time::Duration;

use rig_core::agent::Mount;
use rig_core::config::{self, Config, DaemonMode, Flag, SetupCommand, Sources, load};
use serde_json::json;
use tempfile::TempDir;

type TestResult = Result<(), Box<dyn Error>>;

/// A user's file and a project's root.
struct Files {
    _folder: TempDir,
    user: PathBuf,
    root: PathBuf,
}

impl Files {
    fn new(user: &str, project: &str) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let (user_file, root) = (folder.path().join("user.toml"), folder.path().join("project"));
        fs::create_dir(&root)?;
        fs::write(&user_file, user)?;
        fs::write(root.join("rig.toml"), project)?;
        Ok(Self { _folder: folder, user: user_file, root })
    }

    fn load(&self) -> Result<Config, config::Error> {
        load(Some(&self.user), &self.root)
    }

    fn sources(&self) -> Sources<'_> {
        Sources { user_file: Some(&self.user), root: Some(&self.root), ..Sources::default() }
    }

    fn project_line(&self, line: usize) -> String {
        format!("{}:{line}", self.root.join("rig.toml").display())
    }

    fn user_line(&self, line: usize) -> String {
        format!("{}:{line}", self.user.display())
    }
}

/// What the one fault of a project's file says, without the path of the file.
fn fault(project: &str) -> Result<(&'static str, String), Box<dyn Error>> {
    let files = Files::new("", project)?;
    let error = files.load().expect_err("the file is refused");
    let file = files.root.join("rig.toml");
    Ok((error.code(), error.to_string().replace(&file.display().to_string(), "rig.toml")))
}

#[test]
fn without_any_file_the_defaults_count() -> TestResult {
    let folder = tempfile::tempdir()?;
    let config = load(Some(&folder.path().join("none/rig.toml")), folder.path())?;
    assert!(config.features.workspaces);
    assert!(!config.features.cross_workspace);
    assert_eq!(config.workspace.fetch_timeout, Duration::from_mins(2));
    assert_eq!(config.workspace.checkout_timeout, Duration::from_mins(30));
    assert_eq!(config.workspace.setup_timeout, Duration::from_mins(30));
    assert_eq!(config.daemon, DaemonMode::Auto);
    assert_eq!(config, Config::default());
    Ok(())
}

#[test]
fn a_project_overrides_the_user_and_protected_paths_add_up() -> TestResult {
    let files = Files::new(
        "workspace.sync = ['.env', 'a']\nworkspace.fetch_timeout = '10s'\n\
         [permissions]\nprotected_paths = ['.env', 'secrets']\n",
        "[workspace]\nsync = ['b']\n[permissions]\nprotected_paths = ['secrets', 'keys']\n",
    )?;
    let config = files.load()?;
    assert_eq!(config.workspace.sync, ["b"]);
    assert_eq!(config.workspace.fetch_timeout, Duration::from_secs(10));
    assert_eq!(config.protected_paths, [".env", "secrets", "keys"]);
    Ok(())
}

#[test]
fn an_empty_list_replaces_the_users() -> TestResult {
    let files = Files::new("workspace.setup_commands = ['make']", "workspace.setup_commands = []")?;
    assert_eq!(files.load()?.workspace.setup_commands, []);
    Ok(())
}

#[test]
fn setup_commands_are_texts_or_tables() -> TestResult {
    let files = Files::new(
        "",
        "[workspace]\nsetup_commands = [\n  'pnpm install',\n  { run = 'make', timeout = '10m' },\n]",
    )?;
    assert_eq!(
        files.load()?.workspace.setup_commands,
        [
            SetupCommand { run: "pnpm install".to_owned(), timeout: None },
            SetupCommand { run: "make".to_owned(), timeout: Some(Duration::from_mins(10)) },
        ]
    );
    let files = Files::new("", "[[workspace.setup_commands]]\nrun = 'make'")?;
    assert_eq!(files.load()?.workspace.setup_commands[0].run, "make");
    Ok(())
}

#[test]
fn agents_have_a_depth_and_mounts() -> TestResult {
    let config = Files::new("", "")?.load()?;
    assert_eq!((config.agents.max_depth, config.agents.mounts), (3, vec![]));
    let files = Files::new(
        "[[agents.mounts]]\ndisk = 'box'\ninside = '/src'\noutside = '/home/me/w'\n",
        "agents.max_depth = 0",
    )?;
    let config = files.load()?;
    let mount =
        Mount { disk: "box".to_owned(), inside: "/src".into(), outside: "/home/me/w".into() };
    assert_eq!((config.agents.max_depth, config.agents.mounts), (0, vec![mount]));
    let values = files.sources().load()?.values();
    assert_eq!(
        values["agents.mounts"].value,
        json!([{ "disk": "box", "inside": "/src", "outside": "/home/me/w" }])
    );
    Ok(())
}

#[test]
fn a_depth_or_a_mount_that_is_none() -> TestResult {
    let told = |project: &str| -> Result<String, Box<dyn Error>> { Ok(fault(project)?.1) };
    for depth in ["-1", "101", "'3'", "3.0", "true"] {
        assert_eq!(
            told(&format!("agents.max_depth = {depth}"))?,
            format!(
                "rig.toml:1: `agents.max_depth` is {depth}, and a whole number from 0 to 100 is expected"
            )
        );
    }
    assert_eq!(
        told("agents.mounts = [{ disk = 'box', inside = 'src', outside = '/w' }]")?,
        "rig.toml:1: `agents.mounts[1].inside` is 'src', and an absolute path is expected"
    );
    assert_eq!(
        told("[[agents.mounts]]\ndisk = 'box'\noutsid = '/w'")?,
        "rig.toml:3: `agents.mounts[1].outsid` = '/w': there is no such key; the nearest is \
         `outside`"
    );
    assert!(told("agents.mounts = [{ disk = 'box' }]")?.ends_with("`outside` is expected"));
    Ok(())
}

#[test]
fn a_mistyped_key_is_refused_with_the_nearest() -> TestResult {
    let nearest = |project: &str| -> Result<String, Box<dyn Error>> { Ok(fault(project)?.1) };
    assert_eq!(
        nearest("# first\n[workspace]\nsinc = ['.env']\n")?,
        "rig.toml:3: `workspace.sinc` = ['.env']: there is no such key; the nearest is \
         `workspace.sync`"
    );
    assert_eq!(
        nearest("setup_commands = ['make']")?,
        "rig.toml:1: `setup_commands` = ['make']: there is no such key; the nearest is \
         `workspace.setup_commands`"
    );
    assert_eq!(
        nearest("\n[workspce]\nsync = []")?,
        "rig.toml:3: `workspce.sync` = []: there is no such key; the nearest is \
         `workspace.sync`"
    );
    assert_eq!(
        nearest("workspace.setup_commands = [\n'a',\n{ run = 'b', timout = '1m' },\n]")?,
        "rig.toml:3: `workspace.setup_commands[2].timout` = '1m': there is no such key; the \
         nearest is `timeout`"
    );
    assert_eq!(
        nearest("'workspace.sync' = []")?,
        "rig.toml:1: `\"workspace.sync\"` = []: there is no such key; the nearest is \
         `workspace.sync`"
    );
    assert_eq!(fault("x = 1")?.0, "bad_config");
    Ok(())
}

#[test]
fn a_key_never_reaches_the_terminal_as_it_is() -> TestResult {
    let (_, message) = fault("\"\\u001b[2J\" = 1")?;
    assert!(message.starts_with("rig.toml:1: `\"\\u{1b}[2J\"` = 1"), "{message}");
    Ok(())
}

#[test]
fn a_bad_value_is_told_with_file_line_key_value_and_what_is_expected() -> TestResult {
    let told = |project: &str, expected: &str| -> TestResult {
        assert_eq!(fault(project)?, ("bad_config", format!("rig.toml:{expected}")));
        Ok(())
    };
    let duration = "a duration such as \"2m\", above 0 and up to 366 days, is expected";
    told(
        "\n[workspace]\nfetch_timeout = '2 parsecs'",
        &format!("3: `workspace.fetch_timeout` is '2 parsecs', and {duration}"),
    )?;
    told(
        "workspace.fetch_timeout = 120",
        &format!("1: `workspace.fetch_timeout` is 120, and {duration}"),
    )?;
    told(
        "workspace.setup_timeout = '0s'",
        &format!("1: `workspace.setup_timeout` is '0s', and {duration}"),
    )?;
    told(
        "workspace.checkout_timeout = '584942417355y'",
        &format!("1: `workspace.checkout_timeout` is '584942417355y', and {duration}"),
    )?;
    told(
        "features.workspaces = 'yes'",
        "1: `features.workspaces` is 'yes', and true or false is expected",
    )?;
    told(
        "workspace.sync = '.env'",
        "1: `workspace.sync` is '.env', and a list of paths is expected",
    )?;
    told("workspace.sync = [\n'.env',\n7]", "3: `workspace.sync[2]` is 7, and a path is expected")?;
    told(
        "workspace.setup_commands = ['']",
        "1: `workspace.setup_commands[1]` is '', and a command, or { run = \"…\", timeout = \
         \"10m\" }, is expected",
    )?;
    told(
        "workspace.setup_commands = [{ timeout = '1m' }]",
        "1: `workspace.setup_commands[1]` is { timeout = '1m' }, and a table with `run` is expected",
    )?;
    told("workspace = 3", "1: `workspace` is 3, and a table is expected")
}

#[test]
fn what_is_not_toml_is_told_with_its_line() -> TestResult {
    let (code, message) = fault("[workspace]\nsync = [\n'a'\nfetch_timeout = '1m'\n")?;
    assert_eq!(code, "bad_config");
    assert!(message.starts_with("rig.toml:4: \"fetch_timeout = '1m'\" is not TOML: "), "{message}");
    let (_, message) = fault("workspace.sync = []\nworkspace.sync = []\n")?;
    assert!(message.starts_with("rig.toml:2: "), "{message}");
    let (_, message) = fault(&"[".repeat(100_000))?;
    assert!(message.starts_with("rig.toml:1: "), "{message}");
    Ok(())
}

#[test]
fn what_belongs_to_the_machine_is_refused_in_a_projects_file() -> TestResult {
    for (project, key) in [
        ("[daemon]\nmode = 'never'", "rig.toml:2: `daemon.mode` = 'never'"),
        ("daemon.idle_exit = '1m'", "rig.toml:1: `daemon.idle_exit` = '1m'"),
        ("[[hooks]]\nrun = 'x'", "rig.toml:1: `hooks` = "),
        ("[presence.states.focus]\ntitle = 'F'", "rig.toml:2: `presence.states.focus.title` = 'F'"),
        ("[presence]", "rig.toml:1: `presence` = [presence]"),
        ("providers.claude.model = 'x'", "rig.toml:1: `providers.claude.model` = 'x'"),
        ("permissions.mode = 'auto'", "rig.toml:1: `permissions.mode` = 'auto'"),
    ] {
        let (code, message) = fault(project)?;
        assert_eq!(code, "machine_level_key", "{project}");
        assert!(message.starts_with(key), "{message}");
    }
    let files = Files::new("[daemon]\nmode = 'never'", "")?;
    assert_eq!(files.load()?.daemon, DaemonMode::Never);
    Ok(())
}

#[test]
fn the_environment_overrides_files_and_flags_override_all() -> TestResult {
    let files = Files::new("daemon.mode = 'never'", "")?;
    let environment = [
        (OsString::from("RIG_OTHER"), OsString::from("x")),
        (OsString::from("RIG_DAEMON"), OsString::from("require")),
    ];
    let flags = [Flag { flag: "--fetch-timeout", key: "workspace.fetch_timeout", value: "3s" }];
    let loaded = Sources { environment: &environment, flags: &flags, ..files.sources() }.load()?;
    assert_eq!(loaded.config.daemon, DaemonMode::Require);
    assert_eq!(loaded.config.workspace.fetch_timeout, Duration::from_secs(3));

    let unset = [(OsString::from("RIG_DAEMON"), OsString::new())];
    let loaded = Sources { environment: &unset, ..files.sources() }.load()?;
    assert_eq!(loaded.config.daemon, DaemonMode::Never);

    for (value, shown) in
        [(OsString::from("maybe"), "maybe"), (OsString::from_vec(vec![0xff]), "\u{fffd}")]
    {
        let bad = [(OsString::from("RIG_DAEMON"), value)];
        let error = Sources { environment: &bad, ..files.sources() }.load().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "RIG_DAEMON: `daemon.mode` is {shown:?}, and \"auto\", \"never\" or \"require\" is expected"
            )
        );
    }
    Ok(())
}

#[test]
fn each_value_is_shown_with_where_it_was_given() -> TestResult {
    let files = Files::new(
        "[permissions]\nprotected_paths = ['a']\n[workspace]\nsync = ['x']",
        "permissions.protected_paths = ['b']\n[workspace]\nsync = ['y']\n\
         setup_commands = ['a', { run = 'b', timeout = '90s' }]",
    )?;
    let environment = [(OsString::from("RIG_DAEMON"), OsString::from("never"))];
    let loaded = Sources { environment: &environment, ..files.sources() }.load()?;
    let shown = serde_json::to_value(loaded.values())?;
    let protected = format!("{}, {}", files.user_line(2), files.project_line(1));
    assert_eq!(
        shown,
        json!({
            "agents.max_depth": { "value": 3, "from": "default" },
            "agents.mounts": { "value": [], "from": "default" },
            "daemon.idle_exit": { "value": null, "from": "default" },
            "daemon.mode": { "value": "never", "from": "RIG_DAEMON" },
            "features.cross_workspace": { "value": false, "from": "default" },
            "features.workspaces": { "value": true, "from": "default" },
            "permissions.protected_paths": { "value": ["a", "b"], "from": protected },
            "workspace.checkout_timeout": { "value": "30m", "from": "default" },
            "workspace.fetch_timeout": { "value": "2m", "from": "default" },
            "workspace.protected_sync": { "value": [], "from": "default" },
            "workspace.setup_commands": {
                "value": ["a", { "run": "b", "timeout": "1m 30s" }],
                "from": files.project_line(4),
            },
            "workspace.setup_timeout": { "value": "30m", "from": "default" },
            "workspace.sync": { "value": ["y"], "from": files.project_line(3) },
        })
    );
    Ok(())
}

#[test]
fn all_faults_are_found_at_once() -> TestResult {
    let files =
        Files::new("features.workspace = true", "a = 1\nworkspace.sync = 3\ndaemon.mode = 'x'")?;
    let codes: Vec<_> = files.sources().faults().iter().map(config::Error::code).collect();
    assert_eq!(codes, ["bad_config", "bad_config", "machine_level_key", "bad_config"]);
    Ok(())
}

#[test]
fn a_file_of_more_than_a_mebibyte_is_refused() -> TestResult {
    let mut text = "workspace.sync = []\n#".to_owned();
    text.push_str(&"x".repeat((1 << 20) - text.len()));
    let files = Files::new("", &text)?;
    assert_eq!(files.load()?, Config::default());
    text.push('x');
    let (code, message) = fault(&text)?;
    assert_eq!(code, "bad_config");
    assert_eq!(message, "rig.toml has more than 1048576 bytes, and at most that many are expected");
    Ok(())
}

#[test]
fn what_is_no_file_is_refused_and_not_waited_for() -> TestResult {
    let folder = tempfile::tempdir()?;
    let place = folder.path().join("rig.toml");
    fs::create_dir(&place)?;
    let error = load(None, folder.path()).unwrap_err();
    assert_eq!(error.to_string(), format!("the configuration {} cannot be read", place.display()));
    fs::remove_dir(&place)?;
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &place,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )?;
    assert_eq!(load(None, folder.path()).unwrap_err().code(), "bad_config");
    Ok(())
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_taken() -> TestResult {
    let files = Files::new("", "\u{feff}[workspace]\r\nsync = ['a']\r\n")?;
    assert_eq!(files.load()?.workspace.sync, ["a"]);
    assert_eq!(
        fault("\u{feff}[workspace]\r\nsinc = ['a']\r\n")?.1.split(' ').next(),
        Some("rig.toml:2:")
    );
    Ok(())
}

#[test]
fn bytes_that_are_not_utf8_are_told_with_their_line() -> TestResult {
    let files = Files::new("", "")?;
    fs::write(files.root.join("rig.toml"), b"a = 1\nb = \"\xff\"\n")?;
    let error = files.load().unwrap_err().to_string();
    assert_eq!(
        error,
        format!("{}: \"b = \\\"\u{fffd}\\\"\" is not TOML: it is not UTF-8", files.project_line(2))
    );
    Ok(())
}

#[test]
fn a_hostile_file_is_refused_at_once() -> TestResult {
    let unknown = |number| format!("k{number} = 1\n");
    let many: String = (0..60_000).map(unknown).collect();
    let files = Files::new("", &many)?;
    assert_eq!(files.sources().faults().len(), 100);
    let long = "k".repeat(1 << 19);
    let (code, message) = fault(&format!("{long} = 1"))?;
    assert_eq!(code, "bad_config");
    assert!(message.len() < 300, "{} bytes", message.len());
    for deep in ["a.".repeat(10_000) + "a = 1", "a = ".to_owned() + &"{ a = ".repeat(10_000)] {
        assert_eq!(fault(&deep)?.0, "bad_config");
    }
    Ok(())
}
