//! The changes that a copy makes, by its opcode and a pair of shapes, and whether it moves bytes.

use std::sync::OnceLock;

use itertools::Itertools;

use crate::HloInstruction;
use tensor_layout::algebra::Layout;
use tensor_layout::xla::{XlaArray, XlaLayout, XlaParser, XlaShape, XlaSplit, check_attributes};

/// The rank of a copy: true unless it is known to be free, then the sum of bytes read and written.
pub(super) type Waste = (bool, u128);

pub(super) fn waste(read: u64, written: u64, is_free: Option<bool>) -> Waste {
    (is_free != Some(true), u128::from(read) + u128::from(written))
}

/// The cost of an opcode for a pair of shapes: bytes read and written, and whether it is free.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) is_free: Option<bool>,
    /// Filled only for copies that are listed.
    pub(super) words: OnceLock<OpcodeWords>,
}

/// A pair of shapes, and the differences between them, in words.
#[derive(Clone, Debug, Default)]
pub(super) struct OpcodeWords {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) changes: Vec<String>,
}

impl Change {
    pub(super) fn of(
        opcode: &str,
        [operand, from, name, to]: [&str; 4],
        dimensions: Option<&str>,
    ) -> Result<Change, String> {
        let one = |name: &str, shape: &str, is_result| {
            let array = array(opcode, shape, is_result)?;
            array.ok_or_else(|| format!("`{name}` is not one array"))
        };
        let (before, after) = (one(operand, from, false)?, one(name, to, true)?);
        let bytes = |array: &XlaArray| match opcode {
            "bitcast" => Ok(0),
            _ => match array.sizes() {
                Ok(sizes) => Ok(sizes.allocated_bytes),
                Err(error) => Err(error.kind().to_string()),
            },
        };
        let written = bytes(&after)?;
        // A slice reads what it writes.
        let read = if is_slice(opcode) { written } else { bytes(&before)? };
        let is_free = is_free(opcode, dimensions, &before, &after);
        Ok(Change { read, written, is_free, words: OnceLock::new() })
    }
}

impl OpcodeWords {
    /// Describes a key of `HloCopies`: the opcode and the two shapes, which were read before.
    pub(super) fn of(pair: &str) -> OpcodeWords {
        let mut lines = pair.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (opcode, from, to) = (next(), next(), next());
        let one = |text, is_result| array(opcode, text, is_result).ok().flatten();
        let Some((from, to)) = one(from, false).zip(one(to, true)) else {
            return OpcodeWords::default();
        };
        let changes = changes(&from, &to);
        OpcodeWords { from: from.to_string(), to: to.to_string(), changes }
    }
}

/// The opcode that is shown for a fusion that only copies and converts.
pub(super) const COPY_AND_CONVERT: &str = "copy and convert";

fn is_free(opcode: &str, dimensions: Option<&str>, from: &XlaArray, to: &XlaArray) -> Option<bool> {
    match opcode {
        "bitcast" => Some(true),
        "transpose" => stays(from, to, Some(dimensions?)).ok(),
        "reshape" => stays(from, to, None).ok(),
        _ => Some(false),
    }
}

pub(super) fn is_copy(of: HloInstruction<'_>) -> bool {
    let opcode = of.opcode();
    // A prefetch of a slice may be written as the start of any computation.
    let is_slice_start = || of.name().contains("slice-start") && of.operands().len() > 0;
    matches!(opcode, "copy" | "copy-start" | "transpose" | "reshape" | "bitcast")
        || is_slice(opcode) && (opcode != ASYNC || is_slice_start())
}

const ASYNC: &str = "async-start";

fn is_slice(opcode: &str) -> bool {
    matches!(opcode, "slice-start" | "dynamic-slice-start" | ASYNC)
}

/// The array that a copy reads or writes, its layout written out; the tuple of a `copy-start` has its
/// result first.
fn array(opcode: &str, shape: &str, is_result: bool) -> Result<Option<XlaArray>, String> {
    let shape = XlaParser::strict().parse(shape).map_err(|error| error.kind().to_string())?;
    let shape = shape.canonical();
    let XlaShape::Tuple(members) = &shape else { return Ok(shape.as_array().cloned()) };
    let member = match opcode {
        "copy-start" if is_result => members.first(),
        _ if is_slice(opcode) && is_result => members.get(1),
        _ => None,
    };
    Ok(member.and_then(XlaShape::as_array).cloned())
}

/// Returns whether every element keeps its place; `order` is that of a transpose, `None` for a reshape.
fn stays(
    from: &XlaArray,
    to: &XlaArray,
    order: Option<&str>,
) -> Result<bool, Box<dyn std::error::Error>> {
    if from.dtype != to.dtype || in_memory(from) != in_memory(to) {
        return Ok(false);
    }
    check_attributes(from, to)?;
    let before = from.lower()?;
    let moved: Layout = match order {
        Some(order) => {
            let order = order.trim_matches(['{', '}']).split(',').filter(|axis| !axis.is_empty());
            let order: Vec<usize> = order.map(|axis| axis.trim().parse()).try_collect()?;
            before.permute(&order)?
        }
        None => before.reshape(&to.extents()?)?,
    };
    Ok(moved.same_up_to_padding(&to.lower()?)?.is_none())
}

/// Returns the attributes of a layout that move bytes without being in its index map: `E`, `S`, `M`, `SC`.
fn in_memory(array: &XlaArray) -> (u64, i64, i64, Vec<XlaSplit>) {
    let layout = array.layout_or_default();
    let prefix = layout.prefix_bytes.max(0);
    (array.element_bits(), layout.memory_space, prefix, layout.splits)
}

/// Describes the differences between two arrays, a phrase for each attribute.
fn changes(from: &XlaArray, to: &XlaArray) -> Vec<String> {
    let dims = |array: &XlaArray| format!("[{}]", array.dims.iter().join(","));
    let [before, after] = [from, to].map(XlaArray::layout_or_default);
    let orders = [&before, &after].map(|layout| &layout.minor_to_major[..]);
    // Between different ranks the orders are worth a word only if one of them is not row-major.
    let has_order = orders[0].len() == orders[1].len() || !orders.iter().all(|o| is_row_major(o));
    let bits = [from, to].map(|array| array.element_bits().to_string());
    let pairs = [
        ("type", [from.dtype.to_string(), to.dtype.to_string()], true),
        ("shape", [dims(from), dims(to)], true),
        ("order", orders.map(|order| format!("{{{}}}", order.iter().join(","))), has_order),
        ("tiles", [&before, &after].map(tiles), true),
        ("memory space", [before.memory_space, after.memory_space].map(|s| s.to_string()), true),
        // A different type already implies a different width.
        ("element bits", bits, from.dtype == to.dtype),
        ("prefix bytes", [before.prefix_bytes, after.prefix_bytes].map(|m| m.to_string()), true),
        ("splits", [&before, &after].map(splits), true),
        ("tail padding", [&before, &after].map(|l| l.tail_padding.unwrap_or(1).to_string()), true),
    ];
    let differs =
        pairs.into_iter().filter(|(_, [before, after], counts)| *counts && before != after);
    let purpose = |what| if what == "memory space" { purpose(&before, &after) } else { "" };
    differs
        .map(|(what, [before, after], _)| format!("{what} {before} -> {after}{}", purpose(what)))
        .collect()
}

/// Returns the purpose of a copy between memory spaces of a TPU: 0 is the main memory, 1 the one on the
/// chip, 5 that of the host.
fn purpose(from: &XlaLayout, to: &XlaLayout) -> &'static str {
    match (from.memory_space, to.memory_space) {
        (0, 1) => ": a prefetch",
        (1, 0) => ": a write-back",
        (_, 5) | (5, _) => ": a transfer to or from the host",
        _ => "",
    }
}

fn is_row_major(order: &[i64]) -> bool {
    order.is_sorted_by(|a, b| a > b)
}

fn tiles(layout: &XlaLayout) -> String {
    let tiles = layout.tiles.iter().map(|tile| format!("({})", tile.iter().join(",")));
    or_none("T", &tiles.collect::<String>())
}

fn splits(layout: &XlaLayout) -> String {
    or_none("SC", &layout.splits.iter().join(""))
}

/// Returns a list after its mark, or `none` if it is empty.
fn or_none(mark: &str, list: &str) -> String {
    if list.is_empty() { "none".into() } else { format!("{mark}{list}") }
}
