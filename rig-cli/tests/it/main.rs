//! The `rig` command from outside: the real binary, real git, real files.

mod agent_commands;
mod agent_receive;
mod agent_waits;
mod alike;
mod archive_command;
mod config_command;
mod crashes;
mod create_command;
mod crowd;
mod daemon;
mod errors;
mod events_command;
mod failpoints;
mod full_disk;
mod hooks;
mod host;
mod hostile_names;
mod identity;
mod interrupted;
mod json;
mod leaving;
mod left_behind;
mod list_command;
#[cfg(feature = "failpoints")]
mod lost_answers;
mod many_processes;
mod output_forms;
mod projects_commands;
mod readme;
mod rename_command;
mod resident;
mod schedule_command;
mod schema_command;
#[cfg(feature = "failpoints")]
mod skew;
mod socket_places;
mod stopped_leader;
mod store_commands;
mod storms;
mod strange_clients;
mod sync_command;
mod taking_over;
mod team;
mod wait_command;
mod watching;
mod world;
