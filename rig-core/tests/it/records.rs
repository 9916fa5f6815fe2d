use std::path::Path;

use redb::{Database, TableDefinition};
use rig_core::name::Name;
use rig_core::path::RawPath;
use rig_core::project::{Folder, NamedBy, Project, Support};
use rig_core::store::{Error, Options, Read as _, Record, Store, Table, Transact as _, journal};
use rig_core::workspace::{
    Base, Checkout, DeleteBranch, Kind, Origin, Outcome, SavedWork, SeenHead, Status, Step,
    StepName, StoredError, Workspace,
};
use serde_json::{Value, json};

/// A store file in which `json` is stored as a record of `version`, byte by byte.
fn stored(file: &Path, table: &str, version: u8, json: &str) {
    drop(Store::open(file, Options::default()).unwrap());
    let redb = Database::open(file).unwrap();
    let tx = redb.begin_write().unwrap();
    {
        let table = TableDefinition::<&[u8], &[u8]>::new(table);
        let mut value = vec![version];
        value.extend_from_slice(json.trim_end().as_bytes());
        let key = 1_u64.to_be_bytes();
        tx.open_table(table).unwrap().insert(key.as_slice(), value.as_slice()).unwrap();
    }
    tx.commit().unwrap();
}

/// What a store reads where `json` lies on disk.
fn read<V: Record>(version: u8, json: &str) -> Result<V, Error> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rig.redb");
    stored(&file, "test/records", version, json);
    let store = Store::open(&file, Options::default())?;
    let table = Table::<u64, V>::new("test/records");
    Ok(store.read(|r| r.get(table, &1))?.expect("the record is there"))
}

/// A sample without the field that no release has written yet.
fn today(sample: &str) -> Value {
    let mut value: Value = serde_json::from_str(sample).unwrap();
    value.as_object_mut().unwrap().remove("a_field_of_a_later_release");
    value
}

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

#[test]
fn a_project_of_the_first_release_is_read_and_written_alike() {
    let sample = include_str!("samples/project.json");
    let project: Project = read(1, sample).unwrap();
    assert_eq!(project.id.to_string(), "prj_06fbj2k7zw7v3r5c1hq8m9tnp0");
    assert_eq!(project.name, name("Rig"));
    assert_eq!(project.named_by, NamedBy::Person);
    assert_eq!(project.storage_key, "rig");
    assert_eq!(project.path.bytes_unless_text().as_deref(), Some("L2hvbWUvdGVzdGVyL2b/bw=="));
    assert_eq!(project.folder, Folder::Present);
    assert_eq!(project.trunk.as_deref(), Some("main"));
    let reason = "the repository has no commit".to_owned();
    assert_eq!(project.support, Support::Unsupported { code: "no_commits".to_owned(), reason });
    assert_eq!((project.version, project.user_version), (7, 5));
    assert_eq!(project.order.as_str(), "80");
    assert_eq!(project.created_at.to_string(), "2026-08-01T18:30:00.000Z");
    assert_eq!(project.archived_at.unwrap().to_string(), "2026-08-02T18:30:00.125Z");
    assert_eq!(serde_json::to_value(&project).unwrap(), today(sample));
}

#[test]
fn a_project_with_the_least_of_fields_is_read_and_written_alike() {
    let sample = include_str!("samples/project-least.json");
    let project: Project = read(1, sample).unwrap();
    assert_eq!(project.path, RawPath::from("/home/tester/rig"));
    assert_eq!((project.trunk.as_deref(), project.archived_at), (None, None));
    assert_eq!(project.support, Support::Supported);
    assert_eq!(serde_json::to_value(&project).unwrap(), today(sample));
}

#[test]
fn a_workspace_of_the_first_release_is_read_and_written_alike() {
    let sample = include_str!("samples/workspace.json");
    let workspace: Workspace = read(1, sample).unwrap();
    let at = |text: &str| text.parse().unwrap();
    let expected = Workspace {
        id: "ws_06fbj2k7zw7v3r5c1hq8m9tnp1".parse().unwrap(),
        project: "prj_06fbj2k7zw7v3r5c1hq8m9tnp0".parse().unwrap(),
        kind: Kind::Worktree,
        origin: Origin::Managed,
        owner: Some("agt_5xq2m0c4v8b1n7k3j6h9g2f4d0".parse().unwrap()),
        name: name("Retry policy rewrite"),
        named_by: NamedBy::Agent,
        storage_key: "retry-policy-rewrite".to_owned(),
        branch: "worktree/retry-policy".to_owned(),
        branch_given: true,
        actual_branch: Some("worktree/retry-policy-rewrite".to_owned()),
        path: RawPath::from("/home/tester/happy/workspaces/rig/retry-policy-rewrite"),
        common_dir: RawPath::from("/home/tester/rig/.git"),
        status: Status::Archiving,
        base: Base {
            requested: Some("origin/main".to_owned()),
            reference: Some("refs/remotes/origin/main".to_owned()),
            commit: Some("0123456789abcdef0123456789abcdef01234567".to_owned()),
            stale: true,
            resolved: true,
        },
        checkout: Checkout::Done,
        steps: vec![
            Step {
                step: StepName::Fetch,
                index: None,
                started_at: at("2026-08-01T18:30:00.000Z"),
                duration_ms: 120,
                outcome: Outcome::Warned,
                detail: Some("the remote could not be reached".to_owned()),
            },
            Step {
                step: StepName::Setup,
                index: Some(2),
                started_at: at("2026-08-01T18:30:01.000Z"),
                duration_ms: 2500,
                outcome: Outcome::Failed,
                detail: None,
            },
        ],
        seen: Some(SeenHead { branch: Some("feature".to_owned()) }),
        error: Some(StoredError::new("setup_failed", "setup command 2 ended with status 1")),
        warnings: vec!["the remote could not be reached".to_owned()],
        attempt: 2,
        version: 9,
        user_version: 8,
        order: workspace.order.clone(),
        created_at: at("2026-08-01T18:30:00.000Z"),
        ready_at: Some(at("2026-08-01T18:31:00.000Z")),
        archived_at: Some(at("2026-08-02T08:00:00.000Z")),
        delete_branch: Some(DeleteBranch::Merged),
        saved: Some(SavedWork {
            reference: "refs/rig/archived/ws_06fbj2k7zw7v3r5c1hq8m9tnp1".to_owned(),
            commit: "fedcba9876543210fedcba9876543210fedcba98".to_owned(),
        }),
        restores: Some("ws_06fbj2k7zw7v3r5c1hq8m9tnp2".parse().unwrap()),
    };
    assert_eq!(workspace, expected);
    assert_eq!(workspace.order.as_str(), "7f80");
    assert_eq!(serde_json::to_value(&workspace).unwrap(), today(sample));
}

#[test]
fn a_workspace_with_the_least_of_fields_is_read() {
    let workspace: Workspace = read(1, include_str!("samples/workspace-least.json")).unwrap();
    assert_eq!(workspace.status, Status::Initializing);
    assert_eq!(workspace.base, Base::default());
    assert_eq!((workspace.owner, workspace.branch_given), (None, false));
    assert!(workspace.steps.is_empty() && workspace.warnings.is_empty());
}

#[test]
fn an_event_of_the_first_release_is_read_and_written_alike() {
    let sample = include_str!("samples/event.json");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rig.redb");
    stored(&file, "core/journal", 1, sample);
    let store = Store::open(&file, Options::default()).unwrap();
    let mut page = store.read(|r| journal::newest(r, None, 100)).unwrap();
    let event = page.events.pop().unwrap();
    assert_eq!(event.kind, "workspace.ready");
    assert_eq!(event.at.to_string(), "2026-08-01T18:31:00.000Z");
    assert_eq!(event.data, json!({ "status": "ready" }));
    let mut value = serde_json::to_value(&event).unwrap();
    let cursor = value.as_object_mut().unwrap().remove("cursor");
    assert_eq!(cursor, Some(json!(page.cursor.to_string())));
    assert_eq!(value, today(sample));
}

#[test]
fn a_record_of_a_newer_version_is_left_alone() {
    let error = read::<Project>(2, include_str!("samples/project.json")).unwrap_err();
    assert_eq!(error.code(), "record_newer");
    assert_eq!(
        error.to_string(),
        "a record of `test/records` has version 2, and this build reads up to 1"
    );
}
