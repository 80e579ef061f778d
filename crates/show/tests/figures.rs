//! Pictures, cell by cell, and the figures of the documents.

use std::path::Path;

use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutText, Level, Machine, Placement};
use tensor_layout_show::{
    Cell as PictureCell, CellKind, Drawing, Label, PanelArrangement, Picture,
};

fn placed(text: &str) -> (Placement, LayoutText) {
    let text = LayoutText::parse(text).unwrap();
    let placement = Placement::of(text.lower().unwrap());
    // Layouts over four PEs are compared on a machine.
    let placement = match text.to_string().contains("_PE") && !text.to_string().contains("L2B") {
        true => placement.on(&"PE=4".parse::<Machine>().unwrap()),
        false => placement,
    };
    (placement.build().unwrap(), text)
}

pub(crate) fn drawing<'a>(placement: &'a Placement, text: &LayoutText) -> Drawing<'a> {
    let drawing = Drawing::new(placement).title(&text.to_string());
    match text {
        LayoutText::Xla(XlaShape::Array(array)) => drawing.tiles_of(array),
        _ => drawing,
    }
}

pub(crate) fn tensor(text: &str) -> Picture {
    let (placement, text) = placed(text);
    drawing(&placement, &text).tensor()
}

/// The embedding of a language model on MN-Core 2: rows over time, units and addresses.
const EMBEDDING: &str = "(151936,1536)/((25_Time:1, 3:1536, 8_L2B:1, 16_MAB:1, 4:1, 4:4), \
                         (96:16, 4_W:1, 4_PE:1); B@[L1B])";

fn embedding() -> Picture {
    let text = LayoutText::parse(EMBEDDING).unwrap();
    let placement = Placement::of(text.lower().unwrap()).on(&Machine::mn_core_2());
    let placement = placement.build().unwrap();
    drawing(&placement, &text).most_blocks(8).most_panels(3).tensor()
}

fn memory(text: &str) -> Picture {
    let (placement, text) = placed(text);
    drawing(&placement, &text).memory().unwrap()
}

fn before_and_after(a: &str, b: &str) -> Picture {
    let ((a, a_text), (b, b_text)) = (placed(a), placed(b));
    drawing(&a, &a_text).before_and_after(&drawing(&b, &b_text)).unwrap()
}

fn film(a: &str, b: &str) -> String {
    let ((a, a_text), (b, b_text)) = (placed(a), placed(b));
    drawing(&a, &a_text).film(&[&drawing(&b, &b_text)]).unwrap().to_svg()
}

/// Two copies of 10 rows over four PEs each.
fn copies() -> Picture {
    let text = LayoutText::parse("(10,7)/((3:7, 4_PE), (7:1))").unwrap();
    let machine: Machine = "L2B=2,PE=4".parse().unwrap();
    let placement = Placement::of(text.lower().unwrap()).on(&machine).build().unwrap();
    drawing(&placement, &text).memory().unwrap()
}

/// The figures of the documents, by file.
fn figures() -> Vec<(&'static str, String)> {
    let mut figures: Vec<(&str, String)> =
        pictures().into_iter().map(|(file, picture)| (file, picture.to_svg())).collect();
    figures.push(("film.svg", film("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))")));
    figures
}

/// The matrices of an instruction, with thread and value in each cell.
fn matrices(name: &str) -> Picture {
    let placed = ["A", "B", "C"].map(|letter| placed(&format!("{name}:{letter}")).0);
    let labels = [Label::Thread, Label::Value];
    let lane = Level::new("LANE").unwrap();
    let [a, b, c] = placed.each_ref().map(|placement| {
        Drawing::new(placement).title(name).labels(&labels).by(lane).most_blocks(32)
    });
    c.with_factors(Some(&a), Some(&b))
}

/// A tile of halves without and with a swizzle, by the banks of shared memory.
fn swizzle() -> Picture {
    let texts = ["(8,64):(64,1)", "S<3,3,3> o 0 o (8,64):(64,1)"];
    let layouts = texts.map(|text| LayoutText::parse(text).unwrap().lower().unwrap());
    let machine = Machine::for_pair(&layouts[0], &layouts[1]).unwrap();
    let [plain, swizzled] =
        layouts.map(|layout| Placement::of(layout).on(&machine).build().unwrap());
    let [plain, swizzled] = [(&plain, texts[0]), (&swizzled, texts[1])]
        .map(|(placement, title)| Drawing::new(placement).title(title).banks(16));
    plain.before_and_after(&swizzled).unwrap()
}

fn pictures() -> Vec<(&'static str, Picture)> {
    vec![
        ("copies.svg", copies()),
        ("holes.svg", memory("(5,3)/((2_PE, 3:8), (3:2))")),
        ("ramp.svg", tensor("((8:1), (8:8))")),
        ("threads.svg", tensor("((2_T:4, 2_V:2), (4_T:1, 2_V:1))")),
        ("mma.svg", matrices("SM80_16x8x8_F32F16F16F32_TN")),
        ("embedding.svg", embedding()),
        ("figure-4.svg", tensor("((4_PE, 3:8), (8:1))")),
        ("figure-5.svg", tensor("((12:2), (4_PE, 2:1))")),
        ("figure-6.svg", tensor("((3:8, 4_PE), (8:1))")),
        ("figure-8-left.svg", tensor("((2_PE:2, 6:4), (2_PE:1, 4:1))")),
        ("figure-8-right.svg", tensor("((2_PE:1, 6:4), (2_PE:2, 4:1))")),
        ("padding.svg", tensor("(10,7)/((3:7, 4_PE), (7:1))")),
        ("padding-memory.svg", memory("(10,7)/((3:7, 4_PE), (7:1))")),
        ("tree.svg", tensor("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))")),
        ("xla-figure-1.svg", tensor("f32[3,5]{1,0:T(2,2)}")),
        ("xla-figure-1-memory.svg", memory("f32[3,5]{1,0:T(2,2)}")),
        ("xla-figure-2.svg", tensor("bf16[4,8]{1,0:T(2,4)(2,1)}")),
        ("sharding.svg", tensor("f32[10,7], sharding={devices=[4,2]<=[8]}")),
        ("sharding-3.svg", tensor("f32[2,4,7], sharding={devices=[2,1,2]<=[2,2]T(1,0)}")),
        ("swizzle.svg", swizzle()),
        ("relayout.svg", before_and_after("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))")),
    ]
}

#[test]
fn the_figures_of_the_documents_are_fresh() {
    let dir = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("docs/img");
    for (file, svg) in figures() {
        let path = dir.join(file);
        if std::env::var_os("UPDATE_FIGURES").is_some() {
            std::fs::create_dir_all(&dir).unwrap();
            std::fs::write(&path, svg).unwrap();
        } else {
            let found = std::fs::read_to_string(&path).unwrap();
            assert!(found == svg, "{file} is stale: UPDATE_FIGURES=1 cargo test figures");
        }
    }
}

#[test]
fn every_figure_is_used_and_has_words_for_those_who_do_not_see_it() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let pages = [
        "README.md",
        "src/guide/tutorial.md",
        "docs/xla.md",
        "docs/relayout.md",
        "docs/sharding.md",
        "docs/pictures.md",
    ];
    let pages: String =
        pages.iter().map(|page| std::fs::read_to_string(root.join(page)).unwrap()).collect();
    for (file, svg) in figures() {
        assert!(pages.contains(file), "{file}");
        assert!(svg.contains("<title id=\"title\">") && svg.contains("<desc id=\"desc\">"));
        assert!(svg.len() < 200_000);
    }
}

/// Unit and label of every cell, row by row; padding as `-`.
fn grid(picture: &Picture) -> Vec<Vec<String>> {
    let panel = &picture.panels[0];
    let word = |cell: &PictureCell| match cell.kind {
        CellKind::Element => format!("{}:{}", cell.unit, cell.label),
        _ => "-".into(),
    };
    let rows = panel.cells.chunks(panel.columns);
    rows.map(|row| row.iter().map(word).collect()).collect()
}

/// The description of seed 001 as arithmetic: PE and address of row i, column j of 12 x 8.
#[test]
fn figures_4_to_8_are_those_of_the_article() {
    type Formula = fn(u64, u64) -> (u64, u64);
    let figures: [(&str, Formula); 5] = [
        ("((4_PE, 3:8), (8:1))", |i, j| (i / 3, i % 3 * 8 + j)),
        ("((12:2), (4_PE, 2:1))", |i, j| (j / 2, i * 2 + j % 2)),
        ("((3:8, 4_PE), (8:1))", |i, j| (i % 4, i / 4 * 8 + j)),
        ("((2_PE:2, 6:4), (2_PE:1, 4:1))", |i, j| (i / 6 * 2 + j / 4, i % 6 * 4 + j % 4)),
        ("((2_PE:1, 6:4), (2_PE:2, 4:1))", |i, j| (i / 6 + j / 4 * 2, i % 6 * 4 + j % 4)),
    ];
    for (text, formula) in figures {
        let picture = tensor(text);
        let expected = |i| (0..8).map(move |j| formula(i, j)).map(|(pe, at)| format!("{pe}:{at}"));
        let expected: Vec<Vec<String>> = (0..12).map(|i| expected(i).collect()).collect();
        assert_eq!(grid(&picture), expected, "{text}");
        for cell in &picture.panels[0].cells {
            assert_eq!(cell.color.unwrap().to_string(), cell.unit);
        }
    }
}

#[test]
fn figures_1_and_2_are_those_of_the_xla_page() {
    let picture = tensor("f32[3,5]{1,0:T(2,2)}");
    // linear_index_with_tile, written out.
    let address = |i: u64, j: u64| (i / 2 * 3 + j / 2) * 4 + i % 2 * 2 + j % 2;
    let word = |i, j| if i < 3 && j < 5 { format!(":{}", address(i, j)) } else { "-".into() };
    let expected: Vec<Vec<String>> = (0..4).map(|i| (0..6).map(|j| word(i, j)).collect()).collect();
    assert_eq!(grid(&picture), expected);
    let picture = tensor("bf16[4,8]{1,0:T(2,4)(2,1)}");
    let address = |i: u64, j: u64| (i / 2 * 2 + j / 4) * 8 + j % 4 * 2 + i % 2;
    let expected: Vec<Vec<String>> =
        (0..4).map(|i| (0..8).map(|j| format!(":{}", address(i, j))).collect()).collect();
    assert_eq!(grid(&picture), expected);
    let panel = &picture.panels[0];
    // Tiles of 2 x 4 have the outer border, those of 2 x 1 the inner one, and rows within a tile have none.
    assert_eq!(panel.border((0, 3), (0, 4)), Some(0));
    assert_eq!(panel.border((1, 0), (2, 0)), Some(0));
    assert_eq!(panel.border((0, 0), (0, 1)), Some(1));
    assert_eq!(panel.border((0, 0), (1, 0)), None);
}

#[test]
fn a_large_tensor_is_drawn_as_blocks_down_to_its_elements() {
    let picture = tensor("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))");
    let sizes: Vec<(usize, usize)> =
        picture.panels.iter().map(|panel| (panel.rows(), panel.columns)).collect();
    assert_eq!(sizes, [(16, 16), (8, 8), (8, 4)]);
    assert_eq!(picture.panels[0].cell(3, 5).unwrap().label, "L2B 3\nMAB 5");
    assert_eq!(picture.panels[1].cell(2, 7).unwrap().label, "L1B 2\nAddr 7,15..63");
    assert_eq!(picture.panels[2].cell(7, 3).unwrap().unit, "0.0.0.3");
    assert!(picture.to_svg().len() < 200_000);
}

#[test]
fn padding_of_large_tensors_is_seen() {
    // 129 rows are padded to 256: the lower blocks hold one row of 128.
    let picture = tensor("f32[129,1024]{0,1:T(8,128)}");
    let panel = &picture.panels[0];
    let lower = panel.cell(1, 0).unwrap();
    assert_eq!((lower.elements, lower.slots, lower.filled), (8, 128 * 8, [1, 8]));
    assert_eq!(panel.zoom, Some(panel.columns));
    assert!(picture.to_text(80, false).contains("/99.2%"));
    // 2 of the 128 columns of a tile are real.
    let picture = tensor("bf16[10,130]{1,0:T(8,128)(2,1)}");
    let right = picture.panels[0].cell(0, 1).unwrap();
    assert_eq!((right.elements, right.slots, right.filled), (16, 1024, [8, 2]));
    assert_eq!(picture.panels[0].zoom, Some(1));
    // A slice shows the edge of the padding.
    let (placement, text) = placed("f32[129,1024]{0,1:T(8,128)}");
    let sliced = drawing(&placement, &text).slice(0, 120..136).unwrap().slice(1, 0..4).unwrap();
    let kinds: Vec<CellKind> = sliced.tensor().panels[0].cells.iter().map(|c| c.kind).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == CellKind::Element).count(), 9 * 4);
    assert!(drawing(&placement, &text).slice(0, 250..257).is_err());
}

#[test]
fn padding_without_an_index_is_counted_where_elements_share_places() {
    // Four of sixteen slots hold eight elements.
    let layout = LayoutText::parse("S<2,0,2> o 0 o (4,2):(4,0)").unwrap().lower().unwrap();
    let placement = Placement::of(layout).shared_places().build().unwrap();
    let picture = Drawing::new(&placement).tensor();
    assert!(picture.notes.iter().any(|note| note.starts_with("12 more padding slots")));
    let padded = tensor("f32[5]{0:T(4)(3)}");
    assert!(padded.notes.iter().any(|note| note.starts_with("4 more padding slots")));
}

#[test]
fn a_picture_says_how_many_of_its_tiles_have_borders() {
    let picture = tensor(&format!("f32[2]{{0:T{}}}", "(1)".repeat(40)));
    assert_eq!(picture.panels[0].borders().count(), 16);
    assert_eq!(picture.notes, ["the borders of the outer 16 of 40 tiles are drawn"]);
    assert_eq!(tensor("f32[2]{0:T(4)(1)}").notes, [""; 0]);
}

#[test]
fn tiles_take_what_inner_tiles_pad() {
    let picture = tensor("bf16[6,16]{1,0:T(3,8)(2,1)}");
    let panel = &picture.panels[0];
    let colors: Vec<Option<usize>> =
        (0..8).map(|column| panel.cell(2, column).unwrap().color).collect();
    assert_eq!(colors, vec![panel.cell(0, 0).unwrap().color; 8]);
    assert_eq!(panel.border((2, 0), (3, 0)), Some(0));
    assert_eq!(panel.border((0, 7), (0, 8)), Some(0));
}

#[test]
fn a_tile_shows_its_pairs_of_rows_and_the_order_of_its_addresses() {
    let picture = tensor("bf16[16,256]{1,0:T(8,128)(2,1)}");
    let sizes: Vec<(usize, usize)> =
        picture.panels.iter().map(|panel| (panel.rows(), panel.columns)).collect();
    // Four tiles; the first one shows eight rows, and the columns at its two ends.
    assert_eq!(sizes, [(2, 2), (8, 9)]);
    let tile = &picture.panels[1];
    assert_eq!(tile.border((1, 0), (2, 0)), Some(1));
    assert_eq!(tile.border((0, 0), (1, 0)), None);
    // 0 at (0, 0), 1 below it, 2 to the right of 0.
    assert_eq!(tile.order[0][..3], [0, 9, 1]);
    for chain in &tile.order {
        let label = |at: &usize| tile.cells[*at].label.parse::<u64>().unwrap();
        assert!(chain.windows(2).all(|pair| label(&pair[0]) + 1 == label(&pair[1])));
    }
}

#[test]
fn blocks_are_labelled_by_ranges_and_nothing_is_said_twice() {
    let picture = embedding();
    assert_eq!(picture.panels[0].cell(0, 0).unwrap().label.lines().next(), Some("Time 0..4"));
    let text = tensor("((8_L2B:1, 4:2, 8_L1B:1), (2:1, 4_PE:1, 2_W:1))");
    let last = text.panels.last().unwrap();
    let labels: Vec<&str> = last.cells.iter().map(|cell| cell.label.as_str()).collect();
    assert_eq!(labels, (0..8).map(|at| format!("L1B {at}")).collect::<Vec<_>>());
    // If the address is constant, the cells show the levels instead.
    let threads = tensor("((2_T:4, 2_V:2), (4_T:1, 2_V:1))");
    assert_eq!(threads.panels[0].cell(1, 1).unwrap().label, "T 0\nV 3");
    let (placement, text) = placed("((4_PE, 3:8), (8:1))");
    let labels = [Label::Unit, Label::Address, Label::Index, Label::Level(Level::PE)];
    let picture = drawing(&placement, &text).labels(&labels).tensor();
    assert_eq!(picture.panels[0].cell(4, 1).unwrap().label, "1\n9\n4,1\nPE 1");
}

#[test]
fn a_colour_has_one_meaning_in_a_panel_and_in_a_picture_with_enough_colours() {
    // 5 ranges of Time, 5 slices and 16 L2Bs, 8 L1Bs, 4 PEs are more than 16 values.
    for (picture, is_few) in [
        (tensor("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))"), false),
        (embedding(), true),
        (before_and_after("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"), true),
    ] {
        let mut meanings: std::collections::BTreeMap<usize, String> = Default::default();
        for panel in &picture.panels {
            if !is_few {
                meanings.clear();
            }
            for (color, name) in &panel.key {
                assert_eq!(meanings.entry(*color).or_insert_with(|| name.clone()), name);
            }
        }
        assert!(picture.panels.iter().any(|panel| !panel.key.is_empty()));
        let repeats = |panel: &tensor_layout_show::Panel| {
            panel.coloring.as_ref().is_some_and(|text| text.contains("repeat"))
        };
        assert!(!picture.panels.iter().any(repeats));
    }
    let lanes = "#ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}>";
    let picture = tensor(&format!("tensor<16x16xf32, {lanes}>"));
    let panel = &picture.panels[0];
    assert_eq!(panel.coloring.as_deref(), Some("coloured by LANE; colours repeat after 16"));
    // By default, a cell shows thread and value.
    assert_eq!(panel.cell(9, 6).unwrap().label, "T5\nV6");
}

/// Bank and line of a byte are arithmetic: 32 banks of 4 bytes.
#[test]
fn banks_are_those_of_the_bytes_of_every_element() {
    let one: Machine = "PE=1".parse().unwrap();
    let on_one = |text: &str| {
        let text = LayoutText::parse(text).unwrap();
        (Placement::of(text.lower().unwrap()).on(&one).build().unwrap(), text)
    };
    let pair = ["(8,64):(64,1)", "S<3,3,3> o 0 o (8,64):(64,1)", "(8,64):(1,8)"].map(on_one);
    for ((a, a_text), (b, b_text)) in [(&pair[0], &pair[1]), (&pair[1], &pair[2])] {
        for bits in [8, 16, 32, 64] {
            let left = drawing(a, a_text).banks(bits);
            let picture = left.before_and_after(&drawing(b, b_text).banks(bits)).unwrap();
            for (panel, placement) in picture.panels.iter().zip([a, b]) {
                for cell in &panel.cells {
                    let [row, columns] = &cell.indexes[..] else { panic!() };
                    let bytes = |column| {
                        let place = placement.locate(&[row.start, column]).unwrap();
                        let first = place.get(Level::ADDR).unwrap() * bits / 8;
                        first..first + bits / 8
                    };
                    let mut banks: Vec<u64> =
                        columns.clone().flat_map(bytes).map(|byte| byte / 4 % 32).collect();
                    banks.sort_unstable();
                    banks.dedup();
                    let (first, last) = (banks[0], banks[banks.len() - 1]);
                    let expected = match last - first {
                        0 => first.to_string(),
                        _ => format!("{first}..{last}"),
                    };
                    assert_eq!((first / 4, &cell.label), (last / 4, &expected));
                    assert_eq!(cell.color, Some((first / 4) as usize));
                    assert_eq!(cell.path, [bytes(columns.start).start / 128]);
                }
            }
        }
    }
    let picture = swizzle();
    // Two panels of 16-byte cells fit a page, and a line is drawn below every 128 bytes.
    assert_eq!(picture.panels.iter().map(|panel| panel.columns).collect::<Vec<_>>(), [8, 8]);
    assert_eq!(picture.panels[0].border((0, 3), (1, 3)), Some(0));
    let svg = picture.to_svg();
    let width: u64 = svg.split('"').nth(3).unwrap().parse().unwrap();
    assert!(width < 960 && svg.contains(">128 bytes<"), "{width}");
}

#[test]
fn a_picture_of_the_machine_is_at_most_as_wide_as_a_page() {
    for text in
        ["((16_PE, 64:1))", "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))", "((30_PE, 1000000:1))"]
    {
        let placement = Placement::of(text.parse().unwrap()).build().unwrap();
        let picture = Drawing::new(&placement).memory().unwrap();
        let width: u64 = picture.to_svg().split('"').nth(3).unwrap().parse().unwrap();
        assert!(width <= 1000, "{text}: {width}");
    }
    // The memories of 16 PEs in rows of 16 addresses.
    let placement = Placement::of("((16_PE, 64:1))".parse().unwrap()).build().unwrap();
    let panel = &Drawing::new(&placement).memory().unwrap().panels[0];
    assert_eq!((panel.rows(), panel.columns, &*panel.row_ticks[5]), (64, 16, "1 @16"));
    assert_eq!(panel.cell(5, 3).unwrap().label, (64 + 16 + 3).to_string());
}

#[test]
fn the_memories_beside_a_tensor_have_its_colours() {
    let text = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core()).build().unwrap();
    let whole = Drawing::new(&placement).most_panels(1);
    let inside = whole.clone().slice(0, 0..64).unwrap();
    for (drawing, level) in [(whole, "L2B"), (inside, "L1B")] {
        let [tensor, memory] = drawing.tensor_and_memory().unwrap();
        let (tensor, memory) = (&tensor.panels[0], &memory.panels[0]);
        assert_eq!((&*tensor.colored_by, &*memory.colored_by), (level, level));
        let color = |cell: &PictureCell| {
            let place = cell.places.iter().find(|(of, _)| of.as_str() == level);
            place.and_then(|(_, span)| span.only()).zip(cell.color)
        };
        let mut colors = std::collections::BTreeMap::new();
        for (at, found) in tensor.cells.iter().chain(&memory.cells).filter_map(color) {
            assert_eq!(*colors.entry(at).or_insert(found), found);
        }
        assert!(colors.len() > 1);
    }
}

#[test]
fn many_units_are_counted() {
    let placement = Placement::of("((8192_PE, 64:1))".parse().unwrap()).build().unwrap();
    let picture = Drawing::new(&placement).memory().unwrap();
    assert!(
        picture.notes.contains(&"every unit holds 64 elements".to_owned()),
        "{:?}",
        picture.notes
    );
    let first = &picture.panels[0].cells[0];
    assert_eq!((first.elements, first.padding()), (512 * 64, 0));
    assert_eq!(picture.panels.len(), 4); // 16 of 512, 16 of 32, 32, and a memory
    let later =
        Drawing::new(&placement).at("PE=7".parse().unwrap()).addresses(48).memory().unwrap();
    assert_eq!(later.panels[0].cells[0].label, (7 * 64 + 48).to_string());
    // Rows of 10 over 4 PEs, which hold 3, 3, 2, 2 rows.
    let (placement, text) = placed("(10,70)/((3:70, 4_PE), (70:1))");
    let third = drawing(&placement, &text).at("PE=2".parse().unwrap()).memory().unwrap();
    assert_eq!(third.panels[0].caption, "the memory of PE 2 by address");
    let all = drawing(&placement, &text).memory().unwrap();
    let pads: Vec<u64> = all.panels[0].cells.iter().map(PictureCell::padding).collect();
    assert_eq!(pads, [0, 0, 70, 70]);
    assert_eq!(all.panels[0].zoom, Some(2));
}

#[test]
fn pictures_of_anything_are_small() {
    for text in [
        "((1048576:1048576), (1048576:1))",
        "((4611686018427387904:1))",
        "((3:1), (1000000007_PE))",
        "((1000000000_W:1), (70:1))",
        "f32[0,5]{1,0}",
        "bf16[8,1,1280,16384]{3,2,0,1:T(8,128)(2,1)}",
        "f32[65536,3,5]{2,1,0:T(3,4)(2,1)}",
        "()",
    ] {
        let text = LayoutText::parse(text).unwrap();
        let placement = Placement::of(text.lower().unwrap()).build().unwrap();
        let drawing = drawing(&placement, &text);
        assert!(drawing.tensor().to_svg().len() < 1_000_000);
        assert!(drawing.memory().unwrap().to_svg().len() < 1_000_000);
        let page = drawing.tensor().to_text(80, false);
        assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    }
}

#[test]
fn a_colour_is_one_lane_in_all_matrices_of_a_product() {
    for name in [
        "SM80_16x8x8_F32F16F16F32_TN",
        "SM80_16x8x16_F32F16F16F32_TN",
        "SM80_16x8x4_F32TF32TF32F32_TN",
        "SM70_8x8x4_F16F16F16F16_TN",
        "SM80_16x8x16_F32F16F16F32_TN(2,2,1)",
        "v_mfma_f32_16x16x16_f16",
    ] {
        let picture = matrices(name);
        let [a, b, c] = &*picture.panels else { panic!("{name}") };
        // Rows and columns are aligned between the panels.
        assert_eq!((picture.arrangement, picture.one_scale), (PanelArrangement::Product, true));
        assert_eq!((a.rows(), b.columns, a.columns), (c.rows(), c.columns, b.rows()), "{name}");
        let mut colors = std::collections::BTreeMap::new();
        for (panel, letter) in [(a, 'A'), (b, 'B'), (c, 'C')] {
            let layout = LayoutText::parse(&format!("{name}:{letter}")).unwrap().lower().unwrap();
            for row in 0..panel.rows() {
                for column in 0..panel.columns {
                    let index = if letter == 'B' { [column, row] } else { [row, column] };
                    let place = layout.locate(&index.map(|at| at as u64)).unwrap();
                    let at = |level: &str| place.get(Level::new(level).unwrap());
                    let warp = at("WARP").map_or(String::new(), |warp| format!("W{warp}."));
                    let (lane, value) = (at("LANE").unwrap(), place.get(Level::ADDR).unwrap_or(0));
                    let cell = panel.cell(row, column).unwrap();
                    assert_eq!(cell.label, format!("{warp}T{lane}\nV{value}"), "{name}:{letter}");
                    assert_eq!(colors.entry(lane).or_insert(cell.color), &cell.color);
                }
            }
        }
    }
    // An operand in shared memory is left out, and the others are side by side.
    let (c, _) = placed("SM90_64x8x16_F32F16F16_RS:C");
    let (a, _) = placed("SM90_64x8x16_F32F16F16_RS:A");
    let picture = Drawing::new(&c).with_factors(Some(&Drawing::new(&a)), None);
    assert_eq!((picture.panels.len(), picture.arrangement), (2, PanelArrangement::Rows));
}

#[test]
fn the_element_of_a_tensor_without_axes_has_an_index() {
    let text = memory("()/()").to_text(80, false);
    assert!(text.ends_with("\n  +0\n0 ()\n"), "{text}");
    let (placement, _) = placed("()/()");
    let drawing = Drawing::new(&placement);
    let picture = drawing.clone().labels(&[Label::Index]).tensor();
    assert_eq!(picture.panels[0].cells[0].label, "()");
    assert!(drawing.film(&[]).unwrap().to_svg().contains(">()</text>"));
}

#[test]
fn the_name_above_a_grid_is_that_of_its_labels() {
    let (placement, text) = placed("((2_PE, 2:2), (2:1))");
    let rows = |labels: &[Label]| {
        let text = drawing(&placement, &text).labels(labels).tensor().to_text(80, false);
        let rows: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("in ")).collect();
        (rows[0].to_owned(), rows[3].to_owned())
    };
    for (label, name, row) in [
        (Label::Address, "PE:Addr", "1 0:2 0:3"),
        (Label::Unit, "PE", "1 0 0"),
        (Label::Index, "PE:index", "1 0:1,0 0:1,1"),
        (Label::Value, "PE:value", "1 0:V2 0:V3"),
        (Label::Level(Level::PE), "PE", "1 0 0"),
    ] {
        assert_eq!(rows(&[label]), (format!("in each cell: {name}"), row.into()));
    }
    let (placement, _) = placed("((2_LANE, 2:2), (2:1))");
    let threads = Drawing::new(&placement).labels(&[Label::Thread]).tensor().to_text(80, false);
    assert!(threads.contains("in each cell: LANE:thread\n"), "{threads}");
}

#[test]
fn a_text_picture_is_read_without_colours() {
    let text = tensor("(5,3)/((2:3, 3_PE), (3:1))").to_text(80, false);
    assert_eq!(
        text,
        "\
(5,3)/((2:3, 3_PE), (3:1))

6 slots for 5 rows i0, columns i1 0 to 2
in each cell: PE:Addr
      0   1   2
  0 0:0 0:1 0:2
  1 1:0 1:1 1:2
  2 2:0 2:1 2:2
  3 0:3 0:4 0:5
  4 1:3 1:4 1:5
(5)  //  //  //

// padding
"
    );
    let painted = tensor("((2_PE, 2:1))").to_text(80, true);
    assert!(painted.contains("\u{1b}[48;5;152") && painted.contains(" PE 1 "), "{painted}");
}
