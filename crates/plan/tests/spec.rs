//! Files that pin layouts: PFN's public entries, and what is wrong with made-up ones.

use tensor_layout::{Level, Location, Machine, Placement};
use tensor_layout_plan::{SpecReport, check_spec, read_spec};

/// The entries of a public example of MN-Core's compiler.
fn public(name: &str) -> String {
    let path = format!("{}/../../docs/examples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

fn check(text: &str) -> SpecReport {
    check_spec(&read_spec(text).unwrap(), None, &Machine::mn_core_2())
}

fn product_on(machine: &Machine, [a, bt, c]: [&str; 3]) -> SpecReport {
    let text = format!(r#"[{{"key": "q", "A": "{a}", "BT": "{bt}", "C": "{c}"}}]"#);
    check_spec(&read_spec(&text).unwrap(), None, machine)
}

fn product(a: &str, bt: &str, c: &str) -> SpecReport {
    product_on(&Machine::mn_core_2(), [a, bt, c])
}

fn findings(report: &SpecReport) -> Vec<String> {
    let of_entry = |entry: &tensor_layout_plan::EntryReport| {
        let tensors = entry.tensors.iter().flat_map(|tensor| tensor.findings.clone());
        tensors
            .chain(entry.product.iter().flat_map(|product| product.findings.clone()))
            .collect::<Vec<_>>()
    };
    report.entries.iter().flat_map(of_entry).collect()
}

#[test]
fn the_public_entries_are_whole_and_their_product_is_local() {
    let report = check(&public("layout_spec.json"));
    assert_eq!((report.entries.len(), findings(&report)), (15, vec![]));
    let embedding = &report.entries[0].tensors[0];
    assert_eq!((embedding.shape[0], embedding.slots[0], embedding.slices), (151_936, 153_600, 300));
    assert_eq!(
        (embedding.words, embedding.capacity, embedding.element_bits),
        (384, Some(2048), Some(16))
    );
    let from = embedding.from_dram.as_ref().unwrap();
    assert_eq!(from.movements, ["mvp", "l2bmb", "l1bmd"]);
    assert_eq!(report.entries[1].same_as, Some(1));
    let gemm = check(&public("gemm_layout_spec.json"));
    let product = gemm.entries[0].product.as_ref().unwrap();
    assert!(product.is_local && product.level == "MAB", "{product:?}");
    let slices: Vec<_> = product.operands.iter().map(|of| (of.name, of.slices, of.loads)).collect();
    assert_eq!(slices, [("A", 2, 2), ("BT", 25, 50)]);
}

#[test]
fn layouts_of_one_shape_are_switched_by_movements() {
    let layouts = read_spec(&public("layout_spec.json")).unwrap();
    let products = read_spec(&public("gemm_layout_spec.json")).unwrap();
    let entries = [&layouts[..1], &products[..]].concat();
    let report = check_spec(&entries, None, &Machine::mn_core_2());
    let ends: Vec<_> = report.switches.iter().map(|switch| (switch.from, switch.to)).collect();
    let (embedding, bt) = ((1, None), (2, Some("BT")));
    assert_eq!(ends, [(embedding, bt), (bt, embedding)]);
    for switch in &report.switches {
        assert_eq!(switch.route.as_ref().unwrap().movements, ["l1bmd", "l1bmd"], "{report}");
    }
}

/// Every product of a small layout, by hand: the units of C's element, and whether each has both operands.
fn is_local(machine: &Machine, texts: [&str; 3]) -> bool {
    let [a, bt, c] =
        texts.map(|text| Placement::of(text.parse().unwrap()).on(machine).build().unwrap());
    let mab = |place: &Location| {
        [Level::L2B, Level::L1B, Level::MAB].map(|level| place.get(level).unwrap_or(0))
    };
    let (rows, sums, columns) =
        (a.layout().shape()[0], a.layout().shape()[1], c.layout().shape()[1]);
    let holds = |of: &Placement, index: [u64; 2], unit: [u64; 3]| {
        of.locate_all(&index).unwrap().any(|place| mab(&place) == unit)
    };
    (0..rows).all(|m| {
        (0..columns).all(|n| {
            c.locate_all(&[m, n]).unwrap().all(|place| {
                let unit = mab(&place);
                (0..sums).all(|k| holds(&a, [m, k], unit) && holds(&bt, [n, k], unit))
            })
        })
    })
}

#[test]
fn a_product_is_local_where_every_mab_has_the_operands_of_its_part() {
    let rows = ["(4_L2B, 2:1)", "(8:1)", "(2:1, 4_MAB)", "(4_L1B, 2_MAB)"];
    let columns = ["(4_MAB, 2:1)", "(8:1)", "(4_L1B, 2:1)"];
    let machine: Machine = "L2B=4,L1B=4,MAB=4,PE=4".parse().unwrap();
    let (mut local, mut others) = (0, 0);
    for (row, own_row) in rows.iter().flat_map(|row| rows.iter().map(move |own| (row, own))) {
        for (column, own_column) in
            columns.iter().flat_map(|of| columns.iter().map(move |own| (of, own)))
        {
            let spread = |axis: &str, step: u64| axis.replace(":1", &format!(":{step}"));
            let c = format!("({}, {column})", spread(row, 8));
            let a = format!("({own_row}, (4_PE))");
            let bt = format!("({own_column}, (4_PE))");
            let on = |text: &str| {
                text.parse().is_ok_and(|layout| Placement::of(layout).on(&machine).build().is_ok())
            };
            if !on(&c) || !on(&a) || !on(&bt) {
                continue;
            }
            let report = product_on(&machine, [&a, &bt, &c]);
            let found = report.entries[0].product.as_ref().unwrap().is_local;
            assert_eq!(found, is_local(&machine, [&a, &bt, &c]), "{report}");
            if found { local += 1 } else { others += 1 }
        }
    }
    assert!(local > 5 && others > 20, "{local} local, {others} not");
}

#[test]
fn sums_that_are_scattered_or_copied_where_their_parts_are_leave_a_product_local() {
    let (a, bt) = ("((2_L2B, 2:4), (4_L1B, 2_MAB, 4_PE))", "((16:4), (4_L1B, 2_MAB, 4_PE))");
    let machine = Machine::mn_core_2();
    for (c, is_local) in [
        ("((2_L2B, 2:16), (16:1); B@[4_L1B,2_MAB])", true),
        ("((2_L2B, 2:2), (4_L1B, 2_MAB, 2:1))", true),
        ("((2_L2B, 2_MAB), (4_L1B, 4:1))", true),
        ("((2_L2B, 2:2), (8_L1B, 2:1))", false),
        ("((2_L2B, 2:8), (2_L1B, 8:1))", true),
        ("((2_L2B, 2:4), (4_L1B, 4:1); B@[2_MAB])", true),
        ("((2_L1B, 2:4), (4_L2B, 4:1))", false),
    ] {
        let report = product_on(&machine, [a, bt, c]);
        let product = report.entries[0].product.clone();
        let found = product.as_ref().is_some_and(|of| of.is_local);
        assert_eq!(found, is_local, "{report}");
        if is_local {
            assert_eq!(product.unwrap().sums_over, ["L1B", "MAB"], "{report}");
            let [a, bt, c] = [a, bt, c].map(|text| {
                Placement::of(text.parse().unwrap()).on(&machine).oversized().build().unwrap()
            });
            for [m, n, k] in (0..4 * 16 * 32).map(|at| [at / 512, at / 32 % 16, at % 32]) {
                let of_unit = |place: &Location| place.get(Level::L2B).unwrap_or(0);
                let units = |of: &Placement, index| -> Vec<_> {
                    let places = of.locate_all(index).unwrap();
                    let levels = [Level::L2B, Level::L1B, Level::MAB];
                    places.map(|at| levels.map(|of| at.get(of).unwrap_or(0))).collect()
                };
                let (of_a, of_bt) = (units(&a, &[m, k]), units(&bt, &[n, k]));
                for place in c.locate_all(&[m, n]).unwrap() {
                    // Some unit of the same L2B multiplies them.
                    let mut both = of_a.iter().filter(|unit| of_bt.contains(unit));
                    assert!(both.any(|[l2b, ..]| *l2b == of_unit(&place)), "{report}");
                }
            }
        }
    }
}

/// As in ONNX: a vector has no `m`, or no `n`.
#[test]
fn products_of_vectors_and_of_batches_are_compared_by_their_own_axes() {
    for (texts, is_local) in [
        (["((8_MAB, 4_PE))", "((3:1), (8_MAB, 4_PE))", "((3:1); B@[8_MAB])"], true),
        (["((4:1), (8_MAB, 4_PE))", "((8_MAB, 4_PE))", "((4:1); B@[8_MAB])"], true),
        (["((8_MAB, 4_PE))", "((8_MAB, 4_PE))", "(; B@[8_MAB])"], true),
        (["((8_MAB, 4_PE))", "((3:1), (4_PE, 8_MAB))", "((3:1); B@[8_MAB])"], false),
        (["((2_L1B), (4:1), (4_PE))", "((3:4), (1_L1B, 4_PE))", "((2_L1B), (4:4), (3:1))"], false),
        (
            ["((2_L1B), (4:1), (4_PE))", "((3:4), (4_PE); B@[2_L1B])", "((2_L1B), (4:4), (3:1))"],
            true,
        ),
        (
            ["((4:1), (4_PE); B@[2_L1B])", "((2_L1B), (3:1), (4_PE))", "((4:4), (2_L1B), (3:1))"],
            true,
        ),
    ] {
        let report = product_on(&Machine::mn_core_2(), texts);
        let found = report.entries[0].product.as_ref().is_some_and(|of| of.is_local);
        assert_eq!(found, is_local, "{report}");
    }
}

#[test]
fn what_does_not_agree_is_named() {
    for (a, bt, c, why) in [
        ("((8_L1B, 2:16), (16:1))", "((4_MAB), (16:1))", "((8:8, 2:4), (4_MAB))", "A lacks"),
        (
            "((8_L1B), (16:1))",
            "((4_MAB), (16:1))",
            "((8_L2B), (4_MAB))",
            "A would have to move: axis 0, 8 at 1: L1B -> L2B",
        ),
        ("((16:16), (16:1))", "((4:16), (16:1))", "((8_L1B, 2:4), (4:1))", ""),
        ("((2:16), (16:1))", "((4:16), (16:1))", "((4:4), (4:1))", "m is 2 in A and 4 in C"),
        ("((7:16), (16:1))", "((5:16), (16:1))", "((2_L1B, 4:8), (3:2, 2:1))", ""),
        ("((2_MAB, 4:16), (16:1))", "((5:16), (16:1))", "((2_L1B, 4:8), (3:2, 2:1))", "A would"),
        ("((7:16), (16:1))", "((4:16), (16:1))", "((4:16, 2:8), (3:2, 2:1))", "n is 4 in BT and 6"),
        ("((7:16), (16:1))", "((4:16), (2:8, 8:1))", "((4:16, 2:8), (2:2, 2:1))", ""),
        ("((4:16), (16:1))", "((4:16), (8:1))", "((4:4), (4:1))", "k is 8 in BT and 16 in A"),
        (
            "((2_Time, 4:16), (16:1))",
            "((4:16), (16:1))",
            "((2:4, 4_Time), (4:1))",
            "A has 2_Time at 4 of m, and C has 4_Time at 1",
        ),
        ("((4:1), (4_L1B, 4:4))", "((4:1), (4_L1B, 4:4))", "((4:4), (4:1))", ""),
    ] {
        let report = product(a, bt, c);
        let found = findings(&report);
        match why {
            "" => assert!(found.is_empty(), "{report}"),
            why => assert!(found.iter().any(|finding| finding.starts_with(why)), "{why}: {report}"),
        }
    }
    let cut = product("((4:1), (4_L1B, 4:4))", "((4:1), (4_L1B, 4:4))", "((4:4), (4:1))");
    assert_eq!(cut.entries[0].product.as_ref().unwrap().sums_over, ["L1B"]);
}

#[test]
fn layouts_that_do_not_fit_their_shape_or_the_machine_are_findings() {
    let entry = |shape: &str, layout: &str| {
        let text = format!(
            r#"[{{"trigger": "FixOutput", "op_type": "Add", "shape": [{shape}], "layout": "{layout}"}}]"#
        );
        findings(&check(&text)).join("; ")
    };
    for (shape, layout, why) in [
        ("1000", "((4_PE, 64:1, 4_W))", ""),
        ("1025", "((4_PE, 64:1, 4_W))", "1025"),
        ("4,4", "((4_PE, 64:1, 4_W))", "2"),
        ("8", "((8_PE))", "it uses 8 of PE, and the machine has 4"),
        ("6", "((2:1, 3_W))", "lanes"),
        ("8", "((4:1, 2:1))", "both stored at"),
        ("8", "((4:1, 2:1", "expected"),
    ] {
        let found = entry(shape, layout);
        assert!(found.contains(why) && found.is_empty() == why.is_empty(), "{layout}: {found}");
    }
}

#[test]
fn files_that_are_no_specs_are_refused_by_entry() {
    for (text, why) in [
        ("[", "it is not JSON"),
        ("{}", "it has to be a list"),
        ("[1]", "entry 1: expected an object"),
        (r#"[{"key": "a", "A": "", "BT": "", "C": "", "D": ""}]"#, "entry 1: unknown field `D`"),
        (
            r#"[{"key": "a", "A": "", "A": "", "BT": "", "C": ""}]"#,
            "an entry has `A` twice at line 1",
        ),
        (
            r#"[{"trigger": "Switch", "op_type": "Add", "shape": [1], "layout": "((1))"}]"#,
            "entry 1: unknown variant `Switch`",
        ),
        (
            r#"[{"trigger": "FixOutput", "op_type": "Add", "shape": [-1], "layout": "((1))"}]"#,
            "entry 1: invalid value",
        ),
    ] {
        let refused = read_spec(text).unwrap_err().to_string();
        assert!(refused.starts_with(why), "{refused}");
    }
}

#[test]
fn a_memory_or_a_type_that_the_file_contradicts_is_a_finding() {
    let found = |layout: &str| {
        let text = format!(
            r#"[{{"trigger": "FixOutput", "op_type": "Relu", "shape": [8], "layout": "{layout}"}}]"#
        );
        let report = check(&text);
        (report.entries[0].tensors[0].element_bits, findings(&report).join("; "))
    };
    assert_eq!(found("((4:1, 2_W:1))@LM1 / Float"), (Some(32), String::new()));
    let (_, why) = found("((8:1))@DRAM");
    assert!(why.contains("in DRAM, and layouts of a specification or pin are in LM0"), "{why}");
    // A long word has two lanes of this type.
    let (_, why) = found("((2:1, 4_W:1))@LM0 / Float");
    assert!(why.contains("2 lanes of 32 bits"), "{why}");
}
