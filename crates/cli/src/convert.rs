//! `convert`: the same layout in another notation, or as code.

use clap::builder::PossibleValue;
use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;
use tensor_layout::notation::{Notation, Strided};
use tensor_layout::sharding::Sharding;
use tensor_layout::xla::{XlaDtype, XlaShape};
use tensor_layout::{LayoutText, Machine};
use tensor_layout_code::Language;

use super::failure::{Failure, note};
use super::input::{Form, Reading};
use super::modes::{modes, nested};
use super::output::{print_as, print_layout};
use super::placing::machine_of;

/// Write a layout in another notation, or as code.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
If the other notation can express the map but not the padding, the map is
printed, with a note on stderr. If it cannot express the map, the command fails.
With --dtype, an XLA shape gets another type; a tiling that matches its old type
is replaced by the one that matches the new type.

Examples:
  tensor-layout convert 'f32[3,5]{1,0:T(2,2)}' --to pad-layout
  tensor-layout convert '(3,5)/((2:12, 2:2), (3:4, 2:1))' --to xla --dtype bf16
  tensor-layout convert 'F32[3,5]{1,0:T(2,2)}' --to xla --lenient
  tensor-layout convert '((4_PE, 3:8), (8:1))' --to affine-map
  tensor-layout convert 'bf16[6,5]{1,0:T(3,128)(2,1)}' --to c")]
pub(super) struct Convert {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    reading: Reading,
    /// The notation or language to write.
    #[arg(long, value_enum, help_heading = "Output")]
    to: ConvertTarget,
    /// The element type of an XLA shape (by default the type in LAYOUT or in its suffix, such as
    /// `@LM0 / Half`, else f32).
    #[arg(long, value_name = "DTYPE", help_heading = "Output")]
    dtype: Option<String>,
    /// With --to hlo-sharding, sdy or partition-spec: the machine whose units, in row-major order,
    /// are the devices; a name, a tree such as HOST=2,CHIP=4, or a TOML file.
    #[arg(long, value_name = "MACHINE", help_heading = "Output")]
    machine: Option<String>,
    /// With --to isl: print the places without elements instead.
    #[arg(long, help_heading = "Output")]
    padding: bool,
    #[command(flatten)]
    form: Form,
}

/// Notations of layouts and of shardings, and languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ConvertTarget {
    /// TensorLayout / PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
    /// CuTe shape:stride.
    Cute,
    /// shape=(..), strides=(..), as in NumPy and PyTorch.
    Strided,
    /// A Triton linear layout.
    Triton,
    /// An MLIR affine map.
    AffineMap,
    /// An isl relation.
    Isl,
    /// C functions.
    C,
    /// Rust functions.
    Rust,
    /// Python functions.
    Python,
    /// The sharding of a sharded shape, or of a layout with --machine, as XLA prints it.
    HloSharding,
    /// The sharding as Shardy prints it; LAYOUT must contain the mesh, or have it appended as
    /// `, mesh=..`.
    Sdy,
    /// The sharding as JAX prints it; LAYOUT must contain the mesh, or have it appended as
    /// `, mesh=..`.
    PartitionSpec,
}

/// The targets of `--to` that no command reads as a layout: their names and descriptions.
pub(super) fn only_written() -> Vec<(String, String)> {
    let targets = ConvertTarget::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let is_read = |value: &PossibleValue| {
        super::input::NotationArg::value_variants()
            .iter()
            .filter_map(ValueEnum::to_possible_value)
            .any(|read| read.get_name() == value.get_name())
    };
    let described = |value: PossibleValue| {
        let help = value.get_help().map(ToString::to_string).unwrap_or_default();
        (value.get_name().to_owned(), help)
    };
    targets.filter(|value| !is_read(value)).map(described).collect()
}

/// The way to write a layout.
enum Writer {
    Text(Notation),
    Code(Language),
    Sharding,
}

impl ConvertTarget {
    fn writer(self, padding: bool) -> Writer {
        match self {
            ConvertTarget::PadLayout => Writer::Text(Notation::PadLayout),
            ConvertTarget::Xla => Writer::Text(Notation::Xla),
            ConvertTarget::Cute => Writer::Text(Notation::Cute),
            ConvertTarget::Strided => Writer::Text(Notation::Strided),
            ConvertTarget::Triton => Writer::Text(Notation::Triton),
            ConvertTarget::AffineMap => Writer::Code(Language::AffineMap),
            ConvertTarget::Isl if padding => Writer::Code(Language::IslPadding),
            ConvertTarget::Isl => Writer::Code(Language::Isl),
            ConvertTarget::C => Writer::Code(Language::C),
            ConvertTarget::Rust => Writer::Code(Language::Rust),
            ConvertTarget::Python => Writer::Code(Language::Python),
            ConvertTarget::HloSharding | ConvertTarget::Sdy | ConvertTarget::PartitionSpec => {
                Writer::Sharding
            }
        }
    }
}

/// The sharding of a sharded shape, or of a layout over the units of a machine, and what its text does not say.
fn sharding(
    syntax: &LayoutText,
    machine: Option<&Machine>,
    to: ConvertTarget,
) -> Result<(String, Option<String>), Failure> {
    let (sharding, mesh, rank) = match (syntax, machine) {
        (LayoutText::Sharded(shape), _) => {
            let sharding = shape.sharding()?;
            let mesh = shape.mesh.as_ref().or(sharding.mesh()).cloned();
            (sharding, mesh, shape.array.dims.len())
        }
        (_, Some(machine)) => {
            let layout = syntax.lower()?;
            (Sharding::of_layout(&layout, machine)?.0, Some(machine.into()), layout.rank())
        }
        (_, None) => {
            return Err(Failure::Argument(
                "only a sharded shape, such as f32[8], sharding={devices=[4]<=[4]}, has a \
                 sharding; with --machine the units of a machine are the devices"
                    .into(),
            ));
        }
    };
    let missing = "this notation needs a mesh: write `, mesh=x=2,y=4` after the sharding";
    let mesh = || mesh.as_ref().ok_or_else(|| Failure::Argument(missing.into()));
    Ok(match to {
        ConvertTarget::Sdy => (sharding.to_sdy(mesh()?, rank)?.to_string(), None),
        ConvertTarget::PartitionSpec => {
            (sharding.to_partition_spec(mesh()?, rank)?.to_string(), None)
        }
        _ => {
            let left_out = sharding.reduction().filter(|reduction| *reduction != "sum");
            let lost = left_out.map(|reduction| {
                format!("the reduction `{reduction}` is left out: HLO text says `unreduced` only")
            });
            (sharding.to_hlo().to_string(), lost)
        }
    })
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        if self.padding && self.to != ConvertTarget::Isl {
            return Err(Failure::Argument("--padding goes with --to isl".into()));
        }
        if self.dtype.is_some() && self.to != ConvertTarget::Xla {
            note("--dtype has no effect: it goes with --to xla");
        }
        let syntax = self.reading.read(&self.layout)?;
        let machine = self.machine(&syntax)?;
        match self.to.writer(self.padding) {
            Writer::Text(notation) => self.write(&syntax, notation),
            Writer::Sharding => {
                let (text, lost) = sharding(&syntax, machine.as_ref(), self.to)?;
                self.print(&text, lost.as_deref())
            }
            Writer::Code(language) => {
                let layout = syntax.lower()?;
                let code = language.write(&layout).map_err(|error| syntax.refuse(error))?;
                self.print(&code, None)
            }
        }
    }

    /// Prints what was written, and what that does not say, as a note or in the JSON.
    fn print(&self, written: &str, lost: Option<&str>) -> Result<(), Failure> {
        let to = self.to.to_possible_value();
        let name = to.as_ref().map(PossibleValue::get_name);
        lost.into_iter().filter(|_| !self.form.is_json()).for_each(note);
        let answer = || json!({ "layout": written, "notation": name, "lost": lost });
        print_as(self.form, answer, || written.to_owned())
    }

    /// The machine whose units are the devices of a sharding.
    fn machine(&self, syntax: &LayoutText) -> Result<Option<Machine>, Failure> {
        let machine = self.machine.as_deref().map(machine_of).transpose()?;
        let is_sharding = matches!(self.to.writer(self.padding), Writer::Sharding);
        if machine.is_some() && !is_sharding {
            note("--machine has no effect: it goes with --to hlo-sharding, sdy and partition-spec");
        } else if machine.is_some() && matches!(syntax, LayoutText::Sharded(_)) {
            note("--machine has no effect: the shape has its own sharding");
        }
        Ok(machine)
    }

    fn write(&self, syntax: &LayoutText, to: Notation) -> Result<(), Failure> {
        let dtype = dtype(self.dtype.as_deref(), syntax)?;
        if let (LayoutText::Xla(shape), Notation::Xla) = (syntax, to) {
            shape.validate()?;
            let shape = match (shape, &self.dtype) {
                (XlaShape::Array(array), Some(_)) => XlaShape::Array(array.with_dtype(dtype)),
                (XlaShape::Buffer(array), Some(_)) => XlaShape::Buffer(array.with_dtype(dtype)),
                (_, None) => shape.clone(),
                (_, Some(_)) => {
                    let why = "--dtype goes with a single array, and this shape is not one";
                    return Err(Failure::Argument(why.into()));
                }
            };
            return print_layout(Ok((shape.canonical().to_string(), None)), syntax, to, self.form);
        }
        if self.dtype.is_none() {
            check_width(syntax, to)?;
        }
        let written = syntax.write_edited(&syntax.lower()?, to, dtype);
        let written = nested(written, to, modes(syntax).as_deref());
        print_layout(written, syntax, to, self.form)
    }
}

/// Rejects elements whose width differs from that of f32, the default type.
pub(super) fn check_width(syntax: &LayoutText, to: Notation) -> Result<(), Failure> {
    let LayoutText::Strided(Strided { itemsize: Some(bytes), .. }) = syntax else { return Ok(()) };
    match to == Notation::Xla && *bytes != 4 {
        true => Err(Failure::Advised(
            format!("elements have {bytes} bytes, but their type is not given"),
            "name it, as in `convert --to xla --dtype bf16`".into(),
        )),
        false => Ok(()),
    }
}

/// The type from the option, else from the text, else f32.
pub(super) fn dtype(asked: Option<&str>, syntax: &LayoutText) -> Result<XlaDtype, Failure> {
    let name = match (asked, syntax.xla_dtype()) {
        (None, Some(written)) => return Ok(written),
        (asked, _) => asked.unwrap_or("f32"),
    };
    let unknown = || {
        let meant = XlaDtype::meant_by(name);
        Failure::Advised(
            format!("--dtype: `{name}` is not an XLA type"),
            meant.map_or_else(
                || "`tensor-layout dtypes` lists the types".into(),
                |name| format!("did you mean `{name}`?"),
            ),
        )
    };
    XlaDtype::from_name(name).ok_or_else(unknown)
}
