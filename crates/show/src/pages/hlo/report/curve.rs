//! The live bytes over the schedule as a curve, with the peak marked.

use std::fmt::Write;

use tensor_layout_hlo::HloPeak;
use tensor_layout_words::{counted, percent, readable_bytes, to_index, to_u64};

use crate::svg::escaped;

/// The most columns of a curve: where more instructions run, a column is the greatest sum of several.
const COLUMNS: u64 = 1000;

/// The height of a curve in its own units.
const HEIGHT: u64 = 1000;

/// The curve of a memory space.
pub(super) fn figure(peak: &HloPeak) -> String {
    let length = peak.curve.last().map_or(0, |(end, _)| *end);
    let columns = columns(&peak.curve, length.clamp(1, COLUMNS));
    let width = to_u64(columns.len());
    let (most, count) = (readable_bytes(peak.bytes.allocated), counted(length, "instruction"));
    let place = escaped(&format!("{}, line {}", peak.name, peak.line));
    let at = portion(peak.time, width, length);
    let path = path(&columns, peak.bytes.allocated);
    let dot = percent(2 * at + 1, 2 * width).replace(' ', "");
    format!(
        "<figure><figcaption>{most}</figcaption>\n<div class=\"curve\">\
         <svg viewBox=\"0 0 {width} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\">\
         <title>Live bytes while {count} run: at most {most}, at {place}</title><path d=\"{path}\"/>\
         <line x1=\"{at}.5\" x2=\"{at}.5\" y1=\"0\" y2=\"{HEIGHT}\"/></svg>\
         <span class=\"dot\" style=\"left: {dot}\"></span></div>\n\
         <figcaption class=\"head\"><span>{count} in the order of the schedule</span> \
         <span class=\"key\"><i class=\"peak\"></i>the peak, at {place}</span></figcaption></figure>\n"
    )
}

/// The greatest sum in each of the columns.
fn columns(curve: &[(u64, u64)], count: u64) -> Vec<u64> {
    let length = curve.last().map_or(0, |(end, _)| *end);
    let mut columns = vec![0; to_index(count)];
    for ((from, bytes), (to, _)) in curve.iter().zip(curve.iter().skip(1)) {
        let last = portion(to.saturating_sub(1), count, length);
        let within = to_index(portion(*from, count, length))..=to_index(last);
        columns.get_mut(within).into_iter().flatten().for_each(|sum| *sum = *bytes.max(sum));
    }
    columns
}

/// The outline of the columns, each one unit wide.
fn path(columns: &[u64], most: u64) -> String {
    let mut path = format!("M0 {HEIGHT}");
    for bytes in columns {
        let _ = write!(path, "V{}h1", HEIGHT - portion(*bytes, HEIGHT, most).min(HEIGHT));
    }
    path + &format!("V{HEIGHT}z")
}

/// Returns `part` of `whole` in units of which the whole has `count`, rounded down.
fn portion(part: u64, count: u64, whole: u64) -> u64 {
    let units = u128::from(part) * u128::from(count) / u128::from(whole.max(1));
    u64::try_from(units).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{columns, path};

    #[test]
    fn a_column_is_the_greatest_sum_of_its_instructions() {
        let curve = [(0, 1), (1, 5), (2, 2), (6, 9), (7, 0), (8, 0)];
        assert_eq!(columns(&curve, 8), [1, 5, 2, 2, 2, 2, 9, 0]);
        assert_eq!(columns(&curve, 4), [5, 2, 2, 9]);
        assert_eq!(columns(&curve, 3), [5, 2, 9]);
    }

    #[test]
    fn the_path_is_as_high_as_the_shares() {
        assert_eq!(path(&[0, u64::MAX / 2, u64::MAX], u64::MAX), "M0 1000V1000h1V501h1V0h1V1000z");
    }
}
