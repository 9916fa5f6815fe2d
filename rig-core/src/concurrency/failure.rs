use std::any::Any;
use std::error::Error;
use std::fmt::Write as _;

use tokio::task::JoinError;

/// Whatever work failed with. Errors and texts become one with `into`.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What to say of it on one line: the error and its causes.
pub(super) fn said(failure: &Failure) -> String {
    let mut said = failure.to_string();
    let mut cause = failure.source();
    while let Some(error) = cause {
        let _ = write!(said, ": {error}");
        cause = error.source();
    }
    said
}

/// The failure of a task that came to no end of its own.
pub(super) fn of_task(error: JoinError) -> Failure {
    match error.try_into_panic() {
        Ok(panic) => of_panic(panic.as_ref()),
        Err(_) => "it was cut off by the end of its runtime".into(),
    }
}

/// The failure that a panic is.
pub(super) fn of_panic(panic: &(dyn Any + Send)) -> Failure {
    let text = panic.downcast_ref::<&str>().copied();
    match text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)) {
        Some(text) => format!("it panicked: {text}").into(),
        None => "it panicked".into(),
    }
}
