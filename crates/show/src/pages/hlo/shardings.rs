//! The bytes that one device holds.

use tensor_layout_hlo::{HloOnDevice, HloSharded, HloShardings};
use tensor_layout_words::{counted, printable, readable_bytes, to_u64};

use super::reading::unread;
use super::rows::{SHOWN, origin, partitioned, row};

/// A readable page: the `top` instructions by bytes on one device (20 by default), and the bytes of the
/// entries' parameters and results on one device.
#[must_use]
pub fn shardings(of: &HloShardings, top: Option<usize>) -> String {
    let mut page = row(["on a device", "padding", "whole"], "instruction");
    for entry in of.entries().iter().take(top.unwrap_or(SHOWN)) {
        let HloSharded { name, opcode, line: number, shape, sharding, .. } = entry;
        let device = entry.device;
        let cells = [device.allocated, device.padding(), entry.whole_bytes];
        page += &row(cells.map(readable_bytes), &format!("{opcode} {name}, line {number}"));
        page += &format!("{:13}{shape}, sharding={sharding}\n", "");
        page += &origin(13, entry.op_name.as_deref(), None);
    }
    let hidden = of.entries().len().saturating_sub(top.unwrap_or(SHOWN));
    if hidden > 0 {
        page += &row([""; 3], &format!("{hidden} more"));
    }
    if of.entries().is_empty() {
        page += &row([""; 3], "no instruction has a sharding");
    }
    let HloOnDevice { parameters, result } = of.on_device();
    for (what, bytes) in [("parameter", parameters), ("result", result)] {
        let [held, padding] = [bytes.allocated, bytes.padding()].map(readable_bytes);
        let text = format!("{} of the entry", counted(bytes.count, what));
        page += &row([&*held, &*padding, ""], &text);
    }
    page += match of.partitions() {
        None => "instructions without a sharding are counted whole\n",
        Some(_) => "",
    };
    page += &partitioned(of.partitions());
    let left_over = to_u64(of.left_over());
    if left_over > 0 {
        let count = counted(left_over, "sharding");
        let describes = if left_over == 1 { "it describes" } else { "they describe" };
        page +=
            &format!("{count} left over from before partitioning; {describes} the whole tensor\n");
    }
    page += &unread(of.reading());
    printable(&page).into_owned()
}
