//! The memory of modules.

use std::fmt::Write;

use tensor_layout_hlo::{
    HloInterfaceBytes, HloLive, HloMemory, HloMemorySpace, HloModuleMemory, HloPeak,
};
use tensor_layout_words::{counted, percent, printable, readable_bytes, to_u64};

use super::reading::unread;
use super::rows::origin;

/// The number of buffers on a page by default.
const SHOWN: usize = 10;

/// A readable page: the arguments and results of every module, and the `top` greatest buffers at its
/// peaks (10 by default).
#[must_use]
pub fn memory(of: &HloMemory, top: Option<usize>) -> String {
    let pages = of.modules().iter().map(|module| module_page(module, top));
    let mut page = itertools::join(pages, "\n");
    page += &unread(of.reading());
    printable(&page).into_owned()
}
fn module_page(of: &HloModuleMemory, top: Option<usize>) -> String {
    let mut page = format!("module {}, entry {}\n", of.module, of.entry.as_deref().unwrap_or("-"));
    for (space, bytes) in &of.interface {
        page += &interface_line(*space, *bytes);
    }
    for donor in &of.unused_donors {
        page += &format!("{}\n", donor.describe());
    }
    if of.unsized_count > 0 {
        let count = counted(of.unsized_count, "instruction");
        page += &format!("{count} without a size, not counted\n");
    }
    let bound = if of.is_at_least { "at least " } else { "" };
    match &of.peaks {
        Err(why) => page += &format!("{why}\n"),
        Ok(peaks) => page.extend(peaks.iter().map(|peak| peak_page(peak, bound, top))),
    }
    page
}

fn interface_line(space: HloMemorySpace, bytes: HloInterfaceBytes) -> String {
    let [arguments, outputs, aliased] =
        [bytes.arguments, bytes.outputs, bytes.aliased].map(readable_bytes);
    let donated = match bytes.aliased {
        0 => String::new(),
        _ => format!(" ({aliased} donated to results)"),
    };
    format!("{space}: arguments {arguments}{donated}, results {outputs}\n")
}

fn peak_page(peak: &HloPeak, bound: &str, top: Option<usize>) -> String {
    let HloPeak { space, bytes, name, line, op_name, .. } = peak;
    let [live, padding] = [bytes.allocated, bytes.padding()].map(readable_bytes);
    let mut page = format!("\n{space}: {bound}{live} live at the peak, by the schedule");
    let _ = match space.0 {
        0 => writeln!(page, "; XLA allocates this or somewhat more"),
        _ => writeln!(page),
    };
    let share = percent(bytes.padding(), bytes.allocated);
    page += &format!("{padding} of it padding ({share}); at {name}, line {line}\n");
    page += &origin(2, op_name.as_deref(), None);
    page += &format!("{:>11} {:>11} {:>8}  buffer\n", "allocated", "padding", "together");
    let (mut sum, shown) = (0_u64, top.unwrap_or(SHOWN));
    for live in peak.live.iter().take(shown) {
        sum = sum.saturating_add(live.bytes.allocated);
        page += &live_row(live, &percent(sum, bytes.allocated));
    }
    let hidden = bytes.count.saturating_sub(to_u64(peak.live.len().min(shown)));
    if hidden > 0 {
        let rest = readable_bytes(bytes.allocated.saturating_sub(sum));
        page += &format!("{rest:>11} {:>11} {:>8}  {hidden} more\n", "", "100.0 %");
    }
    page
}

fn live_row(live: &HloLive, together: &str) -> String {
    let HloLive { name, opcode, place, line, lives: (from, to), .. } = live;
    let [allocated, padding] = [live.bytes.allocated, live.bytes.padding()].map(readable_bytes);
    let text = format!("{opcode} {name}{place}, line {line}");
    let mut row = format!("{allocated:>11} {padding:>11} {together:>8}  {text}\n");
    row += &format!("{:13}{}, live in lines {from} to {to}\n", "", live.shape);
    row + &origin(13, live.op_name.as_deref(), live.source.as_deref())
}
