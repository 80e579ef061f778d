//! Layouts after `edit`, by the output of the command.

use serde_json::json;

use crate::{json_of, refused, run, stdout};

#[test]
fn edits_apply_in_the_order_given() {
    let edit = |args: &[&str]| stdout(&[&["edit"], args].concat());
    let layout = "((4_PE, 3:8), (8:1))";
    assert_eq!(edit(&[layout, "--permute", "1,0", "--reshape", "96"]), "((8:1, 4_PE:1, 3:8))\n");
    assert_eq!(
        edit(&[layout, "--reshape", "96", "--split", "0=4,24"]),
        edit(&[layout, "--reshape", "4,24"])
    );
    let gather = "((), (8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))";
    assert_eq!(
        edit(&[gather, "--drop", "0"]),
        "((8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))\n"
    );
    let input =
        "((), (2_Time:1), (), (16_MAB:1, 16:16, 4:1, 4:4), (8:256, 4_W:1, 4_PE:1); B@[L1B,L2B])";
    let output = "((), (2_Time:6), (6_Time:1), (16_MAB:1, 16:16, 4:1, 4:4), (8:256, 4_W:1, 4_PE:1); B@[L1B,L2B])\n";
    assert_eq!(edit(&[input, "--broadcast", "2=6_Time"]), output);
    assert_eq!(
        edit(&["(10,7)/((5:7, 4_PE), (7:1))", "--minimal-padding", "--pad", "12,7"]),
        "((3:7, 4_PE:1), (7:1))\n"
    );
    assert_eq!(
        edit(&["(10,7)/((3:7, 4_PE), (7:1))", "--restrict", "PE=3"]),
        "(2,7)/((3:7), (7:1))\n"
    );
    assert_eq!(edit(&["(3:1)", "--tile", "0=2", "--insert", "0"]), "((), (2:3, 3:1))\n");
    assert_eq!(edit(&["f32[8,16]{1,0:T(4,4)}", "--permute", "1,0"]), "f32[16,8]{0,1:T(4,4)}\n");
    assert_eq!(
        edit(&["(3:4, 4:1)", "--merge", "0=2", "--to", "strided"]),
        "shape=(12,), strides=(1,)\n"
    );
    assert!(refused(&["edit", layout, "--drop", "0"]).contains("axis 0 has extent 12"));
    assert!(
        refused(&["edit", layout, "--slice", "0=1"])
            .contains("--slice: expected K=START:STOP[:STEP]")
    );
}

#[test]
fn cute_layouts_are_edited_as_cute_does() {
    let edit = |args: &[&str]| stdout(&[&["edit"], args].concat());
    assert_eq!(edit(&["(6,2):(8,2)", "--compose", "(4,3):(3,1)"]), "((2,2),3):((24,2),8)\n");
    assert_eq!(edit(&["(2,2):(4,1)", "--product", "6:1"]), "((2,2),(2,3)):((4,1),(2,8))\n");
    assert_eq!(edit(&["(4,2,3):(2,1,8)", "--divide", "4:2"]), "((2,2),(2,3)):((4,1),(2,8))\n");
    assert_eq!(edit(&["(2,2):(1,6)", "--complement", "24"]), "(3,2):(2,12)\n");
    // The inverse at place v gives the linear index.
    let inverse = edit(&["(4,8):(8,1)", "--inverse", "left"]);
    assert_eq!(inverse, "(8,4):(4,1)\n");
    assert_eq!(stdout(&["locate", inverse.trim(), "17"]), "Addr=6\n"); // 17 = 2 x 8 + 1: (2, 1)
    let refused_compose = refused(&["edit", "(4,6,8):(2,3,5)", "--compose", "6:3"]);
    assert!(
        refused_compose.contains("a CuTe layout cannot express this layout"),
        "{refused_compose}"
    );
    assert!(
        refused(&["edit", "(8,3):(16,12)", "--inverse", "left"]).contains("cannot be inverted")
    );
}

#[test]
fn cute_and_strided_text_may_share_places() {
    assert_eq!(stdout(&["table", "(2,2):(1,1)"]), "Addr,i0,i1\n0,0,0\n1,0,1\n1,1,0\n2,1,1\n");
    assert_eq!(stdout(&["locate", "((2,2),3):((24,2),8)", "7"]), "Addr=34\n");
    assert_eq!(stdout(&["locate", "((2,2),3):((24,2),8)", "3,1"]), "Addr=34\n");
    let page = stdout(&["explain", "shape=(2, 3), strides=(0, 1)"]);
    assert!(page.contains("shared     Addr=1 by (0, 1) (1, 1)\n"), "{page}");
    let answer = json_of(&["explain", "(2,2):(1,1)", "--json"]);
    assert_eq!(answer["shared"], json!([{"at": {"Addr": 1}, "indexes": [[0, 1], [1, 0]]}]));
    assert!(refused(&["element", "(2,2):(1,1)", "Addr=1"]).contains("are both stored at Addr=1"));
    assert!(refused(&["table", "(2,2):(1,1)", "--machine", "PE=2"]).contains("are both stored at"));
    let convert = |text: &str, to: &str| stdout(&["convert", text, "--to", to]);
    assert_eq!(convert("f32[3,4]{0,1}", "cute"), "(3,4):(1,3)\n");
    assert_eq!(convert("f32[3,4]{0,1}", "strided"), "shape=(3, 4), strides=(1, 3)\n");
    assert_eq!(
        convert("shape=(3,4), strides=(16,4), itemsize=4", "pad-layout"),
        "((3:4), (4:1))\n"
    );
    assert!(refused(&["convert", "((4_PE))", "--to", "cute"]).contains("this layout uses `PE`"));
    assert!(refused(&["convert", "(2,2):(1", "--to", "cute"]).contains("expected"));
}

#[test]
fn edits_keep_what_they_do_not_change() {
    let edit = |text: &str| stdout(&["edit", text, "--permute", "1,0"]);
    assert_eq!(edit("f32[4,2]{1,0:E(16)S(1)}"), "f32[2,4]{0,1:E(16)S(1)}\n");
    assert_eq!(edit("((4:2), (2:1); B@[PE])@LM0 / Float"), "((2:1), (4:2); B@[PE])@LM0 / Float\n");
    let bounded = run(&["edit", "f32[<=4,2]{1,0}", "--permute", "1,0"]);
    assert_eq!(String::from_utf8(bounded.stderr).unwrap(), "note: dynamic bounds are not kept\n");
}

#[test]
fn an_edit_of_an_instruction_is_a_pad_layout() {
    let edited = stdout(&["edit", "SM80_16x8x16_F32F16F16F32_TN:C", "--permute", "1,0"]);
    assert_eq!(edited, "((4_LANE:1, 2:1), (2:2, 8_LANE:4))\n");
}
