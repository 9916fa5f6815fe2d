//! Deletes a tree through opened folders: a link goes, its target stays.

mod folder;
mod remove;
#[cfg(test)]
mod tests;

pub(crate) use remove::{remove, remove_in};
