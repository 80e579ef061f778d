//! Coordinates of CuTe layouts: `((1,0),2)`.

use super::read::{Tree, coordinate};
use super::tree::{CuteLayout, CuteMode};
use crate::algebra::split;
use crate::error::{ParseError, ParseErrorKind, Span};
use crate::words::counted;

impl CuteLayout {
    /// Converts a CuTe coordinate to an index, with one entry per mode.
    ///
    /// A coordinate has the form of the shape, or an integer where the shape has a tuple: the
    /// number of the element in that mode, or in the whole layout, the first mode the fastest. The
    /// outermost bracket may be left out.
    ///
    /// # Errors
    /// A text that is not a coordinate, differs from the shape in form, or exceeds it.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::CuteLayout;
    /// let layout: CuteLayout = "((2,2),3):((1,2),4)".parse()?;
    /// assert_eq!(layout.index_of("((1,0),2)")?, [1, 2]);
    /// assert_eq!(layout.index_of("(0,1),2")?, [2, 2]);
    /// assert_eq!(layout.index_of("3,2")?, [3, 2]);
    /// assert_eq!(layout.index_of("11")?, [3, 2]);
    /// assert!(layout.index_of("((2,0),2)").is_err());
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn index_of(&self, text: &str) -> Result<Vec<u64>, ParseError> {
        let members = coordinate(text)?;
        let whole = Span::new(0, text.len());
        match (&self.mode, &members[..]) {
            (CuteMode::Leaf(..), [one]) => Ok(vec![number(&self.mode, one, text)?]),
            (CuteMode::Tuple(modes), [one @ Tree::Int(..)]) => {
                let mut index = vec![0; modes.len()];
                let sizes = modes.iter().map(CuteMode::size).rev();
                split(number(&self.mode, one, text)?, sizes, &mut index);
                index.reverse();
                Ok(index)
            }
            (CuteMode::Tuple(modes), [Tree::Tuple(members, span)]) => {
                numbers(modes, members, *span, text)
            }
            (CuteMode::Tuple(modes), members) => numbers(modes, members, whole, text),
            (CuteMode::Leaf(..), _) => {
                Err(ParseError::expected("an integer, as in the shape", whole, text))
            }
        }
    }
}

/// A number for each mode.
fn numbers(
    modes: &[CuteMode],
    members: &[Tree],
    span: Span,
    text: &str,
) -> Result<Vec<u64>, ParseError> {
    if modes.len() != members.len() {
        let (found, wanted) = (members.len(), modes.len());
        let found = counted(found, "entry");
        let message = format!("the coordinate has {found} here, but the shape has {wanted}");
        return Err(ParseError::invalid(message, span, text));
    }
    modes.iter().zip(members).map(|(mode, member)| number(mode, member, text)).collect()
}

/// The number of a coordinate in a mode, the first leaf the fastest.
fn number(mode: &CuteMode, member: &Tree, text: &str) -> Result<u64, ParseError> {
    match (mode, member) {
        (_, Tree::Int(number, span)) => {
            let size = mode.size();
            let message = format!("{number} is not below the size {size} of its mode");
            let beyond = ParseError::invalid(message, *span, text);
            (*number < size).then_some(*number).ok_or(beyond)
        }
        (CuteMode::Tuple(modes), Tree::Tuple(members, span)) => {
            let entries = numbers(modes, members, *span, text)?;
            let pairs = modes.iter().zip(entries).rev();
            let sum = pairs.into_iter().try_fold(0_u64, |sum, (mode, entry)| {
                sum.checked_mul(mode.size())?.checked_add(entry)
            });
            sum.ok_or_else(|| ParseError::new(ParseErrorKind::NumberTooLarge, *span, text))
        }
        (_, Tree::Basis(_, span)) => Err(ParseError::expected("an integer", *span, text)),
        (CuteMode::Leaf(..), Tree::Tuple(_, span)) => {
            Err(ParseError::expected("an integer, as in the shape", *span, text))
        }
    }
}
