//! Choices with layouts that are pinned.
//!
//! ```text
//! result pinned   ((8_L1B:1, 4:1), (16_MAB:1, 4_W, 4_PE))     its axes are those loops of all candidates
//! operand pinned  ((8_L1B:1, 4:1), (32:1, 4_W, 4_PE))         so is its folded axis
//! other loops     as candidates have them, on what is left of each level
//! ```

use std::collections::HashMap;

use itertools::Itertools;
use tensor_layout::algebra::{Axis, LayoutBuilder, Subaxis, Target};
use tensor_layout::relayout::PartId;
use tensor_layout::{Layout, LayoutError, Level};

use super::layouts::with_row_major_addresses;
use super::nest::{Form, NestForm};
use super::reads::OperandForm;
use super::{Choice, Domain, Own, Setting};
use crate::graph::Nest;

/// A layout that is pinned.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Pinned {
    pub(crate) layout: Layout,
    /// The part of all layouts that are the same but for addresses and the numbers of time slices.
    part: PartId,
}

/// Layouts that go together: for each operand, and for the result. `None` where any will do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Row {
    pub(crate) operands: Vec<Option<Pinned>>,
    pub(crate) result: Option<Pinned>,
}

/// What a pin allows an operation: one of some rows, and levels that the result has or does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Allowed {
    /// Empty if any layouts will do.
    pub(crate) rows: Vec<Row>,
    pub(crate) uses: Vec<Level>,
    pub(crate) avoids: Vec<Level>,
}

impl Pinned {
    /// Returns whether every element is in the same place.
    fn is_same(&self, other: &Pinned) -> bool {
        let is_same_map = || matches!(self.layout.same_map(&other.layout), Ok(None));
        self.part == other.part && (self.layout == other.layout || is_same_map())
    }
}

impl Row {
    /// The layouts of two rows, if they agree where both have one.
    fn and(&self, other: &Row) -> Option<Row> {
        let mut both = self.clone();
        let operands = both.operands.iter_mut().zip(&other.operands);
        for (own, other) in operands.chain([(&mut both.result, &other.result)]) {
            match (&own, other) {
                (Some(own), Some(other)) if !own.is_same(other) => return None,
                (None, Some(_)) => own.clone_from(other),
                _ => {}
            }
        }
        Some(both)
    }
}

impl Allowed {
    /// Returns whether a result has the levels that it should.
    pub(crate) fn has_levels(&self, layout: &Layout) -> bool {
        let is_used = |level: &Level| {
            let mut digits = layout.nodes().flat_map(|axis| &axis.subaxes);
            digits.any(|digit| digit.size > 1 && digit.lands() == Some(*level))
        };
        self.uses.iter().all(is_used) && !self.avoids.iter().any(is_used)
    }
}

/// The rows that agree with one of each pin: none if the pins contradict each other.
pub(crate) fn rows(pins: &[&Allowed]) -> Vec<Row> {
    let has_levels = |row: &Row| {
        let of = row.result.as_ref().map(|pinned| &pinned.layout);
        of.is_none_or(|of| pins.iter().all(|pin| pin.has_levels(of)))
    };
    let with_rows = pins.iter().filter(|pin| !pin.rows.is_empty());
    let rows = with_rows.fold(None, |all: Option<Vec<Row>>, pin| {
        let Some(all) = all else { return Some(pin.rows.clone()) };
        let pairs = all.iter().cartesian_product(&pin.rows);
        Some(pairs.filter_map(|(one, other)| one.and(other)).unique().collect())
    });
    let rows = rows.unwrap_or_else(|| vec![Row::default()]);
    rows.into_iter().filter(has_levels).collect()
}

impl Setting {
    /// A layout of elements of a width, as a pin has it.
    pub(crate) fn pin(&mut self, layout: Layout, bits: u64) -> Result<Pinned, LayoutError> {
        let part = self.part_in_order(&layout, bits)?;
        Ok(Pinned { layout, part })
    }

    fn part_in_order(&mut self, layout: &Layout, bits: u64) -> Result<PartId, LayoutError> {
        let memory = self.local.clone();
        self.part(&in_order(layout)?, memory.as_deref(), bits)
    }

    /// The choices of a nest that agree with a row, with the layouts as they are pinned: some of those that it has without
    /// pins, and those of loops that the row decides about.
    pub(super) fn pinned_to(
        &mut self,
        form: &NestForm<'_>,
        row: &Row,
        free: &[Choice],
    ) -> Result<Domain, LayoutError> {
        let operands = form.reads.operands.iter().map(OperandForm::loops_of_axes).collect_vec();
        let fixed = fixed(form.nest, &operands, row);
        let mut found = match fixed.iter().any(Option::is_some) {
            true => self.fitting_or_larger(&NestForm { fixed, ..form.clone() }),
            false => Domain::default(),
        };
        let mut choices = Vec::new();
        for mut choice in found.choices.into_iter().chain(free.iter().cloned()) {
            if self.write_as_pinned(&mut choice, row)? {
                choices.push(choice);
            }
        }
        found.choices = choices;
        Ok(found)
    }

    /// Puts the layouts of a row in place of those of a choice that are the same; false if one is not. They take the long
    /// words that they reach: a pinned layout may have gaps.
    fn write_as_pinned(&mut self, choice: &mut Choice, row: &Row) -> Result<bool, LayoutError> {
        let mut given = choice.given();
        let operands = choice.operands.iter_mut().zip(&mut choice.taken);
        let result = (&row.result, (&mut choice.result, &mut given));
        for (wanted, (held, taken)) in row.operands.iter().zip(operands).chain([result]) {
            let Some(wanted) = wanted else { continue };
            if self.part_in_order(&held.layout, held.bits)? != wanted.part {
                return Ok(false);
            }
            *held = self.held(wanted.layout.clone(), held.bits)?;
            *taken = (*taken).max(held.layout.extent(Level::ADDR));
        }
        choice.words = choice.taken.iter().copied().fold(given, u64::saturating_add);
        Ok(true)
    }

    /// The choices of a value that is in one of some layouts.
    pub(crate) fn switched(&mut self, rows: &[Pinned], bits: u64) -> Result<Domain, LayoutError> {
        let mut choices = Vec::new();
        for Pinned { layout, .. } in rows {
            let result = self.held(layout.clone(), bits)?;
            let (operands, own) = (vec![result.clone()], Own::default());
            let (loops, words) = (Some(layout.clone()), layout.extent(Level::ADDR));
            choices.push(Choice { loops, operands, result, own, taken: vec![0], words });
        }
        Ok(Domain { choices, tried: 0 })
    }
}

/// A layout with dense addresses, and time slices that are numbered in the order of the axes.
fn in_order(layout: &Layout) -> Result<Layout, LayoutError> {
    let mut axes = layout.axes().to_vec();
    let mut slices = 1_u64;
    for digit in axes.iter_mut().rev().flat_map(|axis| axis.subaxes.iter_mut().rev()) {
        if digit.lands() == Some(Level::TIME) {
            *digit = Subaxis::land(digit.size, Level::TIME, slices);
            slices = slices.saturating_mul(digit.size);
        }
    }
    axes.iter_mut().for_each(|axis| axis.subaxes.retain(|digit| digit.size > 1));
    with_row_major_addresses(layout, axes, |level| level != Level::TIME)
}

/// The axes of the loops that a row decides about: the result before the operands.
fn fixed(nest: &Nest, operands: &[Vec<Option<usize>>], row: &Row) -> Vec<Option<Axis>> {
    let mut fixed: Vec<Option<Axis>> = vec![None; nest.loops.len()];
    let result = row.result.iter().flat_map(|pinned| pinned.layout.axes());
    for (own, axis) in fixed.iter_mut().zip(result) {
        *own = Some(axis.clone());
    }
    for (loops, pinned) in operands.iter().zip(&row.operands) {
        let axes = pinned.iter().flat_map(|pinned| pinned.layout.axes());
        for (number, axis) in loops.iter().zip(axes) {
            if let Some(number) = number {
                fixed[*number].get_or_insert_with(|| axis.clone());
            }
        }
    }
    fixed
}

/// The level that a digit lands in, and its stride there.
fn landed(digit: &Subaxis) -> Option<(Level, u64)> {
    match digit.target {
        Target::Land { level, stride } => Some((level, stride)),
        Target::Feed { .. } => None,
    }
}

/// A digit of units, lanes or time behind those that take its level already.
fn behind(digit: Subaxis, ends: &HashMap<Level, u64>) -> Subaxis {
    let Some((level, stride)) = landed(&digit) else { return digit };
    let taken = ends.get(&level).copied().unwrap_or(1);
    Subaxis::land(digit.size, level, stride.saturating_mul(taken))
}

/// The copies over what no digit takes of each level; `None` if digits overlap or exceed one.
fn copies(axes: &[Axis], levels: &[(Level, u64)], leaf: Level) -> Option<Vec<(u64, Level, u64)>> {
    let mut copies = Vec::new();
    for (level, size) in levels.iter().copied() {
        let digits = axes.iter().flat_map(|axis| &axis.subaxes);
        let own = digits.filter_map(|digit| Some((landed(digit)?, digit.size)));
        let own = own.filter(|((of, _), _)| *of == level).map(|((_, stride), size)| (stride, size));
        let own = own.sorted().collect_vec();
        // A leaf or lane without digits is used by no operation in blocks.
        if own.is_empty() && (level == leaf || level == Level::W) {
            continue;
        }
        let mut next = 1_u64;
        for (stride, of) in own {
            if !stride.is_multiple_of(next) {
                return None;
            }
            copies.extend((stride > next).then_some((stride / next, level, next)));
            next = stride.checked_mul(of)?;
        }
        if next > size {
            return None;
        }
        let rest = if size.is_multiple_of(next) { size / next } else { 1 };
        copies.extend((rest > 1).then_some((rest, level, next)));
    }
    Some(copies)
}

impl NestForm<'_> {
    /// Returns whether the axes that pins decide about may be where they are.
    fn may_be_fixed(&self, leaf: Level) -> bool {
        let may_be = |number: usize, digit: &Subaxis| match digit.lands() {
            _ if digit.size == 1 => true,
            Some(Level::ADDR) => true,
            Some(Level::W | Level::TIME) => self.reads.inside[number],
            Some(level) if level == leaf => self.reads.inside[number],
            Some(_) => self.reads.over_units[number],
            None => false,
        };
        self.fixed.iter().enumerate().all(|(number, axis)| {
            axis.iter().flat_map(|axis| &axis.subaxes).all(|digit| may_be(number, digit))
        })
    }

    /// The layout of the loops, some of which pins decide about, for a layout of blocks of the others. `None` if both want
    /// more of a level than there is.
    pub(super) fn merged(
        &self,
        form: Form,
        blocks: &Layout,
        setting: &Setting,
    ) -> Result<Option<Layout>, LayoutError> {
        let leaf = setting.leaf();
        if !self.may_be_fixed(leaf) {
            return Ok(None);
        }
        let fixed = self.fixed.iter().map(|axis| axis.as_ref().map(|axis| form.inside(axis, leaf)));
        let fixed = fixed.collect_vec();
        let mut ends: HashMap<Level, u64> = HashMap::new();
        for digit in fixed.iter().flatten().flatten() {
            if let Some((level, stride)) = landed(digit).filter(|(level, _)| *level != Level::ADDR)
            {
                let end = ends.entry(level).or_insert(1);
                *end = (*end).max(stride.saturating_mul(digit.size));
            }
        }
        let free = |number: usize, axis: &Axis| {
            let block = form.block(number, leaf).into_iter();
            let ending = block.flat_map(|(block, ending)| ending.digits(block));
            let digits = axis.subaxes.iter().copied().filter(|digit| digit.size > 1);
            digits.chain(ending).map(|digit| behind(digit, &ends)).collect()
        };
        let axes =
            blocks.axes().iter().zip(fixed).enumerate().map(|(number, (axis, fixed))| Axis {
                extent: self.nest.loops[number],
                subaxes: fixed.unwrap_or_else(|| free(number, axis)),
            });
        let axes = axes.collect_vec();
        let (lanes, leaves) = (setting.lanes(self.bits), setting.leaves());
        let levels =
            setting.nodes.levels().chain([(leaf, leaves), (Level::W, lanes)]).collect_vec();
        let Some(copies) = copies(&axes, &levels, leaf) else { return Ok(None) };
        let copied =
            |of: LayoutBuilder, (size, level, stride)| of.used(level).replica(size, level, stride);
        let all = copies.into_iter().fold(Layout::builder(), copied);
        let landed = axes.iter().flat_map(|axis| &axis.subaxes).filter_map(Subaxis::lands);
        let all = landed.unique().fold(all, LayoutBuilder::used);
        with_row_major_addresses(&all.build()?, axes, |_| true).map(Some)
    }
}

impl Form {
    /// The digits of an axis that is pinned; the leaves of a node that compute together have addresses, which are one digit.
    fn inside(self, axis: &Axis, leaf: Level) -> Vec<Subaxis> {
        let together = matches!(self, Form::Matrices { .. });
        let is_inside = |level: Level| together && (level == leaf || level == Level::W);
        let digits = axis.subaxes.iter().filter(|digit| digit.size > 1);
        let digits = digits.map(|digit| match digit.lands() {
            Some(level) if is_inside(level) => Subaxis::land(digit.size, Level::ADDR, 1),
            _ => *digit,
        });
        let is_address = |digit: &Subaxis| digit.lands() == Some(Level::ADDR);
        let merged = digits.coalesce(|one, other| match is_address(&one) && is_address(&other) {
            true => Ok(Subaxis::land(one.size.saturating_mul(other.size), Level::ADDR, 1)),
            false => Err((one, other)),
        });
        merged.collect()
    }
}
