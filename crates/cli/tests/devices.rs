//! Shardings without a strided device order, device by device.

use crate::{refused, run, stdout};

const LIST: &str = "f32[6], sharding={devices=[3]2,0,1}";

#[test]
fn the_command_answers_device_by_device() {
    assert_eq!(stdout(&["locate", LIST, "3"]), "Device=0,Addr=1\n");
    assert_eq!(
        stdout(&["locate", LIST, "3", "--base", "8", "--bytes"]),
        "Device=0,Addr=9  (byte 36)\n"
    );
    assert_eq!(stdout(&["locate", LIST, "0", "--machine", "A=2,B=2"]), "A=1,B=0,Addr=0\n");
    let copies = "f32[4], sharding={devices=[2,6]<=[4,3]T(1,0) last_tile_dim_replicate}";
    let page = stdout(&["locate", copies, "0", "--machine", "A=3,B=4"]);
    assert!(page.ends_with("A=2,B=1,Addr=0\n6 copies over A, B\n"), "{page}");
    assert_eq!(
        stdout(&["locate", LIST, "3", "--json"]),
        "{\"index\":[3],\"location\":{\"Device\":0,\"Addr\":1},\"copies\":1,\"replicated\":[],\
         \"all_copies\":[{\"Device\":0,\"Addr\":1}]}\n"
    );
    assert_eq!(
        stdout(&["table", LIST]),
        "Device,Addr,i0\n0,0,2\n0,1,3\n1,0,4\n1,1,5\n2,0,0\n2,1,1\n"
    );
    assert_eq!(
        stdout(&["table", LIST, "--at", "Device=1", "--format", "jsonl"]),
        "{\"at\":{\"Device\":1,\"Addr\":0},\"index\":[4]}\n\
         {\"at\":{\"Device\":1,\"Addr\":1},\"index\":[5]}\n"
    );
    let page = stdout(&["explain", LIST, "--machine", "A=2,B=2"]);
    let units = ["level             units       filled", "A                     2            2"];
    let units = units.join("\n") + "\nB                     4            3\n";
    assert!(page.ends_with(&units), "{page}");
    let page = stdout(&["explain", copies, "--machine", "A=4,B=4", "--json"]);
    assert!(page.contains("\"units_filled\":{\"A\":3,\"B\":12}"), "{page}");
}

#[test]
fn the_command_counts_what_moves_between_lists() {
    let iota = "f32[6], sharding={devices=[3]<=[3]}";
    assert_eq!(
        stdout(&["relayout", LIST, iota]),
        "elements move between Devices\n\n6 elements, 1 copy each\n\n  \
         distance             copies                 into units       out of units\n  \
         in place                  0   0.0 %\n  \
         address                   0   0.0 %\n  \
         Device                    6 100.0 %                  6                  6\n"
    );
    let json = stdout(&["relayout", LIST, LIST, "--json"]);
    assert!(json.contains("\"in_place\":6") && json.contains("\"moves\":null"), "{json}");
}

#[test]
fn the_command_compares_lists() {
    assert_eq!(stdout(&["same", LIST, LIST]), "same\n");
    assert_eq!(stdout(&["same", LIST, LIST, "--up-to", "padding", "--json"]), "{\"same\":true}\n");
    let iota = "f32[6], sharding={devices=[3]<=[3]}";
    let answer = run(&["same", LIST, iota]);
    assert_eq!(answer.status.code(), Some(1));
    assert_eq!(
        String::from_utf8_lossy(&answer.stdout),
        "element (0) is at Device=2,Addr=0 in the first layout and at Device=0,Addr=0 in the second\n"
    );
}

#[test]
fn what_needs_digits_is_refused_with_the_reason() {
    let digits = "the device number is not a strided function";
    for args in [
        &["convert", LIST, "--to", "cute"][..],
        &["draw", LIST],
        &["element", LIST, "Device=0,Addr=1"],
    ] {
        assert!(refused(args).contains(digits), "{args:?}");
    }
    let whole = "its table is written whole or --at a place";
    for more in [&["--part", "1/2"][..], &["--format", "npy-packed"], &["--format", "arrow"]] {
        assert!(refused(&[&["table", LIST], more].concat()).contains(whole), "{more:?}");
    }
    assert!(refused(&["same", LIST, LIST, "--serves"]).contains("--serves and --copyable need"));
    assert!(refused(&["relayout", LIST, LIST, "--transfers"]).contains("--transfers needs"));
    assert!(refused(&["relayout", LIST, "((6_Device))"]).contains("must be a sharded shape too"));
    assert!(refused(&["locate", LIST, "1", "--dtype", "Half"]).contains("are for PadLayouts"));
    assert!(refused(&["locate", LIST, "1", "--machine", "A=2"]).contains("has 2 units"));
    assert_eq!(run(&["table", LIST, "--at", "Device=7"]).status.code(), Some(2));
}
