//! Shape and strides, as in NumPy and PyTorch: `shape=(2, 3), strides=(3, 1)`.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use tensor_layout_words::Cursor;

use super::calls::of_call;
use crate::error::{LayoutError, ParseError, ParseErrorKind, Span};
use crate::text::refusal::negative;
use crate::text::written::NotCompared;
use crate::words::counted;

/// A strided layout.
///
/// Strides and offset count elements (PyTorch), or bytes if `itemsize` is written (NumPy). The output of
/// NumPy and PyTorch is also accepted; a shape alone is contiguous.
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::Strided;
/// let numpy: Strided = "shape=(2,3), strides=(12,4), itemsize=4".parse()?;
/// assert_eq!(numpy.to_string(), "shape=(2, 3), strides=(12, 4), itemsize=4");
/// assert_eq!(numpy.lower()?, "(2:3, 3:1)".parse()?);
/// let printed = |text: &str| text.parse::<Strided>().map(|layout| layout.to_string());
/// assert_eq!(printed("torch.Size([2, 3]) (3, 1)")?, "shape=(2, 3), strides=(3, 1)");
/// assert_eq!(printed("(2, 3), (12, 4), offset=1")?, "shape=(2, 3), strides=(12, 4), offset=1");
/// assert_eq!(printed("torch.Size([2, 3])")?, "shape=(2, 3), strides=(3, 1)");
/// assert_eq!(printed("assert_size_stride(buf0, (2, 3), (3, 1))")?, "shape=(2, 3), strides=(3, 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Strided {
    /// The extents.
    pub shape: Vec<u64>,
    /// One stride per extent.
    pub strides: Vec<u64>,
    /// The place of the first element, if that is not 0.
    pub offset: Option<u64>,
    /// Bytes per element, if strides and offset count bytes.
    pub itemsize: Option<u64>,
    pub(crate) source: NotCompared<Box<str>>,
}

impl Strided {
    /// A layout with strides in elements.
    #[must_use]
    pub fn new(shape: Vec<u64>, strides: Vec<u64>) -> Strided {
        Strided { shape, strides, offset: None, itemsize: None, source: NotCompared::default() }
    }

    /// Returns the layout with its first element at `offset`.
    #[must_use]
    pub fn with_offset(self, offset: u64) -> Strided {
        Strided { offset: (offset > 0).then_some(offset), source: NotCompared::default(), ..self }
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub(crate) fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        ParseError::whole(error, &self.source.text(self))
    }
}

impl fmt::Display for Strided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tuple = |list: &[u64]| match list {
            [one] => format!("({one},)"),
            _ => format!("({})", list.iter().join(", ")),
        };
        write!(f, "shape={}, strides={}", tuple(&self.shape), tuple(&self.strides))?;
        if let Some(offset) = self.offset {
            write!(f, ", offset={offset}")?;
        }
        self.itemsize.map_or(Ok(()), |itemsize| write!(f, ", itemsize={itemsize}"))
    }
}

impl FromStr for Strided {
    type Err = ParseError;

    /// Parses `shape=(..), strides=(..)` with an optional `offset=n` and `itemsize=n`, or two lists
    /// without their names, also as arguments of `assert_size_stride` and the like; blanks do not matter.
    fn from_str(text: &str) -> Result<Strided, ParseError> {
        if let Some(layout) = of_call(text) {
            return Ok(Strided { source: NotCompared(text.into()), ..layout? });
        }
        let mut reader = StridedReader { text, at: Cursor::new(text), reads: "an extent" };
        let named = !["(", "torch"].iter().any(|start| text.trim_start().starts_with(start));
        let shape = if named { reader.named_list("shape")? } else { reader.list()? };
        let strides = if !named && reader.is_at_end() {
            let whole = Span::new(0, text.len());
            let too_large = || ParseError::new(ParseErrorKind::NumberTooLarge, whole, text);
            contiguous(&shape).ok_or_else(too_large)?
        } else {
            reader.strides(named, shape.len())?
        };
        let mut layout = Strided::new(shape, strides);
        while !reader.is_at_end() {
            reader.attribute(&mut layout)?;
        }
        layout.source = NotCompared(text.into());
        Ok(layout)
    }
}

/// Row-major strides without gaps; `None` beyond 64 bits.
pub(in crate::text) fn contiguous(shape: &[u64]) -> Option<Vec<u64>> {
    let mut stride = Some(1_u64);
    let mut strides = Vec::new();
    for extent in shape.iter().rev() {
        strides.push(stride?);
        stride = stride.and_then(|stride| stride.checked_mul((*extent).max(1)));
    }
    strides.reverse();
    Some(strides)
}

/// Reads token by token.
struct StridedReader<'t> {
    text: &'t str,
    at: Cursor<'t>,
    /// The name of the next number in errors.
    reads: &'static str,
}

impl StridedReader<'_> {
    fn skip_blanks(&mut self) {
        self.at.take(char::is_whitespace);
    }

    fn is_at_end(&self) -> bool {
        self.at.rest().trim().is_empty()
    }

    fn expected(&self, what: &'static str) -> ParseError {
        let error: ParseError = self.at.expected(what);
        error.with_help("for example `shape=(2, 3), strides=(3, 1)`")
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Result<(), ParseError> {
        if self.takes(token) { Ok(()) } else { Err(self.expected(what)) }
    }

    fn takes(&mut self, token: &str) -> bool {
        self.skip_blanks();
        self.at.takes_all(token)
    }

    fn strides(&mut self, named: bool, rank: usize) -> Result<Vec<u64>, ParseError> {
        if named {
            self.expect(",", "`,`")?;
        } else {
            self.takes(",");
        }
        let start = self.at.at();
        self.reads = "a stride";
        let strides = if named { self.named_list("strides")? } else { self.list()? };
        if strides.len() != rank {
            let extents = counted(rank, "extent");
            let message = format!("{extents}, but {}", counted(strides.len(), "stride"));
            return Err(ParseError::invalid(message, self.at.since(start), self.text));
        }
        Ok(strides)
    }

    /// `, offset=n` and `, itemsize=n`, each once.
    fn attribute(&mut self, layout: &mut Strided) -> Result<(), ParseError> {
        if layout.itemsize.is_some() && layout.offset.is_some() {
            return Err(self.expected("the end"));
        }
        self.expect(",", if layout.itemsize.is_some() { "the end" } else { "`,`" })?;
        if layout.offset.is_none() && self.takes("offset") {
            self.expect("=", "`=`")?;
            self.reads = "the offset";
            layout.offset = Some(self.number()?);
            return Ok(());
        }
        self.expect("itemsize", "`itemsize`")?;
        self.expect("=", "`=`")?;
        self.reads = "the itemsize";
        layout.itemsize = Some(self.number()?);
        Ok(())
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        self.skip_blanks();
        match self.at.peek() {
            Some(b'-') => Err(negative(self.reads, self.at.at(), self.text)),
            Some(b'0'..=b'9') => Ok(self.at.expect_number("a number")?),
            _ => Err(self.expected("a number")),
        }
    }

    /// `name=(1, 2)`.
    fn named_list(&mut self, name: &'static str) -> Result<Vec<u64>, ParseError> {
        self.expect(name, if name == "shape" { "`shape`" } else { "`strides`" })?;
        self.expect("=", "`=`")?;
        self.list()
    }

    /// `(1, 2)`, `[1, 2]` or `torch.Size([1, 2])`, a trailing comma allowed as in Python.
    fn list(&mut self) -> Result<Vec<u64>, ParseError> {
        if self.takes("torch.Size(") {
            self.expect("[", "`[`")?;
            let list = self.list_to("]", "`,` or `]`")?;
            self.expect(")", "`)`")?;
            return Ok(list);
        }
        if self.takes("[") {
            return self.list_to("]", "`,` or `]`");
        }
        self.expect("(", "`(`")?;
        self.list_to(")", "`,` or `)`")
    }

    fn list_to(&mut self, end: &str, what: &'static str) -> Result<Vec<u64>, ParseError> {
        let mut list = Vec::new();
        loop {
            if self.takes(end) {
                return Ok(list);
            }
            list.push(self.number()?);
            self.skip_blanks();
            if !self.at.rest().starts_with(end) {
                self.expect(",", what)?;
            }
        }
    }
}
