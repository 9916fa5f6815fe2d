use std::ffi::OsString;

use super::call::Answer;
use crate::error::Error;

/// How many lines, and characters, of what git said an error repeats.
const LINES: usize = 5;
const CHARACTERS: usize = 500;

impl Answer {
    /// The error that a bad exit status of `operation`, such as `fetch`, is.
    #[must_use]
    pub fn failure(&self, operation: impl Into<String>) -> Error {
        let status = match self.status {
            Some(status) => format!("status {status}"),
            None => "ended by a signal".into(),
        };
        Error::GitFailed { operation: operation.into(), status, last_lines: self.last_lines() }
    }

    /// The last lines of its standard error.
    #[must_use]
    pub fn last_lines(&self) -> String {
        last_lines(&self.stderr)
    }
}

/// The end of what git said, for an error. Of a progress line only its last state.
pub(super) fn last_lines(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = text.lines().map(|line| line.rsplit('\r').find(|part| !part.trim().is_empty()));
    let lines: Vec<_> = lines.flatten().map(str::trim_end).collect();
    let last = lines[lines.len().saturating_sub(LINES)..].join("\n");
    let too_many = last.chars().count().saturating_sub(CHARACTERS);
    last.chars().skip(too_many).collect()
}

/// What git was asked to do: `fetch`, or `worktree add`.
pub(super) fn operation(args: &[OsString]) -> String {
    let mut words = args.iter().map(|arg| arg.to_string_lossy());
    while let Some(word) = words.next() {
        if word == "-c" || word == "-C" {
            words.next();
        } else if !word.starts_with('-') {
            let is_family =
                ["worktree", "submodule", "sparse-checkout", "remote"].contains(&&*word);
            return match words.next().filter(|_| is_family) {
                Some(verb) => format!("{word} {verb}"),
                None => word.into_owned(),
            };
        }
    }
    "git".into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_named_without_options_and_names() {
        for (args, name) in [
            ("-c checkout.workers=8 worktree add -b x -- /tmp/x", "worktree add"),
            ("branch -m old new", "branch"),
            ("--git-dir=/x rev-parse HEAD", "rev-parse"),
        ] {
            let args: Vec<_> = args.split(' ').map(OsString::from).collect();
            assert_eq!(operation(&args), name);
        }
    }

    #[test]
    fn the_last_lines_leave_progress_and_old_lines_out() {
        let said = b"1\n2\nUpdating files:  10%\rUpdating files: 100%\r\n3\n4\nfatal: no\n5\n";
        assert_eq!(last_lines(said), "Updating files: 100%\n3\n4\nfatal: no\n5");
    }
}
