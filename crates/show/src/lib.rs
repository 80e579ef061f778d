//! Answers of the library for people: pictures, films, [pages] of text and [reports](report), a layout in numbers. Pictures
//! are values that printers render.
//!
//! ```text
//! Drawing::new(&placement).tensor()  ->  Picture { panels of cells }  ->  svg, png, text, page
//! ```
//!
//! A cell has its indexes, the coordinates that their elements take in every level, and the number of its
//! slots that hold elements, all by counting digits, so a picture of 2^60 elements costs as much as one of a
//! hundred. It stores its unit as a path from the outermost key to the innermost one; where neighbours differ
//! at a key there is a border of that depth, so nested borders need no geometry. The keys have names in the
//! panel: panels of two layouts may have different ones.

mod bank;
mod color;
mod coloring;
mod cut;
mod drawing;
mod film;
mod flows;
#[cfg(feature = "gif")]
mod gif;
mod grid;
mod group;
mod label;
mod light;
mod memory;
pub mod pages;
mod pair;
mod palette;
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(feature = "png")]
mod png;
mod product;
mod region;
pub mod report;
mod svg;
mod tensor;
mod text;
mod tree;

use std::collections::BTreeSet;
use std::ops::Range;

use itertools::Itertools;

pub use drawing::Drawing;
pub use film::{Film, Flyer, Spot, Stage};
pub use label::Label;
pub use light::UnitContents;
pub use tensor_layout::program::CoordinateSpan;

use tensor_layout::Level;
use tensor_layout_words::percent;

/// Panels of cells, and remarks about them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The subject of the picture, in one line.
    pub title: String,
    /// A description for people who cannot see the picture.
    pub description: String,
    /// Panels, side by side or below each other as space allows.
    pub panels: Vec<Panel>,
    /// Further remarks, such as the number of copies.
    pub notes: Vec<String>,
    /// True if all panels with as many cells as the first one are drawn with equal cell sizes, for
    /// comparison.
    pub one_scale: bool,
    /// The places of the panels.
    pub arrangement: PanelArrangement,
    /// The page that an SVG is drawn on.
    pub background: Background,
    /// True if the title is not drawn.
    pub hides_title: bool,
}

/// The page behind a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Background {
    /// White, so that the picture is also legible on a dark page.
    #[default]
    White,
    /// Dark, with light text around the panels.
    Dark,
    /// None: the page below is seen.
    Clear,
}

/// The arrangement of the panels of a picture; text always puts them below each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum PanelArrangement {
    /// Side by side as long as there is room, then in a new row.
    #[default]
    Rows,
    /// Three panels, A, B and C: rows of A beside those of C, columns of B above those of C.
    Product,
}

/// A grid of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// The subject of this grid.
    pub caption: String,
    /// The name of the text in the cells, such as `index` or, of several lines, `PE.index`; empty for addresses.
    pub text: String,
    /// The levels of the units of the cells, outermost first.
    pub levels: Vec<Level>,
    /// The names of the tiles with borders, outermost first; they are inside of the units.
    pub tiles: Vec<String>,
    /// Row-major, `columns` in each row.
    pub cells: Vec<Cell>,
    /// The length of a row.
    pub columns: usize,
    /// The ticks of the rows.
    pub row_ticks: Vec<String>,
    /// The ticks of the columns.
    pub column_ticks: Vec<String>,
    /// Colour number and meaning, for every colour of the panel or for none.
    pub key: Vec<(usize, String)>,
    /// The level that the colours distinguish, such as `L2B`; empty without colours.
    pub colored_by: String,
    /// The meaning of the colours if there are too many for a key.
    pub coloring: Option<String>,
    /// The cell that the next panel shows in detail.
    pub zoom: Option<usize>,
    /// Cells in the order of their addresses, a chain wherever addresses follow each other.
    pub order: Vec<Vec<usize>>,
}

/// A square of a grid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The content of the cell; a block with at least one element is an element.
    pub kind: CellKind,
    /// The path to its unit and tile, outermost key first: levels of the tree, then tiles.
    pub path: Vec<u64>,
    /// The number of its colour; none for padding and holes.
    pub color: Option<usize>,
    /// The unit, such as `1.3`; empty if there is only one.
    pub unit: String,
    /// The text in the cell: an address, an index, levels of a block; one line each.
    pub label: String,
    /// The place that the element comes from, if it moves.
    pub mark: Option<String>,
    /// True for any copy of its element other than the first.
    pub is_copy: bool,
    /// The ranges of indexes that it covers, padding included; empty in a picture of memories.
    pub indexes: Vec<Range<u64>>,
    /// The numbers of its rows and of its columns that hold elements; the others are padding.
    pub filled: [u64; 2],
    /// The number of its slots, counting one copy; in a picture of units, counting all copies that the units
    /// hold.
    pub slots: u64,
    /// The number of these slots that hold elements; see [`slots`](Cell::slots).
    pub elements: u64,
    /// The coordinates that the first copies of its elements take.
    pub places: Vec<(Level, CoordinateSpan)>,
}

/// The content of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// An element, or a block that holds some.
    Element,
    /// A slot that does not hold an element.
    Padding,
    /// A place that the layout skips.
    Hole,
    /// Nothing: the grid has more cells than there is to show.
    #[default]
    Blank,
}

impl Cell {
    /// The number of its slots that are padding.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.slots.saturating_sub(self.elements)
    }

    /// The share of its slots that are padding, as text: `98.4 %`; never 0 or 100 for a part.
    pub(crate) fn padding_share(&self) -> String {
        match &*percent(self.padding(), self.slots) {
            "100.0 %" if self.elements > 0 => "> 99.9 %".into(),
            "0.0 %" if self.padding() > 0 => "< 0.1 %".into(),
            share => share.into(),
        }
    }

    /// Returns whether some of its slots, but not all, are padding.
    #[must_use]
    pub fn is_partly_padded(&self) -> bool {
        self.elements > 0 && self.elements < self.slots
    }
}

impl Picture {
    /// Leaves out the title, the captions and the notes, for pages that have their own.
    #[must_use]
    pub fn without_captions(mut self) -> Picture {
        self.hides_title = true;
        self.notes.clear();
        self.panels.iter_mut().for_each(|panel| panel.caption.clear());
        self
    }

    /// The colour with a number as it is printed: `#cdecdd`.
    #[must_use]
    pub fn tint(color: usize) -> &'static str {
        palette::tint(color)
    }
}

impl Panel {
    /// The number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.cells.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The cell at a row and a column.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> Option<&Cell> {
        self.cells.get(row * self.columns + column).filter(|_| column < self.columns)
    }

    /// The meaning of the borders, by depth: levels, then tiles.
    pub fn borders(&self) -> impl Iterator<Item = &str> {
        self.levels.iter().map(Level::as_str).chain(self.tiles.iter().map(String::as_str))
    }

    /// The meaning of each border that is drawn, with its depth.
    pub(crate) fn drawn_borders(&self) -> impl Iterator<Item = (usize, &str)> {
        let cells = || (0..self.rows()).cartesian_product(0..self.columns);
        let border = |(row, column): (usize, usize)| {
            let next = [(row, column + 1), (row + 1, column)];
            next.into_iter().filter_map(move |next| self.border((row, column), next))
        };
        let drawn: BTreeSet<usize> = cells().flat_map(border).collect();
        self.borders().enumerate().filter(move |(depth, _)| drawn.contains(depth))
    }

    /// The depth of the border between two neighbours: the outermost key in which they differ.
    #[must_use]
    pub fn border(&self, a: (usize, usize), b: (usize, usize)) -> Option<usize> {
        let path = |(row, column)| self.cell(row, column).map(|cell| (cell.kind, &cell.path));
        let ((a_kind, a), (b_kind, b)) = (path(a)?, path(b)?);
        if a_kind == CellKind::Blank || b_kind == CellKind::Blank {
            return None;
        }
        a.iter().zip(b).position(|(a, b)| a != b)
    }

    /// Returns whether a cell has padding as well as elements.
    pub(crate) fn has_padding(&self) -> bool {
        self.cells.iter().any(|cell| cell.kind == CellKind::Padding || cell.is_partly_padded())
    }
}
