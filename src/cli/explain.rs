//! `explain`: a report of a layout, with its picture where that is small.

use clap::Args as ClapArgs;
use tensor_layout::LayoutText;

use super::failure::Failure;
use super::input::{Form, Place, Placed};
use super::json::{report_json, shape_json, sharding_json};
use super::output::{Colored, print};
use super::picture;
use super::wrap::fitted;

/// Explain a layout: axes, digits, levels, padding, footprint, replication.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
On a machine the page says whether the layout fits; one that does not fit is
explained all the same.

Examples:
  tensor-layout explain '((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1))' --machine mn-core-2
  tensor-layout explain 's32[2048,1,128,128,4]{4,3,2,0,1:T(8,128)}'
  tensor-layout explain 'f32[10,7], sharding={devices=[2,4]<=[8]}'")]
pub(super) struct Explain {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    form: Form,
    #[command(flatten)]
    color: Colored,
}

impl Explain {
    pub(super) fn run(&self) -> Result<(), Failure> {
        self.color.choose_for(self.form.is_json());
        let syntax = self.place.reading.read(&self.place.layout)?;
        let on = &self.place.on;
        if let LayoutText::Xla(shape) = &syntax
            && !on.is_said()
        {
            let report = shape.report()?;
            return match self.form.is_json() {
                true => print(&shape_json(&report).to_string()),
                false => print(&format!("{report}{}", picture::below(&syntax))),
            };
        }
        if let LayoutText::Sharded(shape) = &syntax
            && !on.is_said()
        {
            let report = shape.report()?;
            return match self.form.is_json() {
                true => print(&sharding_json(&report).to_string()),
                false => {
                    let report = format!("{shape}\n\n{report}");
                    print(&format!("{}{}", fitted(&report), picture::below(&syntax)))
                }
            };
        }
        let Placed { placement, syntax } = on.place_oversized(syntax)?;
        let mut report = placement.report().map_err(|error| syntax.refuse(error))?;
        report.address_unit = syntax.address_unit();
        match self.form.is_json() {
            true => print(&report_json(&report).to_string()),
            false => print(&format!("{report}{}", picture::small(&placement, &syntax))),
        }
    }
}
