//! Law 8: inverses invert, or one of the stated reasons rules them out.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::error::ErrorKind;
use tensor_layout::{LayoutError, Level, Location, Placement};

use crate::generate::{any_layout, good_layout};
use crate::laws::law_04_collision;
use crate::laws::law_09_complement::{coordinates, nested};
use crate::pairs::weights;
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};

laws! {
    the_left_inverse_gives_every_index_back: 700, 50 %, good_layout(), left;
    the_right_inverse_gives_a_place_of_the_image_back: 700, 50 %, any_layout(), right;
    only_layouts_that_are_not_injective_are_refused_as_such: 300, 20 %, any_layout(), left;
    linear_inverses_undo_and_are_undone: 700, 30 %, any_linear(), linear;
}

/// A place as an index: one entry per used level.
fn as_index(slow: &Slow, place: &Location) -> Vec<u64> {
    slow.used().into_iter().map(|level| place.get(level).unwrap()).collect()
}

fn shape_of(slow: &Slow, place: &Location) -> Vec<u64> {
    (0..slow.rank()).map(|axis| place.get(Level::axis(axis)).unwrap()).collect()
}

fn left(f: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let left = match tally.count(f.layout().left_inverse()) {
        Ok(left) => left,
        Err(error) => return judge(f, &error),
    };
    prop_assert!(f.is_injective());
    prop_assert_eq!(left.rank(), f.used().len());
    let order = IndexOrder::Colexicographic;
    let linear = left.as_function(order).linearised(&f.shape()).unwrap();
    let colex = weights(&f.shape(), order);
    // The inverse of a scalar does not land in an axis, so it is not recognised as an index map.
    let placed = Placement::of(left.clone());
    let placed = if f.rank() == 0 { placed.shared_places() } else { placed };
    let placed = placed.build().unwrap();
    let identity = left.compose(&f.layout().places_as_indexes());
    let copied = f.replicas.iter().any(|(size, _, stride)| *size > 1 && *stride > 0);
    prop_assert_eq!(matches!(&identity, Err(error) if error.kind() == ErrorKind::Argument), copied);
    prop_assert_eq!(identity.is_err(), copied, "{:?}", identity);
    for index in f.indexes() {
        for place in f.places(&index) {
            let back = Slow::of(&left).places(&as_index(f, &place)).remove(0);
            prop_assert_eq!(shape_of(f, &back), index.clone(), "from {}", place);
        }
        // Used directly in a placement, and composed after the layout itself.
        let place = as_index(f, &f.places(&index)[0]);
        prop_assert_eq!(shape_of(f, &placed.locate(&place).unwrap()), index.clone());
        if let Ok(identity) = &identity {
            prop_assert_eq!(shape_of(f, &identity.locate(&index).unwrap()), index.clone());
        }
        let number: u64 = colex.iter().zip(&index).map(|(weight, entry)| weight * entry).sum();
        prop_assert_eq!(linear.locate(&place).unwrap().get(Level::ADDR), Some(number));
    }
    Ok(())
}

fn right(f: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let right = match tally.count(f.layout().right_inverse()) {
        Ok(right) => Slow::of(&right),
        Err(error) => return judge(f, &error),
    };
    for index in f.indexes() {
        let place = f.places(&index).remove(0);
        let back = shape_of(f, &right.places(&as_index(f, &place))[0]);
        let inside = back.iter().zip(f.shape()).all(|(entry, extent)| *entry < extent);
        prop_assert!(inside, "{:?} for {}", back, place);
        prop_assert_eq!(&f.places(&back)[0], &place);
    }
    Ok(())
}

/// A layout in `Addr` alone.
fn any_linear() -> impl Strategy<Value = Slow> {
    let in_addresses = |mut slow: Slow| {
        let derived = slow.derived.iter_mut().map(|(_, axis)| axis);
        for digit in slow.axes.iter_mut().chain(derived).flat_map(|axis| &mut axis.digits) {
            if let To::Land(_, stride) = digit.to {
                digit.to = To::Land(Level::ADDR, stride);
            }
        }
        slow.replicas.iter_mut().for_each(|(_, level, _)| *level = Level::ADDR);
        slow.offsets.retain(|level, _| *level == Level::ADDR);
        slow.spans.retain(|level, _| *level == Level::ADDR);
        slow.marked.clear();
        slow
    };
    any_layout().prop_map(in_addresses)
}

/// Properties of the inverses by the linear index, at every address that they have.
fn linear(f: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = f.layout();
    for order in [IndexOrder::RowMajor, IndexOrder::Colexicographic] {
        let weights = weights(&f.shape(), order);
        let number =
            |index: &Vec<u64>| -> u64 { weights.iter().zip(index).map(|(w, i)| w * i).sum() };
        let numbered: BTreeMap<u64, Vec<u64>> =
            f.indexes().iter().map(|i| (number(i), i.clone())).collect();
        let address = |place: &Location| place.get(Level::ADDR).unwrap();
        match tally.count(layout.as_function(order).contiguous_inverse()) {
            Err(error) => refused(f, &error)?,
            Ok(inverse) => {
                let inverse = Slow::of(&inverse);
                for at in inverse.indexes() {
                    let index = numbered.get(&address(&inverse.places(&at)[0]));
                    let index = index.ok_or(TestCaseError::fail("not an index"))?;
                    prop_assert_eq!(address(&f.places(index)[0]), at[0]);
                }
            }
        }
        match tally.count(layout.as_function(order).linear_left_inverse()) {
            Err(error) => refused(f, &error)?,
            Ok(inverse) => {
                let inverse = Slow::of(&inverse);
                let mut held: BTreeMap<u64, u64> = BTreeMap::new();
                for (number, index) in &numbered {
                    held.extend(f.places(index).iter().map(|place| (address(place), *number)));
                }
                let reach = held.keys().max().map_or(0, |last| last + 1);
                prop_assert!(inverse.elements() >= reach);
                let all = inverse.elements() < 4000;
                let addresses = if all {
                    (0..inverse.elements()).collect()
                } else {
                    held.keys().copied().collect::<Vec<_>>()
                };
                for at in addresses.into_iter().map(|address| [address]) {
                    let back = address(&inverse.places(&at)[0]);
                    let right =
                        held.get(&at[0]).map_or(back >= f.elements(), |number| back == *number);
                    prop_assert!(right, "{} at {}", back, at[0]);
                }
            }
        }
    }
    Ok(())
}

/// The reason why a layout in `Addr` alone does not have an inverse by its linear index.
fn refused(f: &Slow, error: &LayoutError) -> Result<(), TestCaseError> {
    let reason = error.to_string();
    match (error.kind(), error.number("offset")) {
        (ErrorKind::CannotInvert, Some(offset)) => {
            let least = f.indexes().iter().map(|i| f.places(i)[0].get(Level::ADDR).unwrap()).min();
            prop_assert_eq!(least, Some(offset));
        }
        (ErrorKind::CannotInvert, None) => {
            let ends = ["axes are fused or padded inside", "which the smaller strides fill"];
            prop_assert!(ends.iter().any(|end| reason.ends_with(end)), "{}", error);
        }
        (ErrorKind::NotDecided, _) => {}
        _ => prop_assert!(!f.is_injective(), "{}", error),
    }
    Ok(())
}

/// True if every step is a multiple of the range that the smaller ones fill.
fn divides(terms: &[(u64, u64)]) -> bool {
    let mut terms = terms.to_vec();
    terms.retain(|(size, step)| *size > 1 && *step > 0);
    terms.sort_unstable_by_key(|(_, step)| *step);
    terms.windows(2).all(|pair| {
        let [(size, step), (_, next)] = [pair[0], pair[1]];
        next % step == 0 && next / step >= size
    })
}

fn judge(f: &Slow, error: &LayoutError) -> Result<(), TestCaseError> {
    if error.kind() != ErrorKind::CannotInvert {
        prop_assert!(!f.is_injective());
        return law_04_collision::judge(f, error);
    }
    // Inverses are derived from the layout without padding.
    let alone = f.layout().without_padding().unwrap_or_else(|_| f.layout().simplified());
    let simple = Slow::of(&alone);
    let mut levels: BTreeMap<Level, Vec<(u64, u64)>> = BTreeMap::new();
    let mut derived: BTreeMap<usize, Vec<(u64, u64)>> = BTreeMap::new();
    let digits = simple.axes.iter().chain(simple.derived.iter().map(|(_, axis)| axis));
    let reached: Vec<Vec<u64>> = f.indexes().iter().map(|i| simple.digits(i).unwrap()).collect();
    for (at, digit) in digits.flat_map(|axis| &axis.digits).enumerate() {
        let top = reached.iter().map(|digits| digits[at]).max().unwrap_or(0);
        match digit.to {
            To::Land(level, step) if top > 0 && step > 0 => {
                levels.entry(level).or_default().push((top + 1, step));
            }
            To::Feed(to, step) if top > 0 && step > 0 => {
                derived.entry(to).or_default().push((top + 1, step));
            }
            _ => {}
        }
    }
    for (size, level, step) in simple.replicas.iter().filter(|(size, ..)| *size > 1) {
        levels.entry(*level).or_default().push((*size, *step));
    }
    // Fused digits may take values that a nested run of digits cannot count.
    let uneven = f
        .used()
        .into_iter()
        .any(|level| nested(&coordinates(f, level)).is_none_or(|terms| !divides(&terms)));
    let tangled = uneven || levels.values().chain(derived.values()).any(|terms| !divides(terms));
    let starts = simple.derived.iter().any(|(start, _)| *start > 0);
    // A level starts from the least coordinate of an element there.
    let least =
        |level: Level| f.indexes().iter().map(|index| f.places(index)[0].get(level).unwrap()).min();
    let raised = f.used().into_iter().any(|level| least(level).is_some_and(|least| least > 0));
    let message = error.to_string();
    let says = |part: &str| message.contains(part);
    let stated = match () {
        () if says("coordinates cannot be decoded") => tangled,
        () if error.fact("start").is_some() => starts,
        // With independent bits, each value has exactly one choice.
        () if says("elements cannot be told from padding") => {
            let padded = |axis: &crate::slow::Axis| axis.extent != axis.slots();
            let chained = simple.derived.len() > 1;
            !simple.xors.is_empty() && (chained || simple.axes.iter().any(padded))
        }
        () if error.fact("offset").is_some() => raised,
        () if says("has a digit with stride 0") => simple.derived.iter().any(|(_, axis)| {
            axis.digits
                .iter()
                .any(|digit| digit.size > 1 && matches!(digit.to, To::Land(_, 0) | To::Feed(_, 0)))
        }),
        () => false,
    };
    prop_assert!(stated, "{}: {:?}", error, simple);
    Ok(())
}
