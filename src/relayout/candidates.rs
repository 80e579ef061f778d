//! The layouts that a planner may choose from.

use itertools::Itertools;

use super::pair::Relayout;
use super::traffic::Traffic;
use crate::algebra::{Indexes, Layout, Subaxis, product};
use crate::error::LayoutError;
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::{Placement, PlacementBuilder};

/// Layouts of a shape on a machine, under constraints.
///
/// Every level of the machine goes to one axis as a whole or is replicated, on the major or the minor
/// side of the axis's address digit; time slices go to the major side of one axis; the axes nest
/// in the address in any order.
///
/// ```
/// use tensor_layout::Machine;
/// use tensor_layout::relayout::{Candidates, pareto};
/// let machine: Machine = "PE=4".parse()?;
/// let all: Vec<_> = Candidates::new(&machine, &[8, 6]).capacity_words(16).collect();
/// assert!(all.iter().all(|candidate| candidate.footprint_words <= 16));
/// let best = pareto(all, |candidate| vec![candidate.footprint_words, candidate.pads]);
/// assert_eq!(best[0].layout, "((4_PE, 2:6), (6:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Candidates {
    machine: Machine,
    shape: Vec<u64>,
    levels: Vec<Level>,
    sides: Vec<Side>,
    replicate: bool,
    alignment: u64,
    capacity_words: Option<u64>,
    padding_percent: u64,
    time: Vec<u64>,
    /// The choices that are left, made when the first candidate is asked for.
    choices: Option<Indexes>,
}

/// Where the digits of the units stand in an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Above the address: neighbours share a unit, `(4_PE, 3:1)`.
    Major,
    /// Below the address: neighbours lie on different units, `(3:1, 4_PE)`.
    Minor,
}

/// A layout that satisfies the constraints.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Candidate {
    /// The layout.
    pub layout: Layout,
    /// Long words per unit.
    pub footprint_words: u64,
    /// Slots of one copy that hold no element.
    pub pads: u64,
    /// Slots of one copy.
    pub slots: u64,
    /// How many units of the machine hold a slot, copies included.
    pub units_used: u64,
}

impl Candidate {
    /// The candidate on the machine.
    ///
    /// # Errors
    /// As [`PlacementBuilder::build`](crate::placement::PlacementBuilder::build).
    pub fn on(&self, machine: &Machine) -> Result<Placement, LayoutError> {
        Placement::of(self.layout.clone()).on(machine).build()
    }

    /// What it takes to bring the tensor here from where it is.
    ///
    /// # Errors
    /// As [`Relayout::new`] and [`Relayout::traffic`].
    pub fn traffic_from(&self, source: &Placement) -> Result<Traffic, LayoutError> {
        let placement = Placement::of(self.layout.clone());
        let placement = source.machine().into_iter().fold(placement, PlacementBuilder::on);
        Relayout::new(source, &placement.build()?)?.traffic()
    }
}

impl Candidates {
    /// All layouts of a shape on a machine, without time slices, with up to half of the slots padding.
    #[must_use]
    pub fn new(machine: &Machine, shape: &[u64]) -> Candidates {
        Candidates {
            machine: machine.clone(),
            shape: shape.to_vec(),
            levels: machine.levels().map(|(level, _)| level).collect(),
            sides: vec![Side::Major, Side::Minor],
            replicate: true,
            alignment: 1,
            capacity_words: None,
            padding_percent: 50,
            time: vec![1],
            choices: None,
        }
    }

    /// Only these levels may be split over; the others are replicated.
    #[must_use]
    pub fn levels(mut self, levels: &[Level]) -> Candidates {
        self.levels.retain(|level| levels.contains(level));
        self
    }

    /// Where the digits of units may stand in an axis.
    #[must_use]
    pub fn sides(mut self, sides: &[Side]) -> Candidates {
        self.sides = sides.to_vec();
        self
    }

    /// Whether levels may be replicated that could be split over.
    #[must_use]
    pub fn replicate(mut self, replicate: bool) -> Candidates {
        self.replicate = replicate;
        self
    }

    /// The innermost address digit is padded to a multiple of so many.
    #[must_use]
    pub fn alignment(mut self, elements: u64) -> Candidates {
        self.alignment = elements.max(1);
        self
    }

    /// The most long words per unit.
    #[must_use]
    pub fn capacity_words(mut self, words: u64) -> Candidates {
        self.capacity_words = Some(words);
        self
    }

    /// The greatest share of slots that may be padding, in percent.
    #[must_use]
    pub fn padding_percent(mut self, percent: u64) -> Candidates {
        self.padding_percent = percent;
        self
    }

    /// The numbers of time slices that are allowed.
    #[must_use]
    pub fn time(mut self, slices: &[u64]) -> Candidates {
        self.time = slices.to_vec();
        self
    }

    /// How many options each choice has: per level an axis and a side, or to be replicated; the
    /// number of slices and their axis; the order of the axes in the address.
    fn options(&self) -> Vec<u64> {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        let rank = self.shape.len();
        let per_level = number(rank * self.sides.len() + usize::from(self.replicate || rank == 0));
        let mut options = vec![per_level; self.levels.len()];
        let sliced = self.time.iter().filter(|slices| **slices > 1).count();
        let whole = usize::from(self.time.contains(&1));
        options.push(number(whole + sliced * rank));
        options.push((1..=number(rank)).fold(1, u64::saturating_mul));
        options
    }

    /// The layout that some choices make, if it is another one than simpler choices make and
    /// satisfies the constraints.
    fn candidate(&self, choices: &[u64]) -> Option<Candidate> {
        let rank = self.shape.len();
        let (order, choices) = choices.split_last()?;
        let (time, levels) = choices.split_last()?;
        let order = permutation(rank, *order);
        let slices = self.slices(*time, rank)?;
        let mut major: Vec<Vec<(u64, Level)>> = vec![Vec::new(); rank];
        let mut minor = major.clone();
        if let Some((axis, slices)) = slices {
            major[axis].push((slices, Level::TIME));
        }
        for (level, choice) in self.levels.iter().zip(levels) {
            let at = usize::try_from(*choice).ok()?;
            let size = self.machine.size(*level)?;
            if let Some(side) = self.sides.get(at / rank.max(1)).filter(|_| rank > 0) {
                let units = if *side == Side::Major { &mut major } else { &mut minor };
                units[at % rank].push((size, *level));
            }
        }
        let count = |axis: usize| product(major[axis].iter().chain(&minor[axis]).map(|u| u.0));
        let words = |axis: usize| Some(self.shape[axis].div_ceil(count(axis)?).max(1));
        let mut words: Vec<u64> = (0..rank).map(words).collect::<Option<_>>()?;
        let moving = |axis: &&usize| words[**axis] > 1;
        // Axes without an address digit nest anywhere: only their natural order counts.
        let still = order.iter().filter(|axis| words[**axis] == 1);
        let natural =
            order.iter().skip_while(|axis| words[**axis] == 1).all(|axis| words[*axis] > 1);
        // Nor have units a side there.
        let sided = (0..rank).all(|axis| words[axis] > 1 || minor[axis].is_empty());
        if !sided || !still.tuple_windows().all(|(a, b)| a < b) || !natural {
            return None;
        }
        if let Some(innermost) = order.iter().rev().find(moving) {
            words[*innermost] = words[*innermost].checked_next_multiple_of(self.alignment)?;
        }
        self.build(&order, &words, &major, &minor)
    }

    /// The axis that is cut into time slices, and how many; `None` for no such choice.
    fn slices(&self, choice: u64, rank: usize) -> Option<Option<(usize, u64)>> {
        let whole = usize::from(self.time.contains(&1));
        let Some(at) = usize::try_from(choice).ok()?.checked_sub(whole) else { return Some(None) };
        let sliced: Vec<u64> = self.time.iter().copied().filter(|slices| *slices > 1).collect();
        Some(Some((at % rank, *sliced.get(at / rank)?)))
    }

    fn build(
        &self,
        order: &[usize],
        words: &[u64],
        major: &[Vec<(u64, Level)>],
        minor: &[Vec<(u64, Level)>],
    ) -> Option<Candidate> {
        let mut strides = vec![1; words.len()];
        let mut stride = 1_u64;
        for axis in order.iter().rev() {
            strides[*axis] = stride;
            stride = stride.checked_mul(words[*axis])?;
        }
        let units = |(size, level): &(u64, Level)| Subaxis::land(*size, *level, 1);
        let mut builder = Layout::builder();
        for (axis, extent) in self.shape.iter().enumerate() {
            let address = Subaxis::land(words[axis], Level::ADDR, strides[axis]);
            let address = Some(address).filter(|address| address.size > 1);
            let major = major[axis].iter().map(units);
            builder =
                builder.axis(*extent, major.chain(address).chain(minor[axis].iter().map(units)));
        }
        let layout = builder.build().ok()?;
        let (slots, elements) = (layout.slots(), layout.elements());
        let footprint_words = layout.extent(Level::ADDR);
        let pads = slots - elements;
        let fits = self.capacity_words.is_none_or(|capacity| footprint_words <= capacity);
        let padded = u128::from(pads) * 100 > u128::from(slots) * u128::from(self.padding_percent);
        // Every level is split over as a whole or replicated, so every unit has a part.
        let units_used = self.machine.units();
        (fits && !padded).then_some(Candidate { layout, footprint_words, pads, slots, units_used })
    }
}

impl Iterator for Candidates {
    type Item = Candidate;

    fn next(&mut self) -> Option<Candidate> {
        let mut choices = self.choices.take().unwrap_or_else(|| Indexes::new(self.options()));
        let found = choices.by_ref().find_map(|choice| self.candidate(&choice));
        self.choices = Some(choices);
        found
    }
}

/// The orders of some axes by number; 0 is the natural one.
fn permutation(rank: usize, number: u64) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rank).collect();
    let mut rest = number;
    let mut order = Vec::with_capacity(rank);
    while !left.is_empty() {
        let choices = u64::try_from(left.len()).unwrap_or(u64::MAX);
        order.push(left.remove(usize::try_from(rest % choices).unwrap_or(0)));
        rest /= choices;
    }
    order
}

/// The candidates that no other beats: none is at most as costly in everything and cheaper in
/// something. Of those that cost the same the first stays; ordered by costs.
pub fn pareto<C>(all: impl IntoIterator<Item = C>, costs: impl Fn(&C) -> Vec<u64>) -> Vec<C> {
    let mut front: Vec<(Vec<u64>, C)> = Vec::new();
    for candidate in all {
        let cost = costs(&candidate);
        let beats = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        if !front.iter().any(|(other, _)| beats(other, &cost)) {
            front.retain(|(other, _)| !beats(&cost, other));
            front.push((cost, candidate));
        }
    }
    front.sort_by(|a, b| a.0.cmp(&b.0));
    front.into_iter().map(|(_, candidate)| candidate).collect()
}
