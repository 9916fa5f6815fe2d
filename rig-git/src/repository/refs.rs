use git2::ErrorCode;

use super::open::Repository;
use crate::error::Result;

/// A `packed-refs` up to this many bytes is read by libgit2, which holds all of it in memory to list
/// any of it; git maps it and seeks.
const SMALL_PACKED_REFS: u64 = 1 << 16;

/// In which order git tries what a plain name may stand for.
const RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

impl Repository {
    /// The full name of the ref that git takes a plain name for, and whether others fit too.
    ///
    /// # Errors
    ///
    /// If the refs cannot be read.
    pub fn ref_named(&self, name: &str) -> Result<Option<(String, bool)>> {
        let name = if name == "@" { "HEAD" } else { name };
        let mut first = None;
        for (before, after) in RULES {
            let full = format!("{before}{name}{after}");
            if is_full(&full) && self.reference(&full)?.is_some() {
                if let Some(first) = first {
                    return Ok(Some((first, true)));
                }
                first = Some(full);
            }
        }
        Ok(first.map(|first| (first, false)))
    }

    /// The commit at a ref of this full name. None if there is no such ref.
    ///
    /// # Errors
    ///
    /// If the refs cannot be read.
    pub fn reference(&self, name: &str) -> Result<Option<String>> {
        match &self.libgit2 {
            Some(libgit2) => target(libgit2, name),
            None if !is_full(name) => Ok(None),
            None => {
                if !name.starts_with("refs/") {
                    let of_head = format!("{name}^{{commit}}");
                    return self.look_up(&["rev-parse", "-q", "--verify", &of_head]);
                }
                let Some(object) = self.look_up(&["show-ref", "--verify", "--", name])? else {
                    return Ok(None);
                };
                let of_object = format!("{object}^{{commit}}");
                let commit = self.look_up(&["rev-parse", "-q", "--verify", &of_object])?;
                Ok(commit.or(Some(object)))
            }
        }
    }

    /// What a symbolic ref of this full name points at, such as `refs/remotes/origin/HEAD`.
    ///
    /// # Errors
    ///
    /// If the refs cannot be read.
    pub fn symbolic(&self, name: &str) -> Result<Option<String>> {
        let Some(libgit2) = &self.libgit2 else {
            return self.look_up(&["symbolic-ref", "-q", "--", name]);
        };
        let found = missing_is_none(libgit2.find_reference(name))?;
        let target = found.as_ref().and_then(git2::Reference::symbolic_target_bytes);
        Ok(target.map(|target| String::from_utf8_lossy(target).into_owned()))
    }

    /// The full names of all refs that begin with `prefix`, such as `refs/heads/worktree/`, with
    /// the objects they name.
    ///
    /// # Errors
    ///
    /// If the refs cannot be read.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<(String, String)>> {
        let folder = &prefix[..prefix.rfind('/').map_or(0, |slash| slash + 1)];
        let mut refs = Vec::new();
        match &self.libgit2 {
            Some(libgit2) if self.has_small_packed_refs() => {
                for found in libgit2.references_glob(&format!("{folder}*"))? {
                    let found = found?;
                    let name = String::from_utf8_lossy(found.name_bytes()).into_owned();
                    let object = missing_is_none(found.resolve())?.and_then(|found| found.target());
                    if let Some(object) = object.filter(|_| name.starts_with(prefix)) {
                        refs.push((name, object.to_string()));
                    }
                }
                refs.sort();
            }
            _ => {
                let mut args = vec!["for-each-ref", "--format=%(objectname) %(refname)", "--"];
                args.extend(Some(folder).filter(|folder| !folder.is_empty()));
                self.each_line(&args, &mut |line| {
                    let line = String::from_utf8_lossy(line);
                    if let Some((object, name)) = line.split_once(' ')
                        && name.starts_with(prefix)
                    {
                        refs.push((name.to_owned(), object.to_owned()));
                    }
                })?;
            }
        }
        Ok(refs)
    }

    fn has_small_packed_refs(&self) -> bool {
        match self.common_dir().join("packed-refs").metadata() {
            Ok(packed) => packed.len() <= SMALL_PACKED_REFS,
            Err(error) => error.kind() == std::io::ErrorKind::NotFound,
        }
    }
}

/// The commit at a ref, or the object if there is no commit.
fn target(libgit2: &git2::Repository, name: &str) -> Result<Option<String>> {
    let Some(found) = missing_is_none(libgit2.find_reference(name))? else { return Ok(None) };
    let Some(found) = missing_is_none(found.resolve())? else { return Ok(None) };
    let commit = found.peel_to_commit().map(|commit| commit.id());
    Ok(commit.ok().or(found.target()).map(|object| object.to_string()))
}

/// Whether git takes this for a ref's whole name: in `refs/`, or one like `FETCH_HEAD`.
fn is_full(name: &str) -> bool {
    name.starts_with("refs/")
        || name.starts_with("worktrees/")
        || name == "main-worktree/HEAD"
        || !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

pub(super) fn missing_is_none<T>(found: Result<T, git2::Error>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSpec) => {
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}
