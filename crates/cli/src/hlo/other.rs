//! Reports of `hlo` for files that are not dumps: logs, buffer assignments, StableHLO.

use std::io::{BufRead, Read};

use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout_hlo::{
    HloAllocations, HloReading, HloTextKind, LogAllocation, LogAmount, MlirModule, OutOfMemory,
};
use tensor_layout_show::pages::hlo as pages;
use tensor_layout_words::to_u64;

use super::rows::unread_json;
use crate::failure::Failure;
use crate::input::ReportFormat;

/// The number of leading bytes from which the kind of a file is detected.
const HEAD: u64 = 1 << 20;

/// The number of leading bytes in which an out-of-memory message is sought: the log of a training run has
/// many steps before it.
const LOG: u64 = 1 << 26;

/// The greatest size of a log or a module that is not HLO, which has to fit in memory.
const LONGEST: u64 = 1 << 30;

/// The kind of a text, and the text again from its beginning.
pub(super) fn told(
    mut input: Box<dyn BufRead + Send>,
) -> std::io::Result<(HloTextKind, Box<dyn BufRead + Send>)> {
    let mut head = Vec::new();
    input.by_ref().take(HEAD).read_to_end(&mut head)?;
    let mut kind = HloTextKind::of(&head);
    let has = |words: &[u8]| head.windows(words.len()).any(|part| part == words);
    if kind == HloTextKind::Dump && !has(b"HloModule ") && !has(b"ENTRY ") {
        input.by_ref().take(LOG - HEAD).read_to_end(&mut head)?;
        if HloTextKind::of(&head) == HloTextKind::OutOfMemory {
            kind = HloTextKind::OutOfMemory;
        }
    }
    Ok((kind, Box::new(std::io::Cursor::new(head).chain(input))))
}

/// A page or JSON about a text that is not a dump, and the lines that could not be read.
pub(super) struct OtherAnswer {
    pub(super) text: String,
    pub(super) unread: HloReading,
}

/// Reads a text of a kind that is not a dump.
pub(super) fn answer(
    kind: HloTextKind,
    file: &str,
    input: &mut dyn BufRead,
    format: ReportFormat,
    top: Option<usize>,
) -> Result<OtherAnswer, Failure> {
    if let Some(instead) = kind.instead() {
        return Err(Failure::Advised(
            format!("{file} is {kind}, which is not read"),
            instead.into(),
        ));
    }
    if format == ReportFormat::Csv {
        return Err(Failure::Argument(format!("{kind} is reported as text or as JSON")));
    }
    let mut bytes = Vec::new();
    let read = input.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Io(file.into(), error))?;
    if to_u64(bytes.len()) > LONGEST {
        let why = format!("{file} is {kind} of more than 1 GiB");
        return Err(Failure::Advised(why, "pass the part that is about memory".into()));
    }
    let text = String::from_utf8_lossy(&bytes);
    let is_json = format == ReportFormat::Json;
    let shown = top.unwrap_or(usize::MAX);
    let (page, rows, unread) = match kind {
        HloTextKind::OutOfMemory => {
            let found = OutOfMemory::read_all(&text);
            let pages: Vec<_> =
                found.iter().map(|message| pages::out_of_memory(message, top)).try_collect()?;
            let rows = || found.iter().map(|one| out_of_memory_json(one, shown));
            let json = if is_json { rows().collect::<Result<Vec<_>, _>>()? } else { Vec::new() };
            let unread =
                found.iter().fold(HloReading::default(), |all, message| all.and(message.reading()));
            (pages.join("\n") + &pages::reading(&unread), json!({ "messages": json }), unread)
        }
        HloTextKind::Mlir => {
            let found = MlirModule::read(&text);
            let json = if is_json { mlir_json(&found, shown) } else { Value::Null };
            (pages::mlir(&found, top), json, found.reading().clone())
        }
        _ => {
            let found = HloAllocations::read(&text);
            let json = if is_json { allocations_json(&found, shown)? } else { Value::Null };
            (pages::allocations(&found, top)?, json, found.reading().clone())
        }
    };
    let others = kind.others(&text);
    let (page, unread) = (page + &pages::reading(&others), unread.and(&others));
    let json = || {
        let kind = kind.to_string();
        let complete = unread.is_complete();
        let unread = unread.lines.iter().map(unread_json).collect::<Vec<_>>();
        json!({ "kind": kind, "found": rows, "complete": complete, "unread_lines": unread })
    };
    Ok(OtherAnswer { text: if is_json { format!("{}\n", json()) } else { page }, unread })
}

fn amount_json(amount: Option<LogAmount>) -> Value {
    json!({ "text": amount.map(|of| of.to_string()), "bytes": amount.and_then(LogAmount::bytes) })
}

fn out_of_memory_json(found: &OutOfMemory, shown: usize) -> Result<Value, LayoutError> {
    let limits = found.limits.iter().map(|limit| {
        json!({
            "line": limit.line, "memory": limit.memory, "needed": amount_json(Some(limit.needed)),
            "capacity": amount_json(limit.capacity), "purpose": limit.purpose,
        })
    });
    let parts = found
        .parts
        .iter()
        .map(|(name, amount)| json!({ "name": name, "amount": amount_json(Some(*amount)) }));
    let allocations = found.allocations.iter().take(shown).map(allocation_json);
    let (bytes, padding) = found.total()?;
    Ok(json!({
        "limits": limits.collect::<Vec<_>>(),
        "parts": parts.collect::<Vec<_>>(),
        "allocations": allocations.collect::<Vec<_>>(),
        "listed_bytes": bytes,
        "waste_bytes": padding,
    }))
}

fn allocation_json(one: &LogAllocation) -> Value {
    let better = one.better.as_ref().map(|better| {
        json!({ "shape": better.array.to_string(), "allocated_bytes": better.allocated_bytes })
    });
    json!({
        "line": one.line,
        "size": amount_json(one.size),
        "shape": one.shape,
        "allocated_bytes": one.sizes.map(|sizes| sizes.allocated_bytes),
        "unpadded_bytes": one.sizes.map(|sizes| sizes.unpadded_bytes),
        "waste_bytes": one.padding(),
        "agrees": one.agrees(),
        "tiled": one.tiled.as_ref().map(ToString::to_string),
        "better": better,
        "label": one.label,
        "kind": one.kind,
        "op_name": one.op_name,
        "source": one.source,
        "error": one.refusal,
    })
}

fn allocations_json(found: &HloAllocations, shown: usize) -> Result<Value, LayoutError> {
    // The sums by kind are exact if that of all is.
    found.total()?;
    let blocks = found.largest().into_iter().take(shown).map(|one| {
        json!({
            "line": one.line, "kind": one.kind, "allocated_bytes": one.size, "values": one.values,
            "largest": one.largest,
        })
    });
    let kinds = found.kinds().into_iter();
    let kinds = kinds.map(
        |(kind, (count, bytes))| json!({ "kind": kind, "count": count, "allocated_bytes": bytes }),
    );
    let differ = found.disagreements.iter();
    let differ = differ.map(|(line, reason)| json!({ "line": line, "reason": reason }));
    Ok(json!({
        "kinds": kinds.collect::<Vec<_>>(),
        "allocations": blocks.collect::<Vec<_>>(),
        "compared_values": found.compared,
        "disagreements": differ.collect::<Vec<_>>(),
    }))
}

fn mlir_json(found: &MlirModule, shown: usize) -> Value {
    let values = found.largest().into_iter().take(shown).map(|value| {
        json!({
            "function": value.function, "kind": value.kind, "name": value.name, "line": value.line,
            "shape": value.shape, "sharding": value.sharding, "memory_kind": value.memory_kind, "donated": value.is_donated,
            "whole_bytes": value.whole_bytes, "device_bytes": value.device_bytes,
        })
    });
    json!({ "values": values.collect::<Vec<_>>() })
}
