//! A layout carried through a map of places: composition that keeps copies.
//!
//! ```text
//! layout     ((8:4, 4:1))                       8 x 4 elements at 32 addresses of L1BM
//! map        ((8:1, 4_PE:1); B@[16_MAB:1])      address 4 a + p to address a of PE p of every MAB
//! carried    ((8:1, 4_PE:1); B@[16_MAB:1])
//! ```
//!
//! Law: the places of an element are the images of its places, each with all copies of the map.

use super::units::Piece;
use crate::algebra::{Axis, Layout, Subaxis, Target, nowhere, product};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The places of `layout`, each sent where `map` sends it: an axis per level of `layout`, in the order of
/// [`Layout::used_levels`].
pub(super) fn carried(layout: &Layout, map: &Layout) -> Result<Layout, LayoutError> {
    let mut flat = layout.clone().with_replicas_where(|_| false).to_builder();
    let copies = layout.replicas().iter().filter(|replica| replica.is_apart());
    for copy in copies.clone() {
        flat = flat.axis(copy.size, [Subaxis::land(copy.size, copy.level, copy.stride)]);
    }
    let moved = map.compose(&flat.build()?.places_as_indexes())?;
    let moved = of_elements(moved);
    let (elements, mut moved) = (moved.rank(), moved.to_builder());
    let sources = moved.split_axes(elements.saturating_sub(copies.count()));
    let not_digits = || LayoutError::too_large(Site::Layout, "the copies after a movement");
    for axis in &sources {
        if axis.extent != axis.slots() {
            return Err(not_digits());
        }
        for digit in &axis.subaxes {
            moved = match digit.target {
                Target::Land { stride: 0, .. } => moved,
                Target::Land { level, stride } => moved.replica(digit.size, level, stride),
                Target::Feed { .. } => return Err(not_digits()),
            };
        }
    }
    moved.build()
}

/// The slots that elements need; all of them where that is not decided.
pub(super) fn of_elements(layout: Layout) -> Layout {
    layout.without_padding().unwrap_or(layout)
}

/// The layout with addresses from 0 on: a movement begins at any address.
pub(super) fn zero_based(layout: &Layout) -> Layout {
    match layout.offset(Level::ADDR) {
        0 => layout.clone(),
        _ => layout.clone().without_spans().to_origin().0,
    }
}

/// The coordinates of a level up to `span` as an axis of these digits; gaps between them and above them become
/// digits of stride 0. `None` if the steps do not divide each other.
pub(super) fn in_radix(span: u64, mut digits: Vec<Piece>) -> Option<Axis> {
    digits.sort_unstable_by_key(|digit| digit.from.1);
    let mut subaxes: Vec<Subaxis> = Vec::with_capacity(digits.len() + 2);
    let mut reach = 1_u64;
    for Piece { size, from: (_, step), to: (level, stride) } in digits {
        if step > reach && step.is_multiple_of(reach) {
            subaxes.push(nowhere(step / reach));
        } else if step > reach {
            // The digit below ends early: the places that it does not reach hold nothing.
            let last = subaxes.last_mut()?;
            let below = reach / last.size;
            last.size = step.is_multiple_of(below).then_some(step / below)?;
        } else if step < reach {
            return None;
        }
        subaxes.push(Subaxis::land(size, level, stride));
        reach = step.checked_mul(size)?;
    }
    if reach < span {
        subaxes.push(nowhere(span.div_ceil(reach)));
    }
    subaxes.reverse();
    Some(Axis { extent: product(subaxes.iter().map(|subaxis| subaxis.size))?, subaxes })
}
