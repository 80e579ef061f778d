//! The values of the steps: axes, shapes, slices, copies.

use tensor_layout::error::Site;
use tensor_layout::{Layout, LayoutError, Level};
use tensor_layout_words::product;

use super::super::failure::Failure;
use super::super::input::{axis_number, numbers};

/// `K=N_LEVEL`: an axis, and the number of copies in a level.
pub(super) fn copies(option: &str, value: &str) -> Result<(usize, u64, Level), Failure> {
    let (axis, copies) = keyed(option, value, "K=N_LEVEL, such as 0=4_PE")?;
    let (size, level) = copies.split_once('_').unwrap_or((copies, "Addr"));
    let sizes = numbers(option, size)?;
    let [size] = sizes[..] else { return Err(bad(option, value, "K=N_LEVEL")) };
    Ok((axis, size, Level::new(level)?))
}

pub(super) fn bad(option: &str, value: &str, expected: &str) -> Failure {
    let shown: String = value.chars().take(40).collect();
    Failure::Argument(format!("{option}: expected {expected}, not `{shown}`"))
}

/// `K=..`: an axis, `0` or `i0`, and its edit.
pub(super) fn keyed<'v>(
    option: &str,
    value: &'v str,
    form: &str,
) -> Result<(usize, &'v str), Failure> {
    let keyed = value.split_once('=').and_then(|(axis, rest)| Some((axis_number(axis)?, rest)));
    keyed.ok_or_else(|| bad(option, value, &format!("an axis and its value as {form}")))
}

/// A shape in which one extent may be -1: the quotient of the size by the others.
pub(super) fn shape(layout: &Layout, option: &str, value: &str) -> Result<Vec<u64>, Failure> {
    let open = |extent: &&str| extent.trim() == "-1";
    let extents: Vec<&str> = value.split(',').collect();
    match extents.iter().filter(|extent| open(extent)).count() {
        0 => return numbers(option, value),
        1 => {}
        _ => return Err(bad(option, value, "at most one -1")),
    }
    let known: Vec<&str> = extents.iter().filter(|extent| !open(extent)).copied().collect();
    let known = numbers(option, &known.join(","))?;
    let product = product(known.iter().copied());
    let elements = layout.elements();
    let open_extent = product
        .and_then(|n| elements.checked_div(n))
        .filter(|open| product.and_then(|n| n.checked_mul(*open)) == Some(elements));
    let open_extent = open_extent.ok_or_else(|| {
        bad(option, value, &format!("extents whose product divides the {elements} elements"))
    })?;
    let mut known = known.into_iter();
    let filled = extents
        .iter()
        .map(|extent| if open(extent) { open_extent } else { known.next().unwrap_or(open_extent) });
    Ok(filled.collect())
}

/// `START:STOP[:STEP]` as in Python: parts may be left out, negative bounds count from the end.
pub(super) fn slice(option: &str, value: &str, extent: u64) -> Result<(u64, u64, u64), Failure> {
    let parts: Vec<&str> = value.split(':').map(str::trim).collect();
    let (start, stop, step) = match parts[..] {
        [start, stop] => (start, stop, ""),
        [start, stop, step] => (start, stop, step),
        _ => return Err(bad(option, value, "K=START:STOP[:STEP]")),
    };
    if step.starts_with('-') {
        return Err(Failure::Argument(format!(
            "{option}: the step {step} is negative: layouts with negative strides are not supported"
        )));
    }
    let bound = |text: &str, absent: u64| match text.strip_prefix('-') {
        _ if text.is_empty() => Ok(absent),
        // -0 is 0.
        Some(back) => Ok(match number(option, back)? {
            0 => 0,
            back => extent.saturating_sub(back),
        }),
        None => number(option, text),
    };
    let step = if step.is_empty() { 1 } else { number(option, step)? };
    let (start, stop) = (bound(start, 0)?, bound(stop, extent)?);
    // As in Python, a range whose bounds cross is empty.
    Ok((start, stop.max(start), step))
}

fn number(option: &str, value: &str) -> Result<u64, Failure> {
    match numbers(option, value)?[..] {
        [number] => Ok(number),
        _ => Err(bad(option, value, "one number")),
    }
}

pub(super) fn axis(option: &str, value: &str) -> Result<usize, Failure> {
    match axes(option, value)?[..] {
        [axis] => Ok(axis),
        _ => Err(bad(option, value, "one number")),
    }
}

pub(super) fn axes(option: &str, value: &str) -> Result<Vec<usize>, Failure> {
    let axes = numbers(option, value)?.into_iter().map(usize::try_from);
    axes.collect::<Result<_, _>>().map_err(|_| bad(option, value, "axes"))
}

/// A level that the layout uses.
pub(super) fn used_level(layout: &Layout, option: &str, name: &str) -> Result<Level, Failure> {
    let level = Level::new(name)?;
    let levels = layout.columns();
    match levels.contains(&level) {
        true => Ok(level),
        false => {
            let known = levels.iter().map(Level::as_str).collect::<Vec<_>>().join(", ");
            let layout = format!("layout ({option})");
            Err(LayoutError::level_unknown(level, layout, known, Site::Layout).into())
        }
    }
}
