//! What goes over the socket: JSON lines, in UTF-8.
//!
//! A client begins with a hello and is welcomed, put off while the store is being opened, or refused.
//! Then it sends requests, each with an ID of its own, and gets answers in any order. An answer that
//! does not fit into a frame comes in parts, as a stream does. A leader that leaves says so, and
//! whoever has no answer yet asks the next one, with the same IDs.

mod build;
mod failure;
mod frame;
mod message;
mod parts;

pub use build::Build;
pub use failure::Failure;
pub use frame::{FRAME, Frames, TooLarge, encode};
pub use message::{Answer, Credentials, Greeting, Hello, Opening, Request, Welcome};
pub(crate) use parts::{Parts, apart};
