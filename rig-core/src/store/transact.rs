use super::error::{Error, Result};
use super::read::ReadTx;
use super::tx::Tx;
use crate::clock::Clock;
use crate::time::Timestamp;

/// Runs transactions: a [`Store`](super::Store), or something that opens one for as long as a
/// transaction takes.
pub trait Transact {
    /// Runs `operation` in a write transaction and returns its value after the commit.
    ///
    /// The operation may run more than once: it owns what it reads, touches nothing but its
    /// [`Tx`], checks first and writes after. If it fails, nothing of it is left. One that writes
    /// nothing costs no commit.
    ///
    /// # Errors
    ///
    /// What the operation failed with, or the store's own error.
    fn write<T, E>(
        &self,
        operation: impl Fn(&Tx<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<Error> + Send + 'static;

    /// The clock that the store was given.
    fn clock(&self) -> &dyn Clock;

    /// The time now, from that clock.
    fn now(&self) -> Timestamp {
        self.clock().now()
    }

    /// Lends `look` a read transaction that sees every write acknowledged before it began. It uses
    /// the store in no other way meanwhile, and waits for nobody who does: the file is opened again,
    /// compacted and closed only once nobody reads it.
    ///
    /// # Errors
    ///
    /// What `look` failed with, or the store's own error.
    fn read<T, E>(&self, look: impl FnOnce(&ReadTx) -> Result<T, E>) -> Result<T, E>
    where
        E: From<Error>;
}
