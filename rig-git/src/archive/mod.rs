//! What an archive takes with it: the lost-work report, saving the work, deleting the folder.

mod apply;
mod branch;
mod checkout;
mod clean;
mod ignored;
mod index;
mod lost;
mod removing;
mod save;
mod status;

pub(crate) use apply::apply;
pub(crate) use branch::delete_branch;
pub(crate) use checkout::is_half_removed;
pub(crate) use clean::{Removed, note_rest, remove_checkout, remove_folder};
pub(crate) use lost::lost;
pub use lost::{Dirty, Ignored, Lost};
pub(crate) use save::save;
