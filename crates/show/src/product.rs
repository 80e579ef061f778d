//! The matrices of a product in one picture, as textbooks draw them.
//!
//! ```text
//!              B  K x N      column j of it is above column j of C
//!
//! A  M x K     C  M x N      row i of A is beside row i of C
//! ```

use super::color::{Draft, paint};
use super::drawing::Drawing;
use super::{Panel, PanelArrangement, Picture};

impl Drawing<'_> {
    /// This matrix, the result C (M x N) of a product, with its factors: A (M x K) to the left of it and B, which is
    /// given as N x K, above it as K x N. All have the same scale, and each colour has one meaning. A missing
    /// factor is not drawn.
    ///
    /// Law: a cell of A or C has the place of its row and column, a cell of B that of its column and row.
    #[must_use]
    pub fn with_factors(&self, a: Option<&Drawing<'_>>, b: Option<&Drawing<'_>>) -> Picture {
        let matrices = [("A (M x K)", a), ("B (K x N)", b), ("C (M x N)", Some(self))];
        let drawn = || matrices.iter().filter_map(|(name, matrix)| Some((*name, (*matrix)?)));
        let (mut drafts, mut notes): (Vec<Draft>, Vec<String>) = Default::default();
        for (name, matrix) in drawn() {
            let mut panels = matrix.tensor_drafts();
            panels.truncate(1);
            panels.iter_mut().for_each(|draft| draft.panel.caption = name.into());
            drafts.append(&mut panels);
            let of_matrix = matrix.notes().into_iter().chain(matrix.left_out(&matrix.ranges()));
            notes.extend(of_matrix.map(|note| format!("{name}: {note}")));
        }
        let mut panels = paint(drafts);
        panels.iter_mut().filter(|panel| panel.caption.starts_with('B')).for_each(Panel::transpose);
        panels.iter_mut().for_each(name_sides);
        notes.extend(shared_key(&mut panels));
        let mut picture = self.picture("The matrices", panels);
        (picture.notes, picture.one_scale) = (notes, true);
        if let [_, _, _] = &*picture.panels {
            picture.arrangement = PanelArrangement::Product;
        }
        picture
    }
}

/// `A (M x K), 16 x 8`
fn name_sides(panel: &mut Panel) {
    let size = format!(", {} x {}", panel.rows(), panel.columns);
    panel.caption.push_str(&size);
}

/// Leaves the key of the colours to the last panel, which is C; the note if there are too many for one.
fn shared_key(panels: &mut [Panel]) -> Option<String> {
    let (last, factors) = panels.split_last_mut()?;
    for factor in factors {
        if factor.key.iter().all(|entry| last.key.contains(entry)) {
            factor.key.clear();
        }
        if factor.coloring == last.coloring {
            factor.coloring = None;
        }
    }
    last.coloring.take()
}

impl Panel {
    /// Turns rows into columns.
    fn transpose(&mut self) {
        let (rows, columns) = (self.rows(), self.columns);
        let turned = |at: usize| at % columns * rows + at / columns;
        let mut cells: Vec<_> = std::mem::take(&mut self.cells).into_iter().enumerate().collect();
        cells.sort_by_key(|(at, _)| turned(*at));
        self.cells = cells.into_iter().map(|(_, cell)| cell).collect();
        self.columns = rows;
        std::mem::swap(&mut self.row_ticks, &mut self.column_ticks);
        self.zoom = self.zoom.map(turned);
        self.order.iter_mut().flatten().for_each(|at| *at = turned(*at));
    }
}
