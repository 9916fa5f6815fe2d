use std::sync::Arc;

use tokio::sync::watch;

use super::error::Aborted;

/// A flag that asks work to end. Clones share the flag; once set it stays set.
#[derive(Clone, Debug, Default)]
pub struct Abort {
    name: Option<Arc<str>>,
    fired: watch::Sender<bool>,
}

/// An [`Abort`] that has not fired.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let abort = rig_core::concurrency::abort();
/// let shared = abort.clone();
/// assert!(!abort.is_aborted());
/// shared.abort();
/// abort.aborted().await;
/// assert!(abort.is_aborted());
/// # }
/// ```
#[must_use]
pub fn abort() -> Abort {
    Abort::default()
}

impl Abort {
    /// The same flag under the name of the work that it ends, which its errors then tell.
    #[must_use]
    pub fn named(&self, name: &str) -> Self {
        Self { name: Some(name.into()), fired: self.fired.clone() }
    }

    /// Fires, once for all.
    pub fn abort(&self) {
        self.fired.send_replace(true);
    }

    /// Whether it has fired.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        *self.fired.borrow()
    }

    /// Waits until it fires; at once if it has.
    pub async fn aborted(&self) {
        // The flag is held here, so waiting for it cannot fail.
        let _ = self.fired.subscribe().wait_for(|fired| *fired).await;
    }

    pub(super) fn error(&self) -> Aborted {
        Aborted { name: self.name.as_deref().map(str::to_owned) }
    }
}
