use std::fmt;

/// A text of at most `N` bytes that needs no allocation.
pub(super) struct Buffer<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Buffer<N> {
    pub(super) fn new() -> Self {
        Self { bytes: [0; N], len: 0 }
    }

    pub(super) fn as_str(&self) -> &str {
        // Only whole texts are written.
        std::str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl<const N: usize> fmt::Write for Buffer<N> {
    /// Fails, writing nothing, if there is no room for the text.
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}
