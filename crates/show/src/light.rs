//! Cells that light up together: an element and its places, a unit and its elements.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use itertools::Itertools;
use tensor_layout::algebra::{Replica, Restricted};
use tensor_layout::error::{ErrorKind, LayoutError};
use tensor_layout::program::CoordinateSpan;
use tensor_layout::{Level, Location, Placement};
use tensor_layout_words::to_u64;

use super::report::Census;
use super::{Cell, Panel};

/// The most units of a cell that are visited one by one.
const MOST_UNITS: u64 = 1 << 10;

impl<'a> UnitContents<'a> {
    /// The contents of every cell of a panel of the machine.
    ///
    /// # Errors
    /// As [`new`](UnitContents::new).
    pub fn of_panel(
        placement: &Placement,
        machine: &'a Panel,
    ) -> Result<Vec<UnitContents<'a>>, LayoutError> {
        machine.cells.iter().map(|cell| UnitContents::new(placement, cell)).collect()
    }

    /// The indices of the cells of a tensor's panel that have at least one element stored in this unit, of
    /// all copies or of the first ones only.
    ///
    /// # Errors
    /// `NotDecided` where too many digits have to be counted.
    pub fn cells_of(
        &self,
        placement: &Placement,
        tensor: &Panel,
        with_copies: bool,
    ) -> Result<Vec<usize>, LayoutError> {
        let lit = |(at, cell): (usize, &Cell)| {
            Ok(self.meets(&LitBlock::new(placement, cell, with_copies))?.then_some(at))
        };
        tensor.cells.iter().enumerate().map(lit).filter_map(Result::transpose).collect()
    }

    /// The indices of the cells of the machine that hold at least one element of a cell of the tensor.
    ///
    /// # Errors
    /// As [`cells_of`](UnitContents::cells_of).
    pub fn units_of(
        machine: &[UnitContents<'_>],
        placement: &Placement,
        cell: &Cell,
        with_copies: bool,
    ) -> Result<Vec<usize>, LayoutError> {
        let block = LitBlock::new(placement, cell, with_copies);
        let lit = |(at, held): (usize, &UnitContents<'_>)| Ok(held.meets(&block)?.then_some(at));
        machine.iter().enumerate().map(lit).filter_map(Result::transpose).collect()
    }
}

/// A cell of the tensor.
struct LitBlock<'a> {
    placement: &'a Placement,
    indexes: &'a [Range<u64>],
    with_copies: bool,
    /// The first place of a single element.
    place: Option<Location>,
    /// The copies that differ in a level, with the longest steps first; none if only the first ones count.
    copies: BTreeMap<Level, Vec<Replica>>,
}

impl<'a> LitBlock<'a> {
    fn new(placement: &'a Placement, cell: &'a Cell, with_copies: bool) -> LitBlock<'a> {
        let index: Vec<u64> = cell.indexes.iter().map(|range| range.start).collect();
        let is_element = cell.slots == 1 && cell.elements == 1;
        let place = is_element.then(|| placement.locate(&index).ok()).flatten();
        let replicas = placement.with_copies().replicas().iter().filter(|_| with_copies);
        let apart = replicas.filter(|copy| copy.size > 1 && copy.stride > 0);
        let mut copies: BTreeMap<Level, Vec<Replica>> = BTreeMap::new();
        for copy in apart.sorted_by_key(|copy| Reverse(copy.stride)) {
            copies.entry(copy.level).or_default().push(*copy);
        }
        LitBlock { placement, indexes: &cell.indexes, with_copies, place, copies }
    }

    /// Returns whether a copy of the element at `place` has a coordinate in a span. Every copy differs in one
    /// level, so that levels can be asked one by one.
    fn is_in(&self, place: &Location, level: Level, span: &CoordinateSpan) -> bool {
        let copies = self.copies.get(&level).map_or(&[][..], Vec::as_slice);
        place.get(level).is_none_or(|at| any_copy(at, copies, span))
    }
}

/// Returns whether one of the copies from `at` on has a coordinate in a span.
fn any_copy(at: u64, copies: &[Replica], span: &CoordinateSpan) -> bool {
    let Some((copy, shorter)) = copies.split_first() else { return span.contains(at) };
    let Some(ahead) = span.last.checked_sub(at) else { return false };
    let reach: u64 = shorter.iter().map(|copy| (copy.size - 1) * copy.stride).sum();
    let first = span.first.saturating_sub(at).saturating_sub(reach).div_ceil(copy.stride);
    let last = (ahead / copy.stride).min(copy.size - 1);
    (first..=last).any(|digit| any_copy(at + digit * copy.stride, shorter, span))
}

/// The content of a cell of the machine, for finding the cells of the tensor whose elements it stores.
///
/// At most 2^10 units of a cell are visited one by one; beyond that, a cell also counts as holding the elements
/// of neighbouring units.
#[derive(Clone, Debug)]
pub struct UnitContents<'a> {
    cell: &'a Cell,
    /// Its units, as boxes of digits; `None` if digits do not align with them.
    parts: Option<Vec<Restricted>>,
    units: Vec<Location>,
}

impl<'a> UnitContents<'a> {
    /// The content of one cell of the machine.
    ///
    /// # Errors
    /// As [`Layout::restrict`](tensor_layout::Layout::restrict), if it does not decide.
    pub fn new(placement: &Placement, cell: &'a Cell) -> Result<UnitContents<'a>, LayoutError> {
        let of_units = cell.elements > 0 && cell.indexes.is_empty();
        let units = if of_units { units(placement, cell) } else { Vec::new() };
        let mut parts = Some(Vec::new());
        for unit in &units {
            match placement.with_copies().restrict(unit) {
                Ok(part) => parts.iter_mut().for_each(|parts| parts.push(part.clone())),
                Err(error) => match error.kind() {
                    ErrorKind::OutOfRange => {}
                    ErrorKind::CannotRestrict => parts = None,
                    _ => return Err(error),
                },
            }
        }
        Ok(UnitContents { cell, parts, units })
    }

    fn meets(&self, block: &LitBlock<'_>) -> Result<bool, LayoutError> {
        let UnitContents { cell, .. } = self;
        if cell.elements == 0 || block.indexes.iter().any(Range::is_empty) {
            return Ok(false);
        }
        if let Some(place) = &block.place {
            return Ok(cell.places.iter().all(|(level, span)| block.is_in(place, *level, span)));
        }
        if !block.with_copies && !self.is_of_first_copies(block.placement) {
            return Ok(false);
        }
        if !cell.indexes.is_empty() {
            let mut pairs = block.indexes.iter().zip(&cell.indexes);
            return Ok(pairs.all(|(block, at)| block.contains(&at.start)));
        }
        match &self.parts {
            Some(parts) => any(parts.iter().map(|part| reaches(part, block.indexes))),
            None => any(self.units.iter().map(|unit| any_element(block, unit))),
        }
    }

    fn is_of_first_copies(&self, placement: &Placement) -> bool {
        let copied = placement.replicated();
        let mut spans = self.cell.places.iter().filter(|(level, _)| copied.contains(level));
        spans.all(|(_, span)| span.contains(0))
    }
}

fn any(mut found: impl Iterator<Item = Result<bool, LayoutError>>) -> Result<bool, LayoutError> {
    found.find(|found| !matches!(found, Ok(false))).unwrap_or(Ok(false))
}

/// Returns whether any index of a part is in a block. Each axis of the part counts some values of the same
/// axis of the whole, in order, independent of the other axes.
fn reaches(part: &Restricted, block: &[Range<u64>]) -> Result<bool, LayoutError> {
    for (axis, range) in block.iter().enumerate() {
        let mut index = vec![0; block.len()];
        let mut value = |at: u64| -> Result<u64, LayoutError> {
            index[axis] = at;
            let place = part.indexes.locate(&index)?;
            Ok(place.get(Level::axis(axis)).unwrap_or(0))
        };
        // The first value that is not below the range.
        let extent = part.layout.shape()[axis];
        let (mut low, mut high) = (0, extent);
        while low < high {
            let middle = low + (high - low) / 2;
            match value(middle)? < range.start {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        if part.layout.elements() == 0 || low == extent || value(low)? >= range.end {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns whether an element of a block is stored in a unit, by counting.
fn any_element(block: &LitBlock<'_>, unit: &Location) -> Result<bool, LayoutError> {
    let mut layout = block.placement.with_copies().clone();
    for (axis, range) in block.indexes.iter().enumerate() {
        layout = layout.slice(axis, range.start, range.end, 1)?;
    }
    let part = Placement::of(layout).shared_places().build()?;
    Ok(Census::of(&part, unit)?.elements > 0)
}

/// The units of a cell, one by one.
fn units(placement: &Placement, cell: &Cell) -> Vec<Location> {
    let mut units = vec![Location::default()];
    for (level, span) in cell.places.iter().filter(|(l, _)| placement.columns().contains(l)) {
        let count = span.last - span.first + 1;
        let all = to_u64(units.len()).saturating_mul(count);
        if all > MOST_UNITS {
            // Too many to visit: all coordinates of the level count.
            continue;
        }
        let with = |unit: &Location| -> Vec<Location> {
            let at = (span.first..=span.last).map(|at| {
                let mut unit = unit.clone();
                unit.set(*level, at);
                unit
            });
            at.collect()
        };
        units = units.iter().flat_map(with).collect();
    }
    units
}
