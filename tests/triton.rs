//! Layouts of Triton: bases from Triton itself, places by the definition, and refusals.

use std::collections::BTreeSet;

use itertools::Itertools;
use tensor_layout::error::ErrorKind;
use tensor_layout::notation::{CuteLayout, LinearLayout, Notation, PadLayout, TritonLayout};
use tensor_layout::{Found, Layout, LayoutText, Level, Location};

type Bases = Vec<Vec<Vec<u64>>>;

const SWIZZLED: &str =
    "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>";
const DPAS: &str = "#ttig.dpas<{repeatCount = 8, systolicDepth = 8, executionSize = 16, opsPerChan = 2, threadsPerWarp = 16, \
                    warpsPerCTA = [2, 2], repCluster = [1, 1]}>";
const FOREIGN: &str = "#other.encoding<{keys = 8}>";
const BLOCKED: &str = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], \
                       warpsPerCTA = [4, 1], order = [1, 0]}>";

/// Triton's answers for random encodings, and Intel's for its own. The environment variable names a file with more of
/// Triton's, written by `tests/python/check_triton.py`.
fn lines() -> String {
    match std::env::var("TENSOR_LAYOUT_TRITON") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => {
            concat!(include_str!("data/triton.txt"), include_str!("data/dpas.txt")).to_owned()
        }
    }
}

/// A text and the bases of each of its inputs.
fn judged() -> Vec<(String, Bases)> {
    let all = lines();
    let lines = all.lines().filter(|line| !line.starts_with("# "));
    lines
        .map(|line| {
            let (text, bases) = line.split_once('\t').unwrap();
            (text.to_owned(), written(bases))
        })
        .collect()
}

/// `0,1 0,2|1,0`: inputs, bases, entries.
fn written(bases: &str) -> Bases {
    let basis = |basis: &str| basis.split(',').map(|entry| entry.parse().unwrap()).collect();
    let input = |input: &str| input.split_whitespace().map(basis).collect();
    bases.split('|').map(input).collect()
}

fn read(text: &str) -> TritonLayout {
    assert_eq!(Notation::of(text), Notation::Triton, "{text}");
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn lower(text: &str) -> Layout {
    read(text).lower().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn linear(text: &str) -> LinearLayout {
    read(text).to_linear().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn bases(text: &str) -> Bases {
    linear(text).bases.into_iter().map(|(_, bases)| bases).collect()
}

/// The bases of the inputs that Triton's binding for Python returns: partitions, and the blocks of tensor memory, are
/// none of them.
fn returned(text: &str) -> Bases {
    let mut inputs = linear(text).bases;
    let has_rows = inputs[0].0 == "row";
    inputs.retain(|(name, _)| name != "partition" && !(has_rows && name == "block"));
    inputs.into_iter().map(|(_, bases)| bases).collect()
}

/// Returns whether a bit that maps to nothing leaves its places free; otherwise it counts copies.
fn is_hole(input: &str, bit: usize) -> bool {
    matches!(input, "offset" | "col") || input == "row" && bit < 5
}

fn same(a: &Layout, b: &Layout, text: &str) {
    assert_eq!(a.same_up_to_padding(b).unwrap(), None, "{text}");
}

/// The index of a place, by definition: the XOR of the bases of the bits that are set.
fn index_of(linear: &LinearLayout, place: &[u64]) -> Vec<u64> {
    let mut index = vec![0; linear.outs.len()];
    for ((_, bases), at) in linear.bases.iter().zip(place) {
        let set = bases.iter().enumerate().filter(|(bit, _)| at >> bit & 1 == 1);
        set.for_each(|(_, basis)| index.iter_mut().zip(basis).for_each(|(to, b)| *to ^= b));
    }
    index
}

/// The number of places that are checked per layout.
const MOST: u64 = 200;

/// Evenly spaced samples of the places of all inputs, as coordinates of each.
fn places(linear: &LinearLayout) -> impl Iterator<Item = Vec<u64>> {
    let bits: Vec<usize> = linear.bases.iter().map(|(_, bases)| bases.len()).collect();
    let all = 1_u64 << bits.iter().sum::<usize>();
    let step = (all / MOST) | 1;
    (0..all.div_ceil(step)).map(move |number| {
        let mut rest = number * step;
        let coordinate = |bits: &usize| {
            let at = rest & ((1 << bits) - 1);
            rest >>= bits;
            at
        };
        bits.iter().map(coordinate).collect()
    })
}

fn level(input: &str) -> Level {
    match input {
        "register" | "offset" | "col" => Level::ADDR,
        _ => Level::new(&input.to_uppercase()).unwrap(),
    }
}

/// Checks places against the definition, in both directions: memory bits that hold nothing stay 0.
fn check_places(text: &str) {
    let (linear, layout) = (linear(text), lower(text));
    let mut checked = 0;
    for place in places(&linear) {
        let is_hole = linear.bases.iter().zip(&place).any(|((name, bases), at)| {
            let nothing = |(bit, basis): (usize, &Vec<u64>)| {
                at >> bit & 1 == 1 && basis.iter().all(|b| *b == 0) && self::is_hole(name, bit)
            };
            bases.iter().enumerate().any(nothing)
        });
        if is_hole {
            continue;
        }
        let index = index_of(&linear, &place);
        let named = linear.bases.iter().zip(&place);
        let location: Location = named
            .map(|((name, _), at)| (level(name), *at))
            .filter(|(level, at)| layout.uses(*level) || *at > 0)
            .collect();
        assert_eq!(
            layout.element(&location).unwrap(),
            Found::Element(index.clone()),
            "{text} {location}"
        );
        let copies: BTreeSet<Location> = layout.locate_all(&index).unwrap().collect();
        assert!(copies.contains(&location), "{text}: {index:?} at {location}");
        let bits = linear
            .bases
            .iter()
            .flat_map(|(name, bases)| bases.iter().enumerate().map(move |bit| (name, bit)));
        let zeros = bits.filter(|(name, (bit, basis))| {
            !self::is_hole(name, *bit) && basis.iter().all(|b| *b == 0)
        });
        assert_eq!(copies.len(), 1 << zeros.count(), "{text}");
        checked += 1;
    }
    assert!(checked > 0, "{text}");
}

#[test]
fn encodings_have_the_bases_that_triton_has() {
    let judged = judged();
    let wrong: Vec<String> = judged
        .iter()
        .filter(|(text, wanted)| returned(text) != *wanted)
        .map(|(text, wanted)| format!("{text}\n  {:?}\n  {wanted:?}", returned(text)))
        .collect();
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    assert!(judged.len() > 700);
}

#[test]
fn places_are_those_whose_bases_make_the_index() {
    judged().iter().for_each(|(text, _)| check_places(text));
    let swizzled = " - lane=1 -> (0, 1)\n   lane=2 -> (1, 1)\n   lane=4 -> (2, 3)\n - register=1 -> (0, 2)\n \
                    - warp=1 -> (0, 0)\nwhere out dims are: [dim0 (size 4), dim1 (size 4)]";
    check_places(swizzled);
}

#[test]
fn layouts_are_written_as_the_linear_layouts_that_they_were_read_from() {
    for (text, _) in &judged() {
        let layout = lower(text);
        let written = TritonLayout::of(&layout).unwrap_or_else(|error| panic!("{text}: {error}"));
        same(&lower(&written.to_string()), &layout, text);
        assert_eq!(read(&written.to_string()), written);
        let printed = read(text).to_string();
        assert_eq!(read(&printed), read(text), "{printed}");
    }
}

#[test]
fn the_encodings_of_the_reference_have_their_values() {
    let tensor = |shape: &str, encoding: &str| format!("tensor<{shape}xf16, {encoding}>");
    let mma = |warps: &str| {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = {warps}, instrShape = [16, 8]}}>"
        )
    };
    let hopper = |warps: &str, n: u64| {
        format!(
            "#ttg.nvidia_mma<{{versionMajor = 3, versionMinor = 0, warpsPerCTA = {warps}, instrShape = [16, {n}, 16]}}>"
        )
    };
    let dot = |operand: u64, parent: &str, width: &str| {
        format!("#ttg.dot_op<{{opIdx = {operand}, parent = {parent}{width}}}>")
    };
    let slice = |dim: u64| format!("#ttg.slice<{{dim = {dim}, parent = {BLOCKED}}}>");
    let mfma = "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = false}>";
    let lanes = "0,2 0,4 1,0 2,0 4,0";
    for (shape, encoding, wanted) in [
        (
            "128x64",
            BLOCKED.into(),
            "0,1 0,2 0,16 0,32 32,0 64,0|0,4 0,8 1,0 2,0 4,0|8,0 16,0|".into(),
        ),
        ("128x2", BLOCKED.into(), "0,1 32,0 64,0|0,0 0,0 1,0 2,0 4,0|8,0 16,0|".into()),
        ("8x8", mma("[4, 1]"), format!("0,1 0,0|{lanes}|0,0 0,0|")),
        ("128x64", mma("[4, 1]"), format!("0,1 8,0 0,8 0,16 0,32 64,0|{lanes}|16,0 32,0|")),
        ("64x32", hopper("[4, 2]", 32), format!("0,1 8,0 0,8 0,16|{lanes}|16,0 32,0 0,0|")),
        ("64x128", hopper("[4, 2]", 64), format!("0,1 8,0 0,8 0,16 0,32|{lanes}|16,0 32,0 0,64|")),
        (
            "128x64",
            dot(0, &mma("[4, 1]"), ", kWidth = 2"),
            format!("0,1 8,0 0,8 0,16 0,32 64,0|{lanes}|16,0 32,0|"),
        ),
        (
            "64x64",
            dot(1, &mma("[4, 1]"), ", kWidth = 2"),
            "1,0 8,0 16,0 32,0 0,8 0,16 0,32|2,0 4,0 0,1 0,2 0,4|0,0 0,0|".into(),
        ),
        (
            "32x64",
            dot(0, &mma("[2, 2]"), ", kWidth = 8"),
            "0,1 0,2 0,4 8,0 0,32|0,8 0,16 1,0 2,0 4,0|0,0 16,0|".into(),
        ),
        ("32x16", dot(0, BLOCKED, ""), "0,1 0,2 0,4 0,8|0,0 0,0 1,0 2,0 4,0|8,0 16,0|".into()),
        ("128", slice(1), "32 64|0 0 1 2 4|8 16|".into()),
        ("64", slice(0), "1 2 16 32|4 8 0 0 0|0 0|".into()),
        ("16x16", mfma.into(), "1,0 2,0 8,0 0,0|0,1 0,2 0,4 0,8 0,0 4,0|0,0 0,0|".into()),
        (
            "128x64",
            dot(0, mfma, ", kWidth = 4"),
            "0,1 0,2 0,8 0,16 0,32 64,0|1,0 2,0 4,0 8,0 16,0 0,4|0,0 32,0|".into(),
        ),
    ] {
        let text = tensor(shape, &encoding);
        assert_eq!(bases(&text), written(&wanted), "{text}");
    }
    let blocked = lower(&tensor("128x64", BLOCKED));
    assert_eq!(
        PadLayout::of(&blocked).unwrap().to_string(),
        "((4:16, 4_WARP:1, 8_LANE:4), (4:4, 4_LANE:1, 4:1))"
    );
    assert_eq!(blocked.locate(&[37, 22]).unwrap().to_string(), "WARP=0,LANE=21,Addr=22");
    assert_eq!(
        PadLayout::of(&lower(&tensor("128", &slice(1)))).unwrap().to_string(),
        "((4:1, 4_WARP:1, 8_LANE:4); B@[4_LANE:1])"
    );
}

#[test]
fn older_spellings_are_read_as_the_same_layouts() {
    let cluster = "#triton_gpu.blocked<{sizePerThread = [2, 2], threadsPerWarp = [4, 8], warpsPerCTA = [2, 2], \
                   order = [1, 0], CTAsPerCGA = [2, 2], CTASplitNum = [2, 2], CTAOrder = [1, 0]}>";
    assert_eq!(
        bases(&format!("tensor<1024x128xf16, {cluster}>")),
        written("0,1 1,0 0,32 16,0 32,0 64,0 128,0 256,0|0,2 0,4 0,8 2,0 4,0|0,16 8,0|0,64 512,0")
    );
    let phases = [(32, 4, 2), (64, 2, 4), (128, 1, 8)];
    for (width, per_phase, most) in phases {
        let old = format!(
            "!tt.memdesc<64x64xf16, #triton_gpu.shared<{{vec = 8, perPhase = {per_phase}, maxPhase = {most}, \
             order = [1, 0], hasLeadingOffset = true}}>>"
        );
        let new = format!(
            "!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{{swizzlingByteWidth = {width}, transposed = false, \
             elementBitWidth = 16}}>, #smem, mutable>"
        );
        assert_eq!(bases(&old), bases(&new));
        let cute = match width {
            32 => "S<1,3,3> o 0 o (64,(16,4)):(16,(1,1024))",
            64 => "S<2,3,3> o 0 o (64,(32,2)):(32,(1,2048))",
            _ => "S<3,3,3> o 0 o (64,64):(64,1)",
        };
        assert_eq!(CuteLayout::of(&lower(&new)).unwrap().to_string(), cute);
    }
    let warps = "#ttg.amd_wmma<{version = 1, warpsPerCTA = [2, 2]}>";
    let bases_of_warps =
        "#ttg.amd_wmma<{version = 1, isTranspose = false, ctaLayout = {warp = [[0, 1], [1, 0]]}}>";
    let tensor = |encoding: &str| format!("tensor<64x64xf32, {encoding}>");
    assert_eq!(bases(&tensor(warps)), bases(&tensor(bases_of_warps)));
}

#[test]
fn padded_memory_puts_elements_in_after_every_interval() {
    for (intervals, strides) in
        [("[8:+2]", [1, 2, 4, 10, 20]), ("[4:+1, 16:+2]", [1, 2, 5, 10, 22])]
    {
        let encoding =
            format!("#ttg.padded_shared<{intervals} {{order = [1, 0], shape = [4, 8]}}>");
        let layout = lower(&format!("!ttg.memdesc<4x8xf16, {encoding}, #ttg.shared_memory>"));
        for offset in 0..32_u64 {
            let bits = strides.iter().enumerate().filter(|(bit, _)| offset >> bit & 1 == 1);
            let place = layout.locate(&[offset / 8, offset % 8]).unwrap();
            assert_eq!(place.get(Level::ADDR), Some(bits.map(|(_, stride)| stride).sum()));
        }
    }
}

#[test]
fn a_module_with_one_layout_is_read_with_its_aliases() {
    let module = |second: &str| {
        format!(
            "#blocked = {BLOCKED}\n#loc = loc(\"a // file\")\n#smem = #ttg.shared_memory\n\
             module attributes {{\"ttg.num-warps\" = 4 : i32}} {{\n  // tensor<1x1xf16, #unknown>\n  \
             tt.func @f(%a: tensor<128x64x!tt.ptr<f16>, #blocked>, %n: tensor<4xi32>) -> i32 {{\n    \
             %0 = tt.splat %a : {second} loc(#loc)\n  }}\n}}"
        )
    };
    let one = module("tensor<128x64x!tt.ptr<f16>, #blocked>");
    same(&lower(&one), &lower(&format!("tensor<128x64xf16, {BLOCKED}>")), &one);
    let two = module("tensor<64x64xf16, #blocked>").parse::<TritonLayout>().unwrap_err();
    assert_eq!(two.kind().to_string(), "the text has 2 layouts");
    assert!(two.help().unwrap().contains("tensor<64x64xf16, #ttg.blocked<"), "{two}");
}

#[test]
fn an_encoding_alone_gets_its_shape() {
    let alone = read(BLOCKED);
    assert!(alone.lower().unwrap_err().to_string().contains("needs the shape"));
    let shaped = alone.with_shape(vec![128, 64], Some("f16")).unwrap();
    same(&shaped.lower().unwrap(), &lower(&format!("tensor<128x64xf16, {BLOCKED}>")), BLOCKED);
    assert!(
        shaped.with_shape(vec![1], None).unwrap_err().to_string().contains("already has a shape")
    );
}

#[test]
fn what_triton_does_not_have_is_refused_by_name() {
    let tensor = |shape: &str, encoding: &str| format!("tensor<{shape}xf16, {encoding}>");
    let blocked = |from: &str, to: &str| tensor("128x64", &BLOCKED.replace(from, to));
    let mma = |version: u64, shape: &str| {
        tensor(
            "64x64",
            &format!(
                "#ttg.nvidia_mma<{{versionMajor = {version}, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = {shape}}}>"
            ),
        )
    };
    let dpas = |from: &str, to: &str| tensor("128x64", &DPAS.replace(from, to));
    let nvmma = |shape: &str, keys: &str| {
        tensor(
            shape,
            &format!("#ttg.nvmma_shared<{{transposed = false, elementBitWidth = 16, {keys}}}>"),
        )
    };
    for (text, message) in [
        (tensor("12x64", BLOCKED), "dimension 0 has extent 12"),
        (tensor("?x64", BLOCKED), "the extent is not known"),
        (tensor("64", BLOCKED), "`order` has 2 entries, but the tensor has rank 1"),
        (blocked("[8, 4]", "[8, 3]"), "not a power of two"),
        (blocked("order = [1, 0]", "order = [1, 1]"), "not a permutation"),
        (blocked("order", "ordre"), "has no key `ordre`"),
        (blocked(", order = [1, 0]", ""), "needs `order`"),
        (blocked("order = [1, 0]", "order = [1, 0], order = [1, 0]"), "was given already"),
        (blocked("[4, 1]", "[4, 99999999999999999999]"), "does not fit in 64 bits"),
        (tensor("64x64", "#blocked"), "alias `#blocked` is not defined"),
        (tensor("64x64", "#ttng.tensor_memory_encoding<blockM = 128>"), "a block has 128 rows, and the tensor 64"),
        (tensor("64x64", "#ttng.tensor_memory_encoding<blockM = 96>"), "`blockM` is 96, not 64 or 128"),
        (tensor("128x64", "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, twoCTAs = true>"), "needs `CGALayout = [[1, 0], ..]`"),
        (tensor("64x4", "#ttng.tensor_memory_scales_encoding<blockRepOrder = nThenM>"), "is mnThenK or kThenMn"),
        (tensor("64x64", "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 64, partitionDim = 0, partitionLayout = #ttg.nvmma_shared<{swizzlingByteWidth = 0, transposed = false, elementBitWidth = 16}>}>"), "fewer than 2 x 64 pieces"),
        (tensor("64x64", "#ttg.partitioned_shared<{numPartitions = 2, numGroups = 2, partitionDim = 0, partitionLayout = #ttg.padded_shared<[64:+4] {order = [1, 0], shape = [16, 64]}>}>"), "one group"),
        (tensor("4x32", "#ttg.generic_linear<{register = [[1, 1]], lane = [[0, 1]], warp = [], block = []}>"), "only those of `warp` may in several"),
        (tensor("4x32", "#ttg.generic_linear<{register = [[4, 0]], lane = [[0, 1]], warp = [], block = []}>"), "beyond the shape"),
        (tensor("64x64", "#ttg.amd_wmma<{version = 3, isTranspose = false, ctaLayout = {lane = [[0, 1]]}}>"), "has the keys `register` and `warp`"),
        (tensor("64x64", "#ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [64, 4, 4], isTransposed = false}>"), "64 x 4 (transposed)"),
        (tensor("64x64", "#ttg.coalesced"), "`coalesced` is not supported"),
        (mma(1, "[16, 16]"), "version 1 is not supported"),
        (mma(2, "[16, 16]"), "`instrShape` is [16, 8] or, for f64, [8, 8]"),
        (mma(3, "[16, 24, 16]"), "a power of two from 8 to 256"),
        (nvmma("64x32", "swizzlingByteWidth = 128"), "needs 8 rows of 64 elements"),
        (nvmma("64x64", "swizzlingByteWidth = 100"), "not 0, 32, 64 or 128"),
        (nvmma("64x64", "swizzlingByteWidth = 128, fp4Padded = true"), "two in an element of 8 bits"),
        (tensor("4x4", "#ttg.linear<{register = [[1, 1]], lane = [], warp = [], block = []}>"), "one bit of one dimension"),
        (tensor("4", "#ttg.linear<{register = [[1], [1]], lane = [], warp = [], block = []}>"), "two bits map to 1"),
        (tensor("4", "#ttg.shared_linear<{offset = [[1]]}, alignment = 16>"), "no place holds index 2"),
        (tensor("4", "#ttg.shared_linear<{offset = [[1], [2], [3]]}, alignment = 16>"), "XORs of others"),
        (tensor("4", "#ttg.shared_linear<{offset = [[1], [4]]}, alignment = 16>"), "whose size is 4"),
        (tensor("2x64x64", "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>"), "has 2 entries, but the tensor has rank 3"),
        (format!("!ttg.memdesc<64x64xf16, {BLOCKED}, #smem>"), "is not an encoding of shared memory"),
        (format!("!ttg.memdesc<2x2x64x64xf16, {SWIZZLED}, #smem>"), "has 2 entries, but the tensor has rank 4"),
        (format!("!ttg.memdesc<0x64x64xf16, {SWIZZLED}, #smem>"), "there are 0 buffers"),
        (format!("!ttg.memdesc<3x3x64xf16, {SWIZZLED}, #smem>"), "dimension 1 has extent 3"),
        ("!ttg.memdesc<3x4x8xf16, #ttg.padded_shared<[64:+2] {order = [1, 0], shape = [4, 8]}>, #smem>".into(), "longer than a buffer"),
        (format!("#f = {FOREIGN}\ntensor<128x64xf16, #f>"), "the encoding `#other.encoding` is not supported"),
        (tensor("128x64", FOREIGN), "the encoding `#other.encoding` is not supported"),
        (format!("#f = {FOREIGN}\n{}", tensor("64x64", "#ttg.dot_op<{opIdx = 0, parent = #f, kWidth = 2}>")), "the encoding `#other.encoding` is not supported"),
        (tensor("64x64", &format!("#ttg.dot_op<{{opIdx = 0, parent = {FOREIGN}, kWidth = 2}}>")), "the encoding `#other.encoding` is not supported"),
        (tensor("64x64", "#ttig.warp<{sizePerThread = [1, 1]}>"), "`warp` is not supported"),
        (dpas("repeatCount = 8", "repeatCount = 3"), "`repeatCount` is 3, not one of [1, 2, 4, 8]"),
        (dpas("repeatCount = 8", "repeatCount = 1").replace("threadsPerWarp = 16", "threadsPerWarp = 32"), "32 lanes hold 2 rows at a time, but `repeatCount` is 1"),
        (dpas("systolicDepth = 8", "systolicDepth = 4"), "`systolicDepth` is 4, not 8"),
        (dpas("opsPerChan = 2", "opsPerChan = 2, fp4KPack = 2"), "pairs of FP4 are not supported"),
        (dpas("repCluster = [1, 1]", "repCluster = [1, 1], B = [16, 32]"), "`B` is [16, 16] by the other keys"),
        (dpas("repCluster = [1, 1]", "repCluster = [1, 1], D = [16, 32]"), "has no key `D`"),
        (tensor("64x64", &format!("#ttg.dot_op<{{opIdx = 0, parent = {DPAS}, kWidth = 2}}>")), "`kWidth` of operand 0 is 1 in today's Triton, not 2"),
        ("#b = #ttg.blocked<{sizePerThread = [1, 4}>\ntensor<64x64xf16, #b>".into(), "expected `,`"),
        (" - lane=1 -> (1)\n   lane=4 -> (2)\nwhere out dims are: [dim0 (size 4)]".into(), "in this order"),
        (" - lane=1 -> (1)\n - offset=1 -> (2)\n - register=1 -> (4)\nwhere out dims are: [dim0 (size 8)]".into(), "two inputs are level `Addr`"),
        (" - lane=1 -> (1)\nwhere out dims are: [dim0 (size 3)]".into(), "has extent 3"),
    ] {
        let refused = text.parse::<TritonLayout>().and_then(|layout| layout.lower()).unwrap_err();
        assert!(refused.to_string().contains(message), "{text}\n{refused}");
    }
    let deep = format!("tensor<4xf16, {}>", "#ttg.slice<{dim = 0, parent = ".repeat(100));
    assert!(deep.parse::<TritonLayout>().unwrap_err().to_string().contains("nest deeper"));
}

#[test]
fn aliases_that_no_layout_uses_are_not_read() {
    let loop_line = "#loop = #llvm.loop_annotation<disableNonforced = true>";
    let plain = lower(&format!("#b = {BLOCKED}\ntensor<128x64xf16, #b>"));
    for line in
        [loop_line, "#b = #ttg.blocked<{sizePerThread = [1, 4}>", &format!("#dpas = {FOREIGN}")]
    {
        assert_eq!(
            lower(&format!("{line}\n#b = {BLOCKED}\ntensor<128x64xf16, #b>")),
            plain,
            "{line}"
        );
    }
}

/// The leading extent counts buffers, of which there may be any number; each begins where the one before ends.
#[test]
fn the_extent_in_front_of_shared_memory_counts_buffers() {
    let nvmma =
        "#ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>";
    let cluster = "#ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], CGALayout = [[1, 0]]}>";
    for (encoding, distance) in [
        (nvmma, 128 * 128),
        (&nvmma.replace("false", "true"), 128 * 128),
        (SWIZZLED, 128 * 128),
        ("#ttg.padded_shared<[128:+4] {order = [1, 0], shape = [128, 128]}>", 128 * 132),
        // Each block of the cluster has half of every buffer.
        (cluster, 64 * 128),
    ] {
        let memory =
            |shape: &str| lower(&format!("!ttg.memdesc<{shape}xf16, {encoding}, #smem, mutable>"));
        let one = memory("128x128");
        for count in [1, 2, 3, 5] {
            let all = memory(&format!("{count}x128x128"));
            for (buffer, [row, column]) in
                (0..count).cartesian_product([[0, 0], [1, 0], [9, 77], [127, 127]])
            {
                let (place, inside) = (
                    all.locate(&[buffer, row, column]).unwrap(),
                    one.locate(&[row, column]).unwrap(),
                );
                let address = |place: &Location| place.get(Level::ADDR).unwrap();
                assert_eq!(address(&place), address(&inside) + buffer * distance, "{encoding}");
                assert_eq!(place.get(Level::BLOCK), inside.get(Level::BLOCK));
            }
        }
    }
    let barriers = "!ttg.memdesc<3x1xi64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, #smem, mutable>";
    assert_eq!(lower(barriers).locate(&[2, 0]).unwrap().to_string(), "Addr=2");
}

/// Buffers of tensor memory follow each other along its columns, which are 32 bits wide.
#[test]
fn buffers_of_tensor_memory_follow_each_other_along_its_columns() {
    let memory = |shape: &str, columns: u64| {
        format!(
            "!ttg.memdesc<{shape}xf16, #ttng.tensor_memory_encoding<blockM = 64, blockN = {columns}, colStride = 1>, \
             #ttng.tensor_memory, mutable>"
        )
    };
    let (one, three) = (lower(&memory("128x32", 32)), lower(&memory("3x128x32", 32)));
    for [buffer, row, column] in [[0, 0, 0], [1, 17, 3], [2, 127, 31]] {
        let (inside, place) =
            (one.locate(&[row, column]).unwrap(), three.locate(&[buffer, row, column]).unwrap());
        assert_eq!(place.get(Level::ADDR), Some(inside.get(Level::ADDR).unwrap() + 32 * buffer));
    }
    // Row 80 is row 16 of the second block of 64 rows.
    assert_eq!(one.locate(&[80, 5]).unwrap().to_string(), "ROW=48,Addr=5");
    let narrow = memory("3x128x1", 1).parse::<TritonLayout>().unwrap().lower().unwrap_err();
    assert!(narrow.to_string().contains("less than 32 bits wide"), "{narrow}");
    let printed = read(&memory("128x32", 32)).to_string();
    assert!(printed.contains("#ttng.tensor_memory_encoding<blockM = 64, "), "{printed}");
}

/// Part 5 of the 8 parts of 16 rows is the third in its memory.
#[test]
fn parts_go_to_the_partitions_in_turn() {
    let inner = "#ttg.padded_shared<[64:+4] {order = [1, 0], shape = [16, 64]}>";
    let text = |groups: u64, inner: &str| {
        let rows = 32 * groups;
        format!(
            "!ttg.memdesc<{rows}x64xf16, #ttg.partitioned_shared<{{numPartitions = 2, numGroups = {groups}, \
             partitionDim = 0, partitionLayout = {inner}}}>, #smem, mutable>"
        )
    };
    let plain = "#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>";
    let place = |layout: &Layout, row| layout.locate(&[row, 3]).unwrap().to_string();
    assert_eq!(place(&lower(&text(4, plain)), 5 * 16 + 1), "PARTITION=1,Addr=2115");
    assert_eq!(place(&lower(&text(1, inner)), 17), "PARTITION=1,Addr=71");
}

/// The bases of a power of two of buffers give the same places; of another number there are none.
#[test]
fn buffers_are_bits_of_the_offset() {
    let bases = |count: u64| {
        let text = format!("!ttg.memdesc<{count}x64x64xf16, {SWIZZLED}, #smem>");
        let read: TritonLayout = text.parse().unwrap();
        (read.to_linear().map(TritonLayout::linear), read.lower().unwrap())
    };
    for count in [1, 2, 8] {
        let (linear, layout) = bases(count);
        same(&linear.unwrap().lower().unwrap(), &layout, "buffers");
    }
    assert!(bases(3).0.is_err());
}

#[test]
fn aliases_that_name_each_other_stay_small() {
    let mut text = format!("#a0 = {BLOCKED}\n");
    for number in 1..200 {
        let before = number - 1;
        text += &format!("#a{number} = #ttg.slice<{{dim = 0, parent = #a{before}}}>\n");
    }
    text += "tensor<4xf16, #a199>";
    assert!(text.parse::<TritonLayout>().unwrap_err().to_string().contains("nest deeper"));
    let twice =
        format!("#a = {BLOCKED}\n#b = #ttg.x<{{parent = #a, other = #a}}>\ntensor<4xf16, #b>");
    assert!(twice.parse::<TritonLayout>().unwrap_err().to_string().contains("only `parent` is"));
}

#[test]
fn layouts_that_are_no_xor_of_bits_are_refused() {
    let written = |text: &str| {
        let layout = LayoutText::parse(text).unwrap().lower().unwrap();
        TritonLayout::of(&layout).map(|layout| layout.to_string())
    };
    for (text, reason) in [
        ("((3:4), (4:1))", "axis 0 has extent 3, which is not a power of two"),
        ("((2_LANE:1, 2:1), (2:4))", "nothing is at Addr=2, and only memories have holes"),
        ("((4:3))", "its places are not XORs of the bits of an index"),
        ("((4:1), (2:4); B@[3_LANE:1])", "its places are not XORs of the bits of an index"),
    ] {
        let refused = written(text).unwrap_err();
        assert!(refused.kind() == ErrorKind::Inexpressible, "{text}");
        assert!(refused.to_string().contains(reason), "{text}: {refused}");
    }
    let hole = written("((2:4), (2:1))").unwrap();
    assert!(hole.contains("offset=2 -> (0, 0)"), "{hole}");
    same(&lower(&hole), &LayoutText::parse("((2:4), (2:1))").unwrap().lower().unwrap(), &hole);
}

#[test]
fn texts_with_one_character_changed_are_read_or_refused() {
    let lines = " - lane=1 -> (0, 1)\n   lane=2 -> (1, 1)\nwhere out dims are: [dim0 (size 2), dim1 (size 2)]";
    let padded = "!ttg.memdesc<4x8xf16, #ttg.padded_shared<[8:+2] {order = [1, 0], shape = [4, 8]}>, #smem, mutable, 2x4x8>";
    let slice = format!("#b = {BLOCKED}\ntensor<64xf16, #ttg.slice<{{dim = 0, parent = #b}}>>");
    let (mut read, mut refused) = (0, 0);
    for text in [lines, padded, &slice] {
        for at in 0..text.len() {
            for with in
                ["", "0", "9", "-", "<", "]", "}", ",", "=", "#", "x", "\u{e9}", "99999999999"]
            {
                let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
                let lowered = changed.parse::<TritonLayout>().and_then(|layout| {
                    let printed = layout.to_string();
                    if !matches!(printed.parse::<TritonLayout>(), Ok(again) if again == layout) {
                        panic!("{changed}\n{printed}");
                    }
                    layout.lower()
                });
                match lowered {
                    Ok(_) => read += 1,
                    Err(refusal) => {
                        assert!(refusal.to_string().len() < 4096);
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} {refused}");
}
