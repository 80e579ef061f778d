//! The walk through the choices: slices of time, then the pieces of level after level.

use std::sync::Arc;

use super::candidate::Candidate;
use super::options::Candidates;
use super::orders::Split;
use super::space::Space;
use crate::algebra::work;
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The candidates, one after the other; made by [`Candidates::iter`].
#[derive(Clone, Debug)]
pub struct Layouts {
    space: Arc<Space>,
    state: State,
    /// The choices made, in order; those that are left follow from them.
    path: Vec<Choice>,
    /// The next choice to try, where it is not another way to make the last one.
    next: Option<Choice>,
    /// The last complete choices, with the orders that are left.
    split: Option<Split>,
    tried: u64,
}

/// After so many choices a caller is asked whether to go on: some milliseconds.
const ASKED: u64 = 1 << 12;

/// Choices tried, up to the budget and as long as the caller wants to go on.
pub(super) struct Steps<'a> {
    question: &'static str,
    taken: u64,
    goes_on: &'a mut dyn FnMut() -> bool,
}

impl<'a> Steps<'a> {
    pub(super) fn new(question: &'static str, goes_on: &'a mut dyn FnMut() -> bool) -> Steps<'a> {
        Steps { question, taken: 0, goes_on }
    }

    /// Counts a choice; `false` if the caller has had enough.
    fn take(&mut self) -> Result<bool, LayoutError> {
        self.taken += 1;
        work::count(1);
        if self.taken > Candidates::BUDGET {
            let (question, budget) = (self.question, Candidates::BUDGET);
            return Err(LayoutError::NotDecided { question, budget });
        }
        Ok(!self.taken.is_multiple_of(ASKED) || (self.goes_on)())
    }
}

/// Where a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// More choices are to be made.
    Open,
    /// All choices are made.
    Complete,
    /// Every choice was tried.
    Over,
}

/// A digit of units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digit {
    pub(super) size: u64,
    pub(super) level: Level,
    pub(super) stride: u64,
}

impl Digit {
    /// Whether this digit and the next smaller one are one digit.
    pub(super) fn continues(&self, minor: &Digit) -> bool {
        self.level == minor.level && minor.stride.checked_mul(minor.size) == Some(self.stride)
    }
}

/// One choice: which of the time slices, which cut of a level, where a piece goes.
#[derive(Clone, Copy, Debug)]
enum Choice {
    Time(usize),
    Cut { level: usize, cut: usize },
    Piece { level: usize, cut: usize, piece: usize, put: Put },
}

/// Where a piece goes: behind the first `at` digits of a list, or to no axis.
#[derive(Clone, Copy, Debug)]
enum Put {
    At { list: usize, at: usize },
    Nowhere,
}

/// What the choices so far amount to.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) time: Option<(usize, u64)>,
    /// Units of the major side per axis, then of the minor side per axis.
    pub(super) lists: Vec<Vec<Digit>>,
    /// Pieces that hold copies.
    pub(super) copies: Vec<Digit>,
    /// How many units and slices each axis is split over.
    units: Vec<u64>,
    /// Per level what its pieces did so far.
    levels: Vec<LevelState>,
}

#[derive(Clone, Debug, Default)]
struct LevelState {
    /// The axis of each piece.
    pieces: Vec<Option<usize>>,
}

impl State {
    fn new(space: &Space) -> State {
        let rank = space.axes.len();
        State {
            time: None,
            lists: vec![Vec::new(); 2 * rank],
            copies: Vec::new(),
            units: vec![1; rank],
            levels: vec![LevelState::default(); space.levels.len()],
        }
    }

    /// The units of an axis and its words, the least that cover it.
    pub(super) fn words(&self, space: &Space, axis: usize) -> Option<(u64, u64)> {
        let (rule, units) = (&space.axes[axis], self.units[axis]);
        let words = rule.extent.div_ceil(units).max(1);
        Some((units, words.checked_next_multiple_of(rule.block)?))
    }

    /// Whether a level is split over some axis.
    pub(super) fn is_split(&self, level: usize) -> bool {
        self.levels[level].pieces.iter().any(Option::is_some)
    }

    /// Makes a choice, unless no candidate can come of it.
    fn make(&mut self, space: &Space, choice: Choice) -> bool {
        let made = match choice {
            Choice::Time(number) => self.slice(space, number),
            Choice::Cut { .. } => true,
            Choice::Piece { level, cut, piece, put } => self.place(space, (level, cut, piece), put),
        };
        let hopeful = made && self.may_lead_on(space, choice);
        if made && !hopeful {
            self.unmake(space, choice);
        }
        hopeful
    }

    fn slice(&mut self, space: &Space, number: usize) -> bool {
        self.time = space.times[number];
        if let Some((axis, slices)) = self.time {
            self.units[axis] = slices;
        }
        true
    }

    fn place(&mut self, space: &Space, at: (usize, usize, usize), put: Put) -> bool {
        let (number, cut, piece) = at;
        let rule = &space.levels[number];
        let digit = digit(space, at);
        let rank = space.axes.len();
        let axis = match put {
            Put::At { list, at } => {
                let Some(units) = self.units[list % rank].checked_mul(digit.size) else {
                    return false;
                };
                self.units[list % rank] = units;
                self.lists[list].insert(at, digit);
                Some(list % rank)
            }
            Put::Nowhere if rule.must_split => return false,
            Put::Nowhere => {
                let follows = piece > 0 && self.levels[number].pieces.last() == Some(&None);
                // A piece of a level that is left out as a whole needs no digit of copies.
                if follows || (!rule.copies && rule.cuts[cut].len() > 1) {
                    return false;
                }
                if rule.cuts[cut].len() > 1 {
                    self.copies.push(digit);
                }
                None
            }
        };
        self.levels[number].pieces.push(axis);
        true
    }

    fn unmake(&mut self, space: &Space, choice: Choice) {
        match choice {
            Choice::Time(_) => {
                if let Some((axis, _)) = self.time.take() {
                    self.units[axis] = 1;
                }
            }
            Choice::Cut { .. } => {}
            Choice::Piece { level, cut, piece, put } => {
                self.levels[level].pieces.pop();
                match put {
                    Put::At { list, at } => {
                        let digit = self.lists[list].remove(at);
                        self.units[list % space.axes.len()] /= digit.size;
                    }
                    Put::Nowhere if space.levels[level].cuts[cut].len() > 1 => {
                        debug_assert!(
                            self.copies.last() == Some(&digit(space, (level, cut, piece)))
                        );
                        self.copies.pop();
                    }
                    Put::Nowhere => {}
                }
            }
        }
    }

    /// Whether candidates may follow: none of these gets better by splitting further.
    fn may_lead_on(&self, space: &Space, choice: Choice) -> bool {
        match choice {
            Choice::Cut { .. } => true,
            Choice::Time(_) => self.is_roomy(space, 0),
            Choice::Piece { level, cut, piece, put } => {
                let is_last = piece + 1 == space.levels[level].cuts[cut].len();
                let next = if is_last { level + 1 } else { level };
                let moves = match put {
                    Put::At { list, .. } => self.moves(space, list % space.axes.len()),
                    Put::Nowhere => true,
                };
                moves && (!is_last || self.is_wanted(space, level)) && self.is_roomy(space, next)
            }
        }
    }

    /// Whether the leading digit of an axis can move, whichever it is.
    fn moves(&self, space: &Space, axis: usize) -> bool {
        let rank = space.axes.len();
        let digits = self.lists[axis].iter().chain(&self.lists[rank + axis]);
        let slices = self.time.filter(|(of, _)| *of == axis).map(|(_, slices)| slices);
        let leading = slices.or(digits.map(|digit| digit.size).max()).unwrap_or(1);
        let rule = &space.axes[axis];
        let below = (self.units[axis] / leading).checked_mul(rule.block);
        below.is_some_and(|below| below < rule.extent)
    }

    /// Whether a level stands on every axis that is to have it.
    fn is_wanted(&self, space: &Space, level: usize) -> bool {
        let LevelState { pieces } = &self.levels[level];
        let name = space.levels[level].level;
        let wants = |(_, rule): &(usize, &super::space::AxisRule)| rule.wants(name);
        let wanted = space.axes.iter().enumerate().filter(wants);
        wanted.map(|(axis, _)| axis).all(|axis| pieces.contains(&Some(axis)))
    }

    /// Whether padding and footprint can still be kept, the levels from `next` on being open.
    fn is_roomy(&self, space: &Space, next: usize) -> bool {
        let open = space.levels[next.min(space.levels.len())..].iter().filter(|rule| rule.splits);
        let open = open.map(|rule| u128::from(rule.units)).fold(1, u128::saturating_mul);
        let (mut slots, mut words) = (1_u128, 1_u128);
        for axis in 0..space.axes.len() {
            let Some((units, of_axis)) = self.words(space, axis) else { return false };
            words = words.saturating_mul(u128::from(of_axis));
            slots = slots.saturating_mul(u128::from(units)).saturating_mul(u128::from(of_axis));
        }
        words <= u128::from(space.capacity).saturating_mul(open) && !space.is_too_padded(slots)
    }
}

/// The digit of a piece: (level, cut, piece).
fn digit(space: &Space, (level, cut, piece): (usize, usize, usize)) -> Digit {
    let rule = &space.levels[level];
    let (pieces, below) = rule.cuts[cut].split_at(piece + 1);
    // The units of the level fit in 64 bits, and so does the greatest coordinate of a machine.
    let stride = rule.stride * below.iter().product::<u64>();
    Digit { size: pieces[piece], level: rule.level, stride }
}

impl Layouts {
    pub(super) fn new(space: Arc<Space>) -> Layouts {
        let state = State::new(&space);
        let next = (!space.times.is_empty()).then_some(Choice::Time(0));
        Layouts { space, state, path: Vec::new(), next, split: None, tried: 0 }
    }

    /// How many choices were tried so far; never more than [`BUDGET`](Candidates::BUDGET) for one
    /// candidate.
    #[must_use]
    pub fn choices_tried(&self) -> u64 {
        self.tried
    }

    /// The number of candidates from the start; `None` if the caller has had enough.
    pub(super) fn count_all(mut self, steps: &mut Steps<'_>) -> Result<Option<u128>, LayoutError> {
        let too_large = || LayoutError::too_large(Site::Layout, "the number of candidates");
        let mut count = 0_u128;
        loop {
            match self.advance(steps)? {
                Stage::Open => return Ok(None),
                Stage::Over => return Ok(Some(count)),
                Stage::Complete => {}
            }
            let orders = Split::new(&self.space, &self.state).map_or(Some(0), |s| s.count());
            count = orders.and_then(|n| count.checked_add(n)).ok_or_else(too_large)?;
        }
    }

    /// The next candidate, as [`next`](Iterator::next) gives it; `None` when `goes_on`, which is
    /// asked every few milliseconds, says no. The walk can be taken up again then.
    pub fn next_while(
        &mut self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Option<Option<Result<Candidate, LayoutError>>> {
        let mut steps = Steps::new("whether there is another candidate", goes_on);
        loop {
            if let Some(candidate) = self.split.as_mut().and_then(|s| s.next(&self.space)) {
                return Some(Some(Ok(candidate)));
            }
            match self.advance(&mut steps) {
                Ok(Stage::Complete) => self.split = Split::new(&self.space, &self.state),
                Ok(Stage::Over) => return Some(None),
                Ok(Stage::Open) => return None,
                Err(refusal) => {
                    (self.path, self.next) = (Vec::new(), None);
                    return Some(Some(Err(refusal)));
                }
            }
        }
    }

    /// Goes on to the next complete choices; `Open` if the caller has had enough.
    fn advance(&mut self, steps: &mut Steps<'_>) -> Result<Stage, LayoutError> {
        while let Some(choice) = self.next.take().or_else(|| self.back()) {
            let goes_on = steps.take()?;
            let stage = self.attempt(choice);
            if stage == Stage::Complete || !goes_on {
                return Ok(stage);
            }
        }
        Ok(Stage::Over)
    }

    fn attempt(&mut self, choice: Choice) -> Stage {
        self.tried += 1;
        if !self.state.make(&self.space, choice) {
            self.next = self.other(choice);
            return Stage::Open;
        }
        self.path.push(choice);
        self.next = self.deeper(choice);
        if self.next.is_none() { Stage::Complete } else { Stage::Open }
    }

    /// Takes choices back until there is another one to try.
    fn back(&mut self) -> Option<Choice> {
        while let Some(last) = self.path.pop() {
            self.state.unmake(&self.space, last);
            if let Some(other) = self.other(last) {
                return Some(other);
            }
        }
        None
    }

    /// The next way to make the same choice.
    fn other(&self, choice: Choice) -> Option<Choice> {
        match choice {
            Choice::Time(number) => {
                (number + 1 < self.space.times.len()).then_some(Choice::Time(number + 1))
            }
            Choice::Cut { level, cut } => {
                let more = cut + 1 < self.space.levels[level].cuts.len();
                more.then_some(Choice::Cut { level, cut: cut + 1 })
            }
            Choice::Piece { level, cut, piece, put } => {
                let put = match put {
                    Put::Nowhere => None,
                    Put::At { list, at } if at > 0 && !self.space.tree_order => {
                        Some(Put::At { list, at: at - 1 })
                    }
                    Put::At { list, .. } => Some(self.put_from(level, list + 1)),
                };
                put.map(|put| Choice::Piece { level, cut, piece, put })
            }
        }
    }

    /// The first choice below one that was made, `None` if it was the last.
    fn deeper(&self, choice: Choice) -> Option<Choice> {
        let first = |level: usize| {
            (level < self.space.levels.len()).then_some(Choice::Cut { level, cut: 0 })
        };
        let (level, cut, piece) = match choice {
            Choice::Time(_) => return first(0),
            Choice::Cut { level, cut } => (level, cut, 0),
            Choice::Piece { level, cut, piece, .. } => (level, cut, piece + 1),
        };
        if piece == self.space.levels[level].cuts[cut].len() {
            return first(level + 1);
        }
        Some(Choice::Piece { level, cut, piece, put: self.put_from(level, 0) })
    }

    /// The first place for a piece in the lists from `list` on, behind what is there.
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
