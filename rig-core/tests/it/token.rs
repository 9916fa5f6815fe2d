use rig_core::token::{Token, TokenDigest};

/// A token with each of its bits in use, and what `sha256sum` says of it.
const SAMPLE: &str = "tok_1zyxwvtsrqpnmkjhgfedcba9876543210zyxwvtsrqpnmkjhgfed";
const DIGEST: &str = "2a5579cbfb3024166cd134f2e87f3592b2f57b350f4bef6e415d363d9b65c58e";

#[test]
fn a_token_reads_back_as_it_is_written() {
    let token = Token::generate();
    let text = token.reveal();
    assert_eq!(text.len(), 56);
    assert_eq!(text.parse::<Token>().unwrap().reveal(), text);
    assert_ne!(Token::generate().reveal(), text);
    assert_eq!(SAMPLE.parse::<Token>().unwrap().reveal(), SAMPLE);
}

#[test]
fn texts_that_are_no_token() {
    let cut = &SAMPLE[..55];
    let long = format!("{SAMPLE}0");
    let large = SAMPLE.replace("tok_1", "tok_2");
    for text in ["", "tok_", cut, &long, &large, &SAMPLE.to_uppercase(), &SAMPLE[4..]] {
        let error = text.parse::<Token>().unwrap_err().to_string();
        assert!(text.len() < 5 || !error.contains(&text[4..]), "{error}");
    }
}

#[test]
fn the_digest_is_the_sha256_of_the_text() {
    let digest = SAMPLE.parse::<Token>().unwrap().digest();
    assert_eq!(serde_json::to_string(&digest).unwrap(), format!("\"{DIGEST}\""));
    let read: TokenDigest = serde_json::from_str(&format!("\"{DIGEST}\"")).unwrap();
    assert_eq!(read, digest);
    assert_ne!(Token::generate().digest(), digest);
    for refused in [&DIGEST[1..], &DIGEST.to_uppercase(), &"g".repeat(64)] {
        assert!(serde_json::from_str::<TokenDigest>(&format!("\"{refused}\"")).is_err());
    }
}

#[test]
fn nothing_of_a_token_is_in_debug_output() {
    let token = SAMPLE.parse::<Token>().unwrap();
    assert_eq!(format!("{token:?} {:?}", token.digest()), "Token(…) TokenDigest(…)");
}
