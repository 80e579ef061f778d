//! The page as one file: the answers are inside, and no server is needed.

use serde_json::{Map, Value, json};
use tensor_layout::Placement;
use tensor_layout_show::{Panel, UnitContents};

use super::answer::{film, panels, view};
use super::gallery::examples_json;
use super::question::Question;
use crate::failure::Failure;

/// The page; its answers are `null` if it has a server.
const PAGE: &str = include_str!("page.html");

/// The texts in the page that the answers and the examples replace.
const SLOT: &str = "/*ANSWERS*/null";
const EXAMPLES: &str = "/*EXAMPLES*/[]";

/// The greatest depth to which marked blocks are followed.
const MOST_VIEWS: usize = 5;

/// The most cells for which the page includes the cells that light up with them.
const MOST_LIT: usize = 256;

/// The page for one question, given as the fields of its URL; an error is returned as its message.
pub fn explore_page(fields: &[(&str, &str)]) -> Result<String, String> {
    let fields = fields.iter().map(|(key, value)| ((*key).to_owned(), json!(value)));
    let question = serde_json::from_value(Value::Object(fields.collect()));
    let question: Question = question.map_err(|error| error.to_string())?;
    page_of(&question).map_err(|failure| failure.to_string())
}

/// The page that sends its requests to a server.
#[cfg(feature = "explore")]
pub(super) fn served_page() -> String {
    PAGE.replace(EXAMPLES, &examples_json().to_string().replace('<', "\\u003c"))
}

/// The page for one question.
pub(crate) fn page_of(question: &Question) -> Result<String, Failure> {
    page_with(question, false)
}

/// The page for one question, with links to the pages of the examples if they are beside it.
pub(super) fn page_with(question: &Question, examples: bool) -> Result<String, Failure> {
    let mut views = Vec::new();
    let mut next = question.clone();
    for _ in 0..MOST_VIEWS {
        let placed = next.placed()?;
        let (tensor, machine, _) = panels(&next, &placed)?;
        views.push(json!({
            "question": json!(next),
            "view": view(&next),
            "lit": {
                "true": lights(&placed.placement, &tensor, &machine, true)?,
                "false": lights(&placed.placement, &tensor, &machine, false)?,
            },
        }));
        match marked(&tensor) {
            Some(window) => next = Question { window, after: String::new(), ..next },
            None => break,
        }
    }
    let answers = json!({
        "question": json!(question),
        "views": views,
        "film": film(question),
    });
    // The answers must not contain text that ends the script.
    let inert = |value: Value| value.to_string().replace('<', "\\u003c");
    let examples = if examples { examples_json() } else { json!([]) };
    Ok(PAGE.replace(EXAMPLES, &inert(examples)).replace(SLOT, &inert(answers)))
}

/// The window of the block that is shown in detail.
fn marked(tensor: &Panel) -> Option<Vec<Option<(String, String)>>> {
    let cell = tensor.cells.get(tensor.zoom?)?;
    let range =
        |range: &std::ops::Range<u64>| Some((range.start.to_string(), range.end.to_string()));
    Some(cell.indexes.iter().map(range).collect())
}

/// The cells of the machine that light up with each cell of the tensor, if those are few: for all copies or for the
/// first ones only.
fn lights(
    placement: &Placement,
    tensor: &Panel,
    machine: &Panel,
    with_copies: bool,
) -> Result<Value, Failure> {
    if tensor.cells.len() > MOST_LIT || machine.cells.is_empty() {
        return Ok(Value::Null);
    }
    let held = UnitContents::of_panel(placement, machine)?;
    let mut all = Map::new();
    for (at, cell) in tensor.cells.iter().enumerate() {
        let lit = UnitContents::units_of(&held, placement, cell, with_copies)?;
        all.insert(at.to_string(), json!(lit));
    }
    Ok(Value::Object(all))
}
