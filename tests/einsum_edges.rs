//! Operations on machines: levels in which a sum does not move.

use tensor_layout::algebra::Subaxis;
use tensor_layout::einsum::{Einsum, Sums};
use tensor_layout::{Layout, Level, Machine, Placement};

#[test]
fn sums_stay_in_the_unit_that_has_all_products() {
    let machine: Machine = "PE=4".parse().unwrap();
    for loops in ["((4:8), (1_PE, 8:1))", "((4:8), (8:1, 1_PE))"] {
        let loops: Layout = loops.parse().unwrap();
        let sum = Einsum::parse("ij->i").unwrap().local_in(&loops).unwrap();
        for sums in [Sums::Replicated, Sums::Scattered] {
            let placement = Placement::of(sum.summed(sums).unwrap()).on(&machine).build().unwrap();
            assert_eq!(placement.copies(), 1, "{loops}, {sums:?}");
            let moved = sum.traffic(&machine, sums).unwrap();
            assert!(moved.iter().all(|level| level.into == 0), "{moved:?}");
        }
    }
}

#[test]
fn a_sum_of_nothing_moves_nothing() {
    let machine: Machine = "PE=2".parse().unwrap();
    let loops = Layout::builder().axis(4, [Subaxis::land(4, Level::ADDR, 1)]);
    let loops = loops.axis(0, [Subaxis::land(2, Level::PE, 1)]).build().unwrap();
    let sum = Einsum::parse("ij->i").unwrap().local_in(&loops).unwrap();
    for sums in [Sums::Replicated, Sums::Scattered] {
        let moved = sum.traffic(&machine, sums).unwrap();
        assert!(moved.iter().all(|level| (level.into, level.out_of) == (0, 0)), "{moved:?}");
    }
}
