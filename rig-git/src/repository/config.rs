use super::open::Repository;
use crate::error::Result;

/// All configuration that counts in a repository, in git's order: of one key the last value counts.
pub(super) struct Settings(Vec<(String, String)>);

impl Repository {
    /// The names of the remotes, sorted.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be read.
    pub fn remotes(&self) -> Result<Vec<String>> {
        let keys = self.settings()?.0.iter().map(|(key, _)| key);
        let names = keys.filter_map(|key| Some(key.strip_prefix("remote.")?.rsplit_once('.')?.0));
        let mut names: Vec<_> = names.map(str::to_owned).collect();
        names.sort();
        names.dedup();
        Ok(names)
    }

    /// The URL that a remote is fetched from, after the user's `url.<base>.insteadOf`.
    ///
    /// # Errors
    ///
    /// If git cannot be run.
    pub fn remote_url(&self, remote: &str) -> Result<Option<String>> {
        self.look_up(&["remote", "get-url", "--", remote])
    }

    /// A configured value, such as `branch.main.remote`.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be read.
    pub fn config(&self, key: &str) -> Result<Option<String>> {
        let key = normal(key);
        let settings = self.settings()?.0.iter();
        Ok(settings.rev().find(|(known, _)| *known == key).map(|(_, value)| value.clone()))
    }

    fn settings(&self) -> Result<&Settings> {
        if let Some(settings) = self.settings.get() {
            return Ok(settings);
        }
        let listed = self.ask(&["config", "--list", "--show-scope", "-z"])?.unwrap_or_default();
        let mut fields = listed.split(|&byte| byte == 0).map(String::from_utf8_lossy);
        let mut settings = Vec::new();
        while let (Some(scope), Some(entry)) = (fields.next(), fields.next()) {
            // What we hand to every reading command is not the user's.
            if scope != "command" {
                let (key, value) = entry.split_once('\n').unwrap_or((&*entry, ""));
                settings.push((key.to_owned(), value.to_owned()));
            }
        }
        Ok(self.settings.get_or_init(|| Settings(settings)))
    }
}

/// A key as git lists it: section and name in lower case, what is between them as it is.
fn normal(key: &str) -> String {
    let first = key.find('.').unwrap_or(key.len());
    let last = key.rfind('.').unwrap_or(first);
    let (section, name) = (&key[..first], &key[last..]);
    format!("{}{}{}", section.to_lowercase(), &key[first..last], name.to_lowercase())
}
