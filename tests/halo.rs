//! The halos of windows, by the elements that the products of each unit read.

use std::collections::{BTreeMap, BTreeSet};

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::algebra::Subaxis;
use tensor_layout::candidates::{Candidates, Orders, Side};
use tensor_layout::einsum::{Einsum, Halo, ReadAxis};
use tensor_layout::{Layout, Level, Machine, Placement};

use crate::run::properties;

/// A window over one axis: `(step * y + dilation * r - before) / divisor`, only where it divides.
#[derive(Clone, Debug)]
struct Window {
    rows: u64,
    taps: u64,
    step: u64,
    dilation: u64,
    before: u64,
    divisor: u64,
    extent: u64,
}

impl Window {
    fn index(&self, at: &[u64]) -> Option<u64> {
        let sum = (self.step * at[0] + self.dilation * at[1]).checked_sub(self.before)?;
        let index = sum / self.divisor;
        (sum % self.divisor == 0 && index < self.extent).then_some(index)
    }
}

fn windows() -> impl Strategy<Value = Window> {
    (2..9_u64, 1..4_u64, 1..4_u64, 1..3_u64, 0..3_u64, 1..3_u64, 1..20_u64).prop_map(
        |(rows, taps, step, dilation, before, divisor, extent)| Window {
            rows,
            taps,
            step,
            dilation,
            before,
            divisor,
            extent,
        },
    )
}

const LEVELS: [Level; 3] = [Level::L1B, Level::MAB, Level::PE];

/// The time slice, then the unit of each level, and the element that it holds or needs.
type Pairs = BTreeSet<(Vec<u64>, Vec<u64>)>;

fn units(layout: &Layout, machine: &Machine, index: &[u64]) -> BTreeSet<Vec<u64>> {
    let placement = Placement::of(layout.clone()).on(machine).build().unwrap();
    let places = placement.locate_all(index).unwrap();
    let unit = |place: tensor_layout::Location| {
        let levels = [Level::TIME].into_iter().chain(LEVELS);
        levels.map(|level| place.get(level).unwrap_or(0)).collect()
    };
    places.map(unit).collect()
}

/// The pairs of units and elements that products need, by the definition.
fn needed(loops: &Layout, machine: &Machine, window: &[&Window; 2]) -> Pairs {
    let mut pairs = Pairs::new();
    let shape = loops.shape();
    for at in shape.iter().map(|extent| 0..*extent).multi_cartesian_product() {
        // Labels n, f, y, x, c, r, s: the operand has n, y, x, c.
        let (y, x) = (window[0].index(&[at[2], at[5]]), window[1].index(&[at[3], at[6]]));
        let (Some(y), Some(x)) = (y, x) else { continue };
        let element = vec![at[0], at[4], y, x];
        pairs.extend(units(loops, machine, &at).into_iter().map(|unit| (unit, element.clone())));
    }
    pairs
}

fn held(halo: &Halo, machine: &Machine) -> Pairs {
    let shape = halo.layout.shape();
    let all = shape.iter().map(|extent| 0..*extent).multi_cartesian_product();
    all.flat_map(|at| {
        let units = units(&halo.layout, machine, &at);
        units.into_iter().map(move |unit| (unit, at.clone()))
    })
    .collect()
}

fn check(loops: &Layout, machine: &Machine, window: &[&Window; 2]) -> Result<(), TestCaseError> {
    let einsum: Einsum = "ncyrxs,fcrs->nfyx".parse().unwrap();
    let local = einsum.local_in(loops).unwrap();
    let index = window.map(|window| move |at: &[u64]| window.index(at));
    let taps = |axis: usize| ReadAxis::Taps {
        labels: 2,
        extent: window[axis].extent,
        index: &index[axis],
    };
    let axes = [ReadAxis::Loop, ReadAxis::Loop, taps(0), taps(1)];
    let halo = local.halo(machine, 0, &axes).unwrap();
    let is_time = |digit: &Subaxis| digit.lands() == Some(Level::TIME);
    // Otherwise what is fetched stays from slice to slice.
    let in_slices = halo.layout.axes()[2..].iter().any(|axis| axis.subaxes.iter().any(is_time));
    let timed = |pairs: &Pairs| -> Pairs {
        let slice = |unit: &[u64]| [&[if in_slices { unit[0] } else { 0 }], &unit[1..]].concat();
        pairs.iter().map(|(unit, at)| (slice(unit), at.clone())).collect()
    };
    let (all_needed, all_held) = (needed(loops, machine, window), held(&halo, machine));
    let (needed, held) = (timed(&all_needed), timed(&all_held));
    for (level, depth) in halo.traffic.iter().zip((1..=LEVELS.len()).rev()) {
        let cut = |pairs: &Pairs| -> Pairs {
            pairs.iter().map(|(unit, at)| (unit[..=depth].to_vec(), at.clone())).collect()
        };
        let into = cut(&needed).difference(&cut(&held)).count();
        prop_assert_eq!(
            (level.level, level.into),
            (LEVELS[depth - 1], into as u64),
            "{} {}",
            loops,
            &halo.layout
        );
        let receivers = cut(&needed).into_iter().map(|(unit, _)| unit[1..].to_vec()).unique();
        let receivers = receivers.count();
        prop_assert!(level.receivers >= receivers as u64 || into == 0);
    }
    let mut each: BTreeMap<&Vec<u64>, BTreeSet<&Vec<u64>>> = BTreeMap::new();
    all_needed.iter().chain(&all_held).for_each(|(unit, at)| {
        each.entry(unit).or_default().insert(at);
    });
    let most = each.values().map(BTreeSet::len).max().unwrap_or(0);
    prop_assert!(halo.footprint >= most as u64);
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig { cases: 96, rng_seed: proptest::test_runner::RngSeed::Fixed(0), ..ProptestConfig::default() })]

    #[test]
    fn the_halo_of_a_window_is_what_units_need_and_do_not_hold(
        (y, x) in (windows(), windows()),
        (n, f, c) in (1..3_u64, 1..5_u64, 1..3_u64),
        slices in 1..4_u64,
        pick in any::<prop::sample::Index>(),
    ) {
        let machine: Machine = "L1B=2,MAB=2,PE=3".parse().unwrap();
        let shape = [n, f, y.rows, x.rows, c, y.taps, x.taps];
        let mut all = Candidates { orders: Orders::RowMajor, sides: vec![Side::Major, Side::Minor], ..Candidates::new(&machine, &shape) };
        for level in LEVELS.into_iter().chain([Level::TIME]) {
            all.never.extend([(5, level), (6, level)]);
        }
        (all.time, all.time_axes) = (vec![slices], 2);
        let all: Vec<_> = all.iter().unwrap().take(400).map(|found| found.unwrap().layout).collect();
        prop_assume!(!all.is_empty());
        check(pick.get(&all), &machine, &[&y, &x])?;
    }
}

#[test]
fn a_window_whose_taps_are_split_has_no_layout() {
    let einsum: Einsum = "yr,r->y".parse().unwrap();
    let machine: Machine = "MAB=2,PE=3".parse().unwrap();
    let local = einsum.local_in(&"((2_MAB, 4:3), (3_PE))".parse().unwrap()).unwrap();
    let index = |at: &[u64]| Some(at[0] + at[1]);
    let axes = [ReadAxis::Taps { labels: 2, extent: 10, index: &index }];
    let refused = |operand| local.halo(&machine, operand, &axes).unwrap_err().to_string();
    assert!(refused(0).starts_with("an axis that is read through windows"));
    assert!(refused(2).starts_with("the operation has 2 operands"));
    assert!(refused(1).starts_with("the einsum has "));
}
