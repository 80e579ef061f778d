//! Layouts that choices are made of.
//!
//! Inside a node of leaves, a tensor has one form: the innermost digits of one of its axes are lanes and leaves,
//! `(.., 4_W:1, 4_PE:1)`. The leaf of an element does not depend on its width, so that operands of different widths meet
//! in it; in DRAM the leaves are successive long words, which movements distribute.

use itertools::Itertools;
use tensor_layout::algebra::{Axis, LayoutBuilder, Subaxis};
use tensor_layout::{Layout, LayoutError, Level};

/// The innermost digits of an axis: lanes, and leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Block {
    pub(super) lanes: u64,
    pub(super) leaves: u64,
}

impl Block {
    /// The block of an axis: all lanes and leaves, leaves alone for a short axis, or nothing.
    pub(super) fn of(extent: u64, lanes: u64, leaves: u64) -> Option<Block> {
        let lanes = if extent >= lanes.saturating_mul(leaves) { lanes } else { 1 };
        (extent >= leaves && lanes * leaves > 1).then_some(Block { lanes, leaves })
    }

    pub(super) fn size(self) -> u64 {
        self.lanes.saturating_mul(self.leaves)
    }
}

/// The digits that replace a block at the end of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Addresses.
    Addresses,
    /// Lanes, then units of the leaf level.
    Leaves(Level),
    /// Lanes, then addresses.
    Words,
}

/// A layout of blocks with the elements in them: for each axis the extent, and the block with its form.
pub(super) fn expanded(
    blocks: &Layout,
    extents: &[u64],
    block: impl Fn(usize) -> Option<(Block, Ending)>,
) -> Result<Layout, LayoutError> {
    let axes = blocks.axes().iter().zip(extents).enumerate().map(|(at, (axis, extent))| {
        let digits = block(at).into_iter().flat_map(|(block, ending)| ending.digits(block));
        let blocks = axis.subaxes.iter().copied().filter(|digit| digit.size > 1);
        Axis { extent: *extent, subaxes: blocks.chain(digits).collect() }
    });
    // Movements distribute successive long words.
    let is_words = |at: &usize| block(*at).is_some_and(|(_, ending)| ending == Ending::Words);
    let innermost = (0..extents.len()).find(is_words);
    with_innermost(blocks, axes.collect(), innermost, |_| true)
}

impl Ending {
    pub(super) fn digits(self, block: Block) -> Vec<Subaxis> {
        let lanes = Subaxis::land(block.lanes, Level::W, 1);
        let words = |size| Subaxis::land(size, Level::ADDR, 1);
        let inner = match self {
            Ending::Addresses => return vec![words(block.size())],
            Ending::Leaves(leaf) => Subaxis::land(block.leaves, leaf, 1),
            Ending::Words => words(block.leaves),
        };
        if block.lanes > 1 { vec![lanes, inner] } else { vec![inner] }
    }
}

/// The layout with lanes and leaves in place of the last addresses of an axis, as many as fit.
pub(super) fn completed(
    layout: &Layout,
    axis: usize,
    (lanes, leaves): (u64, u64),
    leaf: Level,
) -> Result<Layout, LayoutError> {
    let mut axes = layout.axes().to_vec();
    let Some(own) = axes.get_mut(axis) else { return Ok(layout.clone()) };
    let Some(last) = own.subaxes.pop_if(|digit| digit.lands() == Some(Level::ADDR)) else {
        return Ok(layout.clone());
    };
    let fits = |size: u64| size > 1 && last.size.is_multiple_of(size);
    let block = match fits(lanes * leaves) {
        true => Some(Block { lanes, leaves }),
        false => fits(leaves).then_some(Block { lanes: 1, leaves }),
    };
    let Some(block) = block else { return Ok(layout.clone()) };
    let words = last.size / block.size();
    own.subaxes.extend((words > 1).then(|| Subaxis::land(words, Level::ADDR, 1)));
    own.subaxes.extend(Ending::Leaves(leaf).digits(block));
    with_axes(layout, axes)
}

/// The layout for elements of another width: as many lanes as they have, where that fits.
pub(super) fn in_lanes(layout: &Layout, lanes: u64) -> Result<Layout, LayoutError> {
    let mut axes = layout.axes().to_vec();
    for axis in &mut axes {
        let Some(at) = axis.subaxes.iter().position(|digit| digit.lands() == Some(Level::W)) else {
            continue;
        };
        let own = axis.subaxes[at].size;
        let words = at.checked_sub(1).map(|before| axis.subaxes[before]);
        let words =
            words.filter(|digit| digit.lands() == Some(Level::ADDR)).map_or(1, |of| of.size);
        if own > lanes {
            let both = [(own / lanes, Level::ADDR), (lanes, Level::W)];
            let both = both.map(|(size, level)| Subaxis::land(size, level, 1));
            axis.subaxes.splice(at..=at, both.into_iter().filter(|digit| digit.size > 1));
        } else if own < lanes && (own * words).is_multiple_of(lanes) {
            axis.subaxes[at] = Subaxis::land(lanes, Level::W, 1);
            axis.subaxes[at - 1] = Subaxis::land(own * words / lanes, Level::ADDR, 1);
        }
    }
    let narrow = layout.replicas().iter().any(|of| of.level == Level::W && of.size > lanes);
    let layout = if narrow { without_copies_in_lanes(layout)? } else { layout.clone() };
    with_axes(&layout, axes)
}

fn without_copies_in_lanes(layout: &Layout) -> Result<Layout, LayoutError> {
    let of = Layout::builder().levels_of(layout, |level| level != Level::W);
    layout.axes().iter().cloned().fold(of, LayoutBuilder::with_axis).build()
}

/// The levels and copies of a layout with other axes, whose addresses are row-major.
fn with_axes(layout: &Layout, axes: Vec<Axis>) -> Result<Layout, LayoutError> {
    with_row_major_addresses(layout, axes, |_| true)
}

/// As [`with_axes`], without the copies over some levels.
pub(super) fn with_row_major_addresses(
    layout: &Layout,
    axes: Vec<Axis>,
    keeps: impl Fn(Level) -> bool,
) -> Result<Layout, LayoutError> {
    with_innermost(layout, axes, None, keeps)
}

/// As [`with_axes`], but the last digit of an axis takes successive addresses.
fn with_innermost(
    layout: &Layout,
    mut axes: Vec<Axis>,
    innermost: Option<usize>,
    keeps: impl Fn(Level) -> bool,
) -> Result<Layout, LayoutError> {
    let mut next = 1_u64;
    let mut place = |digit: &mut Subaxis| {
        if digit.lands() == Some(Level::ADDR) {
            *digit = Subaxis::land(digit.size, Level::ADDR, next);
            next = next.saturating_mul(digit.size);
        }
    };
    let mut first = innermost.and_then(|at| axes.get_mut(at)?.subaxes.pop());
    first.iter_mut().for_each(&mut place);
    axes.iter_mut().rev().flat_map(|axis| axis.subaxes.iter_mut().rev()).for_each(place);
    if let Some((axis, digit)) = innermost.and_then(|at| axes.get_mut(at)).zip(first) {
        axis.subaxes.push(digit);
    }
    let mut of = Layout::builder();
    for level in layout.used_levels().iter().filter(|level| **level != Level::ADDR) {
        of = of.used(*level).offset(*level, layout.offset(*level));
    }
    of = axes.into_iter().fold(of, LayoutBuilder::with_axis);
    let copies = layout.replicas().iter();
    for copies in copies.filter(|copies| copies.level != Level::ADDR && keeps(copies.level)) {
        of = of.replica(copies.size, copies.level, copies.stride);
    }
    of.build()
}

/// The layout at row-major addresses, with a copy on every unit.
pub(super) fn row_major(shape: &[u64]) -> Result<Layout, LayoutError> {
    let mut stride = 1_u64;
    let digits = shape.iter().rev().map(|extent| {
        let digit = Subaxis::land((*extent).max(1), Level::ADDR, stride);
        stride = stride.saturating_mul(digit.size);
        (*extent, digit)
    });
    let digits = digits.collect_vec();
    let axes = digits.into_iter().rev();
    axes.fold(Layout::builder(), |built, (extent, digit)| built.axis(extent, [digit])).build()
}
