//! Reports as JSON: the schemas of `docs/notation.md` and `docs/xla-reference.md`.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Map, Value, json};
use tensor_layout::algebra::{Combine, Target};
use tensor_layout::placement::Fit;
use tensor_layout::xla::{XlaAdvice, XlaSizes};
use tensor_layout::{Found, Level, Location, ParseError};
use tensor_layout_show::report::{
    AxisReport, DigitReport, MemberReport, Report, ShapeReport, ShardingReport, SharedPlace,
};

use super::failure::Failure;

/// A JSON object on one line, written part by part because a list may have millions of rows.
pub(super) struct JsonLine<'o> {
    out: &'o mut dyn Write,
    /// The text before the next field.
    before: &'static str,
}

impl JsonLine<'_> {
    pub(super) fn new(out: &mut dyn Write) -> JsonLine<'_> {
        JsonLine { out, before: "{" }
    }

    pub(super) fn field(&mut self, name: &str, value: &Value) -> io::Result<()> {
        write!(self.out, "{}\"{name}\":{value}", self.before)?;
        self.before = ",";
        Ok(())
    }

    /// Writes a list. Rows of which there may be millions have types of their own: a `Value` allocates every field.
    pub(super) fn list(
        &mut self,
        name: &str,
        rows: impl Iterator<Item = impl Serialize>,
    ) -> io::Result<()> {
        write!(self.out, "{}\"{name}\":[", self.before)?;
        self.before = ",";
        let mut text = Vec::new();
        for (at, row) in rows.enumerate() {
            text.clear();
            text.extend_from_slice(if at > 0 { b"," } else { b"" });
            // A row is a dozen parts, each of which would be a call of the output.
            serde_json::to_writer(&mut text, &row)?;
            self.out.write_all(&text)?;
        }
        self.out.write_all(b"]")
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(b"}\n")
    }
}

/// A shape as a line: its sizes and its arrays. Each is written at once, because a tuple may have very many.
pub(super) fn shape_line(report: &ShapeReport) -> Result<String, Failure> {
    let members = report.members.iter().map(|of| Ok(member_json(&of.path, &of.report()?)));
    let mut line =
        format!("{{\"shape\":{},\"sizes\":{}", json!(report.text), sizes_json(&report.sizes));
    line.push_str(",\"members\":[");
    for (at, member) in members.enumerate() {
        let member: Value = member.map_err(|error: ParseError| Failure::from(error))?;
        line.push_str(if at > 0 { "," } else { "" });
        line.push_str(&member.to_string());
    }
    line.push_str("]}");
    Ok(line)
}

fn member_json(path: &[usize], member: &MemberReport) -> Value {
    let sizes = &member.sizes;
    let advice = |advice: &XlaAdvice| {
        json!({
            "shape": advice.array.to_string(),
            "allocated_bytes": advice.allocated_bytes,
            "seen_in_dumps": advice.is_seen,
        })
    };
    json!({
        "path": path,
        "shape": member.array.to_string(),
        "sizes": sizes_json(sizes),
        "padding": {
            "elements": member.padding_elements,
            "bytes": sizes.padding_bytes(),
            "share": share(sizes.padding_bytes(), sizes.allocated_bytes),
        },
        "on_tpu": member.on_tpu.as_ref().map(advice),
        "layout": report_json(&member.layout),
        "advice": member.advice.iter().map(advice).collect::<Vec<_>>(),
    })
}

fn sizes_json(sizes: &XlaSizes) -> Value {
    json!({
        "unpadded_bytes": sizes.unpadded_bytes,
        "allocated_bytes": sizes.allocated_bytes,
        "span_bytes": sizes.span_bytes,
        "data_bytes": sizes.data_bytes,
    })
}

pub(super) fn report_json(report: &Report) -> Value {
    let levels: Vec<Value> = report
        .levels
        .iter()
        .map(|level| {
            json!({
                "level": level.node().as_str(), "size": level.size, "extent": level.extent,
                "used": level.used, "holes": level.holes, "replicated": level.replicated,
            })
        })
        .collect();
    let shape: Vec<u64> = report.axes.iter().map(|axis| axis.extent).collect();
    json!({
        "layout": report.text,
        "shape": shape,
        "axes": report.axes.iter().map(axis_json).collect::<Vec<_>>(),
        "derived_axes": report.derived_axes.iter().map(derived_json).collect::<Vec<_>>(),
        "levels": levels,
        "elements": report.elements,
        "copies": report.copies,
        "slots": report.slots,
        "pads": report.pads,
        "pad_share": share(report.pads, report.slots),
        "pads_on_elements": report.pads_on_elements,
        "shared": report.shared.iter().map(shared_json).collect::<Vec<_>>(),
        "footprint_words": report.footprint_words,
        "element_bits": report.element_bits,
        "element_bytes": bytes(report.elements, report.element_bits),
        "footprint_bytes": footprint_bytes(report),
        "fits": fits_json(&report.fits),
        "memory": report.memory,
        "capacity_words": report.capacity_words,
        "replicated": report.replicated.iter().map(Level::as_str).collect::<Vec<_>>(),
    })
}

/// `{"LM0": {"needed": 4608, "capacity": 2048, "fits": false}}`
pub(super) fn fits_json(fits: &[Fit]) -> Value {
    let entry = |fit: &Fit| {
        let Fit { name, needed, capacity, .. } = fit;
        let value = json!({ "needed": needed, "capacity": capacity, "fits": fit.fits() });
        (name.clone(), value)
    };
    Value::Object(fits.iter().map(entry).collect())
}

fn bytes(count: u64, bits: Option<u64>) -> Option<u64> {
    count.checked_mul(bits?).map(|bits| bits.div_ceil(8))
}

/// The bytes of the long words; addresses of other notations count elements.
fn footprint_bytes(report: &Report) -> Option<u64> {
    let words = report.address_unit == "long words";
    bytes(report.footprint_words, words.then_some(report.word_bits))
}

#[allow(clippy::as_conversions, reason = "a share for reading: rounding is meant")]
fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn shared_json(shared: &SharedPlace) -> Value {
    json!({ "at": place_json(&shared.place), "indexes": shared.indexes })
}

pub(super) fn place_json(place: &Location) -> Value {
    Value::Object(place.iter().map(|(level, at)| (level.to_string(), at.into())).collect())
}

pub(super) fn found_json(found: &Found) -> Value {
    match found {
        Found::Element(index) => json!({ "index": index }),
        Found::Padding => json!({ "index": null, "why": "padding" }),
        Found::Hole => json!({ "index": null, "why": "hole" }),
        Found::Outside => json!({ "index": null, "why": "outside" }),
    }
}

fn axis_json(axis: &AxisReport) -> Value {
    json!({
        "extent": axis.extent, "slots": axis.slots, "pads": axis.slots - axis.extent,
        "digits": axis.digits.iter().map(digit_json).collect::<Vec<_>>(),
    })
}

fn derived_json(axis: &AxisReport) -> Value {
    let mut object = axis_json(axis);
    object["start"] = axis.start.into();
    object["combine"] = if axis.combine == Combine::Xor { "xor" } else { "sum" }.into();
    object
}

fn digit_json(digit: &DigitReport) -> Value {
    let mut object = Map::new();
    object.insert("size".into(), digit.size.into());
    object.insert("step".into(), digit.step.into());
    match digit.target {
        Target::Land { level, stride } => {
            object.insert("level".into(), level.as_str().into());
            object.insert("stride".into(), stride.into());
        }
        Target::Feed { derived, weight } => {
            object.insert("derived_axis".into(), derived.into());
            object.insert("weight".into(), weight.into());
        }
    }
    Value::Object(object)
}

/// The coordinates of a place in the order of the columns, then those of other levels.
pub(super) fn location_json(columns: &[Level], place: &Location) -> Value {
    let others = place.iter().map(|(level, _)| level).filter(|level| !columns.contains(level));
    let at = |level: Level| place.get(level).map(|at| (level.to_string(), at.into()));
    Value::Object(columns.iter().copied().chain(others).filter_map(at).collect())
}

pub(super) fn sharding_json(report: &ShardingReport) -> Value {
    let sizes = &report.sizes;
    let fill = sizes
        .fill
        .map(|fill| json!({ "full": fill.full, "short": fill.short, "empty": fill.empty }));
    json!({
        "sharding": report.text,
        "shard": sizes.shard.to_string(),
        "global_bytes": sizes.global_bytes,
        "device_bytes": sizes.device_bytes,
        "shard_bytes": sizes.shard_bytes,
        "sharding_padding_bytes": sizes.sharding_padding_bytes,
        "tiling_padding_bytes": sizes.tiling_padding_bytes,
        "devices": sizes.devices,
        "copies": sizes.copies,
        "fill": fill,
    })
}
