//! From the values of axes, as the digits that land give them, to the index of the tensor.

use crate::algebra::{Budget, Decoder, Layout, split};
use crate::error::LayoutError;
use crate::program::Feeders;

/// Reads the index of every row of a block.
#[derive(Clone, Debug)]
pub(super) struct Reader<'a> {
    layout: &'a Layout,
    how: How<'a>,
    /// The tensor axes that digits can leave: (number, extent).
    open: Vec<(usize, u64)>,
}

#[derive(Clone, Debug)]
enum How<'a> {
    /// The values are the index.
    Direct,
    /// Through derived axes, digit by digit.
    Fed(Feeders),
    /// Where different digits may feed a derived axis the same value: by search.
    Search(std::rc::Rc<Decoder<'a>>),
}

impl<'a> Reader<'a> {
    pub(super) fn new(layout: &'a Layout) -> Reader<'a> {
        let how = match layout.derived_axes() {
            [] => How::Direct,
            _ => Feeders::new(layout)
                .map_or_else(|| How::Search(std::rc::Rc::new(Decoder::new(layout))), How::Fed),
        };
        let axes = layout.axes().iter().enumerate();
        let open = axes.filter(|(_, axis)| axis.extent < axis.slots());
        let open = open.map(|(number, axis)| (number, axis.extent)).collect();
        Reader { layout, how, open }
    }

    /// Completes the values behind the `columns` of every row of `width` numbers, and tells which
    /// rows are real; none if all are.
    pub(super) fn read(
        &self,
        numbers: &mut [u64],
        width: usize,
        columns: usize,
        real: &mut Vec<bool>,
    ) -> Result<(), LayoutError> {
        real.clear();
        let inside =
            |values: &[u64]| self.open.iter().all(|(axis, extent)| values[*axis] < *extent);
        match &self.how {
            How::Direct if self.open.is_empty() => {}
            How::Direct => real.extend(numbers.chunks(width).map(|row| inside(&row[columns..]))),
            How::Fed(feeders) => real.extend(numbers.chunks_mut(width).map(|row| {
                let values = &mut row[columns..];
                feeders.resolve(values) && inside(values)
            })),
            How::Search(decoder) => {
                for row in numbers.chunks_mut(width) {
                    real.push(self.search(decoder, &mut row[columns..])?);
                }
            }
        }
        Ok(())
    }

    fn search(&self, decoder: &Decoder<'_>, values: &mut [u64]) -> Result<bool, LayoutError> {
        let mut digits = vec![0; self.layout.digits().len()];
        let mut first = 0;
        for (axis, value) in self.layout.nodes().zip(&*values) {
            let end = first + axis.subaxes.len();
            split(*value, axis.sizes(), &mut digits[first..end]);
            first = end;
        }
        let mut budget = Budget::new("which element has these digits");
        let index = decoder.index(&mut digits, &mut budget)?;
        if let Some(index) = &index {
            values.iter_mut().zip(index).for_each(|(value, entry)| *value = *entry);
        }
        Ok(index.is_some())
    }
}
