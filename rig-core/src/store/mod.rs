//! One file, one writer, one transaction for what belongs together.

mod error;
mod journal;
mod key;
mod read;
mod table;
mod transact;
mod tx;

pub use error::{Error, Result};
pub use journal::Event;
pub use key::Key;
pub use read::{RawRow, Read, ReadTx};
pub use table::{Record, Table};
pub use transact::{Options, Store, Transact};
pub use tx::Tx;
