use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

fn program(folder: &Path, args: [&str; 2]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_durable_wait"));
    program.arg(folder.join("timers.redb")).args(args);
    program
}

fn said(folder: &Path, args: [&str; 2]) -> (Option<i32>, Vec<String>) {
    let output = program(folder, args).output().unwrap();
    let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code(), said.lines().map(str::to_owned).collect())
}

#[test]
fn a_wait_survives_the_programs_restart() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    let mut first = program(at, ["nightly", "1s"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(first.stdout.take().unwrap()).read_line(&mut line).unwrap();
    first.kill().unwrap();
    first.wait().unwrap();

    // It goes on with the first due time, and what was answered once is answered again.
    let (status, ended) = said(at, ["nightly", "1s"]);
    assert_eq!((status, ended[0].as_str()), (Some(0), line.trim_end()));
    assert!(ended[1].starts_with("waited 1"), "{ended:?}");
    assert_eq!(said(at, ["nightly", "1000 ms"]), (Some(0), ended));

    let (status, refused) = said(at, ["nightly", "2s"]);
    assert_eq!(status, Some(1));
    assert!(refused[0].ends_with("another `duration`: stored 1s, given 2s"), "{refused:?}");
}
