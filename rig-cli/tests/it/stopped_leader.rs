use std::fs::File;
use std::process::Stdio;

use rustix::process::Signal;

use crate::crowd::{Running, leader, until};
use crate::world::{TestResult, World};

/// Somebody who leads for as long as it lives.
fn leads(world: &World) -> Result<Running, Box<dyn std::error::Error>> {
    let leads = world.start(&["events", "--follow"])?;
    until("it leads", || leader(world) == Some(leads.id()));
    // It answers, too.
    world.rig(&["project", "list"])?.success()?;
    Ok(leads)
}

#[test]
fn stopped_leader() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    leads.signal(Signal::STOP)?;
    let notes: Vec<_> = (0..3).map(|number| world.path(format!("note-{number}"))).collect();
    let mut waiting = Vec::new();
    for note in &notes {
        let mut command = world.command(&["project", "add"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(note)?);
        waiting.push(Running::start(&mut command)?);
    }
    // Each says for whom it waits, and goes on waiting.
    let whom = format!("(process {})", leads.id());
    for note in &notes {
        let said = || std::fs::read_to_string(note).unwrap_or_default();
        until("it says for whom it waits", || said().contains(&whom));
    }
    assert_eq!(leader(&world), Some(leads.id()), "nobody takes its place");
    assert!(waiting.iter().all(|waits| !waits.is_over()));
    leads.signal(Signal::CONT)?;
    for waits in waiting {
        waits.ends()?.success()?;
    }
    assert_eq!(leader(&world), Some(leads.id()), "it goes on");
    assert!(!leads.is_over());
    let events = world.json(&["events"])?["events"].take();
    assert_eq!(events.as_array().map(Vec::len), Some(1), "{events}");
    Ok(())
}

#[test]
fn who_waits_for_a_stopped_leader_takes_over_when_it_is_killed() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    leads.signal(Signal::STOP)?;
    let note = world.path("note");
    let mut command = world.command(&["project", "add"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&note)?);
    let waits = Running::start(&mut command)?;
    let said = || std::fs::read_to_string(&note).unwrap_or_default();
    until("it says for whom it waits", || said().contains("waiting for the rig that leads"));
    let after = Running::start(&mut command)?;
    leads.signal(Signal::KILL)?;
    assert_eq!(leads.ends()?.status, None);
    let first = waits.ends()?.success()?;
    assert_eq!(after.ends()?.success()?, first);
    assert_eq!(world.json(&["store", "check"])?["findings"], serde_json::json!([]));
    Ok(())
}

#[test]
fn a_backlog_that_is_full_makes_clients_wait() -> TestResult {
    let world = World::new()?;
    let leads = leads(&world)?;
    leads.signal(Signal::STOP)?;
    // As many as the backlog holds.
    let mut open = Vec::new();
    let socket = world.socket()?;
    while let Ok(stream) = connect(&socket) {
        open.push(stream);
        assert!(open.len() < 1_000, "the backlog has no end");
    }
    let note = world.path("note");
    let mut command = world.command(&["project", "add"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(File::create(&note)?);
    let waits = Running::start(&mut command)?;
    let said = || std::fs::read_to_string(&note).unwrap_or_default();
    until("it says for whom it waits", || said().contains("waiting for the rig that leads"));
    assert!(!waits.is_over());
    leads.signal(Signal::CONT)?;
    drop(open);
    let ended = waits.ends()?;
    assert_eq!(ended.status, Some(0), "{}", said());
    assert_eq!(leader(&world), Some(leads.id()));
    Ok(())
}

/// Connects without waiting for room in the backlog.
fn connect(path: &std::path::Path) -> Result<rustix::fd::OwnedFd, Box<dyn std::error::Error>> {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect, socket};
    let socket = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket)
}
