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
        let levels = traffic.into.iter().map(|(_, bytes)| *bytes);
        let all = levels.chain([traffic.received, traffic.sent]);
        let all = all.map(|bytes| readable_bytes(bytes.saturating_mul(times)));
        let steps = traffic.steps.map(|steps| steps.saturating_mul(times).to_string());
        all.chain(steps).map(|text| format!("{text:>11}")).join(" ")
    };
    let levels = of.total.into.iter().map(|(level, _)| format!("into {level}"));
    let head = levels.chain(["received".to_owned(), "one sends".to_owned()]);
    let head = head.chain(of.total.steps.map(|_| "steps".to_owned()));
    let mut page = head.map(|name| format!("{name:>11}")).join(" ") + "  collective\n";
    for entry in of.entries.iter().take(top.unwrap_or(SHOWN)) {
        let CollectiveEntry { name, opcode, line, op_name, traffic, runs, .. } = entry;
        let place = match (&entry.fusion, entry.role) {
            (Some(fusion), _) => format!(" in {fusion}"),
            (None, role) => place(role, &entry.computation),
        };
        let numbers = numbers(traffic, runs.times);
        let bound = if entry.is_at_most() { ", at most" } else { "" };
        let mark = runs.mark();
        page += &format!("{numbers}  {opcode} {name}, line {line}{place}{mark}{bound}\n");
        page += &origin(14, op_name.as_deref(), None);
        if entry.partitions_of_number > 1 {
            page += &format!(
                "{:14}groups of replicas, without `use_global_device_ids=true`: each replica is all {} partitions\n",
                "", entry.partitions_of_number
            );
        }
    }
    let count = |count: usize| counted(to_u64(count), "collective");
    let (all, bound) = (count(of.entries.len()), of.in_a_step.bound());
    page += &format!("{}  {bound}{all} in all\n", numbers(&of.total, 1));
    page += "received: by all devices together; one sends: the device that sends most\n";
    if of.total.steps.is_some() {
        page += "steps: of the busiest unit at the machine's bandwidth, one collective after the other\n";
    }
    page += &kinds_page(of);
    page += &unread(&of.reading);
    printable(&page).into_owned()
}

/// Returns rows of the bytes that one device sends, by kind and by the size of groups.
fn kinds_page(of: &Collectives) -> String {
    let mut kinds: BTreeMap<(CollectiveKind, u64), (u128, u64)> = BTreeMap::new();
    for CollectiveEntry { kind, group, traffic, runs, .. } in &of.entries {
        let (sent, count) = kinds.entry((*kind, *group)).or_default();
        *sent = sent.saturating_add(u128::from(traffic.sent) * u128::from(runs.times));
        *count = count.saturating_add(runs.times);
    }
    if kinds.len() < 2 {
        return String::new();
    }
    let line = |((kind, group), (sent, count)): (&(CollectiveKind, u64), &(u128, u64))| {
        let sent = readable_bytes(u64::try_from(*sent).unwrap_or(u64::MAX));
        let runs = counted(*count, "run");
        let among = match kind {
            CollectiveKind::Permute => String::new(),
            _ => format!(" among {group}"),
        };
        format!("{sent:>11}  {}{among}, {runs}\n", kind.name())
    };
    format!("\n  one sends  by kind\n{}", kinds.iter().map(line).collect::<String>())
}
