//! `route`: the movements from one layout to another.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::{Value, json};
use tensor_layout::error::ErrorKind;
use tensor_layout::machine::MovementKind;
use tensor_layout::route::{Hop, Route};
use tensor_layout::{Machine, Placement};
use tensor_layout_show::{Film, pages};

use super::failure::{Failure, note};
use super::formats::{film_format, write_film};
use super::input::{Form, Reading, at_least_one};
use super::output::{beside_answer, print_as};
use super::placing::OnMachine;

/// Find the movements that take a tensor from one memory to another.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Each layout names its memory, as in ((8_L2B, 64:1))@L2BM / Float. The route has
the fewest cycles (of at most 6 hops, found within 4096 trials), then the fewest
hops; a movement without a rate is compared at the least one known between its
memories. Every element reaches all its places in the target; holes may hold
anything. Upper is the total number of long words through the memory nearer
to the root, lower the most through any of the others. Cycles are the least
possible at the machine's rates; \"at least\" marks a sum that lacks some rates.
JSON: {\"hops\":[{\"movement\":..,\"kind\":..,\"source\":{\"memory\":..,\"layout\":..},
\"target\":{..},\"upper_words\":..,\"lower_words\":..,\"cycles\":..,\"from_maker\":..,
\"reads\":[..],\"writes\":[..],\"parts\":..,\"map\":..}],\"cycles\":..,\"at_least\":..}

--from-memory DRAM lists the layouts in that memory from which movements lead to a
single layout, --into-memory those to which they lead, cheapest first; others may
exist.
JSON: {\"routes\":[..]}

--film writes a film, .svg, .gif or .html, of the elements moving between
memories, or for one hop of a large tensor, of blocks.

Examples:
  tensor-layout route '((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float' \\
    --machine mn-core-2 --from-memory DRAM
  tensor-layout route '((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float' \\
    '((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float' --machine mn-core-2
  tensor-layout route '((64:1))@L1BM' '((1_L2B, 1_L1B, 16_MAB, 4_PE))@LM0' \\
    --machine mn-core-2 --by l1bmd")]
pub(super) struct RouteArgs {
    /// The current layout of the tensor, or - for standard input.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The desired layout of the tensor.
    #[arg(value_name = "TARGET", required_unless_present_any = ["from_memory", "into_memory"])]
    target: Option<String>,
    /// List the layouts in a memory that lead to the one given, with the cycles at least.
    #[arg(long, value_name = "MEMORY", conflicts_with_all = ["target", "via", "by", "film", "into_memory"], help_heading = "Route")]
    from_memory: Option<String>,
    /// List the layouts in a memory to which the one given leads.
    #[arg(long, value_name = "MEMORY", conflicts_with_all = ["target", "via", "by", "film"], help_heading = "Route")]
    into_memory: Option<String>,
    /// The most layouts that --from-memory and --into-memory list [default: 8].
    #[arg(long, value_name = "N", value_parser = at_least_one, help_heading = "Route")]
    most: Option<usize>,
    /// An intermediate layout; repeat for several, in order.
    #[arg(long, value_name = "LAYOUT", help_heading = "Route")]
    via: Vec<String>,
    /// Check whether this single movement reaches TARGET.
    #[arg(long, value_name = "MOVEMENT", conflicts_with = "via", help_heading = "Route")]
    by: Option<String>,
    /// Write a film of the hops to a file (.svg, .gif or .html).
    #[arg(long, value_name = "FILE", value_parser = beside_answer, help_heading = "Output")]
    film: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    on: OnMachine,
    #[command(flatten)]
    form: Form,
}

impl RouteArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let Some(machine) = self.on.get()? else {
            let why = "a route needs a machine: memories and movements belong to it".into();
            return Err(Failure::Advised(why, "add --machine mn-core-2".into()));
        };
        let Some(target) = &self.target else { return self.list(&machine) };
        if self.most.is_some() {
            let why = "--most has no effect without --from-memory or --into-memory";
            return Err(Failure::Argument(why.into()));
        }
        let (source, target) = self.reading.read_two(&self.source, target)?;
        let via = self.via.iter().map(|text| self.reading.read_operand(text));
        let via: Vec<_> = via.collect::<Result<_, Failure>>()?;
        let texts = [source].into_iter().chain(via).chain([target]);
        let place = |text| Ok(self.on.place_on(text, Some(&machine), |builder| builder)?.placement);
        let stops: Vec<Placement> = texts.map(place).collect::<Result<_, Failure>>()?;
        let route = match (&self.by, &stops[..]) {
            (Some(name), [source, target]) => Route::by(name, source, target)?,
            _ => Route::through(&stops)?,
        };
        if machine.movements().is_empty() {
            note("this machine has no movements: hops show their long words only");
        }
        let format = self.film.as_deref().map(film_format).transpose()?;
        print_as(self.form, || route_json(&route), || pages::route(&route))?;
        match self.film.as_deref().zip(format) {
            Some((path, format)) => write_film(&film(&route)?, path, format),
            None => Ok(()),
        }
    }
}

/// The number of layouts that are listed if none is given.
const MOST_LISTED: usize = 8;

impl RouteArgs {
    /// The layouts in the memory at the open end.
    fn list(&self, machine: &Machine) -> Result<(), Failure> {
        let given = self.reading.read(&self.source)?;
        let given = self.on.place_on(given, Some(machine), |builder| builder)?.placement;
        let routes = match (&self.from_memory, &self.into_memory) {
            (Some(memory), _) => Route::from_memory(memory, &given)?,
            (None, Some(memory)) => Route::into_memory(&given, memory)?,
            (None, None) => Vec::new(),
        };
        let listed = &routes[..routes.len().min(self.most.unwrap_or(MOST_LISTED))];
        if listed.len() < routes.len() {
            note(&format!(
                "{} of {} layouts; --most {} lists all",
                listed.len(),
                routes.len(),
                routes.len()
            ));
        }
        let open = |route: &Route| match self.from_memory {
            Some(_) => Route::text(route.source()),
            None => route.hops().last().map_or(String::new(), |hop| Route::text(&hop.target)),
        };
        let answer = || json!({ "routes": listed.iter().map(route_json).collect::<Vec<_>>() });
        print_as(self.form, answer, || pages::routes(listed, open))
    }
}

fn film(route: &Route) -> Result<Film, Failure> {
    let hops = route.hops().len();
    match Film::of_route(route) {
        Err(error) if error.kind() == ErrorKind::NotDecided && hops > 1 => {
            let why = format!("a film of {hops} hops shows every element, and these are too many");
            let help = "make a film of each hop: route from one layout above to the next";
            Err(Failure::Advised(why, help.into()))
        }
        film => Ok(film?),
    }
}

fn route_json(route: &Route) -> Value {
    let (cycles, all) = route.cycles();
    let hops: Vec<Value> = route.hops().iter().map(hop_json).collect();
    json!({ "hops": hops, "cycles": cycles, "at_least": !all })
}

fn hop_json(hop: &Hop) -> Value {
    let side = |placement: &Placement| json!({ "memory": pages::memory(placement), "layout": Route::text(placement) });
    let (reads, writes) = (hop.reads(), hop.writes());
    json!({
        "movement": hop.movement.as_ref().map(|movement| &movement.name),
        "kind": hop.kind.map(MovementKind::as_str),
        "source": side(&hop.source),
        "target": side(&hop.target),
        "upper_words": hop.upper_words,
        "lower_words": hop.lower_words,
        "cycles": hop.cycles,
        "from_maker": hop.is_from_maker(),
        "reads": [reads.0, reads.1],
        "writes": [writes.0, writes.1],
        "parts": hop.parts(),
        "map": hop.map_text(),
    })
}
