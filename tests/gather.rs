//! Gathers: the traffic of a table of indexes, and of the worst one, against enumeration.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::einsum::Gather;
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::notation::PadLayout;
use tensor_layout::relayout::{CostModel, LevelTraffic, Relayout};
use tensor_layout::{Layout, LayoutError, Level, Machine, Placement};

use crate::plain::{count, good_layout};
use crate::run::properties;

properties! {
    #[test]
    fn a_gather_enters_what_enumeration_says(
        operand in good_layout(),
        digits in prop::collection::vec(0_usize..4, 0..3),
        table in prop::collection::vec(any::<u64>(), 1..5),
        at in any::<usize>(),
        memory in prop::option::of((2_usize..4, 1_u64..5)),
    ) {
        prop_assume!(!operand.shape.is_empty() && operand.indexes().len() <= 64 && !operand.shape.contains(&0));
        let axis = at % operand.shape.len();
        let levels = [Level::PE, Level::MAB, Level::L2B, Level::ADDR];
        let mut result = operand.clone();
        // The gathered axis of the result is another one, just beyond the operand in each level: farther away,
        // there would only be more units between, each with copies to enumerate.
        let slow = operand.slow();
        let beyond = |level: Level| (2, level, slow.extent(level));
        result.axes[axis] = digits.iter().map(|level| beyond(levels[*level])).collect();
        let slots = 1 << digits.len();
        let table: Vec<u64> = table.into_iter().take(slots).map(|t| t % operand.shape[axis]).collect();
        result.shape[axis] = table.len() as u64;
        prop_assume!(result.is_injective());
        let core = Level::new("Core").unwrap();
        let tree = [Level::L2B, Level::MAB, Level::PE, core];
        let (a, b) = (operand.layout(), result.layout());
        let machine = tree.iter().fold(Machine::builder("m"), |m, level| {
            m.level(*level, a.extent(*level).max(b.extent(*level)).max(2))
        });
        let (owner, group) = memory.unwrap_or((3, 1));
        let shared = Memory { capacity: None, owner: tree[owner], group };
        let machine = machine.memory("M", shared).build().unwrap();
        let on = |layout: &Layout| {
            let on = Placement::of(layout.clone()).on(&machine);
            if memory.is_some() { on.memory("M").build() } else { on.build() }
        };
        let (Ok(a), Ok(b)) = (on(&a), on(&b)) else {
            return Err(TestCaseError::reject("elements come together"));
        };
        let answer = Gather::new(&a, &b, axis).and_then(|gather| Ok((gather.traffic(&table)?, gather)));
        let (traffic, gather) = match answer {
            Ok(answer) => answer,
            Err(error) if error.kind() == ErrorKind::NotDecided => return Err(TestCaseError::reject("not decided")),
            Err(error) => {
                let named = (error.level("level"), error.number("group"));
                prop_assert!(group > 1 && error.kind() == ErrorKind::Uneven, "{}", error);
                prop_assert_eq!(named, (Some(tree[owner]), Some(group)), "{}", error);
                return Err(TestCaseError::reject("copies share memories in part"));
            }
        };
        let timed = a.layout().used_levels().contains(&Level::TIME)
            || b.layout().used_levels().contains(&Level::TIME);
        prop_assume!(!timed);
        // Of the units that share a memory, the first.
        let unit = |level: Level, at: u64| if level == tree[owner] { at - at % group } else { at };
        let holders = |placement: &Placement| -> BTreeMap<Vec<u64>, BTreeSet<Vec<u64>>> {
            let indexes = placement.layout().indexes();
            let units = |index: &[u64]| -> BTreeSet<Vec<u64>> {
                let all = placement.locate_all(index).unwrap();
                all.map(|p| tree[..=owner].iter().map(|l| unit(*l, p.get(*l).unwrap())).collect()).collect()
            };
            indexes.map(|index| (index.clone(), units(&index))).collect()
        };
        let (hold, want) = (holders(&a), holders(&b));
        for depth in 0..=owner {
            let above = |units: &BTreeSet<Vec<u64>>| -> BTreeSet<Vec<u64>> {
                units.iter().map(|unit| unit[..=depth].to_vec()).collect()
            };
            let mut enters: BTreeSet<(Vec<u64>, Vec<u64>)> = BTreeSet::new();
            for (index, units) in &want {
                let mut from = index.clone();
                from[axis] = table[index[axis] as usize];
                let held = above(&hold[&from]);
                enters.extend(above(units).difference(&held).map(|unit| (from.clone(), unit.clone())));
            }
            let node = if depth == owner { tree[depth].in_groups_of(group) } else { tree[depth] };
            let found = traffic.iter().find(|t| t.level == node).unwrap();
            prop_assert_eq!(found.into, enters.len() as u64, "into {}", tree[depth]);
        }
        let most = match gather.most() {
            Ok(most) => most,
            Err(error) => {
                let named = (error.level("level"), error.number("group"));
                prop_assert_eq!(named, (Some(tree[owner]), Some(group)), "{}", error);
                return Err(TestCaseError::reject("copies of other rows share memories in part"));
            }
        };
        for (here, most) in traffic.iter().zip(most) {
            prop_assert!(here.into <= most.into);
        }
    }
}

#[test]
fn the_most_of_a_gather_is_that_of_the_worst_table() {
    let machine: Machine = "MAB=2,PE=2".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    for (operand, result) in [
        ("((2_PE:1, 2:2), (2:1))", "((3:2), (2_PE:1))"),
        ("((2_MAB:1, 2_PE:1), (2:1))", "((2_PE:1, 2_MAB:1), (2:1))"),
        ("((2_MAB:1, 2:2), (2_PE:1))", "((2_MAB:1, 2:2), (2_PE:1))"),
        ("((4:2), (2:1))", "((2_PE:1, 2:2), (2_MAB:1))"),
    ] {
        let (a, b) = (on(operand), on(result));
        let gather = Gather::new(&a, &b, 0).unwrap();
        let (rows, wanted) = (a.layout().shape()[0], b.layout().shape()[0]);
        let tables = count(&vec![rows; wanted as usize]);
        let all: Vec<_> = tables.iter().map(|table| gather.traffic(table).unwrap()).collect();
        for (depth, most) in gather.most().unwrap().iter().enumerate() {
            let worst = all.iter().map(|traffic| traffic[depth].into).max().unwrap();
            assert_eq!(most.into, worst, "{operand} {result} {}", most.level);
        }
        // An operand that every unit has whole is local under every table.
        let local =
            on(&PadLayout::of(&Gather::local(b.layout(), 0, rows).unwrap()).unwrap().to_string());
        let local = Gather::new(&local, &b, 0).unwrap();
        assert!(local.most().unwrap().iter().all(|level| level.into == 0));
    }
}

properties! {
    #[test]
    fn runs_of_a_table_enter_what_its_entries_do(
        lengths in prop::collection::vec(0_u64..180, 0..5),
        starts in prop::collection::vec(0_u64..400, 6),
        pair in 0_usize..6,
    ) {
        const PAIRS: [(&str, &str); 6] = [
            ("((4_PE, 100:3), (3:1))", "((100:3, 4_PE), (3:1))"),
            ("((4_PE, 100:3), (3:1))", "((4_PE, 100:3), (3:1))"),
            ("((50:2, 2_MAB, 4_PE), (2:1))", "(400,2)/((4_PE, 2_MAB, 64:2), (2:1))"),
            ("(400,2)/((3_PE, 134:1), (2_MAB))", "((4_PE, 100:2), (2:1))"),
            ("((400:3), (3:1))", "((4_PE, 100:3), (3:1))"),
            ("((2_MAB, 200:3), (3:1))", "((1_PE, 400:3), (3:1))"),
        ];
        let machine: Machine = "MAB=2,PE=4".parse().unwrap();
        let on = |layout: Layout| Placement::of(layout).on(&machine).build().unwrap();
        let (operand, result): (Layout, Layout) = (PAIRS[pair].0.parse().unwrap(), PAIRS[pair].1.parse().unwrap());
        // The last run fills the result: its length depends on all others.
        let mut left = 400;
        let mut runs: Vec<std::ops::Range<u64>> = Vec::new();
        for (start, length) in starts.iter().zip(lengths.iter().chain([&400, &400])) {
            let length = (*length).min(left).min(400 - start);
            runs.push(*start..start + length);
            left -= length;
        }
        let result = result.slice(0, 0, 400 - left, 1).unwrap();
        let gather = Gather::new(&on(operand), &on(result), 0).unwrap();
        let table: Vec<u64> = runs.iter().cloned().flatten().collect();
        prop_assert_eq!(gather.traffic_of_runs(&runs).unwrap(), gather.traffic(&table).unwrap());
        runs.push(0..1);
        prop_assert_eq!(
            gather.traffic_of_runs(&runs).unwrap_err().to_string(),
            format!("the table has {} entries for {} indexes", 401 - left, 400 - left)
        );
    }
}

#[test]
fn a_run_beyond_the_operand_is_named_by_its_first_row_there() {
    let machine: Machine = "PE=4".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let gather = Gather::new(&on("((4_PE, 2:1))"), &on("((4_PE, 2:1))"), 0).unwrap();
    for (runs, index) in [([0..4, 6..10], 8), ([0..4, 9..13], 9)] {
        let refusal = gather.traffic_of_runs(&runs).unwrap_err();
        let wanted = LayoutError::index_out_of_range(0, index, 8);
        assert_eq!(refusal, wanted);
    }
}

#[test]
fn a_gather_is_between_lanes_of_one_width() {
    let machine: Machine = "PE=4".parse().unwrap();
    let wide = |bits: u64| {
        let layout = "((4_PE, 2:8), (8:1))".parse().unwrap();
        Placement::of(layout).on(&machine).element_bits(bits).build().unwrap()
    };
    assert!(Gather::new(&wide(16), &wide(16), 0).is_ok());
    let refusal = Gather::new(&wide(16), &wide(32), 0).unwrap_err();
    assert_eq!(refusal.kind(), ErrorKind::NotComparable, "{refusal}");
}

#[test]
fn a_gather_takes_what_was_accepted_oversized() {
    let on = |text: &str| {
        let on = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2()).memory("LM0");
        on.oversized().build().unwrap()
    };
    let (table, result) = (on("((4096:8), (8:1))"), on("((1_PE, 2:8), (8:1))"));
    assert!(Gather::new(&table, &result, 0).unwrap().traffic(&[5, 4095]).is_ok());
}

#[test]
fn a_lookup_of_every_row_in_order_costs_at_most_the_relayout() {
    let machine = Machine::mn_core_2();
    let model = CostModel::new(&machine, 16).unwrap();
    let texts = [
        "((16_MAB, 4:16), (4_PE, 4:1, 4_W))",
        "((4:16, 16_MAB), (4_PE, 4:1, 4_W))",
        "((8_L2B, 8_L1B), (64:1))",
        "((64:16), (4_PE, 4:1, 4_W))",
        "((64:64), (64:1); B@[16_MAB])",
    ];
    let on = |text: &str| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine).memory("LM0");
        placement.element_bits(16).oversized().build().unwrap()
    };
    let (all, mut priced) = ((0..64).collect::<Vec<u64>>(), 0);
    for (from, to) in texts.iter().flat_map(|from| texts.iter().map(move |to| (on(from), on(to)))) {
        let gather = Gather::new(&from, &to, 0).unwrap().traffic(&all).unwrap();
        let relayout = Relayout::new(&from, &to).unwrap().traffic().unwrap();
        let looked_up: Vec<LevelTraffic> = gather;
        let entering = |levels: &[LevelTraffic]| -> Vec<_> {
            levels
                .iter()
                .map(|level| (level.level, level.into))
                .filter(|(_, into)| *into > 0)
                .collect()
        };
        let of_machine = |level: &&(Level, u64)| machine.size(level.0).is_some();
        let (a, b) = (entering(&looked_up), entering(&relayout.levels));
        assert!(a.iter().filter(of_machine).eq(b.iter().filter(of_machine)), "{a:?} {b:?}");
        let cost = model.at_least(&looked_up).unwrap().steps;
        let whole = model.at_least(&relayout.levels).unwrap();
        assert!(cost <= whole.steps, "{cost} {whole}");
        priced += u64::from(cost > 0);
    }
    assert!(priced > 12, "{priced}");
}
