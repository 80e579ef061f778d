//! The modes of CuTe's results: the tuples in which it writes divisions, products and compositions.
//!
//! ```text
//! ((8,8,4),16):((1,8,64),256) divided by <8,4>      ((8,32),(4,4)):((1,8),(256,1024))
//! mode 0: the tile 8, then the tiles 32             not (8,8,4), whose digits step evenly
//! ```
//!
//! A layout has digits and no tuples inside an axis, so the modes are computed beside it, from extents alone, and
//! [`CuteLayout::nested_as`] writes the digits in them.
//! Source: CuTe, `python/pycute/layout.py`.

use super::{CuteLayout, CuteMode, CuteTiler};
use crate::algebra::{Arrangement, Layout, LinearFunction};
use crate::error::LayoutError;

impl LinearFunction<'_> {
    /// The modes of [`divide`](LinearFunction::divide) by a tile, given its result.
    ///
    /// # Errors
    /// As [`divide`](LinearFunction::divide).
    pub fn modes_divided(
        &self,
        tile: &CuteLayout,
        arrangement: Arrangement,
        result: &Layout,
    ) -> Result<Vec<CuteMode>, LayoutError> {
        let rest = leaves(self.tiles(&tile.to_layout()?)?);
        let tiles = match arrangement {
            Arrangement::Flat => tile.axes().to_vec(),
            Arrangement::Logical | Arrangement::Zipped | Arrangement::Tiled => {
                vec![tile.mode.clone()]
            }
        };
        let rest = match arrangement {
            Arrangement::Logical | Arrangement::Zipped => vec![rest],
            Arrangement::Tiled | Arrangement::Flat => {
                result.shape().into_iter().skip(tiles.len()).map(leaf).collect()
            }
        };
        Ok([tiles, rest].concat())
    }

    /// The modes of [`divide_modes`](LinearFunction::divide_modes) by a tiler, given those of the layout.
    ///
    /// # Errors
    /// As [`divide_modes`](LinearFunction::divide_modes).
    pub fn modes_divided_by_mode(
        &self,
        own: &[CuteMode],
        tiler: &CuteTiler,
        arrangement: Arrangement,
    ) -> Result<Vec<CuteMode>, LayoutError> {
        let (mut tiles, mut rest, mut divided) = (Vec::new(), Vec::new(), Vec::new());
        for (k, mode) in own.iter().enumerate() {
            let tile = tiler.modes.get(k).and_then(Option::as_ref);
            let Some(tile) = tile else {
                tiles.extend((k < tiler.modes.len()).then(|| leaf(1)));
                rest.push(mode.clone());
                divided.push(mode.clone());
                continue;
            };
            let alone = self.mode(k)?;
            let others = leaves(alone.as_function(self.order).tiles(&tile.to_layout()?)?);
            divided.push(CuteMode::Tuple(vec![tile.mode.clone(), others.clone()]));
            tiles.push(tile.mode.clone());
            rest.push(others);
        }
        Ok(match arrangement {
            Arrangement::Logical => divided,
            Arrangement::Zipped => vec![CuteMode::Tuple(tiles), CuteMode::Tuple(rest)],
            Arrangement::Tiled => [vec![CuteMode::Tuple(tiles)], rest].concat(),
            Arrangement::Flat => [tiles, rest].concat(),
        })
    }
}

impl CuteTiler {
    /// The modes of a composition mode by mode: those of this tiler or, for a mode that it leaves whole, its own.
    #[must_use]
    pub fn modes_of(&self, own: &[CuteMode]) -> Vec<CuteMode> {
        let given = self.modes.iter().map(Option::as_ref).chain(std::iter::repeat(None));
        let mode = |(own, given): (&CuteMode, Option<&CuteLayout>)| {
            given.map_or_else(|| own.clone(), |given| given.mode.clone())
        };
        own.iter().zip(given).map(mode).collect()
    }
}

fn leaf(extent: u64) -> CuteMode {
    CuteMode::Leaf(extent, 0.into())
}

/// One leaf, or a tuple of leaves.
fn leaves(extents: Vec<u64>) -> CuteMode {
    CuteMode::joined(extents.into_iter().map(leaf).collect())
}
