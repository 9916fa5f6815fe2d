//! What an archive takes with it: the lost-work report, saving the work, deleting the folder.

mod clean;
mod lost;
mod save;

pub(crate) use clean::{Removed, delete_branch, remove_folder};
pub use lost::{Dirty, Ignored, Lost};
pub(crate) use save::{apply, save};
