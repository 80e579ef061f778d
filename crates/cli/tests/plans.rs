//! `plan`, by the output of the command: the page, the JSON, notes and refusals.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tensor_layout::LayoutText;

use crate::{command, json_of, refused, run, stdout};

const MLP: &str = "docs/examples/mlp.onnx";
const STEP: &str = "docs/examples/step.mlir";

/// A part of a message with a length of at most 127 bytes.
fn part(number: u8, body: &[u8]) -> Vec<u8> {
    let length = u8::try_from(body.len()).ok().filter(|length| *length < 128).unwrap();
    [&[number << 3 | 2, length], body].concat()
}

/// A number below 128.
fn number(of: u8, value: u8) -> Vec<u8> {
    vec![of << 3, value]
}

/// A tensor of floats with extents that are numbers or names.
fn floats(name: &str, extents: &[&str]) -> Vec<u8> {
    let extent = |text: &&str| match text.parse::<u8>() {
        Ok(extent) => part(1, &number(1, extent)),
        Err(_) => part(1, &part(2, text.as_bytes())),
    };
    let shape: Vec<u8> = extents.iter().flat_map(extent).collect();
    let tensor = [number(1, 1), part(2, &shape)].concat();
    [part(1, name.as_bytes()), part(2, &part(1, &tensor))].concat()
}

/// The bytes of a model `y = KIND(x)`, where x and y have these extents.
pub(crate) fn model(kind: &str, extents: &[&str]) -> Vec<u8> {
    let node = [part(1, b"x"), part(2, b"y"), part(3, b"first"), part(4, kind.as_bytes())].concat();
    let (x, y) = (floats("x", extents), floats("y", extents));
    let graph = [part(1, &node), part(2, b"g"), part(11, &x), part(12, &y)].concat();
    [part(7, &graph), part(8, &number(2, 18))].concat()
}

/// A file with a model, and its name.
fn file(dir: &Path, kind: &str, extents: &[&str]) -> String {
    let path = dir.join("model.onnx");
    fs::write(&path, model(kind, extents)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn mlp(options: &[&str]) -> std::process::Output {
    run(&[&["plan", MLP, "--machine", "mn-core-2", "--no-routes"], options].concat())
}

#[test]
fn a_plan_has_a_layout_for_every_value_and_is_optimal_where_it_says_so() {
    let output = mlp(&["--json"]);
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let values = plan["values"].as_array().unwrap();
    assert_eq!(values.iter().filter(|value| value["node"].is_string()).count(), 16);
    for value in values {
        LayoutText::parse(value["layout"].as_str().unwrap()).unwrap();
    }
    let total = |name: &str| plan["totals"][name].as_u64().unwrap();
    assert!(total("bound") <= total("plan"));
    assert!(total("plan") <= total("greedy"));
    // The sum of what the lines of the page say.
    let switches = values.iter().flat_map(|value| value["operands"].as_array().unwrap());
    let kept = values.iter().map(|value| &value["kept"]);
    let switches = switches.chain(kept);
    let switches = switches.filter_map(|switched| switched["switch"]["cycles"].as_u64());
    let own = |value: &Value| {
        ["compute", "sums", "halos"].map(|name| value["own"][name].as_u64().unwrap()).iter().sum()
    };
    let own = values.iter().map(own).collect::<Vec<u64>>();
    assert_eq!(own.iter().sum::<u64>() + switches.sum::<u64>(), total("plan") - total("penalties"));
}

#[test]
fn the_file_has_the_json_and_the_page_is_printed_besides() {
    let dir = tempfile::tempdir().unwrap();
    let model = file(dir.path(), "Relu", &["8", "16"]);
    let out = dir.path().join("plan.json");
    let on = ["plan", &model, "--machine", "mn-core-2", "--no-routes"];
    let page = stdout(&[&on[..], &["-o", out.to_str().unwrap()]].concat());
    assert!(page.contains("cycles, at least"), "{page}");
    assert!(page.starts_with("Input x = "), "{page}");
    let written: Value = serde_json::from_str(&fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(written, json_of(&[&on[..], &["--json"]].concat()));
    // On standard output there is either of them.
    assert_eq!(written, json_of(&[&on[..], &["-o", "-"]].concat()));
}

#[test]
fn an_extent_with_a_name_needs_a_number() {
    let dir = tempfile::tempdir().unwrap();
    let model = file(dir.path(), "Relu", &["batch", "16"]);
    let on = ["plan", &model, "--machine", "mn-core-2", "--no-routes"];
    let message = refused(&on);
    let says = format!(
        "error: {model}: input `x` has an axis of extent `batch`\n  = help: give the extent, as in --dim batch=8\n"
    );
    assert_eq!(message, says);
    let page = stdout(&[&on[..], &["--dim", "batch=8"]].concat());
    assert!(page.contains("[8, 16]"), "{page}");
    let message = refused(&[&on[..], &["--dim", "batch=8", "--dim", "batch=4"]].concat());
    assert!(message.contains("--dim gives `batch` twice"), "{message}");
    for wrong in ["batch", "batch=", "=8", "batch=-1", "batch=x"] {
        let message = refused(&[&on[..], &["--dim", wrong]].concat());
        assert!(message.contains("expected a n"), "{wrong}: {message}");
    }
}

#[test]
fn an_operator_without_a_rule_is_noted_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let model = file(dir.path(), "Mystery", &["8", "16"]);
    let output = run(&["plan", &model, "--machine", "mn-core-2", "--json"]);
    assert!(output.status.success());
    let notes = String::from_utf8(output.stderr).unwrap();
    let says =
        "note: 1 operation has no rule and keeps copies on every unit: a Mystery (`first`)\n";
    assert_eq!(notes, says);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(plan["uncovered"], serde_json::json!([["Mystery", "first"]]));
}

#[test]
fn a_model_can_come_from_standard_input() {
    let dir = tempfile::tempdir().unwrap();
    let model = file(dir.path(), "Relu", &["8", "16"]);
    let on = ["--machine", "mn-core-2", "--no-routes"];
    let mut piped = assert_cmd::Command::from_std(command(&[&["plan", "-"], &on[..]].concat()));
    let output = piped.write_stdin(fs::read(&model).unwrap()).output().unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        stdout(&[&["plan", &model], &on[..]].concat())
    );
}

#[test]
fn what_cannot_be_planned_is_named_with_a_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let text = dir.path().join("text.onnx");
    fs::write(&text, "layers:\n").unwrap();
    let text = text.to_str().unwrap();
    let model = file(dir.path(), "Relu", &["8", "16"]);
    let nowhere = dir.path().join("nowhere.onnx");
    let nowhere = nowhere.to_str().unwrap();
    for (arguments, says, help) in [
        (vec![nowhere, "--machine", "mn-core-2"], "nowhere.onnx` cannot be read", ""),
        (vec![text, "--machine", "mn-core-2"], "text.onnx: not an ONNX model", "torch.onnx.export"),
        (vec![&model, "--machine", "mncore2"], "not a known machine", "did you mean `mn-core-2`?"),
        (vec![&model, "--machine", "mn-core"], "the rate into the units", "plan for mn-core-2"),
        (vec![&model], "a plan needs a machine", "add --machine mn-core-2"),
        (vec![&model, "--machine", "mn-core-2", "--keep", "0"], "a number from 1", ""),
        (vec![&model, "--machine", "mn-core-2", "--penalty", "x"], "a number from 0", ""),
    ] {
        let message = refused(&[&["plan"], &arguments[..]].concat());
        assert!(message.contains(says) && message.contains(help), "{arguments:?}: {message}");
    }
}

#[test]
fn the_page_of_a_plan_has_every_value_and_its_pictures() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("plan.html");
    let output = mlp(&["--json", "--report", file.to_str().unwrap()]);
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let page = fs::read_to_string(&file).unwrap();
    let data = page.split("<script type=\"application/json\" id=\"data\">").nth(1).unwrap();
    let data: Value = serde_json::from_str(data.split("</script>").next().unwrap()).unwrap();
    assert_eq!(data["report"], plan);
    for value in plan["values"].as_array().unwrap() {
        let memory = value["memory"].as_str().unwrap();
        let key = format!("{}@{memory}", value["layout"].as_str().unwrap());
        assert!(data["pictures"][&key].as_str().unwrap().starts_with("<svg"), "{key}");
    }
    let films = data["films"].as_object().unwrap();
    assert!(
        !films.is_empty()
            && films.values().all(|film| film.as_str().unwrap().contains("@keyframes"))
    );
    // Nothing comes from elsewhere.
    assert!(!page.contains("src=") && !page.contains("<link"));
}

#[test]
fn options_of_a_mesh_are_refused_beside_a_machine() {
    for option in
        ["--backend=cpu", "--rates=links=1", "--device-memory=1", "--keep-shardings", "--module=m"]
    {
        let args = ["plan", MLP, "--machine", "mn-core-2", option];
        assert!(refused(&args).contains("cannot be used with"), "{option}");
    }
}

#[test]
fn a_name_that_the_plan_lacks_is_refused_before_anything_is_written() {
    let plan = ["plan", MLP, "--machine", "mn-core-2", "--no-routes", "--keep", "4", "-o", "-"];
    let why = refused(&[&plan[..], &["--explain", "nosuch"]].concat());
    assert!(why.contains("is called `nosuch`"), "{why}");
}

#[test]
fn a_sharded_plan_on_standard_output_is_one_document() {
    let plan = ["plan", STEP, "--mesh", "x=8", "-o", "-"];
    let written: serde_json::Value = json_of(&plan);
    assert_eq!(json_of(&["plan", STEP, "--mesh", "x=8", "--json"]), written);
    let module = stdout(&["plan", STEP, "--mesh", "x=8", "--module", "-"]);
    assert!(module.trim_end().ends_with('}'), "{module}");
    let both = refused(&["plan", STEP, "--mesh", "x=8", "--module", "-", "-o", "-"]);
    assert!(both.contains("both write to standard output"), "{both}");
}
