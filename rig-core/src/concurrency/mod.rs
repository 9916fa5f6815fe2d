//! Small functions for asynchronous work, over tokio's clock: taking turns, waiting, repeating,
//! loops in the background, and ending it all in order. With feature `tokio`.
//!
//! Nothing here is durable, and a delay stops while the machine sleeps. There is no global state: a
//! lock, an [`Abort`], a [`GracefulShutdown`] is made once and handed to whoever needs it. No
//! callback is called while a lock of this module is held.
//!
//! ```
//! use std::convert::Infallible;
//! use std::sync::Arc;
//! use std::sync::atomic::{AtomicU32, Ordering};
//! use std::time::Duration;
//!
//! use rig_core::concurrency::{Forever, SHUTDOWN_LIMIT, abort, forever, graceful_shutdown};
//!
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! let shutdown = graceful_shutdown(abort());
//! let passes = Arc::new(AtomicU32::new(0));
//! let counted = Arc::clone(&passes);
//! let every = Duration::from_mins(15);
//! tokio::spawn(forever(
//!     Forever { shutdown: Some(shutdown.clone()), ..Forever::new("weather", every) },
//!     move || {
//!         let counted = Arc::clone(&counted);
//!         async move {
//!             counted.fetch_add(1, Ordering::Relaxed);
//!             Ok::<_, Infallible>(())
//!         }
//!     },
//! ));
//! tokio::time::sleep(Duration::from_hours(1)).await;
//! assert_eq!(passes.load(Ordering::Relaxed), 4);
//!
//! let report = shutdown.shutdown(SHUTDOWN_LIMIT).await;
//! assert!(report.timed_out.is_empty() && report.failed.is_empty());
//! # }
//! ```

mod abort;
mod async_lock;
mod async_locks;
mod backoff;
mod delay;
mod error;
mod failure;
mod forever;
mod graceful_shutdown;
mod in_task;
mod loops;
mod retry;

pub use abort::{Abort, abort};
pub use async_lock::{AsyncLock, async_lock, async_queue};
pub use async_locks::{AsyncLocks, async_locks};
pub use backoff::{Backoff, backoff};
pub use delay::{delay, delay_or_abort};
pub use error::{Aborted, Ended, LockReentry};
pub use failure::Failure;
pub use forever::{Forever, Next, forever};
pub use graceful_shutdown::{
    Failed, GracefulShutdown, Registered, SHUTDOWN_LIMIT, ShutdownReport, graceful_shutdown,
};
pub use loops::{LoopState, LoopStatus};
pub use retry::{Retry, retry};
