//! Encodings of matrix instructions: results and operands.
//!
//! ```text
//! nvidia_mma 2, 16 x 8     register (0,1) (8,0)    lane (0,2) (0,4) (1,0) (2,0) (4,0)
//! ```

use itertools::Itertools;

use super::cluster::{Cluster, check_keys};
use super::dpas::{dpas, dpas_operand};
use super::keys::Keys;
use super::tile::{Basis, Input, TritonTile};
use crate::error::ParseError;

/// The dimensions of a result: rows, columns, and the batch in front of them, if there is one.
#[derive(Clone, Copy)]
pub(super) struct Dims {
    pub(super) rank: usize,
    pub(super) m: usize,
    pub(super) n: usize,
}

impl Dims {
    fn of(keys: Keys<'_>, shape: &[u64]) -> Result<Dims, ParseError> {
        match shape.len() {
            rank @ (2 | 3) => Ok(Dims { rank, m: rank - 2, n: rank - 1 }),
            rank => Err(keys.refuse(format!(
                "`{}` is read for matrices and batches of them, and the tensor has rank {rank}",
                keys.attribute.name
            ))),
        }
    }

    /// Dimensions in an order, the batch last.
    pub(super) fn then_batch(self, order: [usize; 2]) -> Vec<usize> {
        order.into_iter().chain((self.rank == 3).then_some(0)).collect()
    }
}

/// The result of a matrix product.
pub(super) fn tile(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    let dims = Dims::of(keys, shape)?;
    let tile = match &*keys.attribute.name {
        "nvidia_mma" | "mma" => nvidia(keys, dims)?,
        "amd_mfma" | "mfma" => mfma(keys, dims, shape)?,
        "amd_wmma" | "wmma" => wmma(keys, dims)?,
        "dpas" => dpas(keys, dims)?,
        _ => return Err(keys.unknown()),
    };
    let order = dims.then_batch([dims.n, dims.m]);
    Ok(Cluster::of(keys, dims.rank)?.fit(tile, shape, &order))
}

/// An operand of a matrix product.
pub(super) fn operand(
    keys: Keys<'_>,
    parent: Keys<'_>,
    shape: &[u64],
) -> Result<TritonTile, ParseError> {
    let dims = Dims::of(parent, shape)?;
    let (number, k) = keys.operand(dims.rank)?;
    let cluster = match &*parent.attribute.name {
        // Its blocks split the summed dimension, too.
        "amd_mfma" | "mfma" => Cluster::of(parent, dims.rank)?,
        _ => Cluster::of(parent, dims.rank)?.summed(k),
    };
    // The dimension that the operand shares with the result.
    let own = if number == 0 { dims.m } else { dims.n };
    let of = Operand { dims, number, k, own, width: keys.power("kWidth")? };
    let tile = match &*parent.attribute.name {
        "nvidia_mma" | "mma" => nvidia_operand(keys, parent, of)?,
        "amd_mfma" | "mfma" => mfma_operand(parent, of, shape)?,
        "amd_wmma" | "wmma" => wmma_operand(parent, of)?,
        "dpas" => dpas_operand(keys, parent, of)?,
        _ => return Err(parent.unknown()),
    };
    Ok(cluster.fit(tile, shape, &dims.then_batch([k, own])))
}

/// An operand: 0 or 1, the dimension that the product sums over, and the number of its elements that follow each other in
/// a lane.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) dims: Dims,
    pub(super) number: u64,
    pub(super) k: usize,
    pub(super) own: usize,
    pub(super) width: u64,
}

/// Adds `warpsPerCTA` in an order; along a summed dimension, warps hold copies.
pub(super) fn put_warps(
    tile: &mut TritonTile,
    counts: &[u64],
    order: &[usize],
    summed: Option<usize>,
) {
    for &dim in order {
        match summed == Some(dim) {
            true => tile.copy(Input::Warp, counts[dim]),
            false => tile.grow(Input::Warp, dim, counts[dim]),
        }
    }
}

/// The generation of the instructions, 2 (Ampere) or 3 (Hopper), and the rows and columns of a result.
fn nvidia_shape(keys: Keys<'_>, dims: Dims) -> Result<(u64, u64, u64), ParseError> {
    check_keys(keys, &["versionMajor", "versionMinor", "warpsPerCTA", "instrShape"])?;
    let version = keys.number("versionMajor")?;
    keys.check("versionMajor", matches!(version, 2 | 3), || {
        format!("version {version} is not supported; 2 (Ampere) and 3 (Hopper) are")
    })?;
    let shape = keys.numbers("instrShape")?;
    match (version, dims.rank, &shape[..]) {
        (2, 2, [m @ (8 | 16), 8]) | (2, 3, [1, m @ (8 | 16), 8]) => Ok((version, *m, 8)),
        (3, _, [16, n] | [16, n, _]) if n.is_power_of_two() && (8..=256).contains(n) => {
            Ok((version, 16, *n))
        }
        _ => {
            let why = "`instrShape` is [16, 8] or, for f64, [8, 8] in version 2, and [16, N, K] in \
                       version 3 with N a power of two from 8 to 256";
            Err(keys.refuse_key("instrShape", why))
        }
    }
}

/// Ampere counts warps along N first, Hopper along M.
fn nvidia_warps(dims: Dims, version: u64) -> Vec<usize> {
    dims.then_batch(if version == 2 { [dims.n, dims.m] } else { [dims.m, dims.n] })
}

fn nvidia(keys: Keys<'_>, dims: Dims) -> Result<TritonTile, ParseError> {
    let (version, rows, columns) = nvidia_shape(keys, dims)?;
    let mut tile = TritonTile::new(dims.rank);
    tile.grow(Input::Register, dims.n, 2);
    tile.grow(Input::Lane, dims.n, 4);
    tile.grow(Input::Lane, dims.m, 8);
    tile.grow(Input::Register, dims.m, rows / 8);
    tile.grow(Input::Register, dims.n, columns / 8);
    let counts = keys.powers("warpsPerCTA", dims.rank)?;
    put_warps(&mut tile, &counts, &nvidia_warps(dims, version), None);
    Ok(tile)
}

fn nvidia_operand(keys: Keys<'_>, parent: Keys<'_>, of: Operand) -> Result<TritonTile, ParseError> {
    let (version, rows, _) = nvidia_shape(parent, of.dims)?;
    if version == 3 && of.number == 1 {
        return Err(keys.refuse("operand 1 of Hopper's products is read from shared memory"));
    }
    let mut tile = TritonTile::new(of.dims.rank);
    tile.grow(Input::Register, of.k, of.width);
    tile.grow(Input::Lane, of.k, 4);
    tile.grow(Input::Lane, of.own, 8);
    if rows == 16 {
        // Operand 0 has 16 rows, operand 1 has 8 columns; both have two groups along K.
        tile.grow(Input::Register, of.own, if of.number == 0 { 2 } else { 1 });
        tile.grow(Input::Register, of.k, 2);
    }
    let counts = parent.powers("warpsPerCTA", of.dims.rank)?;
    put_warps(&mut tile, &counts, &nvidia_warps(of.dims, version), Some(of.k));
    Ok(tile)
}

/// The rows and columns that one AMD instruction makes, and the tiles that a warp has along each dimension.
fn mfma_shape(keys: Keys<'_>, dims: Dims) -> Result<([u64; 2], Vec<u64>), ParseError> {
    let version = ["version", "versionMajor", "versionMinor"];
    let own = ["warpsPerCTA", "instrShape", "isTransposed", "tilesPerWarp", "elementBitWidth"];
    check_keys(keys, &[&version[..], &own].concat())?;
    let shape = keys.numbers("instrShape")?;
    let is_transposed = keys.flag("isTransposed")?;
    let size = match (shape.get(..2).unwrap_or(&[]), is_transposed) {
        (&[m @ (16 | 32), n], _) if m == n => [m, n],
        (&[64, 4], true) => [64, 4],
        (&[4, 64], false) => [4, 64],
        _ => {
            let why = "only instructions of 16 x 16, 32 x 32, 64 x 4 (transposed) and 4 x 64 (not \
                       transposed) are read";
            return Err(keys.refuse_key("instrShape", why));
        }
    };
    let tiles = match keys.has("tilesPerWarp") {
        true => keys.powers("tilesPerWarp", dims.rank)?,
        false => vec![1; dims.rank],
    };
    keys.check("tilesPerWarp", dims.rank == 2 || tiles[0] == 1, || {
        "a warp has one tile along the batch".into()
    })?;
    Ok((size, tiles))
}

/// The number of rows that follow each other in a lane: one of 64 bits, four of 32.
fn mfma_height(keys: Keys<'_>, size: [u64; 2]) -> Result<u64, ParseError> {
    let bits = if keys.has("elementBitWidth") { keys.number("elementBitWidth")? } else { 32 };
    match (bits, size) {
        (32, _) => Ok(4),
        (64, [16, 16]) => Ok(1),
        _ => {
            let why = "results have 32 bits or, in instructions of 16 x 16, 64 bits";
            Err(keys.refuse_key("elementBitWidth", why))
        }
    }
}

fn mfma(keys: Keys<'_>, dims: Dims, shape: &[u64]) -> Result<TritonTile, ParseError> {
    let (size, tiles) = mfma_shape(keys, dims)?;
    let height = mfma_height(keys, size)?;
    let [(rows, _), (columns, across)] = match keys.flag("isTransposed")? {
        true => [(dims.n, size[1]), (dims.m, size[0])],
        false => [(dims.m, size[0]), (dims.n, size[1])],
    };
    let mut tile = TritonTile::new(dims.rank);
    // A group of lanes has a row of the columns; the groups take `height` rows each, in turn.
    tile.grow(Input::Register, rows, height);
    tile.grow(Input::Lane, columns, across);
    tile.grow(Input::Lane, rows, 64 / across);
    tile.grow(Input::Register, rows, size[0] * size[1] / (64 * height));
    let counts = keys.powers("warpsPerCTA", dims.rank)?;
    let order = dims.then_batch([dims.n, dims.m]);
    tile.grow(Input::Register, dims.n, tiles[dims.n]);
    put_warps(&mut tile, &counts, &order[..1], None);
    // Registers cover the columns of the whole tensor before blocks split it: copies are left.
    tile.cover(dims.n, shape[dims.n]);
    tile.grow(Input::Register, dims.m, tiles[dims.m]);
    put_warps(&mut tile, &counts, &order[1..], None);
    Ok(tile)
}

fn mfma_operand(parent: Keys<'_>, of: Operand, shape: &[u64]) -> Result<TritonTile, ParseError> {
    let (size, tiles) = mfma_shape(parent, of.dims)?;
    let own = if of.number == 0 { size[0] } else { size[1] };
    let mut tile = TritonTile::new(of.dims.rank);
    tile.grow(Input::Register, of.k, of.width);
    tile.grow(Input::Lane, of.own, own);
    tile.grow(Input::Lane, of.k, 64 / own);
    if own == 64 {
        tile.grow(Input::Register, of.k, 16);
    }
    tile.cover(of.k, shape[of.k]);
    tile.grow(Input::Register, of.own, tiles[of.own]);
    let counts = parent.powers("warpsPerCTA", of.dims.rank)?;
    let order = of.dims.then_batch([of.dims.n, of.dims.m]);
    put_warps(&mut tile, &counts, &order, Some(of.k));
    Ok(tile)
}

/// An AMD instruction of 32 lanes.
struct Wmma {
    /// 1 for RDNA 3, 2 for RDNA 4, 3 for gfx1250.
    version: u64,
    is_transposed: bool,
    /// Rows and columns of a result, transposed if that is.
    size: [u64; 2],
    depth: u64,
    /// The tile that each bit of the register and of the warp maps to.
    registers: Vec<Basis>,
    warps: Vec<Basis>,
}

impl Wmma {
    fn of(keys: Keys<'_>, dims: Dims) -> Result<Wmma, ParseError> {
        let own = ["version", "isTranspose", "ctaLayout", "warpsPerCTA", "instrShape"];
        check_keys(keys, &own)?;
        let version = keys.number("version")?;
        keys.check("version", (1..=3).contains(&version), || {
            format!("version {version} is not supported; 1, 2 and 3 are")
        })?;
        let shape = match keys.has("instrShape") {
            true => keys.powers_of("instrShape")?,
            false => vec![16; 3],
        };
        let is_transposed = keys.flag("isTranspose")?;
        let (size, depth) = match (version, &shape[..]) {
            (_, [16, 16, k]) => ([16, 16], *k),
            (3, [32, 16, k]) if is_transposed => ([16, 32], *k),
            (3, [32, 16, k]) => ([32, 16], *k),
            _ => {
                let why = "only instructions of 16 x 16 and, in version 3, of 32 x 16 are read";
                return Err(keys.refuse_key("instrShape", why));
            }
        };
        let bases = |inner| keys.bases_under("ctaLayout", inner, &["register", "warp"], dims.rank);
        let [registers, warps] = match keys.has("ctaLayout") {
            true => [bases("register")?, bases("warp")?],
            false => [Vec::new(), counted(&keys.powers("warpsPerCTA", dims.rank)?, dims)],
        };
        Ok(Wmma { version, is_transposed, size, depth, registers, warps })
    }

    /// Adds the tiles of registers and warps, of which warps hold copies along a summed dimension.
    fn put_tiles(&self, tile: &mut TritonTile, dims: Dims, summed: Option<usize>) {
        let at = |basis: &Basis| -> Basis {
            let size = |dim| match dim {
                dim if summed == Some(dim) => 0,
                dim if dim == dims.m => self.size[0],
                dim if dim == dims.n => self.size[1],
                _ => 1,
            };
            basis.iter().enumerate().map(|(dim, value)| value.saturating_mul(size(dim))).collect()
        };
        let is_copy = |basis: &Basis| basis.iter().all(|value| *value == 0);
        let registers = self.registers.iter().map(at);
        let registers = registers.filter(|basis| summed.is_none() || !is_copy(basis)).collect_vec();
        registers.into_iter().for_each(|basis| tile.push(Input::Register, basis));
        self.warps.iter().for_each(|basis| tile.push(Input::Warp, at(basis)));
    }
}

/// The tiles of `warpsPerCTA`: along N, then M, then the batch.
fn counted(counts: &[u64], dims: Dims) -> Vec<Basis> {
    let mut tile = TritonTile::new(dims.rank);
    put_warps(&mut tile, counts, &dims.then_batch([dims.n, dims.m]), None);
    tile.bases(Input::Warp).to_vec()
}

fn wmma(keys: Keys<'_>, dims: Dims) -> Result<TritonTile, ParseError> {
    let wmma = Wmma::of(keys, dims)?;
    let (rows, columns) = if wmma.is_transposed { (dims.n, dims.m) } else { (dims.m, dims.n) };
    let mut tile = TritonTile::new(dims.rank);
    // Half-waves take rows in turn on RDNA 3, and half of the rows each later.
    let (step, half) = if wmma.version == 1 { (2, 1) } else { (1, 8) };
    [1, 2, 4].into_iter().for_each(|row| tile.put(Input::Register, [(rows, row * step)]));
    tile.grow(Input::Lane, columns, 16);
    tile.put(Input::Lane, [(rows, half)]);
    tile.grow(Input::Register, rows, wmma.size[0].max(wmma.size[1]) / 16);
    wmma.put_tiles(&mut tile, dims, None);
    Ok(tile)
}

fn wmma_operand(parent: Keys<'_>, of: Operand) -> Result<TritonTile, ParseError> {
    let wmma = Wmma::of(parent, of.dims)?;
    let mut tile = TritonTile::new(of.dims.rank);
    tile.grow(Input::Register, of.k, of.width);
    tile.grow(Input::Lane, of.own, 16);
    match wmma.version {
        1 => tile.copy(Input::Lane, 2),
        _ => tile.grow(Input::Lane, of.k, 2),
    }
    // Both half-waves count, also where the second has copies.
    tile.grow(Input::Register, of.k, (wmma.depth / (2 * of.width)).max(1));
    let own = if of.number == 0 { wmma.size[0] } else { wmma.size[1] };
    tile.grow(Input::Register, of.own, own / 16);
    wmma.put_tiles(&mut tile, of.dims, Some(of.k));
    Ok(tile)
}
