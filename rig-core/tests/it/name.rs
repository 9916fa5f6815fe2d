use std::collections::HashSet;
use std::convert::Infallible;

use proptest::prelude::*;
use rig_core::name::{BadName, Name};

fn name(text: &str) -> Name {
    Name::new(text).unwrap()
}

/// The names that rows get which are asked for one after the other.
fn given<'a>(asked: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let (mut taken, mut given) = (HashSet::new(), Vec::new());
    for text in asked {
        let Ok(unique) =
            name(text).unique(|name| Ok::<_, Infallible>(taken.contains(&name.folded())));
        taken.insert(unique.folded());
        given.push(unique.to_string());
    }
    given
}

#[test]
fn a_name_is_trimmed() {
    assert_eq!(name("  Retry policy rewrite \n").as_str(), "Retry policy rewrite");
    assert_eq!(name(&"é".repeat(100)).as_str().chars().count(), 100);
}

#[test]
fn bad_names_are_refused_with_the_rule() {
    assert_eq!(Name::new(" \t "), Err(BadName::Empty));
    assert_eq!(Name::new(" \u{0} "), Err(BadName::Unprintable { character: '\u{0}' }));
    assert_eq!(Name::new("a\nb"), Err(BadName::Unprintable { character: '\n' }));
    assert_eq!(Name::new("a\u{202e}b"), Err(BadName::Unprintable { character: '\u{202e}' }));
    assert_eq!(Name::new("\u{200b}"), Err(BadName::Unprintable { character: '\u{200b}' }));
    assert_eq!(Name::new(&"a".repeat(101)), Err(BadName::TooLong { characters: 101 }));
    assert_eq!(
        Name::new("a\u{7}").unwrap_err().to_string(),
        "the name has the character U+0007: control and format characters are not allowed"
    );
}

#[test]
fn names_are_equal_if_their_lowercased_nfkc_forms_are() {
    assert_eq!(name("Ｒig").folded(), name("rig").folded());
    assert_eq!(name("Cafe\u{301}").folded(), name("CAFÉ").folded());
    assert_ne!(name("rig").folded(), name("rig ().").folded());
    assert_eq!(given(["Foo", "foo", "ＦＯＯ"]), ["Foo", "foo (2)", "ＦＯＯ (3)"]);
}

#[test]
fn a_taken_name_gets_a_number_and_stays_within_100_characters() {
    assert_eq!(given(["Shared Name", "Shared Name"]), ["Shared Name", "Shared Name (2)"]);
    assert_eq!(given(["X", "X (2)", "X"]), ["X", "X (2)", "X (3)"]);
    let long = "é".repeat(100);
    assert_eq!(given([long.as_str(), long.as_str()])[1], format!("{} (2)", "é".repeat(96)));
    let spaced = format!("{} bcdef", "a".repeat(94));
    assert_eq!(given([spaced.as_str(), spaced.as_str()])[1], format!("{} b (2)", "a".repeat(94)));
}

#[test]
fn a_text_that_nobody_typed_gives_the_nearest_name() {
    let nearest = |text: &str| Name::from_untrusted(text).map(|name| name.to_string());
    assert_eq!(nearest("a\nb\u{200b}"), Some("ab".to_owned()));
    assert_eq!(nearest(&"x".repeat(300)), Some("x".repeat(100)));
    assert_eq!(nearest("\u{1} \u{2}"), None);
}

proptest! {
    #[test]
    fn any_text_gives_a_legal_name_or_none(text in any::<String>()) {
        if let Some(name) = Name::from_untrusted(&text) {
            prop_assert_eq!(Name::new(name.as_str()), Ok(name));
        }
    }

    #[test]
    fn a_unique_name_is_legal_however_many_are_taken(text in "\\PC{1,100}", tries in 0_u32..2000) {
        if let Ok(name) = Name::new(&text) {
            let mut left = tries;
            let Ok(unique) = name.unique(|_| {
                left = left.saturating_sub(1);
                Ok::<_, Infallible>(left > 0)
            });
            prop_assert_eq!(Name::new(unique.as_str()), Ok(unique));
        }
    }
}
