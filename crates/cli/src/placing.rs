//! Places layouts on a machine and in a memory: `--machine`, `--memory`, `--dtype` and `--base`.

use std::fs::File;

use clap::Args as ClapArgs;
use tensor_layout::notation::{Dtype, ReplicaText};
use tensor_layout::placement::PlacementBuilder;
use tensor_layout::{LayoutText, Level, Machine, Placement};

use super::failure::{Failure, note};
use super::input::{Reading, count, read_text};

// Structs that commands flatten have plain comments: clap would take doc comments for the help.

// A layout and its placement.
#[derive(Debug, ClapArgs)]
pub(super) struct Place {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    pub(super) layout: String,
    #[command(flatten)]
    pub(super) reading: Reading,
    #[command(flatten)]
    pub(super) on: On,
}

// The placement of layouts, and the first address.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Placing")]
pub(super) struct On {
    #[command(flatten)]
    pub(super) machine: OnMachine,
    /// The address of the first long word.
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true, value_parser = count::<u64>)]
    pub(super) base: u64,
}

// The machine and the memory that layouts are placed in.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Placing")]
pub(super) struct OnMachine {
    /// The machine: mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file.
    #[arg(long, value_name = "MACHINE")]
    pub(super) machine: Option<String>,
    /// The memory that holds the layout (LM0, LM1, DRAM, ..); its capacity is checked.
    #[arg(long, value_name = "NAME", requires = "machine")]
    pub(super) memory: Option<String>,
    /// The element type, as in the suffix `@LM0 / Half`.
    #[arg(long, value_name = "DTYPE")]
    pub(super) dtype: Option<String>,
}

/// A placement, and the text that it was read from, for errors that point into it.
pub(super) struct PlacementSource {
    pub(super) placement: Placement,
    pub(super) syntax: LayoutText,
}

impl Place {
    pub(super) fn placement(&self) -> Result<PlacementSource, Failure> {
        self.on.place(self.reading.read(&self.layout)?)
    }
}

impl On {
    /// Places a text that was already read: standard input can only be read once.
    pub(super) fn place(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.machine.get()?;
        self.machine.place_on(syntax, machine.as_ref(), |builder| builder.base(self.base))
    }

    /// Like [`place`](On::place), but accepts a layout that is too large for the machine.
    pub(super) fn place_oversized(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.machine.get()?;
        let change = |builder: PlacementBuilder| builder.base(self.base).oversized();
        self.machine.place_on(syntax, machine.as_ref(), change)
    }

    /// Places two layouts of one tensor. Without a machine, the units are those that the layouts name,
    /// or one.
    pub(super) fn place_two(
        &self,
        first: LayoutText,
        second: LayoutText,
    ) -> Result<(PlacementSource, PlacementSource), Failure> {
        let machine = match self.machine.get()? {
            Some(machine) => machine,
            None => Machine::for_pair(&first.lower()?, &second.lower()?)?,
        };
        let place = |syntax| {
            self.machine.place_on(syntax, Some(&machine), |builder| builder.base(self.base))
        };
        Ok((place(first)?, place(second)?))
    }

    /// Returns whether any placement option was given.
    pub(super) fn is_said(&self) -> bool {
        self.machine.is_said() || self.base != 0
    }
}

impl OnMachine {
    pub(super) fn is_said(&self) -> bool {
        self.machine.is_some() || self.dtype.is_some()
    }

    pub(super) fn place(&self, syntax: LayoutText) -> Result<PlacementSource, Failure> {
        let machine = self.get()?;
        self.place_on(syntax, machine.as_ref(), |builder| builder)
    }

    /// The machine, if one was given.
    pub(super) fn get(&self) -> Result<Option<Machine>, Failure> {
        self.machine.as_deref().map(machine_of).transpose()
    }

    pub(super) fn place_on(
        &self,
        syntax: LayoutText,
        machine: Option<&Machine>,
        change: impl FnOnce(PlacementBuilder) -> PlacementBuilder,
    ) -> Result<PlacementSource, Failure> {
        // Devices are counted through the tree of `--machine`; without one, the mesh is the machine.
        let (layout, mesh) = match (&syntax, machine) {
            (_, Some(tree)) if self.machine.is_some() => (syntax.lower_on(tree)?, None),
            (LayoutText::Sharded(shape), None) => (syntax.lower()?, shape.machine()?),
            _ => (syntax.lower()?, None),
        };
        let machine = machine.or(mesh.as_ref());
        self.note_unused(&syntax, machine);
        let mut builder = change(Placement::of(layout));
        if let Some(machine) = machine {
            builder = builder.on(machine);
        }
        if syntax.is_function() {
            builder = builder.shared_places();
        }
        let (memory, dtype) = self.suffix(&syntax)?;
        if let Some(memory) = memory {
            builder = builder.memory(&memory);
        }
        if let Some(dtype) = dtype {
            builder = builder.element_bits(dtype.bits());
        }
        let placement = builder.build().map_err(|error| syntax.refuse(error))?;
        Ok(PlacementSource { placement, syntax })
    }

    /// Notes the copies whose number is unknown: the machine gives the number of units, the dtype gives
    /// the number of lanes, and nothing gives the number of time steps.
    fn note_unused(&self, syntax: &LayoutText, machine: Option<&Machine>) {
        let LayoutText::PadLayout(tree) = syntax else { return };
        let is_counted = |level: Level| machine.is_some_and(|m| m.size(level).is_some());
        let has_dtype = self.dtype.is_some() || tree.dtype.is_some();
        for replica in &tree.broadcast {
            let ReplicaText::Bare(level) = *replica else { continue };
            let missing = match level {
                Level::TIME => "the number of time steps, as in `B@[2_Time:1]`",
                Level::W if machine.is_none() => {
                    "--machine and a dtype, which give the number of lanes"
                }
                Level::W if !has_dtype => "a dtype, which gives the number of lanes",
                level if level.is_unit() && !is_counted(level) => {
                    "--machine, which gives the number of units"
                }
                _ => continue,
            };
            note(&format!("`B@[{level}]` has no effect without {missing}"));
        }
    }

    /// The memory and dtype from the options, else from the text; the two must not contradict each other.
    pub(super) fn suffix(
        &self,
        syntax: &LayoutText,
    ) -> Result<(Option<String>, Option<Dtype>), Failure> {
        let dtype = self.dtype.as_deref().map(str::parse::<Dtype>).transpose()?;
        match syntax {
            LayoutText::PadLayout(tree) => {
                let written = tree.memory.map(|memory| memory.name().to_owned());
                let memory = one_of("--memory", self.memory.clone(), written)?;
                let names = (dtype.map(Dtype::name), tree.dtype.map(Dtype::name));
                one_of("--dtype", names.0.map(str::to_owned), names.1.map(str::to_owned))?;
                Ok((memory, dtype.or(tree.dtype)))
            }
            _ if self.memory.is_some() || dtype.is_some() => Err(Failure::Argument(
                "--memory and --dtype are for PadLayouts, whose addresses count long words; \
                 addresses of other notations count elements"
                    .into(),
            )),
            _ => Ok((None, None)),
        }
    }
}

/// The value from the option, or else from the suffix of the text.
fn one_of(
    option: &str,
    given: Option<String>,
    written: Option<String>,
) -> Result<Option<String>, Failure> {
    match (given, written) {
        (Some(given), Some(written)) if given != written => Err(Failure::Argument(format!(
            "{option} {given} contradicts `{written}` at the end of the layout"
        ))),
        (given, written) => Ok(given.or(written)),
    }
}

/// Returns whether a machine is a tree, as a text with `=` is, or a preset; anything else is a file.
pub(super) fn is_named(machine: &str) -> bool {
    machine.contains('=') || Machine::preset(machine).is_some()
}

pub(super) fn machine_of(text: &str) -> Result<Machine, Failure> {
    if is_named(text) {
        return Ok(text.parse()?);
    }
    let is_path = std::path::Path::new(text).exists() || text.contains(['/', '.']);
    if !is_path {
        return Err(Failure::Advised(
            format!("`{text}` is not a known machine"),
            Machine::meant_by(text).map_or_else(
                || {
                    "a machine is mn-core, mn-core-2, levels such as L2B=4,PE=4, or a TOML file"
                        .into()
                },
                |name| format!("did you mean `{name}`?"),
            ),
        ));
    }
    const MOST_MIB: u64 = 1;
    let toml = File::open(text).and_then(|file| read_text(file, MOST_MIB));
    let toml =
        toml.map_err(|error| Failure::Io(format!("the machine `{text}` cannot be read"), error))?;
    Ok(Machine::from_toml(&toml)?)
}
