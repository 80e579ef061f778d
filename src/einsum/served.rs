//! Operands whose layouts are given: a test that all products find their elements.

use super::dense::operand_count;
use super::local::Local;
use super::loops::Loops;
use crate::algebra::{Axis, Layout, LayoutBuilder, Subaxis};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::machine::Machine;

impl Local {
    /// Returns whether every product finds its elements of all operands in its unit, time slice and lane.
    ///
    /// A level of the machine that a layout does not use has copies on all of its units.
    /// With [`Einsum::local_in`](super::Einsum::local_in) for each candidate, it finds the local ways to
    /// carry out an operation on operands whose layouts are given. Any layout is accepted, including windows;
    /// elements that no product needs are allowed.
    /// Law: agrees with an enumeration of all products. Cost: as [`Layout::serves`].
    ///
    /// # Errors
    /// [`LayoutError`] for the wrong number of operands or wrong shapes; `TooLarge`; also
    /// the errors of [`Layout::serves`].
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Layout, Machine};
    /// use tensor_layout::algebra::Window;
    /// use tensor_layout::einsum::Einsum;
    /// let machine: Machine = "PE=4".parse()?;
    /// let convolution = "yr,r->y".parse::<Einsum>()?.local_in(&"((4_PE, 4:3), (3:1))".parse()?)?;
    /// let weights: Layout = "((3:1))".parse()?;
    /// let (cut, whole): (Layout, Layout) = ("((4_PE, 5:1))".parse()?, "((18:1))".parse()?);
    /// // PE 0 reads the elements 0 to 5 and has 0 to 4.
    /// let input = cut.slice(0, 0, 18, 1)?.windows(0, Window::of(3))?;
    /// assert!(!convolution.accepts(&[input, weights.clone()], &machine)?);
    /// assert!(convolution.accepts(&[whole.windows(0, Window::of(3))?, weights], &machine)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn accepts(&self, operands: &[Layout], machine: &Machine) -> Result<bool, LayoutError> {
        let (expected, given) = (self.axes.len(), operands.len());
        if expected != given {
            return Err(operand_count(expected, given));
        }
        let products = in_units(&self.loops.partial, machine)?;
        for (number, operand) in operands.iter().enumerate() {
            let seen = self.loops.seen(operand, number, &self.axes[number])?;
            if in_units(&seen, machine)?.serves(&products)?.is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Loops {
    /// An operand as products see it: its layout with an axis for each loop; added axes have no effect.
    fn seen(&self, operand: &Layout, number: usize, axes: &[usize]) -> Result<Layout, LayoutError> {
        let extent = |loop_: &usize| self.axis(*loop_).map_or(0, |axis| axis.extent);
        let (expected, given): (Vec<u64>, _) = (axes.iter().map(extent).collect(), operand.shape());
        if expected != given {
            return Err(fault!(
                Shape,
                "operand {operand} has the shape {given:?}, but the operation reads {expected:?}",
                [operand = number, given, expected]
            ));
        }
        let axis = |number: usize| match axes.iter().position(|of| *of == number) {
            Some(own) => operand.axes()[own].clone(),
            None => {
                let extent = extent(&number);
                Axis { extent, subaxes: vec![Subaxis::land(extent.max(1), Level::ADDR, 0)] }
            }
        };
        let axes = (0..self.result.rank() + self.contracted.len()).map(axis);
        operand.to_builder().with_axes(axes.collect()).build()
    }
}

/// The units, slices and lanes alone, with a copy in every unit of a level that is not used.
fn in_units(layout: &Layout, machine: &Machine) -> Result<Layout, LayoutError> {
    let units = layout.only(|level| level != Level::ADDR && level != Level::IN_SUM);
    let absent = machine.levels().filter(|(level, _)| !units.uses(*level));
    let everywhere = |units: LayoutBuilder, (level, size)| units.replica(size, level, 1);
    absent.fold(units.to_builder(), everywhere).build()
}
