//! Affine maps: `affine_map<(d0, d1) -> (d0 floordiv 3, (d0 mod 3) * 8 + d1)>`.

use itertools::Itertools;
use tensor_layout_words::Cursor;

use super::sum::{Sum, to_layout};
use crate::algebra::Layout;
use crate::error::{ParseError, Span};
use crate::level::Level;
use crate::text::refusal::check_depth;

/// The greatest depth of brackets.
pub(super) const MAX_DEPTH: usize = 64;

/// Returns whether a text is an affine map, after its comment or alone.
pub(in crate::text) fn is_affine_map(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with("affine_map<") || text.starts_with("//") && text.contains("\naffine_map<")
}

/// Reads an affine map after its comment, as `tensor-layout-code` writes it: the comment names the levels of the
/// results and bounds the dimensions.
pub(in crate::text) fn affine_map(text: &str) -> Result<Layout, ParseError> {
    check_depth(text, MAX_DEPTH, [b"(", b")"])?;
    let mut reader = AffineReader::new(text);
    if !reader.takes("//") {
        let message = "an affine map alone has no extents";
        let refusal = ParseError::invalid(message, Span::new(0, text.len()), text);
        return Err(refusal.with_help(
            "put a line in front, `// (d0, d1) -> (PE, Addr), 0 <= d0 < 4, 0 <= d1 < 8`, or write \
             the type of a memref",
        ));
    }
    let dims = reader.names()?;
    reader.expect("->", "`->`")?;
    let start = reader.at.at();
    let names = reader.names()?;
    let names_span = reader.at.since(start);
    let level = |name: &&str| {
        Level::new(name).map_err(|error| ParseError::invalid(error.to_string(), names_span, text))
    };
    let levels: Vec<Level> = names.iter().map(level).try_collect()?;
    if !levels.iter().all_unique() {
        return Err(ParseError::invalid("two results have one name", names_span, text));
    }
    let shape: Vec<u64> = dims.iter().map(|dim| reader.bound(dim)).try_collect()?;
    let sums = reader.map(&shape)?;
    reader.expect_end()?;
    if sums.len() != levels.len() {
        let message = format!("{} results have {} names", sums.len(), levels.len());
        return Err(ParseError::invalid(message, names_span, text));
    }
    let sums = levels.into_iter().zip(sums).collect_vec();
    to_layout(&shape, &sums).map_err(|error| ParseError::whole(error, text))
}

/// Reads token by token.
pub(super) struct AffineReader<'t> {
    text: &'t str,
    pub(super) at: Cursor<'t>,
    dims: Vec<&'t str>,
}

impl<'t> AffineReader<'t> {
    pub(super) fn new(text: &'t str) -> AffineReader<'t> {
        AffineReader { text, at: Cursor::new(text), dims: Vec::new() }
    }

    pub(super) fn takes(&mut self, token: &str) -> bool {
        self.at.blanks();
        self.at.takes_all(token)
    }

    pub(super) fn expected(&self, what: &'static str) -> ParseError {
        self.at.expected(what)
    }

    pub(super) fn expect(&mut self, token: &str, what: &'static str) -> Result<(), ParseError> {
        if self.takes(token) { Ok(()) } else { Err(self.expected(what)) }
    }

    pub(super) fn expect_end(&mut self) -> Result<(), ParseError> {
        self.at.blanks();
        if self.at.is_at_end() { Ok(()) } else { Err(self.expected("the end")) }
    }

    pub(super) fn number(&mut self) -> Result<u64, ParseError> {
        self.at.blanks();
        Ok(self.at.expect_number("a number")?)
    }

    fn word(&mut self) -> &'t str {
        self.at.blanks();
        self.at.take(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// `(d0, d1)`.
    fn names(&mut self) -> Result<Vec<&'t str>, ParseError> {
        self.expect("(", "`(`")?;
        let mut names = Vec::new();
        while !self.takes(")") {
            if !names.is_empty() {
                self.expect(",", "`,` or `)`")?;
            }
            names.push(match self.word() {
                "" => return Err(self.expected("a name")),
                word => word,
            });
        }
        Ok(names)
    }

    /// `, 0 <= d0 < 12`.
    fn bound(&mut self, dim: &str) -> Result<u64, ParseError> {
        self.expect(",", "`,` and the bounds of each dimension")?;
        self.expect("0", "`0`")?;
        self.expect("<=", "`<=`")?;
        self.expect(dim, "the name of a dimension, in order")?;
        self.expect("<", "`<`")?;
        self.number()
    }

    /// `affine_map<(d0, d1) -> (..)>` over dimensions of these extents: its results.
    pub(super) fn map(&mut self, shape: &[u64]) -> Result<Vec<Sum>, ParseError> {
        self.expect("affine_map<", "`affine_map<`")?;
        let start = self.at.at();
        self.dims = self.names()?;
        if self.dims.len() != shape.len() {
            let message =
                format!("the map has {} dimensions, not {}", self.dims.len(), shape.len());
            return Err(ParseError::invalid(message, self.at.since(start), self.text));
        }
        self.at.blanks();
        if self.at.peek() == Some(b'[') {
            let message = "symbols are numbers that are only known at run time";
            let next = Span::new(self.at.at(), self.at.at() + 1);
            return Err(ParseError::invalid(message, next, self.text));
        }
        self.expect("->", "`->`")?;
        self.expect("(", "`(`")?;
        let mut sums = Vec::new();
        while !self.takes(")") {
            if !sums.is_empty() {
                self.expect(",", "`,` or `)`")?;
            }
            sums.push(self.sum(shape)?);
        }
        self.expect(">", "`>`")?;
        Ok(sums)
    }

    /// Terms with `+` between them.
    fn sum(&mut self, shape: &[u64]) -> Result<Sum, ParseError> {
        let start = self.at.at();
        let mut sum = self.term(shape)?;
        loop {
            if self.takes("+") {
                let next = self.term(shape)?;
                sum = sum.plus(next).ok_or_else(|| self.too_large(start))?;
            } else if self.takes("-") && self.at.peek() != Some(b'>') {
                let message = "differences are not supported, only sums";
                return Err(ParseError::invalid(message, self.at.since(start), self.text));
            } else {
                return Ok(sum);
            }
        }
    }

    /// Factors with `*`, `floordiv` and `mod` between them, from the left to the right.
    fn term(&mut self, shape: &[u64]) -> Result<Sum, ParseError> {
        self.at.blanks();
        let start = self.at.at();
        let mut left = self.factor(shape)?;
        loop {
            let word =
                ["*", "floordiv", "ceildiv", "mod"].into_iter().find(|word| self.takes(word));
            let Some(word) = word else { return Ok(left) };
            let right = self.factor(shape)?;
            let here = self.at.since(start);
            let refuse = |message: &str| ParseError::invalid(message, here, self.text);
            let (sum, number) = match (right.as_constant(), left.as_constant()) {
                (Some(number), _) => (left, number),
                (None, Some(number)) if word == "*" => (right, number),
                _ => return Err(refuse("one of two factors is a number in an affine map")),
            };
            left = match word {
                "*" => sum.times(number).ok_or_else(|| self.too_large(start))?,
                "ceildiv" => return Err(refuse("`ceildiv` is not supported")),
                _ if number == 0 => return Err(refuse("division by 0")),
                _ => {
                    let why =
                        "digits are added here with a carry, or XORed: such maps are not read";
                    let [quotient, rest] = sum.divided(number).ok_or_else(|| refuse(why))?;
                    if word == "mod" { rest } else { quotient }
                }
            };
        }
    }

    /// A dimension, a number or an expression in brackets.
    fn factor(&mut self, shape: &[u64]) -> Result<Sum, ParseError> {
        if self.takes("(") {
            let sum = self.sum(shape)?;
            self.expect(")", "`)`")?;
            return Ok(sum);
        }
        self.at.blanks();
        if self.at.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return self.number().map(Sum::constant);
        }
        let start = self.at.at();
        let word = self.word();
        match self.dims.iter().position(|dim| *dim == word) {
            Some(dim) => Ok(Sum::dim(dim, shape.get(dim).copied().unwrap_or(1))),
            None if word.is_empty() => Err(self.expected("a dimension or a number")),
            None => {
                let message = format!("`{word}` is no dimension of this map");
                Err(ParseError::invalid(message, self.at.since(start), self.text))
            }
        }
    }

    fn too_large(&self, start: usize) -> ParseError {
        let message = "this expression has too many parts, or does not fit in 64 bits";
        ParseError::invalid(message, self.at.since(start), self.text)
    }
}
