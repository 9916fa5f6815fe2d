//! Order keys: a place in a list that can always be put between two others.

use fractional_index::FractionalIndex;
use serde::{Deserialize, Serialize};

/// A place in a list. Keys compare as the rows they belong to are listed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OrderKey(String);

impl OrderKey {
    /// A place between two neighbours; an end of the list where there is none.
    ///
    /// Neighbours that are not in order, which no list has, give a place after the first.
    #[must_use]
    pub fn between(before: Option<&Self>, after: Option<&Self>) -> Self {
        let index =
            |key: Option<&Self>| key.and_then(|key| FractionalIndex::from_string(&key.0).ok());
        let (before, after) = (index(before), index(after));
        let place = FractionalIndex::new(before.as_ref(), after.as_ref())
            .or_else(|| before.as_ref().map(FractionalIndex::new_after))
            .unwrap_or_default();
        Self(place.to_string())
    }

    /// The key as text; the byte order of the texts is the order of the keys.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(crate) fn from_stored(text: String) -> Self {
        Self(text)
    }
}
