use std::time::Duration;

use super::reader::{Fault, Kind, Number, Reader};
use super::term::Sum;
use super::unit::{Unit, Word};

/// Reads an ISO 8601 duration behind its `P`: `PnW` or `PnDTnHnMnS` in capitals, with a fraction on
/// the last part only.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Duration, Fault> {
    let mut sum = Sum::default();
    let mut time = false;
    let mut before: Option<(Number, Unit)> = None;
    loop {
        if let Some((number, unit)) = &before {
            if reader.peek().is_none() {
                return sum.total();
            }
            if number.has_fraction() || *unit == Unit::Week {
                return Err(reader.unreadable("the end"));
            }
        }
        time = time || reader.take(b'T');
        let number = reader.number()?;
        let unit = designator(reader, &number, time)?;
        if unit == Unit::Week && before.is_some() {
            reader.at -= 1;
            return Err(reader.unreadable("a unit smaller than a week"));
        }
        sum.add(reader.text, &number, Word::Unit(unit), number.whole.start..reader.at);
        before = Some((number, unit));
    }
}

/// The unit that the capital behind a number stands for, which for `M` depends on the side of the
/// `T`.
fn designator(reader: &mut Reader<'_>, number: &Number, time: bool) -> Result<Unit, Fault> {
    let part = number.whole.start..reader.at + 1;
    let unit = match (reader.peek(), time) {
        (Some(b'W'), false) => Unit::Week,
        (Some(b'D'), false) => Unit::Day,
        (Some(b'H'), true) => Unit::Hour,
        (Some(b'M'), true) => Unit::Minute,
        (Some(b'S'), true) => Unit::Second,
        (Some(b'Y'), _) | (Some(b'M'), false) => {
            return Err(Fault { kind: Kind::UnitCalendar, part });
        }
        (Some(b'H' | b'S'), false) => return Err(reader.unreadable("a T before hours and seconds")),
        (Some(b'D' | b'W'), true) => return Err(reader.unreadable("H, M or S behind the T")),
        (Some(b'T'), _) => return Err(reader.unreadable("a unit")),
        (Some(b'A'..=b'Z'), _) => return Err(Fault { kind: Kind::UnitUnknown, part }),
        _ => return Err(reader.no_letters(number)),
    };
    reader.at += 1;
    Ok(unit)
}
