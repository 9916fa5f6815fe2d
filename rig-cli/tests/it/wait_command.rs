use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::world::{Said, TestResult, World, signal};

/// Starts `rig` and waits until its wait has started, by asking for the journal.
fn started(world: &World, args: &[&str]) -> Result<(Child, String), Box<dyn std::error::Error>> {
    let before = waits(world)?;
    let mut command = world.command(args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    loop {
        let after = waits(world)?;
        if let Some(id) = after.into_iter().find(|id| !before.contains(id)) {
            return Ok((child, id));
        }
        std::thread::yield_now();
    }
}

/// The waits that the journal tells of.
fn waits(world: &World) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let told = of_kind(world, "wait.started")?;
    let ids = told.iter().filter_map(|event| event["about"][0].as_str().map(str::to_owned));
    Ok(ids.collect())
}

fn of_kind(world: &World, kind: &str) -> Result<Vec<Value>, Box<dyn std::error::Error>> {
    let events = world.json(&["events"])?;
    let events = events["events"].as_array().cloned().unwrap_or_default();
    Ok(events.into_iter().filter(|event| event["type"] == kind).collect())
}

fn said(child: Child) -> Result<Said, Box<dyn std::error::Error>> {
    Ok(Said::from(child.wait_with_output()?))
}

#[test]
fn a_wait_ends_when_its_time_has_passed() -> TestResult {
    let world = World::new()?;
    let result = world.json(&["wait", "50ms"])?;
    let keys: Vec<_> =
        result.as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
    let mut expected =
        ["due_at", "elapsed_seconds", "ended_at", "interrupted", "reason", "started_at", "wait_id"];
    expected.sort_unstable();
    let mut keys = keys;
    keys.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!((&result["reason"], &result["interrupted"]), (&"elapsed".into(), &false.into()));
    assert!(result["elapsed_seconds"].as_f64().is_some_and(|seconds| seconds >= 0.05), "{result}");
    assert!(result["ended_at"].as_str() >= result["due_at"].as_str(), "{result}");
    let said = world.rig(&["wait", "--seconds", "0.02"])?;
    assert_eq!(said.status, Some(0), "{said:?}");
    assert!(said.stdout.starts_with("waited 0.0"), "{said:?}");
    Ok(())
}

#[test]
fn a_past_instant_and_a_zero_duration_are_due_at_once() -> TestResult {
    let world = World::new()?;
    for args in [["wait", "--until", "1500000000"], ["wait", "--minutes", "-0"]] {
        let said = world.rig(&args)?;
        assert_eq!((said.status, said.stdout.as_str()), (Some(0), "waited 0 s\n"), "{args:?}");
    }
    Ok(())
}

#[test]
fn times_are_refused_under_their_own_codes() -> TestResult {
    let world = World::new()?;
    let cases: [(&[&str], &str, i32); 16] = [
        (&["wait"], "duration_missing", 2),
        (&["wait", ""], "duration_empty", 2),
        (&["wait", "90"], "duration_unit_missing", 2),
        (&["wait", "-5m"], "duration_negative", 2),
        (&["wait", "1M"], "duration_unit_calendar", 2),
        (&["wait", "1h", "--hours", "1"], "duration_conflict", 2),
        (&["wait", "--seconds", "-1"], "duration_field_invalid", 2),
        (&["wait", "--hours", "nan"], "duration_field_invalid", 2),
        (&["wait", "--seconds", "0.0001"], "duration_too_small", 2),
        (&["wait", "1h", "--until", "2026-08-01T18:30:00Z"], "time_conflict", 2),
        (&["wait", "--until", "2026-08-01T18:30:00"], "instant_no_offset", 2),
        (&["wait", "--until", "42"], "instant_out_of_window", 2),
        (&["wait", "--nope"], "bad_request", 2),
        (&["wait", "--days", "1", "--seconds", "0.001"], "wait_too_long", 6),
        (&["wait", "--until", "9999-12-31T00:00:00Z"], "wait_too_long", 6),
        (&["wait", "--key", "", "1h"], "bad_request", 2),
    ];
    for (args, code, status) in cases {
        let said = Said::from(world.command(args).arg("--json").output()?);
        assert_eq!(said.error()?, (code.to_owned(), Some(status)), "{args:?}: {said:?}");
    }
    let said = world.rig(&["wait", "--until", "3000000000"])?;
    assert!(said.stderr.contains("2065-01-24T05:20:00.000Z as seconds"), "{said:?}");
    Ok(())
}

#[test]
fn what_is_wrong_with_a_time_is_told_with_what_to_write_instead() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["wait", "1h 3M"])?;
    assert!(said.stderr.contains("at \"3M\", byte 3"), "{said:?}");
    assert!(said.stderr.contains("hint: `m` is a minute and `M` a month"), "{said:?}");
    Ok(())
}

#[test]
fn the_same_key_meets_the_same_wait_and_its_stored_result() -> TestResult {
    let world = World::new()?;
    let first = world.rig(&["--json", "wait", "--key", "nightly", "20ms"])?.success()?;
    // However often, and however it is spelled.
    assert_eq!(world.rig(&["--json", "wait", "--key", "nightly", "0.02s"])?.success()?, first);
    assert_eq!(of_kind(&world, "wait.started")?.len(), 1);
    assert_eq!(of_kind(&world, "wait.ended")?.len(), 1);
    let id = serde_json::from_str::<Value>(&first)?["wait_id"].as_str().unwrap_or("").to_owned();
    assert_eq!(world.rig(&["--json", "wait", "--id", &id])?.success()?, first);

    let said = world.rig(&["--json", "wait", "--key", "nightly", "30ms"])?;
    assert_eq!(said.error()?, ("key_conflict".to_owned(), Some(5)));
    assert!(said.stdout.contains("stored 20ms, given 30ms"), "{said:?}");
    Ok(())
}

#[test]
fn one_key_at_once_from_two_processes_is_one_wait() -> TestResult {
    let world = World::new()?;
    let spawn = || {
        let mut command = world.command(&["--json", "wait", "--key", "k", "200ms"]);
        command.stdout(Stdio::piped()).spawn()
    };
    let (one, other) = (spawn()?, spawn()?);
    assert_eq!(said(one)?.success()?, said(other)?.success()?);
    assert_eq!(of_kind(&world, "wait.started")?.len(), 1);
    Ok(())
}

#[test]
fn a_cancelled_wait_interrupts_whoever_waits() -> TestResult {
    let world = World::new()?;
    let (child, id) = started(&world, &["--json", "wait", "1h", "--key", "k"])?;
    let cancelled = world.json(&["wait", "--cancel", &id])?;
    assert_eq!(
        (&cancelled["wait_id"], &cancelled["cancelled"]),
        (&id.as_str().into(), &true.into())
    );
    let said = said(child)?;
    let result: Value = serde_json::from_str(&said.stdout)?;
    assert_eq!((said.status, &result["reason"]), (Some(10), &"cancelled".into()));
    assert_eq!(result["interrupted"], true);

    // Again it is what it was; one that elapsed is not.
    assert_eq!(world.json(&["wait", "--cancel", &id])?, cancelled);
    let over = world.json(&["wait", "0"])?["wait_id"].as_str().unwrap_or_default().to_owned();
    let refused = world.rig(&["--json", "wait", "--cancel", &over])?;
    assert_eq!(refused.error()?, ("wait_settled".to_owned(), Some(5)));
    assert!(refused.stdout.contains("ended as elapsed at 2"), "{refused:?}");
    let unknown = world.rig(&["--json", "wait", "--cancel", "wait_01m8nsvd62f67tndkxwnbwbx30"])?;
    assert_eq!(unknown.error()?, ("wait_not_found".to_owned(), Some(3)));
    Ok(())
}

#[test]
fn a_signal_cancels_a_wait_that_nobody_could_find_again() -> TestResult {
    let world = World::new()?;
    let (child, id) = started(&world, &["wait", "1h"])?;
    signal(&child, "-TERM")?;
    let said = said(child)?;
    assert_eq!((said.status, said.stdout.as_str()), (Some(143), ""), "{said:?}");
    let ended = of_kind(&world, "wait.ended")?;
    assert_eq!(ended.len(), 1);
    assert_eq!(
        (&ended[0]["about"][0], &ended[0]["data"]["reason"]),
        (&id.into(), &"cancelled".into())
    );
    Ok(())
}

#[test]
fn a_signal_leaves_a_wait_that_has_a_key() -> TestResult {
    let world = World::new()?;
    let (child, id) = started(&world, &["wait", "1h", "--key", "nightly"])?;
    signal(&child, "-INT")?;
    assert_eq!(said(child)?.status, Some(130));
    assert_eq!(of_kind(&world, "wait.ended")?.len(), 0);
    world.rig(&["wait", "--cancel", &id])?.success()?;
    assert_eq!(world.rig(&["wait", "1h", "--key", "nightly"])?.status, Some(10));
    Ok(())
}

/// signal-leader
#[test]
fn a_leading_wait_that_is_ended_leaves_those_of_its_followers() -> TestResult {
    let world = World::new()?;
    let (leader, led) = started(&world, &["wait", "1h"])?;
    let (one, first) = started(&world, &["wait", "1h", "--key", "one"])?;
    let (other, second) = started(&world, &["wait", "1h", "--key", "other"])?;
    signal(&leader, "-TERM")?;
    assert_eq!(said(leader)?.status, Some(143));
    let ended = of_kind(&world, "wait.ended")?;
    assert_eq!(
        ended.iter().map(|event| &event["about"][0]).collect::<Vec<_>>(),
        [&Value::from(led)]
    );
    for (child, id) in [(one, first), (other, second)] {
        world.rig(&["wait", "--cancel", &id])?.success()?;
        assert_eq!(said(child)?.status, Some(10));
    }
    Ok(())
}

/// restart-mid-wait
#[test]
fn a_wait_whose_process_is_killed_ends_with_the_next_rig() -> TestResult {
    let world = World::new()?;
    let (mut child, id) = started(&world, &["wait", "1500ms", "--key", "k"])?;
    child.kill()?;
    child.wait()?;
    // It is taken up where it was, and not from its beginning.
    let result = world.json(&["wait", "1500ms", "--key", "k"])?;
    assert_eq!((&result["wait_id"], &result["reason"]), (&id.into(), &"elapsed".into()));
    assert_eq!(of_kind(&world, "wait.ended")?.len(), 1);
    Ok(())
}

#[test]
fn the_person_has_no_mailbox_to_have_seen() -> TestResult {
    let world = World::new()?;
    let said = world.rig(&["--json", "wait", "1h", "--seen", "7"])?;
    assert_eq!(said.error()?, ("bad_request".to_owned(), Some(2)));
    assert!(said.stdout.contains("`seen`"), "{said:?}");
    assert_eq!(of_kind(&world, "wait.started")?.len(), 0);
    Ok(())
}

#[test]
fn a_wait_for_another_wait_takes_nothing_else() -> TestResult {
    let world = World::new()?;
    let id = "wait_01m8nsvd62f67tndkxwnbwbx30";
    let unknown = world.rig(&["--json", "wait", "--id", id])?;
    assert_eq!(unknown.error()?, ("wait_not_found".to_owned(), Some(3)));
    let wrong = world.rig(&["--json", "wait", "--id", "wait_x"])?;
    assert_eq!(wrong.error()?, ("bad_id".to_owned(), Some(2)));
    for more in [["--cancel", id], ["--key", "k"], ["--seconds", "1"]] {
        let mut command: Command = world.command(&["--json", "wait", "--id", id]);
        assert_eq!(Said::from(command.args(more).output()?).status, Some(2), "{more:?}");
    }
    Ok(())
}
