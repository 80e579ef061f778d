//! Allocation counts.
#![allow(clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(missing_docs, reason = "the names of tests are statements")]

use allocation_counter::measure;
use tensor_layout::relayout::{CostModel, PartId, Pricer, UnitPart};
use tensor_layout::{Level, Machine, Placement};

const LAYOUTS: [&str; 4] = [
    "((8_L2B, 8_L1B, 16:1), (16_MAB, 4_PE, 16:16))",
    "((16_MAB, 4_PE, 16:1), (8_L2B, 8_L1B, 16:16))",
    "((1024:1), (8_L2B, 8_L1B, 16:1024))",
    "((16:64, 16_MAB, 4_PE), (64:1, 16:1024))",
];

fn placements() -> Vec<Placement> {
    let machine = Machine::mn_core_2();
    let on = |text: &&str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    LAYOUTS.iter().map(on).collect()
}

#[test]
fn a_price_that_is_known_takes_no_allocation() {
    let machine = Machine::mn_core_2().with_bandwidth([(Level::L2B, 32), (Level::PE, 1)]).unwrap();
    let pricer = Pricer::new(CostModel::new(&machine, 16).unwrap());
    let parts: Vec<PartId> =
        placements().iter().map(|placement| pricer.part(placement).unwrap()).collect();
    let ask = || {
        for (from, to) in parts.iter().flat_map(|from| parts.iter().map(move |to| (*from, *to))) {
            let known = (pricer.cost(from, to), pricer.busiest_cost(from, to));
            assert!(known.0.unwrap() <= known.1.unwrap());
            assert!(!pricer.traffic(from, to).unwrap().is_empty());
        }
    };
    assert!(measure(ask).count_total > 0);
    assert_eq!(measure(ask).count_total, 0);
}

/// A budget, so that a pair that needs more allocations fails the test.
#[test]
fn a_price_that_is_counted_takes_few_allocations() {
    let parts: Vec<UnitPart> =
        placements().iter().map(|placement| UnitPart::of(placement).unwrap()).collect();
    let mut most = 0;
    for (from, to) in parts.iter().flat_map(|from| parts.iter().map(move |to| (from, to))) {
        let counted = measure(|| drop(from.traffic_to(to).unwrap()));
        most = most.max(counted.count_total);
        assert_eq!(counted.count_current, 0);
    }
    assert!(most <= 62, "{most}");
}
