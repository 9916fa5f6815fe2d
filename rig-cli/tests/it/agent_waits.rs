//! Mail, waits and scheduled messages of agents, as they meet.

use std::error::Error;
use std::process::{Child, Stdio};

use serde_json::{Value, json};

use crate::team::Agent;
use crate::world::{Said, TestResult, World};

/// Starts `rig` as an agent and waits until the agent is seen to wait.
fn waiting(world: &World, agent: &Agent, args: &[&str]) -> Result<Child, Box<dyn Error>> {
    let mut command = agent.command(world, args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    while world.json(&["agent", "info", &agent.id])?["status"] != json!("waiting") {
        std::thread::yield_now();
    }
    Ok(child)
}

fn ended(child: Child) -> Result<(Option<i32>, Value), Box<dyn Error>> {
    let said = Said::from(child.wait_with_output()?);
    let result = serde_json::from_str(&said.stdout).map_err(|_| format!("{said:?}"))?;
    Ok((said.status, result))
}

fn bodies(mail: &Value) -> Vec<String> {
    let messages = mail["messages"].as_array().into_iter().flatten();
    messages.filter_map(|message| message["body"].as_str().map(str::to_owned)).collect()
}

fn kinds(world: &World) -> Result<Vec<String>, Box<dyn Error>> {
    let events = world.json(&["events"])?;
    let events = events["events"].as_array().cloned().unwrap_or_default();
    Ok(events.iter().filter_map(|event| event["type"].as_str().map(str::to_owned)).collect())
}

#[test]
fn a_message_ends_all_waits_of_its_agent_in_the_same_commit() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    let first = waiting(&world, &one, &["--json", "wait", "1h"])?;
    let second = one.command(&world, &["--json", "wait", "2h", "--key", "k"]);
    let mut second = second;
    let second = second.stdout(Stdio::piped()).spawn()?;
    while kinds(&world)?.iter().filter(|kind| *kind == "wait.started").count() < 2 {}
    let others = waiting(&world, &other, &["--json", "wait", "1h"])?;
    world.rig(&["agent", "send", &one.id, "wake up"])?.success()?;
    for child in [first, second] {
        let (status, result) = ended(child)?;
        assert_eq!(status, Some(10));
        let of_message = (&json!("message_received"), &json!(true));
        assert_eq!((&result["reason"], &result["interrupted"]), of_message);
    }
    assert_eq!(one.json(&world, &["agent", "me"])?["status"], json!("idle"));
    assert_eq!(other.json(&world, &["agent", "me"])?["status"], json!("waiting"));
    let tail: Vec<_> = kinds(&world)?.into_iter().rev().take(3).collect();
    assert_eq!(tail, ["wait.ended", "wait.ended", "message.delivered"]);
    world.rig(&["agent", "send", &other.id, "you too"])?.success()?;
    assert_eq!(ended(others)?.0, Some(10));
    Ok(())
}

#[test]
fn duplicate_message() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let send = ["--json", "agent", "send", &one.id, "report", "--key", "r"];
    world.rig(&send)?.success()?;
    let child = waiting(&world, &one, &["--json", "wait", "1h"])?;
    let again: Value = serde_json::from_str(&world.rig(&send)?.success()?)?;
    assert_eq!(again["replayed"], json!(true));
    assert_eq!(one.json(&world, &["agent", "me"])?["status"], json!("waiting"));
    world.rig(&["agent", "send", &one.id, "another"])?.success()?;
    assert_eq!(ended(child)?.0, Some(10));
    Ok(())
}

#[test]
fn no_lost_wake_up() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    for number in 1..=8 {
        world.rig(&["agent", "send", &one.id, &number.to_string()])?.success()?;
    }
    let said = one.rig(&world, &["--json", "wait", "1h", "--seen", "7"])?;
    assert_eq!(said.status, Some(10), "{said:?}");
    let result: Value = serde_json::from_str(&said.stdout)?;
    assert_eq!(result["reason"], json!("message_received"));
    let mail = one.json(&world, &["agent", "receive", "--ack"])?;
    assert_eq!(mail["last"], json!(8));
    // What is acknowledged wakes nobody.
    let said = one.rig(&world, &["--json", "wait", "10ms", "--seen", "0"])?;
    assert_eq!(said.status, Some(0), "{said:?}");
    Ok(())
}

#[test]
fn waiting_is_visible() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let mut long = waiting(&world, &one, &["wait", "2h", "--key", "long"])?;
    long.kill()?;
    long.wait()?;
    let mut short = one.command(&world, &["wait", "1h", "--key", "short"]).spawn()?;
    while kinds(&world)?.iter().filter(|kind| *kind == "wait.started").count() < 2 {}
    short.kill()?;
    short.wait()?;
    // Every process is gone, and so is every leader; the shorter one is due first.
    let me = one.json(&world, &["agent", "me"])?;
    let due: Vec<_> = me["waiting"].as_object().unwrap().keys().cloned().collect();
    assert_eq!((&me["status"], due.len()), (&json!("waiting"), 3));
    let started = me["waiting"]["started_at"].as_str().unwrap().to_owned();
    let hour = me["waiting"]["due_at"].as_str().unwrap().to_owned();
    let text = one.rig(&world, &["agent", "me"])?.success()?;
    assert!(text.contains(&format!("due_at: {hour}")), "{text}");
    assert!(started[..13] != hour[..13], "{started} {hour}");
    let tree = world.json(&["agent", "tree"])?;
    assert_eq!(tree["agents"][0]["waiting"], me["waiting"]);
    let sessions = world.json(&["workspace", "sessions"])?;
    assert_eq!(sessions["sessions"][0]["status"], json!("waiting"));
    assert_eq!(sessions["sessions"][0]["waiting"], me["waiting"]);
    world.rig(&["agent", "send", &one.id, "hello"])?.success()?;
    let me = one.json(&world, &["agent", "me"])?;
    assert_eq!((&me["status"], me.get("waiting")), (&json!("idle"), None));
    Ok(())
}

#[test]
fn archiving_an_agent_ends_its_waits_and_those_below() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    let first = waiting(&world, &one, &["--json", "wait", "1h"])?;
    let second = waiting(&world, &child, &["--json", "wait", "1h"])?;
    world.rig(&["agent", "archive", &one.id])?.success()?;
    for wait in [first, second] {
        let (status, result) = ended(wait)?;
        assert_eq!((status, &result["reason"]), (Some(10), &json!("agent_stopped")));
    }
    Ok(())
}

#[test]
fn subagent() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    let child = Agent::printed(&one.json(&world, &["agent", "new", "--title", "Child"])?)?;
    let schedule = ["schedule", "send", &one.id, "later", "--in", "1h"];
    assert_eq!(child.refused(&world, &schedule)?, ("primary_only".to_owned(), Some(4)));
    assert_eq!(child.rig(&world, &["wait", "1ms"])?.status, Some(0));
    one.rig(&world, &schedule)?.success()?;
    Ok(())
}

#[test]
fn a_scheduled_message_comes_from_its_sender_and_ends_waits() -> TestResult {
    let world = World::new()?;
    let (one, other) = (world.agent("One")?, world.agent("Other")?);
    let wait = waiting(&world, &other, &["--json", "wait", "1h"])?;
    one.rig(&world, &["schedule", "send", &other.id, "now", "--in", "0s"])?.success()?;
    assert_eq!(ended(wait)?.1["reason"], json!("message_received"));
    let mail = other.json(&world, &["agent", "receive"])?;
    let message = &mail["messages"][0];
    assert_eq!((&message["kind"], &message["body"]), (&json!("scheduled"), &json!("now")));
    assert_eq!(message["from"]["agentId"], json!(one.id));
    assert!(message["id"].as_str().is_some_and(|id| id.starts_with("msg_")), "{message}");
    Ok(())
}

#[test]
fn who_waits_for_mail_goes_on_with_the_next_leader() -> TestResult {
    let world = World::new()?;
    let one = world.agent("One")?;
    // A wait of the person leads, and is killed while the receiver follows it.
    let mut leader = world.command(&["wait", "1h", "--key", "leads"]).spawn()?;
    while !kinds(&world)?.contains(&"wait.started".to_owned()) {}
    let receive = |args: &[&str]| {
        let mut command = one.command(&world, args);
        command.stdout(Stdio::piped()).spawn()
    };
    let waits = receive(&["--json", "agent", "receive", "--wait", "10m"])?;
    while world.json(&["agent", "info", &one.id])?["listening"] != json!(true) {}
    leader.kill()?;
    leader.wait()?;
    world.rig(&["agent", "send", &one.id, "still there?"])?.success()?;
    let (status, mail) = ended(waits)?;
    assert_eq!((status, bodies(&mail)), (Some(0), vec!["still there?".to_owned()]));
    Ok(())
}
