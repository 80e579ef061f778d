//! The commands that write files: tables in parts, arrays, memory images.

use std::fs;
use std::path::Path;

use tensor_layout_npy::NpyHeader;

use crate::{refused, stdout};

const SMALL: &str = "((4_PE, 3:8), (8:1))";

/// A `.npy` file of little-endian numbers.
pub(crate) fn save(path: &Path, descr: &str, shape: &[u64], cells: &[u32], width: usize) {
    let mut bytes = Vec::new();
    NpyHeader { descr: descr.into(), shape: shape.into() }.write(&mut bytes).unwrap();
    bytes.extend(cells.iter().flat_map(|cell| cell.to_le_bytes()[..width].to_vec()));
    fs::write(path, bytes).unwrap();
}

fn load(path: &Path) -> (NpyHeader, Vec<u8>) {
    let bytes = fs::read(path).unwrap();
    let mut rest = &bytes[..];
    (NpyHeader::read(&mut rest).unwrap(), rest.to_vec())
}

#[test]
fn pack_and_unpack_of_files_and_directories_are_inverse() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let text = |name: &str| path(name).display().to_string();
    save(&path("a.npy"), "<u4", &[12, 8], &(0..96).collect::<Vec<_>>(), 4);
    stdout(&["pack", &text("a.npy"), SMALL, "-o", &text("image.npy")]);
    let (header, _) = load(&path("image.npy"));
    assert_eq!((header.descr.as_str(), &header.shape[..]), ("<u4", &[4, 24][..]));
    stdout(&["unpack", &text("image.npy"), SMALL, "-o", &text("b.npy")]);
    assert_eq!(fs::read(path("a.npy")).unwrap(), fs::read(path("b.npy")).unwrap());
    let units = text("units/");
    stdout(&["pack", &text("a.npy"), SMALL, "-o", &units]);
    let (header, unit) = load(&path("units/PE=2.npy"));
    assert_eq!((&header.shape[..], &unit[..8]), (&[24][..], &[48, 0, 0, 0, 49, 0, 0, 0][..]));
    stdout(&["unpack", &units, SMALL, "-o", &text("c.npy")]);
    assert_eq!(fs::read(path("a.npy")).unwrap(), fs::read(path("c.npy")).unwrap());
    assert!(refused(&["pack", &text("a.npy"), SMALL, "-o", &units]).contains("already"));
}

#[test]
fn halves_are_packed_into_long_words() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| dir.path().join(name).display().to_string();
    save(&dir.path().join("h.npy"), "<f2", &[4, 4], &(0x100..0x110).collect::<Vec<_>>(), 2);
    let layout = "((4_PE), (4_W:1))@LM0 / Half";
    let on = |command, from: &str, to: &str| {
        stdout(&[command, &text(from), layout, "--machine", "PE=4", "-o", &text(to)]);
    };
    on("pack", "h.npy", "i.npy");
    let (header, image) = load(&dir.path().join("i.npy"));
    assert_eq!((header.descr.as_str(), &header.shape[..]), ("<u8", &[4, 1][..]));
    assert_eq!(image[..8], 0x0100_0101_0102_0103_u64.to_le_bytes());
    on("unpack", "i.npy", "back.npy");
    let (header, back) = load(&dir.path().join("back.npy"));
    assert_eq!((header.descr.as_str(), back), ("<u2", load(&dir.path().join("h.npy")).1));
}

#[test]
fn tensors_that_do_not_fit_the_layout_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let text = |name: &str| path(name).display().to_string();
    let pack = |name: &str| refused(&["pack", &text(name), SMALL, "-o", &text("out.npy")]);
    save(&path("shape.npy"), "<u4", &[8, 12], &[0; 96], 4);
    assert!(pack("shape.npy").contains("the shape is [8, 12], but that of the layout is [12, 8]"));
    let axes = vec!["(1:1)"; 7000].join(", ");
    let refusal =
        refused(&["pack", &text("shape.npy"), &format!("({axes})"), "-o", &text("out.npy")]);
    assert!(refusal.len() < 1000 && refusal.contains("[1, 1, 1, "), "{refusal}");
    save(&path("complex.npy"), "<c8", &[12, 8], &[0; 192], 4);
    assert!(pack("complex.npy").contains("entries are `<c8`"));
    save(&path("short.npy"), "<u4", &[12, 8], &[0; 95], 4);
    assert!(pack("short.npy").contains("but 380 bytes of data follow"));
    fs::write(path("none.npy"), "no array").unwrap();
    assert!(pack("none.npy").contains("not a .npy file"));
    assert!(!path("out.npy").exists());
}

#[test]
fn units_stand_in_the_order_of_the_machine_and_are_all_there() {
    let dir = tempfile::tempdir().unwrap();
    let text = |name: &str| dir.path().join(name).display().to_string();
    save(&dir.path().join("a.npy"), "<u4", &[12], &(0..12).collect::<Vec<_>>(), 4);
    let layout = ["((3_Foo, 2_PE, 2:1))", "--machine", "Foo=3,PE=2"];
    let run = |command, from: &str, to: &str, layout: &[&str; 3]| {
        [&[command, from, layout[0], "-o", to], &layout[1..]].concat().join("\u{1f}")
    };
    let split = |line: String| line.split('\u{1f}').map(String::from).collect::<Vec<_>>();
    let call = |line: String| {
        let words = split(line);
        stdout(&words.iter().map(String::as_str).collect::<Vec<_>>());
    };
    let refuse = |line: String| {
        let words = split(line);
        refused(&words.iter().map(String::as_str).collect::<Vec<_>>())
    };
    call(run("pack", &text("a.npy"), &text("units/"), &layout));
    assert!(dir.path().join("units/Foo=2/PE=1.npy").exists());
    let fewer = ["(8)/((2_Foo, 2_PE, 2:1))", "--machine", "Foo=2,PE=2"];
    let refusal = refuse(run("unpack", &text("units"), &text("b.npy"), &fewer));
    assert!(
        refusal.contains("Foo=2/PE=0.npy: this unit does not exist in the layout"),
        "{refusal}"
    );
    fs::remove_file(dir.path().join("units/Foo=1/PE=1.npy")).unwrap();
    let refusal = refuse(run("unpack", &text("units"), &text("b.npy"), &layout));
    assert!(refusal.contains("Foo=1/PE=1.npy: No such file"), "{refusal}");
    let many = ["((12:1); B@[1000000000_Time:1])", "--base", "0"];
    let refusal = refuse(run("pack", &text("a.npy"), &text("more/"), &many));
    assert!(refusal.contains("more than 1048576 units"), "{refusal}");
    let shared = ["(12):(0)", "--base", "0"];
    let refusal = refuse(run("pack", &text("a.npy"), &text("c.npy"), &shared));
    assert!(refusal.contains("are both stored at"), "{refusal}");
    assert!(!dir.path().join("b.npy").exists() && !dir.path().join("c.npy").exists());
}

#[test]
fn parts_and_partitions_are_files_of_one_table() {
    let dir = tempfile::tempdir().unwrap();
    let whole = stdout(&["table", SMALL]);
    let mut rows: Vec<String> = Vec::new();
    for part in ["1/3", "2/3", "3/3"] {
        let part = stdout(&["table", SMALL, "--part", part]);
        rows.extend(part.lines().skip(1).map(String::from));
    }
    assert!(rows.iter().eq(whole.lines().skip(1)));
    let out = dir.path().display().to_string();
    stdout(&["table", SMALL, "--partition-by", "PE", "--part", "1/1", "-o", &out]);
    let unit = fs::read_to_string(dir.path().join("PE=3/part-1.csv")).unwrap();
    assert_eq!(unit.lines().take(2).collect::<Vec<_>>(), ["Addr,i0,i1", "0,9,0"]);
    for part in ["0/3", "4/3", "1", "a/b"] {
        assert!(refused(&["table", SMALL, "--part", part]).contains("K/N"));
    }
    assert!(refused(&["table", SMALL, "--partition-by", "PE,PE", "-o", &out]).contains("twice"));
    let refusal = refused(&["table", SMALL, "--partition-by", "MAB", "-o", &out]);
    assert!(refusal.contains("MAB"), "{refusal}");
}

#[test]
fn arrays_of_numbers_are_written_as_npy() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("packed.npy");
    let out = path.display().to_string();
    stdout(&["table", SMALL, "--format", "npy-packed", "-o", &out]);
    let (header, cells) = load(&path);
    assert_eq!((&header.shape[..], &cells[22..26]), (&[12, 8][..], &[22, 23, 24, 25][..]));
    let refusal = refused(&["table", SMALL, "--format", "npy-inverse", "--at", "PE=1"]);
    assert!(refusal.contains("go with tables of rows"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let refusal = refused(&["table", SMALL, "--format", "npy-packed", "-o", "/dev/full"]);
    assert!(refusal.contains("No space left"), "{refusal}");
}
