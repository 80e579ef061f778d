//! The movements from one layout to another.

use tensor_layout::Placement;
use tensor_layout::machine::MovementKind;
use tensor_layout::route::{Hop, Route};
use tensor_layout_words::counted;

/// A line per hop with the resulting layout, and the total.
#[must_use]
pub fn route(route: &Route) -> String {
    let mut page = placed(route.source());
    if route.hops().is_empty() {
        return page + "\nnothing moves: the source serves as it is\n";
    }
    for hop in route.hops() {
        page.push_str(&moves(hop));
        page.push_str(&placed(&hop.target));
    }
    let (cycles, all) = route.cycles();
    let at_least = if all { "" } else { "at least " };
    let second_hand = route.hops().iter().filter(|hop| !hop.is_from_maker());
    let second_hand = second_hand.filter_map(|hop| hop.cycles).fold(0, u64::saturating_add);
    let of_which = match second_hand {
        0 => String::new(),
        cycles => format!(", {cycles} of them second-hand"),
    };
    let hops = counted(u64::try_from(route.hops().len()).unwrap_or(u64::MAX), "hop");
    page.push_str(&format!("\n{hops}, {at_least}{}{of_which}\n", counted(cycles, "cycle")));
    page
}

fn placed(placement: &Placement) -> String {
    format!("{:<6} {}\n", memory(placement), Route::text(placement))
}

/// The name of the memory; empty without one.
#[must_use]
pub fn memory(placement: &Placement) -> &str {
    placement.memory().map_or("", |(name, _)| name)
}

/// `  l2bmd, distribute: 256 upper, 32 lower, 4 cycles`.
fn moves(hop: &Hop) -> String {
    let name = hop.movement.as_ref().map_or("?", |movement| movement.name.as_str());
    let kind = hop.kind.map_or("", MovementKind::as_str);
    let cycles = match hop.cycles {
        Some(cycles) if hop.is_from_maker() => counted(cycles, "cycle"),
        Some(cycles) => format!("{}, second-hand", counted(cycles, "cycle")),
        None => "no rate".into(),
    };
    let parts = match hop.parts() {
        1 => String::new(),
        parts => format!("; at least {parts} parts"),
    };
    let (upper, lower) = (hop.upper_words, hop.lower_words);
    let what = if kind.is_empty() { name.to_owned() } else { format!("{name}, {kind}") };
    format!("  {what}: {upper} upper, {lower} lower, {cycles}{parts}\n")
}

/// A line per route: its cycles, its movements, and the layout at its open end.
#[must_use]
pub fn routes(routes: &[Route], open: impl Fn(&Route) -> String) -> String {
    if routes.is_empty() {
        return "no movements lead to a layout there\n".into();
    }
    let mut lines = format!("{:>10}  {:<28}  layout\n", "cycles", "movements");
    for route in routes {
        let (cycles, all) = route.cycles();
        let cycles = if all { cycles.to_string() } else { format!(">= {cycles}") };
        let names = route.names().join(", ");
        lines.push_str(&format!("{cycles:>10}  {names:<28}  {}\n", open(route)));
    }
    lines
}
