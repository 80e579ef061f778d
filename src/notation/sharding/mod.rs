//! Shardings: which part of a tensor each device of a mesh holds.
//!
//! ```text
//! {devices=[2,1,4]<=[8] last_tile_dim_replicate}        HLO: tiles per dimension, then copies
//! {mesh['x'=2,'y'=4], [{'x'}, {}]}                      HLO with a named mesh
//! #sdy.sharding<@mesh, [{"x"}, {}]>                     Shardy
//! P('x', None)                                          JAX
//! [Shard(0), Replicate()]                               PyTorch, one entry per axis of the mesh
//! ```

mod any;
mod groups;
mod hlo;
mod jax;
mod mesh;
mod read;
mod sdy;
pub(crate) mod sharded;
mod torch;
mod tree;

pub use any::ShardingText;
pub use groups::DeviceGroups;
pub use hlo::{HloSharding, SubgroupKind};
pub use jax::PartitionSpec;
pub use sdy::SdySharding;
pub(crate) use sharded::sharded_parts;
pub use sharded::{behind_mesh, behind_sharding};
pub use torch::{Placements, TorchPlacement};
pub use tree::{DimAxes, Mesh, MeshAxis, MeshDims, TileDevices};
