//! Types and maps of MLIR: read as the layouts that they are, refused by the part that is not one.

use tensor_layout::notation::Notation;
use tensor_layout::{Layout, LayoutText, Level};
use tensor_layout_code::Language;

fn read(text: &str) -> LayoutText {
    LayoutText::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn lower(text: &str) -> Layout {
    read(text).lower().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn addresses(layout: &Layout) -> Vec<u64> {
    let address = |index: Vec<u64>| layout.locate(&index).unwrap().get(Level::ADDR).unwrap();
    layout.indexes().map(address).collect()
}

#[test]
fn memrefs_are_layouts_in_other_notations() {
    for (memref, notation, same) in [
        ("memref<12x8xf32>", Notation::Strided, "shape=(12, 8), strides=(8, 1)"),
        ("memref<12x8xf32, strided<[10, 1]>>", Notation::Strided, "shape=(12, 8), strides=(10, 1)"),
        (
            "memref<12x8xi4, strided<[1, 12], offset: 5>, 1>",
            Notation::Strided,
            "shape=(12, 8), strides=(1, 12), offset=5",
        ),
        ("memref<4x8xf16, #gpu.address_space<workgroup>>", Notation::Strided, "((4:8), (8:1))"),
        (
            "memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>>",
            Notation::PadLayout,
            "((4:1), (8:4))",
        ),
        (
            "memref<16x32xf16, affine_map<(i, j) -> (i floordiv 4, j floordiv 8, i mod 4, j mod 8)>, 3>",
            Notation::PadLayout,
            "((4:128, 4:8), (4:32, 8:1))",
        ),
        (
            "memref<16x256xf32, #tpu.tiled<(8,128),[2,1]>, #tpu.memory_space<vmem>>",
            Notation::Xla,
            "f32[16,256]{1,0:T(8,128)}",
        ),
        (
            "memref<3x5x256xbf16, #tpu.tiled<(8,128)(2,1),[2,2,1]>>",
            Notation::Xla,
            "bf16[3,5,256]{2,1,0:T(8,128)(2,1)}",
        ),
    ] {
        let same =
            if memref.contains("3x5x256") { "bf16[3,5,256]{2,1,0:T(8,128)(2,1)}" } else { same };
        assert_eq!(Notation::of(memref), notation, "{memref}");
        if notation == Notation::Strided {
            assert_eq!(addresses(&lower(memref)), addresses(&lower(same)), "{memref}");
        } else {
            assert_eq!(lower(memref).same_up_to_padding(&lower(same)).unwrap(), None, "{memref}");
        }
    }
    assert_eq!(read("memref<12x8xf32, strided<[10, 1]>>").element_bits(), Some(32));
}

#[test]
fn affine_maps_come_back_as_the_layouts_that_they_were_written_from() {
    let mut read_back = 0;
    let corpus = include_str!("data/pad_layouts.txt").lines().chain([
        "(10,7)/((3:7, 4_PE), (7:1))\t",
        "((4_LANE:1, 8:1), (16:8))\t",
        "((6:4, 2_PE:2, 2_PE:1), (4:1))\t",
    ]);
    for line in corpus.filter(|line| !line.starts_with('#')) {
        let text = line.split('\t').next().unwrap();
        let Ok(layout) = LayoutText::parse(text).unwrap().lower() else { continue };
        if !layout.replicas().is_empty() {
            continue;
        }
        let map = Language::AffineMap.write(&layout).unwrap();
        assert_eq!(Notation::of(&map), Notation::PadLayout);
        let back = lower(&map);
        assert_eq!(back.same_up_to_padding(&layout).unwrap(), None, "{text}\n{map}");
        read_back += 1;
    }
    assert!(read_back > 30, "{read_back}");
}

/// By the definition of `floordiv` and `mod`, index by index.
#[test]
fn sums_of_digits_are_read_as_mlir_defines_them() {
    let map = |extents: [u64; 2], of: &str| {
        let [rows, columns] = extents;
        lower(&format!(
            "// (d0, d1) -> (Addr), 0 <= d0 < {rows}, 0 <= d1 < {columns}\naffine_map<(d0, d1) -> ({of})>"
        ))
    };
    type Definition = fn(u64, u64) -> u64;
    let cases: [([u64; 2], &str, Definition); 5] = [
        ([4, 8], "(d0 * 8 + d1) mod 16 * 2 + (d0 * 8 + d1) floordiv 16", |i, j| {
            (i * 8 + j) % 16 * 2 + (i * 8 + j) / 16
        }),
        ([10, 7], "d1 + (d0 floordiv 4) * 40 + d0 mod 4 * 7", |i, j| j + i / 4 * 40 + i % 4 * 7),
        ([12, 4], "((d0 mod 12) floordiv 3) * 4 + d1 + (d0 mod 3) * 16", |i, j| {
            i / 3 * 4 + j + i % 3 * 16
        }),
        ([4, 4], "d0 * 2 + d0 * 2 + d1", |i, j| 4 * i + j),
        ([2, 8], "d0 + 2 * (d1 mod 4) + 8 * (d1 floordiv 4)", |i, j| i + 2 * (j % 4) + 8 * (j / 4)),
    ];
    for (extents, text, definition) in cases {
        let layout = map(extents, text);
        for index in layout.indexes() {
            let place = layout.locate(&index).unwrap().get(Level::ADDR);
            assert_eq!(place, Some(definition(index[0], index[1])), "{text} {index:?}");
        }
    }
}

#[test]
fn what_is_no_layout_is_refused_by_its_part() {
    let map = |of: &str| {
        format!("// (d0, d1) -> (Addr), 0 <= d0 < 20, 0 <= d1 < 8\naffine_map<(d0, d1) -> ({of})>")
    };
    for (text, why) in [
        ("affine_map<(d0) -> (d0)>".into(), "an affine map alone has no extents"),
        ("memref<?x8xf32>".into(), "an extent is only known at run time"),
        ("memref<4x8xf32, strided<[?, 1]>>".into(), "this is only known at run time"),
        ("memref<4x8xf32, strided<[8, 1], offset: ?>>".into(), "this is only known at run time"),
        ("memref<4x8xf32, strided<[8, -1]>>".into(), "a stride cannot be negative"),
        ("memref<4x8xf32, strided<[8]>>".into(), "2 extents, but 1 strides"),
        ("strided<[8, 1]>".into(), "strides alone have no extents"),
        (
            "memref<4x8xf32, affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>>".into(),
            "symbols are numbers",
        ),
        ("memref<16x256xf32, #tpu.tiled<(8,128),[1,2]>>".into(), "not those of row-major order"),
        ("#tpu.vpad<\"32,{0,0},(8,128)\">".into(), "the encoding `#tpu.vpad` is not supported"),
        ("#tpu.tiled<(8,128),[2,1]>".into(), "write the type"),
        (map("d0 + d2"), "`d2` is no dimension"),
        (map("d0 * d1"), "one of two factors is a number"),
        (map("d0 mod 0 + d1"), "division by 0"),
        (map("d0 ceildiv 4"), "`ceildiv` is not supported"),
        (map("d0 - d1"), "differences are not supported"),
        (map("(d0 mod 12) floordiv 8 + d1 * 100"), "with a carry"),
        (map("(d0 + d1) mod 4"), "with a carry"),
        (map("d0 mod 4 + d1 * 4, d0"), "2 results have 1 names"),
        (map("(d0 mod 6) * 100 + (d0 floordiv 4) * 1000 + d1"), "do not nest"),
        (map("18446744073709551615 * d0 + d1"), "does not fit in 64 bits"),
    ] {
        let refused = LayoutText::parse(&text).and_then(|text| text.lower()).unwrap_err();
        assert!(refused.to_string().contains(why), "{text}\n{refused}");
    }
    let deep = "(".repeat(100_000);
    for text in [format!("memref<4xf32, affine_map<(d0) -> ({deep}"), map(&deep)] {
        assert!(LayoutText::parse(&text).unwrap_err().to_string().contains("nest deeper"));
    }
    // XORs are printed as sums of bits, which only a reader of all maps could tell from others.
    let swizzle = LayoutText::parse("S<2,1,2> o 0 o (4,8):(8,1)").unwrap().lower().unwrap();
    let refused = LayoutText::parse(&Language::AffineMap.write(&swizzle).unwrap()).unwrap_err();
    assert!(refused.to_string().contains("or XORed"), "{refused}");
}

#[test]
fn texts_with_one_character_changed_are_read_or_refused() {
    let map = "// (d0, d1) -> (PE, Addr), 0 <= d0 < 12, 0 <= d1 < 8\naffine_map<(d0, d1) -> (d0 floordiv 3, (d0 mod 3) * 8 + d1)>";
    let (mut read, mut refused) = (0, 0);
    for text in [
        map,
        "memref<12x8xf32, strided<[8, 1], offset: 3>, 1>",
        "memref<16x256xbf16, #tpu.tiled<(8,128)(2,1),[2,1]>, #tpu.memory_space<vmem>>",
        "memref<16x32xf16, affine_map<(i, j) -> (i floordiv 4, j floordiv 8, i mod 4, j mod 8)>, 3>",
    ] {
        for at in 0..text.len() {
            for with in [
                "",
                "0",
                "9",
                "-",
                "<",
                "]",
                ")",
                ",",
                "#",
                "x",
                "?",
                "\u{e9}",
                "99999999999999999999",
            ] {
                let changed = format!("{}{with}{}", &text[..at], &text[at + 1..]);
                match LayoutText::parse(&changed).and_then(|text| text.lower()) {
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
