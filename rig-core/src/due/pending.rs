use super::rows::PENDING;
use super::thing::Owner;
use crate::store::{Read, Result, Tx};

/// How many things each owner has armed, those of owners that this build does not know too. It costs
/// the same however many they are.
///
/// # Errors
///
/// If the store failed.
pub fn pending_by_owner(r: &impl Read) -> Result<Vec<(Owner, u64)>> {
    r.page(PENDING, .., usize::MAX)
}

pub(super) fn more(tx: &Tx<'_>, owner: Owner) -> Result<()> {
    let pending = tx.get(PENDING, &owner)?.unwrap_or(0);
    tx.put(PENDING, &owner, &(pending + 1))
}

pub(super) fn fewer(tx: &Tx<'_>, owner: Owner) -> Result<()> {
    match tx.get(PENDING, &owner)? {
        Some(pending @ 2..) => tx.put(PENDING, &owner, &(pending - 1)),
        _ => tx.remove(PENDING, &owner).map(drop),
    }
}
