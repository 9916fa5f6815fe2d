//! Everything acknowledged survives a power cut, and what was under way is there whole or not at
//! all, wherever the cut is and whatever the disk makes of what was not synced.

use std::collections::BTreeMap;

use rig_core::store::{Error, Options, Read as _, Record, Store, Table, Transact as _};
use serde::{Deserialize, Serialize};

use crate::disk::{Disk, Fate, Random};

/// Power cuts of each way to commit; `RIG_POWER_CUTS` says it for a long night.
fn cuts() -> u64 {
    std::env::var("RIG_POWER_CUTS").map_or(200, |cuts| cuts.parse().unwrap())
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Row {
    text: String,
}

impl Record for Row {}

const LEFT: Table<u64, Row> = Table::new("test/left");
const RIGHT: Table<u64, Row> = Table::new("test/right");

/// One operation: what it puts and removes, in both tables at once.
#[derive(Clone, Debug)]
struct Step {
    put: Vec<(u64, String)>,
    remove: Option<u64>,
    /// The store is closed and opened again after it.
    close: bool,
}

fn steps(random: &mut Random) -> Vec<Step> {
    let step = |_| Step {
        put: (0..=random.below(3))
            .map(|_| {
                let length = if random.below(5) == 0 { random.below(40_000) } else { 40 };
                let letter = char::from(b'a' + u8::try_from(random.below(26)).unwrap());
                (random.next() % 12, letter.to_string().repeat(length))
            })
            .collect(),
        remove: Some(random.next() % 12).filter(|key| *key < 6),
        close: random.below(3) == 0,
    };
    (0..6).map(step).collect()
}

type Content = BTreeMap<u64, String>;

fn apply(content: &mut Content, step: &Step) {
    content.extend(step.put.iter().cloned());
    step.remove.map(|key| content.remove(&key));
}

fn options(quick_repair_from: u64) -> Options {
    Options { quick_repair_from, cache: 1 << 20, ..Options::default() }
}

fn run(store: &Store, step: &Step) -> Result<(), Error> {
    let step = step.clone();
    store.write(move |tx| {
        for (key, text) in &step.put {
            tx.put(LEFT, key, &Row { text: text.clone() })?;
            tx.put(RIGHT, key, &Row { text: text.clone() })?;
        }
        if let Some(key) = step.remove {
            tx.remove(LEFT, &key)?;
            tx.remove(RIGHT, &key)?;
        }
        tx.event("step.done", &[], None, &step.put.len())
    })
}

/// Runs the steps until the disk fails; answers what was acknowledged, and what may be there
/// besides.
fn live(
    disk: &Disk,
    options: &Options,
    mut content: Content,
    steps: &[Step],
) -> (Content, Content) {
    let open = || Store::open_on(disk.clone(), options.clone());
    let Ok(mut store) = open() else { return (content.clone(), content) };
    for step in steps {
        let mut with_it = content.clone();
        apply(&mut with_it, step);
        if run(&store, step).is_err() {
            return (content, with_it);
        }
        content = with_it;
        if step.close {
            drop(store);
            store = match open() {
                Ok(store) => store,
                Err(_) => return (content.clone(), content),
            };
        }
    }
    (content.clone(), content)
}

/// What the store on this disk holds, which must be one of some contents and whole. Looking writes
/// nothing.
fn found(disk: &Disk, options: &Options, allowed: &[&Content]) -> Result<Content, String> {
    let text = |error: Error| error.to_string();
    let store = Store::open_on(disk.clone(), options.clone()).map_err(text)?;
    let side = |table| -> Result<Content, Error> {
        let rows = store.read(|r| r.page(table, .., 1000))?;
        Ok(rows.into_iter().map(|(key, row): (u64, Row)| (key, row.text)).collect())
    };
    let left = side(LEFT).map_err(text)?;
    let right = side(RIGHT).map_err(text)?;
    if left != right {
        return Err("an operation is there in part".to_owned());
    }
    if !allowed.contains(&&left) {
        return Err("something acknowledged is missing".to_owned());
    }
    let findings = store.check(&[LEFT.known(), RIGHT.known()], &[]).map_err(text)?;
    if findings.is_empty() { Ok(left) } else { Err(format!("{findings:?}")) }
}

/// The image of an empty store. Making one is not under test: a file is made under another name.
fn made(options: &Options) -> Vec<u8> {
    let disk = Disk::holding(Vec::new(), Fate::Well);
    drop(Store::open_on(disk.clone(), options.clone()).unwrap());
    disk.image()
}

/// A process that is killed at a random change, or not at all, so that what it did not sync is
/// still seen; then another one, until the power is cut. Answers what was found wrong.
fn lives(seed: u64, options: &Options, lies: bool) -> Result<(), String> {
    let mut random = Random(seed);
    let (first, second) = (steps(&mut random), steps(&mut random));
    let begin = || {
        let disk = Disk::holding(made(options), Fate::Well);
        if lies {
            disk.lie();
        }
        disk
    };
    let empty = Content::new();
    let whole = begin();
    live(&whole, options, empty.clone(), &first);
    let kill = 1 + random.below(whole.changes() + 1);

    let disk = begin();
    disk.set_fate(Fate::CutAt(kill));
    let killed = live(&disk, options, empty, &first);
    disk.set_fate(Fate::Well);
    let fail = |what| format!("seed {seed}, killed at {kill}: {what}");
    let survived = found(&disk, options, &[&killed.0, &killed.1]).map_err(fail)?;

    let cut = disk.changes() + 1 + random.below(30);
    disk.set_fate(Fate::CutAt(cut));
    let ended = live(&disk, options, survived.clone(), &second);
    let disk = Disk::holding(disk.after_power_cut(&mut random), Fate::Well);
    let mut allowed = vec![&ended.0, &ended.1];
    if ended.0 == survived {
        // Nothing was acknowledged since, and so what was under way at the kill is as open.
        allowed.extend([&killed.0, &killed.1]);
    }
    let fail = |what| format!("seed {seed}, killed at {kill}, cut at {cut}: {what}");
    found(&disk, options, &allowed).map_err(fail)?;
    Ok(())
}

#[test]
fn power_cut_in_one_phase() {
    for seed in 0..cuts() {
        lives(seed, &options(u64::MAX), false).unwrap();
    }
}

#[test]
fn power_cut_in_two_phases() {
    for seed in 0..cuts() {
        lives(seed, &options(0), false).unwrap();
    }
}

#[test]
fn a_sync_that_lies_is_caught() {
    let cuts = cuts();
    let caught = (0..cuts)
        .filter(|&seed| lives(seed, &options((seed % 2) * u64::MAX), true).is_err())
        .count();
    assert!(caught as u64 * 10 >= cuts * 9, "only {caught} of {cuts} were caught");
}
