//! A leader that is killed between the commit and the answer.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::crowd::{leader, until};
use crate::team::Agent;
use crate::world::{Said, TestResult, World};

/// Runs `rig`, as an agent or as the person, while a leader is there that is killed before its first
/// answer to anybody.
fn rig(
    world: &World,
    agent: Option<&Agent>,
    args: &[&str],
) -> Result<Value, Box<dyn std::error::Error>> {
    let mut leads = world
        .command(&["wait", "1h", "--key", "leads"])
        .env("RIG_FAILPOINT", "reply.before")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    until("it leads", || leader(world) == Some(leads.id()));
    let args: Vec<_> = ["--json"].iter().chain(args).copied().collect();
    let said = match agent {
        Some(agent) => agent.rig(world, &args)?,
        None => Said::from(world.command(&args).output()?),
    };
    assert_eq!(leads.wait()?.code(), None, "it was to be killed");
    Ok(serde_json::from_str(&said.success()?)?)
}

fn count(world: &World, kind: &str) -> Result<usize, Box<dyn std::error::Error>> {
    let events = world.json(&["events"])?;
    let events = events["events"].as_array().cloned().unwrap_or_default();
    Ok(events.iter().filter(|event| event["type"] == kind).count())
}

#[test]
fn a_leader_killed_while_it_answers_leaves_one_agent_one_message_and_one_token() -> TestResult {
    let world = World::new()?;
    let one = Agent::printed(&rig(&world, None, &["agent", "new", "--title", "One"])?)?;
    assert_eq!(count(&world, "agent.created")?, 1);
    assert_eq!(one.json(&world, &["agent", "me"])?["agentId"], json!(one.id));

    let sent = rig(&world, None, &["agent", "send", &one.id, "hello"])?;
    assert_eq!(sent["replayed"], json!(true));
    assert_eq!(count(&world, "message.delivered")?, 1);

    let mail = rig(&world, Some(&one), &["agent", "receive"])?;
    assert_eq!(mail["messages"][0]["id"], sent["messageId"]);
    rig(&world, Some(&one), &["agent", "ack", "1"])?;
    assert_eq!(count(&world, "message.acked")?, 1);

    // The old token counts no more once its agent asks again, and the new one is not lost.
    let renewed = Agent::printed(&rig(&world, Some(&one), &["agent", "token"])?)?;
    assert_eq!(renewed.json(&world, &["agent", "me"])?["agentId"], json!(one.id));
    assert_eq!(one.refused(&world, &["agent", "token"])?, ("bad_identity".to_owned(), Some(4)));
    Ok(())
}
