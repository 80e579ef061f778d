//! Films: the elements fly from the tensor into the memories of one layout, then of the next.
//!
//! ```text
//! Drawing::film(&after)  ->  Film { stages of panels, flyers with a spot in each }  ->  svg, html
//! ```
//!
//! A flyer is an element or, in a large tensor, part of a block, and has a spot in every stage. It keeps the
//! colour of its unit in the first layout. This module does not deal with time or pixels.

mod elements;
mod parts;
mod route;

use std::ops::Range;

use itertools::Itertools;

use super::Panel;
use super::drawing::Drawing;
use super::group::{self, memory_of_groups};
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{LayoutError, Level};

/// Flyers that go from stage to stage.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout_picture::Drawing;
/// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
/// let film = Drawing::new(&placement).film(&[])?;
/// assert_eq!((film.stages.len(), film.flyers.len()), (2, 70)); // the tensor and its memories
/// assert!(film.to_svg().contains("@keyframes"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Film {
    /// The layouts, in one line.
    pub title: String,
    /// A description for people who cannot see the film.
    pub description: String,
    /// The tensor, then the memories of each layout.
    pub stages: Vec<Stage>,
    /// The flyers, in the order of their elements.
    pub flyers: Vec<Flyer>,
    /// The hops from one layout to the next: the number of copies by distance, nearest first.
    pub hops: Vec<Vec<(Distance, u64)>>,
    /// The levels that can be crossed, outermost first.
    pub levels: Vec<Level>,
    /// The meaning of the borders of the stages, outermost first.
    pub borders: Vec<String>,
    /// Remarks below the film.
    pub notes: Vec<String>,
}

/// The panels that flyers are in at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stage {
    /// The name of the stage.
    pub caption: String,
    /// One panel for memories, one for each leading index of the tensor.
    pub panels: Vec<Panel>,
}

/// A cell of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The number of the panel in the stage.
    pub panel: usize,
    /// The number of the cell in the panel.
    pub cell: usize,
}

/// An element, or elements of a block that are in the same units in all stages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flyer {
    /// The ranges of indexes that its elements are in.
    pub indexes: Vec<Range<u64>>,
    /// The number of elements, each copy counted.
    pub elements: u64,
    /// The colour number of its unit in the first layout.
    pub color: Option<usize>,
    /// One spot per stage; the path ends early for a copy that no later stage reads.
    pub path: Vec<Spot>,
    /// The outermost level that it crosses on any hop.
    pub crosses: Option<Level>,
}

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
            [from, to] => Relayout::new(from.placement, to.placement).map(Some),
            _ => Ok(None),
        };
        let relayouts: Result<Vec<Option<Relayout>>, LayoutError> =
            all.windows(2).map(hop).collect();
        let relayouts: Vec<Relayout> = relayouts?.into_iter().flatten().collect();
        let drawn = match elements::Stages::new(&all)? {
            Some(stages) => stages.drawn(&relayouts)?,
            None => parts::drawn(&all, &relayouts)?,
        };
        let count = |relayout: &Relayout| Ok(relayout.traffic()?.by_distance);
        let hops: Vec<_> = relayouts.iter().map(count).collect::<Result<_, LayoutError>>()?;
        let picture = self.picture("The film", Vec::new());
        Ok(Film {
            title: all.iter().map(|drawing| drawing.title.as_str()).join("  ->  "),
            description: described(&drawn, &all),
            notes: names_of_groups(&all, &hops),
            hops,
            levels: levels(&relayouts),
            borders: picture.borders,
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
            " {crossing} of {flyers} flyers leave their unit and have an edge."
        ));
    }
    description
}
