//! Buffer assignments and memory usage reports: the bytes that XLA allocates.
//!
//! ```text
//! allocation 2: size 4096, parameter 2, shape |f32[8,128]| at ShapeIndex {}, maybe-live-out:
//!  value: <31 arg.5{1} (phi) @0> (size=4096,offset=128): f32[8,128]{1,0}
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::bytes::total_too_large;
use crate::kind::without_mark;
use crate::names::{self, Outcomes, outcome};
use crate::unread::HloReading;
use tensor_layout::LayoutError;
use tensor_layout::xla::XlaSizes;

/// The allocations of a program, as XLA reports them.
///
/// ```
/// use tensor_layout_hlo::HloAllocations;
/// let text = "BufferAssignment:
/// allocation 0: size 4096, parameter 0, shape |f32[8,128]| at ShapeIndex {}:
///  value: <1 x @0> (size=4096,offset=0): f32[8,128]{1,0}
/// allocation 1: size 132, preallocated-temp:
///  value: <2 y @0> (size=132,offset=0): f32[33]{0}
/// ";
/// let all = HloAllocations::read(text);
/// let kinds: Vec<_> = all.kinds().into_iter().collect();
/// assert_eq!(kinds, [("parameter", (1, 4096)), ("temporary", (1, 132))]);
/// assert!(all.disagreements.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HloAllocations {
    /// The blocks, in the order of the text.
    pub allocations: Vec<HloAllocation>,
    /// Values whose shape takes a different number of bytes than XLA states: the line, and both in words.
    pub disagreements: Vec<(u64, String)>,
    /// The number of values that were compared with their shapes.
    pub compared: u64,
    unread: HloReading,
}

/// A block of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloAllocation {
    /// The line, from 1.
    pub line: u64,
    /// The bytes.
    pub size: u64,
    /// The purpose: `parameter`, `output`, `constant`, `thread-local` or `temporary`; `block` in a memory
    /// usage report, which does not state it.
    pub kind: &'static str,
    /// The number of values that share it over time.
    pub values: u64,
    /// The largest value: its name, or the shapes in it.
    pub largest: String,
    /// The bytes of the largest value.
    pub largest_size: u64,
}

impl HloAllocations {
    /// Reads a buffer assignment, or a memory usage report, whose rows have no kind.
    #[must_use]
    pub fn read(text: &str) -> HloAllocations {
        let (mut all, mut shapes) = (HloAllocations::default(), Outcomes::default());
        // Values are those of the block right above them.
        let mut in_block = false;
        for (line, number) in without_mark(text).lines().zip(1..) {
            let start = line.trim_start();
            let (is_read, why) = if let Some(rest) = start.strip_prefix("allocation ") {
                in_block = all.read_block(rest, number).is_some();
                (in_block, "this is not an allocation")
            } else if let Some(rest) = start.strip_prefix("value: ") {
                match in_block {
                    true => {
                        (all.read_value(rest, number, &mut shapes).is_some(), "this is not a value")
                    }
                    false => (false, "there is no allocation above this value"),
                }
            } else {
                in_block &= start.is_empty();
                let is_row = line.matches(';').count() >= 4 && !line.contains("cumulative_size");
                (!is_row || all.read_row(line, number).is_some(), "this is not a row")
            };
            if !is_read {
                all.unread.push(number, line.as_bytes(), why.into());
            }
        }
        all
    }

    /// `2: size 4096, parameter 2, shape ..:`
    fn read_block(&mut self, rest: &str, line: u64) -> Option<()> {
        let (_, rest) = rest.split_once(": size ")?;
        let (size, about) = rest.split_once([',', ':'])?;
        let kinds = [
            ("thread-local", "thread-local"),
            ("constant", "constant"),
            ("parameter ", "parameter"),
            ("maybe-live-out", "output"),
        ];
        let kind = kinds.iter().find(|(word, _)| about.contains(word));
        let kind = kind.map_or("temporary", |(_, kind)| *kind);
        let (size, largest) = (size.parse().ok()?, String::new());
        self.allocations.push(HloAllocation {
            line,
            size,
            kind,
            values: 0,
            largest,
            largest_size: 0,
        });
        Some(())
    }

    /// `<31 arg.5{1} (phi) @0> (size=4096,offset=128): f32[8,128]{1,0}`
    fn read_value(&mut self, rest: &str, line: u64, shapes: &mut Outcomes<XlaSizes>) -> Option<()> {
        let (name, rest) = rest.strip_prefix('<')?.split_once("> (size=")?;
        let (size, rest) = rest.split_once(',')?;
        let (_, shape) = rest.split_once("): ")?;
        let size: u64 = size.parse().ok()?;
        let name = name.split(' ').nth(1)?;
        let block = self.allocations.last_mut()?;
        block.values += 1;
        if size >= block.largest_size {
            (block.largest, block.largest_size) = (format!("{name} {shape}"), size);
        }
        // A tuple is a table of pointers.
        if !shape.starts_with('(') {
            self.compare(name, shape, size, line, shapes);
        }
        Some(())
    }

    fn compare(
        &mut self,
        name: &str,
        shape: &str,
        size: u64,
        line: u64,
        shapes: &mut Outcomes<XlaSizes>,
    ) {
        match outcome(shapes, shape, names::sizes).1 {
            Ok(sizes) => {
                self.compared += 1;
                if sizes.allocated_bytes != size {
                    let ours = sizes.allocated_bytes;
                    let what = format!("{name} takes {size} bytes, its shape {shape} {ours}");
                    self.disagreements.push((line, what));
                }
            }
            Err(why) => {
                let why = why.to_owned();
                self.unread.push(line, shape.as_bytes(), why);
            }
        }
    }

    /// `   768.0KiB(  7%);   768.0KiB;  0;  3; f32[3,4], 2×f32[64,512]`
    fn read_row(&mut self, row: &str, line: u64) -> Option<()> {
        let mut fields = row.splitn(5, ';').map(str::trim).skip(1);
        let size = crate::LogAmount::starting(fields.next()?)?.bytes()?;
        let values = fields.nth(1)?.parse().ok()?;
        let largest = fields.next()?.to_owned();
        let kind = "block";
        let row = HloAllocation { line, size, kind, values, largest, largest_size: size };
        self.allocations.push(row);
        Some(())
    }

    /// The bytes of all blocks.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn total(&self) -> Result<u64, LayoutError> {
        let mut sizes = self.allocations.iter().map(|one| one.size);
        sizes.try_fold(0_u64, u64::checked_add).ok_or_else(total_too_large)
    }

    /// The number of blocks of each kind, and their bytes, at most the greatest number: exact where the
    /// [total](HloAllocations::total) is.
    #[must_use]
    pub fn kinds(&self) -> BTreeMap<&'static str, (u64, u64)> {
        let mut kinds: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        for one in &self.allocations {
            let (count, bytes) = kinds.entry(one.kind).or_default();
            *count += 1;
            *bytes = bytes.saturating_add(one.size);
        }
        kinds
    }

    /// The blocks, the greatest first.
    #[must_use]
    pub fn largest(&self) -> Vec<&HloAllocation> {
        let mut blocks: Vec<_> = self.allocations.iter().collect();
        blocks.sort_by_key(|one| Reverse(one.size));
        blocks
    }

    /// The lines that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }
}
