//! Types and maps of MLIR that are layouts in other notations: memrefs are shapes with strides, XLA shapes or maps;
//! affine maps are PadLayouts.
//!
//! ```text
//! memref<12x8xf32, strided<[8, 1]>>                 shape=(12, 8), strides=(32, 4), itemsize=4
//! memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>>    bf16[16,256]{1,0:T(8,128)(2,1)}
//! affine_map<(d0, d1) -> (d0 floordiv 4, ..)>       after the comment that `convert` writes, with extents and names
//! ```

mod affine;
mod memref;
mod sum;

pub(super) use affine::{affine_map, is_affine_map};
pub(super) use memref::{Memref, MemrefKind};

/// Returns whether a text is an affine map, or a memref with one.
pub(super) fn is_mapped(text: &str) -> bool {
    is_affine_map(text) || MemrefKind::of(text) == Some(MemrefKind::Mapped)
}
