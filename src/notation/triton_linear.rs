//! Linear layouts of Triton: the bases of the bits of the hardware.

use std::fmt;

use itertools::Itertools;
use pest::iterators::Pair;

use super::triton::grammar::Rule;
use super::triton_read::{number, span};
use crate::error::{ParseError, ParseErrorKind, Span};

/// A linear layout of Triton: which index of the tensor each bit of the hardware stands for; the index
/// of a place is the XOR over its bits.
///
/// ```
/// use tensor_layout::notation::{LinearLayout, TritonLayout};
/// let text = " - lane=1 -> (0, 1)\n   lane=2 -> (1, 1)\nwhere out dims are: [dim0 (size 2), dim1 (size 2)]";
/// let layout = text.parse::<TritonLayout>()?;
/// assert_eq!(layout.to_string(), text);
/// assert_eq!(layout.lower()?.locate(&[1, 0])?.to_string(), "LANE=3,Addr=0"); // (0,1) ^ (1,1)
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LinearLayout {
    /// Per input, its name and the index that each of its bits stands for, the lowest first.
    pub bases: Vec<(String, Vec<Vec<u64>>)>,
    /// Names and sizes of the dimensions.
    pub outs: Vec<(String, u64)>,
}

/// Reads the lines of a layout.
pub(super) fn read(part: Pair<'_, Rule>, text: &str) -> Result<LinearLayout, ParseError> {
    let mut layout = LinearLayout::default();
    let mut firsts = Vec::new();
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::input => {
                let (whole, read) = (span(&part), input(part, text)?);
                if layout.bases.iter().any(|(name, _)| *name == read.0) {
                    let message = format!("the input `{}` was given already", read.0);
                    return Err(refuse(message, whole, text));
                }
                firsts.push(whole);
                layout.bases.push(read);
            }
            Rule::outs => {
                let outs = part.into_inner().filter(|part| part.as_rule() == Rule::out);
                layout.outs = outs.map(|part| out(part, text)).try_collect()?;
            }
            _ => {}
        }
    }
    for ((_, bases), span) in layout.bases.iter().zip(firsts) {
        if let Some(basis) = bases.iter().find(|basis| basis.len() != layout.outs.len()) {
            let (found, wanted) = (basis.len(), layout.outs.len());
            let message =
                format!("a basis has {found} coordinates, but there are {wanted} out dims");
            return Err(refuse(message, span, text));
        }
    }
    Ok(layout.sorted())
}

/// An input with its bases; those of 1, 2, 4, .. must follow each other.
fn input(part: Pair<'_, Rule>, text: &str) -> Result<(String, Vec<Vec<u64>>), ParseError> {
    let (mut found, mut bases) = (String::new(), Vec::new());
    for part in part.into_inner().filter(|part| part.as_rule() != Rule::dash) {
        let whole = span(&part);
        let inside: Vec<Pair<'_, Rule>> = part.into_inner().collect();
        let name = inside.first().map_or("", Pair::as_str);
        if !found.is_empty() && found != name {
            let message = format!("a basis of `{name}` is under `{found}`");
            return Err(refuse(message, whole, text).with_help("begin an input with `-`"));
        }
        found = name.into();
        let numbered = inside.iter().find(|part| part.as_rule() == Rule::number);
        let Some(numbered) = numbered else { continue };
        let bit = number(numbered, text)?;
        if 1_u64.checked_shl(u32::try_from(bases.len()).unwrap_or(u32::MAX)) != Some(bit) {
            let message = "bases are those of 1, 2, 4, .. in this order".into();
            return Err(refuse(message, span(numbered), text));
        }
        let coordinate = inside.iter().find(|part| part.as_rule() == Rule::coordinate);
        let numbers = coordinate.cloned().into_iter().flat_map(Pair::into_inner);
        let numbers = numbers.filter(|part| part.as_rule() == Rule::number);
        bases.push(numbers.map(|part| number(&part, text)).try_collect()?);
    }
    Ok((found, bases))
}

fn out(part: Pair<'_, Rule>, text: &str) -> Result<(String, u64), ParseError> {
    let parts: Vec<Pair<'_, Rule>> = part.into_inner().collect();
    let name = parts.first().map_or("", Pair::as_str);
    let size = parts.iter().find(|part| part.as_rule() == Rule::number);
    Ok((name.into(), size.map_or(Ok(1), |size| number(size, text))?))
}

fn refuse(message: String, span: Span, text: &str) -> ParseError {
    ParseError::new(ParseErrorKind::Invalid(message), span, text)
}

impl LinearLayout {
    /// The layout with dimensions in the order of the tensor, where they are called `dim0`, `dim1`, ..:
    /// Triton often prints the fastest one first.
    fn sorted(mut self) -> LinearLayout {
        let number = |name: &str| name.strip_prefix("dim")?.parse::<usize>().ok();
        let order: Vec<usize> = (0..self.outs.len())
            .sorted_by_key(|at| number(&self.outs[*at].0).unwrap_or(usize::MAX))
            .collect();
        let is_tensor =
            order.iter().enumerate().all(|(axis, at)| number(&self.outs[*at].0) == Some(axis));
        if is_tensor {
            self.outs = order.iter().map(|at| self.outs[*at].clone()).collect();
            for basis in self.bases.iter_mut().flat_map(|(_, bases)| bases) {
                *basis = order.iter().map(|at| basis[*at]).collect();
            }
        }
        self
    }
}

impl fmt::Display for LinearLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, bases) in &self.bases {
            if bases.is_empty() {
                writeln!(f, " - {name} is a size 1 dimension")?;
            }
            for (bit, basis) in bases.iter().enumerate() {
                let dash = if bit == 0 { '-' } else { ' ' };
                writeln!(f, " {dash} {name}={} -> ({})", 1_u128 << bit, basis.iter().format(", "))?;
            }
        }
        let outs = self.outs.iter().map(|(name, size)| format!("{name} (size {size})"));
        write!(f, "where out dims are: [{}]", outs.format(", "))
    }
}
