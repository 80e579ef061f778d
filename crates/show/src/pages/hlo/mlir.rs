//! The tensors of a module in MLIR.

use tensor_layout_hlo::{MlirModule, MlirValue};
use tensor_layout_words::{counted, printable, readable_bytes};

use super::reading::unread;
use super::rows::SHOWN;

/// A readable page: the `top` tensors by bytes on one device (20 by default), and the sums of arguments
/// and results of `@main`.
#[must_use]
pub fn mlir(of: &MlirModule, top: Option<usize>) -> String {
    let row = |device: u64, whole: u64, text: &str| {
        let [device, whole] = [device, whole].map(readable_bytes);
        format!("{device:>11} {whole:>11}  {text}\n")
    };
    let mut page = format!("{:>11} {:>11}  tensor\n", "on a device", "whole");
    let values = of.largest();
    for value in values.iter().take(top.unwrap_or(SHOWN)) {
        let MlirValue { function, kind, name, line, shape, .. } = value;
        let donated = if value.is_donated { ", donated" } else { "" };
        let memory = value.other_memory().map_or(String::new(), |of| format!(", in {of}"));
        let text = format!("{kind} {name} of @{function}, line {line}{donated}{memory}");
        page += &row(value.device_bytes, value.whole_bytes, &text);
        let sharding = value.sharding.as_deref().map(|text| format!(", sharding={text}"));
        page += &format!("{:13}{shape}{}\n", "", sharding.unwrap_or_default());
    }
    let hidden = values.len().saturating_sub(top.unwrap_or(SHOWN));
    if hidden > 0 {
        page += &format!("{:25}{hidden} more\n", "");
    }
    let bound = if of.reading().is_complete() { "" } else { "at least " };
    for (kind, memory, [count, device, whole]) in of.sums() {
        let memory = memory.map_or(String::new(), |of| format!(", in {of}"));
        let what = format!("{bound}{} of @main{memory}", counted(count, kind));
        page += &row(device, whole, &what);
    }
    if of.values.iter().any(|value| value.sharding.is_none()) {
        page += "values without a sharding are counted whole on every device\n";
    }
    page += "bodies are not read: the after_optimizations.txt of a dump has the instructions that run\n";
    page += &unread(of.reading());
    printable(&page).into_owned()
}
