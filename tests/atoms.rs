//! Matrix instructions: the inverses of the reference, and every operand a bijection.

use std::collections::BTreeSet;

use tensor_layout::notation::Notation;
use tensor_layout::{Layout, LayoutText, Level, Location};

const C16: &str = "((2_V:2, 8_T:4), (4_T:1, 2_V:1))";
const C8: &str = "((8_T:4), (4_T:1, 2_V:1))";
const S8: &str = "((8_T:4), (4_T:1, 4_V:1))";
const QUAD: &str = "((2_T:16, 4_T:1), (4_V:1))";

/// A name, the shape of its product, and the layouts of A, B and C; `_T` is a lane and `_V` a register.
const ATOMS: &[(&str, [u64; 3], [&str; 3])] = &[
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
    ("SM89_16x8x32_F32E4M3E5M2F32_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F32E5M2E4M3F32_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F16E4M3E4M3F16_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F16E4M3E5M2F16_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F16E5M2E4M3F16_TN", [16, 8, 32], K32),
    ("SM89_16x8x32_F16E5M2E5M2F16_TN", [16, 8, 32], K32),
    ("SM120_16x8x32_F32E4M3E4M3F32_TN", [16, 8, 32], K32),
    ("SM120_16x8x32_F16E4M3E4M3F16_TN", [16, 8, 32], K32),
    ("SM120_16x8x64_TN_VS", [16, 8, 64], K64),
    ("SM120_16x8x64_F32E4M3E4M3F32_TN", [16, 8, 64], K64),
    ("SM120_16x8x64_F16E4M3E4M3F16_TN", [16, 8, 64], K64),
    ("SM90_16x8x4_C64C64C64C64_TN", [16, 8, 4], K4),
    ("SM90_16x8x8_C64C64C64C64_TN", [16, 8, 8], K8),
    (
        "SM90_16x8x16_C64C64C64C64_TN",
        [16, 8, 16],
        ["((2_V:1, 8_T:4), (4_V:2, 4_T:1))", "((8_T:4), (4_V:1, 4_T:1))", C16],
    ),
    (
        "SM80_8x8x32_S32S4S4S32_TN",
        [8, 8, 32],
        ["((8_T:4), (4_T:1, 8_V:1))", "((8_T:4), (4_T:1, 8_V:1))", C8],
    ),
    (
        "SM80_16x8x32_S32S4S4S32_TN",
        [16, 8, 32],
        ["((2_V:8, 8_T:4), (4_T:1, 8_V:1))", "((8_T:4), (4_T:1, 8_V:1))", C16],
    ),
    (
        "SM80_16x8x256_S32U1U1S32_TN_XORPOPC",
        [16, 8, 256],
        ["((2_V:32, 8_T:4), (2_V:64, 4_T:1, 32_V:1))", "((8_T:4), (2_V:32, 4_T:1, 32_V:1))", C16],
    ),
    (
        "SM80_16x8x128_S32U1U1S32_TN_XORPOPC",
        [16, 8, 128],
        ["((2_V:32, 8_T:4), (4_T:1, 32_V:1))", "((8_T:4), (4_T:1, 32_V:1))", C16],
    ),
    (
        "SM80_8x8x128_S32U1U1S32_TN_XORPOPC",
        [8, 8, 128],
        ["((8_T:4), (4_T:1, 32_V:1))", "((8_T:4), (4_T:1, 32_V:1))", C8],
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

const K64: [&str; 3] =
    ["((2_V:8, 8_T:4), (2_V:16, 4_T:1, 8_V:1))", "((8_T:4), (2_V:8, 4_T:1, 8_V:1))", C16];
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
    for &(name, [m, n, k], layouts) in ATOMS {
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
        ("SM90_64x40x32_S32S8S8_SS_TN:C", "is not in the table"),
        ("SM90_64x64x16_F32F16F16_SS:A", "read from shared memory"),
        ("SM100_128x64x16_F32F16F16_SS:B", "read from shared memory"),
        ("v_wmma_f32_16x16x16_f16:A", "write `gfx11_` or `gfx12_` in front"),
        ("v_mfma_f32_4x4x4_16b_f16:A", "is not in the table"),
        ("SM75_U32x4_LDSM_N:A", "expected `:S` or `:D`"),
        ("SM75_U32x4_LDSM_N(2,1,1):S", "tiles of a copy"),
        ("TDPBF16PS(2,1,1):C", "takes a part of a warp"),
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

/// A matrix and the row and column that thread `t` has in its register `v`, as the manual defines it.
type Definition = (String, [u64; 2], fn(u64, u64) -> [u64; 2]);

/// Checks each matrix against its definition: every element at the places that the definition gives it, and no others.
fn check(threads: u64, values: u64, (text, shape, definition): &Definition) {
    let layout = lower(text);
    assert_eq!(layout.shape(), shape, "{text}");
    let mut places = 0;
    for (thread, value) in (0..threads).flat_map(|t| (0..values).map(move |v| (t, v))) {
        let index = definition(thread, value);
        let wanted: Location = [(Level::LANE, thread % 64), (Level::ADDR, value)]
            .into_iter()
            .filter(|(level, _)| layout.uses(*level) || *level == Level::ADDR)
            .collect();
        let has = layout.locate_all(&index).unwrap().any(|place| place == wanted);
        assert!(has, "{text}: {index:?} at {wanted}");
        places += 1;
    }
    let all: usize = layout.indexes().map(|index| layout.locate_all(&index).unwrap().count()).sum();
    assert_eq!(all, places, "{text}");
}

/// Source: AMD's matrix instruction calculator: a lane has K / (64 / M) neighbours along K, and 4 rows in turn.
#[test]
fn instructions_of_cdna_are_those_of_the_manual() {
    for (name, m, k) in [
        ("v_mfma_f32_32x32x8_f16", 32, 8),
        ("v_mfma_f32_32x32x8f16", 32, 8),
        ("V_MFMA_F32_16X16X16_F16", 16, 16),
        ("v_mfma_f32_16x16x32_fp8_bf8", 16, 32),
        ("v_mfma_f32_16x16x4f32", 16, 4),
        ("v_mfma_f32_16x16x8xf32", 16, 8),
        ("v_mfma_f32_32x32x4_xf32", 32, 4),
        ("v_mfma_f32_16x16x16bf16_1k", 16, 16),
        ("v_mfma_i32_16x16x64_i8", 16, 64),
        ("v_mfma_f32_32x32x16_bf16", 32, 16),
    ] {
        let definition: fn(u64, u64) -> [u64; 2] = match (m, k * m / 64) {
            (32, 4) => |t, v| [t % 32, t / 32 * 4 + v],
            (32, 2) => |t, v| [t % 32, t / 32 * 2 + v],
            (32, 8) => |t, v| [t % 32, t / 32 * 8 + v],
            (_, 1) => |t, v| [t % 16, t / 16 + v],
            (_, 2) => |t, v| [t % 16, t / 16 * 2 + v],
            (_, 4) => |t, v| [t % 16, t / 16 * 4 + v],
            (_, 8) => |t, v| [t % 16, t / 16 * 8 + v],
            _ => |t, v| [t % 16, t / 16 * 16 + v],
        };
        for operand in ["A", "B"] {
            check(64, k * m / 64, &(format!("{name}:{operand}"), [m, k], definition));
        }
        let result: fn(u64, u64) -> [u64; 2] = match m {
            32 => |t, v| [v / 4 * 8 + t / 32 * 4 + v % 4, t % 32],
            _ => |t, v| [t / 16 * 4 + v, t % 16],
        };
        check(64, m * m / 64, &(format!("{name}:C"), [m, m], result));
    }
    let double: Definition =
        ("v_mfma_f64_16x16x4_f64:C".into(), [16, 16], |t, v| [v * 4 + t / 16, t % 16]);
    check(64, 4, &double);
}

/// Source: AMD, RDNA 3 and RDNA 4 instruction set architectures. The half-waves of RDNA 3 have copies of operands.
#[test]
fn instructions_of_rdna_are_those_of_the_manuals() {
    for operand in ["A", "B"] {
        let name = |of: &str| format!("{of}_v_wmma_f32_16x16x16_f16:{operand}");
        check(32, 16, &(name("gfx11"), [16, 16], |t, v| [t % 16, v]));
        check(32, 8, &(name("gfx12"), [16, 16], |t, v| [t % 16, t / 16 * 8 + v]));
    }
    check(
        32,
        8,
        &("gfx11_v_wmma_f32_16x16x16_f16:C".into(), [16, 16], |t, v| [2 * v + t / 16, t % 16]),
    );
    check(
        32,
        8,
        &("rdna4_v_wmma_f32_16x16x16_bf16:C".into(), [16, 16], |t, v| [t / 16 * 8 + v, t % 16]),
    );
    // A tile keeps the copies of its instruction.
    let tiled = lower("gfx11_v_wmma_f32_16x16x16_f16(2,2,1):A");
    assert_eq!(tiled.locate_all(&[20, 3]).unwrap().count(), 4);
}

/// Source: Intel, the operation of TDPBF16PS and TDPBSSD: C[m][n] += A[m][2 k + i] * B[k][2 n + i]; sycl-tla's traits; and MLX's
/// coordinate of a thread in 8 x 8.
#[test]
fn tiles_of_intel_and_apple_are_those_of_the_manuals() {
    check(1, 512, &("TDPBF16PS:A".into(), [16, 32], |_, v| [v / 32, v % 32]));
    check(1, 512, &("tdpbf16ps:B".into(), [16, 32], |_, v| [v % 32 / 2, v / 32 * 2 + v % 2]));
    check(
        1,
        1024,
        &("AMX_16x16x64_S32S8S8S32:B".into(), [16, 64], |_, v| [v % 64 / 4, v / 64 * 4 + v % 4]),
    );
    check(1, 256, &("TDPBSSD:C".into(), [16, 16], |_, v| [v / 16, v % 16]));
    check(16, 8, &("XE_8x16x16_F32BF16BF16F32_TT:A".into(), [8, 16], |t, v| [v, t]));
    check(16, 16, &("XE_8x16x16_F32BF16BF16F32_TT:B".into(), [16, 16], |t, v| [t, v]));
    check(16, 8, &("XE_8x16x16_F32BF16BF16F32_TT:C".into(), [8, 16], |t, v| [v, t]));
    let own = |t: u64, v: u64| {
        let quad = t / 4;
        [(quad & 4) + t / 2 % 4, (quad & 2) * 2 + t % 2 * 2 + v]
    };
    check(32, 2, &("simdgroup_8x8:A".into(), [8, 8], own));
    check(32, 2, &("simdgroup_8x8:C".into(), [8, 8], own));
    // B is N x K here.
    check(
        32,
        2,
        &("simdgroup_8x8:B".into(), [8, 8], |t, v| {
            let quad = t / 4;
            [(quad & 2) * 2 + t % 2 * 2 + v, (quad & 4) + t / 2 % 4]
        }),
    );
}

/// Source: NVIDIA, PTX ISA, ldmatrix: thread t has the elements 2 (t % 4) and the next of row t / 4.
#[test]
fn copies_of_matrices_have_a_source_and_a_destination() {
    for (name, source, destination) in [
        ("SM75_U32x4_LDSM_N", "S", "D"),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", "S", "D"),
        ("SM90_U32x4_STSM_N", "D", "S"),
    ] {
        check(32, 8, &(format!("{name}:{source}"), [32, 8], |t, v| [t, v]));
        check(
            32,
            8,
            &(format!("{name}:{destination}"), [32, 8], |t, v| {
                [v / 2 * 8 + t / 4, t % 4 * 2 + v % 2]
            }),
        );
    }
    for name in ["SM75_U16x4_LDSM_T", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16"] {
        check(16, 8, &(format!("{name}:S"), [16, 8], |t, v| [t, v]));
        check(
            32,
            4,
            &(format!("{name}:D"), [16, 8], |t, v| [v / 2 * 8 + t % 4 * 2 + v % 2, t / 4]),
        );
    }
}

#[test]
fn results_of_blackwell_are_in_tensor_memory() {
    let triton = |m: u64, n: u64| {
        format!(
            "!ttg.memdesc<{m}x{n}xf32, #ttng.tensor_memory_encoding<blockM = {m}, blockN = {n}, colStride = 1>, #ttng.tensor_memory>"
        )
    };
    for (m, n) in [(64, 64), (64, 8), (128, 256), (128, 16)] {
        let name = format!("SM100_{m}x{n}x16_F32F16F16_SS:C");
        same(&lower(&name), &lower(&triton(m, n)), &name);
    }
}

/// Bytes and 32-bit numbers of Hopper, against CUTLASS's layouts of registers.
#[test]
fn operands_of_hopper_come_in_three_widths() {
    for (name, wanted) in [
        ("SM90_64x64x8_F32TF32TF32_RS_TN:A", "((4,8,4),(2,2)):((64,1,16),(8,256))"),
        ("SM90_64x64x32_F32E4M3E5M2_RS_TN:A", "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))"),
        ("SM90_64x64x32_S32S8U8_SS_TN:C", "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"),
    ] {
        let layout = lower(name);
        let places = lower(wanted);
        for (thread, value) in (0..128).flat_map(|t| (0..places.shape()[1]).map(move |v| (t, v))) {
            let place = places.locate(&[thread, value]).unwrap().get(Level::ADDR).unwrap();
            let own = layout.locate(&[place % 64, place / 64]).unwrap();
            let at = [Level::WARP, Level::LANE, Level::ADDR].map(|level| own.get(level).unwrap());
            assert_eq!(at, [thread / 32, thread % 32, value], "{name}");
        }
    }
}

#[test]
fn names_of_ptx_are_those_of_cute() {
    for (ptx, cute) in [
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "SM80_16x8x16_F32F16F16F32_TN"),
        ("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", "SM80_16x8x32_S32S8S8S32_TN"),
        (
            "mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32.e4m3.e5m2.f32",
            "SM89_16x8x32_F32E4M3E5M2F32_TN",
        ),
    ] {
        for letter in ["A", "B", "C"] {
            assert_eq!(
                lower(&format!("{ptx}:{letter}")),
                lower(&format!("{cute}:{letter}")),
                "{ptx}"
            );
        }
    }
}
