//! Two layouts side by side: the elements that move, their sources, and the distances.

use std::ops::Range;

use itertools::Itertools;

use super::color::{Coloring, Draft, paint};
use super::drawing::Drawing;
use super::flows::flows;
use super::grid::Grid;
use super::group::{memory_of_groups, words};
use super::label::grouped;
use super::{Cell, Picture};
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Distance, Relayout, Transfer};
use tensor_layout::{LayoutError, Level, Location, Placement};

impl Drawing<'_> {
    /// This layout and another layout of the tensor, before and after, at the same scale. Elements with a
    /// copy that has to move are marked with the level that it crosses and the unit it comes from; the
    /// farthest if there are several. For large layouts, the blocks of both are drawn, and the numbers of
    /// copies that move between units, at the outermost level that anything crosses.
    ///
    /// # Errors
    /// As [`Relayout::new`] and [`Relayout::transfers`].
    pub fn before_and_after(&self, after: &Drawing<'_>) -> Result<Picture, LayoutError> {
        let relayout = Relayout::new(self.placement, after.placement)?;
        relayout.check_uncast()?;
        let region = self.region(after);
        let small = self.draws_elements_of(&region) && after.draws_elements_of(&region);
        let mut drafts = self.on_common_cut(after, &region, small);
        let mut notes = notes_of_both(self.notes(), after.notes());
        notes.extend(self.left_out(&region));
        if small && self.banks.is_none() {
            let second = drafts.iter_mut().skip(1).step_by(2);
            let cells = second.flat_map(|draft| &mut draft.panel.cells);
            let sources =
                Sources { relayout: &relayout, placements: [self.placement, after.placement] };
            let marked = cells.filter(|cell| cell.elements > 0).map(|cell| sources.mark(cell));
            let moves = marked.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>()?;
            notes.extend(sources.meaning(&moves));
            notes.extend(sources.groups());
        }
        if let Ok(traffic) = relayout.traffic() {
            notes.push(relayout.sentence(&traffic));
            let counts: Vec<String> = traffic
                .by_distance
                .iter()
                .filter(|(_, count)| *count > 0)
                .map(|(d, count)| format!("{d} {}", grouped(*count)))
                .collect();
            notes.push(format!("copies by distance: {}", counts.join(", ")));
            if !small {
                add_flows(flows(&relayout, &traffic), &mut drafts, &mut notes);
            }
        }
        let both = self.clone().title(&format!("{}  ->  {}", self.title, after.title));
        let picture = both.picture("Before and after", paint(drafts));
        Ok(Picture { notes, one_scale: true, ..picture })
    }

    /// The tensor before and after, side by side: the same cells in the same place. Both panels use the
    /// colours of the layout before, so the colours of the layout after show where its elements come from.
    fn on_common_cut(&self, after: &Drawing<'_>, region: &[Range<u64>], small: bool) -> Vec<Draft> {
        if region.iter().any(Range::is_empty) {
            return Vec::new();
        }
        // Two panels share the width of one.
        let grids = match small {
            true if self.banks.is_some() => {
                self.grids_of_banks(after, self.grids_of_elements(region))
            }
            true => self.grids_of_elements(region),
            false => vec![halved(self).first_cut(&halved(after), region)],
        };
        let inherited = (!small).then_some(&[][..]);
        let (spans, spans_after) = (self.spans(), after.spans());
        let pair = |grid: &Grid| {
            let mut first = self.draft(grid, &spans, inherited);
            let mut second = after.draft(grid, &spans_after, inherited);
            // Banks have their own colours: what a swizzle changes is seen.
            if self.banks.is_none() {
                second.coloring = first.coloring.of_sources();
            }
            first.panel.caption = format!("before: {}", first.panel.caption);
            second.panel.caption = format!("after: {}", second.panel.caption);
            [first, second]
        };
        grids.iter().flat_map(pair).collect()
    }
}

impl Coloring {
    /// The colours of elements by the places that they come from.
    fn of_sources(&self) -> Coloring {
        let source = match &*self.meaning {
            "Addr" => "address",
            meaning => meaning,
        };
        let said = format!("coloured by the {source} that an element comes from");
        Coloring { said: Some(said).filter(|_| !source.is_empty()), ..self.clone() }
    }
}

/// A drawing of half as many blocks along a side.
fn halved<'a>(drawing: &Drawing<'a>) -> Drawing<'a> {
    let mut half = drawing.clone().most_blocks(drawing.most_blocks / 2);
    half.most_characters /= 2;
    half
}

/// The notes of two layouts: those of both once, and the others with the panel that they are about.
fn notes_of_both(before: Vec<String>, after: Vec<String>) -> Vec<String> {
    let (both, only_before): (Vec<String>, Vec<String>) =
        before.into_iter().partition(|note| after.contains(note));
    let only_after = after.into_iter().filter(|note| !both.contains(note));
    let before = only_before.into_iter().map(|note| format!("before: {note}"));
    let after: Vec<String> = only_after.map(|note| format!("after: {note}")).collect();
    both.into_iter().chain(before).chain(after).collect()
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

/// The sources of elements that move, in words.
struct Sources<'a> {
    relayout: &'a Relayout,
    placements: [&'a Placement; 2],
}

impl Sources<'_> {
    /// Marks a cell with the farthest move of its element, if it moves.
    fn mark(&self, cell: &mut Cell) -> Result<Option<Transfer>, LayoutError> {
        let index: Vec<u64> = cell.indexes.iter().map(|range| range.start).collect();
        let transfer = self.relayout.farthest(&index)?;
        cell.mark = transfer.as_ref().map(|transfer| self.origin(transfer));
        Ok(transfer)
    }

    /// The place that the farthest copy comes from: `PE 3`, `L2B 1.0.3`, or address `@5` of the same unit.
    fn origin(&self, transfer: &Transfer) -> String {
        match transfer.distance {
            Distance::InPlace => String::new(),
            Distance::Memory => "memory".into(),
            Distance::Address => format!("@{}", transfer.read.start / self.relayout.lanes()),
            Distance::Level(level) => {
                let mark = format!("{} {}", self.unit(level), self.path(&transfer.source));
                mark.trim_end().into()
            }
        }
    }

    fn group(&self, level: Level) -> Option<Memory> {
        memory_of_groups(level, self.placements)
    }

    /// The level whose units have the numbers; a group has that of its first unit.
    fn unit(&self, level: Level) -> Level {
        self.group(level).map_or(level, |memory| memory.owner)
    }

    /// The levels of a unit with its coordinates, from the root down; a group of units has those of the first.
    fn coordinates(&self, unit: &Location) -> Vec<(Level, u64)> {
        let levels = self.relayout.levels();
        let known = levels.iter().filter_map(|level| Some((*level, unit.get(*level)?)));
        let groups = unit.iter().filter(|(level, _)| !levels.contains(level));
        known.chain(groups).collect()
    }

    /// The coordinates of a unit as a path.
    fn path(&self, unit: &Location) -> String {
        self.coordinates(unit).iter().map(|(_, at)| at).join(".")
    }

    /// Explains the marks of some moves by the first one of each kind, those from other units first.
    fn meaning(&self, moves: &[Transfer]) -> Option<String> {
        let kinds = moves.iter().unique_by(|transfer| std::mem::discriminant(&transfer.distance));
        let is_near = |transfer: &&Transfer| !matches!(transfer.distance, Distance::Level(_));
        let explained = |transfer: &Transfer| {
            format!("\u{2190}{}: {}", self.origin(transfer), self.explained(transfer))
        };
        let explained = kinds.sorted_by_key(is_near).map(explained).join("; ");
        Some(explained).filter(|explained| !explained.is_empty())
    }

    /// The place that a copy comes from, in words.
    fn explained(&self, transfer: &Transfer) -> String {
        match transfer.distance {
            Distance::InPlace => "stays in place".into(),
            Distance::Memory => "comes from another memory of the same unit".into(),
            Distance::Address => {
                let address = transfer.read.start / self.relayout.lanes();
                format!("comes from address {address} of the same unit")
            }
            Distance::Level(level) => {
                let (crossed, path) = (self.unit(level), self.path(&transfer.source));
                let levels = self.coordinates(&transfer.source).into_iter();
                let levels: Vec<Level> = levels.map(|(level, _)| self.unit(level)).collect();
                let from = match &levels[..] {
                    [] => "comes from a memory above all units".into(),
                    levels => format!("comes from {} {path}", levels.iter().join(".")),
                };
                if levels == [crossed] { from } else { format!("crosses {crossed}, and {from}") }
            }
        }
    }

    /// Explains the levels that are groups of units.
    fn groups(&self) -> Vec<String> {
        let memories = self.relayout.levels().iter().filter_map(|level| self.group(*level));
        memories.map(|memory| words(&memory)).collect()
    }
}
