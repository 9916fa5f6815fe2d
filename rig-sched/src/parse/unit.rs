/// A unit of a duration, from small to large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unit {
    Nanosecond,
    Microsecond,
    Millisecond,
    Second,
    Minute,
    Hour,
    Day,
    Week,
}

/// What the letters behind a number are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Unit(Unit),
    /// A month or a year, which is no fixed time.
    Calendar,
    Unknown,
}

/// The units as errors list them.
pub(super) const UNITS: &str =
    "w (weeks), d (days), h (hours), m or min (minutes), s (seconds), ms, us and ns";

/// Letters in the longest word.
const LONGEST: usize = 7;

impl Unit {
    /// How humantime spells it.
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Self::Nanosecond => "ns",
            Self::Microsecond => "us",
            Self::Millisecond => "ms",
            Self::Second => "s",
            Self::Minute => "m",
            Self::Hour => "h",
            Self::Day => "d",
            Self::Week => "w",
        }
    }
}

/// What the letters name, in any case; only a lone capital `M` is no minute.
pub(super) fn word(letters: &str) -> Word {
    let mut lower = [0; LONGEST];
    let Some(lower) = lower.get_mut(..letters.len()) else { return Word::Unknown };
    lower.copy_from_slice(letters.as_bytes());
    lower.make_ascii_lowercase();
    Word::Unit(match &*lower {
        b"m" if letters == "M" => return Word::Calendar,
        b"mo" | b"mos" | b"month" | b"months" | b"y" | b"yr" | b"yrs" | b"year" | b"years" => {
            return Word::Calendar;
        }
        b"w" | b"wk" | b"wks" | b"week" | b"weeks" => Unit::Week,
        b"d" | b"day" | b"days" => Unit::Day,
        b"h" | b"hr" | b"hrs" | b"hour" | b"hours" => Unit::Hour,
        b"m" | b"min" | b"mins" | b"minute" | b"minutes" => Unit::Minute,
        b"s" | b"sec" | b"secs" | b"second" | b"seconds" => Unit::Second,
        b"ms" | b"msec" | b"millis" => Unit::Millisecond,
        b"us" | b"usec" => Unit::Microsecond,
        b"ns" | b"nsec" => Unit::Nanosecond,
        _ => return Word::Unknown,
    })
}
