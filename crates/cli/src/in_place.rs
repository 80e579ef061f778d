//! `relayout --in-place`: whether the memory of the source suffices.

use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout::relayout::{Overwritten, Relayout, WriteOrder};

use super::failure::Failure;
use super::input::Form;
use super::output::print_as;

type Answer = Result<Option<Overwritten>, LayoutError>;

/// Answers for both orders of addresses; an error only if neither can be answered.
pub(super) fn run(pair: &Relayout, form: Form) -> Result<(), Failure> {
    let (up, down) =
        (pair.overwritten(WriteOrder::Ascending), pair.overwritten(WriteOrder::Descending));
    if let (Err(error), Err(_)) = (&up, &down) {
        return Err(error.clone().into());
    }
    let answer = || json!({ "ascending": answer_json(&up), "descending": answer_json(&down) });
    print_as(form, answer, || page(pair, &up, &down))
}

fn page(pair: &Relayout, up: &Answer, down: &Answer) -> String {
    let [each, of] = match pair.lanes() {
        1 => ["addresses", "addresses"],
        _ => ["addresses, and the lanes of each long word,", "addresses and lanes"],
    };
    let enough = format!("one memory is enough if every unit writes its {each} in");
    let first = match (up, down) {
        (Ok(None), Ok(None)) => format!("{enough} ascending or descending order"),
        (Ok(None), _) => format!("{enough} ascending order"),
        (_, Ok(None)) => format!("{enough} descending order"),
        (Ok(_), Ok(_)) => format!("a second buffer is needed, in either order of {of}"),
        _ => format!("a second buffer is needed in one order of {of}"),
    };
    let lines = [("ascending", up), ("descending", down)];
    let lines =
        lines.iter().filter_map(|(order, answer)| Some(format!("\n  {order}: {}", words(answer)?)));
    format!("{first}{}", lines.collect::<String>())
}

fn words(answer: &Answer) -> Option<String> {
    let index = |index: &[u64]| format!("({})", index.iter().join(","));
    match answer {
        Ok(None) => None,
        Ok(Some(Overwritten { element, by, place, .. })) => {
            let (element, by) = (index(element), index(by));
            Some(format!("element {element} is overwritten by {by} at {place} before it is read"))
        }
        Err(error) => Some(error.to_string()),
    }
}

fn answer_json(answer: &Answer) -> Value {
    match answer {
        Ok(lost) => json!(lost.as_ref().map(|Overwritten { element, by, place, .. }| {
            json!({ "element": element, "by": by, "place": place.to_string() })
        })),
        Err(error) => json!({ "not_decided": error.to_string() }),
    }
}
