//! The wrong elements of a tensor, counted in blocks, and a picture of the blocks.

use tensor_layout_show::{Cell, CellKind, Panel, Picture};
use tensor_layout_words::to_index;

/// The most rows and columns of a picture.
const MOST_ROWS: u64 = 32;
const MOST_COLUMNS: u64 = 32;

/// Counts of wrong elements over a grid of blocks: rows are all axes but the last.
#[derive(Clone, Debug)]
pub(super) struct Spread {
    shape: Vec<u64>,
    rows: GridSide,
    columns: GridSide,
    /// The numbers of compared and of wrong elements in each block, row-major.
    blocks: Vec<(u64, u64)>,
}

/// One side of the grid.
#[derive(Clone, Copy, Debug)]
struct GridSide {
    length: u64,
    /// The number of rows or columns of elements a block has.
    step: u64,
}

impl GridSide {
    fn new(length: u64, most: u64) -> GridSide {
        let length = length.max(1);
        GridSide { length, step: length.div_ceil(most) }
    }

    fn blocks(self) -> u64 {
        self.length.div_ceil(self.step)
    }

    /// `12`, or `12-15` for a block.
    fn ticks(self) -> Vec<String> {
        let tick = |block: u64| {
            let (first, last) = (block * self.step, ((block + 1) * self.step).min(self.length) - 1);
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        (0..self.blocks()).map(tick).collect()
    }
}

impl Spread {
    pub(super) fn new(shape: &[u64]) -> Spread {
        let (columns, outer) =
            shape.split_last().map_or((1, &[][..]), |(last, rest)| (*last, rest));
        let rows = tensor_layout_words::product(outer.iter().copied()).unwrap_or(1);
        let rows = GridSide::new(rows, MOST_ROWS);
        let columns = GridSide::new(columns, MOST_COLUMNS);
        let count = to_index(rows.blocks() * columns.blocks());
        Spread { shape: shape.to_vec(), rows, columns, blocks: vec![(0, 0); count] }
    }

    pub(super) fn count(&mut self, index: &[u64], is_wrong: bool) {
        let (column, outer) = index.split_last().map_or((0, &[][..]), |(last, rest)| (*last, rest));
        let row = outer.iter().zip(&self.shape).fold(0, |row, (at, extent)| row * extent + at);
        let block = row / self.rows.step * self.columns.blocks() + column / self.columns.step;
        let block = usize::try_from(block).ok().and_then(|block| self.blocks.get_mut(block));
        if let Some((compared, wrong)) = block {
            *compared += 1;
            *wrong += u64::from(is_wrong);
        }
    }

    /// Draws the blocks; those with wrong elements show their number, in a colour of their own.
    pub(super) fn picture(&self, title: &str) -> Picture {
        const RIGHT: usize = 2;
        const WRONG: usize = 5;
        let cell = |(compared, wrong): &(u64, u64)| Cell {
            kind: if *compared == 0 { CellKind::Hole } else { CellKind::Element },
            color: (*compared > 0).then_some(if *wrong > 0 { WRONG } else { RIGHT }),
            label: if *wrong > 0 { wrong.to_string() } else { "-".into() },
            ..Cell::default()
        };
        let size = self.rows.step * self.columns.step;
        let caption = match size {
            1 => "1: the element is wrong, -: it is not".into(),
            _ => format!(
                "blocks of {} x {} elements, with how many of them are wrong",
                self.rows.step, self.columns.step
            ),
        };
        let panel = Panel {
            caption: caption.clone(),
            cells: self.blocks.iter().map(cell).collect(),
            columns: to_index(self.columns.blocks()),
            row_ticks: self.rows.ticks(),
            column_ticks: self.columns.ticks(),
            key: vec![(RIGHT, "as expected".into()), (WRONG, "wrong".into())],
            ..Panel::default()
        };
        Picture {
            title: title.into(),
            description: format!("{title}. {caption}."),
            panels: vec![panel],
            ..Picture::default()
        }
    }
}
