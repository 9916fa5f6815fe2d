use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Number;

use super::error::Result;
use super::fields;

/// A duration as a request has it: a text, or numbers that are added up.
///
/// As JSON it is an object of these fields: `null` is the same as none, and a field that is unknown,
/// repeated or of another type is refused.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DurationInput<'a> {
    /// A text such as `1h 30m`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration: Option<Cow<'a, str>>,
    /// A number of seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// A number of minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<f64>,
    /// A number of hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<f64>,
    /// A number of days.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub days: Option<f64>,
}

impl<'a> DurationInput<'a> {
    /// The input that a command line gives, whose `numbers` of seconds, minutes, hours and days are
    /// texts.
    ///
    /// # Errors
    ///
    /// [`DurationConflict`](super::Error::DurationConflict) if both are given, and
    /// [`DurationFieldInvalid`](super::Error::DurationFieldInvalid) for the first text that is no
    /// number from zero up.
    pub fn of_flags(duration: Option<&'a str>, numbers: [Option<&str>; 4]) -> Result<Self> {
        if let Some(text) = duration {
            fields::refuse_with_text(text, numbers.map(|number| number.is_some()))?;
        }
        let number =
            |field: usize| numbers[field].map(|text| fields::number(field, text)).transpose();
        Ok(Self {
            duration: duration.map(Cow::Borrowed),
            seconds: number(0)?,
            minutes: number(1)?,
            hours: number(2)?,
            days: number(3)?,
        })
    }

    /// The numbers, from seconds to days.
    pub(super) fn numbers(&self) -> [Option<f64>; 4] {
        [self.seconds, self.minutes, self.hours, self.days]
    }

    /// Whether nothing is given at all.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.duration.is_none() && self.numbers().iter().all(Option::is_none)
    }
}

impl<'a> From<&'a str> for DurationInput<'a> {
    fn from(text: &'a str) -> Self {
        Self { duration: Some(Cow::Borrowed(text)), ..Self::default() }
    }
}

impl<'a> From<&'a DurationInput<'_>> for DurationInput<'a> {
    fn from(input: &'a DurationInput<'_>) -> Self {
        Self { duration: input.duration.as_deref().map(Cow::Borrowed), ..*input }
    }
}

/// An instant as a request has it: a text, or a JSON number, which is read as its shortest decimal
/// text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum InstantInput<'a> {
    /// A text such as `2026-08-01T18:30:00Z`.
    Text(Cow<'a, str>),
    /// Seconds or milliseconds since the Unix epoch.
    Number(Number),
}

impl<'de> Deserialize<'de> for InstantInput<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Given;

        impl Visitor<'_> for Given {
            type Value = InstantInput<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a number")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> std::result::Result<Self::Value, E> {
                Ok(InstantInput::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> std::result::Result<Self::Value, E> {
                Ok(InstantInput::Number(number.into()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> std::result::Result<Self::Value, E> {
                Ok(InstantInput::Number(number.into()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> std::result::Result<Self::Value, E> {
                let number = Number::from_f64(number);
                number.map(InstantInput::Number).ok_or_else(|| E::custom("it is not finite"))
            }
        }

        deserializer.deserialize_any(Given)
    }
}

impl<'a> From<&'a str> for InstantInput<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for InstantInput<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<i64> for InstantInput<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl<'a> From<&'a InstantInput<'_>> for InstantInput<'a> {
    fn from(input: &'a InstantInput<'_>) -> Self {
        match input {
            InstantInput::Text(text) => Self::Text(Cow::Borrowed(text)),
            InstantInput::Number(number) => Self::Number(number.clone()),
        }
    }
}

/// When something is due, as a request has it: a delay or an instant.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeInput<'a> {
    /// How long from now.
    pub delay: DurationInput<'a>,
    /// The instant itself.
    pub at: Option<InstantInput<'a>>,
}
