//! The error of what is read from files and written to them.

use std::error::Error;
use std::fmt;
use std::io;

use super::LayoutError;

/// The reason a table or an image was not written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// An error of the table.
    Table(LayoutError),
    /// Writing failed.
    Io(io::Error),
    /// Reading failed.
    Read(io::Error),
}

impl WriteError {
    /// The error that this one passes on.
    fn inner(&self) -> &(dyn Error + 'static) {
        match self {
            WriteError::Table(error) => error,
            WriteError::Io(error) | WriteError::Read(error) => error,
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.inner(), f)
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.inner().source()
    }
}

impl From<LayoutError> for WriteError {
    fn from(error: LayoutError) -> WriteError {
        WriteError::Table(error)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}
