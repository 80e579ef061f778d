//! The colours of every face: SVG, PNG, page and terminal.

#[cfg(test)]
mod tests;

/// The number of colours before they repeat: eight hues, then the same hues in another lightness.
pub(super) const COLORS: usize = 16;

/// Tints that dark text is legible on. The first eight are eight steps of lightness as well, so that they
/// differ in grey print and with any colour vision.
pub(super) const TINTS: [&str; COLORS] = [
    "#cdecdd", "#5899c2", "#f3b59b", "#bc9f54", "#e8c8fe", "#2cc5c9", "#f1fea3", "#c86182",
    "#92b1a3", "#93d3fd", "#b77d64", "#f9da8a", "#ae8fc3", "#97ffff", "#b6c26a", "#fca0ba",
];

/// Backgrounds of terminals with 256 colours, near the tints.
pub(super) const BACKGROUNDS: [u8; COLORS] =
    [152, 67, 216, 136, 183, 37, 229, 168, 109, 117, 173, 222, 139, 123, 143, 211];
