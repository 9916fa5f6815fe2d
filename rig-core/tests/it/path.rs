use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use proptest::prelude::*;
use rig_core::path::RawPath;

fn path(bytes: &[u8]) -> RawPath {
    RawPath::from(PathBuf::from(OsString::from_vec(bytes.to_vec())))
}

#[test]
fn a_path_is_text_where_it_is_utf8() {
    let plain = RawPath::from("/home/tester/a b");
    assert_eq!(serde_json::to_string(&plain).unwrap(), "\"/home/tester/a b\"");
    assert_eq!(plain.bytes_unless_text(), None);
}

#[test]
fn a_path_that_is_not_utf8_is_its_bytes_in_base64() {
    let odd = path(&[0x66, 0xff, 0x6f]);
    assert_eq!(odd.bytes_unless_text().as_deref(), Some("Zv9v"));
    assert_eq!(serde_json::to_string(&odd).unwrap(), "{\"bytes\":\"Zv9v\"}");
}

proptest! {
    #[test]
    fn a_path_reads_back_as_itself(bytes: Vec<u8>) {
        let path = path(&bytes);
        let json = serde_json::to_vec(&path).unwrap();
        prop_assert_eq!(serde_json::from_slice::<RawPath>(&json).unwrap(), path);
    }
}
