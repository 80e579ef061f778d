//! Plans with layouts that are pinned.

use tensor_layout::route::Route;
use tensor_layout::{Layout, Level, Machine};
use tensor_layout_plan::execute::{AsPlanned, execute};
use tensor_layout_plan::graph::{Body, Data, Dtype, Graph, Nest, Origin, Read, Scalar, Value};
use tensor_layout_plan::onnx::{ReadOptions, read_model};
use tensor_layout_plan::pins::{Pin, Pins, Place, read_pins};
use tensor_layout_plan::plan::{Plan, PlanOptions, PlanReport, PlannedValue, SdkFiles, plan};
use tensor_layout_plan::{SpecEntry, check_spec};

use crate::execute::model;
use crate::onnx::{bytes, cases, tensors};
use crate::small::{small_machine, with_words};

fn options(pins: Pins) -> PlanOptions {
    PlanOptions { routes: false, keep: 24, pins, ..PlanOptions::default() }
}

fn named(name: &str, layout: &str) -> Pin {
    Pin {
        name: format!("the pin of {name}"),
        place: Place::Named(name.into()),
        layouts: vec![vec![layout.into()]],
        uses: Vec::new(),
        avoids: Vec::new(),
    }
}

fn is_computed(value: &&PlannedValue) -> bool {
    value.node.is_some()
}

fn value<'r>(report: &'r PlanReport, name: &str) -> &'r PlannedValue {
    report.values.iter().find(|value| value.name == name).unwrap()
}

fn executes(plan: &Plan<'_>, inputs: &[Data], outputs: &[Data]) {
    let executed = execute(plan, inputs, &mut AsPlanned).unwrap();
    for (found, expected) in executed.outputs.iter().zip(outputs) {
        let most = expected.numbers().iter().fold(1e-30_f64, |most, of| most.max(of.abs()));
        for (found, expected) in found.numbers().iter().zip(expected.numbers()) {
            assert!((found - expected).abs() / most < 1e-5, "{found} {expected}");
        }
    }
}

fn planned<'g>(graph: &'g Graph, machine: &Machine, pins: Pins) -> Plan<'g> {
    plan(graph, machine, &options(pins)).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_plan_that_is_pinned_to_its_own_layouts_stays() {
    for name in ["mlp", "block"] {
        let (graph, _, _) = model(name);
        let free = planned(&graph, &small_machine(), Pins::new());
        let report = free.report();
        let pins = report.values.iter().filter(is_computed);
        let pins = pins.map(|value| named(&value.name, &value.layout)).collect();
        let again = planned(&graph, &small_machine(), pins);
        let pinned = again.report();
        for value in report.values.iter().filter(is_computed) {
            let other = pinned.values.iter().find(|other| other.name == value.name).unwrap();
            assert_eq!(value.layout, other.layout, "{name}: {}", value.name);
        }
        // Loops that are made for a pin may be cheaper than those that were kept.
        assert!(again.totals().plan <= free.totals().plan, "{name}");
        assert_eq!(again.totals().without_pins, Some(free.totals().plan));
    }
}

#[test]
fn a_pin_to_any_choice_is_kept_and_the_plan_computes_the_same() {
    let (graph, inputs, outputs) = model("mlp");
    let free = planned(&graph, &small_machine(), Pins::new());
    for (number, operation) in graph.operations.iter().enumerate().step_by(3) {
        let choices = free.choices(operation.result);
        let Some(choice) = choices.get(number % choices.len().max(1)) else { continue };
        let text = Route::text(&free.setting().placed(&choice.result).unwrap());
        let name = &graph.value(operation.result).name;
        let other = planned(&graph, &small_machine(), vec![named(name, &text)]);
        assert_eq!(value(&other.report(), name).layout, text, "{name}");
        executes(&other, &inputs, &outputs);
    }
}

#[test]
fn where_no_choice_has_a_pinned_layout_a_switch_brings_it_there() {
    let (graph, inputs, outputs) = model("mlp");
    // Lanes along one axis and PEs along the other: no product has that.
    let odd = "((2_MAB:1, 2_PE:1, 2:1), (2_L2B:1, 2_L1B:1, 4:2, 2_W:1); B@[2_L2B:2])";
    let free = planned(&graph, &small_machine(), Pins::new());
    let plan = planned(&graph, &small_machine(), vec![named("gemm_7", odd)]);
    let report = plan.report();
    let switch = value(&report, "gemm_7");
    assert_eq!(
        (&*switch.operator, switch.layout.ends_with(odd)),
        ("LayoutSwitch", true),
        "{report}"
    );
    assert!(plan.totals().plan >= free.totals().plan);
    executes(&plan, &inputs, &outputs);
    let operand = "((2_MAB:1, 2_PE:1, 2:1), (2_L2B:1, 2_L1B:1, 2_W:1))";
    let pin = Pin { place: Place::Operand("Gemm_7".into(), 0), ..named("", operand) };
    let plan = planned(&graph, &small_machine(), vec![pin]);
    let report = plan.report();
    assert_eq!(value(&report, "Gemm_7/operand 0").operator, "LayoutSwitch", "{report}");
    executes(&plan, &inputs, &outputs);
}

#[test]
fn a_product_takes_a_and_bt_and_gives_c_as_they_are_pinned() {
    let (graph, inputs, outputs) = model("mlp");
    let pins = read_pins(
        r#"[{"key": "Gemm_1",
             "A": "((2_Time:1, 4:4), (4:1, 2_W, 2_PE); B@[L2B, L1B, MAB])",
             "BT": "((2_Time:1, 4_L2B:1, 4:4), (4:1, 2_W, 2_PE); B@[L1B, MAB])",
             "C": "((2_Time:2, 4:2), (2_Time:1, 4_L2B:1, 2_W, 2_PE); B@[L1B, MAB])"}]"#,
        "gemm_layout_spec.json",
    );
    let plan = planned(&graph, &small_machine(), pins.unwrap());
    let report = plan.report();
    assert_eq!(report.pins[0].nodes, ["Gemm_1"]);
    // All three together, with slices that each of them numbers by itself: no switch is needed.
    assert!(report.values.iter().all(|value| value.operator != "LayoutSwitch"), "{report}");
    let product = value(&report, "Gemm_1");
    assert_eq!(
        product.layout,
        "((2_Time:2, 4:2), (2_Time:1, 4_L2B:1, 2_W:1, 2_PE:1); B@[2_L1B:1,2_MAB:1])"
    );
    executes(&plan, &inputs, &outputs);
}

#[test]
fn pins_that_exclude_each_other_are_named_with_their_node() {
    let (graph, ..) = model("mlp");
    let mut pins = vec![named("relu_2", "((8_MAB:1), (32:1))"), named("relu*", "((8:1), (32:8))")];
    let refused = |pins: Pins| match plan(&graph, &small_machine(), &options(pins)) {
        Err(error) => error.to_string(),
        other => panic!("{other:?}"),
    };
    pins[0].layouts[0][0] = "((2_MAB:1, 4:1), (32:4))".into();
    let both =
        "the pin of relu_2 and the pin of relu* want different layouts for the result of `Relu_2`";
    assert_eq!(refused(pins.clone()), both);
    pins[1].layouts.clear();
    pins[1].avoids = vec![Level::MAB];
    assert_eq!(refused(pins.clone()), both);
    pins[0].layouts[0][0] = "((2_MAB:1, 2:1), (32:4))".into();
    assert_eq!(
        refused(pins.clone()),
        "the pin of relu_2, for `Relu_2`: axis 0 has 4 slots, and the tensor 8 elements there"
    );
    pins[1].avoids = vec![Level::LANE];
    let known = "the machine has no level `LANE`, but L2B, L1B, MAB, PE, W and Time";
    assert!(refused(pins[1..].to_vec()).ends_with(known), "{}", refused(pins[1..].to_vec()));
}

fn refused(graph: &Graph, pins: Pins) -> String {
    match plan(graph, &small_machine(), &options(pins)) {
        Err(error) => error.to_string(),
        Ok(plan) => panic!("{}", plan.report()),
    }
}

#[test]
fn layouts_that_a_tensor_cannot_have_are_refused() {
    let (graph, ..) = model("mlp");
    for (layout, why) in [
        ("((8_L2B:1), (32:1))", "it uses 8 of L2B, and the machine has 4"),
        ("((2_MAB:3, 4:1), (32:4))", "it uses 4 of MAB, and the machine has 2"),
        ("(8,30)/((8:32), (32:1))", "it is a layout of a tensor [8, 30], and this one is [8, 32]"),
    ] {
        let found = refused(&graph, vec![named("relu_2", layout)]);
        assert_eq!(found, format!("the pin of relu_2, for `Relu_2`: {why}"));
    }
}

#[test]
fn layouts_of_a_pin_that_contradict_its_levels_are_refused() {
    let (graph, ..) = model("mlp");
    let avoids = vec![Level::L2B];
    let result = Pin { avoids: avoids.clone(), ..named("relu_2", "((2_L2B:1, 4:1), (32:4))") };
    let why = "its `layouts` contradict its `uses` or `avoids`";
    assert_eq!(refused(&graph, vec![result]), format!("the pin of relu_2, for `Relu_2`: {why}"));
    let given = Pin { avoids, ..named("x", "((2_W:1, 4:1), (4_L2B:1, 4:4))") };
    assert_eq!(refused(&graph, vec![given.clone()]), format!("the pin of x, for `x`: {why}"));
    let without = refused(&graph, vec![Pin { layouts: Vec::new(), ..given }]);
    assert!(without.ends_with("`uses` and `avoids` need `layouts` here"), "{without}");
}

#[test]
fn pins_that_differ_in_addresses_exclude_each_other() {
    let (graph, ..) = model("mlp");
    let pins = ["((8:32), (32:1))", "((8:1), (32:8))"].map(|layout| named("relu_2", layout));
    assert!(refused(&graph, pins.to_vec()).contains("want different layouts"));
    // One map, written in two ways.
    let pins = ["((8:32), (32:1))", "((2:128, 4:32), (32:1))"];
    planned(&graph, &small_machine(), pins.map(|layout| named("relu_2", layout)).to_vec());
}

#[test]
fn a_pinned_product_that_its_node_cannot_have_is_refused_with_the_reason() {
    let (graph, ..) = model("mlp");
    let pins = |a: &str| {
        let pin = "[[pin]]\nproduct = \"Gemm_1\"\nlayouts = [{ A = \"";
        let rest = "\", BT = \"((32:16), (16:1))\", C = \"((8:32), (32:1))\" }]";
        read_pins(&format!("{pin}{a}{rest}"), "pins.toml").unwrap()
    };
    for (a, why) in [
        ("((8:16), (16:1)", "expected"),
        ("((8:1), (16:1))", "elements (0, 1) and (1, 0) are both stored"),
        ("((8_L2B:1), (16:1))", "it uses 8 of L2B"),
        ("((8:16), (8:1))", "axis 1 has 8 slots"),
    ] {
        let found = refused(&graph, pins(a));
        assert!(found.starts_with("pins.toml, pin 1, for `Gemm_1`: "), "{found}");
        assert!(found.contains(why), "{found}");
    }
}

/// A layout with gaps takes all addresses up to its last one.
#[test]
fn a_pinned_layout_takes_the_memory_that_it_reaches() {
    let (graph, ..) = model("mlp");
    let machine = with_words(2048);
    let plan = planned(&graph, &machine, vec![named("relu_2", "((8:60), (32:1))")]);
    let room = plan.report().memory.unwrap();
    assert!(room.peak >= 7 * 60 + 32, "{room:?}");
    let places = room.places.unwrap_or_default();
    let own = places.iter().filter(|of| of.value == "relu_2" && of.reader.is_none());
    assert!(own.clone().all(|of| of.words == 7 * 60 + 32) && own.count() > 0, "{places:?}");
}

#[test]
fn levels_that_are_pinned_are_used_or_not() {
    let (graph, inputs, outputs) = model("mlp");
    for level in ["L2B", "L1B", "MAB", "PE"] {
        let text = format!(
            "[[pin]]\nname = \"relu_2\"\nuses = [\"{level}\"]\n[[pin]]\nname = \"gemm_3\"\navoids = [\"{level}\"]"
        );
        let plan = planned(&graph, &small_machine(), read_pins(&text, "pins.toml").unwrap());
        let report = plan.report();
        let digit = |name: &str| {
            value(&report, name).layout.split("; B@").next().unwrap().contains(&format!("_{level}"))
        };
        assert!(digit("relu_2") && !digit("gemm_3"), "{level}: {report}");
        executes(&plan, &inputs, &outputs);
    }
}

#[test]
fn a_file_of_pins_that_pins_nothing_is_refused_with_the_number_of_the_entry() {
    let refused = |text: &str| read_pins(text, "pins.toml").unwrap_err().to_string();
    assert_eq!(
        refused("[[pin]]\nname = \"a\""),
        "entry 1: it pins nothing: layouts, uses and avoids are missing"
    );
    assert_eq!(
        refused("[[pin]]\nnode = \"a\"\nlayouts = [\"((1))\"]"),
        "entry 1: expected name, node and operand, or product"
    );
    assert_eq!(
        refused("[[pin]]\nname = \"a\"\nlayouts = [{ A = \"\", BT = \"\", C = \"\" }]"),
        "entry 1: A, BT and C are layouts of a product"
    );
    assert!(
        refused("[[pin]]\nnames = \"a\"")
            .starts_with("it is neither a JSON list of entries nor TOML")
    );
    assert!(matches!(read_pins("", "pins.toml"), Ok(pins) if pins.is_empty()));
}

/// A plan in which all nodes of one operator and shape have one layout.
fn shared(graph: &Graph) -> Plan<'_> {
    let mut pins = Pins::new();
    loop {
        let plan = planned(graph, &small_machine(), pins.clone());
        let more = plan.shared_layouts();
        if more.is_empty() {
            return plan;
        }
        pins.extend(more);
    }
}

/// Checks the products of the files, which have no shapes.
fn all_local(files: SdkFiles) {
    let products = files.products.into_iter().map(SpecEntry::Product).collect::<Vec<_>>();
    assert!(!products.is_empty());
    for entry in check_spec(&products, None, &small_machine()).entries {
        assert!(entry.product.as_ref().is_none_or(|of| of.is_local), "{entry}");
    }
}

#[test]
fn a_convolution_in_the_files_of_the_sdk_is_a_product_of_its_pixels() {
    let (graph, ..) = model("unet_block");
    let files = shared(&graph).sdk_files().unwrap();
    // [N, H, W, k], [n, k], [N, H, W, n]
    let product = &files.products[0];
    let ranks = [&product.a, &product.bt, &product.c];
    let ranks = ranks.map(|text| text.parse::<Layout>().unwrap().rank());
    assert_eq!(ranks, [4, 2, 4], "{product:?}");
    all_local(files);
}

#[test]
fn a_plan_in_the_files_of_the_sdk_comes_back_as_the_same_plan() {
    for name in ["mlp", "qwen2_odd"] {
        let (graph, inputs, outputs) = model(name);
        let plan = shared(&graph);
        let files = plan.sdk_files().unwrap();
        let layouts = serde_json::to_string(&files.layouts).unwrap();
        let products = serde_json::to_string(&files.products).unwrap();
        let mut read = read_pins(&layouts, "layout_spec.json").unwrap();
        read.extend(read_pins(&products, "gemm_layout_spec.json").unwrap());
        let again = planned(&graph, &small_machine(), read);
        // Loops that are made for a pin may be cheaper than those that were kept.
        assert!(again.totals().plan <= plan.totals().plan, "{name}");
        for pin in again.report().pins {
            assert!(!pin.nodes.is_empty(), "{pin:?}");
        }
        assert_eq!(again.sdk_files().unwrap(), files);
        all_local(files);
        executes(&again, &inputs, &outputs);
    }
}

#[test]
fn the_files_of_the_sdk_have_the_names_and_shapes_of_the_model() {
    let is_tried = |name: &str| {
        ["Tile", "GroupNormalization"].contains(&name) || name.contains("groups of one")
    };
    let cases = cases().into_iter().filter(|case| is_tried(case["name"].as_str().unwrap()));
    let mut seen = [0; 2];
    for case in cases {
        let name = &case["name"];
        let model = bytes(case["model"].as_str().unwrap());
        let options = ReadOptions { data: true, ..ReadOptions::default() };
        let graph = read_model(&model, &options).unwrap();
        let data = |key: &str| {
            tensors(&case[key]).into_iter().map(|(.., of)| Data::new(of)).collect::<Vec<_>>()
        };
        let plan = shared(&graph);
        let files = plan.sdk_files().unwrap();
        let (_, shape, _) = &tensors(&case["outputs"])[0];
        // Both parts of an axis are no digits where the second is padded.
        let without_entry = files.left_out.len() + files.products.len();
        match files.layouts.last() {
            Some(last) => assert_eq!(last.shape, *shape, "{name}"),
            None => assert_eq!(without_entry, 1, "{name}"),
        }
        assert!(plan.explain(&graph.value(graph.outputs[0]).name).is_some(), "{name}");
        let pins = serde_json::to_string(&files.layouts).unwrap();
        let pins = read_pins(&pins, "layout_spec.json").unwrap();
        let again = planned(&graph, &small_machine(), pins);
        assert!(again.report().pins.iter().all(|pin| !pin.nodes.is_empty()), "{name}");
        assert_eq!(again.sdk_files().unwrap().layouts, files.layouts, "{name}");
        executes(&again, &data("inputs"), &data("outputs"));
        seen[0] += graph.operations.iter().filter(|of| of.seen.is_some()).count();
        seen[1] += again.report().values.iter().filter(|of| of.seen.is_some()).count();
    }
    assert_eq!(seen, [3, 1]);
}

#[test]
fn an_explanation_prices_other_layouts_as_plans_with_them_cost() {
    let (graph, ..) = model("mlp");
    let free = planned(&graph, &small_machine(), Pins::new());
    let problem = free.costs().unwrap();
    for name in ["relu_2", "dW1", "Softmax_4/exp", "x"] {
        let of = free.explain(name).unwrap();
        assert_eq!((of.chosen.others_stay, of.plan), (Some(of.plan), free.totals().plan));
        assert!(!of.others.is_empty(), "{of}");
        for other in &of.others {
            assert!(
                other.others_follow >= Some(of.plan) && other.others_follow <= other.others_stay,
                "{of}"
            );
            let switches = other.switches.iter().zip(&of.chosen.switches);
            let more = |one: u64, other: u64| i128::from(one) - i128::from(other);
            let by = switches
                .map(|(one, own)| more(one.cycles.unwrap(), own.cycles.unwrap()))
                .sum::<i128>();
            let own = more(other.own, of.chosen.own);
            assert_eq!(more(other.others_stay.unwrap(), of.plan), own + by, "{of}");
        }
    }
    assert!(problem.own.len() > 10 && free.explain("nothing").is_none());
}

#[test]
fn a_plan_with_one_more_pin_is_compared_with_the_one_before() {
    let (graph, ..) = model("mlp");
    let free = planned(&graph, &small_machine(), Pins::new());
    let before = free.report();
    let other = &free.explain("relu_2").unwrap().others[0];
    let (layout, stay, follow) = (other.layout.clone(), other.others_stay, other.others_follow);
    let go_on = |_| std::ops::ControlFlow::Continue(());
    let (after, stays) = free.what_if(&graph, vec![named("relu_2", &layout)], &go_on).unwrap();
    assert!(stays <= stay && Some(after.totals().plan) <= follow);
    let comparison = after.report().against(&before);
    assert_eq!(comparison.plan, [before.totals.plan, after.totals().plan]);
    let changed = comparison.changed.iter().find(|of| of.value == "relu_2").unwrap();
    assert_eq!(changed.after.as_ref().unwrap().layout, layout);
    assert_eq!(comparison.changed.len() + comparison.equal, before.values.len());
    assert!(before.against(&before).changed.is_empty());
}

#[test]
fn the_files_of_a_plan_with_switches_have_the_layouts_beyond_them() {
    let (graph, ..) = model("mlp");
    let layout = "((2_MAB:1, 2_PE:1, 4:1), (2_L2B:1, 2_L1B:1, 4:4, 2_W:1); B@[2_L2B:2])";
    let plan = planned(&graph, &small_machine(), vec![named("dW1", layout)]);
    let switches = |value: &PlannedValue| value.operator == "LayoutSwitch";
    assert!(plan.report().values.iter().any(switches));
    let mut pins = plan.shared_layouts();
    pins.push(named("dW1", layout));
    let plan = planned(&graph, &small_machine(), pins);
    let files = plan.sdk_files().unwrap();
    let product = files.products.iter().find(|of| of.key == "Gemm_10").unwrap();
    assert_eq!(product.c, layout);
    assert!(files.layouts.iter().all(|of| of.op_type != "LayoutSwitch"));
}

#[test]
fn a_switch_leads_to_a_layout_that_all_pins_allow() {
    let (graph, ..) = model("mlp");
    let odd = [
        "((2_MAB:1, 2_PE:1, 2:1), (2_L2B:1, 2_L1B:1, 4:2, 2_W:1); B@[2_L2B:2])",
        "((2_MAB:1, 4:32), (32:1))",
    ];
    let mut pin = named("gemm_7", odd[1]);
    pin.layouts.insert(0, vec![odd[0].into()]);
    let avoids = Pin { layouts: Vec::new(), avoids: vec![Level::L2B], ..named("gemm_7*", "") };
    let plan = planned(&graph, &small_machine(), vec![pin.clone(), avoids]);
    assert!(value(&plan.report(), "gemm_7").layout.contains("((2_MAB:1, 4:32), (32:1)"));
    // Each two agree, all three do not.
    let third = "((8:32), (32:1))";
    let list = |layouts: [&str; 2]| layouts.map(|of| vec![of.to_owned()]).to_vec();
    let pins = [list([odd[0], odd[1]]), list([odd[1], third]), list([odd[0], third])];
    let pins = pins.map(|layouts| Pin { layouts, ..named("gemm_7", "") }).to_vec();
    assert!(
        matches!(tensor_layout_plan::plan::plan(&graph, &small_machine(), &options(pins)), Err(error) if error.to_string().contains("want different layouts for `Gemm_7`"))
    );
}

#[test]
fn stars_of_a_pattern_mean_any_characters() {
    let is_about = |pattern: &str, name: &str| {
        let mut graph = Graph::default();
        let x = Value {
            name: "given".into(),
            shape: vec![8],
            dtype: Dtype::F32,
            origin: Origin::Input,
        };
        let x = graph.add(x);
        graph.inputs = vec![x];
        let nest = Nest::pointwise(vec![8], vec![Read::of(x, [0])], Scalar::Read(0));
        let made = (vec![8], Dtype::F32);
        graph.outputs = vec![graph.operation((name.into(), "Identity"), made, Body::Nest(nest))];
        let pin = Pin {
            place: Place::Operand(pattern.into(), 0),
            avoids: vec![Level::new("L2B").unwrap()],
            layouts: Vec::new(),
            ..named("a", "")
        };
        let report = planned(&graph, &small_machine(), vec![pin]).report();
        !report.pins[0].nodes.is_empty()
    };
    for (pattern, name) in [
        ("a", "a"),
        ("*", "b"),
        ("a*", "ab"),
        ("*b*", "abc"),
        ("a*c", "ac"),
        ("a*b*c", "axbyc"),
        ("**", "x"),
    ] {
        assert!(is_about(pattern, name), "{pattern} {name}");
    }
    for (pattern, name) in
        [("a", "ab"), ("a*a", "a"), ("*b", "bc"), ("a*b*c", "acb"), ("*ab*ab*", "xaby")]
    {
        assert!(!is_about(pattern, name), "{pattern} {name}");
    }
}
