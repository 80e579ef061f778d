//! The colours of every output: SVG, PNG, page and terminal.
//!
//! A colour is a number: first hues, for values without an order, then the steps of a ramp, for ordered ones.

#[cfg(test)]
mod tests;

/// The number of hues before they repeat: eight, then the same eight in another lightness.
pub(super) const COLORS: usize = 16;

/// The number of steps of the ramp, light to dark.
pub(super) const STEPS: usize = 8;

/// Tints that dark text is legible on. The first eight hues are eight steps of lightness as well, so they
/// differ in grey print and with any colour vision; so do the steps of the ramp, which come last.
const TINTS: [&str; COLORS + STEPS] = [
    "#cdecdd", "#5899c2", "#f3b59b", "#bc9f54", "#e8c8fe", "#2cc5c9", "#f1fea3", "#c86182",
    "#92b1a3", "#93d3fd", "#b77d64", "#f9da8a", "#ae8fc3", "#97ffff", "#b6c26a", "#fca0ba",
    "#fbf8dc", "#e4efd5", "#cde6ce", "#b5ddc7", "#a0cec4", "#8dbbc3", "#78a8c2", "#6296c0",
];

/// Backgrounds of terminals with 256 colours, near the tints.
const BACKGROUNDS: [u8; COLORS + STEPS] = [
    152, 67, 216, 136, 183, 37, 229, 168, 109, 117, 173, 222, 139, 123, 143, 211, 230, 194, 157,
    151, 116, 110, 74, 67,
];

/// The tint of a colour.
pub(super) fn tint(color: usize) -> &'static str {
    TINTS[color % TINTS.len()]
}

/// The background of a colour on terminals.
pub(super) fn background(color: usize) -> u8 {
    BACKGROUNDS[color % BACKGROUNDS.len()]
}

/// The colour of a step of the ramp; beyond the last one, the last.
pub(super) fn step(rank: usize) -> usize {
    COLORS + rank.min(STEPS - 1)
}
