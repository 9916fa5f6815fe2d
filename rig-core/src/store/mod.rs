//! One file, one writer, one transaction for what belongs together.

mod batch;
mod error;
mod journal;
mod key;
mod open;
mod operation;
mod read;
mod table;
mod transact;
mod tx;
mod writer;

pub use error::{Error, Result};
pub use journal::Event;
pub use key::Key;
pub use open::{Options, Store};
pub use read::{RawRow, Read, ReadTx};
pub use table::{Record, Table};
pub use transact::Transact;
pub use tx::Tx;
