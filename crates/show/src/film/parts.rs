//! The film of a large tensor: of each block, the elements that go from one unit to another.

use std::ops::Range;

use tensor_layout::error::ErrorKind;
use tensor_layout::machine::Memory;
use tensor_layout::program::{CoordinateSpan, CoordinateSpans};
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{LayoutError, Level, Location, Placement};
use tensor_layout_words::{to_index, to_u64};

use super::{Film, Flyer, Spot, Stage};
use crate::color::{Coloring, Draft, paint};
use crate::drawing::Drawing;
use crate::group::memory_of_groups;
use crate::report::Census;
use crate::{Cell, CellKind, Panel};

/// The most blocks along a side of the tensor, the finest first.
const FINENESS: [u64; 4] = [16, 8, 4, 2];

/// The most parts that fly.
const MOST_PARTS: usize = 256;

/// The most units that have a row of their own.
const MOST_UNITS: u64 = 32;

/// The most parts in a row.
const ROW: usize = 16;

/// The elements of a block that are in the same units.
struct Part {
    block: usize,
    /// The unit in each layout.
    units: Vec<u64>,
    elements: u64,
}

/// The layouts, and the level by whose units their elements are grouped.
struct Parted<'a> {
    all: &'a [&'a Drawing<'a>],
    level: Option<Level>,
}

/// The film of one layout or two.
pub(super) fn drawn(all: &[&Drawing<'_>], relayouts: &[Relayout]) -> Result<Film, LayoutError> {
    let level = match (all, relayouts) {
        ([one], _) => level_of_one(one)?,
        ([from, to], [relayout]) => {
            let level = level_of_two(relayout)?;
            let has = |drawing: &Drawing<'_>, level| drawing.placement.columns().contains(&level);
            // A layout without time is in every slice of the other one.
            let mut told_apart = [Some(Level::TIME), level].into_iter().flatten();
            if told_apart.any(|level| has(from, level) != has(to, level)) {
                let [from, to] = [from, to].map(|drawing| extents(drawing.placement));
                return Err(LayoutError::differ("levels", from, to));
            }
            level
        }
        _ => return Err(undecided("drawing the paths of blocks over several hops")),
    };
    let parted = Parted { all, level };
    for most in FINENESS {
        let drafts = parted.tensor(most);
        let Some(blocks) = drafts.first().map(|draft| &draft.panel.cells) else { break };
        if let Some(parts) = parted.parts(blocks)? {
            return parted.film(drafts, &parts);
        }
    }
    Err(undecided("drawing a film of so many parts"))
}

fn extents(placement: &Placement) -> Vec<(Level, u64)> {
    let columns = placement.columns().iter();
    columns.map(|level| (*level, placement.coordinates(*level))).collect()
}

fn undecided(question: &'static str) -> LayoutError {
    LayoutError::not_decided(question, to_u64(MOST_PARTS))
}

/// The outermost level in which one layout differs.
fn level_of_one(drawing: &Drawing<'_>) -> Result<Option<Level>, LayoutError> {
    let Some(level) = drawing.unit_levels().first().copied() else { return Ok(None) };
    match drawing.placement.coordinates(level) {
        count if count <= MOST_UNITS => Ok(Some(level)),
        _ => Err(undecided("drawing a film of so many units")),
    }
}

/// The outermost level that anything crosses, else the outermost one with several units.
fn level_of_two(relayout: &Relayout) -> Result<Option<Level>, LayoutError> {
    if let Distance::Level(crossed) = relayout.traffic()?.farthest() {
        match relayout.flows(crossed) {
            Ok(flows) if to_u64(flows.from.len().max(flows.to.len())) <= MOST_UNITS => {
                return Ok(Some(flows.level));
            }
            Ok(_) => return Err(undecided("drawing a film of so many units")),
            // One of the memories is above the units that are entered or left.
            Err(error) if error.kind() == ErrorKind::Unknown => {}
            Err(error) => return Err(error),
        }
    }
    let several = |level: &&Level| {
        let flows = relayout.flows(**level);
        flows.is_ok_and(|flows| (2..=to_index(MOST_UNITS)).contains(&flows.from.len()))
    };
    Ok(relayout.levels().iter().find(several).copied())
}

impl Parted<'_> {
    /// The memory of the groups, where the level is one of groups of units.
    fn group(&self) -> Option<Memory> {
        memory_of_groups(self.level?, self.all.iter().map(|drawing| drawing.placement))
    }

    /// The level whose coordinates name the units: a group is named by the first of them.
    fn units_level(&self) -> Option<Level> {
        self.group().map(|memory| memory.owner).or(self.level)
    }

    /// The blocks of the tensor, by the units of the first layout.
    fn tensor(&self, most: u64) -> Vec<Draft> {
        let Some(first) = self.all.first() else { return Vec::new() };
        let mut drawing = (*first).clone().most_blocks(most).most_panels(1);
        drawing.by = self.units_level().or(drawing.by);
        drawing.tensor_drafts()
    }

    /// The parts of all blocks; nothing where they are too many.
    fn parts(&self, blocks: &[Cell]) -> Result<Option<Vec<Part>>, LayoutError> {
        let mut parts = Vec::new();
        for (block, cell) in blocks.iter().enumerate().filter(|(_, cell)| cell.elements > 0) {
            let of_block = self.units_of(cell)?;
            parts.extend(of_block.into_iter().map(|(units, elements)| Part {
                block,
                units,
                elements,
            }));
            if parts.len() > MOST_PARTS {
                return Ok(None);
            }
        }
        Ok(Some(parts))
    }

    /// The units of the elements of a block, with the number of elements in each.
    fn units_of(&self, block: &Cell) -> Result<Vec<(Vec<u64>, u64)>, LayoutError> {
        let Some(level) = self.level else {
            return Ok(vec![(vec![0; self.all.len()], block.elements)]);
        };
        let only: Option<Vec<u64>> =
            self.all.iter().map(|drawing| only_unit(drawing.placement, level, block)).collect();
        let copies = self.all.last().map_or(1, |drawing| drawing.placement.copies());
        if let (Some(units), Some(copied)) = (only, block.elements.checked_mul(copies)) {
            return Ok(vec![(units, copied)]);
        }
        let boxed = |drawing: &&Drawing<'_>| part_of(drawing.placement, &block.indexes);
        match &self.all.iter().map(boxed).collect::<Result<Vec<_>, _>>()?[..] {
            [one] => in_units(one, level, block),
            [from, to] => between_units(&Relayout::new(from, to)?, level),
            _ => Ok(Vec::new()),
        }
    }
}

/// The unit that all elements of a block are in, if it can be seen without counting.
fn only_unit(placement: &Placement, level: Level, block: &Cell) -> Option<u64> {
    let shared = placement.replicated().contains(&level) || placement.units_per_memory(level) > 1;
    span(placement, level, block).filter(|_| !shared).and_then(|span| span.only())
}

/// The coordinates of a block in a level.
fn span(placement: &Placement, level: Level, block: &Cell) -> Option<CoordinateSpan> {
    let spans =
        CoordinateSpans::new(placement.with_copies(), placement.columns()).of(&block.indexes);
    spans.into_iter().find(|(of, _)| *of == level).map(|(_, span)| span)
}

/// The placement of the elements in a box.
fn part_of(placement: &Placement, ranges: &[Range<u64>]) -> Result<Placement, LayoutError> {
    let mut layout = placement.layout().clone();
    for (axis, range) in ranges.iter().enumerate() {
        layout =
            layout.slice(axis, range.start, range.end.min(placement.layout().shape()[axis]), 1)?;
    }
    let mut builder = Placement::of(layout).oversized();
    if let Some(machine) = placement.machine() {
        builder = builder.on(machine);
    }
    if let Some((name, _)) = placement.memory() {
        builder = builder.memory(name);
    }
    if let Some(bits) = placement.element_bits() {
        builder = builder.element_bits(bits);
    }
    builder.build()
}

/// The copies of elements in each unit of a level.
fn in_units(
    part: &Placement,
    level: Level,
    block: &Cell,
) -> Result<Vec<(Vec<u64>, u64)>, LayoutError> {
    let mut found = Vec::new();
    let within = block.places.iter().find(|(of, _)| *of == level).map(|(_, span)| *span);
    let within = within.filter(|_| !part.replicated().contains(&level));
    let reached = |unit: &u64| within.is_none_or(|span| (span.first..=span.last).contains(unit));
    for unit in part.units_named(level).filter(reached) {
        let mut at = Location::default();
        at.set(level, unit);
        let elements = Census::of(part, &at)?.elements;
        found.extend((elements > 0).then_some((vec![unit], elements)));
    }
    Ok(found)
}

/// The copies that go from each unit of a level to each.
fn between_units(relayout: &Relayout, level: Level) -> Result<Vec<(Vec<u64>, u64)>, LayoutError> {
    let flows = relayout.flows(level)?;
    let row = |(from, row): (&u64, &Vec<u64>)| -> Vec<(Vec<u64>, u64)> {
        let counts = flows.to.iter().zip(row).filter(|(_, count)| **count > 0);
        counts.map(|(to, count)| (vec![*from, *to], *count)).collect()
    };
    Ok(flows.from.iter().zip(&flows.counts).flat_map(row).collect())
}

impl Parted<'_> {
    fn film(&self, mut drafts: Vec<Draft>, parts: &[Part]) -> Result<Film, LayoutError> {
        let blocks: Vec<Cell> = drafts.iter().flat_map(|draft| draft.panel.cells.clone()).collect();
        let mut paths: Vec<Vec<Spot>> =
            parts.iter().map(|part| vec![Spot { panel: 0, cell: part.block }]).collect();
        for (stage, drawing) in self.all.iter().enumerate() {
            let (draft, cells) = self.units(stage, drawing, &blocks, parts)?;
            drafts.push(draft);
            for (path, cell) in paths.iter_mut().zip(cells) {
                path.push(Spot { panel: 0, cell });
            }
        }
        let mut panels = paint(drafts).into_iter();
        let mut tensor: Vec<Panel> = panels.by_ref().take(1).collect();
        tensor.iter_mut().for_each(plain);
        let mut stages = vec![Stage { caption: "the tensor".into(), panels: tensor }];
        for (panel, drawing) in panels.zip(self.all) {
            let panel = Panel { key: Vec::new(), coloring: None, ..panel };
            stages.push(Stage { caption: drawing.title.clone(), panels: vec![panel] });
        }
        let flyers =
            parts.iter().zip(paths).map(|(part, path)| self.flyer(part, path, &blocks, &stages));
        Ok(Film { flyers: flyers.collect(), stages, ..Film::default() })
    }

    fn flyer(&self, part: &Part, path: Vec<Spot>, blocks: &[Cell], stages: &[Stage]) -> Flyer {
        let cell = |(stage, spot): (&Stage, &Spot)| {
            stage.panels.get(spot.panel)?.cells.get(spot.cell)?.color
        };
        let color = stages.iter().zip(&path).nth(1).and_then(cell);
        let moves = part.units.windows(2).any(|pair| pair[0] != pair[1]);
        Flyer {
            indexes: blocks[part.block].indexes.clone(),
            elements: part.elements,
            color,
            path,
            crosses: self.level.filter(|_| moves),
        }
    }

    /// The units of one layout, a row or a few for each, and the cells of the parts in the order of their first
    /// addresses.
    fn units(
        &self,
        stage: usize,
        drawing: &Drawing<'_>,
        blocks: &[Cell],
        parts: &[Part],
    ) -> Result<(Draft, Vec<usize>), LayoutError> {
        let first =
            |block| span(drawing.placement, Level::ADDR, block).map_or(0, |span| span.first);
        let first: Vec<u64> = blocks.iter().map(first).collect();
        let mut held: Vec<(u64, Vec<usize>)> =
            self.rows(drawing).into_iter().map(|unit| (unit, Vec::new())).collect();
        for (at, part) in parts.iter().enumerate() {
            let row = held.iter_mut().find(|(unit, _)| *unit == part.units[stage]);
            row.into_iter().for_each(|(_, held)| held.push(at));
        }
        held.iter_mut()
            .for_each(|(_, parts_of)| parts_of.sort_by_key(|at| (first[parts[*at].block], *at)));
        let most = held.iter().map(|(_, parts)| parts.len()).max().unwrap_or(0).max(1);
        let columns = most.min(ROW);
        let mut cells = vec![0; parts.len()];
        let mut panel = Panel { columns, caption: self.caption(), ..Panel::default() };
        panel.column_ticks = vec![String::new(); columns];
        let mut values = Vec::new();
        for (unit, parts_of) in &held {
            let name = self.level.map_or(String::new(), |_| unit.to_string());
            panel.row_ticks.push(name);
            panel
                .row_ticks
                .resize(panel.row_ticks.len() - 1 + most.div_ceil(columns), String::new());
            for slot in 0..most.div_ceil(columns) * columns {
                let part =
                    parts_of.get(slot).map(|at| (cells[*at] = panel.cells.len(), &parts[*at]).1);
                panel.cells.push(self.slot(*unit, part));
                values.push(part.map(|part| part.units[..1].to_vec()));
            }
        }
        let meaning = self.units_level().map_or(String::new(), |level| level.to_string());
        Ok((Draft::new(panel, Coloring { meaning, values, ..Coloring::default() }), cells))
    }

    fn rows(&self, drawing: &Drawing<'_>) -> Vec<u64> {
        let Some(level) = self.level else { return vec![0] };
        match self.group() {
            Some(Memory { owner, group, .. }) => {
                (0..drawing.placement.coordinates(owner)).step_by(to_index(group)).collect()
            }
            None => drawing.placement.units_named(level).collect(),
        }
    }

    fn slot(&self, unit: u64, part: Option<&Part>) -> Cell {
        let elements = part.map_or(0, |part| part.elements);
        Cell {
            kind: if elements > 0 { CellKind::Element } else { CellKind::Blank },
            path: vec![unit],
            filled: [1, 1],
            slots: elements,
            elements,
            places: self
                .units_level()
                .map(|level| (level, CoordinateSpan::at(unit)))
                .into_iter()
                .collect(),
            ..Cell::default()
        }
    }

    fn caption(&self) -> String {
        match (self.group(), self.level) {
            (Some(Memory { owner, group, .. }), _) => {
                format!("a row per memory of {group} {owner}s, a box per part of a block")
            }
            (None, Some(level)) => format!("a row per {level}, a box per part of a block"),
            (None, None) => "a box per block".into(),
        }
    }
}

/// Removes the text and the zoom of blocks: the flyers that leave them have their own text.
fn plain(panel: &mut Panel) {
    panel.zoom = None;
    panel.cells.iter_mut().for_each(|cell| cell.label.clear());
}
