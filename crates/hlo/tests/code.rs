//! Layouts in source code: found where the text alone says them, counted where names stand in for numbers.

use tensor_layout::xla::XlaParser;
use tensor_layout_hlo::scan::{LayoutScan, ScanReport};

/// Layouts with their lines.
type Lines = Vec<(u64, String)>;

/// Every layout of a text with its line, `!` before what is not read; and the line, the text and the number of those passed over.
fn found(text: &str) -> (Lines, Option<(u64, String, u64)>) {
    let mut scan = LayoutScan::new(text.as_bytes());
    let mut found = Vec::new();
    while let Some(layout) = scan.next_layout().unwrap() {
        let mark = if layout.refusal().is_some() { "!" } else { "" };
        found.push((layout.line(), format!("{mark}{}", layout.text())));
    }
    let passed = scan.passed_over().map(|passed| (passed.line, passed.text.clone(), passed.count));
    (found, passed)
}

/// The layouts of a text, `!` before what is not read.
fn texts(text: &str) -> Vec<String> {
    found(text).0.into_iter().map(|(_, layout)| layout).collect()
}

#[test]
fn layouts_in_source_code_are_found_where_the_text_has_their_numbers() {
    for (text, wanted) in [
        ("using Atom = GMMA::Layout_K_SW128_Atom<half_t>;", "GMMA::Layout_K_SW128_Atom<half_t>"),
        (
            "using A = cute::SM100::UMMA::Layout_MN_SW64_Atom<cute::bfloat16_t>;",
            "cute::SM100::UMMA::Layout_MN_SW64_Atom<cute::bfloat16_t>",
        ),
        (
            "using L = decltype(tile_to_shape(UMMA::Layout_MN_SW128_Atom<tfloat32_t>{},\n    Shape<_64, _32, _3>{}, Step<_2,_1,_3>{}));",
            "tile_to_shape(UMMA::Layout_MN_SW128_Atom<tfloat32_t>{}, Shape<_64, _32, _3>{}, Step<_2,_1,_3>{})",
        ),
        (
            "auto atom = composition(Swizzle<3,3,3>{},\n     Layout<Shape <_8,Shape <_8, _8>>,\n            Stride<_8,Stride<_1,_64>>>{});",
            "composition(Swizzle<3,3,3>{}, Layout<Shape <_8,Shape <_8, _8>>, Stride<_8,Stride<_1,_64>>>{})",
        ),
        (
            "Layout l = make_layout(make_shape(_8{}, Int<4>{}), make_stride(4, 1));",
            "make_layout(make_shape(_8{}, Int<4>{}), make_stride(4, 1))",
        ),
        ("x = cute.make_layout((4, 4), stride=(4, 1))", "cute.make_layout((4, 4), stride=(4, 1))"),
        ("{\"code\": \"make_layout(\\n  make_shape(2, 4))\"}", "make_layout( make_shape(2, 4))"),
        (
            "buf0 = empty_strided_cuda((64, 128), (128, 1), torch.float32)",
            "empty_strided_cuda((64, 128), (128, 1), torch.float32)",
        ),
        (
            "mm(reinterpret_tensor(arg0_1, (64, 32), (32, 1), 8), out=b)",
            "reinterpret_tensor(arg0_1, (64, 32), (32, 1), 8)",
        ),
        // It is meant as a layout, and its numbers are wrong.
        (
            "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_100,_64>{})",
            "!tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_100,_64>{})",
        ),
        (
            "make_layout(make_shape(8, 4), make_stride(4))",
            "!make_layout(make_shape(8, 4), make_stride(4))",
        ),
    ] {
        assert_eq!(found(text), (vec![(1, wanted.to_owned())], None), "{text}");
    }
}

#[test]
fn layouts_of_names_are_counted_and_their_parts_are_not_layouts() {
    for text in [
        "using A = GMMA::Layout_K_SW128_Atom<Element>;",
        "auto a = tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(bM, bK));",
        "auto a = UMMA::tile_to_mma_shape(UMMA::Layout_K_SW128_Atom<half_t>{}, mma_shape_A);",
        "make_layout(make_shape(M, Int<8>{}), make_stride(Int<8>{}, _1{}))",
        "composition(Swizzle<kB, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{})",
        "Layout<Shape<Int<kTile>, _8>, Stride<_8, _1>>",
        "x = cute.make_layout((m, 4), stride=(4, 1))",
        "assert_size_stride(buf4, (s0, 64), (64, 1))",
    ] {
        let (layouts, passed) = found(&format!("\n  {text}\n  {text}"));
        assert_eq!(layouts, [], "{text}");
        let (line, first, count) = passed.unwrap_or_default();
        assert!((line, count) == (2, 2) && text.contains(&first), "{text}: {first} {count}");
    }
}

#[test]
fn other_code_is_neither_found_nor_counted() {
    for text in [
        "let l: Layout<double> = composition(a, b);",
        "remake_layout(make_shape(2, 4)) my_composition(Layout)",
        "std::vector<Layout> v; Tensor<float> t; Layout <",
        "make_layout(make_shape(2, 4)",
        "make_layout(\"f32\"; make_shape(2, 4))",
        "class Layout; template <class T> struct Atom<T>;",
    ] {
        assert_eq!(found(text), (vec![], None), "{text}");
    }
    // Sixteen lines are the longest layout.
    let long = format!("make_layout({}make_shape(2, 4))", "\n".repeat(16));
    assert_eq!(found(&long), (vec![], None));
}

#[test]
fn parts_without_a_shape_are_counted() {
    let text = "<  #blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n\
                #loc = loc(unknown)\n given the sharding of NamedSharding(mesh=Mesh('x': 4), spec=P('x',))\n";
    let report = ScanReport::read(text.as_bytes(), XlaParser::strict(), |_| {}).unwrap();
    assert_eq!((report.rows().count(), report.unread().count()), (0, 0));
    assert_eq!((report.parts().encodings, report.parts().shardings), (1, 1));
}

#[test]
fn types_of_cute_in_errors_of_compilers_are_found_or_counted() {
    let line = "error: src: cute::Layout<cute::tuple<cute::C<(int)2>, cute::C<8>>, cute::tuple<cute::C<1>, cute::C<4>>> \
                Layout<ShapeT, StrideT> Layout<tuple<int, _4>, tuple<_4, _1>> \
                Tensor<ViewEngine<smem_ptr<swizzle_ptr<Swizzle<3, 4, 3>, half_t *>>>, Layout<Shape<_8>, Stride<_1>>>\n";
    assert_eq!(
        texts(line),
        [
            "cute::Layout<cute::tuple<cute::C<(int)2>, cute::C<8>>, cute::tuple<cute::C<1>, cute::C<4>>>",
            "!Layout<tuple<int, _4>, tuple<_4, _1>>",
            "!Tensor<ViewEngine<smem_ptr<swizzle_ptr<Swizzle<3, 4, 3>, half_t *>>>, Layout<Shape<_8>, Stride<_1>>>",
        ]
    );
}

#[test]
fn vectors_in_registers_of_a_tpu_are_counted() {
    // As Mosaic prints a module whose layouts are inferred.
    let layout = "#tpu.vpad<\"32,{0,0},(8,128)\">";
    let line = format!(
        "%0 = \"vector.load\"(%a) {{in_layout = [{layout}], out_layout = [{layout}]}} : (memref<8x128xf32>) -> f32\n"
    );
    assert_eq!(texts(&line), [format!("!{layout}"), format!("!{layout}")]);
}
