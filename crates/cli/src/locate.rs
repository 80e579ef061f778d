//! `locate`: the places of one element.

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::{Value, json};
use tensor_layout::sharding::DeviceShards;
use tensor_layout::xla::XlaArray;
use tensor_layout::{LayoutText, Level, Location, Placement};
use tensor_layout_words::to_u64;

use super::devices::{apart, by_device};
use super::failure::Failure;
use super::input::{Form, numbers};
use super::json::location_json;
use super::output::print_as;
use super::places::{PlaceForm, in_assembly};
use super::placing::{Place, PlacementSource};

/// The number of copies that are printed as text, and as JSON.
const MOST_LINES: usize = 64;
const MOST_COPIES: usize = 1 << 16;

/// Print where one element lives: the place of each of its copies.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Text output shows at most 64 copies, JSON at most 65536.
JSON: {\"index\":[100,37],\"location\":{\"L2B\":1,..,\"Addr\":33},\"copies\":1,
\"replicated\":[],\"all_copies\":[{..}]}; with --bytes also \"bytes\", and on MN-Core
with a memory \"assembly_addresses\", a number per copy. --as assembly prints
$ln234n3c1b6m15p1, in JSON as \"places\".

Examples:
  tensor-layout locate '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))' 100,37
  tensor-layout locate '((12:8), (8:1))' 1,2 --machine PE=4
  tensor-layout locate '((2,2),3):((1,2),4)' '((1,0),2)'
  tensor-layout locate 'bf16[8,128]{1,0:T(8,128)(2,1)}' 3,5 --bytes")]
pub(super) struct Locate {
    /// The index: one entry per axis, such as 100,37; '' for rank 0; or a CuTe coordinate such as
    /// ((1,0),2).
    // Declared before the layout, whose options start a new group in the help.
    #[arg(value_name = "I,J,..", index = 2)]
    index: String,
    #[command(flatten)]
    place: Place,
    /// Also print byte offsets, and addresses in MN-Core assembly syntax.
    #[arg(long, help_heading = "Output")]
    bytes: bool,
    /// The notation for places.
    #[arg(long = "as", value_enum, value_name = "FORM", help_heading = "Output", default_value_t)]
    place_form: PlaceForm,
    #[command(flatten)]
    form: Form,
}

impl Locate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let syntax = self.place.reading.read(&self.place.layout)?;
        let shown = if self.form.is_json() { MOST_COPIES } else { MOST_LINES };
        if self.place_form == PlaceForm::Assembly {
            let placed = self.place.on.place(syntax)?;
            return self.in_assembly(&placed, shown);
        }
        let found = match by_device(&syntax, &self.place.on)? {
            Some(shards) => self.on_devices(&shards, &syntax, shown)?,
            None => self.on_units(&self.place.on.place(syntax)?, shown)?,
        };
        print_as(self.form, || found.answer(), || found.page())
    }

    /// The places in assembly syntax, one per line.
    fn in_assembly(&self, placed: &PlacementSource, shown: usize) -> Result<(), Failure> {
        let PlacementSource { placement, syntax } = placed;
        if self.bytes {
            let why = "--bytes goes with places as levels; --as assembly has the address";
            return Err(Failure::Argument(why.into()));
        }
        let index = index(syntax, &self.index)?;
        let places = placement.locate_all(&index)?.take(shown);
        let texts: Vec<String> =
            places.map(|place| in_assembly(placement, &place)).collect::<Result<_, Failure>>()?;
        let copies = placement.copies();
        let answer = || json!({ "index": index, "places": texts, "copies": copies });
        let page = || {
            let mut page: String = texts.iter().map(|text| format!("{text}\n")).collect();
            if to_u64(texts.len()) < copies {
                let shown = texts.len();
                page.push_str(&format!("{copies} copies; the first {shown} are shown\n"));
            }
            page
        };
        print_as(self.form, answer, page)
    }

    fn on_units(&self, placed: &PlacementSource, shown: usize) -> Result<LocatedPlace, Failure> {
        let PlacementSource { placement, syntax } = placed;
        let index = index(syntax, &self.index)?;
        let places: Vec<Location> = placement.locate_all(&index)?.take(shown).collect();
        let bytes = match self.bytes {
            true => Some(byte_offsets(placement, syntax, &places)?),
            false => None,
        };
        let assembly = bytes.as_ref().and_then(|_| assembly_addresses(placement, &places));
        Ok(LocatedPlace {
            index,
            columns: placement.columns().to_vec(),
            copies: placement.copies(),
            replicated: differing(placement),
            places,
            bytes,
            assembly,
            memory: placement.memory().map_or("", |(name, _)| name).to_owned(),
        })
    }

    fn on_devices(
        &self,
        shards: &DeviceShards,
        syntax: &LayoutText,
        shown: usize,
    ) -> Result<LocatedPlace, Failure> {
        let index = index(syntax, &self.index)?;
        let mut places = shards.locate_all(&index).map_err(|error| syntax.refuse(error))?;
        let (columns, copies) = (shards.columns(), shards.copies());
        let replicated = apart(&columns, &places);
        places.truncate(shown);
        let array = syntax.xla_array().filter(|_| self.bytes);
        let bytes = array.map(|array| bytes_of(array, &places)).transpose()?;
        Ok(LocatedPlace {
            index,
            columns,
            copies,
            replicated,
            places,
            bytes,
            ..LocatedPlace::default()
        })
    }
}

/// The levels in which copies differ: not those with a single unit.
fn differing(placement: &Placement) -> Vec<Level> {
    let replicas = placement.with_copies().replicas().iter();
    let several: Vec<Level> =
        replicas.filter(|replica| replica.size > 1).map(|replica| replica.level).collect();
    placement.replicated().into_iter().filter(|level| several.contains(level)).collect()
}

/// The places of an element.
#[derive(Default)]
struct LocatedPlace {
    index: Vec<u64>,
    columns: Vec<Level>,
    /// The number of places; `places` holds the first of them.
    copies: u64,
    /// The levels in which copies differ.
    replicated: Vec<Level>,
    places: Vec<Location>,
    bytes: Option<Vec<u64>>,
    assembly: Option<Vec<u64>>,
    memory: String,
}

/// The index; CuTe also accepts nested coordinates and a single linear index.
fn index(syntax: &LayoutText, text: &str) -> Result<Vec<u64>, Failure> {
    let is_layout = text.contains(':');
    if let LayoutText::Cute(layout) = syntax
        && !is_layout
        && !text.trim().is_empty()
    {
        return Ok(layout.index_of(text)?);
    }
    let bare = text.trim().trim_start_matches('(').trim_end_matches(')');
    if bare != text.trim() && numbers("the index", bare).is_ok() {
        let why = "an index is written without brackets";
        return Err(Failure::Advised(why.into(), format!("write {bare}")));
    }
    let looks_like_layout = text.contains(['(', '[']);
    if looks_like_layout {
        let why = "the layout comes first, then the index, as in: locate '((12:8), (8:1))' 3,5";
        return Err(Failure::Argument(why.into()));
    }
    numbers("the index", text)
}

impl LocatedPlace {
    fn answer(&self) -> Value {
        let LocatedPlace { index, columns, copies, replicated, places, bytes, assembly, .. } = self;
        let replicated: Vec<&str> = replicated.iter().map(Level::as_str).collect();
        let all: Vec<Value> = places.iter().map(|place| location_json(columns, place)).collect();
        let mut answer = json!({
            "index": index,
            "location": all.first(),
            "copies": copies,
            "replicated": replicated,
            "all_copies": all,
        });
        if let Value::Object(answer) = &mut answer {
            answer.extend(bytes.iter().map(|bytes| ("bytes".to_owned(), json!(bytes))));
            answer.extend(assembly.iter().map(|at| ("assembly_addresses".to_owned(), json!(at))));
        }
        answer
    }

    fn page(&self) -> String {
        let mut page = String::new();
        for (at, place) in self.places.iter().enumerate() {
            page.push_str(&in_columns(&self.columns, place));
            let byte = self.bytes.as_ref().and_then(|bytes| bytes.get(at));
            let byte = byte.map(|byte| format!("byte {byte}"));
            let word = self.assembly.as_ref().and_then(|words| words.get(at));
            let word = word.map(|word| format!("{} assembly {word}", self.memory));
            let notes = byte.into_iter().chain(word).join(", ");
            if !notes.is_empty() {
                page.push_str(&format!("  ({notes})"));
            }
            page.push('\n');
        }
        if self.copies > 1 {
            let levels = self.replicated.iter().join(", ");
            let shown = match to_u64(self.places.len()) {
                shown if shown < self.copies => format!("; the first {shown} are shown"),
                _ => String::new(),
            };
            page.push_str(&format!("{} copies over {levels}{shown}\n", self.copies));
        }
        page
    }
}

/// The byte in the memory of the unit at which each copy begins.
fn byte_offsets(
    placement: &Placement,
    syntax: &LayoutText,
    places: &[Location],
) -> Result<Vec<u64>, Failure> {
    match (syntax.xla_array(), syntax) {
        (Some(array), _) => bytes_of(array, places),
        (None, LayoutText::PadLayout(_)) => word_offsets(placement, places),
        _ => {
            let why = "--bytes: the text gives no type and no itemsize, so the width of an element \
                       is not known";
            let bits = syntax.element_bits().ok_or_else(|| Failure::Argument(why.into()))?;
            places.iter().map(|place| byte_with(bits_in(place, Level::ADDR, bits))).collect()
        }
    }
}

fn bytes_of(array: &XlaArray, places: &[Location]) -> Result<Vec<u64>, Failure> {
    let bit = |place: &Location| array.bit_offset(place.get(Level::ADDR).unwrap_or(0));
    places.iter().map(|place| byte_with(bit(place))).collect()
}

/// Byte offsets if addresses count long words, and lanes count the elements of a long word.
fn word_offsets(placement: &Placement, places: &[Location]) -> Result<Vec<u64>, Failure> {
    let lane = placement.element_bits();
    if lane.is_none() && placement.columns().contains(&Level::W) {
        let why = "--bytes: the width of a lane is not known; give it with --dtype";
        return Err(Failure::Argument(why.into()));
    }
    let bit = |place: &Location| {
        let word = bits_in(place, Level::ADDR, placement.word_bits());
        word.saturating_add(bits_in(place, Level::W, lane.unwrap_or(0)))
    };
    places.iter().map(|place| byte_with(bit(place))).collect()
}

/// The bits below a coordinate, each step of which has some.
fn bits_in(place: &Location, level: Level, bits: u64) -> u128 {
    u128::from(place.get(level).unwrap_or(0)) * u128::from(bits)
}

/// The byte with a bit.
fn byte_with(bit: u128) -> Result<u64, Failure> {
    let too_large = || Failure::Argument("--bytes: the offset does not fit in 64 bits".into());
    u64::try_from(bit / 8).map_err(|_| too_large())
}

/// The addresses as assembly writes them, if the machine has an assembly syntax for the memory.
fn assembly_addresses(placement: &Placement, places: &[Location]) -> Option<Vec<u64>> {
    let step = placement.machine()?.assembly_step(placement.memory()?.0)?;
    places.iter().map(|place| place.get(Level::ADDR)?.checked_mul(step)).collect()
}

/// `L2B=1,..,Addr=33`, in the order of the columns.
fn in_columns(columns: &[Level], place: &Location) -> String {
    let at = |level: &Level| place.get(*level).map(|at| format!("{level}={at}"));
    columns.iter().filter_map(at).join(",")
}
