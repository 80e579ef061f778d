//! The film of a drawing: its stages, and the words around them.

use itertools::Itertools;

use super::elements::Stages;
use super::{Film, parts};
use crate::drawing::Drawing;
use crate::group::{self, memory_of_groups};
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{LayoutError, Level};

impl Drawing<'_> {
    /// The film from the tensor into the memories of this layout, then into those of others, one after
    /// the other.
    ///
    /// For a small tensor, every copy of every element flies; for a large one, parts of its blocks fly, each
    /// with the elements that go from one unit to another at the outermost level that anything crosses.
    /// Law: the spot of an element in a stage is the place that
    /// [`Placement::locate_all`](tensor_layout::Placement::locate_all) gives; the element counts of parts add
    /// up to [`Relayout::flows`].
    /// Cost: for a small tensor, elements x copies; for a large one, a count of flows for each block.
    ///
    /// # Errors
    /// As [`Relayout::new`], [`Relayout::transfers`] and, for large tensors, [`Relayout::flows`].
    pub fn film(&self, after: &[&Drawing<'_>]) -> Result<Film, LayoutError> {
        let all: Vec<&Drawing<'_>> = [self].into_iter().chain(after.iter().copied()).collect();
        let hop = |pair: &[&Drawing<'_>]| match pair {
            [from, to] => {
                let relayout = Relayout::new(from.placement, to.placement)?;
                relayout.check_uncast().map(|()| Some(relayout))
            }
            _ => Ok(None),
        };
        let relayouts: Result<Vec<Option<Relayout>>, LayoutError> =
            all.windows(2).map(hop).collect();
        let relayouts: Vec<Relayout> = relayouts?.into_iter().flatten().collect();
        let levels = levels(&relayouts);
        let drawn = match Stages::new(&all)? {
            Some(stages) => stages.drawn(&relayouts, &levels)?,
            None => parts::drawn(&all, &relayouts)?,
        };
        let count = |relayout: &Relayout| Ok(relayout.traffic()?.by_distance);
        let hops: Vec<_> = relayouts.iter().map(count).collect::<Result<_, LayoutError>>()?;
        let units = self.unit_levels();
        let borders = units.iter().map(ToString::to_string).chain(self.tile_names());
        Ok(Film {
            title: all.iter().map(|drawing| drawing.title.as_str()).join("  ->  "),
            description: described(&drawn, &all),
            notes: names_of_groups(&all, &hops),
            hops,
            levels,
            borders: borders.collect(),
            ..drawn
        })
    }
}

/// The levels of all hops, outermost first; those of the first hop before those that others add.
fn levels(relayouts: &[Relayout]) -> Vec<Level> {
    let all = relayouts.iter().flat_map(Relayout::levels);
    all.copied().unique().collect()
}

/// Explains the levels that are crossed and are groups of units.
fn names_of_groups(all: &[&Drawing<'_>], hops: &[Vec<(Distance, u64)>]) -> Vec<String> {
    let crossed = hops.iter().flatten().filter(|(_, count)| *count > 0);
    let levels = crossed.filter_map(|(distance, _)| match distance {
        Distance::Level(level) => Some(*level),
        _ => None,
    });
    let group = |level| memory_of_groups(level, all.iter().map(|drawing| drawing.placement));
    levels.unique().filter_map(group).map(|memory| group::words(&memory)).collect()
}

/// A description of the film for people who cannot see it.
fn described(film: &Film, all: &[&Drawing<'_>]) -> String {
    let elements = all.first().map_or(0, |drawing| drawing.placement.layout().elements());
    let crossing = film.flyers.iter().filter(|flyer| flyer.crosses.is_some()).count();
    let then = all.iter().map(|drawing| format!("then into the memories of {}", drawing.title));
    let mut description =
        format!("{elements} elements fly from the tensor, {}.", then.format(", "));
    if crossing > 0 {
        let flyers = film.flyers.len();
        description.push_str(&format!(
            " {crossing} of {flyers} flyers leave their unit and are outlined."
        ));
    }
    description
}
