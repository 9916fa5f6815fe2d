use std::time::Duration;

use tokio::time::Instant;

use super::abort::Abort;
use super::delay::delay_or_abort;
use super::error::Ended;

/// How [`backoff`] repeats.
pub struct Backoff<'a, E> {
    /// The first pause; 500 ms.
    pub first: Duration,
    /// How many times longer each pause is than the one before; 2.
    pub factor: u32,
    /// The longest pause; 60 s.
    pub cap: Duration,
    /// Since the call: no pause is begun that would end then or later. None: it goes on for ever.
    pub timeout: Option<Duration>,
    /// Ends it before its start and in a pause; it never cuts off the work.
    pub abort: Abort,
    /// Told of each error of the work and the number of the attempt, from 1.
    pub on_error: Option<Box<dyn FnMut(&E, u32) + Send + 'a>>,
}

impl<E> Default for Backoff<'_, E> {
    fn default() -> Self {
        Self {
            first: Duration::from_millis(500),
            factor: 2,
            cap: Duration::from_mins(1),
            timeout: None,
            abort: Abort::default(),
            on_error: None,
        }
    }
}

/// Repeats `work` until it succeeds, with growing pauses: 0.5, 1, 2, 4 ... 32, 60, 60 ... seconds.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use rig_core::concurrency::{Backoff, backoff};
///
/// let mut calls = 0;
/// let begun = tokio::time::Instant::now();
/// let value = backoff(Backoff::default(), || {
///     calls += 1;
///     let call = calls;
///     async move { if call < 4 { Err("not yet") } else { Ok(call) } }
/// });
/// assert_eq!(value.await, Ok(4));
/// assert_eq!(begun.elapsed().as_millis(), 500 + 1000 + 2000);
/// # }
/// ```
///
/// # Errors
///
/// [`Ended::Aborted`] if it was aborted before its start or in a pause; then `work` is not called any
/// more. [`Ended::Failed`], the last error of the work, if it was aborted during the work, or if
/// there is no time for the next pause.
pub fn backoff<W, F, T, E>(
    mut options: Backoff<'_, E>,
    mut work: W,
) -> impl Future<Output = Result<T, Ended<E>>>
where
    W: FnMut() -> F,
    F: Future<Output = Result<T, E>>,
{
    let called = Instant::now();
    async move {
        if options.abort.is_aborted() {
            return Err(options.abort.error().into());
        }
        let mut pause = options.first.min(options.cap);
        for attempt in 1.. {
            let error = match work().await {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            if let Some(on_error) = &mut options.on_error {
                on_error(&error, attempt);
            }
            let next = called.elapsed().saturating_add(pause);
            if options.abort.is_aborted() || options.timeout.is_some_and(|limit| next >= limit) {
                return Err(Ended::Failed(error));
            }
            delay_or_abort(pause, &options.abort).await?;
            pause = pause.saturating_mul(options.factor).min(options.cap);
        }
        unreachable!("attempts do not run out")
    }
}
