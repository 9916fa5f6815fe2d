use super::error::Result;
use super::open::{Handle, Node};
use crate::operations::{Events, ListEvents};

impl Handle<ListEvents> for Node {
    fn handle(&self, asked: ListEvents) -> Result<Events> {
        let _ = asked;
        todo!()
    }
}
