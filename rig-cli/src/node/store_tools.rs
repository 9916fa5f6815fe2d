use super::error::Result;
use super::open::{Handle, Node};
use crate::operations::{CheckStore, CheckedStore, CompactStore, CompactedStore};

impl Handle<CheckStore> for Node {
    fn handle(&self, CheckStore {}: CheckStore) -> Result<CheckedStore> {
        todo!()
    }
}

impl Handle<CompactStore> for Node {
    fn handle(&self, CompactStore {}: CompactStore) -> Result<CompactedStore> {
        todo!()
    }
}

impl Node {
    /// Hands every row of the store to `line`, as a line of JSON.
    ///
    /// # Errors
    ///
    /// Those of the store.
    pub fn dump(&self, line: &mut dyn FnMut(&[u8])) -> Result<()> {
        let _ = line;
        todo!()
    }
}
