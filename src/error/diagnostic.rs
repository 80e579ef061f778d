//! The parts of an error besides its message.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use super::Site;

/// An error with its remedy, and the part of a layout that it is about.
///
/// Each module has an error type of its own. Through this trait, a notation can show any of them in the text
/// that was read without knowing the modules; [`ParseError::cause`](super::ParseError::cause) returns the
/// original error.
pub trait Diagnostic: Error + Send + Sync + 'static {
    /// The remedy, if one is known.
    fn help(&self) -> Option<String> {
        None
    }

    /// The part of the layout that the error is about.
    fn site(&self) -> Site {
        Site::Layout
    }

    /// A second part that the error is about.
    fn related(&self) -> Option<Site> {
        None
    }
}

/// The underlying error, of any module, of a text that is well-formed but invalid in its meaning.
#[derive(Clone)]
pub struct Cause(Arc<dyn Diagnostic>);

impl Cause {
    /// The error, if it is of this type.
    #[must_use]
    pub fn downcast<E: Diagnostic>(&self) -> Option<&E> {
        let error: &(dyn Error + 'static) = &*self.0;
        error.downcast_ref()
    }
}

impl<E: Diagnostic> From<E> for Cause {
    fn from(error: E) -> Cause {
        Cause(Arc::new(error))
    }
}

impl std::ops::Deref for Cause {
    type Target = dyn Diagnostic;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for Cause {
    fn eq(&self, other: &Cause) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

impl Eq for Cause {}
