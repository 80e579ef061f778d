//! Values in terms of the inputs of a function.

use std::rc::Rc;

use itertools::Itertools;

use crate::algebra::Combine;

/// A value that is 0 or more.
#[derive(Clone, Debug)]
pub(super) struct Expression {
    node: Rc<ExpressionNode>,
    /// The number of names and numbers needed to write it.
    length: u64,
}

#[derive(Debug)]
enum ExpressionNode {
    Number(u64),
    Name(String),
    Joined(Combine, Vec<Expression>),
    Applied(Expression, Operation, u64),
}

/// An operation of an expression and a number.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Minus,
    Times,
    Quotient,
    Remainder,
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
            ExpressionNode::Number(_) | ExpressionNode::Name(_) => 1,
            ExpressionNode::Joined(_, terms) => {
                terms.iter().fold(0_u64, |n, term| n.saturating_add(term.length))
            }
            ExpressionNode::Applied(of, ..) => of.length.saturating_add(1),
        };
        Expression { node: Rc::new(node), length }
    }

    pub(super) fn number(number: u64) -> Expression {
        Expression::new(ExpressionNode::Number(number))
    }

    pub(super) fn name(name: impl Into<String>) -> Expression {
        Expression::new(ExpressionNode::Name(name.into()))
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
            ExpressionNode::Number(_) | ExpressionNode::Name(_) => &[],
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
            ExpressionNode::Name(_) | ExpressionNode::Joined(..) => 0,
        };
        self.parts().iter().map(Expression::greatest_number).fold(own, u64::max)
    }

    /// Returns whether the name occurs in it.
    pub(super) fn uses(&self, name: &str) -> bool {
        matches!(&*self.node, ExpressionNode::Name(other) if other == name)
            || self.parts().iter().any(|part| part.uses(name))
    }

    /// The expression with names replaced by values.
    pub(super) fn replaced(&self, values: &[(String, Expression)]) -> Expression {
        match &*self.node {
            ExpressionNode::Number(_) => self.clone(),
            ExpressionNode::Name(name) => {
                let value =
                    values.iter().find(|(of, _)| of == name).map(|(_, value)| value.clone());
                value.unwrap_or_else(|| self.clone())
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
            ExpressionNode::Name(name) => name.clone(),
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
            ExpressionNode::Number(_) | ExpressionNode::Name(_) => self.write(style),
            ExpressionNode::Applied(_, Operation::Quotient, _) if style.quotient_is_call => {
                self.write(style)
            }
            _ => format!("({})", self.write(style)),
        }
    }
}
