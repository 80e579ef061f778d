//! Fewer derived axes for the same map: every place keeps its content.

use num_integer::Integer;
use smallvec::{SmallVec, smallvec};

use crate::algebra::layout::{Axis, DerivedAxis, Layout, Subaxis, Target};
use crate::algebra::work;

impl Layout {
    /// Removes derived axes that plain subaxes can replace.
    ///
    /// Digits of size 1 are dropped. A derived axis that only one digit feeds replaces this digit, if it
    /// writes exactly the values of the digit or the digit is the major-most of its axis. From the minor end,
    /// common divisors of the digits that feed a derived axis and of those that split it cancel. Constant
    /// digits move to the front of axis 0. A derived axis that remains fuses axes or pads inside one.
    /// Law: every place has the same content; the used levels and the spans are unchanged.
    /// Cost: O(subaxes squared), regardless of the sizes.
    #[must_use]
    pub fn simplified(&self) -> Layout {
        self.clone().into_simplified()
    }

    /// Simplifies like [`simplified`](Layout::simplified), without a copy. The result is not checked again:
    /// every rule preserves the slots and the real values, and therefore the invariants.
    pub(crate) fn into_simplified(self) -> Layout {
        let mut layout = self.sums_simplified();
        while let Some(next) = layout.xors_simplified() {
            layout = next.sums_simplified();
        }
        layout.with_merged_flips()
    }

    /// Applies the rules for sums.
    fn sums_simplified(self) -> Layout {
        if self.derived.is_empty() {
            return self;
        }
        let mut parts = AxisParts::of(self);
        while parts.pass() {}
        parts.lead_with_constants();
        let layout = parts.into_layout();
        let is_done = layout.derived.is_empty() || layout.elements() > 0;
        if is_done { layout } else { layout.into_padding_alone() }
    }

    /// Rewrites a layout without elements in plain digits, as far as there are enough: every axis takes
    /// digits until they write its extent, and an axis of extent 0 takes the rest.
    fn into_padding_alone(self) -> Layout {
        let digits: Vec<Subaxis> = self.nodes().flat_map(Axis::landing).collect();
        let mut digits = digits.into_iter();
        let mut axes: Vec<Axis> = Vec::with_capacity(self.rank());
        for Axis { extent, .. } in &self.axes {
            let mut axis = Axis { extent: *extent, subaxes: Vec::new() };
            while axis.slots() < *extent {
                let Some(digit) = digits.next() else { return self };
                axis.subaxes.push(digit);
            }
            axes.push(axis);
        }
        if let Some(empty) = axes.iter_mut().find(|axis| axis.extent == 0) {
            empty.subaxes.extend(digits);
        }
        Layout { axes, derived: Vec::new(), ..self }
    }
}

/// One value for each axis, or for some of them; few layouts have more than 8 axes.
type OfAxes<T> = SmallVec<[T; 8]>;

/// A layout in pieces: all axes in one list, tensor axes first; removed ones are `None`.
struct AxisParts {
    /// The layout without its axes.
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

impl AxisParts {
    fn of(mut layout: Layout) -> AxisParts {
        let tensor = std::mem::take(&mut layout.axes).into_iter();
        let tensor: Vec<_> = tensor.map(|axis| Some(DerivedAxis::sum(0, axis))).collect();
        let derived = std::mem::take(&mut layout.derived).into_iter().map(Some);
        let rank = tensor.len();
        AxisParts { layout, rank, nodes: tensor.into_iter().chain(derived).collect() }
    }

    /// Renumbers the derived axes that are left.
    fn into_layout(self) -> Layout {
        let AxisParts { mut layout, rank, nodes } = self;
        let numbers: OfAxes<usize> = nodes[rank..]
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

    fn has_derived(&self) -> bool {
        self.nodes[self.rank..].iter().any(Option::is_some)
    }

    fn axis(&self, node: usize) -> Option<&Axis> {
        self.nodes[node].as_ref().map(|node| &node.axis)
    }

    fn subaxes(&mut self, node: usize) -> Option<&mut Vec<Subaxis>> {
        self.nodes[node].as_mut().map(|node| &mut node.axis.subaxes)
    }

    /// Simplifies every derived axis as far as possible; `false` if nothing changed, or none is left.
    fn pass(&mut self) -> bool {
        let mut changed = self.splice_all();
        // Units are dropped after that, so that a spliced axis keeps those that were written.
        changed |= self.drop_units();
        if !self.has_derived() {
            return false;
        }
        let mut fed_by = self.fed_by();
        for node in self.rank..self.nodes.len() {
            while self.nodes[node].is_some() && self.cancel(node, &mut fed_by) {
                changed = true;
            }
        }
        changed
    }

    /// Returns, for every derived axis, the axes that feed it.
    fn fed_by(&self) -> OfAxes<OfAxes<usize>> {
        let mut fed_by = smallvec![OfAxes::new(); self.nodes.len() - self.rank];
        for (node, feeder) in self.all_feeders() {
            let sources: &mut OfAxes<usize> = &mut fed_by[node];
            if sources.last() != Some(&feeder.node) {
                sources.push(feeder.node);
            }
        }
        fed_by
    }

    /// Iterates over the digits that feed, each with the derived axis that it feeds.
    fn all_feeders(&self) -> impl Iterator<Item = (usize, Feeder)> + '_ {
        let nodes = self.nodes.iter().enumerate().filter_map(|(n, x)| Some((n, x.as_ref()?)));
        nodes.flat_map(|(node, axis)| feeders_in(node, &axis.axis))
    }

    /// Drops digits of size 1, which are always 0. Those that land in a tensor axis stay as written;
    /// one that leads its axis and is the only feeder of another stays, so that the other can be spliced
    /// there.
    fn drop_units(&mut self) -> bool {
        let rank = self.rank;
        let mut changed = false;
        let mut fed: OfAxes<usize> = smallvec![0; self.nodes.len() - rank];
        self.all_feeders().for_each(|(derived, _)| fed[derived] += 1);
        for (number, node) in self.nodes.iter_mut().enumerate() {
            let Some(node) = node else { continue };
            let mut at = 0..;
            node.axis.subaxes.retain(|subaxis| {
                let leads = at.next() == Some(0);
                let stays = subaxis.size > 1
                    || match subaxis.feeds() {
                        Some(derived) => leads && fed[derived] == 1,
                        None => number < rank,
                    };
                if let Some(derived) = subaxis.feeds().filter(|_| !stays) {
                    fed[derived] -= 1;
                    changed = true;
                }
                stays
            });
        }
        // An axis without digits has extent 1, so a real value of anything that feeds it is 0, and other
        // slots become padding: only an axis that nothing feeds may be removed.
        for (node, fed) in self.nodes[rank..].iter_mut().zip(fed) {
            if fed == 0 && node.as_ref().is_some_and(|node| node.axis.subaxes.is_empty()) {
                *node = None;
                changed = true;
            }
        }
        changed
    }

    fn feeders(&self, node: usize, fed_by: &[OfAxes<usize>]) -> OfAxes<Feeder> {
        let derived = node - self.rank;
        let sources = fed_by[derived].iter();
        let axes = sources.filter_map(|source| Some((*source, self.axis(*source)?)));
        let axes = axes.inspect(|(_, axis)| work::count(axis.subaxes.len()));
        let fed = axes.flat_map(|(source, axis)| feeders_in(source, axis));
        fed.filter(|(to, _)| *to == derived).map(|(_, feeder)| feeder).collect()
    }

    /// Puts the digits of every derived axis that one digit feeds in the place of that digit,
    /// if that is the same map.
    ///
    /// From the last axis to the first: an axis feeds only later ones, which are done.
    fn splice_all(&mut self) -> bool {
        let alone = self.fed_alone();
        let mut slots: OfAxes<u64> =
            (0..self.nodes.len()).map(|node| self.axis(node).map_or(1, Axis::slots)).collect();
        let mut taken: OfAxes<Option<Vec<Subaxis>>> = smallvec![None; alone.len()];
        let mut changed = false;
        for node in (0..self.nodes.len()).rev() {
            self.take_in(node, &mut taken);
            let Some(derived) = node.checked_sub(self.rank) else { continue };
            let Some(feeder) = alone[derived] else { continue };
            let Some((joined, extent)) = self.joined(node, feeder, &slots) else { continue };
            slots[feeder.node] = joined;
            if let Some(parent) = self.nodes[feeder.node].as_mut() {
                parent.axis.extent = extent;
            }
            taken[derived] = self.nodes[node].take().map(|node| node.axis.subaxes);
            changed = true;
        }
        changed
    }

    /// Returns, for every derived axis, the digit that feeds it, if there is only one.
    fn fed_alone(&self) -> OfAxes<Option<Feeder>> {
        let mut fed: OfAxes<(usize, Option<Feeder>)> =
            smallvec![(0, None); self.nodes.len() - self.rank];
        for (derived, feeder) in self.all_feeders() {
            fed[derived] = (fed[derived].0 + 1, Some(feeder));
        }
        fed.into_iter().map(|(count, feeder)| feeder.filter(|_| count == 1)).collect()
    }

    /// Replaces every digit that feeds a derived axis in `taken` by the digits of that axis.
    fn take_in(&mut self, node: usize, taken: &mut [Option<Vec<Subaxis>>]) {
        let Some(subaxes) = self.subaxes(node) else { return };
        work::count(subaxes.len());
        let is_taken = |s: &Subaxis| s.feeds().is_some_and(|derived| taken[derived].is_some());
        if !subaxes.iter().any(is_taken) {
            return;
        }
        let mut child = |s: &Subaxis| s.feeds().and_then(|derived| taken[derived].take());
        let mut spliced = Vec::with_capacity(subaxes.len());
        for subaxis in subaxes.iter() {
            match child(subaxis) {
                Some(digits) => spliced.extend(digits),
                None => spliced.push(*subaxis),
            }
        }
        *subaxes = spliced;
    }

    /// Returns slots and extent of the axis of `feeder` after the digits of derived axis `node` have replaced
    /// it; `None` if the map would not be the same.
    ///
    /// A real value stays below the extent of the derived axis, so that a major-most digit may
    /// have more values, or fewer, than the derived axis writes.
    fn joined(&self, node: usize, feeder: Feeder, slots: &[u64]) -> Option<(u64, u64)> {
        let child = self.nodes[node].as_ref().filter(|child| !child.is_xor())?;
        let parent = self.axis(feeder.node)?;
        let is_xor = self.nodes[feeder.node].as_ref().is_some_and(DerivedAxis::is_xor);
        let is_exact = match is_xor {
            true => slots[node] == feeder.size && child.axis.extent == feeder.size,
            false => feeder.at == 0 || slots[node] == feeder.size,
        };
        if feeder.weight != 1 || child.start != 0 || !is_exact {
            return None;
        }
        let others = slots[feeder.node] / feeder.size;
        let slots = others.checked_mul(slots[node])?;
        let is_bounded = feeder.at == 0 && feeder.node >= self.rank;
        let most = if is_bounded { child.axis.extent.saturating_mul(others) } else { u64::MAX };
        let extent = parent.extent.min(most);
        // A tensor axis reaches farther only where there are no elements.
        (extent <= slots).then_some((slots, extent))
    }

    /// Cancels a common divisor of the digit that feeds with weight 1 and the minor-most digit.
    ///
    /// With `c` dividing the start and all other weights, `value % c` is `digit % c`, and
    /// `value / c` is fed by what remains: both sides drop their minor factor `c`.
    fn cancel(&mut self, node: usize, fed_by: &mut [OfAxes<usize>]) -> bool {
        let feeders = self.feeders(node, fed_by);
        let mut units = feeders.iter().filter(|feeder| feeder.weight == 1);
        let (Some(unit), None) = (units.next(), units.next()) else { return false };
        let derived = self.nodes[node].as_ref().filter(|derived| !derived.is_xor());
        let Some(derived) = derived else { return false };
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
        if let Some(fed) = minor.feeds() {
            fed_by[fed].push(unit.node);
            fed_by[fed].sort_unstable();
            fed_by[fed].dedup();
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

    /// Moves axes that nothing feeds to the front of axis 0: their digits are always 0 there too.
    fn lead_with_constants(&mut self) {
        if self.rank == 0 || !self.has_derived() {
            return;
        }
        let mut fed: OfAxes<bool> = smallvec![false; self.nodes.len() - self.rank];
        self.all_feeders().for_each(|(derived, _)| fed[derived] = true);
        for node in self.rank..self.nodes.len() {
            let is_constant = |of: &&DerivedAxis| of.start == 0 && !fed[node - self.rank];
            let constant = self.nodes[node].as_ref().filter(is_constant).map(|of| of.axis.clone());
            let (Some(constant), Some(first)) = (constant, self.nodes[0].as_mut()) else {
                continue;
            };
            if first.axis.slots().checked_mul(constant.slots()).is_some() {
                first.axis.subaxes.splice(0..0, constant.subaxes);
                self.nodes[node] = None;
            }
        }
    }
}

/// The digits of an axis that feed, each with the derived axis that it feeds.
fn feeders_in(node: usize, axis: &Axis) -> impl Iterator<Item = (usize, Feeder)> + '_ {
    axis.subaxes.iter().enumerate().filter_map(move |(at, subaxis)| match subaxis.target {
        Target::Feed { derived, weight } => {
            Some((derived, Feeder { node, at, size: subaxis.size, weight }))
        }
        Target::Land { .. } => None,
    })
}

/// Divides out the minor factor of a digit: one step of the result is `factor` old steps.
pub(super) fn quotient(subaxis: Subaxis, factor: u64) -> Subaxis {
    Subaxis { size: subaxis.size / factor, target: scaled(subaxis.target, factor) }
}

/// Multiplies the stride or weight of a target by `factor`; it saturates only where no digit takes such a
/// step, as coordinates fit.
pub(crate) fn scaled(target: Target, factor: u64) -> Target {
    match target {
        Target::Land { level, stride } => {
            Target::Land { level, stride: stride.saturating_mul(factor) }
        }
        Target::Feed { derived, weight } => {
            Target::Feed { derived, weight: weight.saturating_mul(factor) }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Level;
    use crate::algebra::{Layout, Subaxis, work};

    #[test]
    fn reshaping_unit_axes_takes_a_few_steps_for_each() {
        let unit = || [Subaxis::land(1, Level::PE, 1)];
        let layout = |rank: usize| (0..rank).fold(Layout::builder(), |b, _| b.axis(1, unit()));
        let layout = |rank| layout(rank).build();
        let steps = |rank| work::of(|| layout(rank).unwrap().reshape(&[1]).unwrap()).1;
        assert!(steps(30_000) <= 8 * 30_000, "{}", steps(30_000));
        assert!(steps(30_000) > 0);
    }
}
