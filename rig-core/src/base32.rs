//! Crockford's base32 in lower case, of numbers with a fixed count of digits.

/// The digits, by their value.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Digits of the longest number there is: a token.
const LONGEST: usize = 52;

/// Appends a number, given as big-endian bytes, with `N` digits.
pub(crate) fn encode<const N: usize>(bytes: &[u8], out: &mut String) {
    let mut digits = [ALPHABET[0]; N];
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut rest = bytes.iter().rev();
    for digit in digits.iter_mut().rev() {
        if held < 5
            && let Some(&byte) = rest.next()
        {
            bits |= u32::from(byte) << held;
            held += 8;
        }
        *digit = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
        held = held.saturating_sub(5);
    }
    // The digits are ASCII.
    out.push_str(std::str::from_utf8(&digits).unwrap_or_default());
}

/// The number of `N` bytes, big-endian, that a text of exactly `digits` digits writes; none if it is
/// anything else or too large.
pub(crate) fn decode<const N: usize>(text: &str, digits: usize) -> Option<[u8; N]> {
    debug_assert!(digits <= LONGEST && 5 * digits >= 8 * N, "the digits hold the bytes");
    if text.len() != digits {
        return None;
    }
    let mut number = [0; N];
    let mut places = number.iter_mut().rev();
    let (mut bits, mut held) = (0_u32, 0_u32);
    for given in text.bytes().rev() {
        let value = ALPHABET.iter().position(|&known| known == given)?;
        bits |= u32::try_from(value).ok()? << held;
        held += 5;
        if held >= 8
            && let Some(place) = places.next()
        {
            *place = (bits & 0xff) as u8;
            bits >>= 8;
            held -= 8;
        }
    }
    // What does not fit is no number of these bytes.
    (bits == 0).then_some(number)
}
