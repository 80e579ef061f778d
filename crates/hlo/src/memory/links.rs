//! The arrays of an instruction that are arrays of its operands, or take their place.
//!
//! ```text
//! t = (f32[2], f32[3]) tuple(a, b)                    {0} is a, {1} is b
//! g = f32[3] get-tuple-element(t), index=1            is t{1}
//! u = f32[3] dynamic-update-slice(g, x, i)            a value of its own in the buffer of g
//! ```
//! Source: openxla/xla, `hlo_dataflow_analysis.cc`, `alias_info.cc`.

use std::ops::Range;

use tensor_layout_words::{Cursor, to_index};

use crate::HloInstruction;
use crate::callees;
use crate::memory::leaves::LeafShape;

/// Arrays of an instruction that share the buffers of arrays of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The first array of the instruction.
    pub(super) to: usize,
    pub(super) operand: usize,
    /// The first array of the operand.
    pub(super) from: usize,
    pub(super) count: usize,
    /// Set if the instruction writes the array: another value in the same buffer.
    pub(super) is_written: bool,
}

/// The shapes of an instruction and of its operands.
pub(super) struct Shaped<'a, F> {
    pub(super) own: &'a LeafShape,
    /// The number of operands.
    pub(super) count: usize,
    /// The shape of an operand; `None` where it is missing, or its shape cannot be read.
    pub(super) operand: F,
}

/// The reason the arrays of an instruction cannot be those of its operands.
pub(super) const MISMATCH: &str = "its shape does not have the arrays of what it names";

impl<'a, F: Fn(usize) -> Option<&'a LeafShape>> Shaped<'a, F> {
    /// Returns the links of an instruction to its operands.
    ///
    /// # Errors
    /// [`MISMATCH`]; the instruction is then taken as one that writes all.
    pub(super) fn links(&self, of: HloInstruction<'_>) -> Result<Vec<Link>, &'static str> {
        let (opcode, all) = (of.opcode(), self.own.all());
        let mut links = match opcode {
            "tuple" => self.row(all, 0..self.count),
            "get-tuple-element" => self.element(of),
            "bitcast" | "opt-barrier" | "optimization-barrier" | "add-dependency" | "domain" => {
                self.same(all, 0, |operand| Some(operand.all()))
            }
            "copy-start" => self.operand_in(1),
            "copy-done" | "recv-done" => self.same(self.first(), 0, |start| start.member(0)),
            "all-reduce-start" => return Ok(written(self.row(all, 0..self.count)?)),
            "all-reduce-done" => self.same(all, 0, |start| Some(start.all())),
            "send-done" | "recv" => Ok(Vec::new()),
            "dynamic-update-slice" | "set-dimension-size" => self.in_place(0..1),
            "scatter" => self.in_place(0..self.count.saturating_sub(1) / 2),
            "ragged-all-to-all" => self.in_place(1..2),
            "collective-permute" if self.count == 4 => self.in_place(1..2),
            _ if opcode.ends_with("-update") => self.same(all, 0, |start| Some(start.all())),
            _ if opcode.ends_with("-done") => self.done(),
            _ if opcode.ends_with("-start") || opcode == "send" => self.operand_in(0),
            _ => Ok(Vec::new()),
        }?;
        if callees::may_alias(of.record.callees)
            && let Some(text) = of.attribute("output_to_operand_aliasing")
        {
            links.extend(self.declared(text)?);
        }
        Ok(links)
    }

    /// Returns the arrays of the first member, or all if the shape is not a tuple.
    fn first(&self) -> Range<usize> {
        self.own.member(0).unwrap_or_else(|| self.own.all())
    }

    /// Links arrays to all those of operands, one operand after the other.
    fn row(&self, to: Range<usize>, operands: Range<usize>) -> Result<Vec<Link>, &'static str> {
        let (mut links, mut at) = (Vec::new(), to.start);
        for operand in operands {
            let shape = (self.operand)(operand).ok_or(MISMATCH)?;
            let count = shape.leaves().len();
            links.push(Link { to: at, operand, from: 0, count, is_written: false });
            at += count;
        }
        if at == to.end { Ok(links) } else { Err(MISMATCH) }
    }

    /// Links arrays to those of one operand that `part` chooses.
    fn same(
        &self,
        to: Range<usize>,
        operand: usize,
        part: impl Fn(&LeafShape) -> Option<Range<usize>>,
    ) -> Result<Vec<Link>, &'static str> {
        let shape = (self.operand)(operand).ok_or(MISMATCH)?;
        let from = part(shape).filter(|from| from.len() == to.len()).ok_or(MISMATCH)?;
        let (count, from) = (to.len(), from.start);
        Ok(vec![Link { to: to.start, operand, from, count, is_written: false }])
    }

    fn element(&self, of: HloInstruction<'_>) -> Result<Vec<Link>, &'static str> {
        let index = of.attribute("index").and_then(|index| index.parse().ok()).ok_or(MISMATCH)?;
        self.same(self.own.all(), 0, |tuple| tuple.member(index))
    }

    /// Links the member of a start that contains the operands to those operands.
    fn operand_in(&self, member: usize) -> Result<Vec<Link>, &'static str> {
        match self.own.member(member) {
            // A start that has its result alone, or operands that came late.
            None => Ok(Vec::new()),
            Some(to) => self.row(to.clone(), 0..self.count).or_else(|_| {
                self.row(to, 0..1)
                    .or_else(|why| if self.own.members() < 2 { Ok(vec![]) } else { Err(why) })
            }),
        }
    }

    /// Links the result to that of the start, which is its second member.
    fn done(&self) -> Result<Vec<Link>, &'static str> {
        let all = self.own.all();
        self.same(all.clone(), 0, |start| start.member(1)).or_else(|why| {
            // A result that is bound late is not in the start.
            let start = (self.operand)(0).ok_or(why)?;
            let is_late = start.member(1).is_some_and(|result| result.is_empty());
            if is_late { Ok(Vec::new()) } else { self.same(all, 0, |start| Some(start.all())) }
        })
    }

    /// Links the first results to the operands whose place they take.
    fn in_place(&self, operands: Range<usize>) -> Result<Vec<Link>, &'static str> {
        let count = operands.len();
        let own = self.own.all().end.min(count);
        self.row(0..own, operands).map(written)
    }

    /// `output_to_operand_aliasing={{0}: (1, {})}`.
    fn declared(&self, text: &str) -> Result<Vec<Link>, &'static str> {
        let pairs = AliasPair::list(text).ok_or("its output_to_operand_aliasing cannot be read")?;
        let link = |pair: &AliasPair| {
            let to = self.own.below(&pair.output).ok_or(MISMATCH)?;
            self.same(to, pair.input, |operand| operand.below(&pair.path)).map(written)
        };
        Ok(pairs.iter().map(link).collect::<Result<Vec<_>, _>>()?.concat())
    }
}

fn written(links: Vec<Link>) -> Vec<Link> {
    links.into_iter().map(|link| Link { is_written: true, ..link }).collect()
}

/// An array of the results that shares the buffer of one of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AliasPair {
    /// Empty in a list of donors, which have no result.
    pub(super) output: Vec<usize>,
    pub(super) input: usize,
    pub(super) path: Vec<usize>,
}

impl AliasPair {
    /// Reads `{ {0}: (2, {}, may-alias), {1}: (0, {1}) }`.
    pub(super) fn list(text: &str) -> Option<Vec<AliasPair>> {
        list(text, |cursor| {
            let output = indexes(cursor)?;
            cursor.blanks();
            cursor.token(b':')?;
            cursor.blanks();
            let (input, path) = place(cursor)?;
            Some(AliasPair { output, input, path })
        })
    }

    /// Reads `{ (3, {}) }`.
    pub(super) fn donors(text: &str) -> Option<Vec<AliasPair>> {
        list(text, |cursor| {
            let (input, path) = place(cursor)?;
            Some(AliasPair { output: Vec::new(), input, path })
        })
    }
}

fn list<T>(text: &str, item: impl Fn(&mut Cursor<'_>) -> Option<T>) -> Option<Vec<T>> {
    let mut cursor = Cursor::new(text);
    cursor.blanks();
    cursor.token(b'{')?;
    let items = cursor.list(b'}', item)?;
    cursor.blanks();
    cursor.is_at_end().then_some(items)
}

/// `{1,0}`.
fn indexes(cursor: &mut Cursor<'_>) -> Option<Vec<usize>> {
    cursor.token(b'{')?;
    cursor.list(b'}', |cursor| cursor.number().map(to_index))
}

/// `(2, {}, may-alias)`.
fn place(cursor: &mut Cursor<'_>) -> Option<(usize, Vec<usize>)> {
    cursor.token(b'(')?;
    cursor.blanks();
    let input = to_index(cursor.number()?);
    cursor.blanks();
    cursor.token(b',')?;
    cursor.blanks();
    let path = indexes(cursor)?;
    cursor.take(|c| c != ')');
    cursor.token(b')')?;
    Some((input, path))
}
