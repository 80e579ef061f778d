//! The results that the instructions of a dump write, worst first, with totals by computation.

use std::cmp::Reverse;
use std::sync::Arc;

use crate::held::{Candidate, Held, HeldRow, RowTexts};
use crate::inside::Insides;
use crate::names::{self, Outcomes, outcome};
use crate::overview::{HloLargest, Overview};
use crate::roles::{Calls, HloRole, NOT_LISTED, Roles, index};
use crate::shardings::{EntryShares, Shares};
use crate::unread::HloReading;
use crate::{HloBytes, HloComputation, HloInstruction, HloModule, HloOnDevice};
use tensor_layout::LayoutError;
use tensor_layout::xla::XlaSizes;
use tensor_layout_words::mlir::parts;

/// A computation of a dump in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloComputationTotals {
    /// The module.
    pub module: String,
    /// The name.
    pub name: String,
    /// Its role in the module.
    pub role: HloRole,
    /// The line of its head.
    pub line: u64,
    /// The bytes that its instructions write; results that only alias existing values do not count. An
    /// asynchronous start writes its result, not the operands in its tuple; the result of an `async-start`
    /// or a `call-start` counts in the computation that it calls.
    pub written: HloBytes,
    /// Its parameters.
    pub parameters: HloBytes,
    /// Its result.
    pub result: HloBytes,
    /// The bytes of parameters and result on one device, where they are sharded and the module is not
    /// partitioned yet.
    pub on_device: Option<Box<HloOnDevice>>,
}

/// The instructions of a dump, those that waste the most bytes first, and totals by computation.
///
/// A sum over results is not the memory that is live at one time: results of a computation reuse memory, and
/// a loop writes them repeatedly. Values inside fusions are not in memory at all; they are counted but not
/// listed.
///
/// Cost: O(instructions); memory for one computation, some 65 000 shapes, and the listed rows: without
/// `top` they are every instruction in memory, some 300 bytes and its name and `op_name` each. For the module
/// being read, also some 80 bytes for each computation, and at most `top` instructions of each that no fusion
/// is known to call, because only the callers show which computations are inside fusions.
///
/// ```
/// use tensor_layout_hlo::{HloDump, HloSummary};
/// let text = "ENTRY e {
///   a = f32[3,5]{1,0:T(8,128)} parameter(0)
///   ROOT b = f32[5,3]{1,0:T(8,128)} transpose(a), dimensions={1,0}, metadata={op_name=\"f/t\"}
/// }";
/// let (mut dump, mut summary) = (HloDump::new(text.as_bytes()), HloSummary::new(None));
/// while let Some(computation) = dump.next_computation()? {
///     summary.add(computation)?;
/// }
/// summary.finish();
/// let row = summary.rows().next().unwrap();
/// assert_eq!((row.name, row.opcode, row.op_name), ("b", "transpose", Some("f/t")));
/// assert_eq!((row.sizes.unpadded_bytes, row.sizes.allocated_bytes), (60, 4096));
/// assert_eq!(summary.computations()[0].parameters.unpadded, 60);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HloSummary {
    top: Option<usize>,
    has_totals_only: bool,
    computations: Vec<HloComputationTotals>,
    overview: Overview,
    on_device: Option<Result<HloOnDevice, LayoutError>>,
    rows: Vec<RankedRow>,
    shapes: Outcomes<XlaSizes>,
    shares: Shares,
    unread: HloReading,
    partitions: Option<u64>,
    /// The module that is being read, its computations, and the bytes that each of them writes.
    calls: Calls,
    written: Vec<HloBytes>,
    /// The parameters and results of all computations, or for totals only of entries and the last one.
    given: Vec<Given>,
    held: Held<Key>,
    insides: Insides,
    /// The instructions of one computation that may be listed.
    worst: Vec<Candidate<Key>>,
}

/// The rank of an instruction, the greatest first: padding, then allocated bytes.
type Key = (u64, u64);

/// Parameters and result of a computation.
#[derive(Clone, Debug, Default)]
struct Given {
    computation: u32,
    is_entry: bool,
    parameters: HloBytes,
    result: HloBytes,
    /// In a module that is not partitioned yet.
    shares: Option<Box<EntryShares>>,
}

/// An instruction that is listed.
#[derive(Clone, Debug)]
struct RankedRow {
    line: u64,
    texts: RowTexts,
    shape: Arc<str>,
    sizes: XlaSizes,
    computation: Arc<str>,
    role: HloRole,
}

impl RankedRow {
    fn key(&self) -> Key {
        (self.sizes.padding_bytes(), self.sizes.allocated_bytes)
    }
}

/// An instruction of an [`HloSummary`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloRow<'a> {
    /// The line of the dump.
    pub line: u64,
    /// The name, without `%`.
    pub name: &'a str,
    /// The opcode.
    pub opcode: &'a str,
    /// The text of the shape.
    pub shape: &'a str,
    /// Its sizes.
    pub sizes: XlaSizes,
    /// The operation of the program that it comes from.
    pub op_name: Option<&'a str>,
    /// The line of the program that it comes from, as `file:line`.
    pub source: Option<&'a str>,
    /// The name of its computation.
    pub computation: &'a str,
    /// The role of the computation in its module.
    pub role: HloRole,
}

/// Returns whether the instruction allocates nothing: its result aliases its operands, or part of them.
/// `x-start` counts as `x`.
///
/// The result of a loop, a branch, a call or `async-start` counts in the computation that it calls.
/// Source: openxla/xla, `hlo_dataflow_analysis.cc`.
fn is_alias(opcode: &str) -> bool {
    matches!(
        opcode.strip_suffix("-start").unwrap_or(opcode),
        "async"
            | "parameter"
            | "tuple"
            | "get-tuple-element"
            | "bitcast"
            | "while"
            | "conditional"
            | "call"
            | "opt-barrier"
            | "optimization-barrier"
            | "after-all"
            | "add-dependency"
            | "domain"
            | "send"
    ) || opcode.ends_with("-done")
        || opcode.ends_with("-update")
}

/// The text of one member of a tuple, if it is one.
fn tuple_member(text: &str, member: usize) -> Option<&str> {
    parts(text.strip_prefix('(')?.strip_suffix(')')?).nth(member)
}

/// Returns whether the shape of a start begins with a tuple of operands, as `((operands), result, ..)`.
fn has_operands(text: &str) -> bool {
    tuple_member(text, 0).is_some_and(|operands| operands.starts_with('('))
}

impl HloSummary {
    /// A summary that lists the `top` worst instructions, or all.
    #[must_use]
    pub fn new(top: Option<usize>) -> HloSummary {
        HloSummary { top, ..HloSummary::default() }
    }

    /// Keeps only the sums over computations and the names of the largest ten, which is all that a
    /// page of the command shows; [`computations`](HloSummary::computations) is then empty.
    #[must_use]
    pub fn totals_only(mut self) -> HloSummary {
        self.has_totals_only = true;
        self
    }

    /// Adds a computation.
    ///
    /// # Errors
    /// `TooLarge` for sums beyond 64 bits.
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        self.enter(computation.module());
        self.worst.clear();
        let mut given = Given::default();
        if !computation.module().is_per_device() {
            given.shares = EntryShares::of(computation, &mut self.shares)?.map(Box::new);
        }
        let mut written = HloBytes::default();
        let root = computation.root().map(|root| root.index());
        for instruction in computation.instructions() {
            let text = instruction.shape_text();
            let (shape, sizes) = outcome(&mut self.shapes, text, names::sizes);
            let sizes = match sizes {
                Ok(sizes) => *sizes,
                Err(why) => {
                    self.unread.push(instruction.line(), text.as_bytes(), why.to_owned());
                    continue;
                }
            };
            if root == Some(instruction.index()) {
                given.result.add(sizes)?;
            }
            if instruction.parameter().is_some() {
                given.parameters.add(sizes)?;
            } else if let Some((shape, sizes)) = self.written_by(instruction, (shape, sizes)) {
                written.add(sizes)?;
                let key = (sizes.padding_bytes(), sizes.allocated_bytes);
                self.note((Reverse(key), instruction.index(), shape));
            }
        }
        given.is_entry = computation.is_entry();
        self.insides.add(computation);
        given.computation = self.calls.add(computation)?;
        self.hold(given.computation, computation);
        self.held.forget(&mut self.shapes);
        self.written.push(written);
        if self.has_totals_only && self.given.last().is_some_and(|last| !last.is_entry) {
            self.given.pop();
        }
        self.given.push(given);
        Ok(())
    }

    /// Ends the module before this one, if it is another.
    fn enter(&mut self, module: &HloModule) {
        if self.calls.is_of(module) {
            return;
        }
        self.end_module();
        self.insides.clear();
        if module.is_per_device() {
            self.partitions = self.partitions.max(Some(module.partitions()));
        }
    }

    /// Returns the part of its shape that an instruction writes: not the operands in the tuple of an
    /// asynchronous start (an `all-reduce` has none there), and of an update in place only the update.
    fn written_by(
        &mut self,
        of: HloInstruction<'_>,
        all: (usize, XlaSizes),
    ) -> Option<(usize, XlaSizes)> {
        let (opcode, text) = (of.opcode(), of.shape_text());
        let member = match opcode {
            _ if is_alias(opcode) => return None,
            "copy-start" => tuple_member(text, 0),
            "all-gather-start" | "collective-permute-start" => tuple_member(text, 1),
            _ if opcode.ends_with("-start") && has_operands(text) => tuple_member(text, 1),
            "dynamic-update-slice" => of.operands().nth(1).and_then(|update| update.shape_text()),
            _ => self.insides.of(of).and_then(|inside| inside.written.as_deref()),
        };
        let Some(member) = member else { return Some(all) };
        let (number, sizes) = outcome(&mut self.shapes, member.trim(), names::sizes);
        Some(sizes.map_or(all, |sizes| (number, *sizes)))
    }

    /// Keeps an instruction if it may be among the worst.
    fn note(&mut self, instruction: Candidate<Key>) {
        const ROOM: usize = 64;
        let Some(top) = self.top else { return self.worst.push(instruction) };
        // Rows of former modules come before equal ones of this.
        let is_full = self.rows.len() >= top;
        let last = self.rows.last().map(RankedRow::key);
        if is_full && last.is_none_or(|last| instruction.0.0 <= last) {
            return;
        }
        self.worst.push(instruction);
        if self.worst.len() >= top.saturating_mul(2).saturating_add(ROOM) {
            self.worst.select_nth_unstable(top);
            self.worst.truncate(top);
        }
    }

    /// Holds the worst instructions of a computation.
    fn hold(&mut self, number: u32, computation: HloComputation<'_>) {
        self.held.take(&mut self.worst, self.top, number, computation);
        if self.held.is_crowded() {
            self.held.retain(|row| !self.calls.is_fused(row.computation));
        }
    }

    /// Settles which computations are inside fusions, and sorts the rows.
    pub fn finish(&mut self) {
        self.end_module();
        self.keep_worst();
    }

    /// Sorts the rows, and drops those that are not among the `top` worst.
    fn keep_worst(&mut self) {
        self.rows.sort_by(|a, b| b.key().cmp(&a.key()).then(a.line.cmp(&b.line)));
        self.rows.truncate(self.top.unwrap_or(usize::MAX));
    }

    fn end_module(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        let roles = calls.roles();
        let held = std::mem::take(&mut self.held);
        for ((number, role), written) in roles.iter().zip(&self.written) {
            let (name, line) = (calls.name(number), calls.line(number));
            self.overview.add(role, *written, name, line);
            if held.has_dropped() && calls.is_fused(number) && role.is_in_memory() {
                self.unread.push(line, name.as_bytes(), NOT_LISTED.into());
            }
        }
        let mut given = std::mem::take(&mut self.given);
        given.drain(..).for_each(|given| self.take_given(given, &calls, &roles));
        self.given = given;
        self.written.clear();
        self.list(&held, &calls, &roles);
        (self.held, self.calls) = (held.cleared(), calls.cleared());
        if self.top.is_some() {
            self.keep_worst();
        }
    }

    /// Takes over the parameters and the result of a computation.
    fn take_given(&mut self, given: Given, calls: &Calls, roles: &Roles) {
        let number = given.computation;
        let Given { parameters, result, shares, .. } = given;
        let is_entry = roles.of(number) == HloRole::Entry;
        if is_entry {
            self.overview.parameters.add(parameters);
            self.overview.result.add(result);
        }
        let shares = shares.filter(|shares| is_entry && shares.is_sharded);
        if let Some(shares) = &shares {
            self.unread = self.unread.and(&shares.unread);
            let sum = self.on_device.take().unwrap_or(Ok(HloOnDevice::default()));
            self.on_device = Some(sum.and_then(|sum| sum.plus(shares.on_device)));
        }
        if !self.has_totals_only {
            self.computations.push(HloComputationTotals {
                module: calls.module.name().to_owned(),
                name: calls.name(number).to_owned(),
                role: roles.of(number),
                line: calls.line(number),
                written: self.written.get(index(number)).copied().unwrap_or_default(),
                parameters,
                result,
                on_device: shares.map(|shares| Box::new(shares.on_device)),
            });
        }
    }

    /// Lists the worst of the held instructions that are in memory.
    fn list(&mut self, held: &Held<Key>, calls: &Calls, roles: &Roles) {
        let in_memory = |row: &&HeldRow<Key>| roles.of(row.computation).is_in_memory();
        let mut rows: Vec<_> = held.rows().iter().filter(in_memory).collect();
        if let Some(top) = self.top {
            rows.sort_unstable_by_key(|row| (Reverse(row.key), row.line));
            rows.truncate(top);
        }
        let mut owner: (Option<u32>, Arc<str>) = (None, "".into());
        let mut room = String::new();
        for row in rows {
            if owner.0 != Some(row.computation) {
                owner = (Some(row.computation), calls.name(row.computation).into());
            }
            let Some((shape, Ok(sizes))) = self.shapes.get_index(row.number) else { continue };
            self.rows.push(RankedRow {
                line: row.line,
                texts: RowTexts::of(&held.text(row), &calls.module, &mut room),
                shape: Arc::clone(shape),
                sizes: *sizes,
                computation: Arc::clone(&owner.1),
                role: roles.of(row.computation),
            });
        }
    }

    /// The computations, in the order of the dump, up to the last module that has ended; none if only
    /// [totals](HloSummary::totals_only) are kept.
    #[must_use]
    pub fn computations(&self) -> &[HloComputationTotals] {
        &self.computations
    }

    /// The ten computations in memory that write most, the greatest first.
    #[must_use]
    pub fn largest(&self) -> &[HloLargest] {
        self.overview.largest()
    }

    /// The instructions whose values are in memory, those that waste the most bytes first.
    pub fn rows(&self) -> impl Iterator<Item = HloRow<'_>> {
        self.rows.iter().map(|row| HloRow {
            line: row.line,
            name: row.texts.name(),
            opcode: row.texts.opcode(),
            shape: &row.shape,
            sizes: row.sizes,
            op_name: row.texts.op_name(),
            source: row.texts.source(),
            computation: &row.computation,
            role: row.role,
        })
    }

    /// The greatest number of devices over which a module is partitioned, among modules with per-device
    /// shapes; `None` if there are none.
    #[must_use]
    pub fn partitions(&self) -> Option<u64> {
        self.partitions
    }

    /// The bytes of the parameters and results of the entries on one device; `None` if none of them is
    /// sharded, or only in modules that are partitioned.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn on_device(&self) -> Result<Option<HloOnDevice>, LayoutError> {
        self.on_device.clone().transpose()
    }

    /// The instructions whose shape could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }

    /// The bytes that the computations with a role write.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn written(&self, role: HloRole) -> Result<HloBytes, LayoutError> {
        self.overview.written(role).bytes()
    }

    /// The parameters of the entries.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn parameters(&self) -> Result<HloBytes, LayoutError> {
        self.overview.parameters.bytes()
    }

    /// The results of the entries.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn result(&self) -> Result<HloBytes, LayoutError> {
        self.overview.result.bytes()
    }

    /// The number of computations that are not among the [largest](HloSummary::largest), and what they write.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn others(&self) -> Result<(usize, HloBytes), LayoutError> {
        let (count, written) = self.overview().others();
        Ok((count, if count > 0 { written.bytes()? } else { HloBytes::default() }))
    }

    /// The number of computations in a role.
    #[must_use]
    pub fn count_of(&self, role: HloRole) -> usize {
        self.overview().computations(role)
    }

    fn overview(&self) -> &Overview {
        &self.overview
    }
}
