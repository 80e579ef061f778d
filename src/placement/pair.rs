//! The machine of two layouts, where none is given.

use itertools::Itertools;

use crate::algebra::Layout;
use crate::error::LayoutError;
use crate::machine::{Machine, MachineBuilder};

impl Machine {
    /// Returns the smallest machine that has room for both layouts: the units that they name, in column
    /// order, as many of each as the layout that reaches farther needs. For layouts that name no units it is one
    /// unit, without levels.
    ///
    /// # Errors
    /// As [`MachineBuilder::build`](crate::machine::MachineBuilder::build).
    ///
    /// ```
    /// use tensor_layout::{Layout, Level, Machine};
    /// let (rows, columns): (Layout, Layout) = ("((8_PE, 4:1))".parse()?, "((4:8, 2_MAB, 4_PE))".parse()?);
    /// let machine = Machine::for_pair(&rows, &columns)?;
    /// assert_eq!([Level::MAB, Level::PE].map(|level| machine.size(level)), [Some(2), Some(8)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_pair(first: &Layout, second: &Layout) -> Result<Machine, LayoutError> {
        let named = [first, second].into_iter().flat_map(Layout::used_levels);
        let levels = named.copied().filter(|level| level.is_unit()).sorted().dedup().collect_vec();
        if levels.is_empty() {
            return Ok(Machine::one_unit());
        }
        let start = Machine::builder("inferred from the layouts");
        let add = |machine: MachineBuilder, level| {
            machine.level(level, first.extent(level).max(second.extent(level)))
        };
        levels.into_iter().fold(start, add).build()
    }
}
