//! `element`: the element at a place.

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::json;
use tensor_layout::Found;

use super::failure::Failure;
use super::input::Form;
use super::json::{found_json, location_json};
use super::output::print_as;
use super::places::{check_columns, place_of};
use super::placing::{Place, PlacementSource};

/// Print which element lives at a place, or why the place is empty.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
A level may be omitted from the place only if the layout is replicated over it.
JSON: {\"location\":{..},\"index\":[100,37]}, or \"index\":null with
\"why\":\"padding\", \"hole\" or \"outside\". As text, `outside` is followed by the
level and the coordinates that it has.

Example:
  tensor-layout element '(10,7)/((3:7, 4_PE), (7:1))' PE=3,Addr=14")]
pub(super) struct Element {
    /// The place, such as L2B=1,PE=0,Addr=33 or, in assembly syntax, $lm66n0c1b4m1p1.
    // Declared before the layout, whose options start a new group in the help.
    #[arg(value_name = "LEVEL=N,..", index = 2)]
    location: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    form: Form,
}

impl Element {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let PlacementSource { placement, .. } = self.place.placement()?;
        let place = place_of(&placement, &self.location)?;
        check_columns(&placement, &place)?;
        let found = placement.element(&place)?;
        let said = found_json(&found);
        let answer = || {
            let location = location_json(placement.columns(), &place);
            let mut answer = json!({ "location": location, "index": said["index"] });
            if let Some(why) = said.get("why") {
                answer["why"] = why.clone();
            }
            answer
        };
        let text = || match (&found, placement.beyond(&place)) {
            (Found::Element(index), _) => index.iter().join(","),
            (Found::Outside, Some((level, end))) => {
                format!("outside: {level} runs from 0 to {}", end.saturating_sub(1))
            }
            _ => said["why"].as_str().unwrap_or_default().into(),
        };
        print_as(self.form, answer, text)
    }
}
