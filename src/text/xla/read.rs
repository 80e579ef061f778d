//! The conversion of text to tree: order of attributes, types, integers, and lenient parsing.

use std::str::FromStr;
use std::sync::Arc;

use itertools::Itertools;
use pest::iterators::Pair;

use super::dtype::XlaDtype;
use super::quick;
use super::tree::{ArraySource, TileDim, XlaArray, XlaDim, XlaLayout, XlaShape, XlaSplit};
use crate::error::{ParseError, Span};
use crate::text::pairs::{child, children, grammar, number, span, tokens};
use crate::text::refusal::{GrammarStop, check_depth};
use crate::text::written::NotCompared;

grammar!("text/xla/xla.pest");

use grammar::Rule;

type Node<'a> = Pair<'a, Rule>;

/// Parses XLA shapes, strictly or leniently.
///
/// ```
/// use tensor_layout::xla::XlaParser;
/// let shape = XlaParser::lenient().parse("F32[2,3,8]{2,1,0:S(1)T(2,∗,128)}")?;
/// assert_eq!(shape.to_string(), "f32[2,3,8]{2,1,0:T(2,*,128)S(1)}");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct XlaParser {
    lenient: bool,
}

impl XlaParser {
    /// The greatest depth of brackets.
    pub const MAX_DEPTH: usize = 256;

    /// Accepts only XLA's notation.
    #[must_use]
    pub const fn strict() -> XlaParser {
        XlaParser { lenient: false }
    }

    /// Also accepts upper-case types, attributes in any order, `∗`, and tiles without `T`.
    #[must_use]
    pub const fn lenient() -> XlaParser {
        XlaParser { lenient: true }
    }

    /// Parses a shape. Cost: linear in the text, even if it is invalid.
    ///
    /// # Errors
    /// Text outside the grammar; types that XLA lacks; integers beyond 64 bits; negative dimensions; an order
    /// whose number of entries differs from the number of dimensions; `P(..)`.
    pub fn parse(self, text: &str) -> Result<XlaShape, ParseError> {
        check_depth(text, XlaParser::MAX_DEPTH, [b"(", b")"])?;
        quick::read(text).map_or_else(|| self.by_grammar(text), Ok)
    }

    fn by_grammar(self, text: &str) -> Result<XlaShape, ParseError> {
        let mut parts = tokens(Rule::text, text).map_err(|stop| refusal(text, stop))?;
        let shape = parts.find(|part| part.as_rule() == Rule::shape);
        let reader = ShapeReader { text, shared: text.into(), lenient: self.lenient };
        match shape {
            Some(shape) => reader.shape(shape),
            None => Err(reader.expected("a shape", Span::new(0, text.len()))),
        }
    }
}

impl FromStr for XlaShape {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<XlaShape, ParseError> {
        XlaParser::strict().parse(text)
    }
}

struct ShapeReader<'t> {
    text: &'t str,
    /// The text, to be kept by every array.
    shared: Arc<str>,
    lenient: bool,
}

impl ShapeReader<'_> {
    fn invalid(&self, message: impl Into<String>, span: Span) -> ParseError {
        ParseError::invalid(message, span, self.text)
    }

    fn expected(&self, what: &'static str, span: Span) -> ParseError {
        ParseError::expected(what, span, self.text)
    }

    fn shape(&self, part: Node<'_>) -> Result<XlaShape, ParseError> {
        let at = span(&part);
        let Some(inner) = part.into_inner().next() else {
            return Err(self.expected("a shape", at));
        };
        match inner.as_rule() {
            Rule::tuple => {
                let members = children(inner, Rule::shape).map(|member| self.shape(member));
                Ok(XlaShape::Tuple(members.try_collect()?))
            }
            Rule::buffer => match child(inner, Rule::array).map(|array| self.array(array)) {
                Some(Ok(XlaShape::Array(array))) => Ok(XlaShape::Buffer(array)),
                Some(Err(error)) => Err(error),
                _ => Err(self.invalid("a buffer holds an array", at)),
            },
            _ => self.array(inner),
        }
    }

    /// An array, a token or opaque.
    fn array(&self, part: Node<'_>) -> Result<XlaShape, ParseError> {
        let whole = span(&part);
        let mut source = ArraySource { text: self.shared.clone(), whole, ..ArraySource::default() };
        let mut dtype = None;
        let mut dims: Vec<XlaDim> = Vec::new();
        let mut layout = None;
        for part in part.into_inner() {
            match part.as_rule() {
                Rule::dtype => dtype = Some(part),
                Rule::dims_open => source.dims = span(&part),
                Rule::dims_close => source.dims.end = span(&part).end,
                Rule::dim => dims.push(self.dim(part)?),
                Rule::layout => layout = Some(self.layout(part, &mut source)?),
                _ => {}
            }
        }
        let Some(dtype) = dtype else { return Err(self.expected("a type", whole)) };
        if let Some(shape) = valueless(dtype.as_str()) {
            if dims.is_empty() && layout.is_none() {
                return Ok(shape);
            }
            let message = format!("{} cannot have dimensions or a layout", dtype.as_str());
            return Err(self.invalid(message, whole));
        }
        let dtype = self.dtype(&dtype)?;
        if let Some(layout) = &layout
            && layout.minor_to_major.len() != dims.len()
        {
            let (rank, entries) = (dims.len(), layout.minor_to_major.len());
            let message =
                format!("Dimensions size is {rank}, but minor to major size is {entries}.");
            return Err(self.invalid(message, source.minor_to_major));
        }
        let layout = layout.and_then(XlaLayout::into_printed);
        Ok(XlaShape::Array(XlaArray { dtype, dims, layout, source: NotCompared(Arc::new(source)) }))
    }

    fn dtype(&self, part: &Node<'_>) -> Result<XlaDtype, ParseError> {
        let name = part.as_str();
        let lower = name.to_ascii_lowercase();
        match XlaDtype::from_name(if self.lenient { &lower } else { name }) {
            Some(dtype) => Ok(dtype),
            None => {
                let error = self.expected("a type such as `f32`", span(part));
                let help = XlaDtype::from_name(&lower).map(|dtype| {
                    format!("XLA's types are lower-case: `{dtype}`; lenient parsing takes this one")
                });
                Err(help.into_iter().fold(error, ParseError::with_help))
            }
        }
    }

    fn dim(&self, part: Node<'_>) -> Result<XlaDim, ParseError> {
        let at = span(&part);
        let mut bounded = false;
        for part in part.into_inner() {
            match part.as_rule() {
                Rule::unbounded => return Ok(XlaDim::Unbounded),
                Rule::bounded => bounded = true,
                Rule::int => {
                    let size = u64::try_from(self.int(&part)?)
                        .map_err(|_| self.invalid("a dimension cannot be negative", at))?;
                    return Ok(if bounded { XlaDim::Bounded(size) } else { XlaDim::Static(size) });
                }
                _ => {}
            }
        }
        Err(self.expected("a dimension", at))
    }

    fn int(&self, part: &Node<'_>) -> Result<i64, ParseError> {
        let counts_up_to = || format!("XLA counts up to {}", i64::MAX);
        number(part, self.text).map_err(|error| error.with_help(counts_up_to()))
    }

    fn int_in(&self, part: Node<'_>) -> Result<i64, ParseError> {
        let at = span(&part);
        match child(part, Rule::int) {
            Some(int) => self.int(&int),
            None => Err(self.expected("an integer", at)),
        }
    }

    fn layout(&self, part: Node<'_>, source: &mut ArraySource) -> Result<XlaLayout, ParseError> {
        let mut layout = XlaLayout::default();
        let start = span(&part).start + 1;
        source.minor_to_major = Span::new(start, start);
        for part in part.into_inner() {
            match part.as_rule() {
                Rule::int => {
                    if layout.minor_to_major.is_empty() {
                        source.minor_to_major = span(&part);
                    }
                    source.minor_to_major.end = span(&part).end;
                    layout.minor_to_major.push(self.int(&part)?);
                }
                Rule::attributes => self.attributes(part, &mut layout, source)?,
                _ => {}
            }
        }
        Ok(layout)
    }

    fn attributes(
        &self,
        part: Node<'_>,
        layout: &mut XlaLayout,
        source: &mut ArraySource,
    ) -> Result<(), ParseError> {
        let mut seen: Vec<Rule> = Vec::new();
        for attribute in children(part, Rule::attribute).flat_map(Pair::into_inner) {
            let (rule, at) = (attribute.as_rule(), span(&attribute));
            if seen.contains(&rule) {
                return Err(self.invalid("an attribute appears twice", at));
            }
            // The grammar defines attributes in XLA's order.
            if !self.lenient && seen.iter().any(|before| *before > rule) {
                let error = self.invalid("attributes are out of order", at);
                return Err(error.with_help("XLA's order is D T L # * E S SC P M"));
            }
            seen.push(rule);
            self.attribute(attribute, layout, source)?;
        }
        Ok(())
    }

    fn attribute(
        &self,
        part: Node<'_>,
        layout: &mut XlaLayout,
        source: &mut ArraySource,
    ) -> Result<(), ParseError> {
        let at = span(&part);
        match part.as_rule() {
            Rule::tiles => return self.tiles(part, layout, source),
            Rule::tail => {
                source.tail = at;
                layout.set_tail_padding(self.int_in(part)?);
            }
            Rule::index_type => {
                source.index_type = at;
                layout.index_type = self.dtype_in(part)?;
            }
            Rule::pointer_type => {
                source.pointer_type = at;
                layout.pointer_type = self.dtype_in(part)?;
            }
            Rule::bits => {
                source.bits = at;
                layout.element_bits = self.int_in(part)?;
            }
            Rule::space => layout.memory_space = self.int_in(part)?,
            // A negative prefix is not printed: to XLA there is none.
            Rule::prefix => layout.prefix_bytes = self.int_in(part)?.max(0),
            Rule::splits => {
                for split in children(part, Rule::split) {
                    source.splits.push(span(&split));
                    layout.splits.push(self.split(split)?);
                }
            }
            Rule::physical => {
                let message = "Layout has physical shape, but is not for a sparse array";
                return Err(self.invalid(message, at));
            }
            // `D(..)` of older dumps is parsed and discarded, as in XLA.
            _ => {}
        }
        Ok(())
    }

    fn tiles(
        &self,
        part: Node<'_>,
        layout: &mut XlaLayout,
        source: &mut ArraySource,
    ) -> Result<(), ParseError> {
        let start = span(&part).start;
        let mut parts = part.into_inner().peekable();
        let marked = parts.peek().is_some_and(|p| p.as_rule() == Rule::tile_mark);
        if !marked && !self.lenient {
            return Err(self.expected("`T`", Span::new(start, start + 1)));
        }
        for tile in parts.filter(|p| p.as_rule() == Rule::tile) {
            source.tiles.push(span(&tile));
            let entries = children(tile, Rule::tile_dim).map(|entry| self.tile_dim(entry));
            layout.tiles.push(entries.try_collect()?);
        }
        Ok(())
    }

    fn dtype_in(&self, part: Node<'_>) -> Result<Option<XlaDtype>, ParseError> {
        child(part, Rule::dtype).map(|dtype| self.dtype(&dtype)).transpose()
    }

    fn tile_dim(&self, part: Node<'_>) -> Result<TileDim, ParseError> {
        let at = span(&part);
        match part.into_inner().next() {
            Some(entry) if entry.as_rule() == Rule::int => Ok(TileDim::Size(self.int(&entry)?)),
            Some(entry) if entry.as_str() == "*" || self.lenient => Ok(TileDim::Combine),
            Some(_) => Err(self.expected("`*`", at).with_help("lenient parsing takes `∗`")),
            None => Err(self.expected("an integer", at)),
        }
    }

    fn split(&self, part: Node<'_>) -> Result<XlaSplit, ParseError> {
        let ints = children(part, Rule::int).map(|int| self.int(&int));
        let mut ints: Vec<i64> = ints.try_collect()?;
        let dimension = if ints.is_empty() { 0 } else { ints.remove(0) };
        Ok(XlaSplit { dimension, indices: ints })
    }
}

/// Words the error of a text that the grammar does not match.
fn refusal(text: &str, stop: GrammarStop) -> ParseError {
    let expected = &stop.expected;
    let help = match stop.next {
        Some('T' | 'L' | 'E' | 'S' | 'M') if expected.contains(&"an integer") => {
            Some("attributes follow `:`, as in `{1,0:T(8,128)}`")
        }
        Some('}') if expected.contains(&"an integer") => {
            Some("a layout is an order such as `{1,0}`, or attributes such as `{:T(128)}`")
        }
        None if expected.contains(&"`)`") || expected.contains(&"`}`") => {
            Some("a bracket is not closed")
        }
        _ => None,
    };
    stop.refuse(text, help)
}

/// The types that have no elements.
fn valueless(name: &str) -> Option<XlaShape> {
    match name {
        "token" => Some(XlaShape::Token),
        "opaque" => Some(XlaShape::Opaque),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{XlaParser, quick};

    /// The texts of a corpus (up to the tab of each line), and each with a few characters changed.
    fn mutated(corpus: &str) -> impl Iterator<Item = String> {
        const JUNK: &[u8] = b"-019aTLPESx(){}[],:;*#<=? /_@B.\t\n";
        let lines = corpus.lines().filter(|line| !line.starts_with('#'));
        let texts: Vec<String> =
            lines.filter_map(|line| line.split('\t').next()).map(String::from).collect();
        let mut state = 1_u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(state >> 33).unwrap_or(0) % below
        };
        (0..40).flat_map(move |round| {
            let changed = texts.iter().map(|text| {
                let mut chars: Vec<char> = text.chars().collect();
                for _ in 0..round % 4 {
                    let at = draw(chars.len() + 1);
                    match draw(3) {
                        0 if at < chars.len() => drop(chars.remove(at)),
                        1 => chars.insert(at, char::from(JUNK[draw(JUNK.len())])),
                        _ => chars.iter_mut().skip(at).take(1).for_each(|c| {
                            *c = char::from(JUNK[draw(JUNK.len())]);
                        }),
                    }
                }
                chars.into_iter().collect()
            });
            changed.collect::<Vec<String>>()
        })
    }

    #[test]
    fn the_quick_reader_reads_as_the_grammar_does() {
        let corpus = include_str!("../../../tests/data/xla_shapes.txt");
        let tuples = "(f32[2]{0:T(2,*,8)L(3)E(4)S(1)}, /*index=1*/ s32[<=5], ())\t";
        let corpus = format!("{corpus}\n{tuples}");
        let plain = mutated(&corpus).filter(|text| quick::read(text).is_some()).inspect(|text| {
            for parser in [XlaParser::strict(), XlaParser::lenient()] {
                let (quick, slow) = (quick::read(text), parser.by_grammar(text).ok());
                assert_eq!(format!("{quick:?}"), format!("{slow:?}"), "{text}");
            }
        });
        assert!(plain.count() > 1000);
    }
}
