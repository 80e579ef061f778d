//! Counts in answers: ranges, lanes, groups, slots and copies.

use crate::{json_of, run, stdout};

#[test]
fn a_place_outside_is_answered_with_the_range() {
    let text = |layout: &str, place: &str, more: &[&str]| {
        stdout(&[&["element", layout, place], more].concat())
    };
    assert_eq!(text("((4_PE, 3:1))", "PE=9,Addr=0", &[]), "outside: PE runs from 0 to 3\n");
    assert_eq!(text("((4_PE, 3:1))", "PE=1,Addr=9", &[]), "outside: Addr runs from 0 to 2\n");
    let on = ["--machine", "PE=4"];
    assert_eq!(text("((4_PE, 3:1))", "PE=9,Addr=0", &on), "outside: PE runs from 0 to 3\n");
    let json = json_of(&["element", "((4_PE, 3:1))", "PE=9,Addr=0", "--json"]);
    assert_eq!(json["why"], "outside");
}

#[test]
fn a_report_counts_lanes_groups_and_slots_of_one_copy() {
    let half = stdout(&["explain", "((4:1, 2_W))@LM0 / Half", "--machine", "mn-core-2"]);
    let row = |name: &str, page: &str| {
        let mut rows = page.lines().skip_while(|line| !line.starts_with("level "));
        let row = rows.find(|line| line.split_whitespace().next() == Some(name)).unwrap();
        row.split_whitespace().skip(1).take(4).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(row("W", &half), ["4", "2", "2", "2"]);
    assert!(
        half.contains("lanes      2 of the 4 in a long word are used; the others are empty\n"),
        "{half}"
    );
    assert!(half.contains("padding    0 of 8 slots"), "{half}");
    let dram = "((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float";
    let dram = stdout(&["explain", dram, "--machine", "mn-core-2"]);
    assert_eq!(row("L2B/2", &dram), ["4", "4", "4", "0"]);
    let one = stdout(&["explain", "((3:1))@DRAM", "--machine", "mn-core-2"]);
    assert_eq!(row("L2B/2", &one), ["4", "1", "1", "3"]);
    let copied = "(10,7)/((3:7, 4_PE), (7:1); B@[8_L1B:1])";
    let copied = stdout(&["explain", copied, "--machine", "L1B=8,PE=4"]);
    assert!(copied.contains("padding    14 of 84 slots (16.7 %)"), "{copied}");
    assert!(stdout(&["explain", "((1:1))"]).contains("1 long word per unit"));
}

#[test]
fn one_copy_is_counted_as_one() {
    let output = run(&["same", "((2:5))", "((1:1),(2:5))", "--serves"]);
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("axis 0 of the second layout: 1 copy, at Addr=0\n"), "{notes}");
}
