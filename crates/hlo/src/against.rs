//! The differences between two dumps: operations that appeared, disappeared, grew or shrank.
//!
//! Names change with every compilation, so instructions are matched by `op_name` and opcode.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::bytes::total_too_large;
use crate::{Collectives, HloComputation, HloCopies, HloMemory, HloReading, HloSummary, StepSums};
use tensor_layout::LayoutError;
use tensor_layout_words::to_u64;

/// The quantity in which two dumps are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum TallyKind {
    /// Bytes that instructions allocate for their results, each counted once.
    Buffer,
    /// Bytes that copies read and write in one run of the program.
    Copy,
    /// Bytes that the busiest sender sends in one run of the program.
    Collective,
}

impl TallyKind {
    /// The kind in a word.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TallyKind::Buffer => "buffer",
            TallyKind::Copy => "copy",
            TallyKind::Collective => "collective",
        }
    }
}

/// The instructions with one opcode that come from one operation of the program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tally {
    /// The number of instructions.
    pub count: u64,
    /// The bytes of the instructions.
    pub bytes: u64,
    /// The line of the first instruction.
    pub line: u64,
}

impl Tally {
    fn add(&mut self, bytes: Option<u64>, line: u64) -> Result<(), LayoutError> {
        self.line = if self.count == 0 { line } else { self.line.min(line) };
        self.count += 1;
        let sum = bytes.and_then(|bytes| self.bytes.checked_add(bytes));
        self.bytes = sum.ok_or_else(total_too_large)?;
        Ok(())
    }
}

/// The kind, the operation of the program and the opcode.
type Key = (TallyKind, String, String);

/// The tallies of one dump, to be compared with those of another by [`HloChanges::of`].
#[derive(Clone, Debug, Default)]
pub struct HloTallies {
    rows: BTreeMap<Key, Tally>,
    /// The sums, and of those that are bounds the kind: `at least`, `at most` or `about`.
    sums: BTreeMap<String, (u64, Option<&'static str>)>,
    reading: HloReading,
    summary: HloSummary,
    copies: HloCopies,
    collectives: Collectives,
    memory: HloMemory,
}

impl HloTallies {
    /// Adds a computation.
    ///
    /// # Errors
    /// Those of [`HloSummary::add`], [`HloCopies::add`], [`Collectives::add`] and [`HloMemory::add`].
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        self.summary.add(computation)?;
        self.copies.add(computation)?;
        self.collectives.add(computation, None)?;
        self.memory.add(computation)?;
        Ok(())
    }

    /// Adds everything up.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(&mut self) -> Result<(), LayoutError> {
        self.summary.finish();
        self.copies.finish()?;
        self.memory.finish()?;
        let collectives = std::mem::take(&mut self.collectives).finish()?;
        self.reading = self.summary.reading().and(self.copies.reading());
        self.reading = self.reading.and(&collectives.reading).and(self.memory.reading());
        let mut add = |kind, op_name: Option<&str>, opcode: &str, bytes, line| {
            let key = (kind, op_name.unwrap_or_default().to_owned(), opcode.to_owned());
            self.rows.entry(key).or_default().add(bytes, line)
        };
        for row in self.summary.rows() {
            let bytes = Some(row.sizes.allocated_bytes);
            add(TallyKind::Buffer, row.op_name, row.opcode, bytes, row.line)?;
        }
        for copy in self.copies.entries().iter().filter(|copy| copy.is_paid()) {
            let once = copy.read.checked_add(copy.written);
            let bytes = once.and_then(|bytes| bytes.checked_mul(copy.runs.times));
            add(TallyKind::Copy, copy.op_name.as_deref(), &copy.opcode, bytes, copy.line)?;
        }
        for one in &collectives.entries {
            let bytes = one.traffic.sent.checked_mul(one.runs.times);
            add(TallyKind::Collective, one.op_name.as_deref(), &one.opcode, bytes, one.line)?;
        }
        self.add_sums(&collectives)
    }

    /// The instructions that the tallies lack because they could not be read or sized.
    pub fn reading(&self) -> &HloReading {
        &self.reading
    }

    fn add_sums(&mut self, collectives: &Collectives) -> Result<(), LayoutError> {
        let mut add = |name: String, bytes: u64, bound: Option<&'static str>| {
            let (sum, kind) = self.sums.entry(name).or_default();
            *sum = sum.checked_add(bytes).ok_or_else(total_too_large)?;
            *kind = bound.or(*kind);
            Ok::<(), LayoutError>(())
        };
        for module in self.memory.modules() {
            let bound = module.may_be_partitioned_over.map(|_| "at most");
            for (space, bytes) in &module.interface {
                add(format!("arguments, {space}"), bytes.arguments, bound)?;
                add(format!("results, {space}"), bytes.outputs, bound)?;
            }
            for peak in module.peaks.iter().flatten() {
                let bound = module.is_at_least.then_some("at least");
                add(format!("live at the peak, {}", peak.space), peak.bytes.allocated, bound)?;
            }
        }
        let step = self.copies.in_a_step();
        let bound = |of: &StepSums| Some(of.bound().trim_end()).filter(|bound| !bound.is_empty());
        add(COPIED.into(), step.bytes(0)?, bound(step))?;
        add(COPIED.into(), step.bytes(1)?, bound(step))?;
        add(SENT.into(), collectives.total.sent, bound(&collectives.in_a_step))
    }
}

const COPIED: &str = "read and written by copies, a run";
const SENT: &str = "sent by one device, a run";

/// A sum of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloSumChange {
    /// The quantity.
    pub name: String,
    /// The bytes in the first dump and in the second; `None` where a dump does not have the quantity.
    pub bytes: [Option<u64>; 2],
    /// `at least`, `at most` or `about` where the bytes of a dump are a bound, as in
    /// [`StepSums::bound`](crate::StepSums::bound).
    pub bounds: [Option<&'static str>; 2],
}

/// A row of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloChange {
    /// The quantity that is compared.
    pub kind: TallyKind,
    /// The operation of the program; empty where the dump does not name it.
    pub op_name: String,
    /// The opcode.
    pub opcode: String,
    /// The tally of the first dump.
    pub before: Tally,
    /// The tally of the second dump.
    pub after: Tally,
}

impl HloChange {
    /// `came`, `went`, `grew`, `shrank`, or `recounted` where only the number of instructions changed.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match (self.before, self.after) {
            (Tally { count: 0, .. }, _) => "came",
            (_, Tally { count: 0, .. }) => "went",
            (before, after) if before.bytes < after.bytes => "grew",
            (before, after) if before.bytes > after.bytes => "shrank",
            _ => "recounted",
        }
    }
}

/// The differences between two dumps.
///
/// ```
/// use tensor_layout_hlo::{HloChanges, HloDump, HloTallies};
/// let tallies = |text: &str| -> Result<HloTallies, Box<dyn std::error::Error>> {
///     let (mut dump, mut tallies) = (HloDump::new(text.as_bytes()), HloTallies::default());
///     while let Some(computation) = dump.next_computation()? {
///         tallies.add(computation)?;
///     }
///     tallies.finish()?;
///     Ok(tallies)
/// };
/// let text = "ENTRY e {\n  a = f32[8] parameter(0)\n  ROOT b = f32[8] sine(a)\n}";
/// let other = text.replace("sine(a)", "copy(a)");
/// let changes = HloChanges::of(&tallies(text)?, &tallies(&other)?);
/// let rows: Vec<_> = changes.rows.iter().map(|row| (row.verb(), row.opcode.as_str())).collect();
/// assert_eq!(rows, [("came", "copy"), ("came", "copy"), ("went", "sine")]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HloChanges {
    /// The sums, by name.
    pub sums: Vec<HloSumChange>,
    /// The rows that differ, the greatest difference in bytes first.
    pub rows: Vec<HloChange>,
    /// The number of rows whose counts and bytes are equal in both.
    pub same: u64,
}

impl HloChanges {
    /// Compares two dumps that were [finished](HloTallies::finish).
    #[must_use]
    pub fn of(before: &HloTallies, after: &HloTallies) -> HloChanges {
        let names: BTreeSet<&String> = before.sums.keys().chain(after.sums.keys()).collect();
        let sum = |name: &String| HloSumChange {
            name: name.clone(),
            bytes: [before, after].map(|of| of.sums.get(name).map(|(bytes, _)| *bytes)),
            bounds: [before, after].map(|of| of.sums.get(name)?.1),
        };
        let keys: BTreeSet<&Key> = before.rows.keys().chain(after.rows.keys()).collect();
        let row = |key: &Key| {
            let [before, after] =
                [before, after].map(|of| of.rows.get(key).copied().unwrap_or_default());
            let (kind, op_name, opcode) = key.clone();
            HloChange { kind, op_name, opcode, before, after }
        };
        let is_same = |row: &HloChange| {
            (row.before.count, row.before.bytes) == (row.after.count, row.after.bytes)
        };
        let (same, mut rows): (Vec<_>, Vec<_>) = keys.into_iter().map(row).partition(is_same);
        rows.sort_by_key(|row| Reverse(row.before.bytes.abs_diff(row.after.bytes)));
        HloChanges { sums: names.into_iter().map(sum).collect(), rows, same: to_u64(same.len()) }
    }
}
