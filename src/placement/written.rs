//! `Serialize` and `Deserialize` of placements: the layout, and the machine and memory that it is placed on.

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Placement;
use crate::algebra::Layout;
use crate::machine::Machine;

/// The version of the form that is written, and the only one that is read.
const VERSION: u32 = 1;

/// A placement as it is written.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenPlacement {
    version: u32,
    /// With the base.
    layout: Layout,
    machine: Option<Machine>,
    memory: Option<String>,
    element_bits: Option<u64>,
    shared_places: bool,
    oversized: bool,
}

impl Serialize for Placement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = WrittenPlacement {
            version: VERSION,
            layout: self.layout.clone(),
            machine: self.machine.clone(),
            memory: self.memory().map(|(name, _)| name.to_owned()),
            element_bits: self.element_bits,
            shared_places: self.check_injective().is_err(),
            oversized: self.is_oversized(),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Placement {
    /// The placement, checked as any that is built.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Placement, D::Error> {
        let written = WrittenPlacement::deserialize(deserializer)?;
        crate::words::check_version("a placement", written.version, VERSION)?;
        let mut placement = Placement::of(written.layout);
        placement.machine = written.machine;
        placement.memory = written.memory;
        placement.element_bits = written.element_bits;
        placement.shared_places = written.shared_places;
        placement.oversized = written.oversized;
        placement.build().map_err(D::Error::custom)
    }
}
