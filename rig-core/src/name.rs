//! Names people and agents give to things.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// Characters (Unicode scalar values) in the longest name.
pub const MAX_NAME: usize = 100;

/// A name: trimmed, 1 to 100 characters, none of them a control or format character (Cc, Cf).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// A text that cannot be a name: `bad_name`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadName {
    /// Nothing is left after trimming.
    #[error("the name is empty: it needs 1 to {MAX_NAME} characters")]
    Empty,
    /// More than [`MAX_NAME`] characters are left after trimming.
    #[error("the name has {characters} characters, and at most {MAX_NAME} are allowed")]
    TooLong {
        /// How many characters it has.
        characters: usize,
    },
    /// A control or format character is in it.
    #[error("the name has the character U+{:04X}: control and format characters are not allowed", *.character as u32)]
    Unprintable {
        /// The first such character.
        character: char,
    },
}

impl Name {
    /// The name that `text` gives once it is trimmed.
    ///
    /// # Errors
    ///
    /// [`BadName`] says which rule the text breaks.
    pub fn new(text: &str) -> Result<Self, BadName> {
        let text = text.trim();
        let banned = |c: &char| {
            matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format)
        };
        if text.is_empty() {
            return Err(BadName::Empty);
        }
        if let Some(character) = text.chars().find(banned) {
            return Err(BadName::Unprintable { character });
        }
        match text.chars().count() {
            characters if characters > MAX_NAME => Err(BadName::TooLong { characters }),
            _ => Ok(Self(text.to_owned())),
        }
    }

    /// The nearest name to a text that nobody typed as one, such as a folder's: what is not allowed
    /// is dropped and the rest is cut. None if nothing is left.
    #[must_use]
    pub fn from_untrusted(text: &str) -> Option<Self> {
        let kept: String = text
            .chars()
            .filter(|c| {
                !matches!(c.general_category(), GeneralCategory::Control | GeneralCategory::Format)
            })
            .collect();
        let cut: String = kept.trim().chars().take(MAX_NAME).collect();
        Self::new(&cut).ok()
    }

    /// The name as it is shown.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which names are compared: two names are equal if their folded forms are.
    #[must_use]
    pub fn folded(&self) -> String {
        self.0.nfkc().collect::<String>().to_lowercase()
    }

    /// This name, or the first of `name (2)`, `name (3)`, … that is not taken. The stem is
    /// shortened so that the whole stays within [`MAX_NAME`] characters.
    ///
    /// # Errors
    ///
    /// Whatever `taken` fails with.
    pub fn unique<E>(&self, mut taken: impl FnMut(&Self) -> Result<bool, E>) -> Result<Self, E> {
        let mut candidate = self.clone();
        let mut number = 2_u64;
        while taken(&candidate)? {
            let suffix = format!(" ({number})");
            let stem: String = self.0.chars().take(MAX_NAME - suffix.len()).collect();
            candidate = Self(format!("{}{suffix}", stem.trim_end()));
            number += 1;
        }
        Ok(candidate)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
