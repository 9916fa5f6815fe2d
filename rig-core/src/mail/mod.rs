//! Mail between agents: a mailbox for each, in order, read at least once.
//!
//! A message is put into its mailbox in one transaction with its event, and whatever else is to
//! happen then. The number it gets there has no gaps and is the order of the commits, so what one
//! sender sends one after the other arrives in that order. What is not acknowledged is handed out
//! again.

mod agree;
mod body;
mod deliver;
mod error;
mod fetch;
mod frame;
mod message;
mod post;
mod prune;
mod rows;
mod send;
mod sender;
mod shown;

pub use agree::agree;
pub use body::{Body, MAX_BODY};
pub use deliver::{Delivered, MAX_BYTES, MAX_FROM_SENDER, MAX_MESSAGES, deliver};
pub use error::{Error, Full, Result};
pub use fetch::{FETCHED, Fetched, MAX_FETCHED, ack, fetch, fetch_after};
pub use message::{Kind, Message, NewMessage, Reception};
pub use post::Post;
pub use rows::{Mailbox, TABLES, mailbox};
pub use send::send;
pub use sender::{Origin, Sender};
pub use shown::{From, Shown};
