//! The table: every option of every command.

use super::files;

/// Arguments before an option, the option in a form that changes the answer, and complete argument lists that
/// are rejected or noted with these words.
pub(super) struct Case {
    pub(super) command: &'static str,
    pub(super) option: &'static str,
    pub(super) base: Vec<String>,
    pub(super) with: Vec<String>,
    pub(super) refused: Vec<String>,
    pub(super) words: &'static str,
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut open) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            '\'' => (quoted, open) = (!quoted, true),
            ' ' if !quoted => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            c => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    words
}

pub(super) fn case(
    command: &'static str,
    option: &'static str,
    base: &str,
    with: &str,
    refused: &str,
    words: &'static str,
) -> Case {
    let (base, with, refused) = (split(base), split(with), split(refused));
    Case { command, option, base, with, refused, words }
}

/// The form in which each command takes a layout `{}`.
const LAYOUTS: [(&str, &str); 11] = [
    ("explain", "'{}'"),
    ("locate", "'{}' 3"),
    ("element", "'{}' Addr=3"),
    ("table", "'{}'"),
    ("draw", "'{}'"),
    ("same", "'{}' '{}'"),
    ("convert", "'{}' --to pad-layout"),
    ("edit", "'{}' --insert 0"),
    ("relayout", "'{}' '{}'"),
    ("pack", "t4.npy '{}' -o OUT"),
    ("unpack", "i4.npy '{}' -o OUT"),
];

/// Options shared by all commands that read layouts.
fn reading(command: &'static str, template: &str) -> Vec<Case> {
    let on = |layout: &str| template.replace("{}", layout);
    let plain = on("((4:1))");
    let mut cases = vec![
        case(command, "from", &on("4:1"), "--from pad-layout", &format!("{plain} --from xla"), ""),
        case(
            command,
            "lenient",
            &on("F32[4]"),
            "--lenient",
            &format!("{plain} --lenient"),
            "--lenient has no effect",
        ),
        case(
            command,
            "member",
            &on("(f32[4], f32[3])"),
            "--member 0",
            &format!("{plain} --member 0"),
            "--member is for XLA tuples",
        ),
    ];
    let conflict = on("(4)/((4:1))") + " --shape 3";
    let words = "(3) is not the shape (4)";
    cases.push(match command {
        "same" => case(command, "shape", "((4:1)) (3)/((4:1))", "--shape 3", &conflict, words),
        _ => case(command, "shape", &plain, "--shape 3", &conflict, words),
    });
    cases
}

/// Options shared by all commands that place layouts.
fn placing(command: &'static str, template: &str) -> Vec<Case> {
    let on = |layout: &str| template.replace("{}", layout);
    let plain = match command {
        "element" => "((4:1)) PE=1,Addr=3".into(),
        "same" => "((4:1)) '((4:1); B@[2_PE])'".into(),
        _ => on("((4:1))"),
    };
    let in_dram = match command {
        "element" => "((4:1)) L2B=0,PE=0,L1B=0,MAB=0,Addr=3".into(),
        "same" => "((4:1)) '((4:1); B@[8_L2B])'".into(),
        _ => on("((4:1))"),
    };
    let lanes = match command {
        "element" => "((4:1)) PE=1,Addr=3,W=1".into(),
        "same" => "((4:1)) '((4:1); B@[4_W])'".into(),
        _ => on("((4:1))").replace("t4.npy", "h4.npy"),
    };
    let mut cases = vec![
        case(
            command,
            "machine",
            &plain,
            "--machine PE=2",
            &format!("{plain} --machine mncore2"),
            "did you mean `mn-core-2`?",
        ),
        case(
            command,
            "memory",
            &format!("{in_dram} --machine mn-core-2"),
            "--memory DRAM",
            &format!("{plain} --memory LM0"),
            "--machine",
        ),
        case(
            command,
            "dtype",
            &format!("{lanes} --machine PE=2"),
            "--dtype Half",
            &format!("{plain} --machine PE=2 --dtype float32"),
            "did you mean `Float`?",
        ),
    ];
    if command != "same" {
        let transfers = if command == "relayout" { " --transfers" } else { "" };
        cases.push(case(
            command,
            "base",
            &(on("((4:1))") + transfers),
            "--base 5",
            &format!("{} --base 18446744073709551615", on("((4:1))")),
            "does not fit in 64 bits",
        ));
    }
    cases
}

fn form(command: &'static str, base: &str) -> Vec<Case> {
    let refused = format!("{base} --json --format text");
    vec![
        case(command, "json", base, "--json", &refused, "cannot be used with"),
        case(command, "format", base, "--format json", &format!("{base} --format yaml"), "yaml"),
    ]
}

/// Options that only one command has.
fn own() -> Vec<Case> {
    let padded = "(10,7)/((3:7, 4_PE), (7:1))";
    let on = |rest: &str| format!("'{padded}' {rest}");
    let mut cases = vec![
        case("explain", "color", &on(""), "--color always", &on("--color blue"), "blue"),
        case("draw", "color", &on(""), "--color always", &on("--color blue"), "blue"),
        case("locate", "bytes", "((4:1)) 1", "--bytes", "4:1 1 --bytes", "gives no type"),
        case("table", "at", &on(""), "--at PE=1", &on("--at PE=7"), "`PE=7` is out of range"),
        case(
            "table",
            "padding",
            &on(""),
            "--padding",
            &on("--padding --format npy-packed"),
            "rows",
        ),
        case("table", "part", &on(""), "--part 1/2", &on("--part 3/2"), "not a part"),
        case(
            "table",
            "format",
            &on(""),
            "--format jsonl",
            &on("--format csv -o y.parquet"),
            "contradicts",
        ),
        case(
            "table",
            "partition-by",
            &on("-o dir1"),
            "--partition-by PE",
            &on("-o dir2 --partition-by FOO"),
            "`FOO`",
        ),
        case("table", "output", &on(""), "-o OUT", &on("-o nowhere/x.csv"), "nowhere"),
        case(
            "table",
            "narrow",
            &on("-o a.parquet"),
            "--narrow",
            &on("--narrow"),
            "--narrow is for Arrow and Parquet",
        ),
        case("draw", "view", &on(""), "--view machine", &on("--view machine --by PE"), "--by"),
        case("draw", "by", &on("--format svg"), "--by Addr", &on("--by PE"), "--by has no effect"),
        case(
            "draw",
            "bits",
            "'(8,64):(64,1)' --by bank",
            "--bits 16",
            &on("--bits 16"),
            "--bits has no effect without",
        ),
        case(
            "draw",
            "blocks",
            "'((64:64), (64:1))'",
            "--blocks 4",
            &on("--blocks 1"),
            "1 is not in 2..=64",
        ),
        case(
            "draw",
            "panels",
            "'((64:64), (64:1))'",
            "--panels 1",
            &on("--panels 1 --view film --format svg"),
            "--panels does not go with a film",
        ),
        case("draw", "title", &on(""), "--title rows", &on("--title rows -o x.html"), "--title"),
        case(
            "draw",
            "no-caption",
            &on(""),
            "--no-caption",
            &on("--no-caption --title x"),
            "--title",
        ),
        case(
            "draw",
            "background",
            &on("--format svg"),
            "--background none",
            &on("--background dark"),
            "--background has no effect",
        ),
        case("draw", "slice", &on(""), "--slice 0=0:2", &on("--slice x=0:2"), "not a range"),
        case(
            "draw",
            "labels",
            &on(""),
            "--labels unit,address",
            &on("--labels L2B"),
            "not a label of this layout",
        ),
        case(
            "draw",
            "zoom",
            "'((64:64), (64:1))'",
            "--zoom i0=40",
            &on("--zoom 0=1"),
            "--zoom has no effect",
        ),
        case(
            "draw",
            "at",
            &on("--view machine"),
            "--at PE=2",
            &on("--view machine --at PE=4"),
            "out of range",
        ),
        case(
            "draw",
            "format",
            &on(""),
            "--format svg",
            &on("--format text -o a.svg"),
            "contradicts",
        ),
        case("draw", "output", &on(""), "-o OUT.svg", &on("-o nowhere/x.svg"), "nowhere"),
        case(
            "same",
            "up-to",
            "(3)/((2:2,2:1)) (3)/((3:1))",
            "--up-to padding",
            "((4:1)) ((4:1)) --up-to lanes",
            "lanes",
        ),
        case(
            "same",
            "serves",
            "'((4:1); B@[2_PE])' ((1_PE,4:1))",
            "--serves",
            "((4:1)) ((4:1)) --serves --up-to padding",
            "cannot be used with",
        ),
        case(
            "same",
            "copyable",
            "(3)/((2:2,2:1)) (3)/((3:1)) --machine PE=2",
            "--copyable",
            "((4:1)) ((4:1)) --copyable",
            "--machine",
        ),
        case(
            "same",
            "bitcast",
            "f32[2,3] f32[3,2]{0,1}",
            "--bitcast",
            "((4:1)) ((4:1)) --bitcast",
            "--bitcast is for XLA array shapes",
        ),
        case("convert", "to", "((4:1))", "--to xla", "((4:1)) --to yaml", "yaml"),
        case(
            "convert",
            "dtype",
            "((4:1)) --to xla",
            "--dtype bf16",
            "((4:1)) --to cute --dtype bf16",
            "--dtype has no effect",
        ),
        case(
            "convert",
            "machine",
            "'((2_HOST, 4:1))' --to hlo-sharding",
            "--machine HOST=2",
            "'((4:1))' --to xla --machine HOST=2",
            "--machine has no effect",
        ),
        case(
            "convert",
            "padding",
            "(3)/((4:1)) --to isl",
            "--padding",
            "((4:1)) --to xla --padding",
            "--padding goes with --to isl",
        ),
        case("edit", "to", "((4:1)) --insert 0", "--to xla", "((4:1)) --to yaml", "yaml"),
        case(
            "locate",
            "as",
            "'((4:1))' 3 --machine mn-core-2 --memory DRAM",
            "--as assembly",
            "'((4:1))' 3 --machine mn-core-2 --as assembly",
            "a layout without a memory is not written in assembly",
        ),
        case(
            "table",
            "as",
            "'((4:1))' --machine mn-core-2 --memory DRAM",
            "--as assembly",
            "'((4:1))' --as assembly",
            "add --machine mn-core-2",
        ),
        case(
            "check",
            "machine",
            "spec.json --machine PE=2",
            "--machine mn-core-2",
            "spec.json --machine mncore2",
            "did you mean `mn-core-2`?",
        ),
        case(
            "check",
            "dtype",
            "spec.json --machine mn-core-2",
            "--dtype Half",
            "spec.json --machine mn-core-2 --dtype float32",
            "did you mean `Float`?",
        ),
        case(
            "route",
            "machine",
            "'((64:1))@L1BM' '((1_L2B, 1_L1B, 16_MAB, 4_PE))@LM0'",
            "--machine mn-core-2",
            "'((64:1))@L1BM' '((64:1))@L1BM' --machine mncore2",
            "did you mean `mn-core-2`?",
        ),
        case(
            "route",
            "memory",
            "'((4:1))' '((4:1))' --machine mn-core-2",
            "--memory DRAM",
            "'((4:1))' '((4:1))' --memory DRAM",
            "--machine",
        ),
        case(
            "route",
            "dtype",
            "'((4:1))' '((4:1))' --machine mn-core-2 --memory LM0",
            "--dtype Half",
            "'((4:1))' '((4:1))' --machine mn-core-2 --memory LM0 --dtype float32",
            "did you mean `Float`?",
        ),
        case(
            "route",
            "via",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2",
            "--via '((16:1))@PDM'",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2 --via '((8:1))@PDM'",
            "the shapes are (16) and (8)",
        ),
        case(
            "route",
            "by",
            "'((4_L2B:2, 32:1))@DRAM' '((4_L2B:2, 32:1))@L2BM' --machine mn-core-2",
            "--by mvb2",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2 --by l1bmp",
            "`l1bmp` moves from L1BM to LM0",
        ),
        case(
            "route",
            "from-memory",
            "'((64:1))@L1BM' --machine mn-core-2",
            "--from-memory DRAM",
            "'((64:1))@L1BM' '((64:1))@L2BM' --machine mn-core-2 --from-memory DRAM",
            "cannot be used with",
        ),
        case(
            "route",
            "into-memory",
            "'((64:1))@L1BM' --machine mn-core-2",
            "--into-memory LM0",
            "'((64:1))@L1BM' --machine mn-core-2 --into-memory SRAM",
            "whose memories are LM0, LM1",
        ),
        case(
            "route",
            "most",
            "'((64:1))@L1BM' --machine mn-core-2 --into-memory LM0",
            "--most 1",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2 --most 1",
            "--most has no effect",
        ),
        case(
            "route",
            "film",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2",
            "--film OUT.svg",
            "'((16:1))@DRAM' '((16:1))@L2BM' --machine mn-core-2 --film -",
            "standard output has the answer",
        ),
        case(
            "access",
            "bits",
            "32:32 ((32_LANE))",
            "--bits 16",
            "32:32 ((32_LANE)) --bits 12",
            "128 bits, not 12",
        ),
        case(
            "access",
            "gpu",
            "(8,32):(64,1) ((8_LANE:1),(4_LANE:8,8:1)) --bits 16",
            "--gpu gfx950",
            "(8,32):(64,1) ((8_LANE:1),(4_LANE:8,8:1)) --bits 16 --gpu gfx906",
            "no public measurement",
        ),
        case(
            "access",
            "store",
            "(16,32):(64,1) ((16_LANE:1),(4_LANE:16,8:1)) --bits 16 --gpu gfx942",
            "--store",
            "(8,32):(64,1) ((8_LANE:1),(4_LANE:8,8:1)) --bits 16 --store",
            "--store has no effect",
        ),
        case(
            "access",
            "stored-by",
            "32:32 ((32_LANE))",
            "--stored-by ((32_LANE))",
            "32:32 ((32_LANE)) --stored-by ((3_LANE))",
            "even part",
        ),
        case(
            "access",
            "as-is",
            "32:32 ((32_LANE))",
            "--as-is",
            "32:32 ((32_LANE)) --as-is=2",
            "--as-is",
        ),
        case(
            "relayout",
            "transfers",
            "((4_PE)) ((4:1))",
            "--transfers",
            "((4_PE)) ((4:1)) --transfers=2",
            "--transfers",
        ),
        case(
            "relayout",
            "in-place",
            "((8:1)) ((8:2))",
            "--in-place",
            "((8:1)) ((8:2)) --in-place --transfers",
            "--transfers",
        ),
        case(
            "pack",
            "fill",
            "t3.npy (3)/((4:1)) -o OUT",
            "--fill 7",
            "h4.npy ((4:1)) -o OUT --fill 65536",
            "16 bits",
        ),
        case("pack", "output", "t4.npy ((4:1)) -o OUT", "-o OUT", "t4.npy ((4:1))", "--output"),
        case("unpack", "output", "i4.npy ((4:1)) -o OUT", "-o OUT", "i4.npy ((4:1))", "--output"),
        case(
            "unpack",
            "descr",
            "w4.npy '((4_W))@LM0 / Half' --machine PE=1 -o OUT",
            "--descr <f2",
            "i4.npy ((4:1)) -o OUT --descr f2",
            "not a plain type",
        ),
    ];
    for (option, with, refused) in [
        ("permute", "1,0,2", "0,0"),
        ("insert", "0", "9"),
        ("drop", "2", "0"),
        ("split", "0=2,6", "0=5,5"),
        ("merge", "0=2", "0=9"),
        ("reshape", "96,1,1", "97"),
        ("slice", "i0=0:4", "0=4"),
        ("broadcast", "2=4_PE", "0=4_PE"),
        ("tile", "0=2", "9=2"),
        ("pad", "16,8,1", "1,1,1"),
        ("minimal-padding", "", "=x"),
        ("compose", "'(12:1_i0, 8:1_i1, 1:1)'", "((x"),
        ("inverse", "left", "up"),
        ("complement", "8", "7"),
        ("complement-rounded", "9", "x"),
        ("divide", "((2:1))", "((x"),
        ("zipped-divide", "((2:1))", "((x"),
        ("tiled-divide", "((2:1))", "((x"),
        ("flat-divide", "((2:1))", "((x"),
        ("product", "((2:1))", "((x"),
        ("blocked-product", "((2:1))", "((x"),
        ("raked-product", "((2:1))", "((x"),
        ("tile-to-shape", "8", "7"),
        ("restrict", "Addr=0", "FOO=0"),
        ("project", "PE", "FOO"),
    ] {
        let base = match option {
            "minimal-padding" => "(10)/((16:1))",
            "project" => "((4_PE, 3:8), (8:1))",
            "compose" => "((12:8), (8:1), ())",
            "divide" | "zipped-divide" | "tiled-divide" | "flat-divide" => "((4:2))",
            "product" | "blocked-product" | "raked-product" | "tile-to-shape" => "((4:2))",
            "complement" | "complement-rounded" => "((4:2))",
            _ => "((12:8), (8:1), ())",
        };
        let with = match option {
            "compose" => "--compose ((4:1))".into(),
            _ => format!("--{option} {with}"),
        };
        let refused = match option {
            "minimal-padding" => format!("'{base}' --minimal-padding=x"),
            _ => format!("'{base}' --{option} {refused}"),
        };
        cases.push(case("edit", option, &format!("'{base}'"), &with, &refused, ""));
    }
    cases
}

pub(super) fn cases() -> Vec<Case> {
    let mut cases = own();
    cases.extend(files::scan());
    cases.extend(files::hlo());
    cases.extend(files::vectors());
    cases.extend(files::plan());
    cases.extend(files::sharding());
    #[cfg(feature = "explore")]
    cases.extend(files::explore());
    for (command, template) in LAYOUTS {
        cases.extend(reading(command, template));
        if command != "convert" && command != "edit" {
            cases.extend(placing(command, template));
        }
        if !["table", "draw", "pack", "unpack"].contains(&command) {
            cases.extend(form(command, &template.replace("{}", "((4:1))")));
        }
    }
    cases.extend(form("check", "spec.json --machine mn-core-2"));
    cases.extend(form("plan", "relu.onnx --machine mn-core-2 --no-routes"));
    let route = "'{}' '{}' --machine mn-core-2 --memory DRAM";
    cases.extend(reading("route", route));
    cases.extend(form("route", &route.replace("{}", "((4:1))")));
    let access = "'{}' '{}'";
    cases.extend(reading("access", access));
    cases.extend(form("access", &access.replace("{}", "((4:1))")));
    for command in ["machines", "dtypes", "notations"] {
        cases.extend(form(command, ""));
    }
    cases
}
