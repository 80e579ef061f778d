//! A search that decides between a choice and the others of its variable, and drops parts without better solutions.

use super::bound::{prune, raise};
use super::control::Control;
use super::eliminate::best;
use super::network::Network;
use super::order::order;
use super::price::{bid, fitting};
use super::problem::{FORBIDDEN, Problem, least};
use super::reduce::{Trail, reduce};

/// The most passes that raise the bound of a network.
pub(super) const PASSES: usize = 100;

/// The most passes after each decision.
const FEW: usize = 4;

/// The most costs of all tables after each decision.
const SMALL: usize = 1 << 18;

/// The most costs in the parts of a search that wait.
const HELD: usize = 1 << 25;

/// All that a solution chooses for.
#[derive(Clone, Copy)]
pub(super) enum Whole<'a> {
    /// A problem, and the factor of its costs.
    Problem(&'a Problem, u64),
    /// Some variables of a network.
    Part(&'a Network),
}

impl Whole<'_> {
    fn cost(self, choices: &[usize]) -> u64 {
        match self {
            Whole::Problem(problem, scale) => {
                problem.cost(choices).saturating_mul(scale).min(FORBIDDEN)
            }
            Whole::Part(network) => network.true_cost(choices),
        }
    }

    pub(super) fn scale(self) -> u64 {
        match self {
            Whole::Problem(_, scale) => scale,
            Whole::Part(network) => network.scale,
        }
    }
}

/// The best solution so far, and the way back to it from a smaller network.
pub(super) struct Tree<'a> {
    pub(super) whole: Whole<'a>,
    pub(super) control: &'a Control<'a>,
    pub(super) trail: Trail,
    pub(super) choices: Vec<usize>,
    /// Their cost, times the scale of the network.
    pub(super) cost: u64,
    /// The most that solutions cost that are searched for, times the scale of the network.
    pub(super) guess: u64,
    pub(super) width: Option<usize>,
}

/// A part of the solutions that is still to be searched.
struct Part {
    network: Network,
    /// The steps of the trail that belong to it.
    mark: usize,
    /// The number of costs of its tables.
    size: usize,
    passes: usize,
    cells: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn new(whole: Whole<'a>, choices: Vec<usize>, control: &'a Control<'a>) -> Tree<'a> {
        let (cost, trail) = (whole.cost(&choices), Trail::default());
        let (guess, width) = (FORBIDDEN - 1, None);
        Tree { whole, control, trail, choices, cost, guess, width }
    }

    /// Takes over choices that cost less.
    pub(super) fn offer(&mut self, choices: Vec<usize>) {
        let cost = self.whole.cost(&choices);
        if cost < self.cost {
            (self.choices, self.cost) = (choices, cost);
            if let Whole::Problem(_, scale) = self.whole {
                self.control.found(unscaled(cost, scale));
            }
        }
    }

    /// Takes over the positions of a smaller network if they cost less.
    pub(super) fn propose(&mut self, network: &Network, at: &[usize]) {
        self.offer(self.trail.expand(network, at));
    }

    /// The most that a better solution costs; `None` if there is none.
    pub(super) fn most(&self) -> Option<u64> {
        let better = match self.cost {
            FORBIDDEN.. => FORBIDDEN - 1,
            cost => cost.checked_sub(self.whole.scale())?,
        };
        Some(better.min(self.guess))
    }

    /// Solves a network if its tables are small enough.
    pub(super) fn exact(&mut self, network: &Network, cells: usize) -> bool {
        if network.base >= FORBIDDEN {
            return true;
        }
        if network.is_limited() {
            return false;
        }
        let order = order(network, &network.live(), cells, false);
        self.width.get_or_insert(self.trail.width.max(order.width));
        if !order.fixed.is_empty() {
            return false;
        }
        let mut at = vec![0; network.own.len()];
        let positions = best(network, &order.variables, &at);
        order.variables.iter().zip(positions).for_each(|(of, position)| at[*of] = position);
        self.propose(network, &at);
        true
    }

    /// Searches a network for solutions that are better than the best one. Returns a bound of those that were not found,
    /// at most one above the guess.
    pub(super) fn prove(&mut self, network: Network, decisions: usize) -> u64 {
        self.close(network, decisions).min(self.guess + 1)
    }

    /// Searches for solutions that cost at most a guess.
    pub(super) fn prove_below(&mut self, network: Network, guess: u64, decisions: usize) -> u64 {
        self.guess = guess.min(FORBIDDEN - 1);
        let open = self.prove(network, decisions);
        self.guess = FORBIDDEN - 1;
        open
    }

    /// Returns a bound of the better solutions that were not found, [`FORBIDDEN`] if there are none.
    pub(super) fn close(&mut self, network: Network, decisions: usize) -> u64 {
        let mark = self.trail.mark();
        let (size, cells) = (network.size(), self.control.limits.cells);
        let mut open = vec![Part { network, mark, size, passes: PASSES, cells }];
        let (mut bound, mut left) = (FORBIDDEN, decisions);
        while let Some(part) = open.pop() {
            self.trail.back(part.mark);
            let Some(network) = self.tighten(part) else { continue };
            let held = || open.iter().map(|part| part.size).sum::<usize>();
            if left == 0 || !self.control.on() || held() > HELD {
                let bounds = open.iter().map(|part| part.network.bound());
                bound = bounds.fold(network.bound(), u64::min);
                break;
            }
            left -= 1;
            open.extend(split(network, self.trail.mark(), cells.min(SMALL)));
        }
        self.trail.back(mark);
        bound
    }

    /// A smaller network with all better solutions; `None` if there are none after the best of them is known.
    fn tighten(&mut self, part: Part) -> Option<Network> {
        let control = self.control;
        let Part { mut network, passes, cells, .. } = part;
        let most = self.most()?;
        if network.is_limited() {
            bid(&mut network, most, control);
            self.propose(&network, &fitting(&network));
        } else {
            raise(&mut network, passes, most, &|| control.on());
        }
        let most = self.most()?;
        prune(&mut network, most);
        if network.bound() <= most {
            reduce(&mut network, &mut self.trail, cells);
        }
        (network.bound() <= most && !self.exact(&network, cells)).then_some(network)
    }
}

/// All choices of a variable but the best one, and that one, which is searched first.
fn split(mut others: Network, mark: usize, cells: usize) -> Vec<Part> {
    let Some(variable) = heaviest(&others).or_else(|| widest(&others)) else { return Vec::new() };
    others.collect(variable);
    let own = &others.own[variable];
    let first = least(own.iter().copied());
    let rest: Vec<usize> = (0..own.len()).filter(|at| *at != first).collect();
    let mut one = others.clone();
    one.restrict(variable, &[first]);
    others.restrict(variable, &rest);
    let part = |network: Network| {
        let size = network.size();
        Part { network, mark, size, passes: FEW, cells }
    };
    [others, one].map(part).into()
}

/// The variable whose choices may use the largest share of the room of a row, the last of several.
fn heaviest(network: &Network) -> Option<usize> {
    let live = network.live().into_iter().filter(|of| network.own[*of].len() > 1);
    live.filter_map(|of| Some((network.rows.share(of)?, of))).max().map(|(_, of)| of)
}

/// The variable with the most neighbours of those that have a choice, the first of several.
fn widest(network: &Network) -> Option<usize> {
    let live = network.live().into_iter().rev();
    live.filter(|of| network.own[*of].len() > 1)
        .max_by_key(|of| (network.around[*of].len(), network.own[*of].len()))
}

/// A bound without the factor of a network.
pub(super) fn unscaled(bound: u64, scale: u64) -> u64 {
    if bound >= FORBIDDEN { FORBIDDEN } else { bound.div_ceil(scale) }
}
