//! The options of a search, which a planner sets.

use std::collections::BTreeMap;

use super::candidate::{Candidate, Setting};
use crate::error::LayoutError;
use crate::level::Level;
use crate::machine::Machine;

/// Layouts of a shape on a machine, under constraints.
///
/// [The module](crate::candidates) defines exactly which layouts these are. Options are checked when the
/// candidates are counted or walked, and an invalid one is an error, never an empty list.
///
/// ```
/// use tensor_layout::Machine;
/// use tensor_layout::candidates::{Candidates, pareto};
/// let machine: Machine = "PE=4".parse()?;
/// let candidates = Candidates::new(&machine, &[8, 6]).capacity_words(16);
/// let all: Vec<_> = candidates.iter()?.collect::<Result<_, _>>()?;
/// assert_eq!(candidates.count()?, all.len() as u128);
/// assert!(all.iter().all(|candidate| candidate.footprint_words <= 16));
/// let best = pareto(all, |candidate| vec![candidate.footprint_words, candidate.pads]);
/// assert_eq!(best[0].layout, "((4_PE, 2:6), (6:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Candidates {
    pub(super) setting: Setting,
    pub(super) shape: Vec<u64>,
    pub(super) levels: Option<Vec<Level>>,
    pub(super) split: Vec<Level>,
    pub(super) parts: usize,
    pub(super) sides: Vec<Side>,
    pub(super) replicate: bool,
    pub(super) alignment: u64,
    pub(super) capacity_words: Option<u64>,
    pub(super) padding_percent: u64,
    pub(super) time: Vec<u64>,
    pub(super) time_axes: usize,
    pub(super) orders: Orders,
    pub(super) tree_order: bool,
    pub(super) never: Vec<(usize, Level)>,
    pub(super) fixed: Vec<(usize, Vec<Level>)>,
    pub(super) contiguous: Vec<(usize, u64)>,
}

/// The position of the digits of units in an axis: above or below its words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Above the address: neighbours share a unit, `(4_PE, 3:1)`.
    Major,
    /// Below the address: neighbours are in different units, `(3:1, 4_PE)`.
    Minor,
}

/// The orders in which the axes nest in the address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Orders {
    /// Every order. The traffic between units does not depend on it.
    #[default]
    All,
    /// The last axis innermost, unless another one has to be contiguous.
    RowMajor,
}

impl Candidates {
    /// The number of choices that are tried between two candidates before the answer is "not decided".
    pub const BUDGET: u64 = 1 << 22;

    /// Starts with all layouts of a shape on a machine: without time slices, with uncut levels and up to half
    /// of the slots as padding.
    pub fn new(machine: &Machine, shape: &[u64]) -> Candidates {
        Candidates {
            setting: Setting {
                machine: machine.clone(),
                memory: None,
                element_bits: None,
                base: 0,
            },
            shape: shape.to_vec(),
            levels: None,
            split: Vec::new(),
            parts: 1,
            sides: vec![Side::Major, Side::Minor],
            replicate: true,
            alignment: 1,
            capacity_words: None,
            padding_percent: 50,
            time: vec![1],
            time_axes: 1,
            orders: Orders::All,
            tree_order: false,
            never: Vec::new(),
            fixed: Vec::new(),
            contiguous: Vec::new(),
        }
    }

    /// Sets the memory: no axis is split over levels below its owner, and its capacity is respected.
    pub fn memory(mut self, name: &str) -> Candidates {
        self.setting.memory = Some(name.into());
        self
    }

    /// Sets the width of an element; the lanes of a long word are then an additional level, `W`.
    pub fn element_bits(mut self, bits: u64) -> Candidates {
        self.setting.element_bits = Some(bits);
        self
    }

    /// Sets the address of the first long word; the capacity of a memory is counted from address 0.
    pub fn base(mut self, base: u64) -> Candidates {
        self.setting.base = base;
        self
    }

    /// Allows axes to be split over these levels only; the others are replicated.
    pub fn levels(mut self, levels: &[Level]) -> Candidates {
        self.levels = Some(levels.to_vec());
        self
    }

    /// Requires axes to be split over these levels, which then hold no copies.
    pub fn without_copies_in(mut self, levels: &[Level]) -> Candidates {
        self.split.extend(levels);
        self
    }

    /// Sets the maximum number of pieces that a level may be cut into, to split different axes or hold
    /// copies.
    pub fn level_parts(mut self, most: usize) -> Candidates {
        self.parts = most;
        self
    }

    /// Sets the positions that the digits of units may have in an axis.
    pub fn sides(mut self, sides: &[Side]) -> Candidates {
        self.sides = sides.to_vec();
        self
    }

    /// Allows or forbids copies along the levels that [`levels`](Candidates::levels) admits.
    ///
    /// If forbidden, all units of these levels hold different elements, so a tensor without an axis of extent
    /// 2 or more, such as a scalar, has no candidate on a machine with several units.
    pub fn replicate(mut self, replicate: bool) -> Candidates {
        self.replicate = replicate;
        self
    }

    /// Pads the words of the innermost axis that has any to a multiple of `words`.
    pub fn alignment(mut self, words: u64) -> Candidates {
        self.alignment = words;
        self
    }

    /// Sets the maximum number of long words per unit, not counting the base.
    pub fn capacity_words(mut self, words: u64) -> Candidates {
        self.capacity_words = Some(words);
        self
    }

    /// Sets the maximum share of slots that may be padding, in percent.
    pub fn padding_percent(mut self, percent: u64) -> Candidates {
        self.padding_percent = percent;
        self
    }

    /// Sets the allowed numbers of time slices; 1 means no slices.
    pub fn time(mut self, slices: &[u64]) -> Candidates {
        self.time = slices.to_vec();
        self
    }

    /// Sets the maximum number of axes cut into time slices together; the first is the outermost in time.
    pub fn time_axes(mut self, most: usize) -> Candidates {
        self.time_axes = most;
        self
    }

    /// Sets the orders in which the axes may nest in the address.
    pub fn orders(mut self, orders: Orders) -> Candidates {
        self.orders = orders;
        self
    }

    /// With `true`, allows only the machine's order for the units of a side, outermost first and lanes last,
    /// so that neighbours are close together.
    pub fn tree_order(mut self, only: bool) -> Candidates {
        self.tree_order = only;
        self
    }

    /// Forbids splitting the axis over the level, which may be `Time`.
    pub fn never(mut self, axis: usize, level: Level) -> Candidates {
        self.never.push((axis, level));
        self
    }

    /// Requires the axis to be split over exactly these levels, each fully or partly.
    pub fn fixed(mut self, axis: usize, levels: &[Level]) -> Candidates {
        self.fixed.push((axis, levels.to_vec()));
        self
    }

    /// Keeps runs of `run` elements along the axis at successive addresses of a unit.
    pub fn contiguous(mut self, axis: usize, run: u64) -> Candidates {
        self.contiguous.push((axis, run));
        self
    }
}

impl Candidates {
    /// Returns the cheapest candidates by a price, cheapest first; of equal prices, those that the walk finds
    /// first. A candidate without a price is left out.
    ///
    /// Law: as sorting all candidates. Cost: one price per candidate; at most `most` candidates are kept.
    ///
    /// # Errors
    /// As [`iter`](Candidates::iter) and its items, and those of the price.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::candidates::Candidates;
    /// use tensor_layout::{LayoutError, Machine};
    /// let machine: Machine = "L2B=2,PE=4".parse()?;
    /// let all = Candidates::new(&machine, &[8, 6]);
    /// let best = all.cheapest(2, |candidate| {
    ///     Ok::<_, LayoutError>(Some(candidate.footprint_words))
    /// })?;
    /// assert_eq!((best[0].0, &best[0].1.layout), (6, &"((2_L2B, 4_PE), (6:1))".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cheapest<P: Ord, E: From<LayoutError>>(
        &self,
        most: usize,
        mut price: impl FnMut(&Candidate) -> Result<Option<P>, E>,
    ) -> Result<Vec<(P, Candidate)>, E> {
        let mut kept: BTreeMap<(P, usize), Candidate> = BTreeMap::new();
        for (number, candidate) in self.iter()?.enumerate() {
            let candidate = candidate?;
            if let Some(price) = price(&candidate)? {
                kept.insert((price, number), candidate);
            }
            if kept.len() > most {
                kept.pop_last();
            }
        }
        Ok(kept.into_iter().map(|((price, _), candidate)| (price, candidate)).collect())
    }
}
