use std::path::Path;

use percent_encoding::percent_decode_str;
use rig_core::name::Name;

use crate::error::Result;
use crate::repository::Repository;

/// The first name of a project: the repository's name in its remote's URL, else the folder's name,
/// else `Project`.
pub(super) fn first_name(repository: Option<&Repository>, path: &Path) -> Name {
    // A name is no reason to fail: what cannot be read does not give one.
    let remote = repository.and_then(|repository| remote_url(repository).ok().flatten());
    let folder = path.file_name().map(|name| name.to_string_lossy().into_owned());
    remote
        .as_deref()
        .and_then(repository_name)
        .or_else(|| folder.as_deref().and_then(Name::from_untrusted))
        .unwrap_or_else(|| Name::from_untrusted("Project").expect("it is a name"))
}

/// The URL of the current branch's remote, else of `origin`, else of the first one.
fn remote_url(repository: &Repository) -> Result<Option<String>> {
    let mut candidates = Vec::new();
    if let Some(branch) = repository.head()?.branch {
        candidates.extend(repository.config(&format!("branch.{branch}.remote"))?);
    }
    candidates.push("origin".to_owned());
    candidates.extend(repository.remotes()?);
    for remote in candidates {
        if let Some(url) = repository.remote_url(&remote)? {
            return Ok(Some(url));
        }
    }
    Ok(None)
}

/// The last segment of an https, ssh or `user@host:path` URL, percent-decoded, without `.git`.
fn repository_name(url: &str) -> Option<Name> {
    let path = match url.split_once("://") {
        Some(("https" | "ssh", rest)) => rest.split_once('/')?.1,
        Some(_) => return None,
        None => {
            let (host, path) = url.split_once(':')?;
            host.split_once('@').filter(|_| !host.contains('/'))?;
            path
        }
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let last = percent_decode_str(last).decode_utf8_lossy();
    Name::from_untrusted(last.strip_suffix(".git").unwrap_or(&last))
}

#[cfg(test)]
mod tests {
    use super::repository_name;

    #[test]
    fn only_https_ssh_and_scp_like_urls_give_a_name() {
        let name = |url| repository_name(url).map(|name| name.to_string());
        for url in ["https://h/o/rig.git", "ssh://git@h/o/rig.git", "git@h:o/rig.git", "git@h:rig"]
        {
            assert_eq!(name(url).as_deref(), Some("rig"), "{url}");
        }
        assert_eq!(name("https://h/o/my%20tools.git/").as_deref(), Some("my tools"));
        for url in ["/x/rig.git", "file:///x/rig.git", "../rig", "C:/rig.git", "http://h/rig.git"] {
            assert_eq!(name(url), None, "{url}");
        }
    }
}
