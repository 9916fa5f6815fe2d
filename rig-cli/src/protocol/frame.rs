use serde::Serialize;

use super::Failure;

/// Bytes of a frame at most, its line feed included.
pub const FRAME: usize = 1 << 20;

/// A frame is larger than it may be: `frame_too_large`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of {size} bytes is too large: at most {FRAME} bytes fit")]
pub struct TooLarge {
    /// Its bytes, as far as they were counted.
    pub size: usize,
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Self::of("frame_too_large", &error)
    }
}

/// A message as a line of JSON.
///
/// # Errors
///
/// If it is too large.
///
/// # Panics
///
/// If the message cannot be written as JSON, which a map with keys of another kind than text cannot.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, TooLarge> {
    let mut frame = serde_json::to_vec(message).expect("a message is JSON");
    frame.push(b'\n');
    if frame.len() > FRAME { Err(TooLarge { size: frame.len() }) } else { Ok(frame) }
}

/// Puts together frames of the bytes that arrive.
#[derive(Debug, Default)]
pub struct Frames {
    bytes: Vec<u8>,
    /// Bytes in which no line feed was found.
    searched: usize,
}

impl Frames {
    /// Adds what arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next whole frame, without its line feed.
    ///
    /// # Errors
    ///
    /// If it is larger than a frame may be.
    #[allow(clippy::should_implement_trait)] // It fails, and there may be more after it gave none.
    pub fn next(&mut self) -> Result<Option<Vec<u8>>, TooLarge> {
        let end = self.bytes[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.bytes.len();
            return match self.bytes.len() {
                size if size >= FRAME => Err(TooLarge { size }),
                _ => Ok(None),
            };
        };
        if end >= FRAME {
            return Err(TooLarge { size: end + 1 });
        }
        let rest = self.bytes.split_off(end + 1);
        let mut frame = std::mem::replace(&mut self.bytes, rest);
        frame.pop();
        self.searched = 0;
        Ok(Some(frame))
    }

    /// Whether a frame has begun and not ended.
    #[must_use]
    pub fn begun(&self) -> bool {
        !self.bytes.is_empty()
    }
}
