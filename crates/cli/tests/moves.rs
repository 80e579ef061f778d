//! Data movement: `relayout` and `route`, and places in assembly syntax, by the output of the command.

use serde_json::{Value, json};

use crate::{command, json_of, refused, run, stdout};

#[test]
fn the_command_says_what_moves() {
    for (arguments, code, says) in [
        (["f32[2,3]", "s32[3,2]{0,1}", "--bitcast"], 0, "transpose, dimensions={1,0}\n"),
        (["f32[2,3]", "f32[3,2]", "--bitcast=reshape"], 0, "reshape\n"),
        (
            ["f32[2,3]", "f32[3,2]{0,1}", "--bitcast=reshape"],
            1,
            "element (0, 1) of B is element (1, 0) of A; a reshape would make it element (0, 1)\n",
        ),
        (
            ["f32[2,3]", "f32[3,2]", "--bitcast=transpose"],
            1,
            "element (1, 0) of B is element (0, 2) of A, which is not what a transpose does\n",
        ),
        (
            ["f32[8,256]{1,0:T(8,128)}", "f32[8,256]", "--bitcast"],
            1,
            "none of the named maps\nfrom (index in B) to (index in A):\n\
             ((2_i1:128, 4_i0:2), (2_i0:1, 128_i1:1))\n",
        ),
        (
            ["f32[5]{0:T(4)}", "f32[6]{0:T(4)}", "--bitcast"],
            1,
            "this is not a bitcast: byte 20 holds padding in the first array and element (5) in the second\n",
        ),
    ] {
        let output = run(&[&["same"], &arguments[..]].concat());
        assert_eq!(String::from_utf8(output.stdout).unwrap(), says, "{arguments:?}");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    }
}

#[test]
fn relayout_says_whether_the_memory_of_the_source_is_enough() {
    let asked = |a: &str, b: &str, more: &[&str]| {
        stdout(&[&["relayout", a, b, "--machine", "PE=1", "--in-place"][..], more].concat())
    };
    assert_eq!(
        asked("((8:1))", "((8:2))", &[]),
        "one memory is enough if every unit writes its addresses in descending order\n  \
         ascending: element (2) is overwritten by (1) at PE=0,Addr=2 before it is read\n"
    );
    assert_eq!(
        asked("((8:1))", "((8:1))", &[]),
        "one memory is enough if every unit writes its addresses in ascending or descending order\n"
    );
    assert_eq!(
        asked("((4:4), (4:1))", "((4:1), (4:4))", &["--json"]),
        "{\"ascending\":{\"element\":[0,1],\"by\":[1,0],\"place\":\"PE=0,Addr=1\"},\
         \"descending\":{\"element\":[1,0],\"by\":[0,1],\"place\":\"PE=0,Addr=4\"}}\n"
    );
    // Every row moves up, so no element has to be inspected. Downwards, all of them would have to be.
    let large = asked("((2000:2000), (2000:1))", "((2000:2048), (2000:1))", &[]);
    assert!(large.starts_with("one memory is enough if every unit"), "{large}");
    assert!(large.contains("ascending: not decided: "), "{large}");
    refused(&["relayout", "((2000:2000), (2000:1))", "((2000:1), (2000:2000))", "--in-place"]);
}

#[test]
fn relayout_answers_with_counts_moves_and_transfers() {
    let pair = ["((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"];
    let relayout = |more: &[&'static str]| [&["relayout", pair[0], pair[1]], more].concat();
    let answer = json_of(&relayout(&["--machine", "PE=4", "--json"]));
    assert_eq!(answer["by_distance"], json!({ "in_place": 4, "address": 20, "PE": 72 }));
    assert_eq!((&answer["into"], &answer["elements"]), (&json!({ "PE": 72 }), &json!(96)));
    let from = json!({ "level": "PE", "stride": 1 });
    assert_eq!(answer["moves"][0]["from"], from);
    let page = stdout(&relayout(&["--machine", "PE=4"]));
    assert!(page.starts_with("elements move between PEs\n"));
    assert!(page.contains("axis 0, 4 at 3: PE -> Addr x 6"), "{page}");
    assert!(page.lines().all(|line| line.len() <= 80), "{page}");
    // Without a machine, the units are those that the layouts name.
    assert_eq!(json_of(&relayout(&["--json"]))["into"], json!({ "PE": 72 }));
    let moves =
        stdout(&["relayout", "((1_PE, 4:1))", "((4:1))", "--machine", "PE=4", "--transfers"]);
    assert_eq!(moves, "PE: 4 x PE=0 [0..3 by 1] -> PE=1; PE=2; PE=3 [0..3 by 1]\n");
    // A long word has four halves; the layouts use three of them.
    let halves = ["((3_W, 5:1))", "((3_W, 5:2))", "--machine", "PE=1", "--dtype", "Half"];
    let moves = stdout(&[&["relayout"], &halves[..], &["--transfers"]].concat());
    assert!(moves.starts_with("address: 4 x PE=0 [4..16 by 4] -> PE=0 [8..32 by 8]"), "{moves}");
    let copies = ["relayout", "()", "(; B@[1000000000_Time:1])", "--machine", "PE=4"];
    assert!(refused(&[&copies[..], &["--transfers"]].concat()).contains("4000000000 copies"));
}

#[test]
fn rates_of_the_machine_give_steps() {
    let machine = concat!(env!("CARGO_TARGET_TMPDIR"), "/rates.toml");
    std::fs::write(machine, "[levels]\nPE = 4\n[bandwidth]\nPE = 2\n").unwrap();
    let pair = ["relayout", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--machine", machine];
    // 72 elements enter 4 PEs: 18 each, in five long words, two per step.
    let page = stdout(&[&pair[..], &["--dtype", "Half"]].concat());
    assert!(page.ends_with("\nat least 3 steps, most at the PEs\n"), "{page}");
    assert_eq!(json_of(&[&pair[..], &["--dtype", "Half", "--json"]].concat())["steps"], 3);
}

#[test]
fn movements_of_the_machine_give_cycles_and_their_doubts() {
    let pair = ["relayout", "((8_L2B, 64:1))@L2BM / Double", "((64:1, 8_L2B))@L2BM / Double"];
    let pair = [&pair[..], &["--machine", "mn-core-2"]].concat();
    let output = command(&pair).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("\nat least ") && page.contains(" cycles, most at the "), "{page}");
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("note: at L2B/2, L2B some rates are second-hand"), "{notes}");
    let answer = command(&[&pair[..], &["--json"]].concat()).output().unwrap().stdout;
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert!(answer["cycles"].as_u64().unwrap() > 0, "{answer}");
    // Inside an L1B all rates are the maker's.
    let inside = ["relayout", "((64:1, 4_PE))@LM0 / Double", "((4_PE, 64:1))@LM0 / Double"];
    let output = command(&[&inside[..], &["--machine", "mn-core-2"]].concat()).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn route_shows_hops_what_passes_and_the_sum() {
    let pair = [
        "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float",
        "((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))@LM0 / Float",
    ];
    let route = |more: &[&'static str]| {
        [&["route", pair[0], pair[1], "--machine", "mn-core-2"], more].concat()
    };
    let page = stdout(&route(&[]));
    assert!(page.contains("\n  l2bmd, distribute: 256 upper, 32 lower, 4 cycles\nL1BM "), "{page}");
    assert!(page.contains("32 cycles, second-hand"), "{page}");
    assert!(page.ends_with("\n3 hops, 40 cycles, 32 of them second-hand\n"), "{page}");
    let answer = json_of(&route(&["--json"]));
    let names: Vec<&Value> =
        answer["hops"].as_array().unwrap().iter().map(|hop| &hop["movement"]).collect();
    assert_eq!(names, ["mvp", "l2bmd", "l1bmm"]);
    assert_eq!((&answer["cycles"], &answer["at_least"]), (&json!(40), &json!(false)));
    assert_eq!(answer["hops"][1]["writes"], json!([0, 32]));
    let refused =
        refused(&[&["route", "((4:1))@DRAM", "((4:1))@L1BM"][..], &["--machine", "PE=4"]].concat());
    assert!(refused.contains("DRAM"), "{refused}");
    let nothing = stdout(&["route", "((4:1))@LM0", "((4:1))@LM0", "--machine", "mn-core-2"]);
    assert!(nothing.ends_with("\nnothing moves: the source serves as it is\n"), "{nothing}");
}

#[test]
fn places_are_written_and_read_as_assembly_has_them() {
    let on = ["--machine", "mn-core-2"];
    let layout = "((8_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))@LM0 / Long";
    let located = ["locate", layout, "100,37", "--as", "assembly"];
    assert_eq!(stdout(&[&located[..], &on].concat()), "$lm66n0c1b4m1p1\n");
    let element = |place: &'static str| [&["element", layout, place][..], &on].concat();
    assert_eq!(stdout(&element("$lm66n0c1b4m1p1")), "100,37\n");
    for (place, words) in [
        ("$lm66n0c1b4m1p4", "`p4` is invalid: PE runs from 0 to 3"),
        ("$lm67n0c1b4m1p1", "inside a long word"),
        ("$lm4096n0", "runs from 0 to 4094"),
        ("$lm66n4c1b4m1p1", "group of 2 L2Bs runs from 0 to 3"),
        ("$ln66n0c1b4m1p1", "is in LM1, and the layout is in LM0"),
    ] {
        assert!(refused(&element(place)).contains(words), "{place}");
    }
    let table = ["table", "((2_L2B:2, 2:1, 2_W:1))@DRAM / Float", "--as", "assembly"];
    let rows = "place,i0\n\"$d0n0,W=0\",0\n\"$d0n0,W=1\",1\n\"$d1n0,W=0\",2\n";
    let printed = stdout(&[&table[..], &on].concat());
    assert!(printed.starts_with(rows), "{printed}");
    let lines = stdout(&[&table[..], &on, &["--format", "jsonl"]].concat());
    assert!(lines.starts_with("{\"at\":\"$d0n0,W=0\",\"index\":[0]}\n"), "{lines}");
}

/// Layouts that name no units have one, which no face gives a name.
#[test]
fn a_single_unit_has_no_name() {
    let pair = ["relayout", "(8,8):(8,1)", "(8,8):(1,8)"];
    let page = stdout(&pair);
    assert!(page.starts_with("only addresses change\n"), "{page}");
    assert!(page.contains("  distance             copies\n"), "{page}");
    let json = json_of(&[&pair[..], &["--json"]].concat());
    assert_eq!((&json["into"], &json["out_of"]), (&json!({}), &json!({})));
    let transfers = stdout(&[&pair[..], &["--transfers"]].concat());
    assert!(transfers.starts_with("address: 7 x [1..7 by 1] -> [8..56 by 8]\n"), "{transfers}");
    let in_place = stdout(&[&pair[..], &["--in-place"]].concat());
    let time = stdout(&["relayout", "((4_Time, 4:1))", "((4_Time, 4:2))"]);
    assert!(time.starts_with("only addresses change\n"), "{time}");
    let memories = stdout(&["relayout", "((4:1))@LM0", "((4:1))@LM1"]);
    assert!(memories.starts_with("elements move from LM0 to LM1\n"), "{memories}");
    for text in [page, json.to_string(), transfers, in_place, memories] {
        assert!(!text.contains("Unit"), "{text}");
    }
}

#[test]
fn a_memory_of_groups_has_a_name_that_no_level_has() {
    let pair = [
        "relayout",
        "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM",
        "((8_L2B:1, 32:8), (8:1, 2_W:1))@L2BM",
    ];
    let json = json_of(&[&pair[..], &["--machine", "mn-core-2", "--json"]].concat());
    let keys: Vec<_> = json["into"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["L2B", "L2B/2"]);
    assert_eq!(
        refused(&["locate", "((4:1))", "1", "--machine", "L2B/2=4"]).lines().next(),
        Some("error: this is not a valid level name")
    );
}

#[test]
fn one_memory_is_enough_names_the_order_of_lanes() {
    let pair = [
        "relayout",
        "((2_W, 4:1))@LM0 / Float",
        "((8:1))@LM0 / Float",
        "--machine",
        "mn-core-2",
        "--in-place",
    ];
    let page = stdout(&pair);
    assert!(page.contains("its addresses, and the lanes of each long word, in"), "{page}");
}
