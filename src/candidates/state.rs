//! The choices made so far in a walk, and whether they can still lead to a candidate.

use super::space::Space;
use crate::algebra::Subaxis;

/// One choice: a number of time slices, the cut of a level, or the target of a piece.
#[derive(Clone, Copy, Debug)]
pub(super) enum WalkChoice {
    Time(usize),
    Cut { level: usize, cut: usize },
    Piece { level: usize, cut: usize, piece: usize, put: Put },
}

/// The target of a piece: the place after the first `at` digits of a list, or no axis.
#[derive(Clone, Copy, Debug)]
pub(super) enum Put {
    At { list: usize, at: usize },
    Nowhere,
}

/// The result of the choices so far.
#[derive(Clone, Debug)]
pub(super) struct ChoicesMade {
    /// The axes that are cut into time slices.
    time: Vec<(usize, Subaxis)>,
    /// Units of the major side per axis, then of the minor side per axis.
    pub(super) lists: Vec<Vec<Subaxis>>,
    /// Pieces that hold copies.
    pub(super) copies: Vec<Subaxis>,
    /// The number of units and slices each axis is split over.
    pub(super) units: Vec<u64>,
    /// The pieces of each level so far: the axis that each splits, if any.
    pieces: Vec<Vec<Option<usize>>>,
}

impl ChoicesMade {
    pub(super) fn new(space: &Space) -> ChoicesMade {
        let rank = space.axes.len();
        ChoicesMade {
            time: Vec::new(),
            lists: vec![Vec::new(); 2 * rank],
            copies: Vec::new(),
            units: vec![1; rank],
            pieces: vec![Vec::new(); space.levels.len()],
        }
    }

    /// The units of an axis and its words, the least that cover it.
    pub(super) fn words(&self, space: &Space, axis: usize) -> Option<(u64, u64)> {
        let (rule, units) = (&space.axes[axis], self.units[axis]);
        let words = rule.extent.div_ceil(units).max(1);
        Some((units, words.checked_next_multiple_of(rule.block)?))
    }

    /// The time slices of an axis.
    pub(super) fn slices(&self, axis: usize) -> Option<Subaxis> {
        self.time.iter().find(|(of, _)| *of == axis).map(|(_, digit)| *digit)
    }

    /// Returns whether a level is split over some axis.
    pub(super) fn is_split(&self, level: usize) -> bool {
        self.pieces[level].iter().any(Option::is_some)
    }

    /// Makes a choice, unless it cannot lead to a candidate.
    pub(super) fn make(&mut self, space: &Space, choice: WalkChoice) -> bool {
        let made = match choice {
            WalkChoice::Time(number) => {
                self.time.clone_from(&space.times[number]);
                self.time.iter().for_each(|(axis, slices)| self.units[*axis] = slices.size);
                true
            }
            WalkChoice::Cut { .. } => true,
            WalkChoice::Piece { level, cut, piece, put } => {
                self.place(space, (level, cut, piece), put)
            }
        };
        let hopeful = made && self.may_lead_on(space, choice);
        if made && !hopeful {
            self.unmake(space, choice);
        }
        hopeful
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
                let follows = piece > 0 && self.pieces[number].last() == Some(&None);
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
        self.pieces[number].push(axis);
        true
    }

    pub(super) fn unmake(&mut self, space: &Space, choice: WalkChoice) {
        match choice {
            WalkChoice::Time(_) => {
                for (axis, _) in self.time.drain(..) {
                    self.units[axis] = 1;
                }
            }
            WalkChoice::Cut { .. } => {}
            WalkChoice::Piece { level, cut, put, .. } => {
                self.pieces[level].pop();
                match put {
                    Put::At { list, at } => {
                        let digit = self.lists[list].remove(at);
                        self.units[list % space.axes.len()] /= digit.size;
                    }
                    Put::Nowhere if space.levels[level].cuts[cut].len() > 1 => {
                        self.copies.pop();
                    }
                    Put::Nowhere => {}
                }
            }
        }
    }

    /// Returns whether candidates may follow: further splitting cannot repair any of the conditions tested
    /// here.
    fn may_lead_on(&self, space: &Space, choice: WalkChoice) -> bool {
        match choice {
            WalkChoice::Cut { .. } => true,
            WalkChoice::Time(_) => self.is_roomy(space, 0),
            WalkChoice::Piece { level, cut, piece, put } => {
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

    /// Returns whether the leading digit of an axis can move, whichever it is.
    fn moves(&self, space: &Space, axis: usize) -> bool {
        let rank = space.axes.len();
        let digits = self.lists[axis].iter().chain(&self.lists[rank + axis]);
        let slices = self.slices(axis).map(|digit| digit.size);
        let leading = slices.or(digits.map(|digit| digit.size).max()).unwrap_or(1);
        let rule = &space.axes[axis];
        let below = (self.units[axis] / leading).checked_mul(rule.block);
        below.is_some_and(|below| below < rule.extent)
    }

    /// Returns whether every axis that must have a level has a piece of it.
    fn is_wanted(&self, space: &Space, level: usize) -> bool {
        let (pieces, name) = (&self.pieces[level], space.levels[level].level);
        let mut axes = space.axes.iter().enumerate();
        axes.all(|(axis, rule)| !rule.wants(name) || pieces.contains(&Some(axis)))
    }

    /// Returns whether padding and footprint can still be kept, the levels from `next` on being open.
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
fn digit(space: &Space, (level, cut, piece): (usize, usize, usize)) -> Subaxis {
    let rule = &space.levels[level];
    let (pieces, below) = rule.cuts[cut].split_at(piece + 1);
    // The units of the level fit in 64 bits, and so does the greatest coordinate of a machine.
    let stride = rule.stride * below.iter().product::<u64>();
    Subaxis::land(pieces[piece], rule.level, stride)
}
