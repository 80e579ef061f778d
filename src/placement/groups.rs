//! A memory that a group of units shares.
//!
//! ```text
//! ((6_L2B:1, 8:1)) in a memory that every two L2Bs have together
//!
//! unit           0 1   2 3   4 5
//! named          0 0   2 2   4 4        by the first unit of the group
//! ```
//!
//! Any unit of a group can name its memory. In a placement each memory has one name, its first unit, so that
//! places, tables, images and moves all refer to the same memory.

use itertools::Itertools;

use crate::algebra::strided::sums;
use crate::algebra::{Landing, Layout, LayoutBuilder, Subaxis, Target, nested_sums, product};
use crate::error::{ErrorKind, LayoutError, Site, fault};
use crate::level::Level;
use crate::location::Location;
use crate::machine::Memory;

/// The most copies in the owner that are merged one by one.
const MOST_COPIES: u64 = 1 << 16;

impl Memory {
    /// Names the memory of a place by the first unit of its group.
    pub(crate) fn name(&self, place: &mut Location) {
        if let Some(at) = place.get(self.owner) {
            place.set(self.owner, at - at % self.group);
        }
    }

    /// The layout with the coordinates of the first units.
    ///
    /// Law: an element is in the memory of a group if and only if one of its units is in the group.
    pub(super) fn named(&self, layout: &Layout) -> Result<Layout, LayoutError> {
        if self.group == 1 || !layout.uses(self.owner) {
            return Ok(layout.clone());
        }
        // Numbers of groups as their first units.
        self.numbered(layout)?.spread_out(self.owner, self.group)?.to_builder().build()
    }

    /// The layout with the number of the group instead of the unit.
    ///
    /// Nothing may be carried from units to groups: at most one digit, or the copies, may have strides that
    /// are neither multiples of the group nor within one.
    pub(crate) fn numbered(&self, layout: &Layout) -> Result<Layout, LayoutError> {
        let derived = layout.derived_axes().len();
        match self.quotient(layout) {
            Ok(numbered) if numbered.derived_axes().len() == derived => return Ok(numbered),
            Err(error) if error.kind() != ErrorKind::Uneven => return Err(error),
            _ => {}
        }
        let Memory { owner, group, .. } = *self;
        let landings = layout.landings_in(owner);
        let uneven = landings.filter(|of| of.size > 1 && !of.stride.is_multiple_of(group));
        let (copies, digits): (Vec<_>, Vec<_>) =
            uneven.partition(|of| matches!(of.site, Site::Replica(_)));
        let uneven_digits = || {
            fault!(
                Uneven,
                "there is one memory for every {group} units of `{level}`, and the digits in \
                 `{level}` do not line up with these groups",
                [group, level = owner]
            )
            .with_help("choose strides in `{level}` that are multiples of {group}")
        };
        let fault = match digits[..] {
            [] => match self.groups_of_copies(layout) {
                Some(copies) => return self.with_copies_in(layout, copies),
                None => LayoutError::uneven_copies(owner, group),
            },
            [Landing { size, stride, .. }] if copies.is_empty() => {
                match self.even_step(layout.offset(owner) % group, size, stride) {
                    Some(step) => return self.with_step((size, stride), step, layout),
                    None => uneven_digits(),
                }
            }
            _ => uneven_digits(),
        };
        Err(fault)
    }

    /// The layout in group numbers, with these copies of the groups.
    fn with_copies_in(
        &self,
        layout: &Layout,
        copies: Vec<(u64, u64)>,
    ) -> Result<Layout, LayoutError> {
        let bare = layout.clone().with_replicas_where(|replica| replica.level != self.owner);
        let copied = |b: LayoutBuilder, (n, step)| b.replica(n, self.owner, step);
        copies.into_iter().fold(self.quotient(&bare)?.to_builder(), copied).build()
    }

    /// The distance between the groups of a digit's successive values, if it is even.
    fn even_step(&self, start: u64, size: u64, stride: u64) -> Option<u64> {
        let group = |value: u64| (start + value * stride) / self.group;
        let step = group(1) - group(0);
        let few = size <= MOST_COPIES;
        (few && (1..size).all(|value| group(value) == group(0) + value * step)).then_some(step)
    }

    /// The layout in group numbers, where the only digit that does not line up has this step.
    fn with_step(
        &self,
        uneven: (u64, u64),
        step: u64,
        layout: &Layout,
    ) -> Result<Layout, LayoutError> {
        let rounded = |digit: &Subaxis| match digit.target {
            Target::Land { level, stride }
                if level == self.owner && (digit.size, stride) == uneven =>
            {
                Subaxis::land(digit.size, level, step * self.group)
            }
            _ => *digit,
        };
        self.quotient(&layout.to_builder().map_digits(rounded).build()?)
    }

    fn quotient(&self, layout: &Layout) -> Result<Layout, LayoutError> {
        let split = layout.split_level(self.owner, self.group, self.owner, Level::IN_GROUP)?;
        Ok(split.only(|level| level != Level::IN_GROUP))
    }

    /// The groups that the copies are in, from the first one on, as (size, stride) that nest; `None`
    /// if they are not such a product.
    fn groups_of_copies(&self, layout: &Layout) -> Option<Vec<(u64, u64)>> {
        let Memory { owner, group, .. } = *self;
        let start = layout.offset(owner) % group;
        let in_owner = layout.replicas().iter().filter(|r| r.level == owner && r.size > 1);
        let terms: Vec<(u64, u64)> = in_owner.map(|r| (r.size, r.stride)).collect();
        // Steps of at most the group leave out no memory.
        if let [(size, stride)] = terms[..]
            && stride <= group
        {
            return Some(vec![((start + (size - 1) * stride) / group + 1, 1)]);
        }
        product(terms.iter().map(|(size, _)| *size)).filter(|copies| *copies <= MOST_COPIES)?;
        let units = sums(terms.into_iter(), usize::MAX);
        let groups = units.into_iter().map(|units| (start + units) / group);
        nested_sums(&groups.sorted_unstable().dedup().collect_vec())
    }
}
