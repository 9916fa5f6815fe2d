use rig_core::project::Project;
use rig_core::time::Timestamp;
use rig_core::workspace::{
    Base, DeleteBranch, IllegalChange, Outcome, Status, Step, StepName, StoredError, Workspace,
};

const NOW: i64 = 1_785_000_000_000;

fn now() -> Timestamp {
    Timestamp::from_millis(NOW).unwrap()
}

/// A workspace that was just reserved.
fn reserved() -> Workspace {
    serde_json::from_str(include_str!("samples/workspace-least.json")).unwrap()
}

fn base() -> Base {
    let commit = Some("0123456789abcdef0123456789abcdef01234567".to_owned());
    Base { reference: Some("refs/heads/main".to_owned()), commit, ..Base::default() }
}

fn ready() -> Workspace {
    let mut workspace = reserved();
    workspace.base_resolved(base());
    workspace.become_ready(now()).unwrap();
    workspace
}

fn failed() -> Workspace {
    let mut workspace = reserved();
    workspace.become_failed(StoredError::new("checkout_failed", "status 128")).unwrap();
    workspace
}

fn archiving() -> Workspace {
    let mut workspace = ready();
    workspace.become_archiving(now(), Some(DeleteBranch::Empty)).unwrap();
    workspace
}

fn step(number: u64) -> Step {
    Step {
        step: StepName::Setup,
        index: None,
        started_at: now(),
        duration_ms: number,
        outcome: Outcome::Done,
        detail: None,
    }
}

#[test]
fn the_version_is_1_at_create_2_with_the_base_3_when_ready() {
    let mut workspace = reserved();
    assert_eq!((workspace.version, workspace.user_version), (1, 1));
    workspace.base_resolved(base());
    assert_eq!((workspace.version, workspace.user_version), (2, 1));
    workspace.step_ended(step(1));
    assert_eq!(workspace.version, 2);
    workspace.become_ready(now()).unwrap();
    assert_eq!((workspace.version, workspace.user_version), (3, 1));
    assert_eq!(workspace.ready_at, Some(now()));
}

#[test]
fn expected_version_1_holds_after_ready_and_not_after_a_rename() {
    let mut workspace = ready();
    for expected in [None, Some(1), Some(2), Some(3)] {
        assert!(workspace.accepts(expected), "{expected:?}");
    }
    assert!(!workspace.accepts(Some(0)));
    assert!(!workspace.accepts(Some(4)));
    workspace.edited();
    assert_eq!((workspace.version, workspace.user_version), (4, 4));
    assert!(!workspace.accepts(Some(1)));
    assert!(workspace.accepts(Some(4)));
}

#[test]
fn a_projects_versions_follow_the_same_rule() {
    let sample = include_str!("samples/project-least.json");
    let mut project: Project = serde_json::from_str(sample).unwrap();
    project.changed();
    assert!(project.accepts(Some(1)));
    project.edited();
    assert_eq!((project.version, project.user_version), (3, 3));
    assert!(!project.accepts(Some(2)));
    assert!(project.accepts(Some(3)));
}

#[test]
fn only_the_changes_of_the_table_are_legal() {
    use Status::{Archived, Archiving, Failed, Initializing, Ready};
    let archived = || {
        let mut workspace = archiving();
        workspace.become_archived().unwrap();
        workspace
    };
    let legal = [
        (Initializing, Ready),
        (Initializing, Failed),
        (Failed, Initializing),
        (Initializing, Archiving),
        (Ready, Archiving),
        (Failed, Archiving),
        (Archiving, Archived),
    ];
    for from in [reserved(), ready(), failed(), archiving(), archived()] {
        for to in [Initializing, Ready, Failed, Archiving, Archived] {
            let mut workspace = from.clone();
            let change = match to {
                Initializing => workspace.become_retried(),
                Ready => workspace.become_ready(now()),
                Failed => workspace.become_failed(StoredError::new("git_failed", "x")),
                Archiving => workspace.become_archiving(now(), None),
                Archived => workspace.become_archived(),
            };
            if legal.contains(&(from.status, to)) {
                assert_eq!(change, Ok(()));
                assert_eq!((workspace.status, workspace.version), (to, from.version + 1));
            } else {
                assert_eq!(change, Err(IllegalChange { from: from.status, to }));
                assert_eq!(workspace, from, "a change that is refused leaves the row as it is");
            }
        }
    }
}

#[test]
fn an_illegal_change_says_what_it_was() {
    let error = archiving().become_ready(now()).unwrap_err();
    assert_eq!(error.to_string(), "a workspace that is archiving cannot become ready");
}

#[test]
fn a_retry_clears_the_error_and_counts_the_attempt() {
    let mut workspace = failed();
    workspace.step_ended(step(1));
    assert_eq!(workspace.error.as_ref().unwrap().code, "checkout_failed");
    workspace.become_retried().unwrap();
    assert_eq!((workspace.error, workspace.attempt), (None, 2));
    assert_eq!(workspace.steps, []);
}

#[test]
fn archiving_is_an_edit_that_clears_the_error() {
    let mut workspace = failed();
    workspace.become_archiving(now(), Some(DeleteBranch::Merged)).unwrap();
    assert_eq!((workspace.error, workspace.archived_at), (None, Some(now())));
    assert_eq!(workspace.delete_branch, Some(DeleteBranch::Merged));
    assert_eq!(workspace.user_version, workspace.version);
    assert!(workspace.status.is_archived());
}

#[test]
fn the_newest_steps_are_kept() {
    let mut workspace = reserved();
    for number in 0..250 {
        workspace.step_ended(step(number));
    }
    let kept: Vec<_> = workspace.steps.iter().map(|step| step.duration_ms).collect();
    assert_eq!(kept, (50..250).collect::<Vec<_>>());
}

#[test]
fn a_stored_error_is_cut_by_characters() {
    let error = StoredError::new("setup_failed", &"é".repeat(600));
    assert_eq!(error.message, "é".repeat(500));
}
