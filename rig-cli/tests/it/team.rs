//! Agents of a world, each with the environment that makes a process act as it.

use std::error::Error;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::world::{Said, World};

/// An agent, as `rig agent new` printed it.
#[derive(Clone, Debug)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) token: String,
}

impl World {
    /// A primary agent with a title.
    pub(crate) fn agent(&self, title: &str) -> Result<Agent, Box<dyn Error>> {
        Agent::printed(&self.json(&["agent", "new", "--title", title])?)
    }
}

impl Agent {
    pub(crate) fn printed(printed: &Value) -> Result<Self, Box<dyn Error>> {
        let text = |key: &str| {
            let text = printed[key].as_str().ok_or_else(|| format!("no {key} in {printed}"));
            text.map(str::to_owned)
        };
        Ok(Self { id: text("agentId")?, token: text("token")? })
    }

    /// `rig` as this agent.
    pub(crate) fn command(&self, world: &World, args: &[&str]) -> Command {
        let mut command = world.command(args);
        command.env("RIG_AGENT_ID", &self.id).env("RIG_AGENT_TOKEN", &self.token);
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn rig(&self, world: &World, args: &[&str]) -> Result<Said, Box<dyn Error>> {
        Ok(Said::from(self.command(world, args).output()?))
    }

    /// As [`World::json`].
    pub(crate) fn json(&self, world: &World, args: &[&str]) -> Result<Value, Box<dyn Error>> {
        let args: Vec<_> = ["--json"].iter().chain(args).copied().collect();
        Ok(serde_json::from_str(&self.rig(world, &args)?.success()?)?)
    }

    /// The code and the exit of what was refused.
    pub(crate) fn refused(
        &self,
        world: &World,
        args: &[&str],
    ) -> Result<(String, Option<i32>), Box<dyn Error>> {
        let args: Vec<_> = ["--json"].iter().chain(args).copied().collect();
        self.rig(world, &args)?.error()
    }
}

/// The numbers and bodies of received messages.
pub(crate) fn bodies(mail: &Value) -> Vec<(u64, &str)> {
    let messages = mail["messages"].as_array().into_iter().flatten();
    messages.map(|m| (m["seq"].as_u64().unwrap(), m["body"].as_str().unwrap())).collect()
}
