//! Checks that the lines of a tensor set every place of it, or read one place of every long word.
//!
//! Lines may come in any order, and several may together set the places that one could: a tensor that
//! names no L2B is set by a line without `n`, or by four lines with `n0` to `n3`.

use super::fault::{Fault, Finding};
use super::header::TensorDirection;
use super::place::VectorPlace;
use super::tensor::{Tensor, Word};
use super::words::WordSet;
use tensor_layout::LayoutError;
use tensor_layout_words::to_u64;

/// The greatest number of long words without a line that are looked at.
const MOST_MISSING: u64 = 1 << 20;

/// The places that the lines of a tensor have, and the line of every element.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    places: WordSet,
    words: u64,
    lines: LineRuns,
    /// Runs of lines without known places: the line that follows each, and the length of the run.
    unread: Vec<(u64, u64)>,
    pending: u64,
}

/// Consecutive long words with a line for the same number of their places, but not for all of them.
struct Gap {
    line: u64,
    place: VectorPlace,
    /// The number of places of each long word that have a line, and of all its places.
    has: u64,
    of: u64,
    words: u64,
    first: u64,
    last: u64,
}

impl Coverage {
    /// Counts a line that cannot be matched with a long word.
    pub(super) fn take_unread(&mut self) {
        self.pending += 1;
    }

    /// Adds the places of a line, which are those of `words`; returns the first one that an earlier line
    /// has already.
    pub(super) fn take(
        &mut self,
        line: u64,
        places: &[VectorPlace],
        words: &[Word],
    ) -> Option<VectorPlace> {
        if self.pending > 0 {
            self.unread.push((line, self.pending));
            self.pending = 0;
        }
        let doubled = places.iter().find(|place| self.has_any(place)).copied();
        places.iter().for_each(|place| self.places.insert_bits(&place.bits()));
        self.words += to_u64(words.len());
        words.iter().for_each(|word| self.lines.push(word.element, line));
        doubled
    }

    pub(super) fn has_any(&self, place: &VectorPlace) -> bool {
        self.places.count_of(&place.bits()) > 0
    }

    /// Returns a finding for every run of long words without a line in any, or in some, of their units; the
    /// lines of the tensor end before line `end`.
    pub(super) fn missing(
        &mut self,
        tensor: &Tensor,
        base: u64,
        end: u64,
    ) -> Result<Vec<Finding>, LayoutError> {
        if self.pending > 0 {
            self.unread.push((end, self.pending));
        }
        let (mut gaps, rest) = self.gaps(tensor, base, end)?;
        let words = gaps.iter().map(|gap| gap.words).sum();
        // Lines that cannot be read may be those that are missing.
        for (line, unread) in &self.unread {
            let is_here = |gap: &Gap| gap.line == *line && gap.has == 0;
            let missing: u64 = gaps.iter().filter(|gap| is_here(gap)).map(|gap| gap.words).sum();
            if missing <= *unread {
                gaps.retain(|gap| !is_here(gap));
            }
        }
        let rest = rest.map(|element| {
            let (tensor, from) = (tensor.header.name(), tensor.index(element));
            Finding { line: end, fault: Fault::NotChecked { tensor, from, words } }
        });
        Ok(gaps.iter().map(|gap| gap.finding(tensor)).chain(rest).collect())
    }

    /// Returns the gaps up to the greatest number of long words, and the first element after them.
    fn gaps(
        &self,
        tensor: &Tensor,
        base: u64,
        end: u64,
    ) -> Result<(Vec<Gap>, Option<u64>), LayoutError> {
        let is_set = tensor.header.direction == TensorDirection::In;
        let mut gaps: Vec<Gap> = Vec::new();
        let (mut is_run, mut budget) = (false, self.words + MOST_MISSING);
        for word in tensor.words_from(0) {
            let word = word?;
            if budget == 0 {
                return Ok((gaps, Some(word.element)));
            }
            budget -= 1;
            let place = tensor.everywhere(word.word, base);
            let bits = place.bits();
            let (has, of) = (self.places.count_of(&bits), bits.count());
            let is_whole = has == of || (!is_set && has > 0);
            match gaps.last_mut() {
                _ if is_whole => {}
                Some(gap) if is_run && gap.has == has => {
                    gap.words += 1;
                    gap.last = word.element;
                }
                _ => {
                    let (first, last) = (word.element, word.element);
                    let line =
                        if has == 0 { self.lines.after(first) } else { self.lines.of(first) };
                    let line = line.unwrap_or(end);
                    gaps.push(Gap { line, place, has, of, words: 1, first, last });
                }
            }
            is_run = !is_whole;
        }
        Ok((gaps, None))
    }
}

impl Gap {
    fn finding(&self, tensor: &Tensor) -> Finding {
        let (first, last) = (tensor.index(self.first), tensor.index(self.last));
        let (name, words) = (tensor.header.name(), self.words);
        let fault = match self.has {
            0 => Fault::Missing { tensor: name, words, first, last },
            has => {
                let place = self.place;
                Fault::Partial { tensor: name, place, words, first, last, units: has, of: self.of }
            }
        };
        Finding { line: self.line, fault }
    }
}

/// The line of every element, as runs in which elements and line numbers grow by constant steps.
#[derive(Debug, Default)]
struct LineRuns(Vec<LineRun>);

#[derive(Debug)]
struct LineRun {
    element: u64,
    line: u64,
    count: u64,
    /// The steps between neighbours of the run: of elements, and of line numbers.
    step: (u64, u64),
}

impl LineRun {
    fn last(&self) -> (u64, u64) {
        let (elements, lines) = self.step;
        (self.element + (self.count - 1) * elements, self.line + (self.count - 1) * lines)
    }

    /// Returns the first element of the run that is not less than `element`, and its line.
    fn after(&self, element: u64) -> Option<(u64, u64)> {
        let (elements, lines) = self.step;
        let at = element.saturating_sub(self.element).div_ceil(elements.max(1));
        (at < self.count).then(|| (self.element + at * elements, self.line + at * lines))
    }
}

impl LineRuns {
    fn push(&mut self, element: u64, line: u64) {
        if let Some(run) = self.0.last_mut() {
            let (last, last_line) = run.last();
            let step = (element.saturating_sub(last), line - last_line);
            if step.0 > 0 && (run.count == 1 || run.step == step) {
                run.step = step;
                run.count += 1;
                return;
            }
        }
        self.0.push(LineRun { element, line, count: 1, step: (0, 0) });
    }

    /// Returns the line of the least element that is not less than `element`.
    fn after(&self, element: u64) -> Option<u64> {
        let behind = self.0.iter().filter_map(|run| run.after(element));
        behind.min().map(|(_, line)| line)
    }

    /// Returns the last line that has an element.
    fn of(&self, element: u64) -> Option<u64> {
        let here = self.0.iter().filter_map(|run| run.after(element));
        here.filter(|(found, _)| *found == element).map(|(_, line)| line).max()
    }
}

#[cfg(test)]
mod tests {
    use super::LineRuns;

    #[test]
    fn lines_are_found_by_their_elements() {
        let (mut lines, mut slow) = (LineRuns::default(), Vec::new());
        let mut seed = 7_u64;
        for line in 1..400 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let element = if line % 50 < 30 { line * 2 } else { seed >> 55 };
            lines.push(element, line);
            slow.push((element, line));
        }
        assert!(lines.0.len() < 300);
        for element in 0..1000 {
            let behind = slow.iter().filter(|(at, _)| *at >= element).min();
            assert_eq!(lines.after(element), behind.map(|(_, line)| *line), "{element}");
            let here = slow.iter().filter(|(at, _)| *at == element).max();
            assert_eq!(lines.of(element), here.map(|(_, line)| *line), "{element}");
        }
    }
}
