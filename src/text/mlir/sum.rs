//! Sums of digits of indexes: what an affine expression without carries is.

use itertools::Itertools;

use crate::algebra::{Layout, Subaxis};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// A digit of a dimension, `d / step % size`, times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Term {
    dim: usize,
    step: u64,
    size: u64,
    factor: u64,
    /// True for the last digit of a dimension, `d / step`, which may end early.
    is_last: bool,
}

/// A constant and digits.
#[derive(Clone, Debug, Default)]
pub(super) struct Sum {
    constant: u64,
    terms: Vec<Term>,
}

/// The greatest number of digits of a map.
const MOST: usize = 1 << 10;

impl Sum {
    pub(super) fn constant(constant: u64) -> Sum {
        Sum { constant, terms: Vec::new() }
    }

    /// A dimension, whose index is below `extent`.
    pub(super) fn dim(dim: usize, extent: u64) -> Sum {
        let terms = vec![Term { dim, step: 1, size: extent, factor: 1, is_last: true }];
        Sum { constant: 0, terms: terms.into_iter().filter(|term| term.size > 1).collect() }
    }

    /// The constant, if there is nothing else.
    pub(super) fn as_constant(&self) -> Option<u64> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The greatest value; `None` beyond 64 bits.
    pub(super) fn greatest(&self) -> Option<u64> {
        let add = |sum: u64, term: &Term| sum.checked_add(term.factor.checked_mul(term.size - 1)?);
        self.terms.iter().try_fold(self.constant, add)
    }

    pub(super) fn plus(mut self, other: Sum) -> Option<Sum> {
        self.constant = self.constant.checked_add(other.constant)?;
        for term in other.terms {
            let is_like =
                |own: &&mut Term| (own.dim, own.step, own.size) == (term.dim, term.step, term.size);
            match self.terms.iter_mut().find(is_like) {
                Some(own) => own.factor = own.factor.checked_add(term.factor)?,
                None => self.terms.push(term),
            }
        }
        (self.terms.len() <= MOST).then_some(self)
    }

    pub(super) fn times(mut self, factor: u64) -> Option<Sum> {
        self.constant = self.constant.checked_mul(factor)?;
        for term in &mut self.terms {
            term.factor = term.factor.checked_mul(factor)?;
        }
        self.terms.retain(|term| term.factor > 0);
        Some(self)
    }

    /// Quotient and remainder; `None` where a digit would have to be added to another with a carry.
    pub(super) fn divided(self, divisor: u64) -> Option<[Sum; 2]> {
        let mut high = Sum::constant(self.constant.checked_div(divisor)?);
        let mut low = Sum::constant(self.constant % divisor);
        for term in self.terms {
            if term.factor.is_multiple_of(divisor) {
                high.terms.push(Term { factor: term.factor / divisor, ..term });
                continue;
            }
            let below = divisor / term.factor;
            if below >= term.size {
                low.terms.push(term);
            } else if divisor.is_multiple_of(term.factor)
                && (term.is_last || term.size.is_multiple_of(below))
            {
                let step = term.step.checked_mul(below)?;
                let size = term.size.div_ceil(below);
                low.terms.push(Term { size: below, is_last: false, ..term });
                high.terms.push(Term { step, size, factor: 1, ..term });
            } else {
                return None;
            }
        }
        (low.greatest()? < divisor).then_some([high, low])
    }
}

/// The layout whose coordinate in each level is a sum; `shape` has the extents of the dimensions.
pub(super) fn to_layout(shape: &[u64], sums: &[(Level, Sum)]) -> Result<Layout, LayoutError> {
    let mut builder = Layout::builder();
    for (level, sum) in sums {
        builder = builder.offset(*level, sum.constant);
    }
    for (dim, extent) in shape.iter().enumerate() {
        let own = sums.iter().flat_map(|(level, sum)| sum.terms.iter().map(|term| (*level, *term)));
        let own = own.filter(|(_, term)| term.dim == dim).collect_vec();
        builder = builder.axis(*extent, digits(dim, *extent, &own)?);
    }
    Ok(builder.build()?.simplified())
}

/// The digits of an axis, major to minor.
fn digits(dim: usize, extent: u64, terms: &[(Level, Term)]) -> Result<Vec<Subaxis>, LayoutError> {
    // Where digits begin and end; the last one ends beyond the extent.
    let ends = terms.iter().flat_map(|(_, term)| [term.step, term.step.saturating_mul(term.size)]);
    let inside = ends.filter(|end| *end < extent).chain([1]).sorted().dedup().collect_vec();
    let mut subaxes = Vec::new();
    for (at, step) in inside.iter().enumerate() {
        let end = inside.get(at + 1).copied();
        if end.is_some_and(|end| !end.is_multiple_of(*step)) {
            return Err(uneven(dim));
        }
        let size = end.map_or(extent.div_ceil(*step), |end| end / step).max(1);
        let covers = |term: &&(Level, Term)| {
            let (_, term) = term;
            term.step <= *step && *step < term.step.saturating_mul(term.size)
        };
        let mut covering = terms.iter().filter(covers);
        let (level, stride) = match covering.next() {
            None => (Level::ADDR, 0),
            Some((level, term)) => {
                (*level, (step / term.step).checked_mul(term.factor).ok_or_else(too_large)?)
            }
        };
        if covering.next().is_some() {
            return Err(fault!(Inexpressible, "a digit of dimension {dim} is used twice", [dim]));
        }
        subaxes.push(Subaxis::land(size, level, stride));
    }
    subaxes.reverse();
    Ok(subaxes)
}

fn uneven(dim: usize) -> LayoutError {
    fault!(Inexpressible, "the parts of dimension {dim} do not nest", [dim])
}

fn too_large() -> LayoutError {
    fault!(TooLarge, "the map does not fit in 64 bits")
}
