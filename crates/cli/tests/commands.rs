//! The command line, by its output.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

/// The root of the project, which is the working directory of the commands in the pages.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

const FULL: &str = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";

pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tensor-layout"));
    // Help adapts its width to the terminal or COLUMNS.
    command.args(args).env_remove("COLUMNS").current_dir(ROOT);
    command
}

pub(crate) fn run(args: &[&str]) -> Output {
    command(args).output().unwrap()
}

/// Standard output of a command that succeeds and prints nothing to standard error.
pub(crate) fn stdout(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub(crate) fn json_of(args: &[&str]) -> Value {
    serde_json::from_str(&stdout(args)).unwrap()
}

/// Standard error of a command that rejects its input.
pub(crate) fn refused(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    assert_eq!(output.stdout, b"", "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn the_readme_table_has_one_row_per_element() {
    let table = stdout(&["table", FULL, "--machine", "mn-core"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 524_288);
    assert_eq!(lines[..3], ["L2B,L1B,MAB,PE,Addr,i0,i1", "0,0,0,0,0,0,0", "0,0,0,0,1,0,4"]);
    assert!(lines.contains(&"1,4,1,1,33,100,37"));
    assert_eq!(*lines.last().unwrap(), "15,7,15,3,63,1023,511");
}

#[test]
fn a_table_of_a_subtree_with_padding_marks_it() {
    let layout = "(10,7)/((3:7, 4_PE), (7:1))";
    let table = stdout(&["table", layout, "--padding", "--at", "PE=2"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 21);
    assert_eq!((lines[0], lines[1], lines[15]), ("PE,Addr,i0,i1", "2,0,2,0", "2,14,,"));
    assert_eq!(stdout(&["table", layout, "--at", "PE=2"]).lines().count(), 1 + 14);
}

#[test]
fn json_lines_name_the_place_and_the_index() {
    let table = stdout(&["table", "(3)/((2_PE, 2:1))", "--format", "jsonl", "--padding"]);
    assert_eq!(
        table,
        "\
{\"at\":{\"PE\":0,\"Addr\":0},\"index\":[0]}
{\"at\":{\"PE\":0,\"Addr\":1},\"index\":[1]}
{\"at\":{\"PE\":1,\"Addr\":0},\"index\":[2]}
{\"at\":{\"PE\":1,\"Addr\":1},\"index\":null}
"
    );
}

#[test]
fn replicas_are_rows_on_a_machine() {
    let table = stdout(&["table", "((2:1))", "--machine", "L2B=2,PE=2"]);
    assert_eq!(
        table,
        "L2B,PE,Addr,i0\n0,0,0,0\n0,0,1,1\n0,1,0,0\n0,1,1,1\n1,0,0,0\n1,0,1,1\n1,1,0,0\n1,1,1,1\n"
    );
    assert_eq!(stdout(&["table", "((2:1))"]), "Addr,i0\n0,0\n1,1\n");
    let sized = stdout(&["table", "((2:1); B@[2_Core:3])"]);
    assert_eq!(sized, "Core,Addr,i0\n0,0,0\n0,1,1\n3,0,0\n3,1,1\n");
}

#[test]
fn columns_are_time_units_custom_address_lane() {
    let text = "((2_W, 2_Foo, 2:1, 2_PE, 2_Bar, 2_L2B, 2_Time))";
    assert_eq!(stdout(&["table", text]).lines().next(), Some("Time,L2B,PE,Foo,Bar,Addr,W,i0"));
}

#[test]
fn a_table_without_elements_is_its_header() {
    assert_eq!(stdout(&["table", "(0)/((4:1))"]), "Addr,i0\n");
    assert_eq!(stdout(&["table", "()"]), "Addr\n0\n");
}

#[test]
fn locate_answers_with_every_copy() {
    let answer = json_of(&["locate", FULL, "100,37", "--json"]);
    let location = json!({"L2B": 1, "L1B": 4, "MAB": 1, "PE": 1, "Addr": 33});
    let expected = json!({
        "index": [100, 37], "location": location, "copies": 1, "replicated": [],
        "all_copies": [location],
    });
    assert_eq!(answer, expected);
    assert_eq!(stdout(&["locate", FULL, "100,37"]), "L2B=1,L1B=4,MAB=1,PE=1,Addr=33\n");
    let copies = json_of(&["locate", "((12:8), (8:1))", "1,2", "--json", "--machine", "PE=4"]);
    assert_eq!((&copies["copies"], &copies["replicated"]), (&json!(4), &json!(["PE"])));
    assert_eq!(copies["location"], json!({"PE": 0, "Addr": 10}));
    assert_eq!(copies["all_copies"].as_array().unwrap().len(), 4);
    let person = stdout(&["locate", "((12:8), (8:1))", "1,2", "--machine", "L2B=2,PE=2"]);
    assert_eq!(
        person,
        "L2B=0,PE=0,Addr=10\nL2B=0,PE=1,Addr=10\nL2B=1,PE=0,Addr=10\nL2B=1,PE=1,Addr=10\n\
         4 copies over L2B, PE\n"
    );
    let many = stdout(&["locate", "((12:8), (8:1))", "1,2", "--machine", "mn-core"]);
    assert_eq!(many.lines().count(), 65);
    assert!(many.ends_with("8192 copies over L2B, L1B, MAB, PE; the first 64 are shown\n"));
}

#[test]
fn element_answers_with_the_index_or_why_there_is_none() {
    let answer = |layout: &str, place: &str| json_of(&["element", layout, place, "--json"]);
    let found = answer(FULL, "L2B=1,L1B=4,MAB=1,PE=1,Addr=33");
    assert_eq!(found["index"], json!([100, 37]));
    assert_eq!(found.get("why"), None);
    let padded = "(10,7)/((3:7, 4_PE), (7:1))";
    assert_eq!(answer(padded, "PE=3,Addr=14")["why"], "padding");
    assert_eq!(answer(padded, "PE=3,Addr=14")["index"], Value::Null);
    assert_eq!(answer(padded, "PE=4,Addr=0")["why"], "outside");
    assert_eq!(answer("((2_PE:2, 2:1))", "PE=1,Addr=0")["why"], "hole");
    assert_eq!(stdout(&["element", padded, "PE=1,Addr=15"]), "9,1\n");
    let help = refused(&["element", padded, "Addr=15"]);
    assert_eq!(
        help,
        "error: the location lacks a coordinate in `PE`, which the layout uses\n  = help: add `PE=0` or another coordinate\n"
    );
    let on_machine = ["element", "((2:1))", "L2B=1,Addr=1", "--machine", "L2B=2,PE=2"];
    assert_eq!(stdout(&on_machine), "1\n");
}

#[test]
fn explain_is_a_page_for_a_person() {
    let page = stdout(&["explain", "(10,7)/((3:7, 4_PE), (7:1))", "--machine", "L2B=2,PE=8"]);
    assert_eq!(
        page,
        "\
(10,7)/((3:7, 4_PE:1), (7:1))

axis 0: extent 10, padded by 2 to 12
  Addr += 7 x (i0 / 4)
  PE += i0 % 4
axis 1: extent 7
  Addr += i1

level         size       extent         used        holes
L2B              2            2            2            0  replicated
PE               8            4            4            4
Addr             -           21           21            0

elements   70
copies     2 of each, over L2B
padding    14 of 84 slots (16.7 %)
footprint  21 long words per unit (168 B)

12 slots for 10 rows i0, columns i1 0 to 6
in each cell: PE:Addr
        0    1    2    3    4    5    6
   0  0:0  0:1  0:2  0:3  0:4  0:5  0:6
   1  1:0  1:1  1:2  1:3  1:4  1:5  1:6
   2  2:0  2:1  2:2  2:3  2:4  2:5  2:6
   3  3:0  3:1  3:2  3:3  3:4  3:5  3:6
   4  0:7  0:8  0:9 0:10 0:11 0:12 0:13
   5  1:7  1:8  1:9 1:10 1:11 1:12 1:13
   6  2:7  2:8  2:9 2:10 2:11 2:12 2:13
   7  3:7  3:8  3:9 3:10 3:11 3:12 3:13
   8 0:14 0:15 0:16 0:17 0:18 0:19 0:20
   9 1:14 1:15 1:16 1:17 1:18 1:19 1:20
(10)   //   //   //   //   //   //   //
(11)   //   //   //   //   //   //   //

// padding
2 copies over L2B; the first is drawn
"
    );
    assert!(page.lines().all(|line| line.len() <= 80));
}

#[test]
fn explain_refuses_ambiguous_incomplete_and_colliding_layouts() {
    assert!(refused(&["explain", "((2_PE, 6:4), (2_PE, 4:1))"]).contains("  ^^^^         ----"));
    assert!(refused(&["explain", "((4_PE, 3), (8))"]).contains("((4_PE, 3:8), (8:1))"));
    assert!(
        refused(&["explain", "(2:2, 3:1)"]).contains("(0, 2) and (1, 0) are both stored at Addr=2")
    );
}

#[test]
fn explain_tells_where_padding_lies_on_an_element() {
    // Addresses 0 1 / 1 2: row 1, column 0 is padding on top of (0, 1).
    let answer = json_of(&["explain", "(1,2)/((2:1), (2:1))", "--json"]);
    assert_eq!(answer["pads_on_elements"], 1);
    assert_eq!(answer["pads"], 2);
}

#[test]
fn a_layout_comes_from_standard_input_too() {
    let piped = |args: &[&str], input: &[u8]| {
        let mut child = command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        child.wait_with_output().unwrap()
    };
    let text = b"((2_PE,\n 2:1))\n";
    for (args, start) in [
        (&["locate", "-", "3", "--from", "pad-layout"][..], "PE=1,Addr=1\n"),
        (&["table", "-"], "PE,Addr,i0\n0,0,0\n"),
        (&["element", "-", "PE=1,Addr=1"], "3\n"),
        (&["explain", "-"], "((2_PE:1, 2:1))\n"),
        (&["convert", "-", "--to", "pad-layout"], "((2_PE:1, 2:1))\n"),
        (&["edit", "-", "--insert", "0"], "((), (2_PE:1, 2:1))\n"),
        (&["same", "-", "((2_PE, 2:1))"], "same\n"),
    ] {
        let output = piped(args, text);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert!(String::from_utf8(output.stdout).unwrap().starts_with(start), "{args:?}");
    }
    assert!(piped(&["explain", "-"], b"f32[3]{0}").stdout.starts_with(b"f32[3]{0}\n"));
    let binary = piped(&["explain", "-"], &[0xff, 0]);
    assert_eq!((binary.status.code(), binary.stdout.len()), (Some(2), 0));
}

#[test]
fn the_shape_may_be_given_separately() {
    let layout =
        "((75_Time:4, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (4_Time:1, 24:16, 4_W:1, 4_PE:1); B@[L1B])";
    let answer =
        json_of(&["explain", layout, "--shape", "151936,1536", "--machine", "mn-core-2", "--json"]);
    assert_eq!(answer["shape"], json!([151_936, 1536]));
    assert_eq!(answer["replicated"], json!(["L1B"]));
    assert!(refused(&["explain", "(3)/((4:1))", "--shape", "2"]).contains("is not the shape (3)"));
}

#[test]
fn memory_dtype_and_base_are_checked_on_the_machine() {
    let place = |rest: &[&str]| {
        let args = ["table", "((1024:1, 2_W))", "--machine", "mn-core-2"];
        refused(&[&args[..], rest].concat())
    };
    assert!(place(&["--memory", "LM0", "--base", "1025"]).contains("reaches address 2048"));
    assert!(place(&["--memory", "LM7"]).contains(
        "`LM7` is not a memory of the machine `mn-core-2`, whose memories are LM0, LM1, L1BM, L2BM, PDM, DRAM"
    ));
    assert!(place(&["--dtype", "Long"]).contains("has 1 lane of 64 bits"));
    assert!(place(&["--dtype", "Quad"]).contains("`Quad` is not a known dtype"));
    let based = stdout(&["table", "((2:1))", "--base", "5"]);
    assert_eq!(based, "Addr,i0\n5,0\n6,1\n");
}

#[test]
fn a_machine_is_read_from_toml() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("machine.toml");
    std::fs::write(&file, "name = \"small\"\n[levels]\nZ = 2\nA = 3\n[memories]\nLM0 = 8\n")
        .unwrap();
    let file = file.to_str().unwrap();
    let table = stdout(&["table", "((2_Z, 8:1))", "--machine", file, "--memory", "LM0"]);
    assert_eq!(table.lines().next(), Some("Z,A,Addr,i0"));
    let message = refused(&["table", "((9:1))", "--machine", file, "--memory", "LM0"]);
    assert!(message.contains("memory `LM0` holds 8 long words"), "{message}");
    std::fs::write(file, "[levels]\nA = -1\n").unwrap();
    assert!(refused(&["table", "((9:1))", "--machine", file]).contains("invalid machine"));
    assert!(refused(&["table", "((9:1))", "--machine", "nowhere.toml"]).contains("cannot be read"));
}

#[test]
fn a_refused_table_leaves_the_file_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("table.csv");
    std::fs::write(&file, "before").unwrap();
    let path = file.to_str().unwrap();
    refused(&["table", "(2:2, 3:1)", "-o", path]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "before");
    assert_eq!(stdout(&["table", "((2:1))", "-o", path]), "");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "Addr,i0\n0,0\n1,1\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_closed_pipe_is_success() {
    let mut child = command(&["table", FULL]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_table_of_2_to_the_60_rows_starts_at_once() {
    let layout = "((1048576_L2B:1, 1048576:1048576), (1048576:1))";
    let mut child = command(&["table", layout]).stdout(Stdio::piped()).spawn().unwrap();
    let mut head = [0; 28];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut head).unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
    assert_eq!(&head, b"L2B,Addr,i0,i1\n0,0,0,0\n0,1,0");
}

#[test]
fn xla_shapes_are_taken_wherever_layouts_are() {
    let shape = "f32[3,5]{1,0:T(2,2)}";
    let table = stdout(&["table", shape, "--padding"]);
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[18], lines[24]), (25, "Addr,i0,i1", "17,2,3", "23,,"));
    assert_eq!(stdout(&["locate", shape, "2,3"]), "Addr=17\n");
    assert_eq!(json_of(&["element", shape, "Addr=9", "--json"])["why"], "padding");
    let copies = stdout(&["locate", "f32[5]", "3", "--machine", "PE=2"]);
    assert_eq!(copies, "PE=0,Addr=3\nPE=1,Addr=3\n2 copies over PE\n");
    assert!(
        refused(&["locate", "(f32[5], s32[])", "3"]).contains("only an array shape has a layout")
    );
    assert!(
        refused(&["table", shape, "--machine", "PE=1", "--memory", "LM0"])
            .contains("count elements")
    );
}

#[test]
fn explain_of_a_shape_has_sizes_and_advice() {
    let answer = json_of(&["explain", "bf16[3,5]{1,0:T(3,128)(2,1)}", "--json"]);
    assert_eq!(
        answer["sizes"],
        json!({"unpadded_bytes": 30, "allocated_bytes": 768, "span_bytes": 1024, "data_bytes": 522})
    );
    let member = &answer["members"][0];
    assert_eq!(member["padding"], json!({"elements": 369, "bytes": 738, "share": 738.0 / 768.0}));
    assert_eq!(member["layout"]["shape"], json!([3, 5]));
    assert!(member["advice"].as_array().unwrap().len() > 3);
    let tuple = stdout(&["explain", "(f32[129,1024]{0,1:T(8,128)}, s32[])"]);
    assert_eq!(
        tuple,
        "\
(f32[129,1024]{0,1:T(8,128)}, s32[])

{0}          1.00 MiB   49.6 % padding  f32[129,1024]{0,1:T(8,128)}
{1}               4 B    0.0 % padding  s32[]

unpadded                 528388 bytes    516.00 KiB
allocated               1048580 bytes      1.00 MiB  (49.6 % padding)
span                    1048580 bytes      1.00 MiB
data                    1048072 bytes   1023.51 KiB
"
    );
    let page = stdout(&["explain", "f32[129,1024]{0,1:T(8,128)}"]);
    assert!(page.contains("  544.00 KiB * f32[129,1024]{1,0:T(8,128)}\n"));
    assert!(page.contains("    1.00 MiB * f32[129,1024]{0,1:T(8,128)}  (this one)\n"), "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
}

#[test]
fn convert_goes_both_ways() {
    let convert = |text: &str, to: &str| stdout(&["convert", text, "--to", to]);
    assert_eq!(convert("f32[3,5]{1,0:T(2,2)}", "pad-layout"), "(3,5)/((2:12, 2:2), (3:4, 2:1))\n");
    assert_eq!(convert("(3,5)/((2:12, 2:2), (3:4, 2:1))", "xla"), "f32[3,5]{1,0:T(2,2)}\n");
    assert_eq!(
        convert("((4_PE, 3:8), (8:1); B@[L2B])", "pad-layout"),
        "((4_PE:1, 3:8), (8:1); B@[L2B])\n"
    );
    assert_eq!(convert("( f32[2,3] , token[] )", "xla"), "(f32[2,3]{1,0}, token[])\n");
    let bf16 = ["convert", "((3:5), (5:1))", "--to", "xla", "--dtype", "bf16"];
    assert_eq!(stdout(&bf16), "bf16[3,5]{1,0}\n");
    let noted = run(&["convert", "((4:1))@LM0 / Half", "--to", "xla"]);
    assert_eq!(String::from_utf8(noted.stdout).unwrap(), "f16[4]{0}\n");
    let lenient = ["convert", "F32[3,5]{1,0:T(2,2)}", "--to", "xla", "--lenient"];
    assert_eq!(stdout(&lenient), "f32[3,5]{1,0:T(2,2)}\n");
    assert!(refused(&["convert", "F32[3]", "--to", "xla"]).contains("--lenient accepts this text"));
    assert!(
        refused(&["convert", "f32[2,2]{0,0}", "--to", "xla"]).contains("duplicate values: {0, 0}")
    );
    assert!(refused(&["convert", "((4_PE))", "--to", "xla"]).contains("this layout uses `PE`"));
    let lossy = run(&["convert", "u32[]{:T(128)}", "--to", "pad-layout"]);
    assert_eq!((lossy.status.code(), &lossy.stdout[..]), (Some(0), &b"()\n"[..]));
    assert!(
        String::from_utf8(lossy.stderr)
            .unwrap()
            .starts_with("note: padding is omitted (1 of 128 slots is kept)")
    );
}

#[test]
fn a_dump_is_reported_worst_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dump.txt");
    let dump = "%a = bf16[3,5]{1,0:T(8,128)(2,1)} f(bf16[3,5]{1,0:T(8,128)(2,1)} %b, f32[2])\nbf16[4]{0,T(2)}\n";
    std::fs::write(&file, dump).unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(
        stdout(&["hlo", file, "--shapes"]),
        "
      waste    unpadded   allocated   count  shape
   1.97 KiB        30 B    2.00 KiB       2  bf16[3,5]{1,0:T(8,128)(2,1)}
        0 B         8 B         8 B       1  f32[2]
   3.94 KiB        68 B    4.01 KiB       3  all of 2 shapes

1 place could not be read
  line 2: expected an integer: bf16[4]{0,T(2)}
"[1..]
    );
    let noted = |args: &[&str]| String::from_utf8(run(args).stdout).unwrap();
    let answer = noted(&["hlo", file, "--shapes", "--json", "--top", "1"]);
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(
        answer["shapes"],
        json!([{
            "shape": "bf16[3,5]{1,0:T(8,128)(2,1)}", "count": 2,
            "unpadded_bytes": 30, "allocated_bytes": 2048, "waste_bytes": 2018,
        }])
    );
    assert_eq!(
        (&answer["totals"]["allocated_bytes"], &answer["unread_lines"][0]["line"]),
        (&json!(4104), &json!(2))
    );
    let csv = noted(&["hlo", file, "--shapes", "--csv"]);
    assert_eq!(csv.lines().nth(1), Some("\"bf16[3,5]{1,0:T(8,128)(2,1)}\",2,30,2048,2018"));
    assert!(
        refused(&["hlo", file, "--shapes", "--strict"]).contains("line 2: expected an integer")
    );
    assert!(refused(&["hlo", "nowhere.txt"]).starts_with("error: nowhere.txt"));
}

#[test]
fn same_answers_with_the_exit_code_and_a_witness() {
    assert_eq!(stdout(&["same", "(3)/((2:2, 2:1))", "(3)/((4:1))"]), "same\n");
    let differs = |args: &[&str]| {
        let output = run(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let element = differs(&["same", "((2:1), (2:2))", "((2:2), (2:1))"]);
    let wanted = "element (1, 0) is at Addr=1 in the first layout and at Addr=2 in the second\n";
    assert_eq!(element, wanted);
    let padding = differs(&["same", "(3)/((4:1))", "(3:1)", "--json"]);
    assert_eq!(
        serde_json::from_str::<Value>(&padding).unwrap(),
        json!({
            "same": false,
            "witness": {
                "kind": "place", "at": {"Addr": 3},
                "first": {"index": null, "why": "padding"}, "second": {"index": null, "why": "outside"},
            },
        })
    );
    assert_eq!(
        stdout(&["same", "(3)/((4:1))", "(3:1)", "--up-to", "padding"]),
        "same up to padding\n"
    );
    assert_eq!(
        stdout(&["same", "((12:8), (8:1))", "((1_PE, 12:8), (8:1))", "--serves"]),
        "serves\n"
    );
    differs(&["same", "((1_PE, 12:8), (8:1))", "((12:8), (8:1))", "--serves"]);
    let copies = ["same", "((12:1))", "((12:1); B@[4_PE:1])", "--copyable", "--machine"];
    assert_eq!(stdout(&[&copies[..], &["PE=4"]].concat()), "copyable\n");
    differs(&[&copies[..], &["PE=8"]].concat());
    assert_eq!(stdout(&["same", "f32[3,4]{1,0}", "shape=(3, 4), strides=(4, 1)"]), "same\n");
    differs(&["same", "(2:1)", "(3:1)"]);
    refused(&["same", "(2:1)", "(2:"]);
}

#[test]
#[cfg(unix)]
fn output_goes_through_links_and_into_pipes() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name| folder.path().join(name);
    std::fs::write(path("table.csv"), "before").unwrap();
    std::os::unix::fs::symlink(path("table.csv"), path("link")).unwrap();
    stdout(&["table", "((2:1))", "-o", path("link").to_str().unwrap()]);
    assert!(path("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(path("table.csv")).unwrap(), "Addr,i0\n0,0\n1,1\n");
    // A pipe of our own: a bug would replace the machine's /dev/null by a file.
    let pipe = path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read_to_string(pipe).unwrap()
    });
    stdout(&["table", "((2:1))", "-o", pipe.to_str().unwrap()]);
    assert!(!pipe.is_file(), "a pipe was replaced by a file");
    assert_eq!(reader.join().unwrap(), "Addr,i0\n0,0\n1,1\n");
}

#[test]
fn notations_that_are_not_read_are_named() {
    for text in ["(8,8):(8,1) xor 3", "((8:1 ^ 2))"] {
        assert!(refused(&["explain", text]).contains("an XOR cannot be read here"), "{text}");
    }
    let coalesced = "tensor<8x8xf16, #ttg.coalesced>";
    assert!(refused(&["explain", coalesced]).contains("`coalesced` is not supported"));
}

#[test]
fn an_encoding_of_triton_takes_its_shape_and_type_apart() {
    let old = "#triton_gpu.shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0], hasLeadingOffset = true}>";
    let explain = |shape: &str| refused(&["explain", old, "--shape", shape]);
    assert!(refused(&["explain", old]).contains("needs the shape of a tensor"));
    assert!(explain("64x64").contains("the type of the elements is not given"));
    let cute = |shape: &str| stdout(&["convert", old, "--shape", shape, "--to", "cute"]);
    assert_eq!(cute("64x64xf16"), "S<3,3,3> o 0 o (64,64):(64,1)\n");
    assert_eq!(cute("64,64,f16"), cute("64x64xf16"));
    let linear = stdout(&["convert", old, "--shape", "64x64xf16", "--to", "triton"]);
    assert_eq!(stdout(&["convert", &linear, "--to", "cute"]), cute("64x64xf16"));
}

#[test]
fn draw_prints_text_and_svg() {
    let page = stdout(&["draw", "(10,7)/((3:7, 4_PE), (7:1))"]);
    assert!(page.contains("\n   9 1:14 1:15"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    let sliced = stdout(&["draw", "((4_PE, 3:8), (8:1))", "--slice", "i0=2:4,i1=0:2"]);
    assert!(sliced.ends_with("\n2 0:16 0:17\n3  1:0  1:1\n"), "{sliced}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tiles.svg").display().to_string();
    stdout(&["draw", "bf16[4,8]{1,0:T(2,4)(2,1)}", "-o", &file]);
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    let pair = ["draw", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--machine", "PE=4"];
    assert!(stdout(&pair).contains("copies by distance: in place 4, address 20, PE 72"));
    for (name, start) in [("x.svg", &b"<svg"[..]), ("x.html", b"<!doctype"), ("x.txt", b"((")] {
        let file = dir.path().join(name).display().to_string();
        stdout(&["draw", "((4_PE, 3:8), (8:1))", "-o", &file]);
        assert!(std::fs::read(&file).unwrap().starts_with(start), "{name}");
    }
    if cfg!(feature = "pdf") {
        let file = dir.path().join("x.pdf").display().to_string();
        stdout(&["draw", "((4_PE, 3:8), (8:1))", "--title", "rows", "-o", &file]);
        assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF"));
    }
    for name in ["x.apng", "x.jpg", "x"] {
        let file = dir.path().join(name).display().to_string();
        let said = refused(&["draw", "((4_PE))", "-o", &file]);
        assert!(
            said.contains(
                "end the name of the file in .svg, .png, .pdf, .html or .txt, or for a film in .gif"
            ),
            "{said}"
        );
        assert!(!std::path::Path::new(&file).exists());
    }
    for bad in ["i0=0:13", "i2=0:1", "i0=3:3", "x", "i0=a:b"] {
        refused(&["draw", "((4_PE, 3:8), (8:1))", "--slice", bad]);
    }
    refused(&["draw", "((4_PE))", "--view", "machine", "--by", "PE"]);
    assert!(stdout(&["draw", "((4_PE))", "((4:1))"]).contains("after: "));
}

#[test]
fn draw_writes_films() {
    let dir = tempfile::tempdir().unwrap();
    let named = |name: &str| dir.path().join(name).display().to_string();
    let pair = ["draw", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--view", "film"];
    for (name, start) in [("film.svg", "<svg"), ("film.html", "<!doctype")] {
        stdout(&[&pair[..], &["-o", &named(name)]].concat());
        let film = std::fs::read_to_string(named(name)).unwrap();
        assert!(
            film.starts_with(start) && film.contains("72 move to another PE (outlined)"),
            "{name}"
        );
    }
    // What ends in .gif is a film anyway.
    for view in if cfg!(feature = "gif") { &[0, 2][..] } else { &[] } {
        stdout(&[&pair[..3 + view], &["-o", &named("film.gif")]].concat());
        let film = std::fs::read(named("film.gif")).unwrap();
        assert!(film.starts_with(b"GIF89a") && film.ends_with(b";"));
    }
    let said = refused(&[&pair[..3], &["--view", "tensor", "-o", &named("film.gif")]].concat());
    assert!(said.contains("leave out --view, or write .png"), "{said}");
    let png = named("film.png");
    for other in [&["-o", &png][..], &[]] {
        let said = refused(&[&pair[..], other].concat());
        assert!(said.contains("write it to a file that ends in .svg, .gif or .html"), "{said}");
    }
    for other in [["--slice", "0=0:2"], ["--zoom", "0=1"], ["--at", "PE=1"], ["--labels", "unit"]] {
        let said = refused(&[&pair[..], &other, &["--format", "svg"]].concat());
        assert!(said.contains(&format!("{} does not go with a film", other[0])), "{said}");
    }
    let said = refused(&["draw", "((4_PE))", "((4:1))", "--view", "machine"]);
    assert!(said.contains("--view machine draws one layout"), "{said}");
}
