use rig_core::id::ProjectId;
use rig_core::path::RawPath;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::path::PathSchema;

/// Registers a folder as a project, or answers with the project it is.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AddProject {
    /// The folder; absolute.
    #[schemars(with = "PathSchema")]
    pub path: RawPath,
    /// The ID it gets, made by the caller so that a repeated request makes nothing.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub id: Option<ProjectId>,
}

/// Finds the project that is meant.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindProject {
    /// The caller's working folder; absolute.
    #[schemars(with = "PathSchema")]
    pub folder: RawPath,
    /// An ID, a folder, a name or a storage key. Without it the project around the working folder is
    /// meant.
    #[serde(default)]
    #[schemars(with = "Option<PathSchema>")]
    pub project: Option<RawPath>,
    /// Whether a repository that is no project yet becomes one.
    #[serde(default)]
    pub register: bool,
}

/// Lists the projects in order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListProjects {
    /// Whether archived ones are listed too.
    #[serde(default)]
    pub all: bool,
    /// The caller's working folder, whose project is marked as the current one; absolute.
    #[serde(default)]
    #[schemars(with = "Option<PathSchema>")]
    pub folder: Option<RawPath>,
}

/// Renames a project; a taken name gets a number.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RenameProject {
    /// The project.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// The name; 1 to 100 characters once trimmed.
    pub name: String,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// Puts a project first in the list, or behind another one.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MoveProject {
    /// The project.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// The one it goes behind; without it it goes first.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub after: Option<ProjectId>,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}

/// Archives a project and all its workspaces.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchiveProject {
    /// The project.
    #[schemars(with = "String")]
    pub project_id: ProjectId,
    /// The version that the caller looked at.
    #[serde(default)]
    pub expected_version: Option<u64>,
}
