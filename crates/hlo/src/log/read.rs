//! Reading of out-of-memory messages, line by line.

use std::borrow::Cow;

use crate::attributes::{entry, unquoted};
use crate::escapes::log_lines;
use crate::kind::is_limit;
use crate::log::{LogAllocation, LogAmount, LogLimit, OutOfMemory};

/// Words that begin an amount for a part of the program.
const PARTS: [&str; 14] = [
    "reserved",
    "program",
    "arguments",
    "global",
    "scoped",
    "HLO temp",
    "overlays",
    "parameter allocation:",
    "constant allocation:",
    "maybe_live_out allocation:",
    "preallocated temp allocation:",
    "preallocated temp fragmentation:",
    "total allocation:",
    "total fragmentation:",
];

impl OutOfMemory {
    /// Reads the messages of a log, in its order: a limit after a list of allocations begins the next message.
    #[must_use]
    pub fn read_all(log: &str) -> Vec<OutOfMemory> {
        let (mut messages, mut reader) = (Vec::new(), MessageReader::default());
        for (number, line) in log_lines(log, is_limit) {
            let line = &*line;
            let limit = if is_limit(line) { limit(line, number) } else { None };
            if limit.is_none() && is_limit(line) {
                let why = "the amounts of this message cannot be read";
                reader.found.reading.push(number, line.as_bytes(), why.into());
            }
            if limit.is_some() && !reader.found.allocations.is_empty() {
                messages.push(std::mem::take(&mut reader).found);
            }
            reader.found.limits.extend(limit);
            reader.read_part(line);
            reader.read_field(line, number);
        }
        messages.push(reader.found);
        for OutOfMemory { allocations, reading, .. } in &mut messages {
            for allocation in allocations {
                allocation.settle();
                if let (Some(why), Some(shape)) = (&allocation.refusal, &allocation.shape) {
                    reading.push(allocation.line, shape.as_bytes(), why.clone());
                }
                if allocation.shape.is_none() && allocation.label.is_none() {
                    let why = "this allocation has neither a shape nor a label";
                    reading.push(allocation.line, b"", why.into());
                }
            }
        }
        messages
    }
}

/// The message so far, and where fields go.
#[derive(Default)]
struct MessageReader {
    found: OutOfMemory,
    /// True while fields belong to the last allocation: a line of `=====`, or a size that cannot be read,
    /// ends it.
    is_open: bool,
}

impl MessageReader {
    /// `    arguments         4.00G`
    fn read_part(&mut self, line: &str) {
        let part = PARTS.iter().find_map(|name| {
            let (before, rest) = line.split_once(name)?;
            let is_first = before.is_empty() || before.ends_with(' ');
            let is_amount = rest.starts_with([' ', '\t']);
            let amount = LogAmount::starting(rest).filter(|_| is_first && is_amount)?;
            Some((name.trim_end_matches(':').to_owned(), amount))
        });
        if let Some(part) = part.filter(|_| self.found.allocations.is_empty()) {
            self.found.parts.push(part);
        }
    }

    /// `     Shape: f32[8]{0}`
    fn read_field(&mut self, line: &str, number: u64) {
        if let Some(size) = behind(line, "Size: ").filter(|_| !line.contains("Unpadded")) {
            return self.start(LogAmount::starting(size), line, number);
        }
        self.is_open &= !line.contains("=====");
        let Some(last) = self.found.allocations.last_mut().filter(|_| self.is_open) else { return };
        let text = |value: &str| Some(value.trim().to_owned());
        if let Some(value) = behind(line, "Operator: ") {
            let braced = format!("{{{value}}}");
            let word = |key: &str| entry(&braced, key).and_then(unquoted).map(Cow::into_owned);
            last.op_name = word("op_name");
            last.source = word("source_file").map(|file| match entry(&braced, "source_line") {
                Some(line) => format!("{file}:{line}"),
                None => file,
            });
        } else if let Some(value) = behind(line, "Unpadded size: ") {
            last.unpadded = LogAmount::starting(value);
            if last.unpadded.is_none() {
                let why = "the unpadded size of this allocation cannot be read";
                self.found.reading.push(number, line.as_bytes(), why.into());
            }
        } else if let Some(value) = behind(line, "XLA label: ").or(behind(line, "XLA Label: ")) {
            last.label = text(value);
        } else if let Some(value) = behind(line, "Allocation type: ") {
            last.kind = text(value);
        } else if let Some(value) = behind(line, "Entry Parameter Subshape: ") {
            last.shape = text(value);
            last.kind = Some("entry parameter".to_owned());
        } else if let Some(value) = behind(line, "Shape: ") {
            last.shape = text(value);
        }
    }

    /// `  1. Size: 8.00G`
    fn start(&mut self, size: Option<LogAmount>, line: &str, number: u64) {
        self.is_open = size.is_some() || line.contains("unknown size");
        if !self.is_open {
            let why = "the size of this allocation cannot be read";
            self.found.reading.push(number, line.as_bytes(), why.into());
        }
        if self.is_open {
            let start = LogAllocation { line: number, size, ..LogAllocation::default() };
            self.found.allocations.push(start);
        }
    }
}

/// Returns the text after a key, which must begin a word.
fn behind<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let (before, value) = line.split_once(key)?;
    (before.is_empty() || before.ends_with([' ', '\t', ']'])).then_some(value)
}

/// Returns the text between two marks.
fn between<'l>(line: &'l str, start: &str, end: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

/// Reads the sentence of a line about an amount of memory that did not fit, if there is one.
fn limit(line: &str, number: u64) -> Option<LogLimit> {
    let limit = |memory: &str, needed, capacity, purpose: Option<&str>| LogLimit {
        line: number,
        memory: memory.to_owned(),
        needed,
        capacity,
        purpose: purpose.map(str::to_owned),
    };
    if let Some((_, rest)) = line.split_once("Ran out of memory in memory space ") {
        let name =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        let memory = rest.get(..name)?;
        let used = behind(rest, "Used ")?;
        let capacity = used.split_once(" of ").and_then(|(_, text)| LogAmount::starting(text));
        let purpose = between(rest, " for %", ". Used");
        return Some(limit(memory, LogAmount::starting(used)?, capacity, purpose));
    }
    if let Some(size) = between(line, "Allocation (size=", ")") {
        let capacity = between(line, "would exceed memory (size=", ")");
        let capacity = capacity.and_then(|size| size.parse().ok()).map(LogAmount::exact);
        let memory = between(line, "space=", ",").unwrap_or("memory");
        let purpose = between(line, "tag = '", "'");
        return Some(limit(memory, LogAmount::exact(size.parse().ok()?), capacity, purpose));
    }
    if let Some((before, rest)) = line.split_once("Hbm usage: ") {
        let needed = LogAmount::starting(rest)?;
        let capacity = behind(rest, "available bytes: ").and_then(LogAmount::starting);
        let memory = before.rsplit("TPU ").next().unwrap_or_default().trim();
        let other = between(rest, "SparseCore Hbm usage ", ", exceeding");
        let other = other.map(|amount| format!(" (beside {amount} of SparseCore)"));
        let memory = format!("{memory} hbm{}", other.unwrap_or_default());
        return Some(limit(&memory, needed, capacity, None));
    }
    if let Some((before, rest)) = line.split_once("ran out of memory trying to allocate ") {
        let memory = between(before, "Allocator (", ")").unwrap_or("device");
        return Some(limit(memory, LogAmount::starting(rest)?, None, None));
    }
    if let Some((before, rest)) = line.split_once("That was not possible. There are ") {
        let needed = ["Attempting to reserve ", "Attempting to allocate "];
        let needed = needed.iter().find_map(|words| behind(before, words))?;
        let free = between(rest, ", and ", " reservable").unwrap_or(rest);
        return Some(limit(
            "device",
            LogAmount::starting(needed)?,
            LogAmount::starting(free),
            None,
        ));
    }
    let sentences = ["Out of memory while trying to allocate ", "Out of memory allocating "];
    if let Some(rest) = sentences.iter().find_map(|words| behind(line, words)) {
        return Some(limit("device", LogAmount::starting(rest)?, None, None));
    }
    let sentences = ["Failed to allocate request for ", "failed to allocate "];
    let rest = sentences.iter().find_map(|words| behind(line, words))?;
    let needed = between(rest, "(", ")").and_then(LogAmount::starting);
    let memory = rest.split_once(" on ").map_or("device", |(_, device)| device.trim());
    Some(limit(memory, needed.or_else(|| LogAmount::starting(rest))?, None, None))
}
