//! Encodings of shared memory: which element is at each offset.
//!
//! ```text
//! swizzled_shared, vec 2, 4 phases of 1 row, 4 x 8
//! offset (0,1) (0,2) (0,4) (1,2) (2,4)     row 1 flips bit 1 of the column, row 2 bit 2
//! ```
//!
//! Source: the rules of triton-lang/triton, `LinearLayoutConversions.cpp`, as of 3.9.

use itertools::Itertools;

use super::LinearLayout;
use super::cluster::{Cluster, check_keys};
use super::keys::Keys;
use super::linear::Padding;
use super::tensor_memory::{scales, tensor_memory};
use super::tile::{Basis, Input, TritonTile, out_dims};
use crate::error::ParseError;
use crate::number::{to_index, to_u64};

/// The element at each offset of shared memory, and the padding, for a tensor of this shape; `None` for
/// encodings of something else. `bits` is the width of an element, if its type gives it.
pub(super) fn shared(
    keys: Keys<'_>,
    shape: &[u64],
    bits: Option<u64>,
) -> Result<Option<(LinearLayout, Padding)>, ParseError> {
    let layout = match &*keys.attribute.name {
        "shared" if keys.flag("hasLeadingOffset")? => old_nvmma(keys, shape, bits)?,
        "shared" | "swizzled_shared" => swizzled(keys, shape)?,
        "nvmma_shared" => nvmma(keys, shape)?,
        "shared_linear" => written(keys, shape)?,
        "padded_shared" => return padded(keys, shape).map(Some),
        "partitioned_shared" => return partitioned(keys, shape, bits).map(Some),
        "tensor_memory_encoding" => tensor_memory(keys, shape, bits)?,
        "tensor_memory_scales_encoding" => scales(keys, shape)?,
        _ => return Ok(None),
    };
    Ok(Some((layout, Padding::default())))
}

/// The rank that an encoding of shared memory is for; `None` for encodings of something else, and where
/// no basis has one.
pub(super) fn rank(keys: Keys<'_>) -> Result<Option<usize>, ParseError> {
    Ok(match &*keys.attribute.name {
        "nvmma_shared" if keys.has("rank") => Some(to_index(keys.number("rank")?)),
        // Triton prints other ranks only.
        "nvmma_shared" | "tensor_memory_encoding" => Some(2),
        "partitioned_shared" => rank(keys.inner("partitionLayout")?)?,
        "shared_linear" => keys.rank_of_bases("offset")?,
        "padded_shared" if keys.has("offset") => keys.rank_of_bases("offset")?,
        "shared" | "swizzled_shared" | "padded_shared" if keys.has("order") => {
            Some(keys.numbers("order")?.len())
        }
        _ => None,
    })
}

/// Rejects padding after more elements than a buffer has, where several follow each other: it would not be the
/// same in all of them; and buffers of tensor memory that share a column of 32 bits.
pub(super) fn check_buffers(
    keys: Keys<'_>,
    buffer: Option<&LinearLayout>,
    bits: Option<u64>,
) -> Result<(), ParseError> {
    let columns = buffer.and_then(|bases| bases.bases.iter().find(|(name, _)| name == "col"));
    let width = |(_, bases): &(String, Vec<Basis>)| bits.unwrap_or(1) << bases.len().min(5);
    if columns.is_some_and(|columns| width(columns) < 32) {
        return Err(
            keys.refuse("buffers of tensor memory less than 32 bits wide are not supported")
        );
    }
    let offsets = buffer.map(|bases| bases.bases.iter().find(|(name, _)| name == "offset"));
    let bits = offsets.flatten().map(|(_, bases)| bases.len());
    let is_longer = |every: u64| bits.is_some_and(|bits| to_u64(bits) < u64::from(every.ilog2()));
    match keys.attribute.intervals.iter().find(|(every, _)| is_longer(*every)) {
        None => Ok(()),
        Some((every, _)) => Err(keys.refuse(format!(
            "padding after every {every} elements is longer than a buffer, which is not supported"
        ))),
    }
}

/// A swizzle: rows flip vectors of columns.
struct Swizzle {
    vector: u64,
    /// The number of consecutive rows in a phase, which all flip the same bits.
    per_phase: u64,
    /// The number of phases.
    phases: u64,
}

impl Swizzle {
    /// The XOR that a row applies to a column below `columns`.
    fn flips(&self, row: u64, columns: u64) -> u64 {
        self.vector * (row / self.per_phase % self.phases) % columns
    }
}

/// 1, 2, 4, .. below an extent.
fn bits(extent: u64) -> impl Iterator<Item = u64> {
    (0..extent.ilog2()).map(|bit| 1 << bit)
}

/// The inputs of a tile that are offsets and blocks here.
const OFFSETS: [(Input, &str); 2] = [(Input::Register, "offset"), (Input::Block, "block")];

fn layout(shape: &[u64], offsets: Vec<Basis>, blocks: Vec<Basis>) -> LinearLayout {
    let bases = vec![("offset".into(), offsets), ("block".into(), blocks)];
    LinearLayout { bases, outs: out_dims(shape) }
}

fn swizzled(keys: Keys<'_>, shape: &[u64]) -> Result<LinearLayout, ParseError> {
    let own = ["vec", "perPhase", "maxPhase", "order", "hasLeadingOffset"];
    check_keys(keys, &own)?;
    let rank = shape.len();
    let order = keys.order("order", rank)?;
    let (vector, per_phase) = (keys.power("vec")?, keys.power("perPhase")?);
    let swizzle = Swizzle { vector, per_phase, phases: keys.power("maxPhase")? };
    let cluster = Cluster::of(keys, rank)?;
    let part = cluster.part(shape);
    let mut tile = TritonTile::new(rank);
    if let Some(&column) = order.first() {
        tile.cover(column, part[column]);
        if let Some(&row) = order.get(1) {
            for at in bits(part[row]) {
                let flips = swizzle.flips(at, part[column]);
                tile.put(Input::Register, [(row, at), (column, flips)]);
            }
        }
    }
    Ok(cluster.fit(tile, shape, &order).to_linear(&OFFSETS, shape))
}

fn nvmma(keys: Keys<'_>, shape: &[u64]) -> Result<LinearLayout, ParseError> {
    let own = ["swizzlingByteWidth", "transposed", "elementBitWidth", "fp4Padded", "rank"];
    check_keys(keys, &own)?;
    if keys.has("rank") {
        let rank = keys.number("rank")?;
        keys.check("rank", rank == to_u64(shape.len()), || {
            format!("`rank` is {rank}, but the tensor has rank {}", shape.len())
        })?;
    }
    let (width, bits) = (keys.number("swizzlingByteWidth")?, keys.power("elementBitWidth")?);
    keys.check("swizzlingByteWidth", matches!(width, 0 | 32 | 64 | 128), || {
        format!("`swizzlingByteWidth` is {width}, not 0, 32, 64 or 128")
    })?;
    let is_padded = keys.flag("fp4Padded")?;
    keys.check("fp4Padded", !is_padded || (width, bits) == (128, 8), || {
        "padded elements of 4 bits are two in an element of 8 bits, with a swizzle of 128 bytes"
            .into()
    })?;
    let is_transposed = keys.flag("transposed")?;
    tensor_core(keys, shape, TensorCore { width, bits, is_transposed, is_padded })
}

/// The layout that tensor cores of Hopper and later read from shared memory.
struct TensorCore {
    /// Bytes that are swizzled together; 0 for none.
    width: u64,
    /// The number of bits of an element.
    bits: u64,
    is_transposed: bool,
    /// True if 8 elements are followed by as much free space: two times four bits are padded to 16.
    is_padded: bool,
}

/// Reads the encoding that older versions use for tensor cores: a swizzle by phases.
fn old_nvmma(keys: Keys<'_>, shape: &[u64], bits: Option<u64>) -> Result<LinearLayout, ParseError> {
    let own = ["vec", "perPhase", "maxPhase", "order", "hasLeadingOffset"];
    check_keys(keys, &own)?;
    let width = match (keys.number("perPhase")?, keys.number("maxPhase")?) {
        (4, 2) => 32,
        (2, 4) => 64,
        (1, 8) => 128,
        (per_phase, phases) => {
            let message = format!(
                "with `hasLeadingOffset`, `perPhase` and `maxPhase` are 4 and 2, 2 and 4 or 1 and \
                 8, not {per_phase} and {phases}"
            );
            return Err(keys.refuse_key("perPhase", message));
        }
    };
    let bits = bits.filter(|bits| bits.is_power_of_two()).ok_or_else(|| {
        let refusal =
            keys.refuse("the swizzle counts bytes, and the type of the elements is not given");
        refusal.with_help("give the type of the elements to `TritonLayout::with_shape`")
    })?;
    let order = keys.order("order", shape.len())?;
    let is_transposed = order.first().is_some_and(|dim| dim + 1 != shape.len());
    tensor_core(keys, shape, TensorCore { width, bits, is_transposed, is_padded: false })
}

/// The most elements of a dimension that the hardware copies at a time.
const MOST_COPIED: u64 = 256;

/// A tile of 8 rows by the swizzled bytes, then the rows of all tiles that are copied at a time, then the rest.
fn tensor_core(
    keys: Keys<'_>,
    shape: &[u64],
    TensorCore { width, bits: element, is_transposed, is_padded }: TensorCore,
) -> Result<LinearLayout, ParseError> {
    let rank = shape.len();
    if rank < 2 || (is_transposed && rank > 2) {
        let transposed = if is_transposed { "transposed " } else { "" };
        return Err(keys.refuse(format!("a {transposed}tensor of rank {rank} is not supported")));
    }
    let column = if is_transposed { 0 } else { rank - 1 };
    let rows: Vec<usize> = (0..rank).rev().filter(|dim| *dim != column).collect();
    let cluster = Cluster::of(keys, rank)?;
    let part = cluster.part(shape);
    let element = if is_padded { 2 * element } else { element };
    let swizzle = Swizzle::of_width(width, element).map_err(|why| keys.refuse(why))?;
    let mut copied: Vec<u64> = part.iter().map(|extent| *extent.min(&MOST_COPIED)).collect();
    if width > 0 {
        let count = rows.iter().map(|dim| copied[*dim]).product();
        copied[column] = swizzled_columns(width, element, [count, part[column]])
            .map_err(|why| keys.refuse(why))?;
    }
    let mut tile = TritonTile::new(rank);
    if is_padded {
        tile.cover(column, 8);
        tile.copy(Input::Register, 2);
    }
    tile.cover(column, copied[column]);
    // The rows of all other dimensions are swizzled as those of one.
    let mut row = 1;
    for &dim in &rows {
        for at in bits(copied[dim]) {
            let flips = swizzle.flips(row * at % 8, copied[column]);
            tile.put(Input::Register, [(dim, at), (column, flips)]);
        }
        row *= copied[dim];
    }
    let dims = (0..rank).collect_vec();
    Ok(cluster.fit(tile, shape, &dims).to_linear(&OFFSETS, shape))
}

impl Swizzle {
    /// The swizzle of so many bytes, for elements of so many bits.
    fn of_width(width: u64, element: u64) -> Result<Swizzle, String> {
        match (128 / element, width) {
            (_, 0) => Ok(Swizzle { vector: 0, per_phase: 1, phases: 1 }),
            (0, _) => Err(format!("elements of {element} bits are wider than a vector of 128")),
            (vector, width) => Ok(Swizzle { vector, per_phase: 128 / width, phases: width / 16 }),
        }
    }
}

/// The columns that a swizzle of so many bytes moves, of a tensor of some rows and columns.
fn swizzled_columns(width: u64, element: u64, [rows, found]: [u64; 2]) -> Result<u64, String> {
    let columns = 8 * width / element;
    match found < columns || rows < 8 {
        false => Ok(columns),
        true => Err(format!(
            "a swizzle of {width} bytes needs 8 rows of {columns} elements, but there are {rows} of {found}"
        )),
    }
}

/// Pieces along a dimension, in turn in each of a few memories; the pieces in one memory follow each other.
fn partitioned(
    keys: Keys<'_>,
    shape: &[u64],
    bits: Option<u64>,
) -> Result<(LinearLayout, Padding), ParseError> {
    let [count, groups] = ["numPartitions", "numGroups"].map(|key| keys.power(key));
    keys.check_known(&["numPartitions", "numGroups", "partitionDim", "partitionLayout"])?;
    let (count, groups) = (count?, groups?);
    let dim = keys.dimension("partitionDim", shape.len())?;
    let inner = keys.inner("partitionLayout")?;
    let mut piece = shape.to_vec();
    piece[dim] = shape[dim] / (count * groups);
    keys.check("partitionDim", piece[dim] > 0, || {
        format!("dimension {dim} of {} has fewer than {count} x {groups} pieces", shape[dim])
    })?;
    let Some((inside, padding)) = shared(inner, &piece, bits)? else {
        return Err(inner.refuse("a part is laid out by an encoding of shared memory"));
    };
    if groups > 1 && !padding.0.is_empty() {
        return Err(keys.refuse_key("numGroups", "padded pieces are read where there is one group"));
    }
    let [(_, offsets), (_, blocks)] = &inside.bases[..] else {
        return Err(inner.refuse("tensor memory has no partitions"));
    };
    if !blocks.is_empty() {
        return Err(inner.refuse("partitions with a cluster of blocks are not supported"));
    }
    let steps = |from: u64, count: u64| {
        let mut tile = TritonTile::new(shape.len());
        self::bits(count).for_each(|bit| tile.put(Input::Register, [(dim, bit * from)]));
        tile.bases(Input::Register).to_vec()
    };
    let offsets = [offsets.clone(), steps(piece[dim] * count, groups)].concat();
    let mut layout = layout(shape, offsets, Vec::new());
    layout.bases.insert(1, ("partition".into(), steps(piece[dim], count)));
    Ok((layout, padding))
}

/// The offsets as they are written.
fn written(keys: Keys<'_>, shape: &[u64]) -> Result<LinearLayout, ParseError> {
    keys.check_known(&["offset", "block", "alignment"])?;
    bases_as_written(keys, shape)
}

fn bases_as_written(keys: Keys<'_>, shape: &[u64]) -> Result<LinearLayout, ParseError> {
    let blocks = if keys.has("block") { keys.bases("block", shape.len())? } else { Vec::new() };
    Ok(layout(shape, keys.bases("offset", shape.len())?, blocks))
}

/// Elements in row-major order, or as the keys give them, with padding after every so many.
fn padded(keys: Keys<'_>, shape: &[u64]) -> Result<(LinearLayout, Padding), ParseError> {
    keys.check_known(&["order", "shape", "offset", "block"])?;
    let padding = Padding(keys.attribute.intervals.clone());
    if let Some((every, _)) = padding.0.iter().find(|(every, _)| !every.is_power_of_two()) {
        return Err(keys.refuse(format!("the interval {every} is not a power of two")));
    }
    if padding.0.is_empty() {
        return Err(keys.refuse("`padded_shared` needs intervals, as in `[8:+2]`"));
    }
    if keys.has("offset") {
        if keys.has("order") || keys.has("shape") {
            return Err(
                keys.refuse("`offset` already gives the order; leave out `order` and `shape`")
            );
        }
        return Ok((bases_as_written(keys, shape)?, padding));
    }
    if keys.has("block") {
        return Err(keys.refuse_key("block", "`block` goes with `offset`"));
    }
    keys.check("shape", keys.numbers("shape")? == shape, || {
        format!("`shape` is not that of the tensor, {shape:?}")
    })?;
    let mut tile = TritonTile::new(shape.len());
    tile.fit(shape, &keys.order("order", shape.len())?);
    Ok((tile.to_linear(&OFFSETS, shape), padding))
}
