//! A memory that several units share.
//!
//! ```text
//! ((6_L2B:1, 8:1)) in a memory that every two L2Bs share
//!
//! unit     0 1   2 3   4 5        memory = floor(unit / 2)
//! memory    0     1     2
//! ```
//!
//! Numbers of memories stay inside: all that is told names a memory by the first of its units.
//!
//! What the memory holds is the layout with the coordinate of the owner
//! [split](Layout::split_level) into the number of the memory and the unit in it, which is dropped;
//! copies that come together in one memory are one. Copies that cannot be split become axes.

use std::collections::{BTreeSet, HashMap};

use crate::algebra::{
    Collision, Difference, Indexes, Layout, LayoutBuilder, Replica, Subaxis, Target, nested_sums,
    product,
};
use crate::error::{EditError, LayoutError};
use crate::level::Level;
use crate::location::Location;
use crate::machine::Memory;

/// The most places that are listed one by one.
const MOST_LISTED: u64 = 1 << 20;

/// The most copies in the owner that are brought together one by one.
const MOST_COPIES: u64 = 1 << 16;

/// A layout as its memory has it: the coordinate of the owner is the number of the memory.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// The last axes of it may number copies.
    layout: Layout,
    /// How many of its axes number copies: those whose memories depend on the element, or are not
    /// a product of even steps. Two of their digits may name one memory.
    copy_axes: usize,
}

/// A memory whose units are shared: the level that owns it, and how many units share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharingGroup {
    pub(crate) owner: Level,
    pub(crate) size: u64,
}

impl SharingGroup {
    /// Names the memory of a place by the first of the units that share it.
    pub(super) fn name(self, place: &mut Location) {
        if let Some(memory) = place.get(self.owner) {
            place.set(self.owner, memory.saturating_mul(self.size));
        }
    }

    /// The layout with the number of the memory instead of the unit.
    fn memories(self, layout: &Layout) -> Result<Layout, LayoutError> {
        let split = layout.split_level(self.owner, self.size, self.owner, Level::IN_GROUP)?;
        Ok(split.only(|level| level != Level::IN_GROUP))
    }
}

impl Memory {
    /// The group that shares it, if more than one unit does.
    pub(super) fn shared(&self) -> Option<SharingGroup> {
        (self.group > 1).then_some(SharingGroup { owner: self.owner, size: self.group })
    }
}

impl Stored {
    /// The layout of a memory that nothing else shares.
    pub(crate) fn alone(layout: &Layout) -> Stored {
        Stored { layout: layout.clone(), copy_axes: 0 }
    }

    /// What the memories of a group hold.
    ///
    /// Law: memory m holds an element if and only if one of its units does.
    pub(crate) fn new(layout: &Layout, group: SharingGroup) -> Result<Stored, LayoutError> {
        match group.memories(layout) {
            Err(LayoutError::Edit(EditError::SplitCopies { .. })) => {}
            stored => return Ok(Stored { layout: stored?, copy_axes: 0 }),
        }
        let mut bare = layout.clone();
        bare.replicas.retain(|replica| replica.level != group.owner);
        let mut digits = bare.landings_in(group.owner);
        let divides = digits.all(|l| l.size == 1 || l.stride.is_multiple_of(group.size));
        if divides && let Some(copies) = memories_of_copies(layout, group) {
            let stored = group.memories(&bare)?.to_builder();
            let copied = |b: LayoutBuilder, (n, step)| b.replica(n, group.owner, step);
            return Ok(Stored {
                layout: copies.into_iter().fold(stored, copied).build()?,
                copy_axes: 0,
            });
        }
        // All of the owner's copies with those that do not divide, as they may come together.
        let copies = layout.replicas().iter().filter(|r| r.level == group.owner && r.size > 1);
        let digit = |r: &Replica| Subaxis::land(r.size, r.level, r.stride);
        let axes = copies.clone().fold(bare.to_builder(), |b, r| b.axis(r.size, [digit(r)]));
        Ok(Stored { layout: group.memories(&axes.build()?)?, copy_axes: copies.count() })
    }

    /// The layout, where no axis of it numbers copies.
    pub(crate) fn plain(&self) -> Option<&Layout> {
        (self.copy_axes == 0).then_some(&self.layout)
    }

    /// How many axes of the layout are those of the tensor.
    pub(crate) fn rank(&self) -> usize {
        self.layout.rank() - self.copy_axes
    }

    /// Two different elements in one place of a memory; copies of one element may meet.
    pub(crate) fn collision(&self, group: SharingGroup) -> Result<Option<Collision>, LayoutError> {
        let mut found = self.layout.collision()?;
        if let Some(Collision { first, second, .. }) = &found
            && first[..self.rank()] == second[..self.rank()]
        {
            found = self.meeting(group)?;
        }
        Ok(found.map(|mut collision| {
            collision.first.truncate(self.rank());
            collision.second.truncate(self.rank());
            group.name(&mut collision.place);
            collision
        }))
    }

    /// Looks at every element in turn for one that meets another in the owner.
    fn meeting(&self, group: SharingGroup) -> Result<Option<Collision>, LayoutError> {
        let axes = if self.layout.derived_axes().len() > 1 { None } else { Some(group.owner) };
        let shape = self.moving(axes);
        listable(&shape, self.layout.copies(), "whether two elements share a place")?;
        let mut seen: HashMap<Location, Vec<u64>> = HashMap::new();
        for index in Indexes::new(shape) {
            let element = &index[..self.rank()];
            for place in self.layout.locate_all(&index)? {
                match seen.insert(place.clone(), element.to_vec()) {
                    Some(first) if first != element => {
                        let second = element.to_vec();
                        return Ok(Some(Collision { first, second, place, by_replica: true }));
                    }
                    _ => {}
                }
            }
        }
        Ok(None)
    }

    /// The extents, 1 for axes that never reach a level.
    fn moving(&self, level: Option<Level>) -> Vec<u64> {
        let Some(level) = level else { return self.layout.shape() };
        let reaches = |axis: &crate::algebra::Axis| {
            axis.subaxes.iter().any(|subaxis| match subaxis.target {
                Target::Land { level: of, stride } => of == level && stride > 0,
                Target::Feed { .. } => true,
            })
        };
        let axes = self.layout.axes().iter();
        axes.map(|axis| if reaches(axis) { axis.extent } else { axis.extent.min(1) }).collect()
    }

    /// Whether every element is in the same places of the memories. `None` means yes.
    pub(crate) fn difference(
        &self,
        other: &Stored,
        owner: Option<Level>,
    ) -> Result<Option<Difference>, LayoutError> {
        let (Some(owner), false) = (owner, self.plain().is_some() && other.plain().is_some())
        else {
            return self.layout.same_up_to_padding(&other.layout);
        };
        let (mine, theirs) = (&self.layout.shape()[..self.rank()], other.layout.shape());
        if mine != &theirs[..other.rank()] {
            let theirs = theirs[..other.rank()].to_vec();
            return Ok(Some(Difference::Shapes(mine.to_vec(), theirs)));
        }
        let elsewhere = |stored: &Stored| stored.elements_only(|level| level != owner);
        match elsewhere(self)?.same_up_to_padding(&elsewhere(other)?)? {
            None => self.difference_in_owner(other, owner),
            Some(Difference::Element { index, .. }) => Ok(Some(self.witness(other, index)?)),
            other => Ok(other),
        }
    }

    /// The layout in some levels, without the axes that number copies of the owner.
    fn elements_only(&self, keep: impl Fn(Level) -> bool) -> Result<Layout, LayoutError> {
        let mut builder = self.layout.only(keep).to_builder();
        builder.axes.truncate(self.rank());
        builder.build()
    }

    fn difference_in_owner(
        &self,
        other: &Stored,
        owner: Level,
    ) -> Result<Option<Difference>, LayoutError> {
        let rank = self.rank();
        let (mine, theirs) = (self.moving(Some(owner)), other.moving(Some(owner)));
        let shape: Vec<u64> = mine.iter().zip(&theirs).take(rank).map(|(a, b)| *a.max(b)).collect();
        let copies = self.copies_in(owner).max(other.copies_in(owner));
        listable(&shape, copies, "whether two layouts put every element in the same places")?;
        for index in Indexes::new(shape) {
            if self.memories(&index, owner) != other.memories(&index, owner) {
                return Ok(Some(self.witness(other, index)?));
            }
        }
        Ok(None)
    }

    fn copies_in(&self, owner: Level) -> u64 {
        let replicas = self.layout.replicas().iter().filter(|r| r.level == owner).map(|r| r.size);
        let axes = self.layout.axes()[self.rank()..].iter().map(|axis| axis.extent);
        product(replicas.chain(axes).collect::<Vec<_>>()).unwrap_or(u64::MAX)
    }

    /// The memories that hold an element.
    fn memories(&self, index: &[u64], owner: Level) -> BTreeSet<u64> {
        let only = self.layout.only(|level| level == owner);
        let stored = Stored { layout: only, copy_axes: self.copy_axes };
        let places = stored.places(index);
        places.into_iter().filter_map(|place| place.get(owner)).collect()
    }

    /// All places of an element, copies that come together once.
    fn places(&self, index: &[u64]) -> BTreeSet<Location> {
        let copies = self.layout.shape().split_off(self.rank());
        let all = Indexes::new(copies).flat_map(|copy| {
            let places = self.layout.locate_all(&[index, &copy[..]].concat());
            places.into_iter().flatten().collect::<Vec<_>>()
        });
        all.collect()
    }

    fn witness(&self, other: &Stored, index: Vec<u64>) -> Result<Difference, LayoutError> {
        const MOST_SHOWN: usize = 64;
        let shown = |stored: &Stored| stored.places(&index).into_iter().take(MOST_SHOWN).collect();
        Ok(Difference::Element { first: shown(self), second: shown(other), index })
    }
}

fn listable(shape: &[u64], copies: u64, question: &'static str) -> Result<(), LayoutError> {
    let places = product(shape.iter().copied().chain([copies]).collect::<Vec<_>>());
    let listed = places.filter(|places| *places <= MOST_LISTED);
    listed.map(|_| ()).ok_or(LayoutError::NotDecided { question, budget: MOST_LISTED })
}

/// The memories that the copies in the owner are in, from the first one on, as (size, stride) that
/// nest; `None` where they are not such a product.
fn memories_of_copies(layout: &Layout, group: SharingGroup) -> Option<Vec<(u64, u64)>> {
    let start = layout.offset(group.owner) % group.size;
    let in_owner = layout.replicas().iter().filter(|r| r.level == group.owner && r.size > 1);
    let terms: Vec<(u64, u64)> = in_owner.map(|r| (r.size, r.stride)).collect();
    // Steps of at most the group leave out no memory.
    if let [(size, stride)] = terms[..]
        && stride <= group.size
    {
        return Some(vec![((start + (size - 1) * stride) / group.size + 1, 1)]);
    }
    product(terms.iter().map(|(size, _)| *size)).filter(|copies| *copies <= MOST_COPIES)?;
    let mut units = BTreeSet::from([start]);
    for (size, stride) in terms {
        units = units.iter().flat_map(|at| (0..size).map(move |n| at + n * stride)).collect();
    }
    let memories: BTreeSet<u64> = units.into_iter().map(|unit| unit / group.size).collect();
    nested_sums(&memories.into_iter().collect::<Vec<_>>())
}
