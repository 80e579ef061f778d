//! Printed films.

use std::collections::BTreeMap;

use tensor_layout::route::Route;
use tensor_layout::{LayoutText, Level, Machine, Placement};
use tensor_layout_show::{Drawing, Film, Spot};

const BEFORE: &str = "((4_PE, 3:8), (8:1))";
const AFTER: &str = "((12:2), (4_PE, 2:1))";

fn film(machine: &str, texts: &[&str]) -> Film {
    let machine: Machine = machine.parse().unwrap();
    let on = |text: &&str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let placements: Vec<Placement> = texts.iter().map(on).collect();
    let drawings: Vec<Drawing<'_>> = placements.iter().map(Drawing::new).collect();
    let after: Vec<&Drawing<'_>> = drawings[1..].iter().collect();
    drawings[0].film(&after).unwrap()
}

/// The pixel position of each flyer in a stage, by the text on it.
fn pixels(svg: &str, stage: char) -> BTreeMap<String, (i64, i64)> {
    let flyer = |line: &str| {
        let at = line.split_once(&format!("--{stage}:translate("))?.1.split_once("px)")?.0;
        let (x, y) = at.split_once("px,")?;
        let label = line.rsplit_once("</text>")?.0.rsplit_once('>')?.1;
        Some((label.to_owned(), (x.parse().unwrap(), y.parse().unwrap())))
    };
    svg.lines().filter_map(flyer).collect()
}

#[test]
fn pixels_are_those_of_units_and_addresses() {
    let film = film("PE=4", &[BEFORE, AFTER]);
    let svg = film.to_svg();
    // The description of seed 001: PE and address of row i, column j of 12 x 8.
    type PlaceOf = fn(i64, i64) -> (i64, i64);
    let places: [PlaceOf; 3] =
        [|i, j| (i, j), |i, j| (i / 3, i % 3 * 8 + j), |i, j| (j / 2, i * 2 + j % 2)];
    for (stage, place) in "abc".chars().zip(places) {
        let pixels = pixels(&svg, stage);
        assert_eq!(pixels.len(), 96);
        let (left, top) = pixels["0,0"];
        let (wide, high) = (pixels["0,1"].0 - pixels["0,0"].0, 22);
        for i in 0..12 {
            for j in 0..8 {
                let (row, column) = place(i, j);
                // In the last stage, 0,1 is also beside 0,0.
                let expected = (left + column * wide, top + row * high);
                assert_eq!(pixels[&format!("{i},{j}")], expected, "{stage} {i},{j}");
            }
        }
    }
    // Only motion depends on the style: flyers are drawn at their final positions.
    for (label, (x, y)) in pixels(&svg, 'c') {
        let line = svg.lines().find(|line| line.contains(&format!(">{label}</text>"))).unwrap();
        assert!(line.contains(&format!("transform=\"translate({x} {y})\"")), "{line}");
    }
}

#[test]
fn a_film_keeps_colours_and_edges_what_crosses() {
    let film = film("PE=4", &[BEFORE, AFTER]);
    for flyer in &film.flyers {
        let (i, j) = (flyer.indexes[0].start, flyer.indexes[1].start);
        assert_eq!(flyer.color, Some((i / 3) as usize));
        assert_eq!(flyer.crosses, (i / 3 != j / 2).then_some(Level::PE));
    }
    let counts: Vec<u64> = film.hops[0].iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [4, 20, 72]);
    let svg = film.to_svg();
    for part in ["4 stay in place", "20 change their address", "72 move to another PE (outlined)"] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn a_film_needs_no_script_and_stays_small() {
    let film = film("PE=4", &["(20,10)/((4_PE, 5:10), (10:1))", "(20,10)/((20:3), (4_PE, 3:1))"]);
    assert_eq!(film.flyers.len(), 200);
    let svg = film.to_svg();
    assert!(svg.len() < 100_000, "{}", svg.len());
    for page in [svg, film.to_html()] {
        assert!(!page.contains("<script") && !page.contains("<animate"));
        // Animations run only if the reader has not asked for reduced motion.
        let motion = page.split("@media (prefers-reduced-motion:no-preference)").next().unwrap();
        assert!(!motion.contains("animation:all"));
    }
}

#[test]
fn a_film_of_three_layouts_goes_hop_by_hop() {
    let film = film("PE=4", &[BEFORE, AFTER, BEFORE]);
    assert_eq!((film.stages.len(), film.hops.len()), (4, 2));
    for flyer in &film.flyers {
        assert_eq!(flyer.path.len(), 4);
        assert_eq!(flyer.path[1], flyer.path[3]);
    }
}

#[test]
fn copies_that_nobody_reads_fly_no_farther() {
    // Both PEs hold all of the source; each PE holds half of the destination.
    let film = film("PE=2", &["((4:1))", "((2_PE, 2:1))"]);
    let ends =
        |stages: usize| film.flyers.iter().filter(|flyer| flyer.path.len() == stages).count();
    assert_eq!((ends(2), ends(3)), (4, 4));
    let spots = film.flyers.iter().map(|flyer| flyer.path[1].cell);
    assert_eq!(spots.collect::<std::collections::BTreeSet<_>>().len(), 8);
    assert!(film.to_svg().contains("opacity=\"0\""));
}

#[test]
fn large_layouts_fly_in_parts() {
    let a = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";
    let b = "((16_MAB, 8:1, 8_L1B), (16_L2B, 8:8, 4_PE))";
    let film = film("L2B=16,L1B=8,MAB=16,PE=4", &[a, b]);
    assert!(film.flyers.len() <= 256 && film.to_svg().len() < 200_000);
    let elements: u64 = film.flyers.iter().map(|flyer| flyer.elements).sum();
    assert_eq!(elements, 1024 * 512);
    let mut flows = [[0; 16]; 16];
    let unit = |stage: usize, spot: &Spot| {
        let cell = &film.stages[stage].panels[0].cells[spot.cell];
        cell.places[0].1.only().unwrap() as usize
    };
    for flyer in &film.flyers {
        flows[unit(1, &flyer.path[1])][unit(2, &flyer.path[2])] += flyer.elements;
    }
    assert_eq!(flows, [[2048; 16]; 16]);
}

#[test]
fn a_film_that_has_too_many_units_is_a_refusal() {
    let placement = Placement::of("((8192_PE, 64:1))".parse().unwrap()).build().unwrap();
    let refusal = Drawing::new(&placement).film(&[]).unwrap_err().to_string();
    assert!(refusal.contains("so many units"), "{refusal}");
    let empty = LayoutText::parse("f32[0,5]{1,0}").unwrap().lower().unwrap();
    let empty = Placement::of(empty).build().unwrap();
    let film = Drawing::new(&empty).film(&[]).unwrap();
    assert_eq!(film.flyers.len(), 0);
}

#[test]
fn a_route_is_a_stage_for_each_memory_and_leaves_out_units_without_elements() {
    let machine: Machine = "mn-core-2".parse().unwrap();
    let at = |layout: &str, memory: &str| {
        let layout = LayoutText::parse(layout).unwrap().lower().unwrap();
        Placement::of(layout).on(&machine).memory(memory).element_bits(32).build().unwrap()
    };
    let source = at("((1_L2B, 16:4), (4:1, 2_W:1))", "DRAM");
    let target = at("((1_L2B, 1_L1B, 16_MAB), (4_PE, 2_W:1))", "LM0");
    let route = Route::new(&source, &target).unwrap();
    let film = Film::of_route(&route).unwrap();
    assert_eq!(film.title, "DRAM  ->  L2BM  ->  L1BM  ->  LM0");
    assert_eq!(film.stages.len(), 1 + 1 + route.hops().len());
    assert!(film.stages[2].caption.ends_with(", by mvp"), "{}", film.stages[2].caption);
    // Of 4096 PEs, only those of one L1B hold elements: a word of two lanes each.
    let last = &film.stages.last().unwrap().panels[0];
    assert_eq!((last.row_ticks.len(), last.cells.len()), (64, 128));
    assert!(last.caption.contains("that holds elements"), "{}", last.caption);
    assert_eq!(film.flyers.len(), 128);
    assert!(film.flyers.iter().all(|flyer| flyer.path.len() == film.stages.len()));
    for flyer in &film.flyers {
        let index: Vec<u64> = flyer.indexes.iter().map(|range| range.start).collect();
        let cell = &last.cells[flyer.path.last().unwrap().cell];
        for (level, span) in &cell.places {
            assert_eq!(target.locate(&index).unwrap().get(*level), span.only(), "{index:?}");
        }
    }
}

#[test]
fn layouts_with_and_without_time_have_different_levels() {
    let machine: Machine = "PE=4".parse().unwrap();
    let [with, without] = ["((4_PE, 2_Time, 64:64), (64:1))", "((4_PE, 128:64), (64:1))"]
        .map(|text| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap());
    let refusal = Drawing::new(&with).film(&[&Drawing::new(&without)]).unwrap_err();
    assert_eq!(refusal.to_string(), "the levels differ: Time=2,PE=4,Addr=4096 and PE=4,Addr=8192");
}

#[test]
fn blocks_enter_units_that_their_memory_is_above() {
    let machine: Machine = "mn-core-2".parse().unwrap();
    let at = |layout: &str, memory: &str| {
        Placement::of(layout.parse().unwrap()).on(&machine).memory(memory).build().unwrap()
    };
    let (above, below) = (at("((64:1))", "L1BM"), at("((1_L2B, 1_L1B, 16_MAB, 4_PE))", "LM0"));
    let film = Drawing::new(&above).film(&[&Drawing::new(&below)]).unwrap();
    assert_eq!(film.flyers.iter().map(|flyer| flyer.elements).sum::<u64>(), 64);
}

/// The place of each flyer in a still, by the text on it.
fn places(still: &str) -> BTreeMap<String, (i64, i64)> {
    let flyer = |line: &str| {
        let at = line.split_once("<g class=\"e\" transform=\"translate(")?.1.split_once(')')?.0;
        let (x, y) = at.split_once(' ')?;
        let label = line.rsplit_once("</text>")?.0.rsplit_once('>')?.1;
        Some((label.to_owned(), (x.parse().unwrap(), y.parse().unwrap())))
    };
    still.lines().filter_map(flyer).collect()
}

#[test]
fn stills_rest_in_every_stage_and_fly_in_between() {
    let film = film("PE=4", &[BEFORE, AFTER]);
    let svg = film.to_svg();
    // Each hop takes 3.2 seconds, after a rest of 1.2.
    for (stage, second) in [('a', 0.5), ('b', 4.9), ('c', film.seconds())] {
        assert_eq!(places(&film.still(second)), pixels(&svg, stage), "{second}");
    }
    let [from, to] = ['a', 'b'].map(|stage| pixels(&svg, stage));
    let middle = places(&film.still(1.2 + 1.6));
    let between = |at: i64, [a, b]: [i64; 2]| (a.min(b)..=a.max(b)).contains(&at);
    for (label, (x, y)) in &middle {
        let [(x0, y0), (x1, y1)] = [from[label], to[label]];
        assert!(between(*x, [x0, x1]) && between(*y, [y0, y1]), "{label}");
    }
    let flying = middle.iter().filter(|(label, at)| **at != from[*label] && **at != to[*label]);
    assert!(flying.count() > 40);
}

#[cfg(feature = "gif")]
mod gif {
    use ::gif::{ColorOutput, DecodeOptions};
    use resvg::tiny_skia::{Color, Pixmap, Transform};
    use resvg::usvg::{Options, Tree};

    use super::*;

    /// The still of a film on white, by resvg and the font of all pictures.
    fn drawn(still: &str) -> Pixmap {
        let mut options = Options { font_family: "DejaVu Sans Mono".into(), ..Options::default() };
        options
            .fontdb_mut()
            .load_font_data(include_bytes!("../src/png/DejaVuSansMono.ttf").to_vec());
        let tree = Tree::from_str(still, &options).unwrap();
        let size = tree.size().to_int_size();
        let mut pixels = Pixmap::new(size.width(), size.height()).unwrap();
        pixels.fill(Color::WHITE);
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        pixels
    }

    /// The second at which a frame begins, and the pixels that are seen.
    type Seen = (f64, Vec<[u8; 3]>);

    /// The frames of a GIF as they are seen, each with the second at which it begins, and the end.
    fn frames(bytes: &[u8]) -> (Vec<Seen>, f64) {
        let mut options = DecodeOptions::new();
        options.set_color_output(ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes).unwrap();
        let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let mut seen = vec![[0; 3]; width * height];
        let (mut frames, mut hundredths) = (Vec::new(), 0);
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let (left, top) = (usize::from(frame.left), usize::from(frame.top));
            for (at, pixel) in frame.buffer.chunks(4).enumerate().filter(|(_, pixel)| pixel[3] > 0)
            {
                let (row, column) = (at / usize::from(frame.width), at % usize::from(frame.width));
                seen[(top + row) * width + left + column] = [pixel[0], pixel[1], pixel[2]];
            }
            frames.push((f64::from(hundredths) / 100.0, seen.clone()));
            hundredths += u32::from(frame.delay);
        }
        (frames, f64::from(hundredths) / 100.0)
    }

    #[test]
    fn frames_of_a_gif_are_the_stills_at_their_seconds() {
        let film = film("PE=4", &["((4_PE, 3:4), (4:1))", "((12:1), (4_PE))"]);
        let bytes = film.to_gif().unwrap();
        assert!(bytes == film.to_gif().unwrap() && bytes.len() < 500_000, "{}", bytes.len());
        let (frames, end) = frames(&bytes);
        // One frame for the tensor, 40 for each of two hops.
        assert_eq!((frames.len(), end), (81, film.seconds()));
        for (second, seen) in frames.iter().step_by(9) {
            let still = drawn(&film.still(*second));
            let expected =
                still.pixels().iter().map(|pixel| [pixel.red(), pixel.green(), pixel.blue()]);
            let pairs: Vec<([u8; 3], [u8; 3])> = expected.zip(seen.iter().copied()).collect();
            assert_eq!(pairs.len(), seen.len());
            let far =
                |(a, b): &([u8; 3], [u8; 3])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24);
            let exact = pairs.iter().filter(|(a, b)| a == b).count();
            assert!(!pairs.iter().any(far), "{second}: a colour is not near that of the still");
            assert!(exact * 100 >= pairs.len() * 98, "{second}: {exact} of {}", pairs.len());
        }
    }

    #[test]
    fn a_gif_of_too_many_pixels_is_refused() {
        let mut film = film("PE=4", &[BEFORE, AFTER]);
        let memories = film.stages[1].clone();
        film.stages.extend(vec![memories; 60]);
        let said = film.to_gif().unwrap_err().to_string();
        assert!(said.contains("and a GIF may have 4194304; write .svg instead"), "{said}");
    }
}
