//! Shape and strides, as NumPy and PyTorch have them: `shape=(2, 3), strides=(3, 1)`.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;

use crate::error::{ParseError, ParseErrorKind, Span};
use crate::notation::written::Written;

/// A strided layout.
///
/// Strides count elements (PyTorch), or bytes if `itemsize` is written (NumPy).
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::Strided;
/// let numpy: Strided = "shape=(2,3), strides=(12,4), itemsize=4".parse()?;
/// assert_eq!(numpy.to_string(), "shape=(2, 3), strides=(12, 4), itemsize=4");
/// assert_eq!(numpy.lower()?, "(2:3, 3:1)".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Strided {
    /// The extents.
    pub shape: Vec<u64>,
    /// One stride per extent.
    pub strides: Vec<u64>,
    /// Bytes per element, if strides count bytes.
    pub itemsize: Option<u64>,
    pub(crate) source: Written<Box<str>>,
}

impl Strided {
    /// A layout with strides in elements.
    #[must_use]
    pub fn new(shape: Vec<u64>, strides: Vec<u64>) -> Strided {
        Strided { shape, strides, itemsize: None, source: Written::default() }
    }

    /// The refusal of this text for what it means.
    #[must_use]
    pub fn refuse(&self, error: crate::error::LayoutError) -> ParseError {
        let printed = self.to_string();
        let text = if self.source.0.is_empty() { &printed } else { &*self.source.0 };
        ParseError::new(ParseErrorKind::Layout(error), Span::new(0, text.len()), text)
    }
}

impl fmt::Display for Strided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tuple = |list: &[u64]| match list {
            [one] => format!("({one},)"),
            _ => format!("({})", list.iter().join(", ")),
        };
        write!(f, "shape={}, strides={}", tuple(&self.shape), tuple(&self.strides))?;
        self.itemsize.map_or(Ok(()), |itemsize| write!(f, ", itemsize={itemsize}"))
    }
}

impl FromStr for Strided {
    type Err = ParseError;

    /// Parses `shape=(..), strides=(..)` and an optional `itemsize=n`; blanks do not matter.
    fn from_str(text: &str) -> Result<Strided, ParseError> {
        let mut reader = Reader { text, at: 0 };
        let shape = reader.list("shape")?;
        reader.expect(",", "`,`")?;
        let strides_at = reader.at;
        let strides = reader.list("strides")?;
        if strides.len() != shape.len() {
            let message = format!("{} extents, but {} strides", shape.len(), strides.len());
            let span = Span::new(strides_at, reader.at);
            return Err(ParseError::new(ParseErrorKind::Invalid(message), span, text));
        }
        let itemsize = match reader.rest().trim().is_empty() {
            true => None,
            false => {
                reader.expect(",", "`,`")?;
                reader.expect("itemsize", "`itemsize`")?;
                reader.expect("=", "`=`")?;
                Some(reader.number()?)
            }
        };
        if !reader.rest().trim().is_empty() {
            return Err(reader.expected("the end"));
        }
        Ok(Strided { shape, strides, itemsize, source: Written(text.into()) })
    }
}

/// Reads token by token.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn expected(&self, what: &'static str) -> ParseError {
        let next = self.rest().chars().next().map_or(0, char::len_utf8);
        let span = Span::new(self.at, self.at + next);
        ParseError::new(ParseErrorKind::Expected(vec![what]), span, self.text)
            .with_help("for example `shape=(2, 3), strides=(3, 1)`")
    }

    fn expect(&mut self, token: &str, what: &'static str) -> Result<(), ParseError> {
        self.skip_blanks();
        if !self.rest().starts_with(token) {
            return Err(self.expected(what));
        }
        self.at += token.len();
        Ok(())
    }

    fn number(&mut self) -> Result<u64, ParseError> {
        self.skip_blanks();
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return Err(self.expected("a number"));
        }
        let span = Span::new(self.at, self.at + digits);
        self.at += digits;
        let number = self.text.get(span.start..span.end).unwrap_or_default().parse();
        number.map_err(|_| ParseError::new(ParseErrorKind::NumberTooLarge, span, self.text))
    }

    /// `name=(1, 2)`, a trailing comma allowed as in Python.
    fn list(&mut self, name: &'static str) -> Result<Vec<u64>, ParseError> {
        self.expect(name, if name == "shape" { "`shape`" } else { "`strides`" })?;
        self.expect("=", "`=`")?;
        self.expect("(", "`(`")?;
        let mut list = Vec::new();
        loop {
            self.skip_blanks();
            if self.rest().starts_with(')') {
                self.at += 1;
                return Ok(list);
            }
            list.push(self.number()?);
            self.skip_blanks();
            if !self.rest().starts_with(')') {
                self.expect(",", "`,` or `)`")?;
            }
        }
    }
}
