//! The content of the page, as JSON: all of it comes from the library.

use std::ops::ControlFlow;

use serde::Serialize;
use serde_json::{Value, json};
use tensor_layout::notation::Notation;
use tensor_layout::relayout::Relayout;
use tensor_layout::xla::XlaDtype;
use tensor_layout::{Layout, LayoutError, LayoutText, Level, Placement};
use tensor_layout_code::Language;
use tensor_layout_show::report::Report;
use tensor_layout_show::{Drawing, Panel, Picture};

use super::digits::digits_json;
use super::panel::panel_json;
use super::question::Question;
use crate::edit::edited;
use crate::failure::Failure;
use crate::picture::titled;
use crate::placing::PlacementSource;

/// The rows of the table that are shown.
const ROWS: usize = 20;

/// The whole page for a question; errors are shown beside the texts that caused them.
pub(super) fn view(question: &Question) -> Value {
    match question.placed().and_then(|placed| placed_view(question, &placed)) {
        Err(failure) => json!({ "error": failure.json(), "of": "layout" }),
        Ok(mut view) => {
            if !question.after.trim().is_empty() {
                view["pair"] = match pair(question) {
                    Ok(pair) => pair,
                    Err(failure) => json!({ "error": failure.json() }),
                };
            }
            view
        }
    }
}

/// The panels of the tensor and of the machine.
pub(super) fn panels(
    question: &Question,
    placed: &PlacementSource,
) -> Result<(Panel, Panel, Vec<String>), Failure> {
    let drawing = question.drawing(placed)?;
    let first = |picture: Picture| picture.panels.into_iter().next().unwrap_or_default();
    Ok(match drawing.tensor_and_memory() {
        Ok([tensor, machine]) => {
            let notes = tensor.notes.iter().chain(&machine.notes).cloned().collect();
            (first(tensor), first(machine), notes)
        }
        Err(error) => {
            let tensor = drawing.tensor();
            let mut notes = tensor.notes.clone();
            notes.push(format!("the machine is not drawn: {error}"));
            (first(tensor), Panel::default(), notes)
        }
    })
}

fn placed_view(question: &Question, placed: &PlacementSource) -> Result<Value, Failure> {
    let PlacementSource { placement, syntax } = placed;
    let (tensor, machine, notes) = panels(question, placed)?;
    let notes: Vec<String> = question.said_of_matrices().into_iter().chain(notes).collect();
    let report = Report::of(placement).map_err(|error| syntax.refuse(error))?;
    let report = report.counting(syntax.address_unit());
    let layout = placement.layout();
    let drawing = question.drawing(placed)?;
    let axes = layout.axes().iter().enumerate().map(|(axis, of)| {
        json!({ "extent": of.extent.to_string(), "slots": drawing.slots(axis).to_string() })
    });
    let levels = placement.columns().iter().filter(|level| !level.is_in_unit());
    let levels = levels.map(|l| json!([l.as_str(), placement.coordinates(*l).to_string()]));
    let replicated = placement.replicated();
    Ok(json!({
        "text": syntax.to_string(),
        "notation": syntax.notation().name(),
        "tensor": panel_json(&tensor),
        "machine": panel_json(&machine),
        "notes": notes,
        "axes": axes.collect::<Vec<_>>(),
        "levels": levels.collect::<Vec<_>>(),
        "addresses": placement.with_copies().span(Level::ADDR).to_string(),
        "replicated": replicated.iter().map(Level::as_str).collect::<Vec<_>>(),
        "report": report.to_string(),
        "notations": notations(syntax, layout),
        "digits": digits_json(layout, syntax, &question.layout),
        "code": code(layout),
        "table": table(placement),
        "edits": edits(syntax, layout),
        "formats": formats(),
    }))
}

/// The layout in every notation, or the reason it cannot be written.
fn notations(syntax: &LayoutText, layout: &Layout) -> Vec<Value> {
    let names =
        [Notation::PadLayout, Notation::Xla, Notation::Cute, Notation::Strided, Notation::Triton];
    let text = |to: Notation| {
        let dtype = XlaDtype::from_name("f32");
        let written = dtype.map(|dtype| syntax.write_edited(layout, to, dtype));
        entry(to.name(), written.map(|written| written.map(|(text, _)| text)))
    };
    names.into_iter().map(text).collect()
}

/// The layout as code, or the reason it cannot be written.
fn code(layout: &Layout) -> Vec<Value> {
    let code = [
        ("C", Language::C.write(layout)),
        ("Python", Language::Python.write(layout)),
        ("MLIR", Language::AffineMap.write(layout)),
        ("isl", Language::Isl.write(layout)),
    ];
    code.into_iter().map(|(name, text)| entry(name, Some(text))).collect()
}

fn entry(name: &str, written: Option<Result<String, LayoutError>>) -> Value {
    match written {
        Some(Ok(text)) => json!({ "name": name, "text": text }),
        Some(Err(error)) => json!({ "name": name, "why": error.to_string() }),
        None => json!({ "name": name, "why": "not known" }),
    }
}

/// The first rows.
fn table(placement: &Placement) -> Value {
    let columns: Vec<String> = placement.columns().iter().map(ToString::to_string).collect();
    let mut rows: Vec<Value> = Vec::new();
    let listed = placement.table().for_each(|row| {
        let texts = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>();
        rows.push(json!([texts(row.place), row.index.map(texts)]));
        if rows.len() < ROWS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let why = listed.err().map(|error| error.to_string());
    let count = placement.table().most_rows().to_string();
    json!({ "columns": columns, "rank": placement.layout().rank(), "rows": rows, "count": count, "why": why })
}

/// The table formats that this build writes.
fn formats() -> Vec<&'static str> {
    let mut formats = vec!["csv", "jsonl", "npy"];
    if cfg!(feature = "parquet") {
        formats.push("parquet");
    }
    formats
}

/// Edits that need no argument, with the resulting layouts.
fn edits(syntax: &LayoutText, layout: &Layout) -> Vec<Value> {
    let rank = layout.rank();
    let mut steps: Vec<(String, &str, String)> = Vec::new();
    if rank > 1 {
        let axes: Vec<String> = (0..rank).rev().map(|axis| axis.to_string()).collect();
        steps.push(("Transpose".into(), "permute", axes.join(",")));
        steps.push(("Merge axes 0 and 1".into(), "merge", "0=2".into()));
    }
    if let Some(axis) = layout.shape().iter().position(|extent| *extent == 1) {
        steps.push((format!("Drop unit axis {axis}"), "drop", axis.to_string()));
    }
    steps.push(("Minimal padding".into(), "minimal-padding", String::new()));
    steps.push(("Insert unit axis 0".into(), "insert", "0".into()));
    let edit = |(label, name, value): (String, &str, String)| match edited(syntax, name, &value) {
        Ok(text) => json!({ "label": label, "text": text }),
        Err(failure) => json!({ "label": label, "why": failure.to_string() }),
    };
    steps.into_iter().map(edit).collect()
}

/// The comparison of two layouts, the traffic from one to the other, and a picture of both.
fn pair(question: &Question) -> Result<Value, Failure> {
    let (before, after) = question.placed_pair()?;
    let same = match before.placement.same_map(&after.placement) {
        Ok(None) => "Both are the same map.".to_owned(),
        Ok(Some(difference)) => format!("They differ: {difference}."),
        Err(error) => error.to_string(),
    };
    let traffic = Relayout::new(&before.placement, &after.placement)
        .and_then(|relayout| Ok(relayout.sentence(&relayout.traffic()?)));
    let (left, right) = (question.whole(&before)?, question.whole(&after)?);
    let picture = left.before_and_after(&right)?;
    let memory = |when: &str, drawing: &Drawing<'_>| -> Result<Value, LayoutError> {
        let panel = drawing.memory()?.panels.into_iter().next().unwrap_or_default();
        Ok(panel_json(&Panel { caption: format!("{when}: {}", panel.caption), ..panel }))
    };
    Ok(json!({
        "same": same,
        "traffic": traffic.unwrap_or_else(|error| error.to_string()),
        "panels": picture.panels.iter().map(panel_json).collect::<Vec<_>>(),
        "memories": [memory("before", &left)?, memory("after", &right)?],
        "notes": picture.notes,
    }))
}

/// A drawing titled with its text.
pub(super) fn titled_as(PlacementSource { placement, syntax }: &PlacementSource) -> Drawing<'_> {
    titled(placement, syntax)
}

/// The layout, or both side by side, as SVG.
#[cfg(feature = "explore")]
pub(super) fn picture(question: &Question) -> Result<String, Failure> {
    let picture = if question.after.trim().is_empty() {
        question.whole(&question.placed()?)?.tensor()
    } else {
        let (before, after) = question.placed_pair()?;
        question.whole(&before)?.before_and_after(&question.whole(&after)?)?
    };
    Ok(picture.to_svg())
}

/// The film of a layout into its memories, or of two from one to the other.
pub(super) fn film(question: &Question) -> Value {
    let made = || -> Result<String, Failure> {
        let film = if question.after.trim().is_empty() {
            titled_as(&question.placed()?).film(&[])?
        } else {
            let (before, after) = question.placed_pair()?;
            titled_as(&before).film(&[&titled_as(&after)])?
        };
        // Inside a page an SVG does not need a namespace, and the page must not contain a URL.
        Ok(film.to_svg().replacen(" xmlns=\"http://www.w3.org/2000/svg\"", "", 1))
    };
    found("svg", made())
}

/// An answer under its name, or the error.
pub(super) fn found(name: &str, answer: Result<impl Serialize, Failure>) -> Value {
    match answer {
        Ok(answer) => json!({ name: answer }),
        Err(failure) => json!({ "error": failure.json() }),
    }
}
