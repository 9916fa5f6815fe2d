use serde_json::{Map, Value};

/// Takes a reply apart that does not fit into a frame: each element of its lists is a part, as an
/// object with the list's name. What is left, with empty lists, ends the stream.
pub(crate) fn apart(reply: Value) -> (Vec<Value>, Value) {
    let Value::Object(mut reply) = reply else { return (Vec::new(), reply) };
    let mut parts = Vec::new();
    for (name, value) in &mut reply {
        if let Value::Array(elements) = value {
            let part = |element| Value::Object(Map::from_iter([(name.clone(), element)]));
            parts.extend(std::mem::take(elements).into_iter().map(part));
        }
    }
    (parts, Value::Object(reply))
}

/// Puts a reply together again.
#[derive(Debug, Default)]
pub(crate) struct Parts(Map<String, Value>);

impl Parts {
    /// Adds a part.
    pub(crate) fn push(&mut self, part: Value) {
        let Value::Object(part) = part else { return };
        for (name, element) in part {
            let list = self.0.entry(name).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.push(element);
            }
        }
    }

    /// The whole reply.
    pub(crate) fn end(self, rest: Value) -> Value {
        let Value::Object(mut reply) = rest else { return rest };
        reply.extend(self.0);
        Value::Object(reply)
    }
}
