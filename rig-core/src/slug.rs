//! Slugs: names made fit for folders and branches.

use deunicode::deunicode_char;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Characters in the longest slug.
pub const MAX_SLUG: usize = 48;

/// The slug of `name`: at most [`MAX_SLUG`] characters of `[a-z0-9-]`, no dash at either end. Where
/// nothing is left of the name it is `fallback`.
///
/// Cyrillic letters go by a table of their own and everything else that is alphanumeric by
/// deunicode, a character at a time; symbols and emoji are never spelled out.
#[must_use]
pub fn slug(name: &str, fallback: &str) -> String {
    let folded: String = name.nfkc().collect::<String>().to_lowercase().nfc().collect();
    let mut spelled = String::new();
    for c in folded.chars() {
        match latin(c) {
            Some(letters) => spelled.push_str(letters),
            None if is_combining_mark(c) => {}
            None if !c.is_alphanumeric() => spelled.push(' '),
            None => spelled.push_str(deunicode_char(c).unwrap_or(" ")),
        }
    }
    let slug = shortened(&dashed(&spelled), MAX_SLUG);
    if slug.is_empty() { fallback.to_owned() } else { slug }
}

/// `slug`, or the first of `slug-2`, `slug-3`, … that is not taken, the stem shortened so that the
/// whole stays within [`MAX_SLUG`] characters.
///
/// # Errors
///
/// Whatever `taken` fails with.
pub fn unique<E>(slug: &str, mut taken: impl FnMut(&str) -> Result<bool, E>) -> Result<String, E> {
    let mut candidate = slug.to_owned();
    let mut number = 2_u64;
    while taken(&candidate)? {
        let suffix = format!("-{number}");
        candidate = shortened(slug, MAX_SLUG - suffix.len()) + &suffix;
        number += 1;
    }
    Ok(candidate)
}

/// Lower case; each run outside `[a-z0-9]` one dash; no dash at either end.
fn dashed(text: &str) -> String {
    let mut slug = String::with_capacity(text.len());
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_lowercase() || c.is_ascii_digit() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The first `length` characters of a slug, without a dash at the end.
#[must_use]
pub fn shortened(slug: &str, length: usize) -> String {
    let cut: String = slug.chars().take(length).collect();
    cut.trim_matches('-').to_owned()
}

/// A Cyrillic letter in Latin ones.
fn latin(c: char) -> Option<&'static str> {
    Some(match c {
        'а' => "a",
        'б' => "b",
        'в' => "v",
        'г' => "g",
        'д' => "d",
        'е' | 'э' => "e",
        'ё' => "yo",
        'ж' => "zh",
        'з' => "z",
        'и' => "i",
        'й' | 'ы' => "y",
        'к' => "k",
        'л' => "l",
        'м' => "m",
        'н' => "n",
        'о' => "o",
        'п' => "p",
        'р' => "r",
        'с' => "s",
        'т' => "t",
        'у' => "u",
        'ф' => "f",
        'х' => "h",
        'ц' => "ts",
        'ч' => "ch",
        'ш' => "sh",
        'щ' => "sch",
        'ъ' | 'ь' => "",
        'ю' => "yu",
        'я' => "ya",
        _ => return None,
    })
}
