//! Text positions, which a syntax tree keeps but does not compare.

use std::hash::{Hash, Hasher};

/// A value that is ignored by `==` and `Hash`: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotCompared<T>(pub(crate) T);

impl<T> PartialEq for NotCompared<T> {
    fn eq(&self, _: &NotCompared<T>) -> bool {
        true
    }
}

impl<T> Eq for NotCompared<T> {}

impl<T> Hash for NotCompared<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
