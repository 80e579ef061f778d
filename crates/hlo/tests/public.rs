//! What `scan` finds in whole files as they are published: compiler output, logs, notebooks, notes. Each expectation was
//! read off by hand: every layout with its line, in order, `!` before what is not read, and nothing else.
//!
//! `accelerate-matmul-pvc.mlir` is from intel/intel-xpu-backend-for-triton (MIT), `blackwell.cu` from NVIDIA/cutlass,
//! `examples/cute/tutorial/blackwell` (BSD-3-Clause), both shortened. The others have the form of public files, with
//! other names and numbers.

use tensor_layout_hlo::scan::LayoutScan;

/// A name, the text, and its layouts with their lines.
type File = (&'static str, &'static str, &'static [(u64, &'static str)]);

const FILES: [File; 10] = [
    (
        "accelerate-matmul-pvc.mlir",
        include_str!("data/public/accelerate-matmul-pvc.mlir"),
        &[
            (8, "tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = BLOCKED}>>"),
            (9, "tensor<64x16xf16, #ttg.dot_op<{opIdx = 1, parent = BLOCKED}>>"),
            (
                10,
                "tensor<128x64x!tt.ptr<f16, 1>, #ttg.blocked<{sizePerThread = [4, 8], threadsPerWarp = [2, 8], warpsPerCTA = [4, 1], order = [1, 0]}>>",
            ),
            (12, "tensor<128x16xf16, BLOCKED>"),
            (13, "tensor<128x16xf16, BLOCKED>"),
            (13, "tensor<128x16xf16, DPAS>"),
            (14, "tensor<128x16xf16, DPAS>"),
            // Its alias is defined nowhere.
            (14, "!tensor<128x16xf16, #missing>"),
        ],
    ),
    (
        "blackwell.cu",
        include_str!("data/public/blackwell.cu"),
        &[
            (8, "Sw<3,4,3> o smem_ptr[16b](unset) o ((_128,_16),_1,_4):((_64,_1),_0,_16)"),
            (9, "Sw<3,4,3> o smem_ptr[16b](unset) o ((_256,_16),_1,_4):((_64,_1),_0,_16)"),
            (16, "((_1),_4,_4,_1):((_0),_1,_4,_0)"),
        ],
    ),
    (
        "swizzle.h",
        include_str!("data/public/swizzle.h"),
        &[
            (2, "Sw<0,4,3> o smem_ptr[16b](unset) o ((_8,_4),(_8,_16)):((_8,_64),(_1,_256))"),
            (4, "Sw<1,4,3> o smem_ptr[16b](unset) o ((_8,_4),(_16,_8)):((_16,_128),(_1,_512))"),
            (8, "Sw<2,4,3> o smem_ptr[16b](unset) o (_8,_32):(_32,_1)"),
            (9, "Sw<2,3,3> o _0 o (_8,_32):(_32,_1)"),
        ],
    ),
    (
        "smem.txt",
        include_str!("data/public/smem.txt"),
        &[
            (
                2,
                "Sw<2,4,3> o smem_ptr[4b](unset) o ((_8,_8),(_128,_1),(_1,_2)):((_128,_1024),(_1,_0),(_0,_8192))",
            ),
            (6, "((_64,_1),(_128,_1),(_1,_2)):((_0,_0),(_1,_0),(_0,_128))"),
            (10, "(((_16,_4),_2),((_16,_4),_1,_2)):(((_16,_4),_256),((_0,_1),_4,_512))"),
        ],
    ),
    ("out_of_memory.log", include_str!("data/public/out_of_memory.log"), &[]),
    ("runs.md", include_str!("data/public/runs.md"), &[(5, "f32[160,4096,4096]{1,2,0:T(8,128)}")]),
    (
        "report.md",
        include_str!("data/public/report.md"),
        &[
            (7, "bf16[16384,4096]"),
            (8, "pred[16384,4096]"),
            (11, "f32[16384,4096]"),
            (11, "bf16[4,4096,4096]"),
        ],
    ),
    ("phases.txt", include_str!("data/public/phases.txt"), &[]),
    (
        "notebook.ipynb",
        include_str!("data/public/notebook.ipynb"),
        &[
            (3, "f32[8,64]{1,0}"),
            (3, "f32[8,64]{1,0}"),
            (4, "f32[8,64]{1,0}, sharding={devices=[2,1]<=[2]}"),
            (5, "f32[8,64]{1,0}"),
            (5, "s32[]"),
        ],
    ),
    (
        "trace.log",
        include_str!("data/public/trace.log"),
        // `torch.Size` has no strides behind a comma.
        &[(7, "shape=(64, 32), strides=(64, 2), itemsize=2")],
    ),
];

/// The encodings that aliases of the first file stand for.
fn written_out(text: &str) -> String {
    let blocked = "#ttg.blocked<{sizePerThread = [8, 4], threadsPerWarp = [4, 4], warpsPerCTA = [4, 1], order = [1, 0]}>";
    let dpas = "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, \
                warpsPerCTA = [4, 1], repCluster = [4, 1], A = [32, 16], B = [16, 16], C = [32, 16]}>";
    text.replace("BLOCKED", blocked).replace("DPAS", dpas)
}

#[test]
fn the_layouts_of_public_files_are_found_and_nothing_else() {
    for (name, text, wanted) in FILES {
        let (mut scan, mut found) = (LayoutScan::new(text.as_bytes()), Vec::new());
        while let Some(layout) = scan.next_layout().unwrap() {
            let mark = if layout.refusal().is_some() { "!" } else { "" };
            found.push((layout.line(), format!("{mark}{}", layout.text())));
        }
        let wanted: Vec<(u64, String)> =
            wanted.iter().map(|(line, text)| (*line, written_out(text))).collect();
        assert_eq!(found, wanted, "{name}");
        assert_eq!(scan.bytes(), text.len() as u64, "{name}");
    }
}
