//! Results that take the buffer of an operand that ends where they begin.
//!
//! ```text
//! a = f32[1024] dot(x, y)
//! b = f32[1024] fusion(a), kind=kLoop     reads each element of a before it writes the same one: in the buffer of a
//! ```
//! Source: openxla/xla, `buffer_assignment.cc` (`LiveRangeInterferes`), `heap_simulator.cc` (`RunComputation`).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tensor_layout::xla::XlaArray;

use crate::memory::peak::{Life, Live, stretches};
use crate::memory::schedule::Schedule;

/// The first and the last time at which a buffer is live.
#[derive(Clone, Copy, Debug, Default)]
struct Span {
    start: usize,
    /// The greatest number if it lives longer than the program.
    end: usize,
    /// The number of values that must share it.
    values: usize,
    /// The number that it had at first, if it holds a result of the program.
    result: Option<usize>,
}

/// The stretches of time in which the buffers of results are live: from the buffer and the first time to the last.
#[derive(Debug, Default)]
struct Held(BTreeMap<(usize, usize), usize>);

/// An operand that ends at an instruction, which may take its place.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Its place among the operands.
    at: usize,
    buffer: usize,
    span: Span,
}

impl Span {
    /// Set if one value has the buffer, and it is no result of the program.
    fn is_plain(&self) -> bool {
        self.values == 1 && self.result.is_none()
    }

    fn with(&self, other: &Span) -> Span {
        Span {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
            values: 1,
            result: self.result.or(other.result),
        }
    }
}

impl Held {
    /// Returns the end of the last stretch of a buffer that begins before a time.
    fn before(&self, buffer: usize, time: usize) -> Option<usize> {
        self.0.range((buffer, 0)..(buffer, time)).next_back().map(|(_, end)| *end)
    }

    /// Returns whether a buffer, or the stretch of it that began before a time, ends then.
    fn ends(&self, span: &Span, time: usize) -> bool {
        match span.result {
            Some(buffer) => self.before(buffer, time) == Some(time),
            None => span.end == time,
        }
    }

    /// Lets a result and an operand that ends at a time share the buffer of a result of the program, if one of them has it
    /// and the other fits between the times at which it is live; returns whether it does.
    fn take(&mut self, time: usize, result: &Span, operand: &Span) -> bool {
        let (buffer, start, end) = match (result.result, operand.result) {
            (Some(buffer), None) => (buffer, operand.start, time),
            (None, Some(buffer)) if result.start == time => (buffer, time, result.end),
            _ => return false,
        };
        let after = self.0.range((buffer, time)..(buffer, usize::MAX)).next();
        let fits = match start < time {
            true => self.before(buffer, time).is_none_or(|before| before < start),
            false => after.is_none_or(|((_, after), _)| end < *after),
        };
        if fits {
            self.0.insert((buffer, start), end);
        }
        fits
    }
}

impl Live<'_> {
    /// Gives results the buffers of operands that end there, as XLA does: first the buffers of results of the program are
    /// filled where they are not live, from the end; then one value takes the place of another.
    pub(super) fn share(&mut self, lives: &mut [Life]) {
        let (mut spans, mut held) = self.spans(lives);
        for time in (0..self.schedule.len()).rev() {
            self.share_at(time, &mut spans, Some(&mut held));
        }
        self.buffers.flatten();
        for time in 0..self.schedule.len() {
            self.share_at(time, &mut spans, None);
        }
        self.buffers.flatten();
        lives.iter_mut().for_each(|life| life.buffer = self.buffers.buffer(life.array));
    }

    /// Lets each array that is written at a time take the place of the first operand that allows it.
    fn share_at(&mut self, time: usize, spans: &mut [Span], mut held: Option<&mut Held>) {
        let Some((run, node)) = self.schedule.at(time) else { return };
        let Some((body, shape)) =
            self.body(run).and_then(|body| Some((body, self.graph.shapes.get(body.shape(node))?)))
        else {
            return;
        };
        let mut given: FxHashMap<&XlaArray, Vec<Given>> = FxHashMap::default();
        for (at, array, operand) in self.graph.takeable(body, node) {
            let (number, _) = self.buffers.arrays(run, operand);
            let buffer = self.buffers.buffer(number);
            let Some(span) = spans.get(buffer).copied() else { continue };
            let ends = match &held {
                Some(held) => held.ends(&span, time),
                None => span.end == time && span.is_plain() && self.buffers.is_value(number),
            };
            if ends {
                given.entry(array).or_default().push(Given { at, buffer, span });
            }
        }
        if given.is_empty() {
            return;
        }
        let (first, count) = self.buffers.arrays(run, node);
        for leaf in 0..count {
            let own = self.buffers.buffer(first + leaf);
            let to = spans.get(own).copied().filter(|_| self.buffers.is_value(first + leaf));
            let same = shape.array(leaf).and_then(|array| given.get_mut(array));
            let Some((to, same)) = to.zip(same) else { continue };
            let taken = same.iter().position(|Given { at, buffer, span }| {
                let is_own = body.opcode(node) != "sort" || *at == leaf;
                *buffer != own
                    && is_own
                    && match &mut held {
                        Some(held) => held.take(time, &to, span),
                        None => to.is_plain() && to.start == time,
                    }
            });
            if let Some(Given { buffer, span, .. }) = taken.map(|at| same.remove(at)) {
                self.buffers.join(own, buffer);
                if let Some(joined) = spans.get_mut(self.buffers.buffer(own)) {
                    *joined = to.with(&span);
                }
            }
        }
    }

    /// The span of each buffer, and the stretches in which those of results are live; from sorted lives.
    fn spans(&self, lives: &[Life]) -> (Vec<Span>, Held) {
        let mut spans = vec![Span::default(); self.buffers.len()];
        for of in lives.chunk_by(|a, b| a.buffer == b.buffer) {
            let values = of.iter().filter(|life| self.buffers.is_value(life.array)).count();
            let end = of.iter().map(|life| life.end).max();
            if let Some((first, end)) = of.first().zip(end)
                && let Some(span) = spans.get_mut(first.buffer)
            {
                *span = Span { start: first.start, end, values, result: None };
            }
        }
        let mut keep = |(first, count): (usize, usize), is_result: bool| {
            for buffer in (first..first + count).map(|array| self.buffers.buffer(array)) {
                if let Some(span) = spans.get_mut(buffer) {
                    span.end = usize::MAX;
                    span.result = is_result.then_some(buffer).or(span.result);
                }
            }
        };
        if let Some(body) = self.body(Schedule::ENTRY) {
            self.arguments(body, |arrays| keep(arrays, false));
            keep(self.buffers.arrays(Schedule::ENTRY, body.root), true);
        }
        let mut held = Held::default();
        for of in lives.chunk_by(|a, b| a.buffer == b.buffer) {
            let buffer = of.first().map_or(0, |life| life.buffer);
            if spans.get(buffer).is_some_and(|span| span.result.is_some()) {
                held.0.extend(stretches(of).map(|(start, end)| ((buffer, start), end)));
            }
        }
        (spans, held)
    }
}
