//! The cost of a memory access by the threads of a GPU.

use tensor_layout::access::{Access, AddressChange, ChangedAccess};
use tensor_layout_words::{counted, percent};

/// The most changes of each kind that a page shows.
const MOST_SHOWN: usize = 4;

/// The cost of an access, and the changes that lower it: swizzles, then paddings.
#[must_use]
pub fn access(cost: &Access, better: &[Vec<ChangedAccess>; 2]) -> String {
    let requests = counted(cost.requests, "request");
    let mut page = format!(
        "vectors  {} a lane, {requests}\nshared   {}, {} without conflicts\n",
        counted(cost.vector_bytes, "byte"),
        counted(cost.wavefronts, "wavefront"),
        cost.ideal_wavefronts,
    );
    if let Some(worst) = cost.worst.as_ref().filter(|_| cost.conflicts() > 0) {
        let first =
            worst.addresses.iter().take(4).map(u64::to_string).collect::<Vec<_>>().join(" ");
        let more = if worst.addresses.len() > 4 { " .." } else { "" };
        let warp = match worst.warp.iter().len() {
            0 => String::new(),
            _ => format!("{}, ", worst.warp),
        };
        page.push_str(&format!(
            "         worst: {warp}vector {}: {} for the bytes at {first}{more}\n",
            worst.vector,
            counted(worst.wavefronts, "wavefront"),
        ));
    }
    let used = match cost.sectors {
        0 => String::new(),
        sectors => format!(", {} used", percent(cost.distinct_bytes, 32 * sectors)),
    };
    page.push_str(&format!(
        "global   {} of 32 bytes in {}{used}\n",
        counted(cost.sectors, "sector"),
        counted(cost.lines, "line"),
    ));
    let [swizzles, paddings] = better;
    page + &advice("swizzle", swizzles) + &advice("padding", paddings)
}

/// The best changes of one kind.
fn advice(kind: &str, found: &[ChangedAccess]) -> String {
    if found.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = changes(found).take(MOST_SHOWN).map(line).collect();
    if lines.is_empty() {
        return format!("\nno {kind} takes fewer wavefronts\n");
    }
    let more = found.len().saturating_sub(MOST_SHOWN);
    let more = if more > 0 { format!("  and {more} more\n") } else { String::new() };
    format!("\nbest {kind}s of the memory, in elements:\n{}{more}", lines.concat())
}

/// The changes among the layouts that a search found, without the layout as it is.
pub fn changes(found: &[ChangedAccess]) -> impl Iterator<Item = (AddressChange, &ChangedAccess)> {
    found.iter().filter_map(|found| Some((found.change?, found)))
}

/// A change and its cost, which for padding includes memory.
fn line((change, found): (AddressChange, &ChangedAccess)) -> String {
    let wavefronts = counted(found.access.wavefronts, "wavefront");
    match change {
        AddressChange::Padding { .. } => {
            let memory = counted(found.extent, "element");
            let layout =
                found.memory.to_cute().map_or_else(|_| String::new(), |cute| format!(": {cute}"));
            format!("  {change}  {wavefronts}, {memory} of memory{layout}\n")
        }
        _ => format!("  {change}  {wavefronts}\n"),
    }
}
