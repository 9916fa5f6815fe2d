use std::fmt;
use std::time::Duration;

use rig_core::time::Timestamp;

use super::past_limit::{Date, PastLimit, Readings};
use super::reader::{Fault, Kind};
use super::trim::{shown, trimmed};
use super::unit::UNITS;

/// What the functions of this module return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The fields that give a duration, and an example.
const FIELDS: &str =
    "give `duration`, or any of `seconds`, `minutes`, `hours` and `days`, such as `1h 30m`";

/// The fields that give a time, and an example.
const TIMES: &str = "give either `at`, such as `2026-08-01T18:30:00Z`, or one of `duration`, \
     `seconds`, `minutes`, `hours` and `days`, such as `1h 30m`";

/// The forms of an instant.
const FORMS: &str = "accepted are RFC 3339 such as 2026-08-01T18:30:00Z, ISO 8601 with an offset \
     such as 20260801T2030+02, RFC 2822 such as Sat, 01 Aug 2026 18:30:00 +0000, and Unix seconds \
     or milliseconds such as 1785609000";

/// Why a duration or an instant was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text of a duration is empty: `duration_empty`.
    #[error("the duration {given:?} is empty: {FIELDS}")]
    DurationEmpty {
        /// The text.
        given: String,
    },
    /// Neither a text nor a field: `duration_missing`.
    #[error("no duration is given: {FIELDS}")]
    DurationMissing,
    /// A text and a field: `duration_conflict`.
    #[error("both the duration {text:?} and {fields} are given: {FIELDS}")]
    DurationConflict {
        /// The text.
        text: String,
        /// The names of the fields.
        fields: String,
    },
    /// The text of a duration is something else: `duration_unreadable`.
    #[error("cannot read the duration {}: {expected} is expected", .part)]
    DurationUnreadable {
        /// Where reading stopped.
        part: Part,
        /// What could have stood there.
        expected: &'static str,
    },
    /// A number has no unit: `duration_unit_missing`.
    #[error("a number has no unit in the duration {part}: units are {UNITS}")]
    DurationUnitMissing {
        /// The number.
        part: Part,
    },
    /// A word is no unit: `duration_unit_unknown`.
    #[error("the unit is not known in the duration {part}: units are {UNITS}")]
    DurationUnitUnknown {
        /// The term.
        part: Part,
    },
    /// A month or a year, which is no fixed time: `duration_unit_calendar`.
    #[error("months and years have no fixed length in the duration {part}: units are {UNITS}")]
    DurationUnitCalendar {
        /// The term.
        part: Part,
    },
    /// A term begins with a minus: `duration_negative`.
    #[error("a duration cannot be negative, as is {part}")]
    DurationNegative {
        /// The term.
        part: Part,
    },
    /// The terms do not go from large to small, each unit once: `duration_order`.
    #[error(
        "units must go from large to small, each once, unlike in the duration {part}: the order is {UNITS}"
    )]
    DurationOrder {
        /// The first term out of order.
        part: Part,
    },
    /// A fraction is too fine for its unit: `duration_too_precise`.
    #[error("the fraction is too fine for its unit in the duration {part}")]
    DurationTooPrecise {
        /// The term.
        part: Part,
    },
    /// Above zero, yet zero when rounded to milliseconds: `duration_too_small`.
    #[error("the duration {given:?}{} is above zero and less than half a millisecond", At(*.byte))]
    DurationTooSmall {
        /// The text, or the fields with their values.
        given: String,
        /// The byte at which the text begins.
        byte: Option<usize>,
    },
    /// A field is no number from zero up: `duration_field_invalid`.
    #[error("{field} must be a finite number that is not negative, and is {given}")]
    DurationFieldInvalid {
        /// Its name.
        field: &'static str,
        /// Its value.
        given: String,
    },
    /// Both a delay and an instant: `time_conflict`.
    #[error("both an instant and a duration are given: {TIMES}")]
    TimeConflict,
    /// Neither a delay nor an instant: `time_missing`.
    #[error("no time is given: {TIMES}")]
    TimeMissing,
    /// The text of an instant is empty: `instant_empty`.
    #[error("the instant {given:?} is empty: {FORMS}")]
    InstantEmpty {
        /// The text.
        given: String,
    },
    /// The text is of no accepted form, or names a time that does not exist: `instant_unreadable`.
    #[error("cannot read the instant {given:?}: {FORMS}")]
    InstantUnreadable {
        /// The text.
        given: String,
    },
    /// The instant has no offset, and zones are never guessed: `instant_no_offset`.
    #[error("the instant {given:?} has no offset from UTC: {FORMS}")]
    InstantNoOffset {
        /// The text.
        given: String,
    },
    /// The offset is too far from UTC: `instant_offset`.
    #[error("the offset of the instant {given:?} is more than 18:00 from UTC: {FORMS}")]
    InstantOffset {
        /// The text.
        given: String,
    },
    /// The second is 60: `instant_leap_second`.
    #[error("the instant {given:?} is a leap second, which clocks do not tell: {FORMS}")]
    InstantLeapSecond {
        /// The text.
        given: String,
    },
    /// The weekday is not that of the date: `instant_weekday`.
    #[error("the weekday of the instant {given:?} is wrong, that date is a {right}: {FORMS}")]
    InstantWeekday {
        /// The text.
        given: String,
        /// The right one, such as `Sat`.
        right: String,
    },
    /// A Unix number is before the window in both its readings: `instant_out_of_window`.
    #[error("{given} is {readings}, and neither is between 1971-01-01T00:00:00.000Z and {}", Date(*.last))]
    InstantOutOfWindow {
        /// The number.
        given: String,
        /// What it could mean.
        readings: Readings,
        /// The last instant allowed.
        last: Option<Timestamp>,
    },
    /// More than the operation's limit: `past_limit`. An operation tells it under a code of its own,
    /// with the latest instant that it allows.
    #[error(transparent)]
    PastLimit(#[from] PastLimit),
}

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The whole text.
    pub given: String,
    /// The part itself.
    pub text: String,
    /// The byte of the whole text at which it begins, from 0.
    pub byte: usize,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, text, byte } = self;
        match text.as_str() {
            "" => write!(f, "{given:?} at its end, byte {byte}"),
            _ => write!(f, "{given:?} at {text:?}, byte {byte}"),
        }
    }
}

/// Where a text begins, if there is one.
struct At(Option<usize>);

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |byte| write!(f, " at byte {byte}"))
    }
}

impl Error {
    /// The stable name.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::DurationEmpty { .. } => "duration_empty",
            Self::DurationMissing => "duration_missing",
            Self::DurationConflict { .. } => "duration_conflict",
            Self::DurationUnreadable { .. } => "duration_unreadable",
            Self::DurationUnitMissing { .. } => "duration_unit_missing",
            Self::DurationUnitUnknown { .. } => "duration_unit_unknown",
            Self::DurationUnitCalendar { .. } => "duration_unit_calendar",
            Self::DurationNegative { .. } => "duration_negative",
            Self::DurationOrder { .. } => "duration_order",
            Self::DurationTooPrecise { .. } => "duration_too_precise",
            Self::DurationTooSmall { .. } => "duration_too_small",
            Self::DurationFieldInvalid { .. } => "duration_field_invalid",
            Self::TimeConflict => "time_conflict",
            Self::TimeMissing => "time_missing",
            Self::InstantEmpty { .. } => "instant_empty",
            Self::InstantUnreadable { .. } => "instant_unreadable",
            Self::InstantNoOffset { .. } => "instant_no_offset",
            Self::InstantOffset { .. } => "instant_offset",
            Self::InstantLeapSecond { .. } => "instant_leap_second",
            Self::InstantWeekday { .. } => "instant_weekday",
            Self::InstantOutOfWindow { .. } => "instant_out_of_window",
            Self::PastLimit(_) => "past_limit",
        }
    }

    /// What to write instead, where that can be told.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::DurationUnitMissing { .. } => {
                "write the unit behind each number, such as `90 min`"
            }
            Self::DurationUnitCalendar { .. } => {
                "`m` is a minute and `M` a month: write `min` for minutes, and days or weeks for months"
            }
            Self::DurationTooPrecise { .. } => "use a smaller unit, such as `90 min` for `1.5h`",
            Self::DurationTooSmall { .. } => "the smallest duration above zero is `1ms`",
            Self::InstantLeapSecond { .. } => "give the second after",
            Self::InstantNoOffset { .. } => "add the offset, such as `Z` for UTC or `+02:00`",
            _ => return None,
        })
    }

    /// The error for a part of a duration's text; `limit` is that of its operation.
    pub(super) fn of_duration(text: &str, limit: Duration, Fault { kind, part }: Fault) -> Self {
        let byte = part.start;
        let found = text.get(part).unwrap_or_default();
        let part = Part { given: shown(text), text: shown(found), byte };
        match kind {
            Kind::Unreadable(expected) => Self::DurationUnreadable { part, expected },
            Kind::UnitMissing => Self::DurationUnitMissing { part },
            Kind::UnitUnknown => Self::DurationUnitUnknown { part },
            Kind::UnitCalendar => Self::DurationUnitCalendar { part },
            Kind::Negative => Self::DurationNegative { part },
            Kind::Order => Self::DurationOrder { part },
            Kind::TooPrecise => Self::DurationTooPrecise { part },
            Kind::PastLimit => {
                PastLimit { asked: shown(&text[trimmed(text)]), limit, readings: None }.into()
            }
        }
    }
}
