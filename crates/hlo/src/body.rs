//! The instructions of a computation: the spans of their names, shapes and operands in the text.

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use tensor_layout::error::Span;

use crate::names::hash;

/// A computation with the spans of its parts; its memory is reused for the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) name: Span,
    pub(super) line: u64,
    pub(super) is_entry: bool,
    /// Set if it may be the entry, marked or not: asked by several readers, so found once.
    pub(super) may_be_entry: bool,
    /// Set for instructions outside of any computation, such as the lines that `grep` finds in a dump.
    pub(super) is_loose: bool,
    /// Set if the text ends inside the computation.
    pub(super) is_cut: bool,
    /// Set if an instruction is missing: it could not be read, or the text ends before it.
    pub(super) has_gaps: bool,
    pub(super) records: Vec<Record>,
    pub(super) operands: Vec<OperandRecord>,
    /// The instructions by their names, while operands are looked for.
    numbers: Numbers,
}

impl Body {
    /// Starts a computation.
    pub(super) fn begin(&mut self, name: Span, line: u64) {
        let Body { mut records, mut operands, numbers, .. } = std::mem::take(self);
        records.clear();
        operands.clear();
        *self = Body { name, line, records, operands, numbers, ..Body::default() };
    }

    /// Returns the instructions without the table of names: a few in as much memory as they need, and many as they are, which are
    /// then no longer here.
    pub(super) fn detach(&mut self) -> Body {
        /// The bytes up to which copying is cheaper than growing again.
        const MOST_COPIED: usize = 1 << 16;
        let (records, operands) = match self.bytes() <= MOST_COPIED {
            true => (self.records.clone(), self.operands.clone()),
            false => (std::mem::take(&mut self.records), std::mem::take(&mut self.operands)),
        };
        Body { records, operands, numbers: Numbers::default(), ..*self }
    }

    /// The number of bytes that the places of its instructions and operands take.
    pub(super) fn bytes(&self) -> usize {
        self.records.len() * size_of::<Record>() + self.operands.len() * size_of::<OperandRecord>()
    }

    /// Finds the instruction of every operand; returns the lines and names of instructions whose name is not
    /// new, and of operands that are not in the computation, with the reason.
    pub(super) fn resolve(&mut self, text: &str) -> Vec<(u64, Span, &'static str)> {
        let Body { records, operands, numbers, .. } = self;
        let part = |span: Span| text.get(span.start..span.end).unwrap_or_default();
        let has_table = records.len() > FEW;
        let again = match has_table {
            true => numbers.fill(records, part),
            false => repeated(records, part),
        };
        let again = again.into_iter().filter_map(|number| records.get(number));
        let again = again.filter(|_| !self.is_loose);
        let mut faults: Vec<_> = again.map(|of| (of.line, of.name, AGAIN)).collect();
        for record in records.iter() {
            for operand in &mut operands[record.operands.start..record.operands.end] {
                let name = part(operand.name);
                operand.instruction = match has_table {
                    true => numbers.find(name, records, part),
                    false => records.iter().rposition(|record| part(record.name) == name),
                };
                if operand.instruction.is_none() && !self.is_loose {
                    faults.push((record.line, operand.name, MISSING));
                }
            }
        }
        faults
    }
}

const AGAIN: &str = "an instruction before this one has the same name";
const MISSING: &str = "this operand is not an instruction of the computation";

/// Returns the numbers of the instructions with the name of one before them, for a few instructions.
fn repeated<'t>(records: &[Record], part: impl Fn(Span) -> &'t str) -> Vec<usize> {
    let is_again = |(number, own): &(usize, &Record)| {
        records.iter().take(*number).any(|record| part(record.name) == part(own.name))
    };
    let numbered = records.iter().enumerate();
    numbered.filter(is_again).map(|(number, _)| number).collect()
}

/// The number of instructions up to which a search through all names is faster than a table.
const FEW: usize = 8;

/// The instructions of a computation by their names; if several have one name, the last.
#[derive(Clone, Debug, Default)]
struct Numbers(HashTable<usize>);

impl Numbers {
    /// Adds the instructions; returns the numbers of those with the name of one before them.
    fn fill<'t>(&mut self, records: &[Record], part: impl Fn(Span) -> &'t str) -> Vec<usize> {
        // Clearing a table writes all of it, so a long computation must not make the next ones expensive.
        const MOST_ROOM: usize = 1 << 8;
        if self.0.capacity() > MOST_ROOM {
            self.0 = HashTable::new();
        }
        self.0.clear();
        let name = |number: &usize| records.get(*number).map_or("", |record| part(record.name));
        let mut again = Vec::new();
        for (number, record) in records.iter().enumerate() {
            let own = part(record.name);
            match self.0.entry(hash(own), |of| name(of) == own, |of| hash(name(of))) {
                Entry::Occupied(mut of) => {
                    *of.get_mut() = number;
                    again.push(number);
                }
                Entry::Vacant(room) => {
                    room.insert(number);
                }
            }
        }
        again
    }

    fn find<'t>(
        &self,
        own: &str,
        records: &[Record],
        part: impl Fn(Span) -> &'t str,
    ) -> Option<usize> {
        let name = |number: &usize| records.get(*number).map_or("", |record| part(record.name));
        self.0.find(hash(own), |of| name(of) == own).copied()
    }
}

/// The spans of the parts of an instruction in the text of its computation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) name: Span,
    pub(super) shape: Span,
    pub(super) opcode: Span,
    pub(super) arguments: Span,
    pub(super) attributes: Span,
    /// The value of `metadata`, empty without one; `None` where it has to be looked for.
    pub(super) metadata: Option<Span>,
    /// The range of its operands among those of the computation.
    pub(super) operands: Span,
    pub(super) line: u64,
    pub(super) is_root: bool,
    /// The attributes that may name computations, a bit for each.
    pub(super) callees: u16,
}

/// The spans of an operand, and the number of its instruction in the computation.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandRecord {
    pub(super) name: Span,
    /// The text before the name: the shape, if it is written, maybe after a comment.
    pub(super) shape: Span,
    /// The member of a tuple that it names, as in `%t#1`.
    pub(super) element: Option<usize>,
    pub(super) instruction: Option<usize>,
}
