//! Items shared only with the other packages of this workspace; not a stable interface.
//!
//! The list is complete: those packages use no other items that are not public.

use crate::algebra::Layout;
use crate::error::{LayoutError, Site};
use crate::location::Location;
use crate::machine::Machine;

pub use crate::algebra::radix::product;
#[cfg(debug_assertions)]
pub use crate::algebra::work::all_of as steps_of;
pub use crate::number::{to_index, to_u64};
pub use crate::report::census::{MOST_SUBTREES, Subtree, UnitCounter};
pub use crate::text::sharding::order::check_listed;
pub use crate::text::sharding::sharded::{behind_mesh, behind_sharding};
pub use crate::text::xla::bitcast::check_attributes;
pub use crate::text::xla::prefix::outer_bracket;
pub use crate::text::{Cursor, Walk, behind_angled};
pub use crate::words::{counted, cut, in_one_line, percent, printable, quoted, readable_bytes};

/// The place of an index below the slots, which may be padding.
#[must_use]
pub fn slot(layout: &Layout, index: &[u64]) -> Location {
    layout.slot(index)
}

/// Returns the text for a machine in messages: its kind and its name.
#[must_use]
pub fn described(machine: &Machine) -> String {
    machine.described()
}

/// Returns the error for a number beyond 64 bits, which `what` names.
#[must_use]
pub fn too_large(what: &'static str) -> LayoutError {
    LayoutError::too_large(Site::Layout, what)
}
