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

/// Returns the attributes whose bits are set.
pub(super) fn keys(named: u16) -> impl Iterator<Item = &'static str> {
    let mut rest = named;
    std::iter::from_fn(move || {
        let key = CALLEES.get(to_index(rest.trailing_zeros().into()))?;
        rest &= rest - 1;
        Some(*key)
    })
}

/// Returns the attributes that may name computations, a bit for each of [`CALLEES`]: most instructions have none, which one
/// look at the words before equals signs shows.
pub(super) fn named(attributes: &[u8]) -> u16 {
    let before = |sign: usize| attributes.get(..sign).unwrap_or_default();
    // Most keys end in another letter.
    let may_be = |before: &&[u8]| matches!(before, [.., b's' | b'y' | b'n' | b't' | b'r']);
    let key = |before: &[u8]| CALLEES.iter().position(|key| before.ends_with(key.as_bytes()));
    let keys = memchr::memchr_iter(b'=', attributes).map(before).filter(may_be).filter_map(key);
    keys.fold(0, |named, key| named | 1 << key)
}
