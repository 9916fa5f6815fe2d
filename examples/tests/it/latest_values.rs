use std::fs;
use std::io::{BufRead as _, BufReader, Lines, Read as _};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The program, which is killed if a test fails.
struct Running(Child, Lines<BufReader<ChildStdout>>);

impl Running {
    fn start(folder: &Path, every: &str, sources: &[&str]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_latest_values"));
        program.args(["--every", every, "values.sock"]).args(sources);
        let mut child = program.current_dir(folder).stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self(child, lines)
    }

    /// Waits until the program has said this once more.
    fn until(&mut self, said: &str) {
        let heard = self.1.by_ref().map(Result::unwrap).any(|line| line == said);
        assert!(heard, "it ended before it said {said:?}");
    }

    fn end(mut self) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").arg(pid).status().unwrap().success());
        assert!(self.0.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn values(folder: &Path) -> Vec<Value> {
    let mut lines = String::new();
    UnixStream::connect(folder.join("values.sock")).unwrap().read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_source_is_captured_again_and_again_and_its_latest_value_is_told_with_its_time() {
    let folder = TempDir::new().unwrap();
    let at = folder.path();
    fs::write(at.join("level"), "1\n").unwrap();
    fs::write(at.join("gone"), "here").unwrap();
    // A source that waits, here for somebody to write, holds up nobody.
    let fifo = Command::new("mkfifo").arg(at.join("stuck")).status().unwrap();
    assert!(fifo.success());
    let sources = ["level=cat level", "gone=cat gone 2>&-", "stuck=cat stuck"];
    let mut running = Running::start(at, "20ms", &sources);
    running.until("gone captured");
    running.until("level captured");
    let first = values(at).remove(1);
    assert_eq!((&first["name"], &first["value"]), (&"level".into(), &"1".into()));
    fs::write(at.join("level"), "2\n").unwrap();
    fs::remove_file(at.join("gone")).unwrap();
    let told = loop {
        running.until("level captured");
        let told = values(at);
        if told[0]["error"].is_string() && told[1]["value"] == "2" {
            break told;
        }
    };
    assert_eq!(told.len(), 3);
    assert_eq!((&told[0]["name"], &told[0]["value"]), (&"gone".into(), &"here".into()));
    assert_eq!(told[0]["error"], "`cat gone 2>&-` ended with exit status: 1");
    assert_eq!((&told[1]["value"], &told[1]["error"]), (&"2".into(), &Value::Null));
    assert!(told[1]["capturedAt"].as_str() > first["capturedAt"].as_str());
    assert_eq!((&told[2]["name"], &told[2]["value"]), (&"stuck".into(), &Value::Null));
    fs::write(at.join("stuck"), "at last").unwrap();
    running.until("stuck captured");
}

#[test]
fn a_signal_ends_it_once_the_commands_are_done_and_takes_the_socket_away() {
    let folder = TempDir::new().unwrap();
    let mut running = Running::start(folder.path(), "15m", &["date=date"]);
    running.until("date captured");
    running.end();
    assert!(!folder.path().join("values.sock").exists());
}
