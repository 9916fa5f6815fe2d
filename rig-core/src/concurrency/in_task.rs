use tokio::task::AbortHandle;

use super::failure::{self, Failure};

/// Runs work as a task of its own, so that a panic is a failure of that work. Dropping the call
/// drops the work.
pub(super) async fn in_task<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> Result<T, Failure> {
    let task = tokio::spawn(work);
    let _cut = CutOnDrop(task.abort_handle());
    task.await.map_err(failure::of_task)
}

struct CutOnDrop(AbortHandle);

impl Drop for CutOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
