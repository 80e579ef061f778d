//! The walk through the choices: time slices, then the pieces of one level after another.

use std::sync::Arc;

use super::candidate::Candidate;
use super::options::Candidates;
use super::orders::AddressOrders;
use super::space::Space;
use super::state::{ChoicesMade, Put, WalkChoice};
use crate::algebra::work;
use crate::error::{LayoutError, fault};

/// An iterator over the candidates, made by [`Candidates::iter`].
#[derive(Clone, Debug)]
pub struct Layouts {
    pub(super) space: Arc<Space>,
    pub(super) state: ChoicesMade,
    /// The choices made, in order; those that are left follow from them.
    path: Vec<WalkChoice>,
    /// The next choice to try, unless it is another way to make the last one.
    pub(super) next: Option<WalkChoice>,
    /// The last complete choices, with the orders that are left.
    split: Option<AddressOrders>,
    tried: u64,
}

/// The number of choices between two calls of a caller's `goes_on`: a few milliseconds.
const ASKED: u64 = 1 << 12;

/// Choices tried, up to the budget and as long as the caller wants to go on.
pub(super) struct SearchBudget<'a> {
    question: &'static str,
    taken: u64,
    goes_on: &'a mut dyn FnMut() -> bool,
}

impl<'a> SearchBudget<'a> {
    pub(super) fn new(
        question: &'static str,
        goes_on: &'a mut dyn FnMut() -> bool,
    ) -> SearchBudget<'a> {
        SearchBudget { question, taken: 0, goes_on }
    }

    /// Counts a choice; `false` if the caller has had enough.
    fn take(&mut self) -> Result<bool, LayoutError> {
        self.taken += 1;
        work::count(1);
        if self.taken > Candidates::BUDGET {
            let (question, budget) = (self.question, Candidates::BUDGET);
            return Err(LayoutError::not_decided(question, budget));
        }
        Ok(!self.taken.is_multiple_of(ASKED) || (self.goes_on)())
    }
}

/// The progress of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// More choices are to be made.
    Open,
    /// All choices are made.
    Complete,
    /// Every choice was tried.
    Over,
}

impl Candidates {
    /// Iterates over the candidates.
    ///
    /// Cost: under 2 us per candidate, where few choices are dead ends. The walk ends with
    /// `NotDecided` where [`BUDGET`](Candidates::BUDGET) choices in a row lead to
    /// no candidate.
    ///
    /// # Errors
    /// `Argument` for an option that is empty, 0 or contradicts another, and for an axis beyond the rank;
    /// `Unknown`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Level, Machine};
    /// use tensor_layout::candidates::{Candidates, Side};
    /// let machine: Machine = "PE=4".parse()?;
    /// let all = Candidates::new(&machine, &[4]);
    /// let minor = Candidates { sides: vec![Side::Minor], replicate: false, ..all.clone() };
    /// let layouts: Vec<_> = minor.iter()?.collect::<Result<_, _>>()?;
    /// assert_eq!(layouts[0].layout, "((4_PE))".parse()?);
    /// let unknown = Candidates { never: vec![(0, Level::MAB)], ..all }.iter().unwrap_err();
    /// assert_eq!(unknown.to_string(), "`MAB` is not a level of the machine `PE=4`, whose levels are PE");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn iter(&self) -> Result<Layouts, LayoutError> {
        Ok(Layouts::new(Arc::new(Space::new(self)?)))
    }

    /// Counts the candidates without building them.
    ///
    /// Law: as many as [`iter`](Candidates::iter) walks.
    /// Cost: orders in the address are counted, not walked.
    ///
    /// # Errors
    /// As [`iter`](Candidates::iter); `NotDecided` past [`BUDGET`](Candidates::BUDGET) choices in all;
    /// `TooLarge` beyond 128 bits.
    pub fn count(&self) -> Result<u128, LayoutError> {
        Ok(self.count_while(&mut || true)?.unwrap_or_default())
    }

    /// Counts the candidates like [`count`](Candidates::count); returns `None` when `goes_on`, which is
    /// called every few milliseconds, returns `false`.
    ///
    /// # Errors
    /// As [`count`](Candidates::count).
    pub fn count_while(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u128>, LayoutError> {
        let mut steps = SearchBudget::new("counting the candidates", goes_on);
        let mut count = 0;
        Ok(self.iter()?.count_into(&mut count, &mut steps)?.then_some(count))
    }
}

impl Layouts {
    pub(super) fn new(space: Arc<Space>) -> Layouts {
        let state = ChoicesMade::new(&space);
        let next = (!space.times.is_empty()).then_some(WalkChoice::Time(0));
        Layouts { space, state, path: Vec::new(), next, split: None, tried: 0 }
    }

    /// The number of choices that were tried so far; never more than [`BUDGET`](Candidates::BUDGET) for one
    /// candidate.
    #[must_use]
    pub fn choices_tried(&self) -> u64 {
        self.tried
    }

    /// Counts candidates from the start; `false` if the caller has had enough before the last.
    pub(super) fn count_into(
        mut self,
        count: &mut u128,
        steps: &mut SearchBudget<'_>,
    ) -> Result<bool, LayoutError> {
        loop {
            match self.advance(steps)? {
                Progress::Open => return Ok(false),
                Progress::Over => return Ok(true),
                Progress::Complete => {}
            }
            let orders =
                AddressOrders::new(&self.space, &self.state).map_or(Some(0), |s| s.count());
            *count = orders.and_then(|n| count.checked_add(n)).ok_or_else(|| {
                fault!(TooLarge, "the number of candidates does not fit in 128 bits")
            })?;
        }
    }

    /// Returns the next candidate like [`next`](Iterator::next); `None` when `goes_on`, which is called every
    /// few milliseconds, returns `false`. The walk can be continued afterwards.
    pub fn next_while(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Option<Result<Candidate, LayoutError>>> {
        let mut steps = SearchBudget::new("finding the next candidate", goes_on);
        loop {
            if let Some(candidate) =
                self.split.as_mut().and_then(|s| s.next(&self.space, &self.state))
            {
                return Some(Some(Ok(candidate)));
            }
            match self.advance(&mut steps) {
                Ok(Progress::Complete) => self.split = AddressOrders::new(&self.space, &self.state),
                Ok(Progress::Over) => return Some(None),
                Ok(Progress::Open) => return None,
                Err(refusal) => {
                    (self.path, self.next) = (Vec::new(), None);
                    return Some(Some(Err(refusal)));
                }
            }
        }
    }

    /// Advances to the next complete choices; `Open` if the caller stops the walk.
    fn advance(&mut self, steps: &mut SearchBudget<'_>) -> Result<Progress, LayoutError> {
        while let Some(choice) = self.next.take().or_else(|| self.back()) {
            let goes_on = steps.take()?;
            let stage = self.attempt(choice);
            if stage == Progress::Complete || !goes_on {
                return Ok(stage);
            }
        }
        Ok(Progress::Over)
    }

    fn attempt(&mut self, choice: WalkChoice) -> Progress {
        self.tried += 1;
        if !self.state.make(&self.space, choice) {
            self.next = self.other(choice);
            return Progress::Open;
        }
        self.path.push(choice);
        self.next = self.deeper(choice);
        if self.next.is_none() { Progress::Complete } else { Progress::Open }
    }

    /// Takes choices back until there is another one to try.
    fn back(&mut self) -> Option<WalkChoice> {
        while let Some(last) = self.path.pop() {
            self.state.unmake(&self.space, last);
            if let Some(other) = self.other(last) {
                return Some(other);
            }
        }
        None
    }

    /// The next way to make the same choice.
    pub(super) fn other(&self, choice: WalkChoice) -> Option<WalkChoice> {
        match choice {
            WalkChoice::Time(number) => {
                (number + 1 < self.space.times.len()).then_some(WalkChoice::Time(number + 1))
            }
            WalkChoice::Cut { level, cut } => {
                let more = cut + 1 < self.space.levels[level].cuts.len();
                more.then_some(WalkChoice::Cut { level, cut: cut + 1 })
            }
            WalkChoice::Piece { level, cut, piece, put } => {
                let put = match put {
                    Put::Nowhere => None,
                    Put::At { list, at } if at > 0 && !self.space.tree_order => {
                        Some(Put::At { list, at: at - 1 })
                    }
                    Put::At { list, .. } => Some(self.put_from(level, list + 1)),
                };
                put.map(|put| WalkChoice::Piece { level, cut, piece, put })
            }
        }
    }

    /// The first choice below one that was made, `None` if it was the last.
    pub(super) fn deeper(&self, choice: WalkChoice) -> Option<WalkChoice> {
        let first = |level: usize| {
            (level < self.space.levels.len()).then_some(WalkChoice::Cut { level, cut: 0 })
        };
        let (level, cut, piece) = match choice {
            WalkChoice::Time(_) => return first(0),
            WalkChoice::Cut { level, cut } => (level, cut, 0),
            WalkChoice::Piece { level, cut, piece, .. } => (level, cut, piece + 1),
        };
        if piece == self.space.levels[level].cuts[cut].len() {
            return first(level + 1);
        }
        Some(WalkChoice::Piece { level, cut, piece, put: self.put_from(level, 0) })
    }

    /// The first place for a piece in the lists from `list` on, after the digits that are there.
    fn put_from(&self, level: usize, list: usize) -> Put {
        let (space, rank) = (&self.space, self.space.axes.len());
        let rule = &space.levels[level];
        let allowed = |list: &usize| {
            let side = if list / rank == 0 { space.major } else { space.minor };
            side && rule.splits && space.axes[list % rank].allows(rule.level)
        };
        let found = (list..2 * rank).find(allowed);
        found.map_or(Put::Nowhere, |list| Put::At { list, at: self.state.lists[list].len() })
    }
}

impl Iterator for Layouts {
    type Item = Result<Candidate, LayoutError>;

    fn next(&mut self) -> Option<Result<Candidate, LayoutError>> {
        self.next_while(&mut || true).flatten()
    }
}
