//! Layouts made of others: in DRAM, at rest, without copies, scattered.

use tensor_layout::algebra::{Axis, Subaxis, Target};
use tensor_layout::{Layout, Level, Machine};

use crate::Answer;

/// A tensor in DRAM: a quarter of an axis in each of the four, row-major.
pub(crate) fn in_dram(shape: &[u64], quartered: usize) -> Answer<Layout> {
    let mut axes = Vec::new();
    let mut next = 1;
    for (axis, extent) in shape.iter().enumerate().rev() {
        let quarter = axis == quartered;
        let rows = if quarter { extent.div_ceil(4) } else { *extent };
        let rest = Subaxis::land(rows, Level::ADDR, next);
        // The first of the two L2Bs names the DRAM.
        let dram = quarter.then_some(Subaxis::land(4, Level::L2B, 2));
        axes.push((*extent, dram.into_iter().chain([rest]).collect::<Vec<_>>()));
        next *= rows;
    }
    let axes = axes.into_iter().rev();
    Ok(axes.fold(Layout::builder(), |b, (extent, digits)| b.axis(extent, digits)).build()?)
}

/// How many values an axis takes in one lane of one unit, over all slices.
pub(crate) fn in_unit(axis: &Axis) -> u64 {
    let inside = |subaxis: &&Subaxis| match subaxis.target {
        Target::Land { level, .. } => level == Level::ADDR || level == Level::TIME,
        Target::Feed { .. } => true,
    };
    axis.subaxes.iter().filter(inside).map(|subaxis| subaxis.size).product()
}

/// The layout with some digits changed and its addresses row-major.
pub(crate) fn rewritten(layout: &Layout, keep_copy: impl Fn(Level) -> bool) -> Answer<Layout> {
    let mut next = 1;
    let mut axes: Vec<(u64, Vec<Subaxis>)> = Vec::new();
    for axis in layout.axes().iter().rev() {
        let mut subaxes = axis.subaxes.clone();
        for subaxis in subaxes.iter_mut().rev() {
            if let Target::Land { level: Level::ADDR | Level::TIME, .. } = subaxis.target {
                *subaxis = Subaxis::land(subaxis.size, Level::ADDR, next);
                next *= subaxis.size;
            }
        }
        axes.push((axis.extent, subaxes));
    }
    let mut builder = Layout::builder();
    for (extent, subaxes) in axes.into_iter().rev() {
        builder = builder.axis(extent, subaxes);
    }
    for replica in layout.replicas().iter().filter(|replica| keep_copy(replica.level)) {
        builder = builder.replica(replica.size, replica.level, replica.stride);
    }
    Ok(builder.build()?)
}

/// The layout with all time slices in the memory at once.
pub(crate) fn at_rest(layout: &Layout) -> Answer<Layout> {
    rewritten(layout, |level| level != Level::TIME)
}

pub(crate) fn without_copies(layout: &Layout) -> Answer<Layout> {
    let mut builder = Layout::builder();
    for axis in layout.axes() {
        builder = builder.axis(axis.extent, axis.subaxes.iter().copied());
    }
    Ok(builder.build()?)
}

/// The layout split further over some levels, each over the first axis whose words it divides.
pub(crate) fn scatter(
    layout: &Layout,
    levels: &[Level],
    machine: &Machine,
) -> Answer<Option<Layout>> {
    let mut axes: Vec<Axis> = layout.axes().to_vec();
    for level in levels {
        let Some(size) = machine.size(*level) else { return Ok(None) };
        let words = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { level: Level::ADDR, .. } => subaxis.size.is_multiple_of(size),
            _ => false,
        };
        let found = axes.iter_mut().flat_map(|axis| {
            let at = axis.subaxes.iter().position(words);
            at.map(|at| (&mut axis.subaxes, at))
        });
        let Some((subaxes, at)) = found.into_iter().next() else { return Ok(None) };
        let rest = Subaxis::land(subaxes[at].size / size, Level::ADDR, 1);
        subaxes.splice(at..=at, [Subaxis::land(size, *level, 1), rest]);
    }
    let mut builder = Layout::builder();
    for Axis { extent, subaxes } in axes {
        builder = builder.axis(extent, subaxes);
    }
    Ok(Some(at_rest(&builder.build()?)?))
}
