use serde_json::Value;

/// What is shown in place of a token or its digest.
const HIDDEN: &str = "(token)";

/// What every token begins with, and how much follows.
const TOKEN: (&[u8], usize) = (b"tok_", 52);

/// Characters of a digest.
const DIGEST: usize = 64;

/// The value with every token, and every text in a field named for tokens, replaced.
pub(super) fn without_tokens(value: &mut Value) {
    hide(value, false);
}

fn hide(value: &mut Value, of_token: bool) {
    match value {
        Value::String(text) if of_token => HIDDEN.clone_into(text),
        Value::String(text) => {
            if let Some(shown) = spans(text.as_bytes(), token_at) {
                *text = String::from_utf8_lossy(&shown).into_owned();
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| hide(value, of_token)),
        Value::Object(fields) => {
            for (name, value) in fields {
                hide(value, of_token || name.to_ascii_lowercase().contains("token"));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Bytes that nobody could read, with whatever may be a token or a digest of one replaced.
pub(super) fn bytes_without_tokens(bytes: &[u8]) -> Vec<u8> {
    let secret = |rest: &[u8]| token_at(rest).or_else(|| digest_at(rest));
    spans(bytes, secret).unwrap_or_else(|| bytes.to_owned())
}

/// The bytes with each span that `secret` finds the length of replaced; none if there is none.
fn spans(bytes: &[u8], secret: impl Fn(&[u8]) -> Option<usize>) -> Option<Vec<u8>> {
    let mut shown = Vec::with_capacity(bytes.len());
    let (mut rest, mut found) = (bytes, false);
    while let Some((&first, others)) = rest.split_first() {
        if let Some(length) = secret(rest) {
            shown.extend_from_slice(HIDDEN.as_bytes());
            rest = &rest[length..];
            found = true;
        } else {
            shown.push(first);
            rest = others;
        }
    }
    found.then_some(shown)
}

fn token_at(rest: &[u8]) -> Option<usize> {
    let (prefix, length) = TOKEN;
    let digits = rest.strip_prefix(prefix)?.get(..length)?;
    digits.iter().all(u8::is_ascii_alphanumeric).then_some(prefix.len() + length)
}

fn digest_at(rest: &[u8]) -> Option<usize> {
    let digits = rest.get(..DIGEST)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(DIGEST)
}
