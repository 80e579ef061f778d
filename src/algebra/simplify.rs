//! Fewer derived axes, the same map: every place answers as before.

use num_integer::Integer;

use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::error::LayoutError;

impl Layout {
    /// Removes derived axes where plain subaxes say the same.
    ///
    /// Unit digits go; a derived axis that one digit feeds is spliced in its place, if it writes
    /// exactly the values of the digit or the digit is the major-most of its axis; from the minor
    /// end, what feeds a derived axis and what splits it again cancel by their common divisor;
    /// constant digits lead axis 0. What remains truly fuses axes or pads inside one.
    /// Law: every place answers alike, the used levels and the spans stay.
    /// Cost: O(subaxes squared), whatever the sizes.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge) where the product of the sizes of an axis would no
    /// longer fit in 64 bits.
    pub fn simplified(&self) -> Result<Layout, LayoutError> {
        self.clone().into_simplified()
    }

    /// As [`simplified`](Layout::simplified), without a copy. The result is not checked again:
    /// every rule keeps the slots, the real values and with them the invariants.
    pub(crate) fn into_simplified(self) -> Result<Layout, LayoutError> {
        if self.derived.is_empty() {
            return Ok(self);
        }
        let mut parts = Parts::of(self);
        while parts.pass() {}
        parts.lead_with_constants();
        Ok(parts.into_layout())
    }
}

impl Layout {
    /// Lets digits land directly where a derived axis never leaves its minor-most digit, and
    /// drops axes that nothing feeds: every element keeps its places, but padding and span that
    /// only the derived axis made are gone. For a notation that cannot say them.
    pub(crate) fn without_tails(&self) -> Result<Layout, LayoutError> {
        let greatest = self.greatest_values()?;
        let mut parts = Parts::of(self.clone());
        for (node, greatest) in greatest.into_iter().enumerate().skip(parts.rank) {
            parts.land_directly(node, greatest);
        }
        parts.into_layout().to_builder().build()
    }
}

/// A layout in pieces: all axes in one list, tensor axes first; removed ones are `None`.
struct Parts {
    /// What is left of it without its axes.
    layout: Layout,
    rank: usize,
    nodes: Vec<Option<DerivedAxis>>,
}

/// A digit that feeds: its axis, its place in it, its size, its weight.
#[derive(Clone, Copy)]
struct Feeder {
    node: usize,
    at: usize,
    size: u64,
    weight: u64,
}

impl Parts {
    fn of(mut layout: Layout) -> Parts {
        let tensor = std::mem::take(&mut layout.axes).into_iter();
        let tensor: Vec<_> = tensor.map(|axis| Some(DerivedAxis { start: 0, axis })).collect();
        let derived = std::mem::take(&mut layout.derived).into_iter().map(Some);
        let rank = tensor.len();
        Parts { layout, rank, nodes: tensor.into_iter().chain(derived).collect() }
    }

    /// Renumbers the derived axes that are left.
    fn into_layout(self) -> Layout {
        let Parts { mut layout, rank, nodes } = self;
        let numbers: Vec<usize> = nodes[rank..]
            .iter()
            .scan(0, |next, node| {
                let number = *next;
                *next += usize::from(node.is_some());
                Some(number)
            })
            .collect();
        for (number, mut node) in nodes.into_iter().enumerate().filter_map(|(n, x)| Some((n, x?))) {
            for subaxis in &mut node.axis.subaxes {
                if let Target::Feed { derived, .. } = &mut subaxis.target {
                    *derived = numbers[*derived];
                }
            }
            match number < rank {
                true => layout.axes.push(node.axis),
                false => layout.derived.push(node),
            }
        }
        layout
    }

    fn axis(&self, node: usize) -> Option<&Axis> {
        self.nodes[node].as_ref().map(|node| &node.axis)
    }

    fn subaxes(&mut self, node: usize) -> Option<&mut Vec<Subaxis>> {
        self.nodes[node].as_mut().map(|node| &mut node.axis.subaxes)
    }

    /// Simplifies every derived axis as far as it goes; `false` when nothing was left to do.
    fn pass(&mut self) -> bool {
        let mut changed = false;
        for node in self.rank..self.nodes.len() {
            changed |= self.nodes[node].is_some() && self.splice(node);
        }
        // Units are dropped after that, so that a spliced axis keeps those that were written.
        self.drop_units();
        for node in self.rank..self.nodes.len() {
            while self.nodes[node].is_some() && self.cancel(node) {
                changed = true;
            }
        }
        changed
    }

    /// A digit of size 1 is always 0. Those that land in a tensor axis stay as they were written;
    /// one that leads its axis and alone feeds another stays for that one to be spliced there.
    fn drop_units(&mut self) {
        let rank = self.rank;
        let mut fed = vec![0_usize; self.nodes.len() - rank];
        for subaxis in self.nodes.iter().flatten().flat_map(|node| &node.axis.subaxes) {
            if let Some(derived) = subaxis.feeds() {
                fed[derived] += 1;
            }
        }
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let Some(node) = node else { continue };
            let mut at = 0..;
            node.axis.subaxes.retain(|subaxis| {
                let leads = at.next() == Some(0);
                subaxis.size > 1
                    || match subaxis.feeds() {
                        Some(derived) => leads && fed[derived] == 1,
                        None => number < rank,
                    }
            });
        }
        for node in rank..self.nodes.len() {
            let is_idle = self.axis(node).is_some_and(|axis| axis.subaxes.is_empty());
            // An axis without digits has extent 1, so whatever feeds it is 0 when it is real, and
            // would turn other slots into padding: only an unfed one may go.
            if is_idle && self.feeders(node).is_empty() {
                self.nodes[node] = None;
            }
        }
    }

    fn feeders(&self, node: usize) -> Vec<Feeder> {
        let derived = node - self.rank;
        let mut feeders = Vec::new();
        for (node, axis) in
            self.nodes.iter().enumerate().filter_map(|(n, x)| Some((n, x.as_ref()?)))
        {
            for (at, subaxis) in axis.axis.subaxes.iter().enumerate() {
                if let Target::Feed { derived: to, weight } = subaxis.target
                    && to == derived
                {
                    feeders.push(Feeder { node, at, size: subaxis.size, weight });
                }
            }
        }
        feeders
    }

    /// Puts the digits of a derived axis where the one digit is that feeds it.
    fn splice(&mut self, node: usize) -> bool {
        let feeders = self.feeders(node);
        let [feeder @ Feeder { weight: 1, .. }] = feeders[..] else { return false };
        let Some(derived) = self.nodes[node].as_ref().filter(|derived| derived.start == 0) else {
            return false;
        };
        if feeder.at > 0 && derived.axis.slots() != feeder.size {
            return false;
        }
        let digits = derived.axis.subaxes.clone();
        let fits = self.axis(feeder.node).is_some_and(|parent| {
            let others = parent.slots() / feeder.size;
            others.checked_mul(derived.axis.slots()).is_some()
        });
        if !fits {
            return false;
        }
        if let Some(parent) = self.subaxes(feeder.node) {
            parent.splice(feeder.at..=feeder.at, digits);
        }
        self.nodes[node] = None;
        true
    }

    /// Cancels a common divisor of the digit that feeds with weight 1 and the minor-most digit.
    ///
    /// With `c` dividing the start and all other weights, `value % c` is `digit % c`, and
    /// `value / c` is fed by what remains: both sides drop their minor factor `c`.
    fn cancel(&mut self, node: usize) -> bool {
        let feeders = self.feeders(node);
        let units: Vec<&Feeder> = feeders.iter().filter(|feeder| feeder.weight == 1).collect();
        let [unit] = units[..] else { return false };
        let Some(derived) = self.nodes[node].as_ref() else { return false };
        let Some(minor) = derived.axis.subaxes.last().copied() else { return false };
        let others = feeders.iter().map(|f| f.weight).filter(|weight| *weight > 1);
        let common = others.fold(derived.start, |common, weight| common.gcd(&weight));
        let factor = unit.size.gcd(&minor.size).gcd(&common);
        if factor <= 1 {
            return false;
        }
        let (unit, minor_landing) = (*unit, Subaxis { size: factor, ..minor });
        for feeder in feeders.iter().filter(|feeder| feeder.weight > 1) {
            self.set_feed(feeder, feeder.size, feeder.weight / factor);
        }
        self.set_feed(&unit, unit.size / factor, 1);
        if let Some(parent) = self.subaxes(unit.node) {
            parent.insert(unit.at + 1, minor_landing);
        }
        if let Some(derived) = self.nodes[node].as_mut() {
            derived.start /= factor;
            derived.axis.extent = derived.axis.extent.div_ceil(factor);
            derived.axis.subaxes.pop();
            if minor.size > factor {
                derived.axis.subaxes.push(quotient(minor, factor));
            }
        }
        true
    }

    fn set_feed(&mut self, feeder: &Feeder, size: u64, weight: u64) {
        if let Some(subaxis) = self.subaxes(feeder.node).and_then(|s| s.get_mut(feeder.at))
            && let Target::Feed { derived, .. } = subaxis.target
        {
            *subaxis = Subaxis { size, target: Target::Feed { derived, weight } };
        }
    }

    fn land_directly(&mut self, node: usize, greatest: u64) {
        let Some(derived) = self.nodes[node].as_ref() else { return };
        let minor = derived.axis.subaxes.last().copied();
        if derived.start > 0 || greatest >= minor.map_or(1, |minor| minor.size) {
            return;
        }
        for feeder in self.feeders(node) {
            let target = minor.map(|minor| scaled(minor.target, feeder.weight));
            let Some(subaxis) = self.subaxes(feeder.node).and_then(|s| s.get_mut(feeder.at)) else {
                continue;
            };
            if let Some(target) = target {
                *subaxis = Subaxis { size: subaxis.size, target };
            }
        }
        self.nodes[node] = None;
    }

    /// Moves axes that nothing feeds to the front of axis 0: their digits are always 0 there too.
    fn lead_with_constants(&mut self) {
        for node in self.rank..self.nodes.len() {
            let is_zero = self.nodes[node].as_ref().is_some_and(|n| n.start == 0);
            if self.rank == 0 || !is_zero || !self.feeders(node).is_empty() {
                continue;
            }
            let digits = self.axis(node).map(|axis| axis.subaxes.clone()).unwrap_or_default();
            let fits = |axis: &Axis| {
                let slots = digits.iter().map(|digit| digit.size).product::<u64>();
                axis.slots().checked_mul(slots).is_some()
            };
            if self.axis(0).is_some_and(fits) {
                if let Some(first) = self.subaxes(0) {
                    first.splice(0..0, digits);
                }
                self.nodes[node] = None;
            }
        }
    }
}

/// What is left of a digit when its minor factor is taken: one step of it is `factor` old steps.
fn quotient(subaxis: Subaxis, factor: u64) -> Subaxis {
    Subaxis { size: subaxis.size / factor, target: scaled(subaxis.target, factor) }
}

/// The target of a digit, one step of which is `factor` steps; a digit that takes them stays
/// within the coordinates that fit.
fn scaled(target: Target, factor: u64) -> Target {
    match target {
        Target::Land { level, stride } => {
            Target::Land { level, stride: stride.saturating_mul(factor) }
        }
        Target::Feed { derived, weight } => {
            Target::Feed { derived, weight: weight.saturating_mul(factor) }
        }
    }
}
