//! What collectives send.

use std::collections::BTreeMap;

use itertools::Itertools;
use tensor_layout_hlo::{CollectiveEntry, CollectiveKind, CollectiveTraffic, Collectives};
use tensor_layout_words::{counted, printable, readable_bytes, to_u64};

use super::reading::unread;
use super::rows::{SHOWN, origin, place};

/// A readable page: the `top` worst collectives (20 by default), the sum, sums by kind, and the
/// instructions that could not be read.
#[must_use]
pub fn collectives(of: &Collectives, top: Option<usize>) -> String {
    let numbers = |traffic: &CollectiveTraffic, times: u64| {
        columns(traffic, times).iter().map(|(_, number)| format!("{number:>11}")).join(" ")
    };
    let head = columns(&of.total, 1);
    let head = head.iter().map(|(name, _)| format!("{name:>11}")).join(" ");
    let mut page = head + "  collective\n";
    for entry in of.entries.iter().take(top.unwrap_or(SHOWN)) {
        let numbers = numbers(&entry.traffic, entry.runs.times);
        page += &format!("{numbers}  {}\n", instruction(entry));
        page += &origin(14, entry.op_name.as_deref(), None);
        page.extend(replicas(entry).map(|line| format!("{:14}{line}\n", "")));
    }
    page += &format!("{}  {}\n", numbers(&of.total, 1), in_all(of));
    page += &format!("{MEANING}\n");
    if of.total.steps.is_some() {
        page += "steps: of the busiest unit at the machine's bandwidth, one collective after the other\n";
    }
    page += &kinds_page(of);
    page += &axes_page(of);
    page += &unread(&of.reading);
    printable(&page).into_owned()
}

/// The names of the columns, and the numbers of a collective that runs some times.
pub(super) fn columns(of: &CollectiveTraffic, times: u64) -> Vec<(String, String)> {
    let levels = of.into.iter().map(|(level, bytes)| (format!("into {level}"), *bytes));
    let devices = [("received".to_owned(), of.received), ("one sends".to_owned(), of.sent)];
    let bytes = levels.chain(devices);
    let bytes = bytes.map(|(name, bytes)| (name, readable_bytes(bytes.saturating_mul(times))));
    let steps = of.steps.map(|steps| ("steps".to_owned(), steps.saturating_mul(times).to_string()));
    bytes.chain(steps).collect()
}

/// The meaning of the columns.
pub(super) const MEANING: &str =
    "received: by all devices together; one sends: the device that sends most";

/// The name and the place of a collective, and the number of times it runs.
pub(super) fn instruction(of: &CollectiveEntry) -> String {
    let CollectiveEntry { name, opcode, line, .. } = of;
    let place = match (&of.fusion, of.role) {
        (Some(fusion), _) => format!(" in {fusion}"),
        (None, role) => place(role, &of.computation),
    };
    let bound = if of.is_at_most() { ", at most" } else { "" };
    format!("{opcode} {name}, line {line}{place}{}{bound}", of.runs.mark())
}

/// The partitions that each number in the groups of a collective stands for, if there are several.
pub(super) fn replicas(of: &CollectiveEntry) -> Option<String> {
    let CollectiveEntry { partitions_of_number: count, .. } = of;
    (*count > 1).then(|| {
        format!("groups of replicas, without `use_global_device_ids=true`: each replica is all {count} partitions")
    })
}

/// The number of collectives, and the certainty of their sum.
pub(super) fn in_all(of: &Collectives) -> String {
    let count = counted(to_u64(of.entries.len()), "collective");
    format!("{}{count} in all", of.in_a_step.bound())
}

fn kinds_page(of: &Collectives) -> String {
    let kinds = kinds(of);
    if kinds.len() < 2 { String::new() } else { sums_page("by kind", &kinds) }
}

fn axes_page(of: &Collectives) -> String {
    let axes = axes(of);
    if axes.is_empty() { String::new() } else { sums_page("by axis of the mesh", &axes) }
}

/// The sums of what one device sends.
fn sums_page(by: &str, sums: &[(u64, String)]) -> String {
    let line = |(sent, what): &(u64, String)| format!("{:>11}  {what}\n", readable_bytes(*sent));
    format!("\n  one sends  {by}\n{}", sums.iter().map(line).collect::<String>())
}

/// The bytes that one device sends, by kind and by the size of groups.
pub(super) fn kinds(of: &Collectives) -> Vec<(u64, String)> {
    let name = |((kind, group), runs): ((CollectiveKind, u64), String)| match kind {
        CollectiveKind::Permute => format!("{}, {runs}", kind.name()),
        _ => format!("{} among {group}, {runs}", kind.name()),
    };
    sums(of, |entry| (entry.kind, entry.group), name)
}

/// The bytes that one device sends, by the axes of the mesh along which it sends; nothing where no axis is known.
pub(super) fn axes(of: &Collectives) -> Vec<(u64, String)> {
    if of.entries.iter().all(|entry| entry.axes.is_none()) {
        return Vec::new();
    }
    let name = |(axes, runs): (Option<&[String]>, String)| match axes {
        None => format!("along axes that are not known, {runs}"),
        Some([]) => format!("along no axis, {runs}"),
        Some(axes) => format!("along {}, {runs}", axes.join(" and ")),
    };
    sums(of, |entry| entry.axes.as_deref(), name)
}

/// The bytes that one device sends, by a key, each with a name that has the number of runs.
fn sums<'a, K: Ord>(
    of: &'a Collectives,
    key: impl Fn(&'a CollectiveEntry) -> K,
    name: impl Fn((K, String)) -> String,
) -> Vec<(u64, String)> {
    let mut sums: BTreeMap<K, (u128, u64)> = BTreeMap::new();
    for entry in &of.entries {
        let (sent, count) = sums.entry(key(entry)).or_default();
        let times = entry.runs.times;
        *sent = sent.saturating_add(u128::from(entry.traffic.sent) * u128::from(times));
        *count = count.saturating_add(times);
    }
    let row = |(key, (sent, count)): (K, (u128, u64))| {
        let sent = u64::try_from(sent).unwrap_or(u64::MAX);
        (sent, name((key, counted(count, "run"))))
    };
    sums.into_iter().map(row).collect()
}
