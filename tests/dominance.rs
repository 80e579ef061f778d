//! Prices as a distance, and the choices that no plan needs.

use itertools::Itertools;
use tensor_layout::candidates::Candidates;
use tensor_layout::relayout::{CostModel, PartId, PricedChoice, Pricer};
use tensor_layout::{Level, Machine, Placement};

use crate::route_pairs::Draw;

/// The parts of some layouts of a shape, in all memories.
fn parts(
    pricer: &Pricer,
    machine: &Machine,
    shape: &[u64],
    bits: u64,
    count: usize,
) -> Vec<PartId> {
    let of = |memory: &'static str, count: usize| {
        let all = Candidates {
            memory: Some(memory.into()),
            element_bits: Some(bits),
            ..Candidates::new(machine, shape)
        };
        let samples = Candidates { level_parts: 2, ..all }.samples(7).unwrap().take(count);
        let part = |layout| {
            let placement = Placement::of(layout).on(machine).memory(memory).element_bits(bits);
            pricer.part(&placement.build().unwrap()).unwrap()
        };
        samples.map(move |sample| part(sample.unwrap().layout)).collect_vec()
    };
    let memories = ["DRAM", "PDM", "L2BM", "L1BM", "LM1"];
    memories.into_iter().fold(of("LM0", count), |all, memory| [all, of(memory, count / 3)].concat())
}

fn by_movements(machine: &Machine, bits: u64) -> Pricer {
    Pricer::new(CostModel::new(machine, bits).unwrap())
}

#[test]
fn a_relayout_by_movements_costs_at_most_what_two_in_a_row_do() {
    let machine = Machine::mn_core_2();
    let shapes: [(&[u64], u64); 8] = [
        (&[100, 48], 16),
        (&[24, 63], 32),
        (&[33, 129], 16),
        (&[5, 3], 64),
        (&[7, 9], 64),
        (&[64, 64], 64),
        (&[1000], 16),
        (&[17, 5, 12], 32),
    ];
    for (shape, bits) in shapes {
        let pricer = by_movements(&machine, bits).with_price_of_lanes(40);
        let parts = parts(&pricer, &machine, shape, bits, 18);
        let of_pair = |from: &PartId, to: &PartId| pricer.cost(*from, *to).unwrap().steps;
        let row = |from| parts.iter().map(|to| of_pair(from, to)).collect_vec();
        let cost = parts.iter().map(row).collect_vec();
        let all = 0..parts.len();
        for (from, (via, to)) in all.clone().cartesian_product(all.clone().cartesian_product(all)) {
            let in_a_row = cost[from][via] + cost[via][to];
            assert!(in_a_row >= cost[from][to], "{shape:?}: {from}, {via}, {to}");
        }
    }
}

#[test]
fn no_plan_is_cheaper_with_the_choices_that_are_dominated() {
    let (machine, mut draw, mut dropped) = (Machine::mn_core_2(), Draw(5), 0);
    for (shape, bits) in [([64, 256], 16), ([24, 63], 32)] {
        let pricer = by_movements(&machine, bits).with_price_of_lanes(40);
        let parts = parts(&pricer, &machine, &shape, bits, 9);
        let cost = |from: PartId, to: PartId| pricer.cost(from, to).unwrap().steps;
        for _ in 0..40 {
            let mut any = || parts[draw.below(parts.len())];
            let ends = [any(), any(), any()];
            let choices = (0..8).map(|_| {
                let (takes, gives) = (vec![any(), any()], any());
                (takes, gives)
            });
            let choices = choices.collect_vec();
            let choices = choices.into_iter().map(|(takes, gives)| PricedChoice {
                own: draw.below(3000) as u64,
                takes,
                gives: vec![gives],
            });
            let choices = choices.collect_vec();
            let through = |choice: &PricedChoice| {
                let before = cost(ends[0], choice.takes[0]) + cost(ends[1], choice.takes[1]);
                before + choice.own + cost(choice.gives[0], ends[2])
            };
            let kept = pricer.undominated(&choices).unwrap();
            let all = choices.iter().map(through).min();
            assert_eq!(kept.iter().map(|at| through(&choices[*at])).min(), all);
            dropped += choices.len() - kept.len();
        }
    }
    assert!(dropped > 50, "{dropped} choices are dominated");
}

#[test]
fn equal_choices_leave_the_first_and_prices_that_are_no_distance_leave_all_others() {
    let machine = Machine::mn_core_2();
    let rates = [(Level::L2B, 32), (Level::PE, 1)];
    let rated = machine.clone().with_bandwidth(rates).unwrap();
    for (machine, pricer, others) in [
        (&machine, by_movements(&machine, 16), 1),
        (&machine, by_movements(&machine, 16).with_price_of_addresses(9), 3),
        (&rated, by_movements(&rated, 16), 3),
    ] {
        let parts = parts(&pricer, machine, &[64, 256], 16, 3);
        let choice =
            |own, at: usize| PricedChoice { own, takes: vec![parts[0]], gives: vec![parts[at]] };
        let choices = [choice(7, 0), choice(7, 0), choice(1 << 40, 1), choice(1 << 40, 2)];
        let kept = pricer.undominated(&choices).unwrap();
        assert_eq!((kept[0], kept.len(), kept.contains(&1)), (0, others, false));
    }
    assert!(by_movements(&machine, 16).undominated(&[]).unwrap().is_empty());
}

#[test]
fn choices_of_different_widths_do_not_dominate_each_other() {
    let machine = Machine::mn_core_2();
    let pricer = by_movements(&machine, 32);
    let [whole, narrow] = [32, 16].map(|bits| {
        let layout = "((16_MAB, 4:64), (64:1))".parse().unwrap();
        let placement = Placement::of(layout).on(&machine).memory("LM0").element_bits(bits);
        pricer.part(&placement.build().unwrap()).unwrap()
    });
    let choice = |own, part| PricedChoice { own, takes: vec![part], gives: vec![whole] };
    // A cast is free here, but what comes before may cost less with narrow elements.
    assert_eq!(pricer.cost(narrow, whole).unwrap().steps, 0);
    assert_eq!(pricer.undominated(&[choice(1, whole), choice(9, narrow)]).unwrap(), [0, 1]);
    assert_eq!(pricer.undominated(&[choice(1, whole), choice(9, whole)]).unwrap(), [0]);
}
