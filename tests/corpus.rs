//! Layouts seen in the field: all parse, print and evaluate as their notes say.

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use tensor_layout::error::ErrorKind;
use tensor_layout::notation::PadLayout;
use tensor_layout::{Layout, Level, Location, Machine, Placement};
use tensor_layout_show::report::Report;

const CORPUS: &str = include_str!("data/pad_layouts.txt");

fn entries() -> impl Iterator<Item = (&'static str, &'static str)> {
    CORPUS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'))
}

#[test]
fn every_layout_parses_and_prints() {
    for (text, note) in entries() {
        let tree: PadLayout = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let printed = tree.to_string();
        assert_eq!(printed.parse::<PadLayout>().unwrap(), tree);
        if note.starts_with("seed 001") {
            assert_eq!(printed, text);
        } else {
            let dense = |s: &str| s.replace(' ', "");
            assert_eq!(dense(&printed), dense(text));
        }
    }
    assert_eq!(entries().count(), 33);
}

#[test]
fn every_layout_evaluates_save_the_ambiguous_and_the_incomplete_one() {
    for (text, note) in entries() {
        let lowered = text.parse::<PadLayout>().unwrap().lower();
        let is_bad = note.contains("ambiguous") || note.contains("incomplete");
        assert_eq!(lowered.is_err(), is_bad, "{text}");
        if let Ok(layout) = lowered {
            let canonical = PadLayout::of(&layout).unwrap().to_string();
            assert_eq!(layout.to_string(), canonical);
            assert_eq!(canonical.parse::<Layout>().unwrap(), layout);
            let last: Vec<u64> = layout.shape().iter().map(|extent| extent - 1).collect();
            let place = layout.locate(&last).unwrap();
            assert_eq!(layout.element(&place).unwrap(), tensor_layout::Found::Element(last));
        }
    }
}

/// The number of distinct entries per axis among the elements of a subtree.
fn block(text: &str, machine: &Machine, at: &str) -> Vec<usize> {
    let layout: Layout = text.parse().unwrap();
    let rank = layout.rank();
    let placement = Placement::of(layout).on(machine).build().unwrap();
    let mut entries = vec![BTreeSet::new(); rank];
    let table = placement.table().at(&at.parse::<Location>().unwrap()).unwrap();
    let _ = table
        .for_each(|row| {
            for (entries, entry) in entries.iter_mut().zip(row.index.unwrap()) {
                entries.insert(*entry);
            }
            ControlFlow::<()>::Continue(())
        })
        .unwrap();
    entries.iter().map(BTreeSet::len).collect()
}

#[test]
fn the_slide_gives_each_unit_the_block_that_it_says() {
    let slide = "((2_L2B:1, 16_MAB, 4:64), (2_L1B:4, 4_PE, 2_W, 8:1), (4_L2B:2, 4_L1B:1, 8:8))";
    let machine = Machine::mn_core_2();
    assert_eq!(slide.parse::<Layout>().unwrap().shape(), [128, 128, 128]);
    assert_eq!(block(slide, &machine, "L2B=5"), [64, 128, 32]);
    assert_eq!(block(slide, &machine, "L2B=2,L1B=6"), [64, 64, 8]);
    assert_eq!(block(slide, &machine, "L2B=0,L1B=1,MAB=9,PE=3"), [4, 16, 8]);
}

#[test]
fn half_of_the_l2bs_are_holes() {
    let layout: Layout =
        "(256,16)/((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1); B@[MAB,L1B])".parse().unwrap();
    let placement = Placement::of(layout).on(&Machine::mn_core_2()).build().unwrap();
    let report = Report::of(&placement).unwrap();
    let l2b = report.levels.iter().find(|level| level.level == Level::L2B).unwrap();
    assert_eq!((l2b.used, l2b.holes, l2b.replicated), (Some(4), Some(4), false));
    assert_eq!(placement.replicated(), [Level::L1B, Level::MAB]);
    let odd = "L2B=3,L1B=0,MAB=0,PE=0,Addr=0,W=0".parse().unwrap();
    assert_eq!(placement.element(&odd).unwrap(), tensor_layout::Found::Hole);
}

#[test]
fn a_level_twice_in_one_axis_adds_up() {
    let layout: Layout =
        "(256,1024)/((8_L2B:1, 32:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1))".parse().unwrap();
    // Column 1023 has the greatest value in every digit: MAB 7 x 2 + 1.
    let place = layout.locate(&[255, 1023]).unwrap();
    assert_eq!(place.to_string(), "L2B=7,L1B=7,MAB=15,PE=3,Addr=31,W=1");
    assert_eq!(layout.pads().unwrap(), 0);
}

#[test]
fn a_replica_with_size_and_stride_copies_to_every_l2b() {
    let text = "((16:1), (8_MAB:2, 8_L1B:1, 2_MAB:1, 4_PE:1, 2_W:1); B@[8_L2B:1])";
    let layout: Layout = text.parse().unwrap();
    assert_eq!(layout.copies(), 8);
    let l2bs: Vec<_> = layout.locate_all(&[3, 5]).unwrap().map(|p| p.get(Level::L2B)).collect();
    assert_eq!(l2bs, (0..8).map(Some).collect::<Vec<_>>());
    let placement = Placement::of(layout).on(&Machine::mn_core_2()).build().unwrap();
    assert_eq!((placement.copies(), placement.replicated()), (8, vec![Level::L2B]));
}

#[test]
fn the_embedding_weight_has_its_shape_given_separately() {
    for text in [
        "((25_Time:1, 3:1536, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (96:16, 4_W:1, 4_PE:1); B@[L1B])",
        "((75_Time:4, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (4_Time:1, 24:16, 4_W:1, 4_PE:1); B@[L1B])",
    ] {
        let tree = text.parse::<PadLayout>().unwrap().with_shape(vec![151_936, 1536]).unwrap();
        let layout = tree.lower().unwrap();
        assert_eq!(layout.elements(), 151_936 * 1536);
        assert_eq!(layout.pads().unwrap(), (153_600 - 151_936) * 1536);
        let placement = Placement::of(layout).on(&Machine::mn_core_2()).build().unwrap();
        assert_eq!(placement.replicated(), [Level::L1B]);
    }
}

#[test]
fn a_transposed_weight_has_the_places_of_the_weight() {
    let weight: Layout =
        "((16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4), (96:112, 4_W:1, 4_PE:1); B@[L1B,L2B])"
            .parse()
            .unwrap();
    let transposed: Layout =
        "((96:112, 4_W:1, 4_PE:1), (16_MAB:1, 5_Time:1, 7:16, 4:1, 4:4); B@[L1B,L2B])"
            .parse()
            .unwrap();
    assert_eq!(weight.shape(), [8960, 1536]);
    for (i, j) in (0..8960).step_by(37).zip((0..1536).step_by(5).cycle()) {
        assert_eq!(weight.locate(&[i, j]), transposed.locate(&[j, i]));
    }
}

#[test]
fn dropping_the_unit_axis_changes_no_place() {
    let with: Layout =
        "((), (8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))".parse().unwrap();
    let without: Layout =
        "((8_L2B:1, 8_L1B:1, 64:1), (4_Time:1, 24:64, 4_W:1, 4_PE:1))".parse().unwrap();
    assert_eq!((with.shape(), without.shape()), (vec![1, 4096, 1536], vec![4096, 1536]));
    for (i, j) in (0..4096).step_by(61).zip((0..1536).step_by(7).cycle()) {
        assert_eq!(with.locate(&[0, i, j]), without.locate(&[i, j]));
    }
}

#[test]
fn memory_and_dtype_in_the_text_are_read() {
    let tree: PadLayout =
        "((8_L2B:1, 16:2, 8_L1B:1), (2:1,4_PE:1, 2_W:1))@LM0 / Float".parse().unwrap();
    assert_eq!(tree.to_string(), "((8_L2B:1, 16:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))@LM0 / Float");
    assert_eq!(tree.memory.unwrap().name(), "LM0");
    assert_eq!(tree.dtype.unwrap().bits(), 32);
}

#[test]
fn dram_belongs_to_groups_of_two_l2bs() {
    let machine = Machine::mn_core_2();
    let place = |text: &str| {
        let layout = text.parse::<PadLayout>().unwrap().lower().unwrap();
        Placement::of(layout).on(&machine).memory("DRAM").element_bits(32).build()
    };
    let placement = place("((4_L2B:2, 64:8), (8:1, 2_W:1))@DRAM / Float").unwrap();
    assert_eq!(placement.columns(), [Level::L2B, Level::ADDR, Level::W]);
    // Both L2Bs of a group refer to its memory.
    for l2b in [6, 7] {
        let at = Location::from_iter([(Level::L2B, l2b), (Level::ADDR, 9), (Level::W, 1)]);
        assert_eq!(placement.element(&at).unwrap(), tensor_layout::Found::Element(vec![193, 3]));
    }
    // Without L2B, only group 0 holds the tensor.
    let group_0 = place("((64:8), (8:1, 2_W:1))").unwrap();
    assert_eq!((group_0.copies(), group_0.replicated()), (1, vec![]));
    let elsewhere = Location::from_iter([(Level::L2B, 2), (Level::ADDR, 0), (Level::W, 0)]);
    assert_eq!(group_0.element(&elsewhere).unwrap(), tensor_layout::Found::Hole);
    // Two L2Bs of one group collide in it, at overlapping addresses only.
    let collision = place("((8_L2B:1, 64:8), (8:1, 2_W:1))").unwrap_err();
    assert!(collision.kind() == ErrorKind::Collision, "{collision}");
    assert!(place("((2_L2B:3, 64:8), (8:1, 2_W:1))").is_ok());
    let uneven = place("((3_L2B:3, 64:8), (8:1, 2_W:1))").unwrap_err().to_string();
    assert!(uneven.starts_with("there is one memory for every 2 units of `L2B`"), "{uneven}");
    let below = place("((8_L1B:1, 64:8), (8:1, 2_W:1))").unwrap_err();
    assert!(below.kind() == ErrorKind::Argument, "{below}");
}
