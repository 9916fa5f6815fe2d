//! The `rig` command from outside: the real binary, real git, real files.

mod alike;
mod archive_command;
mod config_command;
mod crashes;
mod create_command;
mod crowd;
mod errors;
mod events_command;
mod hooks;
mod hostile_names;
mod identity;
mod interrupted;
mod json;
mod list_command;
mod many_processes;
mod output_forms;
mod projects_commands;
mod readme;
mod rename_command;
mod schema_command;
mod store_commands;
mod storms;
mod sync_command;
mod watching;
mod world;
