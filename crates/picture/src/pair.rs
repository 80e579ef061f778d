//! Two layouts side by side: the elements that move, their sources, and the distances.

use super::color::{Draft, paint};
use super::drawing::Drawing;
use super::flows::flows;
use super::{Cell, Panel, Picture};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::Location;
use tensor_layout::relayout::{Distance, Relayout, Transfer};

impl Drawing<'_> {
    /// This layout and another one of the tensor, before and after, at one scale. Elements of which
    /// a copy has to move are marked with the level that it crosses and the unit it comes from; the
    /// farthest if there are several. Of large layouts the blocks of both are drawn, and the numbers of
    /// copies that move between units, at the outermost level that anything crosses.
    ///
    /// # Errors
    /// As [`Relayout::new`] and [`Relayout::transfers`].
    pub fn before_and_after(&self, after: &Drawing<'_>) -> Result<Picture, LayoutError> {
        let relayout = Relayout::new(self.placement, after.placement)?;
        let ((mut drafts, mut notes), (mut second, _)) =
            (self.tensor_drafts(), after.tensor_drafts());
        let small = self.is_small() && after.is_small();
        if small {
            let cells = second.iter_mut().flat_map(|draft| &mut draft.panel.cells);
            cells.filter(|cell| cell.elements > 0).try_for_each(|cell| mark(cell, &relayout))?;
            notes.push(meaning(&relayout));
        } else {
            drafts.truncate(1);
            second.truncate(1);
        }
        for (drafts, name) in [(&mut drafts, "before"), (&mut second, "after")] {
            drafts.iter_mut().for_each(|draft| named(&mut draft.panel, name));
        }
        drafts.append(&mut second);
        if let Ok(traffic) = relayout.traffic() {
            notes.push(relayout.sentence(&traffic));
            let counts: Vec<String> =
                traffic.by_distance.iter().map(|(d, count)| format!("{d} {count}")).collect();
            notes.push(format!("copies by distance: {}", counts.join(", ")));
            if !small {
                add_flows(flows(&relayout, &traffic), &mut drafts, &mut notes);
            }
        }
        let mut picture = self.picture("Before and after", paint(drafts));
        picture.title = format!("{}  ->  {}", self.title, after.title);
        let borders = after.picture("", Vec::new()).borders;
        if borders.len() > picture.borders.len() {
            picture.borders = borders;
        }
        picture.notes.append(&mut notes);
        picture.one_scale = true;
        Ok(picture)
    }
}

fn named(panel: &mut Panel, name: &str) {
    panel.caption = format!("{name}: {}", panel.caption);
    panel.zoom = None;
}

fn add_flows(
    flows: Result<Option<Draft>, LayoutError>,
    drafts: &mut Vec<Draft>,
    notes: &mut Vec<String>,
) {
    match flows {
        Ok(Some(flows)) => drafts.push(flows),
        Ok(None) => notes.push("nothing leaves its unit".into()),
        Err(error) => notes.push(format!("the flows are not drawn: {error}")),
    }
}

fn mark(cell: &mut Cell, relayout: &Relayout) -> Result<(), LayoutError> {
    let index: Vec<u64> = cell.indexes.iter().map(|range| range.start).collect();
    cell.mark = relayout.farthest(&index)?.map(|transfer| origin(&transfer, relayout));
    Ok(())
}

/// The place that the farthest copy comes from: `PE 3`, `L2B 1.0.3`, `Addr 5`.
fn origin(transfer: &Transfer, relayout: &Relayout) -> String {
    match transfer.distance {
        Distance::InPlace => String::new(),
        Distance::Memory => "memory".into(),
        Distance::Address => format!("{} {}", Level::ADDR, transfer.read.start / relayout.lanes()),
        Distance::Level(level) => format!("{level} {}", path(&transfer.source, relayout)),
    }
}

/// The coordinates of a unit, from the root down; a group of units has that of the first.
fn path(unit: &Location, relayout: &Relayout) -> String {
    let known = relayout.levels().iter().copied().filter(|level| unit.get(*level).is_some());
    let known: Vec<Level> = known.collect();
    let groups = unit.iter().map(|(level, _)| level).filter(|level| !known.contains(level));
    let at = known.iter().copied().chain(groups).filter_map(|level| unit.get(level));
    at.map(|at| at.to_string()).collect::<Vec<_>>().join(".")
}

fn meaning(relayout: &Relayout) -> String {
    let names: Vec<&str> = relayout.levels().iter().map(Level::as_str).collect();
    let levels = names.join(".");
    let (first, last) = (names.first().unwrap_or(&"PE"), names.last().unwrap_or(&"PE"));
    match first == last {
        true => format!(
            "\u{2190}{last} 3: comes from {last} 3; \u{2190}Addr 5: from address 5 of the same unit"
        ),
        false => format!(
            "\u{2190}{first} 1..: crosses {first}, and comes from that unit ({levels}); \
             \u{2190}Addr 5: from address 5 of the same unit"
        ),
    }
}
