//! Law 16: no question or operation panics, wraps or hangs for any layout, however large, and answers for
//! elements at the ends are exact.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestCaseResult;
use tensor_layout::algebra::Subaxis;
use tensor_layout::error::ErrorKind;
use tensor_layout::{Found, Layout, LayoutError, Level, Placement};
use tensor_layout_show::report::Report;

use crate::run::{Tally, laws};

laws! {
    a_large_layout_is_built_or_refused_and_its_elements_are_found: 800, 30 %, large(), found;
}

/// Axes, derived axes, copies and an offset as drawn; most are refused, either as invalid or as too large.
#[derive(Clone, Debug)]
pub(super) struct Large {
    axes: Vec<(u64, Vec<Subaxis>)>,
    derived: Vec<(u64, u64, Vec<Subaxis>)>,
    replicas: Vec<(u64, Level, u64)>,
    offset: (Level, u64),
}

impl Large {
    pub(super) fn build(&self) -> Result<Layout, LayoutError> {
        let mut builder = Layout::builder().offset(self.offset.0, self.offset.1);
        let extent = |cut: u64, subaxes: &[Subaxis]| {
            let slots = subaxes.iter().try_fold(1_u64, |slots, s| slots.checked_mul(s.size));
            slots.unwrap_or(u64::MAX).saturating_sub(cut)
        };
        for (cut, subaxes) in &self.axes {
            builder = builder.axis(extent(*cut, subaxes), subaxes.clone());
        }
        for (start, cut, subaxes) in &self.derived {
            builder = builder.derived(*start, extent(*cut, subaxes), subaxes.clone());
        }
        for (size, level, stride) in &self.replicas {
            builder = builder.replica(*size, *level, *stride);
        }
        builder.build()
    }
}

/// Usually small, sometimes at the edge of 64 bits.
pub(super) fn number() -> impl Strategy<Value = u64> {
    let edges = vec![1 << 31, 4_294_967_291, 1 << 40, 1 << 62, 1 << 63, u64::MAX - 1, u64::MAX];
    prop_oneof![12 => 1_u64..9, 1 => Just(0), 6 => select(vec![1000, 4096, 65_537, 1 << 20]), 1 => select(edges)]
}

fn level() -> impl Strategy<Value = Level> {
    prop_oneof![3 => Just(Level::ADDR), 1 => Just(Level::PE), 1 => Just(Level::TIME)]
}

/// Digits, some of which feed a derived axis, if there is one.
fn subaxes(derived: usize) -> impl Strategy<Value = Vec<Subaxis>> {
    let fed = prop::option::weighted(0.4, any::<Index>());
    let subaxis = (number(), level(), number(), fed).prop_map(move |(size, level, stride, fed)| {
        match fed.filter(|_| derived > 0) {
            Some(fed) => Subaxis::feed(size, fed.index(derived), stride),
            None => Subaxis::land(size, level, stride),
        }
    });
    prop::collection::vec(subaxis, 0..4)
}

pub(super) fn large() -> impl Strategy<Value = Large> {
    (0_usize..3).prop_flat_map(|derived| {
        let cut = || prop_oneof![3 => Just(0_u64), 2 => 0_u64..9, 1 => number()];
        let start = prop_oneof![4 => Just(0_u64), 1 => number()];
        (
            prop::collection::vec((cut(), subaxes(derived)), 0..4),
            prop::collection::vec((start, cut(), subaxes(0)), derived),
            prop::collection::vec((number(), level(), number()), 0..2),
            (level(), prop_oneof![6 => Just(0_u64), 1 => number()]),
        )
            .prop_map(|(axes, derived, replicas, offset)| Large {
                axes,
                derived,
                replicas,
                offset,
            })
    })
}

/// The corners of the index, and an index in the middle.
pub(super) fn corners(shape: &[u64]) -> Vec<Vec<u64>> {
    if shape.contains(&0) {
        return Vec::new();
    }
    let corner = |bits: usize| {
        let entry = |(axis, extent): (usize, &u64)| (extent - 1) * (bits as u64 >> axis & 1);
        shape.iter().enumerate().map(entry).collect()
    };
    let middle = shape.iter().map(|extent| extent / 2).collect();
    (0..1 << shape.len()).map(corner).chain([middle]).collect()
}

fn found(large: &Large, tally: &mut Tally) -> TestCaseResult {
    let Ok(layout) = tally.count(large.build()) else { return Ok(()) };
    let apart = matches!(layout.collision(), Ok(None));
    for index in corners(&layout.shape()) {
        for place in layout.locate_all(&index).unwrap().take(9) {
            match layout.element(&place) {
                Ok(found) => prop_assert!(!apart || found == Found::Element(index.clone())),
                Err(error) if error.kind() == ErrorKind::NotDecided => {}
                Err(error) => return Err(TestCaseError::fail(error.to_string())),
            }
        }
    }
    let _ = (layout.canonical(), layout.pads(), layout.simplified());
    let _ = (layout.used_in(Level::ADDR), layout.used_in(Level::PE), layout.without_padding());
    if let Ok(placement) = Placement::of(layout.clone()).base(3).build() {
        let _ = Report::of(&placement);
        if let Ok(program) = placement.program() {
            prop_assert_eq!(program.elements(), layout.elements());
            for index in corners(&layout.shape()) {
                let place = placement.locate(&index).unwrap();
                let number = program.place(&index).unwrap();
                prop_assert_eq!(program.location(number), place);
            }
        }
    }
    Ok(())
}
