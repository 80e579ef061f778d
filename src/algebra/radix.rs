//! Numbers in mixed radix: splitting, joining, weights, the order of indexes.
//!
//! ```text
//! 100 in sizes 16, 8, 8 (major to minor)    digits 1, 4, 4    100 = (1 x 8 + 4) x 8 + 4
//! weights of the shape 16, 8, 8             64, 8, 1          row-major
//! ```

use crate::algebra::work;
use crate::error::{LayoutError, Site};

pub(crate) use tensor_layout_words::product;

/// The order of the axes in the linear index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum IndexOrder {
    /// The last axis varies fastest: the order of NumPy and of PadLayout tensors.
    #[default]
    RowMajor,
    /// The first axis varies fastest: the order of CuTe.
    Colexicographic,
}

impl IndexOrder {
    /// Returns the axes, slowest first.
    pub(crate) fn slowest_first(self, rank: usize) -> Vec<usize> {
        match self {
            IndexOrder::RowMajor => (0..rank).collect(),
            IndexOrder::Colexicographic => (0..rank).rev().collect(),
        }
    }

    /// Returns the weight of each axis in the linear index of a shape. For a shape without elements, and so
    /// without indexes, a weight that would not fit is 0.
    pub(crate) fn weights(self, shape: &[u64]) -> Result<Vec<u64>, LayoutError> {
        let is_empty = shape.contains(&0);
        let mut weights = vec![1; shape.len()];
        let mut weight = Some(1_u64);
        for axis in self.slowest_first(shape.len()).into_iter().rev() {
            let too_large = || LayoutError::too_large(Site::Axis(axis), "the linear index");
            weights[axis] = weight.or(is_empty.then_some(0)).ok_or_else(too_large)?;
            weight = weights[axis].checked_mul(shape[axis].max(1));
        }
        Ok(weights)
    }
}

/// Splits a number into the digits of a mixed radix, minor to major, like the sizes.
///
/// The quotient by the product of the sizes is dropped.
#[inline]
pub(crate) fn digits(number: u64, sizes: impl Iterator<Item = u64>) -> impl Iterator<Item = u64> {
    sizes.scan(number, |rest, size| {
        let digit = *rest % size;
        *rest /= size;
        Some(digit)
    })
}

/// Writes `value` in mixed radix, sizes and digits major to minor.
pub(crate) fn split(value: u64, sizes: impl DoubleEndedIterator<Item = u64>, into: &mut [u64]) {
    into.iter_mut().rev().zip(digits(value, sizes.rev())).for_each(|(to, digit)| *to = digit);
}

/// Returns the value with these digits, sizes and digits major to minor; the inverse of [`split`].
pub(crate) fn join(sizes: impl Iterator<Item = u64>, digits: &[u64]) -> u64 {
    sizes.zip(digits).fold(0, |value, (size, digit)| value * size + digit)
}

/// The indexes of a shape, row-major.
#[derive(Clone, Debug)]
pub struct Indexes {
    shape: Vec<u64>,
    next: Option<Vec<u64>>,
}

impl Indexes {
    /// Iterates over all indexes below `shape`; one empty index for rank 0.
    #[must_use]
    pub fn new(shape: Vec<u64>) -> Indexes {
        let first = (!shape.contains(&0)).then(|| vec![0; shape.len()]);
        Indexes { shape, next: first }
    }
}

impl Iterator for Indexes {
    type Item = Vec<u64>;

    fn next(&mut self) -> Option<Vec<u64>> {
        let index = self.next.clone()?;
        work::count(1);
        let following = self.next.as_mut()?;
        for (entry, extent) in following.iter_mut().zip(&self.shape).rev() {
            *entry += 1;
            if *entry < *extent {
                return Some(index);
            }
            *entry = 0;
        }
        self.next = None;
        Some(index)
    }
}
