//! CuTe layouts: `((2,2),3):((24,2),8)`, alone or behind a swizzle.

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use pest::Parser;
use pest::error::Error;
use pest::iterators::Pair;

use crate::error::{Diagnostic, ParseError, ParseErrorKind, Span};
use crate::notation::cursor::Cursor;
use crate::notation::cute_swizzle::{CuteOuter, composed, tensor};
use crate::notation::refusal::{Stop, check_depth, negative};
use crate::notation::written::NotCompared;
use crate::words::counted;

pub(super) mod grammar {
    #![allow(missing_docs, unreachable_pub, missing_debug_implementations, reason = "generated")]

    #[derive(pest_derive::Parser)]
    #[grammar = "notation/cute.pest"]
    pub(in crate::notation) struct CuteGrammar;
}

use grammar::{CuteGrammar, Rule};

/// How deep brackets may nest.
const MAX_DEPTH: usize = 64;

/// The number of coordinates a text may map to.
pub(crate) const MAX_COORDINATES: usize = 64;

/// A CuTe layout: a shape and a stride of the same form, alone or behind what its addresses go through.
///
/// Read as CuTe, pycute, the CuTe DSL and compilers of C++ print them, types too; a shape alone has the
/// strides of its elements one after the other, the first mode the fastest. What `smem_ptr[16b](unset)`
/// says of a swizzle, that it counts bytes, is gone in print: it is counted in elements there. Strides such as
/// `1@0` make it a map to coordinates.
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::notation::CuteLayout;
/// let layout: CuteLayout = "((_2, 2), 3) : ((24, 2), 8)".parse()?;
/// assert_eq!(layout.to_string(), "((2,2),3):((24,2),8)");
/// let swizzled: CuteLayout = "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)".parse()?;
/// assert_eq!(swizzled.to_string(), "S<3,3,3> o 0 o (8,64):(64,1)");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteLayout {
    /// Extents and strides, leaf by leaf.
    pub mode: CuteMode,
    /// What the addresses go through.
    pub outer: Option<CuteOuter>,
    pub(crate) source: NotCompared<Box<str>>,
}

/// A mode: a leaf, or modes again, the first the fastest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CuteMode {
    /// `extent:stride`
    Leaf(u64, CuteStride),
    /// `(..):(..)`
    Tuple(Vec<CuteMode>),
}

/// How far the elements of a mode are apart: `2`, or `2@0` where the layout maps to coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CuteStride {
    /// The distance, in elements or in steps of the coordinate.
    pub step: u64,
    /// The coordinate that it is a distance in; `None` for addresses.
    pub coordinate: Option<usize>,
}

impl From<u64> for CuteStride {
    fn from(step: u64) -> CuteStride {
        CuteStride { step, coordinate: None }
    }
}

impl fmt::Display for CuteStride {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.step)?;
        self.coordinate.map_or(Ok(()), |coordinate| write!(f, "@{coordinate}"))
    }
}

impl CuteLayout {
    /// A layout from its modes.
    #[must_use]
    pub fn new(mode: CuteMode) -> CuteLayout {
        CuteLayout { mode, outer: None, source: NotCompared::default() }
    }

    /// The layout with its addresses going through something else.
    #[must_use]
    pub fn behind(self, outer: CuteOuter) -> CuteLayout {
        CuteLayout { outer: Some(outer), ..self }
    }

    /// The modes that are axes: those of the tuple, or the one leaf.
    #[must_use]
    pub fn axes(&self) -> &[CuteMode] {
        match &self.mode {
            CuteMode::Tuple(modes) => modes,
            CuteMode::Leaf(..) => std::slice::from_ref(&self.mode),
        }
    }

    /// The refusal of this text for what it means.
    #[must_use]
    pub fn refuse(&self, error: impl Diagnostic) -> ParseError {
        let printed = self.to_string();
        let text = if self.source.0.is_empty() { &printed } else { &*self.source.0 };
        ParseError::meaning(error, Span::new(0, text.len()), text)
    }
}

impl CuteMode {
    /// The leaves as (extent, stride), the first the fastest.
    #[must_use]
    pub fn leaves(&self) -> Vec<(u64, CuteStride)> {
        match self {
            CuteMode::Leaf(extent, stride) => vec![(*extent, *stride)],
            CuteMode::Tuple(modes) => modes.iter().flat_map(CuteMode::leaves).collect(),
        }
    }

    /// `shape:stride`
    pub(super) fn written(&self) -> String {
        let shape = self.text(|extent, _| extent.to_string());
        format!("{shape}:{}", self.text(|_, stride| stride.to_string()))
    }

    fn text(&self, leaf: impl Fn(u64, CuteStride) -> String + Copy) -> String {
        match self {
            CuteMode::Leaf(extent, stride) => leaf(*extent, *stride),
            CuteMode::Tuple(modes) => {
                format!("({})", modes.iter().map(|mode| mode.text(leaf)).join(","))
            }
        }
    }
}

impl fmt::Display for CuteLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(outer) = &self.outer {
            write!(f, "{outer}")?;
        }
        f.write_str(&self.mode.written())
    }
}

/// Shape or stride as written.
#[derive(Debug)]
pub(super) enum Tree {
    Int(u64, Span),
    /// `2@0`, of a stride only.
    Basis(CuteStride, Span),
    Tuple(Vec<Tree>, Span),
}

impl FromStr for CuteLayout {
    type Err = ParseError;

    /// Parses a CuTe layout. Cost: linear in the text.
    fn from_str(text: &str) -> Result<CuteLayout, ParseError> {
        check_depth(text, MAX_DEPTH)?;
        let source = NotCompared(text.into());
        if let Some([shape, stride]) = quick(text) {
            return Ok(CuteLayout { mode: zip(&shape, &stride, text)?, outer: None, source });
        }
        let (outer, mode) = by_grammar(text)?;
        check_like(&mode, text)?;
        Ok(CuteLayout { mode, outer, source })
    }
}

/// Refuses a layout that steps in addresses and in coordinates: CuTe cannot add them.
fn check_like(mode: &CuteMode, text: &str) -> Result<(), ParseError> {
    let strides = mode.leaves().into_iter().map(|(_, stride)| stride);
    let steps = strides.filter(|stride| stride.coordinate.is_some() || stride.step > 0);
    if steps.map(|stride| stride.coordinate.is_some()).all_equal() {
        return Ok(());
    }
    let message = "strides of addresses and of coordinates, such as `1@0`, in one layout";
    Err(refused_at(message.to_owned(), Span::new(0, text.len()), text))
}

/// The shape and the stride of a plain text; `None` leaves it to the grammar.
fn quick(text: &str) -> Option<[Tree; 2]> {
    let mut at = Cursor::new(text);
    at.blanks();
    let shape = quick_tree(&mut at)?;
    at.blanks();
    at.token(b':')?;
    at.blanks();
    let stride = quick_tree(&mut at)?;
    at.blanks();
    at.is_at_end().then_some([shape, stride])
}

fn quick_tree(at: &mut Cursor<'_>) -> Option<Tree> {
    let start = at.at();
    if !at.takes(b'(') {
        at.takes(b'_');
        let number = at.number()?;
        return Some(Tree::Int(number, at.since(start)));
    }
    let mut members = Vec::new();
    at.list(b')', |at| {
        members.push(quick_tree(at)?);
        Some(())
    })?;
    Some(Tree::Tuple(members, at.since(start)))
}

fn by_grammar(text: &str) -> Result<(Option<CuteOuter>, CuteMode), ParseError> {
    let mut pairs = CuteGrammar::parse(Rule::text, text).map_err(|error| {
        let is_stride = |at: usize| text.get(..at).is_some_and(|head| head.contains(':'));
        refused(text, &error, |at| if is_stride(at) { "a stride" } else { "an extent" })
    })?;
    let parts = pairs.next().into_iter().flat_map(Pair::into_inner);
    for part in parts {
        match part.as_rule() {
            Rule::composed => {
                let (outer, behind) = composed(part, text)?;
                return Ok((Some(outer), behind));
            }
            Rule::layout => return Ok((None, layout_of(part, text)?)),
            Rule::tensor => return tensor(part, text),
            Rule::unread => return Err(unread(&part, text)),
            _ => {}
        }
    }
    Err(expected("a shape and a stride", Span::new(0, text.len()), text))
}

/// The refusal of what is printed like a layout and is not one.
fn unread(part: &Pair<'_, Rule>, text: &str) -> ParseError {
    let span = Span::new(part.as_span().start(), part.as_span().end());
    let name = part.as_str();
    let word = name.split(['<', '(', '[', ' ']).next().unwrap_or(name);
    if let Some(atom) = name.strip_prefix("MMA_Atom<").and_then(|atom| atom.strip_suffix('>')) {
        let refusal = refused_at("an instruction has a layout for each operand".into(), span, text);
        return refusal
            .with_help(format!("name the operand: `{atom}:A`, `{atom}:B` or `{atom}:C`"));
    }
    let reason = match word {
        "smem_sparse" => "layouts of sparse operands are not read",
        word if word.starts_with("tmem_") => "layouts of tensor memory are not read",
        _ => "this type is not a layout",
    };
    refused_at(format!("{reason}: `{word}`"), span, text)
}

/// The modes of a layout in any of its forms; without strides, the first mode runs fastest.
pub(super) fn layout_of(part: Pair<'_, Rule>, text: &str) -> Result<CuteMode, ParseError> {
    let trees = part.into_inner().filter(is_tree).map(|part| tree(part, text));
    match &trees.collect::<Result<Vec<_>, _>>()?[..] {
        [shape, stride] => zip(shape, stride, text),
        [shape] => in_order(shape, &mut 1, text),
        _ => Err(expected("a shape and a stride", Span::new(0, text.len()), text)),
    }
}

fn is_tree(part: &Pair<'_, Rule>) -> bool {
    matches!(
        part.as_rule(),
        Rule::tuple
            | Rule::int
            | Rule::basis
            | Rule::tuple_type
            | Rule::static_int
            | Rule::scaled_basis
            | Rule::dynamic
    )
}

/// A shape whose elements follow each other, the first leaf the fastest.
fn in_order(shape: &Tree, stride: &mut u64, text: &str) -> Result<CuteMode, ParseError> {
    match shape {
        Tree::Int(extent, span) => {
            let leaf = CuteMode::Leaf(*extent, (*stride).into());
            let next = stride.checked_mul(*extent);
            let too_large = || ParseError::new(ParseErrorKind::NumberTooLarge, *span, text);
            *stride = next.ok_or_else(too_large)?;
            Ok(leaf)
        }
        Tree::Basis(_, span) => Err(expected("an extent", *span, text)),
        Tree::Tuple(shapes, _) => {
            let modes = shapes.iter().map(|shape| in_order(shape, stride, text));
            Ok(CuteMode::Tuple(modes.try_collect()?))
        }
    }
}

/// A refusal of a part of a text.
pub(super) fn refused_at(message: String, span: Span, text: &str) -> ParseError {
    ParseError::new(ParseErrorKind::Invalid(message), span, text)
}

/// The members of a coordinate; the bracket around them may be left out.
pub(super) fn coordinate(text: &str) -> Result<Vec<Tree>, ParseError> {
    check_depth(text, MAX_DEPTH)?;
    let mut pairs = CuteGrammar::parse(Rule::coordinate, text)
        .map_err(|error| refused(text, &error, |_| "a coordinate"))?;
    let parts = pairs.next().into_iter().flat_map(Pair::into_inner);
    parts.filter(is_tree).map(|part| tree(part, text)).try_collect()
}

/// The refusal of a text; `what` tells what a number at a byte is.
fn refused(text: &str, error: &Error<Rule>, what: impl Fn(usize) -> &'static str) -> ParseError {
    let stop = Stop::of(text, error, name);
    let at = stop.span.start;
    match stop.next == Some('-') && stop.expected.contains(&name(Rule::int)) {
        true => negative(what(at), at, text),
        false => stop.refuse(text, None),
    }
}

pub(super) fn expected(what: &'static str, span: Span, text: &str) -> ParseError {
    ParseError::new(ParseErrorKind::Expected(vec![what]), span, text)
}

fn tree(part: Pair<'_, Rule>, text: &str) -> Result<Tree, ParseError> {
    let span = Span::new(part.as_span().start(), part.as_span().end());
    match part.as_rule() {
        Rule::int | Rule::static_int => return Ok(Tree::Int(number(part, text)?, span)),
        Rule::basis | Rule::scaled_basis => return Ok(Tree::Basis(basis(part, text)?, span)),
        Rule::dynamic => {
            let refusal = refused_at("`?` is only known at run time".into(), span, text);
            return Err(refusal.with_help("give the extent or the stride as a number"));
        }
        _ => {}
    }
    let members = part.into_inner().filter(is_tree).map(|member| tree(member, text));
    Ok(Tree::Tuple(members.try_collect()?, span))
}

/// The digits of a number, static or not.
fn number(part: Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    let span = Span::new(part.as_span().start(), part.as_span().end());
    let is_digits = part.as_rule() == Rule::digits;
    let found = part.clone().into_inner().find(|part| part.as_rule() == Rule::digits);
    let digits = if is_digits { Some(part) } else { found };
    let digits = digits.map_or(Ok(0), |digits| digits.as_str().parse());
    digits.map_err(|_| ParseError::new(ParseErrorKind::NumberTooLarge, span, text))
}

/// `2@0`; the coordinate of a coordinate, `2@1@0`, has no level here.
fn basis(part: Pair<'_, Rule>, text: &str) -> Result<CuteStride, ParseError> {
    let span = Span::new(part.as_span().start(), part.as_span().end());
    let numbers = part
        .into_inner()
        .filter(|part| matches!(part.as_rule(), Rule::int | Rule::static_int | Rule::digits));
    let numbers: Vec<u64> = numbers.map(|part| number(part, text)).try_collect()?;
    let [step, coordinate] = numbers[..] else {
        let message = "a coordinate inside a coordinate is not read, only `1@0`".to_owned();
        return Err(refused_at(message, span, text));
    };
    match usize::try_from(coordinate) {
        Ok(coordinate) if coordinate < MAX_COORDINATES => {
            Ok(CuteStride { step, coordinate: Some(coordinate) })
        }
        _ => {
            let last = MAX_COORDINATES - 1;
            Err(refused_at(format!("coordinates go from 0 to {last}"), span, text))
        }
    }
}

/// Shape and stride leaf by leaf; they must have the same form.
fn zip(shape: &Tree, stride: &Tree, text: &str) -> Result<CuteMode, ParseError> {
    match (shape, stride) {
        (Tree::Int(extent, _), Tree::Int(stride, _)) => {
            Ok(CuteMode::Leaf(*extent, (*stride).into()))
        }
        (Tree::Int(extent, _), Tree::Basis(stride, _)) => Ok(CuteMode::Leaf(*extent, *stride)),
        (Tree::Basis(_, span), _) => Err(expected("an extent", *span, text)),
        (Tree::Tuple(shapes, _), Tree::Tuple(strides, span)) => {
            if shapes.len() != strides.len() {
                let entries = counted(shapes.len(), "entry");
                let message =
                    format!("the shape has {entries} here, but the stride has {}", strides.len());
                return Err(ParseError::new(ParseErrorKind::Invalid(message), *span, text));
            }
            let modes = shapes.iter().zip(strides).map(|(shape, stride)| zip(shape, stride, text));
            Ok(CuteMode::Tuple(modes.try_collect()?))
        }
        (Tree::Tuple(..), Tree::Int(_, span) | Tree::Basis(_, span)) => {
            Err(expected("a tuple, as in the shape", *span, text))
        }
        (Tree::Int(..), Tree::Tuple(_, span)) => {
            Err(expected("an integer, as in the shape", *span, text))
        }
    }
}

/// How an error names a rule.
fn name(rule: Rule) -> &'static str {
    match rule {
        Rule::EOI => "the end",
        Rule::text | Rule::tuple_or_int => "a shape",
        Rule::coordinate => "a coordinate",
        Rule::tuple | Rule::open => "`(`",
        Rule::int | Rule::digits => "an integer",
        Rule::close => "`)`",
        Rule::comma => "`,`",
        Rule::colon => "`:`",
        Rule::composed | Rule::composed_type | Rule::composed_repr => "a composed layout",
        Rule::outer | Rule::swizzle => "a swizzle",
        Rule::swizzle_type | Rule::swizzle_name | Rule::swizzle_call => "a swizzle",
        Rule::inner | Rule::layout | Rule::layout_type | Rule::layout_repr => "a layout",
        Rule::offset | Rule::offset_type => "an offset",
        Rule::flag | Rule::flag_type => "`smem_ptr[16b](unset)`",
        Rule::after => "`o`",
        Rule::whole | Rule::mlir | Rule::tensor | Rule::unread => "a layout",
        Rule::pointer => "a pointer",
        Rule::address => "an address",
        Rule::mixed => "an offset",
        Rule::dynamic => "an integer",
        Rule::type_ | Rule::tuple_type => "a shape",
        Rule::static_int => "an integer",
        Rule::basis | Rule::scaled_basis => "a stride such as `1@0`",
        Rule::sint => "an integer",
        Rule::ws | Rule::ns => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{Rule, by_grammar, name, quick, zip};
    use crate::notation::cursor::tests::mutated;

    #[test]
    fn the_quick_reader_reads_as_the_grammar_does() {
        let corpus = "((2,2),3):((24,2),8)\t\n4:1\t\n( _4 , (2,3)) : (1,(4,8))\t\n():()\t";
        let plain = mutated(corpus).filter(|text| quick(text).is_some()).inspect(|text| {
            let quick = quick(text).map(|[shape, stride]| zip(&shape, &stride, text).ok());
            let slow = by_grammar(text).ok().map(|(outer, mode)| {
                assert_eq!(outer, None, "{text}");
                mode
            });
            assert_eq!(quick, Some(slow), "{text}");
        });
        assert!(plain.count() > 30);
    }

    #[test]
    fn every_token_has_a_name_in_errors() {
        for rule in Rule::all_rules() {
            let is_silent = matches!(rule, Rule::ws | Rule::ns);
            assert_eq!(name(*rule).is_empty(), is_silent, "{rule:?}");
        }
    }
}
