//! Errors of shardings, with the numbers as fields that a caller can match.

use itertools::Itertools;

use crate::error::{Diagnostic, LayoutError, LevelNameError};
use crate::level::Level;
use crate::words::{counted, cut};

/// The reason a sharding is invalid: a contradiction in it, or information that it lacks.
///
/// ```
/// use tensor_layout::sharding::{HloSharding, ShardingError};
/// let text: HloSharding = "{devices=[3,2]<=[8]}".parse()?;
/// let refused = text.lower().unwrap_err();
/// assert_eq!(refused, ShardingError::DeviceCountMismatch { dims: vec![3, 2], places: 6, devices: 8 });
/// assert_eq!(refused.to_string(), "the product of [3,2] is 6, but the number of devices is 8");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum ShardingError {
    /// An error of the layout of a shard.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// An axis of the mesh that cannot name a level.
    #[error(transparent)]
    LevelName(#[from] LevelNameError),
    /// A transpose that does not name every dimension once.
    #[error("T({}) does not list each of the dimensions 0 to {last} exactly once", list(.order))]
    Transpose {
        /// The transpose.
        order: Vec<u64>,
        /// The last dimension.
        last: usize,
    },
    /// A device that is listed twice.
    #[error("device {device} is listed twice, at positions {first} and {second}")]
    DuplicateDevice {
        /// The device.
        device: u64,
        /// Its first position.
        first: u64,
        /// Its second position.
        second: u64,
    },
    /// A size of 0.
    #[error("[{}] has a 0, so there are no devices", list(.sizes))]
    NoDevices {
        /// The sizes.
        sizes: Vec<u64>,
    },
    /// More devices than 64 bits can count.
    #[error("the number of devices does not fit in 64 bits")]
    TooManyDevices,
    /// A product of `devices=` that differs from the number of devices.
    #[error("the product of [{}] is {places}, but the number of devices is {devices}", list(.dims))]
    DeviceCountMismatch {
        /// The numbers of `devices=`.
        dims: Vec<u64>,
        /// Their product.
        places: u64,
        /// The number of devices.
        devices: u64,
    },
    /// More kinds of groups than numbers of `devices=`.
    #[error("there are {kinds} last tile dimensions, more than the {dims} of `devices=`")]
    TooManySubgroupKinds {
        /// The number of kinds that are named.
        kinds: usize,
        /// The number of entries of `devices=`.
        dims: usize,
    },
    /// A tuple, where one sharding is needed.
    #[error("this is a tuple of {members} shardings: ask for one of them")]
    Tuple {
        /// The number of members.
        members: usize,
    },
    /// `maximal` for a whole tensor, without a device.
    #[error("`maximal` needs a device")]
    MaximalDevice,
    /// A mesh axis that is named twice.
    #[error("axis '{axis}' appears twice in the mesh")]
    DuplicateAxis {
        /// The axis.
        axis: String,
    },
    /// A mesh axis whose name is a number.
    #[error("axis '{axis}' would be read as the number of an axis: give it a name with a letter")]
    NumberedAxis {
        /// The axis.
        axis: String,
    },
    /// A mesh axis whose name is not valid for a level.
    #[error(
        "a mesh axis cannot be called `{axis}`, because tables have a column of that name: rename the axis"
    )]
    ReservedAxis {
        /// The axis.
        axis: String,
    },
    /// A device of a mesh beyond its size.
    #[error("`device_ids` lists device {device}, but the mesh has only {}", counted(*.devices, "device"))]
    MeshDevice {
        /// The device.
        device: u64,
        /// The number that the mesh has.
        devices: u64,
    },
    /// A mesh with fewer or more devices than places.
    #[error("`device_ids` lists {}, but the mesh has {devices}", counted(*.listed, "device"))]
    MeshDevices {
        /// The number that are listed.
        listed: u64,
        /// The number that the mesh has.
        devices: u64,
    },
    /// A mesh given after a sharding by device numbers, with another number of devices.
    #[error("the sharding is for {}, but `mesh=` has {given}", counted(*.devices, "device"))]
    MeshOfOthers {
        /// The number of devices of the sharding.
        devices: u64,
        /// The number of devices of the mesh.
        given: u64,
    },
    /// A mesh given after a sharding that names a device beyond the mesh.
    #[error("device {device} holds the tensor, but `mesh=` has only {}", counted(*.given, "device"))]
    MaximalBeyondMesh {
        /// The device, counted from 0.
        device: u64,
        /// The number of devices of the mesh.
        given: u64,
    },
    /// A mesh given after a sharding that contains a mesh of its own.
    #[error("the sharding already has a mesh, {own}; leave out `mesh=`")]
    TwoMeshes {
        /// The mesh that the sharding contains, or `without axes`.
        own: String,
    },
    /// The devices of a mesh, written out in their default order.
    #[error("`device_ids` repeats the order that a mesh has anyway; leave it out")]
    DefaultOrder,
    /// An axis that the mesh lacks.
    #[error("'{axis}' is not an axis of the mesh, {}", of_mesh(.known))]
    UnknownAxis {
        /// The axis.
        axis: String,
        /// The axes of the mesh.
        known: Vec<String>,
    },
    /// A part that does not divide its axis.
    #[error("'{axis}':({before}){size} is not a part: {before} x {size} does not divide {whole}")]
    UnevenSubAxis {
        /// The axis.
        axis: String,
        /// The product of the sizes in front of the part.
        before: u64,
        /// The size of the part.
        size: u64,
        /// The size of the axis.
        whole: u64,
    },
    /// A part of size 1.
    #[error("'{axis}':({before})1 is a part of size 1, which does not split anything")]
    UnitSubAxis {
        /// The axis.
        axis: String,
        /// The product of the sizes in front of the part.
        before: u64,
    },
    /// A part that is the whole axis.
    #[error("'{axis}':(1){size} is the whole axis: write '{axis}'")]
    FullSubAxis {
        /// The axis.
        axis: String,
        /// Its size.
        size: u64,
    },
    /// Two consecutive parts that can be written as one.
    #[error("two parts of '{axis}' are side by side: write them as one")]
    AdjacentSubAxes {
        /// The axis.
        axis: String,
    },
    /// Two parts that are not digits of one mixed radix.
    #[error("two parts of '{axis}' do not fit side by side")]
    OverlappingSubAxes {
        /// The axis.
        axis: String,
    },
    /// An axis, or a part that overlaps another, used twice.
    #[error("axis '{axis}' is used twice")]
    DuplicateUse {
        /// The axis.
        axis: String,
    },
    /// A list of axes in a different order than the mesh.
    #[error("the axes of `{list}` must be in the order of the mesh")]
    AxisOrder {
        /// `replicated`, `unreduced` or `manual`.
        list: &'static str,
    },
    /// A mesh that is neither in the text nor given separately.
    #[error("the sharding names axes of a mesh that is not given")]
    NoMesh,
    /// More entries of a PartitionSpec than the tensor has dimensions.
    #[error("{} for a tensor of rank {rank}", counted(*.entries, "entry"))]
    SpecTooLong {
        /// The number of entries.
        entries: usize,
        /// The rank of the tensor.
        rank: usize,
    },
    /// A number of placements that differs from the number of mesh axes.
    #[error(
        "the sharding has {}, but the mesh has {}", counted(*.placements, "placement"),
        counted(*.axes, "axis")
    )]
    Placements {
        /// The number of placements.
        placements: usize,
        /// The number of axes of the mesh.
        axes: usize,
    },
    /// A `Shard` of a dimension that the tensor lacks.
    #[error("`Shard({dim})` names a dimension that a tensor of rank {rank} lacks")]
    ShardDim {
        /// The dimension; negative ones count from the last.
        dim: i64,
        /// The rank of the tensor.
        rank: usize,
    },
    /// Successive cuts that differ from one cut over their product.
    #[error(
        "applying {} to extent {extent} is not the same as cutting it once into {tiles} tiles of \
         {size}; the first difference is element {first}", shards(*.dim, .cuts)
    )]
    UnevenSequentialShards {
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: u64,
        /// The number of parts each cut makes.
        cuts: Vec<u64>,
        /// The product of the cuts.
        tiles: u64,
        /// The number of elements in a tile of the single cut.
        size: u64,
        /// The first element whose place differs.
        first: u64,
    },
    /// Pieces of the parts of a dimension that are not tiles of it.
    #[error(
        "the devices hold pieces of parts of dimension {dim}, whose extent is {extent}, and these are not tiles"
    )]
    PiecesOfParts {
        /// The dimension.
        dim: usize,
        /// Its extent.
        extent: u64,
    },
    /// Successive cuts of a tensor when only the extents of a shard are known.
    #[error("cuts in turn need the extents of the whole tensor")]
    NeedsGlobalShape,
    /// Partial results with two different reductions.
    #[error(
        "partial results are reduced by `{first}` and by `{second}`, but a sharding has one reduction"
    )]
    Reductions {
        /// The reduction of the first axis.
        first: String,
        /// The other reduction.
        second: String,
    },
    /// A tensor whose rank differs from that of the tiles.
    #[error("the sharding has tiles for {}, but the tensor has {rank}", counted(*.tiles, "dimension"))]
    Rank {
        /// The number of dimensions that have tiles.
        tiles: usize,
        /// The rank of the tensor.
        rank: usize,
    },
    /// Extents of a whole tensor that do not fit in 64 bits.
    #[error(
        "shards of ({}) in ({}) tiles make extents that do not fit in 64 bits", list(.shard),
        list(.tiles)
    )]
    GlobalShapeTooLarge {
        /// The extents of a shard.
        shard: Vec<u64>,
        /// The number of tiles each dimension has.
        tiles: Vec<u64>,
    },
    /// A layout whose extents differ from those of the shard.
    #[error("the shard has the extents ({}), but its layout has ({})", list(.wanted), list(.found))]
    ShardExtents {
        /// The extents of the layout.
        found: Vec<u64>,
        /// The extents of the shard.
        wanted: Vec<u64>,
    },
    /// `manual`: the program decides the placement of the elements.
    #[error("`manual` leaves the placement of the elements to the program")]
    Manual,
    /// `unreduced`: devices hold partial results.
    #[error("`unreduced` holds partial results, not copies")]
    Unreduced,
    /// `unknown`: nothing is decided.
    #[error("`unknown` is not decided yet")]
    Unknown,
    /// `replicated`, over an unknown number of devices.
    #[error("it does not say how many devices have a copy")]
    UncountedCopies,
    /// Groups of `manual` devices.
    #[error("the contents of its `manual` devices are not known")]
    ManualDevices,
    /// Groups of `unreduced` devices.
    #[error("its `unreduced` devices hold partial results")]
    UnreducedDevices,
    /// Groups of `maximal` devices.
    #[error("which of its `maximal` devices holds the tile is not known")]
    MaximalDevices,
    /// A list of devices that is not a sum of digits.
    #[error(
        "in normal form its device list is irregular: the device number is not a strided function of \
         the tile index"
    )]
    ListedDevices,
    /// Copies of a tile on devices that are not digits of the device number.
    #[error("the copies of a tile are not digits of the device number")]
    CopiesOfTile,
    /// Copies that are not digits of the levels.
    #[error("its copies are not digits of the levels of the machine")]
    CopiesAcrossLevels,
    /// More devices than the machine has units.
    #[error("it has {}, but the {machine} has {}", counted(*.devices, "device"), counted(*.units, "unit"))]
    TooFewUnits {
        /// The number of devices.
        devices: u64,
        /// The machine.
        machine: String,
        /// The number of units it has.
        units: u64,
    },
    /// A device that the machine lacks.
    #[error("the {machine} has {units} units, numbered from 0; device {device} is beyond the last")]
    NoSuchDevice {
        /// The device.
        device: u64,
        /// The number of units the machine has.
        units: u64,
        /// The machine.
        machine: String,
    },
    /// A layout whose units are chosen by derived axes.
    #[error("its units depend on a derived axis, which a sharding cannot express")]
    DerivedUnits,
    /// A layout that leaves the first units free.
    #[error("the layout starts at unit {first} of `{level}`; a sharding must start at unit 0")]
    FirstUnit {
        /// The level.
        level: Level,
        /// The unit that it begins at.
        first: u64,
    },
    /// A digit over units that is minor to a digit in memory.
    #[error(
        "axis {axis} is interleaved over `{level}` (a digit in memory is major to it), so no unit \
         holds a box of the tensor"
    )]
    InsideMemory {
        /// The axis.
        axis: usize,
        /// The level of the digit.
        level: Level,
    },
    /// An axis that is cut into parts of a size that no sharding makes.
    #[error(
        "axis {axis} of extent {extent} is cut into {tiles} parts of {part}; a sharding cuts it \
         into parts of {wanted}"
    )]
    PartSize {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: u64,
        /// The number of parts it is cut into.
        tiles: u64,
        /// The size of a part.
        part: u64,
        /// The size that a sharding gives it.
        wanted: u64,
    },
    /// Copies within the memory of a unit.
    #[error("its copies in `{level}` are within a unit, not on other devices")]
    CopiesInMemory {
        /// The level that the copies are in.
        level: Level,
    },
    /// A layout that gives some unit of the machine no part, or two parts.
    #[error(
        "the layout does not use each of the {units} units of the machine exactly once; a \
         sharding needs a part for every device"
    )]
    UnusedUnits {
        /// The number of units the machine has.
        units: u64,
    },
    /// A number of places in groups that differs from the number of devices.
    #[error("the groups have {places} places for {devices} devices")]
    GroupPlaces {
        /// The number of places.
        places: u64,
        /// The number of devices.
        devices: u64,
    },
    /// Groups that are not written in two numbers.
    #[error("groups are written as `[groups,size]<=[..]`, not as [{}]", list(.dims))]
    GroupDims {
        /// The numbers.
        dims: Vec<u64>,
    },
    /// A group of a collective without devices.
    #[error("its group {group} is empty; `{{}}` alone means all devices")]
    EmptyGroup {
        /// The group, counted from 0.
        group: usize,
    },
    /// Groups of a collective with different sizes.
    #[error("its groups have different sizes")]
    UnevenGroups,
    /// A sharding that a notation cannot express.
    #[error("{notation} cannot express this sharding: {reason}")]
    Inexpressible {
        /// A text of the notation, with its article: `a PartitionSpec`.
        notation: &'static str,
        /// The reason.
        reason: InexpressibleSharding,
    },
}

impl ShardingError {
    /// Returns whether the reason is that the devices, or the places in their shards, are not sums of digits; if so,
    /// [`by_device`](crate::sharding::ShardedShape::by_device) still has answers.
    #[must_use]
    pub fn lacks_digits(&self) -> bool {
        use ShardingError as E;
        matches!(
            self,
            E::ListedDevices
                | E::CopiesOfTile
                | E::CopiesAcrossLevels
                | E::UnevenSequentialShards { .. }
                | E::PiecesOfParts { .. }
        )
    }
}

impl Diagnostic for ShardingError {
    fn help(&self) -> Option<String> {
        match self {
            ShardingError::Layout(error) => error.help(),
            ShardingError::LevelName(error) => Some(error.help()),
            ShardingError::NoMesh => {
                Some("add its axes with their sizes: `, mesh=x=2,y=4` after the sharding".into())
            }
            _ if self.lacks_digits() => Some(
                "ask device by device: the commands `locate`, `table`, `same`, `relayout` and `explain` \
                 do, and `ShardedShape::by_device`"
                    .into(),
            ),
            _ => None,
        }
    }
}

/// The part of a sharding that a notation cannot express.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum InexpressibleSharding {
    /// A number of devices that differs from that of the mesh.
    #[error("it has {}, but the mesh has {devices}", counted(*.found, "device"))]
    Devices {
        /// The number of devices of the sharding.
        found: u64,
        /// The number that the mesh has.
        devices: u64,
    },
    /// `manual`, `maximal` or another word for the whole tensor.
    #[error("it is one word for the whole tensor")]
    Word,
    /// Tiles that do not consist of whole digits of the axes.
    #[error("its tiles do not line up with the axes of the mesh")]
    Tiles,
    /// Groups of `maximal` devices.
    #[error("it has `maximal` devices")]
    Maximal,
    /// Manual axes.
    #[error("it has manual axes")]
    ManualAxes,
    /// A reduction that the notation cannot name.
    #[error("its partial results are reduced by `{reduction}`")]
    Reduction {
        /// The word.
        reduction: String,
    },
    /// Part of an axis, where only whole axes can be written.
    #[error("it needs the part '{axis}':({before}){size} of an axis")]
    Part {
        /// The axis.
        axis: String,
        /// The product of the sizes in front of the part.
        before: u64,
        /// The size of the part.
        size: u64,
    },
}

/// Numbers as HLO writes them, truncated to keep messages short.
fn list(numbers: &[u64]) -> String {
    cut(&numbers.iter().join(","), 120)
}

fn of_mesh(axes: &[String]) -> String {
    let names = axes.iter().map(|name| format!("'{name}'")).join(", ");
    match axes.is_empty() {
        true => "which has no axes".to_owned(),
        false => format!("whose axes are {}", cut(&names, 200)),
    }
}

/// The placements that cut a dimension in turn.
fn shards(dim: usize, cuts: &[u64]) -> String {
    cut(&cuts.iter().map(|cut| format!("Shard({dim}) over {cut}")).join(", "), 200)
}
