//! The tensor as a grid: every element, or the blocks of a large one.

use std::ops::Range;

use itertools::Itertools;

use super::color::{Draft, paint};
use super::coloring::{Scheme, only, span_in};
use super::cut::length;
use super::drawing::Drawing;
use super::grid::{Grid, LEFT_OUT};
use super::label::grouped;
use super::palette::COLORS;
use super::{Cell, CellKind, Label, Panel, Picture};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::Location;
use tensor_layout::program::{CoordinateSpan, CoordinateSpans};

impl Drawing<'_> {
    /// The tensor as a grid, with the last two axes as rows and columns and a grid for every index of the
    /// others: every cell, including padding, with its address, coloured by its unit.
    ///
    /// If it has more than 64 rows or columns or 1024 cells, blocks are drawn, along the digits of the
    /// layout, and the content of one block in another grid, down to the elements, so the picture of any
    /// layout is small. The block is the first that is partly padded, or the one that
    /// [`zoom`](Drawing::zoom) names.
    /// Law: a cell with one element has the place that
    /// [`Placement::locate`](tensor_layout::Placement::locate) returns; a block has as many elements, as much
    /// padding and the same coordinates as its indexes have one by one.
    /// Cost: O(digits) per cell, for any number of elements.
    #[must_use]
    pub fn tensor(&self) -> Picture {
        let mut picture = self.picture("The tensor", paint(self.tensor_drafts()));
        picture.notes.extend(self.left_out(&self.ranges()));
        picture
    }

    /// The tensor and the memories as [`tensor`](Drawing::tensor) and [`memory`](Drawing::memory) draw them, but with
    /// one meaning for the colours of both: that of the tensor.
    ///
    /// # Errors
    /// As [`memory`](Drawing::memory).
    pub fn tensor_and_memory(&self) -> Result<[Picture; 2], LayoutError> {
        let drafts = self.tensor_drafts();
        let count = drafts.len();
        let shared = drafts.first().and_then(|draft| draft.coloring.scheme.clone());
        let mut machine = self.clone();
        machine.shared = shared;
        let (memories, notes) = machine.memory_drafts()?;
        let mut panels = paint(drafts.into_iter().chain(memories).collect());
        let memories = panels.split_off(count);
        let mut tensor = self.picture("The tensor", panels);
        tensor.notes.extend(self.left_out(&self.ranges()));
        let memory = Picture { notes, ..self.picture("The memories", memories) };
        Ok([tensor, memory])
    }

    /// The panels before they are coloured.
    pub(super) fn tensor_drafts(&self) -> Vec<Draft> {
        let region = self.ranges();
        if region.iter().any(Range::is_empty) {
            return Vec::new();
        }
        let spans = self.spans();
        match self.draws_elements_of(&region) {
            true => {
                let mut grids = self.grids_of_elements(&region);
                if self.banks.is_some() {
                    grids = self.grids_of_banks(self, grids);
                }
                grids.iter().map(|grid| self.draft(grid, &spans, None)).collect()
            }
            false => self.zoomed(&region, &spans),
        }
    }

    /// The counter of the coordinates that elements take, all copies among them.
    pub(super) fn spans(&self) -> CoordinateSpans<'_> {
        CoordinateSpans::new(self.placement.with_copies(), self.placement.columns())
    }

    /// Padding inside tiles, which no index reaches.
    pub(super) fn hidden_padding(&self) -> Option<String> {
        let layout = self.placement.layout();
        if layout.derived_axes().is_empty() {
            return None;
        }
        let axes = (0..layout.rank()).map(|axis| self.slots(axis));
        let drawn = axes.fold(1_u64, u64::saturating_mul).saturating_mul(layout.copies());
        // Elements that share a place are drawn more often than there are slots.
        let padding = drawn.saturating_sub(layout.elements().saturating_mul(layout.copies()));
        let hidden = layout.pads().map_or_else(
            |_| layout.slots().saturating_sub(drawn),
            |pads| pads.saturating_sub(padding),
        );
        (hidden > 0).then(|| {
            let hidden = grouped(hidden);
            format!("{hidden} more padding slots are inside tiles and have no index; the machine view shows them")
        })
    }

    /// Blocks along the digits, then the content of one of them, down to elements.
    fn zoomed(&self, region: &[Range<u64>], spans: &CoordinateSpans<'_>) -> Vec<Draft> {
        let mut drafts: Vec<Draft> = Vec::new();
        let lead = self.lead(region);
        let (mut sides, mut meaning) = (region[lead.len()..].to_vec(), Vec::new());
        // A block that is cut into one is looked into at once.
        for _ in 0..2 * self.most_panels {
            if drafts.len() == self.most_panels {
                break;
            }
            let grid = self.cut(self, &lead, &sides);
            let cells = grid.boxes();
            if cells.len() > 1 || grid.is_of_elements() {
                let mut draft = self.draft(&grid, spans, Some(&meaning));
                meaning = self.colored_levels(&draft.panel.cells, &meaning);
                if grid.is_of_elements() {
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
    pub(super) fn draft(
        &self,
        grid: &Grid,
        spans: &CoordinateSpans<'_>,
        inherited: Option<&[Level]>,
    ) -> Draft {
        let slots: Vec<u64> = (0..grid.extents.len()).map(|axis| self.slots(axis)).collect();
        let within = |indexes: Vec<Range<u64>>| -> Vec<Range<u64>> {
            let within = indexes.into_iter().zip(&slots);
            within.map(|(range, slots)| range.start..range.end.min(*slots)).collect()
        };
        // The region of two layouts has cells for which one of them has no slots.
        let cell = |indexes: Vec<Range<u64>>| match indexes.iter().any(Range::is_empty) {
            true => Cell::default(),
            false => self.tensor_cell(indexes, spans),
        };
        let mut cells: Vec<Cell> =
            grid.boxes().into_iter().map(|indexes| cell(within(indexes))).collect();
        let varying = self.varying(&cells);
        let labels = self.labels_of(grid, &cells, &varying);
        for cell in &mut cells {
            let whole = grid.leaves_out(&cell.indexes);
            cell.label = if whole { LEFT_OUT.into() } else { Label::lines(&labels, cell) };
        }
        let scheme = inherited.map_or_else(
            || self.scheme_of_elements(),
            |inherited| self.scheme_of_blocks(&cells, inherited),
        );
        let coloring = self.coloring(&cells, &scheme);
        let order = if self.tiles.is_empty() { Vec::new() } else { in_order(&cells) };
        let caption = [grid.within(&slots).caption()]
            .into_iter()
            .chain(self.in_common(grid, spans, &cells, &varying));
        let panel = Panel {
            caption: caption.collect::<Vec<_>>().join("; "),
            text: Label::names(&labels),
            levels: self.unit_levels(),
            tiles: self.tile_names(),
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
        let place = layout.locate_slot(&first).unwrap_or_default();
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
    fn labels_of(&self, grid: &Grid, cells: &[Cell], varying: &[Level]) -> Vec<Label> {
        if !self.labels.is_empty() {
            return self.labels.clone();
        }
        if let Some(bits) = self.banks.filter(|bits| Scheme::Bank(*bits).colors_all(cells)) {
            return vec![Label::Bank(bits)];
        }
        let levels = |levels: Vec<Level>| levels.into_iter().map(Label::Level).collect();
        let units: Vec<Level> = varying.iter().copied().filter(|l| !l.is_in_unit()).collect();
        let within = units.len() < varying.len() || units.is_empty();
        match grid.is_of_elements() {
            true if varying.contains(&Level::LANE) => vec![Label::Thread, Label::Value],
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

    /// The coordinates that all cells share: `in each PE 0..3, Addr 0..63`. For a small tensor, these are the
    /// addresses in which its grids differ, because colours show units; as soon as cells differ in an
    /// address, there are none, because labels show whole addresses.
    fn in_common(
        &self,
        grid: &Grid,
        spans: &CoordinateSpans<'_>,
        cells: &[Cell],
        varying: &[Level],
    ) -> Option<String> {
        let first = cells.iter().find(|cell| cell.elements > 0)?;
        let differs = |(level, span): (Level, CoordinateSpan)| {
            (level.is_in_unit() && span.only().is_none()).then_some(level)
        };
        let common = match self.is_small() {
            true if varying.iter().any(|level| level.is_in_unit()) => Vec::new(),
            true => spans.of(&self.ranges()).into_iter().filter_map(differs).collect(),
            false => self.used_columns(),
        };
        let common = common.into_iter().filter(|level| !varying.contains(level));
        let shown = common.filter_map(|level| Some((level, span_in(first, level)?)));
        let shown: Vec<String> = shown.map(|(level, span)| format!("{level} {span}")).collect();
        let what = if grid.is_of_elements() { "all in" } else { "in each" };
        (!shown.is_empty()).then(|| format!("{what} {}", shown.join(", ")))
    }

    /// The scheme of blocks: the units, or of blocks of several units the ranges of the outermost level in
    /// which they differ.
    fn scheme_of_blocks(&self, cells: &[Cell], inherited: &[Level]) -> Scheme {
        let levels = self.colored_levels(cells, inherited);
        let is_by_unit = self.by.is_none() && self.tiles.is_empty();
        let varying = self.varying(cells);
        let outermost = self.coloring_levels().into_iter().find(|level| varying.contains(level));
        match outermost.filter(|_| levels.is_empty() && is_by_unit) {
            Some(level) => {
                let filled = cells.iter().filter(|cell| cell.elements > 0);
                let ranges = filled.filter_map(|cell| span_in(cell, level)).unique().collect();
                Scheme::Ranges(level, ranges)
            }
            None => self.scheme(&levels).of_blocks(cells),
        }
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
