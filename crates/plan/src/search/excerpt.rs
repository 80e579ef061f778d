//! Some variables of a network as one of its own, numbered anew.

use std::collections::BTreeMap;

use super::network::Network;
use super::problem::FORBIDDEN;
use super::rows::Rows;

/// The numbers that variables and rows have in an excerpt.
struct Index {
    variables: BTreeMap<usize, usize>,
    /// The rows in which the variables use something, ascending.
    rows: Vec<usize>,
}

impl Index {
    fn new(network: &Network, inside: &[usize]) -> Index {
        let uses = inside.iter().flat_map(|of| &network.rows.uses[*of]);
        let mut rows: Vec<usize> = uses.flat_map(|of| of.rows.clone()).collect();
        rows.sort_unstable();
        rows.dedup();
        let variables = inside.iter().enumerate().map(|(rank, of)| (*of, rank)).collect();
        Index { variables, rows }
    }

    fn rows(&self, network: &Network) -> Rows {
        let row = |row: usize| self.rows.partition_point(|of| *of < row);
        let mut rows = Rows { changed: true, ..Rows::default() };
        for variable in self.variables.keys() {
            let mut uses = network.rows.uses[*variable].clone();
            uses.iter_mut().for_each(|of| of.rows = row(of.rows.start)..row(of.rows.end));
            rows.uses.push(uses);
        }
        rows.room = self.rows.iter().map(|row| network.rows.room[*row]).collect();
        rows.prices = self.rows.iter().map(|row| network.rows.prices[*row]).collect();
        rows
    }
}

impl Network {
    /// Some variables, ascending, without tables to others.
    fn alone(&self, index: &Index) -> Network {
        let mut part = Network::default();
        (part.scale, part.rows) = (self.scale, index.rows(self));
        for (variable, rank) in &index.variables {
            part.own.push(self.own[*variable].clone());
            part.values.push((0..self.own[*variable].len()).collect());
            part.around.push(BTreeMap::new());
            for near in self.around[*variable].range(..variable).map(|(near, _)| near) {
                if let Some(low) = index.variables.get(near) {
                    part.join((*low, *rank), self.rows(*near, *variable).into_owned());
                }
            }
        }
        part
    }

    /// Some variables while the others keep their positions, all of which use `used` of the rows. A solution costs as
    /// much as here, but for a constant.
    pub(super) fn around_fixed(&self, inside: &[usize], at: &[usize], used: &[u64]) -> Network {
        let index = Index::new(self, inside);
        let mut part = self.alone(&index);
        for (variable, rank) in &index.variables {
            for near in self.around[*variable].keys() {
                if !index.variables.contains_key(near) {
                    self.toward(*variable, (*near, Some(at[*near])), &mut part.own[*rank]);
                }
            }
        }
        let positions: Vec<usize> = inside.iter().map(|of| at[*of]).collect();
        let own = part.rows.used(&positions);
        for (row, (room, own)) in index.rows.iter().zip(part.rows.room.iter_mut().zip(own)) {
            match (*room + own).checked_sub(used[*row]) {
                Some(rest) => *room = rest,
                None => part.base = FORBIDDEN,
            }
        }
        part
    }

    /// Some variables as if there were no others. The least that they cost can be added to the bound; `users` are the
    /// numbers of usages in each row.
    pub(super) fn cut_out(&self, inside: &[usize], users: &[usize]) -> Network {
        let index = Index::new(self, inside);
        let mut part = self.alone(&index);
        let own = part.rows.users();
        for (at, row) in index.rows.iter().enumerate() {
            if own[at] < users[*row] {
                part.rows.prices[at] = 0;
            }
        }
        part
    }
}

/// Parts of some variables, ascending, of about a size, with few tables and rows between them.
pub(super) fn chunks(network: &Network, live: &[usize], size: usize) -> Vec<Vec<usize>> {
    let crossing = crossing(network, live);
    let (mut chunks, mut start) = (Vec::new(), 0);
    while live.len() - start > size {
        let end = (start + size / 2 + 1..=start + size).rev().min_by_key(|end| crossing[*end]);
        let end = end.unwrap_or(start + size);
        chunks.push(live[start..end].to_vec());
        start = end;
    }
    chunks.push(live[start..].to_vec());
    chunks
}

/// The number of tables and rows between the variables before each position and those after it.
fn crossing(network: &Network, live: &[usize]) -> Vec<usize> {
    let rank = |variable: usize| live.partition_point(|of| *of < variable);
    let mut ends: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for (at, variable) in live.iter().enumerate() {
        for row in network.rows.uses[*variable].iter().flat_map(|of| of.rows.clone()) {
            ends.entry(row).or_insert((at, at)).1 = at;
        }
        let near = network.around[*variable].range(variable + 1..);
        spans.extend(near.map(|(near, _)| (at, rank(*near))));
    }
    spans.extend(ends.into_values());
    let (mut starts, mut stops) = (vec![0; live.len() + 1], vec![0; live.len() + 1]);
    for (start, stop) in spans.into_iter().filter(|(start, stop)| start < stop) {
        starts[start + 1] += 1;
        stops[stop + 1] += 1;
    }
    let open = starts.into_iter().zip(stops).scan(0, |open, (start, stop)| {
        *open = *open + start - stop;
        Some(*open)
    });
    open.collect()
}
