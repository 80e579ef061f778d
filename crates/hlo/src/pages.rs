//! Summaries of dumps as readable pages.

use std::fmt::Display;

use itertools::Itertools;

use crate::HloBytes;
use crate::copies::{HloCopies, HloCopy};
use crate::overview::HloLargest;
use crate::roles::HloRole;
use crate::shardings::{HloOnDevice, HloSharded, HloShardings};
use crate::summary::{HloRow, HloSummary};
use crate::unread::HloReading;
use tensor_layout::LayoutError;
use tensor_layout::internals::to_u64;
use tensor_layout::internals::{counted, in_one_line, printable, readable_bytes};

/// The number of rows on a page by default.
pub(super) const SHOWN: usize = 20;

/// The greatest number of unread places on a page.
const FEW: usize = 10;

/// Three byte counts, right-aligned, and text.
pub(super) fn row(cells: [impl Display; 3], text: &str) -> String {
    let [a, b, c] = cells;
    format!("{a:>11} {b:>11} {c:>11}  {text}\n")
}

fn bytes_row(bytes: HloBytes, text: &str) -> String {
    row([bytes.padding(), bytes.unpadded, bytes.allocated].map(readable_bytes), text)
}

/// Returns the second line of an instruction: its operation and its source line in the program.
pub(super) fn origin(indent: usize, op_name: Option<&str>, source: Option<&str>) -> String {
    let parts = op_name.into_iter().chain(source).join(", ");
    if parts.is_empty() { parts } else { format!("{:indent$}{}\n", "", in_one_line(&parts)) }
}

impl HloReading {
    /// A readable page: the first places that could not be read, with reasons; empty if there are none.
    #[must_use]
    pub fn page(&self) -> String {
        printable(&self.rows()).into_owned()
    }

    /// The [page](HloReading::page) as a part of another one, which is made printable as a whole.
    pub(super) fn rows(&self) -> String {
        if self.is_complete() {
            return String::new();
        }
        let lines = self.lines.iter().take(FEW);
        let lines = lines.map(|unread| format!("  line {}: {}\n", unread.line, unread.why()));
        format!(
            "\n{} could not be read\n{}",
            counted(self.count, "place"),
            lines.collect::<String>()
        )
    }
}

impl HloSummary {
    /// A readable page: the `top` worst instructions (20 by default), parameters and results of the entry,
    /// totals by computation, and the parts of the dump that could not be read.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn page(&self, top: Option<usize>, unread: &HloReading) -> Result<String, LayoutError> {
        let head = |what: &str| row(["waste", "elements", "allocated"], what);
        let mut page = head("instruction");
        for HloRow { line, name, opcode, shape, sizes, op_name, source, computation, role } in
            self.rows().take(top.unwrap_or(SHOWN))
        {
            let place = place(role, computation);
            page += &bytes_row(sizes.into(), &format!("{opcode} {name}, line {line}{place}"));
            page += &format!("{:13}{shape}\n", "");
            page += &origin(13, op_name, source);
        }
        page += &format!("\n{}", head("entry"));
        for (what, bytes) in [("parameter", self.parameters()?), ("result", self.result()?)] {
            page += &bytes_row(bytes, &counted(bytes.count, what));
        }
        if let Some(HloOnDevice { parameters, result }) = self.on_device()? {
            for (what, bytes) in [("parameter", parameters), ("result", result)] {
                let held = format!("{}, on one device", counted(bytes.count, what));
                page += &bytes_row(bytes, &held);
            }
        }
        page += &partitioned(self.partitions());
        page += "\nwhat instructions write, each once: sums over shapes, not the memory that is live \
                 at one time\n";
        page += &head("computation");
        page += &self.computation_rows()?;
        page += &unread.and(self.reading()).rows();
        Ok(printable(&page).into_owned())
    }

    fn computation_rows(&self) -> Result<String, LayoutError> {
        let overview = self.overview();
        let mut page = String::new();
        for HloLargest { name, role, line, written, .. } in overview.largest() {
            let count = counted(written.count, "instruction");
            let whole = match name.is_empty() {
                true => "outside of any computation".to_owned(),
                false => format!("{} {name}", role.name()),
            };
            page += &bytes_row(*written, &format!("{whole}, line {line}: {count}"));
        }
        let (count, rest) = overview.others();
        if count > 0 {
            page += &bytes_row(rest.bytes()?, &format!("{count} more"));
        }
        for (role, what) in [
            (HloRole::Fused, "inside fusions, not in memory"),
            (HloRole::Applied, "applied to elements, as in a reduce"),
            (HloRole::CutOff, "in computations whose callers are cut off: not listed above"),
        ] {
            if overview.computations(role) > 0 {
                let bytes = self.written(role)?;
                page += &bytes_row(bytes, &format!("{} {what}", counted(bytes.count, "value")));
            }
        }
        Ok(page)
    }
}

/// Returns the note that shapes are those of one device; empty if no module is partitioned.
fn partitioned(devices: Option<u64>) -> String {
    devices.map_or(String::new(), |devices| {
        format!("shapes are those of one device: the module is partitioned over {devices}\n")
    })
}

impl HloShardings {
    /// A readable page: the `top` instructions by bytes on one device (20 by default), and the bytes of the
    /// entries' parameters and results on one device.
    #[must_use]
    pub fn page(&self, top: Option<usize>) -> String {
        let mut page = row(["on a device", "padding", "whole"], "instruction");
        for entry in self.entries().iter().take(top.unwrap_or(SHOWN)) {
            let HloSharded { name, opcode, line: number, shape, sharding, .. } = entry;
            let device = entry.device;
            let cells = [device.allocated, device.padding(), entry.whole_bytes];
            page += &row(cells.map(readable_bytes), &format!("{opcode} {name}, line {number}"));
            page += &format!("{:13}{shape}, sharding={sharding}\n", "");
            page += &origin(13, entry.op_name.as_deref(), None);
        }
        let hidden = self.entries().len().saturating_sub(top.unwrap_or(SHOWN));
        if hidden > 0 {
            page += &row([""; 3], &format!("{hidden} more"));
        }
        if self.entries().is_empty() {
            page += &row([""; 3], "no instruction has a sharding");
        }
        let HloOnDevice { parameters, result } = self.on_device();
        for (what, bytes) in [("parameter", parameters), ("result", result)] {
            let [held, padding] = [bytes.allocated, bytes.padding()].map(readable_bytes);
            let text = format!("{} of the entry", counted(bytes.count, what));
            page += &row([&*held, &*padding, ""], &text);
        }
        page += match self.partitions() {
            None => "instructions without a sharding are counted whole\n",
            Some(_) => "",
        };
        page += &partitioned(self.partitions());
        let left_over = to_u64(self.left_over());
        if left_over > 0 {
            let count = counted(left_over, "sharding");
            let describes = if left_over == 1 { "it describes" } else { "they describe" };
            page += &format!(
                "{count} left over from before partitioning; {describes} the whole tensor\n"
            );
        }
        page += &self.unread.rows();
        printable(&page).into_owned()
    }
}

/// Returns ` in COMPUTATION` for an instruction; empty in the entry, and outside of computations.
pub(crate) fn place(role: HloRole, computation: &str) -> String {
    match role {
        HloRole::Entry => String::new(),
        _ if computation.is_empty() => String::new(),
        _ => format!(" in {computation}"),
    }
}

impl HloCopies {
    /// A readable page: the `top` greatest copies (20 by default), and the sum of the copies that are not
    /// free.
    #[must_use]
    pub fn page(&self, top: Option<usize>) -> String {
        let line = |read: &str, written: &str, free: &str, text: &str| {
            format!("{read:>11} {written:>11} {free:>9}  {text}\n")
        };
        let mut page = line("read", "written", "free", "instruction");
        for entry in self.entries().iter().take(top.unwrap_or(SHOWN)) {
            let HloCopy { name, opcode, line: number, from, to, changes, .. } = entry;
            let place = place(entry.role, &entry.computation);
            let changes = match &changes[..] {
                [] => "nothing changes".to_owned(),
                changes => changes.join(", "),
            };
            let free = match (entry.role.is_in_memory(), entry.is_free) {
                (false, _) => "in fusion",
                (_, Some(true)) => "yes",
                (_, Some(false)) => "no",
                (_, None) => "?",
            };
            let [read, written] = [entry.read, entry.written].map(readable_bytes);
            let runs = entry.runs.mark();
            let text = format!("{opcode} {name}, line {number}{place}{runs}: {changes}");
            page += &line(&read, &written, free, &text);
            page += &format!("{:13}{from} -> {to}\n", "");
            page += &origin(13, entry.op_name.as_deref(), entry.source.as_deref());
        }
        let [read, written] = [self.moved().0, self.moved().1].map(readable_bytes);
        let (all, paid) = self.count();
        let shown = self.entries().len().min(top.unwrap_or(SHOWN));
        let hidden = all.saturating_sub(shown);
        let hidden = if hidden > 0 { format!("; {hidden} not shown") } else { String::new() };
        page +=
            &line(&read, &written, "", &format!("all that is not free: {paid} of {all}{hidden}"));
        let step = self.in_a_step();
        // A sum beyond 64 bits is shown as more than the greatest number.
        let [read, written] = [0, 1].map(|at| step.bytes(at).unwrap_or(u64::MAX));
        if (read, written) != self.moved() || !step.bound().is_empty() {
            let text = format!("{}in one run of the program", step.bound());
            page += &line(&readable_bytes(read), &readable_bytes(written), "", &text);
        }
        page += &self.reading().rows();
        printable(&page).into_owned()
    }
}
