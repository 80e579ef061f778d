//! `locate`: where one element lives.

use clap::Args as ClapArgs;
use serde_json::json;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::{LayoutText, Level, Location, Placement};

use super::failure::Failure;
use super::input::{Place, Placed, numbers};
use super::json::location_json;
use super::output::print;

/// Print where one element lives: its first copy.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
JSON: {\"index\":[100,37],\"location\":{\"L2B\":1,..,\"Addr\":33},\"copies\":1,\"replicated\":[]}

Example:
  tensor-layout locate '((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))' 100,37")]
pub(super) struct Locate {
    #[command(flatten)]
    place: Place,
    /// The index: one entry per axis, such as 100,37; '' for rank 0.
    #[arg(value_name = "I,J,..")]
    index: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Locate {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let Placed { placement, syntax } = self.place.placement()?;
        let index = numbers("the index", &self.index)?;
        let index = match (&syntax, &index[..]) {
            // CuTe takes a single linear index as well.
            (LayoutText::Cute(_), [linear]) if placement.layout().rank() != 1 => {
                placement.layout().index_of(IndexOrder::Colexicographic, *linear)?
            }
            _ => index,
        };
        let place = placement.locate(&index)?;
        let (copies, replicated) = (placement.copies(), placement.replicated());
        if self.json {
            let replicated: Vec<&str> = replicated.iter().map(Level::as_str).collect();
            let location = location_json(&placement, &place);
            let answer = json!({
                "index": index, "location": location, "copies": copies, "replicated": replicated,
            });
            return print(&answer.to_string());
        }
        let place = in_columns(&placement, &place);
        if copies == 1 {
            return print(&place);
        }
        let levels = replicated.iter().map(Level::as_str).collect::<Vec<_>>().join(", ");
        print(&format!("{place}  (the first of {copies} copies over {levels})"))
    }
}

/// `L2B=1,..,Addr=33`, in the order of the columns.
fn in_columns(placement: &Placement, place: &Location) -> String {
    let at = |level: &Level| place.get(*level).map(|at| format!("{level}={at}"));
    placement.columns().iter().filter_map(at).collect::<Vec<_>>().join(",")
}
