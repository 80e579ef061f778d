//! Rules of operations that move elements.

use std::ops::Range;

use tensor_layout_words::gcd;

use super::{Dims, Fold, Rule};

/// Axes in another order: axis `i` is axis `order[i]` of the operand.
pub(crate) fn transpose(operand: &Dims, order: &[usize]) -> Option<Rule> {
    let mut rule = Rule::default();
    let read = rule.kept(&operand.shape);
    let result = order.iter().map(|axis| read.get(*axis).copied()).collect::<Option<_>>()?;
    (rule.reads, rule.results) = (vec![read], vec![result]);
    Some(rule)
}

/// Axes that are split or joined: the outermost part of each group is a loop, and so is what stays one axis.
pub(crate) fn reshape(operand: &Dims, result: &Dims) -> Rule {
    let mut rule = Rule::default();
    let mut axes = (vec![None; operand.shape.len()], vec![None; result.shape.len()]);
    for (from, to) in groups(&operand.shape, &result.shape) {
        let large = |shape: &[u64], of: Range<usize>| of.into_iter().find(|at| shape[*at] > 1);
        let (one, other) = (large(&operand.shape, from), large(&result.shape, to));
        if let (Some(one), Some(other)) = (one, other) {
            let (a, b) = (operand.shape[one], result.shape[other]);
            // Of 12 as [4, 3], the outermost 4; of 6 x 4 as [8, 3], the outermost 2.
            let number = rule.add(gcd(a, b), Fold::Kept);
            (axes.0[one], axes.1[other]) = (Some(number), Some(number));
        }
    }
    (rule.reads, rule.results) = (vec![axes.0], vec![axes.1]);
    rule
}

/// The least groups of axes whose products are equal.
fn groups(from: &[u64], to: &[u64]) -> Vec<(Range<usize>, Range<usize>)> {
    let (mut groups, mut at, mut start) = (Vec::new(), (0, 0), (0, 0));
    let mut sizes = (1_u64, 1_u64);
    while at.0 < from.len() || at.1 < to.len() {
        if sizes.0 <= sizes.1 && at.0 < from.len() {
            sizes.0 = sizes.0.saturating_mul(from[at.0]);
            at.0 += 1;
        } else if at.1 < to.len() {
            sizes.1 = sizes.1.saturating_mul(to[at.1]);
            at.1 += 1;
        } else {
            break;
        }
        if sizes.0 == sizes.1 && sizes.0 > 1 {
            groups.push((start.0..at.0, start.1..at.1));
            (start, sizes) = (at, (1, 1));
        }
    }
    groups
}
