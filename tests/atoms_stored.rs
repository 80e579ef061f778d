//! Sparse instructions and copies: every element where PTX's manual, CUTLASS's traits or Triton's bases have it.

use tensor_layout::{Layout, LayoutText, Level, Location};

fn read(text: &str) -> Result<Layout, String> {
    let layout = LayoutText::parse(text).and_then(|text| text.lower());
    layout.map_err(|error| error.to_string())
}

fn lower(text: &str) -> Layout {
    read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The row and column that thread `t` has in its value `v`.
type Definition = fn(u64, u64) -> [u64; 2];

/// Checks a matrix against its definition: every element at the place that the definition gives it, and nowhere else.
fn check(text: &str, shape: [u64; 2], [threads, values]: [u64; 2], definition: Definition) {
    let layout = lower(text);
    assert_eq!(layout.shape(), shape, "{text}");
    assert_eq!(threads * values, shape[0] * shape[1], "{text}");
    for (thread, value) in (0..threads).flat_map(|t| (0..values).map(move |v| (t, v))) {
        let places: Vec<Location> =
            layout.locate_all(&definition(thread, value)).unwrap().collect();
        let [place] = &places[..] else { panic!("{text}: {places:?}") };
        let at = |level| place.get(level).unwrap_or(0);
        let found = [at(Level::WARP) * 32 + at(Level::LANE), at(Level::ADDR)];
        assert_eq!(found, [thread, value], "{text}");
    }
}

/// Source: PTX ISA, "Matrix fragments for sparse mma": `firstcol`, and the stored elements from there on, of which there are half
/// as many as columns.
#[test]
fn a_is_stored_as_the_manual_says() {
    for (types, k, values, definition) in [
        (
            "f32.f16.f16.f32",
            16,
            4,
            (|t, v| [t / 4 + v / 2 * 8, t % 4 * 4 / 2 + v % 2]) as Definition,
        ),
        ("f16.f16.f16.f16", 32, 8, |t, v| {
            let row = if v < 2 || (4..6).contains(&v) { t / 4 } else { t / 4 + 8 };
            let first = if v < 4 { t % 4 * 4 } else { t % 4 * 4 + 16 };
            [row, first / 2 + v % 2]
        }),
        ("f32.bf16.bf16.f32", 32, 8, |t, v| {
            let row = if v < 2 || (4..6).contains(&v) { t / 4 } else { t / 4 + 8 };
            let first = if v < 4 { t % 4 * 4 } else { t % 4 * 4 + 16 };
            [row, first / 2 + v % 2]
        }),
        ("f32.tf32.tf32.f32", 8, 2, |t, v| [t / 4 + v * 8, t % 4 * 2 / 2]),
        ("f32.tf32.tf32.f32", 16, 4, |t, v| {
            let first = if v < 2 { t % 4 * 2 } else { t % 4 * 2 + 8 };
            [t / 4 + v % 2 * 8, first / 2]
        }),
        ("s32.u8.s8.s32", 32, 8, |t, v| {
            [if v < 4 { t / 4 } else { t / 4 + 8 }, t % 4 * 8 / 2 + v % 4]
        }),
        ("s32.s8.s8.s32", 64, 16, |t, v| {
            let row = if v < 4 || (8..12).contains(&v) { t / 4 } else { t / 4 + 8 };
            let first = if v < 8 { t % 4 * 8 } else { t % 4 * 8 + 32 };
            [row, first / 2 + v % 4]
        }),
        ("f32.e4m3.e5m2.f32", 64, 16, |t, v| {
            let row = if v < 4 || (8..12).contains(&v) { t / 4 } else { t / 4 + 8 };
            let first = if v < 8 { t % 4 * 8 } else { t % 4 * 8 + 32 };
            [row, first / 2 + v % 4]
        }),
        ("s32.s4.u4.s32", 64, 16, |t, v| {
            [if v < 8 { t / 4 } else { t / 4 + 8 }, t % 4 * 16 / 2 + v % 8]
        }),
        ("s32.u4.u4.s32", 128, 32, |t, v| {
            let row = if v < 8 || (16..24).contains(&v) { t / 4 } else { t / 4 + 8 };
            let first = if v < 16 { t % 4 * 16 } else { t % 4 * 16 + 64 };
            [row, first / 2 + v % 8]
        }),
    ] {
        for variant in ["sp", "sp::ordered_metadata"] {
            let name = format!("mma.{variant}.sync.aligned.m16n8k{k}.row.col.{types}");
            check(&format!("{name}:A"), [16, k / 2], [32, values], definition);
            check(&format!("{name}:C"), [16, 8], [32, 4], |t, v| {
                [t / 4 + v / 2 * 8, t % 4 * 2 + v % 2]
            });
        }
    }
    let of_kind =
        "mma.sync.aligned.kind::f8f6f4.sp::ordered_metadata.m16n8k64.row.col.f32.e2m1.e3m2.f32";
    assert_eq!(
        lower(&format!("{of_kind}:A")),
        lower("mma.sp.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32:A")
    );
}

/// The place of thread and value in a matrix of so many rows, by a layout of CUTLASS.
fn places<'l>(traits: &'l Layout, rows: u64) -> impl Fn(u64, u64) -> [u64; 2] + 'l {
    move |t, v| {
        let place = traits.locate(&[t, v]).unwrap().get(Level::ADDR).unwrap();
        [place % rows, place / rows]
    }
}

/// Source: NVIDIA/cutlass, `mma_traits_sm90_gmma_sparse.hpp` (with the layouts of `mma_traits_sm90_gmma.hpp`) and
/// `mma_traits_sm120_sparse.hpp`: a layout of A has each stored element at two columns beside each other.
#[test]
fn operands_are_where_the_traits_have_them() {
    for (name, rows, a) in [
        (
            "SM90::GMMA::SPARSE::GMMA_64x8x16_F32TF32TF32_RS_TN<x>",
            64,
            "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))",
        ),
        (
            "SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_RS<x>",
            64,
            "((4,8,4),(4,2,2)):((256,1,16),(64,8,1024))",
        ),
        ("GMMA_64x256x64_S32S8U8_RS_TN", 64, "((4,8,4),(8,2,2)):((512,1,16),(64,8,2048))"),
        (
            "SM120::SPARSE::SM120_SPARSE_16x8x64_TN<float_e2m1_t, float_e3m2_t, float>",
            16,
            "((4,8),(8,2,2)):((128,1),(16,8,512))",
        ),
        ("SM120_SPARSE_16x8x64_TN_VS", 16, "((4,8),(8,2,2)):((128,1),(16,8,512))"),
        (
            "cute::SM120::BLOCKSCALED::SPARSE::SM120_SPARSE_16x8x128_TN_VS<x>",
            16,
            "((4,8),(16,2,2)):((256,1),(16,8,1024))",
        ),
    ] {
        let (layout, traits) = (lower(&format!("{name}:A")), lower(a));
        let place = places(&traits, rows);
        for (t, v) in
            (0..traits.shape()[0]).flat_map(|t| (0..traits.shape()[1]).map(move |v| (t, v)))
        {
            let [row, column] = place(t, v);
            let own = layout.locate(&[row, column / 2]).unwrap();
            let at = |level| own.get(level).unwrap_or(0);
            assert_eq!(
                [at(Level::WARP) * 32 + at(Level::LANE), at(Level::ADDR)],
                [t, v / 2],
                "{name}"
            );
        }
    }
    for (name, b) in [
        ("SM120_SPARSE_16x8x64_TN", "((4,8),(4,4)):((32,1),(8,128))"),
        ("SM120_SPARSE_16x8x128_TN_VS", "((4,8),(8,4)):((64,1),(8,256))"),
        // PTX: as B of the instruction without zeros, of the same K.
        ("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", "((4,8),(2,2)):((16,1),(8,64))"),
        ("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", "((4,8),(4,2)):((32,1),(8,128))"),
        ("mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", "((4,8),(8,2)):((64,1),(8,256))"),
        ("mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "((4,8),2):((8,1),32)"),
    ] {
        let (layout, traits) = (lower(&format!("{name}:B")), lower(b));
        let place = places(&traits, 8);
        for (t, v) in (0..32).flat_map(|t| (0..traits.shape()[1]).map(move |v| (t, v))) {
            let own = layout.locate(&place(t, v)).unwrap();
            assert_eq!([own.get(Level::LANE), own.get(Level::ADDR)], [Some(t), Some(v)], "{name}");
        }
    }
}

#[test]
fn sparse_instructions_that_do_not_exist_are_refused() {
    for (text, message) in [
        ("mma.sp.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64:A", "is not in the table"),
        ("mma.sp.sync.aligned.m8n8k32.row.col.s32.s8.s8.s32:A", "is not in the table"),
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.tf32.tf32.f32:A", "is not in the table"),
        (
            "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32:E",
            "the metadata of a sparse instruction",
        ),
        ("SM90::GMMA::SPARSE::GMMA_64x8x32_F16F16F16_SS<x>:A", "read from shared memory"),
        ("SM100_MMA_F16BF16_2x1SM_SS<half_t, half_t, float, 256, 128>:C", "two multiprocessors"),
        (
            "SM100_MMA_F16BF16_SS_SPARSE<half_t, half_t, float, 128, 128>:C",
            "sparse instructions of tensor memory",
        ),
        ("SM100_MMA_F16BF16_TS<half_t, half_t, float, 128, 128>:A", "read from tensor memory"),
        ("SM100_MMA_F16BF16_SS:C", "M and N are missing"),
        ("SM90_TMA_LOAD:D", "one thread copies a box"),
        ("SM75_U32x1_MOVM_T:D", "describes as a copy that moves nothing"),
        ("SM100_TMEM_LOAD_16dp256b1x_16b:D", "without `_16b`"),
        ("SM100_TMEM_LOAD_16dp256b64x:D", "are known"),
        ("SM100_U8x16_LDSM_T:D", "8 x 8 halves"),
        ("AutoVectorizingCopyWithAssumedAlignment<128>:S", "follows from the two tensors"),
        ("UniversalCopy<Element>:S", "the bytes of its type are not known, Element"),
        ("Copy_Atom<SM75_U32x4_LDSM_N, half_t>", "name the side: `SM75_U32x4_LDSM_N:S`"),
        ("SM75_U32x4_LDSM_N", "expected `:S` or `:D`"),
    ] {
        let refused = read(text).unwrap_err();
        assert!(refused.contains(message), "{text}: {refused}");
    }
}

/// Source: NVIDIA/cutlass, `mma_traits_sm90_gmma.hpp`, `mma_traits_sm80.hpp`: the names are those of the same traits.
#[test]
fn names_are_read_as_compilers_print_them() {
    for (printed, name) in [
        (
            "cute::SM90::GMMA::MMA_64x64x16_F32F16F16_SS<(cute::SM90::GMMA::Major)0, (cute::SM90::GMMA::Major)1>",
            "SM90_64x64x16_F32F16F16_SS",
        ),
        ("SM90::GMMA::MMA_64x96x32_F32E4M3E5M2_RS_TN<x>", "SM90_64x96x32_F32E4M3E5M2_RS_TN"),
        (
            "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 256, UMMA::Major::K, UMMA::Major::K>",
            "SM100_128x256x16_F32F16F16_SS",
        ),
        (
            "cute::SM100_MMA_TF32_TS<cutlass::tfloat32_t, cutlass::tfloat32_t, float, 64, 32>",
            "SM100_64x32x8_F32TF32TF32_SS",
        ),
        ("SM80_16x8x32_S32U8S8S32_TN", "SM80_16x8x32_S32S8S8S32_TN"),
        ("SM80_8x8x16_S32U8U8S32_TN_SATURATE", "SM80_8x8x16_S32S8S8S32_TN"),
        ("SM80_16x8x64_S32U4S4S32_TN", "SM80_16x8x64_S32S4S4S32_TN"),
        ("SM80_16x8x256_S32U1U1S32_TN_ANDPOPC", "SM80_16x8x256_S32U1U1S32_TN_XORPOPC"),
        (
            "SM120::BLOCKSCALED::SM120_16x8x64_TN_VS<float_e2m1_t, float_e2m1_t, float, float_ue4m3_t, 16>",
            "SM120_16x8x64_TN_VS",
        ),
        (
            "mma.sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3",
            "SM120_16x8x64_TN_VS",
        ),
    ] {
        for letter in ["A", "B", "C"] {
            let read = |name: &str| read(&format!("{name}:{letter}"));
            match read(name) {
                Ok(layout) => assert_eq!(read(printed).as_ref(), Ok(&layout), "{printed}:{letter}"),
                Err(_) => assert!(read(printed).is_err(), "{printed}:{letter}"),
            }
        }
    }
    // A tile follows the template.
    assert_eq!(
        lower("SM90::GMMA::MMA_64x64x16_F32F16F16_SS<(cute::SM90::GMMA::Major)0>(2,1,1):C").shape(),
        [128, 64]
    );
    for (name, k) in [("SM61_DP4A", 4), ("SM61_DP2A", 2), ("UniversalFMA<float>", 1)] {
        check(&format!("{name}:A"), [1, k], [1, k], |_, v| [0, v]);
        check(&format!("{name}:B"), [1, k], [1, k], |_, v| [0, v]);
        check(&format!("{name}:C"), [1, 1], [1, 1], |_, _| [0, 0]);
    }
}

/// Where the bases of Triton, `TensorMemoryToLLVM` and its `getTileLayout`, have a lane and a register: row and column.
fn by_bases(lanes: [[u64; 2]; 5], registers: &[[u64; 2]], lane: u64, register: u64) -> [u64; 2] {
    let own = |bases: &[[u64; 2]], number: u64| {
        let set = bases.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1);
        set.fold([0, 0], |at, (_, basis)| [at[0] ^ basis[0], at[1] ^ basis[1]])
    };
    let (lane, register) = (own(&lanes, lane), own(registers, register));
    [lane[0] ^ register[0], lane[1] ^ register[1]]
}

/// The name in CuTe and in PTX, the rows, the bases of lanes and of the registers of one, the columns of one, and the most
/// repeats as a power of two.
type TmemShape = (&'static str, &'static str, u64, [[u64; 2]; 5], &'static [[u64; 2]], u64, u32);

#[test]
fn copies_of_tensor_memory_have_the_bases_of_triton() {
    let rows =
        |first: u64| [[first, 0], [2 * first, 0], [4 * first, 0], [8 * first, 0], [16 * first, 0]];
    let by_4 = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]];
    let by_8 = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]];
    let by_2 = [[8, 0], [0, 1], [1, 0], [2, 0], [4, 0]];
    let shapes: [TmemShape; 4] = [
        ("32dp32b", "32x32b", 32, rows(1), &[], 1, 7),
        ("16dp64b", "16x64b", 16, by_2, &[], 2, 7),
        ("16dp128b", "16x128b", 16, by_4, &[[8, 0]], 4, 6),
        ("16dp256b", "16x256b", 16, by_8, &[[0, 1], [8, 0]], 8, 5),
    ];
    for (cute, ptx, dp, lanes, one, width, most) in shapes {
        for power in 0..=most {
            let columns = width << power;
            let more = (0..power).map(|bit| [0, width << bit]);
            let registers: Vec<[u64; 2]> = one.iter().copied().chain(more).collect();
            let count = 1_u64 << registers.len();
            for (name, held, stored) in [
                (format!("SM100_TMEM_LOAD_{cute}{}x", 1 << power), 'D', 'S'),
                (format!("SM100_TMEM_STORE_{cute}{}x", 1 << power), 'S', 'D'),
                (format!("tcgen05.ld.sync.aligned.{ptx}.x{}.b32", 1 << power), 'D', 'S'),
                (format!("tcgen05.st.sync.aligned.{ptx}.x{}.b32", 1 << power), 'S', 'D'),
            ] {
                let layout = lower(&format!("{name}:{held}"));
                assert_eq!(layout.shape(), [dp, columns], "{name}");
                assert_eq!(32 * count, dp * columns, "{name}");
                for (lane, register) in (0..32).flat_map(|l| (0..count).map(move |r| (l, r))) {
                    let at = layout.locate(&by_bases(lanes, &registers, lane, register)).unwrap();
                    let found = [Level::LANE, Level::ADDR].map(|level| at.get(level).unwrap_or(0));
                    assert_eq!(found, [lane, register], "{name}");
                }
                let text =
                    lower(&format!("{name}:{stored}")).locate(&[dp - 1, columns - 1]).unwrap();
                assert_eq!(
                    text.to_string(),
                    format!("ROW={},Addr={}", dp - 1, columns - 1),
                    "{name}"
                );
            }
        }
    }
}

/// Source: NVIDIA/cutlass, `copy_sm50.hpp`: what the instruction does with two registers of each lane.
#[test]
fn shuffles_move_registers_as_they_are_executed() {
    for (name, apart) in [("XOR1", 1), ("XOR4", 4)] {
        let name = format!("SM50_Shuffle_U32_2x2Trans_{name}");
        let (source, destination) = (lower(&format!("{name}:S")), lower(&format!("{name}:D")));
        let mut held = vec![[[0; 2]; 2]; 32];
        for index in source.indexes() {
            let at = source.locate(&index).unwrap();
            let [lane, register] = [Level::LANE, Level::ADDR].map(|level| at.get(level).unwrap());
            held[lane as usize][register as usize] = [index[0], index[1]];
        }
        for lane in 0..32_u64 {
            let partner = held[(lane ^ apart) as usize];
            let after = match lane & apart {
                0 => [held[lane as usize][0], partner[0]],
                _ => [partner[1], held[lane as usize][1]],
            };
            for (register, element) in after.iter().enumerate() {
                let at = destination.locate(element).unwrap();
                let found = [Level::LANE, Level::ADDR].map(|level| at.get(level));
                assert_eq!(found, [Some(lane), Some(register as u64)], "{name}");
            }
        }
    }
}

/// Source: NVIDIA/cutlass, `copy_traits.hpp`, `copy_traits_sm80.hpp`: the bits of the type, in order.
#[test]
fn copies_of_one_thread_have_the_bytes_of_their_type() {
    for (type_, bytes) in [
        ("uint128_t", 16),
        ("cute::uint64_t", 8),
        ("float", 4),
        ("cutlass::half_t", 2),
        ("uint8_t", 1),
    ] {
        for name in
            ["UniversalCopy", "SM80_CP_ASYNC_CACHEALWAYS", "SM80_CP_ASYNC_CACHEGLOBAL_ZFILL"]
        {
            for side in ["S", "D"] {
                check(&format!("{name}<{type_}>:{side}"), [1, bytes], [1, bytes], |_, v| [0, v]);
            }
        }
    }
}
