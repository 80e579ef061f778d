//! Copies, transposes, reshapes and bitcasts: what changes, and whether it costs anything.

use std::collections::HashMap;

use itertools::Itertools;

use crate::algebra::Layout;
use crate::error::{LayoutError, Site};
use crate::hlo::roles::{Calls, HloRole};
use crate::hlo::{HloComputation, HloInstruction};
use crate::notation::{XlaArray, XlaLayout, XlaShape};

/// An instruction that moves data, or only renames it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloCopy {
    /// Its name in the dump.
    pub name: String,
    /// `copy`, `copy-start`, `transpose`, `reshape` or `bitcast`.
    pub opcode: String,
    /// The line of the dump.
    pub line: u64,
    /// Its computation, and what that is to its module.
    pub computation: String,
    /// What the computation is to its module: inside of a fusion nothing is read or written.
    pub role: HloRole,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The line of the program that it comes from, as `file:line`.
    pub source: Option<String>,
    /// The shape of its operand.
    pub from: String,
    /// Its own shape.
    pub to: String,
    /// What differs between the two, in words; empty if nothing does.
    pub changes: Vec<String>,
    /// Bytes that it reads, padding included; 0 for a bitcast.
    pub read: u64,
    /// Bytes that it writes.
    pub written: u64,
    /// Whether the bytes stay where they are: a bitcast does nothing else, and a transpose or reshape
    /// of which that is proved could be one. A copy is never free. `None` where it was not decided.
    pub is_free: Option<bool>,
}

/// The copies, transposes, reshapes and bitcasts of a dump.
///
/// An instruction in the body of a loop counts once; one inside of a fusion reads and writes
/// nothing by itself, and is not part of the totals.
/// Cost: O(instructions), and one comparison of layouts for each distinct pair of shapes; memory for
/// all that is listed.
///
/// ```
/// use tensor_layout::hlo::{HloCopies, HloDump};
/// let text = "ENTRY e {
///   a = f32[4,128]{1,0} parameter(0)
///   b = f32[128,4]{0,1} transpose(a), dimensions={1,0}
///   ROOT c = f32[128,4]{1,0} copy(b)
/// }";
/// let (mut dump, mut copies) = (HloDump::new(text.as_bytes()), HloCopies::default());
/// while let Some(computation) = dump.next_computation()? {
///     copies.add(computation)?;
/// }
/// copies.finish()?;
/// let [c, b] = copies.entries() else { panic!() };
/// assert_eq!((b.is_free, c.is_free, c.read), (Some(true), Some(false), 2048));
/// assert_eq!(c.changes, ["order {0,1} -> {1,0}"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HloCopies {
    entries: Vec<HloCopy>,
    /// The computation of every entry of the module that is being read.
    owners: Vec<usize>,
    calls: Calls,
    /// The line of that module, its first entry, and how many computations it has so far.
    module: (u64, usize, usize),
    /// What was found out of pairs of shapes, by their texts, the opcode and its dimensions.
    known: HashMap<[String; 4], Result<Change, String>>,
    /// Instructions that could not be read: the line and why.
    unread: Vec<(u64, String)>,
    moved: (u64, u64),
}

impl HloCopies {
    /// Adds a computation.
    ///
    /// # Errors
    /// None today; what cannot be read is [`unread`](HloCopies::unread).
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        if self.module.0 != computation.module().line() {
            self.end_module();
            self.module.0 = computation.module().line();
        }
        self.calls.add(computation);
        for instruction in computation.instructions().filter(|i| is_copy(i.opcode())) {
            match self.entry(instruction) {
                Ok(entry) => {
                    self.entries.push(entry);
                    self.owners.push(self.module.2);
                }
                Err(why) => self.unread.push((instruction.line(), why)),
            }
        }
        self.module.2 += 1;
        Ok(())
    }

    /// Sorts: what moves most first, then what is free, then what is inside of fusions.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn finish(&mut self) -> Result<(), LayoutError> {
        self.end_module();
        let bytes = |entry: &HloCopy| u128::from(entry.read) + u128::from(entry.written);
        let key = |entry: &HloCopy| {
            (entry.role.is_in_memory(), entry.is_free != Some(true), bytes(entry))
        };
        self.entries.sort_by(|a, b| key(b).cmp(&key(a)).then(a.line.cmp(&b.line)));
        let too_large = || LayoutError::too_large(Site::Layout, "the number of bytes");
        let paid = self.entries.iter().filter(|entry| entry.is_paid());
        self.moved = paid
            .into_iter()
            .try_fold((0_u64, 0_u64), |(read, written), entry| {
                let read = read.checked_add(entry.read)?;
                Some((read, written.checked_add(entry.written)?))
            })
            .ok_or_else(too_large)?;
        Ok(())
    }

    fn end_module(&mut self) {
        let roles = std::mem::take(&mut self.calls).roles();
        let entries = self.entries.get_mut(self.module.1..).unwrap_or_default();
        for (entry, owner) in entries.iter_mut().zip(self.owners.drain(..)) {
            entry.role = roles.get(owner).copied().unwrap_or(HloRole::Uncalled);
        }
        self.module = (0, self.entries.len(), 0);
    }

    fn entry(&mut self, instruction: HloInstruction<'_>) -> Result<HloCopy, String> {
        let operand = instruction.operand(0).ok_or("its operand is not in its computation")?;
        let dimensions = instruction.attribute("dimensions").unwrap_or_default();
        let texts =
            [operand.shape_text(), instruction.shape_text(), instruction.opcode(), dimensions];
        let change = self.known.entry(texts.map(str::to_owned));
        let change = change.or_insert_with(|| Change::of(operand, instruction)).clone()?;
        Ok(HloCopy {
            name: instruction.name().into(),
            opcode: instruction.opcode().into(),
            line: instruction.line(),
            computation: instruction.computation().name().into(),
            role: HloRole::Uncalled,
            op_name: instruction.op_name().map(std::borrow::Cow::into_owned),
            source: instruction.source().map(|source| source.to_string()),
            from: change.from,
            to: change.to,
            changes: change.changes,
            read: change.read,
            written: change.written,
            is_free: change.is_free,
        })
    }

    /// What moves most first, then what is free, then what is inside of fusions.
    #[must_use]
    pub fn entries(&self) -> &[HloCopy] {
        &self.entries
    }

    /// Bytes that are read and written by all that is not free and not inside of fusions.
    #[must_use]
    pub fn moved(&self) -> (u64, u64) {
        self.moved
    }

    /// Instructions that could not be read: the line and why.
    #[must_use]
    pub fn unread(&self) -> &[(u64, String)] {
        &self.unread
    }
}

impl HloCopy {
    /// Whether it reads and writes memory by itself.
    #[must_use]
    pub fn is_paid(&self) -> bool {
        self.role.is_in_memory() && self.is_free != Some(true)
    }
}

/// What a pair of shapes and an opcode say.
#[derive(Clone, Debug)]
struct Change {
    from: String,
    to: String,
    changes: Vec<String>,
    read: u64,
    written: u64,
    is_free: Option<bool>,
}

impl Change {
    fn of(operand: HloInstruction<'_>, instruction: HloInstruction<'_>) -> Result<Change, String> {
        let (from, to) = (array(operand, false)?, array(instruction, true)?);
        let is_bitcast = instruction.opcode() == "bitcast";
        let bytes = |array: &XlaArray| match is_bitcast {
            true => Ok(0),
            false => array.sizes().map(|sizes| sizes.allocated_bytes),
        };
        let failed = |error: crate::ParseError| error.kind().to_string();
        Ok(Change {
            changes: changes(&from, &to),
            read: bytes(&from).map_err(failed)?,
            written: bytes(&to).map_err(failed)?,
            is_free: is_free(instruction, &from, &to),
            from: from.to_string(),
            to: to.to_string(),
        })
    }
}

fn is_free(of: HloInstruction<'_>, from: &XlaArray, to: &XlaArray) -> Option<bool> {
    match of.opcode() {
        "bitcast" => Some(true),
        "copy" | "copy-start" => Some(false),
        "transpose" => stays(from, to, Some(of.attribute("dimensions")?)).ok(),
        _ => stays(from, to, None).ok(),
    }
}

fn is_copy(opcode: &str) -> bool {
    matches!(opcode, "copy" | "copy-start" | "transpose" | "reshape" | "bitcast")
}

/// The array of an instruction, its layout written out; the tuple of a `copy-start` has its result
/// first.
fn array(of: HloInstruction<'_>, is_result: bool) -> Result<XlaArray, String> {
    let shape = of.shape().map_err(|error| error.kind().to_string())?.canonical();
    let arrays = shape.arrays();
    let array = match (&shape, of.opcode()) {
        (XlaShape::Tuple(..), "copy-start") if is_result => {
            arrays.first().map(|(_, array)| (*array).clone())
        }
        _ => shape.as_array().cloned(),
    };
    array.ok_or_else(|| format!("`{}` is not one array", of.name()))
}

/// Whether every element has the place that it had; `order` is that of a transpose.
fn stays(
    from: &XlaArray,
    to: &XlaArray,
    order: Option<&str>,
) -> Result<bool, Box<dyn std::error::Error>> {
    let space = |array: &XlaArray| array.layout.as_ref().map_or(0, |layout| layout.memory_space);
    if from.dtype != to.dtype || space(from) != space(to) {
        return Ok(false);
    }
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

/// What differs between two arrays, in words.
fn changes(from: &XlaArray, to: &XlaArray) -> Vec<String> {
    let dims = |array: &XlaArray| format!("[{}]", array.dims.iter().join(","));
    let [before, after] = [from, to].map(XlaArray::layout_or_default);
    let orders = [&before, &after].map(|layout| &layout.minor_to_major[..]);
    // Of different ranks only orders that are not row-major are worth a word.
    let has_order = orders[0].len() == orders[1].len() || !orders.iter().all(|o| is_row_major(o));
    let pairs = [
        ("type", [from.dtype.to_string(), to.dtype.to_string()], true),
        ("shape", [dims(from), dims(to)], true),
        ("order", orders.map(|order| format!("{{{}}}", order.iter().join(","))), has_order),
        ("tiles", [&before, &after].map(tiles), true),
        ("memory space", [before.memory_space, after.memory_space].map(|s| s.to_string()), true),
    ];
    let differs =
        pairs.into_iter().filter(|(_, [before, after], counts)| *counts && before != after);
    differs.map(|(what, [before, after], _)| format!("{what} {before} -> {after}")).collect()
}

fn is_row_major(order: &[i64]) -> bool {
    order.is_sorted_by(|a, b| a > b)
}

fn tiles(layout: &XlaLayout) -> String {
    match &layout.tiles[..] {
        [] => "none".into(),
        tiles => {
            let tiles = tiles.iter().map(|tile| format!("({})", tile.iter().join(",")));
            format!("T{}", tiles.collect::<String>())
        }
    }
}
