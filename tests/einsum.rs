//! Operations between tensors, checked by enumerating every product.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::algebra::{Axis, Subaxis};
use tensor_layout::einsum::{
    Einsum, Gather, Sums, at_rest, broadcast, concatenate, pad, reduce, transpose,
    with_dense_addresses,
};
use tensor_layout::error::ErrorKind;
use tensor_layout::{Layout, Level, Machine};

use crate::plain::{Digit, Place, Plain, count, good_layout};
use crate::run::properties;

/// (level, size, stride) of the digits that a part of a sum runs over.
type Spans = Vec<(Level, u64, u64)>;

/// A sum over some axes in addition to those of a result.
#[derive(Clone, Debug)]
struct Sum {
    result: Plain,
    contracted: Vec<(u64, Vec<Digit>)>,
    /// For each operand, the axes that it has.
    operands: Vec<Vec<usize>>,
}

const LABELS: [char; 6] = ['a', 'b', 'c', 'd', 'k', 'l'];

impl Sum {
    fn label(&self, axis: usize) -> char {
        let rank = self.result.shape.len();
        if axis < rank { LABELS[axis] } else { LABELS[4 + axis - rank] }
    }

    fn einsum(&self) -> Einsum {
        let text = |axes: &Vec<usize>| axes.iter().map(|a| self.label(*a)).collect::<String>();
        let operands: Vec<String> = self.operands.iter().map(text).collect();
        let result = text(&(0..self.result.shape.len()).collect());
        format!("{} -> {result}", operands.join(" , ")).parse().unwrap()
    }

    fn runs(&self) -> Vec<(char, Axis)> {
        let rank = self.result.shape.len();
        let axis = |(at, (extent, digits)): (usize, &(u64, Vec<Digit>))| {
            let subaxes = digits.iter().map(|d| Subaxis::land(d.0, d.1, d.2)).collect();
            (self.label(rank + at), Axis { extent: *extent, subaxes })
        };
        self.contracted.iter().enumerate().map(axis).collect()
    }

    /// True if no axis has padding, and there are products.
    fn is_full(&self) -> bool {
        let axes = self.result.shape.iter().copied().zip(self.result.axes.iter().cloned());
        axes.chain(self.contracted.iter().cloned()).all(|(extent, digits)| {
            extent > 0 && extent == digits.iter().map(|digit| digit.0).product::<u64>()
        })
    }

    /// True if copies can cover the values of the axes that an operand lacks; an axis that is not full allows
    /// this only if its values are evenly spaced in one level. False if there are no products.
    fn copies_are_boxes(&self, own: &[usize]) -> bool {
        let axes = self.result.shape.iter().copied().zip(self.result.axes.iter().cloned());
        let axes: Vec<_> = axes.chain(self.contracted.iter().cloned()).collect();
        let is_box = |(extent, digits): &(u64, Vec<Digit>)| {
            let slots = digits.iter().map(|digit| digit.0).product::<u64>();
            slots == *extent || is_progression(*extent, digits)
        };
        let lacking = axes.iter().enumerate().filter(|(axis, _)| !own.contains(axis));
        let mut lacking = lacking.map(|(_, axis)| axis);
        axes.iter().all(|(extent, _)| *extent > 0) && lacking.all(is_box)
    }

    /// The index of every product: that of the result, then those of the sums.
    fn products(&self) -> Vec<Vec<u64>> {
        let sums = self.contracted.iter().map(|(extent, _)| *extent);
        count(&self.result.shape.iter().copied().chain(sums).collect::<Vec<_>>())
    }

    /// The digits of the sums outside the address, as (level, digit, stride).
    fn steps(&self, product: &[u64]) -> Vec<(Level, u64, u64)> {
        let rank = self.result.shape.len();
        let mut steps = Vec::new();
        for ((_, digits), value) in self.contracted.iter().zip(&product[rank..]) {
            let mut rest = *value;
            for (size, level, stride) in digits.iter().rev() {
                steps.push((*level, rest % size, *stride));
                rest /= size;
            }
        }
        steps.retain(|(level, ..)| *level != Level::ADDR);
        steps
    }

    /// The places that compute a product: every copy of the result, moved by the digits of the sums.
    fn places(&self, product: &[u64]) -> Vec<Place> {
        let rank = self.result.shape.len();
        let mut places = self.result.places(&product[..rank]);
        for place in &mut places {
            for (level, digit, stride) in self.steps(product) {
                *place.entry(level).or_default() += digit * stride;
            }
            place.remove(&Level::ADDR);
        }
        places
    }
}

/// True if the values of an axis are in one unit, or evenly spaced in one level.
fn is_progression(extent: u64, digits: &[Digit]) -> bool {
    let place = |value: u64| {
        let (mut rest, mut place) = (value, Place::new());
        for (size, level, stride) in digits.iter().rev() {
            if *level != Level::ADDR {
                *place.entry(*level).or_default() += rest % size * stride;
            }
            rest /= size;
        }
        place
    };
    let places: BTreeSet<Place> = (0..extent).map(place).collect();
    let moves = |level: &Level| places.iter().any(|place| place[level] > 0);
    let levels: BTreeSet<Level> = places.iter().flat_map(|place| place.keys().copied()).collect();
    let moving: Vec<Level> = levels.into_iter().filter(moves).collect();
    let [level] = moving[..] else { return moving.is_empty() };
    let at: Vec<u64> = places.iter().map(|place| place[&level]).collect();
    at.windows(2).all(|pair| pair[1] - pair[0] == at[1] - at[0])
}

/// A digit split into two that together step as it does.
fn cut_in_two((size, level, stride): Digit, minor: u64) -> Vec<Digit> {
    vec![(size, level, stride * minor), (minor, level, stride)]
}

fn sums() -> impl Strategy<Value = Sum> {
    let levels = vec![Level::ADDR, Level::PE, Level::MAB, Level::L2B, Level::W, Level::TIME];
    let digit = (select(vec![1_u64, 2, 3, 4]), select(levels), select(vec![1_u64, 2, 3, 4, 6, 16]));
    let digits = prop::collection::vec(digit.clone(), 0..3);
    let cut = (digit, 2_u64..4).prop_map(|(digit, minor)| cut_in_two(digit, minor));
    let sum = (prop_oneof![3 => digits, 1 => cut], any::<u32>());
    let masks = (prop::collection::vec(any::<u8>(), 1..=3), any::<u8>());
    (good_layout(), prop::collection::vec(sum, 0..=2), masks)
        .prop_map(|(result, contracted, (masks, last))| {
            let axis = |(digits, cut): (Vec<Digit>, u32)| {
                let slots: u64 = digits.iter().map(|digit| digit.0).product();
                (slots - u64::from(cut % 3).min(slots - 1), digits)
            };
            let contracted: Vec<_> = contracted.into_iter().map(axis).collect();
            let all = result.shape.len() + contracted.len();
            let mut operands: Vec<Vec<usize>> = masks
                .iter()
                .map(|mask| (0..all).filter(|axis| mask >> axis & 1 == 1).collect())
                .collect();
            // The last operand has the axes that no other operand has, in another order.
            let missing = (0..all).rev().filter(|axis| !operands.iter().any(|o| o.contains(axis)));
            let missing = missing.collect::<Vec<_>>();
            operands.push(missing);
            let turn = usize::from(last) % operands.len();
            operands.rotate_left(turn);
            Sum { result, contracted, operands }
        })
        .prop_filter("many products", |sum| sum.products().len() <= 2000)
}

/// A place without coordinates that are 0.
fn moved(mut place: Place) -> Place {
    place.retain(|level, at| *level != Level::ADDR && *at > 0);
    place
}

/// An operand that has fewer places than needed, more, or exactly those.
fn changed(operand: &Layout, how: u8) -> Layout {
    let level = [Level::PE, Level::MAB, Level::L2B, Level::W][usize::from(how / 8 % 4)];
    let copies = operand.replicas().iter().filter(|copy| how & 1 == 0 || copy.level != level);
    let mut changed = operand.axes().iter().cloned().fold(Layout::builder(), |b, mut axis| {
        for digit in &mut axis.subaxes {
            if how & 2 > 0 && digit.lands() == Some(level) {
                *digit = Subaxis::land(digit.size, Level::ADDR, 0);
            }
        }
        b.with_axis(axis)
    });
    for level in operand.used_levels().iter().filter(|of| how & 4 == 0 || **of != level) {
        changed = changed.used(*level).offset(*level, operand.offset(*level));
    }
    copies.fold(changed, |b, copy| b.replica(copy.size, copy.level, copy.stride)).build().unwrap()
}

/// The places of an element without its addresses.
fn outside(layout: &Layout, index: &[u64]) -> BTreeSet<Place> {
    let place = |place: tensor_layout::Location| -> Place {
        place.iter().filter(|(level, _)| *level != Level::ADDR).collect()
    };
    layout.locate_all(index).unwrap().map(place).collect()
}

properties! {
    #[test]
    fn every_product_finds_its_operands(sum in sums()) {
        let rank = sum.result.shape.len();
        let einsum = sum.einsum();
        prop_assert_eq!(&einsum.to_string().parse::<Einsum>().unwrap(), &einsum);
        // Contracted labels are in the order of the text.
        let local = match einsum.local(&sum.result.layout(), &sum.runs()) {
            Ok(local) => local,
            Err(error) if error.kind() == ErrorKind::Collision => {
                // Two products of different sums, or parts of one sum, really share a place.
                let mut seen: BTreeMap<Place, BTreeSet<(Vec<u64>, Spans)>> = BTreeMap::new();
                let mut meet = false;
                for product in sum.products() {
                    let steps = sum.steps(&product);
                    for mut place in sum.result.places(&product[..rank]) {
                        for (level, digit, stride) in &steps {
                            *place.entry(*level).or_default() += digit * stride;
                        }
                        let parts = seen.entry(place).or_default();
                        parts.insert((product[..rank].to_vec(), steps.clone()));
                        meet |= parts.len() > 1;
                    }
                }
                // Or copies of an operand do, because of the padding of an axis that is not full.
                prop_assert!(meet || !sum.is_full());
                return Ok(());
            }
            Err(error) => panic!("{error}"),
        };
        for (axes, operand) in sum.operands.iter().zip(local.operands()) {
            prop_assert_eq!(operand.collision().unwrap(), None);
            let mut needed: BTreeSet<(Vec<u64>, Place)> = BTreeSet::new();
            let mut places: BTreeMap<Vec<u64>, BTreeSet<Place>> = BTreeMap::new();
            for product in sum.products() {
                let index: Vec<u64> = axes.iter().map(|axis| product[*axis]).collect();
                let held = places.entry(index.clone()).or_insert_with(|| outside(operand, &index));
                for mut place in sum.places(&product) {
                    place.retain(|level, _| operand.used_levels().contains(level));
                    prop_assert!(held.contains(&place), "{operand:?} {index:?} not in {place:?}");
                    needed.insert((index.clone(), place));
                }
            }
            if sum.copies_are_boxes(axes) {
                let held: usize = operand.indexes().map(|index| outside(operand, &index).len()).sum();
                prop_assert_eq!(held, needed.len(), "a copy that nothing needs");
            }
        }
        let moving = |level: Level| {
            let digits = |p: &Vec<u64>| -> BTreeSet<(Level, u64)> {
                sum.steps(p).into_iter().map(|(level, digit, _)| (level, digit)).filter(|(l, d)| *l == level && *d > 0).collect()
            };
            level != Level::TIME && sum.products().iter().any(|p| !digits(p).is_empty())
        };
        let expected: Vec<Level> = Level::KNOWN.into_iter().filter(|level| moving(*level)).collect();
        if !sum.products().is_empty() {
            prop_assert_eq!(local.partial_levels(), expected);
        }
    }

    #[test]
    fn reducing_takes_what_enumeration_says(sum in sums()) {
        let rank = sum.result.shape.len();
        let path = [Level::L2B, Level::MAB, Level::PE];
        let Ok(local) = sum.einsum().local(&sum.result.layout(), &sum.runs()) else {
            return Err(TestCaseError::reject("collides"));
        };
        let sizes = path.map(|level| {
            local.operands().iter().map(|operand| operand.extent(level)).max().unwrap_or(1).max(2)
        });
        let machine = path.into_iter().zip(sizes);
        let machine = machine.fold(Machine::builder("m"), |m, (level, size)| m.level(level, size));
        let core = Level::new("Core").unwrap();
        let machine = machine.level(core, 1000).build().unwrap();
        let one = local.traffic(&machine, Sums::Scattered).unwrap();
        let (all, replicated) = (local.traffic(&machine, Sums::Replicated), local.summed(Sums::Replicated));
        let (Ok(all), Ok(replicated)) = (all.clone(), replicated.clone()) else {
            prop_assert_eq!(all.err(), replicated.err());
            return Err(TestCaseError::reject("copies overlap"));
        };
        for (depth, level) in path.iter().enumerate() {
            let levels = &path[..=depth];
            let used = |level: &Level| {
                sum.result.layout().used_levels().contains(level)
                    || sum.contracted.iter().flat_map(|(_, digits)| digits).any(|d| d.1 == *level)
            };
            // Levels that nothing mentions hold everything on every unit.
            let absent: u64 = levels.iter().zip(sizes).filter(|(l, _)| !used(l)).map(|(_, s)| s).product();
            let mut units: BTreeMap<Vec<u64>, BTreeSet<Vec<u64>>> = BTreeMap::new();
            let mut parts: BTreeMap<Vec<u64>, BTreeSet<Spans>> = BTreeMap::new();
            for product in sum.products() {
                let mut steps = sum.steps(&product);
                steps.retain(|(level, ..)| levels.contains(level));
                parts.entry(product[..rank].to_vec()).or_default().insert(steps);
                for place in sum.places(&product) {
                    let unit = levels.iter().map(|l| place.get(l).copied().unwrap_or(0)).collect();
                    units.entry(product[..rank].to_vec()).or_default().insert(unit);
                }
            }
            let (mut into_all, mut into_one, mut out_all, mut out_one) = (0, 0, 0, 0);
            for (element, parts) in &parts {
                let (parts, units) = (parts.len() as u64, units[element].len() as u64 * absent);
                let places = outside(&replicated, element).into_iter();
                let with_sum: BTreeSet<Place> =
                    places.map(|place| place.into_iter().filter(|(l, _)| levels.contains(l)).collect()).collect();
                if parts > 1 {
                    into_all += with_sum.len() as u64 * absent;
                    into_one += units / parts;
                    out_all += parts;
                    out_one += parts - 1;
                }
            }
            if sum.products().is_empty() { continue }
            let found = |levels: &[tensor_layout::relayout::LevelTraffic]| {
                let of = levels.iter().find(|of| of.level == *level).unwrap();
                (of.into, of.out_of.unwrap())
            };
            prop_assert_eq!(found(&all), (into_all, out_all), "replicated, {}", level);
            prop_assert_eq!(found(&one), (into_one, out_one), "scattered, {}", level);
        }
    }

    #[test]
    fn sums_end_in_units_that_held_a_part(sum in sums()) {
        let rank = sum.result.shape.len();
        let Ok(local) = sum.einsum().local(&sum.result.layout(), &sum.runs()) else {
            return Err(TestCaseError::reject("collides"));
        };
        // Sums over time are added up in place.
        let place = |product: &[u64], mut place: Place| {
            for (level, digit, stride) in sum.steps(product) {
                *place.entry(level).or_default() += if level == Level::TIME { 0 } else { digit * stride };
            }
            moved(place)
        };
        let mut parts: BTreeMap<Vec<u64>, BTreeSet<Place>> = BTreeMap::new();
        let mut copies: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        for product in sum.products() {
            let index = product[..rank].to_vec();
            let places = sum.result.places(&index);
            let firsts: BTreeSet<Place> = places.iter().cloned().map(moved).collect();
            copies.insert(index.clone(), firsts.len());
            parts.entry(index).or_default().extend(places.into_iter().map(|at| place(&product, at)));
        }
        let scattered = local.summed(Sums::Scattered).unwrap();
        prop_assert_eq!(scattered.collision().unwrap(), None);
        let replicated = local.summed(Sums::Replicated);
        prop_assert!(replicated.is_ok() || !sum.is_full() || parts.is_empty());
        for (index, parts) in parts {
            let found: BTreeSet<Place> = outside(&scattered, &index).into_iter().map(moved).collect();
            prop_assert_eq!(found.len(), copies[&index]);
            prop_assert!(found.is_subset(&parts), "{:?}: {:?} not in {:?}", scattered, found, parts);
            if let Ok(replicated) = &replicated {
                let found: BTreeSet<Place> = outside(replicated, &index).into_iter().map(moved).collect();
                prop_assert!(parts.is_subset(&found), "{:?}: {:?} not in {:?}", replicated, parts, found);
            }
        }
    }

    #[test]
    fn loops_in_one_layout_are_a_result_and_its_sums(sum in sums()) {
        let einsum = sum.einsum();
        let mut loops = sum.result.layout().to_builder();
        for label in einsum.contracted() {
            let (_, axis) = sum.runs().into_iter().find(|(of, _)| *of == label).unwrap();
            loops = loops.with_axis(axis);
        }
        let all = einsum.local_in(&loops.build().unwrap());
        // Row-major addresses are distinct where others may not be, so `local_in` may answer alone.
        if let Ok(local) = einsum.local(&sum.result.layout(), &sum.runs()) {
            let all = all.unwrap();
            prop_assert_eq!(all.operands(), local.operands());
            prop_assert_eq!(all.partial_levels(), local.partial_levels());
            for index in all.result().indexes() {
                prop_assert_eq!(outside(all.result(), &index), outside(local.result(), &index));
            }
        }
    }

    #[test]
    fn operands_serve_where_every_product_finds_them(sum in sums(), changes in any::<[u8; 4]>()) {
        prop_assume!(sum.products().len() <= 300);
        let Ok(local) = sum.einsum().local(&sum.result.layout(), &sum.runs()) else {
            return Err(TestCaseError::reject("collides"));
        };
        let path = [Level::L2B, Level::MAB, Level::PE];
        let of = |level| local.operands().iter().map(move |operand| operand.extent(level)).max();
        let sizes = path.map(|level| of(level).unwrap_or(1).max(2));
        let machine = path.into_iter().zip(sizes);
        let machine = machine.fold(Machine::builder("m"), |m, (level, size)| m.level(level, size));
        let machine = machine.build().unwrap();
        prop_assert!(sum.products().is_empty() || local.accepts(local.operands(), &machine).unwrap());
        let given: Vec<Layout> =
            local.operands().iter().zip(changes.iter().cycle()).map(|(o, how)| changed(o, *how)).collect();
        let mut serves = true;
        let used = |level: Level| {
            sum.result.layout().uses(level) || sum.contracted.iter().flat_map(|(_, digits)| digits).any(|d| d.1 == level)
        };
        for product in sum.products() {
            // A level that nothing uses computes the product on all of its units.
            let mut places = sum.places(&product);
            for (level, size) in path.into_iter().zip(sizes).filter(|(level, _)| !used(*level)) {
                let on = |at: u64| places.iter().cloned().map(move |mut p| { p.insert(level, at); p });
                places = (0..size).flat_map(on).collect();
            }
            for (axes, operand) in sum.operands.iter().zip(&given) {
                let index: Vec<u64> = axes.iter().map(|axis| product[*axis]).collect();
                let held = outside(operand, &index);
                let known = |level: Level| used(level) || path.contains(&level);
                let levels: Vec<Level> =
                    operand.used_levels().iter().copied().filter(|l| *l != Level::ADDR).collect();
                serves &= levels.iter().all(|level| known(*level));
                for place in &places {
                    let cut: Place = levels.iter().map(|l| (*l, place.get(l).copied().unwrap_or(0))).collect();
                    serves &= held.iter().any(|held| levels.iter().all(|l| held.get(l).copied().unwrap_or(0) == cut[l]));
                }
            }
        }
        prop_assert_eq!(local.accepts(&given, &machine).unwrap(), serves, "{:?}", given);
    }

    #[test]
    fn a_tensor_at_rest_is_where_its_slices_were(slow in good_layout()) {
        let layout = slow.layout();
        let rest = at_rest(&layout).unwrap();
        prop_assert_eq!(rest.collision().unwrap(), None);
        for index in layout.indexes() {
            let units = |place: Place| -> Place {
                place.into_iter().filter(|(level, _)| *level != Level::TIME).collect()
            };
            let wanted: BTreeSet<Place> = outside(&layout, &index).into_iter().map(units).collect();
            prop_assert_eq!(outside(&rest, &index), wanted);
        }
    }

    #[test]
    fn dense_addresses_change_no_unit_and_no_slice(slow in good_layout()) {
        let layout = slow.layout();
        let dense = with_dense_addresses(&layout).unwrap();
        prop_assert_eq!(dense.collision().unwrap(), None);
        for index in layout.indexes() {
            prop_assert_eq!(outside(&dense, &index), outside(&layout, &index));
        }
        prop_assert!(dense.extent(Level::ADDR) <= dense.slots().max(1));
    }

    #[test]
    fn edits_of_the_index_leave_elements_where_they_are(slow in good_layout(), cut in 0_u64..8) {
        let result = slow.layout();
        let rank = result.rank();
        let order: Vec<usize> = (0..rank).rev().collect();
        let turned = transpose(&result, &order).unwrap();
        let flat = result.reshape(&[result.elements()]).unwrap();
        let shape = result.shape();
        for (number, index) in result.indexes().enumerate() {
            let place = result.locate(&index).unwrap();
            let back: Vec<u64> = order.iter().map(|axis| index[*axis]).collect();
            prop_assert_eq!(turned.locate(&back).unwrap(), place.clone());
            prop_assert_eq!(flat.locate(&[number as u64]).unwrap(), place);
        }
        for axis in 0..rank {
            let low = cut.min(shape[axis]);
            let mut bounds = vec![0; rank];
            bounds[axis] = low;
            let mut inner = shape.clone();
            inner[axis] -= low;
            let padded = pad(&result, &bounds, &inner).unwrap();
            let parts = concatenate(&result, axis, &[low, inner[axis]]).unwrap();
            let stepped = result.slice(axis, low, shape[axis], 2).unwrap();
            for mut index in padded.indexes() {
                let at = [&padded, &parts[1]].map(|part| part.locate(&index).unwrap());
                let half = stepped.locate(&index);
                let old = index[axis];
                index[axis] = low + old;
                prop_assert_eq!(&at, &[result.locate(&index).unwrap(), result.locate(&index).unwrap()]);
                index[axis] = low + 2 * old;
                if index[axis] < shape[axis] {
                    prop_assert_eq!(half.unwrap(), result.locate(&index).unwrap());
                }
            }
            for index in parts[0].indexes() {
                prop_assert_eq!(parts[0].locate(&index).unwrap(), result.locate(&index).unwrap());
            }
        }
    }

    #[test]
    fn a_broadcast_finds_its_operand(slow in good_layout(), mask in any::<u8>()) {
        let result = slow.layout();
        let new: Vec<usize> = (0..result.rank()).filter(|axis| mask >> axis & 1 == 1).collect();
        let full = |(extent, axis): (&u64, &Vec<Digit>)| {
            *extent > 0 && *extent == axis.iter().map(|digit| digit.0).product::<u64>()
        };
        let operand = match broadcast(&result, &new) {
            Ok(operand) => operand,
            Err(error) => {
                let overlap = error.kind() == ErrorKind::Collision;
                prop_assert!(overlap && !slow.shape.iter().zip(&slow.axes).all(full), "{}", error);
                return Ok(());
            }
        };
        for index in result.indexes() {
            let own: Vec<u64> = (0..result.rank()).filter(|a| !new.contains(a)).map(|a| index[a]).collect();
            prop_assert!(outside(&operand, &own).is_superset(&outside(&result, &index)));
        }
    }
}

#[test]
fn a_reduction_is_an_einsum() {
    let result: Layout = "((4_L2B:1), (2_MAB:1, 3:1))".parse().unwrap();
    let k = Axis {
        extent: 7,
        subaxes: vec![Subaxis::land(4, Level::PE, 1), Subaxis::land(2, Level::ADDR, 1)],
    };
    let reduced = reduce(&result, 1, k.clone()).unwrap();
    let sum = "akb->ab".parse::<Einsum>().unwrap().local(&result, &[('k', k)]).unwrap();
    assert_eq!(reduced.operands(), sum.operands());
    assert_eq!(reduced.operands()[0].shape(), [4, 7, 6]);
}

#[test]
fn wrong_sums_are_refused_with_a_caret() {
    let refused = |text: &str| text.parse::<Einsum>().unwrap_err().to_string();
    assert_eq!(
        refused("ij,jk"),
        "\
expected `,`, `->` or a label
 --> 1:6
  | ij,jk
  |      ^
  = help: write the result too, as in `ij,jk->ik`"
    );
    assert_eq!(
        refused("iji->j"),
        "\
label `i` appears twice in one tensor
 --> 1:3
  | iji->j
  | - ^
  = help: diagonals are not supported: give each axis a label of its own"
    );
    assert!(refused("b...k->bk").starts_with("an ellipsis cannot be read here\n --> 1:2"));
    assert!(refused("i1->i").starts_with("expected `,`, `->` or a label\n --> 1:2"));
    assert!(refused("i->i,i").starts_with("expected a label or the end\n --> 1:5"));
    let scalar = "i,i->".parse::<Einsum>().unwrap();
    assert_eq!((scalar.result(), scalar.contracted()), (&[][..], vec!['i']));
}

#[test]
fn wrong_questions_are_refused() {
    let matmul = "ik,kj->ij".parse::<Einsum>().unwrap();
    let result: Layout = "((4_PE:1), (2:1))".parse().unwrap();
    let run = |size, level| Axis { extent: size, subaxes: vec![Subaxis::land(size, level, 1)] };
    let refused = |runs: &[(char, Axis)]| matmul.local(&result, runs).unwrap_err().to_string();
    assert_eq!(refused(&[]), "`k` is summed over; give its layout");
    let twice = [('k', run(2, Level::ADDR)), ('k', run(2, Level::ADDR))];
    assert_eq!(refused(&twice), "`k` is specified twice");
    let stray = [('i', run(2, Level::ADDR))];
    assert_eq!(refused(&stray), "`i` is not summed over");
    let meets = refused(&[('k', run(2, Level::PE))]);
    assert!(meets.starts_with("elements (0, 0, 1) and (1, 0, 0) are both stored at"), "{meets}");
    let flat: Layout = "(8:1)".parse().unwrap();
    let rank = matmul.local(&flat, &[]).unwrap_err().to_string();
    assert_eq!(rank, "the result of the einsum has 2 axes, but its layout has 1");
    for error in [
        broadcast(&result, &[2]).unwrap_err(),
        reduce(&result, 3, run(2, Level::ADDR)).unwrap_err(),
        pad(&result, &[1, 0], &[4, 2]).unwrap_err(),
        pad(&result, &[1], &[4]).unwrap_err(),
        concatenate(&result, 2, &[]).unwrap_err(),
        concatenate(&result, 0, &[1, u64::MAX]).unwrap_err(),
        Gather::local(&result, 2, 4).unwrap_err(),
    ] {
        let kinds = [ErrorKind::Argument, ErrorKind::Missing, ErrorKind::Shape];
        assert!(kinds.contains(&error.kind()), "{error}");
    }
    assert!(transpose(&result, &[0, 0]).is_err());
}
