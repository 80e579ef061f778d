//! Values that are stored and read again.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tensor_layout::algebra::Subaxis;
use tensor_layout::einsum::Einsum;
use tensor_layout::machine::Memory;
use tensor_layout::notation::PadLayout;
use tensor_layout::relayout::{Cost, CostModel, CostUnit, Rate, Relayout, Traffic, Transfer};
use tensor_layout::{Layout, LayoutText, Level, Machine, Placement};

use crate::generate::any_layout;
use crate::run::properties;

properties! {
    #[test]
    fn every_layout_can_be_stored(slow in any_layout()) {
        let layout = slow.layout();
        let json = serde_json::to_string(&layout).unwrap();
        let read: Layout = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&serde_json::to_string(&read).unwrap(), &json);
        prop_assert_eq!(read.used_levels(), layout.used_levels());
        for index in layout.indexes() {
            // A text may name the copies in another order.
            let places = |layout: &Layout| layout.locate_all(&index).unwrap().collect::<BTreeSet<_>>();
            prop_assert_eq!(places(&read), places(&layout));
        }
        if json.starts_with('{') {
            prop_assert_eq!(read, layout);
        }
    }
}

#[test]
fn a_plan_can_be_stored() {
    let machine: Machine = "PE=4".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let relayout =
        Relayout::new(&on("((4_PE, 3:8), (8:1))"), &on("((12:2), (4_PE, 2:1))")).unwrap();
    let traffic = relayout.traffic().unwrap();
    let transfers: Vec<Transfer> = relayout.transfers().unwrap().collect();
    let cost = Cost { steps: 3, level: Some(Level::PE), unit: CostUnit::Cycles };
    let sum = "ij,jk->ik".parse::<Einsum>().unwrap();
    let json = serde_json::to_string(&(&traffic, &transfers, cost, &sum)).unwrap();
    let read: (Traffic, Vec<Transfer>, Cost, Einsum) = serde_json::from_str(&json).unwrap();
    assert_eq!(read, (traffic, transfers, cost, sum));
    assert!(json.ends_with(r#"{"steps":3,"level":"PE","unit":"cycles"},"ij,jk->ik"]"#), "{json}");
    assert!(serde_json::from_str::<Einsum>("\"ij\"").is_err());
    assert!(serde_json::from_str::<Level>("\"P E\"").is_err());
}

/// A value as JSON, once it was read again and is the same.
fn stored<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) -> String {
    let json = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
    json
}

fn refused<T: DeserializeOwned + std::fmt::Debug>(json: &str, from: &str, to: &str) -> String {
    assert!(json.contains(from), "{json}");
    serde_json::from_str::<T>(&json.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn a_machine_is_its_name_where_that_reads_back() {
    assert_eq!(stored(&Machine::mn_core_2()), "\"mn-core-2\"");
    assert_eq!(stored(&"L2B=2, PE=4".parse::<Machine>().unwrap()), "\"L2B=2, PE=4\"");
    // A preset with rates is another machine, those of a group of units included.
    for level in [Level::PE, Machine::mn_core_2().memory("DRAM").unwrap().node()] {
        let machine = Machine::mn_core_2().with_bandwidth([(level, 3)]).unwrap();
        assert_ne!(machine, Machine::mn_core_2());
        let json = stored(&machine);
        assert!(json.starts_with(r#"{"version":1,"name":"mn-core-2","#), "{json}");
        assert_eq!(serde_json::from_str::<Machine>(&json).unwrap().bandwidth(level), Some(3));
    }
    let memory = Memory { capacity: Some(7), owner: Level::PE, group: 2 };
    let own = Machine::builder("own").level(Level::PE, 4).memory("M", memory).build().unwrap();
    let json = stored(&own);
    assert!(refused::<Machine>(&json, "[\"PE\",4]", "[\"PE\",0]").contains("size 0"));
    assert!(serde_json::from_str::<Machine>("\"mncore2\"").is_err());
}

#[test]
fn a_placement_is_stored_with_all_that_it_is_placed_on() {
    let dram = |text: &str| Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    let all = [
        dram("((4_L2B:2, 8:1), (8:8))").memory("DRAM").base(64).element_bits(16).build(),
        dram("((9_L2B, 8:1))").oversized().build(),
        Placement::of("((4_PE, 3:1))".parse().unwrap()).build(),
    ];
    for placement in all {
        let placement = placement.unwrap();
        let json = stored(&placement);
        let read: Placement = serde_json::from_str(&json).unwrap();
        assert_eq!(read.element_bits(), placement.element_bits());
        assert_eq!(read.with_copies(), placement.with_copies());
        assert!(
            refused::<Placement>(&json, "\"version\":1", "\"version\":2").contains("version 2")
        );
    }
    // Elements that share places do so in the text too, and only where it says that they may.
    let layout = LayoutText::parse("(4,3):(1,1)").unwrap().lower().unwrap();
    let json = stored(&Placement::of(layout).shared_places().build().unwrap());
    let read: Placement = serde_json::from_str(&json).unwrap();
    assert_eq!(read.locate(&[3, 2]).unwrap().to_string(), "Addr=5");
    let why = refused::<Placement>(&json, "\"shared_places\":true", "\"shared_places\":false");
    assert!(why.contains("Addr=1"), "{why}");
    // A placement that is read is checked like any placement that is built.
    let json = stored(&dram("((8_L2B, 8:1))").build().unwrap());
    assert!(refused::<Placement>(&json, "8_L2B", "9_L2B").contains("L2B"), "{json}");
}

#[test]
fn a_cost_model_is_stored_with_its_rates() {
    let machine = Machine::mn_core_2().with_bandwidth([(Level::L2B, 32), (Level::PE, 1)]).unwrap();
    let (into, out_of) = (Rate::new(4, 1).unwrap(), Rate::new(3, 2).unwrap());
    let model = CostModel::new(&machine, 16).unwrap();
    stored(&model);
    let model = model.with_rates(Level::L2B, into, out_of).unwrap().with_moves_inside(into);
    let json = stored(&model.with_latency(Level::PE, 10).unwrap().in_sequence());
    assert!(refused::<CostModel>(&json, "[3,2]", "[3,0]").contains("0 steps"), "{json}");
    assert!(refused::<CostModel>(&json, "\"level\":\"PE\"", "\"level\":\"MAB\"").contains("twice"));
    assert!(refused::<CostModel>(&json, "\"version\":3", "\"version\":9").contains("version 9"));
    let movements = stored(&CostModel::new(&Machine::mn_core_2(), 16).unwrap());
    let divided_by_0 = r#""moves":[{"least":0,"corners":[{"u":1,"v":0,"of":0}]},"#;
    assert!(refused::<CostModel>(&movements, r#""moves":["#, divided_by_0).contains("are 0"));
    // A movement leads between nodes that the model has.
    assert!(refused::<CostModel>(&movements, r#""from":0"#, r#""from":99"#).contains("lacks"));
    let model: CostModel = serde_json::from_str(&movements).unwrap();
    assert!(model.with_latency(Level::PE, 1).unwrap_err().to_string().contains("movements"));
}

#[test]
fn the_serde_form_is_the_text() {
    let json = r#""((4_PE:1, 3:8), (8:1))""#;
    let tree: PadLayout = serde_json::from_str(json).unwrap();
    let layout: Layout = serde_json::from_str(json).unwrap();
    assert_eq!([stored(&tree), stored(&layout)], [json, json]);
    assert!(serde_json::from_str::<Layout>(r#""(2:2, 3:1)""#).is_err());
}

#[test]
fn a_layout_without_a_text_is_its_axes() {
    let rows = Layout::builder()
        .axis(4, [Subaxis::feed(2, 0, 2), Subaxis::land(2, Level::PE, 1)])
        .axis(2, [Subaxis::feed(2, 0, 1)])
        .derived(1, 5, [Subaxis::land(5, Level::ADDR, 1)])
        .build()
        .unwrap();
    let json = stored(&rows);
    assert_eq!(
        json,
        r#"{"version":1,"axes":[{"extent":4,"digits":[{"feed":[2,0,2]},{"land":[2,"PE",1]}]},"#
            .to_owned()
            + r#"{"extent":2,"digits":[{"feed":[2,0,1]}]}],"derived":[{"xor":false,"start":1,"#
            + r#""axis":{"extent":5,"digits":[{"land":[5,"Addr",1]}]}}],"replicas":[],"#
            + r#""offsets":[],"used":["PE","Addr"],"spans":[]}"#
    );
    let why = refused::<Layout>(&json, "\"version\":1", "\"version\":2");
    assert!(
        why.starts_with("a layout in version 2 of its form; this library reads version 1"),
        "{why}"
    );
    // A layout that is read is checked as any that is built.
    assert!(refused::<Layout>(&json, "\"extent\":4", "\"extent\":5").contains("extent"));
    assert!(refused::<Layout>(&json, "\"spans\":[]", "\"span\":[]").contains("span"));
}
