//! Sharded shapes whose device numbers are not sums of digits: answered device by device.

use itertools::Itertools;
use tensor_layout::error::ErrorKind;
use tensor_layout::sharding::DeviceShards;
use tensor_layout::{LayoutText, Level, Location, Machine, ParseError};

use super::failure::Failure;
use super::placing::{On, OnMachine};

/// Returns whether the error means that the numbers of the devices are not sums of digits.
fn lacks_digits(error: &ParseError) -> bool {
    error.cause().is_some_and(|cause| cause.kind() == ErrorKind::NoDigits)
}

/// The shards of a sharded shape without a layout; `None` if the shape has a layout, or if
/// another error should be reported.
pub(super) fn by_device(syntax: &LayoutText, on: &On) -> Result<Option<DeviceShards>, Failure> {
    let Some(shards) = listed(syntax, &on.machine)? else { return Ok(None) };
    Ok(Some(shards.with_base(on.base).map_err(|error| syntax.refuse(error))?))
}

fn listed(syntax: &LayoutText, on: &OnMachine) -> Result<Option<DeviceShards>, Failure> {
    let LayoutText::Sharded(shape) = syntax else { return Ok(None) };
    let machine = on.get()?;
    let lowered = machine.as_ref().map_or_else(|| shape.lower(), |machine| shape.lower_on(machine));
    match lowered {
        Err(error) if lacks_digits(&error) => shards(syntax, machine.as_ref(), on).map(Some),
        _ => Ok(None),
    }
}

/// Both sides device by device, if one of them has no layout.
pub(super) fn both_by_device(
    source: &LayoutText,
    destination: &LayoutText,
    on: &OnMachine,
) -> Result<Option<(DeviceShards, DeviceShards)>, Failure> {
    let sides = [source, destination];
    let listed = sides.map(|side| listed(side, on));
    let [Ok(None), Ok(None)] = listed else {
        for listed in listed {
            listed?;
        }
        let machine = match on.get()? {
            Some(machine) => machine,
            None => devices(sides, on)?,
        };
        let [source, destination] = sides.map(|side| shards(side, Some(&machine), on));
        return Ok(Some((source?, destination?)));
    };
    Ok(None)
}

/// A machine with the devices of two sharded shapes.
fn devices(sides: [&LayoutText; 2], on: &OnMachine) -> Result<Machine, Failure> {
    let [source, destination] = sides.map(|side| shards(side, None, on));
    let last = |shards: &DeviceShards| shards.devices().last().copied().unwrap_or(0);
    let most = last(&source?).max(last(&destination?)).saturating_add(1);
    Ok(Machine::builder("inferred from the shardings")
        .level(Level::new("Device")?, most)
        .build()?)
}

fn shards(
    syntax: &LayoutText,
    machine: Option<&Machine>,
    on: &OnMachine,
) -> Result<DeviceShards, Failure> {
    let LayoutText::Sharded(shape) = syntax else {
        let why = "the device list of one side is irregular, so the sides are compared device by \
                   device: the other side must be a sharded shape too";
        return Err(Failure::Argument(why.into()));
    };
    on.suffix(syntax)?;
    Ok(shape.by_device(machine)?)
}

/// The levels in which copies of an element differ.
pub(super) fn apart(columns: &[Level], places: &[Location]) -> Vec<Level> {
    let differs = |level: &&Level| !places.iter().map(|place| place.get(**level)).all_equal();
    columns.iter().filter(differs).copied().collect()
}
