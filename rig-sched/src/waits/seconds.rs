use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A time in seconds, to whole milliseconds: an integer when it is whole, else up to three decimals
/// without trailing zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seconds(pub Duration);

impl Seconds {
    fn millis(self) -> u64 {
        u64::try_from(self.0.as_millis()).unwrap_or(u64::MAX)
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.millis() / 1000, self.millis() % 1000);
        match millis {
            0 => write!(f, "{seconds}"),
            _ => write!(f, "{seconds}.{}", format!("{millis:03}").trim_end_matches('0')),
        }
    }
}

impl Serialize for Seconds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.millis() {
            whole if whole % 1000 == 0 => serializer.serialize_u64(whole / 1000),
            // The shortest text of the nearest number has these decimals and no others.
            #[allow(clippy::cast_precision_loss)]
            millis => serializer.serialize_f64(millis as f64 / 1000.0),
        }
    }
}

impl<'de> Deserialize<'de> for Seconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let seconds = Duration::try_from_secs_f64(f64::deserialize(deserializer)?)
            .map_err(serde::de::Error::custom)?;
        let millis = (seconds + Duration::from_micros(500)).as_millis();
        Ok(Self(Duration::from_millis(u64::try_from(millis).unwrap_or(u64::MAX))))
    }
}
