//! Places on the command line: coordinates by level, or in assembly syntax.

use clap::ValueEnum;
use tensor_layout::error::Site;
use tensor_layout::{LayoutError, Level, Location, Machine, Placement};

use super::failure::Failure;

/// The notation for places.
#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(super) enum PlaceForm {
    /// L2B=1,L1B=4,..,Addr=33.
    #[default]
    Levels,
    /// $lm66n0c1b4m1p1; needs a memory and a machine with an assembly syntax.
    Assembly,
}

/// A place of the memory in assembly syntax, followed by what assembly cannot name: the time slice and the lane.
pub(super) fn in_assembly(placement: &Placement, place: &Location) -> Result<String, Failure> {
    let memory = placement.memory().map_or("", |(name, _)| name);
    let mut text = machine_of(placement)?.to_assembly(memory, place)?;
    for level in [Level::TIME, Level::W] {
        if let Some(at) = place.get(level) {
            text.push_str(&format!(",{level}={at}"));
        }
    }
    Ok(text)
}

/// The machine whose letters places in assembly syntax have.
pub(super) fn machine_of(placement: &Placement) -> Result<&Machine, Failure> {
    placement.machine().ok_or_else(|| {
        let why = "--as assembly: the letters of memories and units belong to a machine".into();
        Failure::Advised(why, "add --machine mn-core-2".into())
    })
}

/// A place by level, or in assembly syntax: `$lm66n0c1b4m1p1`, or with a lane `$lm66n0c1b4m1p1,W=1`, or with a time slice.
pub(super) fn place_of(placement: &Placement, text: &str) -> Result<Location, Failure> {
    let (Some(machine), true) = (placement.machine(), text.trim_start().starts_with('$')) else {
        return location(text);
    };
    let (text, lane) =
        text.trim().split_once(',').map_or((text.trim(), None), |(a, b)| (a, Some(b)));
    let (memory, mut place) = machine.read_assembly(text)?;
    let placed = placement.memory().map(|(name, _)| name);
    if placed.is_some_and(|name| name != memory) {
        let why =
            format!("`{text}` is in {memory}, and the layout is in {}", placed.unwrap_or_default());
        return Err(Failure::Argument(why));
    }
    for (level, at) in lane.map(location).transpose()?.unwrap_or_default().iter() {
        if place.get(level).is_some() {
            let why = format!(
                "`{text}` already gives {level}; only Time and the lane follow it, as in {text},W=1"
            );
            return Err(Failure::Argument(why));
        }
        place.set(level, at);
    }
    Ok(place)
}

/// A place such as `L2B=1,Addr=33`; an empty text is the place without coordinates.
pub(super) fn location(text: &str) -> Result<Location, Failure> {
    if text.trim().is_empty() {
        let why = "the coordinates are an empty text".to_owned();
        return Err(Failure::Advised(why, "write a level and its coordinate, as in PE=2".into()));
    }
    Ok(text.parse()?)
}

/// Rejects coordinates in levels that places of the layout do not have.
pub(super) fn check_columns(placement: &Placement, place: &Location) -> Result<(), Failure> {
    let columns = placement.columns();
    match place.iter().find(|(level, _)| !columns.contains(level)) {
        None => Ok(()),
        Some((level, _)) => {
            let known = columns.iter().map(Level::as_str).collect::<Vec<_>>().join(", ");
            Err(LayoutError::level_unknown(level, "layout".into(), known, Site::Layout).into())
        }
    }
}
