//! Changes inside units: lanes, addresses, and casts, which regroup lanes.

use itertools::Itertools;
use tensor_layout::relayout::{CostModel, Distance, Pricer, Relayout, UnitPart};
use tensor_layout::{Layout, Level, Machine, Placement};

/// 64 elements of 16 bits in units, lanes and addresses in various orders.
const LAYOUTS: [&str; 10] = [
    "((4_PE, 4:1), (4_W))",
    "((4:1, 4_PE), (4_W))",
    "((4_PE, 4_W), (4:1))",
    "((4_W, 4_PE), (4:1))",
    "((4_PE, 2:2, 2:1), (4_W))",
    "((4_PE, 2:1, 2:2), (4_W))",
    "((16:1), (4_W))",
    "((16:1), (4_W); B@[4_PE])",
    "((4_MAB, 4:1), (4_W))",
    "((4_PE, 4:4), (4:1); B@[4_W])",
];

fn placed(text: &str, bits: u64) -> Placement {
    let layout: Layout = text.parse().unwrap();
    Placement::of(layout).on(&Machine::mn_core_2()).element_bits(bits).build().unwrap()
}

/// The values of a level that hold an element, by enumeration.
fn places(placement: &Placement, level: Level, index: &[u64]) -> Vec<u64> {
    let all = placement.locate_all(index).unwrap();
    all.map(|place| place.get(level).unwrap_or(0)).sorted_unstable().dedup().collect()
}

#[test]
fn lanes_and_addresses_change_where_an_element_lacks_one_of_its_new_ones() {
    let (mut lanes, mut addresses) = (0, 0);
    let layouts = LAYOUTS.map(|text| {
        let placement = placed(text, 16);
        let inside = [Level::W, Level::ADDR].map(|level| {
            let indexes = placement.layout().indexes();
            indexes.map(|index| places(&placement, level, &index)).collect_vec()
        });
        (text, UnitPart::with_inside(&placement, true, true).unwrap(), inside)
    });
    for ((from, a, source), (to, b, target)) in layouts.iter().cartesian_product(&layouts) {
        let lacks = |inside: usize| {
            let mut elements = source[inside].iter().zip_eq(&target[inside]);
            elements.any(|(has, wants)| wants.iter().any(|at| !has.contains(at)))
        };
        let stays = a.traffic_to(b).unwrap().iter().all(|level| level.into == 0);
        let found = a.changes_inside(b).unwrap();
        assert_eq!(found, (lacks(0), stays && lacks(1)), "{from} -> {to}");
        (lanes, addresses) = (lanes + i32::from(found.0), addresses + i32::from(found.1));
    }
    assert!(lanes > 10 && addresses > 2, "{lanes} {addresses}");
}

#[test]
fn prices_of_lanes_and_addresses_are_added_and_those_of_lanes_keep_the_triangle() {
    let machine = Machine::mn_core_2();
    let pricer = Pricer::new(CostModel::new(&machine, 16).unwrap());
    let plain = Pricer::new(CostModel::new(&machine, 16).unwrap());
    let pricer = pricer.with_price_of_lanes(50).with_price_of_addresses(7);
    let parts = LAYOUTS.map(|text| pricer.part(&placed(text, 16)).unwrap());
    let others = LAYOUTS.map(|text| plain.part(&placed(text, 16)).unwrap());
    let cost = |from: usize, to: usize| pricer.cost(parts[from], parts[to]).unwrap().steps;
    let all = 0..LAYOUTS.len();
    for (from, to) in all.clone().cartesian_product(all.clone()) {
        let [a, b] = [from, to]
            .map(|at| UnitPart::with_inside(&placed(LAYOUTS[at], 16), true, true).unwrap());
        let (lanes, addresses) = a.changes_inside(&b).unwrap();
        let added = 50 * u64::from(lanes) + 7 * u64::from(addresses);
        let without = plain.cost(others[from], others[to]).unwrap().steps;
        assert_eq!(cost(from, to), without + added);
        assert!(pricer.busiest_cost(parts[from], parts[to]).unwrap().steps >= cost(from, to));
    }
    // Of lanes alone.
    let machine = Machine::mn_core_2();
    let lanes = Pricer::new(CostModel::new(&machine, 16).unwrap()).with_price_of_lanes(50);
    let parts = LAYOUTS.map(|text| lanes.part(&placed(text, 16)).unwrap());
    let cost = |from: usize, to: usize| lanes.cost(parts[from], parts[to]).unwrap().steps;
    let plain = |from: usize, to: usize| plain.cost(others[from], others[to]).unwrap().steps;
    for (from, (via, to)) in all.clone().cartesian_product(all.clone().cartesian_product(all)) {
        let holds = plain(from, via) + plain(via, to) >= plain(from, to);
        let holds_too = cost(from, via) + cost(via, to) >= cost(from, to);
        assert!(holds_too || !holds, "{} -> {} -> {}", LAYOUTS[from], LAYOUTS[via], LAYOUTS[to]);
    }
}

#[test]
fn a_cast_moves_what_its_units_lack_and_nothing_stays_at_its_address() {
    let halves = ["((4_PE, 4:1), (4_W))", "((16:1), (4_W))", "((4_MAB, 4:1), (4_W))"];
    let words =
        ["((4_PE, 4:2), (2:1, 2_W))", "((2:1, 4_PE, 2:4), (2:2, 2_W))", "((16:2), (2:1, 2_W))"];
    for (half, word) in halves.iter().cartesian_product(words) {
        for (from, to) in [((half, 16), (&word, 32)), ((&word, 32), (half, 16))] {
            let (source, target) = (placed(from.0, from.1), placed(to.0, to.1));
            let pair = Relayout::new(&source, &target).unwrap();
            assert!(pair.is_cast() && pair.transfers().is_err() && pair.account().is_ok());
            let traffic = pair.traffic().unwrap();
            assert_eq!(traffic.count(Distance::InPlace), 0);
            let total: u64 = traffic.by_distance.iter().map(|(_, count)| count).sum();
            assert_eq!(total, traffic.elements * traffic.copies);
            // Counted as if both had elements of one width, without lanes.
            let alike = |of: &str| {
                let addresses = of.replace("4_W", "4:512").replace("2_W", "2:512");
                placed(&addresses, 64)
            };
            let same = Relayout::new(&alike(from.0), &alike(to.0)).unwrap().traffic().unwrap();
            assert_eq!(traffic.levels, same.levels, "{from:?} {to:?}");
        }
    }
    let unknown = Placement::of("((16:1), (4:16))".parse().unwrap()).on(&Machine::mn_core_2());
    assert!(Relayout::new(&placed(LAYOUTS[0], 16), &unknown.build().unwrap()).is_err());
}
