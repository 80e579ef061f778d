//! The results that instructions write.

use tensor_layout::LayoutError;
use tensor_layout_hlo::{
    HloBytes, HloLargest, HloOnDevice, HloReading, HloRole, HloRow, HloSummary,
};
use tensor_layout_words::{counted, printable, readable_bytes};

use super::reading::unread;
use super::rows::{SHOWN, origin, partitioned, place, row};

fn bytes_row(bytes: HloBytes, text: &str) -> String {
    row([bytes.padding(), bytes.unpadded, bytes.allocated].map(readable_bytes), text)
}

/// A readable page: the `top` worst instructions (20 by default), parameters and results of the entry,
/// totals by computation, and the parts of the dump that could not be read.
///
/// # Errors
/// `TooLarge`.
pub fn summary(
    of: &HloSummary,
    top: Option<usize>,
    reading: &HloReading,
) -> Result<String, LayoutError> {
    let head = |what: &str| row(["waste", "elements", "allocated"], what);
    let mut page = head("instruction");
    for HloRow { line, name, opcode, shape, sizes, op_name, source, computation, role, .. } in
        of.rows().take(top.unwrap_or(SHOWN))
    {
        let place = place(role, computation);
        page += &bytes_row(sizes.into(), &format!("{opcode} {name}, line {line}{place}"));
        page += &format!("{:13}{shape}\n", "");
        page += &origin(13, op_name, source);
    }
    page += &format!("\n{}", head("entry"));
    for (what, bytes) in [("parameter", of.parameters()?), ("result", of.result()?)] {
        page += &bytes_row(bytes, &counted(bytes.count, what));
    }
    if let Some(HloOnDevice { parameters, result }) = of.on_device()? {
        for (what, bytes) in [("parameter", parameters), ("result", result)] {
            let held = format!("{}, on one device", counted(bytes.count, what));
            page += &bytes_row(bytes, &held);
        }
    }
    page += &partitioned(of.partitions());
    page += "\nwhat instructions write, each once: sums over shapes, not the memory that is live \
             at one time\n";
    page += &head("computation");
    page += &computation_rows(of)?;
    page += &unread(&reading.and(of.reading()));
    Ok(printable(&page).into_owned())
}

fn computation_rows(of: &HloSummary) -> Result<String, LayoutError> {
    let mut page = String::new();
    for HloLargest { name, role, line, written, .. } in of.largest() {
        let count = counted(written.count, "instruction");
        let whole = match name.is_empty() {
            true => "outside of any computation".to_owned(),
            false => format!("{} {name}", role.name()),
        };
        page += &bytes_row(*written, &format!("{whole}, line {line}: {count}"));
    }
    let (count, rest) = of.others()?;
    if count > 0 {
        page += &bytes_row(rest, &format!("{count} more"));
    }
    for (role, what) in [
        (HloRole::Fused, "inside fusions, not in memory"),
        (HloRole::Applied, "applied to elements, as in a reduce"),
        (HloRole::CutOff, "in computations whose callers are cut off: not listed above"),
    ] {
        if of.count_of(role) > 0 {
            let bytes = of.written(role)?;
            page += &bytes_row(bytes, &format!("{} {what}", counted(bytes.count, "value")));
        }
    }
    Ok(page)
}
