//! The machine as a tree: the contents of its subtrees, level by level.

use std::ops::Range;

use super::color::Draft;
use super::cut::{blocks, length};
use super::drawing::Drawing;
use super::label::grouped;
use super::report::{Census, extreme_units};
use super::{Cell, CellKind, Panel};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::Location;
use tensor_layout::algebra::{Axis, Subaxis};
use tensor_layout::program::CoordinateSpan;
use tensor_layout_words::to_index;

/// The most subtrees whose contents are counted for a panel.
const MOST_SUBTREES: u64 = 1 << 13;

/// The most units of a level that are drawn singly in a row or a column.
const MOST_SINGLY: u64 = 32;

/// The number of columns that are drawn however wide they are.
const FEWEST_COLUMNS: u64 = 4;

/// The most blocks of units along a side.
const MOST_BLOCKS: u64 = 16;

/// A level whose coordinates are still open, and those coordinates.
#[derive(Clone)]
struct Open {
    level: Level,
    range: Range<u64>,
    /// The number of units that share the memory.
    step: u64,
}

impl Open {
    /// The units, groups by their first one.
    fn named(&self, range: &Range<u64>) -> impl Iterator<Item = u64> + use<> {
        range.clone().step_by(to_index(self.step))
    }

    fn count(&self) -> u64 {
        length(&self.range).div_ceil(self.step)
    }
}

impl Drawing<'_> {
    /// Panels of counts from the root down, and the memory of one unit; totals as notes.
    pub(super) fn tree(&self) -> Result<(Vec<Draft>, Vec<String>), LayoutError> {
        let mut notes = self.totals()?;
        let mut unit = self.at.clone();
        let open = self.levels_of_units().filter(|level| self.at.get(*level).is_none());
        let mut open: Vec<Open> = open.map(|level| self.open(level)).collect();
        let (mut drafts, scheme) = (Vec::new(), self.scheme_of_elements());
        while let Some(first) = open.first() {
            if first.count() == 1 {
                unit.set(first.level, first.range.start);
                open.remove(0);
                continue;
            }
            let sides: Vec<Open> = self.sides(&open);
            if sides.iter().any(|side| side.count() > MOST_SUBTREES) {
                let (level, size) = (sides[0].level, grouped(sides[0].count()));
                notes.push(format!(
                    "the {size} units of {level} were not counted; choose one of them"
                ));
                return Ok((drafts, notes));
            }
            let (panel, chosen) = self.panel_that_fits(&unit, &sides)?;
            let coloring = self.coloring(&panel.cells, &scheme);
            drafts.push(Draft::new(panel, coloring));
            if drafts.len() == self.most_panels {
                return Ok((drafts, notes));
            }
            for (open, range) in open.iter_mut().zip(chosen) {
                open.range = range;
            }
        }
        drafts.push(self.memory_of(&unit)?);
        Ok((drafts, notes))
    }

    /// The levels of units, from the root down.
    fn levels_of_units(&self) -> impl Iterator<Item = Level> + '_ {
        self.placement.columns().iter().copied().filter(|level| !level.is_in_unit())
    }

    /// The coordinates of a level that are shown: whole groups.
    fn open(&self, level: Level) -> Open {
        let asked = self.units.iter().find(|(of, _)| *of == level).map(|(_, range)| range.clone());
        let Range { start, end } = asked.unwrap_or_else(|| 0..self.placement.coordinates(level));
        let step = self.placement.units_per_memory(level);
        Open { level, range: start - start % step..end, step }
    }

    /// The next level, and the one after it where both are few.
    fn sides(&self, open: &[Open]) -> Vec<Open> {
        let few = |sides: &&[Open]| {
            let sizes = sides.iter().map(Open::count);
            sizes.fold(1, u64::saturating_mul) <= MOST_SUBTREES
        };
        let two = open.get(..2).filter(few);
        two.unwrap_or(&open[..1]).to_vec()
    }

    fn totals(&self) -> Result<Vec<String>, LayoutError> {
        let mut notes = vec![sentence(&Census::of(self.placement, &self.at)?)];
        if let Some((fullest, emptiest)) = extreme_units(self.placement, &self.at)? {
            let (most, least) = (fullest.elements, emptiest.elements);
            notes.push(match most == least {
                true => format!("every unit holds {} elements", grouped(most)),
                false => format!(
                    "the fullest unit is {} with {} elements, the emptiest {} with {}",
                    fullest.unit,
                    grouped(most),
                    emptiest.unit,
                    grouped(least)
                ),
            });
        }
        Ok(notes)
    }

    /// A panel of units, or of blocks of them, no wider than a page, and the ranges of the cell to look into.
    fn panel_that_fits(
        &self,
        unit: &Location,
        sides: &[Open],
    ) -> Result<(Panel, Vec<Range<u64>>), LayoutError> {
        let mut most = MOST_SINGLY;
        loop {
            let (panel, chosen) = self.panel_of_units(unit, sides, most)?;
            let lines = panel.cells.iter().flat_map(|cell| cell.label.lines());
            let widest = lines.map(|line| line.chars().count() + 1).max().unwrap_or(0);
            if most <= FEWEST_COLUMNS || widest * panel.columns <= self.most_characters {
                return Ok((panel, chosen));
            }
            most /= 2;
        }
    }

    /// A panel with at most so many columns.
    fn panel_of_units(
        &self,
        unit: &Location,
        sides: &[Open],
        most_columns: u64,
    ) -> Result<(Panel, Vec<Range<u64>>), LayoutError> {
        let most = [MOST_SINGLY, most_columns].into_iter().skip(2 - sides.len());
        let cuts: Vec<Vec<Range<u64>>> =
            sides.iter().zip(most).map(|(side, most)| cut(side, most)).collect();
        // A side that is not there has one cell.
        let one: Vec<Range<u64>> = std::iter::once(0..1).collect();
        let (rows, columns) = match &cuts[..] {
            [rows, columns] => (rows, columns),
            cuts => (&one, cuts.first().unwrap_or(&one)),
        };
        let mut cells: Vec<Cell> = Vec::new();
        let mut ranges = Vec::new();
        let levels: Vec<Level> = self.levels_of_units().collect();
        for row in rows {
            let sums = self.sums(unit, sides, (row, columns))?;
            for (sum, column) in sums.iter().zip(columns) {
                let of_cell = &[row.clone(), column.clone()][2 - sides.len()..];
                let cell = block(sum, unit, sides, of_cell);
                let path = levels.iter().map(|level| first(&cell, *level)).collect();
                cells.push(Cell { path, ..cell });
                ranges.push(of_cell.to_vec());
            }
        }
        let chosen = cells.iter().position(Cell::is_partly_padded);
        let chosen =
            chosen.or_else(|| cells.iter().position(|cell| cell.elements > 0)).unwrap_or(0);
        let panel = Panel {
            caption: caption(unit, sides, &cuts),
            columns: columns.len(),
            row_ticks: if sides.len() < 2 { vec![String::new()] } else { ticks(rows) },
            column_ticks: ticks(columns),
            levels,
            zoom: Some(chosen),
            cells,
            ..Panel::default()
        };
        Ok((panel, ranges.swap_remove(chosen)))
    }

    /// The contents of the units of each cell of a row, added up.
    fn sums(
        &self,
        unit: &Location,
        sides: &[Open],
        (row, columns): (&Range<u64>, &[Range<u64>]),
    ) -> Result<Vec<Census>, LayoutError> {
        let mut sums = vec![Census::default(); columns.len()];
        let Some(last) = sides.last() else { return Ok(sums) };
        let rows: Vec<u64> = match sides {
            [first, _] => first.named(row).collect(),
            _ => row.clone().collect(),
        };
        let mut unit = unit.clone();
        for at in rows {
            if let [first, _] = sides {
                unit.set(first.level, at);
            }
            for (sum, column) in sums.iter_mut().zip(columns) {
                for at in last.named(column) {
                    unit.set(last.level, at);
                    add(sum, &Census::of(self.placement, &unit)?);
                }
            }
        }
        Ok(sums)
    }
}

/// Adds the contents of a subtree.
fn add(sum: &mut Census, found: &Census) {
    let first = sum.units == 0;
    sum.units = sum.units.saturating_add(found.units);
    sum.elements = sum.elements.saturating_add(found.elements);
    sum.padding = sum.padding.saturating_add(found.padding);
    sum.holes = match (sum.holes, found.holes) {
        (None, holes) if first => holes,
        (a, b) => a.zip(b).map(|(a, b)| a.saturating_add(b)),
    };
}

fn sentence(census: &Census) -> String {
    let Census { units, elements, padding, holes, .. } = census;
    let holes =
        holes.map_or("holes not counted".into(), |holes| format!("{} holes", grouped(holes)));
    let [units, elements, padding] = [*units, *elements, *padding].map(grouped);
    format!(
        "{units} units hold {elements} elements (all copies), {padding} slots of padding, {holes}"
    )
}

/// The cell of units that are open in these ranges.
fn block(sum: &Census, unit: &Location, sides: &[Open], ranges: &[Range<u64>]) -> Cell {
    let fixed = unit.iter().map(|(level, at)| (level, CoordinateSpan::at(at)));
    let open =
        sides.iter().zip(ranges).map(|(side, range)| (side.level, CoordinateSpan::run(range)));
    Cell { places: fixed.chain(open).collect(), ..cell(sum) }
}

/// The first coordinate of a cell in a level. Paths begin at the root, so that a border names its level.
fn first(cell: &Cell, level: Level) -> u64 {
    cell.places.iter().find(|(of, _)| *of == level).map_or(0, |(_, span)| span.first)
}

/// Single units, or blocks of many.
fn cut(side: &Open, most: u64) -> Vec<Range<u64>> {
    let Open { level, range, step } = side;
    if side.count() <= most {
        return side.named(range).map(|at| at..(at + step).min(range.end)).collect();
    }
    let all = range.end.div_ceil(*step);
    let axis = Axis { extent: all, subaxes: vec![Subaxis::land(all, *level, 1)] };
    let cuts = blocks(&axis, &(range.start / step..all), 1, most.min(MOST_BLOCKS));
    cuts.into_iter().map(|cut| cut.start * step..(cut.end * step).min(range.end)).collect()
}

fn cell(census: &Census) -> Cell {
    let slots = census.elements.saturating_add(census.padding);
    let kind = match (census.elements, census.padding) {
        (0, 0) => CellKind::Hole,
        (0, _) => CellKind::Padding,
        _ => CellKind::Element,
    };
    let mut label = vec![grouped(census.elements)];
    let others = [(census.padding, "pad"), (census.holes.unwrap_or(0), "holes")];
    let others = others.into_iter().filter(|(count, _)| *count > 0);
    label.extend(others.map(|(count, what)| format!("{} {what}", grouped(count))));
    Cell {
        kind,
        label: label.join("\n"),
        filled: [1, 1],
        slots,
        elements: census.elements,
        ..Cell::default()
    }
}

fn caption(unit: &Location, sides: &[Open], cuts: &[Vec<Range<u64>>]) -> String {
    let names = ["rows", "columns"].into_iter().skip(2 - sides.len());
    let mut parts: Vec<String> = sides
        .iter()
        .zip(names)
        .map(|(side, name)| {
            format!("{name} {} {} to {}", side.level, side.range.start, side.range.end - 1)
        })
        .collect();
    if unit.iter().len() > 0 {
        parts.insert(0, format!("in {unit}"));
    }
    if cuts.iter().flatten().any(|range| length(range) > 1) {
        let longest = |cut: &Vec<Range<u64>>| cut.iter().map(length).max().unwrap_or(1).to_string();
        let sizes: Vec<String> = cuts.iter().map(longest).collect();
        parts.push(format!("a cell is {} units", sizes.join(" x ")));
    }
    format!("{}; the number of elements in each", parts.join(", "))
}

fn ticks(ranges: &[Range<u64>]) -> Vec<String> {
    let tick = |range: &Range<u64>| match length(range) {
        1 => range.start.to_string(),
        _ => format!("{}..{}", range.start, range.end - 1),
    };
    ranges.iter().map(tick).collect()
}
