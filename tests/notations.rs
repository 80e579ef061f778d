//! The layouts that each notation can write, and layouts as code.

use std::collections::BTreeSet;

use itertools::Itertools;
use proptest::prelude::*;
use tensor_layout::algebra::Subaxis;
use tensor_layout::error::{ErrorKind, Span};
use tensor_layout::notation::{CuteLayout, Notation, PadLayout, Strided};
use tensor_layout::xla::{XlaDtype, XlaShape};
use tensor_layout::{Layout, LayoutError, LayoutText, Level, Location, Machine, Placement};
use tensor_layout_code::{Expression, Function, Language, Variable};

use crate::plain::good_layout;
use crate::run::properties;

fn layout(text: &str) -> Layout {
    LayoutText::parse(text).and_then(|text| text.lower()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn a_layout_that_no_pad_layout_expresses_is_displayed_with_all_its_parts() {
    let layout = Layout::builder()
        .axis(8, [Subaxis::feed(4, 0, 1), Subaxis::feed(2, 1, 2)])
        .axis(4, [Subaxis::feed(4, 0, 1)])
        .xor(0, [Subaxis::land(4, Level::ADDR, 2)])
        .derived(0, 8, [Subaxis::land(8, Level::PE, 1)])
        .replica(2, Level::MAB, 3)
        .offset(Level::PE, 5)
        .span(Level::MAB, 16);
    assert_eq!(
        layout.build().unwrap().to_string(),
        "(8,4)/((4>d0, 2>d1*2), (4>d0)); d0 = xor (4)/(4:2); d1 = (8)/(8_PE:1); B@[2_MAB:3]; PE + 5; MAB of 16"
    );
}

#[test]
fn a_machine_is_displayed_as_what_reads_as_one_with_its_levels() {
    for machine in [Machine::mn_core(), Machine::mn_core_2()] {
        assert_eq!(machine.to_string().parse::<Machine>().unwrap(), machine);
    }
    for text in ["PE=4", "L2B=2,BANK=3,PE=1"] {
        assert_eq!(text.parse::<Machine>().unwrap().to_string(), text);
    }
    let renamed = Machine::builder("mn-core-2").level(Level::PE, 4).build().unwrap();
    assert_eq!(renamed.to_string(), "PE=4");
}

#[test]
fn a_layout_from_a_text_of_another_notation_names_the_type_that_reads_it() {
    let help = |text: &str| text.parse::<Layout>().unwrap_err().help().map(String::from);
    let named = |what: &str| {
        Some(format!(
            "only a PadLayout parses as a `Layout`; parse {what} as a `LayoutText` and `lower` it"
        ))
    };
    assert_eq!(help("f32[8,128]{1,0}"), named("an XLA shape"));
    assert_eq!(help("(4,8):(1,4)"), named("a CuTe layout"));
    assert_eq!(help("((4_PE:1 2:4))").unwrap(), "subaxes of one axis are separated by `,`");
}

#[test]
fn inputs_outside_their_ranges_are_refused() {
    let function = Function::index_of(&layout("shape=(5,), strides=(1,), offset=3")).unwrap();
    assert_eq!(function.values(&[3]), Ok(vec![0]));
    let refused = |inputs: &[u64]| function.values(inputs).unwrap_err().to_string();
    assert_eq!(refused(&[2]), "Addr is 2, but must be at least 3 and below 8");
    assert_eq!(refused(&[8, 1]), "the function has 1 input, but 2 values are given");
}

#[test]
fn strided_text_is_read_as_people_paste_it() {
    for (pasted, text) in [
        ("(2, 3) (12, 4)", "shape=(2, 3), strides=(12, 4)"),
        ("(2, 3), (12, 4), itemsize=4", "shape=(2, 3), strides=(12, 4), itemsize=4"),
        ("torch.Size([2, 3]) (3, 1)", "shape=(2, 3), strides=(3, 1)"),
        ("torch.Size([2, 3])", "shape=(2, 3), strides=(3, 1)"),
        ("torch.Size([])", "shape=(), strides=()"),
        ("(5,)(2,)", "shape=(5,), strides=(2,)"),
        ("shape=[2, 3], strides=[1, 2], offset=7", "shape=(2, 3), strides=(1, 2), offset=7"),
        (
            "shape=(2,), strides=(8,), itemsize=4, offset=8",
            "shape=(2,), strides=(8,), offset=8, itemsize=4",
        ),
    ] {
        assert_eq!(Notation::of(pasted), Notation::Strided, "{pasted}");
        let read: Strided = pasted.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(read.to_string(), text);
        assert_eq!(read.to_string().parse::<Strided>().unwrap(), read);
    }
    for pad_layout in ["(2, 3)", "(10, 7)/((10:7), (7:1))", "(2:3, 3:1)"] {
        assert_eq!(Notation::of(pad_layout), Notation::PadLayout, "{pad_layout}");
    }
}

#[test]
fn strided_text_that_means_nothing_is_refused_by_name() {
    let refused = |text: &str| match text.parse::<Strided>() {
        Ok(read) => read.lower().unwrap_err().kind().to_string(),
        Err(error) => error.kind().to_string(),
    };
    for (text, message) in [
        ("shape=(2, 3), strides=(-3, 1)", "a stride cannot be negative"),
        ("(2, 3) (-12, 4)", "a stride cannot be negative"),
        ("shape=(2, -3), strides=(3, 1)", "an extent cannot be negative"),
        ("(2, 3) (12, 4), offset=-1", "the offset cannot be negative"),
        ("(2, 3) (12,)", "2 extents, but 1 stride"),
        ("shape=(2,), strides=(1,), offset=1, offset=2", "expected `itemsize`"),
        ("shape=(2,), strides=(1,), offset=1, itemsize=1, offset=2", "expected the end"),
        (
            "shape=(2,), strides=(4,), offset=2, itemsize=4",
            "the offset 2 is not a multiple of itemsize 4",
        ),
    ] {
        assert_eq!(refused(text), message, "{text}");
    }
}

#[test]
fn negative_numbers_of_cute_are_refused_by_name() {
    let text = "(4,2):(1,-4)";
    let refused = text.parse::<CuteLayout>().unwrap_err();
    assert_eq!(refused.kind().to_string(), "a stride cannot be negative");
    assert_eq!(refused.span(), Span::new(9, 10));
    assert_eq!(refused.help(), Some("negative strides are not supported; reverse the axis first"));
    let extent = "(4,-2):(1,4)".parse::<CuteLayout>().unwrap_err();
    assert_eq!(
        (extent.kind().to_string().as_str(), extent.help()),
        ("an extent cannot be negative", None)
    );
    let layout: CuteLayout = "(4,2):(1,4)".parse().unwrap();
    let coordinate = layout.index_of("(0,-1)").unwrap_err();
    assert_eq!(coordinate.kind().to_string(), "a coordinate cannot be negative");
    let minus = "(4-2):(1,4)".parse::<CuteLayout>().unwrap_err();
    assert_eq!(minus.kind().to_string(), "expected `)`, `,` or `:`");
}

#[test]
fn slices_are_written_in_every_notation() {
    let f32 = XlaDtype::from_name("f32").unwrap();
    let rows = |text: &str| layout(text).slice(0, 1, 5, 2).unwrap();
    let moved = "this notation cannot express an offset; add 8 to every address";
    for (text, notation, written, note) in [
        ("(6,8):(8,1)", Notation::Cute, "S<0,4,3> o 8 o (2,8):(16,1)", None),
        ("(6,8):(8,1)", Notation::Strided, "shape=(2, 8), strides=(16, 1), offset=8", None),
        ("((6:8), (8:1))", Notation::PadLayout, "((2:16), (8:1))", Some(moved)),
        ("f32[6,8]{1,0:T(2,8)S(1)}", Notation::PadLayout, "((2:16), (8:1))", Some(moved)),
    ] {
        let source = LayoutText::parse(text).unwrap();
        let (printed, left_out) = source.write_edited(&rows(text), notation, f32).unwrap();
        assert_eq!(printed, written);
        match note {
            Some(note) => assert!(left_out.unwrap().starts_with(note)),
            None => assert_eq!(left_out, None),
        }
    }
}

#[test]
fn a_slice_of_an_xla_shape_keeps_its_tiling() {
    let f32 = XlaDtype::from_name("f32").unwrap();
    let source = LayoutText::parse("f32[16,256]{1,0:T(8,128)S(1)}").unwrap();
    let sliced = source.lower().unwrap().slice(0, 0, 8, 1).unwrap();
    let (text, left_out) = source.write_edited(&sliced, Notation::Xla, f32).unwrap();
    assert_eq!(text, "f32[8,256]{1,0:T(8,128)S(1)}");
    assert_eq!(left_out.unwrap(), "padding is omitted (2048 of 4096 slots are kept)");
}

#[test]
fn another_dtype_gets_its_own_tiling() {
    let f32 = |text: &str| {
        let shape: XlaShape = text.parse().unwrap();
        let dtype = XlaDtype::from_name("f32").unwrap();
        shape.as_array().unwrap().with_dtype(dtype).to_string()
    };
    assert_eq!(f32("bf16[16,256]{1,0:T(8,128)(2,1)S(1)}"), "f32[16,256]{1,0:T(8,128)S(1)}");
    assert_eq!(f32("s4[8,256]{1,0:T(8,128)(8,1)E(4)}"), "f32[8,256]{1,0:T(8,128)}");
    assert_eq!(f32("s8[2,5]{1,0:T(4,128)(4,1)}"), "f32[2,5]{1,0:T(2,128)}");
    assert_eq!(f32("bf16[16,256]{1,0:T(3,5)}"), "f32[16,256]{1,0:T(3,5)}");
    assert_eq!(f32("bf16[16,256]"), "f32[16,256]");
}

/// The value of an affine expression at a point: sums of products, `floordiv` and `mod`.
fn evaluate(text: &str, dims: &[u64]) -> u64 {
    let mut tokens = Vec::new();
    for word in text.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
        tokens.push(word.to_owned());
    }
    let (value, rest) = sum(&tokens, dims);
    assert!(rest.is_empty(), "{text}");
    value
}

fn sum<'t>(tokens: &'t [String], dims: &[u64]) -> (u64, &'t [String]) {
    let (mut value, mut rest) = product(tokens, dims);
    while rest.first().is_some_and(|token| token == "+") {
        let (term, after) = product(&rest[1..], dims);
        (value, rest) = (value + term, after);
    }
    (value, rest)
}

fn product<'t>(tokens: &'t [String], dims: &[u64]) -> (u64, &'t [String]) {
    let (mut value, mut rest) = operand(tokens, dims);
    while let Some(operator) =
        rest.first().filter(|t| ["*", "floordiv", "mod"].contains(&t.as_str()))
    {
        let (right, after) = operand(&rest[1..], dims);
        value = match operator.as_str() {
            "*" => value * right,
            "floordiv" => value / right,
            _ => value % right,
        };
        rest = after;
    }
    (value, rest)
}

fn operand<'t>(tokens: &'t [String], dims: &[u64]) -> (u64, &'t [String]) {
    match tokens[0].as_str() {
        "(" => {
            let (value, rest) = sum(&tokens[1..], dims);
            assert_eq!(rest[0], ")");
            (value, &rest[1..])
        }
        name if name.starts_with('d') => (dims[name[1..].parse::<usize>().unwrap()], &tokens[1..]),
        number => (number.parse().unwrap(), &tokens[1..]),
    }
}

/// The places that an affine map gives for an index, over all copies, by the names of its comment.
fn mapped(text: &str, index: &[u64]) -> Vec<Location> {
    let (comment, map) = text.split_once('\n').unwrap();
    let (names, bounds) = comment.split_once(" -> (").unwrap().1.split_once(')').unwrap();
    let bounds = bounds.split(", ").filter_map(|bound| bound.split_once("< "));
    let bounds: Vec<u64> = bounds.map(|(_, bound)| bound.parse().unwrap()).collect();
    let results = map.split_once(" -> (").unwrap().1.strip_suffix(")>").unwrap();
    crate::slow::count(&bounds[index.len()..])
        .into_iter()
        .map(|copy| {
            let dims: Vec<u64> = index.iter().copied().chain(copy).collect();
            let names = names.split(", ").map(|name| Level::new(name).unwrap());
            names.zip(results.split(", ")).map(|(name, of)| (name, evaluate(of, &dims))).collect()
        })
        .collect()
}

/// Checks that the affine map of the layout gives the places of every index.
fn maps_as_the_layout(layout: &Layout) -> Result<(), TestCaseError> {
    let text = Language::AffineMap.write(layout).unwrap();
    for index in layout.indexes() {
        let mut expected: Vec<Location> = layout.locate_all(&index).unwrap().collect();
        let mut found = mapped(&text, &index);
        expected.sort();
        expected.dedup();
        found.sort();
        found.dedup();
        prop_assert_eq!(found, expected, "{}", text);
    }
    Ok(())
}

fn code_has_the_columns_of_a_table(layout: &Layout) -> Result<(), TestCaseError> {
    let placement = Placement::of(layout.clone()).build().unwrap();
    let places = placement.columns().iter().join(", ");
    let c = Language::C.write(layout).unwrap();
    prop_assert!(c.contains(&format!("to its place ({places}).")), "{c}");
    if let Some((_, inverse)) = c.split_once("index_of(") {
        let taken = placement.columns().iter().map(|level| format!("uint64_t {level}")).join(", ");
        prop_assert!(inverse.starts_with(&taken), "{c}");
    }
    for isl in [Language::Isl.write(layout).unwrap(), Language::IslPadding.write(layout).unwrap()] {
        prop_assert!(isl.contains(&format!("A[{places}] : ")), "{isl}");
    }
    if let Ok(map) = Language::AffineMap.write(layout) {
        prop_assert!(map.contains(&format!(" -> ({places})")), "{map}");
    }
    Ok(())
}

fn has_the_places_of(written: &Layout, layout: &Layout) -> Result<(), TestCaseError> {
    for index in layout.indexes() {
        prop_assert_eq!(written.locate(&index), layout.locate(&index));
    }
    Ok(())
}

/// A refusal names what the notation cannot express, or says that it did not decide.
fn writes_no_internal_error(layout: &Layout) -> Result<(), TestCaseError> {
    let f32 = XlaDtype::from_name("f32").unwrap();
    for notation in
        [Notation::PadLayout, Notation::Xla, Notation::Cute, Notation::Strided, Notation::Triton]
    {
        let written = layout.write(notation, f32);
        let refused = written.as_ref().err().map(LayoutError::kind);
        let fair = [None, Some(ErrorKind::Inexpressible), Some(ErrorKind::NotDecided)];
        let fair = fair.contains(&refused);
        prop_assert!(fair, "{written:?}");
    }
    Ok(())
}

/// True if the single address of each element is the offset plus the sum of index x stride, by enumeration.
fn has_strides(layout: &Layout) -> bool {
    let linear = layout.used_levels() == [Level::ADDR] && layout.copies() == 1;
    let address =
        |index: &[u64]| i128::from(layout.locate(index).unwrap().get(Level::ADDR).unwrap());
    if !linear || layout.elements() == 0 {
        return linear;
    }
    let zero = vec![0; layout.rank()];
    let origin = address(&zero);
    let step = |axis: usize| {
        let mut index = zero.clone();
        index[axis] = u64::from(layout.shape()[axis] > 1);
        address(&index) - origin
    };
    let steps: Vec<i128> = (0..layout.rank()).map(step).collect();
    steps.iter().all(|step| *step >= 0)
        && layout.indexes().all(|index| {
            let moved = index.iter().zip(&steps).map(|(entry, step)| i128::from(*entry) * step);
            origin + moved.sum::<i128>() == address(&index)
        })
}

/// Expressions give the places of every index, the indexes of every place, and values in the ranges that they claim.
fn expressions_are_the_layout(layout: &Layout) -> Result<(), TestCaseError> {
    let (forward, backward) = (Function::place_of(layout).unwrap(), Function::index_of(layout));
    let computed = |function: &Function, inputs: &[u64]| -> Result<Vec<u64>, TestCaseError> {
        let values = function.values(inputs).unwrap();
        for ((name, expression), value) in function.outputs.iter().zip(&values) {
            prop_assert!(function.range(expression).contains(value), "{name} is {value}");
        }
        Ok(values)
    };
    let copies = forward.inputs[layout.rank()..].iter().map(|(_, range)| range.clone());
    let copies = copies.multi_cartesian_product().collect_vec();
    for index in layout.indexes() {
        let mut found = BTreeSet::new();
        for copy in &copies {
            let values = computed(&forward, &[&index[..], copy].concat())?;
            let level = |(name, _): &(Variable, Expression)| match name {
                Variable::Level(level) => *level,
                other => panic!("{other} is no level"),
            };
            found.insert(forward.outputs.iter().map(level).zip(values).collect::<Location>());
        }
        let expected: BTreeSet<Location> = layout.locate_all(&index).unwrap().collect();
        prop_assert_eq!(&found, &expected);
        let Ok(backward) = &backward else { continue };
        for place in &expected {
            let coordinate = |(name, _): &(Variable, _)| match name {
                Variable::Level(level) => place.get(*level).unwrap(),
                other => panic!("{other} is no level"),
            };
            let inputs = backward.inputs.iter().map(coordinate).collect_vec();
            prop_assert_eq!(&computed(backward, &inputs)?, &index);
        }
    }
    match backward {
        Ok(function) => {
            // Any other place has some index, or none.
            let ranges = function.inputs.iter().map(|(_, range)| range.clone());
            for place in ranges.multi_cartesian_product().take(200) {
                let _ = function.values(&place);
            }
        }
        Err(error) => prop_assert_eq!(error.kind(), ErrorKind::CannotInvert),
    }
    Ok(())
}

properties! {
    #![proptest_config(ProptestConfig {
        cases: 300, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn expressions_are_the_layout_in_both_directions(slow in crate::generate::good_layout()) {
        expressions_are_the_layout(&slow.layout())?;
    }

    #[test]
    fn an_affine_map_gives_the_places_of_every_index(slow in good_layout()) {
        maps_as_the_layout(&slow.layout())?;
    }

    #[test]
    fn code_takes_and_returns_places_in_the_order_of_the_columns(slow in good_layout()) {
        let layout = slow.layout();
        code_has_the_columns_of_a_table(&layout)?;
        // Levels of one's own are sorted by their names, but listed in the order of the text.
        if let Ok(text) = PadLayout::of(&layout) {
            let own = text.to_string().replace("MAB", "a").replace("L2B", "b").parse();
            code_has_the_columns_of_a_table(&own.unwrap())?;
        }
    }

    #[test]
    fn an_affine_map_of_a_slice_or_a_reshape_gives_its_places(
        slow in good_layout(), start in 0_u64..4, step in 1_u64..4
    ) {
        let layout = slow.layout();
        if layout.rank() > 0 {
            let extent = layout.shape()[0];
            maps_as_the_layout(&layout.slice(0, start.min(extent), extent, step).unwrap())?;
        }
        let flat = layout.reshape(&[layout.elements()]).unwrap();
        maps_as_the_layout(&flat)?;
        for edited in [&flat, &layout] {
            writes_no_internal_error(edited)?;
            if let Ok(cute) = CuteLayout::of(edited) {
                has_the_places_of(&cute.lower().unwrap(), edited)?;
            }
            match Strided::of(edited) {
                Ok(strided) => has_the_places_of(&strided.lower().unwrap(), edited)?,
                // Only a layout that really lacks strides may fail.
                Err(_) => prop_assert!(!has_strides(edited)),
            }
        }
    }
}

#[test]
fn derived_axes_print_as_shared_values() {
    let tiled = layout("bf16[6,5]{1,0:T(3,128)(2,1)}");
    assert!(Language::C.write(&tiled).unwrap().contains("const uint64_t v0 = i0 % 3;"));
    assert!(Language::Python.write(&tiled).unwrap().contains("v0 = i0 % 3"));
    assert!(Language::Rust.write(&tiled).unwrap().contains("let v0 = i0 % 3;"));
    assert!(Language::Isl.write(&tiled).unwrap().contains("exists (v0 : "));
    maps_as_the_layout(&tiled).unwrap();
    maps_as_the_layout(&layout("f32[2,7,3,5]{3,2,1,0:T(*,*,2,3)}")).unwrap();
}

/// Without its digits of size 1 the layout lands in `a` first.
#[test]
fn a_level_of_size_1_keeps_its_column_in_code() {
    let own = layout("((1_b, 3:1), (2_a, 4:3))");
    code_has_the_columns_of_a_table(&own).unwrap();
    assert!(Language::Rust.write(&own).unwrap().contains("index_of(b: u64, a: u64, Addr: u64)"));
}

#[test]
fn an_offset_is_subtracted_in_code_without_needless_parentheses() {
    let rust = Language::Rust.write(&layout("shape=(5,), strides=(1,), offset=3")).unwrap();
    assert!(rust.contains("let i0 = Addr - 3;"), "{rust}");
}

#[test]
fn levels_named_like_keywords_are_renamed_in_code() {
    let odd = layout("((2_while:1, 3_i0:1, 4_A:1))");
    assert!(
        Language::C.write(&odd).unwrap().contains("uint64_t *while_, uint64_t *i0_, uint64_t *A_")
    );
    assert!(Language::Isl.write(&odd).unwrap().contains("A[while_, i0_, A_, Addr]"));
}

#[test]
fn a_pad_layout_of_a_function_is_refused_or_noted() {
    let layout: Layout = "((4_PE, 3:1), (8:3))".parse().unwrap();
    let projected = layout.project(Level::PE);
    let refusal = PadLayout::of(&projected).unwrap_err().to_string();
    let why = "elements (0, 0) and ";
    assert!(
        refusal.starts_with(&format!("a PadLayout cannot express this layout: {why}")),
        "{refusal}"
    );
    let (text, note) = PadLayout::map_of(&projected).unwrap();
    assert_eq!(text.to_string(), "((4_PE:1, 3:0), (8:0))");
    let note = note.unwrap();
    assert!(
        note.starts_with(&format!("this text cannot be read back as a layout: {why}")),
        "{note}"
    );
    assert!(text.lower().is_err());
}
