//! A storage that can lose power, fail or run full, as a disk does.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;

/// A small generator: the same seed gives the same numbers (`SplitMix64`).
#[derive(Clone, Debug)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }
}

/// What happens to the disk.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fate {
    Well,
    /// From this change on nothing works.
    CutAt(usize),
    /// This one change fails.
    FailAt(usize),
    /// From this change on there is no room to write.
    FullFrom(usize),
    /// From this change on there is no room to write while this file is there.
    FullBeside {
        file: PathBuf,
        from: usize,
    },
    /// A sync finds out, once, that there is no room; what was written may be there.
    FullAtSync,
    /// Nothing can be read.
    FailReads,
    /// Not even its length can be read.
    Gone,
}

#[derive(Clone, Debug)]
enum Change {
    Length(u64),
    Write(u64, Vec<u8>),
}

#[derive(Debug)]
struct Inner {
    /// What survives a power cut.
    durable: Vec<u8>,
    /// What was done since the last sync.
    pending: Vec<Change>,
    /// What a read sees.
    seen: Vec<u8>,
    fate: Fate,
    lies: bool,
    /// Writes, changes of length and syncs so far.
    changes: usize,
    syncs: usize,
}

/// A disk in memory. Clones are the same disk.
#[derive(Clone, Debug)]
pub(crate) struct Disk(Arc<Mutex<Inner>>);

impl Disk {
    pub(crate) fn holding(image: Vec<u8>, fate: Fate) -> Self {
        Self(Arc::new(Mutex::new(Inner {
            durable: image.clone(),
            pending: Vec::new(),
            seen: image,
            fate,
            lies: false,
            changes: 0,
            syncs: 0,
        })))
    }

    /// From here on a sync does nothing.
    pub(crate) fn lie(&self) {
        self.lock().lies = true;
    }

    pub(crate) fn set_fate(&self, fate: Fate) {
        self.lock().fate = fate;
    }

    pub(crate) fn changes(&self) -> usize {
        self.lock().changes
    }

    pub(crate) fn syncs(&self) -> usize {
        self.lock().syncs
    }

    pub(crate) fn image(&self) -> Vec<u8> {
        self.lock().seen.clone()
    }

    /// What is on the disk after a power cut: of what was not synced, some is lost, the rest is
    /// there in any order, whole or torn, and the length is an old one or a new one.
    pub(crate) fn after_power_cut(&self, random: &mut Random) -> Vec<u8> {
        let inner = self.lock();
        let mut image = inner.durable.clone();
        let lengths = inner.pending.iter().filter_map(|change| match change {
            Change::Length(length) => Some(usize::try_from(*length).unwrap()),
            Change::Write(..) => None,
        });
        let mut lengths: Vec<_> = lengths.collect();
        lengths.push(image.len());
        let length = lengths[random.below(lengths.len())];
        image.resize(length, 0);
        let mut writes: Vec<_> = inner
            .pending
            .iter()
            .filter_map(|change| match change {
                Change::Write(offset, data) => Some((usize::try_from(*offset).unwrap(), data)),
                Change::Length(_) => None,
            })
            .collect();
        for last in (1..writes.len()).rev() {
            writes.swap(last, random.below(last + 1));
        }
        let keep = random.below(5);
        for (offset, data) in writes {
            // The header of the file, at its beginning, is what a tear could harm most.
            let torn = random.below(if offset == 0 { 64 } else { data.len() + 1 }).min(data.len());
            let part = match random.below(4) {
                _ if random.below(4) >= keep => 0..0,
                0 => 0..torn,
                1 => torn..data.len(),
                _ => 0..data.len(),
            };
            let from = (offset + part.start).min(image.len());
            let place = &mut image[from..(offset + part.end).min(length).max(from)];
            place.copy_from_slice(&data[part.start..part.start + place.len()]);
        }
        image
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }
}

impl Change {
    fn apply(&self, image: &mut Vec<u8>) {
        match self {
            Self::Length(length) => image.resize(usize::try_from(*length).unwrap(), 0),
            Self::Write(offset, data) => {
                let offset = usize::try_from(*offset).unwrap();
                image[offset..offset + data.len()].copy_from_slice(data);
            }
        }
    }
}

impl Inner {
    fn make(&mut self, change: Change) -> io::Result<()> {
        let done = self.change(true);
        if done.is_ok() || self.fate == Fate::CutAt(self.changes) {
            change.apply(&mut self.seen);
            self.pending.push(change);
        }
        done
    }

    fn change(&mut self, writes: bool) -> io::Result<()> {
        self.changes += 1;
        match &self.fate {
            Fate::Gone => Err(io::Error::other("the disk is gone")),
            &Fate::CutAt(at) if self.changes >= at => Err(io::Error::other("the power is gone")),
            &Fate::FailAt(at) if self.changes == at => Err(io::Error::other("the disk failed")),
            &Fate::FullFrom(at) if writes && self.changes >= at => {
                Err(io::ErrorKind::StorageFull.into())
            }
            Fate::FullBeside { file, from } if writes && self.changes >= *from && file.exists() => {
                Err(io::ErrorKind::StorageFull.into())
            }
            Fate::FullAtSync if !writes => {
                self.fate = Fate::Well;
                Err(io::ErrorKind::StorageFull.into())
            }
            _ => Ok(()),
        }
    }
}

fn readable(it_is: bool) -> io::Result<()> {
    if it_is { Ok(()) } else { Err(io::Error::other("the disk is gone")) }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        let inner = self.lock();
        readable(inner.fate != Fate::Gone)?;
        Ok(inner.seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inner = self.lock();
        readable(!matches!(inner.fate, Fate::Gone | Fate::FailReads))?;
        let offset = usize::try_from(offset).unwrap();
        let data = inner.seen.get(offset..offset + out.len());
        out.copy_from_slice(data.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.lock().make(Change::Length(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut inner = self.lock();
        inner.change(false)?;
        inner.syncs += 1;
        if !inner.lies {
            let Inner { pending, durable, .. } = &mut *inner;
            for change in pending.drain(..) {
                change.apply(durable);
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.lock().make(Change::Write(offset, data.to_vec()))
    }
}
