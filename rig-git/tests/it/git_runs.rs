//! How the git program is run: what it sees, how long it may take, what is ended with it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::time::Duration;

use rig_core::cancel::Cancel;
use rig_git::Error;
use rig_git::git::{Git, Version, sanitized};

use crate::processes::{runs, terminate};
use crate::world::{TestResult, World};

/// What a script begins with, so that the version of git can be asked for.
const VERSION: &str = "[ \"$1\" = --version ] && echo git version 2.99.1 && exit";

/// A git that is this script.
fn fake(world: &World, script: &str) -> Git {
    let folder = world.program("git", &format!("{VERSION}\n{script}"));
    world.machine_with(&[("PATH", &world.path_with(&folder))]).git
}

fn pid_in(file: &Path) -> String {
    fs::read_to_string(file).unwrap().trim().to_owned()
}

#[test]
fn inside_a_git_hook_neither_git_dir_nor_index_file_is_seen() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let other = world.repository("other");
    let (git_dir, index) = (other.join(".git"), other.join("index"));
    let machine = world.machine_with(&[
        ("GIT_DIR", git_dir.as_os_str()),
        ("GIT_WORK_TREE", other.as_os_str()),
        ("GIT_INDEX_FILE", index.as_os_str()),
    ]);
    let show = machine.git.read(&path).args(["rev-parse", "--show-toplevel"]);
    let shown = show.succeed(&Cancel::new())?.stdout;
    assert_eq!(shown.trim_ascii_end(), path.as_os_str().as_bytes());
    world.write("project/new", "");
    machine.git.write(&path).args(["add", "--", "new"]).succeed(&Cancel::new())?;
    assert!(!index.exists());
    assert_eq!(world.git(&["ls-files"], &path), "README.md\nnew");
    Ok(())
}

#[test]
fn git_sees_what_it_may_and_nothing_else() -> TestResult {
    let world = World::new();
    let folder = world.program("git", &format!("{VERSION}\nenv | sort; echo \"$@\""));
    let mut environment: Vec<(OsString, OsString)> = [
        ("HOME", "/home/tester"),
        ("LC_ALL", "de_DE.UTF-8"),
        ("GIT_ASKPASS", "/bin/ask"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_GLOBAL", "/home/tester/.other"),
        ("GIT_CONFIG_PARAMETERS", "'core.bare=true'"),
        ("GIT_EDITOR", "vi"),
        ("GIT_OBJECT_DIRECTORY", "/x"),
        ("GIT_SSH_COMMAND", "ssh -v"),
        ("GIT_SSL_CAINFO", "/ca"),
        ("RIG_AGENT_ID", "agt_x"),
        ("RIG_AGENT_TOKEN", "tok_x"),
        ("RIG_STATE_DIR", "/state"),
        ("SSH_AUTH_SOCK", "/agent"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let path = world.path_with(&folder);
    environment.push(("PATH".into(), path));
    let git = Git::find(environment.clone())?;
    let told = |answer: Vec<u8>| {
        let text = String::from_utf8(answer).unwrap();
        let ours = |line: &&str| {
            !["PATH=", "PWD=", "OLDPWD=", "SHLVL=", "_="].iter().any(|name| line.starts_with(name))
        };
        text.lines().filter(ours).map(str::to_owned).collect::<Vec<_>>()
    };
    let always = [
        "GIT_ASKPASS=",
        "GIT_CONFIG_GLOBAL=/home/tester/.other",
        "GIT_EDITOR=true",
        "GIT_SSH_COMMAND=ssh -v",
        "GIT_SSL_CAINFO=/ca",
        "GIT_TERMINAL_PROMPT=0",
        "HOME=/home/tester",
        "LC_ALL=C",
        "RIG_STATE_DIR=/state",
        "SSH_ASKPASS_REQUIRE=never",
        "SSH_AUTH_SOCK=/agent",
    ];
    let wrote = git.write(world.root()).args(["fetch", "x"]).succeed(&Cancel::new())?.stdout;
    assert_eq!(told(wrote), [&always[..], &["fetch x"]].concat());
    let read =
        git.read(world.root()).arg("log").env("GIT_INDEX_FILE", "/i").succeed(&Cancel::new())?;
    let mut expected = [
        &always[..],
        &[
            "GIT_ALLOW_PROTOCOL=none",
            "GIT_INDEX_FILE=/i",
            "GIT_NO_LAZY_FETCH=1",
            "GIT_OPTIONAL_LOCKS=0",
        ],
    ]
    .concat();
    expected.sort_unstable();
    expected.push("-c core.fsmonitor=false -c core.hooksPath=/dev/null log");
    assert_eq!(told(read.stdout), expected);

    let kept: Vec<_> = sanitized(&environment).into_iter().map(|(name, _)| name).collect();
    let expected = [
        "HOME",
        "LC_ALL",
        "GIT_CONFIG_GLOBAL",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "RIG_STATE_DIR",
        "SSH_AUTH_SOCK",
        "PATH",
    ];
    assert_eq!(kept, expected);
    Ok(())
}

#[test]
fn the_first_absolute_program_in_path_is_found() {
    let world = World::new();
    let folder = world.program("git", VERSION);
    let plain = world.write("plain/git", "not a program");
    let path = |folders: &[&Path]| {
        let path = std::env::join_paths(folders).unwrap();
        Git::find(vec![("PATH".into(), path)])
    };
    let found = path(&[Path::new("bin"), Path::new(""), plain.parent().unwrap(), &folder]);
    assert_eq!(found.unwrap().program(), folder.join("git"));
    assert!(matches!(path(&[plain.parent().unwrap()]), Err(Error::GitNotFound)));
    assert!(matches!(Git::find(Vec::new()), Err(Error::GitNotFound)));
}

#[test]
fn a_git_that_is_too_old_is_refused_before_its_first_command() -> TestResult {
    let world = World::new();
    let old = |version: &str| {
        let script = format!("echo {version}; [ \"$1\" = --version ] || touch ran");
        let folder = world.program("git", &script);
        world.machine_with(&[("PATH", &world.path_with(&folder))]).git
    };
    let git = old("git version 2.29.3");
    let error = git.write(world.root()).arg("fetch").run(&Cancel::new()).unwrap_err();
    assert_eq!(error.code(), "git_too_old");
    let program = git.program().display().to_string();
    assert_eq!(error.to_string(), format!("{program} is git 2.29, and 2.30 or newer is needed"));
    assert!(!world.root().join("ran").exists());
    assert_eq!(old("not git").version().unwrap_err().code(), "git_too_old");
    assert_eq!(old("git version 2.30.0").version()?, Version { major: 2, minor: 30 });
    Ok(())
}

#[test]
fn a_failure_carries_what_was_done_its_status_and_the_last_lines() {
    let world = World::new();
    let git = fake(&world, "seq 1 20 >&2; echo out; exit 3");
    let call = git.write(world.root()).args(["-c", "a.b=c", "worktree", "add", "--", "x"]);
    let error = call.succeed(&Cancel::new()).unwrap_err();
    assert_eq!(error.code(), "git_failed");
    assert_eq!(error.to_string(), "git worktree add failed (status 3): 16\n17\n18\n19\n20");
    let answer = git.read(world.root()).arg("x").run(&Cancel::new()).unwrap();
    assert_eq!((answer.status, &answer.stdout[..]), (Some(3), &b"out\n"[..]));
}

#[test]
fn a_missing_folder_is_not_taken_for_a_missing_git() {
    let world = World::new();
    let gone = world.root().join("gone");
    let error = world.machine().git.read(&gone).arg("status").run(&Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), format!("cannot run git in {}", gone.display()));
}

#[test]
fn the_last_mebibyte_of_output_is_kept_or_all_of_it_handed_on() -> TestResult {
    let world = World::new();
    let git = fake(&world, "head -c 3000000 /dev/zero; echo end; head -c 2000000 /dev/zero >&2");
    let answer = git.read(world.root()).arg("x").succeed(&Cancel::new())?;
    assert_eq!((answer.stdout.len(), answer.stderr.len()), (1 << 20, 1 << 20));
    assert!(answer.stdout.ends_with(b"\0end\n"));
    let (mut out, mut shown) = (0, 0);
    let (mut count, mut show) =
        (|bytes: &[u8]| out += bytes.len(), |bytes: &[u8]| shown += bytes.len());
    let call = git.read(world.root()).arg("x").output_to(&mut count).progress(&mut show);
    assert!(call.succeed(&Cancel::new())?.stdout.is_empty());
    assert_eq!((out, shown), (3_000_004, 2_000_000));
    Ok(())
}

#[test]
fn standard_input_is_empty_and_there_is_no_terminal() -> TestResult {
    let world = World::new();
    let git = fake(&world, "wc -c; (: < /dev/tty) 2> /dev/null || echo no terminal");
    let answer = git.write(world.root()).arg("x").succeed(&Cancel::new())?;
    assert_eq!(String::from_utf8(answer.stdout)?.trim(), "0\nno terminal");
    Ok(())
}

#[test]
fn a_command_ends_with_its_own_process_and_leaves_children_alone() -> TestResult {
    let world = World::new();
    let git = fake(&world, "sleep 60 & echo $!; echo done");
    let answer = git.write(world.root()).arg("x").succeed(&Cancel::new())?;
    let text = String::from_utf8(answer.stdout)?;
    let (child, rest) = text.split_once('\n').unwrap();
    assert_eq!(rest, "done\n");
    assert!(runs(child));
    terminate(child);
    Ok(())
}

#[test]
fn a_time_out_ends_the_whole_group() {
    let world = World::new();
    // The child does not react to TERM by itself; git tidies up.
    let script =
        "trap 'echo tidy > tidied; exit 1' TERM; sleep 60 & echo $! > child; echo slow >&2; wait";
    let git = fake(&world, script);
    let limit = Duration::from_millis(300);
    let error = git.write(world.root()).arg("gc").limit(limit).run(&Cancel::new()).unwrap_err();
    assert_eq!(error.code(), "git_timed_out");
    assert_eq!(error.to_string(), "git gc took longer than 300ms: slow");
    assert!(world.root().join("tidied").exists());
    assert!(!runs(&pid_in(&world.root().join("child"))));
}

#[test]
fn a_killed_git_takes_its_children_with_it() -> TestResult {
    let world = World::new();
    // As `kill -9` by hand, or for want of memory: the child would go on writing.
    let git = fake(&world, "sleep 60 & echo $! > child; kill -9 $$");
    let answer = git.write(world.root()).arg("worktree").run(&Cancel::new())?;
    assert_eq!(answer.status, None);
    assert_eq!(answer.failure("x").to_string(), "git x failed (ended by a signal): ");
    assert!(!runs(&pid_in(&world.root().join("child"))));
    Ok(())
}

#[test]
fn a_cancelled_command_is_ended_with_its_group() {
    let world = World::new();
    let git = fake(&world, "sleep 60 & echo $! > child; echo started; wait");
    let cancel = Cancel::new();
    let flag = cancel.clone();
    let mut on_start = |_: &[u8]| flag.cancel();
    let call = git.write(world.root()).arg("x").output_to(&mut on_start);
    assert!(matches!(call.run(&cancel), Err(Error::Cancelled)));
    assert!(!runs(&pid_in(&world.root().join("child"))));
    assert!(matches!(git.read(world.root()).arg("x").run(&cancel), Err(Error::Cancelled)));
}

#[test]
fn reading_neither_writes_the_index_nor_runs_hooks() -> TestResult {
    let world = World::new();
    let path = world.repository("project");
    let hook = world.program("hook", "touch ../hooked");
    world
        .git(&[OsStr::new("config"), "core.fsmonitor".as_ref(), hook.join("hook").as_ref()], &path);
    let index = fs::metadata(path.join(".git/index"))?.modified()?;
    // Another time, the same content: a status would like to note that.
    let file = fs::File::options().append(true).open(path.join("README.md"))?;
    file.set_modified(index + Duration::from_mins(1))?;
    let status =
        world.machine().git.read(&path).args(["status", "--porcelain"]).succeed(&Cancel::new())?;
    assert!(status.stdout.is_empty());
    assert_eq!(fs::metadata(path.join(".git/index"))?.modified()?, index);
    assert!(!world.root().join("hooked").exists());
    Ok(())
}
