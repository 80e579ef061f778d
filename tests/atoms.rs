//! Matrix instructions: the inverses of the reference, and every operand a bijection.

use std::collections::BTreeSet;

use tensor_layout::notation::Notation;
use tensor_layout::{Layout, LayoutText, Level, Location};

const C16: &str = "((2_V:2, 8_T:4), (4_T:1, 2_V:1))";
const C8: &str = "((8_T:4), (4_T:1, 2_V:1))";
const S8: &str = "((8_T:4), (4_T:1, 4_V:1))";
const QUAD: &str = "((2_T:16, 4_T:1), (4_V:1))";

/// A name, the shape of its product, and the layouts of A, B and C; `_T` is a lane and `_V` a register.
const ATOMS: [(&str, [u64; 3], [&str; 3]); 26] = [
    ("SM70_8x8x4_F16F16F16F16_TN", [8, 8, 4], [QUAD, QUAD, "((2_T:16, 4_T:1), (8_V:1))"]),
    (
        "SM70_8x8x4_F32F16F16F32_NT",
        [8, 8, 4],
        [
            "((2_T:16, 4_V:1), (4_T:1))",
            "((2_T:16, 4_V:1), (4_T:1))",
            "((2_T:16, 2_V:2, 2_T:1), (2_V:4, 2_T:2, 2_V:1))",
        ],
    ),
    ("SM75_8x8x16_S32S8S8S32_TN", [8, 8, 16], [S8, S8, C8]),
    ("SM80_8x8x16_S32S8S8S32_TN", [8, 8, 16], [S8, S8, C8]),
    ("SM75_16x8x8_F32F16F16F32_TN", [16, 8, 8], [C16, C8, C16]),
    ("SM80_16x8x8_F16F16F16F16_TN", [16, 8, 8], [C16, C8, C16]),
    ("SM80_16x8x8_F32F16F16F32_TN", [16, 8, 8], [C16, C8, C16]),
    ("SM80_16x8x8_F32BF16BF16F32_TN", [16, 8, 8], [C16, C8, C16]),
    ("SM80_16x8x16_F16F16F16F16_TN", [16, 8, 16], F16),
    ("SM80_16x8x16_F32F16F16F32_TN", [16, 8, 16], F16),
    ("SM80_16x8x16_F32BF16BF16F32_TN", [16, 8, 16], F16),
    ("SM80_16x8x4_F32TF32TF32F32_TN", [16, 8, 4], K4),
    ("SM90_16x8x4_F64F64F64F64_TN", [16, 8, 4], K4),
    ("SM80_16x8x8_F32TF32TF32F32_TN", [16, 8, 8], K8),
    ("SM90_16x8x8_F64F64F64F64_TN", [16, 8, 8], K8),
    (
        "SM90_16x8x16_F64F64F64F64_TN",
        [16, 8, 16],
        ["((2_V:1, 8_T:4), (4_V:2, 4_T:1))", "((8_T:4), (4_V:1, 4_T:1))", C16],
    ),
    ("SM80_8x8x4_F64F64F64F64_TN", [8, 8, 4], ["((8_T:4), (4_T:1))", "((8_T:4), (4_T:1))", C8]),
    ("SM80_16x8x16_S32S8S8S32_TN", [16, 8, 16], ["((2_V:4, 8_T:4), (4_T:1, 4_V:1))", S8, C16]),
    ("SM80_16x8x16_S32U8U8S32_TN", [16, 8, 16], ["((2_V:4, 8_T:4), (4_T:1, 4_V:1))", S8, C16]),
    ("SM80_16x8x32_S32S8S8S32_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F32E4M3E4M3F32_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F32E5M2E5M2F32_TN", [16, 8, 32], K32),
    ("SM120_16x8x32_TN", [16, 8, 32], K32),
    (
        "SM80_16x8x64_S32S4S4S32_TN",
        [16, 8, 64],
        ["((2_V:8, 8_T:4), (2_V:16, 4_T:1, 8_V:1))", "((8_T:4), (2_V:8, 4_T:1, 8_V:1))", C16],
    ),
    (
        "v_mfma_f32_32x32x8_f16",
        [32, 32, 8],
        [
            "((32_T:1), (2_T:32, 4_V:1))",
            "((32_T:1), (2_T:32, 4_V:1))",
            "((4_V:4, 2_T:32, 4_V:1), (32_T:1))",
        ],
    ),
    (
        "v_mfma_f32_16x16x16_f16",
        [16, 16, 16],
        [
            "((16_T:1), (4_T:16, 4_V:1))",
            "((16_T:1), (4_T:16, 4_V:1))",
            "((4_T:16, 4_V:1), (16_T:1))",
        ],
    ),
];

const F16: [&str; 3] =
    ["((2_V:2, 8_T:4), (2_V:4, 4_T:1, 2_V:1))", "((8_T:4), (2_V:2, 4_T:1, 2_V:1))", C16];
const K4: [&str; 3] = ["((2_V:1, 8_T:4), (4_T:1))", "((8_T:4), (4_T:1))", C16];
const K8: [&str; 3] = ["((2_V:1, 8_T:4), (2_V:2, 4_T:1))", "((8_T:4), (2_V:1, 4_T:1))", C16];
const K32: [&str; 3] =
    ["((2_V:4, 8_T:4), (2_V:8, 4_T:1, 4_V:1))", "((8_T:4), (2_V:4, 4_T:1, 4_V:1))", C16];

fn lower(text: &str) -> Layout {
    let read = LayoutText::parse(text).and_then(|text| text.lower());
    read.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn same(a: &Layout, b: &Layout, text: &str) {
    assert_eq!(a.same_up_to_padding(b).unwrap(), None, "{text}");
}

/// The number of distinct places of all elements.
fn held(layout: &Layout) -> usize {
    let places = layout.indexes().map(|index| layout.locate(&index).unwrap().to_string());
    places.collect::<BTreeSet<_>>().len()
}

#[test]
fn instructions_hold_each_element_where_the_reference_says() {
    for (name, [m, n, k], layouts) in ATOMS {
        for ((operand, shape), wanted) in
            [('A', [m, k]), ('B', [n, k]), ('C', [m, n])].into_iter().zip(layouts)
        {
            let text = format!("{name}:{operand}");
            assert_eq!(Notation::of(&text), Notation::Atom);
            let layout = lower(&text);
            let wanted = wanted.replace("_T", "_LANE").replace("_V", "");
            assert_eq!(layout.shape(), shape, "{text}");
            same(&layout, &lower(&wanted), &text);
            assert_eq!(held(&layout) as u64, shape[0] * shape[1], "{text}");
        }
    }
}

#[test]
fn instructions_of_hopper_come_in_every_width() {
    for n in (8..=256).step_by(8) {
        let name = format!("SM90_64x{n}x16_F32F16F16_RS");
        let (a, c) = (lower(&format!("{name}:A")), lower(&format!("{name}:C")));
        same(&a, &lower("((4_WARP:1, 2:2, 8_LANE:4), (2:4, 4_LANE:1, 2:1))"), &name);
        let wanted = format!("((4_WARP:1, 2:2, 8_LANE:4), ({}:4, 4_LANE:1, 2:1))", n / 8);
        same(&c, &lower(&wanted), &name);
        assert_eq!(held(&c), 64 * n);
    }
}

#[test]
fn fragments_of_triton_are_those_of_the_instructions() {
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>";
    let operand =
        format!("tensor<16x16xf16, #ttg.dot_op<{{opIdx = 0, parent = {mma}, kWidth = 2}}>>");
    same(&lower("SM80_16x8x16_F32F16F16F32_TN:A"), &lower(&operand), "A");
    same(
        &lower("SM80_16x8x16_F32F16F16F32_TN:C"),
        &lower(&format!("tensor<16x8xf32, {mma}>")),
        "C",
    );
    let amd = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [1, 1], instrShape = [32, 32, 8], isTransposed = false}>";
    same(
        &lower("v_mfma_f32_32x32x8_f16:C"),
        &lower(&format!("tensor<32x32xf32, {amd}>")),
        "C of AMD",
    );
}

/// The places of every copy, in any order.
fn places(layout: &Layout, index: &[u64]) -> BTreeSet<String> {
    layout.locate_all(index).unwrap().map(|place| place.to_string()).collect()
}

#[test]
fn the_atoms_of_a_tile_follow_each_other_along_m_then_n_then_k() {
    let names = ["SM80_16x8x16_F32F16F16F32_TN", "SM90_64x24x16_F32F16F16_RS"];
    for (name, warps) in names.into_iter().zip([1, 4]) {
        for (atoms @ [m, n, k], operand) in [
            ([2, 2, 1], 'A'),
            ([2, 3, 1], 'C'),
            ([3, 2, 2], 'A'),
            ([2, 3, 2], 'B'),
            ([1, 1, 2], 'A'),
            ([1, 5, 1], 'C'),
        ] {
            let text = format!("{name}({m},{n},{k}):{operand}");
            let Ok(atom) = LayoutText::parse(&format!("{name}:{operand}")).unwrap().lower() else {
                continue;
            };
            let tiled = lower(&text);
            let [rows, columns] = atom.shape()[..] else { panic!() };
            // For each of M, N, K: the distance between the warps of its atoms.
            let steps = [warps, warps * m, warps * m * n];
            let (axes, copied) = match operand {
                'A' => ([0, 2], Some(1)),
                'B' => ([1, 2], Some(0)),
                _ => ([0, 1], None),
            };
            assert_eq!(tiled.shape(), [rows * atoms[axes[0]], columns * atoms[axes[1]]], "{text}");
            for index in tiled.indexes() {
                let inside = atom.locate(&[index[0] % rows, index[1] % columns]).unwrap();
                let warp = index[0] / rows * steps[axes[0]] + index[1] / columns * steps[axes[1]];
                let copies = copied.map_or(1, |axis: usize| atoms[axis]);
                let other = inside.iter().filter(|(level, _)| *level != Level::WARP);
                let other: Vec<(Level, u64)> = other.collect();
                let own = inside.get(Level::WARP).unwrap_or(0);
                let moved = |copy: u64| {
                    let warp = own + warp + copied.map_or(0, |axis| copy * steps[axis]);
                    let place: Location =
                        [(Level::WARP, warp)].into_iter().chain(other.clone()).collect();
                    place.to_string()
                };
                assert_eq!(
                    places(&tiled, &index),
                    (0..copies).map(moved).collect(),
                    "{text} {index:?}"
                );
            }
        }
    }
    // Triton also orders the warps one after the other.
    let mma = "#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 1], instrShape = [16, 8]}>";
    let tile = lower("SM80_16x8x16_F32F16F16F32_TN(2,1,1):C");
    same(&tile, &lower(&format!("tensor<32x8xf32, {mma}>")), "tile");
}

#[test]
fn operands_in_shared_memory_and_unknown_names_are_refused() {
    let refused = |text: &str| {
        let refused = LayoutText::parse(text).and_then(|text| text.lower()).unwrap_err();
        refused.to_string()
    };
    for (text, message) in [
        ("SM90_64x128x16_F32F16F16_RS:B", "read from shared memory"),
        ("SM80_16x8x16_F32F16F16F32_TN", "expected `:A`, `:B` or `:C`"),
        ("SM80_16x8x16_F32F16F16F32_TN:D", "expected `:A`, `:B` or `:C`"),
        ("SM80_16x8x16_F32F16F16F32_NT:A", "did you mean `SM80_16x8x16_F32F16F16F32_TN`?"),
        ("SM90_64x12x16_F32F16F16_RS:A", "is not in the table"),
        ("SM80_16x8.16:A", "expected the name of an instruction"),
        ("SM80_16x8x16_F32F16F16F32_TN(2,2,2):C", "partial sums of C"),
        ("SM80_16x8x16_F32F16F16F32_TN(2,2):C", "expected the numbers of atoms along M, N and K"),
        ("SM80_16x8x16_F32F16F16F32_TN(2,0,1):C", "expected the numbers of atoms along M, N and K"),
        ("SM80_16x8x16_F32F16F16F32_TN(2,2,1:C", "expected the numbers of atoms along M, N and K"),
        ("SM80_16x8x16_F32F16F16F32_TN(9999999999999,9999999999,1):A", "does not fit"),
    ] {
        assert!(refused(text).contains(message), "{text}: {}", refused(text));
    }
}
