//! The names of the computations of a module: those that nothing has called yet, and so whether it can lack its
//! entry, and those that are called but not in the text.

use rustc_hash::{FxHashMap, FxHashSet};

/// The names of computations, by whether they were read and called.
///
/// XLA writes callees before their callers, so few names wait at a time. Law: after all computations of a
/// module have been added, the waiting names are those that no instruction calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// Read, and not called yet.
    waiting: FxHashSet<Box<str>>,
    /// Read and called.
    called: FxHashSet<Box<str>>,
    /// Called and not read yet, each with the line of its first caller.
    missing: FxHashMap<Box<str>, u64>,
}

impl Pending {
    /// Notes that the instruction of a line calls a computation.
    pub(super) fn call(&mut self, name: &str, line: u64) {
        if let Some(name) = self.waiting.take(name) {
            self.called.insert(name);
        } else if !self.called.contains(name) && !self.missing.contains_key(name) {
            self.missing.insert(name.into(), line);
        }
    }

    /// Notes a computation; its own calls must be noted first. Returns whether its name is new.
    pub(super) fn add(&mut self, name: &str) -> bool {
        if self.missing.remove(name).is_some() {
            self.called.insert(name.into())
        } else {
            !self.called.contains(name) && self.waiting.insert(name.into())
        }
    }

    /// The number of names.
    pub(super) fn len(&self) -> usize {
        self.waiting.len() + self.called.len() + self.missing.len()
    }

    /// Returns whether a computation is the only one that nothing calls, as an entry is.
    pub(super) fn is_entry(&self, name: &str) -> bool {
        self.waiting.len() == 1 && self.waiting.contains(name)
    }

    /// The computations that are called but were not read, each with the line of its first caller, in the order
    /// of lines.
    pub(super) fn missing(self) -> Vec<(u64, Box<str>)> {
        let mut missing: Vec<_> =
            self.missing.into_iter().map(|(name, line)| (line, name)).collect();
        missing.sort_unstable();
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    #[test]
    fn the_entry_is_what_alone_is_not_called() {
        let mut pending = Pending::default();
        pending.add("add");
        pending.call("add", 2);
        pending.add("fused");
        assert!(pending.is_entry("fused"));
        pending.call("late", 3);
        pending.add("other");
        assert!(!pending.is_entry("other"));
        pending.call("fused", 4);
        pending.call("add", 4);
        assert!(pending.is_entry("other"));
        // Called before it was read.
        pending.add("late");
        assert!(pending.is_entry("other"));
        assert_eq!(pending.missing(), []);
    }

    #[test]
    fn a_name_that_is_called_and_never_read_is_missing_at_its_first_caller() {
        let mut pending = Pending::default();
        pending.call("b", 7);
        pending.call("b", 8);
        pending.call("a", 9);
        pending.add("c");
        pending.call("c", 10);
        assert_eq!(pending.missing(), [(7, "b".into()), (9, "a".into())]);
    }
}
