//! `convert`: the same layout in another notation.

use clap::Args as ClapArgs;
use tensor_layout::LayoutText;
use tensor_layout::notation::{Dtype, Notation};
use tensor_layout::xla::XlaDtype;

use super::failure::{Failure, note};
use super::input::{Form, NotationArg, Reading};
use super::output::print_layout;

/// Say the same in another notation.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Where the other notation can say the map but not the span, the map is printed and
stderr says so. Where it cannot say the map, that is an error.

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
    to: NotationArg,
    /// The element type of an XLA shape made from another notation; that of the suffix
    /// `@LM0 / Half`, or f32, if not said.
    #[arg(long, value_name = "DTYPE", help_heading = "Output")]
    dtype: Option<String>,
    #[command(flatten)]
    form: Form,
}

impl Convert {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let syntax = self.reading.read(&self.layout)?;
        let to = Notation::from(self.to);
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
    let name = asked.unwrap_or(written.map_or("f32", Dtype::xla_name));
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
