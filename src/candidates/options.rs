//! The options of a search, which a planner sets.

use std::collections::BTreeMap;

use super::candidate::Candidate;
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
/// let candidates = Candidates { capacity_words: Some(16), ..Candidates::new(&machine, &[8, 6]) };
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
    /// The machine.
    pub machine: Machine,
    /// The extents.
    pub shape: Vec<u64>,
    /// The memory: no axis is split over levels below its owner, and its capacity is respected.
    pub memory: Option<String>,
    /// The width of an element; with one, the lanes of a long word are an additional level, `W`.
    pub element_bits: Option<u64>,
    /// The address of the first long word; the capacity of a memory is counted from address 0.
    pub base: u64,
    /// The only levels that axes may be split over; the others are replicated. `None` for all levels.
    pub levels: Option<Vec<Level>>,
    /// Levels that axes have to be split over, and which hold no copies.
    pub without_copies_in: Vec<Level>,
    /// The maximum number of pieces that a level may be cut into, to split different axes or hold copies.
    pub level_parts: usize,
    /// The positions that the digits of units may have in an axis.
    pub sides: Vec<Side>,
    /// True if [`levels`](Candidates::levels) may hold copies. If not, all units of these levels hold different
    /// elements, so a tensor without an axis of extent 2 or more, such as a scalar, has no candidate on a machine
    /// with several units.
    pub replicate: bool,
    /// The words of the innermost axis that has any are padded to a multiple of this.
    pub alignment: u64,
    /// The maximum number of long words per unit, not counting the base.
    pub capacity_words: Option<u64>,
    /// The maximum share of slots that may be padding, in percent.
    pub padding_percent: u64,
    /// The allowed numbers of time slices; 1 means no slices.
    pub time: Vec<u64>,
    /// The maximum number of axes cut into time slices together; the first is the outermost in time.
    pub time_axes: usize,
    /// The orders in which the axes may nest in the address.
    pub orders: Orders,
    /// True if only the machine's order is allowed for the units of a side, outermost first and lanes last, so
    /// that neighbours are close together.
    pub tree_order: bool,
    /// Axes that may not be split over a level, which may be `Time`.
    pub never: Vec<(usize, Level)>,
    /// Axes that have to be split over exactly these levels, each fully or partly.
    pub fixed: Vec<(usize, Vec<Level>)>,
    /// Axes of which runs of so many elements stay at successive addresses of a unit.
    pub contiguous: Vec<(usize, u64)>,
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
            machine: machine.clone(),
            shape: shape.to_vec(),
            memory: None,
            element_bits: None,
            base: 0,
            levels: None,
            without_copies_in: Vec::new(),
            level_parts: 1,
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
