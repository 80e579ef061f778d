//! `same`: whether two layouts are the same, and a place where they differ.

use std::process::ExitCode;

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::{Value, json};
use tensor_layout::algebra::Difference;
use tensor_layout::{Layout, LayoutText, Level, Location, Placement};

use super::failure::Failure;
use super::input::{argument, machine_of};
use super::json::{found_json, place_json};
use super::output::print;

/// Compare two layouts, and show where they differ.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Prints `same` and exits with 0, or a place where they differ and exits with 1.
JSON: {\"same\":true} or {\"same\":false,\"witness\":{..}}

Examples:
  tensor-layout same '(3)/((2:2, 2:1))' '(3)/((4:1))'
  tensor-layout same '((12:8), (8:1))' '((1_PE, 12:8), (8:1))' --serves
  tensor-layout same '((12:1))' '((12:1); B@[4_PE:1])' --copyable --machine PE=4")]
pub(super) struct Same {
    /// One layout, or - for standard input.
    #[arg(value_name = "A")]
    first: String,
    /// The other.
    #[arg(value_name = "B")]
    second: String,
    /// Only ask that every element has the same places.
    #[arg(long, value_enum, value_name = "WHAT")]
    up_to: Option<UpTo>,
    /// Ask whether A serves where B is wanted: the places of A contain those of B.
    #[arg(long, conflicts_with_all = ["up_to", "copyable"])]
    serves: bool,
    /// Ask whether a plain copy of every unit's memory turns one into the other.
    #[arg(long, requires = "machine", conflicts_with = "up_to")]
    copyable: bool,
    /// mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    machine: Option<String>,
    /// The memory: LM0, LM1, DRAM, ..
    #[arg(long, value_name = "NAME", requires = "machine")]
    memory: Option<String>,
    /// Take XLA shapes as people write them.
    #[arg(long)]
    lenient: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UpTo {
    /// Where padding lies does not matter.
    Padding,
}

impl Same {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let (first, second) =
            (argument(&self.first, self.lenient)?, argument(&self.second, self.lenient)?);
        let (a, b) = (first.lower()?, second.lower()?);
        let difference = match (&self.machine, self.serves, self.up_to) {
            (Some(machine), false, None) if self.copyable => {
                let machine = machine_of(machine)?;
                let place = |layout: Layout, text: &LayoutText| {
                    let builder = Placement::of(layout).on(&machine);
                    let builder = match &self.memory {
                        Some(memory) => builder.memory(memory),
                        None => builder,
                    };
                    builder.build().map_err(|error| text.refuse(error))
                };
                place(a, &first)?.copyable(&place(b, &second)?)?
            }
            (_, true, _) => a.serves(&b)?,
            (_, _, Some(UpTo::Padding)) => a.same_up_to_padding(&b)?,
            _ => a.same_map(&b)?,
        };
        match (&difference, self.json) {
            (difference, true) => print(&same_json(difference.as_ref()).to_string())?,
            (None, false) => print("same")?,
            (Some(difference), false) => print(&difference.to_string())?,
        }
        Ok(ExitCode::from(u8::from(difference.is_some())))
    }
}

/// The answer of `same`.
fn same_json(difference: Option<&Difference>) -> Value {
    let names = |levels: &[Level]| levels.iter().map(ToString::to_string).collect::<Vec<_>>();
    let places = |places: &[Location]| places.iter().map(place_json).collect::<Vec<_>>();
    let witness = match difference {
        None => return json!({ "same": true }),
        Some(Difference::Shapes(first, second)) => {
            json!({ "kind": "shapes", "first": first, "second": second })
        }
        Some(Difference::Levels(first, second)) => {
            json!({ "kind": "levels", "first": names(first), "second": names(second) })
        }
        Some(Difference::Element { index, first, second }) => json!({
            "kind": "element", "index": index, "first": places(first), "second": places(second),
        }),
        Some(Difference::Place { place, first, second }) => json!({
            "kind": "place", "at": place_json(place),
            "first": found_json(first), "second": found_json(second),
        }),
        Some(_) => Value::Null,
    };
    json!({ "same": false, "witness": witness })
}
