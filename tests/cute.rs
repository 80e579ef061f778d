//! CuTe's own examples: as functions of the linear index, and as printed by the command.
//!
//! Source: NVIDIA, CUTLASS, `media/docs/cpp/cute/02_layout_algebra.md` (coalesce, composition,
//! complement, division, product) and `python/pycute/layout.py` (inverses).

use tensor_layout::algebra::IndexOrder::Colexicographic;
use tensor_layout::notation::{CuteLayout, CuteTiler, Notation};
use tensor_layout::{Layout, LayoutText, Level};

fn cute(text: &str) -> Layout {
    text.parse::<CuteLayout>().unwrap().lower().unwrap()
}

/// The address of every linear index, in CuTe's order.
fn function(layout: &Layout) -> Vec<u64> {
    let place = |linear| {
        let index = layout.as_function(Colexicographic).index_of(linear).unwrap();
        layout.locate(&index).unwrap().get(Level::ADDR).unwrap()
    };
    (0..layout.elements()).map(place).collect()
}

#[test]
fn coalescing_keeps_the_function() {
    // "Coalesce": the first example, and its by-mode form.
    let layout = cute("(2,(1,6)):(1,(6,2))");
    let flat = layout.as_function(Colexicographic).flattened().unwrap().without_padding().unwrap();
    assert_eq!(CuteLayout::of(&flat).unwrap().to_string(), "12:1");
    assert_eq!(
        CuteLayout::of(&layout.without_padding().unwrap()).unwrap().to_string(),
        "(2,6):(1,2)"
    );
}

#[test]
fn a_contiguous_inverse_is_undone_by_the_layout() {
    for text in
        ["(4,2):(2,1)", "(4,8):(1,5)", "(2,4,6):(4,1,8)", "4:2", "(3,5):(5,1)", "(2,2):(0,1)"]
    {
        let layout = cute(text);
        let inverse = layout.as_function(Colexicographic).contiguous_inverse().unwrap();
        let (f, g) = (function(&layout), function(&inverse));
        for (address, index) in (0..).zip(&g) {
            assert_eq!(f[*index as usize], address, "{text}");
        }
        // The next address, if any, cannot be expressed by strides or holds nothing.
        let next = g.len() as u64;
        assert!(!f.contains(&next) || text == "(4,8):(1,5)", "{text}: {next}");
    }
}

#[test]
fn a_digit_that_an_extent_cuts_counts_as_far_as_there_are_elements() {
    // 0 3 6 9 1 4 7 10 2 5: only 2 and 5 have the digit 2; 8 and 11 are padding.
    let layout: tensor_layout::Layout = "(10)/((3:1, 4:3))".parse().unwrap();
    let inverse = layout.as_function(Colexicographic).contiguous_inverse().unwrap();
    assert_eq!(inverse, "((2:1, 3:4))".parse().unwrap());
    assert_eq!(function(&inverse).iter().map(|i| function(&layout)[*i as usize]).max(), Some(5));
}

#[test]
fn a_linear_left_inverse_gives_every_index_back_and_no_index_for_what_holds_nothing() {
    for text in ["(4,2):(2,1)", "(4,8):(1,8)", "(2,4,6):(4,1,8)", "4:2", "(3,5):(10,2)"] {
        let layout = cute(text);
        let (f, g) = (
            function(&layout),
            function(&layout.as_function(Colexicographic).linear_left_inverse().unwrap()),
        );
        let mut taken = vec![None; g.len()];
        (0..).zip(&f).for_each(|(index, address)| taken[*address as usize] = Some(index));
        for (back, held) in g.iter().zip(taken) {
            assert!(held.map_or(*back >= layout.elements(), |index| index == *back), "{text}");
        }
    }
}

#[test]
fn basis_strides_lead_to_coordinates() {
    // CUTLASS, `media/docs/cpp/cute/0z_tma_tensors.md`: a TMA tensor counts in coordinates.
    for (text, printed) in [
        ("(_128,_64):(_1@1,_1@0)", "(128,64):(1@1,1@0)"),
        ("((4,2),3):((1@0,4@0),_1@1)", "((4,2),3):((1@0,4@0),1@1)"),
        ("Layout<Shape<_4,_8>, Stride<ScaledBasis<_1,0>, ScaledBasis<C<2>,1>>>", "(4,8):(1@0,2@1)"),
        ("(4,8):(0,2@1)", "(4,8):(0,2@1)"),
    ] {
        let layout: CuteLayout = text.parse().unwrap();
        assert_eq!(layout.to_string(), printed);
        let lowered = layout.lower().unwrap();
        assert_eq!(CuteLayout::of(&lowered).unwrap().to_string(), printed);
    }
    let transposed = cute("(128,64):(1@1,1@0)");
    assert_eq!(transposed.locate(&[5, 7]).unwrap().to_string(), "i0=7,i1=5,Addr=0");
    // Composed after a layout of two modes, coordinates are its index.
    let matrix = cute("(64,128):(128,1)");
    assert_eq!(
        CuteLayout::of(&matrix.compose(&transposed).unwrap()).unwrap().to_string(),
        "(128,64):(1,128)"
    );
    for (text, says) in [
        ("(4,8):(1,1@0)", "cannot mix strides of addresses with strides of coordinates"),
        ("(4,1@0):(1,1)", "expected an extent"),
        ("4:1@0@1", "a coordinate inside a coordinate is not supported"),
        ("4:1@64", "coordinates go from 0 to 63"),
        ("4:1@", "expected"),
    ] {
        let said = text.parse::<CuteLayout>().unwrap_err().to_string();
        assert!(said.contains(says), "{text}: {said}");
    }
}

#[test]
fn tilers_are_read_mode_by_mode() {
    let tiler: CuteTiler = "< 3:3 , (2,4):(1,8), 8 >".parse().unwrap();
    assert_eq!(tiler.to_string(), "<3:3, (2,4):(1,8), 8:1>");
    assert_eq!(tiler, "[3:3;(2,4):(1,8); 8:1 ]".parse().unwrap());
    assert_eq!("<_, _3:_3>".parse::<CuteTiler>().unwrap().to_string(), "<_, 3:3>");
    assert!("3:3".parse::<CuteTiler>().is_err());
    assert!("[3:3;4".parse::<CuteTiler>().is_err());
    assert!("<3:3, (2,4:(1,8)>".parse::<CuteTiler>().is_err());
}

#[test]
fn types_and_calls_of_cute_are_the_layouts_that_they_print() {
    let swizzled = "S<3,3,3> o 0 o (8,64):(64,1)";
    for (written, printed) in [
        (
            "cute::Layout<cute::tuple<cute::C<(int)128>, cute::C<(int)64>>, cute::tuple<cute::C<(int)64>, cute::C<(int)1>>>",
            "(128,64):(64,1)",
        ),
        ("Layout<Shape<_8,_64>, Stride<_64,_1>>{}", "(8,64):(64,1)"),
        ("Layout<Shape<Int<8>, integral_constant<int, 4>>>{}", "(8,4):(1,8)"),
        ("composition(Swizzle<3,3,3>{}, Layout<Shape<_8,_64>, Stride<_64,_1>>{})", swizzled),
        (
            "cute::ComposedLayout<cute::Swizzle<(int)3, (int)4, (int)3>, cute::smem_ptr_flag_bits<16>, \
             cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, cute::C<1>>>>{}",
            swizzled,
        ),
        ("make_layout(make_shape(Int<8>{}, _64{}), make_stride(_64{}, _1{}))", "(8,64):(64,1)"),
        ("cute.make_layout((8, 64), stride=(64, 1))", "(8,64):(64,1)"),
        ("cute.make_layout((8, 64))", "(8,64):(1,8)"),
        ("!cute.coord_tensor<\"(0,0)\", \"(128,64):(1@0,1@1)\">", "(128,64):(1@0,1@1)"),
    ] {
        let layout = LayoutText::parse(written).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(layout.notation(), Notation::Cute, "{written}");
        assert_eq!(
            CuteLayout::of(&layout.lower().unwrap()).unwrap().to_string(),
            printed,
            "{written}"
        );
    }
    for (written, why) in [
        (
            "Layout<tuple<C<128>, int>, tuple<int, C<1>>>",
            "`int` is a number that is only known at run time",
        ),
        ("Layout<Shape<_8>, Stride<ScaledBasis<int, 1>>>", "steps in a coordinate by a number"),
        ("cute::Layout<Shape<_8>, Stride<cute::R<1,16>>>", "`cute::R<1,16>` is a fraction"),
        (
            "!cute.coord_tensor<\"(0,16)\", \"(128,64):(1@0,1@1)\">",
            "coordinates that do not begin at 0",
        ),
        ("!cute.ptr<f16, smem, align<1024>>", "this type is not a layout: `!cute.ptr`"),
        (
            "!cute_nvgpu.atom.tma_load<bf16>",
            "this type is not a layout: `!cute_nvgpu.atom.tma_load`",
        ),
    ] {
        let refused = LayoutText::parse(written).unwrap_err().to_string();
        assert!(refused.contains(why), "{written}: {refused}");
    }
}

#[test]
fn types_of_tiles_are_tilers() {
    let wanted: CuteTiler = "<8:1, 4:2, _, 4:1>".parse().unwrap();
    for written in [
        "Tile<Layout<_8,_1>, Layout<_4,_2>, _, _4>",
        "cute::Tile<cute::Layout<cute::C<8>, cute::C<1>>, cute::Layout<_4,_2>, cute::Underscore, cute::C<(int)4>>{}",
        "cute::tuple<8:1, 4:2, _, 4>",
    ] {
        assert!(CuteTiler::is_begun_by(written));
        assert_eq!(written.parse::<CuteTiler>().unwrap(), wanted, "{written}");
    }
}
