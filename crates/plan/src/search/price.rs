//! Prices of room: a bound that grows with them, since no solution uses more than there is.
//!
//! A price of a row is added to the cost of every unit that is used in it, and what the whole room is worth becomes a
//! debt. Each solution that keeps to the limits costs at most as much as before, so the constant without the debt is a
//! bound. Floats choose the prices; costs are whole numbers.

use super::bound::both_ways;
use super::control::Control;
use super::network::Network;
use super::problem::{FORBIDDEN, least, sum};

/// The most that all room is worth.
const WORTH: u64 = FORBIDDEN / 16;

/// The first step for a whole network, and for a part after a decision.
pub(super) const STEPS: (f64, f64) = (10.0, 1.0);

/// The change of the step after each round.
const DECAY: f64 = 0.96;

/// The share of what was over the room before in what counts as over it, and in its mean square.
const KEPT: (f64, f64) = (0.8, 0.9);

/// The passes and the rounds of changes of prices after a decision.
const FEW: (usize, usize) = (2, 8);

/// Changes the prices of all rows.
pub(super) fn set(network: &mut Network, prices: Vec<u64>) {
    let old = std::mem::replace(&mut network.rows.prices, prices);
    let both = network.rows.prices.iter().zip(&old);
    let changes: Vec<i128> = both.map(|(new, old)| i128::from(*new) - i128::from(*old)).collect();
    let room = network.rows.room.iter().zip(&changes);
    let worth: i128 = room.map(|(room, by)| i128::from(*room) * by).sum();
    let mut upto = vec![0];
    upto.extend(changes.iter().scan(0, |all, by| {
        *all += by;
        Some(*all)
    }));
    let mut debt = i128::from(network.debt) + worth;
    for (own, uses) in network.own.iter_mut().zip(&network.rows.uses) {
        for of in uses {
            debt += charge(own, &of.amounts, upto[of.rows.end] - upto[of.rows.start]);
        }
    }
    network.debt = u64::try_from(debt).unwrap_or(0);
    network.base = sum(network.base, u64::try_from(-debt).unwrap_or(0));
    network.cancel();
}

/// Changes the price of what choices use. Returns the constant by which they cost too much.
fn charge(own: &mut [u64], amounts: &[u64], by: i128) -> i128 {
    let size = u64::try_from(by.unsigned_abs()).unwrap_or(FORBIDDEN);
    if by >= 0 {
        let each = own.iter_mut().zip(amounts);
        each.for_each(|(own, amount)| *own = sum(*own, amount.saturating_mul(size)));
        return 0;
    }
    let open = own.iter().zip(amounts).filter(|(own, _)| **own < FORBIDDEN);
    let most = open.map(|(_, amount)| *amount).max().unwrap_or(0);
    for (own, amount) in own.iter_mut().zip(amounts) {
        *own = sum(*own, most.saturating_sub(*amount).saturating_mul(size));
    }
    i128::from(most) * i128::from(size)
}

/// Changes of prices towards a greater bound.
pub(super) struct Auction {
    /// The best bound so far.
    pub(super) best: u64,
    prices: Vec<u64>,
    order: Vec<usize>,
    step: f64,
    rows: Vec<Row>,
}

/// A row in the past: what was used over its room, and the square of that.
#[derive(Clone, Default)]
struct Row {
    over: f64,
    square: f64,
}

impl Auction {
    pub(super) fn new(network: &Network, step: f64) -> Auction {
        Auction {
            best: network.bound(),
            prices: network.rows.prices.clone(),
            order: network.live(),
            step,
            rows: vec![Row::default(); network.rows.room.len()],
        }
    }

    /// Passes, and other prices after them. No bound above the target is needed.
    pub(super) fn round(&mut self, network: &mut Network, target: u64) {
        both_ways(network, &mut self.order);
        if network.bound() > self.best {
            self.best = network.bound();
            self.prices.clone_from(&network.rows.prices);
        }
        if self.best <= target {
            let used = network.rows.used(&cheap(network, &self.order));
            self.change(network, &used, target);
            self.step *= DECAY;
        }
    }

    fn change(&mut self, network: &mut Network, used: &[u64], target: u64) {
        let count = u64::try_from(self.rows.len()).unwrap_or(FORBIDDEN).max(1);
        let worth = float(self.best.min(target - self.best).max(1)) / float(count) * self.step;
        let now = network.rows.room.iter().zip(used).zip(&network.rows.prices);
        let prices = self.rows.iter_mut().zip(now).map(|(row, ((room, used), price))| {
            let most = WORTH / count / (*room).max(1);
            let by = row.step(float(*used) - float(*room)) * worth / float((*room).max(1));
            whole(float(*price) + by).min(most)
        });
        let prices = prices.collect();
        set(network, prices);
    }

    /// Goes back to the prices of the best bound.
    pub(super) fn settle(self, network: &mut Network) {
        set(network, self.prices);
    }
}

impl Row {
    /// The direction of a change, about one in size.
    fn step(&mut self, over: f64) -> f64 {
        let (square, first) = (over * over, self.square == 0.0);
        self.square = if first { square } else { KEPT.1 * self.square + (1.0 - KEPT.1) * square };
        self.over = KEPT.0 * self.over + (1.0 - KEPT.0) * over;
        self.over / self.square.sqrt().max(1.0)
    }
}

/// Raises the bound of a part after a decision.
pub(super) fn bid(network: &mut Network, most: u64, control: &Control) {
    let mut order = network.live();
    for _ in 0..FEW.0 {
        both_ways(network, &mut order);
    }
    let mut auction = Auction::new(network, STEPS.1);
    for _ in 0..FEW.1 {
        if auction.best > most || !control.on() {
            break;
        }
        auction.round(network, most);
    }
    if network.bound() <= most {
        auction.settle(network);
        both_ways(network, &mut order);
    }
}

/// Positions that cost little, one variable after another.
fn cheap(network: &Network, order: &[usize]) -> Vec<usize> {
    decode(network, order, |_, costs| least(costs.iter().copied()))
}

/// Positions that cost little, one variable after another, of those that have room.
pub(super) fn fitting(network: &Network) -> Vec<usize> {
    let mut rows = network.rows.clone();
    decode(network, &network.live(), |variable, costs| {
        let fits = rows.fitting(variable, costs.len());
        let costs = costs.iter().zip(fits).map(|(cost, fits)| if fits { *cost } else { FORBIDDEN });
        let at = least(costs);
        rows.spend(&network.rows.uses[variable], at);
        at
    })
}

fn decode(
    network: &Network,
    order: &[usize],
    mut choose: impl FnMut(usize, &[u64]) -> usize,
) -> Vec<usize> {
    let mut at = vec![None; network.own.len()];
    for variable in order {
        let mut costs = network.own[*variable].clone();
        for near in network.near(*variable) {
            network.toward(*variable, (near, at[near]), &mut costs);
        }
        at[*variable] = Some(choose(*variable, &costs));
    }
    at.into_iter().map(Option::unwrap_or_default).collect()
}

#[expect(clippy::as_conversions, clippy::cast_precision_loss, reason = "about as large")]
fn float(number: u64) -> f64 {
    number as f64
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a price is at least zero, and need not be exact"
)]
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}
