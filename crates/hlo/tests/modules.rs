//! StableHLO modules: arguments, results and constraints, in both forms of MLIR.

use tensor_layout_hlo::{HloTextKind, MlirModule};
use tensor_layout_show::pages::hlo as pages;

#[test]
fn a_module_of_stablehlo_has_arguments_results_and_constraints() {
    let module = MlirModule::read(include_str!("data/sharded.mlir"));
    let rows: Vec<_> = module
        .values
        .iter()
        .map(|value| {
            (value.kind, value.line, value.is_donated, value.whole_bytes, value.device_bytes)
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("argument", 3, true, 8192, 4096),
            ("result", 3, false, 16384, 16384),
            ("result", 3, false, 8192, 8192),
            ("constraint", 7, false, 16384, 2048),
        ]
    );
    let older = "func.func @main(%arg0: tensor<16x32xf32> {mhlo.sharding = \"{devices=[2,4]<=[8]}\"}, %arg1: tensor<?xf32>) -> tensor<f32> {\n\
        func.func @lost(%arg0: tensor<f32>,\n  %1 = sdy.sharding_constraint %0 <@none, [{}]> : tensor<4xf32>\n";
    let module = MlirModule::read(older);
    let bytes: Vec<_> =
        module.values.iter().map(|value| (value.whole_bytes, value.device_bytes)).collect();
    assert_eq!(bytes, [(2048, 256), (4, 4)]);
    let lines: Vec<_> =
        module.reading().lines.iter().map(|l| (l.line, l.reason.as_str())).collect();
    assert_eq!(
        lines,
        [
            (1, "a dimension `?` has no size"),
            (2, "the arguments of this function are not on one line"),
            (3, "mesh @none is not in this module"),
            (3, "the text ends inside the module"),
        ]
    );
    let gspmd = "func.func @main(%arg0: tensor<8xf32>) -> tensor<8xf32> {\n  %1 = stablehlo.custom_call @Sharding(%arg0) \
        {mhlo.sharding = \"{devices=[8]<=[8]}\"} : (tensor<8xf32>) -> tensor<8xf32>\n  return %1 : tensor<8xf32>\n}\n";
    let module = MlirModule::read(gspmd);
    let last = module.values.last().unwrap();
    assert_eq!((last.kind, last.name.as_str(), last.device_bytes), ("constraint", "%1", 4));
    assert_eq!(module.reading().lines, []);
}

#[test]
fn a_module_of_mlir_is_read_in_any_order_without_comments_and_bodies_of_one_device() {
    let text = r#"module @m {
  func.func public @main(%arg0: tensor<64xf32, #foo>, %arg1: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@one, []>}) -> (tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
    // %9 = sdy.sharding_constraint %2 <@mesh, [{"x"}]> : tensor<32xf32>
    %1 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg2: tensor<32xf32>) {
      %2 = sdy.sharding_constraint %arg2 <@mesh, [{}]> : tensor<32xf32>
      sdy.return %2 : tensor<32xf32>
    } : (tensor<64xf32>) -> tensor<64xf32>
    %3 = sdy.sharding_constraint %1 <@mesh, [{"x"}]> : tensor<64xf32>
  }
  sdy.mesh @mesh = <["x"=2]>
  sdy.mesh @one = <[], device_ids=[2]>
}
"#;
    let module = MlirModule::read(text);
    assert_eq!(module.reading().lines, []);
    let values: Vec<_> = module
        .values
        .iter()
        .map(|value| (value.kind, &*value.name, &*value.shape, value.device_bytes))
        .collect();
    assert_eq!(
        values,
        [
            ("argument", "%arg0", "f32[64]", 256),
            ("argument", "%arg1", "f32[8,4]", 128),
            ("result", "0", "f32[16]", 32),
            ("constraint", "%3", "f32[64]", 128),
        ]
    );
}

#[test]
fn each_module_of_a_text_has_its_own_meshes_and_braces_of_strings_and_comments_do_not_count() {
    let module = |size: u64| {
        format!(
            "module @m {{\n  sdy.mesh @mesh = <[\"x\"={size}]>\n  func.func @main(%a: tensor<64xf32> \
             {{sdy.sharding=#sdy.sharding<@mesh, [{{\"x\"}}]>}}, %b: tensor<64xf32> {{mhlo.frontend_attributes = \
             {{xla.sdy.sharding = \"#sdy.sharding<@mesh, [{{\\\"x\\\"}}]>\"}}}}) -> tensor<4xf32> {{\n    \
             // a brace }} in a comment\n    %1 = op(%a) {{c = \"{{\\\"s\\\": \\\"{{\\\"\"}}\n  }}\n}}\n"
        )
    };
    let found = MlirModule::read(&(module(2) + &module(8)));
    assert_eq!(found.reading().lines, []);
    let bytes: Vec<u64> = found.values.iter().map(|value| value.device_bytes).collect();
    assert_eq!(bytes, [128, 128, 16, 32, 32, 16]);
}

#[test]
fn keys_in_strings_text_in_comments_and_other_modules_do_not_reach_a_value() {
    let text = r##"module {
  sdy.mesh @mesh = <["x"=2]>
  func.func @main(%a: tensor<8xf32> {jax.arg_info = "sdy.sharding", jax.buffer_donor = false, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}, %b: tensor<8xf32> {jax.arg_info = "jax.buffer_donor", mhlo.frontend_attributes = {xla.sdy.sharding = "#sdy.sharding<@mesh, [{\22x\22}]>"}}) -> tensor<8xf32> { // was sdy.manual_computation(
    %1 = sdy.sharding_constraint %a <@mesh, [{"x"}]> : tensor<8xf32> loc("a : b") // : tensor<4xf32>
  }
}
builtin.module @b {
  sdy.mesh @mesh = <["x"=4]>
  func.func @main(%a: tensor<8xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  }
}
"##;
    let module = MlirModule::read(text);
    assert_eq!(module.reading().lines, []);
    let values: Vec<_> = module
        .values
        .iter()
        .map(|value| (value.kind, value.device_bytes, value.is_donated))
        .collect();
    assert_eq!(
        values,
        [
            ("argument", 16, false),
            ("argument", 16, false),
            ("result", 32, false),
            ("constraint", 16, false),
            ("argument", 8, true),
            ("result", 32, false),
        ]
    );
    let twice = "module @m {\n  sdy.mesh @mesh = <[\"x\"=2]>\n  sdy.mesh @mesh = <[\"x\"=4]>\n}\n";
    assert_eq!(MlirModule::read(twice).reading().count, 1);
    let open = MlirModule::read("module @a {\n}\n}\nmodule @b {\n  func.func @f() -> () {\n  }\n");
    assert_eq!(
        places(&open),
        [
            (3, "this brace closes nothing: the text before it is missing"),
            (6, "the text ends inside the module"),
        ]
    );
}

/// The lines that could not be read, with the reasons.
fn places(module: &MlirModule) -> Vec<(u64, &str)> {
    module.reading().lines.iter().map(|unread| (unread.line, &*unread.reason)).collect()
}

/// Everything about the values of a module but their names and lines.
fn values(module: &MlirModule) -> Vec<(&str, &str, Option<&str>, bool, u64)> {
    let row = |value: &'_ tensor_layout_hlo::MlirValue| (value.whole_bytes, value.device_bytes);
    let mut rows = Vec::new();
    for value in &module.values {
        assert!(row(value).0 >= row(value).1);
        let sharding = value.sharding.as_deref();
        rows.push((value.kind, &*value.shape, sharding, value.is_donated, value.device_bytes));
    }
    rows
}

/// A module as JAX prints it, and as MLIR's generic printer does.
const BOTH_FORMS: [&str; 2] = [
    r#"module @jit_f attributes {mhlo.num_partitions = 8 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}} loc(#loc)
  func.func public @main(%arg0: tensor<64x32xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>} loc("a"), %arg1: tensor<32x64xf32>) -> (tensor<64x64xf32> {jax.result_info = "result[0]"}, tensor<32x64xf32>) {
    %1 = stablehlo.tanh %0 : tensor<64x64xf32> loc(#loc27)
    %2 = sdy.sharding_constraint %1 <@mesh, [{"x"}, {"y"}]> : tensor<64x64xf32> loc(#loc28)
    %3 = sdy.manual_computation(%2) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<32x64xf32> loc("shard_map:"(#loc8))) {
      %4 = sdy.sharding_constraint %arg2 <@mesh, [{}, {}]> : tensor<32x64xf32>
      sdy.return %4 : tensor<32x64xf32>
    } : (tensor<64x64xf32>) -> tensor<32x64xf32> loc(#loc29)
    %5 = stablehlo.custom_call @Sharding(%2) {backend_config = "", mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %5, %3 : tensor<64x64xf32>, tensor<32x64xf32>
  }
  func.func private @g(%arg0: tensor<4xf32>) -> tensor<4xf32> {
  }
}
"#,
    r#"#loc28 = loc("sdy.sharding_constraint"(#loc21))
"builtin.module"() <{sym_name = "jit_f"}> ({
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2, "y"=4]>, sym_name = "mesh"}> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}]}} : () -> () loc(#loc)
  "func.func"() <{arg_attrs = [{jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}, {}], function_type = (tensor<64x32xf32>, tensor<32x64xf32>) -> (tensor<64x64xf32>, tensor<32x64xf32>), res_attrs = [{jax.result_info = "result[0]"}, {}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<64x32xf32> loc("a"), %arg1: tensor<32x64xf32>):
    %1 = "stablehlo.tanh"(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(#loc27)
    %2 = "sdy.sharding_constraint"(%1) <{sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}> : (tensor<64x64xf32>) -> tensor<64x64xf32> loc(#loc28)
    %3 = "sdy.manual_computation"(%2) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>, manual_axes = #sdy<manual_axes{"x", "y"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{}, {}]>]>}> ({
    ^bb0(%arg2: tensor<32x64xf32> loc("shard_map:"(#loc8))):
      %4 = "sdy.sharding_constraint"(%arg2) <{sharding = #sdy.sharding<@mesh, [{}, {}]>}> : (tensor<32x64xf32>) -> tensor<32x64xf32>
      "sdy.return"(%4) : (tensor<32x64xf32>) -> ()
    }) : (tensor<64x64xf32>) -> tensor<32x64xf32> loc(#loc29)
    %5 = "stablehlo.custom_call"(%2) <{api_version = 1 : i32, backend_config = "", call_target_name = "Sharding", called_computations = [], has_side_effect = false}> {mhlo.sharding = "{devices=[2,4]<=[8]}"} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    "func.return"(%5, %3) : (tensor<64x64xf32>, tensor<32x64xf32>) -> ()
  }) : () -> () loc(#loc)
  "func.func"() <{function_type = (tensor<4xf32>) -> tensor<4xf32>, sym_name = "g", sym_visibility = "private"}> ({
  }) : () -> ()
}) {mhlo.num_partitions = 8 : i32} : () -> () loc(#loc)
"#,
];

#[test]
fn the_generic_form_of_a_module_has_the_values_of_the_other_form() {
    let [pretty, generic] = BOTH_FORMS.map(MlirModule::read);
    assert_eq!((places(&pretty), places(&generic)), (vec![], vec![]));
    assert_eq!(values(&pretty).len(), 8);
    assert_eq!(values(&generic), values(&pretty));
    let functions =
        |of: &MlirModule| of.values.iter().map(|v| v.function.clone()).collect::<Vec<_>>();
    assert_eq!(functions(&generic), functions(&pretty));
    for text in BOTH_FORMS {
        assert_eq!(HloTextKind::of(text.as_bytes()), HloTextKind::Mlir);
    }
    let behind_location = BOTH_FORMS[1].split_once('\n').unwrap().1;
    assert_eq!(HloTextKind::of(behind_location.as_bytes()), HloTextKind::Mlir);
}

#[test]
fn operations_of_a_module_that_are_not_read_are_unread_at_their_lines() {
    let module = MlirModule::read(
        r#"module {
  "func.func"() ({
  }) {function_type = () -> (), sym_name = "f"} : () -> ()
  %1 = "sdy.sharding_constraint"(%0) {a = 1 : i32} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = sdy.manual_computation(%1) in_shardings=[<@mesh, [{}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"}
      (%arg2: tensor<4xf32>) {
  }
  %3 = foo.bar %2 {a = "sdy.mesh @a"} : tensor<4xf32> %4 = sdy.sharding_constraint %3 <@mesh, [{}]> : tensor<4xf32>
  foo.bar { "sdy.mesh"() <{mesh = #sdy.mesh<["x"=2]>, sym_name = "m"}> : () -> () }
}
"#,
    );
    let several = "this line holds several operations, and only the first is read";
    assert_eq!(
        places(&module),
        [
            (2, "the arguments of this function are not on one line"),
            (4, "this constraint cannot be read"),
            (5, "the body of this computation does not begin at the end of its line"),
            (8, several),
            (9, several),
        ]
    );
}

#[test]
fn a_module_inside_another_has_meshes_of_its_own() {
    let argument = r#"(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {"#;
    let text = format!(
        "module @outer {{\n  sdy.mesh @mesh = <[\"x\"=2]>\n  module @inner {{\n    func.func @f{argument}\n    }}\n    \
         sdy.mesh @mesh = <[\"x\"=4]>\n  }}\n  func.func @g{argument}\n  }}\n  module @none {{\n    \
         func.func @h{argument}\n    }}\n  }}\n}}\n"
    );
    let module = MlirModule::read(&text);
    let bytes: Vec<_> = module.values.iter().map(|v| (&*v.function, v.device_bytes)).collect();
    assert_eq!(bytes, [("f", 8), ("g", 16)]);
    assert_eq!(places(&module), [(11, "mesh @mesh is not in this module")]);
}

#[test]
fn complex_elements_may_have_an_encoding_behind_them() {
    let text = "func.func @main(%a: tensor<64xcomplex<f32>, #enc>, %b: tensor<complex<f64>>, \
                %c: tensor<4xcomplex<i8>>) {\n}\n";
    let module = MlirModule::read(text);
    let shapes: Vec<_> = module.values.iter().map(|v| (&*v.shape, v.whole_bytes)).collect();
    assert_eq!(shapes, [("c64[64]", 512), ("c128[]", 16)]);
    assert_eq!(places(&module), [(1, "this is not a complex type")]);
    let page = pages::mlir(&module, None);
    assert!(page.contains("      528 B       528 B  at least 2 arguments of @main\n"), "{page}");
}

#[test]
fn tokens_of_a_module_are_no_tensors_and_read() {
    let text = "func.func @main(%arg0: !stablehlo.token {jax.token = true}, %arg1: tensor<8xf32>) -> \
                (!stablehlo.token {jax.token = true}, tensor<8xf32>) {\n}\n";
    let module = MlirModule::read(text);
    let names: Vec<_> = module.values.iter().map(|value| (value.kind, &*value.name)).collect();
    assert_eq!(names, [("argument", "%arg1"), ("result", "1")]);
    assert_eq!(places(&module), []);
}

#[test]
fn symbols_may_be_quoted_and_attributes_without_blanks() {
    let module = MlirModule::read(
        r#"module attributes {a = 1 : i32} {
  sdy.mesh @"m-1" = <["x"=2]>
  "sdy.mesh"() <{mesh = #sdy.mesh<["x"=4]>, sym_name = "m-2"}> : () -> ()
  func @"main.1"(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@"m-1", [{"x"}]>}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@"m-2", [{"x"}]>}) {
    %1 = "stablehlo.custom_call"(%a) {call_target_name="Sharding",mhlo.sharding="{devices=[8]<=[8]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %2 = "stablehlo.custom_call"(%a) {call_target_name = "Sharding",
      mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<8xf32>) -> tensor<8xf32>
    %3 = "stablehlo.custom_call"(%a) {call_target_name = "Other", a = "Sharding"} : (tensor<8xf32>) -> tensor<8xf32>
  }
}
"#,
    );
    let values: Vec<_> = module.values.iter().map(|v| (&*v.function, v.device_bytes)).collect();
    assert_eq!(values, [("main.1", 16), ("main.1", 8), ("main.1", 4)]);
    assert_eq!(places(&module), [(6, "this constraint cannot be read")]);
    let first = "module attributes {a = 1 : i32} {\n  func @f() {\n";
    assert_eq!(HloTextKind::of(first.as_bytes()), HloTextKind::Mlir);
}

#[test]
fn the_name_of_an_argument_ends_at_a_colon_and_a_type_without_a_name_has_none() {
    let text = "func.func private @f(tensor<4xf32> {x.y = \"a: b\"}) -> tensor<4xf32>\n\
                func.func @g(%arg0: tensor<4xf32> {x.y = \"a: b\"}) -> tensor<4xf32> {\n}\n";
    let module = MlirModule::read(text);
    assert_eq!(places(&module), []);
    let names: Vec<_> = module.values.iter().map(|value| value.name.as_str()).collect();
    assert_eq!(names, ["", "0", "%arg0", "0"]);
}

#[test]
fn the_layouts_and_memories_that_jax_asks_for_are_read() {
    let text = r#"module @jit_f {
  func.func public @main(%arg0: tensor<64x32xf32> {mhlo.layout_mode = "{0,1}", mhlo.memory_kind = "pinned_host"}, %arg1: tensor<64xi4>, %arg2: tensor<2x3xui4> {mhlo.layout_mode = "auto"}, %arg3: tensor<8xf4E2M1FN>, %arg4: tensor<64xi1>, %arg5: tensor<129x1024xf32> {mhlo.layout_mode = "{1,0:T(8,128)}"}) -> (tensor<64xi4> {mhlo.memory_kind = "device"}) {
  }
}
"#;
    let module = MlirModule::read(text);
    let rows: Vec<_> = module
        .values
        .iter()
        .map(|value| (&*value.shape, value.memory_kind.as_deref(), value.device_bytes))
        .collect();
    assert_eq!(
        rows,
        [
            ("f32[64,32]{0,1}", Some("pinned_host"), 8192),
            ("s4[64]{0:E(4)}", None, 32),
            ("u4[2,3]{1,0:E(4)}", None, 3),
            ("f4e2m1fn[8]{0:E(4)}", None, 4),
            ("pred[64]", None, 64),
            ("f32[129,1024]{1,0:T(8,128)}", None, 136 * 1024 * 4),
            ("s4[64]{0:E(4)}", Some("device"), 32),
        ]
    );
    assert!(module.reading().is_complete(), "{:?}", module.reading());
    let page = pages::mlir(&module, None);
    for line in [
        "  5 arguments of @main\n",
        "  1 argument of @main, in pinned_host\n",
        "  1 result of @main\n",
        "values without a sharding are counted whole on every device\n",
    ] {
        assert!(page.contains(line), "{line}\n{page}");
    }
}
