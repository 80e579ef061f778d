//! The choices after every level is placed: the words of the axes, and how the axes nest in the address.

use super::candidate::Candidate;
use super::options::Orders;
use super::space::Space;
use super::state::ChoicesMade;
use crate::algebra::{Layout, StepsEvenly, Subaxis, product};
use crate::level::Level;
use crate::number::lcm;

/// The orders of the address that remain once all choices are made. The digits stay in the [`ChoicesMade`]
/// instead of being copied, because a walk reaches many choices that have no order.
#[derive(Clone, Debug)]
pub(super) struct AddressOrders {
    /// The words of each axis.
    words: Vec<u64>,
    units_used: u64,
    /// Axes with more than one word that may be innermost, with the words that they then have,
    /// innermost first in row-major order.
    innermost: Vec<(usize, u64)>,
    /// All axes with more than one word, in the same order.
    moving: Vec<usize>,
    one_order: bool,
    /// The index of the next entry of `innermost`, and the order of the other axes, innermost first.
    next: usize,
    others: Vec<usize>,
}

/// The digits of an axis beside its words.
#[derive(Clone, Copy, Debug)]
struct AxisDigits<'a> {
    extent: u64,
    time: Option<Subaxis>,
    /// The digits of levels on the major side, after the time slices, and on the minor side.
    lists: [&'a [Subaxis]; 2],
    block: u64,
    units: u64,
}

impl<'a> AxisDigits<'a> {
    fn new(space: &Space, state: &'a ChoicesMade, axis: usize) -> AxisDigits<'a> {
        let rule = &space.axes[axis];
        AxisDigits {
            extent: rule.extent,
            time: state.slices(axis),
            lists: [&state.lists[axis], &state.lists[space.axes.len() + axis]],
            block: rule.block,
            units: state.units[axis],
        }
    }

    /// Rules 4 to 6 of the space, if the axis has `words` words.
    fn is_sound(&self, space: &Space, words: u64) -> bool {
        let Some(slots) = self.units.checked_mul(words) else { return false };
        let [major, minor] = self.lists;
        let outer = words / self.block;
        let leading = match (self.time.as_ref().or(major.first()), outer, minor.first()) {
            (Some(digit), ..) => *digit,
            (None, 1, Some(digit)) => *digit,
            _ => Subaxis::land(if minor.is_empty() { words } else { outer }, Level::ADDR, 1),
        };
        let below = slots / leading.size.max(1);
        let filled = if leading.lands() == Some(Level::TIME) { leading.size - 1 } else { 1 };
        let moves = leading.size <= 1 || below.saturating_mul(filled) < self.extent;
        let sided = outer > 1 || minor.is_empty() || !space.major;
        let apart =
            |list: &[Subaxis]| !list.windows(2).any(|pair| pair[0].with_minor(&pair[1]).is_some());
        moves && sided && apart(major) && apart(minor)
    }

    fn subaxes(&self, words: u64, stride: u64) -> Vec<Subaxis> {
        let [major, minor] = self.lists;
        let inner = if minor.is_empty() { words } else { self.block };
        let address = |size: u64, stride: u64| {
            Some(Subaxis::land(size, Level::ADDR, stride)).filter(|digit| digit.size > 1)
        };
        let mut subaxes = Vec::with_capacity(major.len() + minor.len() + 3);
        subaxes.extend(self.time.iter().chain(major).copied());
        subaxes.extend(address(words / inner, stride * inner));
        subaxes.extend(minor.iter().copied());
        subaxes.extend(address(inner, stride));
        subaxes
    }
}

impl AddressOrders {
    /// `None` if the choices break a rule of the space in every order.
    pub(super) fn new(space: &Space, state: &ChoicesMade) -> Option<AddressOrders> {
        let rank = space.axes.len();
        let words = (0..rank).map(|axis| state.words(space, axis).map(|(_, words)| words));
        let words = words.collect::<Option<Vec<_>>>()?;
        let split = |(level, _): &(usize, _)| state.is_split(*level);
        let levels = space.levels.iter().enumerate().filter(split);
        let below = levels.filter(|(_, rule)| !rule.copies).map(|(_, rule)| rule.units);
        let mut split = AddressOrders {
            moving: (0..rank).rev().filter(|axis| words[*axis] > 1).collect(),
            words,
            units_used: space.units * below.product::<u64>(),
            innermost: Vec::new(),
            one_order: space.orders == Orders::RowMajor,
            next: 0,
            others: Vec::new(),
        };
        split.find_innermost(space, state);
        split.start_order();
        (!split.innermost.is_empty()).then_some(split)
    }

    /// Finds the axes that may be innermost. Without words in any axis there is one order, whose innermost
    /// axis is `usize::MAX`.
    fn find_innermost(&mut self, space: &Space, state: &ChoicesMade) {
        let is_sound =
            |axis: usize, words: u64| AxisDigits::new(space, state, axis).is_sound(space, words);
        let mut unsound = (0..self.words.len()).filter(|axis| !is_sound(*axis, self.words[*axis]));
        // The innermost axis alone may get more words.
        let (unsound, more) = (unsound.next(), unsound.next());
        if more.is_some() {
            return;
        }
        let contiguous = self.moving.iter().copied().find(|axis| space.axes[*axis].block > 1);
        let choices = match (contiguous, self.moving.first()) {
            (Some(axis), _) => vec![axis],
            (None, Some(last)) if self.one_order => vec![*last],
            (None, Some(_)) => self.moving.clone(),
            (None, None) => vec![usize::MAX],
        };
        for axis in choices {
            let words = match self.words.get(axis) {
                None => Some(1),
                Some(words) => aligned(*words, space.axes[axis].block, space.alignment),
            };
            let Some(words) = words else { continue };
            let sound = unsound.is_none_or(|of| of == axis);
            let here = axis == usize::MAX || is_sound(axis, words);
            if sound && here && self.fits(space, state, axis, words) {
                self.innermost.push((axis, words));
            }
        }
    }

    /// Returns whether padding and footprint are allowed, and the whole fits in 64 bits.
    fn fits(&self, space: &Space, state: &ChoicesMade, innermost: usize, words: u64) -> bool {
        let of = |axis: usize| if axis == innermost { words } else { self.words[axis] };
        let copies = product(state.copies.iter().map(|digit| digit.size));
        let footprint = product((0..self.words.len()).map(of));
        let Some(footprint) = footprint.filter(|words| *words <= space.capacity) else {
            return false;
        };
        let slots = state.units.iter().try_fold(footprint, |n, units| n.checked_mul(*units));
        let all = slots.zip(copies).and_then(|(slots, copies)| slots.checked_mul(copies));
        all.is_some() && slots.is_some_and(|slots| !space.is_too_padded(u128::from(slots)))
    }

    /// The number of orders; `None` beyond 128 bits.
    pub(super) fn count(&self) -> Option<u128> {
        let others = if self.one_order { 1 } else { self.moving.len().saturating_sub(1) };
        let orders =
            (1..=others).try_fold(1, |n: u128, k| n.checked_mul(u128::try_from(k).ok()?))?;
        orders.checked_mul(u128::try_from(self.innermost.len()).ok()?)
    }

    /// Returns a candidate in a random order; `below(n)` gives a random number below `n`.
    pub(super) fn random(
        mut self,
        space: &Space,
        state: &ChoicesMade,
        mut below: impl FnMut(usize) -> usize,
    ) -> Option<Candidate> {
        self.next = below(self.innermost.len());
        self.start_order();
        if !self.one_order {
            for at in (1..self.others.len()).rev() {
                self.others.swap(at, below(at + 1));
            }
        }
        self.next(space, state)
    }

    fn start_order(&mut self) {
        let Some((innermost, _)) = self.innermost.get(self.next) else { return };
        self.others = self.moving.iter().copied().filter(|axis| axis != innermost).collect();
    }

    /// The candidate in the next order.
    pub(super) fn next(&mut self, space: &Space, state: &ChoicesMade) -> Option<Candidate> {
        let (innermost, words) = *self.innermost.get(self.next)?;
        let candidate = self.candidate(space, state, innermost, words);
        // Orders follow lexicographically, from row-major on.
        if self.one_order || !next_order(&mut self.others) {
            self.next += 1;
            self.start_order();
        }
        candidate
    }

    fn candidate(
        &self,
        space: &Space,
        state: &ChoicesMade,
        innermost: usize,
        words: u64,
    ) -> Option<Candidate> {
        let mut strides = vec![1; self.words.len()];
        let mut footprint_words = words;
        for axis in &self.others {
            strides[*axis] = footprint_words;
            footprint_words *= self.words[*axis];
        }
        let mut builder = Layout::builder();
        for (axis, stride) in strides.into_iter().enumerate() {
            let words = if axis == innermost { words } else { self.words[axis] };
            let digits = AxisDigits::new(space, state, axis);
            builder = builder.axis(digits.extent, digits.subaxes(words, stride));
        }
        for copy in &state.copies {
            let (level, stride) = copy.landed()?;
            builder = builder.replica(copy.size, level, stride);
        }
        let layout = builder.build().ok()?;
        let slots = layout.slots() / layout.copies();
        let pads = slots - layout.elements();
        let setting = space.setting.clone();
        let units_used = self.units_used;
        Some(Candidate { layout, footprint_words, pads, slots, units_used, setting })
    }
}

/// The words of the innermost axis: a multiple of its block and of the alignment.
fn aligned(words: u64, block: u64, alignment: u64) -> Option<u64> {
    words.checked_next_multiple_of(lcm(block, alignment)?)
}

/// Steps to the lexicographically next order, counting down from the descending one; `false` after
/// the last.
fn next_order(order: &mut [usize]) -> bool {
    let Some(pivot) = (1..order.len()).rev().find(|at| order[at - 1] > order[*at]) else {
        return false;
    };
    let smaller = (pivot..order.len()).rev().find(|at| order[*at] < order[pivot - 1]);
    if let Some(smaller) = smaller {
        order.swap(pivot - 1, smaller);
    }
    order[pivot..].reverse();
    true
}
