//! Prints generated layouts, index maps, XLA shapes and texts with what the library answers about them, one per line.
//! The program in `proofs/`, extracted from the model that the theorems are about, computes every answer again:
//! `.ci/run proofs`. The argument is the number of lines.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "tests fail by panic")]
#![allow(clippy::as_conversions, reason = "small numbers")]
#![allow(missing_docs, dead_code, reason = "this target needs a part of what generates layouts")]

mod generate;
mod pairs;
mod slow;

use std::io::{BufWriter, Write, stdout};

use itertools::Itertools;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use tensor_layout::algebra::{Axis, Combine, IndexOrder, Subaxis, Target};
use tensor_layout::error::ErrorKind as Kind;
use tensor_layout::notation::{AxisText, PadLayout, ReplicaText, SubaxisText};
use tensor_layout::xla::{TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout};
use tensor_layout::{Found, Layout, LayoutError, Level, Location};

use generate::{all_digits, any_layout, plain_layout};
use pairs::{Map, with_map};
use slow::{Slow, To};

fn main() {
    let lines = std::env::args().nth(1).map_or(1000, |n| n.parse().expect("a number of lines"));
    let mut runner = TestRunner::deterministic();
    let mut draws = Draws(1);
    let (layouts, maps, shapes, texts) = (any_layout(), with_map(), any_array(), any_text());
    let mut out = BufWriter::new(stdout().lock());
    let mut printed = 0;
    while printed < lines {
        let line = match printed % 8 {
            0..3 => Some(of_layout(&drawn(&layouts, &mut runner), &mut draws)),
            3 => of_parts(drawn(&layouts, &mut runner), &mut draws),
            4 | 5 => of_map(&drawn(&maps, &mut runner), &mut draws),
            6 => of_shape(&drawn(&shapes, &mut runner), &mut draws),
            _ => Some(of_text(&drawn(&texts, &mut runner))),
        };
        if let Some(line) = line {
            writeln!(out, "{line}").expect("a line");
            printed += 1;
        }
    }
}

fn drawn<T: Strategy>(strategy: &T, runner: &mut TestRunner) -> T::Value {
    strategy.new_tree(runner).expect("a case").current()
}

/// A few numbers that need no seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % most
    }

    /// A real index, if there is one.
    fn index(&mut self, shape: &[u64]) -> Option<Vec<u64>> {
        let entry = |extent: &u64| (*extent > 0).then(|| self.below(*extent));
        shape.iter().map(entry).collect()
    }
}

/// The numbers of the levels of a layout: `Addr` is 0.
struct Numbers(Vec<Level>);

impl Numbers {
    fn of(layout: &Layout) -> Numbers {
        let used = layout.used_levels().iter().copied();
        Numbers(
            [Level::ADDR].into_iter().chain(used.filter(|level| *level != Level::ADDR)).collect(),
        )
    }

    /// The axes that a map lands in; a map that names one has only coordinate 0 of `Addr`.
    fn of_axes(rank: usize) -> Numbers {
        Numbers((0..rank).map(Level::axis).collect())
    }

    fn number(&self, level: Level) -> usize {
        self.0.iter().position(|named| *named == level).unwrap_or(0)
    }

    fn axis(&self, axis: &Axis) -> String {
        let digit = |subaxis: &Subaxis| match subaxis.target {
            Target::Land { level, stride } => {
                let stride = if self.0.contains(&level) { stride } else { 0 };
                format!("{}:L{}:{stride}", subaxis.size, self.number(level))
            }
            Target::Feed { derived, weight } => format!("{}:D{derived}:{weight}", subaxis.size),
        };
        format!("{}={}", axis.extent, axis.subaxes.iter().rev().map(digit).join(","))
    }

    fn pairs(&self, pairs: impl Iterator<Item = (Level, u64)>) -> String {
        pairs.map(|(level, number)| format!("{}:{number}", self.number(level))).join(";")
    }

    /// The six fields of a layout; `spans` are as they were asked for, before they are rounded.
    fn layout(&self, layout: &Layout, spans: impl Iterator<Item = (Level, u64)>) -> String {
        let used = layout.used_levels().iter().copied();
        let derived = layout.derived_axes().iter().map(|derived| {
            let combine = if derived.combine == Combine::Xor { 'X' } else { 'S' };
            format!("{combine}{}~{}", derived.start, self.axis(&derived.axis))
        });
        let replica = |r: &tensor_layout::algebra::Replica| {
            format!("{}:{}:{}", r.size, self.number(r.level), r.stride)
        };
        let offsets = used.clone().map(|level| (level, layout.offset(level)));
        [
            layout.axes().iter().map(|axis| self.axis(axis)).join(";"),
            { derived }.join(";"),
            layout.replicas().iter().map(replica).join(";"),
            self.pairs(offsets.filter(|(level, at)| *at > 0 && self.0.contains(level))),
            used.map(|level| self.number(level)).unique().join(","),
            self.pairs(spans),
        ]
        .join("|")
    }
}

/// The coordinates of a place in the order of the used levels.
fn at(layout: &Layout, place: &Location) -> String {
    layout.used_levels().iter().map(|level| place.get(*level).expect("a used level")).join(",")
}

fn entries(index: &[u64]) -> String {
    index.iter().join(",")
}

/// `G|layout|questions`: the spans, all copies of some elements, the contents of some places.
fn of_layout(slow: &Slow, draws: &mut Draws) -> String {
    let layout = slow.layout();
    let used = layout.used_levels();
    let mut questions = vec![format!("s:{}", used.iter().map(|l| layout.span(*l)).join(","))];
    let mut places = Vec::new();
    let indexes = (0..3).filter_map(|_| draws.index(&layout.shape())).collect_vec();
    for index in indexes {
        let copies: Vec<Location> = layout.locate_all(&index).unwrap().take(16).collect();
        let all = copies.iter().map(|place| at(&layout, place)).join(";");
        questions.push(format!("l:{}:{all}", entries(&index)));
        places.push(copies[draws.below(copies.len() as u64) as usize].clone());
    }
    for _ in 0..3 {
        let mut near = |level: &Level| (*level, draws.below(layout.span(*level).min(1 << 20) + 1));
        places.push(used.iter().map(&mut near).collect());
    }
    questions.extend(places.iter().filter_map(|place| {
        let found = match layout.element(place).ok()? {
            Found::Element(index) => format!("E{}", entries(&index)),
            Found::Padding => "P".to_owned(),
            Found::Hole => "H".to_owned(),
            Found::Outside => "O".to_owned(),
        };
        Some(format!("e:{}:{found}", at(&layout, place)))
    }));
    let spans = slow.spans.iter().map(|(level, span)| (*level, *span));
    format!("G|{}|{}", Numbers::of(&layout).layout(&layout, spans), questions.join(" "))
}

/// `B|layout|answer`: parts of a layout of which one was changed, and whether they are built; none where invariant 3
/// decides, which the model leaves out.
fn of_parts(mut slow: Slow, draws: &mut Draws) -> Option<String> {
    const FAR: [u64; 6] = [0, 3, 1 << 31, 1 << 63, u64::MAX - 1, u64::MAX];
    let far = FAR[draws.below(6) as usize];
    let pick = draws.below(16) as usize;
    let what = draws.below(8);
    let digits = all_digits(&mut slow).count();
    if digits > 0
        && what < 4
        && let Some(digit) = all_digits(&mut slow).nth(pick % digits)
    {
        match (what, &mut digit.to) {
            (0, _) => digit.size = far,
            (1, To::Feed(derived, _)) => *derived = pick % 4,
            (_, To::Land(_, step) | To::Feed(_, step)) => *step = far,
        }
    }
    match what {
        4 => drop(slow.offsets.insert(Level::ADDR, far)),
        5 => slow.replicas.push((far, Level::PE, FAR[pick % 6])),
        6 => slow.axes.iter_mut().take(1).for_each(|axis| axis.extent = far.max(axis.extent)),
        7 => slow.derived.iter_mut().take(1).for_each(|(start, _)| *start = far),
        _ => {}
    }
    slow.offsets.retain(|_, offset| *offset > 0);
    let answer = match slow.build() {
        Ok(_) => "built",
        Err(error) if matches!(error.kind(), Kind::OutsideDomain | Kind::NotDecided) => {
            return None;
        }
        Err(_) => "not",
    };
    let numbers = Numbers([Level::ADDR].into_iter().chain(slow.used()).unique().collect());
    let axis = |axis: &slow::Axis, extent: u64| {
        let digit = |digit: &slow::Digit| match digit.to {
            To::Land(level, step) => format!("{}:L{}:{step}", digit.size, numbers.number(level)),
            To::Feed(derived, step) => format!("{}:D{derived}:{step}", digit.size),
        };
        format!("{extent}={}", axis.digits.iter().rev().map(digit).join(","))
    };
    let derived = slow.derived.iter().enumerate().map(|(number, (start, of))| {
        let sizes = of.digits.iter().map(|digit| digit.size);
        let slots = { sizes }.try_fold(1, u64::checked_mul).unwrap_or(u64::MAX);
        match slow.xors.contains(&number) {
            true => format!("X{start}~{}", axis(of, slots)),
            false => format!("S{start}~{}", axis(of, of.extent)),
        }
    });
    let replica =
        |(size, level, step): &slow::Replica| format!("{size}:{}:{step}", numbers.number(*level));
    Some(format!(
        "B|{}|{}|{}|{}|{}||{answer}",
        slow.axes.iter().map(|of| axis(of, of.extent)).join(";"),
        { derived }.join(";"),
        slow.replicas.iter().map(replica).join(";"),
        numbers.pairs(slow.offsets.iter().map(|(level, offset)| (*level, *offset))),
        (0..numbers.0.len()).join(","),
    ))
}

/// A map that reads all elements once, as a matrix: digits are regrouped where they divide. `None` for three layouts of four.
fn reshaping(outer: &Layout, draws: &mut Draws) -> Option<Layout> {
    let elements = outer.elements();
    let rows = (1..=elements.min(64)).filter(|rows| elements.is_multiple_of(*rows)).collect_vec();
    let rows = *rows.get(draws.below(4 * rows.len().max(1) as u64) as usize)?;
    let columns = elements / rows;
    let major = Subaxis::land(rows, Level::ADDR, columns);
    let minor = Subaxis::land(columns, Level::ADDR, 1);
    Layout::builder().axis(rows, [major]).axis(columns, [minor]).build().ok()
}

/// `C|layout|map|order|places`: elements of a composition; the order is that of the linear index, minor to major.
fn of_map((slow, map): &(Slow, Map), draws: &mut Draws) -> Option<String> {
    let outer = slow.layout();
    let reshaping = reshaping(&outer, draws);
    let is_linear = reshaping.is_some() || map.is_linear();
    let inner = reshaping.unwrap_or_else(|| map.slow.layout());
    let (order, written) = match draws.below(2) {
        0 => (IndexOrder::RowMajor, (0..outer.rank()).rev().join(",")),
        _ => (IndexOrder::Colexicographic, (0..outer.rank()).join(",")),
    };
    let composed = outer.as_function(order).compose_axes(&inner).ok()?;
    let numbers = match is_linear {
        true => Numbers(vec![Level::ADDR]),
        false => Numbers::of_axes(outer.rank()),
    };
    let indexes = (0..4).filter_map(|_| draws.index(&composed.shape()));
    let places = indexes.map(|index| {
        let copies =
            composed.locate_all(&index).unwrap().take(16).map(|place| at(&composed, &place));
        format!("{}:{}", entries(&index), { copies }.join(";"))
    });
    let places = { places }.join(" ");
    let no_spans = || std::iter::empty();
    Some(format!(
        "C|{}|{}|{}|{places}",
        Numbers::of(&outer).layout(&outer, no_spans()),
        numbers.layout(&inner, no_spans()),
        if is_linear { format!("={written}") } else { String::new() },
    ))
}

fn any_array() -> impl Strategy<Value = XlaArray> {
    let size = prop_oneof![1 => Just(1_i64), 6 => 2_i64..6, 1 => Just(8), 1 => Just(128)];
    let entry = prop_oneof![5 => size.prop_map(TileDim::Size), 1 => Just(TileDim::Combine)];
    let tile = prop::collection::vec(entry, 1..5).prop_map(|mut tile| {
        if let Some(last) = tile.last_mut().filter(|last| **last == TileDim::Combine) {
            *last = TileDim::Size(3);
        }
        tile
    });
    let dim = prop_oneof![20 => 1_u64..9, 2 => 9_u64..300];
    let dims = prop::collection::vec((dim, any::<u32>()), 0..=5);
    let tiles = prop::collection::vec(tile, 0..=3);
    (dims, tiles, prop::option::weighted(0.2, 1_i64..20)).prop_map(|(dims, tiles, tail_padding)| {
        let order = (0..dims.len()).sorted_by_key(|axis| dims[*axis].1);
        let minor_to_major = order.map(|axis| axis as i64).collect();
        let layout = XlaLayout { minor_to_major, tiles, tail_padding, ..XlaLayout::default() };
        let dims = dims.into_iter().map(|(dim, _)| XlaDim::Static(dim)).collect();
        XlaArray::new(XlaDtype::from_name("f32").unwrap(), dims, Some(layout))
    })
}

/// `X|dimensions|order|tiles|L|span|addresses`; the order is major to minor.
fn of_shape(array: &XlaArray, draws: &mut Draws) -> Option<String> {
    let (layout, lowered) = (array.layout.as_ref()?, array.lower().ok()?);
    let entry = |entry: &TileDim| match entry {
        TileDim::Size(size) => size.to_string(),
        TileDim::Combine => "*".to_owned(),
    };
    let tile = |tile: &Vec<TileDim>| tile.iter().map(entry).join(",");
    let indexes = (0..4).filter_map(|_| draws.index(&lowered.shape()));
    let address = |index: Vec<u64>| {
        format!("{}:{}", entries(&index), at(&lowered, &lowered.locate(&index).unwrap()))
    };
    Some(format!(
        "X|{}|{}|{}|{}|{}|{}",
        entries(&lowered.shape()),
        layout.minor_to_major.iter().rev().join(","),
        layout.tiles.iter().map(tile).join("/"),
        layout.tail_padding.unwrap_or(0),
        lowered.span(Level::ADDR),
        { indexes.map(address) }.join(" "),
    ))
}

/// A text of a layout, with strides left out, bare replicas and shapes that may not fit.
fn any_text() -> impl Strategy<Value = PadLayout> {
    (plain_layout(), any::<u64>()).prop_map(|(slow, how)| {
        let layout = slow.layout();
        let left_out = |at: usize, stride: u64| (how >> (at % 24) & 3 != 0).then_some(stride);
        let mut numbers = 0..;
        let mut subaxis = |s: &Subaxis| {
            let (level, stride) = match s.target {
                Target::Land { level, stride } => (level, stride),
                Target::Feed { .. } => unreachable!("a plain layout"),
            };
            let at = numbers.next().unwrap_or(0);
            let named = (level != Level::ADDR || how >> 30 & 1 == 1).then_some(level);
            let keeps = level == Level::ADDR && how >> 31 & 3 != 0;
            SubaxisText::new(s.size, named, if keeps { Some(stride) } else { left_out(at, stride) })
        };
        let axes = layout.axes().iter();
        let axes: Vec<AxisText> = axes
            .map(|axis| AxisText::new(axis.subaxes.iter().map(&mut subaxis).collect()))
            .collect();
        let mut replicas: Vec<ReplicaText> = layout
            .replicas()
            .iter()
            .enumerate()
            .map(|(at, r)| ReplicaText::Sized {
                size: r.size,
                level: r.level,
                stride: left_out(at + 7, r.stride),
            })
            .collect();
        match how >> 34 & 15 {
            0..4 => replicas.push(ReplicaText::Bare(Level::L1B)),
            4 => replicas.push(ReplicaText::Bare(Level::PE)),
            5 => replicas.push(ReplicaText::Bare(Level::ADDR)),
            _ => {}
        }
        let mut shape = layout.shape();
        if how >> 40 & 31 == 0 {
            shape.push(1);
        }
        PadLayout::new((how >> 46 & 3 != 0).then_some(shape), axes, replicas)
    })
}

/// `P|shape|axes|replicas|` and the layout that a text means, or a letter: `T` if it means none, `B` if the layout breaks
/// an invariant, `C` if elements collide.
fn of_text(text: &PadLayout) -> String {
    let lowered = text.lower();
    let named = || {
        let subaxes = text.axes.iter().flat_map(|axis| &axis.subaxes);
        let replicas = text.broadcast.iter().map(|replica| replica.level());
        subaxes.filter_map(|s| s.level).chain(replicas)
    };
    let numbers = match &lowered {
        Ok(layout) => Numbers::of(layout),
        Err(_) => Numbers(vec![Level::ADDR]),
    };
    let all = numbers.0.iter().copied().chain(named()).unique().collect_vec();
    let numbers = Numbers(all);
    let stride = |stride: Option<u64>| stride.map_or("_".to_owned(), |stride| stride.to_string());
    let subaxis = |s: &SubaxisText| {
        let level = s.level.map_or("_".to_owned(), |level| numbers.number(level).to_string());
        format!("{}:{level}:{}", s.size, stride(s.stride))
    };
    let replica = |r: &ReplicaText| match *r {
        ReplicaText::Bare(level) => format!("B:{}", numbers.number(level)),
        ReplicaText::Sized { size, level, stride: s } => {
            format!("{size}:{}:{}", numbers.number(level), stride(s))
        }
    };
    let answer = match &lowered {
        Ok(layout) => numbers.layout(layout, std::iter::empty()),
        Err(error) => refusal(error.cause()).to_owned(),
    };
    format!(
        "P|{}|{}|{}|{answer}",
        text.shape.as_deref().map_or("-".to_owned(), entries),
        text.axes
            .iter()
            .map(|axis| format!("={}", axis.subaxes.iter().map(subaxis).join(",")))
            .join(";"),
        text.broadcast.iter().map(replica).join(";"),
    )
}

fn refusal(error: Option<&LayoutError>) -> &'static str {
    /// Parts of the messages about the text itself.
    const OF_TEXT: [&str; 4] =
        ["lacks a stride", "the shape has rank", "cannot be replicated", "cannot appear here"];
    let error = error.expect("a meaning");
    let message = error.to_string();
    match error.kind() {
        Kind::Collision => "C",
        Kind::Invalid | Kind::Shape if OF_TEXT.iter().any(|part| message.contains(part)) => "T",
        _ => "B",
    }
}
