//! The article that defines TensorLayout, figure by figure.

use tensor_layout::notation::PadLayout;
use tensor_layout::{Found, Layout, Level, Machine, Placement};

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

/// One coordinate of each element of a matrix.
fn grid(text: &str, level: Level) -> Vec<Vec<u64>> {
    let layout = layout(text);
    let shape = layout.shape();
    let at = |i, j| layout.locate(&[i, j]).unwrap().get(level).unwrap();
    (0..shape[0]).map(|i| (0..shape[1]).map(|j| at(i, j)).collect()).collect()
}

#[test]
fn figures_1_and_2_a_matrix_in_row_major_order() {
    assert_eq!(grid("(2:3, 3:1)", Level::ADDR), [[0, 1, 2], [3, 4, 5]]);
}

#[test]
fn a_transposed_matrix_swaps_shape_and_strides() {
    assert_eq!(grid("(3:1, 2:3)", Level::ADDR), [[0, 3], [1, 4], [2, 5]]);
}

#[test]
fn slices_keep_or_double_strides() {
    assert_eq!(grid("(2:3, 2:1)", Level::ADDR), [[0, 1], [3, 4]]);
    assert_eq!(grid("(2:3, 2:2)", Level::ADDR), [[0, 2], [3, 5]]);
}

#[test]
fn figure_3_the_tree_has_8192_pes() {
    let sizes: Vec<_> = Machine::mn_core().levels().collect();
    let tree = [(Level::L2B, 16), (Level::L1B, 8), (Level::MAB, 16), (Level::PE, 4)];
    assert_eq!(sizes, tree);
    assert_eq!(Machine::mn_core().units(), 8192);
}

#[test]
fn figure_4_rows_in_blocks_of_three() {
    let text = "((4_PE, 3:8), (8:1))";
    let pe = grid(text, Level::PE);
    let address = grid(text, Level::ADDR);
    for i in 0..12_u64 {
        for j in 0..8_u64 {
            assert_eq!(pe[i as usize][j as usize], i / 3);
            assert_eq!(address[i as usize][j as usize], i % 3 * 8 + j);
        }
    }
}

#[test]
fn the_layout_without_address_strides_is_incomplete() {
    let tree: PadLayout = "((4_PE, 3), (8))".parse().unwrap();
    let error = tree.lower().unwrap_err();
    let cause = error.cause().unwrap().to_string();
    assert_eq!(cause, "the layout is incomplete: an address subaxis or copy lacks a stride");
    assert_eq!(error.help(), Some("with row-major strides: ((4_PE, 3:8), (8:1))"));
    assert_eq!(tree.row_major().unwrap().to_string(), "((4_PE, 3:8), (8:1))");
}

#[test]
fn columns_in_blocks_of_two() {
    let text = "((12:2), (4_PE, 2:1))";
    assert_eq!(grid(text, Level::PE)[5], [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(grid(text, Level::ADDR)[5], [10, 11, 10, 11, 10, 11, 10, 11]);
}

#[test]
fn neighbouring_rows_on_different_pes() {
    let pe = grid("((3:8, 4_PE), (8:1))", Level::PE);
    let first: Vec<u64> = pe.iter().map(|row| row[0]).collect();
    assert_eq!(first, [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
}

#[test]
fn figure_8_blocks_need_the_strides_of_the_pe() {
    let error = "((2_PE, 6:4), (2_PE, 4:1))".parse::<Layout>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "\
level `PE` occurs more than once, and this one lacks a stride
 --> 1:3
  | ((2_PE, 6:4), (2_PE, 4:1))
  |   ^^^^         ----
  = help: give every `PE` its stride, such as `2_PE:2` here and `2_PE:1` there"
    );
    let corners = |text| {
        let pe = grid(text, Level::PE);
        [pe[0][0], pe[0][4], pe[6][0], pe[6][4]]
    };
    assert_eq!(corners("((2_PE:2, 6:4), (2_PE:1, 4:1))"), [0, 1, 2, 3]);
    assert_eq!(corners("((2_PE:1, 6:4), (2_PE:2, 4:1))"), [0, 2, 1, 3]);
}

#[test]
fn padding_of_rows_and_of_columns() {
    let rows = layout("(10,7)/((3:7, 4_PE), (7:1))");
    assert_eq!((rows.elements(), rows.slots(), rows.pads().unwrap()), (70, 84, 14));
    assert_eq!(rows.element(&"PE=1,Addr=20".parse().unwrap()).unwrap(), Found::Element(vec![9, 6]));
    assert_eq!(rows.element(&"PE=2,Addr=14".parse().unwrap()).unwrap(), Found::Padding);
    let columns = layout("(10,7)/((10:2), (2:1, 4_PE))");
    assert_eq!((columns.elements(), columns.slots(), columns.pads().unwrap()), (70, 80, 10));
    assert_eq!(columns.element(&"PE=3,Addr=1".parse().unwrap()).unwrap(), Found::Padding);
    assert_eq!(
        columns.element(&"PE=2,Addr=1".parse().unwrap()).unwrap(),
        Found::Element(vec![0, 6])
    );
}

#[test]
fn broadcast_puts_the_matrix_on_every_pe() {
    let machine: Machine = "PE=4".parse().unwrap();
    for text in ["((12:8), (8:1))", "((12:8), (8:1); B@[PE])"] {
        let placement = Placement::of(layout(text)).on(&machine).build().unwrap();
        let places: Vec<String> =
            placement.locate_all(&[2, 3]).unwrap().map(|place| place.to_string()).collect();
        assert_eq!(places, ["PE=0,Addr=19", "PE=1,Addr=19", "PE=2,Addr=19", "PE=3,Addr=19"]);
    }
}

#[test]
fn the_full_hierarchy_is_a_bijection_onto_all_pes() {
    let layout = layout("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))");
    assert_eq!(layout.shape(), [1024, 512]);
    let place = layout.locate(&[100, 37]).unwrap();
    assert_eq!(place.to_string(), "L2B=1,L1B=4,MAB=1,PE=1,Addr=33");
    let placement = Placement::of(layout).on(&Machine::mn_core()).build().unwrap();
    assert_eq!((placement.copies(), placement.footprint_words()), (1, 64));
    let machine = placement.machine().unwrap();
    let mut taken = vec![false; 8192 * 64];
    for index in placement.layout().indexes() {
        let place = placement.locate(&index).unwrap();
        let slot = machine.unit(&place) * 64 + place.get(Level::ADDR).unwrap();
        assert!(!std::mem::replace(&mut taken[slot as usize], true));
    }
    assert!(taken.iter().all(|taken| *taken));
}

#[test]
fn time_is_the_outermost_coordinate() {
    let layout = layout("((4_Time, 3:8), (8:1))");
    let placement = Placement::of(layout).on(&"PE=2".parse().unwrap()).build().unwrap();
    assert_eq!(placement.columns(), [Level::TIME, Level::PE, Level::ADDR]);
    assert_eq!(placement.locate(&[7, 1]).unwrap().to_string(), "Time=2,PE=0,Addr=9");
    assert_eq!(placement.footprint_words(), 24);
}
