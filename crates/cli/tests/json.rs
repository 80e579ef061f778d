//! All JSON that the commands print has the keys of the pages.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{ROOT, command};

/// Keys of objects whose own keys are names: of levels, memories and spaces.
const NAMED: [&str; 11] = [
    "location",
    "at",
    "place",
    "all_copies",
    "by_distance",
    "into",
    "out_of",
    "fits",
    "interface",
    "error",
    "destinations",
];

/// A row of the pages: its beginning, further keys of objects with names, and commands that show its keys.
type Row = (&'static str, &'static [&'static str], &'static [&'static [&'static str]]);

const WASTE: &str = "crates/hlo/tests/data/waste.txt";
const SHARDED: &str = "crates/hlo/tests/data/sharded.txt";

const ROWS: &[Row] = &[
    (
        "`locate --json`",
        &[],
        &[
            &["locate", "((1_PE, 4:1))@LM0 / Float", "1", "--machine", "mn-core-2", "--bytes"],
            &["locate", "((4:1))", "1", "--machine", "PE=2"],
        ],
    ),
    (
        "`element --json`",
        &[],
        &[
            &["element", "(10,7)/((3:7, 4_PE), (7:1))", "PE=3,Addr=14"],
            &["element", "((4:1))", "Addr=2"],
        ],
    ),
    (
        "`same --json`",
        &["first", "second"],
        &[
            &["same", "((4:1))", "((4:2))"],
            &["same", "((4:1))", "((4:1), (2:4))"],
            &["same", "(3)/((4:1))", "((3:1))"],
            &["same", "((4:1))", "((4:1))", "--serves"],
            &["same", "f32[8,4]{1,0}", "f32[4,8]{0,1}", "--bitcast"],
            &["same", "f32[8]{0}", "bf16[15]{0}", "--bitcast"],
        ],
    ),
    (
        "`convert --json`, `edit --json`",
        &[],
        &[
            &["convert", "((2:1))", "--to", "cute"],
            &["convert", "((2:1))", "--to", "c"],
            &["convert", "f32[8], sharding={devices=[4]<=[4]}", "--to", "hlo-sharding"],
            &["convert", "f32[8], sharding=[Partial(avg)], mesh=x=4", "--to", "hlo-sharding"],
            &["edit", "((4:1))", "--reshape", "2,2"],
        ],
    ),
    ("`machines --json`", &["levels"], &[&["machines"]]),
    ("`dtypes --json`", &[], &[&["dtypes"]]),
    ("`notations --json`", &[], &[&["notations"]]),
    (
        "`access --json`",
        &[],
        &[&[
            "access",
            "(8,32):(64,1)",
            "((8_LANE:1), (4_LANE:8, 8:1))",
            "--bits",
            "16",
            "--stored-by",
            "((8_LANE:4), (4_LANE:1, 8:4))",
        ]],
    ),
    (
        "`route --json`",
        &[],
        &[&[
            "route",
            "((8_L2B, 64:8), (8:1, 2_W:1))@L2BM / Float",
            "((8_L2B, 8_L1B:1, 8:8), (8:1, 2_W:1))@L1BM / Float",
            "--machine",
            "mn-core-2",
        ]],
    ),
    (
        "`check --json`",
        &[],
        &[&[
            "check",
            "docs/examples/layout_spec.json",
            "docs/examples/gemm_layout_spec.json",
            "--machine",
            "mn-core-2",
        ]],
    ),
    ("`plan --json`", &[], &[&["plan", "docs/examples/mlp.onnx", "--machine", "mn-core-2"]]),
    (
        "`plan --mesh --json`",
        &[],
        &[&[
            "plan",
            "docs/examples/annotated.mlir",
            "--mesh",
            "data=4,model=2",
            "--against-shardings",
        ]],
    ),
    (
        "`plan --explain --json`",
        &[],
        &[&[
            "plan",
            "docs/examples/mlp.onnx",
            "--machine",
            "mn-core-2",
            "--no-routes",
            "--explain",
            "relu_2",
        ]],
    ),
    (
        "`plan --what-if --json`",
        &[],
        &[&[
            "plan",
            "docs/examples/mlp.onnx",
            "--machine",
            "mn-core-2",
            "--no-routes",
            "--what-if",
            "docs/examples/pins.toml",
        ]],
    ),
    (
        "`route --from-memory --json`",
        &[],
        &[&["route", "((64:1))@L1BM / Float", "--machine", "mn-core-2", "--from-memory", "DRAM"]],
    ),
    (
        "`relayout --in-place --json`",
        &[],
        &[&["relayout", "((8:1))", "((2:1, 4:2))", "--in-place"]],
    ),
    (
        "`relayout --json`",
        &["source", "destination"],
        &[
            &["relayout", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"],
            &["relayout", "((4:1))", "((1_PE, 4:1))", "--machine", "PE=4"],
            &["relayout", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--transfers"],
        ],
    ),
    (
        "`explain --json`",
        &[],
        &[
            &[
                "explain",
                "(10,7)/((3:7, 4_PE), (7:1))",
                "--machine",
                "mn-core-2",
                "--dtype",
                "Float",
            ],
            &["explain", "(4,4):(1,2)"],
        ],
    ),
    (
        "`explain SHAPE --json`",
        &[],
        &[&["explain", "(f32[5,3]{1,0:T(2,2)}, bf16[129]{0})"], &["explain", "f32[129,300]{1,0}"]],
    ),
    (
        "`scan --json`",
        &[],
        &[&["scan", "crates/hlo/tests/data/scan.txt", "--machine", "mn-core-2"]],
    ),
    ("`hlo --json`", &[], &[&["hlo", WASTE], &["hlo", SHARDED]]),
    ("`hlo --copies --json`", &[], &[&["hlo", SHARDED, "--copies"]]),
    (
        "`hlo --collectives --json`",
        &[],
        &[&["hlo", "crates/hlo/tests/data/reshard.txt", "--collectives", "HOST=2,CHIP=4"]],
    ),
    ("`hlo --memory --json`", &[], &[&["hlo", WASTE, "--memory"], &["hlo", SHARDED, "--memory"]]),
    ("`hlo --shardings --json`", &[], &[&["hlo", SHARDED, "--shardings"]]),
    (
        "`hlo --against --json`",
        &[],
        &[&["hlo", "crates/hlo/tests/data/before.txt", "--against", SHARDED]],
    ),
    ("`hlo --shapes --json`", &[], &[&["hlo", WASTE, "--shapes"]]),
    ("`hlo LOG --json`", &[], &[&["hlo", "crates/hlo/tests/data/out_of_memory.txt"]]),
    ("`hlo MLIR --json`", &[], &[&["hlo", "crates/hlo/tests/data/sharded.mlir"]]),
];

/// The keys of a value; those of an object under a key of `named` are names, one level down.
fn keys(value: &Value, is_named: bool, named: &[&str], found: &mut BTreeSet<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| keys(value, is_named, named, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                if !is_named {
                    found.insert(key.clone());
                }
                let inner = !is_named && (NAMED.contains(&&**key) || named.contains(&&**key));
                keys(value, inner, named, found);
            }
        }
        _ => {}
    }
}

/// The keys at the end of every report on a dump.
const ENDS: &str = "complete cut_off taken_for_entry hidden_instructions unread_lines line reason";

/// The words of a text.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c))).collect()
}

#[test]
fn all_json_of_all_commands_has_the_keys_of_its_row() {
    let pages = ["docs/notation.md", "docs/xla-reference.md"];
    let pages = pages.map(|page| std::fs::read_to_string(format!("{ROOT}/{page}")).unwrap());
    for (name, named, commands) in ROWS {
        let row = |name: &str| {
            let mut lines = pages.iter().flat_map(|page| page.lines());
            let row = lines.find(|line| line.starts_with(&format!("| {name}")));
            row.unwrap_or_else(|| panic!("no row for {name}"))
        };
        let inner =
            if row(name).contains("as in `explain --json`") { row("`explain --json`") } else { "" };
        let ends = if name.starts_with("`hlo") { ENDS } else { "" };
        let told = &(&words(row(name)) | &words(inner)) | &words(ends);
        for arguments in *commands {
            let mut found = BTreeSet::new();
            let all = [arguments, &["--json"][..]].concat();
            let output = command(&all).current_dir(ROOT).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(!text.is_empty(), "{all:?}: {}", String::from_utf8_lossy(&output.stderr));
            for line in text.lines() {
                keys(&serde_json::from_str(line).unwrap(), false, named, &mut found);
            }
            let unsaid: Vec<_> = found.iter().filter(|key| !told.contains(&***key)).collect();
            assert!(unsaid.is_empty(), "{all:?} prints {unsaid:?}, which {name} does not say");
        }
    }
}

/// Every command that has the option has a row.
#[test]
fn every_command_with_json_has_a_row() {
    let help = |arguments: &[&str]| {
        String::from_utf8(command(arguments).output().unwrap().stdout).unwrap()
    };
    let commands = help(&["--help"]);
    let commands = commands.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands = commands.take_while(|line| !line.is_empty());
    let names = commands.filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let mut count = 0;
    for name in names.filter(|name| help(&[name, "--help"]).contains("--json")) {
        assert!(ROWS.iter().any(|(_, _, runs)| runs.iter().any(|run| run[0] == name)), "{name}");
        count += 1;
    }
    assert!(count >= 14, "{count}");
}
