//! Errors of the operations of the algebra, with the numbers as fields that a caller can match.

use itertools::Itertools;

use crate::level::Level;

/// The reason a machine is invalid.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A machine without levels.
    #[error("it lacks levels; name at least one, as in `PE=4`")]
    NoLevels,
    /// A level that is named twice.
    #[error("level `{0}` is named twice")]
    DuplicateLevel(Level),
    /// `Time`, `Addr` or `W`, which are coordinates but not hardware.
    #[error("`{0}` does not name hardware, so a machine cannot have it")]
    NotHardware(Level),
    /// More levels than a machine can have.
    #[error("it has {levels} levels, but a machine has at most {}", Level::MOST)]
    TooManyLevels {
        /// The number of levels.
        levels: usize,
    },
    /// A level of size 0.
    #[error("level `{0}` has size 0")]
    EmptyLevel(Level),
    /// More units than 64 bits count.
    #[error("the number of its units does not fit in 64 bits")]
    TooManyUnits,
    /// Long words of 0 bits.
    #[error("a long word has 0 bits")]
    EmptyWord,
    /// A memory that is shared by groups of 0 units.
    #[error("memory `{memory}` is shared by 0 units")]
    EmptyGroup {
        /// The memory.
        memory: String,
    },
    /// A memory of a level that the machine lacks.
    #[error("memory `{memory}` belongs to the unknown level `{owner}`")]
    UnknownOwner {
        /// The memory.
        memory: String,
        /// The level that should own it.
        owner: Level,
    },
    /// A bandwidth of 0, or into the units of a level that the machine lacks.
    #[error(
        "`{level}` has a bandwidth of {words}; it must be a level of the machine, and at least 1"
    )]
    Bandwidth {
        /// The level.
        level: Level,
        /// Long words per step into one of its units.
        words: u64,
    },
    /// A movement of a memory that the machine lacks.
    #[error("movement `{movement}` is between memories, and the machine has no memory `{memory}`")]
    MovementMemory {
        /// The movement.
        movement: String,
        /// The memory.
        memory: String,
    },
    /// A movement that passes 0 long words in a cycle.
    #[error(
        "movement `{movement}` passes 0 long words in a cycle; leave out a rate that is not known"
    )]
    MovementRate {
        /// The movement.
        movement: String,
    },
    /// A token of a memory that the machine lacks.
    #[error("`[assembly]` has a token for `{memory}`, which is not a memory of the machine")]
    TokenMemory {
        /// The memory.
        memory: String,
    },
    /// A token that is not `$` and letters, or belongs to another memory.
    #[error("the token `{token}` of `{memory}` must be `$` and letters, for this memory alone")]
    Token {
        /// The memory.
        memory: String,
        /// The token.
        token: String,
    },
    /// A long word that takes 0 addresses of assembly.
    #[error("a long word of `{memory}` takes 0 addresses of assembly; leave out `step` for 1")]
    TokenStep {
        /// The memory.
        memory: String,
    },
    /// A letter of assembly that is not a letter, or that does not count units below those of the letter
    /// before.
    #[error(
        "invalid assembly letter `{letter}` for `{level}`: it must be an ASCII letter, and `{level}` a level or group of the machine below that of the letter before it"
    )]
    UnitLetter {
        /// The letter.
        letter: char,
        /// The level or group.
        level: Level,
    },
    /// A level above a memory that no letter of assembly counts.
    #[error(
        "no letter of assembly counts `{level}`, so that places of `{memory}` would have the same text"
    )]
    NoUnitLetter {
        /// The memory.
        memory: String,
        /// The level.
        level: Level,
    },
    /// A movement whose direction or kind is not a known word.
    #[error("movement `{movement}` has the {what} `{word}`, which is not one of {known}")]
    MovementWord {
        /// The movement.
        movement: String,
        /// `direction` or `kind`.
        what: &'static str,
        /// The word that was written.
        word: String,
        /// The words that are allowed.
        known: &'static str,
    },
    /// TOML that does not describe a machine, with the message of the TOML parser.
    #[error("{0}")]
    Toml(String),
}

/// The reason a derived axis cannot be an XOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum XorError {
    /// A subaxis of the derived axis whose size is not a power of two.
    #[error("one of its subaxes has size {size}, which is not a power of two")]
    Size {
        /// The number of values.
        size: u64,
    },
    /// A digit that feeds the derived axis and whose size is not a power of two.
    #[error("a digit of size {size} feeds it, which is not a power of two")]
    FeedingSize {
        /// The number of values.
        size: u64,
    },
    /// An extent of the derived axis that its subaxes do not write exactly.
    #[error("its extent {extent} is not the power of two that its subaxes write")]
    Extent {
        /// The extent.
        extent: u64,
    },
    /// A start of the derived axis that is not below its extent.
    #[error("its start {start} is not below its extent {extent}")]
    Start {
        /// The start.
        start: u64,
        /// The extent.
        extent: u64,
    },
    /// A digit that flips bits beyond the extent of the derived axis.
    #[error("a digit of size {size} and weight {weight} flips bits beyond its extent {extent}")]
    Weight {
        /// The number of values.
        size: u64,
        /// The bits of the axis that its lowest bit flips.
        weight: u64,
        /// The extent.
        extent: u64,
    },
    /// More than 64 bits that feed the derived axis.
    #[error("more than 64 bits feed it")]
    TooManyBits,
}

/// The reason the axes or extents of a layout do not allow an edit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// An order that does not name every axis once.
    #[error("{} does not list each axis exactly once; a layout of rank {rank} has {}", listed(.order), axes(*.rank))]
    Order {
        /// The order.
        order: Vec<usize>,
        /// The number of axes.
        rank: usize,
    },
    /// A new axis beyond the end.
    #[error("an axis cannot be inserted at {at}: the layout has rank {rank}")]
    InsertOutOfRange {
        /// The position of the new axis.
        at: usize,
        /// The number of axes.
        rank: usize,
    },
    /// An axis that the layout lacks.
    #[error("axis {axis} does not exist: the layout has rank {rank}")]
    NoAxis {
        /// The axis.
        axis: usize,
        /// The number of axes.
        rank: usize,
    },
    /// An axis to be dropped whose extent is not 1.
    #[error("axis {axis} has extent {extent}; only an axis of extent 1 can be dropped")]
    DropExtent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
    },
    /// An axis to be expanded whose extent is not 1, or whose requested extent is 0.
    #[error(
        "axis {axis} of extent {extent} cannot be expanded to {size}: only an axis of extent 1 can, to at least 1"
    )]
    Expand {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The requested extent.
        size: u64,
    },
    /// An axis to be repeated 0 times.
    #[error("axis {axis} cannot be tiled 0 times")]
    TileZero {
        /// The axis.
        axis: usize,
    },
    /// A shape that whole tiles do not fill.
    #[error(
        "tiles of {tile} do not fill axis {axis} of extent {extent}; the next extent that they fill is {}",
        extent.checked_next_multiple_of((*tile).max(1)).unwrap_or(0)
    )]
    NotWholeTiles {
        /// The axis.
        axis: usize,
        /// Its extent in the requested shape.
        extent: u64,
        /// Its extent in a tile.
        tile: u64,
    },
    /// A tiler with more layouts than there are modes.
    #[error("the tiler has {modes} modes, but the layout has rank {rank}")]
    TilerModes {
        /// The number of layouts of the tiler.
        modes: usize,
        /// The rank of the layout.
        rank: usize,
    },
    /// Padding that would make an axis shorter.
    #[error("axis {axis} has extent {extent} and cannot be padded to {to}")]
    PadShorter {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The requested extent.
        to: u64,
    },
    /// Sizes whose product is not the extent.
    #[error("axis {axis} has extent {extent}, which is not {}", factors(.sizes))]
    SplitSizes {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The sizes.
        sizes: Vec<u64>,
    },
    /// Axes to be merged beyond the last one, or none of them.
    #[error("cannot merge {count} axes from axis {axis} on: {}", match .count {
        0 => "at least 1 is needed".to_owned(),
        _ => format!("the layout has rank {rank}"),
    })]
    MergeOutOfRange {
        /// The first axis.
        axis: usize,
        /// The number.
        count: usize,
        /// The number of axes.
        rank: usize,
    },
    /// A shape with another number of elements.
    #[error("({}) and ({}) have different numbers of elements", .from.iter().join(","), .to.iter().join(","))]
    ReshapeElements {
        /// The shape of the layout.
        from: Vec<u64>,
        /// The requested shape.
        to: Vec<u64>,
    },
    /// A window with a size, stride or dilation of 0.
    #[error(
        "a window of size {size}, stride {stride} and dilation {dilation}; each must be at least 1"
    )]
    Window {
        /// The number of taps.
        size: u64,
        /// The step from window to window.
        stride: u64,
        /// The step from tap to tap.
        dilation: u64,
    },
    /// A slice with step 0.
    #[error("the step of a slice must be at least 1")]
    SliceStep,
    /// A coordinate to be split by 0.
    #[error("the coordinate in `{level}` cannot be split by 0")]
    SplitZero {
        /// The level.
        level: Level,
    },
    /// A coordinate to be split into groups with which the steps of its copies do not line up.
    #[error(
        "cannot split the coordinate in `{level}`: its copies do not line up with groups of {factor}"
    )]
    SplitCopies {
        /// The level.
        level: Level,
        /// The size of a group.
        factor: u64,
    },
    /// A layout to be split into bits that already uses the level in which the bits of a byte would be
    /// counted.
    #[error(
        "level `{level}` is needed for the bits of a byte, but the layout already uses it; rename it"
    )]
    BitsInUse {
        /// The level.
        level: Level,
    },
}

/// The reason a layout cannot be inverted.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InverseError {
    /// Coordinates that do not begin at 0.
    #[error("`{level}` starts from {offset}")]
    Offset {
        /// The level.
        level: Level,
        /// The first coordinate.
        offset: u64,
    },
    /// A derived axis whose values do not begin at 0.
    #[error("derived axis {derived} starts from {start}")]
    DerivedStart {
        /// The number of the derived axis.
        derived: usize,
        /// The first value.
        start: u64,
    },
    /// A digit of a derived axis with stride 0.
    #[error("derived axis {derived} has a digit with stride 0, so its value is lost")]
    ZeroStride {
        /// The number of the derived axis.
        derived: usize,
    },
    /// Dependent bits of an XOR axis, fed by an axis that is padded or derived.
    #[error(
        "the bits that feed derived axis {derived} are dependent, and {source_axis} is padded or derived, so elements cannot be told from padding"
    )]
    DependentBits {
        /// The number of the derived axis.
        derived: usize,
        /// The axis that feeds it, in words.
        source_axis: String,
    },
    /// Digits that cannot be separated by division.
    #[error(
        "stride {next} in {place} must be a multiple of stride {step} and at least {size} x {step}, or coordinates cannot be decoded"
    )]
    StridesDoNotDivide {
        /// The level, or the derived axis, in words.
        place: String,
        /// The number of values the digit has.
        size: u64,
        /// Its step.
        step: u64,
        /// The step of the next greater one.
        next: u64,
    },
    /// A stride that is not a multiple of the size that smaller strides fill.
    #[error("a stride of {stride} is not a multiple of {filled}, which the smaller strides fill")]
    Stride {
        /// The stride.
        stride: u64,
        /// The number of places the smaller ones fill.
        filled: u64,
    },
    /// Axes that are fused, or padded inside.
    #[error("its axes are fused or padded inside")]
    Fused,
    /// Values beyond 64 bits.
    #[error("a value does not fit in 64 bits")]
    TooLarge,
}

/// The reason a layout cannot be complemented.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ComplementError {
    /// A used level whose size in the space was not given.
    #[error("the size of level `{level}` is not given")]
    Unsized {
        /// The level.
        level: Level,
    },
    /// Coordinates that do not begin at 0.
    #[error("`{level}` starts from {offset}")]
    Offset {
        /// The level.
        level: Level,
        /// The first coordinate.
        offset: u64,
    },
    /// Axes that are fused, or split again.
    #[error("its axes are fused or nested")]
    Fused,
    /// A layout without elements.
    #[error("it has no elements")]
    Empty,
    /// An axis that is padded inside, so that its places do not form a product.
    #[error("its image is not a product: axis {axis} has {extent} of {slots} values")]
    Padded {
        /// The axis.
        axis: usize,
        /// The number of values that are real.
        extent: u64,
        /// The number that the digits can write.
        slots: u64,
    },
    /// Elements along an axis that share places.
    #[error("its elements along axis {axis} share places")]
    Shared {
        /// The axis.
        axis: usize,
    },
    /// A stride that is not a multiple of the size that smaller strides fill.
    #[error(
        "in `{level}` a stride of {stride} is not a multiple of {filled}, which the smaller strides fill"
    )]
    Stride {
        /// The level.
        level: Level,
        /// The stride.
        stride: u64,
        /// The number of places the smaller ones fill.
        filled: u64,
    },
    /// A space of size 0.
    #[error("in `{level}` a space of size 0 is too small for it")]
    NoRoom {
        /// The level.
        level: Level,
    },
    /// A space that is not a whole number of blocks.
    #[error("`{level}` has size {size}, which is not a multiple of the {filled} that it fills")]
    Blocks {
        /// The level.
        level: Level,
        /// The size of a block.
        filled: u64,
        /// The size of the space.
        size: u64,
    },
}

/// The reason a part of a layout is not a layout of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RestrictionError {
    /// A digit that belongs to a derived axis.
    #[error("a digit of `{level}` belongs to a derived axis")]
    Derived {
        /// The level.
        level: Level,
    },
    /// A coordinate that no digits give.
    #[error("no element has `{level}` = {coordinate}")]
    Unreached {
        /// The level.
        level: Level,
        /// The coordinate.
        coordinate: u64,
    },
    /// A coordinate that more than one choice of digits gives.
    #[error("`{level}` = {coordinate} is reached in more than one way")]
    Ambiguous {
        /// The level.
        level: Level,
        /// The coordinate.
        coordinate: u64,
    },
}

/// `2 x 3`
fn factors(sizes: &[u64]) -> String {
    if sizes.is_empty() { "1, the product of no sizes".into() } else { sizes.iter().join(" x ") }
}

/// `1,0`
fn listed(order: &[usize]) -> String {
    if order.is_empty() { "an empty order".into() } else { order.iter().join(",") }
}

/// The numbers of the axes.
fn axes(rank: usize) -> String {
    match rank {
        0 => "no axes".into(),
        1 => "only axis 0".into(),
        _ => format!("the axes 0 to {}", rank - 1),
    }
}
