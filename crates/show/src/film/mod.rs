//! Films: the elements fly from the tensor into the memories of one layout, then of the next.
//!
//! ```text
//! Drawing::film(&after)  ->  Film { stages of panels, flyers with a spot in each }  ->  svg, html
//! ```
//!
//! A flyer is an element or, in a large tensor, part of a block, and has a spot in every stage. It keeps the
//! colour of its unit in the first layout. This module does not deal with time or pixels.

mod drawn;
mod elements;
mod parts;
mod route;

use std::ops::Range;

use super::Panel;
use tensor_layout::Level;
use tensor_layout::relayout::Distance;

/// Flyers that go from stage to stage.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout_show::Drawing;
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
