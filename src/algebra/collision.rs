//! Whether two elements share a place, decided exactly.

use std::collections::HashMap;
use std::ops::ControlFlow;

use num_integer::Integer;

use crate::algebra::layout::{Layout, Target};
use crate::algebra::solve::{Budget, nests};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

/// Two copies in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// An index.
    pub first: Vec<u64>,
    /// Another index, or the same one where two of its copies meet.
    pub second: Vec<u64>,
    /// The place where a copy of each lives.
    pub place: Location,
    /// Whether it takes a sized replica to bring them together.
    pub by_replica: bool,
}

impl Layout {
    /// Finds two real elements, or two copies of one, that share a place.
    ///
    /// Padding does not count: it may share a place with an element.
    /// Law: `None` if and only if no two copies share a place, and a witness really collides.
    /// Cost: O(subaxes log subaxes) where strides nest; else a search with a budget: a bounded
    /// subset-sum per level, or an enumeration where derived axes are involved.
    ///
    /// # Errors
    /// [`NotDecided`](LayoutError::NotDecided) past the budget.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Level};
    /// use tensor_layout::algebra::Subaxis;
    /// let strided = |a, b| {
    ///     let builder = Layout::builder().axis(2, [Subaxis::land(2, Level::ADDR, a)]);
    ///     builder.axis(3, [Subaxis::land(3, Level::ADDR, b)]).build()
    /// };
    /// assert_eq!(strided(3, 2)?.collision()?, None); // 0 2 4 / 3 5 7
    /// let collision = strided(2, 1)?.collision()?.unwrap();
    /// assert_eq!((collision.first, collision.second), (vec![0, 2], vec![1, 0]));
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn collision(&self) -> Result<Option<Collision>, LayoutError> {
        if self.elements() == 0 {
            return Ok(None);
        }
        let tops = self.digit_tops()?;
        if self.nests_everywhere(&tops) {
            return Ok(None);
        }
        let components = Components::of(self);
        let mut budget = Budget::new("whether two elements share a place");
        for &level in &self.used {
            if !components.has_derived(components.level(level))
                && let Some(collision) = self.differ_in(level, &tops, &mut budget)?
            {
                return Ok(Some(collision));
            }
        }
        for component in components.with_derived() {
            if let Some(collision) = self.enumerate(&components, component, &mut budget)? {
                return Ok(Some(collision));
            }
        }
        Ok(None)
    }

    /// Refuses a layout in which two copies share a place.
    ///
    /// # Errors
    /// [`Collision`](LayoutError::Collision), [`ReplicaOverlap`](LayoutError::ReplicaOverlap),
    /// [`NotDecided`](LayoutError::NotDecided).
    pub fn check_injective(&self) -> Result<(), LayoutError> {
        match self.collision()? {
            None => Ok(()),
            Some(Collision { first, second, place, by_replica: false }) => {
                Err(LayoutError::Collision { first, second, place })
            }
            Some(Collision { first, second, place, by_replica: true }) => {
                Err(LayoutError::ReplicaOverlap { first, second, place })
            }
        }
    }

    /// The greatest real value of every digit, axis by axis.
    pub(crate) fn digit_tops(&self) -> Result<Vec<Vec<u64>>, LayoutError> {
        let greatest = self.greatest_values()?;
        Ok(self.nodes().zip(greatest).map(|(axis, greatest)| axis.reaches(greatest)).collect())
    }

    /// Whether the digits that land in every level, and those that feed every derived axis, nest:
    /// then places give the digits back, and digits the index.
    fn nests_everywhere(&self, tops: &[Vec<u64>]) -> bool {
        let mut levels = vec![Vec::new(); self.used.len()];
        let mut feeds = vec![Vec::new(); self.derived.len()];
        for (subaxis, top) in self.nodes().flat_map(|axis| &axis.subaxes).zip(tops.iter().flatten())
        {
            match subaxis.target {
                Target::Feed { derived, weight } => feeds[derived].push((*top, weight)),
                Target::Land { level, stride } => {
                    self.push_in(&mut levels, level, (*top, stride));
                }
            }
        }
        for replica in &self.replicas {
            self.push_in(&mut levels, replica.level, (replica.size - 1, replica.stride));
        }
        levels.into_iter().chain(feeds).all(nests)
    }

    fn push_in(&self, levels: &mut [Vec<(u64, u64)>], level: Level, term: (u64, u64)) {
        if let Ok(at) = self.used.binary_search(&level) {
            levels[at].push(term);
        }
    }

    /// Looks for digit differences, not all zero, whose strides cancel in `level`.
    ///
    /// Every digit lands in one level, and a difference of zero is always possible in the others,
    /// so levels decide on their own. Given the differences, the smallest pair of values has the
    /// negative parts on one side and the positive parts on the other: both must be real.
    fn differ_in(
        &self,
        level: Level,
        tops: &[Vec<u64>],
        budget: &mut Budget,
    ) -> Result<Option<Collision>, LayoutError> {
        let search = Differences::new(self, level, tops);
        let mut sides = Sides::new(self.rank());
        Ok(search.descend(0, 0, &mut sides, budget)?.break_value().map(|()| {
            let mut place: Location = self.used.iter().map(|l| (*l, self.offset(*l))).collect();
            self.land(&sides.negative, |level, step| place.add(level, step));
            place.add(level, sides.replica_step);
            let by_replica = sides.by_replica;
            Collision { first: sides.negative, second: sides.positive, place, by_replica }
        }))
    }

    /// Puts every element of one component in its place; the other axes stay at 0.
    fn enumerate(
        &self,
        components: &Components,
        component: usize,
        budget: &mut Budget,
    ) -> Result<Option<Collision>, LayoutError> {
        let extent = |axis: usize| match components.axis(axis) == component {
            true => self.axes[axis].extent,
            false => 1,
        };
        let shape: Vec<u64> = (0..self.rank()).map(extent).collect();
        let mut seen: HashMap<Location, (Vec<u64>, u64)> = HashMap::new();
        for index in crate::algebra::Indexes::new(shape) {
            for (copy, place) in (0..).zip(self.locate_all(&index)?) {
                // A step of this search is much dearer than one of the others.
                (0..16).try_for_each(|_| budget.step())?;
                if let Some((first, other)) = seen.insert(place.clone(), (index.clone(), copy)) {
                    let by_replica = copy != other;
                    return Ok(Some(Collision { first, second: index, place, by_replica }));
                }
            }
        }
        Ok(None)
    }
}

/// A digit that lands in the level under search.
#[derive(Clone, Copy)]
struct Difference {
    top: i128,
    stride: i128,
    /// The axis and the weight of the digit in its value; `None` for a replica.
    source: Option<(usize, i128)>,
}

/// The search for cancelling differences in one level.
struct Differences {
    /// Descending by stride.
    terms: Vec<Difference>,
    /// What the terms from here on add at most.
    reach: Vec<i128>,
    /// The greatest common divisor of the strides from here on.
    step: Vec<i128>,
    /// Extents of the axes.
    extents: Vec<i128>,
}

/// The values on both sides of a difference.
struct Sides {
    negative: Vec<u64>,
    positive: Vec<u64>,
    by_replica: bool,
    /// What the replica digits on the negative side add to the coordinate.
    replica_step: u64,
    differs: bool,
}

impl Sides {
    fn new(rank: usize) -> Sides {
        let (negative, positive) = (vec![0; rank], vec![0; rank]);
        Sides { negative, positive, by_replica: false, replica_step: 0, differs: false }
    }
}

impl Differences {
    fn new(layout: &Layout, level: Level, tops: &[Vec<u64>]) -> Differences {
        let mut terms = Vec::new();
        for (node, (axis, tops)) in layout.nodes().zip(tops).enumerate() {
            let mut weight = 1_i128;
            for (subaxis, top) in axis.subaxes.iter().zip(tops).rev() {
                if let Target::Land { level: of, stride } = subaxis.target
                    && of == level
                {
                    let (top, stride) = (i128::from(*top), i128::from(stride));
                    terms.push(Difference { top, stride, source: Some((node, weight)) });
                }
                weight *= i128::from(subaxis.size);
            }
        }
        terms.extend(layout.replicas.iter().filter(|replica| replica.level == level).map(|r| {
            let (top, stride) = (i128::from(r.size - 1), i128::from(r.stride));
            Difference { top, stride, source: None }
        }));
        terms.retain(|term| term.top > 0);
        terms.sort_by_key(|term| std::cmp::Reverse(term.stride));
        let (mut reach, mut step) = (vec![0; terms.len() + 1], vec![0; terms.len() + 1]);
        for (at, term) in terms.iter().enumerate().rev() {
            reach[at] = reach[at + 1] + term.top * term.stride;
            step[at] = step[at + 1].gcd(&term.stride);
        }
        let extents = layout.axes.iter().map(|axis| i128::from(axis.extent)).collect();
        Differences { terms, reach, step, extents }
    }

    /// Chooses the difference of term `at`; `rest` is what the later ones must add.
    fn descend(
        &self,
        at: usize,
        rest: i128,
        sides: &mut Sides,
        budget: &mut Budget,
    ) -> Result<ControlFlow<()>, LayoutError> {
        budget.step()?;
        let Some(term) = self.terms.get(at) else {
            return Ok(match sides.differs && rest == 0 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        };
        if rest.abs() > self.reach[at] || (rest != 0 && rest % self.step[at] != 0) {
            return Ok(ControlFlow::Continue(()));
        }
        let after = self.reach[at + 1];
        // A negated solution is a solution: the first difference that is not 0 may be positive.
        let least = if sides.differs { -term.top } else { 0 };
        let (least, most) = match term.stride {
            0 => (least, term.top),
            stride => (
                Integer::div_ceil(&(rest - after), &stride).max(least),
                Integer::div_floor(&(rest + after), &stride).min(term.top),
            ),
        };
        for difference in least..=most {
            if let ControlFlow::Break(()) = self.choose(at, difference, rest, sides, budget)? {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Descends with one choice, and takes it back unless it succeeds.
    fn choose(
        &self,
        at: usize,
        difference: i128,
        rest: i128,
        sides: &mut Sides,
        budget: &mut Budget,
    ) -> Result<ControlFlow<()>, LayoutError> {
        let term = self.terms[at];
        let rest = rest - difference * term.stride;
        if difference == 0 {
            return self.descend(at + 1, rest, sides, budget);
        }
        let (differs, by_replica, step) = (sides.differs, sides.by_replica, sides.replica_step);
        sides.differs = true;
        let outcome = match term.source {
            None => {
                sides.by_replica = true;
                sides.replica_step += magnitude((-difference).max(0) * term.stride);
                self.descend(at + 1, rest, sides, budget)?
            }
            Some((axis, weight)) => {
                let side = if difference > 0 { &mut sides.positive } else { &mut sides.negative };
                let before = side[axis];
                let value = i128::from(before) + difference.abs() * weight;
                if value < self.extents[axis] {
                    side[axis] = magnitude(value);
                    if let ControlFlow::Break(()) = self.descend(at + 1, rest, sides, budget)? {
                        return Ok(ControlFlow::Break(()));
                    }
                    let side =
                        if difference > 0 { &mut sides.positive } else { &mut sides.negative };
                    side[axis] = before;
                }
                ControlFlow::Continue(())
            }
        };
        if outcome.is_continue() {
            (sides.differs, sides.by_replica, sides.replica_step) = (differs, by_replica, step);
        }
        Ok(outcome)
    }
}

/// A value that invariant 4 keeps within `u64`.
fn magnitude(value: i128) -> u64 {
    u64::try_from(value).unwrap_or(u64::MAX)
}

/// Axes, derived axes and levels, grouped by what reaches what.
///
/// The coordinates in the levels of one component depend on its axes only, so each component is
/// free of collisions on its own, or the layout is not.
struct Components {
    /// The representative of every node, then of every used level.
    roots: Vec<usize>,
    rank: usize,
    nodes: usize,
    used: Vec<Level>,
}

impl Components {
    fn of(layout: &Layout) -> Components {
        let (rank, nodes) = (layout.rank(), layout.rank() + layout.derived.len());
        let roots = (0..nodes + layout.used.len()).collect();
        let mut components = Components { roots, rank, nodes, used: layout.used.clone() };
        for (node, axis) in layout.nodes().enumerate() {
            for subaxis in &axis.subaxes {
                let to = match subaxis.target {
                    Target::Land { level, .. } => components.level_node(level),
                    Target::Feed { derived, .. } => rank + derived,
                };
                components.join(node, to);
            }
        }
        components
    }

    fn level_node(&self, level: Level) -> usize {
        self.nodes + self.used.binary_search(&level).unwrap_or(0)
    }

    fn root(&self, mut at: usize) -> usize {
        while self.roots[at] != at {
            at = self.roots[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        // The smaller number becomes the root, which keeps chains short here.
        self.roots[a.max(b)] = a.min(b);
    }

    fn level(&self, level: Level) -> usize {
        self.root(self.level_node(level))
    }

    fn axis(&self, axis: usize) -> usize {
        self.root(axis)
    }

    fn has_derived(&self, component: usize) -> bool {
        (self.rank..self.nodes).any(|node| self.root(node) == component)
    }

    fn with_derived(&self) -> Vec<usize> {
        let mut roots: Vec<usize> = (self.rank..self.nodes).map(|node| self.root(node)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }
}
