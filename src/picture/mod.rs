//! Pictures: where the elements go, as a value that printers print.
//!
//! ```text
//! Drawing::new(&placement).tensor()  ->  Picture { panels of cells, legend }  ->  svg, text
//! ```
//!
//! A cell knows its unit as a path from the outermost key to the innermost one; where neighbours part
//! at a key there is a border of that depth. So nested borders need no geometry.

mod drawing;
mod memory;
mod pair;
mod svg;
mod tensor;
mod text;

pub use drawing::Drawing;

/// Panels of cells, and what their colours and borders mean.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// What is drawn, in a line.
    pub title: String,
    /// The same for a reader who does not see it.
    pub description: String,
    /// Side by side or below each other, as there is room.
    pub panels: Vec<Panel>,
    /// Colour number and meaning.
    pub legend: Vec<(usize, String)>,
    /// The meaning of the borders, outermost first.
    pub borders: Vec<String>,
    /// What else has to be said, such as that colours repeat.
    pub notes: Vec<String>,
}

/// A grid of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Panel {
    /// What this grid shows.
    pub caption: String,
    /// Row-major, `columns` in each row.
    pub cells: Vec<Cell>,
    /// The length of a row.
    pub columns: usize,
    /// A tick per row, and per column.
    pub row_ticks: Vec<String>,
    /// The ticks of the columns.
    pub column_ticks: Vec<String>,
}

/// A square of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cell {
    /// What is there.
    pub kind: CellKind,
    /// Where it is, outermost key first: levels of the tree, then tiles.
    pub path: Vec<u64>,
    /// The number of its colour; none for padding and holes.
    pub color: Option<usize>,
    /// The unit, such as `1.3`; empty where there is one only.
    pub unit: String,
    /// What stands in the cell: an address, an index, levels of a block; one line each.
    pub label: String,
    /// How far the element comes from, if it moves.
    pub mark: Option<String>,
}

/// What a cell stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellKind {
    /// An element.
    Element,
    /// A slot that holds none.
    Padding,
    /// A place that the layout skips.
    Hole,
    /// Nothing: the grid is longer than what it shows.
    Blank,
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
}
