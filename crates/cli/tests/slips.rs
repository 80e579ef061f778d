//! Text that people paste or mistype, and the messages about it.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::{command, json_of, refused, run, stdout};

/// Standard output and the notes of a command that answers.
pub(crate) fn noted(args: &[&str]) -> (String, String) {
    let output = run(args);
    assert!(output.status.success(), "{args:?}");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn a_misspelt_name_is_answered_with_the_one_that_was_meant() {
    for (args, meant) in [
        (&["explain", "((4_MABB:1, 4:1))", "--machine", "mn-core"][..], "did you mean `MAB`?"),
        (&["explain", "((4:1))", "--machine", "mncore2"], "did you mean `mn-core-2`?"),
        (&["explain", "((4:1))", "--machine", "PE=2", "--memory", "lm0"], "did you mean `LM0`?"),
        (
            &["explain", "((4:1))", "--machine", "PE=2", "--dtype", "float32"],
            "did you mean `Float`?",
        ),
        (&["explain", "((4:1))", "--machine", "PE=2", "--dtype", "bfloat16"], "`Half` is as wide"),
        (&["convert", "((4:1))", "--to", "xla", "--dtype", "bfloat16"], "did you mean `bf16`?"),
        (&["explain", "fp32[3]"], "did you mean `f32`?"),
        (&["explain", "((4:1))", "--jsonn"], "'--json'"),
    ] {
        let message = refused(args);
        assert!(message.contains(meant), "{args:?}: {message}");
    }
}

#[test]
fn a_wrong_word_or_a_missing_value_is_answered_with_what_to_type() {
    for (args, meant) in [
        (&["draw", "((4:1))", "x.svg"][..], "name it with -o x.svg"),
        (&["explain", "x.csv"], "name it with -o x.csv"),
        (&["draw", "f16[8,64]", "--by", "bank", "--bits", "32"], "16 by the type in `f16[8,64]`"),
        (&["draw", "SM80_16x8x16_F32F16F16F32_TN", "--by", "bank"], "is for layouts of shared"),
        (&["draw", "((4_PE))", "film.gif"], "name it with -o film.gif"),
        (&["draw", "((4_PE))", "--by", "pe"], "did you mean `PE`?"),
        (&["draw", "((4_PE))", "--by", "banks"], "`bank` is for the banks of shared memory"),
        (&["draw", "((4_PE))", "--labels", "adress"], "a label is address, unit, index"),
        (&["draw", "((4_PE))", "((4:1))", "--film", "x.gif"], "as in -o film.gif"),
        (&["draw", "((4_PE))", "--pdf"], "as in -o picture.pdf"),
        (&["draw", "((4_PE))", "--width", "9"], "--blocks and --panels make a picture smaller"),
        (&["draw", "((4_PE))", "((4:1))", "((4_PE))"], "`draw` takes no further layout"),
        (&["explore", "((4_PE))", "-o", "x.html"], "draw LAYOUT -o page.html"),
        (&["explore", "((4_PE))", "--by", "PE"], "under Options"),
        (&["route", "((4_PE))", "((4:1))", "--view", "film"], "--film film.svg writes a film"),
        (&["relayout", "((4_PE))", "((4:1))", "-o", "x.svg"], "draw A B -o relayout.svg"),
        (&["show"], "did you mean `draw`?"),
        (&["info", "((4:1))"], "did you mean `explain`?"),
        (&["convert", "((4:1))"], "--to is one of pad-layout, xla, cute"),
        (&["draw", "SM90_64x9x16_F32F16F16_SS"], "`SM90_64x9x16_F32F16F16_SS` is not in the table"),
    ] {
        let message = refused(args);
        assert!(message.contains(meant), "{args:?}: {message}");
        // The letter of a matrix was not typed.
        assert!(!message.contains("_SS:A"), "{message}");
    }
}

#[test]
fn characters_that_only_look_like_ascii_are_named_with_the_mended_text() {
    for text in ["（（４_PE：1））", "“((4_PE:1))”", "((4_PE:1)）"] {
        let message = refused(&["explain", text]);
        assert!(message.contains("did you mean '((4_PE:1))'?"), "{message}");
    }
}

#[test]
fn missing_brackets_and_commas_are_shown_in_place() {
    for (text, mended) in [
        ("(4_PE, 2:1), (3:2)", "((4_PE, 2:1), (3:2))"),
        ("((4_PE, 2:1) (3:2))", "((4_PE, 2:1), (3:2))"),
        ("((4_PE, 2:1)(3:2))", "((4_PE, 2:1), (3:2))"),
        ("((4_PE 2:1))", "((4_PE, 2:1))"),
    ] {
        let message = refused(&["explain", text]);
        assert!(message.contains(&format!("did you mean '{mended}'?")), "{text}: {message}");
    }
}

#[test]
fn a_broadcast_of_a_used_level_is_told_what_it_is_for() {
    let message = refused(&["explain", "((4_PE, 2:1); B@[PE])"]);
    assert!(message.contains("`B@[PE]` is for a level that no subaxis uses"), "{message}");
}

#[test]
fn a_byte_order_mark_is_not_part_of_a_layout() {
    assert!(stdout(&["explain", "\u{feff}((4:1))"]).starts_with("((4:1))\n"));
}

#[test]
fn braces_that_the_shell_expanded_are_to_be_quoted() {
    for args in [&["explain", "bf16[8,128]1", "bf16[8,128]0"][..], &["explain", "bf16[8,128]1"]] {
        let message = refused(args);
        assert!(message.contains("put the shape in quotes, as in 'bf16[8,128]{1,0}'"), "{message}");
    }
}

#[test]
fn arguments_in_the_wrong_order_are_told_the_right_one() {
    assert!(refused(&["locate", "1,2", "((4:1))"]).contains("the layout comes first"));
    assert!(refused(&["locate", "((4:1))", "((4:1))"]).contains("the layout comes first"));
    assert!(refused(&["element", "Addr=2", "((4:1))"]).contains("the layout comes first"));
}

#[test]
fn a_file_and_an_empty_input_are_told_how_to_be_read() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    assert!(refused(&["explain", file]).contains("is a file; to read a layout from it"));
    let mut child = command(&["explain", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b" \n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("standard input is empty"));
    assert!(refused(&["same", "-", "-"]).contains("can be read only once"));
}

#[test]
fn arguments_that_a_command_does_not_take_have_a_remedy() {
    const LAYOUT: &str = "((4_PE, 3:8), (8:1))";
    const DUMP: &str = "crates/hlo/tests/data/mlp.txt";
    for (args, remedy) in [
        (&["locate", LAYOUT, "5", "1"][..], "one argument, as in 100,37"),
        (&["locate", LAYOUT, "-1,0"], "begin at 0"),
        (&["locate", LAYOUT, "(5,1)"], "write 5,1"),
        (&["explain", "bf16[8,128]", "1", "0:T(8", "128)"], "put a layout in quotes"),
        (&["explain", "bf16[8,128]", "{1,0}"], "put a layout in quotes"),
        (&["vectors", "read", "f", "dir"], "name the output with -o dir"),
        (&["explain", "((4:1))", "mn-core"], "name the machine with --machine mn-core"),
        (&["hlo", DUMP, "--top", "-1"], "begin at 0"),
        (&["hlo", DUMP, DUMP], "one file at a time"),
        (&["scan", DUMP, DUMP], "one file at a time"),
        (&["(4,2):(1,4)"], "tensor-layout explain '(4,2):(1,4)'"),
        (&[LAYOUT, "5,1"], "put a command in front of it"),
        (&["hlo", "f32[8,128]{1,0}"], "tensor-layout explain"),
        (&["pack", LAYOUT, DUMP, "-o", "image/"], "the tensor comes first"),
        (&["unpack", LAYOUT, "image/", "-o", "w.npy"], "the image comes first"),
        (&["hlo", "crates/hlo/tests/data"], "give one of its files"),
        (&["hlo", "crates/hlo/tests/data", "--shapes"], "give one of its files"),
        (&["draw", LAYOUT, "--by", "PEE"], "its columns are PE, Addr"),
    ] {
        let message = refused(args);
        assert!(message.contains(remedy), "{args:?}: {message}");
    }
    // If clap has the better suggestion, its message remains.
    assert!(refused(&["hlo", DUMP, "--collective", "HOST=2"]).contains("'--collectives'"));
    assert!(refused(&["expalin", LAYOUT]).contains("'explain'"));
    let json = refused(&["locate", LAYOUT, "5", "1", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["error"]["help"], "an index is one argument, as in 100,37");
}

#[test]
fn texts_from_logs_and_programs_are_told_how_to_be_written() {
    for (text, remedy) in [
        ("$lm[0:16], (256,16)/((8_L2B, 32:1), (16_MAB))", "'(256,16)/((8_L2B, 32:1), (16_MAB))'"),
        ("In[0]: ((8_L2B, 4:1))", "'((8_L2B, 4:1))'"),
        ("f32[8x128]", "did you mean 'f32[8,128]'"),
        ("make_layout(make_shape(M,2))", "such as (4,2):(1,4)"),
        ("((8_L2B:1, 4:1))@LM0 / Flaot", "did you mean `Float`?"),
    ] {
        let message = refused(&["explain", text]);
        assert!(message.contains(remedy), "{text}: {message}");
    }
}

#[test]
fn the_form_of_a_table_is_said_where_the_name_of_its_file_does_not_tell_it() {
    let folder = tempfile::tempdir().unwrap();
    for (name, is_noted) in [("a.xlsx", true), ("a.dat", true), ("a.txt", false), ("a", false)] {
        let file = folder.path().join(name);
        let output = run(&["table", "((4_PE, 3:8), (8:1))", "-o", file.to_str().unwrap()]);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.contains("is written as CSV; choose with --format"), is_noted, "{told}");
        assert!(std::fs::read_to_string(file).unwrap().starts_with("PE,Addr,i0,i1\n"));
    }
}

#[test]
fn lenient_is_named_where_it_would_help_and_where_it_has_no_effect() {
    assert!(refused(&["explain", "F32[4]"]).contains("--lenient accepts this text"));
    let (_, note) = noted(&["locate", "((4:1))", "1", "--lenient"]);
    assert_eq!(note, "note: --lenient has no effect: it is for XLA shapes\n");
}

#[test]
fn copies_that_need_a_machine_are_noted_without_one() {
    let (_, note) = noted(&["table", "((2:1); B@[MABB])"]);
    assert!(note.starts_with("note: `B@[MABB]` has no effect without --machine"), "{note}");
    let (_, note) = noted(&["table", "((2:1); B@[Time])", "--machine", "PE=2"]);
    assert_eq!(
        note,
        "note: `B@[Time]` has no effect without the number of time steps, as in `B@[2_Time:1]`\n"
    );
    let (_, note) = noted(&["table", "((2:1); B@[W])", "--machine", "PE=2"]);
    assert!(note.contains("without a dtype, which gives the number of lanes"), "{note}");
    let (_, note) = noted(&["table", "((2:1); B@[W])@LM0 / Half", "--machine", "PE=2"]);
    assert_eq!(note, "");
}

#[test]
fn copies_in_a_level_that_the_machine_lacks_are_refused() {
    let text = "((4:1); B@[PEE])";
    for command in [&["explain", text][..], &["same", text, text], &["relayout", text, text]] {
        let message = refused(&[command, &["--machine", "mn-core"]].concat());
        assert!(message.contains("`PEE` is not a level of the machine `mn-core`"), "{message}");
        assert!(message.contains("did you mean `PE`?"), "{message}");
    }
    let dir = tempfile::tempdir().unwrap();
    let log = dir.path().join("log");
    std::fs::write(&log, "x: ((4:1); B@[PEE])\n").unwrap();
    let page = stdout(&["scan", log.to_str().unwrap(), "--machine", "mn-core"]);
    assert!(page.contains("`PEE` is not a level"), "{page}");
}

#[test]
fn a_text_of_no_notation_is_told_the_ones_there_are() {
    for text in ["hello", "L2B", "strides=(3,1)", "", "{}"] {
        let message = refused(&["explain", text]);
        assert!(message.starts_with("error: this is not a layout"), "{message}");
        assert!(message.contains("as `((4_PE, 3:8), (8:1))`, `f32[8,128]{1,0}`"), "{message}");
    }
    // Text that begins with a type name is read as an XLA shape; text with a bracket, as a layout.
    assert!(refused(&["explain", "bf16"]).starts_with("error: expected `[`"));
    assert!(refused(&["explain", "(hello)"]).contains("expected `(`, `)`, `;`"));
}

#[test]
fn parts_in_the_wrong_order_or_without_their_joint_are_turned() {
    for (text, meant) in [
        ("((L2B_16:1))", "did you mean `16_L2B`?"),
        ("((4:1), (pe_4))", "did you mean `4_PE`?"),
        ("(10,7)((3:7", "a shape in front of the axes ends in `/`"),
        ("(10,7)((3:7, 4_PE), (7:1))", "did you mean '(10,7)/((3:7, 4_PE), (7:1))'?"),
        ("(2, 3) (2:3, 3:1)", "did you mean '(2, 3)/(2:3, 3:1)'?"),
        ("4,2:1,4", "did you mean '(4,2):(1,4)'?"),
    ] {
        let message = refused(&["explain", text]);
        assert!(message.contains(meant), "{text}: {message}");
    }
    let message = refused(&["explain", "((8_LlB:1))", "--machine", "mn-core"]);
    assert!(message.contains("did you mean `L1B`?"), "{message}");
}

#[test]
fn ranges_sizes_and_machines_are_refused_with_what_is_wrong() {
    for (args, why) in [
        (&["draw", "((4:1))", "--slice", "0=0:0"][..], "--slice: 0:0 is an empty range of axis 0"),
        (&["draw", "((4:1))", "--slice", "0=3:1"], "3:1 is an empty range"),
        (
            &["explain", "((4:1))", "--machine", "PE=18446744073709551615"],
            "on this machine, the number of copies of all elements does not fit",
        ),
        (&["edit", "((4:1))", "--split", "0="], "which is not 1, the product of no sizes"),
        (&["edit", "((4:1))", "--split", "0"], "as K=N,M,.., such as 0=4,3"),
        (&["edit", "((4:1))", "--merge="], "as K=COUNT, such as 0=2, not ``"),
        (&["edit", "((4:1))", "--compose", "0"], "this is not a layout"),
        (&["explain", "((4:1))", "--base=-1"], "expected a number from 0 to 18446744073709551615"),
        (&["scan", ""], "the name of the file is empty"),
    ] {
        let message = refused(args);
        assert!(message.contains(why), "{args:?}: {message}");
        assert!(!message.contains("the layout comes first"), "{args:?}: {message}");
    }
}

#[test]
#[cfg(unix)]
fn a_text_without_an_end_is_refused() {
    let message = refused(&["explain", "((4:1))", "--machine", "/dev/zero"]);
    assert!(message.contains("longer than 1 MiB"), "{message}");
    let zeros = std::fs::File::open("/dev/zero").unwrap();
    let output = command(&["explain", "-"]).stdin(zeros).output();
    let message = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(message.contains("standard input: longer than 64 MiB"), "{message}");
}

#[test]
fn coordinates_that_mean_nothing_are_refused() {
    let place = refused(&["element", "((4:1))", "FOO=1,Addr=0"]);
    assert!(place.contains("`FOO` is not a level of the layout, whose levels are Addr"), "{place}");
    let at = refused(&["table", "((4_PE, 2:1))", "--at", "PE=7"]);
    assert!(at.contains("`PE=7` is out of range: `PE` has 4 coordinates"), "{at}");
    let project = refused(&["edit", "((4_PE, 2:1))", "--project", "FOO"]);
    assert!(project.contains("`FOO` is not a level of the layout"), "{project}");
}

#[test]
fn options_that_contradict_the_text_or_each_other_are_refused() {
    let half = "((4_PE, 2:1))@LM0 / Half";
    assert!(refused(&["explain", half, "--dtype", "Float"]).contains("contradicts `Half`"));
    let memory = ["explain", half, "--machine", "PE=4", "--memory", "LM1"];
    assert!(refused(&memory).contains("contradicts `LM0`"));
    assert!(refused(&["table", "((4:1))", "--memory", "BOGUS"]).contains("--machine"));
    assert!(
        refused(&["table", "((4:1))", "--format", "csv", "-o", "y.parquet"]).contains(".parquet")
    );
    assert!(refused(&["table", "((4:1))", "-o", "y.npy"]).contains("choose with --format"));
}

#[test]
fn same_on_a_machine_compares_placements() {
    let copies = ["same", "((12:1))", "((12:1); B@[4_PE:1])"];
    assert_eq!(run(&copies).status.code(), Some(1));
    assert_eq!(stdout(&[&copies[..], &["--machine", "PE=4"]].concat()), "same\n");
    assert!(
        refused(&["same", "((4:1))", "((4:1))", "--machine", "nosuch"]).contains("not a known")
    );
    let serves = ["same", "((12:8), (8:1))", "((1_PE, 12:8), (8:1))", "--serves"];
    assert_eq!(stdout(&serves), "serves\n");
    assert_eq!(json_of(&[&serves[..], &["--json"]].concat()), json!({ "serves": true }));
}

#[test]
fn same_compares_the_memories_and_types_in_the_texts() {
    let same = |a: &'static str, b: &'static str| ["same", a, b];
    assert!(refused(&same("((4:1))@LM0", "((4:1))@LM1")).contains("memories differ: LM0 and LM1"));
    let types = same("((4:1))@LM0 / Half", "((4:1))@LM0 / Float");
    assert!(refused(&types).contains("the numbers of lanes differ: 4 and 2"));
    // Not given, either matches any.
    assert_eq!(stdout(&same("((4:1), (2_W))@LM0 / Float", "((4:1), (2_W))")), "same\n");
}

#[test]
fn explain_tells_by_how_much_a_layout_does_not_fit() {
    let page = stdout(&["explain", "((4608:1))", "--machine", "mn-core-2"]);
    assert!(
        page.contains("           does not fit LM0: needs 4608 long words, has 2048\n"),
        "{page}"
    );
    let fits =
        &json_of(&["explain", "((17_L2B, 8:1))", "--machine", "mn-core-2", "--json"])["fits"];
    assert_eq!(fits["L2B"], json!({ "needed": 17, "capacity": 8, "fits": false }));
    assert_eq!(fits["LM0"], json!({ "needed": 8, "capacity": 2048, "fits": true }));
    refused(&["table", "((4608:1))", "--machine", "mn-core-2", "--memory", "LM0"]);
}

#[test]
fn locate_tells_bytes_and_assembly_addresses() {
    let place = ["locate", "((12:8), (8:1))@LM0", "1,2", "--machine", "mn-core-2", "--bytes"];
    assert!(
        stdout(&place).starts_with("L2B=0,L1B=0,MAB=0,PE=0,Addr=10  (byte 80, LM0 assembly 20)\n")
    );
    let answer = json_of(&[&place[..], &["--json"]].concat());
    assert_eq!((&answer["bytes"][0], &answer["assembly_addresses"][0]), (&json!(80), &json!(20)));
    let shape = "bf16[8,128]{1,0:T(8,128)(2,1)}";
    assert_eq!(stdout(&["locate", shape, "3,5", "--bytes"]), "Addr=267  (byte 534)\n");
    // The bit of the last element does not fit in 64 bits; its byte does.
    let huge = ["locate", "f32[1152921504606846975]{0:T(1024)}", "1152921504606846974", "--bytes"];
    assert_eq!(stdout(&huge), "Addr=1152921504606846974  (byte 4611686018427387896)\n");
    let huge = ["locate", "(288230376151711745:1)", "288230376151711744", "--bytes"];
    assert_eq!(stdout(&huge), "Addr=288230376151711744  (byte 2305843009213693952)\n");
    // Lane 1 of two in a long word.
    let lane = ["locate", "((4:1), (2_W))@LM0 / Float", "3,1", "--bytes"];
    assert_eq!(stdout(&lane), "Addr=3,W=1  (byte 28)\n");
    let numpy = ["locate", "shape=(2,3), strides=(12,4), itemsize=4", "1,2", "--bytes"];
    assert_eq!(stdout(&numpy), "Addr=5  (byte 20)\n");
    let shared = "tensor<8x8xf16, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>>";
    assert_eq!(stdout(&["locate", shared, "3,5", "--bytes"]), "Addr=29  (byte 58)\n");
}

#[test]
fn a_line_of_hlo_stands_for_the_shape_in_it() {
    let line = "  ROOT %fusion.3 = bf16[8,128]{1,0:T(8,128)(2,1)} fusion(f32[2]{0} %p), kind=kLoop";
    assert_eq!(stdout(&["locate", line, "3,5"]), "Addr=267\n");
    let tuple = "%t = (f32[2]{0}, /*index=1*/s32[3]{0}) tuple(%a, %b)";
    assert_eq!(stdout(&["locate", tuple, "2", "--member", "1"]), "Addr=2\n");
    // The sharding of an array is read; that of a tuple is not, and a note says so.
    let sharded = "%p = f32[10,7]{1,0} parameter(0), sharding={devices=[2,4]<=[8]}";
    assert_eq!(stdout(&["locate", sharded, "6,3"]), "Device=5,Addr=3\n");
    let tuple = "t = (f32[4]{0}, s32[]) tuple(a), sharding={{devices=[2]<=[2]},{replicated}}";
    assert!(
        noted(&["explain", tuple]).1.contains("the sharding is ignored: it is that of a tuple")
    );
}

#[test]
fn a_member_of_a_tuple_is_a_shape() {
    let tuple = "(f32[2], (s32[3], f32[4]))";
    assert_eq!(stdout(&["locate", tuple, "1", "--member", "1.1"]), "Addr=1\n");
    let message = refused(&["locate", tuple, "1", "--member", "1"]);
    assert!(message.contains("its arrays are 0, 1.0, 1.1"), "{message}");
}

#[test]
fn errors_are_json_where_answers_are() {
    let error = |args: &[&str]| -> Value { serde_json::from_str(&refused(args)).unwrap() };
    let text = &error(&["explain", "((4:1)", "--json"])["error"];
    assert_eq!((&text["line"], &text["column"]), (&json!(1), &json!(7)));
    assert_eq!(text["text"], "((4:1)");
    let index = &error(&["locate", "((4:1))", "9", "--format", "json"])["error"];
    assert_eq!(index["message"], "index 9 is out of range for axis 0: it must be below 4");
    let usage = &error(&["explain", "--json", "--nosuch"])["error"];
    assert!(usage["message"].as_str().unwrap().contains("--nosuch"));
}

#[test]
fn layouts_without_a_machine_are_compared_on_the_units_that_they_name() {
    let page = stdout(&["relayout", "((4:1))", "((2:1, 2:2))"]);
    assert!(page.contains("4 elements, 1 copy each"), "{page}");
    let named = ["relayout", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"];
    let machine = [&named[..], &["--machine", "PE=4"]].concat();
    assert_eq!(stdout(&named), stdout(&machine));
}

#[test]
fn what_there_is_to_name_is_listed() {
    assert!(stdout(&["machines"]).contains("8 L2B > 8 L1B > 16 MAB > 4 PE"));
    let dtypes = json_of(&["dtypes", "--json"]);
    assert_eq!(dtypes["pad-layout"].as_array().unwrap().len(), 9);
    let notations = json_of(&["notations", "--json"]);
    let (read, written): (Vec<_>, Vec<_>) =
        notations.as_array().unwrap().iter().partition(|notation| notation["read"] == true);
    assert!(written.iter().any(|notation| notation["notation"] == "affine-map"));
    assert_eq!((read.len(), written.len()), (7, 8));
    for notation in read {
        let (name, example) = (notation["notation"].as_str(), notation["example"].as_str());
        stdout(&["explain", example.unwrap(), "--from", name.unwrap()]);
    }
}

#[test]
fn what_would_spoil_a_file_or_overflow_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dump = dir.path().join("dump.txt");
    std::fs::write(&dump, "ENTRY e {\n  ROOT a = f32[8]{0} parameter(0)\n}\n").unwrap();
    let dump = dump.to_str().unwrap();
    let model = ["plan", "docs/examples/mlp.onnx", "--machine", "mn-core-2"];
    for (args, why) in [
        (&["draw", "((4:1))", "--title", "a\u{1}b"][..], "cannot show control characters"),
        (&["hlo", dump, "--report", dump], "would replace the dump"),
        (&[&model[..], &["--penalty", "1000000001"]].concat(), "at most 1000000000"),
    ] {
        let message = refused(args);
        assert!(message.contains(why), "{args:?}: {message}");
    }
    assert!(std::fs::read_to_string(dump).unwrap().contains("ROOT a"));
    let page = stdout(&["explain", "bf16[4096]", "--machine", "mn-core-2"]);
    assert!(!page.contains("does not fit"), "{page}");
}

#[test]
fn completions_and_manual_pages_are_made() {
    // Bash completes nothing in a state that has no case.
    let script = stdout(&["completions", "bash"]);
    let states =
        script.lines().filter_map(|line| line.trim().strip_prefix("cmd=\"")?.strip_suffix('"'));
    let states: Vec<&str> = states.filter(|state| !state.is_empty()).collect();
    assert!(states.len() > 20, "{states:?}");
    for state in states {
        assert!(script.lines().any(|line| line.trim() == format!("{state})")), "{state}");
    }
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man/man1");
    stdout(&["man", pages.to_str().unwrap()]);
    let page = std::fs::read_to_string(pages.join("tensor-layout-locate.1")).unwrap();
    assert!(page.contains("\\-\\-bytes"), "{page}");
}

#[test]
fn a_dump_without_shapes_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("empty.txt");
    std::fs::write(&file, "nothing here\n").unwrap();
    let file = file.to_str().unwrap();
    for mode in [&["--shapes"][..], &["--copies"], &["--collectives", "CHIP=2"], &[]] {
        let message = refused(&[&["hlo", file], mode].concat());
        assert!(
            message.contains("was found") && message.contains("tensor-layout scan"),
            "{message}"
        );
    }
    assert!(refused(&["scan", file]).contains("no layout was found in 13 bytes"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_command_leaves_no_file() {
    if crate::outputs::signals_are_ignored() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("table.csv");
    // Too many rows to finish.
    let layout = "((1048576_L2B:1, 1048576:1048576), (1048576:1))";
    for signal in ["INT", "TERM"] {
        let mut child = command(&["table", layout, "-o", file.to_str().unwrap()]).spawn().unwrap();
        let names = || -> Vec<String> {
            let entries = std::fs::read_dir(dir.path()).unwrap();
            entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
        };
        while !names().iter().any(|name| name.starts_with(".table.csv.") && name.ends_with(".part"))
        {
            assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        let id = child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-s", signal, &id])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        assert_eq!(names(), Vec::<String>::new(), "{signal}");
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_and_a_read_only_folder_are_reported() {
    assert!(refused(&["table", "((4:1))", "-o", "/dev/full"]).contains("/dev/full"));
    assert!(refused(&["table", "((4:1))", "-o", "/proc/table.csv"]).contains("/proc/table.csv"));
}

#[test]
fn bad_arguments_are_refused() {
    assert!(
        refused(&["locate", "((2:1))", "2"])
            .contains("index 2 is out of range for axis 0: it must be below 2")
    );
    assert!(refused(&["locate", "((2:1))", "0,0"]).contains("the index has 2 entries"));
    assert!(refused(&["locate", "((2:1))", "x"]).contains("`x` is not a whole number"));
    assert!(
        refused(&["table", "((2:1))", "--at", "PE=1"]).contains("`PE` is not a level of the table")
    );
    assert!(refused(&["element", "((2:1))", "pe=1"]).contains("case-sensitive: `PE`"));
    assert!(refused(&["table"]).contains("Usage"));
}

#[test]
fn an_error_names_the_dump_that_it_is_about() {
    let folder = tempfile::tempdir().unwrap();
    let [full, empty] = ["full.txt", "empty.txt"].map(|name| folder.path().join(name));
    std::fs::write(&full, "ENTRY e {\n  ROOT p = f32[8]{0} parameter(0)\n}\n").unwrap();
    std::fs::write(&empty, "").unwrap();
    let paths = [&full, &empty].map(|path| path.to_str().unwrap());
    let message = refused(&["hlo", paths[0], "--against", paths[1]]);
    assert!(message.contains("empty.txt: no HLO instruction was found"), "{message}");
}

/// The access of one warp to rows of 32 elements, whose width is that of a type in the texts, of `--bits`, or 32.
#[test]
fn access_counts_elements_of_the_width_that_the_texts_give() {
    let access = |memory: &str, bits: &[&str]| {
        let holders = "((8_LANE:1), (4_LANE:8, 8:1))";
        json_of(&[&["access", memory, holders, "--json"], bits].concat())["bytes"].clone()
    };
    assert_eq!(access("(8,32):(32,1)", &[]), 1024);
    assert_eq!(access("(8,32):(32,1)", &["--bits", "16"]), 512);
    for typed in ["bf16[8,32]{1,0}", "((8:32), (32:1))@LM0 / Half"] {
        assert_eq!(access(typed, &[]), 512, "{typed}");
        assert_eq!(access(typed, &["--bits", "16"]), 512, "{typed}");
    }
    let contradicted =
        ["access", "bf16[8,32]{1,0}", "((8_LANE:1), (4_LANE:8, 8:1))", "--bits", "32"];
    assert!(refused(&contradicted).contains("32 bits by --bits, but 16 by the type in a text"));
}

#[test]
fn an_array_of_numbers_has_no_assembly() {
    let table = ["table", "((4:1))@DRAM", "--machine", "mn-core-2", "--as", "assembly"];
    let packed = refused(&[&table[..], &["--format", "npy-packed"]].concat());
    assert!(packed.contains("--as assembly goes with CSV and JSON lines"), "{packed}");
}

#[test]
fn the_array_with_pieces_is_the_one_that_is_marked() {
    let (split, plain) = ("f32[8]{0:SC(0:4)}", "f32[8]{0}");
    for (a, b) in [(split, plain), (plain, split)] {
        assert!(refused(&["same", a, b, "--bitcast"]).contains(&format!("1 | {split}")), "{a} {b}");
    }
}

/// The swizzle moves none of the 15 elements, but two of the 18 that two tiles of 9 fill.
#[test]
fn a_swizzled_layout_divides_evenly_or_not_at_all() {
    let divided = |layout: &str| run(&["edit", layout, "--divide", "9:1"]);
    let refused = divided("S<2,2,2> o 0 o 15:1");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("fill 18 elements, but the layout has 15"), "{said}");
    assert_eq!(divided("15:1").stdout, b"(9,2):(1,9)\n");
    assert_eq!(divided("S<2,2,2> o 0 o 9:1").stdout, b"(9,1):(1,0)\n");
}
