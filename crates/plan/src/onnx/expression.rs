//! Short forms of expressions.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::graph::{Binary, Dtype, Scalar, Unary};

impl Scalar {
    /// A number that is a count or an index.
    pub(super) fn count(of: u64) -> Scalar {
        Scalar::Const(float(of))
    }

    pub(super) fn apply(self, function: Unary) -> Scalar {
        Scalar::unary(function, self)
    }

    pub(super) fn with(self, function: Binary, other: Scalar) -> Scalar {
        Scalar::binary(function, self, other)
    }

    pub(super) fn exp(self) -> Scalar {
        self.apply(Unary::Exp)
    }

    pub(super) fn ln(self) -> Scalar {
        self.apply(Unary::Log)
    }

    pub(super) fn sqrt(self) -> Scalar {
        self.apply(Unary::Sqrt)
    }

    pub(super) fn abs(self) -> Scalar {
        self.apply(Unary::Abs)
    }

    pub(super) fn square(self) -> Scalar {
        self.clone() * self
    }

    pub(super) fn power(self, other: Scalar) -> Scalar {
        self.with(Binary::Pow, other)
    }

    pub(super) fn max(self, other: Scalar) -> Scalar {
        self.with(Binary::Max, other)
    }

    pub(super) fn min(self, other: Scalar) -> Scalar {
        self.with(Binary::Min, other)
    }

    pub(super) fn equals(self, other: Scalar) -> Scalar {
        self.with(Binary::Equal, other)
    }

    pub(super) fn less(self, other: Scalar) -> Scalar {
        self.with(Binary::Less, other)
    }

    pub(super) fn up_to(self, other: Scalar) -> Scalar {
        self.with(Binary::LessOrEqual, other)
    }

    pub(super) fn and(self, other: Scalar) -> Scalar {
        self.with(Binary::And, other)
    }

    pub(super) fn cast(self, dtype: Dtype) -> Scalar {
        Scalar::Cast(dtype, Box::new(self))
    }
}

impl Add for Scalar {
    type Output = Scalar;
    fn add(self, other: Scalar) -> Scalar {
        self.with(Binary::Add, other)
    }
}

impl Sub for Scalar {
    type Output = Scalar;
    fn sub(self, other: Scalar) -> Scalar {
        self.with(Binary::Sub, other)
    }
}

impl Mul for Scalar {
    type Output = Scalar;
    fn mul(self, other: Scalar) -> Scalar {
        self.with(Binary::Mul, other)
    }
}

impl Div for Scalar {
    type Output = Scalar;
    fn div(self, other: Scalar) -> Scalar {
        self.with(Binary::Div, other)
    }
}

impl Neg for Scalar {
    type Output = Scalar;
    fn neg(self) -> Scalar {
        self.apply(Unary::Neg)
    }
}

/// An operand.
pub(super) fn x(number: usize) -> Scalar {
    Scalar::Read(number)
}

/// A number.
pub(super) fn c(number: f64) -> Scalar {
    Scalar::Const(number)
}

/// An extent as a number.
pub(super) fn float(of: u64) -> f64 {
    crate::graph::number(signed(of))
}

/// An extent with a sign; extents of values are below 2^56.
pub(super) fn signed(of: u64) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

/// The integer part of a number; numbers beyond all integers become the last.
#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "the ends of the range are meant"
)]
pub(super) fn integer(of: f64) -> i64 {
    of as i64
}
