use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::Value;

use crate::crowd::{PATIENCE, Running, leader, until};
use crate::world::{TestResult, World};

const HELLO: &str =
    "{\"hello\":{\"protocol\":[1,1],\"build\":\"0.1.0\",\"schema\":1,\"agent\":null}}\n";

/// A client that says what it likes.
struct Strange(UnixStream);

impl Strange {
    fn come(world: &World) -> Result<Self, Box<dyn std::error::Error>> {
        let stream = UnixStream::connect(world.socket()?)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    fn welcomed(world: &World) -> Result<Self, Box<dyn std::error::Error>> {
        let mut client = Self::come(world)?;
        client.say(HELLO)?;
        let welcome = client.line()?;
        assert!(welcome["welcome"]["pid"].is_u64(), "{welcome}");
        Ok(client)
    }

    fn say(&mut self, what: &str) -> TestResult {
        Ok(self.0.write_all(what.as_bytes())?)
    }

    /// The next line, which must come.
    fn line(&mut self) -> Result<Value, Box<dyn std::error::Error>> {
        let (mut line, mut byte) = (Vec::new(), [0]);
        while self.0.read(&mut byte)? == 1 && byte != *b"\n" {
            line.extend(byte);
        }
        Ok(serde_json::from_slice(&line)?)
    }

    /// Waits until it is dropped; answers what was said before.
    fn dropped(mut self) -> Result<String, Box<dyn std::error::Error>> {
        let mut said = Vec::new();
        match self.0.read_to_end(&mut said) {
            Err(error) if error.kind() != ErrorKind::ConnectionReset => Err(error.into()),
            _ => Ok(String::from_utf8(said)?),
        }
    }
}

fn leads(world: &World) -> Result<Running, Box<dyn std::error::Error>> {
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(world) == Some(leads.id()));
    world.rig(&["project", "add"])?.success()?;
    Ok(leads)
}

#[test]
fn half_a_line_and_silence_hold_nobody_and_are_dropped() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    let mut idle = Strange::welcomed(&world)?;
    let mut halves = Vec::new();
    for _ in 0..20 {
        let mut client = Strange::come(&world)?;
        client.say("{\"hello\":{\"proto")?;
        halves.push(client);
        let mut client = Strange::welcomed(&world)?;
        client.say("{\"id\":1,\"op\":\"list_projects\",\"ar")?;
        halves.push(client);
        // And one that says nothing at all.
        halves.push(Strange::come(&world)?);
    }
    for _ in 0..5 {
        world.rig(&["project", "list"])?.success()?;
    }
    for half in halves {
        assert_eq!(half.dropped()?, "");
    }
    // Being idle is fine, for longer than that.
    idle.say("{\"id\":7,\"op\":\"no_such_operation\"}\n")?;
    let answer = idle.line()?;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&7.into(), &"unknown_operation".into()));
    assert_eq!(leader(&world), Some(leads.id()));
    assert!(!leads.is_over());
    Ok(())
}

#[test]
fn nonsense_closes_its_connection_only() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    let mut all = Vec::new();
    for nonsense in
        ["\n", "nonsense\n", "{\"id\":\"1\"}\n", "[]\n", "\u{0}\n", "{\"id\":1,\"op\":1}\n"]
    {
        let mut client = Strange::welcomed(&world)?;
        client.say(nonsense)?;
        assert_eq!(client.dropped()?, "", "{nonsense:?}");
        let mut client = Strange::come(&world)?;
        client.say(nonsense)?;
        all.push(client);
    }
    for client in all {
        let said = client.dropped()?;
        assert!(said.is_empty() || said.contains("\"refused\""), "{said}");
    }
    // A frame that is too long is closed as soon as that is known, without its end.
    let mut client = Strange::welcomed(&world)?;
    let long = "x".repeat(1 << 20);
    let _ = client.say(&long);
    let said = client.dropped()?;
    assert!(said.is_empty() || said.contains("frame_too_large"), "{said}");
    world.rig(&["project", "list"])?.success()?;
    assert_eq!(leader(&world), Some(leads.id()));
    Ok(())
}

#[test]
fn slow_reader() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    let mut slow = Strange::welcomed(&world)?;
    // Follows, and asks for more than the socket holds, without reading any of it.
    slow.say("{\"id\":1,\"op\":\"follow_events\",\"args\":{}}\n")?;
    slow.0.set_write_timeout(Some(Duration::from_secs(1)))?;
    for id in 2..20_000 {
        let asked = format!("{{\"id\":{id},\"op\":\"list_projects\",\"args\":{{}}}}\n");
        if slow.say(&asked).is_err() {
            break;
        }
    }
    for _ in 0..5 {
        world.rig(&["project", "list"])?.success()?;
    }
    // It is dropped: what it asks for later goes nowhere.
    slow.0.set_write_timeout(None)?;
    until("it is dropped", || (&slow.0).write_all(b"\n").is_err());
    world.rig(&["project", "list"])?.success()?;
    assert_eq!(leader(&world), Some(leads.id()));
    Ok(())
}

#[test]
fn a_protocol_that_is_not_spoken_is_refused_with_both_numbers() -> TestResult {
    let world = World::new()?;
    let _leads = leads(&world)?;
    let mut client = Strange::come(&world)?;
    client.say(&HELLO.replace("[1,1]", "[90,99]"))?;
    let answer = client.line()?;
    assert_eq!(answer["refused"]["code"], "version_skew", "{answer}");
    let message = answer["refused"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("90") && message.contains("99"), "{message}");
    Ok(())
}

#[test]
fn more_connections_than_are_served_wait_their_turn() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    let mut idle = Vec::new();
    for _ in 0..511 {
        idle.push(Strange::welcomed(&world)?);
    }
    // One is the leader's own.
    let waits = world.start(&["project", "list"])?;
    let late = Strange::come(&world)?;
    assert!(!leads.is_over());
    drop(idle);
    waits.ends()?.success()?;
    drop(late);
    world.rig(&["project", "list"])?.success()?;
    assert_eq!(leader(&world), Some(leads.id()));
    Ok(())
}

/// Asks for something many times, as fast as the answers come; answers with the last one.
fn ask(
    client: &Strange,
    times: u64,
    mut line: impl FnMut(u64) -> String,
) -> Result<Value, Box<dyn std::error::Error>> {
    let (mut writer, reader) = (client.0.try_clone()?, client.0.try_clone()?);
    let asked: Vec<_> = (1..=times).map(|id| line(id) + "\n").collect();
    std::thread::scope(|scope| {
        let asking = scope.spawn(move || writer.write_all(asked.concat().as_bytes()));
        let mut open: std::collections::BTreeSet<_> = (1..=times).collect();
        let mut last = Value::Null;
        for answer in BufReader::new(reader).lines() {
            last = serde_json::from_str(&answer?)?;
            let id = last["id"].as_u64().unwrap_or_default();
            let over = ["ok", "end", "error"].iter().any(|it| !last[it].is_null());
            assert!(!over || open.remove(&id), "{id} is answered twice");
            if open.is_empty() {
                break;
            }
        }
        assert_eq!(open.len(), 0, "{open:?} have no answer");
        asking.join().map_err(|_| "it panicked")??;
        Ok(last)
    })
}

#[test]
fn more_requests_than_are_open_at_once_are_all_answered() -> TestResult {
    let world = World::new()?;
    let _leads = leads(&world)?;
    let client = Strange::welcomed(&world)?;
    let listed = |id| format!("{{\"id\":{id},\"op\":\"list_projects\"}}");
    let last = ask(&client, 1000, listed)?;
    assert_eq!(last["ok"]["projects"].as_array().map(Vec::len), Some(1), "{last}");
    Ok(())
}

#[test]
fn an_answer_larger_than_a_frame_comes_in_parts() -> TestResult {
    let world = World::new()?;
    let _leads = leads(&world)?;
    let first = world.json(&["events"])?["events"][0].take();
    let (cursor, project) = (&first["cursor"], &first["about"][0]);
    let mut client = Strange::welcomed(&world)?;
    let renamed = |id| {
        let name = format!("{id:0>90}");
        let args = serde_json::json!({ "project_id": project, "name": name });
        serde_json::json!({ "id": id, "op": "rename_project", "args": args }).to_string()
    };
    ask(&client, 2000, renamed)?;
    client
        .say(&format!("{{\"id\":1,\"op\":\"list_events\",\"args\":{{\"after\":{cursor}}}}}\n"))?;
    let mut parts = 0;
    let end = loop {
        let answer = client.line()?;
        match &answer["item"]["events"] {
            Value::Null => break answer,
            event => assert_eq!(event["type"], "project.changed"),
        }
        parts += 1;
    };
    assert_eq!(parts, 2000);
    assert!(end["end"]["cursor"].is_string(), "{end}");
    // The command puts them together again.
    let after = cursor.as_str().unwrap_or_default();
    let listed = world.json(&["events", "--after", after])?["events"].take();
    assert_eq!(listed.as_array().map(Vec::len), Some(2000));
    Ok(())
}

#[test]
fn many_requests_leave_no_memory_behind() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    let resident = || -> Result<u64, Box<dyn std::error::Error>> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", leads.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no RSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    };
    let listed = |id| format!("{{\"id\":{id},\"op\":\"list_projects\"}}");
    let many = if std::env::var_os("RIG_TEST_NIGHTLY").is_some() { 100_000 } else { 5_000 };
    let client = Strange::welcomed(&world)?;
    ask(&client, 2_000, listed)?;
    let before = resident()?;
    ask(&client, many, listed)?;
    for _ in 0..500 {
        Strange::welcomed(&world)?;
    }
    let after = resident()?;
    assert!(after < before + 4096, "{before} kB became {after} kB");
    Ok(())
}
