//! What moves between two layouts.

use itertools::Itertools;
use tensor_layout::Location;
use tensor_layout::relayout::{Account, Distance, PlaceRun, Relayout, Traffic, Transfer};
use tensor_layout_words::counted;

/// A sentence, the moves, and a table.
#[must_use]
pub fn relayout(pair: &Relayout, traffic: &Traffic, account: &Account) -> String {
    let mut page = format!("{}\n\n", pair.sentence(traffic));
    for digit in &account.moves {
        page.push_str(&format!("  {digit}\n"));
    }
    for copies in &account.copies {
        page.push_str(&format!("  {copies}\n"));
    }
    page.push_str(&format!("\n{}", counts(traffic)));
    page
}

/// The table of a page: copies by distance, and what enters and leaves the units of each level.
#[must_use]
pub fn counts(traffic: &Traffic) -> String {
    let Traffic { elements, copies, .. } = traffic;
    let noun = if *copies == 1 { "copy" } else { "copies" };
    let elements_each = counted(*elements, "element");
    let mut page = format!("{elements_each}, {copies} {noun} each\n\n");
    let total = u128::from(*elements) * u128::from(*copies);
    let [into, out_of] = match traffic.levels.is_empty() {
        true => ["", ""],
        false => ["into units", "out of units"],
    };
    let heading = format!("  {:8} {:>18} {:>7} {into:>18} {out_of:>18}", "distance", "copies", "");
    page.push_str(heading.trim_end());
    page.push('\n');
    for (distance, count) in &traffic.by_distance {
        let whole = total.max(1);
        let share = (u128::from(*count) * 2000 + whole) / (2 * whole);
        let level = traffic.levels.iter().find(|l| Distance::Level(l.level) == *distance);
        let into = level.map_or(String::new(), |level| level.into.to_string());
        let out_of = level.map_or(String::new(), |level| {
            level.out_of.map_or("open".into(), |count| count.to_string())
        });
        let share = format!("{}.{} %", share / 10, share % 10);
        let line =
            format!("  {:8} {count:>18} {share:>7} {into:>18} {out_of:>18}", distance.to_string());
        page.push_str(line.trim_end());
        page.push('\n');
    }
    page
}

/// A line for one run: what moves, from where, and to where.
#[must_use]
pub fn transfer(pair: &Relayout, transfer: &Transfer) -> String {
    let name = |at: &Location| {
        unit(pair, at).into_iter().map(|(level, at)| format!("{level}={at}")).join(",")
    };
    let places = |run: PlaceRun| match transfer.length {
        1 => format!("[{}]", run.start),
        _ => format!("[{}..{} by {}]", run.start, run.at(transfer.length - 1), run.step),
    };
    let mut units: Vec<String> = transfer.destinations.iter().map(name).collect();
    if units.len() > 4 {
        let more = units.len() - 3;
        units.truncate(3);
        units.push(format!("{more} more"));
    }
    let (distance, length, source) = (transfer.distance, transfer.length, name(&transfer.source));
    let (read, write, units) = (places(transfer.read), places(transfer.write), units.join("; "));
    // A single unit has no name.
    let at = |unit: &str, places: String| format!("{unit} {places}").trim_start().to_owned();
    format!("{distance}: {length} x {} -> {}", at(&source, read), at(&units, write))
}

/// The coordinates of a unit, from the root down; a group of units has the coordinates of its first unit.
#[must_use]
pub fn unit(pair: &Relayout, unit: &Location) -> Vec<(String, u64)> {
    let levels = pair.levels();
    let below = unit.iter().map(|(level, _)| level).filter(|level| !levels.contains(level));
    let levels = levels.iter().copied().chain(below);
    levels.filter_map(|level| Some((level.to_string(), unit.get(level)?))).collect()
}
