//! The reason a notation cannot express a layout.

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
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Inexpressible {
    /// A level other than `Addr`, where a notation has one linear address.
    #[error("it has one linear address, but this layout uses `{level}`")]
    Level {
        /// The level.
        level: Level,
    },
    /// Copies.
    #[error("it cannot express copies, but this layout copies along `{level}`")]
    Copies {
        /// The level that the copies are in.
        level: Level,
    },
    /// A notation of two texts, a shape and a sharding.
    #[error("it is a shape and a sharding; `Sharding::of_layout` reads the sharding")]
    TwoTexts,
    /// A constant that every coordinate starts from.
    #[error("every `{level}` starts from {offset}")]
    Offset {
        /// The level.
        level: Level,
        /// The constant.
        offset: u64,
    },
    /// Elements, or copies of one, in one place.
    #[error("{}", stored_together("elements", .first, .second, .place))]
    Shared {
        /// The index of one of them.
        first: Vec<u64>,
        /// The index of the other.
        second: Vec<u64>,
        /// The place.
        place: Location,
    },
    /// A span that differs from that of the closest text.
    #[error("it can express the elements, but with a span of {end} in `{level}`, not {span}")]
    SpanMismatch {
        /// The level.
        level: Level,
        /// The span of the layout.
        span: u64,
        /// The end of the span in the text.
        end: u64,
    },
    /// Slots of padding that the closest text leaves out.
    #[error("it can express the elements, but {}", some_slots(*.kept, *.slots))]
    Slots {
        /// The number of slots the layout has.
        slots: u64,
        /// The number of slots that the text keeps; `None` if the layout is too tangled to count them.
        kept: Option<u64>,
    },
    /// A level that is marked as used, although it has only coordinate 0 and so no element shows it.
    #[error("it can express the shape, but not that `{level}` is used")]
    Marked {
        /// The level.
        level: Level,
    },
    /// An axis without elements.
    #[error("axis {axis} has extent 0")]
    Empty {
        /// The axis.
        axis: usize,
    },
    /// An axis with padding.
    #[error("axis {axis} is padded from {extent} to {slots}")]
    Padding {
        /// The axis.
        axis: usize,
        /// Its logical extent.
        extent: u64,
        /// The product of the sizes of its subaxes.
        slots: u64,
    },
    /// Addresses that no slot takes.
    #[error("the layout fills only {slots} of {extent} addresses")]
    Gaps {
        /// The number of slots.
        slots: u64,
        /// 1 + the greatest address of a slot.
        extent: u64,
    },
    /// An axis that does not step evenly.
    #[error("axis {axis} does not step evenly: {}", .sizes.iter().join(" x "))]
    UnevenSteps {
        /// The axis.
        axis: usize,
        /// The sizes of its digits, major to minor.
        sizes: Vec<u64>,
    },
    /// A digit that is split again with padding of its own.
    #[error("{}", inner_padding(*.axis, *.size, .into))]
    InnerPadding {
        /// The axis of the digit.
        axis: usize,
        /// The size of the digit.
        size: u64,
        /// The sizes that it is split into.
        into: Vec<u64>,
    },
    /// An axis that steps through a value whose digits do not line up with the steps.
    #[error("axis {axis} steps by {step} through {}", value(.into))]
    StridedThroughTile {
        /// The axis.
        axis: usize,
        /// The step.
        step: u64,
        /// The sizes that the value is split into.
        into: Vec<u64>,
    },
    /// An axis that begins inside a value which is split into digits.
    #[error("axis {axis} starts at {start} of {}", value(.into))]
    OffsetInsideTile {
        /// The axis.
        axis: usize,
        /// The value at which it begins.
        start: u64,
        /// The sizes that the value is split into.
        into: Vec<u64>,
    },
    /// A value that depends on no index.
    #[error("a constant offset of {value} inside a tile cannot be expressed")]
    Constant {
        /// The value.
        value: u64,
    },
    /// Axes fused into one value whose digits straddle them.
    #[error("axes {} are fused into one value of extent {extent}, {}", .axes.iter().join(" and "), straddling(.into))]
    Fused {
        /// The axes.
        axes: Vec<usize>,
        /// The extent of the value.
        extent: u64,
        /// The sizes that it is split into.
        into: Vec<u64>,
    },
    /// Bits of axes that flip each other.
    #[error("it has no XOR, but this layout is a swizzle: bits of {} are XORed", named(.axes))]
    Xor {
        /// The axes.
        axes: Vec<usize>,
    },
    /// An extent that is not a power of two, where a notation has only those.
    #[error("axis {axis} has extent {extent}, which is not a power of two")]
    NotPowerOfTwo {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// Places that are not XORs of the bits of an index.
    #[error("its places are not XORs of the bits of an index: some steps carry, or copies overlap")]
    NotBitwise,
    /// A notation of names from a table; it is only read, so no layout can be written in it.
    #[error("it is a name from a table, and such names can only be read")]
    NamesOnly,
    /// An empty place, which a notation without holes cannot express.
    #[error("nothing is at {level}={at}, and only memories have holes")]
    Unheld {
        /// The level.
        level: Level,
        /// A coordinate without elements.
        at: u64,
    },
    /// None of the orders and tiles that were tried gives the map.
    #[error("no order of the dimensions with tiles made of its digits gives this map")]
    NoTiling,
    /// A text without names for shared values would be too long.
    #[error("it cannot name shared values, and without names it needs more than {most} terms")]
    Length {
        /// The number of names and numbers that are written at most.
        most: u64,
    },
    /// A number beyond the greatest one of the notation.
    #[error("it counts up to {most}, but this layout has {number}")]
    Number {
        /// The number.
        number: u64,
        /// The greatest number of the notation.
        most: u64,
    },
}

/// The digits of a value; one of extent 1 has none.
fn value(into: &[u64]) -> String {
    match into {
        [] => "a value without digits".into(),
        _ => format!("a value that is split into {}", into.iter().join(" x ")),
    }
}

fn inner_padding(axis: usize, size: u64, into: &[u64]) -> String {
    let sizes = into.iter().join(" x ");
    match into {
        [] => format!("a digit of axis {axis}, of size {size}, is cut to one value"),
        [one] if *one == size => {
            format!("axis {axis} is padded inside a tile, in a digit of size {size}")
        }
        _ => format!(
            "axis {axis} is padded inside a tile: a digit of size {size} is split into {sizes}"
        ),
    }
}

fn straddling(into: &[u64]) -> String {
    match into {
        [] => "which has no digits".into(),
        _ => format!("whose digits {} straddle them", into.iter().join(" x ")),
    }
}

fn named(axes: &[usize]) -> String {
    let noun = if axes.len() == 1 { "axis" } else { "axes" };
    format!("{noun} {}", axes.iter().join(" and "))
}

fn some_slots(kept: Option<u64>, slots: u64) -> String {
    match kept {
        Some(kept) => format!("only {kept} of the {slots} slots"),
        None => format!("not all of the {slots} slots"),
    }
}
