//! Encodings of matrix instructions: results and operands.
//!
//! ```text
//! nvidia_mma 2, 16 x 8     register (0,1) (8,0)    lane (0,2) (0,4) (1,0) (2,0) (4,0)
//! ```

use super::cluster::{Cluster, check_keys};
use super::keys::Keys;
use super::tile::{Basis, Input, TritonTile};
use crate::error::ParseError;

/// Rows and columns of a result.
const M: usize = 0;
const N: usize = 1;

/// The dimension and the value in it that each bit of one instruction maps to.
type Bits = Vec<(usize, u64)>;

/// One instruction.
struct MmaInstruction {
    /// The result in registers and lanes.
    registers: Bits,
    lanes: Bits,
    /// The shape of its result.
    size: [u64; 2],
    warps: Warps,
}

/// The warps over the tiles of a result.
enum Warps {
    /// The number per dimension, and the order in which they are counted.
    Counted([u64; 2], [usize; 2]),
    /// The tile that each bit of the warp maps to.
    Bases(Vec<Basis>),
}

/// 1, 2, 4, .. below `end`, from `first` on.
fn bits(dim: usize, first: u64, end: u64) -> impl Iterator<Item = (usize, u64)> {
    std::iter::successors(Some(first), |value| value.checked_mul(2))
        .take_while(move |value| *value < end)
        .map(move |value| (dim, value))
}

/// The result of a matrix product.
pub(super) fn tile(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    let instruction = instruction(keys)?;
    check_rank(keys, shape)?;
    let cluster = Cluster::of(keys, 2)?;
    let part = cluster.part(shape);
    let mut tile = TritonTile::new(2);
    let own = [(Input::Register, &instruction.registers), (Input::Lane, &instruction.lanes)];
    for (input, bits) in own {
        bits.iter().for_each(|(dim, value)| tile.put(input, *dim, *value));
    }
    instruction.put_warps(&mut tile, None);
    if matches!(&*keys.attribute.name, "amd_mfma" | "mfma") {
        // Registers cover the columns of the whole tensor before blocks split it: copies are left.
        tile.cover(N, shape[N]);
    }
    tile.fit(&part, &[N, M]);
    *tile.bases_mut(Input::Block) = cluster.blocks(shape);
    Ok(tile)
}

fn check_rank(keys: Keys<'_>, shape: &[u64]) -> Result<(), ParseError> {
    match shape.len() {
        2 => Ok(()),
        rank => Err(keys.refuse(format!(
            "`{}` is read for matrices, and the tensor has rank {rank}",
            keys.attribute.name
        ))),
    }
}

fn instruction(keys: Keys<'_>) -> Result<MmaInstruction, ParseError> {
    match &*keys.attribute.name {
        "nvidia_mma" | "mma" => nvidia(keys),
        "amd_mfma" | "mfma" => mfma(keys),
        "amd_wmma" | "wmma" => wmma(keys),
        _ => Err(keys.unknown()),
    }
}

/// `warpsPerCTA`, counted in an order.
fn counted(keys: Keys<'_>, order: [usize; 2]) -> Result<Warps, ParseError> {
    let counts = keys.powers("warpsPerCTA", 2)?;
    Ok(Warps::Counted([counts[M], counts[N]], order))
}

/// The generation of the instructions: 2 (Ampere) or 3 (Hopper).
fn nvidia_version(keys: Keys<'_>) -> Result<u64, ParseError> {
    match keys.number("versionMajor")? {
        version @ (2 | 3) => Ok(version),
        version => Err(keys.refuse_key(
            "versionMajor",
            format!("version {version} is not supported; 2 (Ampere) and 3 (Hopper) are"),
        )),
    }
}

fn nvidia(keys: Keys<'_>) -> Result<MmaInstruction, ParseError> {
    check_keys(keys, &["versionMajor", "versionMinor", "warpsPerCTA", "instrShape"])?;
    let version = nvidia_version(keys)?;
    let shape = keys.numbers("instrShape")?;
    let columns = match (version, &shape[..]) {
        (2, [16, 8]) => 8,
        (3, [16, n] | [16, n, _]) if n.is_power_of_two() && (8..=256).contains(n) => *n,
        _ => {
            let why = "`instrShape` is [16, 8] in version 2, and [16, N, K] in version 3 with N a \
                       power of two from 8 to 256";
            return Err(keys.refuse_key("instrShape", why));
        }
    };
    // Ampere counts warps along N first, Hopper along M.
    let order = if version == 2 { [N, M] } else { [M, N] };
    Ok(MmaInstruction {
        registers: [(N, 1), (M, 8)].into_iter().chain(bits(N, 8, columns)).collect(),
        lanes: bits(N, 2, 8).chain(bits(M, 1, 8)).collect(),
        size: [16, columns],
        warps: counted(keys, order)?,
    })
}

/// Rows of the square that an AMD instruction makes.
fn mfma_size(keys: Keys<'_>) -> Result<u64, ParseError> {
    match &keys.numbers("instrShape")?[..] {
        [m @ (16 | 32), n] | [m @ (16 | 32), n, _] if m == n => Ok(*m),
        _ => {
            Err(keys.refuse_key("instrShape", "only instructions of 16 x 16 and 32 x 32 are read"))
        }
    }
}

fn mfma(keys: Keys<'_>) -> Result<MmaInstruction, ParseError> {
    let version = ["version", "versionMajor", "versionMinor"];
    let own = ["warpsPerCTA", "instrShape", "isTransposed", "tilesPerWarp", "elementBitWidth"];
    check_keys(keys, &[&version[..], &own].concat())?;
    if keys.has("tilesPerWarp") && keys.numbers("tilesPerWarp")?.iter().any(|tiles| *tiles != 1) {
        return Err(keys.refuse_key("tilesPerWarp", "more than one tile per warp is not supported"));
    }
    if keys.has("elementBitWidth") && keys.number("elementBitWidth")? != 32 {
        return Err(keys.refuse_key("elementBitWidth", "only results of 32 bits are read"));
    }
    let size = mfma_size(keys)?;
    // A group of lanes has a row of the columns; the groups take four rows each, in turn.
    let groups = 64 / size;
    let (rows, columns) = if keys.flag("isTransposed")? { (N, M) } else { (M, N) };
    Ok(MmaInstruction {
        registers: bits(rows, 1, 4).chain(bits(rows, 4 * groups, size)).collect(),
        lanes: bits(columns, 1, size).chain(bits(rows, 4, 4 * groups)).collect(),
        size: [size, size],
        warps: counted(keys, [N, M])?,
    })
}

/// 1 for RDNA 3, 2 for RDNA 4.
fn wmma_version(keys: Keys<'_>) -> Result<u64, ParseError> {
    match keys.number("version")? {
        version @ (1 | 2) => Ok(version),
        version => {
            Err(keys
                .refuse_key("version", format!("version {version} is not supported; 1 and 2 are")))
        }
    }
}

fn wmma(keys: Keys<'_>) -> Result<MmaInstruction, ParseError> {
    let own = ["version", "isTranspose", "ctaLayout", "warpsPerCTA", "instrShape"];
    check_keys(keys, &own)?;
    if keys.has("instrShape") && !matches!(keys.numbers("instrShape")?[..], [16, 16, _]) {
        return Err(keys.refuse_key("instrShape", "only instructions of 16 x 16 are read"));
    }
    let is_first = wmma_version(keys)? == 1;
    let (rows, columns) = if keys.flag("isTranspose")? { (N, M) } else { (M, N) };
    let warps = match keys.has("ctaLayout") {
        true => Warps::Bases(keys.bases_under("ctaLayout", "warp", 2)?),
        false => counted(keys, [N, M])?,
    };
    // Half-waves take rows in turn on RDNA 3, and half of the rows each on RDNA 4.
    let (step, half) = if is_first { (2, 1) } else { (1, 8) };
    Ok(MmaInstruction {
        registers: bits(rows, step, 8 * step).collect(),
        lanes: bits(columns, 1, 16).chain([(rows, half)]).collect(),
        size: [16, 16],
        warps,
    })
}

impl MmaInstruction {
    /// Adds the warps to a tile, which along a summed dimension are copies.
    fn put_warps(&self, tile: &mut TritonTile, summed: Option<usize>) {
        match &self.warps {
            Warps::Counted(counts, order) => {
                for &dim in order {
                    match summed == Some(dim) {
                        true => tile.copy(Input::Warp, counts[dim]),
                        false => tile.grow(Input::Warp, dim, counts[dim]),
                    }
                }
            }
            Warps::Bases(bases) => {
                for basis in bases {
                    let at = |dim: usize| match summed == Some(dim) {
                        true => 0,
                        false => basis[dim].saturating_mul(self.size[dim]),
                    };
                    tile.push(Input::Warp, vec![at(M), at(N)]);
                }
            }
        }
    }
}

/// An operand of a matrix product.
pub(super) fn operand(
    keys: Keys<'_>,
    parent: Keys<'_>,
    shape: &[u64],
) -> Result<TritonTile, ParseError> {
    check_rank(parent, shape)?;
    let instruction = instruction(parent)?;
    Cluster::of(parent, 2)?.check_one(parent, "an operand of a matrix product")?;
    let (number, k) = keys.operand(2)?;
    // The dimension that the operand shares with the result.
    let own = 1 - k;
    let width = keys.power("kWidth")?;
    let (registers, lanes) = match &*parent.attribute.name {
        "nvidia_mma" | "mma" => {
            if nvidia_version(parent)? == 3 && number == 1 {
                return Err(
                    keys.refuse("operand 1 of Hopper's products is read from shared memory")
                );
            }
            nvidia_operand(own, k, width)
        }
        "amd_mfma" | "mfma" => mfma_operand(own, k, width, mfma_size(parent)?),
        _ => wmma_operand(own, k, width, wmma_version(parent)?),
    };
    let mut tile = TritonTile::new(2);
    registers.iter().for_each(|(dim, value)| tile.put(Input::Register, *dim, *value));
    for lane in lanes {
        match lane {
            Some((dim, value)) => tile.put(Input::Lane, dim, value),
            None => tile.copy(Input::Lane, 2),
        }
    }
    instruction.put_warps(&mut tile, Some(k));
    tile.fit(shape, &[k, own]);
    Ok(tile)
}

/// Bits of registers, and of lanes, where some are copies.
type OperandBits = (Bits, Vec<Option<(usize, u64)>>);

fn nvidia_operand(own: usize, k: usize, width: u64) -> OperandBits {
    // Operand 0 has 16 rows, operand 1 has 8 columns.
    let second_half = (own == M).then_some((M, 8));
    let registers = bits(k, 1, width).chain(second_half).chain([(k, 4 * width)]);
    let lanes = bits(k, width, 4 * width).chain(bits(own, 1, 8));
    (registers.collect(), lanes.map(Some).collect())
}

fn mfma_operand(own: usize, k: usize, width: u64, size: u64) -> OperandBits {
    let lanes = bits(own, 1, size).chain(bits(k, width, width * 64 / size));
    (bits(k, 1, width).collect(), lanes.map(Some).collect())
}

fn wmma_operand(own: usize, k: usize, width: u64, version: u64) -> OperandBits {
    let second_half = (version == 2).then_some((k, width));
    let lanes = bits(own, 1, 16).map(Some).chain([second_half]);
    (bits(k, 1, width).collect(), lanes.collect())
}
