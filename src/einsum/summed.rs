//! The result once its partial sums are added up.
//!
//! ```text
//! ij->i     the result is ((16:1)), and j runs over (4_PE:1, 8:1): every PE has a part of every sum
//!
//! replicated    ((16:1); B@[4_PE:1])             every PE has all sums
//! scattered     ((4_PE:1, 4:1))                  every PE has a quarter of them
//! ```

use super::dense::{Outside, outside, with_axes};
use super::local::Local;
use super::loops::copies;
use super::sums::Sums;
use crate::algebra::{Axis, Layout, LayoutBuilder, Subaxis};
use crate::error::LayoutError;
use crate::level::Level;

impl Local {
    /// Returns the layout of the result after its partial sums are added up, with row-major addresses.
    ///
    /// If scattered, an address digit of the result becomes the digit in which the parts differed: the first
    /// one whose size is a multiple of it, or else the longest one that begins an axis, padded. Without
    /// either, the sum stays with the first of its parts, and the other units have nothing.
    /// Law: if replicated, an element is in every unit that held a part of it, and in others only where those do
    /// not form a box of digits; if scattered, in one of them, for each copy of the result.
    /// [`traffic`](Local::traffic) counts what moves to these units.
    ///
    /// # Errors
    /// `Collision` where copies overlap because an axis that is summed over is not full; `TooLarge`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::einsum::{Einsum, Sums};
    /// let loops: Layout = "((2_MAB:1, 8:128), (16:8), (4_PE:1, 8:1))".parse()?;
    /// let matmul = "sk,kf->sf".parse::<Einsum>()?.local_in(&loops)?;
    /// let replicated = "((2_MAB:1, 8:16), (16:1); B@[4_PE:1])";
    /// assert_eq!(matmul.summed(Sums::Replicated)?, replicated.parse()?);
    /// let scattered = "((2_MAB:1, 4_PE:1, 2:16), (16:1))";
    /// assert_eq!(matmul.summed(Sums::Scattered)?, scattered.parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn summed(&self, sums: Sums) -> Result<Layout, LayoutError> {
        match sums {
            Sums::Replicated => self.replicated(),
            Sums::Scattered => self.scattered(),
        }
    }

    fn replicated(&self) -> Result<Layout, LayoutError> {
        let mut loops = self.loops.clone();
        // Sums over time are added up in place and are complete after the last time slice.
        for digit in loops.contracted.iter_mut().flat_map(|axis| &mut axis.subaxes) {
            if digit.lands() == Some(Level::TIME) {
                *digit = Subaxis::land(digit.size, Level::ADDR, 1);
            }
        }
        loops.operand(&(0..loops.result.rank()).collect::<Vec<_>>())
    }

    fn scattered(&self) -> Result<Layout, LayoutError> {
        let result = &self.loops.result;
        let mut axes = result.axes().to_vec();
        for parts in self.loops.contracted.iter().flat_map(parts) {
            scatter(&mut axes, parts);
        }
        let scattered = with_axes(result, &axes, |_| true)?.to_builder();
        // A level that a sum does not move in holds its parts at one coordinate, not at all of them.
        let sums = self.loops.contracted.iter().filter(|axis| axis.extent > 0);
        let levels = sums.flat_map(|axis| &axis.subaxes).filter_map(outside);
        let levels = levels.map(|(_, level, _)| level).filter(|level| *level != Level::TIME);
        levels.fold(scattered, LayoutBuilder::used).build()
    }
}

/// The digits in which the parts of a sum differ; empty where some of their values are not a part.
fn parts(axis: &Axis) -> Vec<Outside> {
    let apart = |digit: &Subaxis| outside(digit).is_some_and(|(_, level, _)| level != Level::TIME);
    let subaxes = axis.subaxes.iter().copied().filter(apart).collect();
    if axis.extent == 0 {
        return Vec::new();
    }
    let places = Axis { extent: axis.combinations(apart), subaxes };
    let parts = copies(&places);
    let count: u64 = parts.iter().map(|(size, ..)| size).product();
    if count == places.extent { parts } else { Vec::new() }
}

/// Turns an address digit into the digit of the parts, if there is one.
fn scatter(axes: &mut [Axis], (size, level, stride): Outside) {
    if let Some((axis, at)) = divided(axes, size).or_else(|| longest(axes)) {
        let subaxes = &mut axes[axis].subaxes;
        let rest = Subaxis::land(subaxes[at].size.div_ceil(size), Level::ADDR, 1);
        subaxes.splice(at..=at, [Subaxis::land(size, level, stride), rest]);
    }
}

/// The first address digit whose size is a multiple of `size`, as (axis, position).
fn divided(axes: &[Axis], size: u64) -> Option<(usize, usize)> {
    let fits = |digit: &Subaxis| outside(digit).is_none() && digit.size.is_multiple_of(size);
    let at = |(axis, of): (usize, &Axis)| Some((axis, of.subaxes.iter().position(fits)?));
    axes.iter().enumerate().find_map(at)
}

/// The longest address digit that begins an axis, which may be padded, as (axis, position).
fn longest(axes: &[Axis]) -> Option<(usize, usize)> {
    let first =
        |axis: &Axis| axis.subaxes.first().filter(|digit| outside(digit).is_none()).copied();
    let digits = axes.iter().enumerate().filter_map(|(at, axis)| Some((first(axis)?.size, at)));
    let longest =
        digits.filter(|(size, _)| *size > 1).max_by_key(|(size, at)| (*size, usize::MAX - at));
    longest.map(|(_, axis)| (axis, 0))
}
