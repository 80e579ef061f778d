//! What people paste: texts of public reports, each answered by one command, or refused by the name of what is in the way.

use std::io::Write;
use std::process::Stdio;

use crate::command;
use looked_up::LOOKED_UP;

mod looked_up;

/// Where it was seen, the arguments (`@` is the text, `-` reads it), the text, and a part of the answer; an answer that begins
/// with `error: ` is a refusal.
type Paste = (&'static str, &'static [&'static str], &'static str, &'static str);

fn answer(args: &[&str], text: &str) -> (bool, String) {
    let args: Vec<&str> = args.iter().map(|arg| if *arg == "@" { text } else { arg }).collect();
    let mut child = command(&args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).ok();
    let output = child.wait_with_output().unwrap();
    let both = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(both).unwrap())
}

#[test]
fn every_paste_is_answered_or_refused_by_name() {
    let wrong: Vec<String> = PASTES
        .iter()
        .chain(FOUND)
        .chain(LOOKED_UP)
        .filter_map(|(source, args, text, wanted)| {
            let (is_answer, found) = answer(args, text);
            let is_no =
                wanted.starts_with("error: ") || args.contains(&"same") && *wanted != "same";
            let is_right = is_answer != is_no && found.contains(wanted);
            (!is_right).then(|| format!("{source}: {args:?}\nwanted {wanted}\n{found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}

const OOM: &str = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.
BufferAssignment OOM Debugging.
BufferAssignment stats:
             parameter allocation:    1.00MiB
        maybe_live_out allocation:    6.00MiB
Peak buffers:
\tBuffer 2:
\t\tSize: 384.0KiB
\t\tEntry Parameter Subshape: f32[256,128,3]
\t\t==========================
";

const ESCAPED: &str = r#"{"textPayload": "Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.\n\nTotal hbm usage >= 41.74G:\n    reserved  528.00M\n    program   41.22G\n\n  Largest program allocations in hbm:\n\n  1. Size: 32.00G\n     Shape: s32[8388608,8,4]{2,1,0:T(8,128)}\n     Unpadded size: 1.00G\n     Extra memory due to padding: 31.00G (32.0x expansion)\n     XLA label: %copy.1 = s32[8388608,8,4]{2,1,0:T(8,128)} copy(%p)\n     Allocation type: HLO temp\n     ==========================\n"}"#;

const REDUCED: &str = "HloModule m, replica_count=4
ENTRY e {
  input = f32[8]{0} parameter(0)
  ROOT r = f32[8]{0} collective-reduce(input), replica_groups={{0,1},{2,3}}, has_dynamic_root=false, to_apply=add
}
";

const STARTED: &str = r#"HloModule m, num_partitions=2
ENTRY e {
  p0 = f32[8]{0} parameter(0)
  ROOT s = (f32[8]{0}, f32[16]{0}) custom-call(p0), custom_call_target="all-gather-start", frontend_attributes={async_collective_config="{\"all_gather_dimension\":0,\"replica_groups\":[[0,1]]}"}
}
"#;

const BARRIER: &str = "HloModule m, num_partitions=2
ENTRY e {
  p0 = f32[8]{0} parameter(0)
  p1 = f32[8]{0} parameter(1)
  t = (f32[8]{0}, f32[8]{0}) tuple(p0, p1)
  %optimization_barrier.8 = (f32[8]{0}, f32[8]{0}) opt-barrier(t)
  ROOT g = f32[16]{0} all-gather(%optimization_barrier.8#1), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
}
";

const STABLE: &str = r#"module @jit_f {
  func.func public @main(%arg0: tensor<129x1024xf32> {mhlo.layout_mode = "{0,1:T(8,128)}", mhlo.memory_kind = "pinned_host"}, %arg1: tensor<64x128xi4>) -> tensor<8xf32> {
  }
}
"#;

const ONE_GROUP: &str = "HloModule m, num_partitions=2
ENTRY e {
  p0 = f32[8]{0} parameter(0)
  ROOT g = f32[8]{0} all-reduce(p0), channel_id=37, replica_groups={{0}}, to_apply=add
}
";

const GATHER: &str = r#"{"trigger": "SwitchInput", "op_type": "Gather", "shape": [151936, 1536], "layout": "((75_Time:4, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (4_Time:1, 24:16, 4_W:1, 4_PE:1); B@[L1B])"}"#;

const HALO: &str = "((2_L2B:1, 16_MAB, 4:64), (2_L1B:4, 4_PE, 2_W, 8:1), (4_L2B:2, 4_L1B:1, 8:8))";

const PASTES: &[Paste] = &[
    ("jax-ml/jax#13428", &["hlo", "-"], OOM, "384.00 KiB         0 B  line 8: entry parameter"),
    (
        "pytorch/xla#2605, form",
        &["hlo", "-"],
        ESCAPED,
        "32.00 GiB   31.00 GiB  line 1: %copy.1, HLO temp",
    ),
    (
        "pytorch/xla#2605, form",
        &["scan", "-"],
        ESCAPED,
        "1.00 GiB as s32[8388608,8,4]{0,1,2:T(8,128)}",
    ),
    (
        "openxla/xla, tests of the parser",
        &["hlo", "-", "--collectives", "CHIP=4"],
        REDUCED,
        "the bytes that `collective-reduce` moves between devices are not counted: r",
    ),
    (
        "openxla/xla, asynchronous collectives",
        &["hlo", "-", "--collectives", "CHIP=2"],
        STARTED,
        "the bytes that `all-gather-start` moves between devices are not counted: s",
    ),
    (
        "openxla/xla, asynchronous collectives",
        &["hlo", "-", "--collectives", "CHIP=2"],
        BARRIER,
        "64 B        64 B        32 B  all-gather g",
    ),
    ("JAX 0.10", &["hlo", "-"], STABLE, "argument %arg0 of @main, line 2, in pinned_host"),
    ("JAX 0.10", &["scan", "-"], STABLE, "f32[129,1024]{0,1:T(8,128)}"),
    (
        "openxla/xla#5655",
        &["hlo", "-", "--collectives", "CHIP=2"],
        ONE_GROUP,
        "each replica is all 2 partitions",
    ),
    (
        "vllm-project/tpu-inference#3408",
        &["hlo", "-"],
        "Attempting to allocate 1.13G. That was not possible. There are 528.72M free.",
        "needs 1.13G of 528.72M",
    ),
    (
        "NVIDIA/cutlass#2834, form",
        &["locate", "@", "9,0,3"],
        "tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o ((64,16),1,(4,2)):((64,1),0,(16,4096))>",
        "Addr=",
    ),
    (
        "NVIDIA/cutlass#2629, form",
        &["locate", "@", "3,1"],
        "raw_ptr(0x400: f16, smem, align<1024>) o (8,8):(8,1)",
        "Addr=25",
    ),
    (
        "CuTe DSL IR",
        &["scan", "-"],
        "%1 = !cute.memref<f16, smem, align<1024>, S<3,4,3>, \"((128,16),1,4,6):((64,1),0,16,8192)\">",
        "!cute.memref<f16, smem, align<1024>, S<3,4,3>",
    ),
    (
        "pycute",
        &["scan", "-"],
        "L = SW_3_4_3 o 0 o (8, 64):(64, 1)",
        "SW_3_4_3 o 0 o (8, 64):(64, 1)",
    ),
    (
        "NVIDIA/cutlass#2728, form",
        &["convert", "@", "--to", "cute"],
        "cute::Layout<cute::tuple<cute::C<(int)128>, cute::C<(int)64>>, cute::tuple<cute::C<(int)64>, cute::C<(int)1>>>",
        "(128,64):(64,1)",
    ),
    (
        "intel/sycl-tla#194",
        &["edit", "(128,64):(64,1)", "--divide", "@"],
        "Tile<Layout<_8,_1>, Layout<_4,_1>>",
        "((8,16),(4,16)):((64,512),(1,4))",
    ),
    (
        "triton-lang/triton#7354, form",
        &["explain", "@"],
        "!ttg.memdesc<3x128x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>",
        "Addr += 8192 x i0",
    ),
    (
        "intel/intel-xpu-backend-for-triton#3816",
        &["explain", "@"],
        "#mma = #triton_intel_gpu.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, \
         warpsPerCTA = [32, 1], repCluster = [1, 2], A = [8, 16], B = [16, 32], C = [8, 32]}>\ntensor<256x32xf32, #mma>",
        "LANE",
    ),
    (
        "pytorch/pytorch#168134",
        &["explain", "@"],
        "f32[5,7], sharding=(_StridedShard(dim=0, sf=2), Shard(dim=0)), mesh=x=2,y=2",
        "4 devices, each element on 1 of them",
    ),
    (
        "pytorch/pytorch#170915, form",
        &["explain", "@"],
        "f32[9,4], sharding=(_StridedShard(dim=0, sf=2), Shard(dim=0)), mesh=x=2,y=2",
        "4 devices, each element on 1 of them",
    ),
    (
        "PFN's fine-tuning example",
        &["scan", "-", "--machine", "mn-core-2"],
        GATHER,
        "fits LM0 (384 of 2048)",
    ),
    (
        "PFN's slides",
        &["explain", "@", "--machine", "mn-core-2"],
        HALO,
        "LM0: 256 of 2048 long words",
    ),
    ("Physical-Intelligence/openpi#112", &["relayout", "@"], RESHARDED, "394985472  75.0 %"),
    (
        "jax-ml/jax#21562",
        &["relayout", "@"],
        "[spmd] Involuntary full rematerialization. The compiler was not able to go from sharding {devices=[2,1,4]<=[4,2]T(1,0)} to {devices=[1,8,1]<=[8]} without doing a full rematerialization of the tensor. You probably",
        "error: the second layout is missing, and the warning does not name the shape of the tensor",
    ),
    (
        "EnzymeAD/Enzyme-JAX#822",
        &["relayout", "-"],
        PADDED,
        "error: the sharding has tiles for 3 dimensions, but the tensor has 1",
    ),
];

const MODULE: &str = "#shared = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>
#smem = #ttg.shared_memory
module attributes {\"ttg.num-warps\" = 8 : i32, \"ttg.threads-per-warp\" = 64 : i32} {
  tt.func public @alloc_convert_small_load(%arg0: tensor<128x128xf16>) attributes {noinline = false} {
    %1 = ttg.local_alloc %arg0 : (tensor<128x128xf16>) -> !ttg.memdesc<128x128xf16, #shared, #smem>
";

const SPARSE: &str = "error: TensorSFB=cute::Tensor<cute::ViewEngine<cute::ArithmeticTupleIterator<cute::ArithmeticTuple<cute::C<0>, cute::C<0>>>>, \
    cute::Layout<cute::tuple<cute::tuple<cute::_32, cute::_4>, int32_t>, cute::tuple<cute::tuple<cute::ScaledBasis<cute::C<8>, 0>, \
    cute::ScaledBasis<cute::C<2>, 0>>, cute::ScaledBasis<cute::R<1, 2>, 0>>>>";

const FLOWPM: &str = "Compilation failure: Ran out of memory in memory space hbm. Used 41.74G of 16.00G hbm. Exceeded hbm capacity by 25.74G.

Total hbm usage >= 41.74G:
    reserved        528.00M
    program          41.22G
    arguments       unknown size

Program hbm requirement 41.22G:
    reserved           4.0K
    global           29.82M
    HLO temp         41.19G (24.2% utilization, 0.7% fragmentation (293.84M))

  Largest program allocations in hbm:

  1. Size: 32.00G
     Operator: op_type=\"FloorMod\" op_name=\"slicewise_79/cic_update/FloorMod\"
     Shape: s32[8388608,8,4]{2,1,0:T(8,128)}
     Unpadded size: 1.00G
     Extra memory due to padding: 31.00G (32.0x expansion)
     XLA label: %copy.40488 = s32[8388608,8,4]{2,1,0:T(8,128)} copy(s32[8388608,8,4]{0,2,1:T(4,128)} %get-tuple-element.32429)
     Allocation type: HLO temp
";

const SHARDED: &str = "Program hbm requirement 15.45G:
    global            2.36M
    scoped            3.88M
    HLO temp         15.45G (60.9% utilization: Unpadded (9.40G) Padded (15.44G), 0.0% fragmentation (5.52M))

  Largest program allocations in hbm:

  1. Size: 4.00G
     Shape: bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}
     Unpadded size: 1.00G
     Extra memory due to padding: 3.00G (4.0x expansion)
     XLA label: broadcast.6042.remat3 = broadcast(bitcast.26), dimensions={2,3}
     Allocation type: HLO temp
     ==========================
";

const SPILLED: &str = "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space vmem. Used 29.95M of 16.00M vmem. Exceeded vmem capacity by 13.95M.

Program vmem requirement 29.95M:
    scoped           29.95M

  Largest program allocations in vmem:

  1. Size: 29.66M
     XLA label: register allocator spill slots call depth 2
     Allocation type: scoped
     ==========================
";

const STAMPED: &str = "2020-05-04 09:05:40.721128: E    1578 tensorflow/compiler/xla/xla_client/xla_util.cc:76]      Shape: bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}
2020-05-04 09:05:40.721136: E    1578 tensorflow/compiler/xla/xla_client/xla_util.cc:76]      Unpadded size: 48.00M
";

const PADDED: &str = "2025-04-14 17:55:24.092274: E external/xla/xla/service/spmd/spmd_partitioner.cc:621] [spmd] Involuntary full rematerialization. \
    The compiler was not able to go from sharding {devices=[1,1,2,2]<=[4] last_tile_dim_replicate} to {devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate} \
    without doing a full rematerialization of the tensor for HLO operation: %pad = f64[96]{0} pad(%broadcast.690, %constant), padding=8_7, \
    sharding={devices=[1,1,2,2]<=[4] last_tile_dim_replicate}.";

const RESHARDED: &str = "E external/xla/xla/service/spmd/spmd_partitioner.cc:613] [spmd] Involuntary full rematerialization. The compiler was not \
    able to go from sharding {maximal device=0} to {devices=[4,1]<=[4]} without doing a full rematerialization of the tensor for HLO operation: \
    %get-tuple-element = f32[257152,2048]{1,0} get-tuple-element((token[], f32[1152]{0}) %p), index=1, sharding={maximal device=0}.";

/// Texts of public issues, from September to November 2026 and before.
const FOUND: &[Paste] = &[
    (
        "triton-lang/triton#7606",
        &["scan", "-"],
        MODULE,
        "swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [0, 1]}>",
    ),
    // Column 3 flips 4 x 3 of the row.
    ("triton-lang/triton#7606", &["locate", "@", "5,3"], MODULE, "Addr=393"),
    (
        "facebookexperimental/triton#165",
        &["locate", "@", "20,7"],
        "#tmem = #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, unpacked = true>\n!ttg.memdesc<64x64xf32, #tmem, #ttng.tensor_memory, mutable>",
        "ROW=36,Addr=7",
    ),
    (
        "facebookexperimental/triton#165",
        &["locate", "@", "20,40"],
        "#blocked = #ttg.blocked<{sizePerThread = [1, 32], threadsPerWarp = [16, 2], warpsPerCTA = [4, 1], order = [0, 1]}>\ntensor<64x64xf32, #blocked>",
        "WARP=1,LANE=20,Addr=8",
    ),
    // Buffers of 64 rows take columns of their own.
    (
        "triton-lang/triton#9268",
        &["locate", "@", "1,0,0"],
        "!ttg.memdesc<2x64x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 128, colStride = 1>, #ttng.tensor_memory, mutable>",
        "ROW=0,Addr=128",
    ),
    (
        "triton-lang/triton#1910",
        &[
            "relayout",
            "tensor<32x32xi32, #triton_gpu.blocked<{sizePerThread = [1, 1], threadsPerWarp = [4, 16], warpsPerCTA = [1, 2], order = [1, 0]}>>",
            "@",
        ],
        "tensor<32x32xi32, #triton_gpu.blocked<{sizePerThread = [1, 2], threadsPerWarp = [4, 16], warpsPerCTA = [1, 1], order = [1, 0]}>>",
        "1024 elements",
    ),
    (
        "triton-lang/triton#5301",
        &["locate", "@", "5,9"],
        "tensor<64x64xf32, #ttg.amd_wmma<{version = 2, warpsPerCTA = [2, 2], isTranspose = true}>>",
        "WARP=0,LANE=21,Addr=1",
    ),
    (
        "triton-lang/triton#8946",
        &["locate", "@", "0,16"],
        "tensor<64x64xf32, #ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {register = [[0, 1], [1, 0]], warp = [[0, 2], [2, 0]]}, instrShape = [16, 16, 32]}>>",
        "WARP=0,LANE=0,Addr=8",
    ),
    (
        "triton-lang/triton#11166",
        &["locate", "@", "16,0"],
        "tensor<128x128xf32, #ttg.amd_wmma<{version = 3, isTranspose = true, ctaLayout = {warp = [[0, 1], [1, 0]]}, instrShape = [32, 16, 128]}>>",
        "WARP=2,LANE=0,Addr=0",
    ),
    (
        "triton-lang/triton#10453",
        &["locate", "@", "3,2"],
        "!ttg.memdesc<64x32xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = true, elementBitWidth = 16}>, #ttg.shared_memory>",
        "Addr=131",
    ),
    (
        "triton-lang/triton#2627",
        &["locate", "@", "3,2"],
        "tensor<64x32xf16, #triton_gpu.nvidia_mma<{versionMajor = 1, versionMinor = 0, warpsPerCTA = [1, 4], instrShape = [16, 16]}>>",
        "error: version 1 is not supported",
    ),
    (
        "Cambricon/triton-linalg#12",
        &["explain", "@"],
        "tensor<32x32x!tt.ptr<f16>>",
        "error: elements of another dialect have no size",
    ),
    ("NVIDIA/cutlass#3253", &["edit", "@", "--complement", "24"], "6:4", "4:1"),
    (
        "NVIDIA/cutlass#3254",
        &["locate", "@", "9,3"],
        "SM90_64x8x16_F32F16F16_SS:C",
        "WARP=0,LANE=5,Addr=3",
    ),
    (
        "NVIDIA/cutlass#3172",
        &["locate", "@", "0,1"],
        "composition(Swizzle<3,3,4>{}, Layout<Shape<_128,_8>, Stride<_1,_128>>{})",
        "Addr=136",
    ),
    (
        "NVIDIA/cutlass#2722",
        &["edit", "@", "--inverse", "left"],
        "cute.make_layout((4, 4), stride=(4, 1))",
        "(4,4):(4,1)",
    ),
    (
        "NVIDIA/cutlass#1858",
        &["convert", "@", "--to", "cute"],
        "Layout<Shape <_64,_32,   _2>,\n                                      Stride<_32, _1,_2048>>{}",
        "(64,32,2):(32,1,2048)",
    ),
    (
        "NVIDIA/cutlass#3393",
        &["scan", "-"],
        SPARSE,
        "`int32_t` is a number that is only known at run time",
    ),
    ("NVIDIA/cutlass#1988", &["locate", "@", "9,2"], "SM90_U32x4_STSM_N:S", "LANE=5,Addr=2"),
    (
        "Bruce-Lee-LY/cuda_hgemm#4",
        &["access", "(16,8):(16,1)", "@", "--bits", "16"],
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16:S",
        "shared   4 wavefronts, 2 without conflicts",
    ),
    (
        "xlite-dev/LeetCUDA#399",
        &["access", "(8,128):(128,1)", "@", "--bits", "32"],
        "((8_WARP:1), (32_LANE:1, 4:1))",
        "shared   32 wavefronts, 32 without conflicts",
    ),
    ("DifferentiableUniverseInitiative/flowpm#27", &["hlo", "-"], FLOWPM, "32.00 GiB   31.00 GiB"),
    ("pytorch/xla#6674", &["hlo", "-"], SHARDED, "4.00 GiB    3.00 GiB"),
    ("pytorch/xla#7942", &["hlo", "-"], SPILLED, "vmem needs 29.95M of 16.00M"),
    ("pytorch/xla#9524", &["explain", "@"], "f32[128,6]{1,0:T(8,128)}", "64.00 KiB"),
    ("NVIDIA/cutlass#3468", &["locate", "@", "9,1"], "S<3,4,3> o 0 o (10,2):(2,1)", "Addr=19"),
    (
        "pytorch/xla#1965",
        &["scan", "-"],
        STAMPED,
        "48.00 MiB   48.00 MiB    0.0 %  bf16[512,16,3072]{2,1,0:T(8,128)(2,1)}",
    ),
    (
        "pytorch/xla#1735",
        &["hlo", "-"],
        "Attempting to reserve 3.95G at the bottom of memory. That was not possible. There are 1.92G free, 0B reserved, and 1.92G reservable.;",
        "needs 3.95G of 1.92G",
    ),
    ("sokrypton/ColabFold#62", &["explain", "@"], "f32[1024,245,64]{1,2,0:T(8,128)}", "61.25 MiB"),
    (
        "pytorch/xla#8732",
        &["same", "f32[16,3072]{1,0:T(128)S(1)}", "@"],
        "f32[16,3072]{1,0:T(8,128)S(1)}",
        "element (1, 0) is at Addr=3072 in the first layout and at Addr=128 in the second",
    ),
    (
        "openxla/xla#15207",
        &["relayout", "f32[16,16,16], sharding={devices=[2,1,4]<=[4,2]T(1,0)}", "@"],
        "f32[16,16,16], sharding={devices=[1,8,1]<=[8]}",
        "4096 elements",
    ),
    (
        "EnzymeAD/Enzyme-JAX#822",
        &["scan", "-"],
        PADDED,
        "the sharding has tiles for 3 dimensions, but the tensor has 1",
    ),
    (
        "alpa-projects/alpa#701",
        &["explain", "@"],
        "f32[8,4,4,4], sharding={devices=[4,1,1,1]0,1,2,3}",
        "4 devices",
    ),
    (
        "openxla/xla#4062",
        &["scan", "-"],
        "param = f32[2048,8192]{1,0} parameter(0), sharding={devices=[4,1,2]0,1,2,3,4,5,6,7 last_tile_dim_replicate}",
        "2048 x 8192; bytes of one device",
    ),
    (
        "jax-ml/jax#32123",
        &["explain", "@"],
        "memref<32xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>",
        "error: this is only known at run time",
    ),
    (
        "jax-ml/jax#18388",
        &["scan", "-"],
        "(vector<256x128xf32>, vector<16x128xf32>, vector<256x16xf32>) -> vector<256x16xf32>",
        "error: -: no layout was found",
    ),
    (
        "llvm/llvm-project#80551",
        &["locate", "@", "3,2"],
        "memref<5x5xf32, strided<[10, 1]>>",
        "Addr=32",
    ),
    (
        "llvm/llvm-project#80551",
        &["scan", "-"],
        "memref.subview %subview[%arg2, %arg3] [1, 1] [1, 1] : memref<5x5xf32, strided<[10, 1]>> to memref<f32, strided<[], offset: ?>>",
        "memref<5x5xf32, strided<[10, 1]>>",
    ),
    (
        "llvm/llvm-project#79393",
        &["locate", "@", "1,0,0,0"],
        "memref<7x22x333x4444xi32>",
        "Addr=32556744",
    ),
    (
        "llvm/llvm-project#70999",
        &["explain", "@"],
        "memref<32xi4, strided<[1], offset:?>>",
        "error: this is only known at run time",
    ),
    (
        "iree-org/iree#7631",
        &["explain", "@"],
        "affine_map<()[s0] -> (s0 * 4)>",
        "error: an affine map alone has no extents",
    ),
    (
        "ROCm/rocMLIR#348",
        &["explain", "@"],
        "memref<1x2x4x2x4xf32, affine_map<(d0, d1, d2, d3, d4)[s0] -> (d0 * 217432719360000 + s0 + d1 * 54358179840000 + d2 * 13271040000 + d3 * 4096 + d4)>>",
        "error: symbols are numbers that are only known at run time",
    ),
    (
        "pytorch/pytorch#113437",
        &["locate", "@", "0,1,2,3"],
        "torch.Size([2, 3, 4, 5]) (60, 1, 15, 3)",
        "Addr=40",
    ),
    (
        "pytorch/pytorch#107026",
        &["same", "torch.Size([1, 4, 4]) (4, 4, 1)", "@"],
        "torch.Size([1, 4, 4]) (16, 4, 1)",
        "same",
    ),
    (
        "pytorch/pytorch#85558",
        &["same", "torch.Size([2, 1, 3, 4, 5]) (60, 120, 20, 5, 1)", "@"],
        "torch.Size([2, 1, 3, 4, 5]) (60, 60, 20, 5, 1)",
        "same",
    ),
    (
        "pytorch/pytorch#78611",
        &["same", "torch.Size([1, 2, 3, 4]) (24, 1, 8, 2)", "@"],
        "torch.Size([1, 2, 3, 4]) (2, 1, 8, 2)",
        "same",
    ),
];
