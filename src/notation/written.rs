//! Where a part of a syntax tree was written, which does not belong to what was written.

use std::hash::{Hash, Hasher};

/// A value that is ignored by `==` and `Hash`: all are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written<T>(pub(crate) T);

impl<T> PartialEq for Written<T> {
    fn eq(&self, _: &Written<T>) -> bool {
        true
    }
}

impl<T> Eq for Written<T> {}

impl<T> Hash for Written<T> {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
