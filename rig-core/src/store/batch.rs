use std::collections::VecDeque;

use redb::{Database, WriteTransaction};

use super::error::{Error, Result};
use super::operation::Operation;
use super::tx::Tx;
use crate::clock::Clock;

/// Bytes of keys and values after which a transaction takes no further operation.
const BYTES: usize = 1 << 20;

/// Transactions dropped for failed operations, after which the rest commit one by one.
const DROPS: usize = 3;

/// Runs operations in order in one transaction, commits it and answers them. Those that no longer
/// fit are left in `queued`.
///
/// # Errors
///
/// If the store failed. Then whoever was in the transaction has been told.
pub(super) fn commit(
    redb: &Database,
    clock: &dyn Clock,
    queued: &mut VecDeque<Box<dyn Operation>>,
) -> Result<()> {
    let mut done = Vec::new();
    let mut drops = 0;
    while !queued.is_empty() {
        match transaction(redb, clock, queued, &mut done, drops < DROPS) {
            Ok(Some(mut spoiler)) => {
                spoiler.answer(None);
                drops += 1;
                // The others run again, in order, without it.
                while let Some(operation) = done.pop() {
                    queued.push_front(operation);
                }
            }
            Ok(None) => {
                done.drain(..).for_each(|mut operation| operation.answer(None));
                if drops < DROPS {
                    break;
                }
            }
            Err(error) => {
                done.drain(..).for_each(|mut operation| operation.answer(Some(error.clone())));
                return Err(error);
            }
        }
    }
    Ok(())
}

/// One transaction. The operations it ran are moved to `done`; one that failed after it wrote is
/// returned instead, and nothing is committed.
fn transaction(
    redb: &Database,
    clock: &dyn Clock,
    queued: &mut VecDeque<Box<dyn Operation>>,
    done: &mut Vec<Box<dyn Operation>>,
    together: bool,
) -> Result<Option<Box<dyn Operation>>> {
    let transaction = redb.begin_write().map_err(Error::storage);
    let transaction = transaction.inspect_err(|_| done.extend(queued.pop_front()))?;
    let mut bytes = 0;
    while let Some(mut operation) = queued.pop_front() {
        let tx = Tx::new(&transaction, clock.now());
        let succeeded = operation.run(&tx);
        let wrote = tx.wrote();
        bytes += tx.bytes();
        if !succeeded && wrote {
            abort(transaction)?;
            return Ok(Some(operation));
        }
        done.push(operation);
        if bytes >= BYTES || !together {
            break;
        }
    }
    if bytes == 0 {
        abort(transaction)?;
    } else {
        transaction.commit().map_err(Error::storage)?;
    }
    Ok(None)
}

fn abort(transaction: WriteTransaction) -> Result<()> {
    transaction.abort().map_err(Error::storage)
}
