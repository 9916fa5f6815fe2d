use serde::{Deserialize, Serialize};

use crate::environment::{self, Environment};

/// What two processes compare before they talk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Build {
    /// The lowest and the highest protocol that it speaks.
    pub protocol: [u32; 2],
    /// The version of the program.
    pub build: String,
    /// The schema of the store that it writes, and the highest that it reads.
    pub schema: u64,
}

impl Build {
    /// This program.
    #[must_use]
    pub fn this() -> Self {
        Self { protocol: [1, 1], build: env!("CARGO_PKG_VERSION").to_owned(), schema: 1 }
    }

    /// This program, as the environment has it: in a build with failpoints it plays the build that
    /// `RIG_BUILD` describes.
    ///
    /// # Errors
    ///
    /// If that cannot be understood.
    #[cfg_attr(not(feature = "failpoints"), allow(clippy::unnecessary_wraps))]
    pub(crate) fn of(environment: &Environment) -> Result<Self, environment::Error> {
        #[cfg(feature = "failpoints")]
        if let Some(played) = crate::failpoints::played(environment)? {
            return Ok(played.build);
        }
        let _ = environment;
        Ok(Self::this())
    }

    /// The highest protocol that both speak.
    #[must_use]
    pub fn common(&self, other: [u32; 2]) -> Option<u32> {
        let highest = self.protocol[1].min(other[1]);
        (highest >= self.protocol[0].max(other[0])).then_some(highest)
    }
}
