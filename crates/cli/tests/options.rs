//! For every option of every command: an input for which it changes the answer, and one for which it is
//! rejected or noted. No option is silently ignored, and none is missing here.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tensor_layout_npy::NpyHeader;

use crate::plans::model;
use crate::{command, stdout};

mod cases;
mod files;

use cases::{Case, cases};

fn npy(path: &Path, descr: &str, shape: &[u64], width: usize) {
    let mut bytes = Vec::new();
    NpyHeader { descr: descr.into(), shape: shape.into() }.write(&mut bytes).unwrap();
    let entries: u64 = shape.iter().product();
    bytes.extend((1..=entries).flat_map(|n| n.to_le_bytes()[..width].to_vec()));
    fs::write(path, bytes).unwrap();
}

/// Test vectors of the numbers in `f8.npy`.
fn test_vectors() -> &'static str {
    static TEXT: OnceLock<String> = OnceLock::new();
    TEXT.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f8.npy");
        npy(&file, "<f4", &[8], 4);
        let layout = "((4:1, 2_W:1))@LM0 / Float";
        stdout(&["vectors", "write", "--out", layout, file.to_str().unwrap()])
    })
}

/// A plan of `relu.onnx` as JSON.
fn earlier_plan() -> &'static str {
    static PLAN: OnceLock<String> = OnceLock::new();
    PLAN.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("relu.onnx");
        fs::write(&file, model("Relu", &["8", "16"])).unwrap();
        let file = file.to_str().unwrap();
        stdout(&["plan", file, "--machine", "mn-core-2", "--no-routes", "-o", "-"])
    })
}

fn files(dir: &Path) {
    npy(&dir.join("t4.npy"), "<u4", &[4], 4);
    npy(&dir.join("t3.npy"), "<u4", &[3], 4);
    npy(&dir.join("h4.npy"), "<u2", &[4], 2);
    npy(&dir.join("i4.npy"), "<u4", &[4], 4);
    npy(&dir.join("w4.npy"), "<u8", &[1, 1], 8);
    let dump = "ENTRY e {\n  a = f32[3,5]{1,0:T(2,2)} parameter(0)\n  b = f32[3,5]{0,1} copy(a)\n  \
                c = f32[3,5]{0,1} all-reduce(b), replica_groups={{0,1}}\n}\n";
    fs::write(dir.join("a.hlo"), dump).unwrap();
    let product = "module @jit_f {\n  func.func public @main(%arg0: tensor<64x128xf32>, %arg1: tensor<128x128xf32>) -> tensor<64x128xf32> {\n    \
                   %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>\n    \
                   return %0 : tensor<64x128xf32>\n  }\n}\n";
    fs::write(dir.join("product.mlir"), product).unwrap();
    let sharding = "%arg0: tensor<64x128xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {\"x\"}]>}";
    let sharded = product.replace("%arg0: tensor<64x128xf32>", sharding);
    fs::write(dir.join("sharded.mlir"), sharded).unwrap();
    fs::write(dir.join("bad.hlo"), "ENTRY e {\n  a = f32[3]{7} parameter(0)\n}\n").unwrap();
    fs::write(dir.join("log.txt"), "a ((4:1))\nb ((4_PE, 8:1)) F32[3]\nc f32[3]\n").unwrap();
    fs::write(dir.join("pads.txt"), "a ((4:1))\n").unwrap();
    npy(&dir.join("f8.npy"), "<f4", &[8], 4);
    let entry = r#"[{"trigger":"FixOutput","op_type":"Add","shape":[4],"layout":"((4:1))"}]"#;
    fs::write(dir.join("spec.json"), entry).unwrap();
    fs::write(dir.join("relu.onnx"), model("Relu", &["8", "16"])).unwrap();
    fs::write(dir.join("named.onnx"), model("Relu", &["n", "16"])).unwrap();
    let pin = "[[pin]]\nname = \"y\"\nlayouts = [\"((8:8), (8:1, 2_W:1))\"]\n";
    fs::write(dir.join("relu.toml"), pin).unwrap();
    fs::write(dir.join("plan.json"), earlier_plan()).unwrap();
    fs::write(dir.join("ok.vsm"), test_vectors()).unwrap();
    fs::write(dir.join("wrong.txt"), "3F8000003F800000\n".repeat(4)).unwrap();
    // The numbers 1 to 8 as the bits of floats, two per long word, the first in the upper half.
    let right = (0..4).map(|n| format!("{:08X}{:08X}\n", 2 * n + 1, 2 * n + 2));
    fs::write(dir.join("right.txt"), right.collect::<String>()).unwrap();
}

/// Every file below a directory, without the directory in its name.
fn tree(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(dir).unwrap().to_path_buf();
                    files.insert(name, fs::read(path).unwrap());
                }
            }
        }
    }
    files
}

/// The exit code, both outputs and the files that the command writes.
fn outcome(
    name: &str,
    args: &[String],
) -> (Option<i32>, String, String, BTreeMap<PathBuf, Vec<u8>>) {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path());
    let args: Vec<&str> = name.split(' ').chain(args.iter().map(String::as_str)).collect();
    let output = command(&args).current_dir(dir.path()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr), tree(dir.path()))
}

#[test]
fn every_option_changes_an_answer() {
    for case in cases() {
        let Case { command, option, base, with, .. } = &case;
        // `pack` and `unpack` require an output file, so there is no run without one.
        if *option == "output" && (*command == "pack" || *command == "unpack") {
            continue;
        }
        if *command == "explore" {
            continue;
        }
        // A search that has not ended after some seconds takes too long for a test.
        if *option == "seconds" {
            continue;
        }
        // A build without that feature rejects both.
        if *option == "narrow" && !cfg!(feature = "parquet") {
            continue;
        }
        let args = [&base[..], &with[..]].concat();
        let (before, after) = (outcome(command, base), outcome(command, &args));
        assert!(before != after, "{command} --{option}: {} {}", before.1, before.2);
        assert!(
            before.0 == Some(2)
                || after.0 != Some(2)
                || *option == "strict"
                || ["from", "shape", "machine", "memory", "dtype", "base"].contains(option),
            "{command} --{option} only refuses: {}",
            after.2
        );
    }
}

#[test]
fn every_option_is_refused_or_noted_where_it_means_nothing() {
    for Case { command, option, refused, words, .. } in cases() {
        let (code, _, stderr, _) = outcome(command, &refused);
        let noted = code == Some(0) && stderr.starts_with("note: ");
        assert!(code == Some(2) || noted, "{command} --{option}: {code:?} {stderr}");
        assert!(stderr.contains(words), "{command} --{option}: {stderr}");
    }
}

#[test]
fn no_option_is_missing_from_the_table() {
    let listed: BTreeSet<(String, String)> =
        cases().iter().map(|case| (case.command.to_owned(), case.option.to_owned())).collect();
    let mut found = BTreeSet::new();
    let inner = commands_of(&["vectors"]).into_iter().map(|name| format!("vectors {name}"));
    for name in commands().into_iter().chain(inner) {
        let help: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        for line in stdout(&help).lines() {
            // Lines with a deeper indent are descriptions and examples.
            let indent = line.len() - line.trim_start().len();
            let words = line.trim_start().split([' ', '=', ',']);
            let starts = [2, 6].contains(&indent) && line.trim_start().starts_with('-');
            let long = words.filter(|_| starts).find_map(|word| word.strip_prefix("--"));
            if let Some(long) = long.filter(|long| *long != "help") {
                found.insert((name.clone(), long.to_owned()));
            }
        }
    }
    assert_eq!(found, listed);
}

/// The commands that the help lists.
pub(crate) fn commands() -> Vec<String> {
    commands_of(&[])
}

/// The commands that the help of a command lists.
pub(crate) fn commands_of(command: &[&str]) -> Vec<String> {
    let help = stdout(&[command, &["--help"]].concat());
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names = list.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}
