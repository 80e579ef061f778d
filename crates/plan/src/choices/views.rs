//! Layouts of values that are seen under another shape.

use itertools::Itertools;
use tensor_layout::{Layout, LayoutError};

use super::choice::Held;
use crate::graph::View;

impl Held {
    /// The value under views of it.
    pub(crate) fn viewed(&self, views: &[&View]) -> Result<Held, LayoutError> {
        let layout = views.iter().try_fold(self.layout.clone(), |layout, view| match view {
            View::Reshape(shape) => layout.reshape(shape),
            View::Transpose(order) => layout.permute(order),
        });
        let Held { memory, bits, part, .. } = self;
        Ok(Held { layout: layout?, memory: memory.clone(), bits: *bits, part: *part })
    }
}

/// The layout of a value that has this one under views of it.
pub(crate) fn unviewed(
    layout: &Layout,
    shape: &[u64],
    views: &[&View],
) -> Result<Layout, LayoutError> {
    let shapes = views.iter().scan(shape.to_vec(), |shape, view| {
        let before = shape.clone();
        match view {
            View::Reshape(next) => shape.clone_from(next),
            View::Transpose(order) => *shape = order.iter().map(|axis| before[*axis]).collect(),
        }
        Some(before)
    });
    let steps = shapes.zip(views).collect_vec();
    steps.iter().rev().try_fold(layout.clone(), |layout, (before, view)| match view {
        View::Reshape(_) => layout.reshape(before),
        View::Transpose(order) => {
            let back = (0..order.len()).filter_map(|axis| order.iter().position(|of| *of == axis));
            layout.permute(&back.collect_vec())
        }
    })
}
