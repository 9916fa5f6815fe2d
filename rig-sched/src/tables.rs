use rig_core::store::{Finding, KnownTable, ReadTx, Result};

use crate::{messages, waits};

/// The tables of this crate, for the tools that look at a whole store.
pub const TABLES: &[KnownTable] = &{
    let [a, b, c, d, e] = waits::TABLES;
    let [f, g, h, i, j, k] = messages::TABLES;
    [a, b, c, d, e, f, g, h, i, j, k]
};

/// Checks that the records of waits and messages, their rows and their times agree one to one.
///
/// # Errors
///
/// If the store failed, or a row cannot be read.
pub fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut findings = waits::agree(read)?;
    findings.extend(messages::agree(read)?);
    Ok(findings)
}
