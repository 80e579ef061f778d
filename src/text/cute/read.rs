//! The reader of CuTe layouts.

use std::iter;
use std::str::FromStr;

use itertools::Itertools;
use pest::iterators::Pair;

use super::named::named;
use super::tree::{CuteLayout, CuteMap, CuteMode, CuteStride, MAX_COORDINATES};
use crate::error::{ParseError, ParseErrorKind, Span, fault};
use crate::swizzle::CuteSwizzle;
use crate::text::pairs::{self, child, grammar, span, tokens};
use crate::text::refusal::{GrammarStop, check_depth, negative};
use crate::text::written::NotCompared;
use crate::words::counted;

grammar!("text/cute/cute.pest");

pub(super) use grammar::Rule;

/// The greatest depth of brackets.
const MAX_DEPTH: usize = 64;

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
        check_depth(text, MAX_DEPTH, [b"(", b")"])?;
        let layout = whole(text)?;
        check_like(&layout.mode, text)?;
        Ok(CuteLayout { source: NotCompared(text.into()), ..layout })
    }
}

/// Rejects a layout that steps in both addresses and coordinates, which CuTe cannot add.
fn check_like(mode: &CuteMode, text: &str) -> Result<(), ParseError> {
    let strides = mode.leaves().into_iter().map(|(_, stride)| stride);
    let steps = strides.filter(|stride| stride.coordinate.is_some() || stride.step > 0);
    if steps.map(|stride| stride.coordinate.is_some()).all_equal() {
        return Ok(());
    }
    let message =
        "a layout cannot mix strides of addresses with strides of coordinates such as `1@0`";
    Err(ParseError::invalid(message, Span::new(0, text.len()), text))
}

/// The layout of a text.
fn whole(text: &str) -> Result<CuteLayout, ParseError> {
    let parts = tokens(Rule::text, text).map_err(|stop| {
        let is_stride = |at: usize| text.get(..at).is_some_and(|head| head.contains(':'));
        refused(text, stop, |at| if is_stride(at) { "a stride" } else { "an extent" })
    })?;
    for part in parts {
        match part.as_rule() {
            Rule::composed => return composed(part, text),
            Rule::layout => return Ok(CuteLayout::new(layout_of(part, text)?)),
            Rule::named => return named(part, text),
            Rule::tensor => return tensor(part, text),
            Rule::unread => return Err(unread(&part, text)),
            _ => {}
        }
    }
    Err(ParseError::expected("a shape and a stride", Span::new(0, text.len()), text))
}

/// The error for text that is printed like a layout but is not one.
fn unread(part: &Pair<'_, Rule>, text: &str) -> ParseError {
    let span = span(part);
    let name = part.as_str();
    let word = name.split(['<', '(', '[', ' ']).next().unwrap_or(name);
    if let Some(atom) = name.strip_prefix("MMA_Atom<").and_then(|atom| atom.strip_suffix('>')) {
        let traits = atom.strip_prefix("MMA_Traits<").and_then(|atom| atom.strip_suffix('>'));
        let atom = traits.unwrap_or(atom);
        let refusal =
            ParseError::invalid("an instruction has a layout for each operand", span, text);
        return refusal
            .with_help(format!("name the operand: `{atom}:A`, `{atom}:B` or `{atom}:C`"));
    }
    if let Some(atom) = name.strip_prefix("Copy_Atom<").and_then(|atom| atom.strip_suffix('>')) {
        let (copy, _) = atom.rsplit_once(',').unwrap_or((atom, ""));
        let refusal = ParseError::invalid("a copy has a layout for each side", span, text);
        let copy = copy.trim_end();
        return refusal.with_help(format!("name the side: `{copy}:S` or `{copy}:D`"));
    }
    let reason = match word {
        "smem_sparse" => "layouts of sparse operands are not supported",
        word if word.starts_with("tmem_") => "layouts of tensor memory are not supported",
        _ => "this type is not a layout",
    };
    ParseError::invalid(format!("{reason}: `{word}`"), span, text)
}

/// The modes of a layout in any of its forms; without strides, the first mode runs fastest.
pub(super) fn layout_of(part: Pair<'_, Rule>, text: &str) -> Result<CuteMode, ParseError> {
    let major = child(part.clone(), Rule::major);
    let is_last_fastest = major.is_some_and(|major| child(major, Rule::major_right).is_some());
    let trees = part.into_inner().filter(is_tree).map(|part| tree(part, text));
    match &trees.collect::<Result<Vec<_>, _>>()?[..] {
        [shape, stride] => zip(shape, stride, text),
        [shape] => in_order(shape, is_last_fastest, &mut 1, text),
        _ => Err(ParseError::expected("a shape and a stride", Span::new(0, text.len()), text)),
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
            | Rule::tuple_call
            | Rule::product
            | Rule::dynamic
            | Rule::run_time
    )
}

/// A contiguous shape, with the first leaf the fastest, or the last.
fn in_order(
    shape: &Tree,
    is_last_fastest: bool,
    stride: &mut u64,
    text: &str,
) -> Result<CuteMode, ParseError> {
    match shape {
        Tree::Int(extent, span) => {
            let leaf = CuteMode::Leaf(*extent, (*stride).into());
            let next = stride.checked_mul(*extent);
            let too_large = || ParseError::new(ParseErrorKind::NumberTooLarge, *span, text);
            *stride = next.ok_or_else(too_large)?;
            Ok(leaf)
        }
        Tree::Basis(_, span) => Err(ParseError::expected("an extent", *span, text)),
        Tree::Tuple(shapes, _) => {
            let mut mode = |shape| in_order(shape, is_last_fastest, stride, text);
            let modes: Result<Vec<_>, _> = match is_last_fastest {
                false => shapes.iter().map(mode).collect(),
                true => {
                    let slowest_last = shapes.iter().rev().map(&mut mode);
                    slowest_last.try_collect().map(|mut modes: Vec<_>| {
                        modes.reverse();
                        modes
                    })
                }
            };
            Ok(CuteMode::Tuple(modes?))
        }
    }
}

/// The members of a coordinate; the bracket around them may be left out.
pub(super) fn coordinate(text: &str) -> Result<Vec<Tree>, ParseError> {
    check_depth(text, MAX_DEPTH, [b"(", b")"])?;
    let parts =
        tokens(Rule::coordinate, text).map_err(|stop| refused(text, stop, |_| "a coordinate"))?;
    parts.filter(is_tree).map(|part| tree(part, text)).try_collect()
}

/// The error of a text; `what` names the number that a byte belongs to.
fn refused(text: &str, stop: GrammarStop, what: impl Fn(usize) -> &'static str) -> ParseError {
    let at = stop.span.start;
    match stop.next == Some('-') && stop.expected.contains(&"an integer") {
        true => negative(what(at), at, text),
        false => stop.refuse(text, None),
    }
}

pub(super) fn tree(part: Pair<'_, Rule>, text: &str) -> Result<Tree, ParseError> {
    let span = span(&part);
    match part.as_rule() {
        Rule::int | Rule::static_int => return Ok(Tree::Int(number(&part, text)?, span)),
        Rule::product => return Ok(Tree::Int(product(part, text)?, span)),
        Rule::basis | Rule::scaled_basis => return Ok(Tree::Basis(basis(part, text)?, span)),
        Rule::dynamic => {
            let refusal = ParseError::invalid("`?` is only known at run time", span, text);
            return Err(refusal.with_help("give the extent or the stride as a number"));
        }
        Rule::run_time => return Err(run_time(&part, text)),
        _ => {}
    }
    let members = part.into_inner().filter(is_tree).map(|member| tree(member, text));
    Ok(Tree::Tuple(members.try_collect()?, span))
}

/// The error for a number that its type does not give.
fn run_time(part: &Pair<'_, Rule>, text: &str) -> ParseError {
    let name = part.as_str();
    let type_ = name.rsplit("::").next().unwrap_or(name);
    let why = match type_ {
        ratio if ratio.starts_with("R<") || ratio.starts_with("ratio") => {
            "is a fraction, and steps count whole elements"
        }
        basis if basis.starts_with("ScaledBasis") => {
            "steps in a coordinate by a number that is only known at run time"
        }
        _ => "is a number that is only known at run time",
    };
    let refusal = ParseError::invalid(format!("`{name}` {why}"), span(part), text);
    refusal.with_help("give the extent or the stride as a number")
}

/// The digits of a number, which may be written in several ways.
fn digits<'t>(part: &Pair<'t, Rule>) -> Option<Pair<'t, Rule>> {
    let mut all = iter::once(part.clone()).chain(part.clone().into_inner().flatten());
    all.find(|part| part.as_rule() == Rule::digits)
}

/// The value of a number token, static or dynamic.
fn number(part: &Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    let number = digits(part).map_or(Ok(0), |digits| digits.as_str().parse());
    number.map_err(|_| ParseError::new(ParseErrorKind::NumberTooLarge, span(part), text))
}

/// `_16{} * _8{}`
fn product(part: Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    let whole = span(&part);
    let too_large = || ParseError::new(ParseErrorKind::NumberTooLarge, whole, text);
    let mut factors = part.into_inner().filter(is_tree).map(|factor| number(&factor, text));
    factors.try_fold(1_u64, |all, factor| all.checked_mul(factor?).ok_or_else(too_large))
}

/// `2@0`; the coordinate of a coordinate, `2@1@0`, is not a level here.
fn basis(part: Pair<'_, Rule>, text: &str) -> Result<CuteStride, ParseError> {
    let span = span(&part);
    let numbers = part
        .into_inner()
        .filter(|part| matches!(part.as_rule(), Rule::int | Rule::static_int | Rule::digits));
    let numbers: Vec<u64> = numbers.map(|part| number(&part, text)).try_collect()?;
    let [step, coordinate] = numbers[..] else {
        let message = "a coordinate inside a coordinate is not supported, only `1@0`";
        return Err(ParseError::invalid(message, span, text));
    };
    match usize::try_from(coordinate) {
        Ok(coordinate) if coordinate < MAX_COORDINATES => {
            Ok(CuteStride { step, coordinate: Some(coordinate) })
        }
        _ => {
            let last = MAX_COORDINATES - 1;
            Err(ParseError::invalid(format!("coordinates go from 0 to {last}"), span, text))
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
        (Tree::Basis(_, span), _) => Err(ParseError::expected("an extent", *span, text)),
        (Tree::Tuple(shapes, _), Tree::Tuple(strides, span)) => {
            if shapes.len() != strides.len() {
                let entries = counted(shapes.len(), "entry");
                let message =
                    format!("the shape has {entries} here, but the stride has {}", strides.len());
                return Err(ParseError::invalid(message, *span, text));
            }
            let modes = shapes.iter().zip(strides).map(|(shape, stride)| zip(shape, stride, text));
            Ok(CuteMode::Tuple(modes.try_collect()?))
        }
        (Tree::Tuple(..), Tree::Int(_, span) | Tree::Basis(_, span)) => {
            Err(ParseError::expected("a tuple, as in the shape", *span, text))
        }
        (Tree::Int(..), Tree::Tuple(_, span)) => {
            Err(ParseError::expected("an integer, as in the shape", *span, text))
        }
    }
}

/// Reads and checks a swizzle; `element_bits` if it acts on addresses in bytes of such elements.
fn swizzle(
    swizzle: &Pair<'_, Rule>,
    element_bits: Option<u64>,
    text: &str,
) -> Result<CuteSwizzle, ParseError> {
    let refuse = |message: String| ParseError::invalid(message, span(swizzle), text);
    let numbers = swizzle.clone().into_inner();
    let numbers = numbers.filter(|part| matches!(part.as_rule(), Rule::digits | Rule::sint));
    let numbers: Result<Vec<i32>, _> = numbers.map(|part| part.as_str().parse()).collect();
    let Ok(&[bits, base, shift]) = numbers.as_deref() else {
        return Err(refuse(fault!(TooLarge, "a swizzle has no bits beyond 63").to_string()));
    };
    let scale = element_bits.map_or(Ok(0), |bits| scale(bits).map_err(refuse))?;
    let Ok(base) = u32::try_from(base.saturating_sub(scale)) else {
        let why = "it moves bits inside an element: its base is below the element's size";
        return Err(refuse(why.into()));
    };
    CuteSwizzle::new(bits.unsigned_abs(), base, shift).map_err(|error| refuse(error.to_string()))
}

/// log2 of the bytes of an element; negative for less than a byte.
fn scale(bits: u64) -> Result<i32, String> {
    match bits.is_power_of_two() && bits <= 128 {
        true => Ok(bits.ilog2().cast_signed() - 3),
        false => Err(format!("elements have {bits} bits: expected 1, 2, 4, 8, 16, 32, 64 or 128")),
    }
}

/// Reads a composed layout: the map in front, and the modes after.
pub(super) fn composed(part: Pair<'_, Rule>, text: &str) -> Result<CuteLayout, ParseError> {
    let is_mark = |rule| matches!(rule, Rule::open | Rule::close | Rule::comma | Rule::after);
    let whole = span(&part);
    let parts: Vec<Pair<'_, Rule>> =
        part.into_inner().filter(|part| !is_mark(part.as_rule())).collect();
    let [front, between @ .., behind] = &parts[..] else {
        return Err(ParseError::invalid("a swizzle and a layout are needed", whole, text));
    };
    let (mut offset, mut element_bits) = (0, None);
    for part in between {
        let number = digits(part).map(|digits| pairs::number(&digits, text)).transpose()?;
        match part.as_rule() {
            // `smem_ptr_flag` alone is that of bytes.
            Rule::flag | Rule::flag_type => element_bits = Some(number.unwrap_or(8)),
            _ => offset = number.unwrap_or(0),
        }
    }
    let map = map(front, element_bits, text)?;
    Ok(CuteLayout::new(layout_of(behind.clone(), text)?).behind(map, offset))
}

/// Reads a tensor: a pointer, and the layout of the memory that it points to. A swizzle of the pointer acts
/// on addresses in bytes; if the tensor begins at a multiple of the swizzled range, it is equivalent to a
/// swizzle of the layout.
fn tensor(part: Pair<'_, Rule>, text: &str) -> Result<CuteLayout, ParseError> {
    let (mut swizzle, mut layout) = (None, None);
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::pointer | Rule::memory | Rule::origin => swizzle = pointer(&part, text)?,
            Rule::composed if swizzle.is_none() => layout = Some(composed(part, text)?),
            Rule::composed => {
                let message = "a swizzled pointer to a swizzled layout is not supported";
                return Err(ParseError::invalid(message, span(&part), text));
            }
            Rule::layout => layout = Some(CuteLayout::new(layout_of(part, text)?)),
            _ => {}
        }
    }
    let missing = || ParseError::expected("a layout", Span::new(0, text.len()), text);
    let layout = layout.ok_or_else(missing)?;
    Ok(swizzle.into_iter().fold(layout, |layout, swizzle| layout.behind(swizzle, 0)))
}

/// The swizzle of a pointer, if it has one that does something.
fn pointer(part: &Pair<'_, Rule>, text: &str) -> Result<Option<CuteMap>, ParseError> {
    let is_moved = |tuple: &Pair<'_, Rule>| tuple.as_str().contains(|c| matches!(c, '1'..='9'));
    if let Some(tuple) = child(part.clone(), Rule::tuple).filter(is_moved) {
        let message = "coordinates that do not begin at 0 are not supported";
        return Err(ParseError::invalid(message, span(&tuple), text));
    }
    let Some(found) = child(part.clone(), Rule::swizzle) else { return Ok(None) };
    let own = |rule| child(part.clone(), rule);
    let bits = own(Rule::digits).or_else(|| own(Rule::element));
    let bits = bits.map_or(Ok(8), |bits| number(&bits, text))?;
    let in_bytes = swizzle(&found, None, text)?;
    let reach = in_bytes.bits + in_bytes.base + in_bytes.shift.unsigned_abs();
    let address = match (own(Rule::address), own(Rule::align)) {
        (Some(address), _) => {
            let too_large =
                |_| ParseError::new(ParseErrorKind::NumberTooLarge, span(&address), text);
            // Null is printed as `(nil)`.
            let digits = address.as_str().trim_start_matches("0x").replace("(nil)", "0");
            u64::from_str_radix(&digits, 16).map_err(too_large)?
        }
        // Of a type, only a multiple of the address is known.
        (None, align) => align.map_or(Ok(1), |align| number(&align, text))?,
    };
    // At most 63 bits: a swizzle does not have more.
    if !address.is_multiple_of(1 << reach) {
        let message = format!(
            "a swizzle of addresses needs a tensor that begins at a multiple of {} bytes",
            1_u64 << reach
        );
        return Err(ParseError::invalid(message, span(part), text));
    }
    Ok(Some(CuteMap::Swizzle(swizzle(&found, Some(bits), text)?)))
}

fn map(
    front: &Pair<'_, Rule>,
    element_bits: Option<u64>,
    text: &str,
) -> Result<CuteMap, ParseError> {
    match (front.as_rule(), element_bits) {
        (Rule::swizzle, _) => swizzle(front, element_bits, text).map(CuteMap::Swizzle),
        (_, None) => layout_of(front.clone(), text).map(CuteMap::Layout),
        (_, Some(_)) => {
            let message = "`smem_ptr` is only allowed after a swizzle";
            Err(ParseError::invalid(message, span(front), text))
        }
    }
}
