//! The cost of a memory access by the threads of a GPU.

use tensor_layout::notation::CuteLayout;
use tensor_layout_access::{Access, AddressChange, ChangedAccess, Gpu, Request};
use tensor_layout_words::{counted, percent};

/// The most changes of each kind that a page shows.
const MOST_SHOWN: usize = 4;

/// The costs of the accesses to a memory, and the changes that lower them: swizzles, then paddings.
#[must_use]
pub fn access(costs: &[Access], better: &[Vec<ChangedAccess>; 2]) -> String {
    let page = match costs {
        [cost] => one(cost),
        _ => costs.iter().map(headed).collect::<Vec<_>>().join("\n"),
    };
    let [swizzles, paddings] = better;
    page + &advice("swizzle", swizzles) + &advice("padding", paddings)
}

/// One of several accesses.
fn headed(cost: &Access) -> String {
    let heading = if cost.instruction.is_store { "stores" } else { "loads" };
    format!("{heading}\n{}", one(cost))
}

/// One access.
fn one(cost: &Access) -> String {
    let mut page = repeated(&cost.repeats);
    page.push_str(&format!(
        "vectors  {} a lane, {}\nshared   {}, {} without conflicts\n",
        counted(cost.vector_bytes, "byte"),
        counted(cost.requests, "request"),
        counted(cost.wavefronts, "wavefront"),
        cost.ideal_wavefronts,
    ));
    let worst = cost.worst.as_ref().filter(|_| cost.conflicts() > 0);
    page + &worst.map(worst_request).unwrap_or_default() + &global(cost)
}

/// How often holders of a part of the memory stand beside each other in it.
fn repeated(repeats: &[u64]) -> String {
    match repeats.iter().all(|repeats| *repeats == 1) {
        true => String::new(),
        false => {
            let times = repeats.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
            format!("holders  {times} times over the memory\n")
        }
    }
}

/// The request with the most wavefronts.
fn worst_request(worst: &Request) -> String {
    let first = worst.addresses.iter().take(4).map(u64::to_string).collect::<Vec<_>>().join(" ");
    let more = if worst.addresses.len() > 4 { " .." } else { "" };
    let warp = match worst.warp.iter().len() {
        0 => String::new(),
        _ => format!("{}, ", worst.warp),
    };
    format!(
        "         worst: {warp}vector {}: {} for the bytes at {first}{more}\n",
        worst.vector,
        counted(worst.wavefronts, "wavefront"),
    )
}

/// What global memory moves: sectors and their lines on NVIDIA, lines on AMD.
fn global(cost: &Access) -> String {
    let used = match cost.moved_bytes() {
        0 => String::new(),
        moved => format!(", {} used", percent(cost.distinct_bytes, moved)),
    };
    let lines = counted(cost.lines, "line");
    match cost.instruction.gpu {
        Gpu::Nvidia => {
            format!("global   {} of 32 bytes in {lines}{used}\n", counted(cost.sectors, "sector"))
        }
        _ => format!("global   {lines} of 128 bytes{used}\n"),
    }
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
    let wavefronts = wavefronts(&found.accesses);
    match change {
        AddressChange::Padding { .. } => {
            let memory = counted(found.extent, "element");
            let layout = CuteLayout::of(&found.memory)
                .map_or_else(|_| String::new(), |cute| format!(": {cute}"));
            format!("  {change}  {wavefronts}, {memory} of memory{layout}\n")
        }
        _ => format!("  {change}  {wavefronts}\n"),
    }
}

/// `4 wavefronts`, or `64 + 32 wavefronts` of several accesses.
fn wavefronts(accesses: &[Access]) -> String {
    match accesses {
        [access] => counted(access.wavefronts, "wavefront"),
        _ => {
            let each = accesses.iter().map(|access| access.wavefronts.to_string());
            format!("{} wavefronts", each.collect::<Vec<_>>().join(" + "))
        }
    }
}
