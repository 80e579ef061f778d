//! Law 4: a layout is refused if and only if two copies share a place, and these two do.

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::{LayoutError, Level, Location};

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::{Axis, Slow, feed, land};

laws! {
    copies_collide_if_and_only_if_two_share_a_place: 1200, 100 %, any_layout(), collides;
}

fn collides(slow: &Slow, tally: &mut Tally) -> Result<(), TestCaseError> {
    let layout = slow.layout();
    let collision = tally.answer(layout.collision())?;
    prop_assert_eq!(collision.is_none(), slow.is_injective(), "{:?}", collision);
    prop_assert_eq!(layout.check_injective().is_ok(), slow.is_injective());
    let Some(collision) = collision else { return Ok(()) };
    judge(slow, &layout.check_injective().unwrap_err())?;
    let error = match collision.by_replica {
        true => LayoutError::ReplicaOverlap {
            first: collision.first,
            second: collision.second,
            place: collision.place,
        },
        false => LayoutError::Collision {
            first: collision.first,
            second: collision.second,
            place: collision.place,
        },
    };
    judge(slow, &error)
}

/// The refusal of a layout that is not injective must be correct: both elements are at the place, in the same
/// copy or in different ones.
pub(crate) fn judge(slow: &Slow, error: &LayoutError) -> Result<(), TestCaseError> {
    let at = |index: &[u64], place: &Location| -> Vec<usize> {
        let places = slow.places(index).into_iter().enumerate();
        places.filter(|(_, at)| at == place).map(|(copy, _)| copy).collect()
    };
    match error {
        LayoutError::Collision { first, second, place } => {
            prop_assert_ne!(first, second);
            let (first, second) = (at(first, place), at(second, place));
            prop_assert!(first.iter().any(|copy| second.contains(copy)), "{}", error);
        }
        LayoutError::ReplicaOverlap { first, second, place } => {
            let (first, second) = (at(first, place), at(second, place));
            let differ = |copy: &usize| second.iter().any(|other| other != copy);
            prop_assert!(first.iter().any(differ), "{}", error);
        }
        other => prop_assert!(false, "{}", other),
    }
    Ok(())
}

/// Strides that cancel in one level: all pairs and triples of small digits, one of them copies.
#[test]
fn every_small_layout_collides_if_and_only_if_enumeration_finds_it() {
    let digits: Vec<(u64, u64)> =
        [(2, 1), (2, 3), (3, 2), (3, 4), (4, 5), (5, 2), (6, 6), (7, 5), (2, 0)].to_vec();
    let level = Level::ADDR;
    let axis = |(size, stride): (u64, u64)| Axis::new(size, [land(size, level, stride)]);
    let replicas = digits.iter().map(|(size, stride)| vec![(*size, level, *stride)]);
    for replicas in replicas.chain([Vec::new()]) {
        for (a, b) in digits.iter().cartesian_product(&digits) {
            let two = Slow {
                axes: vec![axis(*a), axis(*b)],
                replicas: replicas.clone(),
                ..Slow::default()
            };
            // The second axis through a derived axis that only it feeds, and both through one.
            let fed = through(&two, &[(1, 1)], b.1);
            let fused = through(&two, &[(0, 1), (1, 2)], 3);
            for slow in [two, fed, fused] {
                let mut tally = Tally::default();
                collides(&slow, &mut tally).unwrap_or_else(|error| panic!("{slow:?}: {error}"));
            }
        }
    }
}

/// The axes feed one derived axis, each with a weight, which lands with a stride.
fn through(slow: &Slow, feeds: &[(usize, u64)], stride: u64) -> Slow {
    let mut slow = slow.clone();
    let mut greatest = 0;
    for (axis, weight) in feeds {
        let extent = slow.axes[*axis].extent;
        slow.axes[*axis] = Axis::new(extent, [feed(extent, 0, *weight)]);
        greatest += (extent - 1) * weight;
    }
    let digits = [land(greatest / 2 + 1, Level::ADDR, stride), land(2, Level::ADDR, 1)];
    slow.derived.push((0, Axis::new(greatest + 1, digits)));
    slow
}
