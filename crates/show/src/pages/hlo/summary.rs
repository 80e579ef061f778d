//! The results that instructions write.

use tensor_layout::LayoutError;
use tensor_layout_hlo::{
    HloBytes, HloLargest, HloOnDevice, HloReading, HloRole, HloRow, HloSummary,
};
use tensor_layout_words::{counted, printable, readable_bytes};

use super::reading::unread;
use super::rows::{SHOWN, origin, partitioned, place, row};

/// The meaning of the sums by computation.
pub(super) const WRITTEN: &str = "what instructions write, each once: sums over shapes, not the memory that is \
                                  live at one time";

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
    for row in of.rows().take(top.unwrap_or(SHOWN)) {
        page += &bytes_row(row.sizes.into(), &instruction(&row));
        page += &format!("{:13}{}\n", "", row.shape);
        page += &origin(13, row.op_name, row.source);
    }
    let rows = |rows: Vec<(HloBytes, String)>| -> String {
        rows.iter().map(|(bytes, what)| bytes_row(*bytes, what)).collect()
    };
    page += &format!("\n{}{}", head("entry"), rows(entry_rows(of)?));
    page += &partitioned(of.partitions());
    page += &format!("\n{WRITTEN}\n{}{}", head("computation"), rows(computation_rows(of)?));
    page += &unread(&reading.and(of.reading()));
    Ok(printable(&page).into_owned())
}

/// The name and the place of an instruction.
pub(super) fn instruction(of: &HloRow<'_>) -> String {
    let HloRow { opcode, name, line, .. } = of;
    format!("{opcode} {name}, line {line}{}", place(of.role, of.computation))
}

/// Parameters and results of the entry.
pub(super) fn entry_rows(of: &HloSummary) -> Result<Vec<(HloBytes, String)>, LayoutError> {
    let rows = |parameters: HloBytes, result: HloBytes, place: &str| {
        let named = [("parameter", parameters), ("result", result)];
        named.map(|(what, bytes)| (bytes, format!("{}{place}", counted(bytes.count, what))))
    };
    let mut all = rows(of.parameters()?, of.result()?, "").to_vec();
    if let Some(HloOnDevice { parameters, result }) = of.on_device()? {
        all.extend(rows(parameters, result, ", on one device"));
    }
    Ok(all)
}

/// The bytes that computations write.
pub(super) fn computation_rows(of: &HloSummary) -> Result<Vec<(HloBytes, String)>, LayoutError> {
    let mut rows = Vec::new();
    for HloLargest { name, role, line, written, .. } in of.largest() {
        let count = counted(written.count, "instruction");
        let whole = match name.is_empty() {
            true => "outside of any computation".to_owned(),
            false => format!("{} {name}", role.name()),
        };
        rows.push((*written, format!("{whole}, line {line}: {count}")));
    }
    let (count, rest) = of.others()?;
    if count > 0 {
        rows.push((rest, format!("{count} more")));
    }
    for (role, what) in [
        (HloRole::Fused, "inside fusions, not in memory"),
        (HloRole::Applied, "applied to elements, as in a reduce"),
        (HloRole::CutOff, "in computations whose callers are cut off: not listed above"),
    ] {
        if of.count_of(role) > 0 {
            let bytes = of.written(role)?;
            rows.push((bytes, format!("{} {what}", counted(bytes.count, "value"))));
        }
    }
    Ok(rows)
}
