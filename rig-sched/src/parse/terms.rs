use std::time::Duration;

use super::reader::{Fault, Reader};
use super::term::Sum;
use super::unit::word;

/// Reads terms such as `1h 30m` or `1 hour, and 30 minutes` up to the end of the text.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Duration, Fault> {
    let mut sum = Sum::default();
    loop {
        let number = reader.number()?;
        let start = number.whole.start;
        reader.blanks();
        let letters = reader.letters();
        if letters.is_empty() {
            return Err(reader.no_letters(&number));
        }
        sum.add(reader.text, &number, word(letters), start..reader.at);
        let end = reader.at;
        between(reader);
        if reader.peek().is_none() {
            // Blanks were trimmed, so whatever was skipped belongs between two terms.
            if reader.at > end {
                reader.at = end;
                return Err(reader.unreadable("the end"));
            }
            return sum.total();
        }
    }
}

/// Skips what may stand between two terms: a comma, then the word `and` with a blank behind it.
fn between(reader: &mut Reader<'_>) {
    reader.blanks();
    if reader.take(b',') {
        reader.blanks();
    }
    let start = reader.at;
    if reader.letters() != "and" || reader.blanks().is_empty() {
        reader.at = start;
    }
}
