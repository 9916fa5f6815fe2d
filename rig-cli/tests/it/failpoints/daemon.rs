use super::victim::{added, armed, project, there_are};
use crate::crowd::Running;
use crate::world::{TestResult, World};

/// A daemon that dies at this point before it is of use leaves nothing behind, and says so.
fn dies_while_it_starts(point: &str) -> TestResult {
    let world = World::new()?;
    let said = Running::start(&mut armed(&world, point, &["--json", "daemon", "start"]))?.ends()?;
    assert_eq!(said.error()?, ("daemon_not_ready".to_owned(), Some(1)), "{said:?}");
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(3));
    added(&world, 0)?;
    world.start(&["daemon", "start"])?.ends()?.success()?;
    added(&world, 1)?;
    assert_eq!(world.rig(&["daemon", "status"])?.status, Some(0));
    world.start(&["daemon", "stop"])?.ends()?.success()?;
    there_are(&world, &[0, 1])
}

#[test]
fn daemon_detached() -> TestResult {
    dies_while_it_starts("daemon.detached")
}

#[test]
fn daemon_before_ready() -> TestResult {
    dies_while_it_starts("daemon.before_ready")
}

#[test]
fn a_daemon_that_dies_at_work_is_followed_by_whoever_comes() -> TestResult {
    for point in ["batch.before_commit:4", "batch.after_commit:4", "reply.before:8"] {
        let world = World::new()?;
        let mut start = armed(&world, point, &["daemon", "start"]);
        Running::start(&mut start)?.ends()?.success()?;
        for number in 0..8 {
            added(&world, number)?;
        }
        assert_eq!(world.rig(&["daemon", "status"])?.status, Some(3), "{point}: it is dead");
        there_are(&world, &(0..8).collect::<Vec<_>>())?;
        let first = project(0);
        assert_eq!(world.json(&["project", "show", &first])?["id"], *first);
    }
    Ok(())
}
