//! Two layouts side by side: common cells, colours by source.

use std::collections::BTreeSet;

use tensor_layout::relayout::Relayout;
use tensor_layout::{LayoutText, Level, Machine, Placement};
use tensor_layout_show::{CellKind, Drawing, Panel, Picture};

use crate::figures::drawing;

fn on(text: &str) -> Placement {
    placed(text, "L2B=4,PE=4")
}

fn placed(text: &str, machine: &str) -> Placement {
    let machine: Machine = machine.parse().unwrap();
    Placement::of(text.parse().unwrap()).on(&machine).build().unwrap()
}

fn pair(a: &str, b: &str) -> Picture {
    pair_on("L2B=4,PE=4", a, b)
}

fn pair_on(machine: &str, a: &str, b: &str) -> Picture {
    let (a, b) = (placed(a, machine), placed(b, machine));
    Drawing::new(&a).before_and_after(&Drawing::new(&b)).unwrap()
}

const PAIRS: [(&str, &str); 6] = [
    ("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"),
    // 10 rows, in 12 slots before and in 10 after.
    ("(10,7)/((3:7, 4_PE), (7:1))", "(10,7)/((10:2), (4_PE, 2:1))"),
    ("(10,7)/((10:7), (7:1))", "(10,7)/((3:7, 4_PE), (7:1))"),
    ("((3:8), (2_PE, 2:4), (4:1))", "((3_PE), (4:4), (4:1))"),
    ("((4_L2B, 96:1), (4_PE, 24:96))", "((8:1, 48:8), (4_L2B, 24:384))"),
    ("((4_L2B, 7:8, 14:56), (8:1))", "((14:8, 28:112), (2_PE, 4:1))"),
];

#[test]
fn two_layouts_are_drawn_on_one_cut() {
    for (a, b) in PAIRS {
        let picture = pair(a, b);
        for two in picture.panels.chunks(2).filter(|two| two.len() == 2) {
            let [before, after] = two else { panic!("{a} {b}") };
            assert_eq!((before.columns, before.cells.len()), (after.columns, after.cells.len()));
            assert_eq!(before.row_ticks, after.row_ticks);
            assert_eq!(before.column_ticks, after.column_ticks);
            for (before, after) in before.cells.iter().zip(&after.cells) {
                let both = [before, after].iter().all(|cell| cell.kind != CellKind::Blank);
                let starts = |cell: &tensor_layout_show::Cell| -> Vec<u64> {
                    cell.indexes.iter().map(|range| range.start).collect()
                };
                assert!(!both || starts(before) == starts(after), "{a} {b}");
                assert_eq!(before.elements, after.elements);
            }
        }
        assert!(picture.panels[0].caption.starts_with("before: "));
        assert!(picture.panels[1].caption.starts_with("after"));
    }
}

#[test]
fn an_element_keeps_the_colour_of_the_unit_that_it_comes_from() {
    for (a, b) in PAIRS {
        let (from, picture) = (on(a), pair(a, b));
        let second = picture.panels.iter().skip(1).step_by(2);
        let single = second.flat_map(|panel| &panel.cells).filter(|cell| cell.slots == 1);
        let mut colors = std::collections::BTreeMap::new();
        let moved = single.filter(|cell| cell.elements == 1 && !cell.indexes.is_empty());
        for cell in moved {
            let index: Vec<u64> = cell.indexes.iter().map(|range| range.start).collect();
            let place = from.locate(&index).unwrap();
            let unit = [Level::L2B, Level::PE].map(|level| place.get(level));
            if from.layout().uses(Level::PE) || from.layout().uses(Level::L2B) {
                assert_eq!(*colors.entry(unit).or_insert(cell.color), cell.color, "{a} {b}");
            }
        }
        let all: BTreeSet<_> = colors.values().collect();
        assert_eq!(all.len(), colors.len(), "{a} {b}");
    }
}

#[test]
fn two_narrow_layouts_are_side_by_side_in_text() {
    let text = pair("((2_PE, 2:2), (2:1))", "((4:1), (2_PE))").to_text(80, false);
    assert!(text.lines().any(|line| line.matches(" 0").count() >= 2), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn a_panel_names_the_levels_of_its_own_layout() {
    let picture = pair_on("L2B=2,MAB=2", "((2_L2B, 2:1))", "((2_MAB, 2:1))");
    let text = picture.to_text(120, false);
    assert!(text.contains("in each cell: L2B:Addr      in each cell: MAB:Addr\n"), "{text}");
    // A line of one depth has two meanings here, so each is below its panel.
    let svg = picture.to_svg();
    let [before, after] = ["L2B", "MAB"].map(|name| svg.find(&format!(">{name}</text>")).unwrap());
    let panel = svg.find(">after: ").unwrap();
    assert!(before < panel && panel < after, "{svg}");

    // The copies over L2B are another level of the layout after only.
    let after = "(3,3)/((4:4), (2:1, 2_PE); B@[2_L2B:1])";
    let text = pair("(3,3)/((2_PE,2:4), (4:1))", after).to_text(80, false);
    assert!(text.contains("in each cell: PE:Addr"), "{text}");
}

#[test]
fn borders_with_one_meaning_are_named_once() {
    for (a, b) in [
        ("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"),
        ("((4_L2B, 2:1))", "((4_L2B, 2_PE))"),
        ("((8:1))", "((4_PE, 2:1))"),
    ] {
        let svg = pair(a, b).to_svg();
        assert_eq!(svg.matches(">PE</text>").count(), 1, "{svg}");
    }
}

/// The notes of a pair about copies and padding, without those about moves.
fn notes(picture: &Picture) -> Vec<&str> {
    let notes = picture.notes.iter().map(String::as_str);
    notes.filter(|note| note.contains("is drawn") || note.contains("padding")).collect()
}

#[test]
fn a_note_names_the_layout_that_it_is_about_unless_it_is_about_both() {
    let picture = pair_on("L2B=2,MAB=2", "((2_L2B, 2:1))", "((2_MAB, 2:1))");
    let copies = ["before: 2 copies over MAB", "after: 2 copies over L2B"];
    assert_eq!(notes(&picture), copies.map(|copies| format!("{copies}; the first is drawn")));
    let picture = pair_on("L2B=2,MAB=2", "((2_L2B, 2:1))", "((2:1, 2_L2B))");
    assert_eq!(notes(&picture), ["2 copies over MAB; the first is drawn"]);
    assert!(picture.description.contains("((2_L2B:1, 2:1))  ->  ((2:1, 2_L2B:1))"));

    let shapes = ["f32[5]{0}", "f32[5]{0:T(4)(3)}"];
    let machine: Machine = "PE=1".parse().unwrap();
    let placed = |text: &str| Placement::of(LayoutText::parse(text).unwrap().lower().unwrap());
    let [plain, tiled] = shapes.map(|text| placed(text).on(&machine).build().unwrap());
    let [plain, tiled] = [&plain, &tiled].map(Drawing::new);
    for (a, b, name) in [(&plain, &tiled, "after"), (&tiled, &plain, "before")] {
        let picture = a.before_and_after(b).unwrap();
        let [note] = notes(&picture)[..] else { panic!("{:?}", picture.notes) };
        assert!(note.starts_with(&format!("{name}: 4 more padding slots are inside")), "{note}");
    }
}

/// The explanations of marks, each with the mark that it explains.
fn explained(picture: &Picture) -> Vec<(&str, &str)> {
    let notes = picture.notes.iter().filter(|note| note.starts_with('\u{2190}'));
    let marks = notes.flat_map(|note| note.split("; "));
    marks.map(|note| note[3..].split_once(": ").unwrap()).collect()
}

#[test]
fn every_kind_of_mark_is_explained_by_one_that_a_cell_has() {
    for (a, b) in PAIRS {
        let picture = pair(a, b);
        let cells = picture.panels.iter().flat_map(|panel| &panel.cells);
        let marks: Vec<&str> = cells.filter_map(|cell| cell.mark.as_deref()).collect();
        let kinds: BTreeSet<bool> = marks.iter().map(|mark| mark.starts_with('@')).collect();
        let notes = explained(&picture);
        assert!(notes.iter().all(|(mark, _)| marks.contains(mark)), "{a} {b}: {notes:?}");
        assert_eq!(notes.len(), kinds.len(), "{a} {b}: {notes:?}");
    }
    let picture = pair_on("PE=4", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))");
    let address = ("@8", "comes from address 8 of the same unit");
    assert_eq!(explained(&picture), [("PE 0", "comes from PE 0"), address]);
    let picture = pair("((2_L2B, 2_PE))", "((2_PE, 2_L2B))");
    assert_eq!(explained(&picture), [("L2B 0.1", "crosses L2B, and comes from L2B.PE 0.1")]);
}

#[test]
fn a_mark_from_another_memory_is_explained() {
    let machine: Machine = "mn-core-2".parse().unwrap();
    let on = |text: &str, memory| {
        let placement = Placement::of(text.parse().unwrap()).on(&machine).memory(memory);
        placement.build().unwrap()
    };
    let a = on("((4_L2B:2, 2:1), (2:2, 2_W))", "DRAM");
    let b = on("((4_L2B:2, 2:2), (2:1, 2_W))", "PDM");
    let picture = Drawing::new(&a).before_and_after(&Drawing::new(&b)).unwrap();
    let memory = "comes from another memory of the same unit";
    assert_eq!(explained(&picture), [("memory", memory)]);
}

#[test]
fn captions_say_how_many_slots_there_are_for_the_rows() {
    let of = |text: &str| {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let drawing = Drawing::new(&placement);
        let panel = drawing.tensor().panels.remove(0);
        let sliced = drawing.slice(0, 8..12).unwrap().tensor().panels.remove(0);
        (panel.caption, panel.row_ticks, sliced.caption)
    };
    let (caption, ticks, sliced) = of("(10,7)/((3:7, 4_PE), (7:1))");
    assert_eq!(caption, "12 slots for 10 rows i0, columns i1 0 to 6");
    assert_eq!(ticks[9..], ["9", "(10)", "(11)"]);
    assert_eq!(sliced, "rows i0 8 to 9 and 2 slots of padding, columns i1 0 to 6");
    let (caption, ticks, sliced) = of("(8,7)/((3:7, 4_PE), (7:1))");
    assert_eq!(caption, "12 slots for 8 rows i0, columns i1 0 to 6");
    assert_eq!(ticks[7..], ["7", "(8)", "(9)", "(10)", "(11)"]);
    assert_eq!(sliced, "rows i0 8 to 11, all padding, columns i1 0 to 6");
}

#[test]
fn captions_of_a_pair_count_the_slots_of_their_own_layout() {
    let captions = |a: &str, b: &str| -> Vec<String> {
        let picture = pair_on("L2B=3,PE=4", a, b);
        picture.panels.into_iter().map(|panel| panel.caption).take(4).collect()
    };
    let (a, b) = ("(3,3)/((3:3), (3:1))", "(3,3)/((4:4), (4:1))");
    let (three, four) =
        ("rows i0 0 to 2, columns i1 0 to 2", "4 slots for 3 rows i0, 4 slots for 3 columns i1");
    assert_eq!(captions(a, b), [format!("before: {three}"), format!("after: {four}")]);
    assert_eq!(captions(b, a), [format!("before: {four}"), format!("after: {three}")]);

    let (a, b) = ("((1_PE:1, 1_L2B:1, 73:1), (6:73))", "((2_PE:1, 37:2), (3_L2B:1, 2:1))");
    let large = captions(&format!("(72,4)/{a}"), &format!("(72,4)/{b}"));
    assert!(large[0].starts_with("before: 73 slots for 72 rows i0, "), "{large:?}");
    assert!(large[1].starts_with("after: 74 slots for 72 rows i0, "), "{large:?}");

    // The layout after alone has slots at the index 1 of the first axis.
    let leading = captions("(1,2,2)/((1:4), (2:2), (2:1))", "(1,2,2)/((2:4), (2:2), (2:1))");
    let sides = "rows i1 0 to 1, columns i2 0 to 1";
    assert_eq!(
        leading[2..],
        ["before: i0 = 1, no slots".into(), format!("after: i0 = 1, {sides}")]
    );
}

#[test]
fn memories_of_groups_are_named_by_their_first_unit() {
    let machine: Machine = "mn-core-2".parse().unwrap();
    let on = |text: &str| {
        let text = LayoutText::parse(text).unwrap();
        let memory = Placement::of(text.lower().unwrap()).on(&machine).memory("DRAM");
        memory.build().unwrap()
    };
    let (a, b) = (on("((4_L2B:2, 4:8), (4:1, 2_W:1))"), on("((4:8, 4_L2B:2), (4:1, 2_W:1))"));
    let (a, b) = (Drawing::new(&a), Drawing::new(&b));
    let text = a.before_and_after(&b).unwrap().to_text(200, false);
    // Row 6 moves from L2B 2, which has rows 4 to 7, to L2B 4; row 5 stays there.
    assert!(text.contains("\n 6  4:8.0\u{2190}L2B2  4:8.1\u{2190}L2B2 "), "{text}");
    assert!(text.contains("\n 5       2:8.0       2:8.1 "), "{text}");
    assert!(text.contains("in each cell: L2B:Addr.W\n"), "{text}");
    let words = "L2B/2 is a group of 2 L2Bs that share a memory, named after the first";
    assert!(text.contains(words), "{text}");
    assert!(a.film(&[&b]).unwrap().to_svg().contains(words));
}

#[test]
fn large_layouts_show_their_flows() {
    let machine = Machine::mn_core();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let a = on("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))");
    let b = on("((16_MAB, 8:1, 8_L1B), (16_L2B, 8:8, 4_PE))");
    let picture = Drawing::new(&a).before_and_after(&Drawing::new(&b)).unwrap();
    assert_eq!(picture.panels.len(), 3);
    let flows = &picture.panels[2];
    assert_eq!((flows.rows(), flows.columns), (16, 16));
    assert!(flows.cells.iter().all(|cell| cell.label == "2,048"));
    // The borders of the layouts have names that the pairs of units would not have.
    assert_eq!((flows.border((0, 0), (0, 1)), flows.border((0, 0), (1, 0))), (None, None));
}

#[test]
fn a_large_pair_without_units_is_coloured_by_the_addresses_that_elements_come_from() {
    let texts = ["bf16[1024,1024]{1,0:T(8,128)(2,1)}", "bf16[1024,1024]{0,1:T(8,128)(2,1)}"];
    let texts = texts.map(|text| LayoutText::parse(text).unwrap());
    let layouts = texts.each_ref().map(|text| text.lower().unwrap());
    let machine = Machine::for_pair(&layouts[0], &layouts[1]).unwrap();
    let [a, b] = layouts.map(|layout| Placement::of(layout).on(&machine).build().unwrap());
    let picture = drawing(&a, &texts[0]).before_and_after(&drawing(&b, &texts[1])).unwrap();
    let [before, after] = &picture.panels[..] else { panic!() };
    // The ramp: rows of tiles follow each other before, and the same cells have the same colours after.
    let colors = |panel: &Panel| -> Vec<Option<usize>> {
        panel.cells.iter().map(|cell| cell.color).collect()
    };
    assert_eq!(colors(before), colors(after));
    assert!(colors(before).iter().all(Option::is_some) && before.key.len() > 4);
    assert!(
        after.coloring.as_deref().unwrap().contains("by the address that an element comes from")
    );
    // A page's width, and borders only where one is drawn.
    let svg = picture.to_svg();
    let width: u64 = svg.split('"').nth(3).unwrap().parse().unwrap();
    assert!(
        width < 960 && svg.contains(">tile 8 x 128<") && !svg.contains(">tile 2 x 1<"),
        "{width}"
    );
}

#[test]
fn flows_are_those_of_every_element() {
    let machine: Machine = "L2B=4,PE=6".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    for (a, b, level) in [
        ("((4_L2B, 3:8), (8:1))", "((12:2), (4_L2B, 2:1))", Level::L2B),
        ("(11,8)/((4_L2B, 3:8), (8:1))", "(11,8)/((3:1, 4_L2B), (8:3))", Level::L2B),
        ("(23)/((6_PE, 4:1))", "(23)/((4:1, 6_PE))", Level::PE),
        ("(23)/((4_L2B, 6_PE))", "(23)/((5_PE, 5:1))", Level::PE),
        ("((6_PE, 4:1); B@[L2B])", "((4_L2B, 6_PE))", Level::PE),
    ] {
        let (a, b) = (on(a), on(b));
        let relayout = Relayout::new(&a, &b).unwrap();
        let found = relayout.flows(level).unwrap().counts;
        let mut counted = vec![vec![0; found[0].len()]; found.len()];
        for index in a.layout().indexes() {
            let from = a.locate(&index).unwrap().get(level).unwrap() as usize;
            for to in b.locate_all(&index).unwrap() {
                counted[from][to.get(level).unwrap() as usize] += 1;
            }
        }
        assert_eq!(found, counted);
    }
}

#[test]
fn moved_elements_are_marked_with_what_they_cross() {
    let picture = pair_on("PE=4", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))");
    let cells = &picture.panels[1].cells;
    let marks = |level: &str| {
        let marks = cells.iter().filter_map(|cell| cell.mark.as_deref());
        marks.filter(|mark| mark.starts_with(level)).count()
    };
    let stay = cells.iter().filter(|cell| cell.mark.is_none()).count();
    assert_eq!((stay, marks("@"), marks("PE ")), (4, 20, 72));
    // Row i was on PE i / 3.
    for cell in cells.iter().filter(|cell| cell.mark.as_deref().is_some_and(|m| m.contains("PE"))) {
        assert_eq!(cell.mark, Some(format!("PE {}", cell.indexes[0].start / 3)));
    }
    assert!(picture.one_scale);
}

#[test]
fn moves_are_marked_whatever_the_rank() {
    for (a, b) in [
        ("((1:1), (2:2), (2_PE:1))", "((1:1), (2_PE:1), (2:2))"),
        ("((2:1))", "((2_PE))"),
        ("()", "()"),
        ("((1:1), (1:1), (2:2), (2:1))", "((1:1), (1:1), (2:1), (2:2))"),
    ] {
        let machine: Machine = "PE=2".parse().unwrap();
        let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
        let (a, b) = (on(a), on(b));
        let picture = Drawing::new(&a).before_and_after(&Drawing::new(&b)).unwrap();
        let moved = picture.panels[1].cells.iter().filter(|cell| cell.mark.is_some()).count();
        let relayout = Relayout::new(&a, &b).unwrap();
        let elements = relayout.transfers().unwrap().flat_map(|t| t.element..t.element + t.length);
        // A cell is marked once, no matter how many copies of its element move.
        let moves: BTreeSet<u64> = elements.collect();
        assert_eq!(moved, moves.len());
    }
}
