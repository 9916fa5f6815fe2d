//! What a long operation tells while it runs; it is only ever shown.

use rig_core::workspace::StepName;

/// Something worth showing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Progress<'a> {
    /// A step begins; setup commands count from 1.
    Step(StepName, Option<u32>),
    /// So many files of so many are checked out.
    Files {
        /// Files written.
        done: u64,
        /// Files to write.
        total: u64,
    },
    /// The last line a command printed.
    Output(&'a str),
    /// Waits for its turn, since another `rig` works in the repository.
    Waiting,
}
