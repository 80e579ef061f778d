//! What the instructions of a dump write, and where: by computation, the greatest first.

use std::borrow::Cow;

use crate::error::{LayoutError, Site};
use crate::hlo::names::{Shapes, Texts};
use crate::hlo::roles::{Calls, HloRole};
use crate::hlo::unread::{Unread, UnreadLine};
use crate::hlo::{HloComputation, HloInstruction, HloModule, op_name};
use crate::lower::XlaSizes;

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
}

/// The instructions of a dump, those that waste most first, and totals by computation.
///
/// A sum over results is not the memory that is live at one time: results of a computation take
/// each other's place, and a loop writes them again and again. Values inside fusions are not in
/// memory at all; they are counted and not listed.
///
/// Cost: O(instructions); memory for what is kept, at most `top` instructions of each computation.
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
    texts: Texts,
    shapes: Shapes,
    unread: Unread,
    /// The module that is being read, its first computation and row, and its calls.
    module: HloModule,
    first: (usize, usize),
    calls: Calls,
}

/// An instruction; texts are kept once and named by number.
#[derive(Clone, Debug)]
struct Record {
    computation: usize,
    line: u64,
    name: Box<str>,
    opcode: usize,
    shape: usize,
    /// The attribute as written; it is read when the row is known to be listed.
    metadata: Option<usize>,
    op_name: Option<usize>,
    source: Option<usize>,
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
    fn add(&mut self, sizes: XlaSizes) -> Result<(), LayoutError> {
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
        if self.first.0 == self.computations.len()
            || self.module.line() != computation.module().line()
        {
            self.end_module();
            self.module = computation.module().clone();
        }
        self.calls.add(computation);
        let mut totals = HloComputationTotals {
            module: computation.module().name().to_owned(),
            name: computation.name().to_owned(),
            role: HloRole::Uncalled,
            line: computation.line(),
            written: HloBytes::default(),
            parameters: HloBytes::default(),
            result: HloBytes::default(),
        };
        let root = computation.root().map(|root| root.index());
        let first = self.rows.len();
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
                let row =
                    self.record(instruction, shape, (sizes.padding_bytes(), sizes.allocated_bytes));
                self.rows.push(row);
            }
        }
        self.keep_worst(first);
        self.computations.push(totals);
        Ok(())
    }

    /// Settles which computations are inside of fusions, and sorts.
    pub fn finish(&mut self) {
        self.end_module();
        self.keep_worst(0);
    }

    fn record(&mut self, from: HloInstruction<'_>, shape: usize, key: (u64, u64)) -> Record {
        let metadata = from.attribute("metadata").map(|text| self.texts.number(text));
        Record {
            computation: self.computations.len(),
            line: from.line(),
            name: from.name().into(),
            opcode: self.texts.number(from.opcode()),
            shape,
            metadata,
            op_name: None,
            source: None,
            key,
        }
    }

    /// Reads where a row comes from in the program.
    fn read_metadata(&mut self, row: &mut Record) {
        let Some(metadata) = row.metadata else { return };
        let text = self.texts.get(metadata);
        let op_name = op_name(text).map(Cow::into_owned);
        let source = self.module.source(text).map(|source| source.to_string());
        row.op_name = op_name.map(|name| self.texts.number(&name));
        row.source = source.map(|source| self.texts.number(&source));
    }

    /// Sorts the rows from `first` on, and drops what is not among the `top` worst of them.
    fn keep_worst(&mut self, first: usize) {
        let rows = self.rows.get_mut(first..).unwrap_or_default();
        if first > 0 && self.top.is_none_or(|top| rows.len() <= top) {
            return;
        }
        rows.sort_by(|a, b| b.key.cmp(&a.key).then(a.line.cmp(&b.line)));
        self.rows.truncate(self.top.map_or(usize::MAX, |top| first.saturating_add(top)));
    }

    fn end_module(&mut self) {
        let (first, first_row) = self.first;
        let roles = std::mem::take(&mut self.calls).roles();
        let of_module = self.computations.get_mut(first..).unwrap_or_default();
        for (totals, role) in of_module.iter_mut().zip(roles) {
            totals.role = role;
        }
        let computations = &self.computations;
        let is_listed = |row: &Record| {
            computations.get(row.computation).is_some_and(|totals| totals.role.is_in_memory())
        };
        let rows = self.rows.split_off(first_row.min(self.rows.len()));
        let listed: Vec<Record> = rows.into_iter().filter(is_listed).collect();
        for mut row in listed {
            self.read_metadata(&mut row);
            self.rows.push(row);
        }
        if self.top.is_some() {
            self.keep_worst(0);
        }
        self.first = (self.computations.len(), self.rows.len());
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
                opcode: self.texts.get(row.opcode),
                shape,
                sizes,
                op_name: row.op_name.map(|number| self.texts.get(number)),
                source: row.source.map(|number| self.texts.get(number)),
                computation: self.computations.get(row.computation)?,
            })
        })
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
