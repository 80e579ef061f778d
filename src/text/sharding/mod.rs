//! Shardings: which part of a tensor each device of a mesh holds.
//!
//! ```text
//! {devices=[2,1,4]<=[8] last_tile_dim_replicate}        HLO: tiles per dimension, then copies
//! {mesh['x'=2,'y'=4], [{'x'}, {}]}                      HLO with a named mesh
//! #sdy.sharding<@mesh, [{"x"}, {}]>                     Shardy
//! P('x', None)                                          JAX
//! [Shard(0), Replicate()]                               PyTorch, one entry per axis of the mesh
//! ```
//!
//! ```text
//! {devices=[2,4]<=[4,2]T(1,0)} of a tensor (10, 7)
//!
//! axis 0: 10 = 2 tiles of 5                       axis 1: 7 in 4 tiles of 2, the last one short
//! tile number = 4 x tile of axis 0 + tile of axis 1   in row-major order
//! digits (2, 4) of the tile number weigh 1 and 2 devices
//! ```

mod any;
mod devices;
mod error;
mod groups;
mod hlo;
mod jax;
mod layout;
mod lower;
mod mesh;
mod notations;
pub(crate) mod order;
mod pieces;
mod raise;
mod read;
mod sdy;
mod shape;
pub(crate) mod sharded;
mod sizes;
mod torch;
mod tree;
mod value;

pub use any::ShardingText;
pub use devices::DeviceShards;
pub(crate) use error::shard_extents;
pub use groups::DeviceGroups;
pub use hlo::HloSharding;
use hlo::SubgroupKind;
pub use jax::PartitionSpec;
pub(crate) use pieces::{Pieces, nth};
pub use sdy::SdySharding;
pub use shape::ShardedShape;
pub(super) use sharded::sharded_parts;
pub use sharded::{behind_mesh, behind_sharding};
pub use sizes::{Fill, ShardedSizes};
pub use torch::{Placements, TorchPlacement};
pub use tree::{DimAxes, Mesh, MeshAxis, MeshDims, TileDevices};
pub use value::Sharding;
