//! The differences of two dumps.

use itertools::Itertools;
use tensor_layout_hlo::{HloChange, HloChanges, HloSumChange};
use tensor_layout_words::{printable, readable_bytes};

use super::rows::{SHOWN, origin};

/// A readable page: the sums, and the `top` greatest differences (20 by default).
#[must_use]
pub fn changes(of: &HloChanges, top: Option<usize>) -> String {
    let line = |before: &str, after: &str, change: &str, text: &str| {
        format!("{before:>11} {after:>11} {change:>12}  {text}\n")
    };
    let known = |bytes: Option<u64>| bytes.map_or("-".to_owned(), readable_bytes);
    let mut page = line("before", "after", "change", "in all");
    for sum in &of.sums {
        let [before, after] = sum.bytes;
        let change = before.zip(after).map_or(String::new(), |(a, b)| difference(a, b));
        page += &line(&known(before), &known(after), &change, &sum_text(sum));
    }
    page += &format!("\n{}", line("before", "after", "change", "what"));
    let shown = top.unwrap_or(SHOWN);
    for row in of.rows.iter().take(shown) {
        let HloChange { kind, op_name, opcode, before, after, .. } = row;
        let change = difference(before.bytes, after.bytes);
        let [a, b] = [before, after].map(|of| match of.count {
            0 => "-".to_owned(),
            _ => readable_bytes(of.bytes),
        });
        let lines = [before, after].into_iter().filter(|of| of.count > 0);
        let counts = lines.map(|of| format!("{} from line {}", of.count, of.line)).join(" -> ");
        let text = format!("{} {}: {opcode}, {counts}", kind.name(), row.verb());
        page += &line(&a, &b, &change, &text);
        let op_name = if op_name.is_empty() { "(no op_name)" } else { op_name };
        page += &origin(13, Some(op_name), None);
    }
    let hidden = of.rows.len().saturating_sub(shown);
    let hidden = if hidden > 0 { format!("{hidden} more; ") } else { String::new() };
    page += &format!("{:38}{hidden}{} the same in both\n", "", of.same);
    printable(&page).into_owned()
}

/// `+1.00 MiB`, `-12 B`, `0 B`.
fn difference(before: u64, after: u64) -> String {
    let sign = match after.cmp(&before) {
        std::cmp::Ordering::Less => "-",
        std::cmp::Ordering::Equal => "",
        std::cmp::Ordering::Greater => "+",
    };
    format!("{sign}{}", readable_bytes(before.abs_diff(after)))
}

/// The name, and the bounds if there are any: `sent by one device, a run (before: at least)`.
fn sum_text(sum: &HloSumChange) -> String {
    let bound = |(dump, bound): (&str, &Option<&str>)| Some(format!("{dump}: {}", (*bound)?));
    let bounds = ["before", "after"].into_iter().zip(&sum.bounds).filter_map(bound).join(", ");
    let name = &sum.name;
    if bounds.is_empty() { name.clone() } else { format!("{name} ({bounds})") }
}
