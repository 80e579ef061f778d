//! Candidates, checked by brute force over the definition of their space.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::candidates::{Candidate, Candidates, Orders, Side, pareto};
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::PadLayout;
use tensor_layout::{LayoutError, Level, Machine};

use crate::candidates_slow::{brute_force, map_of, wishes};
use crate::run::properties;

fn all(candidates: &Candidates) -> Vec<Candidate> {
    candidates.iter().unwrap().collect::<Result<_, _>>().unwrap()
}

fn text(candidate: &Candidate) -> String {
    PadLayout::of(&candidate.layout).unwrap().to_string()
}

properties! {
    #[test]
    fn candidates_are_the_space_and_none_comes_twice(wish in wishes()) {
        let expected = brute_force(&wish);
        let found = all(&wish.candidates());
        let texts: BTreeSet<String> = found.iter().map(text).collect();
        let wanted: BTreeSet<String> = expected.keys().cloned().collect();
        prop_assert_eq!(&texts, &wanted);
        prop_assert_eq!(found.len(), texts.len(), "a candidate comes twice");
        prop_assert_eq!(wish.candidates().count().unwrap(), found.len() as u128);
        let range = wish.candidates().count_range().unwrap();
        prop_assert!(range.contains(&(found.len() as u128)), "{:?}", range);
        let maps: BTreeSet<_> = found.iter().map(|c| map_of(&c.layout)).collect();
        prop_assert_eq!(maps.len(), found.len(), "a map comes twice");
        for candidate in &found {
            let placement = candidate.placement().unwrap();
            prop_assert_eq!(placement.footprint_words(), candidate.footprint_words);
            let slow = &expected[&text(candidate)];
            let slots: u64 = slow.axes.iter().flatten().map(|digit| digit.0).product();
            prop_assert_eq!(candidate.slots, slots);
            prop_assert_eq!(candidate.pads, slots - slow.shape.iter().product::<u64>());
            prop_assert_eq!(candidate.units_used, wish.machine().units());
        }
    }
}

properties! {
    #[test]
    fn samples_are_candidates_and_equal_for_equal_seeds(wish in wishes(), seed in any::<u64>()) {
        let all: BTreeSet<String> = all(&wish.candidates()).iter().map(text).collect();
        let sampled = |seed, most: usize| -> Vec<String> {
            let samples = wish.candidates().samples(seed).unwrap();
            samples.take(most).map(|sample| text(&sample.unwrap())).collect()
        };
        let some = sampled(seed, 20);
        prop_assert_eq!(some.len(), if all.is_empty() { 0 } else { 20 });
        prop_assert!(some.iter().all(|sample| all.contains(sample)));
        prop_assert_eq!(&sampled(seed, 20), &some);
    }

    #[test]
    fn the_cheapest_are_the_first_in_order(wish in wishes(), most in 0_usize..20) {
        let price = |candidate: &Candidate| candidate.pads + candidate.footprint_words % 3;
        let mut sorted = all(&wish.candidates());
        sorted.retain(|candidate| candidate.slots % 5 != 0);
        sorted.sort_by_key(price);
        sorted.truncate(most);
        let found = wish.candidates().cheapest(most, |candidate| {
            let price = Some(price(candidate)).filter(|_| candidate.slots % 5 != 0);
            Ok::<_, LayoutError>(price)
        });
        let found: Vec<_> = found.unwrap().into_iter().map(|(_, candidate)| candidate).collect();
        prop_assert_eq!(found, sorted);
    }
}

#[test]
fn every_candidate_is_sampled_some_time() {
    for (machine, shape) in [("PE=4", &[8, 6][..]), ("L2B=2,PE=2", &[4, 4]), ("PE=6", &[5])] {
        let wish = Candidates {
            level_parts: 2,
            time: vec![1, 2],
            ..Candidates::new(&machine.parse().unwrap(), shape)
        };
        let walked: BTreeSet<String> = all(&wish).iter().map(text).collect();
        let samples = wish.samples(3).unwrap().take(100 * walked.len());
        let sampled: BTreeSet<String> = samples.map(|sample| text(&sample.unwrap())).collect();
        assert_eq!(sampled, walked, "{machine}");
    }
}

#[test]
fn a_space_too_large_to_be_walked_has_bounds_and_samples_at_once() {
    let all = Candidates {
        level_parts: 3,
        ..Candidates::new(&Machine::mn_core_2(), &[8, 16, 1024, 128])
    };
    let range = all.count_range().unwrap();
    assert!(*range.start() > 1000 && range.start() < range.end(), "{range:?}");
    let samples: BTreeSet<String> =
        all.samples(1).unwrap().take(50).map(|sample| text(&sample.unwrap())).collect();
    assert!(samples.len() > 45, "{}", samples.len());
    let twice = |slices: &[u64]| Candidates {
        time: slices.to_vec(),
        time_axes: 2,
        ..Candidates::new(&Machine::mn_core_2(), &[8, 8])
    };
    assert!(twice(&[4]).iter().unwrap().any(|found| {
        found
            .unwrap()
            .layout
            .axes()
            .iter()
            .all(|axis| axis.subaxes.iter().any(|digit| digit.lands() == Some(Level::TIME)))
    }));
    let error = twice(&[1 << 40]).count().unwrap_err().to_string();
    assert_eq!(error, "invalid value for `time`: got 1099511627776, expected 1 to 4096");
}

#[test]
fn candidates_satisfy_the_constraints() {
    let machine: Machine = "L1B=2,PE=3".parse().unwrap();
    let candidates = Candidates {
        capacity_words: Some(20),
        padding_percent: 20,
        time: vec![1, 2],
        alignment: 2,
        ..Candidates::new(&machine, &[6, 5])
    };
    let all = all(&candidates);
    let texts: BTreeSet<String> = all.iter().map(text).collect();
    assert!(texts.contains("(6,5)/((2_L1B:1, 3_PE:1), (6:1))"));
    assert!(texts.contains("(6,5)/((3_PE:1, 2_L1B:1), (6:1))"));
    assert!(texts.contains("(6,5)/((2_Time:1, 3_PE:1), (6:1))"));
    for candidate in &all {
        assert!(candidate.footprint_words <= 20);
        assert!(candidate.pads * 5 <= candidate.slots);
    }
    let costs = |candidate: &Candidate| vec![candidate.footprint_words, candidate.pads];
    let front = pareto(all.clone(), costs);
    for candidate in &all {
        let beats = |a: &Candidate| costs(a).iter().zip(costs(candidate)).all(|(a, b)| *a <= b);
        assert!(front.iter().any(beats));
    }
    assert!(front.windows(2).all(|pair| costs(&pair[0])[1] > costs(&pair[1])[1]));
}

#[test]
fn levels_stand_in_any_order_in_an_axis() {
    let found = |machine: &str, shape: &[u64], sides: &[Side]| -> Vec<String> {
        let candidates = Candidates {
            sides: sides.to_vec(),
            ..Candidates::new(&machine.parse().unwrap(), shape)
        };
        all(&Candidates { replicate: false, ..candidates }).iter().map(text).collect()
    };
    let both = found("PE=2,L2B=3", &[6], &[Side::Major, Side::Minor]);
    assert_eq!(both, ["((2_PE:1, 3_L2B:1))", "((3_L2B:1, 2_PE:1))"]);
    assert_eq!(found("PE=4", &[4], &[Side::Minor]), ["((4_PE:1))"]);
}

#[test]
fn a_scalar_has_copies_or_no_candidate() {
    let count = |machine: &str, shape: &[u64], replicate| {
        let candidates =
            Candidates { replicate, ..Candidates::new(&machine.parse().unwrap(), shape) };
        assert_eq!(all(&candidates).len() as u128, candidates.count().unwrap());
        candidates.count().unwrap()
    };
    for shape in [&[][..], &[1], &[1, 1]] {
        assert_eq!((count("PE=4", shape, true), count("PE=4", shape, false)), (1, 0));
        assert_eq!(count("PE=1", shape, false), 1);
    }
}

#[test]
fn a_level_may_be_cut_between_axes_and_copies() {
    let machine: Machine = "L2B=8".parse().unwrap();
    let cut =
        Candidates { level_parts: 2, padding_percent: 0, ..Candidates::new(&machine, &[4, 6]) };
    let texts: BTreeSet<String> = all(&cut).iter().map(text).collect();
    for layout in [
        "((4_L2B:1), (2_L2B:4, 3:1))",
        "((4_L2B:2), (2_L2B:1, 3:1))",
        "((4_L2B:1), (6:1); B@[2_L2B:4])",
        "((2_L2B:1, 2:6), (6:1); B@[4_L2B:2])",
    ] {
        assert!(texts.contains(layout), "{layout} is not among {texts:#?}");
    }
}

#[test]
fn memories_lanes_and_bases_are_kept() {
    let machine = Machine::mn_core_2();
    let in_dram = Candidates {
        memory: Some("DRAM".into()),
        base: 100,
        element_bits: Some(16),
        ..Candidates::new(&machine, &[8, 512])
    };
    let found = all(&in_dram);
    assert!(found.iter().any(|c| text(c) == "((4_L2B:2, 2:128), (128:1, 4_W:1))"));
    for candidate in found {
        let placement = candidate.placement().unwrap();
        assert_eq!(placement.footprint_words(), 100 + candidate.footprint_words);
        let levels = candidate.layout.used_levels();
        assert!(!levels.contains(&Level::PE) && !levels.contains(&Level::L1B));
        assert_eq!(candidate.units_used, if levels.contains(&Level::L2B) { 4 } else { 1 });
    }
    // 2048 words, 2000 of them below the base.
    let full =
        Candidates { memory: Some("LM0".into()), base: 2000, ..Candidates::new(&machine, &[64]) };
    assert!(all(&full).iter().all(|candidate| candidate.footprint_words <= 48));
    assert!(
        all(&Candidates { base: 0, ..full.clone() })
            .iter()
            .any(|candidate| candidate.footprint_words == 64)
    );
}

#[test]
fn wrong_options_are_refused() {
    let machine: Machine = "L2B=2,PE=4".parse().unwrap();
    let all = || Candidates::new(&machine, &[8, 8]);
    let refusals = [
        (
            Candidates { sides: vec![], ..all() },
            "invalid value for `sides`: the list is empty; it needs at least one entry",
        ),
        (
            Candidates { levels: Some(vec![]), ..all() },
            "invalid value for `levels`: the list is empty; it needs at least one entry",
        ),
        (
            Candidates { levels: Some(vec![Level::MAB]), ..all() },
            "`MAB` is not a level of the machine `L2B=2,PE=4`, whose levels are L2B, PE",
        ),
        (
            Candidates { without_copies_in: vec![Level::MAB], ..all() },
            "`MAB` is not a level of the machine `L2B=2,PE=4`, whose levels are L2B, PE",
        ),
        (
            Candidates {
                without_copies_in: vec![Level::PE],
                memory: Some("DRAM".into()),
                ..Candidates::new(&Machine::mn_core_2(), &[8, 8])
            },
            "invalid value for `split`: `PE` is below the memory",
        ),
        (Candidates { never: vec![(0, Level::ADDR)], ..all() }, "invalid value for `never`: "),
        (
            Candidates { fixed: vec![(0, vec![Level::TIME])], ..all() },
            "invalid value for `fixed`: ",
        ),
        (
            Candidates { never: vec![(2, Level::PE)], ..all() },
            "invalid value for `never`: axis 2 does not exist: the tensor has rank 2",
        ),
        (
            Candidates { fixed: vec![(1, vec![Level::TIME])], ..all() },
            "`Time` does not consist of units, so no axis can be split over it",
        ),
        (
            Candidates { never: vec![(1, Level::W)], ..all() },
            "give it before you name `W`: it says how many lanes a word has",
        ),
        (
            Candidates { fixed: vec![(9, vec![])], ..all() },
            "invalid value for `fixed`: axis 9 does not exist: the tensor has rank 2",
        ),
        (Candidates { fixed: vec![(1, vec![]), (1, vec![])], ..all() }, "axis 1 is fixed twice"),
        (Candidates { contiguous: vec![(2, 4)], ..all() }, "axis 2 does not exist"),
        (
            Candidates { contiguous: vec![(1, 0)], ..all() },
            "invalid value for `contiguous`: 0 (it must be at least 1)",
        ),
        (
            Candidates { contiguous: vec![(1, 2), (0, 2)], ..all() },
            "axis 1 and axis 0 cannot both be innermost",
        ),
        (Candidates { time: vec![], ..all() }, "invalid value for `time`"),
        (Candidates { time: vec![1, 0], ..all() }, "invalid value for `time`"),
        (Candidates { alignment: 0, ..all() }, "invalid value for `alignment`: 0"),
        (Candidates { capacity_words: Some(0), ..all() }, "invalid value for `capacity_words`: 0"),
        (Candidates { padding_percent: 101, ..all() }, "got 101, expected 0 to 100"),
        (Candidates { level_parts: 0, ..all() }, "invalid value for `level_parts`: 0"),
        (Candidates { element_bits: Some(0), ..all() }, "got 0, expected 1 to 64"),
        (Candidates { element_bits: Some(65), ..all() }, "got 65, expected 1 to 64"),
        (
            Candidates { memory: Some("LM9".into()), ..all() },
            "`LM9` is not a memory of the machine `L2B=2,PE=4`, whose memories are LM0, LM1",
        ),
    ];
    for (candidates, message) in refusals {
        let refusal = candidates.iter().unwrap_err().to_string();
        assert!(refusal.contains(message), "{refusal}");
        assert_eq!(candidates.count().unwrap_err().to_string(), refusal);
    }
    let full = Candidates {
        memory: Some("LM0".into()),
        base: 2048,
        ..Candidates::new(&Machine::mn_core_2(), &[8])
    };
    assert!(full.iter().unwrap_err().to_string().contains("leaves the memory without addresses"));
    let huge = Machine::builder("m").level(Level::PE, 1 << 40).build().unwrap();
    let huge = Candidates { level_parts: 2, ..Candidates::new(&huge, &[8]) };
    assert!(huge.iter().unwrap_err().to_string().contains("the limit is 4096"));
}

/// Counts steps, not time: for any shape, an answer stays within the budget.
#[test]
fn every_answer_comes_within_the_budget_of_choices() {
    let mn_core = Machine::mn_core();
    for rank in 0..=12 {
        for extent in [1, 2, 3, 8, 1000, 1 << 20] {
            for capacity in [1, 64, u64::MAX] {
                let all = Candidates {
                    capacity_words: Some(capacity),
                    element_bits: Some(16),
                    ..Candidates::new(&mn_core, &vec![extent; rank])
                };
                let mut layouts = all.iter().unwrap();
                let mut before = 0;
                for _ in 0..3 {
                    match layouts.next() {
                        Some(Ok(candidate)) => assert!(candidate.footprint_words <= capacity),
                        Some(Err(error)) if error.kind() == ErrorKind::NotDecided => {
                            assert_eq!(error.number("budget"), Some(Candidates::BUDGET));
                            assert!(layouts.next().is_none());
                        }
                        Some(Err(error)) => panic!("{error}"),
                        None => {}
                    }
                    assert!(layouts.choices_tried() - before <= Candidates::BUDGET + 1);
                    before = layouts.choices_tried();
                }
            }
        }
    }
    // Cases that used to hang: few choices are dead ends, and unit axes cost nothing.
    let choices = |shape: &[u64], number: usize| {
        let mut layouts = Candidates::new(&mn_core, shape).iter().unwrap();
        assert_eq!(layouts.by_ref().take(number).count(), number);
        layouts.choices_tried()
    };
    assert!(choices(&[2; 8], 1) < 1000);
    assert!(choices(&[8; 12], 1) < 1000);
    assert!(choices(&[2; 8], 80_640) < 10_000);
    assert_eq!(choices(&[1, 8, 16, 128, 64, 1], 5000), choices(&[8, 16, 128, 64], 5000));
}

#[test]
fn any_shape_has_candidates_or_none() {
    let mn_core = Machine::mn_core();
    for shape in [&[][..], &[0], &[1, 1], &[7], &[u64::MAX], &[1 << 40, 1 << 20], &[1; 25]] {
        for candidate in (Candidates { time: vec![1, 3], ..Candidates::new(&mn_core, shape) })
            .iter()
            .unwrap()
            .take(1000)
        {
            assert_eq!(candidate.unwrap().layout.shape(), shape);
        }
    }
    assert_eq!(all(&Candidates::new(&mn_core, &[])).len(), 1);
}

#[test]
fn unit_axes_change_nothing() {
    let machine: Machine = "L2B=2,PE=4".parse().unwrap();
    let plain = all(&Candidates::new(&machine, &[8, 16]));
    let with_units = all(&Candidates::new(&machine, &[1, 8, 1, 16, 1]));
    assert_eq!(plain.len(), with_units.len());
    for (a, b) in plain.iter().zip(with_units) {
        assert_eq!(b.layout.reshape(&[8, 16]).unwrap(), a.layout);
    }
}

#[test]
fn counting_does_not_walk_orders() {
    let machine: Machine = "PE=4".parse().unwrap();
    // Nine axes of size 2: no axis takes the four PEs, and then all orders count.
    let count =
        (Candidates { padding_percent: 0, ..Candidates::new(&machine, &[2; 9]) }).count().unwrap();
    assert_eq!(count, (1..=9).product());
    let none = Candidates {
        orders: Orders::RowMajor,
        padding_percent: 0,
        ..Candidates::new(&machine, &[2; 9])
    };
    assert_eq!(none.count().unwrap(), 1);
}
