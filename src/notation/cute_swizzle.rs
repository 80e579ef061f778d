//! Maps that the addresses of a CuTe layout go through: `S<3,4,3> o 0 o (8,64):(64,1)`.

use std::{fmt, iter};

use pest::iterators::Pair;

use super::cute::grammar::Rule;
use super::cute::{CuteMode, expected, layout_of, refused_at};
use crate::error::{ParseError, ParseErrorKind, Span};

/// What stands in front of a layout, and the offset between.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CuteOuter {
    /// What addresses go through.
    pub map: CuteMap,
    /// What is added to them before.
    pub offset: u64,
}

/// A map of addresses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CuteMap {
    /// `S<B,M,S>`
    Swizzle(CuteSwizzle),
    /// Another layout: the address is the number of its element, the first mode the fastest.
    Layout(CuteMode),
}

/// A swizzle of addresses in elements: `bits` of them from `base` on are flipped by as many that are
/// `shift` places above them, or below for a negative shift.
///
/// ```
/// use tensor_layout::notation::CuteSwizzle;
/// let swizzle = CuteSwizzle::new(3, 3, 3)?;
/// assert_eq!(swizzle.apply(3 * 64 + 17), 201); // bits 3 to 5 are flipped by bits 6 to 8
/// assert_eq!(swizzle.to_string(), "S<3,3,3>");
/// # Ok::<(), tensor_layout::notation::CuteSwizzleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CuteSwizzle {
    bits: u32,
    base: u32,
    shift: i32,
}

/// The reason numbers are not a swizzle.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum CuteSwizzleError {
    /// A bit would flip itself, or be flipped and flip another.
    #[error(
        "its {bits} bits overlap those that flip them, {shift} places away: the shift must be at least {bits}"
    )]
    Overlap {
        /// The number of bits.
        bits: u32,
        /// The distance of the bits that flip them.
        shift: i32,
    },
    /// A bit beyond those of an address.
    #[error("a swizzle has no bits beyond 63")]
    TooLarge,
}

impl CuteSwizzle {
    /// A swizzle `S<bits,base,shift>`.
    ///
    /// # Errors
    /// [`Overlap`](CuteSwizzleError::Overlap) for a shift shorter than `bits`,
    /// [`TooLarge`](CuteSwizzleError::TooLarge) for bits beyond 63.
    pub fn new(bits: u32, base: u32, shift: i32) -> Result<CuteSwizzle, CuteSwizzleError> {
        if bits > shift.unsigned_abs() {
            return Err(CuteSwizzleError::Overlap { bits, shift });
        }
        let end = [base, shift.unsigned_abs(), bits].into_iter().map(u64::from).sum::<u64>();
        if end > 63 {
            Err(CuteSwizzleError::TooLarge)
        } else {
            Ok(CuteSwizzle { bits, base, shift })
        }
    }

    /// The number of bits that are flipped.
    #[must_use]
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The lowest bit that takes part.
    #[must_use]
    pub fn base(&self) -> u32 {
        self.base
    }

    /// The distance from the bits that are flipped up to those that flip them; down if negative.
    #[must_use]
    pub fn shift(&self) -> i32 {
        self.shift
    }

    /// The swizzled address, `x ^ (x & Y) >> shift`.
    #[must_use]
    pub fn apply(&self, address: u64) -> u64 {
        let mask = ((1 << self.bits) - 1) << self.base;
        let distance = self.shift.unsigned_abs();
        match self.shift >= 0 {
            true => address ^ (address & mask << distance) >> distance,
            false => address ^ (address & mask) << distance,
        }
    }

    /// Reads and checks one; `element_bits` where it acts on addresses in bytes of such elements.
    fn read(
        swizzle: &Pair<'_, Rule>,
        element_bits: Option<u64>,
        text: &str,
    ) -> Result<CuteSwizzle, ParseError> {
        let refuse = |message: String| refused_at(message, span(swizzle), text);
        let numbers = swizzle.clone().into_inner();
        let numbers = numbers.filter(|part| matches!(part.as_rule(), Rule::digits | Rule::sint));
        let numbers: Result<Vec<i32>, _> = numbers.map(|part| part.as_str().parse()).collect();
        let Ok(&[bits, base, shift]) = numbers.as_deref() else {
            return Err(refuse(CuteSwizzleError::TooLarge.to_string()));
        };
        let scale = element_bits.map_or(Ok(0), |bits| scale(bits).map_err(refuse))?;
        let Ok(base) = u32::try_from(base.saturating_sub(scale)) else {
            return Err(refuse(
                "it moves bits inside an element: its base is below the element's size".into(),
            ));
        };
        CuteSwizzle::new(bits.unsigned_abs(), base, shift)
            .map_err(|error| refuse(error.to_string()))
    }
}

/// log2 of the bytes of an element; negative for less than a byte.
fn scale(bits: u64) -> Result<i32, String> {
    match bits.is_power_of_two() && bits <= 128 {
        true => Ok(bits.ilog2().cast_signed() - 3),
        false => Err(format!("elements have {bits} bits: expected 1, 2, 4, 8, 16, 32, 64 or 128")),
    }
}

fn span(part: &Pair<'_, Rule>) -> Span {
    Span::new(part.as_span().start(), part.as_span().end())
}

/// Reads a composed layout: what is in front, and the modes behind.
pub(super) fn composed(
    part: Pair<'_, Rule>,
    text: &str,
) -> Result<(CuteOuter, CuteMode), ParseError> {
    let is_mark = |rule| matches!(rule, Rule::open | Rule::close | Rule::comma | Rule::after);
    let whole = span(&part);
    let parts: Vec<Pair<'_, Rule>> =
        part.into_inner().filter(|part| !is_mark(part.as_rule())).collect();
    let [front, between @ .., behind] = &parts[..] else {
        return Err(refused_at("a swizzle and a layout are needed".into(), whole, text));
    };
    let (mut offset, mut element_bits) = (0, None);
    for part in between {
        let number = number(part, text)?;
        match part.as_rule() {
            // `smem_ptr_flag` alone is that of bytes.
            Rule::flag | Rule::flag_type => element_bits = Some(number.unwrap_or(8)),
            _ => offset = number.unwrap_or(0),
        }
    }
    let map = map(front, element_bits, text)?;
    Ok((CuteOuter { map, offset }, layout_of(behind.clone(), text)?))
}

/// Reads a tensor: a pointer, and the layout of what it points to. A swizzle of the pointer acts on addresses in
/// bytes; where the tensor begins at a multiple of what it swizzles, it is one of the layout.
pub(super) fn tensor(
    part: Pair<'_, Rule>,
    text: &str,
) -> Result<(Option<CuteOuter>, CuteMode), ParseError> {
    let (mut outer, mut mode) = (None, None);
    for part in part.into_inner() {
        match part.as_rule() {
            Rule::pointer => outer = pointer(&part, text)?,
            Rule::composed if outer.is_none() => {
                let (found, behind) = composed(part, text)?;
                (outer, mode) = (Some(found), Some(behind));
            }
            Rule::composed => {
                let message = "a swizzled pointer to a swizzled layout is not read".to_owned();
                return Err(refused_at(message, span(&part), text));
            }
            Rule::layout => mode = Some(layout_of(part, text)?),
            _ => {}
        }
    }
    let missing = || expected("a layout", Span::new(0, text.len()), text);
    Ok((outer, mode.ok_or_else(missing)?))
}

/// The swizzle of a pointer, if it has one that does something.
fn pointer(part: &Pair<'_, Rule>, text: &str) -> Result<Option<CuteOuter>, ParseError> {
    let parts = || part.clone().into_inner();
    let is_origin =
        |part: &Pair<'_, Rule>| part.as_str().bytes().all(|b| !matches!(b, b'1'..=b'9'));
    if let Some(tuple) = parts().find(|part| part.as_rule() == Rule::tuple && !is_origin(part)) {
        let message = "coordinates that do not begin at 0 are not read".to_owned();
        return Err(refused_at(message, span(&tuple), text));
    }
    let Some(swizzle) = parts().find(|part| part.as_rule() == Rule::swizzle) else {
        return Ok(None);
    };
    let bits = parts().find(|part| part.as_rule() == Rule::digits);
    let bits = bits.map_or(Ok(None), |bits| number(&bits, text))?.unwrap_or(8);
    let in_bytes = CuteSwizzle::read(&swizzle, None, text)?;
    let reach = in_bytes.bits + in_bytes.base + in_bytes.shift.unsigned_abs();
    let address = parts().find(|part| part.as_rule() == Rule::address);
    let address = address.map_or(Ok(0), |address| {
        let too_large = |_| ParseError::new(ParseErrorKind::NumberTooLarge, span(&address), text);
        u64::from_str_radix(address.as_str().trim_start_matches("0x"), 16).map_err(too_large)
    })?;
    // At most 63 bits: a swizzle has no others.
    if !address.is_multiple_of(1 << reach) {
        let message = format!(
            "a swizzle of addresses needs a tensor that begins at a multiple of {} bytes",
            1_u64 << reach
        );
        return Err(refused_at(message, span(part), text));
    }
    let swizzle = CuteSwizzle::read(&swizzle, Some(bits), text)?;
    Ok(Some(CuteOuter { map: CuteMap::Swizzle(swizzle), offset: 0 }))
}

/// The number in an offset or in the size of an element.
fn number(part: &Pair<'_, Rule>, text: &str) -> Result<Option<u64>, ParseError> {
    let mut all = iter::once(part.clone()).chain(part.clone().into_inner().flatten());
    let digits = all.find(|part| part.as_rule() == Rule::digits);
    let read = |digits: Pair<'_, Rule>| {
        let too_large = |_| ParseError::new(ParseErrorKind::NumberTooLarge, span(&digits), text);
        digits.as_str().parse().map_err(too_large)
    };
    digits.map(read).transpose()
}

fn map(
    front: &Pair<'_, Rule>,
    element_bits: Option<u64>,
    text: &str,
) -> Result<CuteMap, ParseError> {
    match (front.as_rule(), element_bits) {
        (Rule::swizzle, _) => CuteSwizzle::read(front, element_bits, text).map(CuteMap::Swizzle),
        (_, None) => layout_of(front.clone(), text).map(CuteMap::Layout),
        (_, Some(_)) => {
            let message = "`smem_ptr` is only allowed behind a swizzle".to_owned();
            Err(refused_at(message, span(front), text))
        }
    }
}

impl fmt::Display for CuteSwizzle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "S<{},{},{}>", self.bits, self.base, self.shift)
    }
}

impl fmt::Display for CuteOuter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.map {
            CuteMap::Swizzle(swizzle) => write!(f, "{swizzle} o {} o ", self.offset),
            CuteMap::Layout(mode) => write!(f, "{} o {} o ", mode.written(), self.offset),
        }
    }
}
