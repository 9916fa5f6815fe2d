use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock};

use redb::WriteTransaction;

use super::clock_step::stepped;
use super::error::{Error, Result};
use super::opened::Opened;
use super::operation::{Operation, caught};
use super::options::Options;
use super::schema;
use super::space::Space;
use super::tx::Tx;
use crate::failpoint;

/// Bytes of keys and values after which a transaction takes no further operation.
const BYTES: usize = 1 << 20;

/// Transactions dropped for failed operations, after which the rest commit one by one.
const DROPS: usize = 3;

/// Runs operations in order in one transaction, commits it and answers them; `committed` is told
/// before, how many events there are. Nobody is told anything while the file is lent. Operations
/// that no longer fit are left in `queued`.
///
/// # Errors
///
/// If the store failed. Then those whose fate is unknown are back in `queued`.
pub(super) fn commit(
    opened: &RwLock<Result<Opened>>,
    options: &Options,
    space: &Space,
    queued: &mut VecDeque<Box<dyn Operation>>,
    committed: impl Fn(usize),
) -> Result<()> {
    let mut done = Vec::new();
    let mut drops = 0;
    while !queued.is_empty() || space.has_news() {
        let ended = caught(|| {
            let opened = opened.read().unwrap_or_else(PoisonError::into_inner);
            let opened = opened.as_ref().map_err(Clone::clone)?;
            transaction(opened, options, space, queued, &mut done, drops < DROPS)
        });
        // Whatever panicked beneath an operation, nobody knows what it saved.
        match ended.unwrap_or_else(|panic| Err(Error::failed(panic))) {
            Ok(Ended::Committed { events }) => {
                committed(events);
                done.drain(..).for_each(|mut operation| operation.answer(None));
                if drops < DROPS {
                    break;
                }
            }
            Ok(Ended::Spoiled(mut spoiler)) => {
                spoiler.answer(None);
                drops += 1;
                // The others run again, in order, without it.
                done.drain(..).rev().for_each(|operation| queued.push_front(operation));
            }
            Err(error) => {
                done.drain(..).rev().for_each(|operation| queued.push_front(operation));
                return Err(error);
            }
        }
    }
    Ok(())
}

enum Ended {
    /// What ran is saved, or wrote nothing.
    Committed { events: usize },
    /// Nothing is saved, for this operation failed after it wrote.
    Spoiled(Box<dyn Operation>),
}

/// One transaction. The operations it ran are moved to `done`.
fn transaction(
    opened: &Opened,
    options: &Options,
    space: &Space,
    queued: &mut VecDeque<Box<dyn Operation>>,
    done: &mut Vec<Box<dyn Operation>>,
    together: bool,
) -> Result<Ended> {
    let transaction = opened.redb.begin_write().map_err(Error::storage)?;
    let tx = Tx::new(&transaction, options.clock.now(), Some(&opened.deferred));
    let (mut wrote, mut bytes, mut events) = (false, 0, 0);
    while let Some(mut operation) = queued.pop_front() {
        tx.begin(options.clock.now(), space.refusal());
        let succeeded = operation.run(&tx);
        if let Some(error) = tx.broken() {
            // Whatever the operation made of it.
            done.push(operation);
            return Err(error);
        }
        wrote |= tx.wrote();
        bytes += tx.bytes();
        events += tx.events();
        if !succeeded && tx.wrote() {
            drop(tx);
            if let Err(error) = abort(transaction) {
                done.push(operation);
                return Err(error);
            }
            return Ok(Ended::Spoiled(operation));
        }
        done.push(operation);
        if bytes >= BYTES || !together {
            break;
        }
    }
    let signed = wrote || space.has_news();
    if signed {
        tx.begin(options.clock.now(), None);
        sign(opened, space, &tx)?;
        events += tx.events();
    }
    drop(tx);
    if signed {
        failpoint!("batch.before_commit");
        opened.commit(transaction, options)?;
        space.told();
        failpoint!("batch.after_commit");
    } else {
        abort(transaction)?;
    }
    Ok(Ended::Committed { events })
}

/// What each commit tells: its time, whether the clock went back since the one before this opening,
/// and whether there was no room for one.
fn sign(opened: &Opened, space: &Space, tx: &Tx<'_>) -> Result<()> {
    space.tell(tx)?;
    if let Some(ms) = opened.clock_stepped() {
        stepped(tx, ms)?;
    }
    schema::stamp(tx)
}

fn abort(transaction: WriteTransaction) -> Result<()> {
    transaction.abort().map_err(Error::storage)
}
