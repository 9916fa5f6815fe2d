use chrono::NaiveDateTime;
use chrono::format::{Parsed, StrftimeItems, parse};

use super::calendar::Reading;

/// A date and a time of day, with a 0 for each digit, and how chrono calls it; the longer ones first.
///
/// The last two are of RFC 3339 alone. They are here for what chrono does not read as such, since
/// the offset is missing or too large.
const SHAPES: [(&str, &str); 6] = [
    ("0000-00-00T00:00:00", "%Y-%m-%dT%H:%M:%S%.f"),
    ("0000-00-00T00:00", "%Y-%m-%dT%H:%M"),
    ("00000000T000000", "%Y%m%dT%H%M%S"),
    ("00000000T0000", "%Y%m%dT%H%M"),
    ("0000-00-00t00:00:00", "%Y-%m-%dt%H:%M:%S%.f"),
    ("0000-00-00 00:00:00", "%Y-%m-%d %H:%M:%S%.f"),
];

/// The shapes of an offset.
const ZONES: [&str; 7] = ["Z", "+00:00", "-00:00", "+0000", "-0000", "+00", "-00"];

/// Reads the shapes of ISO 8601 that RFC 3339 has not, and those of either without an offset or with
/// one that is too large.
pub(super) fn read(text: &str) -> Option<Reading> {
    // chrono takes fields of any width, so the shape comes first.
    let (shape, format) = SHAPES.into_iter().find(|(shape, _)| begins_like(text, shape))?;
    let (local, zone) = NaiveDateTime::parse_and_remainder(text, format).ok()?;
    let fraction = text.len() - zone.len() - shape.len();
    if fraction > ".123456789".len() {
        return None;
    }
    if zone.is_empty() {
        return Some(Reading::of(local, None));
    }
    let zone_shape = ZONES.into_iter().find(|shape| is_like(zone, shape))?;
    let only_rfc_3339 = !shape.contains('T');
    if only_rfc_3339 && !zone_shape.contains(':') {
        return None;
    }
    let mut parsed = Parsed::new();
    parse(&mut parsed, zone, StrftimeItems::new("%#z")).ok()?;
    Some(Reading::of(local, parsed.offset()))
}

fn begins_like(text: &str, shape: &str) -> bool {
    text.get(..shape.len()).is_some_and(|beginning| is_like(beginning, shape))
}

/// Whether the text has a digit wherever the shape has a 0, and else is the same.
fn is_like(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, wanted)| match wanted {
            b'0' => byte.is_ascii_digit(),
            _ => byte == wanted,
        })
}
