//! Law 17, keys: prices by parts, in batches, down to a level or with another time order are those that the
//! relayout itself counts and enumeration finds.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::relayout::{
    CostModel, LevelTraffic, Pricer, Relayout, TimeOrder, UnitPart, traffic_between,
};
use tensor_layout::{Level, Machine};

use super::law_17_relayout::{
    Pair, Path, Sides, alone, is_small, judge, placements, placements_with, relayout, units,
};
use crate::run::{Tally, laws};
use crate::slow::{Slow, To, land};

laws! {
    parts_exchange_what_their_placements_do: 150, 85 %, placements(), parts;
    a_pricer_answers_as_relayouts_do: 120, 85 %, placements(), priced;
    the_busiest_sender_is_that_of_enumeration: 120, 40 %, placements(), sending;
    a_batch_prices_every_pair: 40, 85 %, placements(), batch;
    layouts_that_differ_inside_units_have_equal_parts: 150, 85 %, alone(), inside_units;
    no_fewer_units_hold_elements_than_enumeration_finds: 200, 85 %, placements(), holding;
    the_busiest_unit_is_that_of_enumeration: 120, 95 %, placements(), busiest;
    the_busiest_of_very_many_units_is_that_of_enumeration: 60, 95 %, placements_with(spread_out), busiest;
    flows_lead_from_unit_to_unit_as_enumeration_says: 200, 75 %, placements(), flows;
    what_enters_in_a_step_is_what_enumeration_counts: 100, 85 %, in_time(), steps;
    traffic_with_time_elsewhere_is_what_enumeration_counts: 120, 85 %, in_time(), time;
}

/// Spreads units far apart, so that a machine that holds them has a very large number of units.
fn spread_out(slow: &mut Slow) {
    const FACTOR: u64 = (1 << 33) + 1;
    if slow.span(Level::PE) > 1 << 20 {
        return;
    }
    let derived = slow.derived.iter_mut().map(|(_, axis)| axis);
    for digit in slow.axes.iter_mut().chain(derived).flat_map(|axis| &mut axis.digits) {
        if let To::Land(Level::PE, stride) = &mut digit.to {
            // Digits of size 1 may have huge strides.
            *stride = stride.saturating_mul(FACTOR);
        }
    }
    for (_, level, stride) in &mut slow.replicas {
        *stride = stride.saturating_mul(if *level == Level::PE { FACTOR } else { 1 });
    }
    slow.offsets.entry(Level::PE).and_modify(|offset| *offset *= FACTOR);
    slow.spans.entry(Level::PE).and_modify(|span| *span *= FACTOR);
}

/// Placements, at least one of which is in time slices.
fn in_time() -> impl Strategy<Value = Pair> {
    let sliced = |pair: &Pair| {
        let used = |slow: &Slow| slow.used().contains(&Level::TIME);
        used(&pair.1) || used(&pair.2)
    };
    placements().prop_filter("time is not used", sliced)
}

/// Only the counts: a part is without padding, so that the bound on the units it uses is tighter.
fn crossing(levels: &[LevelTraffic]) -> Vec<(Level, u64, Option<u64>)> {
    levels.iter().map(|level| (level.level, level.into, level.out_of)).collect()
}

fn parts(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::in_order(pair, TimeOrder::Outermost);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let levels = tally.answer(relayout.traffic())?.levels;
    let part = |slow: &Slow| UnitPart::of(&pair.0.place(slow).unwrap());
    let (from, to) = (tally.answer(part(&pair.1))?, tally.answer(part(&pair.2))?);
    prop_assert_eq!(crossing(&tally.answer(from.traffic_to(&to))?), crossing(&levels));
    if from == to {
        prop_assert!(levels.iter().all(|level| level.into == 0));
    }
    for (at, level) in levels.iter().enumerate() {
        let above = tally.answer(relayout.traffic_down_to(level.level))?;
        prop_assert_eq!(&above[..], &levels[at..]);
    }
    Ok(())
}

/// Asks each question twice, from two threads concurrently.
fn priced(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::in_order(pair, TimeOrder::Outermost);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let traffic = tally.answer(relayout.traffic())?;
    let (stage, a, b) = pair;
    let (a, b) = (stage.place(a).unwrap(), stage.place(b).unwrap());
    let rates = stage.machine().levels().map(|(level, _)| (level, 3)).collect::<Vec<_>>();
    let machine = stage.machine().with_bandwidth(rates).unwrap();
    let model = CostModel::new(&machine, 8).unwrap();
    let pricer = Pricer::new(model.clone());
    let (from, to) = (tally.answer(pricer.part(&a))?, tally.answer(pricer.part(&b))?);
    prop_assert_eq!(from == to, UnitPart::of(&a).unwrap() == UnitPart::of(&b).unwrap());
    prop_assert_eq!(tally.answer(pricer.part(&a))?, from);
    let asked = || (pricer.traffic(from, to), pricer.cost(from, to), pricer.busiest_cost(from, to));
    let answers = std::thread::scope(|scope| {
        let other = scope.spawn(asked);
        [asked(), other.join().unwrap(), asked()]
    });
    for (found, cost, busiest) in answers {
        let found = found.unwrap();
        prop_assert_eq!(crossing(&found), crossing(&traffic.levels));
        let even = model.at_least(&found).unwrap();
        prop_assert_eq!(cost.unwrap(), even);
        prop_assert!(model.at_least(&traffic.levels).unwrap().steps <= even.steps);
        match tally.count(busiest) {
            Ok(busiest) => {
                let entered = levels_of(&relayout, &machine);
                // Groups of units do not have a rate.
                let entered = entered.into_iter().filter_map(|level| {
                    relayout.busiest(level).ok().filter(|found| found.level == level)
                });
                let entered = model.of_busiest(&entered.collect::<Vec<_>>(), &[]).unwrap();
                prop_assert!(busiest.steps >= even.steps.max(entered.steps));
            }
            Err(error) if error.kind() == ErrorKind::TooLarge => {}
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
    let small = Pricer::with_most_answers(model.clone(), 1);
    let (own, other) = (small.part(&a).unwrap(), small.part(&b).unwrap());
    prop_assert_eq!(small.busiest_cost(own, other), pricer.busiest_cost(from, to));
    prop_assert_eq!((small.statistics().kept, small.statistics().counted), (1, 2));
    let other = Pricer::with_most_answers(model, 0);
    prop_assert!(other.cost(from, to).is_err(), "the part of another pricer");
    let (from, to) = (other.part(&a).unwrap(), other.part(&b).unwrap());
    prop_assert_eq!(other.cost(from, to), other.cost(from, to));
    prop_assert_eq!((other.statistics().kept, other.statistics().counted), (0, 2));
    Ok(())
}

/// The levels that the relayout has.
fn levels_of(relayout: &Relayout, machine: &Machine) -> Vec<Level> {
    let levels = machine.levels().map(|(level, _)| level);
    levels.filter(|level| relayout.traffic_down_to(*level).is_ok()).collect()
}

/// For every unit, the number of elements that it has on one side but not on the other.
fn sending(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::in_order(pair, TimeOrder::Outermost);
    if relayout(pair, &sides, tally)?.is_none() {
        return Ok(());
    }
    let part = |slow: &Slow| UnitPart::of(&pair.0.place(slow).unwrap());
    let (from, to) = (tally.answer(part(&pair.1))?, tally.answer(part(&pair.2))?);
    let indexes = pair.1.indexes();
    for (depth, level) in sides.levels().iter().enumerate() {
        let mut leaving: BTreeMap<Path, u64> = BTreeMap::new();
        let mut is_open = false;
        for index in &indexes {
            let (before, after) = (units(sides.from(index), depth), units(sides.to(index), depth));
            is_open |= before.len() > 1 || after.len() > 1;
            before
                .difference(&after)
                .for_each(|unit| *leaving.entry(unit.clone()).or_default() += 1);
        }
        match tally.count(from.busiest_out_of(&to, *level)) {
            Ok(Some(found)) => {
                prop_assert!(!is_open);
                prop_assert_eq!(found.elements, leaving.values().copied().max().unwrap_or(0));
                prop_assert_eq!(found.total, leaving.values().sum::<u64>());
            }
            Ok(None) => {
                tally.sure();
                prop_assert!(is_open || indexes.is_empty());
            }
            Err(error) if error.kind() == ErrorKind::TooLarge => {}
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        }
    }
    Ok(())
}

fn batch(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::in_order(pair, TimeOrder::Outermost);
    if relayout(pair, &sides, tally)?.is_none() {
        return Ok(());
    }
    let (a, b) = (pair.0.place(&pair.1).unwrap(), pair.0.place(&pair.2).unwrap());
    let (sources, destinations) = ([a.clone(), b.clone(), a.clone()], [b, a]);
    let all = tally.answer(traffic_between(&sources, &destinations))?;
    prop_assert_eq!(all.len(), sources.len());
    for (source, row) in sources.iter().zip(all) {
        prop_assert_eq!(row.len(), destinations.len());
        for (destination, levels) in destinations.iter().zip(row) {
            let relayout = tally.answer(Relayout::new(source, destination))?;
            prop_assert_eq!(crossing(&levels), crossing(&tally.answer(relayout.traffic())?.levels));
        }
    }
    Ok(())
}

/// Other strides in memory, address digits cut in two, addresses and lanes exchanged.
fn changed_inside(slow: &Slow) -> Slow {
    let mut changed = slow.clone();
    let derived = changed.derived.iter_mut().map(|(_, axis)| axis);
    for axis in changed.axes.iter_mut().chain(derived) {
        let digits = std::mem::take(&mut axis.digits).into_iter();
        let digits = digits.flat_map(|digit| match digit.to {
            To::Land(Level::ADDR, step) if digit.size.is_multiple_of(2) && step < 1 << 20 => {
                vec![land(2, Level::W, 5 * step), land(digit.size / 2, Level::ADDR, 3 * step)]
            }
            To::Land(Level::W, step) => vec![land(digit.size, Level::ADDR, step)],
            _ => vec![digit],
        });
        axis.digits = digits.collect();
    }
    changed
}

fn inside_units(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let (stage, slow, _) = pair;
    let changed = changed_inside(slow);
    let other = (stage.clone(), slow.clone(), changed.clone());
    // Other addresses may make elements collide, and lanes do not require a machine that has them.
    if stage.place(&changed).is_err() || !changed.is_injective() || !is_small(&other) {
        tally.sure();
        return Ok(());
    }
    let parts = [slow, &changed].map(|slow| UnitPart::of(&stage.place(slow).unwrap()));
    let Ok([a, b]) = parts
        .into_iter()
        .collect::<Result<Vec<_>, _>>()
        .map(|parts| <[UnitPart; 2]>::try_from(parts).unwrap())
    else {
        tally.sure();
        return Ok(());
    };
    prop_assert_eq!(&a, &b);
    let levels = tally.answer(a.traffic_to(&b))?;
    prop_assert!(levels.iter().all(|level| level.into == 0));
    Ok(())
}

fn time(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    for order in [TimeOrder::Innermost, TimeOrder::Aside] {
        let sides = Sides::in_order(pair, order);
        let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
        let relayout = relayout.with_time(order);
        judge(pair, &sides, &relayout, &tally.answer(relayout.traffic())?)?;
    }
    Ok(())
}

fn holding(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    let sides = Sides::in_order(pair, TimeOrder::Outermost);
    let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
    let levels = tally.answer(relayout.traffic())?.levels;
    for (depth, found) in levels.iter().rev().enumerate() {
        let (mut senders, mut receivers) = (BTreeSet::new(), BTreeSet::new());
        for index in pair.1.indexes() {
            senders.extend(units(sides.from(&index), depth));
            receivers.extend(units(sides.to(&index), depth));
        }
        prop_assert!(senders.len() as u64 <= found.senders, "{:?}", found);
        prop_assert!(receivers.len() as u64 <= found.receivers, "{:?}", found);
    }
    Ok(())
}

/// The number of elements that every unit of a level needs and does not have.
fn entering(pair: &Pair, sides: &Sides, level: usize) -> BTreeMap<Path, u64> {
    let mut entering = BTreeMap::new();
    for index in pair.1.indexes() {
        let (from, to) = (units(sides.from(&index), level), units(sides.to(&index), level));
        for unit in to {
            *entering.entry(unit.clone()).or_default() += u64::from(!from.contains(&unit));
        }
    }
    entering
}

const ORDERS: [TimeOrder; 3] = [TimeOrder::Outermost, TimeOrder::Innermost, TimeOrder::Aside];

/// Calls `judge` with each position of time among the levels.
fn in_every_order(
    pair: &Pair,
    tally: &mut Tally,
    judge: impl Fn(&Sides, &Relayout, &mut Tally) -> Result<(), TestCaseError>,
) -> Result<(), TestCaseError> {
    for order in ORDERS {
        let sides = Sides::in_order(pair, order);
        let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
        judge(&sides, &relayout.with_time(order), tally)?;
    }
    Ok(())
}

fn busiest(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    in_every_order(pair, tally, |sides, relayout, tally| {
        for (depth, level) in sides.levels().iter().enumerate() {
            let wanted = entering(pair, sides, depth);
            let found = match tally.count(relayout.busiest(*level)) {
                Err(error) if error.kind() == ErrorKind::TooLarge => {
                    prop_assert!(all_units(pair) > u128::from(u64::MAX));
                    continue;
                }
                found => found.map_err(|error| TestCaseError::fail(error.to_string()))?,
            };
            prop_assert_eq!(found.elements, wanted.values().copied().max().unwrap_or(0));
            prop_assert_eq!(found.total, wanted.values().sum::<u64>());
            let first =
                wanted.iter().find(|(_, into)| found.elements > 0 && **into == found.elements);
            if let Some((unit, _)) = first {
                let levels = sides.units()[..=depth].iter();
                prop_assert_eq!(
                    &levels.map(|of| found.unit.get(*of).unwrap()).collect::<Path>(),
                    unit
                );
            }
        }
        Ok(())
    })
}

/// The number of units, over all time slices.
fn all_units((stage, a, b): &Pair) -> u128 {
    let time = a.extent(Level::TIME).max(b.extent(Level::TIME));
    let machine = stage.machine();
    let sizes = machine.levels().map(|(_, size)| size).chain([time]);
    sizes.map(u128::from).fold(1, u128::saturating_mul)
}

/// A group of units is named by its first unit.
fn flows(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    in_every_order(pair, tally, |sides, relayout, tally| {
        let indexes = pair.1.indexes();
        for (depth, level) in sides.levels().iter().enumerate() {
            let senders = |index: &Vec<u64>| -> BTreeSet<u64> {
                sides.from(index).iter().map(|place| place[depth]).collect()
            };
            let found = match tally.count(relayout.flows(*level)) {
                Ok(found) => found,
                Err(error) if error.kind() == ErrorKind::Unsupported => {
                    prop_assert_eq!(error.level("level"), Some(*level));
                    prop_assert!(indexes.iter().any(|index| senders(index).len() > 1), "{}", level);
                    continue;
                }
                Err(error) if error.kind() == ErrorKind::Limit => {
                    prop_assert_eq!(error.level("level"), Some(*level));
                    let most = error.number("most").unwrap();
                    let side = |slow: &Slow| slow.extent(sides.units()[depth]);
                    prop_assert!(side(&pair.1).max(side(&pair.2)) > most, "{}", level);
                    continue;
                }
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            };
            let mut wanted: BTreeMap<(u64, u64), u64> = BTreeMap::new();
            for index in &indexes {
                let sender = senders(index).into_iter().next().unwrap();
                for place in sides.to(index) {
                    *wanted.entry((sender, place[depth])).or_default() += 1;
                }
            }
            let all: u64 = found.counts.iter().flatten().sum();
            prop_assert_eq!(all, relayout.elements() * relayout.copies());
            let mut counts = BTreeMap::new();
            for (from, row) in found.from.iter().zip(&found.counts) {
                prop_assert_eq!(row.len(), found.to.len());
                counts.extend(found.to.iter().zip(row).map(|(to, count)| ((*from, *to), *count)));
            }
            counts.retain(|_, count| *count > 0);
            prop_assert_eq!(counts, wanted, "{}", level);
        }
        Ok(())
    })
}

/// The greatest number of slices that are checked.
const MOST_SLICES: u64 = 64;

fn steps(pair: &Pair, tally: &mut Tally) -> Result<(), TestCaseError> {
    for order in ORDERS {
        // With time outermost, a unit includes its slice; data in other slices counts only with `Aside`.
        let sides = Sides::in_order(pair, TimeOrder::Outermost);
        let Some(relayout) = relayout(pair, &sides, tally)? else { return Ok(()) };
        let relayout = relayout.with_time(order);
        // Distant slices are very many: checks some of them, including the last.
        let slices = relayout.slices();
        let apart = usize::try_from(slices.div_ceil(MOST_SLICES).max(1)).unwrap();
        for step in (0..slices).rev().step_by(apart) {
            let found = tally.answer(relayout.into_in_slice(step))?;
            let levels: Vec<Level> = found.iter().rev().map(|(level, _)| *level).collect();
            prop_assert_eq!(&levels[..], &sides.levels()[1..]);
            for (depth, (_, into)) in (1..).zip(found.iter().rev()) {
                prop_assert_eq!(*into, entering_in(pair, &sides, depth, step, order));
            }
        }
        prop_assert!(relayout.into_in_slice(slices).is_err());
    }
    Ok(())
}

/// The number of (element, unit) pairs that a step needs and the source lacks.
fn entering_in(pair: &Pair, sides: &Sides, depth: usize, step: u64, order: TimeOrder) -> u64 {
    let without_time = |units: BTreeSet<Path>, any: bool| -> BTreeSet<Path> {
        let units = units.into_iter().filter(|unit| any || unit[0] == step);
        units.map(|unit| unit[1..].to_vec()).collect()
    };
    let mut entering = 0;
    for index in pair.1.indexes() {
        let from = units(sides.from(&index), depth);
        let held = without_time(from, order == TimeOrder::Aside);
        let wanted = without_time(units(sides.to(&index), depth), false);
        entering += wanted.difference(&held).count() as u64;
    }
    entering
}
