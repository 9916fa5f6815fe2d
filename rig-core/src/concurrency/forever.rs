use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::abort::Abort;
use super::backoff::{Backoff, backoff};
use super::error::Aborted;
use super::failure::{self, Failure};
use super::graceful_shutdown::{GracefulShutdown, Registered};
use super::in_task::in_task;
use super::loops::{Loops, Shown};

/// How [`forever`] runs its passes.
pub struct Forever {
    /// The loop's name, in the status and in what a shutdown waits for.
    pub name: String,
    /// From the end of a pass to the start of the next, unless the pass says otherwise.
    pub every: Duration,
    /// Whether the first pass waits as long as a later one would; it does not.
    pub delay_first: bool,
    /// Ends the loop once the running pass, if there is one, has ended.
    pub abort: Abort,
    /// Where the loop is registered and shown until it has returned. A shutdown fires `abort` and
    /// waits for it.
    pub shutdown: Option<GracefulShutdown>,
    /// Ends the wait for the next pass early, with [`Notify::notify_one`]. One during a pass is kept,
    /// so that another pass follows at once; one while a failed pass backs off is kept too, and does
    /// not hurry it.
    pub wake: Arc<Notify>,
    /// Told of each failed pass, and how many have failed in a row.
    pub on_error: Option<Box<dyn FnMut(&Failure, u32) + Send>>,
}

impl Forever {
    /// A loop that nobody ends, shows or wakes.
    #[must_use]
    pub fn new(name: &str, every: Duration) -> Self {
        Self {
            name: name.to_owned(),
            every,
            delay_first: false,
            abort: Abort::default(),
            shutdown: None,
            wake: Arc::default(),
            on_error: None,
        }
    }
}

/// When the next pass begins, counted from the end of this one. `()` and a duration become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// After [`Forever::every`].
    Every,
    /// After this long.
    After(Duration),
}

impl From<()> for Next {
    fn from((): ()) -> Self {
        Self::Every
    }
}

impl From<Duration> for Next {
    fn from(pause: Duration) -> Self {
        Self::After(pause)
    }
}

/// Runs `work` in passes until it is aborted, each pass a task of its own. A pass that fails or
/// panics is repeated with the pauses of [`backoff`]; no failure ends the loop.
///
/// A pass returns `Ok(())`, and the next one begins after `every`, or `Ok(duration)`, and it begins
/// after that. On abort the running pass ends, then this returns; aborted before the start, or with
/// a shutdown that has begun, it makes no pass. Dropping the loop drops the running pass.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use rig_core::concurrency::{Forever, abort, delay, forever};
/// use tokio::sync::{Notify, mpsc};
///
/// let (abort, wake) = (abort(), Arc::new(Notify::new()));
/// let (passes, mut seen) = mpsc::unbounded_channel();
/// let options = Forever {
///     abort: abort.clone(),
///     wake: Arc::clone(&wake),
///     ..Forever::new("clock", Duration::from_secs(60))
/// };
/// let begun = tokio::time::Instant::now();
/// let clock = tokio::spawn(forever(options, move || {
///     let passes = passes.clone();
///     async move { passes.send(begun.elapsed().as_secs()) }
/// }));
/// delay(Duration::from_secs(90)).await;
/// wake.notify_one();
/// delay(Duration::from_secs(75)).await;
/// abort.abort();
/// clock.await.unwrap();
/// for second in [0, 60, 90, 150] {
///     assert_eq!(seen.recv().await, Some(second));
/// }
/// assert_eq!(seen.recv().await, None);
/// # }
/// ```
pub fn forever<W, F, N, E>(options: Forever, mut work: W) -> impl Future<Output = ()>
where
    W: FnMut() -> F,
    F: Future<Output = Result<N, E>> + Send + 'static,
    N: Into<Next> + Send + 'static,
    E: Into<Failure> + Send + 'static,
{
    let Forever { name, every, delay_first, abort, shutdown, wake, mut on_error } = options;
    // From the call on, so that a shutdown waits for a loop that has not had its turn yet.
    let place = Place::of(&name, &abort, shutdown.as_ref());
    async move {
        let Ok(place) = place else { return };
        let shown = &place.shown;
        if delay_first {
            nap(every, &abort, &wake).await;
        }
        loop {
            let told = Backoff {
                abort: abort.clone(),
                on_error: Some(Box::new(|error: &Failure, attempt| {
                    shown.failed(failure::said(error));
                    if let Some(on_error) = &mut on_error {
                        // A panic of the callback is no reason to end the loop.
                        let _ = catch_unwind(AssertUnwindSafe(|| on_error(error, attempt)));
                    }
                })),
                ..Backoff::default()
            };
            let pass = backoff(told, || {
                shown.running();
                // The call belongs to the pass, and may panic as well.
                let work = catch_unwind(AssertUnwindSafe(&mut work));
                async {
                    let work = work.map_err(|panic| failure::of_panic(&*panic))?;
                    in_task(async { work.await.map(N::into).map_err(E::into) }).await?
                }
            });
            let Ok(next) = pass.await else { return };
            shown.succeeded();
            shown.sleeping();
            let pause = match next {
                Next::Every => every,
                Next::After(pause) => pause,
            };
            nap(pause, &abort, &wake).await;
        }
    }
}

/// Waits until it is time, or the loop is aborted or woken.
async fn nap(pause: Duration, abort: &Abort, wake: &Notify) {
    let (mut aborted, mut woken) = (pin!(abort.aborted()), pin!(wake.notified()));
    let early = poll_fn(|cx| {
        if aborted.as_mut().poll(cx).is_ready() {
            return Poll::Ready(());
        }
        woken.as_mut().poll(cx)
    });
    // However it ends, the next pass finds out whether there is to be one.
    let _ = timeout(pause, early).await;
}

/// Where a loop is shown, and what a shutdown waits for; given up once the loop is dropped.
struct Place {
    shown: Shown,
    /// Dropping it tells the shutdown that the loop has returned.
    _returned: oneshot::Sender<()>,
    _registered: Option<Registered>,
}

impl Place {
    fn of(name: &str, abort: &Abort, shutdown: Option<&GracefulShutdown>) -> Result<Self, Aborted> {
        let (returned, waiting) = oneshot::channel::<()>();
        let Some(shutdown) = shutdown else {
            let shown = Arc::new(Loops::default()).show(name);
            return Ok(Self { shown, _returned: returned, _registered: None });
        };
        let abort = abort.clone();
        let registered = shutdown.register(name, move || async move {
            abort.abort();
            let _ = waiting.await;
            Ok::<_, Failure>(())
        })?;
        let shown = shutdown.show(name);
        Ok(Self { shown, _returned: returned, _registered: Some(registered) })
    }
}
