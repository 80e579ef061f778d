//! What the addresses of a CuTe layout go through: `S<3,4,3> o 0 o (8,64):(64,1)`.

use std::fmt;

use pest::iterators::Pair;

use super::cute::grammar::Rule;
use super::cute::{CuteMode, layout_of, refused_at};
use crate::error::{ParseError, Span};

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

/// A swizzle of addresses in elements: `bits` of them from `base` on are flipped by as many that stand
/// `shift` places above them, or below for a negative shift.
///
/// ```
/// use tensor_layout::notation::CuteSwizzle;
/// let swizzle = CuteSwizzle { bits: 3, base: 3, shift: 3 };
/// assert_eq!(swizzle.apply(3 * 64 + 17), 201); // bits 3 to 5 are flipped by bits 6 to 8
/// assert_eq!(swizzle.to_string(), "S<3,3,3>");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CuteSwizzle {
    /// How many bits.
    pub bits: u32,
    /// The lowest bit that takes part.
    pub base: u32,
    /// How far the bits that flip stand from those that are flipped; at least `bits` either way.
    pub shift: i32,
}

impl CuteSwizzle {
    /// The swizzled address, `x ^ (x & Y) >> shift`, of 64 bits: a swizzle that was read has no others.
    #[must_use]
    pub fn apply(&self, address: u64) -> u64 {
        let above = self.shift.max(0).unsigned_abs().saturating_add(self.base);
        let bits = 1_u64.checked_shl(self.bits).map_or(u64::MAX, |end| end - 1);
        let flip = address & bits.checked_shl(above).unwrap_or(0);
        let distance = self.shift.unsigned_abs();
        let flipped = match self.shift >= 0 {
            true => flip.checked_shr(distance),
            false => flip.checked_shl(distance),
        };
        address ^ flipped.unwrap_or(0)
    }

    /// One above the highest bit that takes part.
    fn end(&self) -> u64 {
        u64::from(self.base) + u64::from(self.shift.unsigned_abs()) + u64::from(self.bits)
    }

    /// Reads and checks one; `element_bits` where it acts on addresses in bytes of such elements.
    fn read(
        swizzle: &Pair<'_, Rule>,
        element_bits: Option<u64>,
        text: &str,
    ) -> Result<CuteSwizzle, ParseError> {
        let span = span(swizzle);
        let refuse = |message: String| refused_at(message, span, text);
        let mut numbers = swizzle.clone().into_inner().flat_map(Pair::into_inner);
        let mut number = || loop {
            let part = numbers.next()?;
            if matches!(part.as_rule(), Rule::digits | Rule::sint) {
                return part.as_str().parse::<i32>().ok();
            }
        };
        let too_large = || refuse("a swizzle has no bits beyond 63".to_owned());
        let (Some(bits), Some(base), Some(shift)) = (number(), number(), number()) else {
            return Err(too_large());
        };
        let base = match element_bits {
            None => i64::from(base),
            Some(bits) => {
                i64::from(base)
                    - scale(bits).ok_or_else(|| {
                        refuse(format!(
                            "elements have {bits} bits: expected 1, 2, 4, 8, 16, 32, 64 or 128"
                        ))
                    })?
            }
        };
        let Ok(base) = u32::try_from(base) else {
            return Err(refuse(
                "it moves bits inside an element: its base is below the element's size".into(),
            ));
        };
        let swizzle = CuteSwizzle { bits: bits.unsigned_abs(), base, shift };
        if swizzle.bits > shift.unsigned_abs() {
            let (bits, shift) = (swizzle.bits, shift);
            return Err(refuse(format!(
                "its {bits} bits overlap those that flip them, {shift} places away: the shift must be at least as many"
            )));
        }
        if swizzle.end() > 63 { Err(too_large()) } else { Ok(swizzle) }
    }
}

/// log2 of the bytes of an element; negative for less than a byte.
fn scale(bits: u64) -> Option<i64> {
    (bits.is_power_of_two() && bits <= 128).then(|| i64::from(bits.ilog2()) - 3)
}

fn span(part: &Pair<'_, Rule>) -> Span {
    Span::new(part.as_span().start(), part.as_span().end())
}

/// What a composed text says: what stands in front, and the layout behind.
pub(super) fn composed<'i>(
    part: Pair<'i, Rule>,
    text: &str,
) -> Result<(CuteOuter, Pair<'i, Rule>), ParseError> {
    let mut parts: Vec<Pair<'i, Rule>> = part.into_inner().collect();
    if let [whole] = &parts[..]
        && matches!(whole.as_rule(), Rule::composed_type | Rule::composed_repr)
    {
        parts = whole.clone().into_inner().collect();
    }
    let (mut front, mut offset, mut element_bits, mut behind) = (None, 0, None, None);
    for part in parts {
        match part.as_rule() {
            Rule::outer | Rule::swizzle if front.is_none() => front = Some(part),
            Rule::middle => {
                for inner in part.into_inner() {
                    between(&inner, &mut offset, &mut element_bits, text)?;
                }
            }
            Rule::offset | Rule::offset_type | Rule::flag_type => {
                between(&part, &mut offset, &mut element_bits, text)?;
            }
            Rule::inner | Rule::layout_repr | Rule::layout_type => behind = Some(part),
            _ => {}
        }
    }
    let whole = Span::new(0, text.len());
    let missing = || refused_at("a swizzle and a layout are needed".into(), whole, text);
    let (front, behind) = (front.ok_or_else(missing)?, behind.ok_or_else(missing)?);
    let map = map(front, element_bits, text)?;
    Ok((CuteOuter { map, offset }, behind))
}

/// The offset, or the size of the elements whose bytes a swizzle counts.
fn between(
    part: &Pair<'_, Rule>,
    offset: &mut u64,
    element_bits: &mut Option<u64>,
    text: &str,
) -> Result<(), ParseError> {
    let is_flag = matches!(part.as_rule(), Rule::flag | Rule::flag_type);
    let number = part.clone().into_inner().flatten().find(|part| part.as_rule() == Rule::digits);
    let number = match number {
        None => 0,
        Some(digits) => {
            let too_large = |_| refused_at("it is too large".into(), span(&digits), text);
            digits.as_str().parse().map_err(too_large)?
        }
    };
    match is_flag {
        // `smem_ptr_flag` alone is that of bytes.
        true => *element_bits = Some(if number == 0 { 8 } else { number }),
        false => *offset = number,
    }
    Ok(())
}

fn map(
    front: Pair<'_, Rule>,
    element_bits: Option<u64>,
    text: &str,
) -> Result<CuteMap, ParseError> {
    if front.as_rule() == Rule::swizzle {
        return CuteSwizzle::read(&front, element_bits, text).map(CuteMap::Swizzle);
    }
    let place = span(&front);
    for part in front.into_inner() {
        match part.as_rule() {
            Rule::swizzle => {
                return CuteSwizzle::read(&part, element_bits, text).map(CuteMap::Swizzle);
            }
            Rule::inner if element_bits.is_some() => {
                let message = "`smem_ptr` stands behind a swizzle only".to_owned();
                return Err(refused_at(message, place, text));
            }
            Rule::inner => return layout_of(part, text).map(CuteMap::Layout),
            _ => {}
        }
    }
    Err(refused_at("a swizzle or a layout is needed".into(), place, text))
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
