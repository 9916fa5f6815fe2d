use std::collections::BTreeMap;

use rig_core::due;
use rig_core::store::Transact as _;
use rig_git::workspaces;

use crate::node::error::{Error, Result};
use crate::node::leader::Core;

/// What is pending, by what it is.
pub(in crate::node) type Pending = BTreeMap<String, u64>;

/// Waits for time: nobody is missed while they go on.
const WAIT: &str = "wait";

impl Core {
    /// The work that is pending. What failed in this process is none: nobody tries it again before
    /// somebody asks.
    pub(in crate::node) fn pending(&self) -> Result<Pending> {
        let (mut pending, workspaces) = self.store.read(|read| {
            let armed = due::pending_by_owner(read)?.into_iter();
            let armed = armed.map(|(owner, count)| (owner.name().to_owned(), count));
            Ok::<_, Error>((armed.collect::<Pending>(), workspaces::pending(read)?))
        })?;
        // A person's presence changes with nobody there as well.
        pending.remove("presence");
        let workspaces = workspaces.iter().filter(|row| !self.works.gave_up(row.id)).count();
        pending.insert("workspace".to_owned(), workspaces as u64);
        pending.retain(|_, count| *count > 0);
        Ok(pending)
    }

    /// Whether there is work that somebody should stay for.
    pub(in crate::node) fn leaves_work(&self) -> Result<bool> {
        Ok(self.pending()?.keys().any(|owner| owner != WAIT))
    }
}
