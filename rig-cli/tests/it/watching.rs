use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use notify_debouncer_mini::notify::{RecursiveMode, Watcher as _, recommended_watcher};
use rig_cli::Node;

use crate::world::{TestResult, World};

/// Waits until a file has this content.
fn until(file: &Path, content: &str) -> TestResult {
    let folder = file.parent().ok_or("it has no folder")?;
    let (saw, seen) = channel();
    let mut watcher = recommended_watcher(move |_| {
        let _ = saw.send(());
    })?;
    watcher.watch(folder, RecursiveMode::NonRecursive)?;
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::fs::read_to_string(file).ok().as_deref() != Some(content) {
        let left = deadline.saturating_duration_since(Instant::now());
        seen.recv_timeout(left).map_err(|_| format!("{} is not {content:?}", file.display()))?;
    }
    Ok(())
}

#[test]
fn a_node_that_stays_brings_changes_to_ready_workspaces_and_a_command_does_not() -> TestResult {
    let world = World::new()?;
    world.configure("workspace.sync = ['.env']\n")?;
    std::fs::write(world.repository.join(".gitignore"), ".env\n")?;
    world.commit("ignore")?;
    let (source, one) = (world.repository.join(".env"), world.workspace("one").join(".env"));
    std::fs::write(&source, "at first\n")?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    until(&one, "at first\n")?;

    std::fs::write(&source, "while nobody stays\n")?;
    world.rig(&["workspace", "list"])?.success()?;
    assert_eq!(std::fs::read_to_string(&one)?, "at first\n");

    let node = Node::open(world.environment())?;
    until(&one, "while nobody stays\n")?;
    std::fs::write(&source, "while a host stays\n")?;
    until(&one, "while a host stays\n")?;

    // A workspace that becomes ready meanwhile, made by another process.
    world.rig(&["workspace", "create", "Two"])?.success()?;
    let two = world.workspace("two").join(".env");
    until(&two, "while a host stays\n")?;
    std::fs::write(&source, "for both\n")?;
    until(&one, "for both\n")?;
    until(&two, "for both\n")?;
    node.close()?;
    Ok(())
}
