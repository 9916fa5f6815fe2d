//! What is remembered of a command's output while it goes by.

/// Characters of a command's output that its failure carries.
const END: usize = 300;

/// Bytes that hold so many characters and a torn one before them.
const END_BYTES: usize = 4 * END + 3;

/// Bytes of the longest line that is shown.
const LINE_BYTES: usize = 1024;

/// The end of an output, and its last line.
#[derive(Debug, Default)]
pub(super) struct Output {
    end: Vec<u8>,
    /// White space after `end`: it counts only once something follows.
    blank: Vec<u8>,
    line: Vec<u8>,
}

impl Output {
    /// Takes note of output, and answers with the last line that has something in it, to be shown.
    pub(super) fn add(&mut self, bytes: &[u8]) -> Option<String> {
        match bytes.iter().rposition(|byte| !byte.is_ascii_whitespace()) {
            Some(last) => {
                self.end.append(&mut self.blank);
                keep_last(&mut self.end, &bytes[..=last]);
                keep_last(&mut self.blank, &bytes[last + 1..]);
            }
            None => keep_last(&mut self.blank, bytes),
        }
        let mut shown = None;
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let room = LINE_BYTES.saturating_sub(self.line.len());
            self.line.extend(&piece[..piece.len().min(room)]);
            let text = String::from_utf8_lossy(&self.line);
            let text: String = text.chars().filter(|c| !c.is_control()).collect();
            if !text.trim().is_empty() {
                shown = Some(text.trim().to_owned());
            }
            if piece.ends_with(b"\n") || piece.ends_with(b"\r") {
                self.line.clear();
            }
        }
        shown
    }

    /// The last 300 characters of the output; white space after them does not count.
    pub(super) fn end(&self) -> String {
        let text = String::from_utf8_lossy(&self.end);
        let skipped = text.chars().count().saturating_sub(END);
        text.chars().skip(skipped).collect()
    }
}

fn keep_last(kept: &mut Vec<u8>, more: &[u8]) {
    kept.extend(&more[more.len().saturating_sub(END_BYTES)..]);
    kept.drain(..kept.len().saturating_sub(END_BYTES));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_cut_by_characters_after_decoding() {
        let mut output = Output::default();
        output.add("é🦀".repeat(400).as_bytes());
        output.add(b"\xff!\n\n");
        output.add(&b" \n".repeat(5000));
        let end = output.end();
        assert_eq!(end.chars().count(), 300);
        assert!(end.starts_with("é🦀é") && end.ends_with("é🦀\u{fffd}!"), "{end}");
        output.add(b"more");
        assert!(output.end().ends_with("\n \nmore"));
    }

    #[test]
    fn the_last_line_is_shown_as_it_comes() {
        let mut output = Output::default();
        assert_eq!(output.add(b"one\ntw").as_deref(), Some("tw"));
        assert_eq!(output.add(b"o").as_deref(), Some("two"));
        assert_eq!(output.add(b"\n\n").as_deref(), Some("two"));
        assert_eq!(output.add(b" \r\n"), None);
        assert_eq!(output.add(b"10%\r20%\r\x1b[1m30\x07%").as_deref(), Some("[1m30%"));
        assert_eq!(output.add(&[b'x'; 5000]).map(|line| line.len()), Some(1022));
    }
}
