//! Law 4: a layout is refused if and only if two copies share a place, and these two do.

use proptest::prelude::*;
use tensor_layout::LayoutError;

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::Slow;

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

/// The refusal of a layout that is not injective must be true.
pub(crate) fn judge(slow: &Slow, error: &LayoutError) -> Result<(), TestCaseError> {
    match error {
        LayoutError::Collision { first, second, place } => {
            prop_assert_ne!(first, second);
            prop_assert!(slow.places(first).contains(place) && slow.places(second).contains(place));
        }
        LayoutError::ReplicaOverlap { first, second, place } => {
            let holds = |index: &[u64]| slow.places(index).iter().filter(|at| *at == place).count();
            let copies = holds(first) + if first == second { 0 } else { holds(second) };
            prop_assert!(copies >= 2, "{}", error);
        }
        other => prop_assert!(false, "{}", other),
    }
    Ok(())
}
