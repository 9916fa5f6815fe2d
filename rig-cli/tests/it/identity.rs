use crate::world::{TestResult, World};

const COMMANDS: [&[&str]; 8] = [
    &["project", "list"],
    &["project", "add"],
    &["workspace", "list"],
    &["workspace", "create", "x"],
    &["workspace", "path", "x"],
    &["events"],
    &["config", "show"],
    &["store", "check"],
];

#[test]
fn half_an_identity_is_refused_by_every_command_that_does_something() -> TestResult {
    let world = World::new()?;
    let halves: [&[(&str, &str)]; 4] = [
        &[("RIG_AGENT_ID", "agt_01m8nsvd62f67tndkxwnbwbx30")],
        &[("RIG_AGENT_TOKEN", "tok_x")],
        &[("RIG_AGENT_ID", "")],
        &[("RIG_AGENT_ID", "agt_01m8nsvd62f67tndkxwnbwbx30"), ("RIG_AGENT_TOKEN", "tok_x")],
    ];
    for args in COMMANDS {
        for half in halves {
            let mut command = world.command(&["--json"]);
            let output = command.args(args).envs(half.iter().copied()).output()?;
            let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
            assert_eq!(told["error"]["code"], "bad_identity", "{args:?} {half:?}");
            assert_eq!(output.status.code(), Some(4));
        }
    }
    assert!(!world.path("state").exists());
    Ok(())
}

#[test]
fn a_resident_daemon_that_is_required_is_not_there() -> TestResult {
    let world = World::new()?;
    let mut command = world.command(&["--json", "workspace", "list"]);
    let output = command.env("RIG_DAEMON", "require").output()?;
    let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    assert_eq!(told["error"]["code"], "no_leader");
    assert_eq!(output.status.code(), Some(5));
    let mut command = world.command(&["config", "show"]);
    assert_eq!(command.env("RIG_DAEMON", "require").output()?.status.code(), Some(0));
    Ok(())
}

#[test]
fn variables_that_make_no_sense_are_told_with_what_is_expected() -> TestResult {
    let world = World::new()?;
    let wrong = [
        ("RIG_DAEMON", "sometimes", "bad_config", "never"),
        ("RIG_STATE_DIR", "relative", "bad_config", "absolute"),
        ("RIG_CONFIG", "relative", "bad_config", "absolute"),
        ("HOME", "", "bad_config", "HOME"),
        ("RIG_LOG", "a=b=c", "bad_config", "RIG_LOG"),
        ("RIG_WORKSPACES_DIRECTORY", "relative", "workspaces_root_invalid", "relative"),
    ];
    for (key, value, code, part) in wrong {
        let mut command = world.command(&["--json", "workspace", "create", "x"]);
        let output = command.env(key, value).output()?;
        let told: serde_json::Value = serde_json::from_slice(&output.stdout)?;
        assert_eq!(told["error"]["code"], code, "{key}: {told}");
        let message = told["error"]["message"].as_str().unwrap_or_default();
        assert!(message.contains(part), "{key}: {message}");
        assert_eq!(output.status.code(), Some(2), "{key}");
    }
    Ok(())
}
