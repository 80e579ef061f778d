//! The loops of an operation, and the layout that they ask of an operand.

use itertools::Itertools;

use super::dense::{Outside, outside, plain, with_axes};
use crate::algebra::{Axis, Collision, Layout, LayoutBuilder, Subaxis, goes_on, merged_digits};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;

/// The axes of the result, then those that are summed over; their digits say where each product
/// is computed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Loops {
    /// Plain.
    pub(super) result: Layout,
    pub(super) contracted: Vec<Axis>,
    /// The partial sums: the result with the digits of sums that land in units, lanes and time slices.
    /// All other digits of sums land in [`Level::IN_SUM`], so that adding up in place is not a collision.
    pub(super) partial: Layout,
}

impl Loops {
    /// Creates the loops; an error if products of different sums are computed at the same time in one place.
    pub(super) fn new(result: &Layout, contracted: Vec<Axis>) -> Result<Loops, LayoutError> {
        let result = plain(result)?;
        let feeds = |axis: &Axis| axis.subaxes.iter().any(|subaxis| subaxis.lands().is_none());
        if contracted.iter().any(feeds) {
            return Err(fault!(
                Unsupported,
                "a contracted axis feeds a derived axis, which this operation does not support"
            ));
        }
        let partial = partial_sums(&result, &contracted)?;
        if let Some(shared) = partial.collision()? {
            // The order in a sum is not a coordinate of a machine.
            let coordinates = shared.place.iter().filter(|(level, _)| *level != Level::IN_SUM);
            let place = coordinates.collect();
            return Err(Collision { place, ..shared }.into_error());
        }
        Ok(Loops { result, contracted, partial })
    }

    /// An axis by its number: those of the result, then those that are summed over.
    pub(super) fn axis(&self, number: usize) -> Option<&Axis> {
        let rank = self.result.rank();
        self.result.axes().get(number).or_else(|| self.contracted.get(number.checked_sub(rank)?))
    }

    /// The layout of an operand with these axes: the digits of its own axes, a copy for every
    /// coordinate that another axis gives.
    ///
    /// Law: every product finds its element in its unit, time slice and lane; no copy is without a
    /// product, unless an axis that the operand lacks ends within digits that do not step as one.
    pub(super) fn operand(&self, axes: &[usize]) -> Result<Layout, LayoutError> {
        let own = axes.iter().filter_map(|number| self.axis(*number));
        let mut operand = with_axes(&self.result, own, |_| true)?.to_builder();
        let all = 0..self.result.rank() + self.contracted.len();
        // Without products nothing wants a copy.
        let empty = all.clone().filter_map(|n| self.axis(n)).any(|axis| axis.extent == 0);
        let others = all.filter(|number| !empty && !axes.contains(number));
        for axis in others.filter_map(|number| self.axis(number)) {
            let levels = axis.subaxes.iter().filter_map(outside).map(|(_, level, _)| level);
            operand = levels.fold(operand, LayoutBuilder::used);
            for (size, level, stride) in copies(axis) {
                operand = operand.replica(size, level, stride);
            }
        }
        let operand = operand.build()?;
        // Copies for padding may overlap others.
        operand.check_injective()?;
        Ok(operand)
    }
}

/// The layout of the partial sums of all elements.
fn partial_sums(result: &Layout, contracted: &[Axis]) -> Result<Layout, LayoutError> {
    let mut partial = result.to_builder();
    let mut place = 1_u64;
    for axis in contracted {
        let mut subaxes = axis.subaxes.clone();
        for subaxis in subaxes.iter_mut().rev().filter(|subaxis| outside(subaxis).is_none()) {
            *subaxis = Subaxis::land(subaxis.size, Level::IN_SUM, place);
            let too_large = || LayoutError::too_large(Site::Layout, "the number of products");
            place = place.checked_mul(subaxis.size).ok_or_else(too_large)?;
        }
        partial = partial.axis(axis.extent, subaxes);
    }
    partial.build()
}

/// The copies of an operand that lacks this axis: one at the coordinates of each value. The axis must
/// have elements.
pub(super) fn copies(axis: &Axis) -> Vec<Outside> {
    let moves = |subaxis: &Subaxis| outside(subaxis).is_some();
    let subaxes = axis.subaxes.iter().copied().filter(moves).collect();
    let places = Axis { extent: axis.combinations(moves), subaxes };
    match progression(&places) {
        Some(copies) => vec![copies],
        // Digits that step evenly are one, which ends where the axis does.
        None => merged_digits(&places, places.extent - 1).iter().filter_map(outside).collect(),
    }
}

/// All places as one digit, if they are evenly apart: by ascending stride each digit continues the one
/// before, and the greatest sum of steps is that of the last of `extent` even places.
fn progression(places: &Axis) -> Option<Outside> {
    let digits = places.subaxes.iter().filter_map(outside).filter(|(size, ..)| *size > 1);
    let digits = digits.sorted_unstable_by_key(|(.., stride)| *stride).collect_vec();
    let (_, level, step) = *digits.first().filter(|(.., stride)| *stride > 0)?;
    let steps_on = |(minor, major): (&Outside, &Outside)| {
        minor.1 == major.1 && goes_on(minor.0, minor.2, major.2)
    };
    let is_even = digits.iter().tuple_windows().all(steps_on);
    let reach = (places.extent - 1).checked_mul(step);
    let stride = |subaxis: &Subaxis| outside(subaxis).map_or(0, |(.., stride)| stride);
    (is_even && reach == Some(places.greatest_step(stride))).then_some((places.extent, level, step))
}
