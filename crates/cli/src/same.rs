//! `same`: whether two layouts are the same, and a place where they differ.

use std::process::ExitCode;

use clap::{Args as ClapArgs, ValueEnum};
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::algebra::{Difference, Indexes, Subaxis};
use tensor_layout::sharding::DeviceShards;
use tensor_layout::xla::BitcastName;
use tensor_layout::{Layout, LayoutError, LayoutText, Level, Location, Placement};
use tensor_layout_words::{counted, product};

use super::bitcast;
use super::devices::both_by_device;
use super::failure::{Failure, note};
use super::input::{Form, Reading};
use super::json::{found_json, place_json};
use super::output::print_as;
use super::placing::OnMachine;

/// Compare two layouts, and show where they differ.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Prints `same` (`serves`, `copyable`) and exits with 0, or prints a place where
they differ and exits with 1. With --machine the placements are compared:
levels that a layout does not use hold copies, and a memory that units share
counts once. Element types are not compared, since places count elements. With
--bitcast A and B are XLA arrays of any types, and the bytes of A are read as B.
Prints the effect on the elements (identity, reshape, transpose, a reshape of a
transpose, or bytes if the widths differ), and exits with 1 if it is none of
these or not the requested one, or if a byte holds an element of only one array.
JSON: {\"same\":true} or {\"same\":false,\"witness\":{..}}; the key is `serves` or
`copyable` with that option. --bitcast adds a \"bitcast\": its \"name\", its
\"dimensions\", and its \"map\" from the index of B to that of A.

Examples:
  tensor-layout same '(3)/((2:2, 2:1))' '(3)/((4:1))'
  tensor-layout same '((12:8), (8:1))' '((1_PE, 12:8), (8:1))' --serves
  tensor-layout same '((12:1))' '((12:1); B@[4_PE:1])' --copyable --machine PE=4
  tensor-layout same 'f32[2,3]{1,0}' 's32[3,2]{0,1}' --bitcast
  tensor-layout same 'f32[2,3]{1,0}' 'f32[3,2]{1,0}' --bitcast=transpose")]
pub(super) struct Same {
    /// The first layout, or - for standard input.
    #[arg(value_name = "A")]
    first: String,
    /// The second layout.
    #[arg(value_name = "B")]
    second: String,
    /// Only require that every element has the same places.
    #[arg(long, value_enum, value_name = "WHAT")]
    up_to: Option<UpTo>,
    /// Check whether A can serve as B: each element's places in A include its places in B.
    #[arg(long, conflicts_with_all = ["up_to", "copyable"])]
    serves: bool,
    /// Check whether a verbatim copy of every unit's memory turns one into the other.
    #[arg(long, requires = "machine", conflicts_with = "up_to")]
    copyable: bool,
    /// Report the effect of reading the bytes of A as B, or check whether it is WHAT.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        default_missing_value = "any",
        conflicts_with_all = ["up_to", "copyable", "serves", "machine", "memory", "dtype"]
    )]
    bitcast: Option<Bitcasting>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    on: OnMachine,
    #[command(flatten)]
    form: Form,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum UpTo {
    /// Ignore differences in padding.
    Padding,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Bitcasting {
    /// Any of the following; bytes only if the widths differ.
    Any,
    /// Every element keeps its index.
    Identity,
    /// The row-major order is kept.
    Reshape,
    /// The dimensions are permuted.
    Transpose,
    /// The dimensions are permuted, then reshaped.
    ReshapeOfTranspose,
    /// The elements of both arrays occupy the same bytes, in any order.
    Bytes,
}

impl Bitcasting {
    fn name(self) -> Option<BitcastName> {
        match self {
            Bitcasting::Any => None,
            Bitcasting::Identity => Some(BitcastName::Identity),
            Bitcasting::Reshape => Some(BitcastName::Reshape),
            Bitcasting::Transpose => Some(BitcastName::Transpose),
            Bitcasting::ReshapeOfTranspose => Some(BitcastName::ReshapeOfTranspose),
            Bitcasting::Bytes => Some(BitcastName::Bytes),
        }
    }
}

/// The relation to test, and the word for yes.
#[derive(Clone, Copy)]
enum Relation {
    Same,
    UpToPadding,
    Copyable,
    Serves,
}

impl Relation {
    fn yes(self) -> &'static str {
        match self {
            Relation::Same => "same",
            Relation::UpToPadding => "same up to padding",
            Relation::Copyable => "copyable",
            Relation::Serves => "serves",
        }
    }

    /// The key of the answer in JSON.
    fn key(self) -> &'static str {
        match self {
            Relation::Same | Relation::UpToPadding => "same",
            Relation::Copyable => "copyable",
            Relation::Serves => "serves",
        }
    }

    fn of_devices(self, a: &DeviceShards, b: &DeviceShards) -> Result<Option<Difference>, Failure> {
        match self {
            Relation::Same => Ok(a.same_map(b)?),
            Relation::UpToPadding => Ok(a.same_up_to_padding(b)?),
            Relation::Copyable | Relation::Serves => Err(Failure::Argument(
                "--serves and --copyable need regular device lists, and those of one \
                 side are not"
                    .into(),
            )),
        }
    }

    fn of_placements(
        self,
        a: &Placement,
        b: &Placement,
    ) -> Result<Option<Difference>, LayoutError> {
        match self {
            Relation::Same => a.same_map(b),
            Relation::UpToPadding | Relation::Copyable => a.copyable(b),
            Relation::Serves => a.serves(b),
        }
    }
}

impl Same {
    pub(super) fn run(&self) -> Result<ExitCode, Failure> {
        let (first, second) = self.reading.read_two(&self.first, &self.second)?;
        if let Some(asked) = self.bitcast {
            return bitcast::answer(&first, &second, asked.name(), self.form);
        }
        let question = match (self.serves, self.copyable, self.up_to) {
            (true, ..) => Relation::Serves,
            (_, true, _) => Relation::Copyable,
            (_, _, Some(UpTo::Padding)) => Relation::UpToPadding,
            _ => Relation::Same,
        };
        if let (Some(a), Some(b)) = (first.xla_dtype(), second.xla_dtype())
            && a != b
        {
            note(&format!("places are compared, not element types: {a} and {b}"));
        }
        let difference = self.difference(first, second, question)?;
        let difference = difference.as_ref();
        let text = || difference.map_or(question.yes().into(), ToString::to_string);
        print_as(self.form, || same_json(question.key(), difference), text)?;
        Ok(ExitCode::from(u8::from(difference.is_some())))
    }

    fn difference(
        &self,
        first: LayoutText,
        second: LayoutText,
        question: Relation,
    ) -> Result<Option<Difference>, Failure> {
        if let Some((a, b)) = both_by_device(&first, &second, &self.on)? {
            return question.of_devices(&a, &b);
        }
        self.check_memories(&first, &second)?;
        let (a, b) = (self.on.place(first)?.placement, self.on.place(second)?.placement);
        if self.serves {
            looked_at(a.layout(), b.layout());
        }
        Ok(question.of_placements(&a, &b)?)
    }

    /// A placement without a machine does not know its memory.
    fn check_memories(&self, first: &LayoutText, second: &LayoutText) -> Result<(), Failure> {
        let (from, to) = (self.on.suffix(first)?.0, self.on.suffix(second)?.0);
        match from.is_some() && to.is_some() && from != to && !self.copyable {
            true => Err(LayoutError::differ("memories", from, to).into()),
            false => Ok(()),
        }
    }
}

/// Prints the axes of one layout that count as copies, and their positions.
fn looked_at(first: &Layout, second: &Layout) {
    let (more, fewer, which) = match first.rank() > second.rank() {
        true => (first, second, "first"),
        false => (second, first, "second"),
    };
    let (extra, shape) = (more.rank() - fewer.rank(), more.shape());
    let Some(leading) = product(shape[..extra].iter().copied()) else { return };
    if extra == 0 || leading == 0 || shape[extra..] != fewer.shape() {
        return;
    }
    let digits = more.axes()[..extra].iter().flat_map(|axis| &axis.subaxes);
    let levels: Vec<Level> = digits.filter_map(Subaxis::lands).unique().collect();
    let copies = Indexes::new(shape[..extra].to_vec());
    let mut at = copies.zip(0..MOST_SHOWN).filter_map(|(mut index, _)| {
        index.resize(shape.len(), 0);
        let place = more.locate(&index).ok()?;
        let mut at =
            levels.iter().filter_map(|level| Some(format!("{level}={}", place.get(*level)?)));
        Some(at.join(","))
    });
    let mut at = at.join(" and ");
    if !levels.is_empty() {
        at.insert_str(0, ", at ");
    }
    if leading > MOST_SHOWN {
        at.push_str(" and more");
    }
    let axes = if extra == 1 { "axis 0".into() } else { format!("axes 0 to {}", extra - 1) };
    note(&format!("{axes} of the {which} layout: {}{at}", counted(leading, "copy")));
}

/// The most copies that are named.
const MOST_SHOWN: u64 = 8;

fn same_json(key: &str, difference: Option<&Difference>) -> Value {
    let names = |levels: &[Level]| levels.iter().map(ToString::to_string).collect::<Vec<_>>();
    let places = |places: &[Location]| places.iter().map(place_json).collect::<Vec<_>>();
    let witness = match difference {
        None => return json!({ key: true }),
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
    };
    json!({ key: false, "witness": witness })
}
