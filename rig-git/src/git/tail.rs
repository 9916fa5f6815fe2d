/// How much of a command's output is kept.
const KEPT: usize = 1 << 20;

/// The last 1 MiB of what was pushed.
#[derive(Default)]
pub(super) struct Tail(Vec<u8>);

impl Tail {
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
        if self.0.len() > 2 * KEPT {
            self.cut();
        }
    }

    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.cut();
        self.0
    }

    fn cut(&mut self) {
        let too_much = self.0.len().saturating_sub(KEPT);
        self.0.drain(..too_much);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_long_output_is_what_is_kept() {
        let mut tail = Tail::default();
        for byte in 0..=250_u8 {
            tail.push(&vec![byte; 1 << 16]);
        }
        let kept = tail.into_bytes();
        assert_eq!(kept.len(), KEPT);
        assert_eq!((kept[0], kept[KEPT - 1]), (235, 250));
    }
}
