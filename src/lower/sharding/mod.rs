//! Shardings: the checks, the value, the layout, and back to text.
//!
//! ```text
//! {devices=[2,4]<=[4,2]T(1,0)} of a tensor (10, 7)
//!
//! axis 0: 10 = 2 tiles of 5                       axis 1: 7 in 4 tiles of 2, the last one short
//! tile number = 4 x tile of axis 0 + tile of axis 1   in row-major order
//! digits (2, 4) of the tile number weigh 1 and 2 devices
//! ```

mod devices;
mod error;
mod groups;
mod layout;
mod lower;
mod mesh;
pub(crate) mod order;
pub(crate) mod pieces;
mod raise;
mod shape;
mod text;
mod transpose;
mod value;

pub use devices::DeviceShards;
pub(crate) use error::shard_extents;
pub use order::DeviceOrder;
pub use shape::ShardedShape;
pub use value::{Sharding, ShardingKind, Tiles};
