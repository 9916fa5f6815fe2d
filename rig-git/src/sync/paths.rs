use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use rig_core::config::Config;

use crate::error::{Error, Result};

/// Characters of the longest sync path.
const MAX_PATH: usize = 512;

/// Links followed in one path before it counts as a loop.
pub(super) const MAX_LINKS: usize = 40;

/// The configured paths in order, each once, as plain components.
///
/// # Errors
///
/// `SyncPathInvalid`.
pub fn listed(config: &Config) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for text in config.workspace.sync.iter().chain(&config.workspace.protected_sync) {
        let path = checked(text)?;
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// Whatever is wrong with the configured paths.
#[must_use]
pub fn faults(config: &Config) -> Vec<Error> {
    let paths = config.workspace.sync.iter().chain(&config.workspace.protected_sync);
    paths.filter_map(|text| checked(text).err()).collect()
}

/// The path as plain components, if it stays inside the project.
fn checked(text: &str) -> Result<PathBuf> {
    let refuse = |rule| Err(Error::SyncPathInvalid { path: text.to_owned(), rule });
    if text.chars().count() > MAX_PATH {
        return refuse("it may have 512 characters");
    }
    if text.starts_with(['/', '~']) {
        return refuse("it may not begin with / or ~");
    }
    if text.contains('\\') {
        return refuse("it may not have a backslash");
    }
    if text.contains(['\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\0']) {
        return refuse("it may not have a line break or a NUL");
    }
    if text.split('/').any(|part| part == "..") {
        return refuse("it may not have ..");
    }
    let path = plain(Path::new(text));
    if path.as_os_str().is_empty() { refuse("it must name something in it") } else { Ok(path) }
}

/// The named components of a path, without `.` and repeated slashes.
pub(super) fn plain(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// Whether git, on any file system, may take the name for its own `.git`: letter case does not
/// count, nor do the characters that HFS+ ignores in names.
pub(super) fn is_git(name: &OsStr) -> bool {
    let ignored = |c: &char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let seen: String = name.to_string_lossy().chars().filter(|c| !ignored(c)).collect();
    seen.eq_ignore_ascii_case(".git")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_path_that_leaves_the_project_is_refused() {
        for path in [
            "../x", "/x", "~/x", "a\\b", "a/../b", "a/..", "~x", "a\nb", "a\r", "a\0", "", ".",
            "./",
        ] {
            let error = checked(path).expect_err(path);
            assert_eq!(error.code(), "sync_path_invalid", "{path:?}");
            assert!(error.to_string().contains("must stay inside the project"), "{error}");
        }
        assert!(checked(&"é".repeat(512)).is_ok());
        assert!(checked(&"é".repeat(513)).is_err());
    }

    #[test]
    fn spellings_of_one_path_are_one_path() -> Result<()> {
        let mut config = Config::default();
        config.workspace.sync = ["./a//b/", ".env", "..env", "a/b"].map(str::to_owned).to_vec();
        config.workspace.protected_sync = vec![".env".to_owned()];
        assert_eq!(listed(&config)?, ["a/b", ".env", "..env"].map(PathBuf::from));
        Ok(())
    }

    #[test]
    fn whatever_git_may_take_for_its_own_folder_is_known() {
        for name in [".git", ".GIT", ".Git", ".g\u{200c}it", "\u{feff}.git"] {
            assert!(is_git(OsStr::new(name)), "{name:?}");
        }
        for name in [".gitignore", "git", ".gi", ".git2"] {
            assert!(!is_git(OsStr::new(name)), "{name:?}");
        }
    }
}
