use std::fmt::Debug;

use proptest::prelude::*;
use rig_core::id::{AgentId, WorkspaceId};
use rig_core::order::OrderKey;
use rig_core::store::Key;
use rig_core::time::Timestamp;

/// That two keys compare as their encodings do, and are read back from them.
fn holds<K: Key + Ord + Debug>(one: &K, other: &K) -> Result<(), TestCaseError> {
    let encoded = (one.encoded(), other.encoded());
    prop_assert_eq!(one.cmp(other), encoded.0.cmp(&encoded.1), "{:?} {:?}", one, other);
    for (key, bytes) in [(one, &encoded.0), (other, &encoded.1)] {
        let mut input = bytes.as_slice();
        let read = K::decode(&mut input);
        prop_assert_eq!(read.as_ref(), Some(key));
        prop_assert!(input.is_empty());
    }
    Ok(())
}

fn timestamp() -> impl Strategy<Value = Timestamp> {
    (-62_167_219_200_000_i64..=253_402_300_799_999)
        .prop_map(|ms| Timestamp::from_millis(ms).unwrap())
}

/// Texts that have much in common: NULs, prefixes of each other, the highest characters.
fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec!['\0', '\u{1}', 'a', '\u{ff}', '\u{10ffff}']),
        0..6,
    )
    .prop_map(String::from_iter)
}

/// Bits whose first byte is `00`, `01` or `ff`, which byte strings end in or escape with.
fn bits() -> impl Strategy<Value = u128> {
    (prop::sample::select(vec![0_u8, 1, 0xff]), any::<u128>())
        .prop_map(|(first, rest)| (u128::from(first) << 120) | (rest >> 8))
}

proptest! {
    #[test]
    fn numbers_and_truths_sort_as_their_bytes(one: (u64, bool), other: (u64, bool)) {
        holds(&one, &other)?;
    }

    #[test]
    fn instants_sort_as_their_bytes(one in timestamp(), other in timestamp()) {
        holds(&one, &other)?;
    }

    #[test]
    fn ids_sort_as_their_bytes(one: u128, other: u128) {
        holds(&WorkspaceId::from_bits(one), &WorkspaceId::from_bits(other))?;
    }

    #[test]
    fn bytes_sort_as_their_encodings(one: Vec<u8>, other: Vec<u8>) {
        holds(&one, &other)?;
    }

    #[test]
    fn a_text_before_an_id_sorts_first(one in (text(), bits()), other in (text(), bits())) {
        let key = |(text, bits): (String, u128)| (text, AgentId::from_bits(bits));
        holds(&key(one), &key(other))?;
    }

    #[test]
    fn rows_of_a_project_sort_by_place_then_id(one in (bits(), text(), bits()), other in (bits(), text(), bits())) {
        let key = |(project, folded, id)| (AgentId::from_bits(project), folded, WorkspaceId::from_bits(id));
        holds(&key(one), &key(other))?;
    }

    #[test]
    fn what_is_not_a_key_is_none_and_no_panic(bytes: Vec<u8>) {
        let _ = <(String, Timestamp, bool)>::decode(&mut bytes.as_slice());
        let _ = <(Vec<u8>, OrderKey)>::decode(&mut bytes.as_slice());
    }
}

#[test]
fn places_in_a_list_sort_as_their_bytes() {
    let middle = OrderKey::between(None, None);
    let places = [
        OrderKey::between(None, Some(&middle)),
        middle.clone(),
        OrderKey::between(Some(&middle), None),
    ];
    assert!(places.iter().map(Key::encoded).is_sorted());
    assert_eq!(OrderKey::decode(&mut middle.encoded().as_slice()), Some(middle));
}
