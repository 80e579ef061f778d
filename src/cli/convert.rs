//! `convert`: the same layout in another notation.

use clap::{Args as ClapArgs, ValueEnum};
use serde_json::json;
use tensor_layout::LayoutText;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::xla::XlaDtype;

use super::failure::{Failure, note};
use super::input::{Form, Reading};
use super::output::{print, print_layout};

/// Write a layout in another notation.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Where the other notation can express the map but not the span, the map is printed
and a note goes to stderr. Where it cannot express the map, the command fails.

Examples:
  tensor-layout convert 'f32[3,5]{1,0:T(2,2)}' --to pad-layout
  tensor-layout convert '(3,5)/((2:12, 2:2), (3:4, 2:1))' --to xla --dtype bf16
  tensor-layout convert 'F32[3,5]{1,0:T(2,2)}' --to xla --lenient")]
pub(super) struct Convert {
    /// The layout, or - for standard input.
    #[arg(value_name = "LAYOUT")]
    layout: String,
    #[command(flatten)]
    reading: Reading,
    /// The notation to write.
    #[arg(long, value_enum, help_heading = "Output")]
    to: To,
    /// The element type of an XLA shape made from another notation; that of the suffix
    /// `@LM0 / Half`, or f32, if not said.
    #[arg(long, value_name = "DTYPE", help_heading = "Output")]
    dtype: Option<String>,
    #[command(flatten)]
    form: Form,
}

/// Notations of layouts, and of the shardings of sharded shapes.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum To {
    /// TensorLayout / PadLayout.
    PadLayout,
    /// XLA shapes.
    Xla,
    /// CuTe shape:stride.
    Cute,
    /// shape=(..), strides=(..), as in NumPy and PyTorch.
    Strided,
    /// The sharding of a sharded shape as XLA prints it.
    HloSharding,
    /// That sharding as Shardy prints it; its text, or `, mesh=..` behind it, has the mesh.
    Sdy,
    /// That sharding as JAX prints it; its text, or `, mesh=..` behind it, has the mesh.
    PartitionSpec,
}

impl To {
    /// The notation of a layout; `None` for that of a sharding.
    fn layout(self) -> Option<Notation> {
        match self {
            To::PadLayout => Some(Notation::PadLayout),
            To::Xla => Some(Notation::Xla),
            To::Cute => Some(Notation::Cute),
            To::Strided => Some(Notation::Strided),
            To::HloSharding | To::Sdy | To::PartitionSpec => None,
        }
    }
}

/// The sharding of a sharded shape, in another notation.
fn sharding(syntax: &LayoutText, to: To) -> Result<String, Failure> {
    let LayoutText::Sharded(shape) = syntax else {
        return Err(Failure::Argument(
            "only a sharded shape, such as f32[8], sharding={devices=[4]<=[4]}, has a sharding"
                .into(),
        ));
    };
    let sharding = shape.sharding()?;
    let rank = shape.array().dims.len();
    let mesh = || {
        let missing = "this notation needs a mesh: write `, mesh=x=2,y=4` behind the sharding";
        let mesh = shape.mesh().or(sharding.mesh());
        mesh.ok_or_else(|| Failure::Argument(missing.into()))
    };
    Ok(match to {
        To::Sdy => sharding.to_sdy(mesh()?, rank)?.to_string(),
        To::PartitionSpec => sharding.to_partition_spec(mesh()?, rank)?.to_string(),
        _ => sharding.to_hlo().to_string(),
    })
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let syntax = self.reading.read(&self.layout)?;
        let Some(to) = self.to.layout() else {
            return match self.form.is_json() {
                true => print(&json!({ "text": sharding(&syntax, self.to)? }).to_string()),
                false => print(&sharding(&syntax, self.to)?),
            };
        };
        if let (LayoutText::Xla(shape), Notation::Xla) = (&syntax, to) {
            shape.validate()?;
            if self.dtype.is_some() {
                let why = "--dtype has no effect on an XLA shape, which names its own type";
                return Err(Failure::Argument(why.into()));
            }
            return print_layout(Ok((shape.canonical().to_string(), None)), &syntax, to, self.form);
        }
        let layout = syntax.lower()?;
        if self.dtype.is_some() && to != Notation::Xla {
            note("--dtype has no effect: only XLA shapes name a type");
        }
        let written = layout.write(to, dtype(self.dtype.as_deref(), &syntax)?);
        print_layout(written, &syntax, to, self.form)
    }
}

/// The type that was asked for, or that the text names, or f32.
fn dtype(asked: Option<&str>, syntax: &LayoutText) -> Result<XlaDtype, Failure> {
    let written = match syntax {
        LayoutText::PadLayout(tree) => tree.dtype(),
        _ => None,
    };
    let name = asked.unwrap_or(match written {
        Some(Dtype::Half) => "f16",
        Some(Dtype::Double) => "f64",
        Some(Dtype::Int) => "s32",
        Some(Dtype::UInt) => "u32",
        Some(Dtype::Long) => "s64",
        Some(Dtype::ULong) => "u64",
        Some(Dtype::Byte) => "s8",
        Some(Dtype::UByte) => "u8",
        _ => "f32",
    });
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
