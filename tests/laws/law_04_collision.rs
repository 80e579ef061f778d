//! Law 4: a layout is refused if and only if two copies share a place, and these two do.

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::error::{ErrorKind, Fact};
use tensor_layout::{LayoutError, Level, Location, Placement};

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
    let Some(collision) = collision else { return Ok(()) };
    let refused = Placement::of(layout.clone()).build().unwrap_err();
    if refused.kind() == ErrorKind::Collision {
        judge(slow, &refused)?;
    }
    let tensor_layout::algebra::Collision { first, second, place, by_replica } = &collision;
    share(slow, (first, second, place), *by_replica, &format!("{collision:?}"))
}

/// The refusal of a layout that is not injective must be correct: both elements are at the place, in the same
/// copy or in different ones.
pub(crate) fn judge(slow: &Slow, error: &LayoutError) -> Result<(), TestCaseError> {
    let Some(shared) = shared(error) else { return Err(TestCaseError::fail(error.to_string())) };
    share(slow, shared, is_of_copies(error), &error.to_string())
}

/// The two indexes that a refusal names, and their place.
pub(crate) fn shared(error: &LayoutError) -> Option<(&[u64], &[u64], &Location)> {
    match (error.fact("first")?, error.fact("second")?, error.fact("place")?) {
        (Fact::Numbers(first), Fact::Numbers(second), Fact::Place(place)) => {
            (error.kind() == ErrorKind::Collision).then_some((first, second, place))
        }
        _ => None,
    }
}

/// True if a refusal is about copies, and so about a replica.
pub(crate) fn is_of_copies(error: &LayoutError) -> bool {
    error.help().is_some_and(|help| help.contains("keep the copies clear"))
}

fn share(
    slow: &Slow,
    (first, second, place): (&[u64], &[u64], &Location),
    by_replica: bool,
    error: &str,
) -> Result<(), TestCaseError> {
    let at = |index: &[u64], place: &Location| -> Vec<usize> {
        let places = slow.places(index).into_iter().enumerate();
        places.filter(|(_, at)| at == place).map(|(copy, _)| copy).collect()
    };
    prop_assert!(by_replica || first != second);
    let (first, second) = (at(first, place), at(second, place));
    let differ = |copy: &usize| second.iter().any(|other| other != copy);
    let meet = |copy: &usize| if by_replica { differ(copy) } else { second.contains(copy) };
    prop_assert!(first.iter().any(meet), "{}", error);
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
