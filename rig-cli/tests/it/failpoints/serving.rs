use super::victim::{added, armed, leads, there_are};
use crate::crowd::{Running, leader, until};
use crate::world::{TestResult, World};

/// A leader serves others until it dies at the n-th pass of this point, in the middle of one of
/// their requests: each of them gets its answer, whoever gives it.
fn dies_while_it_serves(point: &str) -> TestResult {
    for pass in 3..=5 {
        let world = World::new()?;
        let point = format!("{point}:{pass}");
        let dying = leads(&world, &point, &["events", "--follow"])?;
        let dead = dying.id();
        let mut served = 0;
        // Every request passes the point at least once.
        for number in 0..6 {
            added(&world, number)?;
            if leader(&world) == Some(dead) {
                served += 1;
            }
        }
        assert_eq!(dying.ends()?.status, None, "{point}");
        assert!(served > 0, "{point}: it died before it served anybody");
        there_are(&world, &[0, 1, 2, 3, 4, 5])?;
    }
    Ok(())
}

#[test]
fn batch_queued() -> TestResult {
    dies_while_it_serves("batch.queued")
}

#[test]
fn batch_before_commit() -> TestResult {
    dies_while_it_serves("batch.before_commit")
}

#[test]
fn batch_after_commit() -> TestResult {
    dies_while_it_serves("batch.after_commit")
}

#[test]
fn reply_before() -> TestResult {
    dies_while_it_serves("reply.before")
}

#[test]
fn reply_after() -> TestResult {
    dies_while_it_serves("reply.after")
}

#[test]
fn a_leader_that_dies_between_commit_and_answer_to_many_repeats_nothing() -> TestResult {
    let world = World::new()?;
    let dying = leads(&world, "reply.before:9", &["events", "--follow"])?;
    let mut children = Vec::new();
    for number in 0..12 {
        let mut command = armed(&world, "", &[]);
        command.args(super::victim::add(&world, number)?);
        children.push(Running::start(&mut command)?);
    }
    for child in children {
        child.ends()?.success()?;
    }
    assert_eq!(dying.ends()?.status, None);
    there_are(&world, &(0..12).collect::<Vec<_>>())
}

#[test]
fn a_follower_of_events_goes_on_at_the_next_leader_with_the_next_event() -> TestResult {
    let world = World::new()?;
    let dying = leads(&world, "batch.after_commit:4", &["events", "--follow"])?;
    let told = world.path("told");
    let mut follow = armed(&world, "", &["--json", "events", "--follow"]);
    follow.stdout(std::fs::File::create(&told)?);
    let follow = Running::start(&mut follow)?;
    for number in 0..6 {
        added(&world, number)?;
    }
    assert_eq!(dying.ends()?.status, None);
    let lines = || std::fs::read_to_string(&told).unwrap_or_default();
    until("all is told", || lines().lines().count() >= 6);
    added(&world, 6)?;
    until("the last one is told", || lines().lines().count() >= 7);
    drop(follow);
    let listed = world.json(&["events"])?["events"].take();
    let told: Vec<serde_json::Value> =
        lines().lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert_eq!(serde_json::Value::from(told), listed);
    Ok(())
}
