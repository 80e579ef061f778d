//! What the instructions of a dump write, and where: by computation, the greatest first.

use std::cmp::Reverse;

use crate::error::{LayoutError, Site};
use crate::hlo::names::Shapes;
use crate::hlo::roles::{Calls, HloRole, NOT_LISTED};
use crate::hlo::shardings::Shares;
use crate::hlo::unread::{Unread, UnreadLine};
use crate::hlo::{HloComputation, HloInstruction, HloModule, HloOnDevice, op_name};
use crate::lower::XlaSizes;

/// How many rows are held before those inside fusions are looked for.
const LEAST_ROOM: usize = 1024;

/// Bytes of arrays, each counted once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HloBytes {
    /// How many instructions.
    pub count: u64,
    /// The elements alone.
    pub unpadded: u64,
    /// The allocations.
    pub allocated: u64,
}

/// A computation of a dump in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HloComputationTotals {
    /// The module.
    pub module: String,
    /// The name.
    pub name: String,
    /// What it is to the module.
    pub role: HloRole,
    /// The line of its head.
    pub line: u64,
    /// What its instructions write: results that are not other names of what is there already.
    pub written: HloBytes,
    /// Its parameters.
    pub parameters: HloBytes,
    /// Its result.
    pub result: HloBytes,
    /// What one device holds of parameters and result, where they are sharded and the module is not
    /// partitioned yet.
    pub on_device: Option<Box<HloOnDevice>>,
}

/// The instructions of a dump, those that waste most first, and totals by computation.
///
/// A sum over results is not the memory that is live at one time: results of a computation take
/// each other's place, and a loop writes them again and again. Values inside fusions are not in
/// memory at all; they are counted and not listed.
///
/// Cost: O(instructions); memory for one computation, its distinct shapes, the totals, and of the
/// instructions at most `top` of each computation that no fusion is known to call.
///
/// ```
/// use tensor_layout::hlo::{HloDump, HloSummary};
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
    computations: Vec<HloComputationTotals>,
    rows: Vec<Record>,
    shapes: Shapes,
    shares: Shares,
    unread: Unread,
    partitions: Option<u64>,
    /// The module that is being read, its first computation and its calls.
    module: HloModule,
    first: usize,
    calls: Calls,
    /// Rows of the module: whether they are listed follows from calls that may come later.
    held: Vec<Record>,
    /// How many rows may be held before those inside fusions are dropped.
    room: usize,
    /// What instructions of a computation write: how bad, its number and its shape.
    written: Vec<((u64, u64), usize, usize)>,
}

/// An instruction.
#[derive(Clone, Debug)]
struct Record {
    computation: usize,
    line: u64,
    name: Box<str>,
    opcode: Box<str>,
    shape: usize,
    /// The attribute as written; it is read when the row is known to be listed.
    metadata: Option<Box<str>>,
    op_name: Option<Box<str>>,
    source: Option<Box<str>>,
    key: (u64, u64),
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
    /// Its computation.
    pub computation: &'a HloComputationTotals,
}

impl HloBytes {
    pub(super) fn add(&mut self, sizes: XlaSizes) -> Result<(), LayoutError> {
        let too_large = || LayoutError::too_large(Site::Layout, "the total size in bytes");
        let sum = |a: u64, b: u64| a.checked_add(b).ok_or_else(too_large);
        self.count += 1;
        self.unpadded = sum(self.unpadded, sizes.unpadded_bytes)?;
        self.allocated = sum(self.allocated, sizes.allocated_bytes)?;
        Ok(())
    }

    /// The sum of two.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn plus(mut self, other: HloBytes) -> Result<HloBytes, LayoutError> {
        let (unpadded_bytes, allocated_bytes) = (other.unpadded, other.allocated);
        self.add(XlaSizes { unpadded_bytes, allocated_bytes, ..XlaSizes::default() })?;
        Ok(HloBytes { count: self.count - 1 + other.count, ..self })
    }

    /// Allocated and not elements.
    #[must_use]
    pub fn padding(&self) -> u64 {
        self.allocated.saturating_sub(self.unpadded)
    }
}

impl Record {
    /// Reads where a row comes from in the program.
    fn read_metadata(&mut self, module: &HloModule) {
        let Some(metadata) = self.metadata.take() else { return };
        self.op_name = op_name(&metadata).map(Into::into);
        self.source = module.source(&metadata).map(|source| source.to_string().into());
    }
}

/// Whether an instruction names what is in memory already, or its parts.
fn is_alias(opcode: &str) -> bool {
    let names = [
        "parameter",
        "tuple",
        "get-tuple-element",
        "bitcast",
        "while",
        "conditional",
        "call",
        "opt-barrier",
        "optimization-barrier",
        "after-all",
        "add-dependency",
        "domain",
    ];
    names.contains(&opcode) || opcode.ends_with("-done") || opcode.ends_with("-update")
}

impl HloSummary {
    /// A summary that lists the `top` worst instructions, or all.
    #[must_use]
    pub fn new(top: Option<usize>) -> HloSummary {
        HloSummary { top, ..HloSummary::default() }
    }

    /// Adds a computation.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge) for sums beyond 64 bits.
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        if self.first == self.computations.len()
            || self.module.line() != computation.module().line()
        {
            self.end_module();
            self.module = computation.module().clone();
            if self.module.is_per_device() {
                self.partitions = self.partitions.max(Some(self.module.partitions()));
            }
        }
        self.calls.add(computation);
        let on_device = HloOnDevice::of(computation, &mut self.shares, &mut self.unread)?;
        let mut totals = HloComputationTotals {
            module: computation.module().name().to_owned(),
            name: computation.name().to_owned(),
            role: HloRole::Uncalled,
            line: computation.line(),
            written: HloBytes::default(),
            parameters: HloBytes::default(),
            result: HloBytes::default(),
            on_device: on_device.map(Box::new),
        };
        let root = computation.root().map(|root| root.index());
        self.written.clear();
        for instruction in computation.instructions() {
            let text = instruction.shape_text();
            let (shape, sizes) = self.shapes.number(text);
            let sizes = match sizes {
                Ok(sizes) => sizes,
                Err(why) => {
                    self.unread.push(instruction.line(), text.as_bytes(), why.to_owned());
                    continue;
                }
            };
            if root == Some(instruction.index()) {
                totals.result.add(sizes)?;
            }
            if instruction.parameter().is_some() {
                totals.parameters.add(sizes)?;
            } else if !is_alias(instruction.opcode()) {
                totals.written.add(sizes)?;
                let key = (sizes.padding_bytes(), sizes.allocated_bytes);
                self.written.push((key, instruction.index(), shape));
            }
        }
        self.hold(computation);
        self.computations.push(totals);
        Ok(())
    }

    /// Holds the worst instructions of a computation.
    fn hold(&mut self, computation: HloComputation<'_>) {
        let mut written = std::mem::take(&mut self.written);
        if let Some(top) = self.top.filter(|top| *top < written.len()) {
            written.sort_unstable_by_key(|(key, index, _)| (Reverse(*key), *index));
            written.truncate(top);
        }
        for (key, index, shape) in &written {
            let instruction = computation.instruction(*index);
            self.held.extend(instruction.map(|from| self.record(from, *shape, *key)));
        }
        self.written = written;
        if self.held.len() > self.room.max(LEAST_ROOM) {
            let (calls, first) = (&self.calls, self.first);
            self.held.retain(|row| !calls.is_fused(row.computation - first));
            self.room = 2 * self.held.len() + 1;
        }
    }

    /// Settles which computations are inside fusions, and sorts.
    pub fn finish(&mut self) {
        self.end_module();
        self.keep_worst();
    }

    fn record(&self, from: HloInstruction<'_>, shape: usize, key: (u64, u64)) -> Record {
        Record {
            computation: self.computations.len(),
            line: from.line(),
            name: from.name().into(),
            opcode: from.opcode().into(),
            shape,
            metadata: from.attribute("metadata").map(Into::into),
            op_name: None,
            source: None,
            key,
        }
    }

    /// Sorts the rows, and drops what is not among the `top` worst.
    fn keep_worst(&mut self) {
        self.rows.sort_by(|a, b| b.key.cmp(&a.key).then(a.line.cmp(&b.line)));
        self.rows.truncate(self.top.unwrap_or(usize::MAX));
    }

    fn end_module(&mut self) {
        let mut calls = std::mem::take(&mut self.calls);
        let of_module = self.computations.get_mut(self.first..).unwrap_or_default();
        for (number, (totals, role)) in of_module.iter_mut().zip(calls.roles()).enumerate() {
            totals.role = role;
            if self.room > 0 && calls.is_fused(number) && role.is_in_memory() {
                self.unread.push(totals.line, totals.name.as_bytes(), NOT_LISTED.into());
            }
        }
        self.room = 0;
        let computations = &self.computations;
        let is_listed = |row: &Record| {
            computations.get(row.computation).is_some_and(|totals| totals.role.is_in_memory())
        };
        self.rows.extend(self.held.drain(..).filter(is_listed));
        if self.top.is_some() {
            self.keep_worst();
        }
        for row in self.rows.iter_mut().filter(|row| row.metadata.is_some()) {
            row.read_metadata(&self.module);
        }
        self.first = self.computations.len();
    }

    /// The computations, in the order of the dump.
    #[must_use]
    pub fn computations(&self) -> &[HloComputationTotals] {
        &self.computations
    }

    /// The instructions whose values are in memory, those that waste most first.
    pub fn rows(&self) -> impl Iterator<Item = HloRow<'_>> {
        self.rows.iter().filter_map(|row| {
            let (shape, sizes) = self.shapes.get(row.shape);
            Some(HloRow {
                line: row.line,
                name: &row.name,
                opcode: &row.opcode,
                shape,
                sizes,
                op_name: row.op_name.as_deref(),
                source: row.source.as_deref(),
                computation: self.computations.get(row.computation)?,
            })
        })
    }

    /// Over how many devices the modules are partitioned whose shapes are those of one device.
    #[must_use]
    pub fn partitions(&self) -> Option<u64> {
        self.partitions
    }

    /// What one device holds of the parameters and results of the entries; `None` if nothing is
    /// sharded, or what is sharded is partitioned.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn on_device(&self) -> Result<Option<HloOnDevice>, LayoutError> {
        let mut all: Option<HloOnDevice> = None;
        for each in self.computations.iter().filter_map(|totals| totals.on_device.as_deref()) {
            let sum = all.unwrap_or_default();
            let parameters = sum.parameters.plus(each.parameters)?;
            all = Some(HloOnDevice { parameters, result: sum.result.plus(each.result)? });
        }
        Ok(all)
    }

    /// The first thousand instructions whose shape could not be read.
    #[must_use]
    pub fn unread_lines(&self) -> &[UnreadLine] {
        self.unread.lines()
    }

    /// The sum over computations with a role: their parameters, results, or what they write.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn total(
        &self,
        has: impl Fn(HloRole) -> bool,
        of: impl Fn(&HloComputationTotals) -> HloBytes,
    ) -> Result<HloBytes, LayoutError> {
        let computations = self.computations.iter().filter(|totals| has(totals.role));
        computations.map(of).try_fold(HloBytes::default(), HloBytes::plus)
    }
}
