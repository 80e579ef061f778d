//! Layouts that do not begin at address 0, for notations that do.

use crate::algebra::Layout;
use crate::level::Level;

impl Layout {
    /// The layout moved so that its addresses count from 0, and the offset by which it was moved.
    pub(crate) fn to_origin(&self) -> (Layout, u64) {
        let offset = self.offset(Level::ADDR);
        let mut moved = self.clone();
        moved.offsets.retain(|(level, _)| *level != Level::ADDR);
        for (_, span) in moved.spans.iter_mut().filter(|(level, _)| *level == Level::ADDR) {
            *span -= offset;
        }
        (moved, offset)
    }
}
