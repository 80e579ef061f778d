//! Expressions of one element.

use super::dtype::Dtype;

/// An expression over the operands of a loop nest and over its loops.
#[derive(Clone, Debug, PartialEq)]
pub enum Scalar {
    /// An operand, by its number.
    Read(usize),
    /// The index of a loop.
    Loop(usize),
    /// A number.
    Const(f64),
    /// A function of one number.
    Unary(Unary, Box<Scalar>),
    /// A function of two.
    Binary(Binary, Box<[Scalar; 2]>),
    /// The second where the first is not zero, else the third.
    Select(Box<[Scalar; 3]>),
    /// The nearest number of another type.
    Cast(Dtype, Box<Scalar>),
}

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of ONNX operators")]
pub enum Unary {
    Neg,
    Abs,
    Exp,
    Log,
    Sqrt,
    Reciprocal,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Erf,
    Sigmoid,
    Floor,
    Ceil,
    /// To nearest, halves to even.
    Round,
    /// Towards zero.
    Trunc,
    Sign,
    Not,
    IsNaN,
    IsInf,
}

/// A function of two numbers; comparisons give 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of ONNX operators")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Pow,
    Min,
    Max,
    /// The remainder with the sign of the divisor.
    Mod,
    /// The remainder with the sign of the dividend.
    Fmod,
    Equal,
    Less,
    LessOrEqual,
    And,
    Or,
    Xor,
}

impl Scalar {
    /// A function of one expression.
    #[must_use]
    pub fn unary(function: Unary, of: Scalar) -> Scalar {
        Scalar::Unary(function, Box::new(of))
    }

    /// A function of two expressions.
    #[must_use]
    pub fn binary(function: Binary, left: Scalar, right: Scalar) -> Scalar {
        Scalar::Binary(function, Box::new([left, right]))
    }

    /// The product of the first `count` operands.
    #[must_use]
    pub fn product(count: usize) -> Scalar {
        let product = |left, right| Scalar::binary(Binary::Mul, left, right);
        (0..count).map(Scalar::Read).reduce(product).unwrap_or(Scalar::Const(1.0))
    }

    /// The second expression where the first is not zero, else the third.
    #[must_use]
    pub fn select(condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar {
        Scalar::Select(Box::new([condition, then, otherwise]))
    }

    /// Returns whether it is the product of two operands, which the units that multiply matrices compute.
    #[must_use]
    pub fn is_product(&self) -> bool {
        let is_read = |of: &Scalar| matches!(of, Scalar::Read(_));
        matches!(self, Scalar::Binary(Binary::Mul, of) if of.iter().all(is_read))
    }

    /// Returns whether it compares this loop with an operand: of all iterations, one finds its element.
    #[must_use]
    pub fn looks_up(&self, number: usize) -> bool {
        let any = |all: &[Scalar]| all.iter().any(|of| of.looks_up(number));
        match self {
            Scalar::Binary(Binary::Equal, pair) => pair.contains(&Scalar::Loop(number)),
            Scalar::Binary(_, pair) => any(&pair[..]),
            Scalar::Select(three) => any(&three[..]),
            Scalar::Unary(_, x) | Scalar::Cast(_, x) => x.looks_up(number),
            Scalar::Read(_) | Scalar::Loop(_) | Scalar::Const(_) => false,
        }
    }

    /// The number of functions in it.
    #[must_use]
    pub fn functions(&self) -> u64 {
        let of = |all: &[Scalar]| all.iter().map(Scalar::functions).sum::<u64>();
        match self {
            Scalar::Read(_) | Scalar::Loop(_) | Scalar::Const(_) => 0,
            Scalar::Unary(_, x) | Scalar::Cast(_, x) => 1 + x.functions(),
            Scalar::Binary(_, pair) => 1 + of(&pair[..]),
            Scalar::Select(three) => 1 + of(&three[..]),
        }
    }

    /// Its value, by the values of operands and loops.
    pub fn evaluate(&self, read: &impl Fn(usize) -> f64, at: &impl Fn(usize) -> f64) -> f64 {
        match self {
            Scalar::Read(number) => read(*number),
            Scalar::Loop(number) => at(*number),
            Scalar::Const(number) => *number,
            Scalar::Unary(function, x) => function.of(x.evaluate(read, at)),
            Scalar::Binary(function, pair) => {
                function.of(pair[0].evaluate(read, at), pair[1].evaluate(read, at))
            }
            Scalar::Select(three) if three[0].evaluate(read, at) != 0.0 => {
                three[1].evaluate(read, at)
            }
            Scalar::Select(three) => three[2].evaluate(read, at),
            Scalar::Cast(dtype, x) => dtype.round(x.evaluate(read, at)),
        }
    }
}

fn truth(is: bool) -> f64 {
    f64::from(u8::from(is))
}

impl Unary {
    fn of(self, x: f64) -> f64 {
        match self {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Sqrt => x.sqrt(),
            Unary::Reciprocal => x.recip(),
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Tan => x.tan(),
            Unary::Asin => x.asin(),
            Unary::Acos => x.acos(),
            Unary::Atan => x.atan(),
            Unary::Sinh => x.sinh(),
            Unary::Cosh => x.cosh(),
            Unary::Tanh => x.tanh(),
            Unary::Erf => libm::erf(x),
            Unary::Sigmoid => 1.0 / (1.0 + (-x).exp()),
            Unary::Floor => x.floor(),
            Unary::Ceil => x.ceil(),
            Unary::Round => x.round_ties_even(),
            Unary::Trunc => x.trunc(),
            Unary::Sign if x == 0.0 || x.is_nan() => x,
            Unary::Sign => x.signum(),
            Unary::Not => truth(x == 0.0),
            Unary::IsNaN => truth(x.is_nan()),
            Unary::IsInf => truth(x.is_infinite()),
        }
    }
}

impl Binary {
    #[expect(clippy::float_cmp, reason = "equality is asked for")]
    pub(super) fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Pow => x.powf(y),
            Binary::Min if x.is_nan() || y.is_nan() => f64::NAN,
            Binary::Max if x.is_nan() || y.is_nan() => f64::NAN,
            Binary::Min => x.min(y),
            Binary::Max => x.max(y),
            Binary::Mod => x - y * (x / y).floor(),
            Binary::Fmod => x % y,
            Binary::Equal => truth(x == y),
            Binary::Less => truth(x < y),
            Binary::LessOrEqual => truth(x <= y),
            Binary::And => truth(x != 0.0 && y != 0.0),
            Binary::Or => truth(x != 0.0 || y != 0.0),
            Binary::Xor => truth((x != 0.0) != (y != 0.0)),
        }
    }
}
