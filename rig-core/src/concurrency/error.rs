use std::fmt;

/// Work was asked to end, and did: `aborted`. That is normal, and nothing to log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aborted {
    /// The work, if the [`Abort`](super::Abort) has a name.
    pub name: Option<String>,
}

impl Aborted {
    /// The stable name of the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "aborted"
    }
}

impl fmt::Display for Aborted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "`{name}` was aborted"),
            None => f.write_str("aborted"),
        }
    }
}

impl std::error::Error for Aborted {}

/// A lock was asked for by the very work that runs in it, which would wait for itself:
/// `lock_reentry`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockReentry {
    /// The lock, if it has a name.
    pub name: Option<String>,
}

impl LockReentry {
    /// The stable name of the error.
    #[must_use]
    pub fn code(&self) -> &'static str {
        "lock_reentry"
    }
}

impl fmt::Display for LockReentry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.name {
            Some(name) => write!(f, "the lock `{name}`")?,
            None => f.write_str("the lock")?,
        }
        f.write_str(" is held by the work that asks for it")
    }
}

impl std::error::Error for LockReentry {}

/// Why repeated work ended without a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended<E> {
    /// It was aborted before it began or in a pause.
    #[error(transparent)]
    Aborted(#[from] Aborted),
    /// The last error of the work itself: there was no time left, or it was aborted meanwhile.
    #[error(transparent)]
    Failed(E),
}
