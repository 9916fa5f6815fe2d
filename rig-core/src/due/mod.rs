//! What is due when: the index by which a process that leads finds the first of a million times.
//!
//! A crate arms a time for a thing of its own, named by its [`Owner`] and the bits of its ID. A time
//! is either one of the wall clock, or so much elapsed time, which is measured on the clock that
//! counts from the start of the machine and cannot be set. Only pending work has a row, and exactly
//! one.
//!
//! After a restart of the machine the wall clock tells once how much of an elapsed time is left, and
//! the new start's clock measures that: [`anchor`]. Nothing that is measured so is due before.

mod agree;
mod anchor;
mod arm;
mod pending;
mod rows;
mod take;
mod thing;

pub use agree::{TABLES, agree, armed};
pub use anchor::anchor;
pub use arm::{When, arm, disarm};
pub use pending::pending_by_owner;
pub use take::{Taken, is_armed, is_due, next, taken};
pub use thing::{Due, Owner};
