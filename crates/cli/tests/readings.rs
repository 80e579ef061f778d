//! Defects of the commands that careful readers found, each in its shortest form.

use std::fs;

use crate::files::save;
use crate::slips::noted;
use crate::{command, json_of, refused, run, stdout};

fn scanned(text: &str) -> Vec<String> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("text");
    fs::write(&file, text).unwrap();
    let rows = stdout(&["scan", file.to_str().unwrap(), "--format", "csv"]);
    rows.lines().skip(1).map(|row| row.split("\",").next().unwrap()[1..].to_owned()).collect()
}

#[test]
fn placements_in_two_memories_and_lanes_of_two_widths_are_not_the_same() {
    let same = |a, b, more: &[&str]| {
        let args = ["same", a, b, "--machine", "mn-core-2"];
        run(&[&args[..], more].concat())
    };
    let (lm0, lm1) = ("((4:1))@LM0 / Long", "((4:1))@LM1 / Long");
    assert_eq!(same(lm0, lm1, &[]).status.code(), Some(2));
    assert_eq!(same(lm0, lm1, &["--serves"]).status.code(), Some(2));
    assert_eq!(same(lm0, lm1, &["--copyable"]).status.code(), Some(0));
    let (half, float) = ("((4:1, 2_W:1))@LM0 / Half", "((4:1, 2_W:1))@LM0 / Float");
    for question in [&[][..], &["--serves"], &["--copyable"]] {
        assert_eq!(same(half, float, question).status.code(), Some(2), "{question:?}");
        assert_eq!(same(half, half, question).status.code(), Some(0), "{question:?}");
    }
}

#[test]
fn memory_spaces_that_are_not_compared_are_noted() {
    for command in ["same", "relayout"] {
        let (_, note) = noted(&[command, "f32[8]{0:S(1)}", "f32[8]{0}"]);
        assert_eq!(note, "note: memory spaces are not compared: S(1) and S(0)\n");
    }
}

#[test]
fn what_another_notation_has_no_word_for_is_noted() {
    let convert = |text, to| noted(&["convert", text, "--to", to]).1;
    let pads = "((12:8), (8:1); B@[PE])@LM0 / Half";
    assert_eq!(stdout(&["convert", pads, "--to", "pad-layout"]), format!("{pads}\n"));
    let nothing = "note: the notation cannot express ";
    assert_eq!(convert(pads, "xla"), format!("{nothing}@LM0, B@[PE]\n"));
    assert_eq!(convert(pads, "cute"), format!("{nothing}@LM0, / Half, B@[PE]\n"));
    let shape = "f32[<=3,5]{1,0:S(1)M(64)}";
    assert_eq!(convert(shape, "strided"), format!("{nothing}<=3, S(1), M(64)\n"));
    assert_eq!(stdout(&["convert", shape, "--to", "xla"]), format!("{shape}\n"));
}

#[test]
fn elements_of_another_width_need_a_type() {
    let halves = "shape=(8, 8), strides=(16, 2), itemsize=2";
    for command in ["convert", "edit"] {
        assert!(refused(&[command, halves, "--to", "xla"]).contains("elements have 2 bytes"));
    }
    let typed = stdout(&["convert", halves, "--to", "xla", "--dtype", "bf16"]);
    assert_eq!(typed, "bf16[8,8]{1,0}\n");
}

#[test]
fn a_tuple_of_one_mode_composes_to_one_mode() {
    let compose = |by| stdout(&["edit", "(4,6):(6,1)", "--compose", by]);
    assert_eq!(compose("((2,3)):((1,4))"), "((2,3)):((6,1))\n");
    assert_eq!(compose("8:1"), "(4,2):(6,1)\n");
}

#[test]
fn a_scan_gives_every_member_its_sharding() {
    assert_eq!(
        scanned("%t = (f32[8]{0}, token[]) t(), sharding={{devices=[4]<=[4]}, {replicated}}\n"),
        ["f32[8]{0}, sharding={devices=[4]<=[4]}"]
    );
    assert_eq!(
        scanned("%t = (f32[8]{0}, f32[4]{0}) rng(%a), sharding={replicated}\n"),
        ["f32[8]{0}, sharding={replicated}", "f32[4]{0}, sharding={replicated}"]
    );
    assert_eq!(
        scanned("%t = b(f32[8]{0}) custom-call(%a), sharding={devices=[4]<=[4]}\n"),
        ["f32[8]{0}, sharding={devices=[4]<=[4]}"]
    );
    let quoted = r#"metadata={op_name="x, sharding={devices=[2]<=[2]}"}"#;
    assert_eq!(
        scanned(&format!("%p = f32[8]{{0}} p(0), {quoted}, sharding={{devices=[4]<=[4]}}\n")),
        ["f32[8]{0}, sharding={devices=[4]<=[4]}"]
    );
    assert_eq!(scanned(&format!("%p = f32[8]{{0}} p(0), {quoted}\n")), ["f32[8]{0}"]);
}

#[test]
fn files_hold_long_words_of_64_bits_or_cells() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let machine = |bits: u64| {
        let text = format!("word_bits = {bits}\n[levels]\nPE = 2\n[memories]\nLM0 = 64\n");
        fs::write(path("m.toml"), text).unwrap();
        path("m.toml")
    };
    let tensor = |descr: &str, width: usize, count: u8| {
        let cells = vec![7; usize::from(count)];
        save(&dir.path().join("t.npy"), descr, &[count.into()], &cells, width);
        path("t.npy")
    };
    let pack = |tensor: String, layout: &str, machine: String| {
        run(&["pack", &tensor, layout, "--machine", &machine, "-o", &path("o.npy")])
    };
    let says = |output: &std::process::Output| String::from_utf8_lossy(&output.stderr).into_owned();
    let wide = pack(tensor("<u4", 4, 4), "((2:1, 2_W:1))@LM0 / Half", machine(32));
    assert!(says(&wide).contains("elements of 32 bits, but the layout has 2 lanes of 16 bits"));
    let narrow = pack(tensor("<u2", 2, 4), "((2:1, 2_W:1))@LM0 / Half", machine(32));
    assert!(says(&narrow).contains("files hold long words of 64 bits"), "{}", says(&narrow));
    let whole = pack(tensor("<u4", 4, 4), "((4:1))@LM0 / Float", machine(32));
    assert!(whole.status.success(), "{}", says(&whole));
    let long = pack(tensor("<u2", 2, 4), "((1:1, 4_W:1))@LM0 / Half", machine(64));
    assert!(long.status.success(), "{}", says(&long));
}

#[test]
fn an_array_that_no_file_holds_is_refused_at_once() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.npy").display().to_string();
    let base = (u64::MAX - 3).to_string();
    let args = ["table", "((2:1))", "--base", &base, "--format", "npy-inverse", "-o", &file];
    assert!(refused(&args).contains("larger than any file can be"));
}

#[test]
fn a_relayout_between_types_is_called_a_conversion() {
    let pair = ["relayout", "f32[8,128]{1,0}", "bf16[8,128]{1,0}"];
    let noted = String::from_utf8(run(&pair).stderr).unwrap();
    assert_eq!(
        noted,
        "note: a conversion from f32 to bf16: elements are counted, whatever their width\n"
    );
    let alike = run(&["relayout", "f32[8,128]{1,0}", "f32[8,128]{0,1}"]);
    assert!(alike.stderr.is_empty());
}

#[test]
fn a_leading_axis_of_copies_serves_and_says_which_are_looked_at() {
    let asked = |a: &str, b: &str, machine: &[&str]| {
        let answer = run(&[&["same", a, b, "--serves"], machine].concat());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (text(answer.stdout), text(answer.stderr))
    };
    let on = ["--machine", "mn-core-2"];
    for machine in [&[][..], &on] {
        let (answer, note) = asked("((2_L2B:3), (4:1))", "((1_L2B, 4:1))", machine);
        assert_eq!(answer, "serves\n");
        assert_eq!(note, "note: axis 0 of the first layout: 2 copies, at L2B=0 and L2B=3\n");
        let (answer, note) = asked("((4:1); B@[8_L2B:1])", "((2_L2B:3), (4:1))", machine);
        assert_eq!(answer, "serves\n");
        assert_eq!(note, "note: axis 0 of the second layout: 2 copies, at L2B=0 and L2B=3\n");
        let (answer, _) = asked("((4:1); B@[2_L2B:1])", "((2_L2B:3), (4:1))", machine);
        assert!(answer.starts_with("element (0) is at"), "{answer}");
    }
}

#[test]
fn an_out_of_memory_message_is_found_behind_a_long_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("train.log");
    let message = include_str!("../../hlo/tests/data/out_of_memory.txt");
    std::fs::write(&path, "step 123 loss 0.25\n".repeat(60_000) + message).unwrap();
    let page = stdout(&["hlo", path.to_str().unwrap()]);
    assert!(page.contains("GiB"), "{page}");
}

#[test]
fn every_form_of_a_report_counts_instructions_that_could_not_be_sized() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let module = |groups: &str, shape: &str| {
        format!(
            "HloModule m, num_partitions=4\nENTRY e {{\n  a = f32[8]{{0}} parameter(0)\n  \
             c = {shape} copy(a)\n  ROOT g = f32[32]{{0}} all-gather(a), channel_id=1, {groups}, \
             use_global_device_ids=true, dimensions={{0}}\n}}\n"
        )
    };
    let whole = module("replica_groups=[1,4]<=[4]", "f32[8]{0}");
    fs::write(path("whole"), &whole).unwrap();
    fs::write(path("groups"), module("replica_groups=[1,4]<=[3]", "f32[8]{0}")).unwrap();
    fs::write(path("shape"), module("replica_groups=[1,4]<=[4]", "f32[8]{0:T(}")).unwrap();
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&run(&[args, &["--json"]].concat()).stdout).unwrap()
    };
    for (name, form) in [
        ("groups", &["--collectives", "CHIP=4"][..]),
        ("groups", &["--against", &path("whole")]),
        ("shape", &[]),
        ("shape", &["--copies"]),
        ("shape", &["--memory"]),
        ("shape", &["--against", &path("whole")]),
    ] {
        let file = path(name);
        let args = [&["hlo", &file], form].concat();
        let answer = json(&args);
        assert_eq!(answer["complete"], false, "{args:?}: {answer}");
        assert!(!answer["unread_lines"].as_array().unwrap().is_empty(), "{args:?}");
        let strict = refused(&[&args[..], &["--strict"]].concat());
        assert!(strict.contains("could not be read"), "{args:?}: {strict}");
        let noted = String::from_utf8(run(&args).stderr).unwrap();
        assert!(
            noted.starts_with("note: 1 place could not be read, first line"),
            "{args:?}: {noted}"
        );
    }
    let csv = run(&["hlo", &path("shape"), "--csv"]);
    assert!(String::from_utf8(csv.stderr).unwrap().contains("1 place could not be read"));
    let total = json(&["hlo", &path("groups"), "--collectives", "CHIP=4"]);
    assert_eq!(total["total"]["is_at_least"], true);
    // The second dump of a comparison is named.
    let file = path("groups");
    let compared = json(&["hlo", &path("whole"), "--against", &file]);
    assert_eq!(compared["unread_lines"][0]["dump"], "after");
    let page = String::from_utf8(run(&["hlo", &path("whole"), "--against", &file]).stdout).unwrap();
    assert!(page.contains(&format!("\n{file}:\n1 place could not be read\n")), "{page}");
}

#[test]
fn text_of_another_kind_in_a_file_is_unread() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log").display().to_string();
    let dump = "HloModule m\nENTRY e {\n  ROOT a = f32[8]{0} parameter(0)\n}\n";
    let mlir = include_str!("../../hlo/tests/data/sharded.mlir");
    let log = include_str!("../../hlo/tests/data/out_of_memory.txt");
    let memory = ("Ran out of memory", "an out-of-memory message");
    for (text, (begins, kind)) in [
        (format!("{mlir}\n{dump}"), ("HloModule", "HLO text")),
        (format!("{dump}{mlir}"), ("module @", "an MLIR module")),
        (format!("{dump}step 3\nE {log}"), memory),
        (format!("{mlir}\n{log}"), memory),
    ] {
        fs::write(&file, &text).unwrap();
        let line = 1 + text.lines().position(|line| line.contains(begins)).unwrap();
        let why = refused(&["hlo", &file, "--strict"]);
        let wanted = format!(
            "  line {line}: {kind} begins here, which is not read: pass it as a file of its own"
        );
        assert!(why.contains(&wanted), "{why}");
        let page = String::from_utf8(run(&["hlo", &file]).stdout).unwrap();
        assert!(page.contains(&wanted), "{page}");
    }
}

#[test]
fn the_largest_rows_of_a_module_or_a_log_are_as_many_in_json_as_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text").display().to_string();
    let mlir = include_str!("../../hlo/tests/data/sharded.mlir");
    let log = include_str!("../../hlo/tests/data/out_of_memory.txt");
    for (text, list) in [(mlir, "/found/values"), (log, "/found/messages/0/allocations")] {
        fs::write(&file, text).unwrap();
        let rows = |top: &[&str]| {
            let answer = stdout(&[&["hlo", &file, "--json"], top].concat());
            let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
            answer.pointer(list).unwrap().as_array().unwrap().clone()
        };
        let all = rows(&[]);
        assert!(all.len() > 1);
        assert_eq!(rows(&["--top", "1"]), all[..1]);
    }
    fs::write(&file, mlir).unwrap();
    let first = stdout(&["hlo", &file, "--json", "--top", "1"]);
    assert!(first.contains("\"device_bytes\":16384"), "{first}");
}

#[test]
fn a_route_is_printed_whole_also_where_its_film_is_too_large() {
    let folder = tempfile::tempdir().unwrap();
    let film = folder.path().join("film.svg").display().to_string();
    let pair = [
        "route",
        "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float",
        "((8_L2B:1, 32:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float",
        "--machine",
        "mn-core-2",
    ];
    let page = stdout(&pair);
    let filmed = run(&[&pair[..], &["--film", &film]].concat());
    assert_eq!(String::from_utf8(filmed.stdout).unwrap(), page);
    let why = String::from_utf8(filmed.stderr).unwrap();
    assert!(why.contains("a film of 3 hops shows every element"), "{why}");
}

#[test]
fn a_tensor_is_as_wide_as_the_type_of_its_layout_and_comes_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    save(&folder.path().join("t.npy"), "<u4", &[4], &[7; 4], 4);
    let pack = |tensor: &str, dtype: &str| {
        run(&["pack", tensor, "((4:1))", "--dtype", dtype, "-o", &path("o.npy")])
    };
    assert!(pack(&path("t.npy"), "Float").status.success());
    for (dtype, bits) in [("Half", 16), ("Double", 64)] {
        let why = String::from_utf8(pack(&path("t.npy"), dtype).stderr).unwrap();
        let wanted = format!("elements of 32 bits, but the type of the layout has {bits}");
        assert!(why.contains(&wanted), "{why}");
    }
    let pack_as = |layout: &str| run(&["pack", &path("t.npy"), layout, "-o", &path("o.npy")]);
    assert!(pack_as("s32[4]{0}").status.success());
    for (layout, bits) in
        [("bf16[4]{0}", 16), ("shape=(4,), strides=(8,), itemsize=8", 64), ("s4[4]{0}", 8)]
    {
        let why = String::from_utf8(pack_as(layout).stderr).unwrap();
        let wanted = format!("elements of 32 bits, but the type of the layout has {bits}");
        assert!(why.contains(&wanted), "{why}");
    }
    save(&folder.path().join("t.npy"), "|u1", &[4], &[7; 4], 1);
    assert!(pack_as("s4[4]{0}").status.success());
    let why = String::from_utf8(pack("-", "Float").stderr).unwrap();
    assert!(why.contains("write the array to a .npy file first"), "{why}");
    assert!(stdout(&["unpack", "--help"]).contains("--output <FILE>\n"));
}

#[test]
fn an_encoding_is_never_dropped_and_a_notation_that_was_given_is_the_one_that_reads() {
    for args in [
        &["same", "tensor<8xf16, #blocked>", "tensor<8xf16, #mma>"][..],
        &["locate", "tensor<8xf16, #blocked>", "0"],
    ] {
        let why = refused(args);
        assert!(why.contains("the alias `#blocked` is not defined"), "{why}");
    }
    let blocked = "tensor<8xf16, #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], \
                   warpsPerCTA = [4], order = [0], order = [0]}>>";
    assert!(refused(&["locate", blocked, "0"]).contains("`order` was given already"));
    assert!(refused(&["locate", "float32[16,32]", "1,2", "--from", "cute"]).contains("expected"));
    let (answer, note) = noted(&["locate", "tensor<16x32xf32>", "1,2"]);
    assert_eq!((answer.as_str(), note.as_str()), ("Addr=34\n", "note: read as `f32[16,32]`\n"));
}

#[test]
fn very_many_axes_and_digits_take_no_stack() {
    let axes = vec!["(1:1)"; 7000].join(", ");
    let layout = format!("({axes}, ({}, 2:1))", vec!["1:1"; 7000].join(", "));
    assert!(stdout(&["explain", &layout]).contains("Addr"));
    assert!(stdout(&["draw", &layout]).contains("i7000"));
}

#[test]
fn a_place_in_assembly_is_followed_by_its_lane_alone() {
    let element =
        |place| ["element", "((4:1, 2_W:1))@LM0 / Float", place, "--machine", "mn-core-2"];
    assert!(stdout(&element("$lm2n0c0b0m0p0,W=1")).contains('3'));
    let why = refused(&element("$lm2n0c0b0m0p0,PE=1"));
    assert!(why.contains("already gives PE; only Time and the lane follow it"), "{why}");
}

#[test]
fn an_axis_is_named_once_and_text_names_every_unit() {
    let layout = "((200_PE, 30:80), (80:1))";
    assert!(refused(&["draw", layout, "--zoom", "i0=5,i0=7"]).contains("axis 0 is given twice"));
    assert!(refused(&["draw", layout, "--slice", "0=1:3,0=2:4"]).contains("axis 0 is given twice"));
    // The numbers of the units are those of the rows.
    assert!(stdout(&["draw", "((4_PE), (3:1))"]).contains("\n3 3:0 3:1 3:2\n"));
}

#[test]
fn grids_that_differ_in_an_address_alone_say_which() {
    let grids = |layout| {
        let page = stdout(&["draw", layout]);
        let captions = page.lines().filter(|line| line.starts_with("i0 = "));
        captions.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        grids("(2,1,2)/((2:1), (1:1), (2_A:1))"),
        [0, 1].map(|at| format!("i0 = {at}, rows i1 0 to 0, columns i2 0 to 1; all in Addr {at}"))
    );
    assert_eq!(
        grids("((2_W:1), (2:1), (2_A:1))"),
        [0, 1].map(|at| format!("i0 = {at}, rows i1 0 to 1, columns i2 0 to 1"))
    );
    // Colours, and letters in text, show units.
    assert_eq!(
        grids("((2_A:1), (2:1), (2_B:1))"),
        [0, 1].map(|at| format!("i0 = {at}, rows i1 0 to 1, columns i2 0 to 1"))
    );
}

#[test]
fn copies_of_a_level_with_one_unit_do_not_differ_in_it() {
    let answer = stdout(&["locate", "((3_Foo:1))", "1", "--machine", "Foo=5,PE=1", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!((&answer["copies"], &answer["replicated"]), (&1.into(), &serde_json::json!([])));
}

#[test]
fn a_layout_without_an_answer_has_no_numbers_in_a_scan() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log.txt");
    std::fs::write(&file, "z = ((4_PE, 2))\n").unwrap();
    let answer = json_of(&["scan", file.to_str().unwrap(), "--json"]);
    let row = &answer["layouts"][0];
    assert!(row["error"].as_str().unwrap().contains("is incomplete"), "{row}");
    for key in ["shape", "unpadded_bytes", "allocated_bytes", "padding", "room"] {
        assert!(row[key].is_null(), "{key}: {row}");
    }
    let rows = stdout(&["scan", file.to_str().unwrap(), "--format", "csv"]);
    assert!(rows.contains(",\"\",,,,,,\"\",\"the layout is incomplete"), "{rows}");
}

#[test]
fn a_place_in_assembly_names_its_time_slice() {
    let layout = ["((2_Time:1, 2:2), (2:1))@LM0", "--machine", "mn-core-2"];
    let place = |index| {
        let [layout, machine, name] = layout;
        stdout(&["locate", layout, index, machine, name, "--as", "assembly"])
    };
    assert!(place("1,1").starts_with("$lm6n0c0b0m0p0,Time=0"));
    assert!(place("3,1").starts_with("$lm6n0c0b0m0p0,Time=1"));
    let [layout, machine, name] = layout;
    let found = stdout(&["element", layout, "$lm6n0c0b0m0p0,Time=1", machine, name]);
    assert!(found.contains('3'), "{found}");
}

#[test]
fn options_that_would_answer_nothing_are_refused() {
    let route = ["route", "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float"];
    let open = ["--machine", "mn-core-2", "--into-memory", "DRAM", "--most", "0"];
    assert!(refused(&[&route[..], &open].concat()).contains("expected a number from 1"));
    let film = [
        &route[..],
        &["((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))@LM0 / Float", "--machine", "mn-core-2"],
        &["--film", "x.png"],
    ];
    assert!(refused(&film.concat()).contains("a film cannot be written as png"));
    for several in [
        &["table", "((4_PE, 3:8), (8:1))", "--partition-by", "PE", "-o", "-"][..],
        &["vectors", "read", "docs/examples/add.vsm", "-o", "-"],
    ] {
        assert!(refused(several).contains("give the name of a folder"), "{several:?}");
    }
    let (machine, layout) =
        (["--machine", "mn-core-2"], "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float");
    for (args, input) in [
        (
            &["check", "-", "-"][..],
            include_bytes!("../../../docs/examples/layout_spec.json").as_slice(),
        ),
        (&["plan", "-", "--pins", "-"], include_bytes!("../../../docs/examples/mlp.onnx")),
        (&["route", "-", layout, "--via", "-"], layout.as_bytes()),
    ] {
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, input).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        let output = command(&[args, &machine].concat()).stdin(file).output().unwrap();
        let why = String::from_utf8(output.stderr).unwrap();
        assert!(why.contains("can be read only once"), "{args:?}: {why}");
    }
    let two = noted(&["draw", "(4,8):(1,4)", "(4,8):(8,1)", "--zoom", "0=1"]).1;
    assert!(two.contains("--zoom has no effect on two layouts"), "{two}");
    let units = noted(&["draw", "((4_PE, 3:8), (8:1))", "--view", "machine", "--blocks", "2"]).1;
    assert!(units.contains("--blocks has no effect with --view machine"), "{units}");
    let bitcast = ["same", "f32[2,3]{1,0}", "s32[3,2]{0,1}", "--bitcast", "--memory", "LM0"];
    assert!(refused(&bitcast).contains("cannot be used with"));
}

#[test]
fn an_answer_that_disregards_a_part_of_the_question_says_so() {
    let (answer, note) = noted(&["same", "f32[8,128]{1,0}", "bf16[8,128]{1,0}"]);
    assert_eq!(answer, "same\n");
    assert!(note.contains("places are compared, not element types: f32 and bf16"), "{note}");
    let dir = tempfile::tempdir().unwrap();
    let [tensor, image] = ["w.npy", "image.csv"].map(|name| dir.path().join(name));
    let [tensor, image] = [&tensor, &image].map(|path| path.to_str().unwrap());
    stdout(&["table", "((4:1))", "--format", "npy-packed", "-o", tensor]);
    let (_, note) = noted(&["pack", tensor, "((4:1))", "-o", image]);
    assert!(note.contains("a file that ends in .csv is written as .npy"), "{note}");
}
