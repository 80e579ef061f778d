//! Sliding windows, the way a convolution reads its operand, and slices.

use crate::algebra::builder::LayoutBuilder;
use crate::algebra::layout::{Layout, Subaxis};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// The taps of a window along an axis, and the stride from one window to the next.
///
/// ```text
/// size 3, dilation 2, stride 4         window 0   x . x . x
///                                      window 1           x . x . x
/// ```
///
/// ```
/// use tensor_layout::algebra::Window;
/// let window = Window { dilation: 2, stride: 4, ..Window::of(3) };
/// assert_eq!(window.count(9)?, 2);
/// assert_eq!(window.indexes(9)?, [0, 2, 4, 4, 6, 8]);
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// The number of taps.
    pub size: u64,
    /// The number of indexes from one window to the next.
    pub stride: u64,
    /// The number of indexes from one tap of a window to the next.
    pub dilation: u64,
}

impl Window {
    /// Creates windows of `size` neighbouring indexes, one starting at every index.
    #[must_use]
    pub fn of(size: u64) -> Window {
        Window { size, stride: 1, dilation: 1 }
    }

    /// The number of whole windows along an axis.
    ///
    /// # Errors
    /// `Argument` for a size, a stride or a dilation of 0.
    pub fn count(self, extent: u64) -> Result<u64, LayoutError> {
        let Window { size, stride, dilation } = self;
        if size == 0 || stride == 0 || dilation == 0 {
            return Err(fault!(
                Argument,
                "cannot edit the layout: a window of size {size}, stride {stride} and \
                 dilation {dilation}; each must be at least 1",
                [size, stride, dilation]
            ));
        }
        let last = (size - 1).checked_mul(dilation).and_then(|reach| extent.checked_sub(reach));
        Ok(last.map_or(0, |starts| starts.div_ceil(stride)))
    }

    /// The index of every tap of every window, window by window: the table for a
    /// [`Gather`](crate::einsum::Gather) that reads them.
    ///
    /// # Errors
    /// As [`count`](Window::count); `NotDecided` for more than 2^26 taps.
    pub fn indexes(self, extent: u64) -> Result<Vec<u64>, LayoutError> {
        const MOST: u64 = 1 << 26;
        let count = self.count(extent)?;
        if count.checked_mul(self.size).is_none_or(|taps| taps > MOST) {
            let question = "listing the indexes of so many taps";
            return Err(LayoutError::not_decided(question, MOST));
        }
        let taps = move |window: u64| {
            (0..self.size).map(move |tap| window * self.stride + tap * self.dilation)
        };
        Ok((0..count).flat_map(taps).collect())
    }
}

impl Layout {
    /// Replaces an axis by two: its windows, and the taps of each (NumPy's `sliding_window_view`). Elements
    /// that several windows read are not duplicated: they have several indexes.
    ///
    /// Law: `windows.locate(w, t) == locate(stride x w + dilation x t)` on that axis.
    ///
    /// # Errors
    /// `Argument` if the axis does not exist, and for a size, a stride or a dilation of 0; also the errors of
    /// [`compose`](Layout::compose).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::algebra::Window;
    /// let rows: Layout = "((4_PE, 4:8), (8:1))".parse()?;
    /// let windows = rows.windows(0, Window::of(3))?;
    /// assert_eq!(windows.shape(), [14, 3, 8]);
    /// // The last tap of window 2 is row 4, the first one of the next PE.
    /// assert_eq!(windows.locate(&[2, 2, 0])?, rows.locate(&[4, 0])?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn windows(&self, at: usize, window: Window) -> Result<Layout, LayoutError> {
        let count = window.count(self.check_axis(at)?)?;
        // A single window, or tap, does not step, and without windows there are no taps to read.
        let steps = |extent: u64, step| if extent > 1 && count > 0 { step } else { 0 };
        let axis = |map: LayoutBuilder, (extent, step): (u64, u64)| {
            map.axis(extent, [Subaxis::land(extent.max(1), Level::axis(at), steps(extent, step))])
        };
        let both = [(count, window.stride), (window.size, window.dilation)];
        self.with_axis_read(at, |map| both.into_iter().fold(map, axis))
    }
}

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
