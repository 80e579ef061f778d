//! The tensor as a grid: every element, or the blocks of a large one.

use std::ops::Range;

use super::color::{Draft, paint};
use super::coloring::{only, span_in};
use super::cut::{blocks, elided, length, tile_edge};
use super::drawing::Drawing;
use super::grid::Grid;
use super::palette::COLORS;
use super::{Cell, CellKind, Label, Panel, Picture};
use tensor_layout::Level;
use tensor_layout::Location;
use tensor_layout::algebra::Indexes;
use tensor_layout::internals;
use tensor_layout::internals::{to_index, to_u64};
use tensor_layout::program::{CoordinateSpan, CoordinateSpans};

impl Drawing<'_> {
    /// The tensor as a grid, the last two axes as rows and columns, a grid for every index of the
    /// others: every cell with its address, coloured by its unit, padding too.
    ///
    /// If it has more than 64 rows or columns or 1024 cells, blocks are drawn, along the digits of
    /// the layout, and in another grid the content of one of them, down to the elements; so the picture
    /// of any layout is small. The block is the first that is partly padded, or the one that
    /// [`zoom`](Drawing::zoom) names.
    /// Law: a cell with one element has the place that
    /// [`Placement::locate`](tensor_layout::Placement::locate) returns; a block has as many elements, as much
    /// padding and the same coordinates as its indexes have one by one.
    /// Cost: O(digits) per cell, for any number of elements.
    #[must_use]
    pub fn tensor(&self) -> Picture {
        let (drafts, mut notes) = self.tensor_drafts();
        let mut picture = self.picture("The tensor", paint(drafts));
        picture.notes.append(&mut notes);
        picture
    }

    /// The panels before they are coloured, and the notes about them.
    pub(super) fn tensor_drafts(&self) -> (Vec<Draft>, Vec<String>) {
        let ranges = self.ranges();
        if ranges.iter().any(Range::is_empty) {
            return (Vec::new(), Vec::new());
        }
        let (outer, sides) = ranges.split_at(ranges.len().saturating_sub(2));
        let small = self.is_small();
        let most = to_u64(self.most_panels);
        let shown = if small { most } else { 1 };
        let leading: Vec<u64> = outer.iter().map(length).collect();
        let all = leading.iter().try_fold(1_u64, |all, n| all.checked_mul(*n));
        let spans = CoordinateSpans::new(self.placement.with_copies(), self.placement.columns());
        let drafts = match small {
            true => {
                let leads = Indexes::new(leading).take(to_index(shown));
                let lead =
                    |at: Vec<u64>| at.iter().zip(outer).map(|(at, r)| at + r.start).collect();
                leads
                    .map(|at| self.draft(&Grid::of_elements(lead(at), sides), &spans, None))
                    .collect()
            }
            false => {
                let lead = outer.iter().zip(&self.zoom);
                let lead = lead.map(|(range, zoom)| zoom.unwrap_or(range.start)).collect();
                self.zoomed(lead, sides, &spans)
            }
        };
        let mut notes: Vec<String> = self.hidden_padding().into_iter().collect();
        if all.is_none_or(|all| all > shown) {
            let of = all.map_or("more than 2^64".into(), |all| all.to_string());
            notes.push(match small {
                true => format!("the first {shown} of {of} leading indexes are drawn"),
                false => format!("one of {of} leading indexes is drawn"),
            });
        }
        (drafts, notes)
    }

    /// Padding inside tiles, which no index reaches.
    fn hidden_padding(&self) -> Option<String> {
        let layout = self.placement.layout();
        if layout.derived_axes().is_empty() {
            return None;
        }
        let axes = (0..layout.rank()).map(|axis| self.slots(axis));
        let drawn = axes.fold(1_u64, u64::saturating_mul).saturating_mul(layout.copies());
        let hidden = layout.slots().saturating_sub(drawn);
        (hidden > 0).then(|| {
            format!("{hidden} more padding slots are inside tiles and have no index; use --view machine to see them")
        })
    }

    /// Blocks along the digits, then the content of one of them, down to elements.
    fn zoomed(
        &self,
        lead: Vec<u64>,
        sides: &[Range<u64>],
        spans: &CoordinateSpans<'_>,
    ) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = Vec::new();
        let (mut sides, mut meaning) = (sides.to_vec(), Vec::new());
        // A block that is cut into one is looked into at once.
        for _ in 0..2 * self.most_panels {
            if drafts.len() == self.most_panels {
                break;
            }
            let grid = self.cut(lead.clone(), &sides);
            let cells = grid.boxes();
            if cells.len() > 1 || grid.is_of_elements() {
                let mut draft = self.draft(&grid, spans, Some(&meaning));
                meaning = self.colored_levels(&draft.panel.cells, &meaning);
                if grid.is_of_elements() || grid.is_elided {
                    drafts.push(draft);
                    break;
                }
                draft.panel.zoom = self.chosen(&draft.panel.cells);
                drafts.push(draft);
            }
            let chosen =
                drafts.last().and_then(|draft| draft.panel.zoom).filter(|_| cells.len() > 1);
            let chosen = &cells[chosen.unwrap_or(0)];
            sides = chosen[lead.len()..].to_vec();
        }
        drafts
    }

    /// Blocks of a range: whole tiles, then the content of one tile.
    fn cut(&self, lead: Vec<u64>, sides: &[Range<u64>]) -> Grid {
        let axes = &self.placement.layout().axes()[lead.len()..];
        let tile = self.tiles.first().map(|(size, _)| *size);
        let edges: Vec<u64> =
            axes.iter().map(|axis| tile.map_or(1, |tile| tile_edge(axis, tile))).collect();
        let within = sides.iter().zip(&edges).all(|(side, edge)| length(side) <= *edge);
        let is_elided =
            tile.is_some() && within && sides.iter().any(|s| length(s) > self.most_blocks);
        let cuts = sides.iter().zip(axes).zip(&edges).map(|((side, axis), edge)| match is_elided {
            true => elided(side),
            false => blocks(axis, side, if within { 1 } else { *edge }, self.most_blocks),
        });
        Grid { lead, sides: cuts.collect(), is_elided }
    }

    /// The block to show in detail: among those that hold the index of the zoom, the first
    /// that is partly padded, else the first with elements.
    fn chosen(&self, cells: &[Cell]) -> Option<usize> {
        let asked = |cell: &Cell| {
            let mut ranges = cell.indexes.iter().zip(&self.zoom);
            ranges.all(|(range, zoom)| zoom.is_none_or(|zoom| range.contains(&zoom)))
        };
        let first = |good: &dyn Fn(&Cell) -> bool| cells.iter().position(|c| asked(c) && good(c));
        let partly = first(&Cell::is_partly_padded);
        partly.or_else(|| first(&|cell| cell.elements > 0)).or_else(|| first(&|_| true)).or(Some(0))
    }

    /// A grid of elements or of blocks; those within a block inherit its levels.
    fn draft(
        &self,
        grid: &Grid,
        spans: &CoordinateSpans<'_>,
        inherited: Option<&[Level]>,
    ) -> Draft {
        let mut cells: Vec<Cell> =
            grid.boxes().into_iter().map(|indexes| self.tensor_cell(indexes, spans)).collect();
        let varying = self.varying(&cells);
        let labels = self.labels_of(grid, &varying);
        for cell in &mut cells {
            let whole = grid.is_elided && cell.slots > 1;
            cell.label = if whole { "\u{2026}".into() } else { Label::lines(&labels, cell) };
        }
        let scheme = inherited.map_or_else(
            || self.scheme_of_elements(),
            |inherited| self.scheme(&self.colored_levels(&cells, inherited)),
        );
        let coloring = self.coloring(&cells, &scheme);
        let order = if self.tiles.is_empty() { Vec::new() } else { in_order(&cells) };
        let caption = [grid.caption()].into_iter().chain(self.in_common(grid, &cells, &varying));
        let panel = Panel {
            caption: caption.collect::<Vec<_>>().join("; "),
            cells,
            columns: grid.columns(),
            row_ticks: grid.ticks(0),
            column_ticks: grid.ticks(1),
            order,
            ..Panel::default()
        };
        Draft::new(panel, coloring)
    }

    pub(super) fn tensor_cell(
        &self,
        indexes: Vec<Range<u64>>,
        spans: &CoordinateSpans<'_>,
    ) -> Cell {
        let layout = self.placement.with_copies();
        let real = indexes.iter().zip(layout.axes());
        let filled: Vec<u64> = real
            .map(|(range, axis)| range.end.min(axis.extent).saturating_sub(range.start))
            .collect();
        let (elements, slots) = (filled.iter().product(), indexes.iter().map(length).product());
        let first: Vec<u64> = indexes.iter().map(|range| range.start).collect();
        let place = internals::slot(layout, &first);
        let places = match slots {
            1 => place.iter().map(|(level, at)| (level, CoordinateSpan::at(at))).collect(),
            _ => spans.of(&indexes),
        };
        let levels = self.unit_levels();
        let mut sides = filled.iter().rev().copied().chain([1, 1]);
        let columns = sides.next().unwrap_or(1);
        Cell {
            kind: if elements > 0 { CellKind::Element } else { CellKind::Padding },
            path: self.path(&place, &levels),
            unit: unit(&places, &levels),
            filled: [sides.next().unwrap_or(1), columns],
            slots,
            elements,
            places,
            indexes,
            ..Cell::default()
        }
    }

    /// The columns in which cells differ; coordinates that all copies share do not differ.
    fn varying(&self, cells: &[Cell]) -> Vec<Level> {
        let differs = |level: &Level| {
            let mut spans =
                cells.iter().filter(|c| c.elements > 0).map(|cell| span_in(cell, *level));
            let first = spans.next();
            spans.any(|span| Some(span) != first)
        };
        // A level that the layout does not use has copies only.
        let columns = self.placement.columns().iter().copied();
        columns.filter(|level| self.placement.layout().uses(*level)).filter(differs).collect()
    }

    /// The lines of text in the cells of a panel.
    fn labels_of(&self, grid: &Grid, varying: &[Level]) -> Vec<Label> {
        if !self.labels.is_empty() {
            return self.labels.clone();
        }
        let levels = |levels: Vec<Level>| levels.into_iter().map(Label::Level).collect();
        let units: Vec<Level> = varying.iter().copied().filter(|l| !l.is_in_unit()).collect();
        let within = units.len() < varying.len() || units.is_empty();
        match grid.is_of_elements() || grid.is_elided {
            true if within => vec![Label::Address],
            true => levels(units),
            false if varying.is_empty() => levels(self.used_columns()),
            false => levels(varying.to_vec()),
        }
    }

    /// The columns that the layout uses without copies.
    fn used_columns(&self) -> Vec<Level> {
        let (layout, copied) = (self.placement.layout(), self.placement.replicated());
        let columns = self.placement.columns().iter().copied();
        columns.filter(|level| layout.uses(*level) && !copied.contains(level)).collect()
    }

    /// The coordinates that all cells share: `in each PE 0..3, Addr 0..63`.
    fn in_common(&self, grid: &Grid, cells: &[Cell], varying: &[Level]) -> Option<String> {
        if self.is_small() {
            return None;
        }
        let first = cells.iter().find(|cell| cell.elements > 0)?;
        let common = self.used_columns().into_iter().filter(|level| !varying.contains(level));
        let shown = common.filter_map(|level| Some((level, span_in(first, level)?)));
        let shown: Vec<String> = shown.map(|(level, span)| format!("{level} {span}")).collect();
        let what = if grid.is_of_elements() || grid.is_elided { "all in" } else { "in each" };
        (!shown.is_empty()).then(|| format!("{what} {}", shown.join(", ")))
    }

    /// The levels whose coordinates colour a panel: the outer ones in which its cells differ and
    /// each has one coordinate, as long as there are colours; else those of the panel before.
    fn colored_levels(&self, cells: &[Cell], inherited: &[Level]) -> Vec<Level> {
        let filled = || cells.iter().filter(|cell| cell.elements > 0);
        let single = |level: &Level| filled().all(|cell| only(cell, *level).is_some());
        let varying = self.varying(cells);
        let mut levels = self.coloring_levels();
        levels.retain(|level| varying.contains(level) && single(level));
        if levels.is_empty() {
            return inherited.to_vec();
        }
        let few = |levels: &[Level]| {
            let values = filled().map(|cell| values(cell, levels));
            values.collect::<std::collections::HashSet<_>>().len() <= COLORS
        };
        let count = (1..=levels.len()).rev().find(|count| few(&levels[..*count])).unwrap_or(1);
        levels.truncate(count);
        levels
    }
}

impl Grid {
    fn of_elements(lead: Vec<u64>, sides: &[Range<u64>]) -> Grid {
        let singly = |range: &Range<u64>| range.clone().map(|at| at..at + 1).collect();
        Grid { lead, sides: sides.iter().map(singly).collect(), is_elided: false }
    }
}

/// The coordinates in some levels, if each has one only.
fn values(cell: &Cell, levels: &[Level]) -> Option<Vec<u64>> {
    levels.iter().map(|level| only(cell, *level)).collect()
}

/// The unit of a cell whose elements are all in one; empty for other cells.
fn unit(places: &[(Level, CoordinateSpan)], levels: &[Level]) -> String {
    let at = |level: &Level| places.iter().find(|(of, _)| of == level)?.1.only();
    let units: Option<Vec<String>> = levels.iter().map(|l| Some(at(l)?.to_string())).collect();
    units.unwrap_or_default().join(".")
}

/// Single elements in the order of their addresses, cut wherever an address is not the next one.
fn in_order(cells: &[Cell]) -> Vec<Vec<usize>> {
    let place = |cell: &Cell| -> Option<(Location, u64)> {
        let at = |(level, span): &(Level, CoordinateSpan)| {
            (*level != Level::ADDR).then_some((*level, span.first))
        };
        let unit = cell.places.iter().filter_map(at).collect();
        (cell.slots == 1 && cell.elements == 1).then_some((unit, only(cell, Level::ADDR)?))
    };
    let mut all: Vec<(Location, u64, usize)> = cells
        .iter()
        .enumerate()
        .filter_map(|(at, cell)| place(cell).map(|(unit, address)| (unit, address, at)))
        .collect();
    all.sort();
    let mut chains: Vec<Vec<usize>> = Vec::new();
    let mut before: Option<(Location, u64)> = None;
    for (unit, address, at) in all {
        let follows = before.as_ref().is_some_and(|(of, last)| *of == unit && last + 1 == address);
        match chains.last_mut().filter(|_| follows) {
            Some(chain) => chain.push(at),
            None => chains.push(vec![at]),
        }
        before = Some((unit, address));
    }
    chains.retain(|chain| chain.len() > 1);
    chains
}
