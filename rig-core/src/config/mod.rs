//! Configuration: TOML in layers.
//!
//! Defaults, then the user's file, then `rig.toml` in the project's root, then the environment, then
//! flags; what comes later wins. Lists are replaced as a whole, only the protected paths of all layers
//! add up. What is not known is refused with the nearest key, and what belongs to the machine is
//! refused in a project's file, which anybody may have written.

mod error;
mod file;
mod keys;
mod layer;
mod origin;
mod settings;
mod sources;
mod value;

pub use error::Error;
pub use origin::Origin;
pub use settings::{AgentsConfig, Config, DaemonMode, Features, SetupCommand, WorkspaceConfig};
pub use sources::{Flag, Loaded, PROJECT_FILE, Sources, Valued, load};
