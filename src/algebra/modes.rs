//! Layouts mode by mode, as CuTe's tilers and grouped divisions have them.

use crate::algebra::layout::{Layout, Subaxis, Target};
use crate::algebra::radix::IndexOrder;
use crate::error::LayoutError;
use crate::level::Level;

impl Layout {
    /// The index map that takes axis k through a layout of its own: `modes[k]`, as a function of
    /// its linear index, lands in `i0`, `i1`, .. instead of `Addr`.
    ///
    /// Law: axis k of the result at x has the coordinate `modes[k](x)` in `i{k}`.
    /// Source: CuTe, `02_layout_algebra.md`, "By-mode composition".
    ///
    /// # Errors
    /// [`MapLevel`](LayoutError::MapLevel) for levels other than `Addr`,
    /// [`MapCopies`](LayoutError::MapCopies) for copies that lie apart.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::algebra::{Arrangement, IndexOrder::Colexicographic};
    /// use tensor_layout::{Layout, LayoutText};
    /// let cute = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
    /// // CuTe: (12,(4,8)):(59,(13,1)) composed with <3:4, 8:2>.
    /// let tiler = Layout::by_modes(Colexicographic, &[cute("3:4"), cute("8:2")])?;
    /// let composed = cute("(12,(4,8)):(59,(13,1))").compose(&tiler)?;
    /// assert_eq!(composed.to_cute()?.to_string(), "(3,(2,4)):(236,(26,1))");
    /// # Ok::<(), tensor_layout::LayoutError>(())
    /// ```
    pub fn by_modes(order: IndexOrder, modes: &[Layout]) -> Result<Layout, LayoutError> {
        let mut map = Layout::builder();
        for (number, mode) in modes.iter().enumerate() {
            mode.check_no_copies()?;
            if let Some(level) = mode.used.iter().copied().find(|level| *level != Level::ADDR) {
                return Err(LayoutError::MapLevel { level, rank: modes.len() });
            }
            let flat = mode.flattened(order)?.without_padding()?;
            let shift = map.derived.len();
            let landed = |subaxis: &Subaxis| match subaxis.target {
                Target::Land { stride, .. } => {
                    Subaxis::land(subaxis.size, Level::axis(number), stride)
                }
                Target::Feed { .. } => subaxis.shifted(shift),
            };
            map.axes.extend(flat.axes.iter().map(|axis| axis.with(landed)));
            map.derived.extend(flat.derived.iter().map(|derived| derived.with(landed)));
            map = map.used(Level::axis(number));
            map = map.offset(Level::axis(number), flat.offset(Level::ADDR));
        }
        map.build()
    }

    /// Merges axes as [`merge_axes`](Layout::merge_axes), numbered in a given order: with
    /// [`Colexicographic`](IndexOrder::Colexicographic) the first of them runs fastest, as the
    /// modes of a CuTe tuple do.
    ///
    /// # Errors
    /// [`Edit`](LayoutError::Edit).
    pub fn merge_axes_in(
        &self,
        order: IndexOrder,
        at: usize,
        count: usize,
    ) -> Result<Layout, LayoutError> {
        let mut axes: Vec<usize> = (0..self.rank()).collect();
        if let Some(merged) = axes.get_mut(at..at.saturating_add(count))
            && order == IndexOrder::Colexicographic
        {
            merged.reverse();
        }
        self.permute(&axes)?.merge_axes(at, count)
    }
}
