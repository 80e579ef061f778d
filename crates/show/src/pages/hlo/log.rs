//! Messages of a log that memory ran out.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::Site;
use tensor_layout_hlo::{LogAllocation, LogAmount, LogLimit, OutOfMemory};
use tensor_layout_words::{counted, percent, printable, readable_bytes, to_u64};

use super::rows::{origin, row};

/// A readable page: the limits, the allocations with the sizes of their shapes, and the layout that would
/// save the most.
///
/// # Errors
/// `TooLarge`.
pub fn out_of_memory(of: &OutOfMemory, top: Option<usize>) -> Result<String, LayoutError> {
    let mut page = of.limits.iter().map(limit_line).collect::<String>();
    for (name, amount) in &of.parts {
        page += &format!("{:>11}  {name}\n", amount.to_string());
    }
    if !of.allocations.is_empty() {
        page += "\n";
        page += &row(["in the log", "by shape", "padding"], "allocation");
        let shown = top.unwrap_or(usize::MAX);
        page.extend(of.allocations.iter().take(shown).map(allocation_rows));
        page += &sums(of, shown)?;
    }
    Ok(printable(&page).into_owned())
}

fn sums(of: &OutOfMemory, shown: usize) -> Result<String, LayoutError> {
    let (bytes, padding) = of.total()?;
    let count = counted(to_u64(of.allocations.len()), "allocation");
    let hidden = of.allocations.len().saturating_sub(shown);
    let noted =
        |count: usize, what| if count > 0 { format!(", {count} {what}") } else { String::new() };
    let unknown = of.allocations.iter().filter(|one| one.bytes().is_none()).count();
    let (hidden, unknown) = (noted(hidden, "not shown"), noted(unknown, "of unknown size"));
    let (padding, share) = padding_texts(of, padding, bytes);
    let cells = [readable_bytes(bytes), String::new(), padding];
    let mut page = row(cells, &format!("{count} in all{hidden}{unknown}{share}"));
    if let Some(arguments) = of.arguments().and_then(LogAmount::bytes)
        && let Some(used) = of.limits.first().and_then(|limit| limit.needed.bytes())
    {
        let all = bytes.checked_add(arguments).ok_or_else(too_large)?;
        let [all, used] = [all, used].map(readable_bytes);
        page += &format!("with the arguments {all} of the {used} that are used\n");
    }
    if let Some(most) = of.largest_saving()
        && let Some(better) = &most.better
    {
        let saving = readable_bytes(most.saving());
        let array = &better.array;
        page += &format!("the largest saving: {saving}, line {} as {array}\n", most.line);
    }
    Ok(page)
}

/// The padding of all allocations and its share: a lower bound where that of some is not known.
fn padding_texts(of: &OutOfMemory, padding: u64, bytes: u64) -> (String, String) {
    let unknown = of.allocations.iter().filter(|one| one.padding().is_none()).count();
    let bound = match unknown {
        0 => "",
        all if all == of.allocations.len() => return ("?".to_owned(), String::new()),
        _ => "at least ",
    };
    (readable_bytes(padding), format!(", {bound}{} padding", percent(padding, bytes)))
}

/// The error for a sum of sizes beyond 64 bits.
fn too_large() -> LayoutError {
    LayoutError::too_large(Site::Layout, "the total size in bytes")
}

fn limit_line(limit: &LogLimit) -> String {
    let LogLimit { line, memory, needed, capacity, purpose, .. } = limit;
    let capacity = capacity.map(|capacity| format!(" of {capacity}")).unwrap_or_default();
    let purpose = purpose.as_ref().map(|purpose| format!(", for {purpose}")).unwrap_or_default();
    format!("line {line}: {memory} needs {needed}{capacity}{purpose}\n")
}

fn allocation_rows(one: &LogAllocation) -> String {
    let size = one.size.map_or("?".to_owned(), |size| size.to_string());
    let ours = one.sizes.map_or("?".to_owned(), |sizes| readable_bytes(sizes.allocated_bytes));
    let padding = one.padding().map_or("?".to_owned(), readable_bytes);
    let name = one.label.as_deref().map(|label| label.split(" = ").next().unwrap_or(label));
    let what = [name, one.kind.as_deref()].into_iter().flatten().join(", ");
    let mut rows = row([size, ours, padding], &format!("line {}: {what}", one.line));
    let mut say = |text: &str| rows += &format!("{:13}{text}\n", "");
    if let Some(shape) = &one.shape {
        say(shape);
    }
    let origin = origin(13, one.op_name.as_deref(), one.source.as_deref());
    if let Some(refusal) = &one.refusal {
        say(&format!("this shape cannot be read: {refusal}"));
    }
    match &one.tiled {
        Some(tiled) => {
            say(&format!("the layout in the log lacks its tiles; {tiled} takes that much"));
        }
        None if one.sizes.is_some() && one.size.is_some() && !one.agrees() => {
            say("the shape would take another amount; the log's is used here");
        }
        None => {}
    }
    if let Some(better) = &one.better {
        let [bytes, saving] = [better.allocated_bytes, one.saving()].map(readable_bytes);
        say(&format!("{bytes} as {}: {saving} less", better.array));
    }
    rows + &origin
}
