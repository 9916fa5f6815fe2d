use std::panic::{AssertUnwindSafe, catch_unwind};

use super::error::{Error, Result};
use super::tx::Tx;

/// A write operation in the queue: its types are known only to itself and to its caller.
pub(super) trait Operation: Send {
    /// Runs it and keeps what it returned; answers whether it succeeded.
    fn run(&mut self, tx: &Tx<'_>) -> bool;

    /// Tells its caller what it returned, or that the store failed.
    fn answer(&mut self, failed: Option<Error>);
}

/// An operation and who is to be told how it ended.
pub(super) struct Told<F, T, E, D> {
    operation: F,
    returned: Option<Result<T, E>>,
    done: Option<D>,
}

impl<F, T, E, D> Told<F, T, E, D> {
    pub(super) fn new(operation: F, done: D) -> Self {
        Self { operation, returned: None, done: Some(done) }
    }
}

impl<F, T, E, D> Operation for Told<F, T, E, D>
where
    F: Fn(&Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<Error> + Send,
    D: FnOnce(Result<T, E>) + Send,
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
        if let Some(done) = self.done.take() {
            // A panic of whoever is told is theirs: what was saved is saved.
            let _ = caught(|| done(answer));
        }
    }
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
