use std::future::Future;
use std::pin::Pin;

use rig_core::agent;
use rig_core::store::Transact as _;
use serde_json::value::RawValue;

use super::arguments::given;
use super::session::{Handle, Hold, Items, Session, blocking};
use crate::node::error::Error;
use crate::operations::{self, Operation};
use crate::protocol::Failure;

type Reply = Result<serde_json::Value, Failure>;

/// How an operation is carried out.
#[derive(Clone, Copy)]
pub(super) enum Door {
    /// At once, on a thread that may block.
    Short(fn(&Session, Option<&RawValue>) -> Reply),
    /// Whenever it is done.
    Held(fn(Session, Option<Box<RawValue>>, Items) -> Pin<Box<dyn Future<Output = Reply> + Send>>),
}

fn asked<O: Operation>(args: Option<&RawValue>) -> Result<O, Failure> {
    let given = given(args).map_err(|error| Failure::bad_request(&error))?;
    let mut read = serde_json::Deserializer::from_str(&given);
    serde_path_to_error::deserialize(&mut read).map_err(|error| {
        let field = error.path().to_string();
        let failure = Failure::bad_request(error.inner());
        match field.as_str() {
            // What is wrong with the request as a whole names its field itself.
            "." => failure,
            _ => Failure { message: format!("`{field}`: {}", failure.message), ..failure },
        }
    })
}

fn told<O: Operation>(reply: &O::Reply) -> Reply {
    serde_json::to_value(reply).map_err(|error| Failure::of("internal", &error))
}

/// That the caller may ask for the operation.
fn may<O: Operation>(session: &Session) -> Result<(), Error> {
    Ok(session.store().read(|r| agent::allow(r, session.caller, O::NAME))?)
}

fn short<O: Operation>(session: &Session, args: Option<&RawValue>) -> Reply
where
    Session: Handle<O>,
{
    may::<O>(session)?;
    told::<O>(&session.handle(asked::<O>(args)?)?)
}

fn held<O: Operation + Send + 'static>(
    session: Session,
    args: Option<Box<RawValue>>,
    items: Items,
) -> Pin<Box<dyn Future<Output = Reply> + Send>>
where
    Session: Hold<O>,
    O::Reply: Send + Sync,
{
    Box::pin(async move {
        let caller = session.clone();
        blocking(move || may::<O>(&caller)).await?;
        let asked = asked::<O>(args.as_deref())?;
        told::<O>(&session.hold(asked, items).await?)
    })
}

macro_rules! doors {
    (short { $($short:ident,)* } held { $($held:ident,)* }) => {
        /// How the operation of this name is carried out; none if there is no such operation.
        pub(super) fn door(name: &str) -> Option<Door> {
            $(if name == <operations::$short as Operation>::NAME {
                return Some(Door::Short(short::<operations::$short>));
            })*
            $(if name == <operations::$held as Operation>::NAME {
                return Some(Door::Held(held::<operations::$held>));
            })*
            None
        }
    };
}

doors! {
    short {
        AddProject, FindProject, ListProjects, RenameProject, MoveProject, ArchiveProject,
        CreateWorkspace, FindWorkspace, ShowWorkspace, ListWorkspaces, RenameWorkspace,
        MoveWorkspace, RetryWorkspace, RestoreWork, SyncWorkspace,
        WaitCancel, ScheduleMessage, ListScheduled, ShowScheduled, CancelScheduled, RetryScheduled,
        AgentNew, AgentToken, AgentTitle, AgentArchive, AgentMe, AgentInfo, AgentTree, AgentSend,
        AgentAck, ListWorkspaceSessions,
        ListEvents, ShowConfig, CheckConfig, CheckStore, CompactStore,
        DaemonStatus, LeftBehind, Drain, Stop,
    }
    held {
        ArchiveWorkspace, AwaitWorkspace, AwaitBranch, AwaitArchived, FollowEvents, DumpStore,
        Wait, WaitUntil, AwaitWait, StandInLine,
        AgentReceive, AgentFollow,
    }
}

#[cfg(test)]
mod tests {
    use super::door;
    use crate::operations::catalogue;

    #[test]
    fn every_operation_has_a_door() {
        for entry in catalogue() {
            let held = matches!(door(entry.name), Some(super::Door::Held(_)));
            assert!(door(entry.name).is_some(), "{} cannot be asked for", entry.name);
            assert_eq!(held, entry.held, "{}", entry.name);
            let who = rig_core::agent::who_may(entry.name);
            assert!(who.is_some(), "nobody is said to be allowed {}", entry.name);
        }
    }
}
