//! Text positions, which a syntax tree keeps but does not compare.

use std::borrow::Cow;
use std::fmt::Display;
use std::hash::{Hash, Hasher};

/// A value that is ignored by `==` and `Hash`: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct NotCompared<T>(pub(crate) T);

impl NotCompared<Box<str>> {
    /// The text that `tree` was read from, or else the text that it prints.
    pub(super) fn text(&self, tree: &impl Display) -> Cow<'_, str> {
        if self.0.is_empty() { tree.to_string().into() } else { (*self.0).into() }
    }
}

impl<T> PartialEq for NotCompared<T> {
    fn eq(&self, _: &NotCompared<T>) -> bool {
        true
    }
}

impl<T> Eq for NotCompared<T> {}

impl<T> Hash for NotCompared<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
