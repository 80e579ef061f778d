//! Shardings: which part of a tensor each device of a mesh holds.
//!
//! ```
//! use tensor_layout::sharding::{Mesh, PartitionSpec};
//! let mesh: Mesh = "x=2,y=4".parse()?;
//! let spec: PartitionSpec = "P('x', None)".parse()?;
//! let sharding = spec.lower(Some(&mesh), 2)?;
//! assert_eq!(sharding.to_hlo().to_string(), "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
//! assert_eq!(sharding.shard(&[10, 7], 4)?, Some(vec![5..10, 0..7]));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use crate::lower::sharding::{
    DeviceOrder, DeviceShards, ShardedShape, Sharding, ShardingKind, Tiles,
};
pub use crate::notation::sharding::{
    DeviceGroups, DimAxes, HloSharding, Mesh, MeshAxis, MeshDims, PartitionSpec, Placements,
    SdySharding, ShardingText, SubgroupKind, TileDevices, TorchPlacement,
};
