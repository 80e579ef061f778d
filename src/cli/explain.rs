//! `explain`: a report of a layout, with its picture where that is small.

use clap::Args as ClapArgs;
use tensor_layout::LayoutText;

use super::failure::Failure;
use super::input::{Place, Placed};
use super::json::{report_json, shape_json};
use super::output::print;
use super::picture;

/// Explain a layout: axes, digits, levels, padding, footprint, replication.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Example:
  tensor-layout explain '((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1))' --machine mn-core-2
  tensor-layout explain 's32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}'")]
pub(super) struct Explain {
    #[command(flatten)]
    place: Place,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let syntax = self.place.shaped()?;
        if let LayoutText::Xla(shape) = &syntax
            && self.place.on.machine.is_none()
            && self.place.on.base == 0
        {
            let report = shape.report()?;
            return match self.json {
                true => print(&shape_json(&report).to_string()),
                false => print(&format!("{report}{}", picture::below(&syntax))),
            };
        }
        let Placed { placement, syntax } = self.place.on.place(syntax)?;
        let mut report = placement.report().map_err(|error| syntax.refuse(error))?;
        report.address_unit = syntax.address_unit();
        match self.json {
            true => print(&report_json(&report).to_string()),
            false => print(&format!("{report}{}", picture::small(&placement, &syntax))),
        }
    }
}
