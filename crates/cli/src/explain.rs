//! `explain`: a report on a layout, with a picture if it is small.

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use tensor_layout::LayoutText;
use tensor_layout::sharding::{DeviceShards, ShardedShape};
use tensor_layout_show::report::{Report, ShapeReport, ShardingReport};

use super::devices::by_device;
use super::failure::Failure;
use super::input::Form;
use super::json::{report_json, shape_line, sharding_json};
use super::output::{Colored, print, print_as};
use super::picture;
use super::placing::{Place, PlacementSource};
use super::wrap::fitted;

/// Explain a layout: axes, digits, levels, padding, footprint, replication.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
With --machine, the report also says whether the layout fits; one that does not
fit is still explained.

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
            let report = ShapeReport::of(shape)?;
            if self.form.is_json() {
                return print(&shape_line(&report)?);
            }
            return print(&format!("{report}{}", picture::below(&syntax)));
        }
        if let LayoutText::Sharded(shape) = &syntax {
            let shards = if on.is_said() { by_device(&syntax, on)? } else { None };
            if shards.is_some() || !on.is_said() {
                return self.sharded(shape, &syntax, shards.as_ref());
            }
        }
        let PlacementSource { placement, syntax } = on.place_oversized(syntax)?;
        let report = Report::of(&placement).map_err(|error| syntax.refuse(error))?;
        let report = report.counting(syntax.address_unit());
        let page = || format!("{report}{}", picture::small(&placement, &syntax));
        print_as(self.form, || report_json(&report), page)
    }

    /// The report on a sharding, and the number of units of a machine that its devices fill.
    fn sharded(
        &self,
        shape: &ShardedShape,
        syntax: &LayoutText,
        shards: Option<&DeviceShards>,
    ) -> Result<(), Failure> {
        let report = ShardingReport::of(shape)?;
        let filled = shards.map(DeviceShards::filled_units).transpose()?;
        if self.form.is_json() {
            let mut answer = sharding_json(&report);
            if let Some(filled) = filled {
                let units = filled.iter().map(|(level, units)| (level.to_string(), json!(units)));
                answer["units_filled"] = Value::Object(units.collect());
            }
            return print(&answer.to_string());
        }
        let mut page = fitted(&format!("{shape}\n\n{report}")).into_owned();
        if let (Some(filled), Some(shards)) = (filled, shards) {
            page.push_str(&format!("\n{:10} {:>12} {:>12}\n", "level", "units", "filled"));
            let mut units = 1;
            for ((level, size), (_, filled)) in shards.levels().zip(filled) {
                units *= size;
                page.push_str(&format!("{:10} {units:>12} {filled:>12}\n", level.as_str()));
            }
        }
        print(&format!("{page}{}", picture::below(syntax)))
    }
}
