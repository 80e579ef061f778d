//! One plan beside another: the values with other layouts, and what they cost.

use std::fmt;

use itertools::Itertools;
use serde::Serialize;

use super::report::{PlanReport, PlannedSwitch, PlannedValue};

/// The differences between two plans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// The cost of the first plan, and of the second.
    pub plan: [u64; 2],
    /// The values that have other layouts, places or costs, in the order of the second plan; then those that it lacks.
    pub changed: Vec<Changed>,
    /// The number of values that are equal.
    pub equal: usize,
}

/// A value in two plans; `None` in a plan that lacks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    /// The value.
    pub value: String,
    /// Its place and costs in the first plan.
    pub before: Option<InPlan>,
    /// Those in the second one.
    pub after: Option<InPlan>,
}

/// The place of a value in a plan, and its costs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InPlan {
    /// Its layout.
    pub layout: String,
    /// The memory.
    pub memory: Option<String>,
    /// The layout that its readers share, if they do.
    pub kept: Option<String>,
    /// The cycles that it takes without switches.
    pub own: u64,
    /// The cycles of the switches of its operands and for its readers, with penalties.
    pub switches: u64,
}

impl InPlan {
    fn of(value: &PlannedValue) -> InPlan {
        let operands = value.operands.iter().filter_map(|of| of.switch.as_ref());
        let kept = value.kept.as_ref();
        let switches = operands.chain(kept.map(|kept| &kept.switch));
        let cycles = |of: &PlannedSwitch| of.cycles.saturating_add(of.penalty);
        InPlan {
            layout: value.layout.clone(),
            memory: value.memory.clone(),
            kept: kept.map(|kept| kept.layout.clone()),
            own: value.own.total(),
            switches: switches.map(cycles).fold(0, u64::saturating_add),
        }
    }
}

impl PlanReport {
    /// The differences from an earlier plan to this one.
    #[must_use]
    pub fn against(&self, before: &PlanReport) -> Comparison {
        let named = |report: &'_ PlanReport, name: &str| {
            report.values.iter().find(|value| value.name == name).map(InPlan::of)
        };
        let pair = |value: &PlannedValue| Changed {
            value: value.name.clone(),
            before: named(before, &value.name),
            after: named(self, &value.name),
        };
        let gone = before.values.iter().filter(|value| named(self, &value.name).is_none());
        let all = self.values.iter().chain(gone).map(pair);
        let (changed, equal): (Vec<_>, Vec<_>) = all.partition(|of| of.before != of.after);
        let plan = [before.totals.plan, self.totals.plan];
        Comparison { plan, changed, equal: equal.len() }
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.plan;
        for changed in &self.changed {
            changed.write(f)?;
        }
        let (changed, equal) = (self.changed.len(), self.equal);
        writeln!(f, "\n{changed} values differ, {equal} are equal")?;
        let more = match after.checked_sub(before) {
            Some(more) => format!("{more} more"),
            None => format!("{} less", before - after),
        };
        writeln!(f, "plan {before} before, {after} now: {more}")
    }
}

impl Changed {
    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Changed { value, before, after } = self;
        writeln!(f, "{value}")?;
        for (when, of) in [("before", before), ("now", after)] {
            let Some(InPlan { layout, kept, own, switches, .. }) = of else {
                writeln!(f, "  {when:<6} not in the plan")?;
                continue;
            };
            let kept = kept.iter().map(|kept| format!(", kept as {kept}")).join("");
            writeln!(f, "  {when:<6} {layout}{kept}")?;
            writeln!(f, "         own {own}, switches {switches}")?;
        }
        Ok(())
    }
}
