//! The bytes of one XLA array, read as another.

use itertools::Itertools;
use tensor_layout::notation::PadLayout;
use tensor_layout::xla::{Bitcast, BitcastName, Moved};
use tensor_layout_code::affine_index_map;

/// The effect of a bitcast; if a name was asked for, whether it has that name, with the first element that
/// contradicts it.
#[must_use]
pub fn bitcast(bitcast: &Bitcast, asked: Option<BitcastName>, moved: Option<&Moved>) -> String {
    let unnamed = bitcast.name().is_none_or(|name| name == BitcastName::Bytes);
    match (moved, asked) {
        (Some(moved), Some(asked)) => witness(bitcast, asked, moved),
        (None, Some(asked)) if bitcast.is(asked) => asked.to_string(),
        (None, Some(asked)) => {
            format!("both arrays are empty, but their shapes do not match {}", with_article(asked))
        }
        _ if unnamed => format!("{bitcast}\n{}", map_text(bitcast)),
        _ => bitcast.to_string(),
    }
}

/// The map as a PadLayout if one can express it, else as an affine map.
fn map_text(bitcast: &Bitcast) -> String {
    let map = bitcast.map();
    let text = match PadLayout::of(map) {
        Ok(text) => text.to_string(),
        Err(_) => affine_index_map(map).unwrap_or_else(|error| error.to_string()),
    };
    let part = match bitcast.part_bits() {
        Some(8) => ", byte in it".to_owned(),
        Some(1) => ", bit in it".to_owned(),
        Some(bits) => format!(", part of {bits} bits in it"),
        None => String::new(),
    };
    format!("from (index in B{part}) to (index in A{part}):\n{text}")
}

/// The first element that contradicts the name, in words.
fn witness(bitcast: &Bitcast, asked: BitcastName, moved: &Moved) -> String {
    let name = |index: &[u64]| element(index, bitcast.part_bits());
    let (index, from) = (name(&moved.index), name(&moved.from));
    let asked = with_article(asked);
    match &moved.wanted {
        Some(wanted) => {
            format!("{index} of B is {from} of A; {asked} would make it {}", name(wanted))
        }
        None => format!("{index} of B is {from} of A, which is not what {asked} does"),
    }
}

/// `an identity`, `a transpose`, `bytes`.
fn with_article(asked: BitcastName) -> String {
    match asked {
        BitcastName::Identity => format!("an {asked}"),
        BitcastName::Bytes => asked.to_string(),
        _ => format!("a {asked}"),
    }
}

/// `element (1, 2)`, `byte 1 of element (1, 2)`.
fn element(index: &[u64], part_bits: Option<u64>) -> String {
    let list = |index: &[u64]| index.iter().join(", ");
    match (part_bits, index) {
        (Some(8), [index @ .., part]) => format!("byte {part} of element ({})", list(index)),
        (Some(1), [index @ .., part]) => format!("bit {part} of element ({})", list(index)),
        (Some(bits), [index @ .., part]) => {
            format!("part {part} ({bits} bits) of element ({})", list(index))
        }
        (_, index) => format!("element ({})", list(index)),
    }
}
