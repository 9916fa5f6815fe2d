use std::ops::Range;

/// Whether the byte counts as a blank: space, tab, carriage return, line feed.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Where the text lies without the blanks around it.
pub(super) fn trimmed(text: &str) -> Range<usize> {
    let bytes = text.as_bytes();
    let start = bytes.iter().position(|byte| !is_blank(*byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !is_blank(*byte)).map_or(start, |last| last + 1);
    start..end
}

/// The text as errors show it: cut, so that a mistake does not fill the screen.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = super::MAX_TEXT;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
