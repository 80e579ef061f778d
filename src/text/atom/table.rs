//! The thread-value layouts of matrix instructions, as their sources write them.

/// Instructions with the same layouts.
#[derive(Clone, Copy)]
pub(super) struct Atoms {
    pub(super) names: &'static [&'static str],
    /// M, N and K.
    pub(super) shape: [u64; 3],
    /// The lane, and the warp if there are several, of each thread.
    pub(super) threads: &'static str,
    /// Thread and value to the place in A, B and C, column by column.
    pub(super) a: &'static str,
    pub(super) b: &'static str,
    pub(super) c: &'static str,
}

/// A whole warp of 32 threads.
const WARP: Atoms = Atoms { names: &[], shape: [0; 3], threads: "32_LANE", a: "", b: "", c: "" };

/// 16 x 8 results, two neighbours in a row per thread.
const C16: &str = "((4,8),(2,2)):((32,1),(16,8))";

/// 8 x 8 results.
const C8: &str = "((4,8),2):((16,1),8)";

/// A quad pair of Volta, and its operands by their order in memory.
const QUADS: Atoms =
    Atoms { shape: [8, 8, 4], threads: "(2_LANE:16, 4_LANE:1)", c: "(8,8):(1,8)", ..WARP };
const ROW: &str = "(8,4):(1,8)";
const COLUMN: &str = "((4,2),4):((8,4),1)";
const QUADS_F32: &str = "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))";

/// A single thread.
const THREAD: Atoms = Atoms { threads: "1_LANE", c: "(1,1):(0,0)", ..WARP };

/// A core of a CPU, whose tiles have rows of 64 bytes; B has pairs or quads of rows side by side.
const TILES: Atoms = Atoms { threads: "1_LANE", c: "(1,(16,16)):(0,(16,1))", ..WARP };

/// Every instruction but those that come in many widths, which are in `families`.
///
/// Sources: NVIDIA/cutlass at 7107b05, `include/cute/atom/mma_traits.hpp`, `mma_traits_sm61.hpp`, `_sm70`, `_sm75`, `_sm80`, `_sm89`, `_sm90` and `_sm120`, the
/// traits of the instructions named; intel/sycl-tla, `mma_traits_xe_legacy.hpp`; AMX: Intel, *Architecture Instruction Set Extensions*, the
/// operation of TDPBF16PS and TDPBSSD; simdgroup: ml-explore/mlx, `steel/gemm/mma.h`.
pub(super) const ATOMS: &[Atoms] = &[
    Atoms { names: &["SM70_8x8x4_F16F16F16F16_TN"], a: ROW, b: ROW, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F16F16F16F16_NT"], a: COLUMN, b: COLUMN, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F16F16F16F16_NN"], a: COLUMN, b: ROW, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F16F16F16F16_TT"], a: ROW, b: COLUMN, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F32F16F16F32_TN"], a: ROW, b: ROW, c: QUADS_F32, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F32F16F16F32_NT"], a: COLUMN, b: COLUMN, c: QUADS_F32, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F32F16F16F32_NN"], a: COLUMN, b: ROW, c: QUADS_F32, ..QUADS },
    Atoms { names: &["SM70_8x8x4_F32F16F16F32_TT"], a: ROW, b: COLUMN, c: QUADS_F32, ..QUADS },
    Atoms {
        names: &["UniversalFMA"],
        shape: [1, 1, 1],
        a: "(1,1):(0,0)",
        b: "(1,1):(0,0)",
        ..THREAD
    },
    Atoms { names: &["SM61_DP2A"], shape: [1, 1, 2], a: "(1,2):(0,1)", b: "(1,2):(0,1)", ..THREAD },
    Atoms { names: &["SM61_DP4A"], shape: [1, 1, 4], a: "(1,4):(0,1)", b: "(1,4):(0,1)", ..THREAD },
    Atoms {
        names: &["SM75_8x8x16_S32S8S8S32_TN", "SM80_8x8x16_S32S8S8S32_TN"],
        shape: [8, 8, 16],
        a: "((4,8),4):((32,1),8)",
        b: "((4,8),4):((32,1),8)",
        c: C8,
        ..WARP
    },
    Atoms {
        names: &[
            "SM75_16x8x8_F32F16F16F32_TN",
            "SM80_16x8x8_F16F16F16F16_TN",
            "SM80_16x8x8_F32F16F16F32_TN",
            "SM80_16x8x8_F32BF16BF16F32_TN",
        ],
        shape: [16, 8, 8],
        a: C16,
        b: C8,
        c: C16,
        ..WARP
    },
    Atoms {
        names: &[
            "SM80_16x8x16_F16F16F16F16_TN",
            "SM80_16x8x16_F32F16F16F32_TN",
            "SM80_16x8x16_F32BF16BF16F32_TN",
        ],
        shape: [16, 8, 16],
        a: "((4,8),(2,2,2)):((32,1),(16,8,128))",
        b: "((4,8),(2,2)):((16,1),(8,64))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &[
            "SM80_16x8x4_F32TF32TF32F32_TN",
            "SM90_16x8x4_F64F64F64F64_TN",
            "SM90_16x8x4_C64C64C64C64_TN",
        ],
        shape: [16, 8, 4],
        a: "((4,8),2):((16,1),8)",
        b: "((4,8),1):((8,1),0)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &[
            "SM80_16x8x8_F32TF32TF32F32_TN",
            "SM90_16x8x8_F64F64F64F64_TN",
            "SM90_16x8x8_C64C64C64C64_TN",
        ],
        shape: [16, 8, 8],
        a: "((4,8),(2,2)):((16,1),(8,64))",
        b: "((4,8),2):((8,1),32)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM90_16x8x16_F64F64F64F64_TN", "SM90_16x8x16_C64C64C64C64_TN"],
        shape: [16, 8, 16],
        a: "((4,8),(2,4)):((16,1),(8,64))",
        b: "((4,8),4):((8,1),32)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_8x8x4_F64F64F64F64_TN"],
        shape: [8, 8, 4],
        a: "((4,8),1):((8,1),0)",
        b: "((4,8),1):((8,1),0)",
        c: C8,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x16_S32S8S8S32_TN", "SM80_16x8x16_S32U8U8S32_TN"],
        shape: [16, 8, 16],
        a: "((4,8),(4,2)):((64,1),(16,8))",
        b: "((4,8),4):((32,1),8)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &[
            "SM80_16x8x32_S32S8S8S32_TN",
            "SM89_16x8x32_F32E4M3E4M3F32_TN",
            "SM89_16x8x32_F32E4M3E5M2F32_TN",
            "SM89_16x8x32_F32E5M2E4M3F32_TN",
            "SM89_16x8x32_F32E5M2E5M2F32_TN",
            "SM89_16x8x32_F16E4M3E4M3F16_TN",
            "SM89_16x8x32_F16E4M3E5M2F16_TN",
            "SM89_16x8x32_F16E5M2E4M3F16_TN",
            "SM89_16x8x32_F16E5M2E5M2F16_TN",
            "SM120_16x8x32_TN",
            "SM120_16x8x32_TN_VS",
            "SM120_16x8x32_F32E4M3E4M3F32_TN",
            "SM120_16x8x32_F16E4M3E4M3F16_TN",
        ],
        shape: [16, 8, 32],
        a: "((4,8),(4,2,2)):((64,1),(16,8,256))",
        b: "((4,8),(4,2)):((32,1),(8,128))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &[
            "SM80_16x8x64_S32S4S4S32_TN",
            "SM120_16x8x64_TN_VS",
            "SM120_16x8x64_F32E4M3E4M3F32_TN",
            "SM120_16x8x64_F16E4M3E4M3F16_TN",
        ],
        shape: [16, 8, 64],
        a: "((4,8),(8,2,2)):((128,1),(16,8,512))",
        b: "((4,8),(8,2)):((64,1),(8,256))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_8x8x32_S32S4S4S32_TN"],
        shape: [8, 8, 32],
        a: "((4,8),8):((64,1),8)",
        b: "((4,8),8):((64,1),8)",
        c: C8,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x32_S32S4S4S32_TN"],
        shape: [16, 8, 32],
        a: "((4,8),(8,2)):((128,1),(16,8))",
        b: "((4,8),8):((64,1),8)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_8x8x128_S32U1U1S32_TN_XORPOPC"],
        shape: [8, 8, 128],
        a: "((4,8),32):((256,1),8)",
        b: "((4,8),32):((256,1),8)",
        c: C8,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x128_S32U1U1S32_TN_XORPOPC"],
        shape: [16, 8, 128],
        a: "((4,8),(32,2)):((512,1),(16,8))",
        b: "((4,8),32):((256,1),8)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x256_S32U1U1S32_TN_XORPOPC"],
        shape: [16, 8, 256],
        a: "((4,8),(32,2,2)):((512,1),(16,8,2048))",
        b: "((4,8),(32,2)):((256,1),(8,1024))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["XE_8x16x16_F32BF16BF16F32_TT", "XE_8x16x16_F32F16F16F32_TT"],
        shape: [8, 16, 16],
        threads: "16_LANE",
        a: "(16,8):(8,1)",
        b: "(16,16):(1,16)",
        c: "(16,8):(8,1)",
    },
    Atoms {
        names: &[
            "AMX_16x16x32_F32BF16BF16F32",
            "AMX_16x16x32_F32F16F16F32",
            "TDPBF16PS",
            "TDPFP16PS",
        ],
        shape: [16, 16, 32],
        a: "(1,(32,16)):(0,(16,1))",
        b: "(1,(2,16,16)):(0,(16,1,32))",
        ..TILES
    },
    Atoms {
        names: &[
            "AMX_16x16x64_S32S8S8S32",
            "AMX_16x16x64_S32S8U8S32",
            "AMX_16x16x64_S32U8S8S32",
            "AMX_16x16x64_S32U8U8S32",
            "TDPBSSD",
            "TDPBSUD",
            "TDPBUSD",
            "TDPBUUD",
        ],
        shape: [16, 16, 64],
        a: "(1,(64,16)):(0,(16,1))",
        b: "(1,(4,16,16)):(0,(16,1,64))",
        ..TILES
    },
    Atoms {
        names: &["simdgroup_8x8"],
        shape: [8, 8, 8],
        a: SIMDGROUP,
        b: "((2,4,2,2),2):((2,8,4,32),1)",
        c: SIMDGROUP,
        ..WARP
    },
];

/// A quarter of a simdgroup has a quarter of the matrix.
const SIMDGROUP: &str = "((2,4,2,2),2):((16,1,32,4),8)";
