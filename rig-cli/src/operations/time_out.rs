use std::borrow::Cow;
use std::time::Duration;

use rig_core::clock::Deadline;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How long an answer may take, written as whole milliseconds. It runs from when it was made: who
/// asks again is given what is left.
#[derive(Clone, Copy, Debug)]
pub struct TimeOut(Deadline);

impl TimeOut {
    /// So long from now on.
    #[must_use]
    pub fn of(limit: Duration) -> Self {
        Self(Deadline::after(limit))
    }

    /// What is left of it.
    #[must_use]
    pub fn left(&self) -> Duration {
        self.0.left()
    }
}

impl Serialize for TimeOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(u64::try_from(self.left().as_millis()).unwrap_or(u64::MAX))
    }
}

impl<'de> Deserialize<'de> for TimeOut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_millis).map(Self::of)
    }
}

impl JsonSchema for TimeOut {
    fn schema_name() -> Cow<'static, str> {
        "TimeOut".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        u64::json_schema(generator)
    }
}
