//! Rows of reports on dumps, as JSON and CSV.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde_json::{Map, Value, json};
use tensor_layout::LayoutError;
use tensor_layout_hlo::{
    CollectiveTraffic, Collectives, HloBytes, HloChanges, HloComputationTotals, HloCopy,
    HloInterfaceBytes, HloLive, HloMemory, HloModuleMemory, HloOnDevice, HloPeak, HloReading,
    HloReport, HloRow, HloSharded, HloSummary, Tally, UnreadLine,
};
use tensor_layout_words::quoted;

use crate::json::JsonLine;
use crate::output::Output;

/// A name as a field of CSV, in quotes only if it needs them.
pub(super) fn named(name: &str) -> Cow<'_, str> {
    match name.contains(|c: char| c.is_control() || matches!(c, ',' | '"')) {
        true => quoted(name).into(),
        false => name.into(),
    }
}

pub(super) fn unread_json(unread: &UnreadLine) -> Value {
    json!({ "line": unread.line, "reason": unread.why() })
}

/// Ends a report: whether all was read, whether the file is cut off, the number of hidden instructions, and the places
/// that could not be read.
pub(super) fn end_reading(mut line: JsonLine<'_>, reading: &HloReading) -> io::Result<()> {
    line.field("complete", &json!(reading.is_complete()))?;
    line.field("cut_off", &json!(reading.cut))?;
    line.field("taken_for_entry", &json!(reading.taken_for_entry))?;
    line.field("hidden_instructions", &json!(reading.hidden))?;
    line.list("unread_lines", reading.lines.iter().map(unread_json))?;
    line.end()
}

#[derive(Serialize)]
struct BytesJson {
    count: u64,
    unpadded_bytes: u64,
    allocated_bytes: u64,
    waste_bytes: u64,
}

fn bytes_json(bytes: HloBytes) -> BytesJson {
    BytesJson {
        count: bytes.count,
        unpadded_bytes: bytes.unpadded,
        allocated_bytes: bytes.allocated,
        waste_bytes: bytes.padding(),
    }
}

pub(super) fn write_summary(
    out: &mut Output,
    summary: &HloSummary,
    entry: &Value,
    reading: &HloReading,
) -> io::Result<()> {
    let mut line = JsonLine::new(out);
    line.list("instructions", summary.rows().map(|row| row_json(&row)))?;
    line.list("computations", summary.computations().iter().map(computation_json))?;
    line.field("entry", entry)?;
    line.field("partitions", &json!(summary.partitions()))?;
    end_reading(line, reading)
}

#[derive(Serialize)]
struct RowJson<'a> {
    name: &'a str,
    opcode: &'a str,
    shape: &'a str,
    op_name: Option<&'a str>,
    source: Option<&'a str>,
    line: u64,
    computation: &'a str,
    unpadded_bytes: u64,
    allocated_bytes: u64,
    waste_bytes: u64,
}

fn row_json<'a>(row: &HloRow<'a>) -> RowJson<'a> {
    RowJson {
        name: row.name,
        opcode: row.opcode,
        shape: row.shape,
        op_name: row.op_name,
        source: row.source,
        line: row.line,
        computation: row.computation,
        unpadded_bytes: row.sizes.unpadded_bytes,
        allocated_bytes: row.sizes.allocated_bytes,
        waste_bytes: row.sizes.padding_bytes(),
    }
}

#[derive(Serialize)]
struct ComputationJson<'a> {
    module: &'a str,
    name: &'a str,
    role: &'static str,
    line: u64,
    written: BytesJson,
    parameters: BytesJson,
    result: BytesJson,
}

fn computation_json(totals: &HloComputationTotals) -> ComputationJson<'_> {
    ComputationJson {
        module: &totals.module,
        name: &totals.name,
        role: totals.role.name(),
        line: totals.line,
        written: bytes_json(totals.written),
        parameters: bytes_json(totals.parameters),
        result: bytes_json(totals.result),
    }
}

pub(super) fn entry_json(summary: &HloSummary) -> Result<Value, LayoutError> {
    Ok(json!({
        "parameters": bytes_json(summary.parameters()?),
        "results": bytes_json(summary.result()?),
        "on_device": summary.on_device()?.map(on_device_json),
    }))
}

pub(super) fn on_device_json(on_device: HloOnDevice) -> Value {
    json!({
        "parameters": bytes_json(on_device.parameters),
        "results": bytes_json(on_device.result),
    })
}

pub(super) fn sharded_json(entry: &HloSharded) -> Value {
    json!({
        "name": entry.name,
        "opcode": entry.opcode,
        "shape": entry.shape,
        "sharding": entry.sharding,
        "left_over": entry.is_left_over,
        "device_unpadded_bytes": entry.device.unpadded,
        "device_allocated_bytes": entry.device.allocated,
        "whole_bytes": entry.whole_bytes,
        "line": entry.line,
        "computation": entry.computation,
        "op_name": entry.op_name,
    })
}

#[derive(Serialize)]
pub(super) struct CopyJson<'a> {
    name: &'a str,
    opcode: &'a str,
    from: &'a str,
    to: &'a str,
    changes: &'a [String],
    free: Option<bool>,
    read_bytes: u64,
    written_bytes: u64,
    line: u64,
    computation: &'a str,
    role: &'static str,
    runs: Option<u64>,
    op_name: Option<&'a str>,
    source: Option<&'a str>,
}

pub(super) fn copy_json(copy: &HloCopy) -> CopyJson<'_> {
    CopyJson {
        name: &copy.name,
        opcode: &copy.opcode,
        from: &copy.from,
        to: &copy.to,
        changes: &copy.changes,
        free: copy.is_free,
        read_bytes: copy.read,
        written_bytes: copy.written,
        line: copy.line,
        computation: &copy.computation,
        role: copy.role.name(),
        runs: copy.runs.known(),
        op_name: copy.op_name.as_deref(),
        source: copy.source.as_deref(),
    }
}

pub(super) fn write_collectives(
    out: &mut Output,
    all: &Collectives,
    top: Option<usize>,
    reading: &HloReading,
) -> io::Result<()> {
    let traffic = |traffic: &CollectiveTraffic| {
        let into = traffic.into.iter().map(|(level, bytes)| (level.to_string(), json!(bytes)));
        json!({
            "received": traffic.received,
            "sent_bytes": traffic.sent,
            "steps": traffic.steps,
            "into": into.collect::<Map<_, _>>(),
        })
    };
    let entries = all.entries.iter().take(top.unwrap_or(usize::MAX)).map(|entry| {
        json!({
            "name": entry.name,
            "opcode": entry.opcode,
            "line": entry.line,
            "op_name": entry.op_name,
            "bytes": entry.bytes,
            "computation": entry.computation,
            "fusion": entry.fusion,
            "runs": entry.runs.known(),
            "is_branch": entry.runs.is_branch,
            "is_at_most": entry.is_at_most(),
            "axes": entry.axes,
            "sent_bytes": entry.traffic.sent,
            "traffic": traffic(&entry.traffic),
        })
    });
    let mut line = JsonLine::new(out);
    line.list("collectives", entries)?;
    let mut total = traffic(&all.total);
    total["is_at_least"] = json!(all.in_a_step.is_at_least);
    total["is_at_most"] = json!(all.in_a_step.is_at_most);
    line.field("total", &total)?;
    end_reading(line, reading)
}

pub(super) fn write_shapes(
    out: &mut Output,
    report: &HloReport,
    top: Option<usize>,
    totals: &Value,
) -> io::Result<()> {
    let entries = report.entries();
    let shapes = entries.iter().take(top.unwrap_or(usize::MAX)).map(|entry| {
        json!({
            "shape": entry.shape,
            "count": entry.count,
            "unpadded_bytes": entry.sizes.unpadded_bytes,
            "allocated_bytes": entry.sizes.allocated_bytes,
            "waste_bytes": entry.sizes.padding_bytes(),
        })
    });
    let unread = report.reading().lines.iter();
    let unread =
        unread.map(|line| json!({ "line": line.line, "text": line.text, "reason": line.reason }));
    let mut line = JsonLine::new(out);
    line.list("shapes", shapes)?;
    line.field("totals", totals)?;
    line.list("unread_lines", unread)?;
    line.end()
}

pub(super) fn totals_json(report: &HloReport) -> Result<Value, LayoutError> {
    let totals = report.totals()?;
    Ok(json!({
        "shapes": totals.shapes,
        "count": totals.count,
        "unpadded_bytes": totals.unpadded_bytes,
        "allocated_bytes": totals.allocated_bytes,
        "waste_bytes": totals.allocated_bytes.saturating_sub(totals.unpadded_bytes),
        "unranked": report.unranked(),
        "lines": report.lines(),
        "unread_lines": report.reading().count,
    }))
}

pub(super) fn write_memory(
    out: &mut Output,
    memory: &HloMemory,
    reading: &HloReading,
) -> io::Result<()> {
    let mut line = JsonLine::new(out);
    line.list("modules", memory.modules().iter().map(module_json))?;
    end_reading(line, reading)
}

fn module_json(of: &HloModuleMemory) -> Value {
    let interface = of.interface.iter().map(|(space, bytes)| {
        let HloInterfaceBytes { arguments, outputs, aliased, .. } = bytes;
        let bytes = json!({
            "argument_bytes": arguments, "output_bytes": outputs, "alias_bytes": aliased,
        });
        (space.to_string(), bytes)
    });
    let donors = of.unused_donors.iter().map(|donor| {
        json!({
            "parameter": donor.parameter, "name": donor.name, "bytes": donor.bytes,
            "reason": donor.reason,
        })
    });
    let peaks = of.peaks.as_ref().ok();
    json!({
        "module": of.module,
        "line": of.line,
        "entry": of.entry,
        "interface": interface.collect::<Map<_, _>>(),
        "unused_donors": donors.collect::<Vec<_>>(),
        "peak": peaks.map(|peaks| peaks.iter().map(peak_json).collect::<Vec<_>>()),
        "peak_is_unknown": of.peaks.as_ref().err().map(ToString::to_string),
        "peak_is_at_least": of.is_at_least,
        "unsized_instructions": of.unsized_count,
        "may_be_partitioned_over": of.may_be_partitioned_over,
    })
}

fn peak_json(peak: &HloPeak) -> Value {
    json!({
        "space": peak.space.to_string(),
        "allocated_bytes": peak.bytes.allocated,
        "waste_bytes": peak.bytes.padding(),
        "buffers": peak.bytes.count,
        "name": peak.name,
        "line": peak.line,
        "op_name": peak.op_name,
        "computation": peak.computation,
        "live": peak.live.iter().map(live_json).collect::<Vec<_>>(),
    })
}

fn live_json(live: &HloLive) -> Value {
    json!({
        "name": live.name,
        "opcode": live.opcode,
        "place": live.place,
        "shape": live.shape,
        "allocated_bytes": live.bytes.allocated,
        "waste_bytes": live.bytes.padding(),
        "line": live.line,
        "computation": live.computation,
        "op_name": live.op_name,
        "source": live.source,
        "lives": live.lives,
        "is_argument": live.is_argument,
    })
}

pub(super) fn write_changes(
    out: &mut Output,
    changes: &HloChanges,
    top: Option<usize>,
    readings: [&HloReading; 2],
) -> io::Result<()> {
    let tally = |of: &Tally| json!({ "count": of.count, "bytes": of.bytes, "line": of.line });
    let rows = changes.rows.iter().take(top.unwrap_or(usize::MAX)).map(|row| {
        json!({
            "kind": row.kind.name(),
            "change": row.verb(),
            "op_name": row.op_name,
            "opcode": row.opcode,
            "before": tally(&row.before),
            "after": tally(&row.after),
        })
    });
    let sums = changes.sums.iter().map(|sum| {
        let ([before, after], [before_bound, after_bound]) = (sum.bytes, sum.bounds);
        json!({
            "name": sum.name,
            "before_bytes": before,
            "after_bytes": after,
            "before_bound": before_bound,
            "after_bound": after_bound,
        })
    });
    let mut line = JsonLine::new(out);
    line.list("sums", sums)?;
    line.list("changes", rows)?;
    line.field("same", &json!(changes.same))?;
    line.field("complete", &json!(readings.iter().all(|reading| reading.is_complete())))?;
    let unread = ["before", "after"].into_iter().zip(readings).flat_map(|(dump, reading)| {
        let of = move |line: &UnreadLine| json!({ "dump": dump, "line": line.line, "reason": line.why() });
        reading.lines.iter().map(of)
    });
    line.list("unread_lines", unread)?;
    line.end()
}
