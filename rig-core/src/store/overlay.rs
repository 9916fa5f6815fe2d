use std::collections::BTreeMap;
use std::io;

use redb::StorageBackend;

const BLOCK: u64 = 4096;

/// Changes to a storage that are kept in memory.
#[derive(Debug)]
pub(super) struct Overlay {
    /// The length as it would be.
    len: u64,
    /// How much of what lies below still shows: less once the length was cut and grew again.
    below: u64,
    /// Whole blocks, by their offset.
    blocks: BTreeMap<u64, Vec<u8>>,
    /// How often they would have been synced.
    pub(super) syncs: usize,
}

impl Overlay {
    pub(super) fn over(below: &dyn StorageBackend) -> io::Result<Self> {
        let len = below.len()?;
        Ok(Self { len, below: len, blocks: BTreeMap::new(), syncs: 0 })
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Whether the length is still the one below.
    pub(super) fn same_length(&self) -> bool {
        self.len == self.below
    }

    pub(super) fn set_len(&mut self, len: u64) {
        self.len = len;
        self.below = self.below.min(len);
        self.blocks.split_off(&len);
    }

    pub(super) fn read(
        &self,
        below: &dyn StorageBackend,
        offset: u64,
        out: &mut [u8],
    ) -> io::Result<()> {
        let end = offset + out.len() as u64;
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let shown = usize::try_from(self.below.clamp(offset, end) - offset).unwrap_or(out.len());
        let (old, new) = out.split_at_mut(shown);
        if !old.is_empty() {
            below.read(offset, old)?;
        }
        new.fill(0);
        for (&start, block) in self.blocks.range(offset - offset % BLOCK..end) {
            let (from, to) = (start.max(offset), (start + BLOCK).min(end));
            out[place(from, offset)..place(to, offset)]
                .copy_from_slice(&block[place(from, start)..place(to, start)]);
        }
        Ok(())
    }

    pub(super) fn write(
        &mut self,
        below: &dyn StorageBackend,
        offset: u64,
        data: &[u8],
    ) -> io::Result<()> {
        let end = offset + data.len() as u64;
        if end > self.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut start = offset - offset % BLOCK;
        while start < end {
            if !self.blocks.contains_key(&start) {
                let mut block = vec![0; place(BLOCK, 0)];
                let known = place(BLOCK.min(self.len - start), 0);
                self.read(below, start, &mut block[..known])?;
                self.blocks.insert(start, block);
            }
            let (from, to) = (start.max(offset), (start + BLOCK).min(end));
            if let Some(block) = self.blocks.get_mut(&start) {
                block[place(from, start)..place(to, start)]
                    .copy_from_slice(&data[place(from, offset)..place(to, offset)]);
            }
            start += BLOCK;
        }
        Ok(())
    }

    /// The first bytes, if they were written.
    pub(super) fn first(&mut self) -> Option<&mut Vec<u8>> {
        self.blocks.get_mut(&0)
    }

    /// Writes the length and all blocks but the first.
    pub(super) fn apply_rest(&self, below: &dyn StorageBackend) -> io::Result<()> {
        if below.len()? != self.below {
            below.set_len(self.below)?;
        }
        if self.len != self.below {
            below.set_len(self.len)?;
        }
        for (&start, block) in self.blocks.range(BLOCK..) {
            below.write(start, &block[..place(BLOCK.min(self.len - start), 0)])?;
        }
        Ok(())
    }
}

/// How far `at` is behind `start`.
fn place(at: u64, start: u64) -> usize {
    usize::try_from(at - start).unwrap_or(usize::MAX)
}
