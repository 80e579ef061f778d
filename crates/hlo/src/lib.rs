//! Compiler dumps: the instructions of HLO text, and every shape in a text of any length.
//!
//! ```text
//! HloModule jit_f, is_scheduled=true                                   a module
//! ENTRY %main (x: f32[8,64]) -> f32[64,8] {                            a computation
//!   %x = f32[8,64]{1,0} parameter(0), metadata={op_name="x"}           an instruction:
//!   ROOT %t = f32[64,8]{0,1} transpose(%x), dimensions={1,0}           name, shape, opcode,
//! }                                                                    operands, attributes
//! ```
//!
//! [`HloDump`] returns one computation after the other and keeps only the current one;
//! [`HloReport`] adds up all shapes of a text, [`HloSummary`] the results that instructions write,
//! [`HloCopies`] the bytes that copies move, and [`HloShardings`] the bytes that one device holds.

mod against;
mod ahead;
mod along;
mod assignment;
mod attributes;
mod body;
mod bytes;
mod callees;
mod candidates;
mod change;
mod collective;
mod collectives;
mod comments;
mod copies;
mod dump;
mod escapes;
mod grammar;
mod heads;
mod held;
mod inside;
mod instruction;
mod kind;
mod lexer;
mod log;
mod memory;
mod mlir;
mod module;
mod names;
mod operation;
mod overview;
mod participants;
mod pending;
mod prints;
mod report;
mod roles;
mod runs;
pub mod scan;
mod shardings;
mod stream;
mod summary;
mod unread;

pub use against::{HloChange, HloChanges, HloSumChange, HloTallies, Tally, TallyKind};
pub use assignment::{HloAllocation, HloAllocations};
pub use attributes::HloAttributes;
pub use bytes::HloBytes;
pub(crate) use candidates::{behind_bracket, broken, shape_end, type_before};
pub use collective::{Collective, CollectiveHop, CollectiveKind, CollectiveTraffic};
pub use collectives::{CollectiveEntry, Collectives};
pub use copies::{HloCopies, HloCopy};
pub use dump::HloDump;
pub use instruction::{HloComputation, HloInstruction, HloOperand};
pub use kind::HloTextKind;
pub use log::{LogAllocation, LogAmount, LogLimit, OutOfMemory};
pub use memory::{
    HloInterfaceBytes, HloLive, HloMemory, HloMemorySpace, HloModuleMemory, HloPeak, HloUnusedDonor,
};
pub use mlir::{MlirModule, MlirValue};
pub use module::{HloModule, HloSource};
pub use overview::HloLargest;
pub use prints::jax_print;
pub use report::{HloEntry, HloReport, HloTotals};
pub use roles::HloRole;
pub use runs::{HloRuns, StepSums};
pub use shardings::{HloOnDevice, HloSharded, HloShardings};
pub use summary::{HloComputationTotals, HloRow, HloSummary};
pub use unread::{HloReading, UnreadLine};
