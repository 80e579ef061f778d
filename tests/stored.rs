//! Values that are stored and read again.

use proptest::prelude::*;
use tensor_layout::einsum::Einsum;
use tensor_layout::relayout::{Cost, Relayout, Traffic, Transfer};
use tensor_layout::{Layout, Level, Machine, Placement};

use crate::generate::any_layout;

proptest! {
    #[test]
    fn every_layout_can_be_stored(slow in any_layout()) {
        let layout = slow.layout();
        let json = serde_json::to_string(&layout).unwrap();
        let read: Layout = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&serde_json::to_string(&read).unwrap(), &json);
        prop_assert_eq!(read.used_levels(), layout.used_levels());
        for index in layout.indexes() {
            prop_assert!(read.locate_all(&index).unwrap().eq(layout.locate_all(&index).unwrap()));
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
    let cost = Cost { steps: 3, level: Some(Level::PE) };
    let sum = Einsum::parse("ij,jk->ik").unwrap();
    let json = serde_json::to_string(&(&traffic, &transfers, cost, &sum)).unwrap();
    let read: (Traffic, Vec<Transfer>, Cost, Einsum) = serde_json::from_str(&json).unwrap();
    assert_eq!(read, (traffic, transfers, cost, sum));
    assert!(json.ends_with(r#"{"steps":3,"level":"PE"},"ij,jk->ik"]"#), "{json}");
    assert!(serde_json::from_str::<Einsum>("\"ij\"").is_err());
    assert!(serde_json::from_str::<Level>("\"P E\"").is_err());
}
