//! The allocations of a buffer assignment.

use tensor_layout::LayoutError;
use tensor_layout_hlo::HloAllocations;
use tensor_layout_words::{counted, percent, printable, readable_bytes, to_u64};

use super::reading::unread;
use super::rows::SHOWN;

/// A readable page: sums by kind, the `top` greatest blocks (20 by default), and the values whose shapes
/// take a different number of bytes.
///
/// # Errors
/// `TooLarge`.
pub fn allocations(of: &HloAllocations, top: Option<usize>) -> Result<String, LayoutError> {
    let all = of.total()?;
    let mut page = format!("{:>11} {:>8}  allocations\n", "allocated", "share");
    let mut row = |bytes: u64, text: &str| {
        let share = percent(bytes, all);
        page += &format!("{:>11} {share:>8}  {text}\n", readable_bytes(bytes));
    };
    for (kind, (count, bytes)) in of.kinds() {
        row(bytes, &counted(count, kind));
    }
    row(all, "all together");
    let greatest = of.largest();
    for one in greatest.iter().take(top.unwrap_or(SHOWN)) {
        let values = counted(one.values, "value");
        row(one.size, &format!("line {}: {}, {values}: {}", one.line, one.kind, one.largest));
    }
    let hidden = greatest.len().saturating_sub(top.unwrap_or(SHOWN));
    if hidden > 0 {
        page += &format!("{:22}{hidden} more\n", "");
    }
    page += &comparison(of);
    page += &unread(of.reading());
    Ok(printable(&page).into_owned())
}

fn comparison(of: &HloAllocations) -> String {
    if of.compared == 0 {
        return String::new();
    }
    let values = counted(of.compared, "value");
    let others = to_u64(of.disagreements.len());
    let mut page = match others {
        0 => format!("{values} compared: the shapes take what XLA says\n"),
        _ => format!("{values} compared: {others} of the shapes do not take what XLA says\n"),
    };
    let lines = of.disagreements.iter().take(10);
    page.extend(lines.map(|(line, what)| format!("  line {line}: {what}\n")));
    page
}
