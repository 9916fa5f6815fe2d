use crate::caller::Caller;
use crate::id::{
    AgentId, EventId, MessageId, ProjectId, ScheduleId, SessionId, WaitId, WorkspaceId,
};
use crate::order::OrderKey;
use crate::time::Timestamp;

/// What a table is sorted by: the byte order of the encodings is the order of the keys.
pub trait Key: Sized {
    /// Appends the encoding.
    fn encode(&self, out: &mut Vec<u8>);

    /// Takes a key off the front of `input`; none if it does not begin with one.
    fn decode(input: &mut &[u8]) -> Option<Self>;

    /// The whole encoding.
    fn encoded(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(32);
        self.encode(&mut out);
        out
    }
}

fn take<const N: usize>(input: &mut &[u8]) -> Option<[u8; N]> {
    let (front, rest) = input.split_first_chunk::<N>()?;
    *input = rest;
    Some(*front)
}

macro_rules! id_key {
    ($($id:ty),*) => {$(
        impl Key for $id {
            fn encode(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.bits().to_be_bytes());
            }

            fn decode(input: &mut &[u8]) -> Option<Self> {
                take(input).map(|bytes| Self::from_bits(u128::from_be_bytes(bytes)))
            }
        }
    )*};
}

id_key!(AgentId, EventId, MessageId, ProjectId, ScheduleId, SessionId, WaitId, WorkspaceId);

impl Key for u64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_be_bytes());
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        take(input).map(Self::from_be_bytes)
    }
}

impl Key for Timestamp {
    fn encode(&self, out: &mut Vec<u8>) {
        // With the sign bit turned, earlier instants have smaller bytes.
        out.extend_from_slice(&(self.as_millis() ^ i64::MIN).to_be_bytes());
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        Self::from_millis(take(input).map(i64::from_be_bytes)? ^ i64::MIN)
    }
}

impl Key for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        match take(input)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

/// The person comes before all agents.
impl Key for Caller {
    fn encode(&self, out: &mut Vec<u8>) {
        self.agent().is_some().encode(out);
        if let Some(agent) = self.agent() {
            agent.encode(out);
        }
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        if bool::decode(input)? {
            AgentId::decode(input).map(Self::Agent)
        } else {
            Some(Self::Person)
        }
    }
}

/// Bytes end in `00 01`; a NUL within is written as `00 ff`. So a prefix sorts first, and whatever
/// follows in a tuple is not taken for more of them.
impl Key for Vec<u8> {
    fn encode(&self, out: &mut Vec<u8>) {
        for &byte in self {
            out.push(byte);
            if byte == 0 {
                out.push(0xff);
            }
        }
        out.extend_from_slice(&[0, 1]);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        let mut bytes = Self::new();
        loop {
            match take(input)? {
                [0] => match take(input)? {
                    [0xff] => bytes.push(0),
                    [1] => return Some(bytes),
                    _ => return None,
                },
                [byte] => bytes.push(byte),
            }
        }
    }
}

impl Key for String {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_bytes().to_vec().encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        Self::from_utf8(Vec::decode(input)?).ok()
    }
}

impl Key for OrderKey {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_str().as_bytes().to_vec().encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        String::decode(input).map(Self::from_stored)
    }
}

impl<A: Key, B: Key> Key for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        Some((A::decode(input)?, B::decode(input)?))
    }
}

impl<A: Key, B: Key, C: Key> Key for (A, B, C) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
        self.2.encode(out);
    }

    fn decode(input: &mut &[u8]) -> Option<Self> {
        Some((A::decode(input)?, B::decode(input)?, C::decode(input)?))
    }
}
