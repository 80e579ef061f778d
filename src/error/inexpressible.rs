//! The reason a notation cannot express a layout.

use std::fmt;

use itertools::Itertools;

use crate::error::stored_together;
use crate::level::Level;
use crate::location::Location;

/// The part of a layout that a notation cannot express, with its numbers.
///
/// ```
/// use tensor_layout::error::Inexpressible;
/// use tensor_layout::{Layout, LayoutError};
/// let layout: Layout = "(3)/((2:4, 2:1))".parse()?;
/// let error = layout.to_strided().unwrap_err();
/// assert_eq!(error.to_string(),
///     "shape and strides cannot express this layout: axis 0 does not step evenly: 2 x 2");
/// let LayoutError::Inexpressible { reason, .. } = error else { unreachable!() };
/// assert_eq!(reason, Inexpressible::UnevenSteps { axis: 0, sizes: vec![2, 2] });
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Inexpressible {
    /// A level other than `Addr`, where a notation has one linear address.
    Level {
        /// The level.
        level: Level,
    },
    /// Copies.
    Copies {
        /// The level that the copies are in.
        level: Level,
    },
    /// A notation of two texts, a shape and a sharding.
    TwoTexts,
    /// A constant that every coordinate starts from.
    Offset {
        /// The level.
        level: Level,
        /// The constant.
        offset: u64,
    },
    /// Elements, or copies of one, in one place.
    Shared {
        /// The index of one of them.
        first: Vec<u64>,
        /// The index of the other.
        second: Vec<u64>,
        /// The place.
        place: Location,
    },
    /// A span that differs from that of the closest text.
    SpanMismatch {
        /// The level.
        level: Level,
        /// The span of the layout.
        span: u64,
        /// The end of the span in the text.
        end: u64,
    },
    /// Slots of padding that the closest text leaves out.
    Slots {
        /// The number of slots the layout has.
        slots: u64,
        /// The number of them that text has.
        kept: u64,
    },
    /// A level in which only coordinate 0 is used, where no element shows it.
    Marked {
        /// The level.
        level: Level,
    },
    /// An axis without elements.
    Empty {
        /// The axis.
        axis: usize,
    },
    /// An axis with padding.
    Padding {
        /// The axis.
        axis: usize,
        /// Its logical extent.
        extent: u64,
        /// The product of the sizes of its subaxes.
        slots: u64,
    },
    /// Addresses that no slot takes.
    Gaps {
        /// The number of slots.
        slots: u64,
        /// 1 + the greatest address of a slot.
        extent: u64,
    },
    /// An axis that does not step evenly.
    UnevenSteps {
        /// The axis.
        axis: usize,
        /// The sizes of its digits, major to minor.
        sizes: Vec<u64>,
    },
    /// A digit that is split again with padding of its own.
    InnerPadding {
        /// The axis of the digit.
        axis: usize,
        /// The size of the digit.
        size: u64,
        /// The sizes that it is split into.
        into: Vec<u64>,
    },
    /// An axis that steps through a value whose digits do not line up with the steps.
    StridedThroughTile {
        /// The axis.
        axis: usize,
        /// The step.
        step: u64,
        /// The sizes that the value is split into.
        into: Vec<u64>,
    },
    /// An axis that begins inside a value which is split into digits.
    OffsetInsideTile {
        /// The axis.
        axis: usize,
        /// The value at which it begins.
        start: u64,
        /// The sizes that the value is split into.
        into: Vec<u64>,
    },
    /// A value that depends on no index.
    Constant {
        /// The value.
        value: u64,
    },
    /// Axes fused into one value whose digits straddle them.
    Fused {
        /// The axes.
        axes: Vec<usize>,
        /// The extent of the value.
        extent: u64,
        /// The sizes that it is split into.
        into: Vec<u64>,
    },
    /// Bits of axes that flip each other.
    Xor {
        /// The axes.
        axes: Vec<usize>,
    },
    /// An extent that is not a power of two, where a notation has only those.
    NotPowerOfTwo {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// Places that are not XORs of the bits of an index.
    NotBitwise,
    /// A notation of names: those of a table, which no layout gives back.
    NamesOnly,
    /// An empty place, which a notation without holes cannot express.
    Unheld {
        /// The level.
        level: Level,
        /// A coordinate without elements.
        at: u64,
    },
    /// No order of the dimensions with tiles that were tried gives the map.
    NoTiling,
    /// A text without names for shared values would be too long.
    Length {
        /// The number of names and numbers that are written at most.
        most: u64,
    },
    /// A number beyond the greatest one of the notation.
    Number {
        /// The number.
        number: u64,
        /// The greatest number of the notation.
        most: u64,
    },
}

impl fmt::Display for Inexpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let split = |into: &[u64]| into.iter().join(" x ");
        // A value of extent 1 has no digits.
        let value = |into: &[u64]| match into {
            [] => "a value without digits".into(),
            _ => format!("a value that is split into {}", split(into)),
        };
        match self {
            Self::Level { level } => {
                write!(f, "it has one linear address, but this layout uses `{level}`")
            }
            Self::Copies { level } => {
                write!(f, "it cannot express copies, but this layout copies along `{level}`")
            }
            Self::TwoTexts => f.write_str(
                "it is a shape and a sharding; `Sharding::of_layout` (`convert --to hlo-sharding \
                 --machine ..`) reads the sharding",
            ),
            Self::Offset { level, offset } => write!(f, "every `{level}` starts from {offset}"),
            Self::Shared { first, second, place } => {
                f.write_str(&stored_together("elements", first, second, place))
            }
            Self::SpanMismatch { level, span, end } => write!(
                f,
                "it can express the elements, but with a span of {end} in `{level}`, not {span}"
            ),
            Self::Slots { slots, kept } => {
                write!(f, "it can express the elements, but only {kept} of the {slots} slots")
            }
            Self::Marked { level } => {
                write!(f, "it can express the shape, but not that `{level}` is used")
            }
            Self::Empty { axis } => write!(f, "axis {axis} has extent 0"),
            Self::Padding { axis, extent, slots } => {
                write!(f, "axis {axis} is padded from {extent} to {slots}")
            }
            Self::Gaps { slots, extent } => {
                write!(f, "it fills only {slots} of {extent} addresses")
            }
            Self::UnevenSteps { axis, sizes } => {
                write!(f, "axis {axis} does not step evenly: {}", split(sizes))
            }
            Self::InnerPadding { axis, size, into } if into.is_empty() => {
                write!(f, "a digit of axis {axis}, of size {size}, is cut to one value")
            }
            Self::InnerPadding { axis, size, into } => write!(
                f,
                "axis {axis} is padded inside a tile: a digit of size {size} is split into {}",
                split(into)
            ),
            Self::StridedThroughTile { axis, step, into } => {
                write!(f, "axis {axis} steps by {step} through {}", value(into))
            }
            Self::OffsetInsideTile { axis, start, into } => {
                write!(f, "axis {axis} starts at {start} of {}", value(into))
            }
            Self::Constant { value } => {
                write!(f, "a constant offset of {value} inside a tile cannot be expressed")
            }
            Self::Fused { axes, extent, into } if into.is_empty() => write!(
                f,
                "axes {} are fused into one value of extent {extent}, which has no digits",
                axes.iter().join(" and ")
            ),
            Self::Fused { axes, extent, into } => write!(
                f,
                "axes {} are fused into one value of extent {extent}, whose digits {} straddle them",
                axes.iter().join(" and "),
                split(into)
            ),
            Self::Xor { axes } => write!(
                f,
                "it has no XOR, but this layout is a swizzle: bits of {} are XORed",
                match axes[..] {
                    [axis] => format!("axis {axis}"),
                    _ => format!("axes {}", axes.iter().join(" and ")),
                }
            ),
            Self::NotPowerOfTwo { axis, extent } => {
                write!(f, "axis {axis} has extent {extent}, which is not a power of two")
            }
            Self::NotBitwise => f.write_str(
                "its places are not XORs of the bits of an index: some steps carry, or copies overlap",
            ),
            Self::NamesOnly => f.write_str("it is a name from a table, which is only read"),
            Self::Unheld { level, at } => {
                write!(f, "nothing is at {level}={at}, and only memories have holes")
            }
            Self::NoTiling => {
                write!(f, "no order of the dimensions with tiles made of its digits gives this map")
            }
            Self::Length { most } => {
                write!(
                    f,
                    "it cannot name shared values, and without names it needs more than {most} terms"
                )
            }
            Self::Number { number, most } => {
                write!(f, "it counts up to {most}, but this layout has {number}")
            }
        }
    }
}
