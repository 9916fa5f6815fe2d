use std::thread;
use std::time::{Duration, Instant};

use rig_benches::{Result, SYNC};
use rusqlite::types::Value;
use rusqlite::{Connection, ToSql, params};

/// The same rows in `SQLite`, in WAL: a message with its indexes, what is due, mailboxes with their
/// indexes, counters, and a journal. A commit that syncs once is a pause of the same length; those
/// of a checkpoint are free.
const TABLES: &str = "
    create table messages (id blob primary key, record text) without rowid;
    create table by_age (created integer, id blob, primary key (created, id)) without rowid;
    create table by_sender (sender blob, created integer, id blob,
        primary key (sender, created, id)) without rowid;
    create table settled (sender blob, at integer, id blob,
        primary key (sender, at, id)) without rowid;
    create table due (at integer, id blob, owner text, primary key (at, id, owner)) without rowid;
    create table counts (of text primary key, many integer) without rowid;
    create table mail (agent blob, seq integer, record text,
        primary key (agent, seq)) without rowid;
    create table mail_by_sender (agent blob, sender blob, seq integer, nth integer,
        primary key (agent, sender, seq)) without rowid;
    create table mail_ids (agent blob, sender blob, id blob, seq integer,
        primary key (agent, sender, id)) without rowid;
    create table mailboxes (agent blob primary key, record text) without rowid;
    create table agents (id blob primary key, record text) without rowid;
    create table waits (agent blob, due integer, id blob,
        primary key (agent, due, id)) without rowid;
    create table journal (number integer primary key, event text);
    insert into counts values ('pending', 0), ('settled', 0), ('due', 0);
";

/// Settled messages that are kept.
const KEPT: i64 = 1000;

/// Fires so many messages in batches, and tells how long that took.
pub(crate) fn fire(many: u64, batch: usize) -> Result<Duration> {
    let folder = tempfile::tempdir()?;
    let mut sqlite = Connection::open(folder.path().join("peer.sqlite"))?;
    sqlite.pragma_update(None, "journal_mode", "wal")?;
    sqlite.pragma_update(None, "synchronous", "off")?;
    sqlite.execute_batch(TABLES)?;
    let (sender, target) = ([1_u8; 16], [2_u8; 16]);
    let record = |status: &str, number: i64| {
        format!(
            r#"{{"sender":"agt_00000000000000000000000001","target":"agt_00000000000000000000000002","body":"Look at the retries first, then at the tests that failed.","time":{{"afterMs":{number}}},"status":"{status}","dueAt":"2026-08-01T00:00:00.000Z","createdAt":"2026-08-01T00:00:00.000Z","updatedAt":"2026-08-01T00:00:00.000Z","attempts":0}}"#
        )
    };
    let filling = sqlite.transaction()?;
    for agent in [sender, target] {
        filling.execute("insert into agents values (?, ?)", params![agent, record("agent", 0)])?;
    }
    for number in 0..i64::try_from(many)? {
        let id = i128::from(number).to_be_bytes();
        filling
            .prepare_cached("insert into messages values (?, ?)")?
            .execute(params![id, record("pending", number)])?;
        filling.prepare_cached("insert into by_age values (?, ?)")?.execute(params![number, id])?;
        filling
            .prepare_cached("insert into by_sender values (?, ?, ?)")?
            .execute(params![sender, number, id])?;
        filling
            .prepare_cached("insert into due values (?, ?, 'message')")?
            .execute(params![number, id])?;
    }
    filling.commit()?;

    let start = Instant::now();
    let mut seq = 0_i64;
    loop {
        let tx = sqlite.transaction()?;
        let rows: Vec<(i64, [u8; 16])> = tx
            .prepare_cached("select at, id from due where at <= ? order by at, id limit ?")?
            .query_map(params![i64::MAX, i64::try_from(batch)?], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?
            .collect::<std::result::Result<_, _>>()?;
        for (at, id) in &rows {
            seq += 1;
            let (at, id) = (*at, id.as_slice());
            look(&tx, &sender, &target, id)?;
            tx.prepare_cached("insert into mail values (?, ?, ?)")?.execute(params![
                target,
                seq,
                record("mail", at)
            ])?;
            tx.prepare_cached("insert into mail_by_sender values (?, ?, ?, ?)")?
                .execute(params![target, sender, seq, seq])?;
            tx.prepare_cached("insert into mail_ids values (?, ?, ?, ?)")?
                .execute(params![target, sender, id, seq])?;
            for agent in [target, sender] {
                tx.prepare_cached("insert or replace into mailboxes values (?, ?)")?
                    .execute(params![agent, format!(r#"{{"next":{seq},"handed":0,"acked":0}}"#)])?;
            }
            tx.prepare_cached("update messages set record = ? where id = ?")?
                .execute(params![record("delivered", at), id])?;
            tx.prepare_cached("delete from due where at = ? and id = ? and owner = 'message'")?
                .execute(params![at, id])?;
            tx.prepare_cached("insert into settled values (?, ?, ?)")?
                .execute(params![sender, at, id])?;
            for (of, change) in [("pending", -1), ("settled", 1), ("due", -1)] {
                tx.prepare_cached("update counts set many = many + ? where of = ?")?
                    .execute(params![change, of])?;
            }
            for kind in ["message.delivered", "scheduled.delivered"] {
                let event = format!(
                    r#"{{"id":"evt_00000000000000000000000001","at":"2026-08-01T00:00:00.000Z","type":"{kind}","about":["sch_00000000000000000000000001"],"agentId":"agt_00000000000000000000000001","data":{{"seq":{seq},"status":"delivered","due_at":"2026-08-01T00:00:00.000Z","late_ms":1}}}}"#
                );
                tx.prepare_cached("insert into journal (event) values (?)")?.execute([event])?;
            }
        }
        prune(&tx, &sender)?;
        tx.commit()?;
        thread::sleep(SYNC);
        if rows.len() < batch {
            return Ok(start.elapsed());
        }
    }
}

/// What has to be known before a message is delivered: itself, both agents, that it was not delivered
/// before, how full the mailbox is, and who waits.
fn look(tx: &Connection, sender: &[u8; 16], target: &[u8; 16], id: &[u8]) -> Result<()> {
    let exists = |sql: &str, params: &[&dyn ToSql]| -> Result<()> {
        let mut looking = tx.prepare_cached(sql)?;
        let mut rows = looking.query(params)?;
        if let Some(row) = rows.next()? {
            let _found: Value = row.get(0)?;
        }
        Ok(())
    };
    exists("select record from messages where id = ?", &[&id])?;
    exists("select record from agents where id = ?", &[target])?;
    exists("select record from agents where id = ?", &[sender])?;
    exists(
        "select seq from mail_ids where agent = ? and sender = ? and id = ?",
        &[target, sender, &id],
    )?;
    exists("select record from mailboxes where agent = ?", &[target])?;
    exists(
        "select nth from mail_by_sender where agent = ? and sender = ? order by seq desc limit 1",
        &[target, sender],
    )?;
    exists(
        "select nth from mail_by_sender where agent = ? and sender = ? order by seq limit 1",
        &[target, sender],
    )?;
    exists("select id from waits where agent = ? order by due limit 1", &[target])
}

/// Removes the settled messages that are too many.
fn prune(tx: &Connection, sender: &[u8; 16]) -> Result<()> {
    let settled: i64 = tx
        .prepare_cached("select many from counts where of = 'settled'")?
        .query_row([], |row| row.get(0))?;
    let excess: Vec<(i64, [u8; 16])> = tx
        .prepare_cached("select at, id from settled where sender = ? order by at, id limit ?")?
        .query_map(params![sender, (settled - KEPT).max(0)], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<std::result::Result<_, _>>()?;
    for (at, id) in &excess {
        tx.prepare_cached("delete from messages where id = ?")?.execute(params![id])?;
        tx.prepare_cached("delete from by_age where created = ? and id = ?")?
            .execute(params![at, id])?;
        tx.prepare_cached("delete from by_sender where sender = ? and created = ? and id = ?")?
            .execute(params![sender, at, id])?;
        tx.prepare_cached("delete from settled where sender = ? and at = ? and id = ?")?
            .execute(params![sender, at, id])?;
    }
    tx.prepare_cached("update counts set many = many - ? where of = 'settled'")?
        .execute([i64::try_from(excess.len())?])?;
    Ok(())
}
