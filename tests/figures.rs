//! Pictures, cell by cell, and the figures of the documents.

use std::path::Path;

use tensor_layout::picture::{Cell as PictureCell, CellKind, Drawing, Picture};
use tensor_layout::xla::XlaShape;
use tensor_layout::{LayoutText, Machine, Placement};

fn placed(text: &str) -> (Placement, LayoutText) {
    let text = LayoutText::parse(text).unwrap();
    let placement = Placement::of(text.lower().unwrap());
    // Two layouts of four PEs are compared on a machine.
    let placement = match text.to_string().contains("_PE") && !text.to_string().contains("L2B") {
        true => placement.on(&"PE=4".parse::<Machine>().unwrap()),
        false => placement,
    };
    (placement.build().unwrap(), text)
}

fn drawing<'a>(placement: &'a Placement, text: &LayoutText) -> Drawing<'a> {
    let drawing = Drawing::new(placement).title(&text.to_string());
    match text {
        LayoutText::Xla(XlaShape::Array(array)) => drawing.tiles(array.tiles()),
        _ => drawing,
    }
}

fn tensor(text: &str) -> Picture {
    let (placement, text) = placed(text);
    drawing(&placement, &text).tensor()
}

fn memory(text: &str) -> Picture {
    let (placement, text) = placed(text);
    drawing(&placement, &text).memory().unwrap()
}

fn before_and_after(a: &str, b: &str) -> Picture {
    let ((a, a_text), (b, b_text)) = (placed(a), placed(b));
    drawing(&a, &a_text).before_and_after(&drawing(&b, &b_text)).unwrap()
}

/// The figures of the documents, by file.
fn figures() -> Vec<(&'static str, Picture)> {
    vec![
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
        ("relayout.svg", before_and_after("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))")),
    ]
}

#[test]
fn the_figures_of_the_documents_are_fresh() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/img");
    for (file, picture) in figures() {
        let (path, svg) = (dir.join(file), picture.to_svg());
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
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages = ["README.md", "src/guide/tutorial.md", "docs/xla.md", "docs/relayout.md"];
    let pages: String =
        pages.iter().map(|page| std::fs::read_to_string(root.join(page)).unwrap()).collect();
    for (file, picture) in figures() {
        assert!(pages.contains(file), "{file}");
        let svg = picture.to_svg();
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

/// The description of seed 001, in arithmetic: PE and address of row i, column j of 12 x 8.
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
    // Tiles of 2 x 4 have the outer border, those of 2 x 1 the inner one, rows in a tile none.
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
    assert_eq!(picture.panels[1].cell(2, 7).unwrap().label, "L1B 2\nAddr 7");
    assert_eq!(picture.panels[2].cell(7, 3).unwrap().unit, "0.0.0.3");
    assert!(picture.to_svg().len() < 200_000);
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
fn moved_elements_are_marked_with_what_they_cross() {
    let picture = before_and_after("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))");
    let marks = |mark: Option<&str>| {
        let cells = &picture.panels[1].cells;
        cells.iter().filter(|cell| cell.mark.as_deref() == mark).count()
    };
    assert_eq!((marks(None), marks(Some("Addr")), marks(Some("PE"))), (4, 20, 72));
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
        let relayout = tensor_layout::relayout::Relayout::new(&a, &b).unwrap();
        let elements = relayout.transfers().unwrap().flat_map(|t| t.element..t.element + t.length);
        // A cell is marked once, however many copies of its element move.
        let moves: std::collections::BTreeSet<u64> = elements.collect();
        assert_eq!(moved, moves.len());
    }
}

#[test]
fn a_text_picture_is_read_without_colours() {
    let text = tensor("(5,3)/((2:3, 3_PE), (3:1))").to_text(80, false);
    assert_eq!(
        text,
        "\
(5,3)/((2:3, 3_PE), (3:1))

rows i0 0 to 5, columns i1 0 to 2
in each cell: PE:Addr
    0   1   2
0 0:0 0:1 0:2
1 1:0 1:1 1:2
2 2:0 2:1 2:2
3 0:3 0:4 0:5
4 1:3 1:4 1:5
5  //  //  //

// padding
"
    );
    assert!(tensor("((2_PE, 2:1))").to_text(80, true).contains("\u{1b}[48;5;153"));
}

#[cfg(feature = "cli")]
#[test]
fn draw_prints_text_and_svg() {
    use crate::cli::{refused, stdout};

    let page = stdout(&["draw", "(10,7)/((3:7, 4_PE), (7:1))"]);
    assert!(page.contains("\n 9 1:14 1:15"), "{page}");
    assert!(page.lines().all(|line| line.chars().count() <= 80), "{page}");
    let sliced = stdout(&["draw", "((4_PE, 3:8), (8:1))", "--slice", "i0=2:4,i1=0:2"]);
    assert!(sliced.ends_with("\n2 0:16 0:17\n3  1:0  1:1\n"), "{sliced}");
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("tiles.svg").display().to_string();
    stdout(&["draw", "bf16[4,8]{1,0:T(2,4)(2,1)}", "-o", &file]);
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>\n"));
    let pair = ["draw", "((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--machine", "PE=4"];
    assert!(stdout(&pair).contains("copies by distance: in place 4, address 20, PE 72"));
    for bad in ["i0=0:13", "i2=0:1", "i0=3:3", "x", "i0=a:b"] {
        refused(&["draw", "((4_PE, 3:8), (8:1))", "--slice", bad]);
    }
    refused(&["draw", "((4_PE))", "--view", "machine", "--by", "PE"]);
    assert!(stdout(&["draw", "((4_PE))", "((4:1))"]).contains("after:"));
}
