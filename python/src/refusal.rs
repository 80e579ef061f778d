//! Refusals as Python exceptions: subclasses of `ValueError` that keep span, text and remedy.

use std::path::Path;

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tensor_layout::error::WriteError;
use tensor_layout::error::{ErrorKind, Span};
use tensor_layout::{LayoutError, ParseError};

/// The reason why a call fails.
#[derive(Debug)]
pub(crate) enum Refusal {
    Text(ParseError),
    Meaning(LayoutError),
    /// An out-of-range index counted from the end, which the library does not support.
    OutOfRange(String),
    Argument(String),
    Python(PyErr),
}

/// The result of every method.
pub(crate) type Answer<T> = Result<T, Refusal>;

/// Rejects an argument.
pub(crate) fn refused<T>(why: impl Into<String>) -> Answer<T> {
    Err(Refusal::Argument(why.into()))
}

impl From<ParseError> for Refusal {
    fn from(error: ParseError) -> Refusal {
        Refusal::Text(error)
    }
}

impl From<LayoutError> for Refusal {
    fn from(error: LayoutError) -> Refusal {
        Refusal::Meaning(error)
    }
}

impl From<PyErr> for Refusal {
    fn from(error: PyErr) -> Refusal {
        Refusal::Python(error)
    }
}

impl From<pyo3::CastError<'_, '_>> for Refusal {
    fn from(error: pyo3::CastError<'_, '_>) -> Refusal {
        Refusal::Python(error.into())
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Refusal {
        Refusal::Python(error.into())
    }
}

/// The error of a file, as Python's `open` words it.
pub(crate) fn of_file(path: &Path, error: &std::io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else { return PyOSError::new_err(error.to_string()) };
    let what = error.to_string();
    let what = what.split(" (os error").next().unwrap_or_default().to_owned();
    PyOSError::new_err((number, what, path.display().to_string()))
}

impl From<WriteError> for Refusal {
    fn from(error: WriteError) -> Refusal {
        match error {
            WriteError::Table(error) => error.into(),
            WriteError::Io(error) | WriteError::Read(error) => error.into(),
            other => Refusal::Argument(other.to_string()),
        }
    }
}

impl From<Refusal> for PyErr {
    fn from(refusal: Refusal) -> PyErr {
        Python::attach(|py| match refusal {
            Refusal::Text(error) => of_text(py, &error),
            Refusal::Meaning(error) => of_meaning(py, &error),
            Refusal::OutOfRange(why) => {
                make(py, "OutOfRange", why, &PyDict::new(py)).unwrap_or_else(|error| error)
            }
            Refusal::Argument(why) => {
                make(py, "LayoutError", why, &PyDict::new(py)).unwrap_or_else(|error| error)
            }
            Refusal::Python(error) => error,
        })
    }
}

/// Calls of Python, by their names in messages of the library, which speaks of its own.
const CALLS: [(&str, &str); 5] = [
    ("the shape to `TritonLayout::with_shape`", "`shape=(128, 64)`"),
    (
        "give the type of the elements to `TritonLayout::with_shape`",
        "write the type, `tensor<128x64xf16, #ttg...>`",
    ),
    ("`XlaShape::arrays`", "`XlaShape.arrays`"),
    ("to `Route::through`", "with `via=[..]`"),
    ("`Sharding::of_layout`", "`Sharding.of_layout`"),
];

/// A message of the library in terms of Python.
fn in_python(message: &str) -> String {
    CALLS.iter().fold(message.to_owned(), |text, (call, own)| text.replace(call, own))
}

fn of_text(py: Python<'_>, error: &ParseError) -> PyErr {
    let details = PyDict::new(py);
    let span = |span: Span| characters(error.text(), span);
    let set = || -> PyResult<()> {
        details.set_item("text", error.text())?;
        details.set_item("span", span(error.span()))?;
        details.set_item("related", error.related().map(span))?;
        details.set_item("help", error.help().map(in_python))?;
        details.set_item("kind", name(error.kind()))
    };
    let message = in_python(&error.to_string());
    set().and_then(|()| make(py, "ParseError", message, &details)).unwrap_or_else(|e| e)
}

fn of_meaning(py: Python<'_>, error: &LayoutError) -> PyErr {
    let class = match error.kind() {
        ErrorKind::OutOfRange => "OutOfRange",
        _ => "LayoutError",
    };
    let help = error.help().as_deref().map(in_python);
    let message = in_python(&error.to_string());
    let message = help.iter().fold(message, |text, help| text + "\n  = help: " + help);
    let details = PyDict::new(py);
    let set = || -> PyResult<()> {
        details.set_item("help", help)?;
        details.set_item("kind", name(&error.kind()))
    };
    set().and_then(|()| make(py, class, message, &details)).unwrap_or_else(|e| e)
}

fn make(
    py: Python<'_>,
    class: &str,
    message: String,
    details: &Bound<'_, PyDict>,
) -> PyResult<PyErr> {
    let class = py.import("tensor_layout.errors")?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), Some(details))?))
}

/// The span in characters, as Python counts.
fn characters(text: &str, span: Span) -> (usize, usize) {
    let count = |end: usize| text.get(..end).map_or(end, |part| part.chars().count());
    (count(span.start), count(span.end))
}

/// The name of the variant.
fn name(kind: &impl std::fmt::Debug) -> String {
    let name = format!("{kind:?}");
    name.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}
