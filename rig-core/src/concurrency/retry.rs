use std::time::Duration;

use super::abort::Abort;
use super::backoff::{Backoff, backoff};
use super::error::Ended;

/// How [`retry`] repeats: as [`Backoff`], with a time-out.
pub struct Retry<'a, E> {
    /// Since the call: no pause is begun that would end then or later; 30 s.
    pub timeout: Duration,
    /// The first pause; 500 ms.
    pub first: Duration,
    /// How many times longer each pause is than the one before; 2.
    pub factor: u32,
    /// The longest pause; 60 s.
    pub cap: Duration,
    /// Ends it before its start and in a pause; it never cuts off the work.
    pub abort: Abort,
    /// Told of each error of the work and the number of the attempt, from 1.
    pub on_error: Option<Box<dyn FnMut(&E, u32) + Send + 'a>>,
}

impl<E> Default for Retry<'_, E> {
    fn default() -> Self {
        let Backoff { first, factor, cap, timeout: _, abort, on_error } = Backoff::default();
        Self { timeout: Duration::from_secs(30), first, factor, cap, abort, on_error }
    }
}

/// Repeats `work` as [`backoff`] does, for 30 s at most: after that its last error is returned. A
/// running attempt is not cut off.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use rig_core::concurrency::{Ended, Retry, retry};
///
/// let answer = retry(Retry::default(), || async { Err::<(), _>("nobody is there") });
/// assert_eq!(answer.await, Err(Ended::Failed("nobody is there")));
/// # }
/// ```
///
/// # Errors
///
/// Those of [`backoff`].
pub fn retry<W, F, T, E>(
    options: Retry<'_, E>,
    work: W,
) -> impl Future<Output = Result<T, Ended<E>>>
where
    W: FnMut() -> F,
    F: Future<Output = Result<T, E>>,
{
    let Retry { timeout, first, factor, cap, abort, on_error } = options;
    backoff(Backoff { first, factor, cap, timeout: Some(timeout), abort, on_error }, work)
}
