//! The computations of a module that nothing has called yet, and so whether it can lack its entry.

use std::collections::HashSet;

/// The names of computations that wait for a caller.
///
/// XLA writes callees before their callers, so few names wait at a time. Law: after all computations of a
/// module have been added, the waiting names are those that no instruction calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    waiting: HashSet<Box<str>>,
    /// Names that were called and do not wait: read later, or called before.
    called: HashSet<Box<str>>,
}

impl Pending {
    /// Notes that an instruction calls a computation.
    pub(super) fn call(&mut self, name: &str) {
        if !self.waiting.remove(name) && !self.called.contains(name) {
            self.called.insert(name.into());
        }
    }

    /// Notes a computation; its own calls must be noted first.
    pub(super) fn add(&mut self, name: &str) {
        if !self.called.contains(name) {
            self.waiting.insert(name.into());
        }
    }

    /// Returns whether a computation is the only one that nothing calls, as an entry is.
    pub(super) fn is_entry(&self, name: &str) -> bool {
        self.waiting.len() == 1 && self.waiting.contains(name)
    }
}

#[cfg(test)]
mod tests {
    use super::Pending;

    #[test]
    fn the_entry_is_what_alone_is_not_called() {
        let mut pending = Pending::default();
        pending.add("add");
        pending.call("add");
        pending.add("fused");
        assert!(pending.is_entry("fused"));
        pending.call("late");
        pending.add("other");
        assert!(!pending.is_entry("other"));
        pending.call("fused");
        pending.call("add");
        assert!(pending.is_entry("other"));
        // Called before it was read.
        pending.add("late");
        assert!(pending.is_entry("other"));
    }
}
