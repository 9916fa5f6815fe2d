//! One file, read on top of what earlier layers say.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Error;
use super::file;
use super::keys::{self, KEYS, Key};
use super::origin::Origin;
use super::sources::Loaded;
use super::value::Given;

/// Whose file it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Owner {
    /// The user's: every key may be in it.
    User,
    /// A project's: what belongs to the machine is refused.
    Project,
}

/// Takes what a file says into `loaded`, and puts what is wrong with it into `errors`.
pub(super) fn apply(path: &Path, owner: Owner, loaded: &mut Loaded, errors: &mut Vec<Error>) {
    let bytes = match file::read(path) {
        Ok(None) => return,
        Ok(Some(bytes)) => bytes,
        Err(error) => return errors.push(error),
    };
    let read = String::from_utf8_lossy(&bytes);
    let text = Text { path, text: read.as_ref() };
    if let Err(error) = std::str::from_utf8(&bytes) {
        return errors.push(text.not_toml(error.valid_up_to(), "it is not UTF-8"));
    }
    match DeTable::parse(text.text) {
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            errors.push(text.not_toml(at, error.message()));
        }
        Ok(table) => Walk { text, owner, loaded, errors }.table(table.get_ref(), ""),
    }
}

/// Takes a text that stands for the value of `key` into `loaded`.
pub(super) fn apply_text(
    key: &Key,
    text: &str,
    from: Origin,
    loaded: &mut Loaded,
) -> Option<Error> {
    let given = Spanned::new(0..text.len(), DeValue::String(text.into()));
    match (key.set)(&mut loaded.config, &given) {
        Ok(()) => {
            loaded.given(key, from);
            None
        }
        Err(wrong) => Some(wrong.into_error(key.name, from, format!("{:?}", cut(text)))),
    }
}

/// The text of a file, for saying where something is.
#[derive(Clone, Copy)]
struct Text<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Text<'_> {
    fn at(self, byte: usize) -> Origin {
        let before = self.text.as_bytes().iter().take(byte);
        let line = 1 + before.filter(|&&byte| byte == b'\n').count();
        Origin::File { path: self.path.to_owned(), line }
    }

    fn written(self, span: Range<usize>) -> String {
        cut(self.text.get(span).unwrap_or_default())
    }

    fn not_toml(self, byte: usize, why: &str) -> Error {
        let at = self.at(byte);
        let Origin::File { line, .. } = at else { unreachable!("`at` names a file") };
        let line_text = cut(self.text.lines().nth(line - 1).unwrap_or_default());
        Error::NotToml { at, line_text, why: why.lines().collect::<Vec<_>>().join(", ") }
    }
}

/// The first line of a text, at most 80 characters of it.
fn cut(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(80).collect()
}

/// Faults of one file that are told. Beyond them somebody is not writing a configuration.
const MOST_FAULTS: usize = 100;

struct Walk<'a> {
    text: Text<'a>,
    owner: Owner,
    loaded: &'a mut Loaded,
    errors: &'a mut Vec<Error>,
}

impl Walk<'_> {
    fn table(&mut self, table: &DeTable<'_>, prefix: &str) {
        for (key, value) in table {
            if self.errors.len() >= MOST_FAULTS {
                return;
            }
            let name = match prefix {
                "" => keys::part(key.get_ref()),
                _ => format!("{prefix}.{}", keys::part(key.get_ref())),
            };
            self.entry(name, key.span().start, value);
        }
    }

    fn entry(&mut self, name: String, start: usize, value: &Given<'_>) {
        let machine_level = self.owner == Owner::Project && keys::is_machine_level(&name);
        if let Some(key) = keys::find(&name).filter(|_| !machine_level) {
            return self.set(key, start, value);
        }
        match value.get_ref() {
            // What is wrong with a table is wrong with each of its keys.
            DeValue::Table(table) if !table.is_empty() => return self.table(table, &name),
            DeValue::Table(_) if keys::is_table(&name) && !machine_level => return,
            _ => {}
        }
        let (at, shown) = (self.text.at(start), self.text.written(value.span()));
        self.errors.push(if machine_level {
            Error::MachineLevelKey { at, key: name, value: shown }
        } else if keys::is_table(&name) {
            Error::Value { at, key: name, value: shown, expected: "a table" }
        } else {
            let known = KEYS.iter().map(|key| key.name);
            let known =
                known.filter(|key| self.owner == Owner::User || !keys::is_machine_level(key));
            Error::UnknownKey { at, nearest: keys::nearest(&name, known), key: name, value: shown }
        });
    }

    fn set(&mut self, key: &Key, start: usize, value: &Given<'_>) {
        match (key.set)(&mut self.loaded.config, value) {
            Ok(()) => self.loaded.given(key, self.text.at(start)),
            Err(wrong) => {
                let at = self.text.at(wrong.span.start);
                let value = self.text.written(wrong.span.clone());
                self.errors.push(wrong.into_error(key.name, at, value));
            }
        }
    }
}
