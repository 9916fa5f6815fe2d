//! Values as TOML has them, turned into what keys take.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use toml::Spanned;
use toml::de::DeValue;

use super::error::Error;
use super::keys;
use super::origin::Origin;
use super::settings::{DaemonMode, SetupCommand};
use crate::agent::Mount;

/// A value of TOML with its place in the text.
pub(super) type Given<'i> = Spanned<DeValue<'i>>;

/// What is wrong with a value, or with a part of it.
pub(super) struct Wrong {
    /// The bytes of the text that hold the part.
    pub(super) span: Range<usize>,
    /// What to add to the key to name the part, such as `[2]` or `[2].tiemout`.
    pub(super) part: String,
    /// What is wrong with it.
    pub(super) fault: Fault,
}

pub(super) enum Fault {
    /// It is not what is expected.
    Expected(&'static str),
    /// There is no such key; the nearest is this one.
    Unknown { nearest: String },
}

impl Wrong {
    /// The error, of a value given at a place and written in a way.
    pub(super) fn into_error(self, key: &str, at: Origin, value: String) -> Error {
        let key = format!("{key}{}", self.part);
        match self.fault {
            Fault::Expected(expected) => Error::Value { at, key, value, expected },
            Fault::Unknown { nearest } => Error::UnknownKey { at, key, value, nearest },
        }
    }
}

fn wrong<T>(value: &Given<'_>, part: String, expected: &'static str) -> Result<T, Wrong> {
    Err(Wrong { span: value.span(), part, fault: Fault::Expected(expected) })
}

/// `true` or `false`.
pub(super) fn switch(value: &Given<'_>) -> Result<bool, Wrong> {
    match value.get_ref().as_bool() {
        Some(on) => Ok(on),
        None => wrong(value, String::new(), "true or false"),
    }
}

/// A length of time, such as `"2m"` or `"1h 30m"`.
pub(super) fn duration(value: &Given<'_>) -> Result<Duration, Wrong> {
    duration_of(value, String::new())
}

fn duration_of(value: &Given<'_>, part: String) -> Result<Duration, Wrong> {
    const LONGEST: Duration = Duration::from_hours(366 * 24);
    let text = value.get_ref().as_str();
    let parsed = text.and_then(|text| humantime::parse_duration(text).ok());
    match parsed.filter(|length| !length.is_zero() && *length <= LONGEST) {
        Some(length) => Ok(length),
        None => wrong(value, part, "a duration such as \"2m\", above 0 and up to 366 days,"),
    }
}

/// A list of paths.
pub(super) fn paths(value: &Given<'_>) -> Result<Vec<String>, Wrong> {
    let entry = |(place, entry): (usize, &Given<'_>)| match entry.get_ref().as_str() {
        Some(path) if !path.is_empty() => Ok(path.to_owned()),
        _ => wrong(entry, format!("[{}]", place + 1), "a path"),
    };
    match value.get_ref().as_array() {
        Some(entries) => entries.iter().enumerate().map(entry).collect(),
        None => wrong(value, String::new(), "a list of paths"),
    }
}

/// A list of commands, each a text or a table of `run` and `timeout`.
pub(super) fn commands(value: &Given<'_>) -> Result<Vec<SetupCommand>, Wrong> {
    match value.get_ref().as_array() {
        Some(entries) => entries
            .iter()
            .enumerate()
            .map(|(place, entry)| command(entry, &format!("[{}]", place + 1)))
            .collect(),
        None => wrong(value, String::new(), "a list of commands"),
    }
}

fn command(entry: &Given<'_>, part: &str) -> Result<SetupCommand, Wrong> {
    let Some(fields) = entry.get_ref().as_table() else {
        return Ok(SetupCommand { run: command_line(entry, part.to_owned())?, timeout: None });
    };
    let (mut run, mut timeout) = (None, None);
    for (key, value) in fields {
        let part = format!("{part}.{}", keys::part(key.get_ref()));
        match key.get_ref().as_ref() {
            "run" => run = Some(command_line(value, part)?),
            "timeout" => timeout = Some(duration_of(value, part)?),
            name => {
                let nearest = keys::nearest(name, ["run", "timeout"]);
                let fault = Fault::Unknown { nearest };
                return Err(Wrong { span: value.span(), part, fault });
            }
        }
    }
    match run {
        Some(run) => Ok(SetupCommand { run, timeout }),
        None => wrong(entry, part.to_owned(), "a table with `run`"),
    }
}

fn command_line(value: &Given<'_>, part: String) -> Result<String, Wrong> {
    match value.get_ref().as_str() {
        // No program can be handed a NUL.
        Some(line) if !line.trim().is_empty() && !line.contains('\0') => Ok(line.to_owned()),
        _ => wrong(value, part, "a command, or { run = \"…\", timeout = \"10m\" },"),
    }
}

/// How deep agents may be below each other.
pub(super) fn depth(value: &Given<'_>) -> Result<u32, Wrong> {
    let number = value.get_ref().as_integer();
    let number = number.and_then(|n| u32::from_str_radix(n.as_str(), n.radix()).ok());
    match number.filter(|&depth| depth <= 100) {
        Some(depth) => Ok(depth),
        None => wrong(value, String::new(), "a whole number from 0 to 100"),
    }
}

/// A list of tables of `disk`, `inside` and `outside`.
pub(super) fn mounts(value: &Given<'_>) -> Result<Vec<Mount>, Wrong> {
    match value.get_ref().as_array() {
        Some(entries) => entries
            .iter()
            .enumerate()
            .map(|(place, entry)| mount(entry, &format!("[{}]", place + 1)))
            .collect(),
        None => wrong(value, String::new(), "a list of tables"),
    }
}

fn mount(entry: &Given<'_>, part: &str) -> Result<Mount, Wrong> {
    const FIELDS: [&str; 3] = ["disk", "inside", "outside"];
    const WHOLE: &str = "a table with `disk`, `inside` and `outside`";
    let Some(fields) = entry.get_ref().as_table() else {
        return wrong(entry, part.to_owned(), WHOLE);
    };
    let (mut disk, mut inside, mut outside) = (None, None, None);
    for (key, value) in fields {
        let part = format!("{part}.{}", keys::part(key.get_ref()));
        let text = value.get_ref().as_str().filter(|text| !text.is_empty());
        let absolute = || match text.map(PathBuf::from).filter(|path| path.is_absolute()) {
            Some(path) => Ok(path),
            None => wrong(value, part.clone(), "an absolute path"),
        };
        match key.get_ref().as_ref() {
            "disk" => match text {
                Some(name) => disk = Some(name.to_owned()),
                None => return wrong(value, part, "the name of a disk"),
            },
            "inside" => inside = Some(absolute()?),
            "outside" => outside = Some(absolute()?),
            name => {
                let nearest = keys::nearest(name, FIELDS);
                let fault = Fault::Unknown { nearest };
                return Err(Wrong { span: value.span(), part, fault });
            }
        }
    }
    match (disk, inside, outside) {
        (Some(disk), Some(inside), Some(outside)) => Ok(Mount { disk, inside, outside }),
        _ => wrong(entry, part.to_owned(), WHOLE),
    }
}

/// A mode of `daemon.mode`.
pub(super) fn daemon_mode(value: &Given<'_>) -> Result<DaemonMode, Wrong> {
    const MODES: [DaemonMode; 3] = [DaemonMode::Auto, DaemonMode::Never, DaemonMode::Require];
    let text = value.get_ref().as_str();
    match MODES.into_iter().find(|mode| Some(mode.as_str()) == text) {
        Some(mode) => Ok(mode),
        None => wrong(value, String::new(), "\"auto\", \"never\" or \"require\""),
    }
}
