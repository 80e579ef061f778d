//! Two layouts side by side: what moves, and how far.

use super::drawing::Drawing;
use super::{CellKind, Picture};
use crate::error::LayoutError;
use crate::level::Level;
use crate::relayout::{Distance, Relayout};

impl Drawing<'_> {
    /// This layout and another one of the tensor, before and after; elements of which a copy has to
    /// move are marked with the level that it crosses, the farthest if there are several.
    ///
    /// # Errors
    /// As [`Relayout::new`] and [`Relayout::transfers`].
    pub fn before_and_after(&self, after: &Drawing<'_>) -> Result<Picture, LayoutError> {
        let relayout = Relayout::new(self.placement, after.placement)?;
        let (mut before, mut after_picture) = (self.tensor(), after.tensor());
        let whole = before.panels.len() == 1 && after_picture.panels.len() == 1;
        let panels = [&mut before.panels, &mut after_picture.panels];
        for (panels, name) in panels.into_iter().zip(["before", "after"]) {
            for panel in panels {
                panel.caption = format!("{name}: {}", panel.caption);
            }
        }
        if whole && let Some(panel) = after_picture.panels.first_mut() {
            let rank = self.placement.layout().rank();
            let starts: Vec<u64> = (0..rank).map(|axis| after.range(axis).start).collect();
            for (at, cell) in panel.cells.iter_mut().enumerate() {
                if cell.kind == CellKind::Element {
                    let entries = [at % panel.columns, at / panel.columns];
                    // The last axes are columns and rows; of those before only one index is drawn.
                    let mut index = starts.clone();
                    for (start, at) in index.iter_mut().rev().zip(entries) {
                        *start += u64::try_from(at).unwrap_or(0);
                    }
                    cell.mark = match relayout.farthest(&index)? {
                        Distance::InPlace => None,
                        Distance::Address => Some(Level::ADDR.to_string()),
                        Distance::Memory => Some("memory".to_owned()),
                        Distance::Level(level) => Some(level.to_string()),
                    };
                }
            }
            let moves = "\u{2190}PE: comes from another PE; \u{2190}Addr: from the same unit";
            before.notes.push(moves.into());
        } else {
            before.notes.push("moves are marked where the whole tensor is drawn".into());
        }
        let traffic = relayout.traffic();
        if let Ok(traffic) = &traffic {
            before.notes.push(relayout.sentence(traffic));
            let counts: Vec<String> =
                traffic.by_distance.iter().map(|(d, count)| format!("{d} {count}")).collect();
            before.notes.push(format!("copies by distance: {}", counts.join(", ")));
        }
        before.title = format!("{}  ->  {}", before.title, after_picture.title);
        before.description = format!("{} {}", before.description, after_picture.description);
        before.panels.append(&mut after_picture.panels);
        for entry in after_picture.legend {
            if !before.legend.contains(&entry) {
                before.legend.push(entry);
            }
        }
        if after_picture.borders.len() > before.borders.len() {
            before.borders = after_picture.borders;
        }
        Ok(before)
    }
}
