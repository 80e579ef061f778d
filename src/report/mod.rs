//! What people ask in words: a placement in numbers, a shape and its cost.

mod placement;
mod shape;
mod sharding;

use std::borrow::Cow;

pub use placement::{AxisReport, DigitReport, LevelReport, Report, SharedPlace};
pub use shape::{MemberReport, ShapeReport};
pub use sharding::{Fill, ShardingReport};

/// `part` of `whole` in per cent, with one decimal, rounded half up.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    let whole = u128::from(whole.max(1));
    let tenths = (u128::from(part) * 2000 + whole) / (2 * whole);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A page with `?` for control characters: names in a file could hold escapes of a terminal.
pub(crate) fn printable(page: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.is_control() && c != '\n';
    match page.contains(is_hidden) {
        true => page.replace(is_hidden, "?").into(),
        false => page.into(),
    }
}

/// `1 layout`, `2 layouts`.
pub(crate) fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// Bytes in the unit that people read, with two decimals, rounded down.
pub(crate) fn readable_bytes(bytes: u64) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    if bytes < 1024 {
        return format!("{bytes} B");
    }
    let steps = bytes.ilog2() / 10;
    let hundredths = (u128::from(bytes) * 100) >> (10 * steps);
    let unit = UNITS.iter().zip(1..).find(|(_, n)| *n == steps).map_or("B", |(unit, _)| unit);
    format!("{}.{:02} {unit}", hundredths / 100, hundredths % 100)
}
