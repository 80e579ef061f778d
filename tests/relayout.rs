//! Relayout, judged by enumeration.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use tensor_layout::algebra::LayoutBuilder;
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::relayout::{Distance, Move, Relayout};
use tensor_layout::xla::XlaShape;
use tensor_layout::{Layout, LayoutError, Level, Location, Machine, Placement};

use crate::generate::{good_layout, levels};
use crate::slow::Slow;

/// The coordinates that count, from the outermost in.
fn path(relayout: &Relayout, place: &Location, time: u64) -> Vec<u64> {
    let at = |level: &Level| match (place.get(*level), *level) {
        (None, Level::TIME) => time,
        (at, _) => at.unwrap_or(0),
    };
    relayout.levels().iter().chain(&[Level::ADDR, Level::W]).map(at).collect()
}

/// All places of an element; a layout without time is there in every slice.
fn places(
    placement: &Placement,
    relayout: &Relayout,
    index: &[u64],
    slices: u64,
) -> BTreeSet<Vec<u64>> {
    let timeless = !placement.layout().used_levels().contains(&Level::TIME);
    let times = if timeless && relayout.levels().contains(&Level::TIME) { slices } else { 1 };
    let all = placement.locate_all(index).unwrap();
    all.flat_map(|place| (0..times).map(move |time| (place.clone(), time)))
        .map(|(place, time)| path(relayout, &place, time))
        .collect()
}

/// The most copies of all elements that are enumerated, source and destination together.
const MOST_PLACES: u64 = 1 << 16;

/// Rejects a pair that would take minutes to enumerate: a machine that holds both layouts may have
/// thousands of units, and each holds a copy where a layout does not use their level.
fn bounded(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let copies = source.copies().saturating_add(destination.copies());
    let places = source.layout().elements().saturating_mul(copies).saturating_mul(slices);
    match places <= MOST_PLACES {
        true => Ok(()),
        false => Err(TestCaseError::reject("too many copies to enumerate")),
    }
}

/// Every prefix of the places: the units of every level that hold the element, and the places.
fn prefixes(places: &BTreeSet<Vec<u64>>) -> BTreeSet<&[u64]> {
    places.iter().flat_map(|place| (0..=place.len()).map(|end| &place[..end])).collect()
}

fn check(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    bounded(source, destination)?;
    let relayout = Relayout::new(source, destination).unwrap();
    let traffic = match relayout.traffic() {
        Ok(traffic) => traffic,
        Err(LayoutError::NotDecided { .. }) => return Err(TestCaseError::reject("not decided")),
        Err(error) => panic!("{error}"),
    };
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let depth = relayout.levels().len();
    let mut by_distance: BTreeMap<usize, u64> = BTreeMap::new();
    let (mut into, mut out_of) = (vec![0; depth], vec![0; depth]);
    let mut total = 0;
    for index in source.layout().indexes() {
        let from = places(source, &relayout, &index, slices);
        let to = places(destination, &relayout, &index, slices);
        let held = prefixes(&from);
        for place in &to {
            let nearest = (0..place.len()).take_while(|n| held.contains(&place[..=*n])).count();
            // In the unit the lane and the address count alike.
            let nearest = if nearest == depth + 1 { depth } else { nearest };
            *by_distance.entry(nearest).or_default() += 1;
            total += 1;
        }
        for level in 0..depth {
            let units = |all: &BTreeSet<Vec<u64>>| -> BTreeSet<Vec<u64>> {
                all.iter().map(|place| place[..=level].to_vec()).collect()
            };
            let (from, to) = (units(&from), units(&to));
            into[level] += to.difference(&from).count() as u64;
            if let (1, Some(only)) = (from.len(), from.first()) {
                out_of[level] += u64::from(to.iter().any(|unit| unit != only));
            }
        }
    }
    prop_assert_eq!(total, traffic.elements * traffic.copies);
    for (distance, count) in &traffic.by_distance {
        let shared = match distance {
            Distance::InPlace => depth + 2,
            Distance::Address => depth,
            Distance::Level(level) => relayout.levels().iter().position(|l| l == level).unwrap(),
        };
        prop_assert_eq!(*count, by_distance.get(&shared).copied().unwrap_or(0), "{}", distance);
    }
    for (number, level) in traffic.levels.iter().rev().enumerate() {
        prop_assert_eq!(level.into, into[number], "into {}", level.level);
        if let Some(count) = level.out_of {
            prop_assert_eq!(count, out_of[number], "out of {}", level.level);
        }
    }
    prop_assert_eq!(traffic.by_distance.iter().map(|(_, n)| n).sum::<u64>(), total);
    Ok(())
}

/// Moves tagged data along the transfers and looks at every copy.
fn carry_out(source: &Placement, destination: &Placement) -> Result<(), TestCaseError> {
    bounded(source, destination)?;
    let relayout = Relayout::new(source, destination).unwrap();
    let Ok(traffic) = relayout.traffic() else { return Err(TestCaseError::reject("not decided")) };
    let slices = source.layout().extent(Level::TIME).max(destination.layout().extent(Level::TIME));
    let depth = relayout.levels().len();
    let of_unit = |unit: &Location, at: u64| -> Vec<u64> {
        let lanes = relayout.lanes();
        let units = relayout.levels().iter().map(|level| unit.get(*level).unwrap());
        units.chain([at / lanes, at % lanes]).collect()
    };
    let mut before: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
    for (number, index) in source.layout().indexes().enumerate() {
        for place in places(source, &relayout, &index, slices) {
            before.insert(place, number);
        }
    }
    // What is in place already stays.
    let mut after = BTreeMap::new();
    for (number, index) in destination.layout().indexes().enumerate() {
        for place in places(destination, &relayout, &index, slices) {
            if before.get(&place) == Some(&number) {
                after.insert(place, number);
            }
        }
    }
    let mut moved = BTreeMap::new();
    let mut entered: Vec<BTreeSet<(usize, Vec<u64>)>> = vec![BTreeSet::new(); depth];
    for transfer in relayout.transfers().unwrap() {
        for n in 0..transfer.length {
            let from = of_unit(&transfer.source, transfer.read.at(n));
            let number = before[&from];
            prop_assert_eq!(number as u64, transfer.element + n);
            for unit in &transfer.destinations {
                let to = of_unit(unit, transfer.write.at(n));
                for level in (0..depth).filter(|level| from[..=*level] != to[..=*level]) {
                    entered[level].insert((number, to[..=level].to_vec()));
                }
                prop_assert!(after.insert(to, number).is_none(), "written twice");
                *moved.entry(transfer.distance.to_string()).or_insert(0) += 1;
            }
        }
    }
    for (index, number) in destination.layout().indexes().zip(0..) {
        for place in places(destination, &relayout, &index, slices) {
            prop_assert_eq!(after.remove(&place), Some(number));
        }
    }
    prop_assert!(after.is_empty());
    for (distance, count) in traffic.by_distance.iter().filter(|(d, _)| *d != Distance::InPlace) {
        prop_assert_eq!(moved.get(&distance.to_string()).copied().unwrap_or(0), *count);
    }
    for (level, entered) in traffic.levels.iter().rev().zip(entered) {
        prop_assert!(entered.len() as u64 >= level.into);
    }
    Ok(())
}

/// A machine that holds all of them.
fn machine(layouts: &[&Layout]) -> Machine {
    let mut machine = Machine::builder("test");
    for level in levels().into_iter().filter(|level| level.is_unit()) {
        let size = layouts.iter().map(|layout| layout.extent(level)).max().unwrap();
        machine = machine.level(level, size);
    }
    machine.build().unwrap()
}

fn on(layout: &Layout, machine: &Machine) -> Placement {
    Placement::of(layout.clone()).on(machine).build().unwrap()
}

/// The same shape, cut or padded at random: another layout of the tensor.
fn reshaped(slow: &Slow, shape: &[u64]) -> Option<Slow> {
    let axes: Vec<_> = slow.axes.iter().take(shape.len()).cloned().collect();
    let fits = axes.len() == shape.len()
        && axes
            .iter()
            .zip(shape)
            .all(|(axis, extent)| axis.iter().map(|digit| digit.0).product::<u64>() >= *extent);
    fits.then(|| Slow { shape: shape.to_vec(), axes, replicas: slow.replicas.clone() })
        .filter(Slow::is_injective)
}

/// The largest shape that both hold.
fn common(a: &Slow, b: &Slow) -> Option<(Slow, Slow)> {
    let slots = |slow: &Slow| -> Vec<u64> {
        slow.axes.iter().map(|axis| axis.iter().map(|digit| digit.0).product()).collect()
    };
    let shape: Vec<u64> = slots(a).into_iter().zip(slots(b)).map(|(a, b)| a.min(b)).collect();
    let both = |slow: &Slow| reshaped(slow, &shape);
    Some((both(a)?, both(b)?))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 800, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn traffic_is_what_enumeration_counts(a in good_layout(), b in good_layout()) {
        let Some((a, b)) = common(&a, &b) else { return Err(TestCaseError::reject("no shape")) };
        let (a, b) = (a.layout(), b.layout());
        let machine = machine(&[&a, &b]);
        check(&on(&a, &machine), &on(&b, &machine))?;
        check(&on(&b, &machine), &on(&a, &machine))?;
    }

    #[test]
    fn the_transfers_carried_out_give_the_destination(a in good_layout(), b in good_layout()) {
        let Some((a, b)) = common(&a, &b) else { return Err(TestCaseError::reject("no shape")) };
        let (a, b) = (a.layout(), b.layout());
        let machine = machine(&[&a, &b]);
        carry_out(&on(&a, &machine), &on(&b, &machine))?;
    }

    /// What is far from A and from C apart is far from B on one side at least.
    #[test]
    fn distances_obey_the_triangle_of_the_tree(
        a in good_layout(), b in good_layout(), c in good_layout()
    ) {
        let alone = |slow: &Slow| Slow { replicas: Vec::new(), ..slow.clone() };
        let [a, b, c] = [alone(&a), alone(&b), alone(&c)];
        let all = common(&a, &b).and_then(|(_, b)| common(&b, &c)).and_then(|(b, c)| {
            Some((reshaped(&a, &b.shape)?, b, c))
        });
        let Some((a, b, c)) = all else { return Err(TestCaseError::reject("no shape")) };
        // Without time every element is once on each side.
        prop_assume!([&a, &b, &c].iter().all(|slow| !slow.used().contains(&Level::TIME)));
        let layouts = [&a, &b, &c].map(|slow| {
            let units = levels().into_iter().filter(|level| level.is_unit());
            let builder = slow.layout().to_builder();
            units.fold(builder, LayoutBuilder::used).build().unwrap()
        });
        let machine = machine(&[&layouts[0], &layouts[1], &layouts[2]]);
        let placed = layouts.each_ref().map(|layout| on(layout, &machine));
        let traffic = |from: usize, to: usize| {
            Relayout::new(&placed[from], &placed[to]).unwrap().traffic().unwrap()
        };
        let (ab, bc, ac) = (traffic(0, 1), traffic(1, 2), traffic(0, 2));
        for depth in 0..ac.by_distance.len() {
            let far = |t: &tensor_layout::relayout::Traffic| t.by_distance[depth..].iter().map(|(_, n)| n).sum::<u64>();
            prop_assert!(far(&ac) <= far(&ab) + far(&bc));
        }
    }

    #[test]
    fn a_layout_to_itself_moves_nothing(a in good_layout()) {
        let placement = on(&a.layout(), &machine(&[&a.layout()]));
        let relayout = Relayout::new(&placement, &placement).unwrap();
        let traffic = relayout.traffic().unwrap();
        prop_assert_eq!(traffic.count(Distance::InPlace), traffic.elements * traffic.copies);
        prop_assert!(traffic.levels.iter().all(|level| level.into == 0));
        prop_assert!(relayout.account().unwrap().moves.iter().all(Move::stays));
    }
}

#[test]
fn digits_that_do_not_line_up_are_counted_too() {
    let machine: Machine = "L2B=4,MAB=12,PE=12".parse().unwrap();
    for (a, b) in [
        ("((3_MAB, 4:1))", "((2_MAB, 6:1))"),
        ("((3:4, 4_PE))", "((2_PE, 6:1))"),
        ("(11)/((3:4, 4_PE))", "(11)/((2_PE, 6:1))"),
        ("(35, 6)/((3_MAB, 4_PE, 3:6), (6:1))", "(35, 6)/((6_PE, 6:1), (2_L2B, 3_MAB))"),
        ("((5:7, 7_PE), (4_L2B))", "((7:5, 5_MAB:1), (4:1); B@[2_MAB:5])"),
        ("((9_PE, 4:1))", "((4_MAB, 9:1))"),
        ("((4_PE, 2_Time, 3:8), (8:1))", "((4_PE, 3:8, 2_Time), (8:1))"),
    ] {
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        let (a, b) = (on(a), on(b));
        check(&a, &b).unwrap();
        check(&b, &a).unwrap();
    }
}

#[test]
fn tiled_shapes_are_counted_too() {
    let machine: Machine = "PE=1".parse().unwrap();
    let shapes = [
        "f32[6,10]{1,0}",
        "f32[6,10]{0,1}",
        "f32[6,10]{1,0:T(2,4)}",
        "f32[6,10]{1,0:T(4,4)(2,1)}",
        "f32[6,10]{1,0:T(3,4)(2,1)}",
        "f32[6,10]{0,1:T(4,3)(2,2)}",
        "f32[6,10]{1,0:T(*,4)}",
    ];
    for a in shapes {
        for b in shapes {
            let [a, b] = [a, b].map(|text| {
                let layout = text.parse::<XlaShape>().unwrap().lower().unwrap();
                Placement::of(layout).on(&machine).build().unwrap()
            });
            check(&a, &b).unwrap();
        }
    }
}

/// Axes of extent 3 in two digits of 2 that are exchanged: only index 0 stays.
fn twenty_truncated_axes(
    extent: u64,
    size: u64,
) -> Result<tensor_layout::relayout::Traffic, LayoutError> {
    let stride = |n: u32| (size * size).pow(n);
    let axes = |a: u64, b: u64, count: u32| {
        let axis = |n: u32| format!("({size}:{}, {size}:{})", a * stride(n), b * stride(n));
        let axes: Vec<String> = (0..count).map(axis).collect();
        let shape = vec![extent.to_string(); axes.len()].join(",");
        format!("({shape})/({})", axes.join(", "))
    };
    let machine: Machine = "PE=1".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let count = if size == 2 { 20 } else { 2 };
    Relayout::new(&on(&axes(size, 1, count)), &on(&axes(1, size, count)))?.traffic()
}

#[test]
fn many_truncated_axes_are_counted_one_by_one() {
    let traffic = twenty_truncated_axes(3, 2).unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 1);
    assert_eq!(traffic.count(Distance::Address), 3_u64.pow(20) - 1);
    // Long axes are boxes: (a, b) goes to (b, a), and 5000 is the last of them.
    let traffic = twenty_truncated_axes(5000, 128).unwrap();
    let stay = (0..5000).filter(|x| x / 128 == x % 128).count() as u64;
    assert_eq!(traffic.count(Distance::InPlace), stay * stay);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let on = |text: &str, machine: &str, memory: Option<&str>| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine.parse().unwrap());
        memory.into_iter().fold(placement, PlacementBuilder::memory).build().unwrap()
    };
    let a = on("((4_PE, 3:1))", "PE=4", None);
    let refused = |b: &Placement| Relayout::new(&a, b).unwrap_err().to_string();
    assert_eq!(refused(&on("((12:1), ())", "PE=4", None)), "the shapes differ: [12] and [12, 1]");
    assert!(refused(&on("((12:1))", "PE=8", None)).starts_with("the machines differ"));
    assert_eq!(refused(&on("((12:1))", "PE=4", Some("LM0"))), "the memories differ: none and LM0");
    let nowhere = Placement::of("((12:1))".parse().unwrap()).build().unwrap();
    assert!(refused(&nowhere).starts_with("the machines differ"));
}

#[test]
fn prices_of_compiler_inputs_are_those_of_the_docs() {
    let machine = Machine::mn_core_2();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let gather = on("((), (8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))");
    let gemm = on("((), (8:3072, 8_L1B:1, 2_Time:1, 2:1536, 16:1), (96:16, 4_W:1, 4_PE:1))");
    let traffic = Relayout::new(&gather, &gemm).unwrap().traffic().unwrap();
    assert_eq!(traffic.elements * traffic.copies, 805_306_368);
    assert_eq!(traffic.count(Distance::InPlace), 32_768);
    assert_eq!(traffic.count(Distance::Level(Level::L2B)), 176_160_768);
    assert_eq!(traffic.count(Distance::Level(Level::TIME)), 603_979_776);
    let weight = "((16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4), (96:112, 4_W:1, 4_PE:1); B@[L1B,L2B])";
    let other = "((96:112, 4_W:1, 4_PE:1), (16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4); B@[L1B,L2B])";
    let transposed = weight.parse::<Layout>().unwrap().permute(&[1, 0]).unwrap();
    let transposed = Placement::of(transposed).on(&machine).build().unwrap();
    let relayout = Relayout::new(&transposed, &on(other)).unwrap();
    assert_eq!(relayout.traffic().unwrap().farthest(), Distance::InPlace);
}

#[cfg(feature = "cli")]
#[test]
fn relayout_answers_with_counts_moves_and_transfers() {
    use serde_json::json;

    use crate::cli::{json_of, refused, stdout};
    let pair = ["((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"];
    let relayout = |more: &[&'static str]| [&["relayout", pair[0], pair[1]], more].concat();
    let answer = json_of(&relayout(&["--machine", "PE=4", "--json"]));
    assert_eq!(answer["by_distance"], json!({ "in_place": 4, "address": 20, "PE": 72 }));
    assert_eq!((&answer["into"], &answer["elements"]), (&json!({ "PE": 72 }), &json!(96)));
    let from = json!({ "level": "PE", "stride": 1 });
    assert_eq!(answer["moves"][0]["from"], from);
    let page = stdout(&relayout(&["--machine", "PE=4"]));
    assert!(page.starts_with("elements move between PEs\n"));
    assert!(page.contains("axis 0, 4 at 3: PE -> Addr x 6"), "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
    assert!(refused(&relayout(&[])).contains("--machine"));
    let moves =
        stdout(&["relayout", "((1_PE, 4:1))", "((4:1))", "--machine", "PE=4", "--transfers"]);
    assert_eq!(moves, "PE: 4 x PE=0 [0..3 by 1] -> PE=1; PE=2; PE=3 [0..3 by 1]\n");
    // A long word has four halves, of which the layouts use three.
    let halves = ["((3_W, 5:1))", "((3_W, 5:2))", "--machine", "PE=1", "--dtype", "Half"];
    let moves = stdout(&[&["relayout"], &halves[..], &["--transfers"]].concat());
    assert!(moves.starts_with("address: 4 x PE=0 [4..16 by 4] -> PE=0 [8..32 by 8]"), "{moves}");
    let copies = ["relayout", "()", "(; B@[1000000000_Time:1])", "--machine", "PE=4"];
    assert!(refused(&[&copies[..], &["--transfers"]].concat()).contains("4000000000 copies"));
}
