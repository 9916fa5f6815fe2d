//! In what a request differs from what was made under the same identity. Two spellings of one time
//! are the same; what a request leaves out differs from nothing.

use std::fmt::Display;

use rig_core::call_key::CallKey;

use crate::error::{Differs, shown};
use crate::parse::Time;

/// If the times differ.
pub(crate) fn time(stored: Time, given: Time) -> Option<Differs> {
    let told = |time| match time {
        Time::After(length) => shown(length),
        Time::At(at) => at.to_string(),
    };
    let field = match given {
        Time::After(_) => "duration",
        Time::At(_) => "at",
    };
    (stored != given).then(|| Differs { field, stored: told(stored), given: told(given) })
}

/// If a key is given and differs. Where the call stands in its batch is no part of it.
pub(crate) fn key(stored: Option<&CallKey>, given: Option<&CallKey>) -> Option<Differs> {
    let given = given?;
    let same = |stored: &&CallKey| (stored.batch(), stored.call()) == (given.batch(), given.call());
    if stored.is_some_and(|stored| same(&stored)) {
        return None;
    }
    let stored = stored.map_or_else(|| "none".to_owned(), ToString::to_string);
    Some(Differs { field: "key", stored, given: given.to_string() })
}

/// If a value that both must have differs.
pub(crate) fn value<T: PartialEq + Display>(
    field: &'static str,
    stored: &T,
    given: &T,
) -> Option<Differs> {
    (stored != given).then(|| Differs {
        field,
        stored: stored.to_string(),
        given: given.to_string(),
    })
}
