use std::collections::HashSet;
use std::convert::Infallible;

use proptest::prelude::*;
use rig_core::slug::{MAX_SLUG, shortened, slug, unique};

fn key(name: &str) -> String {
    slug(name, "workspace")
}

/// The keys that workspaces of these names get, one after the other.
fn keys(names: &[&str]) -> Vec<String> {
    let mut taken = HashSet::new();
    let next = |name: &&str| {
        let Ok(key) = unique(&key(name), |key| Ok::<_, Infallible>(taken.contains(key)));
        taken.insert(key.clone());
        key
    };
    names.iter().map(next).collect()
}

#[test]
fn a_slug_is_latin_lower_case_with_dashes() {
    for (name, expected) in [
        (" Café / API ", "cafe-api"),
        ("🚀", "workspace"),
        ("Объём", "obyom"),
        ("北京 deploy", "bei-jing-deploy"),
        ("don't stop", "don-t-stop"),
        ("Feature Work", "feature-work"),
        ("Workspace 12", "workspace-12"),
        ("Retry policy rewrite", "retry-policy-rewrite"),
        ("feat/a-b", "feat-a-b"),
        ("feat-a/b", "feat-a-b"),
        ("--force", "force"),
        ("-x", "x"),
        ("../../etc/passwd", "etc-passwd"),
        ("Straße", "strasse"),
        ("Щука, Юля и подъезд", "schuka-yulya-i-podezd"),
        ("e\u{301}te\u{301}", "ete"),
        ("ﬁx ①", "fix-1"),
        ("a🚀b", "a-b"),
        ("©2026", "2026"),
    ] {
        assert_eq!(key(name), expected, "{name}");
    }
    assert_eq!(slug("!?", "project"), "project");
}

#[test]
fn a_slug_is_cut_at_48_without_a_dash_at_its_end() {
    assert_eq!(key(&"a".repeat(60)), "a".repeat(48));
    assert_eq!(key(&format!("{} b", "a".repeat(47))), "a".repeat(47));
    assert_eq!(shortened("abc-def", 4), "abc");
}

#[test]
fn sixty_times_a_created_twice_stays_within_48() {
    let long = "a".repeat(60);
    assert_eq!(keys(&[&long, &long]), ["a".repeat(48), format!("{}-2", "a".repeat(46))]);
}

#[test]
fn a_taken_slug_gets_the_next_number() {
    assert_eq!(keys(&["Foo", "foo", "FOO"]), ["foo", "foo-2", "foo-3"]);
    assert_eq!(keys(&["feat/a-b", "feat-a/b"]), ["feat-a-b", "feat-a-b-2"]);
    assert_eq!(keys(&["x 2", "x", "x"]), ["x-2", "x", "x-3"]);
}

fn is_slug(text: &str) -> bool {
    (1..=MAX_SLUG).contains(&text.len())
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
        && !text.starts_with('-')
        && !text.ends_with('-')
}

proptest! {
    #[test]
    fn any_text_gives_a_slug(text in any::<String>(), tries in 0_u32..2000) {
        let slug = key(&text);
        prop_assert!(is_slug(&slug), "{}", slug);
        prop_assert_eq!(&key(&slug), &slug);
        let mut left = tries;
        let Ok(unique) = unique(&slug, |_| {
            left = left.saturating_sub(1);
            Ok::<_, Infallible>(left > 0)
        });
        prop_assert!(is_slug(&unique), "{}", unique);
    }
}
