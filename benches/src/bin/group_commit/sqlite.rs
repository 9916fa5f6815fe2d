use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use rig_benches::{Result, SYNC};
use rusqlite::Connection;

use crate::callers::{self, Load};

/// So many callers of `SQLite` in WAL. With `synchronous` at `FULL` a commit syncs the log once, and
/// the others wait; here that sync is a pause of the same length, and those of a checkpoint are
/// free.
pub(crate) fn load(callers: usize, limit: Duration) -> Result<Load> {
    let folder = tempfile::tempdir()?;
    let sqlite = Connection::open(folder.path().join("peer.sqlite"))?;
    sqlite.pragma_update(None, "journal_mode", "wal")?;
    sqlite.pragma_update(None, "synchronous", "off")?;
    sqlite.execute_batch(
        "create table notes (key integer primary key, note text);
         create table journal (number integer primary key, event text);",
    )?;
    let sqlite = Mutex::new(sqlite);
    callers::load(callers, limit, |key| {
        let mut sqlite = sqlite.lock().expect("nobody panics");
        let transaction = sqlite.transaction()?;
        let note = format!(r#"{{"text":"{}"}}"#, "a note".repeat(20));
        let event = format!(r#"{{"type":"note.written","about":["{key}"],"data":{key}}}"#);
        transaction
            .prepare_cached("insert into notes values (?, ?)")?
            .execute((i64::try_from(key)?, note))?;
        transaction.prepare_cached("insert into journal (event) values (?)")?.execute([event])?;
        transaction.commit()?;
        thread::sleep(SYNC);
        Ok(())
    })
}
