//! The entries of `layout_spec` and `gemm_layout_spec` files: JSON, a list of objects.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Error, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The side of an operator whose layout is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Trigger {
    /// An input is brought into the layout first.
    SwitchInput,
    /// The output has it.
    FixOutput,
}

/// An entry of a `layout_spec` file: the layout of a tensor of an operator.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LayoutEntry {
    /// The side that is pinned.
    pub trigger: Trigger,
    /// The operator, as in ONNX.
    pub op_type: String,
    /// The shape of the tensor.
    pub shape: Vec<u64>,
    /// Its PadLayout; the extents are those of the shape.
    pub layout: String,
}

/// An entry of a `gemm_layout_spec` file: the operands and the result of a matrix product.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProductEntry {
    /// The name of the product in its program.
    pub key: String,
    /// The PadLayout of the first operand, `[.., m, k]`.
    #[serde(rename = "A")]
    pub a: String,
    /// That of the second operand transposed, `[.., n, k]`.
    #[serde(rename = "BT")]
    pub bt: String,
    /// That of the result: the axes of A but `k`, then those that only BT has, `[.., m, n]`.
    #[serde(rename = "C")]
    pub c: String,
}

/// An entry of either file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SpecEntry {
    /// A single tensor.
    Layout(LayoutEntry),
    /// A product.
    Product(ProductEntry),
}

/// The fault of an entry that lacks a key, or has one too many; entries have numbers from 1 on.
pub(crate) fn in_entry(number: usize, why: String) -> LayoutError {
    fault!(Invalid, "entry {number}: {why}", [number, why])
}

/// Reads the entries of a `layout_spec` or `gemm_layout_spec` file.
///
/// # Errors
/// `Invalid`, with the number of the entry.
///
/// # Example
/// ```
/// use tensor_layout_plan::{SpecEntry, read_spec};
/// let text = r#"[{"key": "q_proj", "A": "((64:1), (4_W))", "BT": "((8:1), (4_W))", "C": "((64:1), (8:64))"}]"#;
/// assert!(matches!(&read_spec(text)?[..], [SpecEntry::Product(product)] if product.key == "q_proj"));
/// let refused = read_spec(r#"[{"key": "q_proj", "A": "((64:1), (4_W))"}]"#).unwrap_err();
/// assert_eq!(refused.to_string(), "entry 1: missing field `BT`");
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
pub fn read_spec(text: &str) -> Result<Vec<SpecEntry>, LayoutError> {
    let entry = |(at, value)| SpecEntry::read(value).map_err(|why| in_entry(at + 1, why));
    list(text)?.into_iter().enumerate().map(entry).collect()
}

/// The values of a JSON list.
pub(crate) fn list(text: &str) -> Result<Vec<Value>, LayoutError> {
    let no_json = |error: serde_json::Error| {
        fault!(Invalid, "it is not JSON: {error}", [error = error.to_string()])
    };
    match serde_json::from_str(text).map_err(no_json)? {
        Value::Array(list) => check_keys(text, &list).map(|()| list),
        _ => Err(fault!(Invalid, "it has to be a list of entries, [{{..}}, ..]")),
    }
}

/// Refuses an object with a key twice, of which a [`Value`] has the last alone.
fn check_keys(text: &str, list: &[Value]) -> Result<(), LayoutError> {
    match serde_json::from_str::<Vec<Keys>>(text) {
        Err(error) if list.iter().all(Value::is_object) => {
            Err(fault!(Invalid, "{error}", [error = error.to_string()]))
        }
        _ => Ok(()),
    }
}

/// The keys of an object, which differ.
struct Keys;

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(of: D) -> Result<Keys, D::Error> {
        of.deserialize_map(Keys)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Keys;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut of: A) -> Result<Keys, A::Error> {
        let mut known = HashSet::new();
        while let Some((key, IgnoredAny)) = of.next_entry::<String, _>()? {
            if let Some(twice) = known.replace(key) {
                return Err(A::Error::custom(format!("an entry has `{twice}` twice")));
            }
        }
        Ok(Keys)
    }
}

impl SpecEntry {
    /// Reads an entry of either file.
    pub(crate) fn read(value: Value) -> Result<SpecEntry, String> {
        let has = |keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
        let entry = match () {
            () if has(&["layout", "op_type"]) => {
                serde_json::from_value(value).map(SpecEntry::Layout)
            }
            () if has(&["key", "A", "BT", "C"]) => {
                serde_json::from_value(value).map(SpecEntry::Product)
            }
            () => {
                let why = "expected an object with trigger, op_type, shape and layout, or with key, A, BT and C";
                return Err(why.into());
            }
        };
        entry.map_err(|error| error.to_string())
    }
}
