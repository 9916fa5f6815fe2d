//! A process is killed at each of its named points: whoever comes next finds the store whole, what
//! was acknowledged is there, and the same request again does nothing twice.
//!
//! `cargo test -p rig-cli --features failpoints failpoints` runs these on a `rig` that has the points.

#[cfg(feature = "failpoints")]
mod daemon;
#[cfg(feature = "failpoints")]
mod firing;
#[cfg(feature = "failpoints")]
mod leaving;
#[cfg(feature = "failpoints")]
mod opening;
#[cfg(feature = "failpoints")]
mod serving;
#[cfg(feature = "failpoints")]
mod victim;

#[cfg(not(feature = "failpoints"))]
#[test]
fn a_normal_build_holds_no_failpoints() -> crate::world::TestResult {
    let program = std::fs::read(crate::world::RIG)?;
    let program = String::from_utf8_lossy(&program);
    for name in [
        "RIG_FAILPOINT",
        "RIG_MODEL_SYNC_MS",
        "node.locked",
        "node.bound",
        "store.opening",
        "store.repairing",
        "boot.anchoring",
        "batch.queued",
        "batch.before_commit",
        "batch.after_commit",
        "reply.before",
        "reply.after",
        "fire.taken",
        "fire.before_commit",
        "fire.after_commit",
        "leave.begin",
        "leave.handed_over",
        "leave.closed",
        "leave.unlinked",
        "daemon.detached",
        "daemon.before_ready",
        "schema.copied",
        "schema.before_commit",
    ] {
        assert!(!program.contains(name), "{name}");
    }
    Ok(())
}
