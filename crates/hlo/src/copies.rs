//! Copies, transposes, reshapes and bitcasts: the changes that they make, and whether they move bytes.

use std::cmp::Reverse;

use itertools::Itertools;
use rustc_hash::FxHashSet;

use crate::change::{COPY_AND_CONVERT, Change, OpcodeWords, Waste, is_copy, waste};
use crate::held::{Candidate, Held, HeldRow};
use crate::inside::{InsideCopy, Insides};
use crate::names::{Outcomes, outcome};
use crate::roles::{Calls, HloRole, NOT_LISTED, Roles, index};
use crate::runs::{ComputationRuns, HloRuns, StepSums};
use crate::unread::HloReading;
use crate::{HloComputation, HloInstruction};
use tensor_layout::LayoutError;

/// An instruction that moves data or only reinterprets it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloCopy {
    /// Its name in the dump.
    pub name: String,
    /// `copy`, `copy-start`, `slice-start`, `transpose`, `reshape` or `bitcast`; `fusion` or `copy and
    /// convert` for a fusion that does nothing else.
    pub opcode: String,
    /// The line of the dump.
    pub line: u64,
    /// Its computation.
    pub computation: String,
    /// The role of the computation in its module: inside a fusion nothing is read or written.
    pub role: HloRole,
    /// The number of times it runs in one run of the program.
    pub runs: HloRuns,
    /// The operation of the program that it comes from.
    pub op_name: Option<String>,
    /// The line of the program that it comes from, as `file:line`.
    pub source: Option<String>,
    /// The shape of its operand.
    pub from: String,
    /// Its own shape.
    pub to: String,
    /// The differences between the two, in words; empty if there are none.
    pub changes: Vec<String>,
    /// Bytes that it reads, including padding; 0 for a bitcast.
    pub read: u64,
    /// Bytes that it writes.
    pub written: u64,
    /// True if the bytes stay where they are: for a bitcast, and for a transpose or reshape that is proved to
    /// be a bitcast. A copy is never free, nor is a change of the width of an element, the memory space, the
    /// prefix bytes or the splits. `None` where it was not decided, as for arrays that are split.
    pub is_free: Option<bool>,
}

/// The copies, transposes, reshapes and bitcasts of a dump.
///
/// An instruction in the body of a loop is listed once, with how often it [runs](HloCopy::runs); an
/// instruction inside a fusion reads and writes nothing itself, and is not part of the totals. A fusion that
/// does nothing but copy, transpose and convert its operands is a copy.
/// Cost: O(instructions), and one comparison of layouts for each distinct pair of shapes; memory for
/// one computation, some 65 000 pairs, and the listed rows: all, or with [`new`](HloCopies::new) the worst;
/// for the module being read, also some 60 bytes for each computation, and the worst rows of each that no
/// fusion is known to call.
///
/// ```
/// use tensor_layout_hlo::{HloCopies, HloDump};
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
    top: Option<usize>,
    entries: Vec<HloCopy>,
    /// The module that is being read, its computations, and for each with copies that are not free
    /// their sums.
    calls: Calls,
    sums: Vec<(u32, CopySums)>,
    /// Its instructions that may be listed, and those of one computation.
    held: Held<Waste>,
    found: Vec<Candidate<Waste>>,
    /// The change of every known pair of shapes, by the opcode, the two texts and the `dimensions`.
    known: Outcomes<Change>,
    pair: String,
    insides: Insides,
    /// Instructions that could not be read: the line and why.
    unread: HloReading,
    all: CopySums,
    paid: CopySums,
    in_a_step: StepSums,
}

/// A number of instructions, and the bytes that they read and write.
#[derive(Clone, Copy, Debug, Default)]
struct CopySums {
    count: usize,
    read: u64,
    written: u64,
}

impl CopySums {
    fn add(&mut self, count: usize, read: u64, written: u64) -> Result<(), LayoutError> {
        let too_large = || crate::bytes::too_large("the number of bytes");
        self.count += count;
        self.read = self.read.checked_add(read).ok_or_else(too_large)?;
        self.written = self.written.checked_add(written).ok_or_else(too_large)?;
        Ok(())
    }
}

/// Returns the key to sort by: first entries in memory, then those not free, then those that move most.
fn key(entry: &HloCopy) -> (Reverse<(bool, Waste)>, u64) {
    let waste = waste(entry.read, entry.written, entry.is_free);
    (Reverse((entry.role.is_in_memory(), waste)), entry.line)
}

impl HloCopies {
    /// Lists the `top` greatest copies, or all; all are counted.
    #[must_use]
    pub fn new(top: Option<usize>) -> HloCopies {
        HloCopies { top, ..HloCopies::default() }
    }

    /// Adds a computation.
    ///
    /// # Errors
    /// `TooLarge`; unreadable instructions are in [`reading`](HloCopies::reading).
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        if !self.calls.is_of(computation.module()) {
            self.end_module()?;
        }
        let (mut sums, mut count) = (CopySums::default(), 0);
        self.found.clear();
        self.insides.add(computation);
        for instruction in computation.instructions() {
            for found in self.changes(instruction) {
                match found {
                    Ok((number, change)) => {
                        count += 1;
                        let key = waste(change.read, change.written, change.is_free);
                        if key.0 {
                            sums.add(1, change.read, change.written)?;
                        }
                        self.note((Reverse(key), instruction.index(), number));
                    }
                    Err(why) => {
                        self.in_a_step.is_at_least = true;
                        self.unread.push(instruction.line(), b"", why);
                    }
                }
            }
        }
        self.all.add(count, 0, 0)?;
        let number = self.calls.add(computation)?;
        if sums.count > 0 {
            self.sums.push((number, sums));
        }
        self.hold(number, computation);
        self.held.forget(&mut self.known);
        Ok(())
    }

    /// Keeps an instruction if it may be among the greatest.
    fn note(&mut self, copy: Candidate<Waste>) {
        // Entries of former modules come before equal ones of this.
        let is_full = self.top.is_some_and(|top| self.entries.len() >= top);
        let is_small = |last: &HloCopy| (true, copy.0.0) <= key(last).0.0;
        if !is_full || self.entries.last().is_some_and(|last| !is_small(last)) {
            self.found.push(copy);
        }
    }

    /// Holds the greatest of a computation; drops all but the greatest of the rows known to be inside fusions,
    /// once there are many rows.
    fn hold(&mut self, number: u32, computation: HloComputation<'_>) {
        self.held.take(&mut self.found, self.top, number, computation);
        let Some(top) = self.top.filter(|_| self.held.is_crowded()) else { return };
        let is_fused = |held: &HeldRow<Waste>| self.calls.is_fused(held.computation);
        let place = |held: &HeldRow<Waste>| (Reverse(held.key), held.line);
        let fused = self.held.rows().iter().filter(|held| is_fused(held)).map(place);
        let greatest: FxHashSet<_> = fused.sorted_unstable().take(top).collect();
        self.held.retain(|held| !is_fused(held) || greatest.contains(&place(held)));
    }

    /// Sorts the entries: those that move the most first, then the free ones, then those inside fusions.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(&mut self) -> Result<(), LayoutError> {
        self.end_module()?;
        self.keep_greatest();
        Ok(())
    }

    fn keep_greatest(&mut self) {
        self.entries.sort_by_key(key);
        self.entries.truncate(self.top.unwrap_or(usize::MAX));
    }

    fn end_module(&mut self) -> Result<(), LayoutError> {
        self.insides.clear();
        let mut calls = std::mem::take(&mut self.calls);
        let roles = calls.roles();
        self.in_a_step.is_at_least |= calls.lacks_part();
        let runs = ComputationRuns::of(&calls);
        let held = std::mem::take(&mut self.held);
        let mut own = vec![Vec::new(); calls.len()];
        for (number, sums) in std::mem::take(&mut self.sums) {
            if roles.of(number).is_in_memory() {
                self.paid.add(sums.count, sums.read, sums.written)?;
                self.in_a_step.note(runs.get(number));
                if let Some(own) = own.get_mut(index(number)) {
                    *own = vec![u128::from(sums.read), u128::from(sums.written)];
                }
            }
        }
        self.in_a_step.add(&runs.total(&own));
        let fused =
            roles.iter().filter(|(number, _)| held.has_dropped() && calls.is_fused(*number));
        for (number, _) in fused.filter(|(_, role)| role.is_in_memory()) {
            self.unread.push(calls.line(number), calls.name(number).as_bytes(), NOT_LISTED.into());
        }
        let key = |of: &&HeldRow<Waste>| {
            (Reverse((roles.of(of.computation).is_in_memory(), of.key)), of.line)
        };
        let mut rows: Vec<_> = held.rows().iter().collect();
        if let Some(top) = self.top {
            rows.sort_unstable_by_key(key);
            rows.truncate(top);
        }
        for row in rows {
            let entry = self.entry(row, &held, &calls, &roles, &runs);
            self.entries.extend(entry);
        }
        (self.held, self.calls) = (held.cleared(), calls.cleared());
        if self.top.is_some() {
            self.keep_greatest();
        }
        Ok(())
    }

    /// Returns the changes of an instruction: none, one, or several of a fusion that only copies.
    fn changes(&mut self, of: HloInstruction<'_>) -> Vec<Result<(usize, Change), String>> {
        if of.opcode() == "fusion" {
            let inside = self.insides.of(of).map(|inside| inside.copies.clone());
            let known = |InsideCopy { from, to, is_converted }| {
                let opcode = if is_converted { COPY_AND_CONVERT } else { "fusion" };
                self.known(opcode, [&from, &from, &to, &to], None)
            };
            return inside.into_iter().flatten().map(known).collect();
        }
        match is_copy(of) {
            true => vec![self.change(of)],
            false => Vec::new(),
        }
    }

    /// Returns the number and the change of a copy.
    fn change(&mut self, of: HloInstruction<'_>) -> Result<(usize, Change), String> {
        let operand = of.operands().next().ok_or("it has no operand")?;
        let from = operand.shape_text().ok_or("its operand is not in its computation")?;
        let texts = [operand.name(), from, of.name(), of.shape_text()];
        self.known(of.opcode(), texts, of.attribute("dimensions"))
    }

    /// Returns the number and the change for an opcode, and names and shapes of operand and result.
    fn known(
        &mut self,
        opcode: &str,
        texts: [&str; 4],
        dimensions: Option<&str>,
    ) -> Result<(usize, Change), String> {
        self.pair.clear();
        for text in [opcode, texts[1], texts[3]] {
            self.pair.push_str(text);
            self.pair.push('\n');
        }
        self.pair.push_str(dimensions.unwrap_or_default());
        let change = |_: &str| Change::of(opcode, texts, dimensions);
        let (number, change) = outcome(&mut self.known, &self.pair, change);
        Ok((number, change?.clone()))
    }

    fn entry(
        &self,
        row: &HeldRow<Waste>,
        held: &Held<Waste>,
        calls: &Calls,
        roles: &Roles,
        runs: &ComputationRuns,
    ) -> Option<HloCopy> {
        let (pair, change) = self.known.get_index(row.number)?;
        let Change { read, written, is_free, words } = change.as_ref().ok()?;
        let (read, written, is_free) = (*read, *written, *is_free);
        let OpcodeWords { from, to, changes } = words.get_or_init(|| OpcodeWords::of(pair)).clone();
        let text = held.text(row);
        let (op_name, source) = text.origin_texts(&calls.module);
        Some(HloCopy {
            name: text.name.into(),
            opcode: pair.split('\n').next().unwrap_or(text.opcode).into(),
            runs: runs.get(row.computation),
            line: row.line,
            computation: calls.name(row.computation).into(),
            role: roles.of(row.computation),
            op_name,
            source,
            from,
            to,
            changes,
            read,
            written,
            is_free,
        })
    }

    /// The entries: those that move the most bytes first, then the free ones, then those inside fusions.
    #[must_use]
    pub fn entries(&self) -> &[HloCopy] {
        &self.entries
    }

    /// The number of all copies, listed or not, and the number of copies that are neither free nor inside
    /// fusions.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.all.count, self.paid.count)
    }

    /// The bytes that all copies read and write, except the free ones and those inside fusions.
    #[must_use]
    pub fn moved(&self) -> (u64, u64) {
        (self.paid.read, self.paid.written)
    }

    /// The bytes read and written in one run of the program: a copy in a loop of known length counts as often
    /// as it runs, and to each sum the branch of a conditional that adds most to it.
    #[must_use]
    pub fn in_a_step(&self) -> &StepSums {
        &self.in_a_step
    }

    /// The instructions that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }
}

impl HloCopy {
    /// Returns whether it actually reads and writes memory.
    #[must_use]
    pub fn is_paid(&self) -> bool {
        self.role.is_in_memory() && self.is_free != Some(true)
    }
}
