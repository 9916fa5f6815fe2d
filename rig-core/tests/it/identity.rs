//! Who an agent is, and who may do what.

use rig_core::agent::{self, Identity, MAX_TOKENS, NewAgent, Who};
use rig_core::caller::Caller;
use rig_core::id::AgentId;
use rig_core::store::Transact as _;
use rig_core::token::Token;

use crate::team::{Team, new};

fn person() -> Caller {
    Caller::Person
}

#[test]
fn an_agent_without_a_token_may_be_given_one_and_asked_for_again() {
    let team = Team::new();
    let request = NewAgent { token: None, ..new("One") };
    team.register(person(), &request).unwrap();
    team.replace_tokens(person(), request.id, Token::generate().digest()).unwrap();
    assert!(!team.register(person(), &request).unwrap().new);
    let other = NewAgent { token: Some(Token::generate().digest()), ..request };
    assert_eq!(team.register(person(), &other).unwrap_err().code(), "id_conflict");
}

#[test]
fn who_an_agent_is_takes_its_id_and_one_of_its_tokens() {
    let team = Team::new();
    let (token, foreign) = (Token::generate(), Token::generate());
    let request = NewAgent { token: Some(token.digest()), ..new("One") };
    let one = team.register(person(), &request).unwrap().agent.id;
    let other = NewAgent { token: Some(foreign.digest()), ..new("Other") };
    team.register(person(), &other).unwrap();
    let caller = |id: Option<&str>, token: Option<&str>| match Identity::parse(id, token)? {
        None => Ok(Caller::Person),
        Some(identity) => team.store.read(|r| identity.check(r)),
    };
    let (id, text) = (one.to_string(), token.reveal());
    assert_eq!(caller(None, None).unwrap(), Caller::Person);
    assert_eq!(caller(Some(&id), Some(&text)).unwrap(), Caller::Agent(one));
    let (unknown, foreign) = (AgentId::generate().to_string(), foreign.reveal());
    let upper = (id.to_uppercase(), text.to_uppercase());
    for (id, token) in [
        (Some(id.as_str()), None),
        (None, Some(text.as_str())),
        (Some(""), Some("")),
        (Some(""), Some(&text)),
        (Some(&id), Some("")),
        (Some(&id[1..]), Some(&text)),
        (Some(&upper.0), Some(&text)),
        (Some(&id), Some(&upper.1)),
        (Some(&id), Some(&text[..55])),
        (Some(&unknown), Some(&text)),
        (Some(&id), Some(&foreign)),
    ] {
        let error = caller(id, token).unwrap_err();
        assert_eq!(error.code(), "bad_identity", "{id:?}");
        let told = format!("{error} {error:?}");
        assert!(token.is_none_or(|token| token.is_empty() || !told.contains(token)), "{told}");
    }
}

#[test]
fn tokens_are_replaced_or_added_up_to_8() {
    let team = Team::new();
    let one = team.primary("One");
    let tokens: Vec<Token> = (0..=MAX_TOKENS).map(|_| Token::generate()).collect();
    let holds = |token: &Token| {
        let identity = Identity { agent: one, token: token.clone() };
        team.store.read(|r| identity.check(r)).is_ok()
    };
    team.replace_tokens(person(), one, tokens[0].digest()).unwrap();
    for token in &tokens[1..] {
        assert!(!holds(token));
        let digest = token.digest();
        team.store.write(move |tx| agent::add_token(tx, one, digest)).unwrap();
        assert!(holds(token));
    }
    assert!(!holds(&tokens[0]));
    assert!(tokens[1..].iter().all(holds));
    let digest = tokens[5].digest();
    let drop_it = || team.store.write(move |tx| agent::drop_token(tx, one, digest)).unwrap();
    assert!(drop_it() && !drop_it());
    assert!(!holds(&tokens[5]) && holds(&tokens[6]));
    team.replace_tokens(Caller::Agent(one), one, tokens[5].digest()).unwrap();
    assert!(holds(&tokens[5]) && !holds(&tokens[6]));
    let other = team.primary("Other");
    let error = team.replace_tokens(Caller::Agent(other), one, tokens[6].digest()).unwrap_err();
    assert_eq!(error.code(), "not_your_agent");
}

#[test]
fn wrong_token_and_right_ones_are_in_no_dump() {
    let team = Team::new();
    let token = Token::generate();
    let request = NewAgent { token: Some(token.digest()), ..new("One") };
    team.register(person(), &request).unwrap();
    let digest = serde_json::to_string(&token.digest()).unwrap();
    let mut dumped = String::new();
    let tables = [agent::TABLES, rig_core::mail::TABLES].concat();
    team.store
        .dump(&tables, |line| {
            dumped.push_str(&serde_json::to_string(&line).unwrap());
            Ok::<_, rig_core::store::Error>(())
        })
        .unwrap();
    assert!(dumped.contains("core/tokens") && dumped.contains(&request.id.to_string()));
    assert!(!dumped.contains(digest.trim_matches('"')), "{dumped}");
    assert!(!dumped.contains(&token.reveal()), "{dumped}");
}

#[test]
fn each_operation_is_for_those_whom_the_table_names() {
    let team = Team::new();
    let root = team.primary("Root");
    let child = team.below(root, "Child");
    let code = |caller, operation| {
        let allowed = team.store.read(|r| agent::allow(r, caller, operation));
        allowed.map_or_else(|error| error.code(), |()| "allowed")
    };
    let callers = [person(), Caller::Agent(root), Caller::Agent(child)];
    let of = |operation| callers.map(|caller| code(caller, operation));
    assert_eq!(of("agent_send"), ["allowed", "allowed", "allowed"]);
    assert_eq!(of("wait"), ["allowed", "allowed", "allowed"]);
    assert_eq!(of("agent_receive"), ["not_an_agent", "allowed", "allowed"]);
    assert_eq!(of("schedule_message"), ["allowed", "allowed", "primary_only"]);
    assert_eq!(of("create_workspace"), ["allowed", "allowed", "primary_only"]);
    assert_eq!(of("compact_store"), ["allowed", "person_only", "person_only"]);
    assert_eq!(of("no_such_operation"), ["allowed", "person_only", "person_only"]);
    let error = team.store.read(|r| agent::allow(r, callers[2], "schedule_message")).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`schedule_message` is for primary agents only, and {child} is a subagent")
    );
    for (operation, who) in agent::PERMISSIONS {
        let told = of(operation).map(|code| code == "allowed");
        let expected =
            [who.includes_the_person(), who.includes_primary_agents(), who.includes_subagents()];
        assert_eq!(told, expected, "{operation}");
        assert_eq!(agent::who_may(operation), Some(*who));
    }
    assert_eq!(agent::who_may("compact_store"), Some(Who::Person));
}
