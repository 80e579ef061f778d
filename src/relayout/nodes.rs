//! The nodes of the tree that lead to the memories of a pair.
//!
//! ```text
//! DRAM, one for every two L2Bs            LM of every PE
//!
//! L2B/2 = L2B div 2                       L2B/2 = L2B div 2, then L2B % 2, L1B, MAB, PE
//! ```
//!
//! Data in a memory is inside its node and the nodes above it, and outside every unit below it. The path of
//! one side is therefore a prefix of the path of the other. A coordinate whose units also come in groups is
//! split into the group and the unit in it. In the first level below its own node, a side gets a coordinate
//! that no unit of the other side has, so that none of its data is found inside those units.

use std::sync::Arc;

use itertools::Itertools;
use smallvec::SmallVec;

use crate::algebra::Layout;
use crate::error::{ErrorKind, LayoutError, fault};
use crate::level::Level;
use crate::machine::{Machine, Memory};
use crate::placement::Placement;

/// The nodes that lead to a memory, from the root down.
type Path = SmallVec<[Level; 8]>;

/// The nodes that lead to the memories of each side.
#[derive(Clone, Debug)]
pub(super) struct Paths {
    /// The path of each side from the root down; one is a prefix of the other.
    pub(super) sides: (Path, Path),
    /// Groups of units: the level of the units, and how many a group has.
    groups: SmallVec<[(Level, Level, u64); 1]>,
    /// The names of source and destination, where they are two memories.
    pub(super) memories: Option<(String, String)>,
}

impl Paths {
    /// Paths through these levels on both sides, without groups.
    pub(super) fn through(levels: Vec<Level>) -> Paths {
        let levels = Path::from(levels);
        let (sides, groups) = ((levels.clone(), levels), SmallVec::new());
        Paths { sides, groups, memories: None }
    }

    /// The longer of both.
    pub(super) fn longer(&self) -> &[Level] {
        let (source, target) = &self.sides;
        if source.len() > target.len() { source } else { target }
    }

    /// The number of nodes both sides have.
    pub(super) fn common(&self) -> usize {
        self.sides.0.len().min(self.sides.1.len())
    }

    /// A unit in words: `PE`, `group of 2 L2Bs`.
    pub(super) fn words(&self, level: Level) -> String {
        let group = self.groups.iter().find(|(groups, ..)| *groups == level);
        group.map_or(level.to_string(), |(_, units, n)| format!("group of {n} {units}s"))
    }

    /// A coordinate or a stride as callers know it: a group is named by its first unit.
    pub(super) fn in_units(&self, (level, at): (Level, u64)) -> (Level, u64) {
        let group = self.groups.iter().find(|(groups, ..)| *groups == level);
        group.map_or((level, at), |(_, units, step)| (*units, at * step))
    }
}

/// The levels of a machine, and the groups of units that share a memory.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Tree {
    levels: Vec<Level>,
    /// The level of the units, and how many a group has, large ones first; none where they do not nest.
    groups: Vec<(Level, u64)>,
}

impl Tree {
    /// That of the machine of a placement.
    pub(super) fn of(placement: &Placement) -> Tree {
        let levels = placement.machine().into_iter().flat_map(Machine::levels);
        let memories = placement.machine().into_iter().flat_map(Machine::memories);
        let groups = memories.map(|(_, memory)| (memory.owner, memory.group));
        let groups = groups.filter(|(_, group)| *group > 1).unique();
        let groups = groups.sorted_by_key(|(_, group)| std::cmp::Reverse(*group)).collect_vec();
        Tree {
            levels: levels.map(|(level, _)| level).collect(),
            groups: if nest(&groups) { groups } else { Vec::new() },
        }
    }
}

/// The level of the units that have a memory, and how many of them have one in common.
pub(super) type MemoryNode = (Level, u64);

/// The layout in the memories of a placement, and the node that has one.
#[derive(Clone, Debug)]
pub(super) struct NodeLayout {
    pub(super) layout: Arc<Layout>,
    pub(super) node: MemoryNode,
}

impl NodeLayout {
    /// The layout in the coordinates of all groups of a tree; `None` where copies do not line up with them, or
    /// where nothing has to.
    pub(super) fn in_groups(&self, tree: &Tree) -> Option<Arc<Layout>> {
        let splits = !tree.groups.is_empty() && self.layout.elements() > 0;
        splits.then(|| split(self.clone(), &tree.groups).ok()).flatten()
    }

    /// The layout in the memories of a placement; without a memory, in those of the leaves.
    pub(super) fn by(placement: &Placement) -> Result<NodeLayout, LayoutError> {
        let machine = placement.machine().ok_or_else(LayoutError::no_machine)?;
        // A machine of one unit has no levels, and one memory of each kind.
        let leaf = machine.levels().last().map_or((Level::ADDR, 1), |(level, _)| (level, 1));
        let node = placement.memory().map(|(_, Memory { owner, group, .. })| (owner, group));
        let node = node.unwrap_or(leaf);
        let layout = placement.with_copies().in_sums().into_owned();
        Ok(NodeLayout { layout: Arc::new(layout), node })
    }
}

/// Rewrites two layouts in the coordinates of the nodes of both.
pub(super) fn paired(
    tree: &Tree,
    source: &NodeLayout,
    target: &NodeLayout,
) -> Result<(Arc<Layout>, Arc<Layout>, Paths), LayoutError> {
    let cuts = cuts(source, target)?;
    // Copies that do not line up with groups that hold neither side are no error: the groups are left out.
    if tree.groups.len() > cuts.len() && source.layout.elements() == 0 {
        return paired_by(&tree.levels, &tree.groups, source.clone(), target.clone());
    }
    if tree.groups.len() > cuts.len()
        && let (Some(from), Some(to)) = (source.in_groups(tree), target.in_groups(tree))
    {
        return in_groups(tree, (from, source.node), (to, target.node));
    }
    paired_by(&tree.levels, &cuts, source.clone(), target.clone())
}

/// As [`paired`], of layouts that are in the coordinates of all groups.
pub(super) fn in_groups(
    tree: &Tree,
    (source, from): (Arc<Layout>, MemoryNode),
    (target, to): (Arc<Layout>, MemoryNode),
) -> Result<(Arc<Layout>, Arc<Layout>, Paths), LayoutError> {
    joined(&tree.levels, &tree.groups, (source, from), (target, to))
}

/// Returns whether the groups of each level nest, larger ones first.
fn nest(groups: &[(Level, u64)]) -> bool {
    let of_one = |pair: &[(Level, u64); 2]| pair[0].0 == pair[1].0;
    groups
        .iter()
        .copied()
        .array_combinations()
        .filter(of_one)
        .all(|[(_, a), (_, b)]| a.is_multiple_of(b))
}

fn paired_by(
    levels: &[Level],
    cuts: &[(Level, u64)],
    mut source: NodeLayout,
    mut target: NodeLayout,
) -> Result<(Arc<Layout>, Arc<Layout>, Paths), LayoutError> {
    if source.layout.elements() == 0 && !cuts.is_empty() {
        // Without elements nothing moves, whatever the copies.
        for side in [&mut source, &mut target] {
            side.layout = Arc::new(Layout::clone(&side.layout).with_replicas_where(|_| false));
        }
    }
    let nodes = (source.node, target.node);
    let (from, to) = (split(source, cuts)?, split(target, cuts)?);
    joined(levels, cuts, (from, nodes.0), (to, nodes.1))
}

/// The pair of two layouts whose coordinates are split into those of groups and of units in them.
fn joined(
    levels: &[Level],
    cuts: &[(Level, u64)],
    (mut from, source): (Arc<Layout>, MemoryNode),
    (mut to, target): (Arc<Layout>, MemoryNode),
) -> Result<(Arc<Layout>, Arc<Layout>, Paths), LayoutError> {
    let sides = (path(levels, cuts, source), path(levels, cuts, target));
    let groups = cuts.iter().map(|(level, n)| (level.in_groups_of(*n), *level, *n)).collect();
    let paths = Paths { sides, groups, memories: None };
    let (a, b) = &paths.sides;
    if let Some(below) = b.get(a.len()) {
        from = Arc::new(outside(&from, *below, &to)?);
    }
    if let Some(below) = a.get(b.len()) {
        to = Arc::new(outside(&to, *below, &from)?);
    }
    Ok((from, to, paths))
}

/// Returns the layouts of two placements in the coordinates of the nodes of both.
pub(crate) fn in_nodes_of_both(
    source: &Placement,
    target: &Placement,
) -> Result<(Arc<Layout>, Arc<Layout>), LayoutError> {
    let tree = Tree { groups: Vec::new(), ..Tree::of(source) };
    let (from, to, _) = paired(&tree, &NodeLayout::by(source)?, &NodeLayout::by(target)?)?;
    Ok((from, to))
}

/// The groups of units at which either memory hangs, larger ones first.
fn cuts(source: &NodeLayout, target: &NodeLayout) -> Result<Vec<(Level, u64)>, LayoutError> {
    let nodes = [source.node, target.node].into_iter().filter(|(_, group)| *group > 1);
    let cuts = nodes.unique().sorted_by_key(|(_, group)| std::cmp::Reverse(*group)).collect_vec();
    match cuts[..] {
        [(a, large), (b, small)] if a == b && !large.is_multiple_of(small) => Err(fault!(
            NotComparable,
            "the memories are shared by {from} and by {to} units, and neither \
             divides the other",
            [from = source.node.1, to = target.node.1]
        )),
        _ => Ok(cuts),
    }
}

/// The nodes down to one of them, with the groups of both sides.
fn path(levels: &[Level], cuts: &[(Level, u64)], (owner, group): (Level, u64)) -> Path {
    let mut path = Path::new();
    for level in levels {
        let is_last = *level == owner;
        let groups = cuts.iter().filter(|(of, n)| of == level && (!is_last || *n >= group));
        path.extend(groups.map(|(of, n)| of.in_groups_of(*n)));
        if is_last {
            path.extend((group == 1).then_some(*level));
            break;
        }
        path.push(*level);
    }
    path
}

/// The layout with the coordinates of groups and of units in them.
fn split(held: NodeLayout, cuts: &[(Level, u64)]) -> Result<Arc<Layout>, LayoutError> {
    let (owner, group) = held.node;
    let mut layout = held.layout;
    for (level, n) in cuts.iter().filter(|(level, n)| *level != owner || *n >= group) {
        let split = layout.split_level(*level, *n, level.in_groups_of(*n), *level);
        layout = Arc::new(split.map_err(|error| match error.kind() {
            ErrorKind::Uneven => LayoutError::uneven_copies(*level, *n),
            _ => error,
        })?);
    }
    // A memory of a group is named by the first unit.
    Ok(if group > 1 { Arc::new(layout.only(|level| level != owner)) } else { layout })
}

/// Moves the layout out of all units of a level, to a coordinate that the other side does not use.
fn outside(layout: &Layout, level: Level, other: &Layout) -> Result<Layout, LayoutError> {
    layout.to_builder().used(level).offset(level, other.extent(level)).build()
}
