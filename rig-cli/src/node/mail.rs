use std::sync::Arc;

use rig_core::agent::{self, View};
use rig_core::id::{AgentId, MessageId};
use rig_core::mail::{self, Body, FETCHED, Fetched, NewMessage, Reception};
use rig_core::store::Transact as _;
use rig_sched::waits;
use tokio::time::timeout;

use super::agents::parsed;
use super::error::{Error, Result};
use super::leader::{Handle, Hold, Items, Session, blocking};
use crate::operations::{
    AckedMail, AgentAck, AgentFollow, AgentReceive, AgentSend, Followed, Mail, OneMessage,
    SentMessage,
};
use crate::protocol::Failure;

impl Handle<AgentSend> for Session {
    fn handle(&self, asked: AgentSend) -> Result<SentMessage> {
        let to = parsed(&asked.agent_id)?;
        let id = asked.message_id.as_deref().map(str::parse::<MessageId>).transpose();
        // The connection of an agent that writes to itself is not there to see it.
        let ours = usize::from(self.caller.agent() == Some(to));
        let listening = self.core.present.is_present(to, ours);
        let reception = if listening { Reception::Listening } else { Reception::Stored };
        let message = NewMessage {
            id: id.map_err(agent::Error::from)?,
            key: asked.key,
            reception,
            ..NewMessage::new(self.caller.into(), to, Body::new(asked.message)?)
        };
        let (now, caller, mode) = (self.now(), self.caller, asked.read_only);
        let delivered = self.store().write(move |tx| {
            if mode.is_some() {
                let target = agent::get(tx, to)?;
                let mine = caller.agent().is_none_or(|caller| {
                    target.parent == Some(caller) || target.delegated_by == Some(caller)
                });
                return Err(refused_mode(to, mine));
            }
            let delivered = mail::send(tx, now, &message)?;
            waits::message_arrived(tx, now, &delivered)?;
            Ok::<_, Error>(delivered)
        })?;
        self.core.due_changed();
        Ok(SentMessage {
            delivered: true,
            message_id: delivered.id,
            replayed: !delivered.new,
            reception: delivered.reception,
        })
    }
}

/// Why the permission mode of an agent is not changed.
fn refused_mode(agent: AgentId, mine: bool) -> Error {
    Error::Failed(if mine {
        let message = format!("{agent} is external: Rig does not run it and cannot hold its mode");
        Failure::new("mode_not_supported", message)
    } else {
        let message = format!("only who started {agent} may change its mode");
        Failure::new("not_your_child", message)
    })
}

impl Session {
    /// Messages as the caller is shown them.
    fn as_shown(&self, fetched: Fetched) -> Result<Mail> {
        let (disk, homes) = (self.disk()?, self.homes());
        let mounts = self.agents_config(None)?.mounts;
        let view = View { disk: &disk, mounts: &mounts, homes: &homes };
        let Fetched { messages, acked, last, more } = fetched;
        let messages = messages.iter().map(|message| message.shown(view)).collect();
        Ok(Mail { messages, acked, last, more })
    }

    /// What there is after a number now.
    async fn mail_after(&self, agent: AgentId, after: u64, limit: usize) -> Result<Mail> {
        let session = self.clone();
        let fetched = blocking(move || {
            let fetched =
                session.store().write(move |tx| mail::fetch_after(tx, agent, after, limit))?;
            session.as_shown(fetched)
        });
        fetched.await
    }

    /// Whether a message follows a number and what is acknowledged.
    async fn has_mail_after(&self, agent: AgentId, after: u64) -> Result<bool> {
        let core = Arc::clone(&self.core);
        let look = move || Ok(core.store.read(|r| mail::mailbox(r, agent))?.has_after(after));
        blocking(look).await
    }
}

impl Hold<AgentReceive> for Session {
    async fn hold(self, asked: AgentReceive, _: Items) -> Result<Mail> {
        let agent = self.agent()?;
        let limit = asked.limit.unwrap_or(FETCHED);
        let ear = self.core.hear(&agent);
        loop {
            let mail = self.mail_after(agent, 0, limit).await?;
            if !mail.messages.is_empty() {
                return Ok(mail);
            }
            while !self.has_mail_after(agent, 0).await? {
                let left = asked.timeout_ms.map(|limit| limit.left()).unwrap_or_default();
                if timeout(left, ear.woken()).await.is_err() {
                    return Ok(mail);
                }
            }
        }
    }
}

impl Hold<AgentFollow> for Session {
    async fn hold(self, asked: AgentFollow, items: Items) -> Result<Followed> {
        let agent = self.agent()?;
        let mut after = asked.after.unwrap_or(0);
        let ear = self.core.hear(&agent);
        loop {
            let mail = self.mail_after(agent, after, FETCHED).await?;
            for message in mail.messages {
                items.send(&OneMessage(message)).await;
            }
            after = after.max(mail.last);
            while !mail.more && !self.has_mail_after(agent, after).await? {
                ear.woken().await;
            }
        }
    }
}

impl Handle<AgentAck> for Session {
    fn handle(&self, AgentAck { seq }: AgentAck) -> Result<AckedMail> {
        let (agent, now) = (self.agent()?, self.now());
        let mailbox = self.store().write(move |tx| mail::ack(tx, now, agent, seq))?;
        Ok(AckedMail { agent_id: agent, acked: mailbox.acked, at: now.wall })
    }
}
