//! The thread-value layouts of matrix instructions, as their sources write them.

/// Instructions with the same layouts.
#[derive(Clone, Copy)]
pub(super) struct Atoms<'a> {
    pub(super) names: &'static [&'static str],
    /// M, N and K.
    pub(super) shape: [u64; 3],
    /// The lane, and the warp if there are several, of each thread.
    pub(super) threads: &'static str,
    /// Thread and value to the place in A, B and C, column by column.
    pub(super) a: &'static str,
    pub(super) b: &'static str,
    pub(super) c: &'a str,
}

/// A whole warp of 32 threads.
const WARP: Atoms<'static> =
    Atoms { names: &[], shape: [0; 3], threads: "32_LANE", a: "", b: "", c: "" };

/// 16 x 8 results, two neighbours in a row per thread.
const C16: &str = "((4,8),(2,2)):((32,1),(16,8))";

/// 8 x 8 results.
const C8: &str = "((4,8),2):((16,1),8)";

/// Every instruction but those of Hopper, which come in many widths.
///
/// Sources: NVIDIA/cutlass at 7107b05, `include/cute/atom/mma_traits_sm70.hpp`, `_sm75`, `_sm80`, `_sm89`, `_sm90` and `_sm120`, the
/// traits of the instructions named; the MFMA instructions: bases that Triton 3.9 has for `amd_mfma` and its operands.
pub(super) const ATOMS: [Atoms<'static>; 14] = [
    Atoms {
        names: &["SM70_8x8x4_F16F16F16F16_TN"],
        shape: [8, 8, 4],
        threads: "(2_LANE:16, 4_LANE:1)",
        a: "(8,4):(1,8)",
        b: "(8,4):(1,8)",
        c: "(8,8):(1,8)",
    },
    Atoms {
        names: &["SM70_8x8x4_F32F16F16F32_NT"],
        shape: [8, 8, 4],
        threads: "(2_LANE:16, 4_LANE:1)",
        a: "((4,2),4):((8,4),1)",
        b: "((4,2),4):((8,4),1)",
        c: "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))",
    },
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
        names: &["SM80_16x8x4_F32TF32TF32F32_TN", "SM90_16x8x4_F64F64F64F64_TN"],
        shape: [16, 8, 4],
        a: "((4,8),2):((16,1),8)",
        b: "((4,8),1):((8,1),0)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x8_F32TF32TF32F32_TN", "SM90_16x8x8_F64F64F64F64_TN"],
        shape: [16, 8, 8],
        a: "((4,8),(2,2)):((16,1),(8,64))",
        b: "((4,8),2):((8,1),32)",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM90_16x8x16_F64F64F64F64_TN"],
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
            "SM89_16x8x32_F32E5M2E5M2F32_TN",
            "SM120_16x8x32_TN",
        ],
        shape: [16, 8, 32],
        a: "((4,8),(4,2,2)):((64,1),(16,8,256))",
        b: "((4,8),(4,2)):((32,1),(8,128))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["SM80_16x8x64_S32S4S4S32_TN"],
        shape: [16, 8, 64],
        a: "((4,8),(8,2,2)):((128,1),(16,8,512))",
        b: "((4,8),(8,2)):((64,1),(8,256))",
        c: C16,
        ..WARP
    },
    Atoms {
        names: &["v_mfma_f32_32x32x8_f16"],
        shape: [32, 32, 8],
        threads: "64_LANE",
        a: "((32,2),4):((1,128),32)",
        b: "((32,2),4):((1,128),32)",
        c: "((32,2),(4,4)):((32,4),(1,8))",
    },
    Atoms {
        names: &["v_mfma_f32_16x16x16_f16"],
        shape: [16, 16, 16],
        threads: "64_LANE",
        a: "((16,4),4):((1,64),16)",
        b: "((16,4),4):((1,64),16)",
        c: "((16,4),4):((16,4),1)",
    },
];

/// The instructions of Hopper that read A from registers and B from shared memory.
///
/// Source: the same, `mma_traits_sm90_gmma.hpp`.
pub(super) fn hopper(columns: u64, c: &str) -> Atoms<'_> {
    Atoms {
        shape: [64, columns, 16],
        threads: "(4_WARP, 32_LANE)",
        a: "((4,8,4),(2,2,2)):((128,1,16),(64,8,512))",
        c,
        ..WARP
    }
}
