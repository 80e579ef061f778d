//! CuTe layouts at the command line.

use crate::cute_judge::{Random, judge_composition, judge_inverse, pair, text};
use crate::{refused, run, stdout};

/// Layout, steps of `edit`, and the result in CuTe.
const EXAMPLES: &[(&str, &[&str], &str)] = &[
    // Composition.
    ("(6,2):(8,2)", &["--compose", "(4,3):(3,1)"], "((2,2),3):((24,2),8)"),
    ("20:2", &["--compose", "(5,4):(4,1)"], "(5,4):(8,2)"),
    ("(10,2):(16,4)", &["--compose", "(5,4):(1,5)"], "(5,(2,2)):(16,(80,4))"),
    ("(12,(4,8)):(59,(13,1))", &["--compose", "<3:4, 8:2>"], "(3,(2,4)):(236,(26,1))"),
    ("(12,(4,8)):(59,(13,1))", &["--compose", "<3, 8>"], "(3,(4,2)):(59,(13,1))"),
    ("(4,3):(1,4)", &["--compose", "6:2"], "6:2"),
    ("(4,3):(3,1)", &["--compose", "6:2"], "(2,3):(6,1)"),
    ("4:1", &["--compose", "2:1"], "2:1"),
    ("(4,3):(8,2)", &["--compose", "(3,6):(4,0)"], "(3,6):(2,0)"),
    // Slices.
    ("(4,8):(8,1)", &["--slice", "0=0:2"], "(2,8):(8,1)"),
    // Complement.
    ("4:1", &["--complement", "24"], "6:4"),
    ("6:4", &["--complement", "24"], "4:1"),
    ("(4,6):(1,4)", &["--complement", "24"], "1:0"),
    ("4:2", &["--complement", "24"], "(2,3):(1,8)"),
    ("(2,4):(1,6)", &["--complement", "24"], "3:2"),
    ("(2,2):(1,6)", &["--complement", "24"], "(3,2):(2,12)"),
    ("4:2", &["--complement"], "2:1"),
    ("4:2", &["--complement-rounded", "20"], "(2,3):(1,8)"),
    // Division.
    ("(4,2,3):(2,1,8)", &["--divide", "4:2"], "((2,2),(2,3)):((4,1),(2,8))"),
    (
        "(9,(4,8)):(59,(13,1))",
        &["--divide", "<3:3, (2,4):(1,8)>"],
        "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))",
    ),
    (
        "(9,(4,8)):(59,(13,1))",
        &["--zipped-divide", "<3:3, (2,4):(1,8)>"],
        "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))",
    ),
    (
        "(9,(4,8)):(59,(13,1))",
        &["--tiled-divide", "<3:3, (2,4):(1,8)>"],
        "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))",
    ),
    (
        "(9,(4,8)):(59,(13,1))",
        &["--flat-divide", "<3:3, (2,4):(1,8)>"],
        "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))",
    ),
    // The modes of pycute 4.2.0.
    (
        "((8,8,4),16):((1,8,64),256)",
        &["--divide", "<(8,8,4):(1,8,64)>"],
        "(((8,8,4),1),16):(((1,8,64),0),256)",
    ),
    ("((8,8,4),16):((1,8,64),256)", &["--divide", "<8,4>"], "((8,32),(4,4)):((1,8),(256,1024))"),
    (
        "((8,8,4),16):((1,8,64),256)",
        &["--divide", "<_,4>"],
        "((8,8,4),(4,4)):((1,8,64),(256,1024))",
    ),
    (
        "((8,8,4),16):((1,8,64),256)",
        &["--divide", "(8,(2,2)):(1,(8,16))"],
        "((8,(2,2)),128):((1,(8,16)),32)",
    ),
    ("((8,8,4),16):((1,8,64),256)", &["--divide", "8:1"], "(8,512):(1,8)"),
    (
        "((8,8,4),16):((1,8,64),256)",
        &["--zipped-divide", "<8,4>"],
        "((8,4),(32,4)):((1,256),(8,1024))",
    ),
    (
        "((8,8,4),16):((1,8,64),256)",
        &["--zipped-divide", "<(8,8,4):(1,8,64)>"],
        "(((8,8,4)),(1,16)):(((1,8,64)),(0,256))",
    ),
    ("((8,8,4),16):((1,8,64),256)", &["--tiled-divide", "<8,4>"], "((8,4),32,4):((1,256),8,1024)"),
    ("((8,8,4),16):((1,8,64),256)", &["--tiled-divide", "8:1"], "(8,512):(1,8)"),
    ("((8,8,4),16):((1,8,64),256)", &["--compose", "<_,4>"], "((8,8,4),4):((1,8,64),256)"),
    ("((8,8,4),16):((1,8,64),256)", &["--compose", "(8,(2,2)):(1,(8,16))"], "(8,(2,2)):(1,(8,16))"),
    ("((2,(2,2)),3):((1,(2,4)),8)", &[], "((2,(2,2)),3):((1,(2,4)),8)"),
    // Product.
    ("(2,2):(4,1)", &["--product", "6:1"], "((2,2),(2,3)):((4,1),(2,8))"),
    ("(2,2):(4,1)", &["--product", "(4,2):(2,1)"], "((2,2),(4,2)):((4,1),(8,2))"),
    ("(2,5):(5,1)", &["--blocked-product", "(3,4):(1,3)"], "((2,3),(5,4)):((5,10),(1,30))"),
    ("(2,5):(5,1)", &["--raked-product", "(3,4):(1,3)"], "((3,2),(4,5)):((10,5),(30,1))"),
    (
        "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)",
        &["--tile-to-shape", "128,128"],
        "S<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))",
    ),
    // Maps to coordinates.
    ("(64,128):(128,1)", &["--compose", "(128,64):(1@1,1@0)"], "(128,64):(1,128)"),
    ("(12,(4,8)):(59,(13,1))", &["--compose", "<_, 8:2>"], "(12,(2,4)):(59,(26,1))"),
    ("(8,16):(1,8)", &["--divide", "[4:1;_]"], "((4,2),16):((1,4),8)"),
    // Inverses.
    ("4:2", &["--inverse", "right"], "1:0"),
    ("4:2", &["--inverse", "left"], "(2,4):(4,1)"),
    ("(4,2):(2,1)", &["--inverse", "right"], "(2,4):(4,1)"),
    ("(4,8):(1,4)", &["--inverse", "right"], "32:1"),
    ("(4,8):(1,5)", &["--inverse", "right"], "4:1"),
    ("(2,4,6):(4,1,8)", &["--inverse", "right"], "(4,2,6):(2,1,8)"),
    // CuTe stops at the first of two digits with stride 1, and before a digit that steps over half of another.
    ("(5,4,2):(4,1,1)", &["--inverse", "right"], "(4,5):(5,1)"),
    ("(6,5):(1,4)", &["--inverse", "right"], "(4,5):(1,6)"),
];

#[test]
fn the_command_prints_what_cute_writes() {
    for (layout, steps, expected) in EXAMPLES {
        let arguments: Vec<&str> = ["edit", layout].iter().chain(*steps).copied().collect();
        assert_eq!(stdout(&arguments), format!("{expected}\n"), "{layout} {steps:?}");
    }
}

#[test]
fn the_command_composes_and_inverts_as_the_library_does() {
    let mut random = Random(300);
    for _ in 0..200 {
        let (outer, inner) = pair(&mut random);
        let (outer_text, inner_text) = (text(&outer), text(&inner));
        let output = run(&["edit", &outer_text, "--compose", &inner_text]);
        let printed = String::from_utf8(output.stdout).unwrap();
        let printed = printed.strip_suffix('\n').filter(|_| output.status.code() == Some(0));
        assert!(printed.is_some() || output.status.code() == Some(2), "{outer_text} {inner_text}");
        judge_composition(&outer, &inner, printed);
        let inverse = stdout(&["edit", &outer_text, "--inverse", "right"]);
        judge_inverse(&outer, inverse.trim_end());
    }
}

#[test]
fn the_command_locates_nested_coordinates() {
    let at = |index: &str| stdout(&["locate", "((2,2),3):((1,2),4)", index]).trim_end().to_owned();
    for index in ["((1,0),2)", "(1,0),2", "1,2", "(1, 2)", "9", "((_1,_0),_2)"] {
        assert_eq!(at(index), "Addr=9", "{index}");
    }
    for (index, says) in [
        ("((2,0),2)", "2 is not below the size 2 of its mode"),
        ("((1,0,0),2)", "the coordinate has 3 entries here, but the shape has 2"),
        ("((1,0),(2,0))", "expected an integer, as in the shape"),
        ("12", "12 is not below the size 12 of its mode"),
        ("(1,0", "expected"),
    ] {
        let said = refused(&["locate", "((2,2),3):((1,2),4)", index]);
        assert!(said.contains(says), "{index}: {said}");
    }
}
