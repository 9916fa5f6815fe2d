use std::collections::{BTreeMap, BTreeSet};

use super::rows::{ACKS, BY_SENDER, IDS, KEYS, MAIL, MAILBOXES, Mailbox, REMEMBERED, key_of};
use super::sender::Sender;
use crate::agent::{compare, finding};
use crate::call_key::CallKey;
use crate::id::{AgentId, MessageId};
use crate::store::{Finding, Read as _, ReadTx, Result};

/// Checks that mailboxes, messages and the index rows of both agree one to one.
///
/// # Errors
///
/// If the store failed, or a record cannot be read.
pub fn agree(read: &ReadTx) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mailboxes: BTreeMap<AgentId, Mailbox> =
        read.page(MAILBOXES, .., usize::MAX)?.into_iter().collect();
    let (mut senders, mut ids, mut keys) = (Vec::new(), Vec::new(), Vec::new());
    let mut index = |agent: AgentId, from: Sender, id: MessageId, key: Option<&CallKey>| {
        ids.push((agent, (from, id)));
        keys.extend(key.map(|key| key_of(agent, from, key)));
    };
    let mut after: Option<(AgentId, u64)> = None;
    loop {
        let from = after.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        let rows = read.page(MAIL, (from, std::ops::Bound::Unbounded), 500)?;
        let Some(&(last, _)) = rows.last() else { break };
        after = Some(last);
        for ((agent, seq), stored) in rows {
            let message = &stored.message;
            let mailbox = mailboxes.get(&agent).copied().unwrap_or_default();
            if message.seq != seq || seq > mailbox.newest() || seq <= mailbox.pruned {
                findings.push(finding(MAIL, &(agent, seq), "its mailbox has no such number"));
            }
            senders.push((agent, (message.from.sender(), seq)));
            index(agent, message.from.sender(), message.id, stored.key.as_ref());
        }
    }
    for ((agent, _), kept) in read.page(REMEMBERED, .., usize::MAX)? {
        index(agent, kept.from, kept.id, kept.key.as_ref());
    }
    compare(read, &mut findings, BY_SENDER, senders.into_iter())?;
    compare(read, &mut findings, IDS, ids.into_iter())?;
    compare(read, &mut findings, KEYS, keys.into_iter())?;
    for (agent, mailbox) in &mailboxes {
        let Mailbox { handed, acked, pruned, bytes, acked_bytes, .. } = *mailbox;
        if handed > mailbox.newest() || acked > handed || pruned > acked || acked_bytes > bytes {
            findings.push(finding(MAILBOXES, agent, "its numbers are not in order"));
        }
    }
    let acked: BTreeSet<(AgentId, u64)> =
        read.page(ACKS, .., usize::MAX)?.into_iter().map(|(place, _)| place).collect();
    for place in acked {
        let mailbox = mailboxes.get(&place.0).copied().unwrap_or_default();
        if place.1 > mailbox.acked || place.1 <= mailbox.pruned {
            findings.push(finding(ACKS, &place, "its mailbox has no such acknowledgement"));
        }
    }
    Ok(findings)
}
