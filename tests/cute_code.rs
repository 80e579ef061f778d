//! CuTe's layouts as source code makes them, against what the functions are defined to do.

use tensor_layout::notation::CuteLayout;
use tensor_layout::{Layout, Level};

fn lower(text: &str) -> Layout {
    let layout = text.parse::<CuteLayout>().and_then(|layout| layout.lower());
    layout.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn address(layout: &Layout, index: &[u64]) -> u64 {
    layout.locate(index).unwrap().get(Level::ADDR).unwrap()
}

/// Source: NVIDIA/cutlass, `media/docs/cpp/cute/01_layout.md`: LayoutRight is the exclusive product of the extents from right to left,
/// whatever tuples they are in.
#[test]
fn the_last_extent_of_layout_right_is_the_fastest() {
    for (text, wanted) in [
        (
            "make_layout(make_shape(Int<2>{},make_shape(Int<2>{},Int<2>{})), LayoutRight{})",
            "(2,(2,2)):(4,(2,1))",
        ),
        ("make_layout(make_shape(_3{}, 5), cute::GenRowMajor{})", "(3,5):(5,1)"),
        ("make_layout(make_shape(_3{}, 5), LayoutLeft{})", "(3,5):(1,3)"),
        ("Layout<Shape<Shape<_2,_3>,_4>, LayoutRight>", "((2,3),4):((12,4),1)"),
        ("make_layout(Shape<_3,_5>{}, GenColMajor{})", "(3,5):(1,3)"),
        ("cute.make_layout((3, 5), stride=(5, 1))", "(3,5):(5,1)"),
        (
            "cute.make_composed_layout(cute.make_swizzle(2, 1, 3), 0, cute.make_layout((8, 8), stride=(8, 1)))",
            "S<2,1,3> o 0 o (8,8):(8,1)",
        ),
        (
            "make_composed_layout(Swizzle<3,4,3>{}, smem_ptr_flag_bits<16>{}, make_layout(make_shape(_8{}, _64{}), make_stride(_64{}, _1{})))",
            "S<3,3,3> o 0 o (8,64):(64,1)",
        ),
    ] {
        assert_eq!(text.parse::<CuteLayout>().unwrap().to_string(), wanted, "{text}");
    }
}

/// Source: NVIDIA/cutlass, `include/cute/layout.hpp`, tile_to_shape: the block again and again, in the order that is asked for.
#[test]
fn a_tile_is_its_block_again_and_again() {
    for (block, of, [rows, columns], order) in [
        ("GMMA::Layout_K_SW128_Atom<half_t>{}", "S<3,3,3> o 0 o (8,64):(64,1)", [16, 128], [0, 1]),
        (
            "GMMA::Layout_MN_SW64_Atom<tfloat32_t>{}",
            "S<2,2,3> o 0 o (16,8):(1,16)",
            [48, 24],
            [1, 0],
        ),
        ("Layout<Shape<_8,_4>,Stride<_1,_8>>{}", "(8,4):(1,8)", [24, 8], [1, 0]),
        (
            "composition(Swizzle<2,3,3>{}, Layout<Shape<_8,_32>,Stride<_32,_1>>{})",
            "S<2,3,3> o 0 o (8,32):(32,1)",
            [16, 64],
            [0, 1],
        ),
        (
            "composition(Swizzle<3,3,3>{}, Layout<Shape<_8,Shape<_8,_8>>,Stride<_8,Stride<_1,_64>>>{})",
            "S<3,3,3> o 0 o (8,(8,8)):(8,(1,64))",
            [32, 64],
            [0, 1],
        ),
    ] {
        let text = format!(
            "tile_to_shape({block}, Shape<_{rows},_{columns}>{{}}, Step<_{},_{}>{{}})",
            order[0] + 1,
            order[1] + 1
        );
        let (tile, inner) = (lower(&text), lower(of));
        let [height, width] = inner.shape()[..] else { panic!() };
        let (down, right) = (rows / height, columns / width);
        for index in tile.indexes() {
            let [i, j] = index[..] else { panic!() };
            let number = match order {
                [0, 1] => i / height + j / width * down,
                _ => j / width + i / height * right,
            };
            // The swizzle of these blocks never reaches beyond a block.
            let wanted = number * height * width + address(&inner, &[i % height, j % width]);
            assert_eq!(address(&tile, &index), wanted, "{text} {index:?}");
        }
    }
    for (text, message) in [
        ("tile_to_shape(Layout<Shape<_8,_4>,Stride<_1,_16>>{}, Shape<_8,_8>{})", "with holes"),
        (
            "tile_to_shape(Layout<Shape<_8,_4>,Stride<_1,_8>>{}, Shape<_12,_8>{})",
            "not a multiple of 8",
        ),
        (
            "tile_to_shape(Layout<Shape<_8,_4>,Stride<_1,_8>>{}, Shape<_8>{})",
            "a shape of 2 or more modes",
        ),
    ] {
        let refused = text.parse::<CuteLayout>().unwrap_err().to_string();
        assert!(refused.contains(message), "{text}: {refused}");
    }
}
