use proptest::prelude::*;
use rig_core::order::OrderKey;

#[test]
fn new_rows_come_first_and_a_moved_one_goes_where_it_is_put() {
    let first = OrderKey::between(None, None);
    let second = OrderKey::between(None, Some(&first));
    assert!(second < first, "the list is [second, first]");
    let moved = OrderKey::between(None, Some(&second));
    assert!(moved < second, "the list is [first, second]");
    let behind = OrderKey::between(Some(&second), None);
    assert!(second < behind);
}

#[test]
fn a_place_at_the_front_stays_short() {
    let mut first = OrderKey::between(None, None);
    for _ in 0..10_000 {
        first = OrderKey::between(None, Some(&first));
    }
    assert!(first.as_str().len() < 200, "{} characters", first.as_str().len());
}

#[test]
fn neighbours_that_are_not_in_order_give_a_place_after_the_first() {
    let one = OrderKey::between(None, None);
    let place = OrderKey::between(Some(&one), Some(&one));
    assert!(one < place);
}

proptest! {
    #[test]
    fn there_is_always_a_place_between_two_neighbours(places in prop::collection::vec(any::<prop::sample::Index>(), 1..200)) {
        let mut list: Vec<OrderKey> = Vec::new();
        for place in places {
            let at = place.index(list.len() + 1);
            let before = at.checked_sub(1).map(|before| &list[before]);
            list.insert(at, OrderKey::between(before, list.get(at)));
        }
        prop_assert!(list.is_sorted_by(|a, b| a < b));
    }
}
