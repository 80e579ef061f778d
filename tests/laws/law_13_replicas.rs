//! Law 13: a level that a layout does not use holds a copy on each of its units.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::notation::PadLayout;
use tensor_layout::{Found, Layout, Level, Machine, Placement};

use crate::generate::{good_layout, levels, plain_layout};
use crate::run::{Tally, laws};
use crate::slow::Slow;

laws! {
    dropping_a_level_of_size_n_from_the_used_ones_multiplies_the_copies_by_n:
        300, 100 %, cluster(), dropped;
    sized_replicas_print_from_a_layout: 300, 95 %, plain_layout(), printed;
}

fn cluster() -> impl Strategy<Value = (Slow, u64)> {
    (good_layout(), 1_u64..6)
}

fn dropped((slow, size): &(Slow, u64), tally: &mut Tally) -> Result<(), TestCaseError> {
    let cluster = Level::new("Cluster").unwrap();
    let mut machine = Machine::builder("test").level(cluster, *size);
    let mut pinned = slow.clone();
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        machine = machine.level(level, slow.span(level));
        pinned.marked.insert(level);
    }
    let machine = machine.build().unwrap();
    let free = tally.answer(Placement::of(pinned.layout()).on(&machine).build())?;
    pinned.marked.insert(cluster);
    let pinned = tally.answer(Placement::of(pinned.layout()).on(&machine).build())?;
    prop_assert_eq!(free.copies(), pinned.copies() * size);
    prop_assert!(free.replicated().contains(&cluster) && !pinned.replicated().contains(&cluster));
    for index in slow.indexes().into_iter().take(20) {
        let places: BTreeSet<_> = free.locate_all(&index).unwrap().collect();
        prop_assert_eq!(places.len() as u64, free.copies());
        for place in places {
            let found = tally.answer(free.element(&place))?;
            prop_assert_eq!(found, Found::Element(index.clone()));
        }
    }
    Ok(())
}

fn printed(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    prop_assume!(slow.is_injective());
    let text = tally.answer(PadLayout::of(&slow.layout()))?.to_string();
    prop_assert_eq!(text.contains("B@["), !slow.replicas.is_empty());
    prop_assert_eq!(text.parse::<Layout>().unwrap().copies(), slow.copies());
    Ok(())
}

#[test]
fn bare_replicas_print_from_syntax_trees_only() {
    let tree: PadLayout = "((12:8), (8:1); B@[PE])".parse().unwrap();
    assert_eq!(tree.to_string(), "((12:8), (8:1); B@[PE])");
    let layout = tree.lower().unwrap();
    assert_eq!(PadLayout::of(&layout).unwrap().to_string(), "((12:8), (8:1))");
    assert_eq!(layout, "((12:8), (8:1))".parse().unwrap());
}
