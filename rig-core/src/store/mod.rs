//! One file, one writer, one transaction for what belongs together.
//!
//! What was acknowledged is on disk: no kill and no power cut loses it. A change and its event are
//! one transaction, and nobody is told of either before it is committed.

mod ballast;
mod batch;
mod check;
mod clock_step;
mod compact;
mod cursor;
mod deferred;
mod dump;
mod error;
mod file;
pub mod journal;
mod key;
mod known;
mod live;
mod opened;
mod operation;
mod options;
mod overlay;
mod quarantine;
mod read;
mod read_only;
mod redact;
mod schema;
mod space;
mod subscription;
mod table;
mod transact;
mod tx;
mod writer;

pub use check::{Check, Finding};
pub use clock_step::clock_step;
pub use compact::Compacted;
pub use cursor::Cursor;
pub use dump::DumpLine;
pub use error::{Error, Result};
pub use journal::Event;
pub use key::Key;
pub use known::KnownTable;
pub use live::Store;
pub use options::{FreeSpace, Migration, Options, Progress};
pub use read::{RawRow, Read, ReadTx};
pub use read_only::ReadOnly;
pub use subscription::{Listening, Subscription};
pub use table::{Record, Table};
pub use transact::Transact;
pub use tx::Tx;
