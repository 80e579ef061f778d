//! `vectors` at the command line.

use std::fs;

use crate::sample::{EXAMPLE, EXAMPLE_LM, example, file, npy};
use crate::{ROOT, refused, run, stdout};

const SMALL: &str = "((1:1), (4_PE:1, 2_W:1))";

fn bits(values: &[f32]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits().into()).collect()
}

/// A directory with the arrays of the guide, and paths in it.
fn arrays() -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().to_path_buf();
    let path = move |name: &str| root.join(name).display().to_string();
    let a = [0.1, 1.5, -2.25, 3.3, 4.0, 5.0, 6.0, 7.0];
    fs::write(path("a.npy"), npy("<f4", &[1, 8], bits(&a))).unwrap();
    let expected = a.map(|value| value + 1.0);
    fs::write(path("expected.npy"), npy("<f4", &[1, 8], bits(&expected))).unwrap();
    (dir, path)
}

#[test]
fn a_whole_file_is_written_from_arrays() {
    let (_dir, path) = arrays();
    let mut values: Vec<f32> = (0..4096).map(|at| at as f32).collect();
    values[..4].copy_from_slice(&[0.1, 1.5, -2.25, 3.3]);
    fs::write(path("lm.npy"), npy("<f4", &[256, 16], bits(&values))).unwrap();
    let mut vector: Vec<f32> = (0..16).map(|at| at as f32).collect();
    vector[..2].copy_from_slice(&[1.5, 0.1]);
    fs::write(path("dram.npy"), npy("<f4", &[16], bits(&vector))).unwrap();
    let mut expected = vec![0.0; 16];
    expected[1..4].copy_from_slice(&[1.0, -2.25, 3.3]);
    fs::write(path("out.npy"), npy("<f4", &[16], bits(&expected))).unwrap();
    let (lm0, lm1) = (format!("{EXAMPLE_LM}@LM0 / Float"), format!("{EXAMPLE_LM}@LM1 / Float"));
    let dram = "((8:1, 2_W:1))@DRAM / Float";
    let written = stdout(&[
        "vectors",
        "write",
        "--out",
        &lm1,
        &path("lm.npy"),
        "--in",
        &lm0,
        &path("lm.npy"),
        "--in",
        dram,
        &path("dram.npy"),
        "--base",
        "3",
        "--out",
        dram,
        &path("out.npy"),
    ]);
    assert_eq!(written, file(&example()));
    let one = stdout(&["vectors", "write", "--lines", "--in", &lm0, &path("lm.npy")]);
    assert!(one.starts_with(EXAMPLE.split_once('\n').unwrap().1));
    assert_eq!(one.lines().count(), 2048);
}

#[test]
fn the_day_of_the_guide_goes_as_it_says() {
    let (_dir, path) = arrays();
    let (lm0, lm1) = (format!("{SMALL}@LM0 / Float"), format!("{SMALL}@LM1 / Float"));
    let vsm = path("add.vsm");
    stdout(&[
        "vectors",
        "write",
        "--in",
        &lm0,
        &path("a.npy"),
        "--out",
        &lm1,
        &path("expected.npy"),
        "--base",
        "16",
        "-o",
        &vsm,
    ]);
    let guide = fs::read_to_string(format!("{ROOT}/docs/vectors.md")).unwrap();
    let head: Vec<String> =
        fs::read_to_string(&vsm).unwrap().lines().take(3).map(String::from).collect();
    assert!(guide.contains(&head.join("\n")), "{head:?}");
    assert_eq!(stdout(&["vectors", "check", &vsm]), "ok: 2 tensors, 8 lines\n");
    // PE 1 returns its input.
    let words = ["3F8CCCCD40200000", "C010000040533333", "40A0000040C00000", "40E0000041000000"];
    fs::write(path("dump.txt"), words.join("\n")).unwrap();
    let svg = path("wrong.svg");
    let output = run(&["vectors", "compare", &vsm, &path("dump.txt"), "--picture", &svg]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(guide.contains(said.trim_end()), "{said}");
    let json = crate::run(&["vectors", "compare", &vsm, &path("dump.txt"), "--json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(
        (&json[0]["wrong"], &json[0]["differences"][1]["place"]),
        (&2.into(), &"$ln32n0c0b0m0p1".into())
    );
    let json = stdout(&["vectors", "check", &vsm, "--json"]);
    assert_eq!(json, "{\"tensors\":2,\"lines\":8,\"count\":0,\"findings\":[]}\n");
    assert!(fs::read_to_string(&svg).unwrap().contains("2 of 8 wrong"));
    fs::write(path("dump.txt"), words.join("\n").replace(words[1], "BFA000004089999A")).unwrap();
    assert_eq!(
        stdout(&["vectors", "compare", &vsm, &path("dump.txt")]),
        "Out(0): same, 8 elements\n"
    );
    // A line that is there twice reads its elements twice.
    let text = fs::read_to_string(&vsm).unwrap();
    let line = text.lines().find(|line| line.starts_with("d getd")).unwrap();
    fs::write(path("twice.vsm"), text.replace(line, &format!("{line}\n{line}"))).unwrap();
    let dump = |first: &str| {
        let rest = words.join("\n").replace(words[1], "BFA000004089999A");
        fs::write(path("dump.txt"), format!("{first}\n{rest}")).unwrap();
        run(&["vectors", "compare", &path("twice.vsm"), &path("dump.txt")]).stdout
    };
    let said = |first: &str| String::from_utf8(dump(first)).unwrap();
    assert_eq!(said(words[0]), "Out(0): same, 10 values of 8 elements\n");
    let wrong = said("3F8CCCCD00000000");
    assert!(wrong.starts_with("Out(0): 1 of 10 values of 8 elements wrong\n"), "{wrong}");
    assert!(wrong.contains("1 wrong unit: `n0c0b0m0p0`, with 1 wrong value\n"), "{wrong}");
    let out = path("arrays");
    let read = stdout(&["vectors", "read", &vsm, "-o", &out]);
    assert!(guide.contains(read.trim_end()), "{read}");
    assert_eq!(fs::read(path("arrays/In0.npy")).unwrap(), fs::read(path("a.npy")).unwrap());
    assert_eq!(fs::read(path("arrays/Out0.npy")).unwrap(), fs::read(path("expected.npy")).unwrap());
    // The file edited by hand, with two errors and a missing line.
    let text = fs::read_to_string(&vsm).unwrap();
    let text = text.replace("lm0p1", "lm0p2").replace("values=[4.0", "values=[4.5");
    let text: String = text
        .lines()
        .filter(|line| !line.contains("p3 1 40C"))
        .fold(String::new(), |t, l| t + l + "\n");
    fs::write(&vsm, text).unwrap();
    let output = run(&["vectors", "check", &vsm]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap().replace(&format!("{vsm}:"), "");
    assert_eq!(
        said,
        "3: [0,2] lives at `$lm0p1`, not at `$lm0p2`\n\
         4: lane 0 holds 4.0 (40800000), but the comment says 4.5 for [0,4]\n\
         5: 1 line of In(0) missing before this line: [0,6]\n\
         3 found: 2 tensors, 7 lines\n"
    );
    let read = stdout(&["vectors", "read", &vsm, "-o", &out]);
    assert!(read.contains("\n  not set: 4 elements: [0,2], [0,3], [0,6], [0,7]\n"), "{read}");
}

#[test]
fn bad_input_is_refused_and_writes_nothing() {
    let (_dir, path) = arrays();
    let write = |layout: &str, name: &str, more: &[&str]| {
        let (array, out) = (path(name), path("never.vsm"));
        let args = [&["vectors", "write", "--in", layout, &array, "-o", &out], more].concat();
        let refusal = refused(&args);
        assert!(!fs::exists(&out).unwrap());
        refusal
    };
    assert!(write(&format!("{SMALL}@LM0"), "a.npy", &[]).contains("does not name its dtype"));
    let doubles = write(&format!("{SMALL}@LM0 / Double"), "a.npy", &[]);
    assert!(doubles.contains("the array has entries `<f4`, but Double takes `<f8`"), "{doubles}");
    let shape = write("((8_PE:1))@LM0 / Float", "a.npy", &[]);
    assert!(shape.contains("level `PE`"), "{shape}");
    let shape = write("((4:1, 2_W:1))@LM0 / Float", "a.npy", &[]);
    assert!(shape.contains("the array has the shape [1, 8], but the layout has [8]"), "{shape}");
    let lm0 = format!("{SMALL}@LM0 / Float");
    let beyond = write(&lm0, "a.npy", &["--base", "2048"]);
    assert!(beyond.contains("memory `LM0` holds 2048 long words"), "{beyond}");
    for atol in ["--atol=-1", "--atol=inf", "--atol=nan", "--atol=1e400"] {
        assert!(write(&lm0, "a.npy", &[atol]).contains("is not a finite tolerance of 0 or more"));
    }
    let twice = write(&lm0, "a.npy", &["--in", &lm0, &path("a.npy")]);
    assert!(twice.contains("`$lm0p0` of In(1) also belongs to In(0); --base moves"), "{twice}");
    let twice =
        write(&lm0, "a.npy", &["--out", &lm0, &path("a.npy"), "--out", &lm0, &path("a.npy")]);
    assert!(twice.contains("of Out(1) also belongs to Out(0)"), "{twice}");
    // Nothing is printed to standard output before the error, either.
    for more in
        [&["--base", "2048"][..], &["--base", "8", "--in", &lm0, &path("a.npy"), "--base", "8"]]
    {
        let array = path("a.npy");
        refused(&[&["vectors", "write", "--in", &lm0, &array], more].concat());
    }
    let early = refused(&[
        "vectors",
        "write",
        "--base",
        "1",
        "--in",
        &format!("{SMALL}@LM0 / Float"),
        &path("a.npy"),
    ]);
    assert!(early.contains("--base: it follows"), "{early}");
    assert!(refused(&["vectors", "write"]).contains("no tensors"));
    fs::write(path("bad.vsm"), "# ======= In(0): ((1:1))@LM0 / Long =======\nd set $lm0 1 zz\n")
        .unwrap();
    let bad = refused(&["vectors", "read", &path("bad.vsm"), "-o", &path("never")]);
    assert!(bad.contains("bad.vsm:2: expected 16 hexadecimal digits"), "{bad}");
    assert!(!fs::exists(path("never")).unwrap());
    assert!(refused(&["vectors", "compare", "-", "-"]).contains("not both"));
    fs::write(path("kernel.vsm"), "lpassa $lm0v $ln0v\n").unwrap();
    let none = refused(&["vectors", "read", &path("kernel.vsm"), "-o", &path("never")]);
    assert!(none.contains("kernel.vsm: the file has no header"), "{none}");
    assert!(!fs::exists(path("never")).unwrap());
}

#[test]
fn dumps_of_the_emulator_are_compared_in_every_form() {
    let (_dir, path) = arrays();
    let vsm = path("out.vsm");
    let lm1 = format!("{SMALL}@LM1 / Float");
    stdout(&["vectors", "write", "--out", &lm1, &path("a.npy"), "-o", &vsm]);
    let compare = |dump: &str| {
        fs::write(path("dump.txt"), dump).unwrap();
        let output = run(&["vectors", "compare", &vsm, &path("dump.txt")]);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said)
    };
    let floats = "\
DEBUG-LM1(n0c0b0m0p0,0):(0.1, 1.5) (0x3dcccccd, 0x3fc00000) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p1,0):(-2.25, 3.3) (0xc0100000, 0x40533333) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p2,0):(4, 5) (0x40800000, 0x40a00000) #d getf $ln0n0c0b0m0 1
DEBUG-LM1(n0c0b0m0p3,0):(6, 7) (0x40c00000, 0x40e00000) #d getf $ln0n0c0b0m0 1
";
    let same = (Some(0), "Out(0): same, 8 elements\n".to_owned());
    assert_eq!(compare(floats), same);
    let halves = floats.lines().map(|line| {
        let at = line.find("0x").unwrap();
        let digits =
            line[at..].split(['(', ')', ',', ' ']).filter_map(|word| word.strip_prefix("0x"));
        let halves: String = digits.take(2).flat_map(|word| [&word[..4], &word[4..]]).collect();
        let halves: Vec<String> =
            (0..4).map(|lane| format!("0x{}", &halves[4 * lane..][..4])).collect();
        let place = line.split_once(':').unwrap().0;
        format!("{place}:(..) ({}) #d geth $ln0n0c0b0m0 1\n", halves.join(", "))
    });
    assert_eq!(compare(&halves.collect::<String>().replace("(..)", "(.., .., .., ..)")), same);
    let (code, said) = compare(&floats.replace("(4, 5) (0x40800000", "(9, 5) (0x41100000"));
    assert_eq!(code, Some(1));
    assert!(said.contains("[0,4]  $ln0n0c0b0m0p2 lane 0  expected 4.0, found 9.0"), "{said}");
    // Unknown forms and counts, and lines that contradict themselves.
    for (from, to, line) in [
        (
            "getf $ln0n0c0b0m0 1\nDEBUG-LM1(n0c0b0m0p3",
            "getx $ln0n0c0b0m0 1\nDEBUG-LM1(n0c0b0m0p3",
            3,
        ),
        (
            "getf $ln0n0c0b0m0 1\nDEBUG-LM1(n0c0b0m0p3",
            "getd $ln0n0c0b0m0 1\nDEBUG-LM1(n0c0b0m0p3",
            3,
        ),
        (
            "getf $ln0n0c0b0m0 1\nDEBUG-LM1(n0c0b0m0p2",
            "getf $ln0n0c0b0m0 2\nDEBUG-LM1(n0c0b0m0p2",
            2,
        ),
        ("(0x40800000, 0x40a00000)", "(0x40800000)", 3),
        ("(4, 5)", "(4, 6)", 3),
        ("p3,0", "p4,0", 4),
        ("p3,0", "p3,1", 4),
    ] {
        let (code, said) = compare(&floats.replacen(from, to, 1));
        assert_eq!(code, Some(2), "{to}: {said}");
        assert!(said.contains(&format!("dump.txt:{line}: ")), "{to}: {said}");
    }
}
