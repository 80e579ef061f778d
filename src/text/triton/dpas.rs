//! Intel's matrix instruction: `#ttig.dpas`, its result and operands.
//!
//! ```text
//! repeatCount 8, executionSize 16, opsPerChan 2, 32 lanes
//!
//! result, 8 x 16         register (2,0) (4,0)           lane (0,1) (0,2) (0,4) (0,8) (1,0)
//! operand 0, 8 x 16      register (2,0) (4,0)           lane (0,1) (0,2) (0,4) (0,8) (1,0)
//! operand 1, 16 x 16     register (1,0) (4,0) (8,0)     lane (0,1) (0,2) (0,4) (0,8) (2,0)
//! ```
//!
//! Source: intel/intel-xpu-backend-for-triton, `LinearLayoutConversions.cpp` of its dialect, `DPAStoLinearLayout`.

use super::keys::Keys;
use super::mma::{Dims, Operand, put_warps};
use super::tile::{Input, TritonTile};
use crate::error::ParseError;

/// The number of steps along K, each of `opsPerChan` elements; all that exist have so many.
const DEPTH: u64 = 8;

/// An instruction, and the number of them that a warp has beside each other.
struct Dpas {
    rows: u64,
    columns: u64,
    /// The number of elements along K in 32 bits.
    packed: u64,
    lanes: u64,
    clusters: Vec<u64>,
    warps: Vec<u64>,
}

impl Dpas {
    fn of(keys: Keys<'_>, dims: Dims) -> Result<Dpas, ParseError> {
        check_names(keys)?;
        let dpas = Dpas {
            rows: one_of(keys, "repeatCount", &[1, 2, 4, 8])?,
            columns: one_of(keys, "executionSize", &[8, 16])?,
            packed: one_of(keys, "opsPerChan", &[1, 2, 4])?,
            lanes: one_of(keys, "threadsPerWarp", &[16, 32])?,
            clusters: match keys.has("repCluster") {
                true => keys.powers("repCluster", dims.rank)?,
                false => vec![1; dims.rank],
            },
            warps: keys.powers("warpsPerCTA", dims.rank)?,
        };
        one_of(keys, "systolicDepth", &[DEPTH])?;
        keys.check("repCluster", dims.rank == 2 || dpas.clusters[0] == 1, || {
            "a warp has one tile along the batch".into()
        })?;
        dpas.check_lanes(keys)?;
        dpas.check_shapes(keys, dims)?;
        Ok(dpas)
    }

    /// Rejects instructions with fewer rows than the lanes hold at a time.
    fn check_lanes(&self, keys: Keys<'_>) -> Result<(), ParseError> {
        let at_once = self.lanes / self.columns.min(self.row_lanes());
        keys.check("repeatCount", at_once <= self.rows, || {
            let (lanes, rows) = (self.lanes, self.rows);
            format!("{lanes} lanes hold {at_once} rows at a time, but `repeatCount` is {rows}")
        })
    }

    /// Rejects shapes that are printed after the keys but do not follow from them.
    fn check_shapes(&self, keys: Keys<'_>, dims: Dims) -> Result<(), ParseError> {
        let depth = DEPTH * self.packed;
        let (tall, wide) =
            (self.clusters[dims.m] * self.rows, self.clusters[dims.n] * self.columns);
        for (key, shape) in [("A", [tall, depth]), ("B", [depth, wide]), ("C", [tall, wide])] {
            if !keys.has(key) {
                continue;
            }
            let written = keys.numbers(key)?;
            let is_same =
                written.ends_with(&shape) && written.iter().rev().skip(2).all(|one| *one == 1);
            keys.check(key, is_same, || format!("`{key}` is {shape:?} by the other keys"))?;
        }
        Ok(())
    }

    /// The number of elements of operand 0 that follow each other in a lane: scalars have at least 16 bits.
    fn neighbours(&self) -> u64 {
        (self.packed / 2).max(1)
    }

    /// The number of lanes that hold a row of operand 0.
    fn row_lanes(&self) -> u64 {
        DEPTH * self.packed / self.neighbours()
    }
}

/// The number under a key, which must be one of those that exist.
fn one_of(keys: Keys<'_>, key: &str, known: &[u64]) -> Result<u64, ParseError> {
    let number = keys.number(key)?;
    keys.check(key, known.contains(&number), || match known {
        [only] => format!("`{key}` is {number}, not {only}"),
        _ => format!("`{key}` is {number}, not one of {known:?}"),
    })?;
    Ok(number)
}

fn check_names(keys: Keys<'_>) -> Result<(), ParseError> {
    keys.check("fp4KPack", !keys.has("fp4KPack"), || "pairs of FP4 are not supported".into())?;
    keys.check_known(&[
        "repeatCount",
        "systolicDepth",
        "executionSize",
        "opsPerChan",
        "threadsPerWarp",
        "warpsPerCTA",
        "repCluster",
        "A",
        "B",
        "C",
    ])
}

/// The result of a product.
pub(super) fn dpas(keys: Keys<'_>, dims: Dims) -> Result<TritonTile, ParseError> {
    let dpas = Dpas::of(keys, dims)?;
    let at_once = dpas.lanes / dpas.columns;
    let mut tile = TritonTile::new(dims.rank);
    tile.grow(Input::Lane, dims.n, dpas.columns);
    tile.grow(Input::Lane, dims.m, at_once);
    tile.grow(Input::Register, dims.m, dpas.rows / at_once);
    tile.grow(Input::Register, dims.n, dpas.clusters[dims.n]);
    tile.grow(Input::Register, dims.m, dpas.clusters[dims.m]);
    put_warps(&mut tile, &dpas.warps, &dims.then_batch([dims.n, dims.m]), None);
    Ok(tile)
}

/// An operand of a product.
pub(super) fn dpas_operand(
    keys: Keys<'_>,
    parent: Keys<'_>,
    of: Operand,
) -> Result<TritonTile, ParseError> {
    let dpas = Dpas::of(parent, of.dims)?;
    let width = if of.number == 0 { dpas.neighbours() } else { dpas.packed };
    keys.check("kWidth", of.width == width, || {
        let Operand { number, width: other, .. } = of;
        format!("`kWidth` of operand {number} is {width} in today's Triton, not {other}: older versions hold it otherwise")
    })?;
    let mut tile = TritonTile::new(of.dims.rank);
    match of.number {
        0 => {
            let at_once = dpas.lanes / dpas.row_lanes();
            tile.grow(Input::Register, of.k, width);
            tile.grow(Input::Lane, of.k, dpas.row_lanes());
            tile.grow(Input::Lane, of.own, at_once);
            tile.grow(Input::Register, of.own, dpas.rows / at_once);
        }
        _ => {
            let at_once = dpas.lanes / dpas.columns;
            tile.grow(Input::Register, of.k, width);
            tile.grow(Input::Lane, of.own, dpas.columns);
            tile.grow(Input::Lane, of.k, at_once);
            tile.grow(Input::Register, of.k, DEPTH / at_once);
        }
    }
    tile.grow(Input::Register, of.own, dpas.clusters[of.own]);
    put_warps(&mut tile, &dpas.warps, &of.dims.then_batch([of.dims.n, of.dims.m]), Some(of.k));
    Ok(tile)
}
