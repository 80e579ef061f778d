//! Encodings of tensor memory (Blackwell): which element is in each row and column.
//!
//! ```text
//! blockM 64, blockN 32, on 128 x 32     row (1,0) (2,0) (4,0) (8,0) (64,0) (16,0) (32,0)     col (0,1) (0,2) ..
//! ```
//!
//! Columns count elements. Row bits of 32 and 64 that map to nothing are copies; all other such bits are places
//! without elements.
//!
//! Source: the rules of triton-lang/triton, `LinearLayoutConversions.cpp`, as of 3.9.

use super::LinearLayout;
use super::cluster::{Cluster, check_keys};
use super::keys::Keys;
use super::tile::{Input, TritonTile};
use crate::error::ParseError;

/// Rows and columns of a tensor.
const M: usize = 0;
const N: usize = 1;

/// The inputs of a tile that are columns and rows here.
const COLUMN: Input = Input::Register;
const ROW: Input = Input::Lane;
const INPUTS: [(Input, &str); 3] = [(ROW, "row"), (COLUMN, "col"), (Input::Block, "block")];

/// The rows and columns of an accumulator or an operand.
pub(super) fn tensor_memory(
    keys: Keys<'_>,
    shape: &[u64],
    bits: Option<u64>,
) -> Result<LinearLayout, ParseError> {
    let own = ["blockM", "blockN", "colStride", "unpacked", "twoCTAs", "fp4Padded"];
    check_keys(keys, &own)?;
    let rows = keys.number("blockM")?;
    keys.check("blockM", matches!(rows, 64 | 128), || {
        format!("`blockM` is {rows}, not 64 or 128")
    })?;
    let cluster = matrix(keys, shape)?;
    let part = cluster.part(shape);
    if part[M] < rows {
        return Err(keys.refuse(format!("a block has {rows} rows, and the tensor {}", part[M])));
    }
    let columns = keys.power("blockN")?.min(part[N]);
    let mut tile = TritonTile::new(2);
    tile.copy(COLUMN, column_stride(keys, bits)?);
    if rows == 128 {
        tile.grow(ROW, M, 128);
        tile.grow(COLUMN, N, columns);
    } else if two_blocks(keys)? {
        if columns == 1 {
            return Err(keys.refuse_key("twoCTAs", "two blocks share at least two columns"));
        }
        tile.grow(ROW, M, 64);
        tile.grow(COLUMN, N, columns / 2);
        tile.grow(ROW, N, 2);
    } else {
        half_rows(&mut tile, columns, &part);
    }
    Ok(cluster.fit(tile, shape, &[M, N]).to_linear(&INPUTS, shape))
}

/// The layout of 64 rows: 16 of every 32. The others hold the next 64 rows or else the next columns, if there are some.
fn half_rows(tile: &mut TritonTile, columns: u64, part: &[u64]) {
    tile.grow(ROW, M, 16);
    tile.grow(COLUMN, N, columns);
    match (part[M] > 64, part[N] > columns) {
        (true, _) => tile.put(ROW, [(M, 64)]),
        (false, true) => tile.put(ROW, [(N, columns)]),
        (false, false) => tile.copy(ROW, 2),
    }
    [16, 32].into_iter().for_each(|row| tile.put(ROW, [(M, row)]));
}

/// Two blocks of a cluster that compute together.
fn two_blocks(keys: Keys<'_>) -> Result<bool, ParseError> {
    let is_set = keys.flag("twoCTAs")?;
    let is_split = || Ok::<_, ParseError>(keys.bases("CGALayout", 2)?.first() == Some(&vec![1, 0]));
    if is_set && !(keys.has("CGALayout") && is_split()?) {
        return Err(keys.refuse_key("twoCTAs", "`twoCTAs` needs `CGALayout = [[1, 0], ..]`"));
    }
    Ok(is_set)
}

/// The distance between neighbours in a row, in elements.
fn column_stride(keys: Keys<'_>, bits: Option<u64>) -> Result<u64, ParseError> {
    let padded = if keys.flag("fp4Padded")? { 2 } else { 1 };
    if !keys.has("unpacked") {
        return Ok(padded * keys.power("colStride")?);
    }
    // Before 3.5: an unpacked element takes a column of 32 bits.
    match (keys.flag("unpacked")?, bits) {
        (false, _) => Ok(1),
        (true, Some(bits @ (8 | 16 | 32))) => Ok(32 / bits),
        (true, _) => Err(keys.refuse_key("unpacked", "unpacked elements have 8, 16 or 32 bits")),
    }
}

/// The rows and columns of the scales of a product: 32 rows, which four warps have copies of.
pub(super) fn scales(keys: Keys<'_>, shape: &[u64]) -> Result<LinearLayout, ParseError> {
    check_keys(keys, &["blockRepOrder"])?;
    let order = match keys.has("blockRepOrder") {
        false => [M, N],
        true => match keys.word("blockRepOrder")? {
            "mnThenK" => [M, N],
            "kThenMn" => [N, M],
            _ => {
                let why = "`blockRepOrder` is mnThenK or kThenMn";
                return Err(keys.refuse_key("blockRepOrder", why));
            }
        },
    };
    let cluster = matrix(keys, shape)?;
    let mut tile = TritonTile::new(2);
    tile.grow(ROW, M, 32);
    tile.copy(ROW, 4);
    tile.grow(COLUMN, N, 4);
    tile.grow(COLUMN, M, 2);
    if order == [N, M] {
        // Up to 128 rows are one block.
        tile.cover(M, cluster.part(shape)[M].min(128));
    }
    Ok(cluster.fit(tile, shape, &order).to_linear(&INPUTS, shape))
}

fn matrix(keys: Keys<'_>, shape: &[u64]) -> Result<Cluster, ParseError> {
    match shape.len() {
        2 => Cluster::of(keys, 2),
        rank => Err(keys.refuse(format!("tensor memory holds matrices, and the rank is {rank}"))),
    }
}
