//! Candidate rows, whose role (inside a fusion or not) is not known until the module ends.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::Range;

use crate::names::{MOST_KNOWN, Outcomes};
use crate::{HloComputation, HloInstruction, HloModule, op_name};

/// The number of rows that are held before those inside fusions are looked for.
const LEAST_ROOM: usize = 1024;

/// Instructions of a module that may be listed: whether they are follows from calls that come later.
///
/// Their names, opcodes and metadata are in one text, which is read only for the rows that are listed.
#[derive(Clone, Debug)]
pub(super) struct Held<K> {
    rows: Vec<HeldRow<K>>,
    text: Vec<u8>,
    /// The number of rows above which those inside fusions are dropped; 0 before the first time.
    room: usize,
}

/// An instruction of a computation that may be held: its rank, its number in the computation, and the number
/// of its shape or of its change.
pub(super) type Candidate<K> = (Reverse<K>, usize, usize);

/// An instruction that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldRow<K> {
    pub(super) computation: u32,
    pub(super) line: u64,
    /// The number of its shape, or of its change.
    pub(super) number: usize,
    /// The rank by which rows are listed, or other data of the caller.
    pub(super) key: K,
    /// The start of its text, and the lengths of its name, opcode and `metadata`.
    start: usize,
    lengths: [usize; 3],
}

/// The texts of an instruction that is held.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeldText<'a> {
    pub(super) name: &'a str,
    pub(super) opcode: &'a str,
    metadata: &'a str,
}

impl<K> Default for Held<K> {
    fn default() -> Held<K> {
        Held { rows: Vec::new(), text: Vec::new(), room: 0 }
    }
}

impl<K: Copy> Held<K> {
    pub(super) fn push(
        &mut self,
        from: HloInstruction<'_>,
        computation: u32,
        number: usize,
        key: K,
    ) {
        let metadata = from.attribute("metadata").unwrap_or_default();
        let texts = [from.name(), from.opcode(), metadata];
        let (start, lengths) = (self.text.len(), texts.map(str::len));
        texts.iter().for_each(|text| self.text.extend_from_slice(text.as_bytes()));
        self.rows.push(HeldRow { computation, line: from.line(), number, key, start, lengths });
    }

    /// Takes the `top` greatest instructions of a computation, or all of them.
    pub(super) fn take(
        &mut self,
        found: &mut Vec<Candidate<K>>,
        top: Option<usize>,
        number: u32,
        computation: HloComputation<'_>,
    ) where
        K: Ord,
    {
        if let Some(top) = top.filter(|top| *top < found.len()) {
            found.sort_unstable();
            found.truncate(top);
        }
        for (Reverse(key), index, of) in found.drain(..) {
            if let Some(instruction) = computation.instruction(index) {
                self.push(instruction, number, of, key);
            }
        }
    }

    /// Returns whether there are so many rows that those inside fusions should be dropped.
    pub(super) fn is_crowded(&self) -> bool {
        self.rows.len() > self.room.max(LEAST_ROOM)
    }

    /// Returns whether some were dropped because a fusion calls their computation.
    pub(super) fn has_dropped(&self) -> bool {
        self.room > 0
    }

    pub(super) fn rows(&self) -> &[HeldRow<K>] {
        &self.rows
    }

    /// Forgets the outcomes that no row has, once there are many.
    pub(super) fn forget<T: Clone>(&mut self, known: &mut Outcomes<T>) {
        if known.len() <= MOST_KNOWN.max(2 * self.rows.len()) {
            return;
        }
        let all = std::mem::take(known);
        for row in &mut self.rows {
            if let Some((text, outcome)) = all.get_index(row.number) {
                row.number = known.insert_full(text.clone(), outcome.clone()).0;
            }
        }
    }

    /// Keeps the rows that `is_kept` accepts, and drops the others with their texts.
    pub(super) fn retain(&mut self, is_kept: impl FnMut(&HeldRow<K>) -> bool) {
        self.rows.retain(is_kept);
        let mut end = 0;
        for row in &mut self.rows {
            let range = row.range();
            row.start = end;
            end += range.len();
            self.text.copy_within(range, row.start);
        }
        self.text.truncate(end);
        self.room = self.rows.len() + (self.rows.len() / 4).max(LEAST_ROOM);
    }

    pub(super) fn text(&self, row: &HeldRow<K>) -> HeldText<'_> {
        let all = self.text.get(row.range()).unwrap_or_default();
        let all = std::str::from_utf8(all).unwrap_or_default();
        let [name, opcode, _] = row.lengths;
        let (name, rest) = all.split_at_checked(name).unwrap_or_default();
        let (opcode, metadata) = rest.split_at_checked(opcode).unwrap_or_default();
        HeldText { name, opcode, metadata }
    }
}

impl<K> HeldRow<K> {
    fn range(&self) -> Range<usize> {
        self.start..self.start + self.lengths.iter().sum::<usize>()
    }
}

impl HeldText<'_> {
    /// The operation and the line of the program that it comes from.
    pub(super) fn origin(&self, module: &HloModule) -> (Option<String>, Option<String>) {
        let source = module.source(self.metadata).map(|source| source.to_string());
        (op_name(self.metadata).map(Cow::into_owned), source)
    }
}
