//! `relayout --in-place`: whether the memory of the source suffices.

use serde_json::{Value, json};
use tensor_layout::LayoutError;
use tensor_layout::relayout::{Overwritten, Relayout, WriteOrder};

use super::failure::Failure;
use super::input::Form;
use super::output::print_as;
use tensor_layout_show::pages;

type Answer = Result<Option<Overwritten>, LayoutError>;

/// Answers for both orders of addresses; an error only if neither can be answered.
pub(super) fn run(pair: &Relayout, form: Form) -> Result<(), Failure> {
    let (up, down) =
        (pair.overwritten(WriteOrder::Ascending), pair.overwritten(WriteOrder::Descending));
    if let (Err(error), Err(_)) = (&up, &down) {
        return Err(error.clone().into());
    }
    let answer = || json!({ "ascending": answer_json(&up), "descending": answer_json(&down) });
    print_as(form, answer, || pages::in_place(pair, &up, &down))
}

fn answer_json(answer: &Answer) -> Value {
    match answer {
        Ok(lost) => json!(lost.as_ref().map(|Overwritten { element, by, place, .. }| {
            json!({ "element": element, "by": by, "place": place.to_string() })
        })),
        Err(error) => json!({ "not_decided": error.to_string() }),
    }
}
