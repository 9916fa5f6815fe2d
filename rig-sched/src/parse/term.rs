use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

use super::buffer::Buffer;
use super::reader::{Fault, Kind, Number};
use super::unit::{Unit, Word};

/// Digits that a number may have before its point.
const MAX_DIGITS: usize = 15;

/// The terms of a duration, added up as they are read, with the first fault of each later check.
///
/// What is wrong with one term is told only once the whole text has been read, since an earlier
/// check goes before a later one wherever in the text they fail.
#[derive(Debug, Default)]
pub(super) struct Sum {
    total: Duration,
    smallest: Option<Unit>,
    unit: Option<Fault>,
    order: Option<Fault>,
    size: Option<Fault>,
}

impl Sum {
    /// Adds one term that lies at `part`.
    pub(super) fn add(&mut self, text: &str, number: &Number, word: Word, part: Range<usize>) {
        let unit = match word {
            Word::Unit(unit) => unit,
            Word::Calendar => return note(&mut self.unit, Kind::UnitCalendar, part),
            Word::Unknown => return note(&mut self.unit, Kind::UnitUnknown, part),
        };
        if self.smallest.is_some_and(|smallest| unit >= smallest) {
            return note(&mut self.order, Kind::Order, part);
        }
        self.smallest = Some(unit);
        let sum = value(text, number, unit)
            .and_then(|value| self.total.checked_add(value).ok_or(Kind::PastLimit));
        match sum {
            Ok(total) => self.total = total,
            Err(kind) => note(&mut self.size, kind, part),
        }
    }

    /// The sum, or the fault of the check that comes first.
    pub(super) fn total(self) -> Result<Duration, Fault> {
        match self.unit.or(self.order).or(self.size) {
            Some(fault) => Err(fault),
            None => Ok(self.total),
        }
    }
}

fn note(first: &mut Option<Fault>, kind: Kind, part: Range<usize>) {
    first.get_or_insert(Fault { kind, part });
}

/// What humantime makes of a number and its unit. Each term is given to it alone: it panics at some
/// sums that just do not fit.
fn value(text: &str, number: &Number, unit: Unit) -> Result<Duration, Kind> {
    if number.whole.len() > MAX_DIGITS {
        return Err(Kind::PastLimit);
    }
    let whole = &text[number.whole.clone()];
    let Some(value) = humantime(&text[number.whole.start..number.end], unit) else {
        // It does not tell what is too large from what is too fine.
        return Err(match humantime(whole, unit) {
            Some(_) if number.has_fraction() => Kind::TooPrecise,
            _ => Kind::PastLimit,
        });
    };
    Ok(value)
}

fn humantime(number: &str, unit: Unit) -> Option<Duration> {
    let mut term = Buffer::<{ super::MAX_TEXT + 2 }>::new();
    term.write_str(number).and_then(|()| term.write_str(unit.symbol())).ok()?;
    humantime::parse_duration(term.as_str()).ok()
}
