use serde_json::Value;

use crate::world::{TestResult, World};

/// The keys of an object, those of objects below it with dots.
fn keys(value: &Value) -> Vec<String> {
    let Value::Object(fields) = value else { return Vec::new() };
    let mut found = Vec::new();
    for (key, value) in fields {
        match value {
            Value::Object(below) if !below.is_empty() => {
                found.extend(keys(value).into_iter().map(|below| format!("{key}.{below}")));
            }
            Value::Array(rows) if rows.first().is_some_and(Value::is_object) => {
                found.extend(keys(&rows[0]).into_iter().map(|below| format!("{key}[].{below}")));
            }
            _ => found.push(key.clone()),
        }
    }
    found.sort();
    found
}

#[test]
fn a_workspace_has_the_keys_that_are_promised() -> TestResult {
    let world = World::new()?;
    let created = world.json(&["workspace", "create", "One"])?;
    insta::assert_snapshot!(keys(&created).join(" "), @"archived archivedAt base.commit base.ref base.requested base.stale branch createdAt currentBranch detached error folderState id name path projectId readyAt setupLog status steps[].detail steps[].durationMs steps[].index steps[].outcome steps[].startedAt steps[].step storageKey userVersion version warnings");
    assert_eq!(keys(&world.json(&["workspace", "show", "one"])?), keys(&created));
    let listed = world.json(&["workspace", "list"])?;
    assert_eq!(keys(&listed["workspaces"][0]), keys(&created));
    assert_eq!(created["version"], 3);
    assert_eq!(created["userVersion"], 1);
    assert_eq!(created["currentBranch"], "worktree/one");
    assert_eq!(created["folderState"], "present");
    Ok(())
}

#[test]
fn a_project_has_the_keys_that_are_promised() -> TestResult {
    let world = World::new()?;
    let added = world.json(&["project", "add"])?;
    insta::assert_snapshot!(keys(&added).join(" "), @"archived folderState id name path reason storageKey trunk userVersion version worktreeSupport");
    assert_eq!(keys(&world.json(&["project", "show"])?), keys(&added));
    Ok(())
}

#[test]
fn other_documents_have_the_keys_that_are_promised() -> TestResult {
    let world = World::new()?;
    world.rig(&["workspace", "create", "One"])?.success()?;
    let found = world.json(&["workspace", "path", "one"])?;
    insta::assert_snapshot!(keys(&found).join(" "), @"id name path projectId status");
    let dry_run = world.json(&["workspace", "archive", "one", "--dry-run"])?;
    insta::assert_snapshot!(keys(&dry_run["lost"]).join(" "), @"dirty.count dirty.paths ignored.atLeast ignored.bytes ignored.count ignored.paths nested saved submodules unpushed");
    let events = world.json(&["events"])?;
    let first: Vec<_> =
        keys(&events["events"][0]).into_iter().filter(|key| !key.starts_with("data.")).collect();
    insta::assert_snapshot!(first.join(" "), @"about agentId at cursor id type");
    let error: Value =
        serde_json::from_str(&world.rig(&["--json", "workspace", "path", "x"])?.stdout)?;
    insta::assert_snapshot!(keys(&error).join(" "), @"error.code error.hint error.message");
    let config = world.json(&["config", "show"])?;
    insta::assert_snapshot!(keys(&config["values"]["workspace.sync"]).join(" "), @"from value");
    Ok(())
}

#[test]
fn no_reply_tells_the_owner() -> TestResult {
    let world = World::new()?;
    let created = world.json(&["workspace", "create", "One"])?.to_string();
    assert!(!created.contains("owner") && !created.contains("agt_"), "{created}");
    Ok(())
}
