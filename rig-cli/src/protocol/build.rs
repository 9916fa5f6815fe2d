use serde::{Deserialize, Serialize};

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

    /// The highest protocol that both speak.
    #[must_use]
    pub fn common(&self, other: [u32; 2]) -> Option<u32> {
        let highest = self.protocol[1].min(other[1]);
        (highest >= self.protocol[0].max(other[0])).then_some(highest)
    }
}
