//! isl: `{ S[i0, i1] -> A[PE, Addr] : .. }`.

use itertools::Itertools;

use super::names::variable;
use super::{Expression, Function, Style};
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
        let (index, copies) = function.inputs.split_at(self.rank());
        let hidden = copies.iter().chain(function.locals.iter().map(|(name, _)| name));
        let body = exists(hidden, &conditions(&function));
        Ok(format!("{{ S[{}] -> A[{}] : {body} }}", index.join(", "), places(self)))
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
        let slots = layout.landings().enumerate().map(|(at, landing)| (format!("s{at}"), landing));
        let slots = slots.filter(|(_, landing)| landing.size > 1).collect_vec();
        let bounds = slots.iter().map(|(name, slot)| format!("0 <= {name} < {}", slot.size));
        let at = |level: &Level| {
            let digits = slots.iter().filter(|(_, slot)| slot.level == *level);
            let mut terms = digits.map(|(n, s)| Expression::name(n).times(s.stride)).collect_vec();
            terms.push(Expression::number(layout.offset(*level)));
            format!("{} = {}", variable(*level), Expression::sum(terms).write(STYLE))
        };
        let all = bounds.chain(self.columns().iter().map(at)).join(" and ");
        let all = exists(slots.iter().map(|(name, _)| name), &all);
        let function = Function::forward_in_sums(self)?;
        let hidden = function.inputs.iter().chain(function.locals.iter().map(|(name, _)| name));
        let held = exists(hidden, &conditions(&function));
        let places = places(self);
        Ok(format!("{{ A[{places}] : ({all}) and not ({held}) }}"))
    }
}

fn places(layout: &Layout) -> String {
    layout.columns().iter().map(|level| variable(*level)).join(", ")
}

/// The bounds of the inputs, then the equations of locals and outputs.
fn conditions(function: &Function) -> String {
    let bounds = function.inputs.iter().zip(&function.bounds);
    let bounds = bounds.map(|(name, bound)| format!("0 <= {name} < {bound}"));
    let values = function.locals.iter().chain(&function.outputs);
    let values = values.map(|(name, value)| format!("{name} = {}", value.write(STYLE)));
    bounds.chain(values).join(" and ")
}

fn exists<'a>(names: impl Iterator<Item = &'a String>, body: &str) -> String {
    let names = names.map(String::as_str).collect_vec();
    if names.is_empty() { body.into() } else { format!("exists ({} : {body})", names.join(", ")) }
}
