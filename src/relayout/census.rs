//! The number of elements in a unit whose coordinate is a sum of several digits.

use std::sync::Arc;

use super::nodes::Paths;
use super::pair::Relayout;
use crate::algebra::{Layout, Subaxis};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;

/// The number of places of elements, copies included, that have the given coordinates in units. Equivalently,
/// the number of times that the layout agrees with one that puts every element there.
///
/// Cost: as [`Relayout::traffic`].
///
/// # Errors
/// As [`Relayout::traffic`].
pub(crate) fn count_at(layout: &Layout, at: &Location) -> Result<u64, LayoutError> {
    let levels: Vec<Level> = at.iter().map(|(level, _)| level).collect();
    let mut there = Layout::builder();
    for axis in layout.axes() {
        there = there.axis(axis.extent, [Subaxis::land(axis.extent.max(1), Level::ADDR, 0)]);
    }
    for (level, coordinate) in at.iter() {
        there = there.used(level).offset(level, coordinate);
    }
    let elsewhere = layout.replicas().iter().filter(|replica| !levels.contains(&replica.level));
    let elsewhere: u64 = elsewhere.map(|replica| replica.size).product();
    let source = layout.only(|level| levels.contains(&level));
    let relayout =
        Relayout::of(Arc::new(source), Arc::new(there.build()?), Paths::through(levels), None)?;
    Ok(relayout.places_in_common()? * elsewhere)
}
