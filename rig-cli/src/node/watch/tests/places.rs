use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::super::places::Places;

fn root() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap().join("app");
    fs::create_dir(&root).unwrap();
    (folder, root)
}

fn places(root: &Path, listed: &[&str]) -> Places {
    let listed: Vec<PathBuf> = listed.iter().map(PathBuf::from).collect();
    Places::of(root, &listed, &[])
}

fn folders(places: &Places, root: &Path) -> Vec<PathBuf> {
    let holder = root.parent().unwrap();
    places.folders().map(|folder| folder.strip_prefix(holder).unwrap().to_owned()).collect()
}

#[test]
fn of_the_folders_on_the_way_to_a_file_only_the_way_counts() {
    let (_folder, root) = root();
    fs::create_dir_all(root.join("config/local")).unwrap();
    let places = places(&root, &["config/local/.env"]);
    assert_eq!(
        folders(&places, &root),
        ["", "app", "app/config", "app/config/local"].map(PathBuf::from)
    );
    for counts in ["rig.toml", "config", "config/local", "config/local/.env", ""] {
        assert!(places.concern(&root.join(counts)), "{counts}");
    }
    for other in ["README.md", "config/other", "config/local/.env.swp", "../other"] {
        assert!(!places.concern(&root.join(other)), "{other}");
    }
}

#[test]
fn with_nothing_listed_the_configuration_counts() {
    let (_folder, root) = root();
    let places = places(&root, &[]);
    assert!(places.concern(&root.join("rig.toml")) && !places.concern(&root.join(".env")));
}

#[test]
fn below_a_folder_everything_counts_but_what_is_gits_own() {
    let (_folder, root) = root();
    for folder in ["data/a/b", "data/.git/objects"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    let places = places(&root, &["data", ".git/hooks"]);
    assert!(!places.concern(&root.join(".git/hooks/new")));
    assert!(places.concern(&root.join("data/a/b/new")) && places.concern(&root.join("data/a")));
    assert!(!places.concern(&root.join("data/.git/objects/new")));
}

#[test]
fn what_a_link_leads_to_counts_and_so_does_each_link_on_the_way() {
    let (folder, root) = root();
    let outside = folder.path().canonicalize().unwrap().join("outside");
    fs::create_dir_all(outside.join("data/deep")).unwrap();
    fs::write(outside.join("env"), "").unwrap();
    symlink("../outside/hop", root.join(".env")).unwrap();
    symlink("env", outside.join("hop")).unwrap();
    symlink(outside.join("data"), root.join("data")).unwrap();
    // A folder that holds itself, and links that lead nowhere.
    symlink(&outside, outside.join("data/deep/again")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    symlink("gone/away", root.join("gone")).unwrap();
    let places = places(&root, &[".env", "data", "loop", "gone", "..env"]);
    for counts in ["hop", "env", "data/deep/new"] {
        assert!(places.concern(&outside.join(counts)), "{counts}");
    }
    assert!(places.concern(&root.join(".env")) && places.concern(&root.join("gone")));
}

#[test]
fn where_something_is_missing_it_counts_whether_it_comes_back() {
    let (folder, root) = root();
    fs::write(root.join("file"), "").unwrap();
    let listed = places(&root, &["config/local/.env", "file/below"]);
    assert!(listed.concern(&root.join("config")) && listed.concern(&root.join("file")));
    fs::remove_dir_all(&root).unwrap();
    assert!(places(&root, &[".env"]).concern(&root));
    let holder = folder.path().canonicalize().unwrap();
    assert!(places(&holder.join("a/b/app"), &[".env"]).concern(&holder.join("a")));
}

#[test]
fn the_stamp_tells_a_change_of_what_counts_and_of_nothing_else() {
    let (_folder, root) = root();
    fs::create_dir_all(root.join("data/below")).unwrap();
    fs::write(root.join("data/below/file"), "1").unwrap();
    let stamp = || places(&root, &[".env", "data"]).stamp();
    let mut before = stamp();
    fs::write(root.join("README.md"), "").unwrap();
    fs::read(root.join("data/below/file")).unwrap();
    assert_eq!(stamp(), before);
    let changes: [&dyn Fn(); 5] = [
        &|| fs::write(root.join(".env"), "").unwrap(),
        &|| fs::write(root.join("data/below/file"), "longer").unwrap(),
        &|| fs::create_dir(root.join("data/new")).unwrap(),
        &|| symlink("file", root.join("data/below/link")).unwrap(),
        &|| fs::write(root.join("rig.toml"), "").unwrap(),
    ];
    for (number, change) in changes.iter().enumerate() {
        change();
        let after = stamp();
        assert_ne!(after, before, "change {number}");
        before = after;
    }
}

#[test]
fn a_workspace_inside_a_synced_folder_is_no_place_to_watch() {
    let (_folder, root) = root();
    let workspace = root.join("data/workspaces/one");
    fs::create_dir_all(workspace.join("below")).unwrap();
    let places = Places::of(&root, &[PathBuf::from("data")], std::slice::from_ref(&workspace));
    assert!(places.concern(&root.join("data/workspaces/one")));
    assert!(
        !places.concern(&workspace.join("below/file")) && !places.concern(&workspace.join("new"))
    );
}
