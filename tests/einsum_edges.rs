//! Operations on machines: levels in which a sum does not move, and digits that repeat one another.

use tensor_layout::algebra::{Axis, Subaxis};
use tensor_layout::einsum::{Einsum, Sums, broadcast, reduce};
use tensor_layout::{Layout, Level, Machine, Placement};

#[test]
fn sums_stay_in_the_unit_that_has_all_products() {
    let machine: Machine = "PE=4".parse().unwrap();
    for loops in ["((4:8), (1_PE, 8:1))", "((4:8), (8:1, 1_PE))"] {
        let loops: Layout = loops.parse().unwrap();
        let sum = "ij->i".parse::<Einsum>().unwrap().local_in(&loops).unwrap();
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
    let sum = "ij->i".parse::<Einsum>().unwrap().local_in(&loops).unwrap();
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
    let sum = "ck,k->c".parse::<Einsum>().unwrap().local_in(&loops).unwrap();
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
    let local = ",a->".parse::<Einsum>().unwrap().local(&scalar, &[run]).unwrap();
    assert_eq!(local.operands()[0].copies(), 5);
}

#[test]
fn partial_sums_that_meet_are_refused_with_a_place_of_the_machine() {
    let result: Layout = "((2_PE:1, 2:1))".parse().unwrap();
    let over_pes = Axis {
        extent: 4,
        subaxes: vec![Subaxis::land(2, Level::ADDR, 1), Subaxis::land(2, Level::PE, 1)],
    };
    let refusal = reduce(&result, 1, over_pes).unwrap_err().to_string();
    assert_eq!(refusal, "elements (0, 1) and (2, 0) are both stored at PE=1,Addr=0");
}

#[test]
fn copies_of_an_operand_end_where_the_axis_that_it_lacks_does() {
    let result = Layout::builder()
        .axis(3, [Subaxis::land(2, Level::PE, 2), Subaxis::land(2, Level::PE, 1)])
        .build()
        .unwrap();
    let local = "a,,a->a".parse::<Einsum>().unwrap().local(&result, &[]).unwrap();
    assert_eq!(local.operands()[1], "(; B@[3_PE:1])".parse().unwrap());
    // Words between the digits of a unit do not matter: 7 of 2 x 3 x 2 values are in 3 units.
    let result = "(7)/((2_PE:2, 3:1, 2_PE:1))".parse().unwrap();
    let copy = broadcast(&result, &[0]).unwrap();
    assert_eq!(copy, "(; B@[3_PE:1])".parse().unwrap());
}
