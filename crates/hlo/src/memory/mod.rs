//! The memory of a program: arguments, results, and the buffers that are live at the peak.
//!
//! ```text
//! 0  a = f32[1024] parameter(0)      a .                 a parameter that is not donated lives to the end
//! 1  b = f32[1024] reverse(a)        a b                 4096 bytes each
//! 2  c = f32[1024] reverse(b)        a b c  <- the peak: an operand ends where it is used last
//! 3  d = f32[1024] tanh(c)           a   d               in the buffer of c, which ends there
//! ```
//!
//! Time counts the instructions in text order, callees before their caller. A value lives from its
//! instruction to its last use, both included. An instruction that only aliases it (`bitcast`,
//! `tuple`, loops, calls, `*-done`) uses it; a value in the root is used until the computation ends.
//! Values that must share a buffer count once: those that loops, branches and calls pass, updates in
//! place, and results with the parameters donated to them. So do an operand that ends at an instruction and a result that
//! takes its [place](sharing).

mod body;
mod buffers;
mod elementwise;
mod graph;
mod interface;
mod leaves;
mod links;
mod peak;
mod schedule;
mod sharing;
mod space;

use std::collections::BTreeMap;

use crate::HloComputation;
use crate::roles::{Calls, HloRole, Roles};
use crate::unread::HloReading;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use buffers::Buffers;
use graph::Graph;
use interface::Interface;
pub use interface::{HloInterfaceBytes, HloUnusedDonor};
use peak::Live;
pub use peak::{HloLive, HloPeak};
use schedule::Schedule;
pub use space::HloMemorySpace;

/// The memory of a module: arguments, results and peaks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HloModuleMemory {
    /// The name of the module.
    pub module: String,
    /// The line of its head.
    pub line: u64,
    /// The name of its entry; `None` where there is none.
    pub entry: Option<String>,
    /// Arguments and results, by memory space.
    pub interface: BTreeMap<HloMemorySpace, HloInterfaceBytes>,
    /// The donated parameters whose buffers no result takes; none where the module is not scheduled, because XLA
    /// gives them to results on the way there.
    pub unused_donors: Vec<HloUnusedDonor>,
    /// The greatest sum of live bytes in each memory space, or the reason it is not known.
    pub peaks: Result<Vec<HloPeak>, LayoutError>,
    /// The number of instructions that have a shape without a size, and are not counted.
    pub unsized_count: u64,
    /// The devices over which XLA may still partition the module: its shapes may be those of whole arrays, of which a device
    /// has parts. `None` for one device, and where the module is scheduled.
    pub may_be_partitioned_over: Option<u64>,
    /// Set if the peaks are lower bounds: an instruction is missing or has no size, or calls a computation, other than
    /// the inside of a fusion, that is not in the text.
    pub is_at_least: bool,
}

/// The memory of the modules of a dump.
///
/// Cost: O(instructions and arrays of tuples), plus a sort of the lives; memory for one module: some 150
/// bytes, the name and the `metadata` of each instruction (inside a fusion only until the fusion is read),
/// and 60 bytes for each array.
///
/// ```
/// use tensor_layout_hlo::{HloDump, HloMemory};
/// let text = "HloModule m, is_scheduled=true
/// ENTRY e {
///   a = f32[1024] parameter(0)
///   b = f32[1024] reverse(a), dimensions={0}
///   c = f32[1024] reverse(b), dimensions={0}
///   ROOT d = f32[1024] tanh(c)
/// }";
/// let (mut dump, mut memory) = (HloDump::new(text.as_bytes()), HloMemory::default());
/// while let Some(computation) = dump.next_computation()? {
///     memory.add(computation)?;
/// }
/// memory.finish()?;
/// let peaks = memory.modules()[0].peaks.as_ref().unwrap();
/// assert_eq!((peaks[0].bytes.allocated, peaks[0].name.as_str()), (3 * 4096, "c"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct HloMemory {
    top: Option<usize>,
    calls: Calls,
    graph: Graph,
    modules: Vec<HloModuleMemory>,
    unread: HloReading,
}

impl HloMemory {
    /// Returns an empty record that keeps the `top` greatest buffers at each peak, or all.
    #[must_use]
    pub fn new(top: Option<usize>) -> HloMemory {
        HloMemory { top, ..HloMemory::default() }
    }

    /// Adds a computation.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn add(&mut self, computation: HloComputation<'_>) -> Result<(), LayoutError> {
        if !self.calls.is_of(computation.module()) {
            self.finish()?;
        }
        self.calls.add(computation)?;
        self.graph.add(computation, &self.calls, &mut self.unread);
        Ok(())
    }

    /// Ends the last module.
    ///
    /// # Errors
    /// `TooLarge`.
    pub fn finish(&mut self) -> Result<(), LayoutError> {
        let mut calls = std::mem::take(&mut self.calls);
        if calls.is_empty() {
            return Ok(());
        }
        let roles = calls.roles();
        let interface = Interface::of(&calls.module, &mut self.graph.shapes, &mut self.unread);
        let found = self.module_memory(&calls, &roles, &interface)?;
        self.modules.push(found);
        self.graph.clear();
        Ok(())
    }

    fn module_memory(
        &self,
        calls: &Calls,
        roles: &Roles,
        interface: &Interface,
    ) -> Result<HloModuleMemory, LayoutError> {
        let entry =
            roles.iter().find(|(_, role)| *role == HloRole::Entry).map(|(number, _)| number);
        let body = entry.and_then(|number| self.graph.body(number));
        let (mut bytes, mut unused_donors) = (BTreeMap::new(), Vec::new());
        if let Some(body) = body {
            bytes = interface.bytes(&self.graph, body)?;
            if calls.module.is_scheduled() {
                unused_donors = interface.unused(&self.graph, body)?;
            }
        }
        Ok(HloModuleMemory {
            module: calls.module.name().to_owned(),
            line: calls.module.line(),
            entry: entry.map(|number| calls.name(number).to_owned()),
            interface: bytes,
            unused_donors,
            peaks: self.peaks(calls, interface, entry),
            unsized_count: self.graph.unsized_count,
            may_be_partitioned_over: Some(calls.module.partitions())
                .filter(|count| *count > 1 && !calls.module.is_scheduled()),
            is_at_least: self.graph.unsized_count > 0
                || self.graph.has_members
                || calls.lacks_memory(),
        })
    }

    fn peaks(
        &self,
        calls: &Calls,
        interface: &Interface,
        entry: Option<u32>,
    ) -> Result<Vec<HloPeak>, LayoutError> {
        let entry = entry.ok_or_else(|| {
            fault!(
                Missing,
                "this module has no ENTRY: the dump is cut off, or is not a whole module"
            )
        })?;
        if !calls.module.is_scheduled() {
            return Err(fault!(
                Unsupported,
                "this module is not scheduled: which values are live together is not decided"
            ));
        }
        let schedule = Schedule::of(&self.graph, calls, entry)?;
        let buffers = Buffers::of(&self.graph, &schedule, interface);
        let live = Live { graph: &self.graph, calls, schedule: &schedule, buffers, interface };
        live.peaks(self.top)
    }

    /// The modules that have ended, in the order of the text.
    #[must_use]
    pub fn modules(&self) -> &[HloModuleMemory] {
        &self.modules
    }

    /// The parts of instructions and module heads that could not be read.
    #[must_use]
    pub fn reading(&self) -> &HloReading {
        &self.unread
    }
}
