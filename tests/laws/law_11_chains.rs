//! Law 11, successive edits: after any earlier edits, every element is where it was.

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestCaseResult;
use tensor_layout::algebra::IndexOrder;
use tensor_layout::error::ErrorKind;
use tensor_layout::{Layout, LayoutError};

use crate::generate::any_layout;
use crate::run::{Tally, laws};
use crate::slow::{Slow, count};

laws! {
    edits_in_a_row_keep_every_element_in_its_place: 500, 95 %, chain(), edited;
}

type Chain = (Slow, Vec<(u8, Index, Index)>);

fn chain() -> impl Strategy<Value = Chain> {
    let edit = (0_u8..8, any::<Index>(), any::<Index>());
    (any_layout(), prop::collection::vec(edit, 1..7))
}

/// A layout in the middle of its edits: for each of its indexes, row-major, the original index of that
/// element.
struct Edited {
    layout: Layout,
    first: Vec<Vec<u64>>,
}

impl Edited {
    /// The layout after an edit that changes no element's number.
    fn renamed(self, layout: Result<Layout, LayoutError>) -> Result<Edited, LayoutError> {
        Ok(Edited { layout: layout?, first: self.first })
    }

    /// The layout after an edit; `before` maps every new index to the index before the edit.
    fn moved(
        self,
        layout: Result<Layout, LayoutError>,
        before: impl Fn(&[u64]) -> Vec<u64>,
    ) -> Result<Edited, LayoutError> {
        let (layout, old) = (layout?, self.layout.shape());
        let number = |index: Vec<u64>| index.iter().zip(&old).fold(0, |sum, (i, n)| sum * n + i);
        let first = count(&layout.shape());
        let first = first.iter().map(|index| self.first[number(before(index)) as usize].clone());
        Ok(Edited { first: first.collect(), layout })
    }

    fn edit(self, (kind, at, by): &(u8, Index, Index)) -> Result<Edited, LayoutError> {
        let (shape, elements) = (self.layout.shape(), self.layout.elements());
        let axis = at.index(shape.len().max(1));
        let layout = self.layout.clone();
        match kind {
            0 => self.renamed(layout.insert_axis(at.index(shape.len() + 1))),
            1 => self.renamed(Ok(layout.simplified())),
            2 => self.renamed(layout.reshape(&[elements])),
            3 => self.renamed(layout.without_padding()),
            _ if shape.is_empty() => Ok(self),
            4 => {
                let extent = shape[axis];
                let inner = (1..=extent).filter(|n| extent % n == 0).collect::<Vec<_>>();
                let inner = inner.get(by.index(inner.len().max(1))).copied().unwrap_or(1);
                self.renamed(layout.split_axis(axis, &[extent / inner, inner]))
            }
            5 => {
                let most = shape.len() - axis;
                self.renamed(layout.merge_axes(axis, 1 + by.index(most)))
            }
            6 => {
                let mut order: Vec<usize> = (0..shape.len()).collect();
                order.swap(axis, by.index(shape.len()));
                let swap = order.clone();
                self.moved(layout.permute(&order), move |index| {
                    swap.iter().map(|from| index[*from]).collect()
                })
            }
            _ => {
                let start = by.index(shape[axis] as usize + 1) as u64;
                let step = 1 + at.index(3) as u64;
                self.moved(layout.slice(axis, start, shape[axis], step), move |index| {
                    let mut before = index.to_vec();
                    before[axis] = start + step * index[axis];
                    before
                })
            }
        }
    }
}

fn edited((slow, edits): &Chain, tally: &mut Tally) -> TestCaseResult {
    let mut edited = Edited { layout: slow.layout(), first: slow.indexes() };
    for edit in edits {
        edited = match tally.count(edited.edit(edit)) {
            Ok(edited) => edited,
            Err(error) if error.kind() == ErrorKind::NotDecided => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(format!("refused: {error}"))),
        };
        let found = Slow::of(&edited.layout);
        prop_assert!(edited.layout.to_builder().build().is_ok(), "{:?}", found);
        for (index, first) in found.indexes().iter().zip(&edited.first) {
            prop_assert_eq!(
                found.place_set(index),
                slow.place_set(first),
                "{:?}: {:?}",
                edit,
                found
            );
        }
        prop_assert_eq!(found.elements(), edited.first.len() as u64);
    }
    let flat = Slow::of(&edited.layout.as_function(IndexOrder::RowMajor).flattened().unwrap());
    for (number, first) in (0..).zip(&edited.first) {
        prop_assert_eq!(flat.place_set(&[number]), slow.place_set(first));
    }
    Ok(())
}
