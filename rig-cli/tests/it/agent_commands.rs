use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::team::{Agent, bodies};
use crate::world::{Said, TestResult, World};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default()
}

#[test]
fn two_export_lines_make_a_shell_the_agent() -> TestResult {
    let world = World::new()?;
    let printed = world.rig(&["agent", "new", "--title", "Retry 'policy'; $(x)"])?.success()?;
    assert_eq!(printed.lines().count(), 2);
    let script = format!("set -e\n{printed}exec \"$0\" --json agent me");
    let mut shell = world.clean("/bin/sh", &world.repository);
    let said = Said::from(shell.args(["-c", &script, crate::world::RIG]).output()?);
    let me: Value = serde_json::from_str(&said.success()?)?;
    assert_eq!(keys(&me), ["agentId", "hint", "status", "title"]);
    assert_eq!((&me["title"], &me["status"]), (&json!("Retry 'policy'; $(x)"), &json!("idle")));
    Ok(())
}

#[test]
fn json_of_a_new_agent_has_exactly_its_keys() -> TestResult {
    let world = World::new()?;
    let made = world.json(&["agent", "new", "--title", "One"])?;
    assert_eq!(keys(&made), ["agentId", "depth", "parentAgentId", "sessionId", "title", "token"]);
    assert_eq!((&made["depth"], &made["parentAgentId"]), (&json!(0), &Value::Null));
    let one = Agent::printed(&made)?;
    let below = one.json(&world, &["agent", "new", "--title", "Below"])?;
    assert_eq!((&below["depth"], &below["parentAgentId"]), (&json!(1), &json!(one.id)));
    let by_title = world.json(&["agent", "new", "--title", "Second", "--parent", "One"])?;
    assert_eq!(by_title["parentAgentId"], json!(one.id));
    Ok(())
}

#[test]
fn wrong_token() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    let mixed = Agent { id: one.id.clone(), token: other.token.clone() };
    let mut told = String::new();
    for args in [
        &["agent", "me"][..],
        &["agent", "new", "--title", "x"],
        &["agent", "receive"],
        &["workspace", "list"],
        &["events"],
        &["config", "show"],
        &["store", "check"],
    ] {
        assert_eq!(mixed.refused(&world, args)?, ("bad_identity".to_owned(), Some(4)), "{args:?}");
        let said = mixed.rig(&world, &[&["-vv"], args].concat())?;
        told.push_str(&said.stdout);
        told.push_str(&said.stderr);
    }
    told.push_str(&world.rig(&["store", "dump"])?.success()?);
    told.push_str(&world.rig(&["events"])?.success()?);
    assert!(!told.contains(&other.token) && !told.contains(&one.token), "{told}");
    Ok(())
}

#[test]
fn a_new_token_takes_the_place_of_all_others() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let again = Agent::printed(&one.json(&world, &["agent", "token"])?)?;
    assert_eq!(again.id, one.id);
    assert_eq!(one.refused(&world, &["agent", "me"])?.0, "bad_identity");
    assert_eq!(again.json(&world, &["agent", "me"])?["agentId"], json!(one.id));
    let by_person = Agent::printed(&world.json(&["agent", "token", &one.id])?)?;
    assert_eq!(again.refused(&world, &["agent", "me"])?.0, "bad_identity");
    let other = world.agent("Other")?;
    let refused = by_person.refused(&world, &["agent", "token", &other.id])?;
    assert_eq!(refused, ("not_your_agent".to_owned(), Some(4)));
    assert_eq!(world.rig(&["--json", "agent", "token"])?.error()?.0, "not_an_agent");
    Ok(())
}

#[test]
fn handshake_lasts() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    let request = ["agent", "send", &other.id, "hello"];
    let refused = one.rig(&world, &request)?;
    assert_eq!(refused.status, Some(4));
    assert!(
        refused.stderr.contains("Call agent_info with this agent ID before sending it a message."),
        "{refused:?}"
    );
    let info = one.json(&world, &["agent", "info", &other.id])?;
    assert_eq!(keys(&info), ["agentId", "diskShared", "path", "status", "title"]);
    let sent = one.json(&world, &request)?;
    assert_eq!(keys(&sent), ["delivered", "messageId", "reception", "replayed"]);
    assert_eq!(
        (&sent["delivered"], &sent["replayed"], &sent["reception"]),
        (&json!(true), &json!(false), &json!("stored"))
    );
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    assert_eq!(child.refused(&world, &request)?, ("handshake_required".to_owned(), Some(4)));
    let mail = other.json(&world, &["agent", "receive"])?;
    assert_eq!(keys(&mail), ["acked", "last", "messages", "more"]);
    assert_eq!(bodies(&mail), [(1, "hello")]);
    assert_eq!(
        keys(&mail["messages"][0]),
        ["about", "at", "body", "data", "from", "id", "kind", "seq"]
    );
    assert_eq!(
        keys(&mail["messages"][0]["from"]),
        ["agentId", "diskShared", "kind", "path", "relation", "title"]
    );
    assert_eq!(mail["messages"][0]["id"], sent["messageId"]);
    Ok(())
}

#[test]
fn nobody_there() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let sent = world.json(&["agent", "send", &one.id, "hello"])?;
    assert_eq!(sent["reception"], json!("stored"));
    let info = world.json(&["agent", "info", &one.id])?;
    assert_eq!(
        keys(&info),
        [
            "agentId",
            "diskShared",
            "kind",
            "listening",
            "parentAgentId",
            "path",
            "run",
            "sessionId",
            "status",
            "title",
            "unacked",
            "workspaceId"
        ]
    );
    assert_eq!((&info["unacked"], &info["listening"]), (&json!(1), &json!(false)));
    let mail = one.json(&world, &["agent", "receive"])?;
    assert_eq!(mail["messages"][0]["from"], json!({ "kind": "person" }));
    one.json(&world, &["agent", "info", &one.id])?;
    let own = one.json(&world, &["agent", "send", &one.id, "note to myself"])?;
    assert_eq!(own["reception"], json!("stored"));
    Ok(())
}

#[test]
fn a_key_sends_once() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let send = |text| ["agent", "send", &one.id, text, "--key", "report"];
    let first = world.json(&send("done"))?;
    let again = world.json(&send("done"))?;
    assert_eq!((&again["messageId"], &again["replayed"]), (&first["messageId"], &json!(true)));
    let said = world.rig(&["--json", "agent", "send", &one.id, "other", "--key", "report"])?;
    assert_eq!(said.error()?, ("key_conflict".to_owned(), Some(5)));
    assert_eq!(bodies(&one.json(&world, &["agent", "receive"])?), [(1, "done")]);
    Ok(())
}

#[test]
fn a_message_comes_from_an_argument_standard_input_or_a_file() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let mut child = world
        .command(&["agent", "send", &one.id, "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()?;
    child.stdin.take().unwrap().write_all("from stdin\n".as_bytes())?;
    assert!(child.wait()?.success());
    std::fs::write(world.path("body"), "from a file")?;
    let file = world.path("body").display().to_string();
    world.rig(&["agent", "send", &one.id, "--file", &file])?.success()?;
    let mail = one.json(&world, &["agent", "receive"])?;
    assert_eq!(bodies(&mail), [(1, "from stdin\n"), (2, "from a file")]);
    std::fs::write(world.path("body"), [b'a', 0xff])?;
    let code = |args: &[&str]| world.rig(&[&["--json", "agent", "send"], args].concat())?.error();
    assert_eq!(code(&[&one.id, "--file", &file])?, ("bad_request".to_owned(), Some(2)));
    assert_eq!(code(&[&one.id, "  "])?, ("message_empty".to_owned(), Some(2)));
    assert_eq!(code(&[&one.id])?, ("bad_request".to_owned(), Some(2)));
    std::fs::write(world.path("body"), "x".repeat(100_001))?;
    assert_eq!(code(&[&one.id, "--file", &file])?, ("too_long".to_owned(), Some(6)));
    std::fs::write(world.path("body"), "\u{1}".repeat(100_000))?;
    world.rig(&["agent", "send", &one.id, "--file", &file])?.success()?;
    Ok(())
}

#[test]
fn ids_are_exact() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    for id in [one.id.to_uppercase(), one.id[..29].to_owned(), "One".to_owned()] {
        for command in ["info", "archive"] {
            let said = world.rig(&["--json", "agent", command, &id])?;
            assert_eq!(said.error()?, ("bad_id".to_owned(), Some(2)), "{command} {id}");
        }
    }
    let unknown = "agt_01m8nsvd62f67tndkxwnbwbx30";
    for args in [&["info", unknown][..], &["send", unknown, "x"], &["archive", unknown]] {
        let said = world.rig(&[&["--json", "agent"], args].concat())?;
        assert_eq!(said.error()?, ("agent_not_found".to_owned(), Some(3)), "{args:?}");
        assert!(said.stdout.contains(unknown));
    }
    Ok(())
}

#[test]
fn disks_are_told_apart() -> TestResult {
    let world = World::new()?;
    let folder = world.path("inside/x");
    std::fs::create_dir_all(&folder)?;
    let mut new = world.command(&["--json", "agent", "new", "--title", "Box", "--cwd"]);
    let said = Said::from(new.arg(&folder).env("RIG_DISK", "box").output()?);
    let boxed = Agent::printed(&serde_json::from_str(&said.success()?)?)?;
    let here = world.json(&["agent", "info", &boxed.id])?;
    assert_eq!((&here["diskShared"], here.get("path")), (&json!(false), None));
    assert!(here["notice"].as_str().unwrap().contains("not shared"), "{here}");
    let there =
        |command: &mut Command| Said::from(command.env("RIG_DISK", "box").output().unwrap());
    let said = there(&mut world.command(&["--json", "agent", "info", &boxed.id]));
    let there: Value = serde_json::from_str(&said.success()?)?;
    assert_eq!((&there["diskShared"], &there["path"]), (&json!(true), &json!(folder)));

    std::fs::create_dir_all(world.path("home/.config/rig"))?;
    std::fs::create_dir_all(world.path("outside/x"))?;
    let mount = format!(
        "[[agents.mounts]]\ndisk = 'box'\ninside = '{}'\noutside = '{}'\n",
        world.path("inside").display(),
        world.path("outside").display()
    );
    std::fs::write(world.path("home/.config/rig/rig.toml"), mount)?;
    let here = world.json(&["agent", "info", &boxed.id])?;
    assert_eq!(
        (&here["diskShared"], &here["path"]),
        (&json!(true), &json!(world.path("outside/x")))
    );
    std::fs::remove_dir(world.path("outside/x"))?;
    let here = world.json(&["agent", "info", &boxed.id])?;
    assert_eq!(here["diskShared"], json!(false));
    assert!(here["notice"].as_str().unwrap().contains("is gone"), "{here}");
    Ok(())
}

#[test]
fn an_agent_without_a_folder_is_at_a_home_of_its_own() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    let home = |agent: &Agent| -> Result<String, Box<dyn std::error::Error>> {
        let info = world.json(&["agent", "info", &agent.id])?;
        Ok(info["path"].as_str().ok_or("no path")?.to_owned())
    };
    assert_ne!(home(&one)?, home(&other)?);
    let path = home(&one)?;
    assert!(path.starts_with(&world.path("state/homes").display().to_string()), "{path}");
    assert!(!path.contains(&one.id[4..]));
    let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&path)?);
    assert_eq!(mode & 0o777, 0o700);
    std::fs::remove_dir(&path)?;
    assert_eq!(home(&one)?, path);
    Ok(())
}

#[test]
fn trees_and_archives() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    let below = Agent::printed(&child.json(&world, &["agent", "new", "--title", "Below"])?)?;
    let tree = world.rig(&["agent", "tree", "--color", "never"])?.success()?;
    assert!(
        tree.contains("One") && tree.contains("\n  Child") && tree.contains("\n    Below"),
        "{tree}"
    );
    let ids = |value: &Value| -> Vec<String> {
        let agents = value["agents"].as_array().cloned().unwrap_or_default();
        agents.iter().map(|agent| agent["agentId"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&child.json(&world, &["agent", "tree"])?), [child.id.clone(), below.id.clone()]);
    let refused = child.refused(&world, &["agent", "tree", &one.id])?;
    assert_eq!(refused, ("not_your_agent".to_owned(), Some(4)));
    assert_eq!(child.refused(&world, &["agent", "archive", &child.id])?.0, "not_your_agent");
    assert_eq!(one.rig(&world, &["agent", "archive", &child.id])?.success()?, "");
    assert_eq!(ids(&world.json(&["agent", "tree"])?), std::slice::from_ref(&one.id));
    assert_eq!(ids(&world.json(&["agent", "tree", "--all"])?).len(), 3);
    let info = world.json(&["agent", "info", &below.id])?;
    assert_eq!(info["status"], json!("archived"));
    world.rig(&["agent", "send", &child.id, "come back"])?.success()?;
    assert_eq!(ids(&world.json(&["agent", "tree"])?), [one.id.clone(), child.id.clone()]);
    Ok(())
}

#[test]
fn titles_are_ones_own_or_the_persons_to_set() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    assert_eq!(one.rig(&world, &["agent", "title", " Mine "])?.success()?, "");
    assert_eq!(one.json(&world, &["agent", "me"])?["title"], json!("Mine"));
    let refused = one.refused(&world, &["agent", "title", &other.id, "Yours"])?;
    assert_eq!(refused, ("not_your_agent".to_owned(), Some(4)));
    world.rig(&["agent", "title", &other.id, "Yours"])?.success()?;
    let long = "🦀".repeat(101);
    let said = world.rig(&["--json", "agent", "title", &other.id, &long])?;
    assert_eq!(said.error()?, ("bad_title".to_owned(), Some(2)));
    assert_eq!(world.json(&["agent", "info", &other.id])?["title"], json!("Yours"));
    Ok(())
}

#[test]
fn the_first_title_names_the_workspace_it_is_in() -> TestResult {
    let world = World::new()?;
    let path = world.rig(&["workspace", "create"])?.success()?;
    let path = path.trim_end();
    let one = world.json(&["agent", "new", "--cwd", path])?;
    let id = one["agentId"].as_str().unwrap();
    world.rig(&["agent", "title", id, "Retry policy"])?.success()?;
    world.rig(&["agent", "new", "--title", "Later", "--cwd", path])?.success()?;
    let listed = world.json(&["workspace", "list"])?;
    assert_eq!(listed["workspaces"][0]["name"], json!("Retry policy"));
    let sessions = world.json(&["workspace", "sessions", "Retry policy"])?;
    let titles: Vec<_> =
        sessions["sessions"].as_array().unwrap().iter().map(|s| s["title"].clone()).collect();
    assert_eq!(titles, [json!("Later"), json!("Retry policy")]);
    assert_eq!(
        keys(&sessions["sessions"][0]),
        [
            "agentId",
            "archived",
            "delegatedBy",
            "id",
            "parentSessionId",
            "projectId",
            "status",
            "title",
            "updatedAt",
            "workspaceId"
        ]
    );
    assert_eq!(sessions["sessions"][0]["workspaceId"], listed["workspaces"][0]["id"]);
    Ok(())
}

#[test]
fn subagents_have_no_workspaces_and_agents_no_tools_of_the_store() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    assert_eq!(child.refused(&world, &["project", "list"])?, ("primary_only".to_owned(), Some(4)));
    one.json(&world, &["project", "list"])?;
    assert_eq!(one.refused(&world, &["store", "check"])?, ("person_only".to_owned(), Some(4)));
    child.json(&world, &["events"])?;
    Ok(())
}

#[test]
fn depth_ends_at_the_limit_of_the_configuration() -> TestResult {
    let world = World::new()?;
    std::fs::create_dir_all(world.path("home/.config/rig"))?;
    std::fs::write(world.path("home/.config/rig/rig.toml"), "agents.max_depth = 1\n")?;
    let one = world.agent("One")?;
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    let refused = child.refused(&world, &["agent", "new", "--title", "Below"])?;
    assert_eq!(refused, ("depth_limit".to_owned(), Some(6)));
    Ok(())
}

#[test]
fn a_store_with_agents_and_mail_is_sound() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    world.rig(&["agent", "send", &one.id, "hello"])?.success()?;
    one.json(&world, &["agent", "receive", "--ack"])?;
    assert_eq!(world.json(&["store", "check"])?, json!({ "findings": [] }));
    Ok(())
}
