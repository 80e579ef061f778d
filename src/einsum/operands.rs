//! Operations with one operand: its layout from that of the result, each with its law.
//!
//! `transpose`, `reshape`, `pad` and `concatenate` change the index alone; `broadcast` and `reduce` add or lack
//! axes; `at_rest` and `with_dense_addresses` keep the axes and write the addresses anew.

use super::dense::{plain, unknown_axis, with_axes};
use super::local::Local;
use super::loops::Loops;
use crate::algebra::{Axis, Layout};
use crate::error::{LayoutError, fault};
use crate::level::Level;

/// Returns the layout of an operand whose axis `order[k]` is axis k of the result.
///
/// Law: the element stays where it is: `operand.permute(order) == result`.
///
/// # Errors
/// As [`Layout::permute`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::transpose;
/// let result: Layout = "((2:24), (3_PE), (4:6, 6:1))".parse()?;
/// let operand = transpose(&result, &[2, 0, 1])?;
/// assert_eq!(operand.shape(), [3, 24, 2]);
/// assert_eq!(operand.permute(&[2, 0, 1])?, result);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transpose(result: &Layout, order: &[usize]) -> Result<Layout, LayoutError> {
    let place = |axis: usize| order.iter().position(|of| *of == axis).unwrap_or(axis);
    // Returns an error unless `order` is a permutation of the axes.
    result.permute(order)?;
    result.permute(&(0..order.len()).map(place).collect::<Vec<_>>())
}

/// Returns the layout of an operand that begins at index `low` of the result in every axis.
///
/// Law: element i of the operand is in the place of element `low + i` of the result.
///
/// # Errors
/// [`LayoutError`] where the operand does not fit inside the result; also the errors of
/// [`Layout::slice`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::pad;
/// let result: Layout = "((4_PE, 3:1))".parse()?;
/// let operand = pad(&result, &[2], &[8])?;
/// assert_eq!(operand.locate(&[1])?.to_string(), "PE=1,Addr=0");
/// assert!(pad(&result, &[5], &[8]).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pad(result: &Layout, low: &[u64], operand: &[u64]) -> Result<Layout, LayoutError> {
    let shape = result.shape();
    if low.len() != shape.len() || operand.len() != shape.len() {
        return Err(fault!(
            Shape,
            "the padding needs one entry per axis of the result, whose rank is {rank}",
            [rank = shape.len()]
        ));
    }
    let mut part = result.clone();
    for (axis, extent) in shape.into_iter().enumerate() {
        let end = low[axis].checked_add(operand[axis]).filter(|end| *end <= extent);
        let Some(end) = end else {
            let (low, operand) = (low[axis], operand[axis]);
            return Err(fault!(
                Argument,
                "{low} of padding and {operand} of the operand exceed the extent \
                 {extent} of axis {axis}",
                [low, operand, extent, axis]
            ));
        };
        part = part.slice(axis, low[axis], end, 1)?;
    }
    Ok(part)
}

/// Returns the layouts of operands with these extents, which form the result when concatenated along `axis`.
///
/// Law: along the axis, element i of an operand is in the place of element `start + i` of the result.
///
/// # Errors
/// [`LayoutError`] for an axis beyond the rank, or extents that do not add up to that of
/// the axis; also the errors of [`Layout::slice`].
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::concatenate;
/// let result: Layout = "((4_PE, 2:3), (3:1))".parse()?;
/// let parts = concatenate(&result, 0, &[4, 4])?;
/// assert_eq!(parts[1].locate(&[3, 2])?, result.locate(&[7, 2])?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn concatenate(
    result: &Layout,
    axis: usize,
    extents: &[u64],
) -> Result<Vec<Layout>, LayoutError> {
    let Some(whole) = result.axes().get(axis).map(|axis| axis.extent) else {
        return Err(unknown_axis(axis, result.rank()));
    };
    if extents.iter().try_fold(0, |sum: u64, extent| sum.checked_add(*extent)) != Some(whole) {
        return Err(fault!(
            Argument,
            "the extents of the parts do not add up to the {extent} of axis {axis}",
            [extent = whole, axis]
        ));
    }
    let mut start = 0;
    let part = |extent: &u64| {
        let from = start;
        start += extent;
        result.slice(axis, from, start, 1)
    };
    extents.iter().map(part).collect::<Result<_, _>>()
}

/// Returns the layout of an operand that lacks some axes of the result.
///
/// Law: every element of the result finds its operand in its unit, time slice and lane.
///
/// # Errors
/// [`LayoutError`] for an axis beyond the rank or a layout that is not plain; `Collision` where copies overlap
/// because a new axis is not full.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::broadcast;
/// let result: Layout = "((4_PE, 2:8), (2_MAB, 8:1))".parse()?;
/// assert_eq!(broadcast(&result, &[0])?, "((2_MAB, 8:1); B@[4_PE:1])".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn broadcast(result: &Layout, new_axes: &[usize]) -> Result<Layout, LayoutError> {
    let rank = result.rank();
    if let Some(axis) = new_axes.iter().find(|axis| **axis >= rank) {
        return Err(unknown_axis(*axis, rank));
    }
    let kept: Vec<usize> = (0..rank).filter(|axis| !new_axes.contains(axis)).collect();
    Loops::new(result, Vec::new())?.operand(&kept)
}

/// Sums over an axis that the operand has in front of axis `at` of the result; `axis` is its extent and
/// digits.
///
/// Law: as [`Einsum::local`](super::Einsum::local); it is `ik->i` for any position of `k`.
///
/// # Errors
/// As [`Einsum::local`](super::Einsum::local); [`LayoutError`] if `at` is
/// beyond the rank.
///
/// # Example
/// ```
/// use tensor_layout::{Layout, Level};
/// use tensor_layout::algebra::{Axis, Subaxis};
/// use tensor_layout::einsum::reduce;
/// let result: Layout = "((4_PE, 2:1))".parse()?;
/// let columns = Axis { extent: 8, subaxes: vec![Subaxis::land(8, Level::ADDR, 1)] };
/// assert_eq!(reduce(&result, 1, columns)?.operands()[0], "((4_PE, 2:8), (8:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn reduce(result: &Layout, at: usize, axis: Axis) -> Result<Local, LayoutError> {
    let rank = result.rank();
    if at > rank {
        return Err(unknown_axis(at, rank));
    }
    let loops = Loops::new(result, vec![axis])?;
    let axes: Vec<usize> = (0..at).chain([rank]).chain(at..rank).collect();
    Local::new(loops, vec![axes])
}

/// Returns the layout with all time slices of a tensor in memory, at row-major addresses.
///
/// Law: each unit and lane holds every element that it holds in some slice, each in a place of its own.
///
/// # Errors
/// [`LayoutError`] for a layout that is not plain.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::at_rest;
/// let streamed: Layout = "((8_Time:1, 2_PE:1, 16:4), (4:1))".parse()?;
/// assert_eq!(at_rest(&streamed)?, "((8:64, 2_PE:1, 16:4), (4:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn at_rest(layout: &Layout) -> Result<Layout, LayoutError> {
    let layout = plain(layout)?;
    with_axes(&layout, layout.axes(), |level| level != Level::TIME)
}

/// Returns the layout with the same units, lanes and time slices, and with row-major addresses without holes.
///
/// Law: each unit, lane and slice holds what it held, at addresses from 0 on. It is an equal
/// [part](crate::relayout::UnitPart).
///
/// # Errors
/// [`LayoutError`] for a layout that is not plain.
///
/// # Example
/// ```
/// use tensor_layout::Layout;
/// use tensor_layout::einsum::with_dense_addresses;
/// let spread: Layout = "((8:3, 2_PE, 4:100), (4_W:1, 2:1000))".parse()?;
/// assert_eq!(with_dense_addresses(&spread)?, "((8:8, 2_PE, 4:2), (4_W:1, 2:1))".parse()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn with_dense_addresses(layout: &Layout) -> Result<Layout, LayoutError> {
    let layout = plain(layout)?;
    with_axes(&layout, layout.axes(), |_| true)
}
