use std::process::Stdio;

use serde_json::Value;

use crate::world::{Said, TestResult, World};

/// Nobody's.
const AGENT: &str = "agt_01m8nsvd62f67tndkxwnbwbx30";

fn kinds(world: &World) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let events = world.json(&["events"])?;
    let events = events["events"].as_array().cloned().unwrap_or_default();
    Ok(events.iter().filter_map(|event| event["type"].as_str().map(str::to_owned)).collect())
}

/// Schedules a message and answers its ID.
fn send(world: &World, more: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
    let args = ["schedule", "send", AGENT, "Look at the build"];
    let args: Vec<_> = args.iter().chain(more).copied().collect();
    Ok(world.rig(&args)?.success()?.trim_end().to_owned())
}

#[test]
fn a_scheduled_message_is_listed_until_it_is_cancelled() -> TestResult {
    let world = World::new()?;
    let id = send(&world, &["--in", "8h"])?;
    assert!(id.starts_with("sch_"), "{id}");
    let list = world.json(&["schedule", "list"])?;
    let item = &list["items"][0];
    assert_eq!((&item["id"], &item["status"]), (&id.as_str().into(), &"pending".into()));
    assert_eq!((&item["sender"], &item["target_agent_id"]), (&"person".into(), &AGENT.into()));
    assert_eq!(item["message"], "Look at the build");
    assert_eq!(item["requested"], serde_json::json!({ "duration": "8h" }));
    assert_eq!((&item["attempts"], &item["delivered_at"]), (&0.into(), &Value::Null));
    assert_eq!(&world.json(&["schedule", "show", &id])?, item);
    let table = world.rig(&["schedule", "list"])?.success()?;
    assert!(table.starts_with("ID ") && table.contains("Look at the build"), "{table}");

    let cancelled = world.json(&["schedule", "cancel", &id])?;
    assert_eq!(cancelled, serde_json::json!({"id": id, "cancelled": true, "status": "cancelled"}));
    assert_eq!(world.json(&["schedule", "cancel", &id])?, cancelled);
    assert_eq!(world.json(&["schedule", "list"])?["items"], serde_json::json!([]));
    assert_eq!(world.json(&["schedule", "list", "--all"])?["items"][0]["status"], "cancelled");
    assert_eq!(kinds(&world)?, ["scheduled.created", "scheduled.cancelled"]);
    Ok(())
}

#[test]
fn the_reply_has_exactly_its_four_fields() -> TestResult {
    let world = World::new()?;
    let at = ["--at", "2027-01-01T00:00:00Z"];
    let args: Vec<_> = ["schedule", "send", AGENT, "later"].into_iter().chain(at).collect();
    let mut reply = world.json(&args)?;
    let id = reply["id"].take();
    assert!(id.as_str().is_some_and(|id| id.starts_with("sch_")));
    let expected = serde_json::json!({
        "id": null,
        "due_at": "2027-01-01T00:00:00.000Z",
        "status": "pending",
        "target_agent_id": AGENT,
    });
    assert_eq!(reply, expected);
    Ok(())
}

#[test]
fn one_key_schedules_one_message() -> TestResult {
    let world = World::new()?;
    let id = send(&world, &["--in", "8h", "--key", "k"])?;
    assert_eq!(send(&world, &["--in", "480 min", "--key", "k"])?, id);
    assert_eq!(kinds(&world)?, ["scheduled.created"]);
    let said =
        world.rig(&["--json", "schedule", "send", AGENT, "else", "--in", "8h", "--key", "k"])?;
    assert_eq!(said.error()?, ("key_conflict".to_owned(), Some(5)));
    assert!(said.stdout.contains("17 characters") && !said.stdout.contains("Look"), "{said:?}");
    Ok(())
}

#[test]
fn what_cannot_be_scheduled_is_refused_under_its_own_code() -> TestResult {
    let world = World::new()?;
    let long = "x".repeat(100_001);
    let cases: [(&[&str], &str, i32); 11] = [
        (&[AGENT, "x"], "time_missing", 2),
        (&[AGENT, "x", "--in", "1h", "--at", "1785609000"], "time_conflict", 2),
        (&[AGENT, "x", "--in", "-1h"], "duration_negative", 2),
        (&[AGENT, "x", "--at", "tomorrow"], "instant_unreadable", 2),
        (&[AGENT, "x", "--in", "367d"], "schedule_too_far", 6),
        (&[AGENT, "x", "--at", "9999-01-01T00:00:00Z"], "schedule_too_far", 6),
        (&[AGENT, "x", "--in", "1h", "--expires-after", "53w"], "schedule_too_far", 6),
        (&[AGENT, "x", "--in", "1h", "--expires-after", "soon"], "duration_unreadable", 2),
        (&["agt_x", "x", "--in", "1h"], "bad_id", 2),
        (&[AGENT, " \n", "--in", "1h"], "message_empty", 2),
        (&[AGENT, &long, "--in", "1h"], "too_long", 6),
    ];
    for (args, code, status) in cases {
        let mut command = world.command(&["--json", "schedule", "send"]);
        let said = Said::from(command.args(args).output()?);
        assert_eq!(said.error()?, (code.to_owned(), Some(status)), "{code}: {said:?}");
    }
    let unknown = "sch_01m8nsvd62f67tndkxwnbwbx30";
    for verb in ["show", "cancel", "retry"] {
        let said = world.rig(&["--json", "schedule", verb, unknown])?;
        assert_eq!(said.error()?, ("schedule_not_found".to_owned(), Some(3)), "{verb}");
    }
    assert_eq!(kinds(&world)?, Vec::<String>::new());
    Ok(())
}

#[test]
fn the_text_comes_from_an_argument_a_file_or_standard_input() -> TestResult {
    let world = World::new()?;
    let text = "two\nlines, and \"quotes\"\n";
    let path = world.path("text");
    std::fs::write(&path, text)?;
    let path = path.display().to_string();
    world.rig(&["schedule", "send", AGENT, "--file", &path, "--in", "1h"])?.success()?;
    let mut command = world.command(&["schedule", "send", AGENT, "-", "--in", "1h"]);
    let file = std::fs::File::open(&path)?;
    assert!(command.stdin(Stdio::from(file)).stdout(Stdio::null()).status()?.success());
    let items = world.json(&["schedule", "list"])?["items"].take();
    assert_eq!((&items[0]["message"], &items[1]["message"]), (&text.into(), &text.into()));

    std::fs::write(&path, b"\xff")?;
    let said = world.rig(&["--json", "schedule", "send", AGENT, "--file", &path, "--in", "1h"])?;
    assert_eq!(said.error()?, ("bad_request".to_owned(), Some(2)));
    let said = world.rig(&["--json", "schedule", "send", AGENT, "--file", "gone", "--in", "1h"])?;
    assert_eq!(said.error()?, ("path_missing".to_owned(), Some(3)));
    Ok(())
}

/// unknown-target
#[test]
fn a_message_to_nobody_stays_undelivered_until_it_is_cancelled() -> TestResult {
    let world = World::new()?;
    let id = send(&world, &["--in", "0"])?;
    // The next `rig` of any kind does what is due before anything else.
    world.rig(&["project", "list"])?.success()?;
    let item = world.json(&["schedule", "list"])?["items"][0].take();
    assert_eq!((&item["id"], &item["status"]), (&id.as_str().into(), &"undelivered".into()));
    assert_eq!(item["failure"]["code"], "agent_not_found");
    world.rig(&["schedule", "retry", &id])?.success()?;
    world.rig(&["project", "list"])?.success()?;
    let told = kinds(&world)?;
    let expected = [
        "scheduled.created",
        "scheduled.undelivered",
        "scheduled.retried",
        "scheduled.undelivered",
    ];
    assert_eq!(told, expected);
    world.rig(&["schedule", "cancel", &id])?.success()?;
    let said = world.rig(&["--json", "schedule", "retry", &id])?;
    assert_eq!(said.error()?, ("schedule_settled".to_owned(), Some(5)));
    Ok(())
}

/// list-then-follow
#[test]
fn what_changes_after_a_list_is_found_by_its_cursor() -> TestResult {
    let world = World::new()?;
    let first = send(&world, &["--in", "8h"])?;
    let list = world.json(&["schedule", "list"])?;
    let second = send(&world, &["--in", "9h"])?;
    let third = send(&world, &["--in", "10h"])?;
    world.rig(&["schedule", "cancel", &first])?.success()?;
    let cursor = list["cursor"].as_str().unwrap_or_default();
    let events = world.json(&["events", "--after", cursor])?["events"].take();
    let about: Vec<_> = events.as_array().into_iter().flatten().map(|it| &it["about"][0]).collect();
    assert_eq!(about, [&Value::from(second), &Value::from(third), &Value::from(first)]);
    Ok(())
}

/// never-leaves
#[test]
fn without_a_daemon_it_is_said_when_a_message_goes_out() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["schedule", "send", AGENT, "later", "--at", "2027-01-01T00:00:00Z"])?;
    assert_eq!(said.status, Some(0));
    assert_eq!(
        said.stderr,
        "note: nothing is left running: it goes out with the first `rig` after \
         2027-01-01T00:00:00.000Z\n"
    );
    Ok(())
}
