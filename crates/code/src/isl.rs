//! isl: `{ S[i0, i1] -> A[PE, Addr] : .. }`.

use std::fmt::Display;
use std::ops::Range;

use itertools::Itertools;

use tensor_layout::algebra::{Replica, Subaxis, Target};
use tensor_layout::{Layout, LayoutError, Level};

use super::{Expression, Function, Style, Variable};

const STYLE: Style = Style {
    // A call needs no brackets of its own.
    quotient_is_call: true,
    quotient: |operand, divisor| format!("floor({operand}/{divisor})"),
    remainder: |operand, divisor| format!("{operand} mod {divisor}"),
    ..Style::PLAIN
};

/// The digits of the slots are `s0`, `s1`, ..
const SLOTS: Style = Style {
    variable: |variable| match variable {
        Variable::Index(number) => format!("s{number}"),
        other => other.to_string(),
    },
    ..STYLE
};

/// The relation between elements and their places.
pub(super) fn elements(of: &Layout) -> Result<String, LayoutError> {
    let function = Function::forward_in_sums(of)?;
    let (index, copies) = function.inputs.split_at(of.rank());
    let locals = function.locals.iter().map(|(local, _)| *local);
    let body = exists(names(copies).chain(locals), &conditions(&function));
    Ok(format!("{{ S[{}] -> A[{}] : {body} }}", names(index).join(", "), places(of)))
}

/// The places of the slots that hold no element.
pub(super) fn padding(of: &Layout) -> Result<String, LayoutError> {
    let layout = of.simplified();
    let slots = landings(&layout).enumerate();
    let slots = slots.map(|(at, landing)| (Variable::Index(at), landing));
    let slots = slots.filter(|(_, landing)| landing.size > 1).collect_vec();
    let name = SLOTS.variable;
    let bounds = slots.iter().map(|(s, slot)| format!("0 <= {} < {}", name(*s), slot.size));
    let at = |level: &Level| {
        let digits = slots.iter().filter(|(_, slot)| slot.level == *level);
        let mut terms = digits.map(|(n, s)| Expression::variable(*n).times(s.stride)).collect_vec();
        terms.push(Expression::number(layout.offset(*level)));
        format!("{} = {}", Variable::Level(*level), Expression::sum(terms).write(SLOTS))
    };
    let all = bounds.chain(of.columns().iter().map(at)).join(" and ");
    let all = exists(slots.iter().map(|(slot, _)| name(*slot)), &all);
    let function = Function::forward_in_sums(of)?;
    let locals = function.locals.iter().map(|(local, _)| *local);
    let held = exists(names(&function.inputs).chain(locals), &conditions(&function));
    let places = places(of);
    Ok(format!("{{ A[{places}] : ({all}) and not ({held}) }}"))
}

/// Everything that lands, as copies of one element would: the subaxes in the order of the axes, then the replicas.
fn landings(layout: &Layout) -> impl Iterator<Item = Replica> {
    let subaxes = layout.nodes().flat_map(|axis| &axis.subaxes);
    let landing = |&Subaxis { size, target }: &Subaxis| match target {
        Target::Land { level, stride } => Some(Replica { size, level, stride }),
        Target::Feed { .. } => None,
    };
    subaxes.filter_map(landing).chain(layout.replicas().iter().copied())
}

fn places(layout: &Layout) -> String {
    layout.columns().into_iter().map(Variable::Level).join(", ")
}

/// The bounds of the inputs, then the equations of locals and outputs.
fn conditions(function: &Function) -> String {
    let bounds = function.inputs.iter();
    let bounds = bounds.map(|(name, range)| format!("0 <= {name} < {}", range.end));
    let values = function.locals.iter().chain(&function.outputs);
    let values = values.map(|(name, value)| format!("{name} = {}", value.write(STYLE)));
    bounds.chain(values).join(" and ")
}

fn names(inputs: &[(Variable, Range<u64>)]) -> impl Iterator<Item = Variable> {
    inputs.iter().map(|(input, _)| *input)
}

fn exists(names: impl Iterator<Item = impl Display>, body: &str) -> String {
    let names = names.map(|name| name.to_string()).collect_vec();
    if names.is_empty() { body.into() } else { format!("exists ({} : {body})", names.join(", ")) }
}
