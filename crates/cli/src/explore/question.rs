//! The question of the page: layouts, a machine, and the part of both that it shows.

use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use tensor_layout::notation::Atom;
use tensor_layout::{LayoutText, Level, Location, Machine, Placement};
use tensor_layout_show::Drawing;
use tensor_layout_words::cut;

use super::answer::titled_as;
use crate::failure::Failure;
use crate::input::{Reading, numbers};
use crate::picture::{column, labels};
use crate::places::location;
use crate::placing::{On, OnMachine, PlacementSource, is_named, machine_of};

/// The most characters of a text.
const LONGEST: usize = 1 << 14;

/// The machine of a file, under the name that the command line gave it.
static FROM_FILE: OnceLock<(String, Machine)> = OnceLock::new();

/// A field that is filled in.
fn typed(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The state of the page. Numbers are strings: JavaScript numbers are exact only to 2^53.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) layout: String,
    pub(crate) after: String,
    /// A preset or levels; files only from the command line.
    pub(crate) machine: String,
    pub(crate) memory: String,
    pub(crate) dtype: String,
    pub(crate) shape: String,
    pub(crate) base: String,
    /// The level that cells are coloured by, and the texts in the cells of the tensor, as `draw` takes them.
    pub(crate) by: String,
    pub(crate) labels: String,
    /// The range of every axis that is shown; `None` for all of it.
    pub(crate) window: Vec<Option<(String, String)>>,
    /// The subtree of the machine that is shown, `L2B=3,PE=1`.
    pub(crate) at: String,
    /// The first address that is shown.
    pub(crate) address: String,
    /// Ranges of units that are shown.
    pub(crate) units: Vec<(String, String, String)>,
}

impl Question {
    /// A question without layouts, on the machine that the options of a command name.
    pub(crate) fn on(options: &On) -> Result<Question, Failure> {
        let OnMachine { machine, memory, dtype } = &options.machine;
        if let Some(file) = machine.as_deref().filter(|name| !is_named(name)) {
            let machine = machine_of(file)?;
            FROM_FILE.get_or_init(|| (file.trim().to_owned(), machine));
        }
        let text = |option: &Option<String>| option.clone().unwrap_or_default();
        Ok(Question {
            machine: text(machine),
            memory: text(memory),
            dtype: text(dtype),
            base: options.base.to_string(),
            ..Question::default()
        })
    }

    /// Rejects texts that are too long to be typed, before anything is read.
    fn check_length(&self) -> Result<(), Failure> {
        let texts = [
            &self.layout,
            &self.after,
            &self.machine,
            &self.shape,
            &self.at,
            &self.by,
            &self.labels,
        ];
        match texts.iter().any(|text| text.len() > LONGEST) {
            true => Err(Failure::Argument(format!("a text is longer than {LONGEST} characters"))),
            false => Ok(()),
        }
    }

    /// The layout on its machine, even if it does not fit.
    pub(super) fn placed(&self) -> Result<PlacementSource, Failure> {
        self.check_length()?;
        self.place(self.text(&self.layout)?, self.tree()?.as_ref())
    }

    /// Both layouts on a machine, or on the units that both name.
    pub(super) fn placed_pair(&self) -> Result<(PlacementSource, PlacementSource), Failure> {
        self.check_length()?;
        let (before, after) = (self.text(&self.layout)?, self.text(&self.after)?);
        let tree = match self.tree()? {
            Some(tree) => tree,
            None => Machine::for_pair(&before.lower()?, &after.lower()?)?,
        };
        Ok((self.place(before, Some(&tree))?, self.place(after, Some(&tree))?))
    }

    fn text(&self, text: &str) -> Result<LayoutText, Failure> {
        if let Some(matrices) = Atom::matrices(text.trim()) {
            let [_, _, result] = matrices?;
            return Ok(LayoutText::Atom(result));
        }
        Reading::of_shape(typed(&self.shape)).shaped(LayoutText::parse(text.trim())?)
    }

    /// The sentence about an instruction without a letter, whose result is shown.
    pub(super) fn said_of_matrices(&self) -> Option<String> {
        let name = self.layout.trim();
        Atom::matrices(name)?.ok().map(|_| {
            format!("the result `{name}:C` is shown; the factors are `{name}:A` and `{name}:B`")
        })
    }

    /// The drawing of a whole layout, with the requested colours and labels.
    pub(super) fn whole<'a>(&self, placed: &'a PlacementSource) -> Result<Drawing<'a>, Failure> {
        self.looks(titled_as(placed), placed)
    }

    /// The machine by name or levels, or the file that the command line named. No other file is read.
    fn tree(&self) -> Result<Option<Machine>, Failure> {
        if let Some((name, machine)) = FROM_FILE.get()
            && name == self.machine.trim()
        {
            return Ok(Some(machine.clone()));
        }
        match self.machine.trim() {
            "" => Ok(None),
            text if is_named(text) => machine_of(text).map(Some),
            text => Err(Failure::Advised(
                format!("`{text}` is not a known machine"),
                "a machine is mn-core, mn-core-2, or levels such as L2B=4,PE=4".into(),
            )),
        }
    }

    fn place(
        &self,
        syntax: LayoutText,
        tree: Option<&Machine>,
    ) -> Result<PlacementSource, Failure> {
        let memory = typed(&self.memory);
        if let Some(memory) = memory.as_ref().filter(|_| tree.is_none()) {
            let why = format!("the memory `{}` belongs to a machine", cut(memory, 40));
            return Err(Failure::Advised(why, "fill in the machine, such as mn-core-2".into()));
        }
        let on = OnMachine { machine: typed(&self.machine), memory, dtype: typed(&self.dtype) };
        let base = match self.base.trim() {
            "" => 0,
            text => number("base", text)?,
        };
        on.place_on(syntax, tree, |builder| builder.base(base).oversized())
    }

    /// A drawing with the requested colours and labels.
    fn looks<'a>(
        &self,
        drawing: Drawing<'a>,
        PlacementSource { placement, syntax }: &PlacementSource,
    ) -> Result<Drawing<'a>, Failure> {
        let bits = syntax.element_bits().unwrap_or(32);
        let words = self.labels.split(',').map(str::trim).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let drawing = drawing.labels(&labels("label with", &words, placement, bits)?);
        Ok(match self.by.trim() {
            "" => drawing,
            "bank" => drawing.banks(bits),
            level => drawing.by(column("colour by", Level::new(level)?, placement)?),
        })
    }

    /// The drawing of the part that is shown, with one index of each leading axis.
    pub(super) fn drawing<'a>(&self, placed: &'a PlacementSource) -> Result<Drawing<'a>, Failure> {
        let placement = &placed.placement;
        let mut drawing = titled_as(placed).most_panels(1);
        let rank = placement.layout().rank();
        for axis in 0..rank {
            let asked = self.window.get(axis).and_then(Option::as_ref);
            let range = match asked {
                Some((start, end)) => range("window", start, end)?,
                None => 0..drawing.slots(axis),
            };
            let leads = axis + 2 < rank;
            let end = if leads { range.start.saturating_add(1) } else { range.end };
            if range.start < end {
                drawing = drawing.slice(axis, range.start..end)?;
            }
        }
        for (level, start, end) in &self.units {
            let range = range("units", start, end)?;
            drawing = drawing.units(unit_column(level, placement)?, range);
        }
        if !self.address.is_empty() {
            drawing = drawing.addresses(number("address", &self.address)?);
        }
        // An empty field of the page does not name a unit.
        let at = match self.at.trim() {
            "" => Location::default(),
            at => location(at)?,
        };
        for (level, coordinate) in at.iter() {
            let level = unit_column(level.as_str(), placement)?;
            if coordinate >= placement.coordinates(level) {
                return Err(Failure::Argument(format!("`{level}={coordinate}` is out of range")));
            }
        }
        self.looks(drawing.at(at), placed)
    }
}

fn unit_column(name: &str, placement: &Placement) -> Result<Level, Failure> {
    let level = Level::new(name)?;
    match placement.columns().contains(&level) && !level.is_in_unit() {
        true => Ok(level),
        false => Err(Failure::Argument(format!("`{level}` does not distinguish units here"))),
    }
}

/// A range that is not empty.
fn range(what: &str, start: &str, end: &str) -> Result<Range<u64>, Failure> {
    let range = number(what, start)?..number(what, end)?;
    match range.is_empty() {
        true => Err(Failure::Argument(format!("{what}: {start}..{end} is an empty range"))),
        false => Ok(range),
    }
}

fn number(what: &str, text: &str) -> Result<u64, Failure> {
    match numbers(what, text)?[..] {
        [number] => Ok(number),
        _ => Err(Failure::Argument(format!("{what}: `{text}` is not a number"))),
    }
}
