//! The tables of projects and workspaces, and the index rows that go with each record.

mod agree;
mod index;
mod projects;
mod workspaces;

pub use agree::{TABLES, agree};
pub(crate) use projects::{
    PROJECTS, project, project_at, project_keyed, project_named, projects, put_project,
};
pub(crate) use workspaces::{
    WORKSPACES, branch_holder, due, due_key, key_holder, name_holder, places, put, workspace,
    workspace_at, workspaces,
};
