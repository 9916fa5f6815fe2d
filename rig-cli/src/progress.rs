//! Progress, drawn on a terminal while a workspace is made.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rig_core::workspace::StepName;

use crate::operations::WorkProgress;
use crate::output::{self, Output};

/// One line: the step that runs, its time, and the last it told.
pub(crate) struct Drawn(Option<ProgressBar>);

impl Drawn {
    /// A line on standard error, if that is a terminal and progress is wanted.
    pub(crate) fn new(output: Output) -> Self {
        if !output.draws_progress() {
            return Self(None);
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix} {elapsed} {wide_msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(Some(bar))
    }

    /// Draws what is new.
    pub(crate) fn tell(&self, news: WorkProgress) {
        let Some(bar) = &self.0 else { return };
        match news {
            WorkProgress::Step { step, index } => {
                bar.reset_elapsed();
                bar.set_message("");
                bar.set_prefix(match index {
                    Some(index) => format!("{} {index}", doing(step)),
                    None => doing(step).to_owned(),
                });
            }
            WorkProgress::Files { done, total } => {
                bar.set_message(format!("{done} of {total} files"));
            }
            WorkProgress::Output(line) => bar.set_message(output::one_line(&line)),
            WorkProgress::Waiting => bar.set_message("waiting for its turn in this repository"),
        }
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

fn doing(step: StepName) -> &'static str {
    match step {
        StepName::Fetch => "fetching",
        StepName::Resolve => "resolving the base",
        StepName::Checkout => "checking out",
        StepName::Verify => "verifying",
        StepName::Sync => "copying sync files",
        StepName::Setup => "running setup command",
        StepName::Ready => "finishing",
    }
}
