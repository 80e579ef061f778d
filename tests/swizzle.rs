//! Swizzles: the printed form of CuTe, against its formula at every index and values from pycute.

use proptest::prelude::*;
use tensor_layout::algebra::{Combine, IndexOrder, Subaxis};
use tensor_layout::notation::{CuteLayout, CuteSwizzle, Notation};
use tensor_layout::{Found, Layout, LayoutText, Level, Location, Machine, Placement};

use crate::run::properties;

fn cute(text: &str) -> Layout {
    assert_eq!(Notation::of(text), Notation::Cute, "{text}");
    LayoutText::parse(text).unwrap().lower().unwrap()
}

fn address(layout: &Layout, index: &[u64]) -> u64 {
    layout.locate(index).unwrap().get(Level::ADDR).unwrap()
}

#[test]
fn swizzled_layouts_have_the_addresses_of_pycute() {
    let common: &[([u64; 2], u64)] = &[
        ([1, 0], 72),
        ([1, 8], 64),
        ([2, 0], 144),
        ([3, 17], 201),
        ([5, 40], 320),
        ([7, 63], 455),
    ];
    for (text, values) in [
        ("S<3,3,3> o 0 o (8,64):(64,1)", common),
        ("Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)", common),
        (
            "S<3,4,3> o 0 o (8,64):(64,1)",
            &[([1, 0], 64), ([2, 0], 144), ([3, 17], 193), ([7, 63], 463)],
        ),
        ("S<3,4,4> o 0 o (64,128):(1,64)", &[([0, 16], 1088), ([1, 16], 1089), ([63, 16], 1151)]),
        ("S<3,2,3> o 0 o (6,40):(40,1)", &[([1, 0], 44), ([3, 5], 113), ([5, 39], 243)]),
    ] {
        let layout = cute(text);
        for (index, at) in values {
            assert_eq!(address(&layout, index), *at, "{text} at {index:?}");
        }
    }
    let column = |text: &str| -> Vec<u64> {
        let layout = cute(text);
        (0..8).map(|row| address(&layout, &[row, 0])).collect()
    };
    assert_eq!(column("S<3,3,3> o 8 o (8,8):(64,1)"), [8, 64, 152, 208, 296, 352, 440, 496]);
    assert_eq!(column("S<3,3,3> o 72 o (8,8):(64,1)"), [64, 152, 208, 296, 352, 440, 496, 520]);
    let sliced = cute("S<2,1,2> o 0 o ((2,4),(2,2)):((1,8),(2,4))");
    assert_eq!(address(&sliced, &[6, 0]), 30);
}

/// The bytes of a box that TMA copies to shared memory: within each 1024 (or fewer) bytes, the number of a row flips
/// that of a piece of 16 bytes. Source: NVIDIA, CUDA driver API and PTX ISA, swizzling modes.
#[test]
fn layouts_that_tensor_cores_read_are_those_of_the_boxes_of_tma() {
    for (name, span) in [("INTER", 16_u64), ("SW32", 32), ("SW64", 64), ("SW128", 128)] {
        for (type_, bits) in [("cute::half_t", 16), ("float", 32), ("cutlass::float_e4m3_t", 8)] {
            let (rows, columns) = (32, span * 8 / bits);
            let shape = format!("Shape<_{rows},_{columns}>");
            let text =
                format!("tile_to_shape(GMMA::Layout_K_{name}_Atom<{type_}>{{}}, {shape}{{}})");
            let turned =
                text.replace("_K_", "_MN_").replace(&shape, &format!("Shape<_{columns}, _{rows}>"));
            let (layout, turned) = (cute(&text), cute(&turned));
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |at| (row, at))) {
                let byte = row * span + column * bits / 8;
                // Rows of 128 bytes count, of which shorter rows share one.
                let flipped = (byte / 16 % (span / 16)) ^ (byte / 128 % (span / 16));
                let placed = byte / span * span + flipped * 16 + byte % 16;
                assert_eq!(address(&layout, &[row, column]) * bits / 8, placed, "{text}");
                assert_eq!(address(&turned, &[column, row]) * bits / 8, placed, "{text}");
            }
        }
    }
}

#[test]
fn names_of_layouts_that_tensor_cores_read_are_what_cute_prints_for_them() {
    for (text, printed) in [
        ("GMMA::Layout_K_SW128_Atom<half_t>", "S<3,3,3> o 0 o (8,64):(64,1)"),
        ("cute::UMMA::Layout_MN_SW64_Atom<cutlass::bfloat16_t>{}", "S<2,3,3> o 0 o (32,8):(1,32)"),
        ("cute::SM90::GMMA::Layout_K_INTER_Atom<float>", "(8,4):(4,1)"),
        ("UMMA::Layout_MN_SW128_32B_Atom<float>", "S<2,3,2> o 0 o (32,4):(1,32)"),
        ("GMMA::Layout_K_SW128_Atom<float_e2m1_t>", "S<3,5,3> o 0 o (8,256):(256,1)"),
        ("GMMA::Layout_K_SW32_Atom_Bits", "S<1,7,3> o 0 o (8,256):(256,1)"),
        (
            "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_128,_128,_3>{})",
            "S<3,3,3> o 0 o ((8,16),(64,2),3):((64,512),(1,8192),16384)",
        ),
        (
            "cute::tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, make_shape(Int<128>{}, Int<128>{}, Int<3>{}), Step<_2,_1,_3>{})",
            "S<3,3,3> o 0 o ((8,16),(64,2),3):((64,1024),(1,512),16384)",
        ),
        (
            "tile_to_shape(GMMA::Layout_MN_SW128_Atom<half_t>{}, (64, 8))",
            "S<3,3,3> o 0 o (64,8):(1,64)",
        ),
    ] {
        assert_eq!(Notation::of(text), Notation::Cute, "{text}");
        let read: CuteLayout = text.parse().unwrap();
        assert_eq!(read.to_string(), printed, "{text}");
        assert_eq!(cute(text).same_up_to_padding(&cute(printed)).unwrap(), None);
    }
    // As programs with CUTLASS printed them, published in comments and articles.
    for (major, mode, type_, shape, printed) in [
        (
            "K",
            "INTER",
            "half_t",
            "_64,_128",
            "Sw<0,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_8,_16)):((_8,_64),(_1,_512))",
        ),
        (
            "K",
            "SW32",
            "half_t",
            "_64,_128",
            "Sw<1,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_16,_8)):((_16,_128),(_1,_1024))",
        ),
        (
            "K",
            "SW64",
            "half_t",
            "_64,_128",
            "Sw<2,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_32,_4)):((_32,_256),(_1,_2048))",
        ),
        (
            "K",
            "SW128",
            "half_t",
            "_64,_128",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_2)):((_64,_512),(_1,_4096))",
        ),
        (
            "MN",
            "SW128",
            "half_t",
            "_128,_64,_3",
            "Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_2),(_8,_8),_3):((_1,_512),(_64,_1024),_8192)",
        ),
        (
            "K",
            "SW64",
            "int4b_t",
            "_128,_128,_3",
            "Sw<2,4,3> o smem_ptr[4b](unset) o ((_8,_16),(_128,_1),(_1,_3)):((_128,_1024),(_1,_0),(_0,_16384))",
        ),
        (
            "K",
            "SW128",
            "half_t",
            "_80,_256,_2",
            "Sw<3,4,3> o smem_ptr[16b](unset) o (_80,(_64,_4),_2):(_64,(_1,_5120),_20480)",
        ),
        ("K", "SW64", "float", "_8,_16", "Sw<2,4,3> o smem_ptr[32b](unset) o (_8,_16):(_16,_1)"),
    ] {
        let text = format!(
            "tile_to_shape(GMMA::Layout_{major}_{mode}_Atom<{type_}>{{}}, Shape<{shape}>{{}})"
        );
        assert_eq!(cute(&text).same_up_to_padding(&cute(printed)).unwrap(), None, "{text}");
    }
    for (text, message) in [
        ("GMMA::Layout_K_SW128_Atom<Element>", "the width of the type `Element` is not known"),
        ("UMMA::Layout_K_SW128_32B_Atom<float>", "only M or N can run along the rows"),
        (
            "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_12,_64>{})",
            "mode 0 has 12 elements, not a multiple of 8",
        ),
        ("tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, _64{})", "2 or more modes"),
        (
            "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, Shape<_8,Shape<_64,_2>>{})",
            "without tuples inside",
        ),
        (
            "tile_to_shape(GMMA::Layout_K_SW128_Atom<half_t>{}, (8, 18446744073709551552, 9))",
            "more than 2^64",
        ),
    ] {
        let refused = text.parse::<CuteLayout>().unwrap_err().to_string();
        assert!(refused.contains(message), "{text}\n{refused}");
    }
}

#[test]
fn places_between_the_rows_of_a_swizzled_tile_are_padding() {
    let layout = cute("S<3,2,3> o 0 o (6,40):(40,1)");
    assert_eq!(layout.extent(Level::ADDR), 256);
    let reached: Vec<u64> = layout.indexes().map(|index| address(&layout, &index)).collect();
    for place in 0..256 {
        let found = layout.element(&Location::from_iter([(Level::ADDR, place)])).unwrap();
        match reached.iter().position(|at| *at == place) {
            Some(number) => {
                let index =
                    layout.as_function(IndexOrder::RowMajor).index_of(number as u64).unwrap();
                assert_eq!(found, Found::Element(index));
            }
            None => assert_eq!(found, Found::Padding, "{place}"),
        }
    }
}

#[test]
fn every_form_that_is_printed_is_read_as_the_same_layout() {
    let wanted = "S<3,3,3> o 0 o (8,64):(64,1)";
    for text in [
        "Sw<3,3,3> o (8,64):(64,1)",
        "Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
        "SW_3_3_3 o 0 o (8, 64):(64, 1)",
        "(Swizzle(3, 3, 3)) o ((8, 64) : (64, 1))",
        "Swizzle<3,3,3> o 0 o Layout((8, 64), (64, 1))",
        "ComposedLayout(Swizzle(3,3,3),0,Layout((8, 64),(64, 1)))",
        "cute::ComposedLayout<cute::Swizzle<3, 4, 3>, cute::smem_ptr_flag_bits<16>, \
         cute::Layout<cute::tuple<cute::C<8>, cute::C<64> >, cute::tuple<cute::C<64>, cute::C<1> > > >",
        "ComposedLayout<Swizzle<3,3,3>, _0, Layout<Shape<_8,_64>, Stride<_64,_1>>>",
        "  S < 3 , 3 , 3 >\n o 0 o\t(8,64):(64,1)",
        "S<3,3,3 o 0 o (8,64):(64,1)",
        "!cute.composed_layout<\"S<3,3,3> o 0 o (8,64):(64,1)\">",
        "Sw<3,4,3>_smem_ptr[16b](0x7f0000000400) o (_8,_64):(_64,_1)",
        "smem_ptr[16b](0x7f0000000410) o Sw<3,3,3> o _0 o (_8,_64):(_64,_1)",
    ] {
        let read: CuteLayout = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read.to_string(), wanted, "{text}");
        assert_eq!(read.to_string().parse::<CuteLayout>().unwrap(), read);
        assert_eq!(Notation::of(text), Notation::Cute, "{text}");
    }
    let plain = |text: &str| text.parse::<CuteLayout>().unwrap().to_string();
    assert_eq!(plain("cute::Layout<cute::Shape<_4, C<2>>>"), "(4,2):(1,4)");
    assert_eq!(plain("Layout((4,),(1,))"), "(4):(1)");
    assert_eq!(plain("(4,(2,3))"), "(4,(2,3)):(1,(4,8))");
    assert_eq!(plain("!cute.layout<\"(8,64):(64,1)\">"), "(8,64):(64,1)");
    assert_eq!(plain("gmem_ptr[32b](0x7f0010) o (4,4):(4,1)"), "(4,4):(4,1)");
    assert_eq!(plain("ArithTuple(_0,_0) o (_128,_64):(_1@1,_1@0)"), "(128,64):(1@1,1@0)");
    assert_eq!(plain("S<3,3,3> o M_1|(4&6)=5 o (8,8):(64,1)"), "S<3,3,3> o 5 o (8,8):(64,1)");
}

#[test]
fn a_layout_behind_a_layout_is_their_composition() {
    let layout = cute("(4,8):(8,1) o 1 o (2,3):(1,4)");
    let (outer, inner) = (cute("(4,8):(8,1)"), cute("(2,3):(1,4)"));
    for index in inner.indexes() {
        let number = 1 + address(&inner, &index);
        assert_eq!(address(&layout, &index), address(&outer, &[number % 4, number / 4]));
    }
}

#[test]
fn what_is_no_swizzle_is_refused_where_it_stands() {
    for (text, message) in [
        ("S<3,3,2> o 0 o (8,64):(64,1)", "overlap"),
        ("S<3,0,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "inside an element"),
        ("S<3,40,30> o 0 o (8,64):(64,1)", "beyond 63"),
        ("S<3,3,3> o 0 o (8,?):(64,1)", "only known at run time"),
        ("(8,?{div=4}):(64,1)", "give the extent or the stride as a number"),
        ("Sw<3,4,3>_smem_ptr[16b](0x410) o (8,64):(64,1)", "begins at a multiple of 1024 bytes"),
        ("Sw<3,4,3>_smem_ptr[16b](0x400) o S<3,3,3> o 0 o (8,64):(64,1)", "swizzled pointer"),
        ("Sw<3,4,3>_smem_ptr[16b](0x1ffffffffffffffff) o 8:1", "fit in 64 bits"),
        ("ArithTuple(0,4) o (8,8):(1@1,1@0)", "do not begin at 0"),
        ("MMA_Atom<SM80_16x8x4_F32TF32TF32F32_TN>", "SM80_16x8x4_F32TF32TF32F32_TN:A`, "),
        ("smem_sparse<2> o (8,8):(8,1)", "sparse"),
        ("!cute.swizzle<\"S<3,4,3>\">", "not a layout"),
        ("S<3,3,3> o 0 o (8,64):(64,-1)", "-"),
        ("(4,8):(8,1) o smem_ptr[16b](unset) o 4:1", "after a swizzle"),
    ] {
        let error = text.parse::<CuteLayout>().unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

#[test]
fn a_swizzle_is_printed_as_it_was_read() {
    for text in [
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "S<3,4,3> o 0 o (16,64):(64,1)",
        "S<3,3,3> o 8 o (8,8):(64,1)",
        "S<2,3,3> o 0 o (64,(32,2)):(32,(1,2048))",
        "S<3,4,4> o 0 o (64,128):(1,64)",
    ] {
        assert_eq!(CuteLayout::of(&cute(text)).unwrap().to_string(), text);
    }
}

#[test]
fn the_modes_of_tensor_cores_are_what_triton_says_they_are() {
    // Triton's nvmma_shared of 64 x 64 halves: the bits that each row bit and each column bit flips.
    let of = |rows: [u64; 6], columns: [u64; 6]| {
        let digits = |bits: [u64; 6]| bits.into_iter().rev().map(|bit| Subaxis::feed(2, 0, bit));
        let builder = Layout::builder().axis(64, digits(rows)).axis(64, digits(columns));
        builder.xor(0, [Subaxis::land(4096, Level::ADDR, 1)]).build().unwrap()
    };
    for (text, layout) in [
        (
            "S<3,3,3> o 0 o (64,64):(64,1)",
            of([72, 144, 288, 512, 1024, 2048], [1, 2, 4, 8, 16, 32]),
        ),
        (
            "S<2,3,3> o 0 o (64,(32,2)):(32,(1,2048))",
            of([32, 72, 144, 256, 512, 1024], [1, 2, 4, 8, 16, 2048]),
        ),
        (
            "S<1,3,3> o 0 o (64,(16,4)):(16,(1,1024))",
            of([16, 32, 72, 128, 256, 512], [1, 2, 4, 8, 1024, 2048]),
        ),
    ] {
        assert_eq!(cute(text).same_map(&layout).unwrap(), None, "{text}");
        assert_eq!(cute(text).canonical().unwrap(), layout.canonical().unwrap(), "{text}");
    }
}

#[test]
fn a_swizzle_undoes_itself() {
    let swizzle = cute("S<3,3,3> o 0 o 4096:1");
    let twice = swizzle.compose(&swizzle).unwrap();
    assert_eq!(twice.canonical(), cute("4096:1").canonical());
    let inverse = swizzle.left_inverse().unwrap();
    assert_eq!(inverse.derived_axes()[0].combine, Combine::Xor);
    assert_eq!(inverse.compose(&swizzle.places_as_indexes()).unwrap().derived_axes(), []);
}

#[test]
fn a_swizzled_layout_has_the_complement_of_the_plain_one() {
    for (swizzled, plain) in [
        ("S<3,3,3> o 0 o (4096,64):(64,1)", "(4096,64):(64,1)"),
        ("S<2,4,3> o 0 o (65536,64):(64,1)", "(65536,64):(64,1)"),
        ("S<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(64,1)"),
    ] {
        let space = [(Level::ADDR, 1 << 24)];
        assert_eq!(cute(swizzled).complement(&space), cute(plain).complement(&space), "{swizzled}");
    }
}

#[test]
fn dependent_bits_are_two_elements_in_one_place() {
    let layout = Layout::builder()
        .axis(1 << 20, [Subaxis::feed(1 << 20, 0, 1)])
        .axis(2, [Subaxis::feed(2, 0, 3)])
        .xor(0, [Subaxis::land(1 << 20, Level::ADDR, 1)])
        .build()
        .unwrap();
    let collision = layout.collision().unwrap().unwrap();
    assert_ne!(collision.first, collision.second);
    assert_eq!(layout.locate(&collision.first), layout.locate(&collision.second));
}

#[test]
fn a_conversion_between_swizzles_stays_in_the_unit() {
    let machine: Machine = "WARP=1".parse().unwrap();
    let on = |layout: Layout| Placement::of(layout).on(&machine).build().unwrap();
    let (plain, swizzled) = (cute("(64,64):(64,1)"), cute("S<3,3,3> o 0 o (64,64):(64,1)"));
    let relayout = tensor_layout::relayout::Relayout::new(&on(plain), &on(swizzled)).unwrap();
    let traffic = relayout.traffic().unwrap();
    // Every eighth row keeps all of its vectors in place.
    assert_eq!(traffic.count(tensor_layout::relayout::Distance::InPlace), 8 * 64);
}

/// Tiles whose rows are powers of two: pieces of 2^M elements, in groups that fill blocks.
#[test]
fn whole_swizzled_tiles_are_moved_as_the_formula_says() {
    let signed = |shift: i32| [shift, -shift];
    for (bits, base) in (1_u32..5).flat_map(|bits| (0_u32..6).map(move |base| (bits, base))) {
        for shift in (bits.cast_signed()..6).flat_map(signed) {
            let swizzle = CuteSwizzle::new(bits, base, shift).unwrap();
            for (rows, columns) in [(64_u64, 64_u64), (40, 32), (3, 128)] {
                let text = format!("{swizzle} o 0 o ({rows},{columns}):({columns},1)");
                let program = Placement::of(cute(&text)).build().unwrap().program().unwrap();
                let tensor: Vec<u16> = (1..).take((rows * columns) as usize).collect();
                let mut image = vec![0_u16; program.places() as usize];
                // Twice: the second call uses data that the first one prepared.
                for _ in 0..2 {
                    image.fill(0);
                    program.pack(&tensor, &mut image, 0).unwrap();
                    for (number, cell) in (0..).zip(&tensor) {
                        assert_eq!(image[swizzle.apply(number) as usize], *cell, "{text}");
                    }
                    let mut back = vec![0_u16; tensor.len()];
                    program.unpack(&image, &mut back).unwrap();
                    assert!(back == tensor, "{text}");
                }
            }
        }
    }
}

fn modes() -> impl Strategy<Value = String> {
    let modes = prop::collection::vec((1_u64..9, 0_u64..70), 1..4);
    modes.prop_map(|modes| {
        let list = |part: fn(&(u64, u64)) -> u64| {
            modes.iter().map(|mode| part(mode).to_string()).collect::<Vec<_>>().join(",")
        };
        format!("({}):({})", list(|mode| mode.0), list(|mode| mode.1))
    })
}

fn swizzles() -> impl Strategy<Value = CuteSwizzle> {
    (0_u32..6, 0_u32..6, 0_i32..6, any::<bool>()).prop_filter_map(
        "overlaps",
        |(bits, base, shift, down)| {
            let shift = if down { -shift } else { shift };
            CuteSwizzle::new(bits, base, shift).ok()
        },
    )
}

properties! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_swizzled_layout_is_its_formula_at_every_index(
        swizzle in swizzles(), modes in modes(), offset in 0_u64..100,
    ) {
        let (plain, text) = (cute(&modes), format!("{swizzle} o {offset} o {modes}"));
        let layout = cute(&text);
        for index in plain.indexes() {
            prop_assert_eq!(address(&layout, &index), swizzle.apply(offset + address(&plain, &index)), "{}", text);
        }
        let injective = plain.collision().unwrap().is_none();
        prop_assert_eq!(layout.collision().unwrap().is_none(), injective);
        let sums = layout.derived_axes().iter().all(|derived| derived.combine == Combine::Sum);
        prop_assert!(swizzle.apply(u64::MAX) < u64::MAX || sums);
        if let Ok(written) = CuteLayout::of(&layout) {
            let back = written.to_string().parse::<CuteLayout>().unwrap().lower().unwrap();
            for index in plain.indexes() {
                prop_assert_eq!(address(&back, &index), address(&layout, &index), "{}", written);
            }
        }
    }

    #[test]
    fn windows_of_a_swizzled_tile_are_moved_element_by_element(
        swizzle in swizzles(), (rows, columns) in (1_u64..20, 1_u64..70), pitch in 0_u32..3,
        cut in (any::<u64>(), any::<u64>(), any::<u64>(), any::<u64>()),
    ) {
        let stride = columns.next_power_of_two() << pitch;
        let text = format!("{swizzle} o {} o ({rows},{columns}):({stride},1)", cut.0 % 9);
        let layout = cute(&text);
        let program = Placement::of(layout.clone()).build().unwrap().program().unwrap();
        let range = |extent: u64, a: u64, b: u64| a % extent..a % extent + b % (extent - a % extent) + 1;
        let ranges = [range(rows, cut.0, cut.1), range(columns, cut.2, cut.3)];
        for program in [program.window(&ranges).unwrap(), program] {
            let mut indexes = Vec::new();
            for row in program.ranges()[0].clone() {
                indexes.extend(program.ranges()[1].clone().map(|column| [row, column]));
            }
            let places: Vec<usize> =
                indexes.iter().map(|index| address(&layout, index) as usize).collect();
            let mut table = vec![0_u32; indexes.len()];
            program.fill_packed(&mut table).unwrap();
            prop_assert!(table.iter().zip(&places).all(|(a, b)| *a as usize == *b), "{}", text);
            let tensor: Vec<u32> = (1..).take(indexes.len()).collect();
            let mut image = vec![0; program.places() as usize];
            program.pack(&tensor, &mut image, 0).unwrap();
            let mut wanted = vec![0; image.len()];
            places.iter().zip(&tensor).for_each(|(at, number)| wanted[*at] = *number);
            prop_assert_eq!(&image, &wanted, "{}", text);
            let mut back = vec![0; tensor.len()];
            program.unpack(&image, &mut back).unwrap();
            prop_assert_eq!(back, tensor);
            let mut inverse = vec![0_u32; image.len()];
            program.fill_inverse(&mut inverse).unwrap();
            for (place, number) in wanted.iter().enumerate() {
                let found = program.element(place as u64).unwrap();
                match number.checked_sub(1) {
                    Some(number) => {
                        prop_assert_eq!(inverse[place], number);
                        prop_assert_eq!(found, Found::Element(u64::from(number)));
                    }
                    None => prop_assert!(inverse[place] >= u32::MAX - 1, "{}", place),
                }
            }
        }
    }
}
