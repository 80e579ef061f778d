//! The collectives of a dump, worst first, and their sum.

use std::collections::BTreeMap;

use itertools::Itertools;

use crate::pages::origin;
use crate::{CollectiveError, CollectiveTraffic, HloComputation};
use tensor_layout::Level;
use tensor_layout::Machine;
use tensor_layout::internals::to_u64;
use tensor_layout::internals::{counted, printable, readable_bytes};
use tensor_layout::{LayoutError, internals};

/// A collective of a dump.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveEntry {
    /// Its name in the dump.
    pub name: String,
    /// The opcode.
    pub opcode: String,
    /// The line of the dump.
    pub line: u64,
    /// The operation of the program, where it is known.
    pub op_name: Option<String>,
    /// Bytes per device, as of [`Collective`](super::Collective::bytes).
    pub bytes: u64,
    /// What it moves when it runs once.
    pub traffic: CollectiveTraffic,
}

/// The collectives of a dump.
///
/// A collective in the body of a loop counts once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collectives {
    /// Those that move most first.
    pub entries: Vec<CollectiveEntry>,
    /// All together.
    pub total: CollectiveTraffic,
    /// Instructions that could not be read: the line and why.
    pub unread: Vec<(u64, String)>,
}

impl Collectives {
    /// Adds the collectives of a computation.
    ///
    /// # Errors
    /// As [`Collective::traffic`](super::Collective::traffic); collectives that cannot be read are kept in
    /// [`unread`](Collectives::unread).
    pub fn add(
        &mut self,
        computation: HloComputation<'_>,
        machine: Option<&Machine>,
    ) -> Result<(), CollectiveError> {
        for instruction in computation.instructions() {
            match instruction.collective() {
                Ok(None) => {}
                Err(error) => self.unread.push((instruction.line(), error.to_string())),
                Ok(Some(collective)) => self.entries.push(CollectiveEntry {
                    name: instruction.name().into(),
                    opcode: instruction.opcode().into(),
                    line: instruction.line(),
                    op_name: instruction.op_name().map(std::borrow::Cow::into_owned),
                    bytes: collective.bytes,
                    traffic: collective.traffic(machine)?,
                }),
            }
        }
        Ok(())
    }

    /// Sorts the entries and adds them up.
    ///
    /// # Errors
    /// [`TooLarge`](LayoutError::TooLarge).
    pub fn finish(mut self) -> Result<Collectives, LayoutError> {
        let key = |entry: &CollectiveEntry| {
            let outermost = entry.traffic.into.iter().map(|(_, bytes)| *bytes).collect_vec();
            (outermost, entry.traffic.received)
        };
        self.entries.sort_by(|a, b| key(b).cmp(&key(a)).then_with(|| a.line.cmp(&b.line)));
        let mut levels: BTreeMap<Level, u64> = BTreeMap::new();
        let mut received = 0_u64;
        for entry in &self.entries {
            received = received.checked_add(entry.traffic.received).ok_or_else(too_large)?;
            for (level, bytes) in &entry.traffic.into {
                let sum = levels.entry(*level).or_default();
                *sum = sum.checked_add(*bytes).ok_or_else(too_large)?;
            }
        }
        let order = self.entries.first().map(|entry| entry.traffic.into.clone());
        let into = order
            .into_iter()
            .flatten()
            .map(|(level, _)| (level, levels.get(&level).copied().unwrap_or(0)));
        self.total = CollectiveTraffic { received, into: into.collect() };
        Ok(self)
    }

    /// A page for a person: the `top` worst collectives (20 if not said), the sum, and what could
    /// not be read.
    #[must_use]
    pub fn page(&self, top: Option<usize>) -> String {
        const SHOWN: usize = 20;
        let numbers = |traffic: &CollectiveTraffic| {
            let levels = traffic.into.iter().map(|(_, bytes)| *bytes);
            let all = levels.chain([traffic.received]);
            all.map(|bytes| format!("{:>12}", readable_bytes(bytes))).join(" ")
        };
        let levels = self.total.into.iter().map(|(level, _)| format!("into {level}"));
        let head = levels.chain(["received".to_owned()]).map(|name| format!("{name:>12}"));
        let mut page = head.collect_vec().join(" ") + "  collective\n";
        for entry in self.entries.iter().take(top.unwrap_or(SHOWN)) {
            let CollectiveEntry { name, opcode, line, op_name, traffic, .. } = entry;
            page += &format!("{}  {opcode} {name}, line {line}\n", numbers(traffic));
            page += &origin(14, op_name.as_deref(), None);
        }
        let counted = |count: usize| counted(to_u64(count), "collective");
        let all = counted(self.entries.len());
        page += &format!("{}  {all} in all\n", numbers(&self.total));
        if !self.unread.is_empty() {
            page += &format!("\n{} could not be read\n", counted(self.unread.len()));
            let lines = self.unread.iter().take(SHOWN);
            page.extend(lines.map(|(line, why)| format!("  line {line}: {why}\n")));
        }
        printable(&page).into_owned()
    }
}

fn too_large() -> LayoutError {
    internals::too_large("the number of bytes")
}
