//! The shapes in a text of any length, with the bytes that each allocates.

use std::io::{self, BufRead, Read};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::HloBytes;
use crate::candidates::{ShapeCandidate, ShapeCandidates, broken};
use crate::names::sizes;
use crate::overview::OverviewSums;
use crate::unread::HloReading;
use tensor_layout::LayoutError;
use tensor_layout::xla::XlaSizes;
use tensor_layout_words::{counted, to_u64};

/// A longer line is read in pieces.
const LONGEST_PIECE: usize = 1 << 20;

/// The greatest number of distinct shapes that are counted separately.
const MOST_SHAPES: usize = 1 << 18;

/// The distinct shapes of a compiler dump.
///
/// Each distinct text of a shape is an entry, wherever it occurs: in tuples, among operands, in attributes;
/// each occurrence counts once. Quoted text is skipped. After 262 144 distinct shapes, further ones are [not
/// ranked](HloReport::unranked): the totals count them, but no entry does.
/// Cost: one pass; memory for those shapes, and one line, at most 1 MiB of it.
///
/// ```
/// use tensor_layout_hlo::HloReport;
/// let dump = "%a = bf16[3,5]{1,0:T(8,128)(2,1)} add(bf16[3,5]{1,0:T(8,128)(2,1)} %b, f32[] %c)";
/// let report = HloReport::scan(dump.as_bytes(), |_| {})?;
/// let entries = report.entries();
/// assert_eq!((entries[0].shape, entries[0].count), ("bf16[3,5]{1,0:T(8,128)(2,1)}", 2));
/// assert_eq!((entries[0].sizes.unpadded_bytes, entries[0].sizes.allocated_bytes), (30, 2048));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HloReport {
    /// The sizes and the count of each text, or the reason it cannot be read.
    shapes: IndexMap<Box<str>, Result<(XlaSizes, u64), String>, FxBuildHasher>,
    /// The sums over occurrences of shapes beyond those that are counted separately.
    others: OverviewSums,
    unread: HloReading,
    lines: u64,
}

/// One distinct shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HloEntry<'a> {
    /// Its text as written.
    pub shape: &'a str,
    /// The number of its occurrences.
    pub count: u64,
    /// The sizes of one occurrence.
    pub sizes: XlaSizes,
}

/// All occurrences of all shapes together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HloTotals {
    /// The number of distinct shapes.
    pub shapes: u64,
    /// The number of occurrences.
    pub count: u64,
    /// The bytes of the elements alone.
    pub unpadded_bytes: u64,
    /// The allocated bytes, padding included.
    pub allocated_bytes: u64,
}

impl HloReport {
    /// Reads a dump; `progress` is called with the number of bytes read after every piece.
    ///
    /// # Errors
    /// Those of `input`. Lines that cannot be read are not errors here:
    /// [`reading`](HloReport::reading).
    pub fn scan(mut input: impl BufRead, mut progress: impl FnMut(u64)) -> io::Result<HloReport> {
        let mut report = HloReport::default();
        let mut piece = Vec::new();
        let (mut bytes, mut quoted, mut unread, mut ends) = (0_u64, false, false, true);
        loop {
            let room = to_u64(LONGEST_PIECE - piece.len());
            let read = input.by_ref().take(room).read_until(b'\n', &mut piece)?;
            bytes += to_u64(read);
            if piece.is_empty() {
                report.lines += u64::from(!ends);
                return Ok(report);
            }
            // `take` stops a line at the longest piece only; short of it, the input has ended.
            ends = piece.ends_with(b"\n") || piece.len() < LONGEST_PIECE;
            let behind = report.piece(&piece, &mut quoted, &mut unread, ends);
            piece.drain(..behind);
            if ends {
                report.lines += 1;
                (quoted, unread) = (false, false);
            }
            progress(bytes);
        }
    }

    /// Counts the shapes of a piece of a line; `unread` is set once a shape of the line could not be read.
    /// Returns the position at which the next piece begins.
    fn piece(&mut self, piece: &[u8], quoted: &mut bool, unread: &mut bool, ends: bool) -> usize {
        let mut candidates = ShapeCandidates::new(piece, quoted, ends);
        for candidate in candidates.by_ref() {
            let (text, refusal) = match candidate {
                ShapeCandidate::Shape(text) => (text, self.count(text)),
                ShapeCandidate::Broken(text) => (text, Some(broken(text).to_owned())),
            };
            if let Some(reason) = refusal
                && !*unread
            {
                *unread = true;
                self.unread.push(self.lines + 1, text, reason);
            }
        }
        candidates.behind()
    }

    /// Counts a shape; returns the reason it cannot be read, if it cannot.
    fn count(&mut self, text: &[u8]) -> Option<String> {
        // Candidates are ASCII.
        let shape = std::str::from_utf8(text).unwrap_or_default();
        let number = match self.shapes.get_index_of(shape) {
            Some(number) => number,
            None => {
                let sizes = sizes(shape);
                if self.shapes.len() >= MOST_SHAPES {
                    return sizes.map(|sizes| self.others.add(sizes.into())).err();
                }
                self.shapes.insert_full(shape.into(), sizes.map(|sizes| (sizes, 0))).0
            }
        };
        match self.shapes.get_index_mut(number)?.1 {
            Ok((_, count)) => {
                *count += 1;
                None
            }
            Err(reason) => Some(reason.clone()),
        }
    }

    /// The shapes, those that waste the most bytes in one occurrence first.
    #[must_use]
    pub fn entries(&self) -> Vec<HloEntry<'_>> {
        let mut entries: Vec<HloEntry<'_>> = self.ranked().collect();
        let key = |entry: &HloEntry<'_>| (entry.sizes.padding_bytes(), entry.count);
        entries.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.shape.cmp(b.shape)));
        entries
    }

    fn ranked(&self) -> impl Iterator<Item = HloEntry<'_>> {
        self.shapes.iter().filter_map(|(shape, outcome)| {
            let (sizes, count) = *outcome.as_ref().ok()?;
            Some(HloEntry { shape, count, sizes })
        })
    }

    /// The number of occurrences of shapes that were not counted separately, because there were too many
    /// distinct ones before them: [`totals`](HloReport::totals) adds their bytes, but no entry
    /// counts them.
    #[must_use]
    pub fn unranked(&self) -> u64 {
        self.others.count()
    }

    /// The readable note on shapes that are not ranked.
    #[must_use]
    pub fn unranked_text(&self) -> String {
        format!(
            "{} of further shapes not ranked: only the first {} distinct shapes are told apart",
            counted(self.unranked(), "occurrence"),
            self.shapes.len()
        )
    }

    /// All occurrences together; `shapes` counts the distinct ones that are ranked.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn totals(&self) -> Result<HloTotals, LayoutError> {
        let (mut shapes, mut sums) = (0, self.others);
        for HloEntry { count, sizes, .. } in self.ranked() {
            shapes += 1;
            sums.add_times(sizes.into(), count);
        }
        let HloBytes { count, unpadded: unpadded_bytes, allocated: allocated_bytes } =
            sums.bytes()?;
        Ok(HloTotals { shapes, count, unpadded_bytes, allocated_bytes })
    }

    /// The lines with a shape that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }

    /// The number of lines.
    #[must_use]
    pub fn lines(&self) -> u64 {
        self.lines
    }
}
