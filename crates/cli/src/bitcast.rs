//! `same --bitcast`: the effect of reading the bytes of one XLA array as another.

use std::process::ExitCode;

use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::LayoutText;
use tensor_layout::error::Fact;
use tensor_layout::xla::{Bitcast, BitcastName, Moved, XlaArray, bitcast_map};

use super::failure::Failure;
use super::input::Form;
use super::json::found_json;
use super::output::print_as;

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
    print_as(form, answer, || page(&bitcast, asked, moved.as_ref()))?;
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

fn page(bitcast: &Bitcast, asked: Option<BitcastName>, moved: Option<&Moved>) -> String {
    let unnamed = bitcast.name().is_none_or(|name| name == BitcastName::Bytes);
    match (moved, asked) {
        (Some(moved), Some(asked)) => witness(bitcast, asked, moved),
        (None, Some(asked)) if bitcast.is(asked) => asked.to_string(),
        (None, Some(asked)) => {
            format!("both arrays are empty, but their shapes do not match {}", with_article(asked))
        }
        _ if unnamed => format!("{bitcast}\n{}", map_text(bitcast)),
        _ => bitcast.to_string(),
    }
}

/// The map as a PadLayout if one can express it, else as an affine map.
fn map_text(bitcast: &Bitcast) -> String {
    let map = bitcast.map();
    let text = match map.to_pad_layout() {
        Ok(text) => text.to_string(),
        Err(_) => bitcast.to_affine_map().unwrap_or_else(|error| error.to_string()),
    };
    let part = match bitcast.part_bits() {
        Some(8) => ", byte in it".to_owned(),
        Some(1) => ", bit in it".to_owned(),
        Some(bits) => format!(", part of {bits} bits in it"),
        None => String::new(),
    };
    format!("from (index in B{part}) to (index in A{part}):\n{text}")
}

/// The first element that contradicts the name, in words.
fn witness(bitcast: &Bitcast, asked: BitcastName, moved: &Moved) -> String {
    let name = |index: &[u64]| element(index, bitcast.part_bits());
    let (index, from) = (name(&moved.index), name(&moved.from));
    let asked = with_article(asked);
    match &moved.wanted {
        Some(wanted) => {
            format!("{index} of B is {from} of A; {asked} would make it {}", name(wanted))
        }
        None => format!("{index} of B is {from} of A, which is not what {asked} does"),
    }
}

/// `an identity`, `a transpose`, `bytes`.
fn with_article(asked: BitcastName) -> String {
    match asked {
        BitcastName::Identity => format!("an {asked}"),
        BitcastName::Bytes => asked.to_string(),
        _ => format!("a {asked}"),
    }
}

/// `element (1, 2)`, `byte 1 of element (1, 2)`.
fn element(index: &[u64], part_bits: Option<u64>) -> String {
    let list = |index: &[u64]| index.iter().join(", ");
    match (part_bits, index) {
        (Some(8), [index @ .., part]) => format!("byte {part} of element ({})", list(index)),
        (Some(1), [index @ .., part]) => format!("bit {part} of element ({})", list(index)),
        (Some(bits), [index @ .., part]) => {
            format!("part {part} ({bits} bits) of element ({})", list(index))
        }
        (_, index) => format!("element ({})", list(index)),
    }
}

fn bitcast_json(bitcast: &Bitcast, is_so: bool, moved: Option<&Moved>) -> Value {
    let map = bitcast.map();
    let mut answer = json!({
        "same": is_so,
        "bitcast": {
            "name": bitcast.name().map(|name| name.to_string()),
            "dimensions": bitcast.dimensions(),
            "part_bits": bitcast.part_bits(),
            "map": map.to_pad_layout().ok().map(|text| text.to_string()),
            "affine_map": bitcast.to_affine_map().ok(),
        },
    });
    if let (Value::Object(answer), Some(moved)) = (&mut answer, moved) {
        let Moved { index, from, wanted } = moved;
        let witness = json!({ "kind": "moved", "index": index, "from": from, "wanted": wanted });
        answer.insert("witness".to_owned(), witness);
    }
    answer
}
