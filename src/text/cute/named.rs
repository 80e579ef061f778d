//! The layouts of shared memory that tensor cores of Hopper and Blackwell read, by their names in CuTe, alone or tiled to a
//! shape: `tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128,_64>{})`.
//!
//! ```text
//! K_SW128, 16 bits      S<3,3,3> o 0 o (8,64):(64,1)            8 rows of 128 bytes, K runs along a row
//! MN_SW128              S<3,3,3> o 0 o (64,8):(1,64)            M or N does
//! to 128 x 64           S<3,3,3> o 0 o ((8,16),64):((64,512),1)
//! ```
//!
//! Other compact blocks are tiled in the same way. A box that TMA copies has the same layout, if its rows are as long as the swizzle: `CU_TENSOR_MAP_SWIZZLE_128B` is SW128.
//!
//! Source: NVIDIA/cutlass at 7107b05, `include/cute/atom/mma_traits_sm90_gmma.hpp`, `mma_traits_sm100.hpp`, and
//! `include/cute/layout.hpp`, tile_to_shape.

use itertools::Itertools;
use pest::iterators::Pair;

use super::read::{Rule, Tree, composed, layout_of, tree};
use super::tree::{CuteLayout, CuteMap, CuteMode, CuteStride};
use crate::error::{ParseError, did_you_mean};
use crate::swizzle::CuteSwizzle;
use crate::text::pairs::{child, span};

/// A name, the bits, the base in bytes and the shift of its swizzle, the bits of a row, and the rows.
const NAMES: [(&str, [u32; 3], u64, u64); 5] = [
    ("INTER", [0, 4, 3], 128, 8),
    ("SW32", [1, 4, 3], 256, 8),
    ("SW64", [2, 4, 3], 512, 8),
    ("SW128", [3, 4, 3], 1024, 8),
    ("SW128_32B", [2, 5, 2], 1024, 4),
];

/// The types of CUTLASS, CUDA and C++ whose width is known, by width in bits.
const TYPES: [(u64, &[&str]); 6] = [
    (4, &["int4b_t", "int4_t", "uint4_t", "float_e2m1_t"]),
    (8, &["int8_t", "uint8_t", "float_e4m3_t", "float_e5m2_t", "float_ue8m0_t"]),
    (16, &["half_t", "half", "__half", "bfloat16_t", "__nv_bfloat16", "int16_t", "uint16_t"]),
    (32, &["tfloat32_t", "float", "int32_t", "uint32_t", "int"]),
    (64, &["double", "int64_t", "uint64_t", "int2", "uint2", "float2"]),
    (128, &["uint128_t", "int4", "uint4", "float4"]),
];

/// The width of a type, in bits.
pub(crate) fn bits_of_type(name: &str) -> Option<u64> {
    TYPES.iter().find(|(_, names)| names.contains(&name)).map(|(bits, _)| *bits)
}

/// The layout that a tile is made of.
fn block(part: Pair<'_, Rule>, text: &str) -> Result<CuteLayout, ParseError> {
    let place = span(&part);
    let block = match part.as_rule() {
        Rule::canonical => return canonical(&part, text),
        Rule::composed => composed(part, text)?,
        _ => CuteLayout::new(layout_of(part, text)?),
    };
    if !is_compact(&block.mode) {
        let message =
            "tiles of a layout with holes or with elements that share a place are not supported";
        return Err(ParseError::invalid(message, place, text));
    }
    Ok(block)
}

/// A layout that tensor cores read.
fn canonical(part: &Pair<'_, Rule>, text: &str) -> Result<CuteLayout, ParseError> {
    let refuse = |message: &str| ParseError::invalid(message, span(part), text);
    let name = child(part.clone(), Rule::canonical_name);
    let name = name.map(|name| name.as_str().to_owned()).unwrap_or_default();
    let (major, mode) = name.split_once('_').unwrap_or_default();
    let known = NAMES.iter().find(|(name, ..)| *name == mode);
    let Some((_, [bits, base, shift], row, rows)) = known.copied() else {
        return Err(refuse("the layout has no such swizzle"));
    };
    if (major, mode) == ("K", "SW128_32B") {
        return Err(refuse("only M or N can run along the rows of `SW128_32B`"));
    }
    let width = width(part, text)?;
    let (row, fastest) = (row / width, usize::from(major == "K"));
    let (extents, strides) = match fastest {
        1 => ([rows, row], [row, 1]),
        _ => ([row, rows], [1, row]),
    };
    // From bytes to elements, of which there may be two in a byte.
    let base = base + 3 - width.ilog2();
    let swizzle = CuteSwizzle::new(bits, base, shift.cast_signed());
    let swizzle = swizzle.map_err(|error| refuse(&error.to_string()))?;
    let modes = extents.into_iter().zip(strides);
    let modes = modes.map(|(extent, stride)| CuteMode::Leaf(extent, stride.into()));
    let layout = CuteLayout::new(CuteMode::Tuple(modes.collect()));
    Ok(if bits > 0 { layout.behind(CuteMap::Swizzle(swizzle), 0) } else { layout })
}

/// Returns whether a layout has every address below its size once.
fn is_compact(mode: &CuteMode) -> bool {
    let leaves = mode.leaves().into_iter().filter(|(extent, _)| *extent != 1);
    let in_order = leaves.sorted_by_key(|(_, stride)| stride.step);
    let next = |next: u64, (extent, stride): (u64, CuteStride)| {
        let goes_on = stride.step == next && stride.coordinate.is_none();
        goes_on.then(|| next.checked_mul(extent)).flatten()
    };
    in_order.into_iter().try_fold(1, next).is_some()
}

/// The width of the element type, in bits.
fn width(part: &Pair<'_, Rule>, text: &str) -> Result<u64, ParseError> {
    let Some(type_) = child(part.clone(), Rule::element_type) else { return Ok(1) };
    let name = type_.as_str();
    if let Some(bits) = bits_of_type(name) {
        return Ok(bits);
    }
    let message = format!("the width of the type `{name}` is not known");
    let help = || "write the type itself, such as `half_t`".to_owned();
    let near = did_you_mean(name, TYPES.iter().flat_map(|(_, names)| names.iter().copied()));
    Err(ParseError::invalid(message, span(&type_), text).with_help(near.unwrap_or_else(help)))
}

/// Reads a named layout.
pub(super) fn named(part: Pair<'_, Rule>, text: &str) -> Result<CuteLayout, ParseError> {
    let whole = span(&part);
    let mut parts = part.into_inner().filter(|part| part.as_rule() != Rule::comma);
    let missing = || ParseError::expected("a layout", whole, text);
    let block = block(parts.next().ok_or_else(missing)?, text)?;
    let shape = parts.next().map(|shape| flat(shape, text)).transpose()?;
    let order = parts.next().map(|order| flat(order, text)).transpose()?;
    let shape = shape.unwrap_or_else(|| block.axes().iter().map(CuteMode::size).collect());
    let order = order.unwrap_or_else(|| (0..).take(shape.len()).collect());
    let refuse = |message: String| ParseError::invalid(message, whole, text);
    let mode = tiled(block.axes(), &shape, &order).map_err(refuse)?;
    Ok(CuteLayout { mode, ..block })
}

/// The numbers of a shape or an order without tuples inside.
fn flat(part: Pair<'_, Rule>, text: &str) -> Result<Vec<u64>, ParseError> {
    let place = span(&part);
    let number = |tree: &Tree| match tree {
        Tree::Int(number, _) => Some(*number),
        _ => None,
    };
    let numbers = match &tree(part, text)? {
        Tree::Tuple(members, _) => members.iter().map(number).collect::<Option<Vec<_>>>(),
        one => number(one).map(|one| vec![one]),
    };
    let message = "a shape of numbers is needed here, without tuples inside";
    numbers.ok_or_else(|| ParseError::invalid(message, place, text))
}

/// The block repeated up to a shape; the tiles follow each other along the mode with the least number in `order` first.
fn tiled(block: &[CuteMode], shape: &[u64], order: &[u64]) -> Result<CuteMode, String> {
    let least = block.len();
    if shape.len() < least || order.len() != shape.len() {
        return Err(format!(
            "a shape of {least} or more modes and an order of as many are needed, not {} and {}",
            shape.len(),
            order.len()
        ));
    }
    let own = |mode: usize| block.get(mode).map_or(1, CuteMode::size);
    if let Some(mode) = (0..shape.len()).find(|mode| !shape[*mode].is_multiple_of(own(*mode))) {
        let (whole, part) = (shape[mode], own(mode));
        return Err(format!("mode {mode} has {whole} elements, not a multiple of {part}"));
    }
    let mut step = block.iter().map(CuteMode::size).fold(1, u64::saturating_mul);
    let mut modes = vec![Vec::new(); shape.len()];
    for mode in (0..shape.len()).sorted_by_key(|mode| order[*mode]) {
        let tiles = shape[mode] / own(mode);
        modes[mode].extend(block.get(mode).cloned());
        modes[mode].push(CuteMode::Leaf(tiles, step.into()));
        step = step.checked_mul(tiles).ok_or("the shape has more than 2^64 elements")?;
    }
    // A single tile is not a mode of its own.
    let mode = |mut parts: Vec<CuteMode>| {
        if parts.len() > 1 && matches!(parts.last(), Some(CuteMode::Leaf(1, _))) {
            parts.pop();
        }
        CuteMode::joined(parts)
    };
    Ok(CuteMode::Tuple(modes.into_iter().map(mode).collect()))
}
