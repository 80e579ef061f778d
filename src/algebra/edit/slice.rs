//! Slices.

use crate::algebra::layout::{Layout, Subaxis};
use crate::error::{LayoutError, fault};
use crate::level::Level;

impl Layout {
    /// Keeps every `step`-th index of an axis from `start` up to `stop`, exclusive.
    ///
    /// Bounds beyond the extent are clamped to it, as in NumPy. Indexes that are not kept become padding.
    /// Law: `slice.locate(i) == locate(start + step x i)` on that axis, for any bounds.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist, or `step` is 0.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let layout: Layout = "(2:3, 3:1)".parse()?;
    /// assert_eq!(layout.slice(1, 0, 2, 1)?, "(2,2)/((2:3), (3:1))".parse()?);
    /// assert_eq!(layout.slice(1, 0, 3, 2)?.locate(&[1, 1])?.to_string(), "Addr=5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn slice(
        &self,
        at: usize,
        start: u64,
        stop: u64,
        step: u64,
    ) -> Result<Layout, LayoutError> {
        let extent = self.check_axis(at)?;
        if step == 0 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: the step of a slice must be at least 1"
            ));
        }
        let stop = stop.min(extent);
        let kept = stop.saturating_sub(start).div_ceil(step);
        // An empty slice has start 0, and a single index step 1, so that no bound is exceeded.
        let start = if kept == 0 { 0 } else { start };
        let step = if kept > 1 { step } else { 1 };
        let level = Level::axis(at);
        let digit = Subaxis::land(kept.max(1), level, step);
        self.with_axis_read(at, |map| map.axis(kept, [digit]).offset(level, start))
    }
}
