//! Memory spaces.

use std::fmt;

/// A memory space, as `S(1)` names it in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HloMemorySpace(pub i64);

impl fmt::Display for HloMemorySpace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("HBM"),
            1 => f.write_str("VMEM"),
            5 => f.write_str("host"),
            other => write!(f, "S({other})"),
        }
    }
}
