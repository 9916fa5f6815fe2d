use std::process::Stdio;

use crate::crowd::Running;
use crate::world::{RIG, TestResult, World};

/// Runs a script in which `$RIG_STATE_DIR` is a disk of so many mebibytes; nobody else sees it. None
/// where that may not be done.
fn on_a_small_disk(
    world: &World,
    size: u32,
    script: &str,
) -> Result<Option<String>, Box<dyn std::error::Error>> {
    std::fs::create_dir(world.path("state"))?;
    let script = format!(
        "mount -t tmpfs -o size={size}m,mode=0700 tmpfs \"$RIG_STATE_DIR\" || exit 77\nset -e\nrig={RIG}\n{script}"
    );
    let mut command = world.clean("unshare", &world.repository);
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let Ok(running) = Running::start(&mut command) else { return Ok(None) };
    let said = running.ends()?;
    // Without the right to make a name space, `unshare` ends with 1 and says nothing of ours.
    if said.status == Some(77) || said.stderr.starts_with("unshare:") {
        return Ok(None);
    }
    Ok(Some(said.success()?))
}

#[test]
fn full_disk() -> TestResult {
    let world = World::new()?;
    let script = "
        $rig project add > /dev/null
        mkdir ../one ../two
        cat /dev/zero > \"$RIG_STATE_DIR/fill\" 2> /dev/null || true
        $rig --json project add ../one || echo \"exit $?\"
        $rig --json project list
        $rig --json store check
        rm \"$RIG_STATE_DIR/fill\"
        $rig --json project add ../one
        $rig --json project list
        $rig --json store check
    ";
    let Some(said) = on_a_small_disk(&world, 32, script)? else {
        eprintln!("skipped: no file system may be mounted here");
        return Ok(());
    };
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].contains("\"disk_full\""), "{said}");
    assert_eq!(lines[1], "exit 1", "{said}");
    assert!(lines[2].contains("retries") && !lines[2].contains("one"), "{said}");
    assert_eq!(lines[3], "{\"findings\":[]}", "{said}");
    assert!(lines[4].contains("\"prj_"), "{said}");
    assert!(lines[5].contains("retries") && lines[5].contains("one"), "{said}");
    assert_eq!(lines[6], "{\"findings\":[]}", "{said}");
    Ok(())
}

#[test]
fn a_disk_that_was_full_from_the_start_is_told() -> TestResult {
    let world = World::new()?;
    let script = "
        cat /dev/zero > \"$RIG_STATE_DIR/fill\" 2> /dev/null || true
        $rig --json project add || echo \"exit $?\"
        rm \"$RIG_STATE_DIR/fill\"
        $rig --json project add
    ";
    let Some(said) = on_a_small_disk(&world, 32, script)? else {
        eprintln!("skipped: no file system may be mounted here");
        return Ok(());
    };
    let lines: Vec<_> = said.lines().collect();
    assert!(lines[0].contains("\"disk_full\""), "{said}");
    assert_eq!(lines[1], "exit 1", "{said}");
    assert!(lines[2].contains("\"prj_"), "{said}");
    Ok(())
}
