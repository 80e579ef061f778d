//! `same --bitcast`: the effect of reading the bytes of one XLA array as another.

use std::process::ExitCode;

use serde_json::{Value, json};
use tensor_layout::LayoutText;
use tensor_layout::error::Fact;
use tensor_layout::notation::PadLayout;
use tensor_layout::xla::{Bitcast, BitcastName, Moved, XlaArray, bitcast_map};

use super::failure::Failure;
use super::input::Form;
use super::json::found_json;
use super::output::print_as;
use tensor_layout_code::affine_index_map;
use tensor_layout_show::pages;

/// Prints whether the bitcast is the requested one, or if none was requested, whether it has a name.
pub(super) fn answer(
    first: &LayoutText,
    second: &LayoutText,
    asked: Option<BitcastName>,
    form: Form,
) -> Result<ExitCode, Failure> {
    let (a, b) = (array(first)?, array(second)?);
    let bitcast = match bitcast_map(a, b) {
        Ok(bitcast) => bitcast,
        Err(error) => match error.cause() {
            Some(fault) if fault.number("byte").is_some() => {
                let held = |array| match fault.fact(array) {
                    Some(Fact::Found(found)) => found_json(found),
                    _ => json!(null),
                };
                let (byte, first, second) = (fault.number("byte"), held("first"), held("second"));
                let witness =
                    json!({ "kind": "byte", "byte": byte, "first": first, "second": second });
                let answer = || json!({ "same": false, "witness": witness });
                print_as(form, answer, || fault.to_string())?;
                return Ok(ExitCode::from(1));
            }
            _ => return Err(error.into()),
        },
    };
    let moved = asked.map_or(Ok(None), |name| bitcast.first_moved(name))?;
    let is_so = asked.map_or(bitcast.name().is_some(), |name| bitcast.is(name));
    let answer = || bitcast_json(&bitcast, is_so, moved.as_ref());
    print_as(form, answer, || pages::bitcast(&bitcast, asked, moved.as_ref()))?;
    Ok(ExitCode::from(u8::from(!is_so)))
}

fn array(text: &LayoutText) -> Result<&XlaArray, Failure> {
    let array = match text {
        LayoutText::Xla(shape) => shape.as_array(),
        _ => None,
    };
    array.ok_or_else(|| {
        let why = "--bitcast is for XLA array shapes, whose types give the width of an element; \
                   --member picks one of a tuple";
        Failure::Argument(why.into())
    })
}

fn bitcast_json(bitcast: &Bitcast, is_so: bool, moved: Option<&Moved>) -> Value {
    let map = bitcast.map();
    let mut answer = json!({
        "same": is_so,
        "bitcast": {
            "name": bitcast.name().map(|name| name.to_string()),
            "dimensions": bitcast.dimensions(),
            "part_bits": bitcast.part_bits(),
            "map": PadLayout::of(map).ok().map(|text| text.to_string()),
            "affine_map": affine_index_map(map).ok(),
        },
    });
    if let (Value::Object(answer), Some(moved)) = (&mut answer, moved) {
        let Moved { index, from, wanted } = moved;
        let witness = json!({ "kind": "moved", "index": index, "from": from, "wanted": wanted });
        answer.insert("witness".to_owned(), witness);
    }
    answer
}
