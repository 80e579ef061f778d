//! Memories that several units share: what they hold. Law 3 and law 17 judge generated ones.

use tensor_layout::machine::Memory;
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{Layout, Level, Machine, Placement};

fn in_dram(text: &str, base: u64) -> Placement {
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    placement.memory("DRAM").base(base).build().unwrap()
}

/// Eight units, every two of which share a memory.
fn pairs() -> Machine {
    let memory = Memory { capacity: None, owner: Level::PE, group: 2 };
    Machine::builder("pairs").level(Level::PE, 8).memory("M", memory).build().unwrap()
}

#[test]
fn a_base_moves_what_a_shared_memory_holds() {
    let (low, high) = (in_dram("((8:1))", 0), in_dram("((8:1))", 100));
    assert!(low.copyable(&high).unwrap().is_some());
    let traffic = Relayout::new(&low, &high).unwrap().traffic().unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 0);
    assert_eq!(traffic.count(Distance::Address), 8);
}

#[test]
fn an_absent_owner_is_unit_0_of_a_shared_memory() {
    let (written, absent) = (in_dram("((1_L2B, 8:1))", 0), in_dram("((8:1))", 0));
    assert_eq!(written.copyable(&absent).unwrap(), None);
    let traffic = Relayout::new(&written, &absent).unwrap().traffic().unwrap();
    assert_eq!(traffic.farthest(), Distance::InPlace);
}

#[test]
fn copies_that_come_together_in_a_memory_are_one() {
    let copies = |size: u64, stride: u64, first: u64| {
        let layout = Layout::builder().replica(size, Level::PE, stride).offset(Level::PE, first);
        Placement::of(layout.build().unwrap()).on(&pairs()).memory("M").build().unwrap()
    };
    // Units 0 3 6 are memories 0 1 3, units 0 2 4 are memories 0 1 2.
    assert!(copies(3, 3, 0).copyable(&copies(3, 2, 0)).unwrap().is_some());
    // Units 0 3 are memories 0 1, and so are units 1 2, 0 2 and 0 1 2 3.
    for (size, stride, first) in [(2, 1, 1), (2, 2, 0), (4, 1, 0), (3, 1, 1)] {
        assert_eq!(copies(2, 3, 0).copyable(&copies(size, stride, first)).unwrap(), None);
    }
    assert!(copies(2, 3, 0).copyable(&copies(2, 3, 1)).unwrap().is_some());
}

#[test]
fn a_time_that_is_only_marked_stays_marked() {
    let layout = Layout::builder().replica(2, Level::PE, 1).used(Level::TIME).build().unwrap();
    let timed = Placement::of(layout).on(&pairs()).memory("M").build().unwrap();
    let timeless = Layout::builder().replica(2, Level::PE, 1).build().unwrap();
    let timeless = Placement::of(timeless).on(&pairs()).memory("M").build().unwrap();
    assert!(timed.copyable(&timeless).unwrap().is_some());
    let levels = Relayout::new(&timed, &timeless).unwrap();
    assert_eq!(levels.levels(), [Level::TIME, Level::PE]);
}
