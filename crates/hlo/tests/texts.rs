//! Texts that are not dumps: printed output of JAX, out-of-memory messages, and files that XLA writes.

use tensor_layout::LayoutText;
use tensor_layout_hlo::{
    HloAllocations, HloTextKind, LogAllocation, OutOfMemory, UnreadLine, jax_print,
};
use tensor_layout_show::pages::hlo as pages;

const NAMED: &str = "NamedSharding(mesh=Mesh('x': 2, 'y': 4, axis_types=(Explicit, Explicit)), \
     spec=P('x', None), memory_kind=device)";

/// The layout that a text is read as, or the error message.
fn read(text: &str) -> Result<String, String> {
    let read = match LayoutText::parse(text) {
        Ok(layout) => Ok(layout.to_string()),
        Err(_) => {
            jax_print(text).expect(text).map_err(|why| format!("{why}; {}", why.help().unwrap()))
        }
    };
    if let Ok(layout) = &read {
        // The result can be lowered.
        assert!(LayoutText::parse(layout).unwrap().lower().is_ok(), "{layout}");
    }
    read
}

#[test]
fn every_print_of_jax_with_a_shape_and_sizes_is_read() {
    for (text, layout) in [
        ("ShapeDtypeStruct(shape=(16, 32), dtype=float32)", "f32[16,32]"),
        ("ShapeDtypeStruct(shape=(16,), dtype=int8, weak_type=True)", "s8[16]"),
        ("ShapeDtypeStruct(shape=(), dtype=bool)", "pred[]"),
        (
            "ShapeDtypeStruct(shape=(16, 32), dtype=bfloat16, format=Layout(major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=0))",
            "bf16[16,32]{0,1:T(8,128)(2,1)}",
        ),
        (
            "ShapeDtypeStruct(shape=(16, 32), dtype=float32, sharding=SingleDeviceSharding(device=CpuDevice(id=3), memory_kind=device))",
            "f32[16,32], sharding={maximal device=3}",
        ),
        (
            "f32[16,32], sharding=GSPMDSharding({devices=[2,1,4]<=[8] last_tile_dim_replicate}, memory_kind=device)",
            "f32[16,32], sharding={devices=[2,1,4]<=[8] last_tile_dim_replicate}",
        ),
        ("float32[16,32]", "f32[16,32]"),
        ("ShapedArray(float32[16,32])", "f32[16,32]"),
        ("ShapedArray(float32[16,32], weak_type=True)", "f32[16,32]"),
        ("float32[8,8]{V:(x,y)}", "f32[8,8]"),
        ("float32[8,32]{U:y}", "f32[8,32]"),
        ("float32<host>[16,32]", "f32[16,32]{1,0:S(5)}"),
        ("~float32[]", "f32[]"),
        ("bfloat16[3]", "bf16[3]"),
        ("a:f32[16,32]", "f32[16,32]"),
        ("float8_e4m3fn[16]", "f8e4m3fn[16]"),
        ("tensor<16x32xf32>", "f32[16,32]"),
        ("tensor<f32>", "f32[]"),
        ("tensor<4xui8>", "u8[4]"),
        ("tensor<4x5xcomplex<f64>>", "c128[4,5]"),
        ("tensor<8xf8E4M3FN>", "f8e4m3fn[8]"),
        ("%arg0: tensor<16x32xf32> loc(unknown)", "f32[16,32]"),
        (
            r#"tensor<16x32xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}"#,
            "f32[16,32], sharding={devices=[2,4]<=[8]}",
        ),
        (
            r#"%arg0: tensor<16xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}"#,
            r#"f32[16], sharding=#sdy.sharding<mesh<["x"=2]>, [{"x"}]>"#,
        ),
        (
            "f32[16,32], sharding=NamedSharding(mesh=AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Auto), device_kind=cpu, num_cores=None, platform=cpu), spec=P('x', reduced={'y'}))",
            "f32[16,32], sharding=P('x', reduced={'y'}), mesh=mesh['x'=2,'y'=4]",
        ),
        (
            "f32[16,32], sharding=NamedSharding(mesh=Mesh(axis_sizes=(2, 4), axis_names=('x', 'y'), axis_types=(Auto, Auto)), spec=P('x', None), memory_kind=device)",
            "f32[16,32], sharding=P('x', None), mesh=mesh['x'=2,'y'=4]",
        ),
    ] {
        assert_eq!(read(text), Ok(layout.to_owned()), "{text}");
    }
    let named = format!("ShapeDtypeStruct(shape=(16, 32), dtype=float32, sharding={NAMED})");
    assert_eq!(read(&named), Ok(format!("f32[16,32], sharding={NAMED}")));
}

#[test]
fn every_print_of_jax_without_them_is_refused_by_its_name() {
    let behind = "pass it after a shape: f32[16,32], sharding=";
    let in_mesh = "pass it in a sharding after a shape: f32[16,32], sharding=NamedSharding(mesh=";
    let spec = "a PartitionSpec has neither shape nor mesh; pass it after a shape";
    let axes =
        "this type names axes of a mesh, whose sizes it does not have; pass f32[16,32], sharding=";
    for (text, why) in [
        (
            "Mesh(axis_sizes=(2, 4), axis_names=('x', 'y'), axis_types=(Auto, Auto))",
            "a mesh has no shape; ",
        ),
        (
            "Mesh('x': 2, 'y': 4, axis_types=(Auto, Auto))",
            &format!("a mesh has no shape; {in_mesh}Mesh('x': 2"),
        ),
        ("AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Auto))", "a mesh has no shape; "),
        (
            "AbstractMesh('x': 2, axis_types=(Auto,), device_kind=cpu, num_cores=None, platform=cpu)",
            "a mesh has no shape; ",
        ),
        ("P('x', None)", spec),
        ("P(('x', 'y'), None)", spec),
        ("P()", spec),
        ("P('x',)", spec),
        ("P(UNCONSTRAINED, 'x')", spec),
        ("P('x', unreduced={'y'})", spec),
        ("PartitionSpec('x', None)", spec),
        (NAMED, &format!("a sharding has no shape; {behind}NamedSharding")),
        (
            "SingleDeviceSharding(device=CpuDevice(id=0), memory_kind=device)",
            &format!("a sharding has no shape; {behind}{{maximal device=0}}"),
        ),
        (
            "GSPMDSharding({replicated}, memory_kind=device)",
            &format!("a sharding has no shape; {behind}{{replicated}}"),
        ),
        ("SdyArray([{'x'}, {}])", "an SdyArray has neither shape nor mesh; "),
        (
            "Layout(major_to_minor=(1, 0), tiling=((8, 128), (2, 1)), sub_byte_element_size_in_bits=4)",
            "a Layout has no shape; pass it after the type and the extents: {0,1:T(8,128)(2,1)E(4)}",
        ),
        (
            "Layout(major_to_minor=(0, 1), tiling=None, sub_byte_element_size_in_bits=0)",
            "a Layout has no shape; pass it after the type and the extents: {1,0}",
        ),
        ("Format(layout=AUTO, sharding=None)", "a Format has no shape; "),
        (
            &format!("Format(layout=Layout(major_to_minor=(0, 1), tiling=()), sharding={NAMED})"),
            "a Format has no shape; ",
        ),
        ("float32[16@x,32@y]", &format!("{axes}P('x', 'y'), mesh=x=2,y=4")),
        ("ShapedArray(float32[16@x,32@y])", &format!("{axes}P('x', 'y'), mesh=")),
        ("float32[16@(x,y),32]", &format!("{axes}P(('x', 'y'), None), mesh=")),
        ("float32[16,32@y]", &format!("{axes}P(None, 'y'), mesh=")),
        ("float32[16@x,32]{U:y}", &format!("{axes}P('x', None, unreduced={{'y'}}), mesh=")),
        ("a:f32[16@x,32@y]", axes),
        ("key<fry>[]", "an array of random keys has no layout of its own; "),
        (&format!("(({NAMED}, {NAMED}), {{}})"), "these are the shardings of several arrays"),
        (
            "Shard(device=CpuDevice(id=1), index=(slice(0, 8, None),), replica_id=0, data=[[0.",
            "a Shard has an index",
        ),
        (
            "{CpuDevice(id=0): (slice(0, 8, None), slice(None, None, None)), CpuDevice(id=1): ..}",
            "a map from devices",
        ),
        (
            "((ArgInfo(_aval=ShapedArray(float32[16,32]), donated=False), ..), {})",
            "args_info has several arrays",
        ),
        (
            "CompiledMemoryStats(generated_code_size_in_bytes=0, argument_size_in_bytes=512)",
            "memory statistics are sums",
        ),
        (
            "┌───────┬───────┐\n│ CPU 0 │ CPU 1 │\n└───────┴───────┘",
            "this is a drawing of a sharding",
        ),
        (
            "module @jit_f attributes {mhlo.num_partitions = 8 : i32} {",
            "this is a part of an MLIR module",
        ),
        ("sdy.mesh @mesh = <[\"x\"=2, \"y\"=4]>", "this is a part of an MLIR module"),
        (
            "tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}, {}]>}",
            "the mesh of this sharding is defined elsewhere",
        ),
        ("tensor<?x4xf32>", "a dimension `?` has no size"),
        ("tensor<4xindex>", "the size of `index` depends on the target"),
    ] {
        let refusal = read(text).expect_err(text);
        assert!(refusal.starts_with(why), "{text}: {refusal}");
    }
}

const LOG: &str = include_str!("data/out_of_memory.txt");

fn only(log: &str) -> OutOfMemory {
    let [message] = OutOfMemory::read_all(log).try_into().unwrap();
    message
}

#[test]
fn each_message_of_a_log_has_its_own_limit_and_sum() {
    let messages =
        OutOfMemory::read_all(&format!("{LOG}step 2\n{}", LOG.replace("20.50G", "21.50G")));
    let [first, second] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(pages::out_of_memory(first, None), pages::out_of_memory(&only(LOG), None));
    assert_eq!(second.total(), first.total());
    assert_eq!(second.limits[0].needed.to_string(), "21.50G");
}

#[test]
fn an_out_of_memory_message_is_read_whole_behind_any_prefix() {
    let plain = only(LOG);
    let logged: String = LOG
        .lines()
        .map(|line| format!("(Engine pid=7) ERROR 06-03 07:41:11 [core.py:11] {line}\n"))
        .collect();
    let logged = only(&logged);
    for message in [&plain, &logged] {
        assert_eq!(
            (message.limits.len(), message.parts.len(), message.allocations.len()),
            (1, 6, 3)
        );
        assert!(message.allocations.iter().all(LogAllocation::agrees));
        let padding: Vec<_> =
            message.allocations.iter().map(|one| one.padding().unwrap() >> 20).collect();
        assert_eq!(padding, [7936, 0, 192]);
        assert_eq!(message.allocations[0].source.as_deref(), Some("f.py:12"));
        assert_eq!(message.largest_saving().unwrap().line, 17);
        assert_eq!(message.arguments().unwrap().bytes(), Some(4 << 30));
    }
    assert_eq!(pages::out_of_memory(&plain, None), pages::out_of_memory(&logged, None));
}

#[test]
fn a_shape_that_lacks_its_tiles_is_given_those_that_take_what_the_log_says() {
    let log =
        "  1. Size: 8.00G\n     Shape: f32[256,512,128,2]{3,2,1,0}\n     Unpadded size: 128.00M\n";
    let message = only(log);
    let one = &message.allocations[0];
    assert_eq!(one.tiled.as_ref().unwrap().to_string(), "f32[256,512,128,2]{3,2,1,0:T(8,128)}");
    assert_eq!((one.bytes(), one.agrees()), (Some(8 << 30), false));
    assert!(
        pages::out_of_memory(&message, None)
            .unwrap()
            .contains("the layout in the log lacks its tiles")
    );
}

#[test]
fn short_messages_say_how_much_of_what() {
    let said = |log: &str| {
        let message = only(log);
        pages::out_of_memory(&message, None).unwrap()
    };
    for (log, page) in [
        (
            "Ran out of memory in memory space vmem while allocating on stack for %flash.7 = bf16[8,128] custom-call(..). Used 18.00M of 16.00M vmem. ..",
            "line 1: vmem needs 18.00M of 16.00M, for flash.7 = bf16[8,128] custom-call(..)\n",
        ),
        (
            "RESOURCE_EXHAUSTED: Allocation (size=1073741824) would exceed memory (size=536870912) :: #allocation3 [shape = 'u8[32768,32768]{1,0}', space=hbm, size = 0xffffffffffffffff, tag = 'output of fusion.1@{}'] :: <no-hlo-instruction>",
            "line 1: hbm needs 1073741824B of 536870912B, for output of fusion.1@{}\n",
        ),
        (
            "TPU TensorCore Hbm usage: 20.00G, SparseCore Hbm usage 12.00G, exceeding available bytes: 30.00G",
            "line 1: TensorCore hbm (beside 12.00G of SparseCore) needs 20.00G of 30.00G\n",
        ),
        (
            "Out of memory while trying to allocate 214748364800 bytes",
            "line 1: device needs 214748364800B\n",
        ),
        (
            "Failed to allocate request for 256.00MiB (268435456B) on device ordinal 0",
            "line 1: device ordinal 0 needs 268435456B\n",
        ),
    ] {
        assert_eq!(HloTextKind::of(log.as_bytes()), HloTextKind::OutOfMemory, "{log}");
        assert_eq!(said(log), page);
    }
    let buffers = "BufferAssignment OOM Debugging.\nPeak buffers:\n\tBuffer 1:\n\t\tSize: 8.00GiB\n\t\tOperator: op_name=\"jit(f)/add\"\n\t\tXLA Label: fusion\n\t\tShape: f32[2147483648]\n\t\t==========================\n";
    let message = only(buffers);
    let one = &message.allocations[0];
    assert_eq!(
        (one.agrees(), one.op_name.as_deref(), one.label.as_deref()),
        (true, Some("jit(f)/add"), Some("fusion"))
    );
    // A GPU has no tiles, so there is nothing to advise.
    assert_eq!((&one.tiled, &one.better), (&None, &None));
}

#[test]
fn every_kind_of_file_is_told_by_its_beginning() {
    for (text, kind) in [
        ("HloModule jit_f, is_scheduled=true\n", HloTextKind::Dump),
        ("\n\nfused_computation {\n  p = f32[8] parameter(0)\n}\nENTRY e {\n", HloTextKind::Dump),
        ("grep: %a = f32[8]{0} add(%b, %c)\n", HloTextKind::Dump),
        (
            "HloModule m\n  metadata={op_name=\"Ran out of memory in memory space hbm\"}",
            HloTextKind::Dump,
        ),
        (LOG, HloTextKind::OutOfMemory),
        ("BufferAssignment:\nallocation 0: size 4, constant:\n", HloTextKind::BufferAssignment),
        ("Memory Space: default (color=0)\nTotal bytes: 4\n", HloTextKind::MemoryUsage),
        (include_str!("data/sharded.mlir"), HloTextKind::Mlir),
        ("\nTotal bytes used: 98732 (96.4KiB)\n", HloTextKind::AssignmentValues),
        ("HloLiveRange (max 47):\n", HloTextKind::LiveRange),
        ("xla_cpu_enable_fast_min_max: false\n", HloTextKind::DebugOptions),
        ("; ModuleID = '__compute_module'\n", HloTextKind::Llvm),
        ("\x7fELF\x02\x01\x01\0\0", HloTextKind::Binary),
        ("", HloTextKind::Dump),
    ] {
        assert_eq!(HloTextKind::of(text.as_bytes()), kind, "{text}");
    }
}

#[test]
fn a_buffer_assignment_is_compared_with_its_shapes() {
    let text = "BufferAssignment:\n\
        allocation 0: size 4096, parameter 2, shape |f32[8,128]| at ShapeIndex {}, maybe-live-out:\n \
        value: <31 arg.5{1} (phi) @0> (size=4096,offset=0): f32[8,128]{1,0}\n\
        allocation 1: size 8, thread-local:\n value: <2 t{} @0> (size=8,offset=0): (f32[2]{0})\n\
        allocation 2: size 64, preallocated-temp:\n value: <3 b @0> (size=64,offset=0): f32[8]{0}\n value: <4 c\n";
    let all = HloAllocations::read(text);
    let kinds: Vec<_> = all.kinds().into_iter().collect();
    assert_eq!(kinds, [("parameter", (1, 4096)), ("temporary", (1, 64)), ("thread-local", (1, 8))]);
    assert_eq!((all.compared, all.disagreements.len(), all.reading().lines.len()), (2, 1, 1));
    assert_eq!(all.disagreements[0], (7, "b takes 64 bytes, its shape f32[8]{0} 32".to_owned()));
}

#[test]
fn a_byte_order_mark_hides_no_allocation() {
    let text = "\u{feff}allocation 0: size 8, thread-local:\n value: <2 t @0> (size=8,offset=0): f32[2]{0}\n";
    assert_eq!(HloTextKind::of(text.as_bytes()), HloTextKind::BufferAssignment);
    let all = HloAllocations::read(text);
    assert_eq!((all.allocations.len(), all.compared, all.reading().count), (1, 1, 0));
}

#[test]
fn sums_of_allocations_beyond_64_bits_are_refused_on_pages_too() {
    let half = format!("size {}", 1_u64 << 63);
    let text = format!("allocation 0: {half}, thread-local:\nallocation 1: {half}, constant:\n");
    let all = HloAllocations::read(&text);
    assert_eq!(pages::allocations(&all, None), Err(all.total().unwrap_err()));
    let log = "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\n  1. Size: 9000P\n  2. Size: 9000P\n";
    assert_eq!(pages::out_of_memory(&only(log), None), Err(only(log).total().unwrap_err()));
    // One allocation fits, but not with the arguments.
    let arguments = "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\nTotal hbm usage >= 9G:\n    arguments 9000P\n  1. Size: 9000P\n";
    assert_eq!(only(arguments).total(), Ok((9000 << 50, 0)));
    assert!(
        only(arguments).arguments().is_some()
            && pages::out_of_memory(&only(arguments), None).is_err()
    );
}

#[test]
fn padding_of_a_log_is_unknown_where_nothing_gives_it_and_that_of_the_log_where_shapes_contradict()
{
    let head = "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\n";
    let padding = |rows: &str| {
        let message = only(&format!("{head}{rows}"));
        let own: Vec<_> = message.allocations.iter().map(LogAllocation::padding).collect();
        (own, pages::out_of_memory(&message, None).unwrap())
    };
    let unknown = "  1. Size: 8.0K\n     XLA label: a\n     ==\n";
    let (own, page) = padding(unknown);
    assert_eq!(own, [None]);
    assert!(page.contains("          ?  1 allocation in all\n"), "{page}");
    let tuple =
        "  2. Size: 4.0K\n     Shape: (f32[1024]{0}, f32[1024]{0})\n     Unpadded size: 2.0K\n";
    let (own, page) = padding(&format!("{unknown}{tuple}"));
    assert_eq!(own, [None, Some(2048)]);
    assert!(page.contains("2 allocations in all, at least 16.7 % padding\n"), "{page}");
    // With the size of the elements unknown, too, the shape has more of them than fit.
    assert_eq!(padding(&tuple.replace("Unpadded", "Other")).0, [None]);
}

#[test]
fn a_memory_usage_report_is_its_blocks() {
    let text = "Memory Space: default (color=0)\nTotal bytes: 823296 (804.0KiB)\n  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n  ------------------------------------------------------------\n   768.0KiB( 95%);   768.0KiB;            0;                3; f32[3,4,64,256], 2×f32[64,512]\n   804.0KiB(100%);    36.0KiB;       786432;                1; f32[96,96]\n";
    let all = HloAllocations::read(text);
    let sizes: Vec<_> = all.allocations.iter().map(|one| (one.size, one.values)).collect();
    assert_eq!((sizes, all.reading().lines.len()), (vec![(768 << 10, 3), (36 << 10, 1)], 0));
}

#[test]
fn amounts_and_shapes_of_a_log_that_cannot_be_read_are_unread() {
    let needed = |log: &str| only(log).limits.first().map(|limit| limit.needed.to_string());
    let new = "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 8.00GiB.";
    assert_eq!(needed(new).as_deref(), Some("8.00G"));
    let free = "Out of memory while trying to allocate 16.25GiB with 4 bytes free";
    assert_eq!(needed(free).as_deref(), Some("16.25G"));
    let exact = "Out of memory while trying to allocate 4096 bytes.";
    assert_eq!(needed(exact).as_deref(), Some("4096B"));
    for log in [
        "Ran out of memory in memory space hbm: Used lots",
        "Out of memory while trying to allocate 123456789012345678901234567890 bytes.",
        "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\n  1. Size: lots",
        "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\n  1. Size: 2G\n     Shape: f32[512,x]",
        "Ran out of memory in memory space hbm. Used 2G of 1G hbm.\n  1. Size: 2G\n     XLA label: copy.4\n     Unpadded size: lots",
    ] {
        assert_eq!(only(log).reading().count, 1, "{log}");
    }
}

/// Text of XLA on GPUs, as in jax-ml/jax#13428: a buffer, a parameter of the entry, and the table of a tuple.
const BUFFERS: &str = "\
RESOURCE_EXHAUSTED: Out of memory while trying to allocate 6291456 bytes.
BufferAssignment OOM Debugging.
BufferAssignment stats:
             parameter allocation:    6.00MiB
              constant allocation:         0B
        maybe_live_out allocation:    6.00MiB
     preallocated temp allocation:         0B
  preallocated temp fragmentation:         0B (0.00%)
                 total allocation:   12.00MiB
              total fragmentation:         0B (0.00%)
Peak buffers:
\tBuffer 1:
\t\tSize: 6.00MiB
\t\tOperator: op_name=\"jit(concatenate)/concatenate[dimension=0]\" source_file=\"models.py\" source_line=689
\t\tXLA Label: concatenate
\t\tShape: f32[4096,128,3]
\t\t==========================

\tBuffer 2:
\t\tSize: 384.0KiB
\t\tEntry Parameter Subshape: f32[256,128,3]
\t\t==========================

\tBuffer 3:
\t\tSize: 16B
\t\tXLA Label: custom-call
\t\tShape: (f32[5104,257152], s8[4194304])
\t\t==========================
";

#[test]
fn peak_buffers_of_a_gpu_are_read_with_the_parts_of_the_assignment() {
    let message = only(BUFFERS);
    let parts: Vec<_> = message.parts.iter().map(|(name, of)| format!("{name} {of}")).collect();
    assert_eq!(
        parts,
        [
            "parameter allocation 6.00M",
            "constant allocation 0B",
            "maybe_live_out allocation 6.00M",
            "preallocated temp allocation 0B",
            "preallocated temp fragmentation 0B",
            "total allocation 12.00M",
            "total fragmentation 0B",
        ]
    );
    assert!(message.reading().is_complete());
    assert!(message.allocations.iter().all(LogAllocation::agrees));
    let bytes: Vec<_> = message.allocations.iter().map(|one| one.bytes().unwrap()).collect();
    assert_eq!(bytes, [6 << 20, 384 << 10, 16]);
    assert_eq!(message.allocations[1].kind.as_deref(), Some("entry parameter"));
    // A line that is not known is not taken for nothing.
    let unknown = only(&BUFFERS.replace("Entry Parameter Subshape", "Form"));
    let unread: Vec<_> = unknown.reading().lines.iter().map(UnreadLine::why).collect();
    assert_eq!(unread, ["this allocation has neither a shape nor a label"]);
}

#[test]
fn sentences_of_allocators_are_limits_unless_they_are_no_failure() {
    for (log, page) in [
        (
            "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.97GiB (rounded to 2110783744)requested by op",
            "line 1: GPU_0_bfc needs 1.97G\n",
        ),
        (
            "failed to allocate 3.39G (3640655872 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
            "line 1: device needs 3640655872B\n",
        ),
        (
            "Attempting to reserve 6.48G at the bottom of memory. That was not possible. There are 6.78G free, 0B reserved, and 3.33G reservable.",
            "line 1: device needs 6.48G of 3.33G\n",
        ),
        (
            "Error allocating device buffer: Attempting to allocate 196.00M. That was not possible. There are 134.44M free.; (1x0x0_HBM0)",
            "line 1: device needs 196.00M of 134.44M\n",
        ),
        ("Out of memory allocating 160000000000 bytes.", "line 1: device needs 160000000000B\n"),
    ] {
        assert_eq!(HloTextKind::of(log.as_bytes()), HloTextKind::OutOfMemory, "{log}");
        assert_eq!(pages::out_of_memory(&only(log), None).unwrap(), page);
    }
    let warning = "Allocator (GPU_0_bfc) ran out of memory trying to allocate 3.37GiB with freed_by_count=0. The caller indicates that this is not a failure";
    assert_eq!(HloTextKind::of(warning.as_bytes()), HloTextKind::Dump);
    assert!(only(warning).limits.is_empty() && only(warning).reading().is_complete());
}

#[test]
fn a_message_in_quotes_is_read_as_what_it_encodes() {
    let json = |text: &str| {
        let text = text.replace('\\', "\\\\").replace('"', "\\\"");
        text.replace('\n', "\\n").replace('\t', "\\t")
    };
    for plain in [LOG, BUFFERS] {
        let record = format!("{{\"textPayload\":\"{}\",\"severity\":\"ERROR\"}}\n", json(plain));
        let twice = format!("{{\"a\": \"{}\"}}\n", json(&record));
        let repr =
            format!("XlaRuntimeError('{}')\n", plain.replace('\n', "\\n").replace('\t', "\\t"));
        let docker = plain
            .lines()
            .map(|line| format!("{{\"log\":\"{}\\n\",\"stream\":\"stderr\"}}\n", json(line)));
        let page = |log: &str| {
            let message = only(log);
            assert!(message.reading().is_complete(), "{log}");
            let words = pages::out_of_memory(&message, None).unwrap();
            words
                .split("line ")
                .map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned())
                .collect::<Vec<_>>()
        };
        for log in [record, twice, repr, docker.collect()] {
            assert_eq!(page(&log), page(plain), "{log}");
        }
    }
    // What is in quotes within a message has no lines of its own.
    let one = only("  1. Size: 4.0K\n     Operator: op_name=\"a\\nb\"\n     Shape: f32[1024]\n");
    assert_eq!(one.allocations[0].op_name.as_deref(), Some("a\nb"));
    assert!(pages::out_of_memory(&one, None).unwrap().contains("             a\\nb\n"));
}
