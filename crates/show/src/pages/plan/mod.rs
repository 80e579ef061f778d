//! A plan as a page for browsers, in one file: its graph, its memory over time, and every value with its layouts.
//!
//! The page is `page.html` with the style that pages share, and data in place of its last script: the report as it is in JSON, and pictures of layouts,
//! those of the dearest values first, and films of switches, the dearest first, as many as fit.

use std::collections::HashMap;

use serde_json::json;
use tensor_layout::Placement;
use tensor_layout::route::Route;
use tensor_layout_plan::choices::Held;
use tensor_layout_plan::plan::{Plan, PlannedValue};

use crate::Drawing;

/// The page without its data.
const PAGE: &str = include_str!("page.html");

/// The place of the style that pages share.
const STYLE: &str = "/* page.css */\n";

/// The place of the data.
const DATA: &str = "{}</script>";

/// The most bytes of all pictures and of one; there may be as much of films.
const PICTURES: (usize, usize) = (4 << 20, 1 << 18);

/// The most blocks along a side of a picture.
const BLOCKS: u64 = 8;

/// The page of a plan. It needs nothing but a browser.
///
/// Cost: a picture for each layout and a film for each switch, until they have 4 MiB each.
///
/// # Example
/// ```
/// use tensor_layout::Machine;
/// use tensor_layout_plan::graph::{Body, Dtype, Graph, Nest, Origin, Read, Scalar, Value};
/// use tensor_layout_plan::plan::{PlanOptions, plan};
/// let mut graph = Graph::default();
/// let (name, shape, origin) = ("x".into(), vec![64], Origin::Input);
/// let x = graph.add(Value { name, shape, dtype: Dtype::F32, origin });
/// let nest = Nest::pointwise(vec![64], vec![Read::of(x, [0])], Scalar::Read(0));
/// let y = graph.operation(("y".into(), "Identity"), (vec![64], Dtype::F32), Body::Nest(nest));
/// (graph.inputs, graph.outputs) = (vec![x], vec![y]);
/// let plan = plan(&graph, &Machine::mn_core_2(), &PlanOptions::default())?;
/// let page = tensor_layout_show::pages::plan(&plan);
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<svg"));
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[must_use]
pub fn plan(plan: &Plan<'_>) -> String {
    let report = plan.report();
    let mut pictures = Pictures::default();
    let mut values: Vec<&PlannedValue> = report.values.iter().collect();
    values.sort_by_key(|value| std::cmp::Reverse(cycles(value)));
    for value in values {
        pictures.of_value(plan, &value.name);
    }
    let films = films(plan);
    let data = json!({ "report": report, "pictures": pictures.known, "films": films });
    // No text of the data ends the script.
    let data = data.to_string().replace("</", "<\\/");
    PAGE.replacen(STYLE, super::STYLE, 1).replacen(DATA, &format!("{data}</script>"), 1)
}

/// The cycles of a value and of its switches.
fn cycles(value: &PlannedValue) -> u64 {
    let operands = value.operands.iter().filter_map(|of| of.switch.as_ref());
    let switches = operands.chain(value.kept.as_ref().map(|kept| &kept.switch));
    let cycles = switches.map(|switch| switch.cycles.saturating_add(switch.penalty));
    cycles.fold(value.own.total(), u64::saturating_add)
}

/// Pictures of layouts, by their texts and memories.
#[derive(Default)]
struct Pictures {
    known: HashMap<String, String>,
    bytes: usize,
}

impl Pictures {
    fn of_value(&mut self, plan: &Plan<'_>, name: &str) {
        let values = plan.graph().values.iter().enumerate();
        let mut named = values.filter(|(_, value)| value.name == name);
        let Some((number, _)) = named.next() else { return };
        let id = tensor_layout_plan::graph::ValueId(number);
        let Some(choice) = plan.choice(id) else { return };
        for held in [&choice.result].into_iter().chain(&choice.operands).chain(plan.kept(id)) {
            self.add(plan, held);
        }
    }

    fn add(&mut self, plan: &Plan<'_>, held: &Held) {
        let Ok(placed) = plan.setting().placed(held) else { return };
        let key = key(held, &placed);
        if self.bytes >= PICTURES.0 || self.known.contains_key(&key) {
            return;
        }
        let Some(svg) = picture(&placed) else { return };
        self.bytes += svg.len();
        self.known.insert(key, svg);
    }
}

/// The tensor of a layout, coloured by its units.
fn picture(placed: &Placement) -> Option<String> {
    let drawing = Drawing::new(placed).most_blocks(BLOCKS).most_panels(1);
    let svg = drawing.tensor().to_svg();
    (svg.len() <= PICTURES.1).then_some(svg)
}

/// Films of the dearest switches, by the keys of both layouts.
fn films(plan: &Plan<'_>) -> HashMap<String, String> {
    let mut known = HashMap::new();
    let mut bytes = 0;
    for (from, to) in plan.switches() {
        let placed = |held| plan.setting().placed(held);
        let (Ok(before), Ok(after)) = (placed(&from), placed(&to)) else { continue };
        let key = format!("{} > {}", key(&from, &before), key(&to, &after));
        if bytes >= PICTURES.0 || known.contains_key(&key) {
            continue;
        }
        let Some(svg) = film(&before, &after) else { continue };
        bytes += svg.len();
        known.insert(key, svg);
    }
    known
}

/// The film of a switch.
fn film(before: &Placement, after: &Placement) -> Option<String> {
    let drawing = |placed| Drawing::new(placed).most_blocks(BLOCKS).most_panels(1);
    let film = drawing(before).film(&[&drawing(after)]).ok()?;
    let svg = film.to_svg();
    (svg.len() <= PICTURES.1).then_some(svg)
}

/// A layout in its memory, as the report has both.
fn key(held: &Held, placed: &Placement) -> String {
    format!("{}@{}", Route::text(placed), held.memory.as_deref().unwrap_or_default())
}
