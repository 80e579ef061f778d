//! The element types that a PadLayout names.

use std::fmt;
use std::str::FromStr;

use crate::error::LayoutError;

/// The type of the elements; a layout needs its width only.
///
/// ```
/// use tensor_layout::notation::Dtype;
/// assert_eq!("Half".parse::<Dtype>()?.bits(), 16);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each variant is its own name")]
pub enum Dtype {
    Float,
    Int,
    UInt,
    Long,
    ULong,
    Double,
    Half,
    Byte,
    UByte,
}

impl Dtype {
    /// Every dtype.
    pub const ALL: [Dtype; 9] = [
        Dtype::Float,
        Dtype::Int,
        Dtype::UInt,
        Dtype::Long,
        Dtype::ULong,
        Dtype::Double,
        Dtype::Half,
        Dtype::Byte,
        Dtype::UByte,
    ];

    /// The width of an element in bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        match self {
            Dtype::Long | Dtype::ULong | Dtype::Double => 64,
            Dtype::Float | Dtype::Int | Dtype::UInt => 32,
            Dtype::Half => 16,
            Dtype::Byte | Dtype::UByte => 8,
        }
    }

    /// The name, as it is written after `@LM0 /`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Dtype::Float => "Float",
            Dtype::Int => "Int",
            Dtype::UInt => "UInt",
            Dtype::Long => "Long",
            Dtype::ULong => "ULong",
            Dtype::Double => "Double",
            Dtype::Half => "Half",
            Dtype::Byte => "Byte",
            Dtype::UByte => "UByte",
        }
    }
}

impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Dtype {
    type Err = LayoutError;

    fn from_str(name: &str) -> Result<Dtype, LayoutError> {
        let known = Dtype::ALL.into_iter().find(|dtype| dtype.name() == name);
        known.ok_or_else(|| LayoutError::DtypeUnknown { name: crate::error::cut(name, 40) })
    }
}
