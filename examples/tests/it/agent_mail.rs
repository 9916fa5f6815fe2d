use std::process::Command;

use tempfile::TempDir;

fn said(folder: &TempDir) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_agent_mail"));
    let output = program.arg(folder.path().join("mail.redb")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn two_agents_write_to_each_other_and_what_is_done_stays_done() {
    let folder = TempDir::new().unwrap();
    let first = said(&folder);
    assert_eq!(first[..2], ["the reviewer knows Worker", "message 1 sent"]);
    assert!(first[2].starts_with("[rig message ") && first[2].contains("titled \"Reviewer\""));
    assert_eq!(first[3], "The retries look right. Please add a test for the time-out.");
    assert!(first[4].starts_with("[end of rig message "));
    assert_eq!(first[5..], ["0 to do"]);
    let again = said(&folder);
    assert_eq!(again, ["the reviewer knows Worker", "message 1 was sent before", "0 to do"]);
}
