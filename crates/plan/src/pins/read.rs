//! Pins of files: JSON as the SDK has it, or TOML.
//!
//! ```toml
//! [[pin]]
//! name = "layers.*.q_proj*"             # results and given values; * means any characters
//! layouts = ["((8_L1B:1, ..), ..)"]     # one of these
//! avoids = ["L2B"]                      # levels that it is not spread over; `uses` are those that it is
//!
//! [[pin]]
//! node = "lm_head"
//! operand = 0
//! layouts = ["(..)"]
//!
//! [[pin]]
//! product = "*embed_tokens*"
//! layouts = [{ A = "..", BT = "..", C = ".." }]
//! ```

use serde::Deserialize;
use serde_json::Value;
use tensor_layout::error::fault;
use tensor_layout::{LayoutError, Level};

use super::pin::{Pin, Pins, Place};
use crate::spec::{SpecEntry, in_entry, list};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    pin: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Option<String>,
    node: Option<String>,
    operand: Option<usize>,
    product: Option<String>,
    #[serde(default)]
    layouts: Vec<Layouts>,
    #[serde(default)]
    uses: Vec<String>,
    #[serde(default)]
    avoids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum Layouts {
    One(String),
    Product {
        #[serde(rename = "A")]
        a: String,
        #[serde(rename = "BT")]
        bt: String,
        #[serde(rename = "C")]
        c: String,
    },
}

/// Reads pins: a JSON list, with the entries of `layout_spec` and `gemm_layout_spec` files or the keys of TOML, or TOML
/// with tables `[[pin]]`.
///
/// `file` names the pins in messages.
///
/// # Errors
/// `Invalid`, with the number of the entry.
///
/// # Example
/// ```
/// use tensor_layout_plan::pins::{Place, read_pins};
/// let pins = read_pins("[[pin]]\nname = \"*.q_proj\"\navoids = [\"L2B\"]", "pins.toml")?;
/// assert_eq!(pins[0].place, Place::Named("*.q_proj".into()));
/// assert_eq!(pins[0].name, "pins.toml, pin 1");
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
pub fn read_pins(text: &str, file: &str) -> Result<Pins, LayoutError> {
    if text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[[") {
        let pin = |(number, value)| {
            let name = format!("{file}, entry {number}");
            from_json(value, name).map_err(|why| in_entry(number, why))
        };
        return (1..).zip(list(text)?).map(pin).collect();
    }
    let read: File = toml::from_str(text).map_err(|error| {
        fault!(
            Invalid,
            "it is neither a JSON list of entries nor TOML with tables [[pin]]: {error}",
            [error = error.to_string()]
        )
    })?;
    let pin = |(number, entry): (usize, Entry)| {
        entry.pin(format!("{file}, pin {number}")).map_err(|why| in_entry(number, why))
    };
    (1..).zip(read.pin).map(pin).collect()
}

/// A pin of a JSON object: an entry of the SDK, or what TOML has in a table.
fn from_json(value: Value, name: String) -> Result<Pin, String> {
    if ["name", "node", "product"].iter().any(|key| value.get(key).is_some()) {
        let entry: Entry = serde_json::from_value(value).map_err(|error| error.to_string())?;
        return entry.pin(name);
    }
    SpecEntry::read(value).map(|entry| Pin::of(&entry, name))
}

impl Entry {
    fn pin(self, name: String) -> Result<Pin, String> {
        let place = match (self.name, self.node, self.operand, self.product) {
            (Some(pattern), None, None, None) => Place::Named(pattern),
            (None, Some(pattern), Some(number), None) => Place::Operand(pattern, number),
            (None, None, None, Some(pattern)) => Place::Product(pattern),
            _ => return Err("expected name, node and operand, or product".into()),
        };
        let is_product = matches!(place, Place::Product(_));
        let layouts = self.layouts.into_iter().map(|layouts| match layouts {
            Layouts::One(layout) if !is_product => Ok(vec![layout]),
            Layouts::Product { a, bt, c } if is_product => Ok(vec![a, bt, c]),
            _ if is_product => Err("layouts of a product are {A = .., BT = .., C = ..}".to_owned()),
            _ => Err("A, BT and C are layouts of a product".to_owned()),
        });
        let layouts = layouts.collect::<Result<Vec<_>, _>>()?;
        let (uses, avoids) = (levels(&self.uses)?, levels(&self.avoids)?);
        if layouts.is_empty() && uses.is_empty() && avoids.is_empty() {
            return Err("it pins nothing: layouts, uses and avoids are missing".into());
        }
        if matches!(place, Place::Operand(..)) && !(uses.is_empty() && avoids.is_empty()) {
            return Err("uses and avoids are for results, not for an operand".into());
        }
        Ok(Pin { name, place, layouts, uses, avoids })
    }
}

fn levels(names: &[String]) -> Result<Vec<Level>, String> {
    names.iter().map(|name| Level::new(name).map_err(|error| error.to_string())).collect()
}
