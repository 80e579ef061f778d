//! The memory of modules.

use tensor_layout_hlo::{
    HloInterfaceBytes, HloLive, HloMemory, HloMemorySpace, HloModuleMemory, HloPeak, HloUnusedDonor,
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
    let mut page = format!("{}\n", module_name(of));
    page.extend(interface_lines(of).map(|line| line + "\n"));
    match &of.peaks {
        Err(why) => page += &format!("{why}\n"),
        Ok(peaks) => page.extend(peaks.iter().map(|peak| peak_page(of, peak, top))),
    }
    page
}

/// The name of a module and of its entry.
pub(super) fn module_name(of: &HloModuleMemory) -> String {
    format!("module {}, entry {}", of.module, of.entry.as_deref().unwrap_or("-"))
}

/// Arguments and results of a module, whether they may be those of all devices, donations in vain, and what is not counted.
pub(super) fn interface_lines(of: &HloModuleMemory) -> impl Iterator<Item = String> {
    let spaces = of.interface.iter().map(|(space, bytes)| interface_line(*space, *bytes));
    let donors = of.unused_donors.iter().map(HloUnusedDonor::describe);
    let count = counted(of.unsized_count, "instruction");
    let not_counted =
        (of.unsized_count > 0).then(|| format!("{count} without a size, not counted"));
    let whole = of.may_be_partitioned_over.map(|count| {
        format!(
            "not scheduled: these may be whole arrays, of which each of {count} devices has a part"
        )
    });
    spaces.chain(whole).chain(donors).chain(not_counted)
}

fn interface_line(space: HloMemorySpace, bytes: HloInterfaceBytes) -> String {
    let [arguments, outputs, aliased] =
        [bytes.arguments, bytes.outputs, bytes.aliased].map(readable_bytes);
    let donated = match bytes.aliased {
        0 => String::new(),
        _ => format!(" ({aliased} donated to results)"),
    };
    format!("{space}: arguments {arguments}{donated}, results {outputs}")
}

fn peak_page(of: &HloModuleMemory, peak: &HloPeak, top: Option<usize>) -> String {
    let mut page = format!("\n{}\n{}\n", peak_title(of, peak), peak_place(peak));
    page += &origin(2, peak.op_name.as_deref(), None);
    page += &format!("{:>11} {:>11} {:>8}  buffer\n", "allocated", "padding", "together");
    page.extend(live_rows(peak, top).map(|(live, together)| live_row(live, &together)));
    if let Some((rest, hidden)) = live_rest(peak, top) {
        page += &format!("{rest:>11} {:>11} {:>8}  {hidden}\n", "", "100.0 %");
    }
    page
}

/// The bytes that are live at a peak.
pub(super) fn peak_title(of: &HloModuleMemory, peak: &HloPeak) -> String {
    let (space, live) = (peak.space, readable_bytes(peak.bytes.allocated));
    let bound = if of.is_at_least { "at least " } else { "" };
    let behind = if space.0 == 0 { "; XLA allocates this or somewhat more" } else { "" };
    format!("{space}: {bound}{live} live at the peak, by the schedule{behind}")
}

/// The padding in a peak, and its place.
pub(super) fn peak_place(peak: &HloPeak) -> String {
    let HloPeak { bytes, name, line, .. } = peak;
    let (padding, share) = (bytes.padding(), percent(bytes.padding(), bytes.allocated));
    format!("{} of it padding ({share}); at {name}, line {line}", readable_bytes(padding))
}

/// The greatest buffers of a peak, each with the share that it takes together with those before it.
pub(super) fn live_rows(
    peak: &HloPeak,
    top: Option<usize>,
) -> impl Iterator<Item = (&HloLive, String)> {
    let shown = peak.live.iter().take(top.unwrap_or(SHOWN));
    shown.scan(0_u64, |sum, live| {
        *sum = sum.saturating_add(live.bytes.allocated);
        Some((live, percent(*sum, peak.bytes.allocated)))
    })
}

/// The bytes and the number of the buffers that are live at a peak and not shown.
pub(super) fn live_rest(peak: &HloPeak, top: Option<usize>) -> Option<(String, String)> {
    let shown = || peak.live.iter().take(top.unwrap_or(SHOWN));
    let hidden = peak.bytes.count.saturating_sub(to_u64(shown().count()));
    let sum = shown().fold(0, |sum: u64, live| sum.saturating_add(live.bytes.allocated));
    let rest = || readable_bytes(peak.bytes.allocated.saturating_sub(sum));
    (hidden > 0).then(|| (rest(), format!("{hidden} more")))
}

fn live_row(live: &HloLive, together: &str) -> String {
    let [allocated, padding] = [live.bytes.allocated, live.bytes.padding()].map(readable_bytes);
    let mut row = format!("{allocated:>11} {padding:>11} {together:>8}  {}\n", live_name(live));
    row += &format!("{:13}{}\n", "", live_shape(live));
    row + &origin(13, live.op_name.as_deref(), live.source.as_deref())
}

/// The instruction of a buffer.
pub(super) fn live_name(live: &HloLive) -> String {
    let HloLive { name, opcode, place, line, .. } = live;
    format!("{opcode} {name}{place}, line {line}")
}

/// The shape of a buffer, and the lines in which it is live.
pub(super) fn live_shape(live: &HloLive) -> String {
    let (from, to) = live.lives;
    format!("{}, live in lines {from} to {to}", live.shape)
}
