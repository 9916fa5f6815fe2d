use crate::app::Cli;
use crate::commands::Ended;
use crate::exit::Exit;
use crate::operations::{ListScheduled, ScheduledItem, ScheduledList};
use crate::output::{Page, Show};

/// List the messages that you scheduled and that are pending or undelivered, oldest first
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rig schedule list
  rig --json schedule list --all")]
pub(crate) struct Arguments {
    /// List delivered, expired and cancelled ones too
    #[arg(long)]
    all: bool,
}

impl Show for ScheduledList {
    fn show(&self, page: &mut Page) {
        let rows = self.items.iter().map(row).collect();
        page.table(["ID", "DUE", "STATUS", "TO", "MESSAGE"], rows);
    }
}

fn row(item: &ScheduledItem) -> [String; 5] {
    [
        item.id.to_string(),
        item.due_at.to_string(),
        item.status.to_string(),
        item.target_agent_id.to_string(),
        beginning(&item.message),
    ]
}

/// The beginning of a text, on one line.
fn beginning(text: &str) -> String {
    const SHOWN: usize = 40;
    let line = text.trim().lines().next().unwrap_or_default();
    let shown: String = line.chars().take(SHOWN).collect();
    if shown.len() < text.trim().len() { format!("{shown}…") } else { shown }
}

impl Arguments {
    pub(super) fn run(&self, cli: &Cli) -> Ended {
        let node = cli.node()?;
        let page = |after| node.call(ListScheduled { all: self.all, after });
        // Whatever changes while later pages are read comes after the cursor of the first one.
        let mut list = page(None)?;
        while let Some(next) = list.next.take() {
            let more = page(Some(next))?;
            list.items.extend(more.items);
            list.next = more.next;
        }
        cli.output.show(&list)?;
        Ok(Exit::Done)
    }
}
