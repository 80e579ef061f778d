//! Values in terms of the inputs of a function.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use itertools::Itertools;

use tensor_layout::algebra::Combine;

use super::Variable;

/// A value of 64 bits without a sign, as a tree.
///
/// Parts may be shared: a clone is a reference to the same tree. `Display` writes it in Rust.
/// Law: no part of an expression of a [`Function`](super::Function) exceeds 64 bits or is negative, for inputs in their ranges.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Expression {
    node: Arc<ExpressionNode>,
    /// The number of names and numbers needed to write it.
    length: u64,
}

/// The outermost operation of an [`Expression`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionNode {
    /// A constant.
    Number(u64),
    /// An input or a local of the function.
    Variable(Variable),
    /// The sum or the bitwise XOR of two or more terms.
    Joined(Combine, Vec<Expression>),
    /// An operation of an expression and a number: `i0 / 3` is `Applied(i0, Quotient, 3)`.
    Applied(Expression, Operation, u64),
}

/// An operation of an expression and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// The difference, never below 0.
    Minus,
    /// The product.
    Times,
    /// The quotient, rounded down; the number is not 0.
    Quotient,
    /// The remainder; the number is not 0.
    Remainder,
}

impl Operation {
    /// The result; `None` beyond 64 bits and below 0.
    fn of(self, value: u64, number: u64) -> Option<u64> {
        match self {
            Operation::Minus => value.checked_sub(number),
            Operation::Times => value.checked_mul(number),
            Operation::Quotient => value.checked_div(number),
            Operation::Remainder => value.checked_rem(number),
        }
    }
}

/// The spelling of numbers, quotients and remainders in one language.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    /// True if a quotient is written as a call, so that it needs no brackets as an operand.
    pub(super) quotient_is_call: bool,
    /// The quotient of two operands, rounded down.
    pub(super) quotient: fn(&str, u64) -> String,
    /// The remainder.
    pub(super) remainder: fn(&str, u64) -> String,
    /// A literal that is a whole expression or a factor.
    pub(super) number: fn(u64) -> String,
    /// A variable.
    pub(super) variable: fn(Variable) -> String,
}

impl Style {
    /// Shifts and masks where the divisor is a power of two, else `/` and `%`.
    pub(super) const PLAIN: Style = Style {
        quotient_is_call: false,
        quotient: |operand, divisor| quotient_by(operand, divisor, "/"),
        remainder: |operand, divisor| match divisor.is_power_of_two() {
            true => format!("{operand} & {}", divisor - 1),
            false => format!("{operand} % {divisor}"),
        },
        number: |number| number.to_string(),
        variable: |variable| variable.to_string(),
    };
}

/// A shift where the divisor is a power of two, else `divide`.
pub(super) fn quotient_by(operand: &str, divisor: u64, divide: &str) -> String {
    match divisor.is_power_of_two() {
        true => format!("{operand} >> {}", divisor.trailing_zeros()),
        false => format!("{operand} {divide} {divisor}"),
    }
}

impl Expression {
    fn new(node: ExpressionNode) -> Expression {
        let length = match &node {
            ExpressionNode::Number(_) | ExpressionNode::Variable(_) => 1,
            ExpressionNode::Joined(_, terms) => {
                terms.iter().fold(0_u64, |n, term| n.saturating_add(term.length))
            }
            ExpressionNode::Applied(of, ..) => of.length.saturating_add(1),
        };
        Expression { node: Arc::new(node), length }
    }

    /// The outermost operation.
    #[must_use]
    pub fn node(&self) -> &ExpressionNode {
        &self.node
    }

    pub(super) fn number(number: u64) -> Expression {
        Expression::new(ExpressionNode::Number(number))
    }

    pub(super) fn variable(variable: Variable) -> Expression {
        Expression::new(ExpressionNode::Variable(variable))
    }

    /// The sum, terms that are 0 left out.
    pub(super) fn sum(terms: Vec<Expression>) -> Expression {
        Expression::joined(Combine::Sum, terms)
    }

    /// The sum or the bitwise XOR, terms that are 0 left out.
    pub(super) fn joined(combine: Combine, mut terms: Vec<Expression>) -> Expression {
        terms.retain(|term| !term.is_number(0));
        match terms.len() {
            0 => Expression::number(0),
            1 => terms.remove(0),
            _ => Expression::new(ExpressionNode::Joined(combine, terms)),
        }
    }

    /// The difference, for a value that is never below `number`.
    pub(super) fn minus(self, number: u64) -> Expression {
        self.apply(Operation::Minus, number)
    }

    pub(super) fn times(self, factor: u64) -> Expression {
        self.apply(Operation::Times, factor)
    }

    pub(super) fn quotient(self, divisor: u64) -> Expression {
        self.apply(Operation::Quotient, divisor)
    }

    pub(super) fn remainder(self, divisor: u64) -> Expression {
        self.apply(Operation::Remainder, divisor)
    }

    fn apply(self, operation: Operation, number: u64) -> Expression {
        match (operation, number) {
            (Operation::Times, 0) => Expression::number(0),
            (Operation::Minus, 0) | (Operation::Times | Operation::Quotient, 1) => self,
            _ => Expression::new(ExpressionNode::Applied(self, operation, number)),
        }
    }

    /// The expressions that this one is made of.
    fn parts(&self) -> &[Expression] {
        match &*self.node {
            ExpressionNode::Number(_) | ExpressionNode::Variable(_) => &[],
            ExpressionNode::Joined(_, terms) => terms,
            ExpressionNode::Applied(of, ..) => std::slice::from_ref(of),
        }
    }

    fn is_number(&self, number: u64) -> bool {
        matches!(*self.node, ExpressionNode::Number(n) if n == number)
    }

    /// The number of names and numbers needed to write it.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// The greatest number in it.
    pub(super) fn greatest_number(&self) -> u64 {
        let own = match *self.node {
            ExpressionNode::Number(number) | ExpressionNode::Applied(.., number) => number,
            ExpressionNode::Variable(_) | ExpressionNode::Joined(..) => 0,
        };
        self.parts().iter().map(Expression::greatest_number).fold(own, u64::max)
    }

    /// Returns whether the variable occurs in it.
    pub(super) fn uses(&self, variable: Variable) -> bool {
        *self.node == ExpressionNode::Variable(variable)
            || self.parts().iter().any(|part| part.uses(variable))
    }

    /// The value, from the values of variables; `None` for an unknown variable and beyond 64 bits.
    pub(super) fn value(&self, of: &impl Fn(Variable) -> Option<u64>) -> Option<u64> {
        match &*self.node {
            ExpressionNode::Number(number) => Some(*number),
            ExpressionNode::Variable(variable) => of(*variable),
            ExpressionNode::Joined(combine, terms) => terms.iter().try_fold(0_u64, |all, term| {
                let term = term.value(of)?;
                match combine {
                    Combine::Sum => all.checked_add(term),
                    Combine::Xor => Some(all ^ term),
                }
            }),
            ExpressionNode::Applied(value, operation, number) => {
                operation.of(value.value(of)?, *number)
            }
        }
    }

    /// A range with all values, from the ranges of variables.
    pub(super) fn range(
        &self,
        of: &impl Fn(Variable) -> RangeInclusive<u64>,
    ) -> RangeInclusive<u64> {
        match &*self.node {
            ExpressionNode::Number(number) => *number..=*number,
            ExpressionNode::Variable(variable) => of(*variable),
            ExpressionNode::Joined(combine, terms) => {
                let terms = terms.iter().map(|term| term.range(of));
                terms.reduce(|all, term| joined(*combine, &all, &term)).unwrap_or(0..=0)
            }
            ExpressionNode::Applied(value, operation, number) => {
                applied(&value.range(of), *operation, *number)
            }
        }
    }

    /// The expression with variables replaced by values.
    pub(super) fn replaced(&self, values: &[(Variable, Expression)]) -> Expression {
        match &*self.node {
            ExpressionNode::Number(_) => self.clone(),
            ExpressionNode::Variable(variable) => {
                let value = values.iter().find(|(of, _)| of == variable);
                value.map_or_else(|| self.clone(), |(_, value)| value.clone())
            }
            ExpressionNode::Joined(combine, terms) => {
                let terms = terms.iter().map(|term| term.replaced(values));
                Expression::joined(*combine, terms.collect())
            }
            ExpressionNode::Applied(of, operation, number) => {
                of.replaced(values).apply(*operation, *number)
            }
        }
    }

    /// The text in a language.
    pub(super) fn write(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Number(number) => (style.number)(*number),
            ExpressionNode::Variable(variable) => (style.variable)(*variable),
            ExpressionNode::Joined(Combine::Sum, terms) => {
                terms.iter().map(|term| term.term(style)).join(" + ")
            }
            ExpressionNode::Joined(Combine::Xor, terms) => {
                terms.iter().map(|term| term.operand(style)).join(" ^ ")
            }
            ExpressionNode::Applied(of, operation, number) => {
                let operand = of.operand(style);
                match operation {
                    Operation::Minus => format!("{operand} - {}", (style.number)(*number)),
                    Operation::Times => format!("{operand} * {}", (style.number)(*number)),
                    Operation::Quotient => (style.quotient)(&operand, *number),
                    Operation::Remainder => (style.remainder)(&operand, *number),
                }
            }
        }
    }

    /// The text as a term of a sum: only a product needs no brackets in every language.
    fn term(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Applied(_, Operation::Times, _) => self.write(style),
            _ => self.operand(style),
        }
    }

    fn operand(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Number(_) | ExpressionNode::Variable(_) => self.write(style),
            ExpressionNode::Applied(_, Operation::Quotient, _) if style.quotient_is_call => {
                self.write(style)
            }
            _ => format!("({})", self.write(style)),
        }
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.write(Style::PLAIN))
    }
}

/// A range with all sums or XORs of values in two ranges.
fn joined(
    combine: Combine,
    a: &RangeInclusive<u64>,
    b: &RangeInclusive<u64>,
) -> RangeInclusive<u64> {
    match combine {
        Combine::Sum => a.start().saturating_add(*b.start())..=a.end().saturating_add(*b.end()),
        // No bit above the highest of either is set.
        Combine::Xor => {
            let bits = (a.end() | b.end()).leading_zeros();
            0..=u64::MAX.checked_shr(bits).unwrap_or(0)
        }
    }
}

/// A range with all results of an operation on values in a range.
fn applied(values: &RangeInclusive<u64>, operation: Operation, number: u64) -> RangeInclusive<u64> {
    let (start, end) = (*values.start(), *values.end());
    match operation {
        Operation::Minus => start.saturating_sub(number)..=end.saturating_sub(number),
        Operation::Times => start.saturating_mul(number)..=end.saturating_mul(number),
        Operation::Remainder if start / number != end / number => 0..=number - 1,
        Operation::Remainder => start % number..=end % number,
        Operation::Quotient => start / number..=end / number,
    }
}
