//! Einstein sums: `bsk,kn->bsn`.

use std::str::FromStr;
use std::{fmt, mem};

use itertools::Itertools;
use tensor_layout_words::Cursor;

use crate::error::{ParseError, ParseErrorKind, Span};

/// An Einstein sum: the labels of the axes of every operand, and of the result.
///
/// An axis whose label is not in the result is summed over. The notation is NumPy's, but the result must be
/// written, and an operand has each label at most once.
/// Law: `parse(print(x)) == x`. Parsing is linear in the text, and refuses with a [`ParseError`] text that is not a
/// sum, a label that appears twice in an operand, and a label of the result that no operand has.
///
/// ```
/// use tensor_layout::einsum::Einsum;
/// let matmul = "bsk, kn -> bsn".parse::<Einsum>()?;
/// assert_eq!(matmul.to_string(), "bsk,kn->bsn");
/// assert_eq!(matmul.contracted(), ['k']);
/// assert_eq!("ij,jk->iz".parse::<Einsum>().unwrap_err().to_string(), "\
/// label `z` of the result is not in any operand
///  --> 1:9
///   | ij,jk->iz
///   |         ^
///   = help: a result with more axes is a broadcast");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Einsum {
    operands: Vec<Vec<char>>,
    result: Vec<char>,
}

impl Einsum {
    /// The labels of each operand.
    #[must_use]
    pub fn operands(&self) -> &[Vec<char>] {
        &self.operands
    }

    /// The labels of the result.
    #[must_use]
    pub fn result(&self) -> &[char] {
        &self.result
    }

    /// All labels: those of the result, then those that are summed over.
    pub(crate) fn labels(&self) -> Vec<char> {
        self.result.iter().copied().chain(self.contracted()).collect()
    }

    /// The labels that are summed over, in the order of their first occurrence.
    #[must_use]
    pub fn contracted(&self) -> Vec<char> {
        let labels = self.operands.iter().flatten().copied();
        labels.filter(|label| !self.result.contains(label)).unique().collect()
    }
}

impl fmt::Display for Einsum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |labels: &Vec<char>| labels.iter().collect::<String>();
        write!(f, "{}->{}", self.operands.iter().map(text).join(","), text(&self.result))
    }
}

impl FromStr for Einsum {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Einsum, ParseError> {
        if let Some(at) = text.find("...") {
            let kind = ParseErrorKind::OtherNotation("an ellipsis");
            let help = "give every axis a label";
            return Err(ParseError::new(kind, Span::new(at, at + 3), text).with_help(help));
        }
        let mut operands: Vec<Vec<(char, Span)>> = tensors(text)?;
        operands.iter().try_for_each(|operand| check_once(operand, text))?;
        let result = operands.pop().unwrap_or_default();
        let known = |label: &char| operands.iter().flatten().any(|(of, _)| of == label);
        // There are 52 labels, each at most once in the result.
        if let Some((label, span)) = result.iter().find(|(label, _)| !known(label)) {
            let message = format!("label `{label}` of the result is not in any operand");
            let help = "a result with more axes is a broadcast";
            return Err(ParseError::invalid(message, *span, text).with_help(help));
        }
        let plain =
            |labels: Vec<(char, Span)>| labels.into_iter().map(|(label, _)| label).collect();
        Ok(Einsum { operands: operands.into_iter().map(plain).collect(), result: plain(result) })
    }
}

/// The labels of the operands, then those of the result, with their places in the text.
fn tensors(text: &str) -> Result<Vec<Vec<(char, Span)>>, ParseError> {
    let mut cursor = Cursor::new(text);
    let (mut tensors, mut labels, mut in_result) = (Vec::new(), Vec::new(), false);
    loop {
        cursor.blanks();
        let at = cursor.at();
        if let Some(label) = cursor.peek().filter(u8::is_ascii_alphabetic) {
            cursor.takes(label);
            labels.push((char::from(label), Span::new(at, at + 1)));
        } else if in_result && cursor.is_at_end() {
            tensors.push(labels);
            return Ok(tensors);
        } else if !in_result && (cursor.takes(b',') || cursor.takes_all("->")) {
            in_result = text[at..].starts_with('-');
            tensors.push(mem::take(&mut labels));
        } else {
            return Err(unexpected(text, at, in_result));
        }
    }
}

/// The error for what neither continues an operand nor ends the text.
fn unexpected(text: &str, at: usize, in_result: bool) -> ParseError {
    let next = text[at..].chars().next();
    let expected = match in_result {
        true => vec!["a label", "the end"],
        false => vec!["`,`", "`->`", "a label"],
    };
    let span = Span::new(at, at + next.map_or(0, char::len_utf8));
    let refusal = ParseError::new(ParseErrorKind::Expected(expected), span, text);
    match next.is_none() && !in_result {
        true => refusal.with_help("write the result too, as in `ij,jk->ik`"),
        false => refusal,
    }
}

/// Refuses a label that a tensor has twice.
fn check_once(labels: &[(char, Span)], text: &str) -> Result<(), ParseError> {
    for (at, (label, span)) in labels.iter().enumerate() {
        if let Some((_, first)) = labels[..at].iter().find(|(of, _)| of == label) {
            let message = format!("label `{label}` appears twice in one tensor");
            let refusal = ParseError::invalid(message, *span, text);
            let help = "diagonals are not supported: give each axis a label of its own";
            return Err(refusal.with_related(Some(*first)).with_help(help));
        }
    }
    Ok(())
}

#[cfg(feature = "serde")]
crate::text::as_text!(Einsum);
