//! A plan as a page of text.

use std::fmt;

use crate::search::FORBIDDEN;

use super::report::{
    PlanReport, PlannedOperand, PlannedSwitch, PlannedValue, Room, SeenLayout, Totals,
};

impl fmt::Display for PlanReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for value in &self.values {
            value.write(f)?;
        }
        writeln!(f)?;
        for (kind, name) in &self.uncovered {
            writeln!(f, "not covered: {name}, a {kind}: copies on every unit")?;
        }
        write!(f, "{}", self.totals)?;
        self.memory.iter().try_for_each(|room| room.write(f))
    }
}

impl PlannedValue {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let node = self.node.as_deref().filter(|node| *node != self.name);
        let node = node.map(|node| format!("   node {node}")).unwrap_or_default();
        let extents = |of: &[u64]| of.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        let (operator, name, own) = (&self.operator, &self.name, extents(&self.shape));
        writeln!(f, "{operator} {name} = {}[{own}]{node}", self.dtype)?;
        writeln!(f, "  {:>9}  {}", self.own_text(), self.layout)?;
        if let Some(SeenLayout { shape, layout }) = &self.seen {
            writeln!(f, "  {:>9}  {layout} as [{}]", "", extents(shape))?;
        }
        if self.is_oversized {
            writeln!(f, "  {:>9}  {} long words of a PE: more than it has", "", self.words)?;
        }
        for PlannedOperand { value, layout, switch } in &self.operands {
            switch.iter().try_for_each(|switch| switch.write(f, value, layout))?;
        }
        let all = format!("{}, for all that read it,", self.name);
        self.kept.iter().try_for_each(|kept| kept.switch.write(f, &all, &kept.layout))
    }

    fn own_text(&self) -> String {
        if self.node.is_none() { "given".into() } else { self.own.total().to_string() }
    }
}

impl PlannedSwitch {
    /// Writes the switch of some value to a layout.
    fn write(&self, f: &mut fmt::Formatter<'_>, value: &str, layout: &str) -> fmt::Result {
        let PlannedSwitch { cycles, penalty, route, .. } = self;
        let movements = route.as_ref().map(|route| match (&route.movements, &route.cycles) {
            (Some(names), _) if names.is_empty() => "nothing moves".to_owned(),
            (Some(names), Some(cycles)) => format!("{} in {cycles}", names.join(", ")),
            _ if *penalty > 0 => format!("no movements, penalty {penalty}"),
            _ => "no movements".to_owned(),
        });
        let movements = movements.map(|text| format!(" ({text})")).unwrap_or_default();
        writeln!(f, "  {cycles:>9}  {value} to {layout}{movements}")
    }
}

impl Room {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Room { limit, peak, node, is_planned, places } = self;
        let remark = match (peak > limit, is_planned) {
            (true, _) => ": does not fit, and no plan that does was found",
            _ if places.is_none() => ": fits by its sum, but not every tensor has an address",
            (false, true) => "; without this limit, a plan would take more",
            (false, false) => "",
        };
        writeln!(f, "memory of a PE: at most {peak} of {limit} long words, at {node}{remark}")
    }
}

/// The cost of a plan, unless it has a switch that there is no layout for.
fn allowed(cost: u64) -> String {
    if cost < FORBIDDEN { cost.to_string() } else { "none".into() }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Totals { greedy, plan, bound, penalties, .. } = self;
        let naive = allowed(self.naive);
        let greedy = allowed(*greedy);
        writeln!(
            f,
            "cycles, at least   naive {naive}   greedy {greedy}   plan {plan}   bound {bound}"
        )?;
        if let Some(free) = self.without_pins {
            writeln!(f, "without pins       plan {}", allowed(free))?;
        }
        if *penalties > 0 {
            writeln!(
                f,
                "in the plan, {penalties} are penalties for changes of lanes, and no time"
            )?;
        }
        match self.avoiding {
            Some(0) => writeln!(f, "optimal over these choices")?,
            Some(more) => writeln!(
                f,
                "optimal over these choices, but for {more} that avoid switches without movements"
            )?,
            None => writeln!(f, "not proved to be optimal over these choices")?,
        }
        match self.without_movements {
            0 => Ok(()),
            1 => writeln!(f, "1 switch that no known movements make"),
            more => writeln!(f, "{more} switches that no known movements make"),
        }
    }
}
