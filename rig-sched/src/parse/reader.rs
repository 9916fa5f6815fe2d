use std::ops::Range;

use super::trim::is_blank;

/// What is wrong with a part of a duration's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: Kind,
    /// Where the part lies; what cannot be read begins where reading stopped.
    pub(super) part: Range<usize>,
}

/// How a part of a duration's text is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unreadable(/* what was expected */ &'static str),
    UnitMissing,
    UnitUnknown,
    UnitCalendar,
    Negative,
    Order,
    PastLimit,
    TooPrecise,
}

/// A number of a duration's text: digits, with or without a point and more digits.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// Where the digits before the point lie.
    pub(super) whole: Range<usize>,
    /// Where the number ends.
    pub(super) end: usize,
}

impl Number {
    pub(super) fn has_fraction(&self) -> bool {
        self.end > self.whole.end
    }
}

/// Reads a text of ASCII characters byte by byte.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips such bytes and tells where they lay.
    fn skip(&mut self, wanted: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        start..self.at
    }

    pub(super) fn blanks(&mut self) -> Range<usize> {
        self.skip(is_blank)
    }

    pub(super) fn letters(&mut self) -> &'a str {
        let found = self.skip(|byte| byte.is_ascii_alphabetic());
        &self.text[found]
    }

    /// The number that begins here.
    pub(super) fn number(&mut self) -> Result<Number, Fault> {
        if self.peek() == Some(b'-') {
            return Err(self.fault(Kind::Negative));
        }
        let whole = self.skip(|byte| byte.is_ascii_digit());
        if whole.is_empty() {
            return Err(self.unreadable("a number"));
        }
        if self.take(b'.') && self.skip(|byte| byte.is_ascii_digit()).is_empty() {
            return Err(self.unreadable("a digit"));
        }
        Ok(Number { whole, end: self.at })
    }

    /// What to tell of a number behind which there are no letters.
    pub(super) fn no_letters(&self, number: &Number) -> Fault {
        match self.peek() {
            // Another number, or what may stand between two, could have followed its unit.
            None | Some(b',' | b'-' | b'0'..=b'9') => {
                Fault { kind: Kind::UnitMissing, part: number.whole.start..number.end }
            }
            Some(_) => self.unreadable("a unit"),
        }
    }

    /// Reading stops here, since something else was expected.
    pub(super) fn unreadable(&self, expected: &'static str) -> Fault {
        self.fault(Kind::Unreadable(expected))
    }

    /// Reading stops here, at the part that reaches to the next blank.
    fn fault(&self, kind: Kind) -> Fault {
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().skip(1).position(|byte| is_blank(*byte));
        let length = length.map_or(rest.len(), |before| before + 1);
        Fault { kind, part: self.at..self.at + length }
    }
}
