//! isl: `{ S[i0, i1] -> A[PE, Addr] : .. }`.

use std::fmt::Display;
use std::ops::Range;

use itertools::Itertools;

use super::{Expression, Function, Style, Variable};
use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::level::Level;

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

impl Layout {
    /// Writes the relation between elements and their places for isl, including bounds and copies.
    ///
    /// Law: its pairs are the rows of the table.
    ///
    /// # Errors
    /// As [`simplified`](Layout::simplified).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "((4_PE, 3:8), (8:1))".parse()?;
    /// assert_eq!(layout.to_isl()?, "{ S[i0, i1] -> A[PE, Addr] : 0 <= i0 < 12 and 0 <= i1 < 8 \
    ///     and PE = floor(i0/3) and Addr = (i0 mod 3) * 8 + i1 }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_isl(&self) -> Result<String, LayoutError> {
        let function = Function::forward_in_sums(self)?;
        let (index, copies) = function.inputs().split_at(self.rank());
        let locals = function.locals().iter().map(|(local, _)| *local);
        let body = exists(names(copies).chain(locals), &conditions(&function));
        Ok(format!("{{ S[{}] -> A[{}] : {body} }}", names(index).join(", "), places(self)))
    }

    /// Writes the places of the slots that hold no element, as a set for isl.
    ///
    /// Law: a place is in the set if and only if [`element`](Layout::element) returns padding.
    ///
    /// # Errors
    /// As [`simplified`](Layout::simplified).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(3)/((4:2))".parse()?;
    /// assert_eq!(layout.to_isl_padding()?, "{ A[Addr] : (exists (s0 : 0 <= s0 < 4 and Addr = s0 * 2)) \
    ///     and not (exists (i0 : 0 <= i0 < 3 and Addr = i0 * 2)) }");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_isl_padding(&self) -> Result<String, LayoutError> {
        let layout = self.simplified();
        let slots = layout.landings().enumerate();
        let slots = slots.map(|(at, landing)| (Variable::Index(at), landing));
        let slots = slots.filter(|(_, landing)| landing.size > 1).collect_vec();
        let name = SLOTS.variable;
        let bounds = slots.iter().map(|(s, slot)| format!("0 <= {} < {}", name(*s), slot.size));
        let at = |level: &Level| {
            let digits = slots.iter().filter(|(_, slot)| slot.level == *level);
            let mut terms =
                digits.map(|(n, s)| Expression::variable(*n).times(s.stride)).collect_vec();
            terms.push(Expression::number(layout.offset(*level)));
            format!("{} = {}", Variable::Level(*level), Expression::sum(terms).write(SLOTS))
        };
        let all = bounds.chain(self.columns().iter().map(at)).join(" and ");
        let all = exists(slots.iter().map(|(slot, _)| name(*slot)), &all);
        let function = Function::forward_in_sums(self)?;
        let locals = function.locals().iter().map(|(local, _)| *local);
        let held = exists(names(function.inputs()).chain(locals), &conditions(&function));
        let places = places(self);
        Ok(format!("{{ A[{places}] : ({all}) and not ({held}) }}"))
    }
}

fn places(layout: &Layout) -> String {
    layout.columns().into_iter().map(Variable::Level).join(", ")
}

/// The bounds of the inputs, then the equations of locals and outputs.
fn conditions(function: &Function) -> String {
    let bounds = function.inputs().iter();
    let bounds = bounds.map(|(name, range)| format!("0 <= {name} < {}", range.end));
    let values = function.locals().iter().chain(function.outputs());
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
