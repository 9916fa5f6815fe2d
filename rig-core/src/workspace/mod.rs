//! The record of a workspace, and the changes it may go through.

mod change;
mod record;

pub use change::IllegalChange;
pub use record::{
    Base, Checkout, DeleteBranch, Kind, Origin, Outcome, SavedWork, SeenHead, Status, Step,
    StepName, StoredError, Workspace,
};
