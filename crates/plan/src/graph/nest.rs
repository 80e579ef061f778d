//! Loop nests: the one form of all operations.

use super::ValueId;
use super::scalar::{Binary, Scalar};

/// A result whose elements are folds of an expression over loops.
///
/// ```text
/// result[loops 0 .. rank] = fold over loops rank .. of body(operands at their index maps, loops)
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Nest {
    /// The extents of the loops: the axes of the result, then those that are folded.
    pub loops: Vec<u64>,
    /// The number of axes of the result.
    pub rank: usize,
    /// The operands.
    pub reads: Vec<Read>,
    /// The expression.
    pub body: Scalar,
    /// The combination of its values.
    pub fold: Fold,
}

/// The combination of the values of the folded loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fold {
    /// Their sum.
    Sum,
    /// Their product.
    Product,
    /// The greatest.
    Max,
    /// The least.
    Min,
}

/// An operand, read through an index map.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The value.
    pub value: ValueId,
    /// The index of each of its axes.
    pub index: Vec<Index>,
    /// The number that is read where an index is outside of its axis or between elements.
    pub outside: f64,
}

/// An index of an operand: `(sum of coefficient * loop + offset) / divisor`, rounded down.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Index {
    /// The loops, each with its coefficient.
    pub terms: Vec<(usize, i64)>,
    /// The number that is added.
    pub offset: i64,
    /// The positive number by which the sum is divided.
    pub divisor: i64,
    /// True if only multiples of the divisor are elements; what is between them reads `outside`.
    pub is_exact: bool,
}

impl Index {
    /// A loop itself.
    #[must_use]
    pub fn of(number: usize) -> Index {
        Index::sum([(number, 1)], 0)
    }

    /// One element for all loops.
    #[must_use]
    pub fn fixed(at: i64) -> Index {
        Index::sum([], at)
    }

    /// A sum of loops.
    #[must_use]
    pub fn sum(terms: impl IntoIterator<Item = (usize, i64)>, offset: i64) -> Index {
        Index { terms: terms.into_iter().collect(), offset, divisor: 1, is_exact: false }
    }

    /// The index at these loops; `None` between elements and outside of `0..extent`.
    pub fn at(&self, loops: impl Fn(usize) -> i64, extent: u64) -> Option<u64> {
        let sum = self.terms.iter().map(|(number, by)| by * loops(*number)).sum::<i64>();
        let sum = sum + self.offset;
        if self.is_exact && sum.rem_euclid(self.divisor) != 0 {
            return None;
        }
        let index = u64::try_from(sum.div_euclid(self.divisor)).ok()?;
        (index < extent).then_some(index)
    }

    /// The loop that it is, if it is one by itself.
    #[must_use]
    pub fn as_loop(&self) -> Option<usize> {
        match (&self.terms[..], self.offset, self.divisor) {
            ([(number, 1)], 0, 1) => Some(*number),
            _ => None,
        }
    }
}

impl Read {
    /// A value whose axes are these loops.
    #[must_use]
    pub fn of(value: ValueId, loops: impl IntoIterator<Item = usize>) -> Read {
        Read { value, index: loops.into_iter().map(Index::of).collect(), outside: 0.0 }
    }
}

impl Nest {
    /// A nest without folded loops.
    #[must_use]
    pub fn pointwise(loops: Vec<u64>, reads: Vec<Read>, body: Scalar) -> Nest {
        Nest { rank: loops.len(), loops, reads, body, fold: Fold::Sum }
    }

    /// The extents of the result.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.loops[..self.rank]
    }

    /// Returns whether it multiplies two operands and adds up.
    #[must_use]
    pub fn is_product(&self) -> bool {
        self.fold == Fold::Sum && self.loops.len() > self.rank && self.body.is_product()
    }
}

impl Fold {
    /// The value of no values.
    #[must_use]
    pub fn empty(self) -> f64 {
        match self {
            Fold::Sum => 0.0,
            Fold::Product => 1.0,
            Fold::Max => f64::NEG_INFINITY,
            Fold::Min => f64::INFINITY,
        }
    }

    /// The combination of two values.
    #[must_use]
    pub fn both(self, x: f64, y: f64) -> f64 {
        match self {
            Fold::Sum => x + y,
            Fold::Product => x * y,
            Fold::Max => Binary::Max.of(x, y),
            Fold::Min => Binary::Min.of(x, y),
        }
    }
}
