//! Real files and the system's own watcher. What is waited for is told by another watcher.

mod looking;
mod places;
mod watching;
mod world;
