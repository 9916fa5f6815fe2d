//! Mailboxes against a model of them, under random senders, readers, repeats and restarts.

use proptest::prelude::*;
use rig_core::id::MessageId;
use rig_core::mail::{self, NewMessage};
use rig_core::store::Transact as _;

use crate::team::{Team, message};

#[derive(Clone, Debug)]
enum Step {
    /// One of two senders sends a new message.
    Send { sender: usize },
    /// A message that was sent is sent again.
    Repeat { which: prop::sample::Index },
    /// The receiver reads.
    Fetch { limit: usize },
    /// The receiver acknowledges up to a number that may not have been handed out.
    Ack { seq: u64 },
    /// All processes end.
    Restart,
    /// Days pass.
    Days { days: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..2_usize).prop_map(|sender| Step::Send { sender }),
        2 => any::<prop::sample::Index>().prop_map(|which| Step::Repeat { which }),
        4 => (1..6_usize).prop_map(|limit| Step::Fetch { limit }),
        3 => (0..12_u64).prop_map(|seq| Step::Ack { seq }),
        1 => Just(Step::Restart),
        1 => (1..9_u64).prop_map(|days| Step::Days { days }),
    ];
    proptest::collection::vec(step, 1..40)
}

/// What must be true of the mailbox.
#[derive(Default)]
struct Model {
    /// The texts, by their numbers from 1.
    sent: Vec<String>,
    handed: u64,
    acked: u64,
}

impl Model {
    fn texts(&self, limit: usize) -> Vec<(u64, String)> {
        let all = (1_u64..).zip(self.sent.iter().cloned());
        all.filter(|(seq, _)| *seq > self.acked).take(limit).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mail_arrives_in_order_at_least_once_and_never_after_it_is_done(steps in steps()) {
        let mut team = Team::new();
        let senders = [team.primary("One"), team.primary("Two")];
        let target = team.primary("Target");
        let mut model = Model::default();
        let mut sent: Vec<(NewMessage, u64)> = Vec::new();
        for step in steps {
            match step {
                Step::Send { sender } => {
                    let text = format!("{sender}:{}", model.sent.len());
                    let id = MessageId::generate(team.now().wall);
                    let new =
                        NewMessage { id: Some(id), ..message(senders[sender], target, &text) };
                    model.sent.push(text);
                    let delivered = team.deliver(&new).unwrap();
                    prop_assert_eq!(delivered.seq, model.sent.len() as u64);
                    prop_assert!(delivered.new);
                    sent.push((new, delivered.seq));
                }
                Step::Repeat { which } if !sent.is_empty() => {
                    let (again, seq) = which.get(&sent);
                    // An ID that was acknowledged long ago may be forgotten with its message.
                    if *seq > model.acked {
                        let delivered = team.deliver(again).unwrap();
                        prop_assert_eq!((delivered.seq, delivered.new), (*seq, false));
                    }
                }
                Step::Repeat { .. } => {}
                Step::Fetch { limit } => {
                    let fetched = team.fetch(target, limit).unwrap();
                    let texts: Vec<_> = fetched
                        .messages
                        .iter()
                        .map(|message| (message.seq, message.body.as_str().to_owned()))
                        .collect();
                    prop_assert_eq!(&texts, &model.texts(limit));
                    let last = texts.last().map_or(model.acked, |(seq, _)| *seq);
                    prop_assert_eq!((fetched.last, fetched.acked), (last, model.acked));
                    prop_assert_eq!(fetched.more, last < model.sent.len() as u64);
                    model.handed = model.handed.max(last);
                }
                Step::Ack { seq } => match team.ack(target, seq) {
                    Ok(mailbox) => {
                        prop_assert!(seq <= model.handed);
                        model.acked = model.acked.max(seq);
                        prop_assert_eq!(mailbox.acked, model.acked);
                    }
                    Err(error) => {
                        prop_assert_eq!(error.code(), "ack_ahead");
                        prop_assert!(seq > model.handed);
                    }
                },
                Step::Restart => team = team.restart(),
                Step::Days { days } => team.days(days),
            }
            let mailbox = team.mailbox(target);
            let unacked = model.sent.len() as u64 - model.acked;
            prop_assert_eq!((mailbox.newest(), mailbox.unacked()), (model.sent.len() as u64, unacked));
            let waiting: usize = model.texts(usize::MAX).iter().map(|(_, text)| text.len()).sum();
            prop_assert_eq!(mailbox.unacked_bytes(), waiting as u64);
        }
        prop_assert_eq!(team.store.read(mail::agree).unwrap(), []);
        prop_assert_eq!(team.events("message.delivered").len(), model.sent.len());
    }
}
