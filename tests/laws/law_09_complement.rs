//! Law 9: a layout times its complement covers the space exactly once.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::error::ErrorKind;
use tensor_layout::{LayoutError, Level};

use crate::generate::good_layout;
use crate::run::{Tally, laws};
use crate::slow::{Slow, To};

laws! {
    a_layout_times_its_complement_covers_the_space_once: 700, 20 %, with_space(), complement;
}

type Space = Vec<(Level, u64)>;

/// A layout and a space that is often large enough.
fn with_space() -> impl Strategy<Value = (Slow, Space)> {
    (good_layout(), any::<[u64; 7]>()).prop_map(|(slow, more)| {
        let filled = |level: Level| {
            let axes = slow.axes.iter().chain(slow.derived.iter().map(|(_, axis)| axis));
            let tops = axes.flat_map(|axis| &axis.digits).filter_map(|digit| match digit.to {
                To::Land(of, stride) if of == level && digit.size > 1 => Some(digit.size * stride),
                _ => None,
            });
            tops.max().unwrap_or(1).max(1)
        };
        let size = |(level, more): (Level, u64)| {
            (level, filled(level) * (1 + more % 3) + u64::from(more % 7 == 0))
        };
        let space = slow.used().into_iter().zip(more).map(size).collect();
        (slow, space)
    })
}

/// The greatest number of places of a space that are enumerated.
const MOST: u64 = 30_000;

fn complement((f, space): &(Slow, Space), tally: &mut Tally) -> Result<(), TestCaseError> {
    let size: u64 = space.iter().map(|(_, n)| n).product();
    prop_assume!(size < MOST);
    let rest = match tally.count(f.layout().complement(space)) {
        Ok(rest) => Slow::of(&rest),
        Err(error) => return judge(f, space, &error),
    };
    let cut = |slow: &Slow, index: &[u64]| -> Vec<Vec<u64>> {
        let places = slow.places(index);
        let at = |level: &Level, place: &tensor_layout::Location| place.get(*level).unwrap_or(0);
        places.iter().map(|p| space.iter().map(|(level, _)| at(level, p)).collect()).collect()
    };
    let offsets: Vec<Vec<u64>> = rest.indexes().iter().map(|i| cut(&rest, i)[0].clone()).collect();
    prop_assert!(offsets[0].iter().all(|at| *at == 0));
    let mut covered = BTreeSet::new();
    for place in f.indexes().iter().flat_map(|index| cut(f, index)) {
        for offset in &offsets {
            let sum: Vec<u64> = place.iter().zip(offset).map(|(a, b)| a + b).collect();
            prop_assert!(sum.iter().zip(space).all(|(at, (_, n))| at < n), "{:?}", sum);
            prop_assert!(covered.insert(sum), "covered twice");
        }
    }
    prop_assert_eq!(covered.len() as u64, size);
    for axis in &rest.axes {
        let strides: Vec<u64> = axis.digits.iter().rev().map(stride).collect();
        prop_assert!(strides.is_sorted());
    }
    Ok(())
}

fn stride(digit: &crate::slow::Digit) -> u64 {
    match digit.to {
        To::Land(_, stride) | To::Feed(_, stride) => stride,
    }
}

/// The coordinates of the elements in a level, ascending, counted from its offset.
pub(super) fn coordinates(f: &Slow, level: Level) -> Vec<u64> {
    let places = f.places_by_element().into_iter().flatten();
    let at: BTreeSet<u64> =
        places.map(|place| place.get(level).unwrap_or(0) - f.offset(level)).collect();
    at.into_iter().collect()
}

/// The set as a nested product of runs (size, stride), if it is one.
pub(super) fn nested(set: &[u64]) -> Option<Vec<(u64, u64)>> {
    let (mut terms, mut covered) = (Vec::new(), 1);
    while covered < set.len() {
        let stride = set[covered];
        let block: Vec<u64> = set[..covered].to_vec();
        let mut size = 1;
        while let Some(next) = set.get(covered * size..covered * (size + 1)) {
            if !next.iter().zip(&block).all(|(a, b)| *a == b + size as u64 * stride) {
                break;
            }
            size += 1;
        }
        if size == 1 {
            return None;
        }
        terms.push((size as u64, stride));
        covered *= size;
    }
    (covered == set.len()).then_some(terms)
}

/// True if the places of the elements are a product of sets, one per level.
fn is_product(f: &Slow) -> bool {
    let all: BTreeSet<_> = f.places_by_element().into_iter().flatten().collect();
    let each = f
        .used()
        .into_iter()
        .map(|level| all.iter().map(|place| place.get(level)).collect::<BTreeSet<_>>().len());
    each.product::<usize>() == all.len()
}

/// The refusal of a complement must be correct: no layout fills the space together with this one, one level
/// at a time.
fn judge(f: &Slow, space: &Space, error: &LayoutError) -> Result<(), TestCaseError> {
    prop_assert_eq!(error.kind(), ErrorKind::CannotComplement, "{}", error);
    let fills = |(level, size): &(Level, u64)| {
        let Some(terms) = nested(&coordinates(f, *level)) else { return false };
        let mut filled = 1;
        let divides = terms.iter().all(|(n, stride)| {
            let divides = stride % filled == 0;
            filled = n * stride;
            divides
        });
        divides && size % filled == 0
    };
    let at_origin = f.used().into_iter().all(|level| coordinates(f, level).first() == Some(&0));
    let at_origin = at_origin && f.offsets.is_empty();
    let possible = f.elements() > 0 && is_product(f) && at_origin && space.iter().all(fills);
    prop_assert!(!possible, "{}", error);
    Ok(())
}
