use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use redb::StorageBackend;
use redb::backends::InMemoryBackend;

/// How long a sync takes.
pub const SYNC: Duration = Duration::from_millis(2);

/// Storage in memory whose syncs take as long as those of a disk.
#[derive(Debug, Default)]
pub struct SlowSync {
    memory: InMemoryBackend,
    /// How often it was synced.
    pub count: Arc<Count>,
}

/// How often a storage was synced.
#[derive(Debug, Default)]
pub struct Count {
    syncs: AtomicU32,
    growths: AtomicU32,
}

impl Count {
    /// Syncs so far. Each time that the file doubles there is one more, which is left out.
    #[must_use]
    pub fn syncs(&self) -> u32 {
        self.syncs.load(Ordering::SeqCst) - self.growths.load(Ordering::SeqCst)
    }
}

impl StorageBackend for SlowSync {
    fn len(&self) -> io::Result<u64> {
        self.memory.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.memory.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.count.growths.fetch_add(1, Ordering::SeqCst);
        self.memory.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.count.syncs.fetch_add(1, Ordering::SeqCst);
        thread::sleep(SYNC);
        self.memory.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.memory.write(offset, data)
    }
}
