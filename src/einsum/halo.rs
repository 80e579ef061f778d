//! Operands that are read through windows: the layout of their elements, and those that a unit needs and lacks.
//!
//! ```text
//! yr,r->y     y is split over 4 units, and the row is 2 y + r - 1, r < 3
//!
//! unit         0       1        2        3
//! reads     0 - 7   7 - 15  15 - 23  23 - 31      of 32 rows
//! holds     0 - 7   8 - 15  16 - 23  24 - 31      so the halo is a row in front
//! ```

use std::fmt;

use itertools::Itertools;

use super::dense::{loop_rank, operand_count, outside, with_axes};
use super::gather::lookup_traffic;
use super::local::Local;
use crate::algebra::strided::StridedDigit;
use crate::algebra::{Axis, Layout, Subaxis, product};
use crate::error::{LayoutError, Site, fault};
use crate::level::Level;
use crate::machine::Machine;
use crate::number::{to_index, to_u64};
use crate::placement::check_units;
use crate::relayout::{LevelTraffic, holders_at_most};

/// The most values of the loops of one axis: they are listed.
const MOST_TAPS: u64 = 1 << 22;

/// An axis of an operand, by the labels of the `einsum` that it takes.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub enum ReadAxis<'a> {
    /// One label, whose loop is the axis.
    Loop,
    /// An axis that several loops read together, such as the rows and the taps of a window.
    Taps {
        /// The number of labels.
        labels: usize,
        /// The extent of the axis.
        extent: u64,
        /// The index that is read at some values of these loops; `None` for padding.
        index: &'a dyn Fn(&[u64]) -> Option<u64>,
    },
}

impl fmt::Debug for ReadAxis<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadAxis::Loop => f.write_str("Loop"),
            ReadAxis::Taps { labels, extent, .. } => {
                let mut taps = f.debug_struct("Taps");
                taps.field("labels", labels).field("extent", extent).finish_non_exhaustive()
            }
        }
    }
}

/// The layout of an operand that is read through windows.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Halo {
    /// The layout of the elements, each in as many units as without windows: an axis of taps is cut as its loop is.
    pub layout: Layout,
    /// An upper bound on the elements in a unit, its halo included, in one lane.
    pub footprint: u64,
    /// The elements that units need and do not hold, level by level, innermost first.
    pub traffic: Vec<LevelTraffic>,
}

impl Local {
    /// Returns the layout of an operand whose axes are read through index maps, and its halo.
    ///
    /// `axes` are those of the operand in their order, and take its labels one after the other. An axis of taps is
    /// cut evenly over the units and time slices of the one loop that is split: each gets a run of its indexes.
    /// Law: a unit needs an element if a product in it reads the element, and holds it if `layout` says so; the
    /// traffic is by enumeration. Where windows are cut into time slices, both hold for each slice by itself.
    /// Cost: by the values of the loops of each axis of taps, at most 2^22.
    ///
    /// # Errors
    /// `Unsupported` where several loops of an axis are split, or one of them over lanes; `Shape` for
    /// an operand that does not exist, and for other numbers of labels; `NotDecided` for more taps;
    /// `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Machine;
    /// use tensor_layout::einsum::{Einsum, ReadAxis};
    /// let machine: Machine = "PE=4".parse()?;
    /// let convolution = "yr,r->y".parse::<Einsum>()?.local_in(&"((4_PE, 4:3), (3:1))".parse()?)?;
    /// let row = |at: &[u64]| (2 * at[0] + at[1]).checked_sub(1).filter(|row| *row < 32);
    /// let rows = ReadAxis::Taps { labels: 2, extent: 32, index: &row };
    /// let halo = convolution.halo(&machine, 0, &[rows])?;
    /// assert_eq!(halo.layout, "((4_PE, 8:1))".parse()?);
    /// assert_eq!((halo.traffic[0].into, halo.footprint), (3, 9));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn halo(
        &self,
        machine: &Machine,
        operand: usize,
        axes: &[ReadAxis<'_>],
    ) -> Result<Halo, LayoutError> {
        let given = self.operands().len();
        let layout = self.operands().get(operand);
        let layout = layout.ok_or_else(|| operand_count(given, operand + 1))?;
        check_units(layout, machine)?;
        let read = self.read_axes(operand, axes)?;
        let home = with_axes(layout, read.iter().map(|axis| &axis.home), |_| true)?;
        // In another time slice, an element has to be fetched again.
        let time = read.iter().any(Read::is_in_slices).then_some(Level::TIME);
        let path = time.into_iter().chain(machine.levels().map(|(level, _)| level)).collect_vec();
        let level = |depth: usize| self.halo_into(operand, &home, &read, machine, &path[..depth]);
        let first = 1 + usize::from(time.is_some());
        let traffic = (first..=path.len()).rev().map(level).try_collect()?;
        let words = read.iter().map(|axis| axis.words_at_most(&path));
        let footprint = product(words).ok_or_else(too_large)?;
        Ok(Halo { layout: home, footprint, traffic })
    }

    /// The axes of an operand with the loops that they take.
    fn read_axes(&self, operand: usize, axes: &[ReadAxis<'_>]) -> Result<Vec<Read>, LayoutError> {
        let loops = &self.axes[operand];
        let labels = |axis: &ReadAxis<'_>| match axis {
            ReadAxis::Loop => 1,
            ReadAxis::Taps { labels, .. } => *labels,
        };
        let taken = axes.iter().map(labels).sum::<usize>();
        if taken != loops.len() {
            return Err(loop_rank(loops.len(), taken));
        }
        let mut at = 0;
        let read = axes.iter().map(|axis| {
            let own = loops[at..at + labels(axis)].iter().filter_map(|of| self.loops.axis(*of));
            at += labels(axis);
            Read::new(axis, &own.collect_vec())
        });
        read.collect()
    }

    /// The elements that the units of the last of some levels need and do not hold.
    fn halo_into(
        &self,
        operand: usize,
        home: &Layout,
        read: &[Read],
        machine: &Machine,
        path: &[Level],
    ) -> Result<LevelTraffic, LayoutError> {
        let pairs = read.iter().map(|axis| axis.pairs(path)).collect_vec();
        let needed = product(pairs.iter().map(|pair| pair.0)).ok_or_else(too_large)?;
        let held = product(pairs.iter().map(|pair| pair.1)).ok_or_else(too_large)?;
        let products = &self.operands()[operand];
        let absent = path.iter().filter(|level| !products.used_levels().contains(level));
        let everywhere = absent.filter_map(|level| machine.size(*level)).collect_vec();
        let copies = self.copies(operand, path).into_iter().chain(everywhere.iter().copied());
        let copies = product(copies).ok_or_else(too_large)?;
        let into = (needed - held).checked_mul(copies).ok_or_else(too_large)?;
        let level = path.last().copied().unwrap_or(Level::ADDR);
        let all = machine.units_of(level).unwrap_or(u64::MAX);
        let units = [products, home].map(|layout| {
            let units = holders_at_most(layout, path);
            everywhere.iter().copied().fold(units, u64::saturating_mul).min(all)
        });
        Ok(lookup_traffic(level, into, units))
    }

    /// The units of some levels in which an element is read: for each loop that the operand has not, and for each copy.
    fn copies(&self, operand: usize, path: &[Level]) -> Vec<u64> {
        let loops = (0..).map_while(|number| Some((number, self.loops.axis(number)?)));
        let others = loops.filter(|(number, _)| !self.axes[operand].contains(number));
        let is_along =
            |digit: &Subaxis| outside(digit).is_some_and(|(_, of, _)| path.contains(&of));
        let others = others.map(|(_, axis)| axis.combinations(is_along));
        let copies = self.loops.result.replicas().iter();
        let copies = copies.filter(|copies| path.contains(&copies.level)).map(|copies| copies.size);
        others.chain(copies).collect()
    }
}

fn too_large() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the traffic")
}

/// An axis of an operand: its layout, and the pairs of units and elements that products need.
struct Read {
    home: Axis,
    /// The digits of units of the loop that is split: the weight of each in the loop, and its stride in the axis that
    /// is cut as the loop is. Empty for an axis that is a loop.
    split: Vec<(Level, StridedDigit)>,
    /// For each tap the value of that loop and the index.
    taps: Option<Vec<(u64, u64)>>,
    /// The number of indexes that are read.
    distinct: u64,
}

impl Read {
    fn new(axis: &ReadAxis<'_>, loops: &[&Axis]) -> Result<Read, LayoutError> {
        match axis {
            ReadAxis::Loop => {
                let home = loops.first().map_or_else(one, |axis| (*axis).clone());
                let distinct = home.extent;
                Ok(Read { home, split: Vec::new(), taps: None, distinct })
            }
            ReadAxis::Taps { extent, index, .. } => Read::of_taps(*extent, loops, *index),
        }
    }

    fn of_taps(
        extent: u64,
        loops: &[&Axis],
        index: &dyn Fn(&[u64]) -> Option<u64>,
    ) -> Result<Read, LayoutError> {
        let is_split = |axis: &&&Axis| axis.subaxes.iter().any(|digit| outside(digit).is_some());
        let is_over = |level: Level| level.is_unit() || level == Level::TIME;
        let fits = |digit: &Subaxis| outside(digit).is_none_or(|(_, level, _)| is_over(level));
        let split = loops.iter().positions(|axis| is_split(&axis)).collect_vec();
        if split.len() > 1 || !loops.iter().all(|axis| axis.subaxes.iter().all(fits)) {
            return Err(fault!(
                Unsupported,
                "an axis that is read through windows can be split over units and time in one of \
                 its loops, and not over lanes"
            ));
        }
        let cut = split.first().copied();
        let digits = cut.map_or(&[][..], |at| &loops[at].subaxes[..]);
        let (home, split) = cut_as(digits, extent)?;
        let taps = taps(loops, cut, index)?;
        let distinct = to_u64(taps.iter().map(|(_, index)| index).unique().count());
        Ok(Read { home, split, taps: Some(taps), distinct })
    }

    /// Returns whether windows are cut into time slices.
    fn is_in_slices(&self) -> bool {
        self.split.iter().any(|(level, _)| *level == Level::TIME)
    }

    /// The pairs of an element and a unit of these levels that needs it, and those of them where it is held.
    fn pairs(&self, path: &[Level]) -> (u64, u64) {
        let Some(taps) = &self.taps else { return (self.home.extent, self.home.extent) };
        if !self.split.iter().any(|(level, _)| path.contains(level)) {
            return (self.distinct, self.distinct);
        }
        let needed = taps.iter().map(|(value, index)| (self.unit_of(*value, path), *index));
        let needed = needed.sorted_unstable().dedup().collect_vec();
        let held = needed.iter().filter(|(unit, index)| self.unit_with(*index, path) == *unit);
        (to_u64(needed.len()), to_u64(held.count()))
    }

    /// The number of the unit, among those of these levels, in which the loop has a value.
    fn unit_of(&self, value: u64, path: &[Level]) -> u64 {
        self.unit(path, |digit| value / digit.weight)
    }

    /// The number of the unit that holds an index.
    fn unit_with(&self, index: u64, path: &[Level]) -> u64 {
        self.unit(path, |digit| index / digit.stride)
    }

    fn unit(&self, path: &[Level], at: impl Fn(&StridedDigit) -> u64) -> u64 {
        let digits = self.split.iter().filter(|(level, _)| path.contains(level));
        digits.fold(0, |unit, (_, digit)| unit * digit.size + at(digit) % digit.size)
    }

    /// The most elements of the axis in a unit, the halo included.
    fn words_at_most(&self, path: &[Level]) -> u64 {
        let addresses = |axis: &Axis| {
            let digits = axis.subaxes.iter().filter(|digit| outside(digit).is_none());
            digits.map(|digit| digit.size).product::<u64>()
        };
        let Some(taps) = self.taps.as_ref().filter(|_| !self.split.is_empty()) else {
            return addresses(&self.home);
        };
        let needed = taps.iter().map(|(value, index)| (self.unit_of(*value, path), *index));
        let lacking = needed.filter(|(unit, index)| self.unit_with(*index, path) != *unit);
        let lacking = lacking.sorted_unstable().dedup().map(|(unit, _)| unit).counts();
        let halo = lacking.into_values().max().unwrap_or(0);
        addresses(&self.home).saturating_add(to_u64(halo))
    }
}

fn one() -> Axis {
    Axis { extent: 1, subaxes: vec![Subaxis::land(1, Level::ADDR, 1)] }
}

/// An axis with the digits of units that a loop has, each of which gets a run of indexes.
fn cut_as(
    digits: &[Subaxis],
    extent: u64,
) -> Result<(Axis, Vec<(Level, StridedDigit)>), LayoutError> {
    let units = digits.iter().filter(|digit| outside(digit).is_some()).copied().collect_vec();
    let count = product(units.iter().map(|digit| digit.size));
    let run = extent.div_ceil(count.ok_or_else(too_large)?).max(1);
    let subaxes = units.iter().copied().chain([Subaxis::land(run, Level::ADDR, 1)]).collect_vec();
    let places = |of: &[Subaxis]| {
        let mut place = 1_u64;
        let each = of.iter().rev().map(|digit| {
            let own = place;
            place = place.saturating_mul(digit.size);
            (*digit, own)
        });
        let each = each.filter_map(|(digit, place)| Some((outside(&digit)?, place))).collect_vec();
        each.into_iter().rev()
    };
    let both = places(digits).zip(places(&subaxes));
    let split = both.map(|(((size, level, _), weight), (_, stride))| {
        (level, StridedDigit { size, weight, stride })
    });
    let split = split.collect();
    Ok((Axis { extent, subaxes }, split))
}

/// The values of the split loop and the indexes of all taps.
fn taps(
    loops: &[&Axis],
    split: Option<usize>,
    index: &dyn Fn(&[u64]) -> Option<u64>,
) -> Result<Vec<(u64, u64)>, LayoutError> {
    let count = product(loops.iter().map(|axis| axis.extent));
    if count.is_none_or(|count| count > MOST_TAPS) {
        let question = "listing the taps of a window";
        return Err(LayoutError::not_decided(question, MOST_TAPS));
    }
    let mut at = vec![0; loops.len()];
    let mut listed = Vec::with_capacity(to_index(count.unwrap_or(0)));
    for number in 0..count.unwrap_or(0) {
        crate::algebra::split(number, loops.iter().map(|axis| axis.extent), &mut at);
        let value = split.map_or(0, |split| at[split]);
        listed.extend(index(&at).map(|index| (value, index)));
    }
    listed.sort_unstable();
    listed.dedup();
    Ok(listed)
}
