use std::path::{Path, PathBuf};

use rig_core::agent::{Mount, NewAgent, Sharing, View};
use rig_core::caller::Caller;

use crate::team::{Team, new};

const HOMES: &str = "/state/homes";

fn mount(disk: &str, inside: &str, outside: &str) -> Mount {
    Mount { disk: disk.to_owned(), inside: inside.into(), outside: outside.into() }
}

fn translated(mounts: &[Mount], disk: &str, folder: &str) -> Option<PathBuf> {
    View { disk: "machine", mounts, homes: Path::new(HOMES) }.translated(disk, Path::new(folder))
}

#[test]
fn one_disk_is_shared() {
    assert_eq!(translated(&[], "machine", "/src/x"), Some("/src/x".into()));
    assert_eq!(translated(&[], "box", "/src/x"), None);
}

#[test]
fn a_mount_translates_whole_components() {
    let mounts = [mount("box", "/src", "/home/me/w")];
    assert_eq!(translated(&mounts, "box", "/src/x"), Some("/home/me/w/x".into()));
    assert_eq!(translated(&mounts, "box", "/src"), Some("/home/me/w".into()));
    assert_eq!(translated(&mounts, "box", "/srcs"), None);
    assert_eq!(translated(&mounts, "box", "/src/../etc"), None);
    assert_eq!(translated(&mounts, "other", "/src/x"), None);
    let whole = translated(&mounts, "box", "/src").unwrap();
    assert_eq!(whole.to_str(), Some("/home/me/w"));
}

#[test]
fn the_longest_mount_counts() {
    let mounts =
        [mount("box", "/", "/mnt/box"), mount("box", "/src/a", "/a"), mount("box", "/src", "/s")];
    assert_eq!(translated(&mounts, "box", "/src/a/b"), Some("/a/b".into()));
    assert_eq!(translated(&mounts, "box", "/src/ab"), Some("/s/ab".into()));
    assert_eq!(translated(&mounts, "box", "/etc"), Some("/mnt/box/etc".into()));
}

#[test]
fn the_folder_of_an_agent_is_where_it_was_registered_or_its_home() {
    let team = Team::new();
    let at_home = team.register(Caller::Person, &new("")).unwrap().agent;
    let placed = NewAgent { cwd: Some("/src/x".into()), disk: "box".to_owned(), ..new("") };
    let placed = team.register(Caller::Person, &placed).unwrap().agent;
    let mounts = [mount("box", "/src", "/w")];
    let view = View { disk: "machine", mounts: &mounts, homes: Path::new(HOMES) };
    let home = Path::new(HOMES).join(at_home.home.to_string());
    assert_eq!(view.folder_of(&at_home), Some(home));
    assert_eq!(view.folder_of(&placed), Some("/w/x".into()));
    assert!(!at_home.home.to_string().contains(&at_home.id.to_string()[4..]));
}

#[test]
fn a_notice_says_what_is_not_shared() {
    let shared = Sharing::of(Some("/w".into()), |_| true);
    assert_eq!(shared, Sharing::Shared("/w".into()));
    let gone = Sharing::of(Some("/w".into()), |_| false);
    assert_eq!(gone.to_string(), "the disk is shared, but the agent's folder /w is gone");
    let other = Sharing::of(None, |_| true);
    assert_eq!(
        other.to_string(),
        "the agent is on a disk that is not shared: send it content, not paths"
    );
}
