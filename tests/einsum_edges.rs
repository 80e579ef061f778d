//! Operations on machines: levels in which a sum does not move, and digits that repeat one another.

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
        assert!(moved.iter().all(|level| (level.into, level.out_of) == (0, Some(0))), "{moved:?}");
    }
}

/// `k` ends inside digits of two levels, so a layout of the sums has copies in a unit that has no part.
#[test]
fn a_unit_without_a_part_that_has_the_sum_is_entered() {
    let machine: Machine = "MAB=2,PE=2".parse().unwrap();
    let loops: Layout = "(4,3)/((4:1), (2_PE:1, 2_MAB:1))".parse().unwrap();
    let sum = Einsum::parse("ck,k->c").unwrap().local_in(&loops).unwrap();
    let all = Placement::of(sum.summed(Sums::Replicated).unwrap()).on(&machine).build().unwrap();
    let moved = sum.traffic(&machine, Sums::Replicated).unwrap();
    // Three units have a part of each of the four sums; all four have the sums.
    assert_eq!((all.copies(), moved[0].into, moved[0].out_of), (4, 4 * 4, Some(3 * 4)));
    let moved = sum.traffic(&machine, Sums::Scattered).unwrap();
    assert_eq!((moved[0].into, moved[0].out_of), (4, Some(2 * 4)));
}

#[test]
fn digits_that_step_as_one_in_another_order_are_one_run_of_copies() {
    // The last of 3 x 2 values is padding, in either order: 0, 3, 1, 4, 2 are the steps 0 to 4.
    let subaxes = vec![Subaxis::land(3, Level::TIME, 1), Subaxis::land(2, Level::TIME, 3)];
    let run = ('a', tensor_layout::algebra::Axis { extent: 5, subaxes });
    let scalar: Layout = "()".parse().unwrap();
    let local = Einsum::parse(",a->").unwrap().local(&scalar, &[run]).unwrap();
    assert_eq!(local.operands()[0].copies(), 5);
}
