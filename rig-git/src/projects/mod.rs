//! Projects: folders Rig has been pointed at.

mod add;
mod edit;
mod find;
mod meant;
mod name;
mod support;
mod trunk;

pub use add::add;
pub(crate) use edit::place_after;
pub use edit::{archive, get, list, rename, reorder};
pub use find::{around, find};
pub use meant::meant;
pub(crate) use support::{disproved, usable};
pub(crate) use trunk::trunk_of;
