//! All shapes of a text, as a page and as CSV.

use std::io;

use tensor_layout::LayoutError;
use tensor_layout_hlo::{HloEntry, HloReport};
use tensor_layout_words::{counted, printable, readable_bytes};

use super::reading::unread;
use super::rows::SHOWN;

/// A readable page: the `top` worst shapes (20 by default), totals, unread lines.
///
/// # Errors
/// As [`HloReport::totals`].
pub fn shapes(of: &HloReport, top: Option<usize>) -> Result<String, LayoutError> {
    let top = top.unwrap_or(SHOWN);
    let totals = of.totals()?;
    let mut page = String::new();
    let mut line = |waste: u64, unpadded: u64, allocated: u64, count: &str, text: &str| {
        let [waste, unpadded, allocated] = [waste, unpadded, allocated].map(readable_bytes);
        page.push_str(&format!("{waste:>11} {unpadded:>11} {allocated:>11} {count:>7}  {text}\n"));
    };
    let entries = of.entries();
    for HloEntry { shape, count, sizes } in entries.iter().take(top) {
        let (unpadded, allocated) = (sizes.unpadded_bytes, sizes.allocated_bytes);
        line(sizes.padding_bytes(), unpadded, allocated, &count.to_string(), shape);
    }
    let (unpadded, allocated) = (totals.unpadded_bytes, totals.allocated_bytes);
    let waste = allocated.saturating_sub(unpadded);
    let more = entries.len().saturating_sub(top);
    let kinds = match more {
        0 => format!("all of {}", counted(totals.shapes, "shape")),
        _ => format!("all of {}, {more} of them not shown", counted(totals.shapes, "shape")),
    };
    line(waste, unpadded, allocated, &totals.count.to_string(), &kinds);
    let head =
        format!("{:>11} {:>11} {:>11} {:>7}  shape\n", "waste", "unpadded", "allocated", "count");
    if of.unranked() > 0 {
        page.push_str(&format!("{:43}{}\n", "", of.unranked_text()));
    }
    Ok(printable(&format!("{head}{page}{}", unread(of.reading()))).into_owned())
}

/// Writes the shapes as CSV: `shape,count,unpadded_bytes,allocated_bytes,waste_bytes`, the
/// shape in quotes; the `top` worst, or all.
///
/// # Errors
/// Those of `out`.
pub fn write_shapes_csv(
    of: &HloReport,
    out: &mut dyn io::Write,
    top: Option<usize>,
) -> io::Result<()> {
    writeln!(out, "shape,count,unpadded_bytes,allocated_bytes,waste_bytes")?;
    for entry in of.entries().iter().take(top.unwrap_or(usize::MAX)) {
        let HloEntry { shape, count, sizes } = entry;
        let (unpadded, allocated) = (sizes.unpadded_bytes, sizes.allocated_bytes);
        let waste = sizes.padding_bytes();
        writeln!(out, "\"{shape}\",{count},{unpadded},{allocated},{waste}")?;
    }
    Ok(())
}
