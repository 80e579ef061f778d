//! Options of the commands that read models, dumps and test vectors.

use super::cases::{Case, case};

pub(super) fn scan() -> Vec<Case> {
    vec![
        case("scan", "format", "log.txt", "--format csv", "log.txt --format yaml", "yaml"),
        case("scan", "json", "log.txt", "--json", "log.txt --json --format csv", "cannot be used"),
        case("scan", "top", "log.txt", "--top 1", "log.txt --top x", "invalid value"),
        case(
            "scan",
            "lenient",
            "log.txt",
            "--lenient",
            "pads.txt --lenient",
            "--lenient has no effect: the text has no XLA shape",
        ),
        case(
            "scan",
            "machine",
            "log.txt",
            "--machine mn-core-2",
            "a.hlo --machine mn-core-2",
            "--machine has no effect: the text has no PadLayout",
        ),
        case(
            "scan",
            "memory",
            "log.txt --machine mn-core-2",
            "--memory LM0",
            "log.txt --machine mn-core-2 --memory lm0",
            "did you mean `LM0`?",
        ),
        case("scan", "dtype", "log.txt", "--dtype Half", "log.txt --dtype float32", "`Float`"),
    ]
}

pub(super) fn hlo() -> Vec<Case> {
    vec![
        case("hlo", "format", "a.hlo", "--format csv", "a.hlo --format yaml", "yaml"),
        case("hlo", "json", "a.hlo", "--json", "a.hlo --json --csv", "cannot be used with"),
        case("hlo", "csv", "a.hlo", "--csv", "a.hlo --csv --format text", "cannot be used with"),
        case("hlo", "top", "a.hlo", "--top 1", "a.hlo --top x", "invalid value"),
        case(
            "hlo",
            "shapes",
            "a.hlo",
            "--shapes",
            "a.hlo --shapes --copies",
            "cannot be used with",
        ),
        case("hlo", "memory", "a.hlo", "--memory", "a.hlo --memory --csv", "text or as JSON"),
        case(
            "hlo",
            "against",
            "a.hlo",
            "--against a.hlo",
            "a.hlo --against NONE.hlo",
            "No such file",
        ),
        case("hlo", "copies", "a.hlo", "--copies", "log.txt --copies", "no HLO instruction"),
        case(
            "hlo",
            "collectives",
            "a.hlo",
            "--collectives CHIP=8",
            "a.hlo --collectives mncore2",
            "did you mean `mn-core-2`?",
        ),
        case(
            "hlo",
            "report",
            "a.hlo",
            "--report OUT",
            "a.hlo --report -",
            "standard output has the answer",
        ),
        case(
            "hlo",
            "mesh",
            "a.hlo --collectives CHIP=8",
            "--mesh x=2,y=4",
            "a.hlo --mesh x=2,y=4",
            "--mesh has no effect without",
        ),
        case("hlo", "shardings", "a.hlo", "--shardings", "a.hlo --shardings --copies", "cannot be"),
        case("hlo", "strict", "bad.hlo", "--strict", "bad.hlo --strict", "could not be read"),
    ]
}

/// Options of the commands for test vectors.
pub(super) fn vectors() -> Vec<Case> {
    const IN: &str = "--in '((4:1, 2_W:1))@LM0 / Float' f8.npy";
    let out = IN.replace("--in", "--out");
    let write = |option, base: &str, with: &str, refused: &str, words| {
        case("vectors write", option, base, with, refused, words)
    };
    let compare = |option, with: &str, words| {
        let refused = match option {
            "picture" => "ok.vsm right.txt --picture x.svg".to_owned(),
            "top" => "ok.vsm wrong.txt --top 1001".to_owned(),
            "json" => "ok.vsm wrong.txt --json --top 1001".to_owned(),
            _ => "ok.vsm right.txt --color always --json".to_owned(),
        };
        case("vectors compare", option, "ok.vsm wrong.txt", with, &refused, words)
    };
    vec![
        write("in", &out, IN, "--in ((4:1)) f8.npy", "does not name its memory"),
        write("out", IN, &out, "--out ((4:1)) f8.npy", "does not name its memory"),
        write("base", IN, "--base 5", &format!("--base 5 {IN}"), "--base: it follows"),
        write("atol", &out, "--atol 0.5", &format!("{IN} --atol 0.5"), "--atol has no effect"),
        write("lines", IN, "--lines", &format!("{IN} {out} --lines"), "--lines"),
        write("output", IN, "-o OUT", &format!("{IN} -o nowhere/x"), "nowhere"),
        case("vectors read", "output", "ok.vsm", "-o arrays", "ok.vsm -o ok.vsm", "ok.vsm"),
        case("vectors check", "json", "ok.vsm", "--json", "nowhere.vsm --json", "nowhere"),
        compare("picture", "--picture OUT.svg", "--picture has no effect"),
        compare("top", "--top 1", "1000"),
        compare("json", "--json", "1000"),
        compare("color", "--color always", "--color has no effect"),
    ]
}

/// The server exits only with an error; `tests/explore.rs` tests its answers.
#[cfg(feature = "explore")]
pub(super) fn explore() -> Vec<Case> {
    let refused = |option, refused, words| case("explore", option, "", "", refused, words);
    vec![
        refused("from", "((4:1)) --from xla", ""),
        refused("lenient", "f32[4 --lenient", ""),
        refused("member", "((4:1)) --member 0", "--member is for XLA tuples"),
        refused("shape", "(4)/((4:1)) --shape 3", "(3) is not the shape (4)"),
        refused("machine", "((4:1)) --machine mncore2", "is not a known machine"),
        refused("memory", "((4:1)) --memory LM0", "--machine"),
        refused("dtype", "((4:1)) --machine PE=2 --dtype float32", "did you mean `Float`?"),
        refused("base", "((4:1)) --base 18446744073709551615", "does not fit in 64 bits"),
        refused("port", "((4:1)) --port 99999", "99999"),
        refused("open", "((4:1 --open", "expected"),
        refused("export", "--export pages --port 0", "cannot be used with"),
    ]
}

pub(super) fn plan() -> Vec<Case> {
    const RELU: &str = "relu.onnx --machine mn-core-2 --no-routes";
    let relu = |option, with: &str, refused: &str, words| {
        case("plan", option, RELU, with, &format!("{RELU} {refused}"), words)
    };
    let named = "named.onnx --machine mn-core-2";
    vec![
        case(
            "plan",
            "machine",
            "relu.onnx --no-routes",
            "--machine mn-core-2",
            "relu.onnx --machine mncore2",
            "did you mean `mn-core-2`?",
        ),
        case("plan", "dim", named, "--dim n=1", &format!("{named} --dim n"), "as in batch=8"),
        relu("keep", "--keep 1", "--keep 0", "expected a number from 1"),
        relu("sram-budget", "--sram-budget 50", "--sram-budget 0", "a percentage from 1 to 100"),
        relu("penalty", "--penalty 5", "--penalty x", "expected a number"),
        case(
            "plan",
            "no-routes",
            "named.onnx --machine mn-core-2 --dim n=1",
            "--no-routes",
            "nowhere.onnx --machine mn-core-2 --no-routes",
            "nowhere",
        ),
        relu("seed", "--seed 1", "--seed 1", "--seed has no effect"),
        relu("seconds", "--seconds 1", "--seconds x", "expected a number"),
        relu("output", "-o OUT", "-o nowhere/x", "nowhere"),
        relu("pins", "--pins relu.toml", "--pins spec.toml", "spec.toml"),
        relu("what-if", "--what-if relu.toml", "--what-if spec.toml", "spec.toml"),
        relu("explain", "--explain y", "--explain z", "called `z`"),
        relu("against", "--against plan.json", "--against spec.json", "not a plan"),
        relu("report", "--report OUT", "--report -", "standard output has the answer"),
        relu("sdk", "--sdk sdk", "--sdk spec.json", "spec.json"),
    ]
}

pub(super) fn sharding() -> Vec<Case> {
    const ON: &str = "product.mlir --mesh x=2,y=2";
    let on = |option, with: &str, refused: &str, words| {
        case("plan", option, ON, with, &format!("{ON} {refused}"), words)
    };
    vec![
        case(
            "plan",
            "mesh",
            "product.mlir",
            "--mesh x=4",
            "product.mlir --mesh x",
            "as in x=4,y=2",
        ),
        on("backend", "--backend cpu", "--backend xpu", "possible values: cpu, gpu, tpu"),
        on("rates", "--rates operations=1", "--rates link=5", "neither an axis nor"),
        on("device-memory", "--device-memory 100KiB", "--device-memory 1KiB", "at most 1024 bytes"),
        case(
            "plan",
            "keep-shardings",
            "sharded.mlir --mesh x=2,y=2",
            "--keep-shardings",
            "sharded.mlir --mesh z=4 --keep-shardings",
            "names axis `x`, which the mesh lacks",
        ),
        case(
            "plan",
            "against-shardings",
            "sharded.mlir --mesh x=2,y=2",
            "--against-shardings",
            "sharded.mlir --mesh x=2,y=2 --against-shardings --keep-shardings",
            "cannot be used with",
        ),
        on("module", "--module OUT", "--module nowhere/x", "nowhere"),
    ]
}
