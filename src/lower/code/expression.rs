//! Values in terms of the inputs of a function.

use std::rc::Rc;

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
    Sum(Vec<Expression>),
    Xor(Vec<Expression>),
    Times(Expression, u64),
    Quotient(Expression, u64),
    Remainder(Expression, u64),
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

/// Shifts and masks where the divisor is a power of two, else `divide` and `%`.
pub(super) fn quotient_by(operand: &str, divisor: u64, divide: &str) -> String {
    match divisor.is_power_of_two() {
        true => format!("{operand} >> {}", divisor.trailing_zeros()),
        false => format!("{operand} {divide} {divisor}"),
    }
}

pub(super) fn remainder_by(operand: &str, divisor: u64) -> String {
    match divisor.is_power_of_two() {
        true => format!("{operand} & {}", divisor - 1),
        false => format!("{operand} % {divisor}"),
    }
}

impl Expression {
    fn new(node: ExpressionNode) -> Expression {
        let length = match &node {
            ExpressionNode::Number(_) | ExpressionNode::Name(_) => 1,
            ExpressionNode::Sum(terms) | ExpressionNode::Xor(terms) => {
                terms.iter().fold(0_u64, |n, term| n.saturating_add(term.length))
            }
            ExpressionNode::Times(of, _)
            | ExpressionNode::Quotient(of, _)
            | ExpressionNode::Remainder(of, _) => of.length.saturating_add(1),
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
        Expression::joined(terms, ExpressionNode::Sum)
    }

    /// The bitwise XOR, terms that are 0 left out.
    pub(super) fn xor(terms: Vec<Expression>) -> Expression {
        Expression::joined(terms, ExpressionNode::Xor)
    }

    fn joined(
        mut terms: Vec<Expression>,
        join: fn(Vec<Expression>) -> ExpressionNode,
    ) -> Expression {
        terms.retain(|term| !term.is_number(0));
        match terms.len() {
            0 => Expression::number(0),
            1 => terms.remove(0),
            _ => Expression::new(join(terms)),
        }
    }

    pub(super) fn times(self, factor: u64) -> Expression {
        match factor {
            0 => Expression::number(0),
            1 => self,
            _ => Expression::new(ExpressionNode::Times(self, factor)),
        }
    }

    pub(super) fn quotient(self, divisor: u64) -> Expression {
        if divisor == 1 { self } else { Expression::new(ExpressionNode::Quotient(self, divisor)) }
    }

    pub(super) fn remainder(self, divisor: u64) -> Expression {
        Expression::new(ExpressionNode::Remainder(self, divisor))
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
        match &*self.node {
            ExpressionNode::Number(number) => *number,
            ExpressionNode::Name(_) => 0,
            ExpressionNode::Sum(terms) | ExpressionNode::Xor(terms) => {
                terms.iter().map(Expression::greatest_number).max().unwrap_or(0)
            }
            ExpressionNode::Times(of, number)
            | ExpressionNode::Quotient(of, number)
            | ExpressionNode::Remainder(of, number) => of.greatest_number().max(*number),
        }
    }

    /// Returns whether the name occurs in it.
    pub(super) fn uses(&self, name: &str) -> bool {
        match &*self.node {
            ExpressionNode::Number(_) => false,
            ExpressionNode::Name(other) => other == name,
            ExpressionNode::Sum(terms) | ExpressionNode::Xor(terms) => {
                terms.iter().any(|term| term.uses(name))
            }
            ExpressionNode::Times(of, _)
            | ExpressionNode::Quotient(of, _)
            | ExpressionNode::Remainder(of, _) => of.uses(name),
        }
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
            ExpressionNode::Sum(terms) => {
                Expression::sum(terms.iter().map(|term| term.replaced(values)).collect())
            }
            ExpressionNode::Xor(terms) => {
                Expression::xor(terms.iter().map(|term| term.replaced(values)).collect())
            }
            ExpressionNode::Times(of, factor) => of.replaced(values).times(*factor),
            ExpressionNode::Quotient(of, divisor) => of.replaced(values).quotient(*divisor),
            ExpressionNode::Remainder(of, divisor) => of.replaced(values).remainder(*divisor),
        }
    }

    /// The text in a language.
    pub(super) fn write(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Number(number) => (style.number)(*number),
            ExpressionNode::Name(name) => name.clone(),
            ExpressionNode::Sum(terms) => {
                let terms: Vec<String> = terms.iter().map(|term| term.term(style)).collect();
                terms.join(" + ")
            }
            ExpressionNode::Xor(terms) => {
                let terms: Vec<String> = terms.iter().map(|term| term.operand(style)).collect();
                terms.join(" ^ ")
            }
            ExpressionNode::Times(of, factor) => {
                format!("{} * {}", of.operand(style), (style.number)(*factor))
            }
            ExpressionNode::Quotient(of, divisor) => (style.quotient)(&of.operand(style), *divisor),
            ExpressionNode::Remainder(of, divisor) => {
                (style.remainder)(&of.operand(style), *divisor)
            }
        }
    }

    /// The text as a term of a sum: only a product needs no brackets in every language.
    fn term(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Times(..) => self.write(style),
            _ => self.operand(style),
        }
    }

    fn operand(&self, style: Style) -> String {
        match &*self.node {
            ExpressionNode::Number(_) | ExpressionNode::Name(_) => self.write(style),
            ExpressionNode::Quotient(..) if style.quotient_is_call => self.write(style),
            _ => format!("({})", self.write(style)),
        }
    }
}
