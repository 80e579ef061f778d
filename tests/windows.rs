//! Windows, as defined by NumPy's `sliding_window_view`, and convolutions over units.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tensor_layout::algebra::Window;
use tensor_layout::einsum::{Einsum, Gather};
use tensor_layout::{Level, Machine, Placement};

use crate::generate::any_layout;
use crate::run::properties;

/// The indexes of every window: each start, in steps of the stride, at which a complete window fits.
fn windows(extent: u64, size: u64, stride: u64, dilation: u64) -> Vec<Vec<u64>> {
    let window = |start: u64| (0..size).map(|tap| start + tap * dilation).collect::<Vec<u64>>();
    let starts = (0..extent).filter(|start| start % stride == 0);
    starts.map(window).filter(|window| window.iter().all(|index| *index < extent)).collect()
}

properties! {
    #[test]
    fn a_window_reads_what_numpy_reads(
        slow in any_layout(), at in 0_usize..6, size in 1_u64..5, stride in 1_u64..4, dilation in 1_u64..4,
    ) {
        prop_assume!(slow.rank() > 0);
        let (layout, at) = (slow.layout(), at % slow.rank());
        let extent = layout.shape()[at];
        let window = Window { size, stride, dilation };
        let expected = windows(extent, size, stride, dilation);
        prop_assert_eq!(window.count(extent).unwrap(), expected.len() as u64);
        prop_assert_eq!(window.indexes(extent).unwrap(), expected.concat());
        let view = layout.windows(at, window).unwrap();
        let mut shape = layout.shape();
        shape.splice(at..=at, [expected.len() as u64, size]);
        prop_assert_eq!(view.shape(), shape);
        for index in view.indexes() {
            let mut read = index.clone();
            let tap = read.remove(at + 1);
            read[at] = expected[index[at] as usize][tap as usize];
            let places = |layout: &tensor_layout::Layout, index: &[u64]| -> BTreeSet<_> {
                layout.locate_all(index).unwrap().collect()
            };
            prop_assert_eq!(places(&view, &index), places(&layout, &read));
        }
    }

    /// Each PE computes a block of outputs, and holds a block of rows of the input.
    #[test]
    fn a_convolution_enters_its_halo(
        rows in 4_u64..30, channels in 1_u64..4, size in 1_u64..5, stride in 1_u64..3, dilation in 1_u64..3,
    ) {
        let machine: Machine = "PE=4".parse().unwrap();
        let window = Window { size, stride, dilation };
        let outputs = window.count(rows).unwrap();
        prop_assume!(outputs > 0);
        let on = |layout| Placement::of(layout).on(&machine).build().unwrap();
        let blocks = |extent: u64| extent.div_ceil(4);
        let (own, out) = (blocks(rows), blocks(outputs));
        let input = format!("({rows},{channels})/((4_PE, {own}:{channels}), ({channels}:1))");
        let input = on(input.parse().unwrap());
        let (taps, both) = (size * channels, 2 * size * channels);
        let digits = format!("((4_PE, {out}:{both}), (2:{taps}), ({size}:{channels}), ({channels}:1))");
        let loops = format!("({outputs},2,{size},{channels})/{digits}");
        let loops = loops.parse().unwrap();
        let convolution = "yrc,rcf->yf".parse::<Einsum>().unwrap().local_in(&loops).unwrap();
        let wanted = |pe: u64| -> BTreeSet<u64> {
            let own = windows(rows, size, stride, dilation).into_iter().enumerate();
            own.filter(|(y, _)| *y as u64 / out == pe).flat_map(|(_, window)| window).collect()
        };
        let halo = |pe: u64| wanted(pe).into_iter().filter(|row| row / own != pe).count() as u64;
        let enters = (0..4).map(halo).sum::<u64>() * channels;
        // The elements that PEs read, window by window, against those they hold.
        let read = on(convolution.operands()[0].merge_axes(0, 2).unwrap());
        let table = window.indexes(rows).unwrap();
        let traffic = Gather::new(&input, &read, 0).unwrap().traffic(&table).unwrap();
        let pe = traffic.iter().find(|level| level.level == Level::PE).unwrap();
        prop_assert_eq!(pe.into, enters);
        let view = input.layout().windows(0, window).unwrap();
        let weights = convolution.operands()[1].clone();
        prop_assert_eq!(convolution.accepts(&[view, weights], &machine).unwrap(), enters == 0);
    }
}

#[test]
fn a_window_without_taps_is_refused() {
    let row: tensor_layout::Layout = "((8:1))".parse().unwrap();
    let error = row.windows(0, Window::of(0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "cannot edit the layout: a window of size 0, stride 1 and dilation 1; each must be at least 1"
    );
    assert_eq!(row.windows(0, Window::of(9)).unwrap().shape(), [0, 9]);
    assert_eq!(Window { dilation: u64::MAX, ..Window::of(u64::MAX) }.count(8).unwrap(), 0);
    assert!(row.windows(1, Window::of(1)).is_err());
    assert!(Window::of(2).indexes(u64::MAX).is_err());
}
