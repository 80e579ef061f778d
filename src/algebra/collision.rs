//! Exact search for two elements, or two copies of one, that share a place.

use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};

use smallvec::SmallVec;

use crate::algebra::digits::{Destination, Digit, Digits};
use crate::algebra::groups::Groups;
use crate::algebra::layout::{Combine, DerivedAxis, Layout, Target};
use crate::algebra::radix::{Indexes, split};
use crate::algebra::solve::{Budget, Choices, Sum, Term, nests};
use crate::algebra::xor::BitSystem;
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;

/// Two copies in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Collision {
    /// The index of one of the copies.
    pub first: Vec<u64>,
    /// The index of the other; equal to `first` if two copies of one element collide.
    pub second: Vec<u64>,
    /// The place where a copy of each lives.
    pub place: Location,
    /// True if the collision needs a sized replica: the two copies differ in a replica digit.
    pub by_replica: bool,
}

impl Collision {
    /// The error for it.
    pub(crate) fn into_error(self) -> LayoutError {
        let Collision { first, second, place, by_replica } = self;
        let (what, help) = match by_replica {
            false => ("elements", "change a stride so that no two elements get the same address"),
            true => (
                "copies of elements",
                "choose a size and a stride that keep the copies clear of the elements",
            ),
        };
        let error = match first == second {
            true => fault!(
                Collision,
                "two copies of element ({first}) are both stored at {place}",
                [first, place]
            )
            .with("second", second),
            false => {
                fault!(
                    Collision,
                    "{what} ({first}) and ({second}) are both stored at {place}",
                    [what, first, second, place]
                )
            }
        };
        error.with_help(help)
    }
}

impl Layout {
    /// Finds two real elements, or two copies of one, that share a place.
    ///
    /// Padding does not count: it may share a place with an element.
    /// Law: `None` if and only if no two copies share a place, and every witness is a real collision.
    /// Cost: O(subaxes log subaxes) where strides nest; else a search with a budget: a bounded
    /// subset-sum per level, or an enumeration where derived axes are involved.
    ///
    /// # Errors
    /// `NotDecided` past the budget.
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
        let digits = self.digits();
        if self.nests_everywhere(&digits) {
            return Ok(None);
        }
        let components = Components::of(self);
        let with_derived = components.with_derived();
        let mut budget = Budget::new("checking whether two elements share a place");
        for &level in &self.used {
            if !with_derived.contains(&components.level(level))
                && let Some(collision) = self.differ_in(level, &digits, &mut budget)?
            {
                return Ok(Some(collision));
            }
        }
        if let Some([first, second]) = self.flipped_together(&digits) {
            let place = self.slot(&first);
            return Ok(Some(Collision { first, second, place, by_replica: false }));
        }
        for component in with_derived {
            if let Some(collision) = self.enumerate(&components, component, &mut budget)? {
                return Ok(Some(collision));
            }
        }
        Ok(None)
    }

    /// Checks that no two copies share a place.
    pub(crate) fn check_injective(&self) -> Result<(), LayoutError> {
        self.collision()?.map_or(Ok(()), |collision| Err(collision.into_error()))
    }

    /// Returns whether the digits that land in every level, and those that feed every derived axis, nest:
    /// places then determine the digits, and digits the index.
    fn nests_everywhere(&self, digits: &Digits) -> bool {
        let tells_apart = |to| nests(digits.to(to).map(|(_, digit)| (digit.top, digit.stride)));
        let is_decoded = |(number, derived): (usize, &DerivedAxis)| match derived.combine {
            Combine::Sum => tells_apart(Destination::Derived(number)),
            Combine::Xor => BitSystem::of_elements(digits, number).is_injective(),
        };
        self.used.iter().all(|level| tells_apart(Destination::Level(*level)))
            && self.derived.iter().enumerate().all(is_decoded)
    }

    /// Looks for digit differences, not all zero, whose strides cancel in `level`.
    ///
    /// Every digit lands in one level, and a difference of zero is always possible in the others, so each
    /// level can be decided separately. For given differences, the smallest pair of indexes has the negative
    /// differences on one side and the positive ones on the other; both indexes must be real.
    fn differ_in(
        &self,
        level: Level,
        digits: &Digits,
        budget: &mut Budget,
    ) -> Result<Option<Collision>, LayoutError> {
        let mut sides = Sides::new(self, digits);
        let found = sides.sum(level).search(sides.zero(level), &mut sides, budget)?;
        Ok(found.break_value().map(|()| {
            let mut place = self.slot(&sides.negative);
            place.add(level, sides.replica_step);
            let by_replica = sides.by_replica > 0;
            Collision { first: sides.negative, second: sides.positive, place, by_replica }
        }))
    }

    /// Locates every element of one component, the other axes at 0, until two share a place.
    fn enumerate(
        &self,
        components: &Components<'_>,
        component: usize,
        budget: &mut Budget,
    ) -> Result<Option<Collision>, LayoutError> {
        let extent = |axis: usize| match components.axis(axis) == component {
            true => self.axes[axis].extent,
            false => 1,
        };
        let shape: Vec<u64> = (0..self.rank()).map(extent).collect();
        // The numbers of the index and of the copy, by the coordinates of the place.
        let mut seen: HashMap<SmallVec<[u64; 4]>, (u64, u64)> = HashMap::new();
        for (number, second) in (0..).zip(Indexes::new(shape.clone())) {
            for (copy, place) in (0..).zip(self.locate_all(&second)?) {
                // A step of this search is much more expensive than a step of the others.
                (0..16).try_for_each(|_| budget.step())?;
                let coordinates = place.iter().map(|(_, coordinate)| coordinate).collect();
                if let Some((earlier, other)) = seen.insert(coordinates, (number, copy)) {
                    let mut first = vec![0; shape.len()];
                    split(earlier, shape.iter().copied(), &mut first);
                    return Ok(Some(Collision { first, second, place, by_replica: copy != other }));
                }
            }
        }
        Ok(None)
    }
}

/// The two indexes of a possible collision, while the differences of their digits are chosen.
///
/// A difference between -top and top is searched as the digit `difference + top`, below `2 top + 1`. If no
/// digit differs, the sum of these digits is the sum of top x stride.
struct Sides<'a> {
    digits: &'a Digits,
    extents: Vec<u64>,
    negative: Vec<u64>,
    positive: Vec<u64>,
    /// The number of replica digits that differ.
    by_replica: usize,
    /// The sum of digit x stride over the replica digits on the negative side.
    replica_step: u64,
    /// The number of digits that differ.
    differing: usize,
}

impl<'a> Sides<'a> {
    fn new(layout: &Layout, digits: &'a Digits) -> Sides<'a> {
        let (negative, positive) = (vec![0; layout.rank()], vec![0; layout.rank()]);
        let extents = layout.shape();
        let (by_replica, replica_step, differing) = (0, 0, 0);
        Sides { digits, extents, negative, positive, by_replica, replica_step, differing }
    }

    /// Returns the differences of the digits that land in `level`, as a sum.
    fn sum(&self, level: Level) -> Sum<u128> {
        let term = |(digit, d): (usize, &Digit)| Term {
            digit,
            size: 2 * u128::from(d.top) + 1,
            weight: u128::from(d.stride),
        };
        Sum::new(self.digits.in_level(level).map(term).collect())
    }

    /// Returns the sum at which no digit differs.
    fn zero(&self, level: Level) -> u128 {
        let tops =
            self.digits.in_level(level).map(|(_, d)| u128::from(d.top) * u128::from(d.stride));
        tops.sum()
    }

    /// Returns the digit, the size of the difference, and whether it is on the positive side.
    fn difference(&self, term: &Term<u128>, value: u128) -> (&'a Digit, u64, bool) {
        let digit = self.digits.digit(term.digit);
        let top = u128::from(digit.top);
        // At most the top, which is a `u64`.
        (digit, u64::try_from(value.abs_diff(top)).unwrap_or(u64::MAX), value > top)
    }

    fn side(&mut self, is_positive: bool) -> &mut Vec<u64> {
        if is_positive { &mut self.positive } else { &mut self.negative }
    }
}

impl Choices<u128> for Sides<'_> {
    type Found = ();

    /// A negated solution is a solution: the first difference that is not 0 may be positive.
    fn least(&self, term: &Term<u128>) -> u64 {
        if self.differing > 0 { 0 } else { self.digits.digit(term.digit).top }
    }

    fn choose(&mut self, term: &Term<u128>, value: u128) -> bool {
        let (digit, difference, is_positive) = self.difference(term, value);
        match digit.axis {
            Some(axis) => {
                let extent = self.extents[axis];
                let step = difference.checked_mul(digit.weight);
                let entry = &mut self.side(is_positive)[axis];
                let Some(moved) = step.and_then(|step| entry.checked_add(step)) else {
                    return false;
                };
                if moved >= extent {
                    return false;
                }
                *entry = moved;
            }
            None if difference > 0 => {
                self.by_replica += 1;
                // Within the extent of the level, which fits.
                self.replica_step += if is_positive { 0 } else { difference * digit.stride };
            }
            None => {}
        }
        self.differing += usize::from(difference > 0);
        true
    }

    fn take_back(&mut self, term: &Term<u128>, value: u128) {
        let (digit, difference, is_positive) = self.difference(term, value);
        match digit.axis {
            Some(axis) => self.side(is_positive)[axis] -= difference * digit.weight,
            None if difference > 0 => {
                self.by_replica -= 1;
                self.replica_step -= if is_positive { 0 } else { difference * digit.stride };
            }
            None => {}
        }
        self.differing -= usize::from(difference > 0);
    }

    fn found(&mut self, _budget: &mut Budget) -> Result<ControlFlow<()>, LayoutError> {
        let differs = self.differing > 0;
        Ok(if differs { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// The groups of axes, derived axes and levels that digits connect.
///
/// The coordinates in the levels of one component depend only on its axes, so the layout is free of
/// collisions if and only if each component is.
struct Components<'a> {
    layout: &'a Layout,
    /// Every axis, then every used level.
    groups: Groups,
}

impl Components<'_> {
    fn of(layout: &Layout) -> Components<'_> {
        let (rank, levels) = (layout.rank(), layout.used.len());
        let groups = Groups::new(rank + layout.derived.len() + levels);
        let mut components = Components { layout, groups };
        for (node, axis) in layout.nodes().enumerate() {
            for subaxis in &axis.subaxes {
                let to = match subaxis.target {
                    Target::Land { level, .. } => components.level_node(level),
                    Target::Feed { derived, .. } => rank + derived,
                };
                components.groups.join(node, to);
            }
        }
        components
    }

    fn level_node(&self, level: Level) -> usize {
        self.derived().end + self.layout.used.binary_search(&level).unwrap_or(0)
    }

    fn level(&self, level: Level) -> usize {
        self.groups.of(self.level_node(level))
    }

    fn axis(&self, axis: usize) -> usize {
        self.groups.of(axis)
    }

    /// The derived axes among the members.
    fn derived(&self) -> Range<usize> {
        self.layout.rank()..self.layout.rank() + self.layout.derived.len()
    }

    /// The components that have derived axes.
    fn with_derived(&self) -> BTreeSet<usize> {
        self.derived().map(|node| self.groups.of(node)).collect()
    }
}
