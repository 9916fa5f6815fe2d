use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::error::{Error, Result};
use super::tx::Tx;

/// A write operation in the queue: its types are known only to itself and to its caller.
pub(super) trait Operation: Send {
    /// Runs it and keeps what it returned; answers whether it succeeded.
    fn run(&mut self, tx: &Tx<'_>) -> bool;

    /// Tells its caller what it returned, or that the store failed.
    fn answer(&mut self, failed: Option<Error>);
}

struct Waiting<F, T, E> {
    operation: F,
    returned: Option<Result<T, E>>,
    caller: SyncSender<Result<T, E>>,
}

impl<F, T, E> Operation for Waiting<F, T, E>
where
    F: Fn(&Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
{
    fn run(&mut self, tx: &Tx<'_>) -> bool {
        // What the operation owns may be half-changed after a panic, and so it is not run again.
        let returned = caught(|| (self.operation)(tx)).unwrap_or_else(|panic| Err(panic.into()));
        self.returned.insert(returned).is_ok()
    }

    fn answer(&mut self, failed: Option<Error>) {
        let answer = match (failed, self.returned.take()) {
            (Some(error), _) => Err(error.into()),
            (None, Some(returned)) => returned,
            (None, None) => Err(Error::internal("an operation was answered before it ran").into()),
        };
        // A caller that is gone needs no answer.
        let _ = self.caller.try_send(answer);
    }
}

/// The operation as the writer queues it, and where its caller waits for the answer.
pub(super) fn waiting<T, E>(
    operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
) -> (Box<dyn Operation>, Receiver<Result<T, E>>)
where
    T: Send + 'static,
    E: From<Error> + Send + 'static,
{
    let (caller, answer) = sync_channel(1);
    (Box::new(Waiting { operation, returned: None, caller }), answer)
}

/// What `work` returns, or its panic as an error. What `work` was changing is not used again.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let said = panic
            .downcast_ref::<&str>()
            .copied()
            .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Error::internal(format_args!("panicked: {}", said.unwrap_or("no message")))
    })
}
