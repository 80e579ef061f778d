//! Groups of connected numbers (union-find).

use smallvec::SmallVec;

/// Numbers from 0 on, in groups that can be joined.
pub(crate) struct Groups {
    /// A member of the same group; a representative is its own parent.
    parents: Vec<usize>,
}

impl Groups {
    /// Puts every number in a group of its own.
    pub(crate) fn new(count: usize) -> Groups {
        Groups { parents: (0..count).collect() }
    }

    /// Returns the representative of the group of a number: its smallest member.
    pub(crate) fn of(&self, mut at: usize) -> usize {
        while self.parents[at] != at {
            at = self.parents[at];
        }
        at
    }

    /// Joins the groups of two numbers.
    pub(crate) fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        // The smaller number becomes the representative, which keeps chains short here.
        self.parents[a.max(b)] = a.min(b);
    }

    /// Returns all groups, in the order of their smallest members.
    pub(crate) fn sets(&self) -> Vec<SmallVec<[usize; 2]>> {
        let mut sets = vec![SmallVec::new(); self.parents.len()];
        (0..self.parents.len()).for_each(|at| sets[self.of(at)].push(at));
        sets.retain(|set| !set.is_empty());
        sets
    }
}
