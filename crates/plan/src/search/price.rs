//! Prices of room: a bound that grows with them, since no solution uses more than there is.

use super::bound::pass;
use super::network::Network;
use super::problem::{FORBIDDEN, least, sum};

/// The most that all room is worth.
const WORTH: u64 = FORBIDDEN / 16;

/// Changes the prices of all rows.
pub(super) fn set(network: &mut Network, prices: Vec<u64>) {
    let old = std::mem::replace(&mut network.rows.prices, prices);
    let signed = |cost: u64| i128::from(cost);
    let changes: Vec<i128> =
        network.rows.prices.iter().zip(&old).map(|(new, old)| signed(*new) - signed(*old)).collect();
    let room = network.rows.room.iter().zip(&changes);
    let mut debt = signed(network.debt) + room.map(|(room, by)| signed(*room) * by).sum::<i128>();
    let mut upto = vec![0];
    upto.extend(changes.iter().scan(0, |all, by| {
        *all += by;
        Some(*all)
    }));
    for (own, uses) in network.own.iter_mut().zip(&network.rows.uses) {
        for of in uses {
            let by = upto[of.rows.end] - upto[of.rows.start];
            debt += charge(own, &of.amounts, by);
        }
    }
    let debt = i64::try_from(debt).unwrap_or(0);
    network.debt = u64::try_from(debt).unwrap_or(0);
    network.base = sum(network.base, u64::try_from(-debt).unwrap_or(0));
    network.cancel();
}

/// Changes the price of what choices use. Returns the constant that they cost too much.
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

/// A search for better prices.
pub(super) struct Auction {
    pub(super) step: f64,
    pub(super) best: u64,
    pub(super) prices: Vec<u64>,
    idle: usize,
    pub(super) aim: Vec<f64>,
}

pub(super) static mut TUNE: [f64; 8] = [0.0; 8];
pub(super) fn tune(i: usize) -> f64 {
    unsafe { TUNE[i] }
}

impl Auction {
    pub(super) fn new(network: &Network) -> Auction {
        Auction {
            step: tune(0),
            best: network.bound(),
            prices: network.rows.prices.clone(),
            idle: 0,
            aim: vec![0.0; network.rows.room.len()],
        }
    }

    /// Two passes, and other prices after them.
    pub(super) fn round(&mut self, network: &mut Network, order: &mut [usize], target: u64) {
        pass(network, order);
        order.reverse();
        pass(network, order);
        order.reverse();
        let at = decode(network, order);
        self.note(network);
        self.move_on(network, &at, target);
    }

    fn note(&mut self, network: &Network) {
        let bound = network.bound();
        if bound > self.best {
            if bound - self.best > self.best / 20000 {
                self.idle = 0;
            } else {
                self.idle += 1;
            }
            self.best = bound;
            self.prices.clone_from(&network.rows.prices);
        } else {
            self.idle += 1;
        }
        if float(self.idle) >= tune(2) {
            self.idle = 0;
            self.step *= tune(1);
        }
    }

    fn move_on(&mut self, network: &mut Network, at: &[usize], target: u64) {
        let used = network.rows.used(at);
        let keep = tune(3);
        let rows = used.iter().zip(&network.rows.room);
        for ((used, room), aim) in rows.zip(&mut self.aim) {
            *aim = keep * *aim + (1.0 - keep) * (float_u(*used) - float_u(*room));
        }
        let norm: f64 = self
            .aim
            .iter()
            .zip(&network.rows.prices)
            .filter(|(aim, price)| **aim > 0.0 || **price > 0)
            .map(|(aim, _)| aim * aim)
            .sum();
        if norm <= 0.0 {
            return;
        }
        let gap = float_u(target.saturating_sub(network.bound()).max(1));
        let scale = self.step * gap / norm;
        let most = WORTH / u64::try_from(network.rows.room.len()).unwrap();
        let prices = network.rows.prices.iter().zip(&self.aim).zip(&network.rows.room);
        let prices = prices.map(|((price, aim), room)| {
            let new = (float_u(*price) + scale * aim).max(0.0) as u64;
            new.min(most / (*room).max(1))
        });
        let prices = prices.collect();
        set(network, prices);
    }
}

fn float(n: usize) -> f64 {
    n as f64
}
fn float_u(n: u64) -> f64 {
    n as f64
}

/// Positions that cost little, one variable after another, and what is left between them counts.
pub(super) fn decode(network: &Network, order: &[usize]) -> Vec<usize> {
    decode_by(network, order, |_, _, costs| least(costs.iter().copied()))
}

/// Positions that cost little and that have room.
pub(super) fn fitting(network: &Network, order: &[usize]) -> Vec<usize> {
    let mut rows = network.rows.clone();
    decode_by(network, order, |network, variable, costs| {
        let fits = rows.fitting(variable, costs.len());
        let at = least(costs.iter().zip(&fits).map(|(cost, fits)| if *fits { *cost } else { FORBIDDEN }));
        if fits[at] {
            rows.spend(&network.rows.uses[variable], at);
        }
        at
    })
}

fn decode_by(network: &Network, order: &[usize], mut choose: impl FnMut(&Network, usize, &[u64]) -> usize) -> Vec<usize> {
    let mut at = vec![usize::MAX; network.own.len()];
    for variable in order {
        let mut costs = network.own[*variable].clone();
        for near in network.near(*variable) {
            let rows = network.rows(*variable, near);
            let width = network.own[near].len();
            match at[near] {
                usize::MAX => {
                    let least = rows.chunks_exact(width).map(|row| row.iter().copied().min().unwrap());
                    costs.iter_mut().zip(least).for_each(|(cost, least)| *cost = sum(*cost, least));
                }
                column => {
                    let cell = rows.iter().skip(column).step_by(width);
                    costs.iter_mut().zip(cell).for_each(|(cost, cell)| *cost = sum(*cost, *cell));
                }
            }
        }
        at[*variable] = choose(network, *variable, &costs);
    }
    at.iter_mut().for_each(|at| *at = if *at == usize::MAX { 0 } else { *at });
    at
}
