//! The attributes of an instruction that name computations.

use tensor_layout_words::to_index;

/// The attributes that name computations, whatever the opcode.
const CALLEES: [&str; 10] = [
    "calls",
    "to_apply",
    "body",
    "condition",
    "branch_computations",
    "true_computation",
    "false_computation",
    "called_computations",
    "select",
    "scatter",
];

/// The bit of `output_to_operand_aliasing`, which names no computation.
const ALIASING: u16 = 1 << CALLEES.len();

/// Returns whether the attributes may have `output_to_operand_aliasing`.
pub(super) fn may_alias(named: u16) -> bool {
    named & ALIASING > 0
}

/// Returns the attributes that name computations whose bits are set.
pub(super) fn keys(named: u16) -> impl Iterator<Item = &'static str> {
    let mut rest = named & !ALIASING;
    std::iter::from_fn(move || {
        let key = CALLEES.get(to_index(rest.trailing_zeros().into()))?;
        rest &= rest - 1;
        Some(*key)
    })
}

/// Returns the attributes that may name computations, a bit for each of [`CALLEES`], and that of aliasing: most instructions
/// have none, which one look at the words before equals signs shows.
pub(super) fn named(attributes: &[u8]) -> u16 {
    let before = |sign: usize| attributes.get(..sign).unwrap_or_default();
    // Most keys end in another letter.
    let may_be = |before: &&[u8]| matches!(before, [.., b's' | b'y' | b'n' | b't' | b'r' | b'g']);
    let bit = |before: &[u8]| match before.ends_with(b"g") {
        true => before.ends_with(b"output_to_operand_aliasing").then_some(ALIASING),
        false => {
            let key = CALLEES.iter().position(|key| before.ends_with(key.as_bytes()));
            key.map(|key| 1 << key)
        }
    };
    let bits = memchr::memchr_iter(b'=', attributes).map(before).filter(may_be).filter_map(bit);
    bits.fold(0, |named, bit| named | bit)
}
