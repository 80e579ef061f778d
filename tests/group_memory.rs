//! Memories shared by groups of units: their contents. Laws 3 and 17 test generated ones.

use std::io::Write;

use tensor_layout::algebra::{Difference, Subaxis};
use tensor_layout::error::ErrorKind;
use tensor_layout::image::ImageForm;
use tensor_layout::machine::Memory;
use tensor_layout::relayout::{CostModel, Distance, Relayout};
use tensor_layout::route::Route;
use tensor_layout::{Found, Layout, LayoutError, Level, Location, Machine, Placement};
use tensor_layout_npy::{NpyHeader, UnitReader, UnitWriter};
use tensor_layout_show::report::{Census, Report};

fn in_dram(text: &str, base: u64) -> Placement {
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    placement.memory("DRAM").base(base).build().unwrap()
}

/// Eight units; every two of them share a memory.
fn pairs() -> Machine {
    let memory = Memory { capacity: None, owner: Level::PE, group: 2 };
    Machine::builder("pairs").level(Level::PE, 8).memory("M", memory).build().unwrap()
}

#[test]
fn a_base_moves_what_the_memory_of_a_group_holds() {
    let (low, high) = (in_dram("((8:1))", 0), in_dram("((8:1))", 100));
    assert!(low.copyable(&high).unwrap().is_some());
    let traffic = Relayout::new(&low, &high).unwrap().traffic().unwrap();
    assert_eq!(traffic.count(Distance::InPlace), 0);
    assert_eq!(traffic.count(Distance::Address), 8);
}

#[test]
fn an_absent_owner_is_the_first_group() {
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
    // Units 0 3 are in memories 0 1, and so are units 1 2, 0 2 and 0 1 2 3.
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
    assert_eq!(levels.levels(), [Level::TIME, Level::PE.in_groups_of(2)]);
}

#[test]
fn the_memory_of_a_group_is_named_by_its_first_unit() {
    // Four memories of two L2Bs each: one row in each, then each row in the previous memory.
    let (here, there) = (in_dram("((4_L2B:2, 8:1))", 0), in_dram("((2_L2B:4, 2_L2B:2, 8:1))", 0));
    assert_eq!(here.copyable(&there).unwrap(), None);
    let turned = in_dram("((2_L2B:2, 2_L2B:4, 8:1))", 0);
    let relayout = Relayout::new(&here, &turned).unwrap();
    let flows = relayout.flows(Level::L2B).unwrap();
    assert_eq!((&flows.from[..], &flows.to[..]), (&[0, 2, 4, 6][..], &[0, 2, 4, 6][..]));
    assert_eq!(flows.counts[1], [0, 0, 8, 0]);
    let moved: Vec<String> = relayout
        .transfers()
        .unwrap()
        .map(|run| format!("{} -> {}", run.source, run.destinations[0]))
        .collect();
    assert_eq!(moved, ["L2B=2 -> L2B=4", "L2B=4 -> L2B=2"]);
    let account = relayout.account().unwrap();
    let moves: Vec<String> = account.moves.iter().map(ToString::to_string).collect();
    assert_eq!(
        moves[..2],
        ["axis 0, 2 at 16: L2B x 4 -> L2B x 2", "axis 0, 2 at 8: L2B x 2 -> L2B x 4"]
    );
    assert_eq!(relayout.busiest(Level::L2B).unwrap().unit, "L2B=2".parse().unwrap());
    let Some(Difference::Element { index, first, second }) = here.copyable(&turned).unwrap() else {
        panic!("the rows differ")
    };
    assert_eq!(index, [8]);
    assert_eq!((first[0].get(Level::L2B), second[0].get(Level::L2B)), (Some(2), Some(4)));
}

#[test]
fn the_moves_between_two_memories_name_units_of_the_machine() {
    let text = "((4_L2B:2, 8:1))";
    let local = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2()).memory("LM0");
    let relayout = Relayout::new(&in_dram(text, 0), &local.build().unwrap()).unwrap();
    let account = relayout.account().unwrap();
    assert_eq!(account.moves[0].to_string(), "axis 0, 4 at 8: L2B x 2 stays");
    let levels = relayout.levels();
    assert!(account.copies.iter().all(|moved| levels.contains(&moved.copies.level)));
    // Levels below DRAM are not levels of it, so no copies are kept there.
    assert!(account.copies.iter().all(|moved| !moved.in_source && moved.in_destination));
}

#[test]
fn loading_enters_every_level_below_the_group_and_storing_leaves_it() {
    let text = "((4_L2B:2, 32:1, 2_W:1))";
    let machine = Machine::mn_core_2();
    let on = |memory: &str| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine).memory(memory);
        placement.element_bits(32).build().unwrap()
    };
    let (dram, local) = (on("DRAM"), on("LM0"));
    let load = Relayout::new(&dram, &local).unwrap();
    let traffic = load.traffic().unwrap();
    let into: Vec<(String, u64, Option<u64>)> =
        traffic.levels.iter().map(|l| (l.level.to_string(), l.into, l.out_of)).collect();
    let wanted =
        [("PE", 256 * 512), ("MAB", 256 * 128), ("L1B", 256 * 8), ("L2B", 256), ("L2B/2", 0)];
    assert_eq!(into, wanted.map(|(level, into)| (level.to_owned(), into, Some(0))));
    assert_eq!(
        load.sentence(&traffic),
        "elements move from DRAM to LM0, inside each group of 2 L2Bs only"
    );
    assert_eq!(load.flows(Level::L2B).unwrap().from, [0, 2, 4, 6]);
    let store = Relayout::new(&local, &dram).unwrap().traffic().unwrap();
    assert!(store.levels.iter().all(|level| level.into == 0));
    assert_eq!(store.level(Level::PE).unwrap().out_of, Some(256));
    let rated = machine.clone().with_bandwidth([(Level::L2B, 8), (Level::PE, 1)]).unwrap();
    let model = CostModel::new(&rated, 32).unwrap();
    // Half of the PEs receive 64 elements each; 64 leave each of four L2Bs.
    assert_eq!(model.at_least(&traffic.levels).unwrap().steps, 32);
    assert_eq!(model.at_least(&store.levels).unwrap().steps, 4);
    // Inside a PE, nothing crosses a border.
    let other = on("LM1");
    let inside = Relayout::new(&local, &other).unwrap().traffic().unwrap();
    assert_eq!(inside.farthest(), Distance::Memory);
    assert!(inside.levels.iter().all(|level| (level.into, level.out_of.unwrap_or(0)) == (0, 0)));
}

#[test]
fn every_answer_means_the_same_by_the_units_of_a_group() {
    let placement = in_dram("((1_L2B, 8:1))", 0);
    for l2b in [0, 1] {
        let place: Location = [(Level::L2B, l2b), (Level::ADDR, 3)].into_iter().collect();
        assert_eq!(placement.element(&place), Ok(Found::Element(vec![3])));
        let unit: Location = [(Level::L2B, l2b)].into_iter().collect();
        let mut cells = [0_u8; 8];
        placement.program().unwrap().fill_inverse_at(&unit, &mut cells).unwrap();
        assert_eq!(cells[3], 3);
        assert_eq!(Census::of(&placement, &unit).unwrap().elements, 8);
    }
    // One image per group.
    let program = placement.program().unwrap();
    assert_eq!(program.columns().collect::<Vec<_>>(), [(Level::L2B, 4), (Level::ADDR, 8)]);
    let units: Vec<String> = program.units().map(|unit| unit.to_string()).collect();
    assert_eq!(units, ["L2B=0", "L2B=2", "L2B=4", "L2B=6"]);
    let report = Report::of(&placement).unwrap();
    assert_eq!((report.levels[0].used, report.levels[0].holes), (Some(1), Some(3)));
    // The files of an image are named like the units.
    let dir = tempfile::tempdir().unwrap();
    let header = NpyHeader::of_unit(&program, ImageForm::Cells, "|u1");
    let mut image = UnitWriter::new(dir.path(), &program, header).unwrap();
    image.write_all(&[7; 32]).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(dir.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    assert_eq!(files, ["L2B=0.npy", "L2B=2.npy", "L2B=4.npy", "L2B=6.npy"]);
    assert!(UnitReader::open(dir.path(), &program).is_ok());
}

#[test]
fn digits_that_are_not_in_whole_groups_are_refused() {
    let on = |text: &str| {
        Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2()).memory("DRAM").build()
    };
    // L2B 0 and 3 are in groups 0 and 1.
    let two = on("((2_L2B:3, 4:1))").unwrap();
    assert_eq!(two.locate(&[4]).unwrap().to_string(), "L2B=2,Addr=0");
    let refused = on("((3_L2B:3, 4:1); B@[2_L2B:1])").unwrap_err();
    assert_eq!(refused.help().unwrap(), "choose strides in `L2B` that are multiples of 2");
}

#[test]
fn what_memories_at_other_nodes_hold_is_not_the_same() {
    let local = Placement::of("((8:1))".parse().unwrap()).on(&Machine::mn_core_2());
    let local = local.memory("LM0").build().unwrap();
    let dram = in_dram("((8:1))", 0);
    for answer in [local.copyable(&dram), dram.same_map(&local), dram.serves(&local)] {
        assert!(
            matches!(&answer, Err(error) if error.kind() == ErrorKind::NotComparable),
            "{answer:?}"
        );
    }
    let refusal = dram.copyable(&local).unwrap_err().to_string();
    assert!(refusal.contains("one for every 2 units of L2B and one for every unit"), "{refusal}");
}

/// All units share one memory, in which three copies coincide.
#[test]
fn a_memory_of_very_many_units_is_not_walked_unit_by_unit() {
    let units = 1 << 30;
    let memory = Memory { capacity: None, owner: Level::PE, group: units };
    let machine = Machine::builder("one memory").level(Level::PE, units).memory("M", memory);
    let machine = machine.build().unwrap();
    let on = |layout: Layout| Placement::of(layout).on(&machine).memory("M").build().unwrap();
    let at = |place: &str| place.parse().unwrap();
    let spread = on("((1_PE:1, 4:2), (2:1); B@[3_PE:400000000])".parse().unwrap());
    assert_eq!(spread.element(&at("PE=5,Addr=3")), Ok(Found::Element(vec![1, 1])));
    assert_eq!(spread.element(&at("PE=1073741823,Addr=3")), Ok(Found::Element(vec![1, 1])));
    assert_eq!(spread.element(&at("PE=5,Addr=8")), Ok(Found::Outside));
    assert_eq!(spread.element(&at("PE=7,Addr=7")), Ok(Found::Element(vec![3, 1])));
}

#[test]
fn levels_that_only_copies_lie_apart_in_may_be_left_out() {
    let machine: Machine = "PE=8".parse().unwrap();
    let element = |layout: Layout, place: &str| {
        let placement = Placement::of(layout).on(&machine).build().unwrap();
        placement.element(&place.parse().unwrap())
    };
    // The first copy is on PE 3.
    let copies = Layout::builder().axis(2, [Subaxis::land(2, Level::ADDR, 1)]);
    let copies = copies.replica(2, Level::PE, 2).offset(Level::PE, 3).build().unwrap();
    assert_eq!(element(copies, "Addr=1"), Ok(Found::Element(vec![1])));
    // The other PE has a different element.
    let missing = element("((2_PE:2, 3:1); B@[2_PE:1])".parse().unwrap(), "Addr=1").unwrap_err();
    assert_eq!((missing.kind(), missing.level("level")), (ErrorKind::Missing, Some(Level::PE)));
}

/// A layout without a level for lanes has its element in every lane: of a Double 1, of a Half 4.
#[test]
fn elements_of_different_widths_are_compared_in_no_memory() {
    let machine = Machine::mn_core_2();
    let of_bits = |bits: u64| {
        let placement = Placement::of("((64:1))".parse().unwrap()).on(&machine);
        placement.memory("L1BM").element_bits(bits).build().unwrap()
    };
    let (double, half) = (of_bits(64), of_bits(16));
    let lanes = LayoutError::differ("numbers of lanes", 1_u64, 4_u64);
    for answer in [double.copyable(&half), double.same_map(&half), double.serves(&half)] {
        assert_eq!(answer, Err(lanes.clone()));
    }
    let route = Route::new(&double, &half).unwrap_err();
    assert_eq!(route.to_string(), lanes.to_string());
    assert_eq!(double.serves(&of_bits(64)), Ok(None));
}
