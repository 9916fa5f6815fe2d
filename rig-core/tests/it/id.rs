use std::time::Duration;

use proptest::prelude::*;
use rig_core::id::{AgentId, EventId, ProjectId, WorkspaceId};
use rig_core::time::Timestamp;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms).unwrap()
}

#[test]
fn an_id_is_its_prefix_and_26_characters() {
    for text in [
        ProjectId::generate(at(1)).to_string(),
        WorkspaceId::generate(at(1)).to_string(),
        EventId::generate(at(1)).to_string(),
        AgentId::generate().to_string(),
    ] {
        let (_, digits) = text.split_once('_').unwrap();
        assert_eq!(digits.len(), 26);
        assert!(digits.bytes().all(|b| b"0123456789abcdefghjkmnpqrstvwxyz".contains(&b)), "{text}");
    }
    assert_eq!(WorkspaceId::from_bits(0).to_string(), "ws_00000000000000000000000000");
    assert_eq!(WorkspaceId::from_bits(u128::MAX).to_string(), "ws_7zzzzzzzzzzzzzzzzzzzzzzzzz");
    assert_eq!(ProjectId::from_bits(32).to_string(), "prj_00000000000000000000000010");
}

#[test]
fn what_is_not_an_id_of_the_kind_is_refused() {
    let zeros = "0".repeat(26);
    for text in [
        String::new(),
        zeros.clone(),
        format!("prj_{zeros}"),
        format!("ws_{}", "0".repeat(25)),
        format!("ws_{}", "0".repeat(27)),
        format!("WS_{zeros}"),
        format!("ws_8{}", "0".repeat(25)), // More than 128 bits.
        format!("ws_{}Z", "0".repeat(25)),
        format!("ws_{}l", "0".repeat(25)),
        format!("ws_{}é", "0".repeat(24)),
        format!(" ws_{zeros}"),
    ] {
        assert!(text.parse::<WorkspaceId>().is_err(), "{text:?}");
    }
    assert_eq!(
        "ws_x".parse::<WorkspaceId>().unwrap_err().to_string(),
        "\"ws_x\" is not an ID: it must be `ws_` and 26 characters of lower-case Crockford base32"
    );
}

#[test]
fn ids_of_one_kind_sort_by_age_as_text_too() {
    let ms = 1_785_000_000_000;
    let ids: Vec<_> = (0..50).map(|n| WorkspaceId::generate(at(ms + n))).collect();
    assert!(ids.is_sorted());
    assert!(ids.iter().map(ToString::to_string).is_sorted());
}

#[test]
fn an_aged_id_has_the_bits_of_a_uuid_of_version_7() {
    let uuid = uuid::Uuid::from_u128(EventId::generate(at(1_785_000_000_123)).bits());
    assert_eq!(uuid.get_version_num(), 7);
    let (seconds, nanos) = uuid.get_timestamp().unwrap().to_unix();
    assert_eq!(Duration::new(seconds, nanos), Duration::from_millis(1_785_000_000_123));
}

proptest! {
    #[test]
    fn an_id_reads_back_as_itself(bits: u128) {
        let id = AgentId::from_bits(bits);
        prop_assert_eq!(id.to_string().parse::<AgentId>(), Ok(id));
        let json = serde_json::to_string(&id).unwrap();
        prop_assert_eq!(serde_json::from_str::<AgentId>(&json).unwrap(), id);
    }
}
