//! Types of elements.

use std::fmt;

use half::{bf16, f16};

/// The type of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// IEEE half.
    F16,
    /// The upper half of a float.
    Bf16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// A signed integer of this many bits.
    Int(u8),
    /// An unsigned integer of this many bits.
    Uint(u8),
    /// True or false, in a byte.
    Bool,
}

impl Dtype {
    /// The width of an element.
    #[must_use]
    pub fn bits(self) -> u64 {
        match self {
            Dtype::F16 | Dtype::Bf16 => 16,
            Dtype::F32 => 32,
            Dtype::F64 => 64,
            Dtype::Int(bits) | Dtype::Uint(bits) => u64::from(bits),
            Dtype::Bool => 8,
        }
    }

    /// Returns whether it has fractions.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Dtype::F16 | Dtype::Bf16 | Dtype::F32 | Dtype::F64)
    }

    /// The nearest number that an element of this type can have; integers lose fractions and never wrap: those that a
    /// type does not [hold](Dtype::holds) are refused where a plan is executed.
    #[must_use]
    pub fn round(self, number: f64) -> f64 {
        match self {
            Dtype::F16 => f16::from_f64(number).to_f64(),
            Dtype::Bf16 => bf16::from_f64(number).to_f64(),
            Dtype::F32 => f64::from(single(number)),
            Dtype::F64 => number,
            Dtype::Int(_) | Dtype::Uint(_) => number.trunc(),
            Dtype::Bool => f64::from(u8::from(number != 0.0)),
        }
    }

    /// Returns whether an element of this type can have a rounded number, and that number is exact: of integers those up
    /// to 2^53 in size.
    #[must_use]
    pub fn holds(self, number: f64) -> bool {
        let power = |bits: u8| f64::from(bits.min(53)).exp2();
        match self {
            Dtype::Int(bits) => {
                let end = power(bits.saturating_sub(1));
                (-end..end).contains(&number)
            }
            Dtype::Uint(bits) => (0.0..power(bits)).contains(&number),
            _ => true,
        }
    }
}

#[expect(
    clippy::as_conversions,
    clippy::cast_possible_truncation,
    reason = "rounding is the purpose"
)]
fn single(number: f64) -> f32 {
    number as f32
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dtype::F16 => f.write_str("f16"),
            Dtype::Bf16 => f.write_str("bf16"),
            Dtype::F32 => f.write_str("f32"),
            Dtype::F64 => f.write_str("f64"),
            Dtype::Int(bits) => write!(f, "i{bits}"),
            Dtype::Uint(bits) => write!(f, "u{bits}"),
            Dtype::Bool => f.write_str("bool"),
        }
    }
}
