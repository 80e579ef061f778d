//! A layout as a function with named inputs and outputs, and its inverse.

use itertools::Itertools;

use super::Expression;
use super::names::variable;
use crate::algebra::{Axis, Combine, DerivedAxis, Layout, Target, xor_factors};
use crate::error::{ErrorKind, LayoutError, fault};
use crate::level::Level;

/// Expressions for the outputs in terms of the inputs.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// One sentence about the function, for the comment above its code.
    pub(super) says: String,
    /// Names of the inputs: the index, then one number per replica.
    pub(super) inputs: Vec<String>,
    /// The exclusive bound of each input.
    pub(super) bounds: Vec<u64>,
    /// Values that the outputs share, in an order in which they can be computed.
    pub(super) locals: Vec<(String, Expression)>,
    /// Names and values of the outputs.
    pub(super) outputs: Vec<(String, Expression)>,
}

impl Function {
    /// The function from an index to its place: outputs in the order of the columns of a table.
    pub(super) fn forward(layout: &Layout) -> Result<Function, LayoutError> {
        Function::forward_into(layout, &layout.columns())
    }

    /// This function for a language without XOR.
    pub(super) fn forward_in_sums(layout: &Layout) -> Result<Function, LayoutError> {
        Function::forward_into(&layout.in_sums(), &layout.columns())
    }

    /// The function with the columns of the layout as it was written: a simplified one has fewer digits, and the
    /// order in which they land may differ.
    ///
    /// The places of the elements alone need no digits for padding, and fewer derived axes.
    fn forward_into(layout: &Layout, columns: &[Level]) -> Result<Function, LayoutError> {
        if layout.elements() == 0 {
            return Ok(Function::of_places(layout, columns));
        }
        let alone = match layout.without_padding() {
            Err(error) if error.kind() == ErrorKind::NotDecided => layout.simplified(),
            alone => alone?,
        };
        Ok(Function::of_places(&alone, columns))
    }

    fn of_places(layout: &Layout, columns: &[Level]) -> Function {
        let names = columns.iter().map(|level| variable(*level)).join(", ");
        let shape = layout.shape().iter().join(", ");
        let inputs = (0..layout.rank()).map(|axis| format!("i{axis}")).collect_vec();
        let sizes = layout.replicas().iter().map(|replica| replica.size);
        let copies = (0..layout.replicas().len()).map(|at| format!("c{at}"));
        let of_copies = match layout.replicas().len() {
            0 => String::new(),
            _ => {
                let bounded = copies.clone().zip(sizes.clone());
                format!(
                    " and the copies ({})",
                    bounded.map(|(c, n)| format!("{c} < {n}")).join(", ")
                )
            }
        };
        let says = format!("From an index of shape ({shape}){of_copies} to its place ({names}).");
        let mut function = Function::of(layout, &inputs);
        function.says = says;
        function.inputs.extend(copies);
        function.bounds.extend(sizes);
        let output = |level: &Level| (variable(*level), function.at(layout, *level));
        let outputs = columns.iter().map(output).collect();
        Function { outputs, ..function }
    }

    /// Turns the function of an index map into one whose outputs are the entries of another index: `Addr` is
    /// not one of them.
    pub(super) fn into_index(mut self) -> Function {
        let number = |(name, _): &(String, Expression)| -> Option<usize> {
            name.strip_prefix('i')?.strip_suffix('_')?.parse().ok()
        };
        self.outputs.retain(|output| number(output).is_some());
        self.outputs.sort_by_key(number);
        self.outputs.iter_mut().for_each(|(name, _)| *name = name.trim_end_matches('_').into());
        self
    }

    /// The function from a place to the index of the element there, if there is one.
    pub(super) fn backward(layout: &Layout) -> Option<Function> {
        let (moved, offset) = layout.to_origin();
        let inverse = moved.left_inverse().ok()?;
        // The axes of the inverse are the used levels, in their order.
        let inputs = layout.used_levels().iter().map(|level| variable(*level)).collect_vec();
        let mut function = Function::of(&inverse, &inputs);
        function.outputs = (0..layout.rank())
            .map(|axis| (format!("i{axis}"), function.at(&inverse, Level::axis(axis))))
            .collect();
        let address = variable(Level::ADDR);
        let from_origin = [(address.clone(), Expression::name(address).minus(offset))];
        let values = function.locals.iter_mut().chain(&mut function.outputs);
        values.for_each(|(_, value)| *value = value.replaced(&from_origin));
        function.inputs = layout.columns().iter().map(|level| variable(*level)).collect();
        function.says = "From the place of an element to its index.".into();
        Some(function)
    }

    /// A function without outputs: the values of the derived axes as locals.
    fn of(layout: &Layout, inputs: &[String]) -> Function {
        let mut function = Function {
            says: String::new(),
            inputs: inputs.to_vec(),
            bounds: layout.shape(),
            locals: Vec::new(),
            outputs: Vec::new(),
        };
        for (number, derived) in layout.derived_axes().iter().enumerate() {
            let DerivedAxis { combine, start, .. } = *derived;
            let weigh = |target| match target {
                Target::Feed { derived, weight } if derived == number => weight,
                _ => 0,
            };
            let mut terms = match combine {
                Combine::Sum => function.terms(layout, weigh),
                Combine::Xor => function.flipped(layout, weigh),
            };
            terms.push(Expression::number(start));
            function.locals.push((format!("v{number}"), Expression::joined(combine, terms)));
        }
        function
    }

    /// The coordinate in a level.
    fn at(&self, layout: &Layout, level: Level) -> Expression {
        let mut terms = self.terms(layout, |target| match target {
            Target::Land { level: of, stride } if of == level => stride,
            _ => 0,
        });
        for (at, replica) in layout.replicas().iter().enumerate() {
            if replica.level == level && replica.size > 1 {
                terms.push(Expression::name(format!("c{at}")).times(replica.stride));
            }
        }
        terms.push(Expression::number(layout.offset(level)));
        Expression::sum(terms)
    }

    /// The digits with the weight that `weigh` gives their targets.
    fn terms(&self, layout: &Layout, weigh: impl Fn(Target) -> u64) -> Vec<Expression> {
        let terms = self.weighed(layout, weigh).into_iter();
        terms.map(|(digit, _, weight)| digit.times(weight)).collect()
    }

    /// Products whose XOR is the effect of the digits that flip bits: each digit times the factors of its
    /// weight, a single product where no two shifted copies of the digit overlap.
    fn flipped(&self, layout: &Layout, weigh: impl Fn(Target) -> u64) -> Vec<Expression> {
        let shifted = |(digit, size, weight): (Expression, u64, u64)| {
            let factors = xor_factors(weight, size).into_iter();
            factors.map(|factor| digit.clone().times(factor)).collect::<Vec<_>>()
        };
        self.weighed(layout, weigh).into_iter().flat_map(shifted).collect()
    }

    /// The digits, their sizes and the weight that `weigh` gives their targets, those of derived axes
    /// only as far as there are locals.
    fn weighed(
        &self,
        layout: &Layout,
        weigh: impl Fn(Target) -> u64,
    ) -> Vec<(Expression, u64, u64)> {
        let greatest = layout.greatest_values();
        let locals = self.locals.iter().map(|(name, _)| name);
        let values = self.inputs.iter().take(layout.rank()).chain(locals);
        let nodes = layout.nodes().zip(greatest).zip(values);
        let terms = nodes.flat_map(|((axis, greatest), value)| {
            digits(axis, greatest, value).zip(&axis.subaxes).filter_map(|(digit, subaxis)| {
                let weight = weigh(subaxis.target);
                digit.filter(|_| weight > 0).map(|digit| (digit, subaxis.size, weight))
            })
        });
        terms.collect()
    }

    /// Returns whether a local or an output depends on the input.
    pub(super) fn uses(&self, input: &str) -> bool {
        self.locals.iter().chain(&self.outputs).any(|(_, value)| value.uses(input))
    }

    /// The outputs with the locals written out, for languages that have none.
    pub(super) fn inlined(&self) -> Vec<Expression> {
        let mut known: Vec<(String, Expression)> = Vec::new();
        for (name, value) in &self.locals {
            let value = value.replaced(&known);
            known.push((name.clone(), value));
        }
        self.outputs.iter().map(|(_, value)| value.replaced(&known)).collect()
    }
}

/// The digits of a value, major to minor; `None` for those that are always 0.
fn digits<'a>(
    axis: &'a Axis,
    greatest: u64,
    value: &'a str,
) -> impl Iterator<Item = Option<Expression>> + 'a {
    let mut step = axis.slots();
    axis.subaxes.iter().map(move |subaxis| {
        let above = step;
        step /= subaxis.size;
        if greatest < step || subaxis.size == 1 {
            return None;
        }
        let digit = Expression::name(value).quotient(step);
        Some(if greatest < above { digit } else { digit.remainder(subaxis.size) })
    })
}

/// Returns an error if a function is too long to be written without locals.
pub(super) fn check_length(
    expressions: &[Expression],
    task: &'static str,
) -> Result<(), LayoutError> {
    const MOST: u64 = 1 << 14;
    let length = expressions.iter().fold(0_u64, |n, e| n.saturating_add(e.length()));
    if length > MOST {
        let reason = fault!(
            Inexpressible,
            "it cannot name shared values, and without names it needs more than {most} terms",
            [most = MOST]
        );
        return Err(reason.of_task(task));
    }
    Ok(())
}
