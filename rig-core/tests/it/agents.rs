use rig_core::agent::{self, FirstTitle, NewAgent, Relation, SessionFilter};
use rig_core::caller::Caller;
use rig_core::clock::Clock as _;
use rig_core::id::{AgentId, WorkspaceId};
use rig_core::mail::{NewMessage, Sender};
use rig_core::name::Name;
use rig_core::store::Transact as _;
use rig_core::token::Token;

use crate::team::{Team, body, message, new};

fn person() -> Caller {
    Caller::Person
}

#[test]
fn the_same_request_again_answers_with_the_agent_that_exists() {
    let team = Team::new();
    let request = new("Audit");
    let first = team.register(person(), &request).unwrap();
    assert!(first.new);
    team.set_title(person(), request.id, "Renamed").unwrap();
    team.replace_tokens(person(), request.id, Token::generate().digest()).unwrap();
    let team = team.restart();
    let again = team.register(person(), &request).unwrap();
    assert!(!again.new);
    assert_eq!(again.agent.session, first.agent.session);
    assert_eq!(again.agent.title, Some(Name::new("Renamed").unwrap()));
    assert_eq!(team.events("agent.created").len(), 1);
}

#[test]
fn an_id_with_other_content_is_a_conflict_that_names_the_field() {
    let team = Team::new();
    let (parent, other) = (team.primary("Parent"), team.primary("Other"));
    let request = NewAgent { parent: Some(parent), ..new("Audit") };
    team.register(person(), &request).unwrap();
    let told = |changed: NewAgent| {
        let error = team.register(person(), &changed).unwrap_err();
        assert_eq!(error.code(), "id_conflict");
        error.to_string()
    };
    let id = request.id;
    assert_eq!(
        told(NewAgent { title: None, ..request.clone() }),
        format!("{id} is registered with another `title`: stored Audit, given none")
    );
    assert_eq!(
        told(NewAgent { parent: Some(other), ..request.clone() }),
        format!("{id} is registered with another `parent`: stored {parent}, given {other}")
    );
    assert_eq!(
        told(NewAgent { token: Some(Token::generate().digest()), ..request.clone() }),
        format!("{id} is registered with another `token_digest`")
    );
    assert!(told(NewAgent { cwd: Some("/src".into()), ..request.clone() }).contains("`cwd`"));
    assert!(told(NewAgent { disk: "box".into(), ..request.clone() }).contains("`disk`"));
    let error = team.register(Caller::Agent(parent), &request).unwrap_err();
    assert_eq!(error.to_string(), format!("{id} is registered with another `caller`"));
}

#[test]
fn an_agent_makes_subagents_of_itself_or_below_itself() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let child = team.register(Caller::Agent(one), &new("Child")).unwrap().agent;
    assert_eq!((child.parent, child.root, child.depth), (Some(one), one, 1));
    let below = NewAgent { parent: Some(child.id), ..new("Grandchild") };
    assert_eq!(team.register(Caller::Agent(one), &below).unwrap().agent.depth, 2);
    for (caller, parent) in [(child.id, one), (child.id, other), (one, other)] {
        let request = NewAgent { parent: Some(parent), ..new("Refused") };
        let error = team.register(Caller::Agent(caller), &request).unwrap_err();
        assert_eq!(error.code(), "not_your_agent");
        assert!(error.to_string().starts_with(&parent.to_string()));
    }
    let nobody = NewAgent { parent: Some(AgentId::generate()), ..new("Refused") };
    assert_eq!(team.register(person(), &nobody).unwrap_err().code(), "agent_not_found");
}

#[test]
fn depth_ends_at_the_limit() {
    let team = Team::new();
    let mut parent = team.primary("Root");
    for depth in 1..=3 {
        parent = team.below(parent, "Below");
        assert_eq!(team.agent(parent).depth, depth);
    }
    let error = team.register(Caller::Agent(parent), &new("Too deep")).unwrap_err();
    assert_eq!(error.code(), "depth_limit");
    assert_eq!(
        error.to_string(),
        "an agent at depth 4 is over the limit of 3: finish the task yourself instead"
    );
    let (now, request) = (team.now(), NewAgent { parent: Some(parent), ..new("Deeper") });
    let depth = team
        .store
        .write(move |tx| agent::register(tx, now, Caller::Person, &request, 4))
        .map(|registered| registered.agent.depth);
    assert_eq!(depth.unwrap(), 4);
}

#[test]
fn folders_and_disks_that_are_refused() {
    let team = Team::new();
    let told = |request: NewAgent| {
        let error = team.register(person(), &request).unwrap_err();
        assert_eq!(error.code(), "bad_request");
        error.to_string()
    };
    let relative = NewAgent { cwd: Some("src".into()), ..new("") };
    assert_eq!(told(relative), "`cwd` must be an absolute path");
    assert!(told(NewAgent { disk: String::new(), ..new("") }).starts_with("`disk` must be"));
    assert!(told(NewAgent { disk: "a\nb".into(), ..new("") }).starts_with("`disk` must be"));
}

#[test]
fn titles() {
    let team = Team::new();
    let (one, other) = (team.primary("One"), team.primary("Other"));
    let code = |text: &str| agent::title(text).map_or_else(|error| error.code(), |_| "accepted");
    assert_eq!(code(&"🦀".repeat(100)), "accepted");
    assert_eq!(code(&"🦀".repeat(101)), "bad_title");
    for refused in ["", "  ", "a\nb", "a\u{202e}b", "a\u{200d}b"] {
        assert_eq!(code(refused), "bad_title", "{refused:?}");
    }
    assert_eq!(
        agent::title(&"x".repeat(101)).unwrap_err().to_string(),
        "`title` cannot be used: it has 101 characters, and at most 100 are allowed"
    );
    team.set_title(Caller::Agent(one), one, "  Mine ").unwrap();
    assert_eq!(team.agent(one).title.unwrap().as_str(), "Mine");
    let error = team.set_title(Caller::Agent(one), other, "Yours").unwrap_err();
    assert_eq!(error.code(), "not_your_agent");
    team.set_title(person(), other, "Yours").unwrap();
    team.set_title(person(), other, "Yours").unwrap();
    assert_eq!(team.events("agent.titled").len(), 2);
    let events = serde_json::to_string(&team.events("agent.")).unwrap();
    assert!(!events.contains("Mine") && !events.contains("Yours"), "{events}");
}

#[test]
fn the_first_title_of_the_first_primary_agent_names_the_workspace() {
    let team = Team::new();
    let workspace = WorkspaceId::from_bits(7);
    let request = |title| NewAgent { workspace: Some(workspace), ..new(title) };
    let first = team.register(person(), &request("")).unwrap();
    assert_eq!(first.first_title, None);
    let second = team.register(person(), &request("Second")).unwrap();
    assert_eq!(second.first_title, None);
    let below = NewAgent { parent: Some(first.agent.id), ..request("Below") };
    assert_eq!(team.register(person(), &below).unwrap().first_title, None);
    let taken = team.set_title(person(), first.agent.id, "Retry policy").unwrap();
    let title = Name::new("Retry policy").unwrap();
    assert_eq!(taken, Some(FirstTitle { workspace, title: title.clone() }));
    assert_eq!(team.set_title(person(), first.agent.id, "Later").unwrap(), None);
    let other = WorkspaceId::from_bits(8);
    let at_once = NewAgent { workspace: Some(other), ..new("Retry policy") };
    let registered = team.register(person(), &at_once).unwrap();
    assert_eq!(registered.first_title, Some(FirstTitle { workspace: other, title }));
}

#[test]
fn archiving_takes_what_is_below_along_and_mail_brings_one_back() {
    let team = Team::new();
    let root = team.primary("Root");
    let child = team.below(root, "Child");
    let (first, second) = (team.below(child, "First"), team.below(child, "Second"));
    let other = team.primary("Other");
    for caller in [child, first, other] {
        let error = team.archive(Caller::Agent(caller), child).unwrap_err();
        assert_eq!(error.code(), "not_your_agent");
    }
    assert_eq!(team.archive(Caller::Agent(root), first).unwrap(), [first]);
    assert_eq!(team.archive(Caller::Agent(root), child).unwrap(), [child, first, second]);
    assert_eq!(team.archive(Caller::Person, child).unwrap(), [child, first, second]);
    assert_eq!(team.events("agent.archived").len(), 3);
    let archived = |agent| team.agent(agent).is_archived();
    assert!(archived(child) && archived(first) && archived(second) && !archived(root));

    team.deliver(&message(other, child, "from somebody else")).unwrap();
    assert!(archived(child));
    team.deliver(&message(root, child, "from the parent")).unwrap();
    assert!(!archived(child) && archived(first));
    team.deliver(&NewMessage::new(Sender::Person, second, body("from the person"))).unwrap();
    assert!(!archived(second) && archived(first));
    let restored = team.events("agent.restored");
    let agents: Vec<_> = restored.iter().map(|event| event.agent_id.unwrap()).collect();
    assert_eq!(agents, [child, second]);
    assert_eq!(team.mailbox(child).newest(), 2);
}

#[test]
fn a_tree_is_seen_from_itself_and_from_above() {
    let team = Team::new();
    let root = team.primary("Root");
    let (one, two) = (team.below(root, "One"), team.below(root, "Two"));
    let below = team.below(one, "Below");
    let other = team.primary("Other");
    team.archive(Caller::Person, two).unwrap();
    let tree = |caller, top, archived| {
        let tree = team.store.read(|r| agent::tree(r, caller, top, archived))?;
        Ok::<_, agent::Error>(tree.into_iter().map(|agent| agent.id).collect::<Vec<_>>())
    };
    assert_eq!(tree(Caller::Agent(root), None, false).unwrap(), [root, one, below]);
    assert_eq!(tree(Caller::Agent(root), None, true).unwrap(), [root, one, below, two]);
    assert_eq!(tree(Caller::Agent(root), Some(one), false).unwrap(), [one, below]);
    for top in [root, two, other] {
        let error = tree(Caller::Agent(one), Some(top), true).unwrap_err();
        assert_eq!(error.code(), "not_your_agent");
    }
    assert_eq!(tree(person(), Some(one), false).unwrap(), [one, below]);
    assert_eq!(tree(person(), Some(two), false).unwrap(), [two]);
    assert_eq!(tree(person(), None, false).unwrap(), [root, one, below, other]);
    let nobody = AgentId::generate();
    assert_eq!(tree(person(), Some(nobody), false).unwrap_err().code(), "agent_not_found");
}

#[test]
fn conversations_are_those_of_primary_agents_the_most_recently_active_first() {
    let team = Team::new();
    let workspace = WorkspaceId::from_bits(7);
    let later = || team.clock.advance(std::time::Duration::from_millis(1));
    let one = team.primary("One");
    later();
    let request = NewAgent { workspace: Some(workspace), ..new("Two") };
    let two = team.register(person(), &request).unwrap().agent.id;
    let child = team.below(two, "Child");
    later();
    let three = team.primary("Three");
    let listed = |filter| {
        let sessions = team.store.read(|r| agent::sessions(r, filter)).unwrap();
        sessions.into_iter().map(|session| session.agent.id).collect::<Vec<_>>()
    };
    assert_eq!(listed(SessionFilter::default()), [three, two, one]);
    later();
    team.deliver(&message(child, one, "hello")).unwrap();
    assert_eq!(listed(SessionFilter::default()), [one, three, two]);
    later();
    team.deliver(&message(two, child, "hello")).unwrap();
    assert_eq!(listed(SessionFilter::default()), [two, one, three]);
    let sessions = team.store.read(|r| agent::sessions(r, SessionFilter::default())).unwrap();
    assert_eq!(sessions[0].updated_at, team.clock.now());
    let of_workspace = SessionFilter { workspace: Some(workspace), ..SessionFilter::default() };
    assert_eq!(listed(of_workspace), [two]);
    team.archive(Caller::Person, one).unwrap();
    assert_eq!(listed(SessionFilter::default()), [two, three]);
    let all = SessionFilter { archived: true, ..SessionFilter::default() };
    assert_eq!(listed(all).len(), 3);
}

#[test]
fn the_person_acts_for_an_agent_and_an_agent_for_itself() {
    let team = Team::new();
    let (one, two) = (team.primary("Same"), team.primary("Same"));
    let unique = team.primary("Unique");
    let acting = |caller: Caller, named: Option<&str>| {
        let (now, named) = (team.now(), named.map(str::to_owned));
        team.store
            .write(move |tx| agent::acting(tx, now, caller, named.as_deref(), "machine"))
            .map(|agent| agent.id)
    };
    let (one_text, two_text) = (one.to_string(), two.to_string());
    assert_eq!(acting(person(), Some(&one_text)).unwrap(), one);
    assert_eq!(acting(person(), Some("Unique")).unwrap(), unique);
    assert_eq!(acting(person(), Some("Uniq")).unwrap_err().code(), "agent_not_found");
    let error = acting(person(), Some("Same")).unwrap_err();
    assert_eq!(error.code(), "ambiguous");
    assert!(error.to_string().contains(&one_text) && error.to_string().contains(&two_text));
    assert_eq!(acting(Caller::Agent(one), None).unwrap(), one);
    assert_eq!(acting(Caller::Agent(one), Some(&one_text)).unwrap(), one);
    let error = acting(Caller::Agent(one), Some(&two_text)).unwrap_err();
    assert_eq!(error.code(), "not_your_agent");
    let default = acting(person(), None).unwrap();
    assert_eq!(acting(person(), None).unwrap(), default);
    assert_eq!(acting(person(), Some("default")).unwrap(), default);
    let record = team.agent(default);
    assert!(record.is_primary() && record.title.unwrap().as_str() == "default");
    let team = team.restart();
    let now = team.now();
    let again = team.store.write(move |tx| agent::acting(tx, now, Caller::Person, None, "m"));
    assert_eq!(again.unwrap().id, default);
}

#[test]
fn what_agents_are_to_each_other() {
    let team = Team::new();
    let root = team.primary("Root");
    let (one, two) = (team.below(root, "One"), team.below(root, "Two"));
    let relation = |of: AgentId, to: AgentId| team.agent(of).relation_to(&team.agent(to));
    assert_eq!(relation(root, one), Relation::Parent);
    assert_eq!(relation(one, root), Relation::Child);
    assert_eq!(relation(one, one), Relation::Own);
    assert_eq!(relation(one, two), Relation::Other);
    let mut delegated = team.agent(team.primary("Delegated"));
    delegated.delegated_by = Some(root);
    assert_eq!(delegated.relation_to(&team.agent(root)), Relation::Delegate);
    assert_eq!(team.agent(root).relation_to(&delegated), Relation::Delegator);
}

#[test]
fn rows_of_agents_agree() {
    let team = Team::new();
    let root = team.primary("Root");
    let child = team.below(root, "Child");
    team.below(child, "");
    team.set_title(person(), child, "Renamed").unwrap();
    team.archive(Caller::Person, child).unwrap();
    let found = || team.store.read(agent::agree).unwrap();
    assert_eq!(found(), []);
    let at = team.agent(child).created_at;
    team.store
        .write(move |tx| {
            let children: rig_core::store::Table<(AgentId, (_, AgentId)), ()> =
                rig_core::store::Table::new("core/agent_children");
            tx.remove(children, &(root, (at, child)))?;
            tx.put(children, &(child, (at, root)), &())
        })
        .unwrap();
    let whats: Vec<_> = found().into_iter().map(|finding| finding.what).collect();
    assert_eq!(
        whats,
        ["a record has no such row in this index", "no record has this row of the index"]
    );
}
