use std::time::Duration;

use tokio::time;

use super::abort::Abort;
use super::error::Aborted;

/// Waits, and nothing else. The wait stands still while the machine sleeps.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
///
/// rig_core::concurrency::delay(Duration::from_secs(5)).await;
/// # }
/// ```
pub async fn delay(duration: Duration) {
    time::sleep(duration).await;
}

/// Waits, or until `abort` fires: at once if it has fired already, even for no time at all.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
///
/// use rig_core::concurrency::{abort, delay_or_abort};
///
/// let abort = abort().named("nightly");
/// assert_eq!(delay_or_abort(Duration::from_secs(5), &abort).await, Ok(()));
/// abort.abort();
/// let error = delay_or_abort(Duration::ZERO, &abort).await.unwrap_err();
/// assert_eq!((error.code(), error.to_string()), ("aborted", "`nightly` was aborted".to_owned()));
/// # }
/// ```
///
/// # Errors
///
/// [`Aborted`], which is normal: the level that cares handles it or passes it on.
pub async fn delay_or_abort(duration: Duration, abort: &Abort) -> Result<(), Aborted> {
    // Of the two, the flag is looked at first.
    match time::timeout(duration, abort.aborted()).await {
        Ok(()) => Err(abort.error()),
        Err(_) => Ok(()),
    }
}
