//! `relayout`: counts, a description and the moves.

use std::io::Write;

use clap::Args as ClapArgs;
use itertools::Itertools;
use serde_json::{Map, Value, json};
use tensor_layout::algebra::Replica;
use tensor_layout::relayout::{
    Account, Cost, CostModel, CostUnit, Distance, Move, MovedCopies, PlaceRun, Relayout, Traffic,
    Transfer,
};
use tensor_layout::sharding::DeviceShards;
use tensor_layout::{LayoutText, Level, Location, Machine};

use super::devices::both_by_device;
use super::failure::{Failure, note};
use super::in_place;
use super::input::{Form, Reading, text_of};
use super::output::{print_as, write_to};
use super::placing::On;
use super::rematerialized::layouts_of;
use tensor_layout_show::pages;
use tensor_layout_words::counted;

/// Count what must move to change one layout into another.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
The answer is the destination copies by distance to the nearest source copy, and
the elements that must enter the units of each level, whatever the algorithm.
Counts are exact for tensors of any size; a pair that takes too many steps to
count is an error. Without --machine, the units are those that the two layouts
name; where they name none, there is a single unit without a name.
JSON: {\"elements\":..,\"copies\":..,\"by_distance\":{\"in_place\":..,\"address\":..,
\"PE\":..,..},\"into\":{\"PE\":..,..},\"out_of\":{..},\"moves\":[..],\"copies_moved\":[..]}
The keys of these three are the nodes that elements pass, where L2B/2 is a group
of two L2Bs with a memory in common. Moves and transfers have the coordinates of
the layouts instead: they name a group by its first unit.
If the machine has movements, as mn-core-2 has, --dtype adds a lower bound of the
cycles of every route, in JSON as \"cycles\"; if its file has [bandwidth] (long
words per step into a unit), the least number of steps instead, as \"steps\".
--transfers adds a line per run: what moves, from where, and to where.
--in-place instead reports whether elements are overwritten before they are read
if all units write their addresses in order, at the same pace.
Lanes of a long word are in order as well.
JSON: {\"ascending\":null,\"descending\":{\"element\":[..],\"by\":[..],\"place\":..}}

Examples:
  tensor-layout relayout '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' \\
    --machine PE=4
  tensor-layout relayout '((1_PE, 4:1))' '((4:1))' --machine PE=4 --transfers")]
pub(super) struct RelayoutArgs {
    /// The current layout of the tensor, or - for standard input.
    #[arg(value_name = "SOURCE")]
    source: String,
    /// The desired layout of the tensor; without it, SOURCE is XLA's warning about an involuntary
    /// full rematerialization, which has both.
    #[arg(value_name = "DESTINATION")]
    destination: Option<String>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    on: On,
    #[command(flatten)]
    form: Form,
    /// Also print the individual moves.
    #[arg(long, help_heading = "Output")]
    transfers: bool,
    /// Report whether the relayout can be done in place, and in which address order.
    #[arg(long, help_heading = "Output", conflicts_with = "transfers")]
    in_place: bool,
}

impl RelayoutArgs {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let (source, destination) = match &self.destination {
            Some(destination) => self.reading.read_two(&self.source, destination)?,
            None => {
                let [source, destination] = layouts_of(&text_of(&self.source)?)?;
                self.reading.read_two(&source, &destination)?
            }
        };
        if self.on.base != 0 {
            note(
                "--base moves both sides alike: only the addresses of --transfers and --in-place change",
            );
        }
        let dtypes = source.xla_dtype().zip(destination.xla_dtype());
        let note_conversion = || {
            if let Some((from, to)) = dtypes.filter(|(from, to)| from != to) {
                note(&format!(
                    "a conversion from {from} to {to}: elements are counted, whatever their width"
                ));
            }
        };
        if let Some((source, destination)) =
            both_by_device(&source, &destination, &self.on.machine)?
        {
            note_conversion();
            return self.on_devices(&source, &destination);
        }
        let takes_dtype = matches!(source, LayoutText::PadLayout(_));
        let (source, destination) = self.on.place_two(source, destination)?;
        let (source, destination) = (source.placement, destination.placement);
        let pair = Relayout::new(&source, &destination)?;
        note_conversion();
        if self.transfers {
            return transfers(&pair, self.form.is_json());
        }
        if self.in_place {
            return in_place::run(&pair, self.form);
        }
        let (traffic, account) = (pair.traffic()?, pair.account()?);
        let element_bits = pair.element_bits().ok_or(takes_dtype);
        if let (true, Some(from), Some(to)) =
            (pair.is_cast(), source.element_bits(), destination.element_bits())
        {
            note(&format!("elements of {from} bits are cast to {to}: the narrower ones move"));
        }
        let cost = cost(source.machine(), element_bits, &traffic, Some(&pair))?;
        let answer = || {
            let mut answer = relayout_json(&traffic, Some(&account));
            if let Some(Cost { steps, unit, .. }) = &cost {
                answer[format!("{}s", unit.as_str())] = json!(steps);
            }
            answer
        };
        let page = || {
            let steps = cost.as_ref().map_or(String::new(), |Cost { steps, level, unit }| {
                let level = level.filter(|level| *level != Level::ADDR);
                let level = level.map_or(String::new(), |level| format!(", most at the {level}s"));
                format!("\nat least {}{level}\n", counted(*steps, unit.as_str()))
            });
            pages::relayout(&pair, &traffic, &account) + &steps
        };
        print_as(self.form, answer, page)
    }

    /// Counts device by device: there are no digits to describe.
    fn on_devices(&self, source: &DeviceShards, destination: &DeviceShards) -> Result<(), Failure> {
        let moves = [("--transfers", self.transfers), ("--in-place", self.in_place)];
        if let Some((option, _)) = moves.iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::Argument(format!(
                "{option} needs regular device lists, but that of one side is irregular: the device number is not a strided function of the tile index"
            )));
        }
        let traffic = source.traffic(destination)?;
        cost(self.on.machine.get()?.as_ref(), Err(false), &traffic, None)?;
        let levels: Vec<Level> = source.levels().map(|(level, _)| level).collect();
        let page = || format!("{}\n\n{}", traffic.sentence(&levels), pages::counts(&traffic));
        print_as(self.form, || relayout_json(&traffic, None), page)
    }
}

/// The least number of steps or cycles, if the machine has rates. If the width of an element is unknown,
/// `element_bits` says whether `--dtype` can be given.
fn cost(
    machine: Option<&Machine>,
    element_bits: Result<u64, bool>,
    traffic: &Traffic,
    pair: Option<&Relayout>,
) -> Result<Option<Cost>, Failure> {
    // Of any width: whether there are rates does not depend on it.
    let rates = machine.and_then(|machine| Some((machine, CostModel::new(machine, 1).ok()?)));
    let Some((machine, rates)) = rates.filter(|(machine, _)| machine.levels().len() > 0) else {
        return Ok(None);
    };
    let bits = match element_bits {
        Ok(bits) => bits,
        Err(_) if rates.unit() == CostUnit::Cycles => return Ok(None),
        Err(takes_dtype) => {
            note(match takes_dtype {
                true => "[bandwidth] counts long words: give --dtype to see the steps",
                false => "[bandwidth] counts long words, which this notation does not: no steps",
            });
            return Ok(None);
        }
    };
    let model = CostModel::new(machine, bits)?;
    let names = |levels: Vec<Level>| levels.into_iter().map(|level| level.to_string()).join(", ");
    let unknown = names(model.without_rate(&traffic.levels));
    if !unknown.is_empty() {
        note(&format!("no rate is known into or out of {unknown}: that costs nothing here"));
    }
    let second_hand = names(model.second_hand(&traffic.levels));
    if !second_hand.is_empty() {
        note(&format!(
            "at {second_hand} some rates are second-hand, or not known and taken for the greatest"
        ));
    }
    Ok(Some(match pair {
        Some(pair) => model.of_pair(pair, traffic)?,
        None => model.of_traffic(traffic)?,
    }))
}

fn key(distance: Distance) -> String {
    match distance {
        Distance::InPlace => "in_place".into(),
        Distance::Address => "address".into(),
        Distance::Memory => "memory".into(),
        Distance::Level(level) => level.to_string(),
    }
}

/// Without an account, the moves are null: they were not determined.
fn relayout_json(traffic: &Traffic, account: Option<&Account>) -> Value {
    let by_distance: Map<String, Value> =
        traffic.by_distance.iter().map(|(d, count)| (key(*d), json!(count))).collect();
    let levels = || traffic.levels.iter();
    let into: Map<String, Value> = levels().map(|l| (l.level.to_string(), json!(l.into))).collect();
    let out_of: Map<String, Value> =
        levels().map(|l| (l.level.to_string(), json!(l.out_of))).collect();
    let copies = |account: &Account| account.copies.iter().map(copies_json).collect::<Vec<_>>();
    let moves = |account: &Account| account.moves.iter().map(move_json).collect::<Vec<_>>();
    json!({
        "elements": traffic.elements,
        "copies": traffic.copies,
        "by_distance": by_distance,
        "into": into,
        "out_of": out_of,
        "moves": account.map(moves),
        "copies_moved": account.map(copies),
    })
}

fn copies_json(moved: &MovedCopies) -> Value {
    let Replica { size, level, stride } = moved.copies;
    json!({
        "size": size, "level": level.as_str(), "stride": stride,
        "source": moved.in_source, "destination": moved.in_destination,
    })
}

fn move_json(digit: &Move) -> Value {
    let landing = |landing: Option<(Level, u64)>| {
        landing.map(|(level, stride)| json!({ "level": level.as_str(), "stride": stride }))
    };
    json!({
        "axes": digit.axes, "step": digit.place, "size": digit.size,
        "from": landing(digit.from), "to": landing(digit.to),
    })
}

fn transfers(pair: &Relayout, as_json: bool) -> Result<(), Failure> {
    let mut transfers = pair.transfers()?;
    write_to(None, |out| {
        transfers.try_for_each(|transfer| match as_json {
            true => writeln!(out, "{}", transfer_json(pair, &transfer)),
            false => writeln!(out, "{}", pages::transfer(pair, &transfer)),
        })
    })
}

fn transfer_json(pair: &Relayout, transfer: &Transfer) -> Value {
    let unit = |at: &Location| -> Map<String, Value> {
        pages::unit(pair, at).into_iter().map(|(level, at)| (level, json!(at))).collect()
    };
    let run = |run: PlaceRun| json!({ "start": run.start, "step": run.step });
    json!({
        "distance": key(transfer.distance),
        "element": transfer.element,
        "length": transfer.length,
        "source": unit(&transfer.source),
        "read": run(transfer.read),
        "destinations": transfer.destinations.iter().map(unit).collect::<Vec<_>>(),
        "write": run(transfer.write),
    })
}
