//! Laws 2 and 3 for compiled programs and rows, over layouts that no notation can say: derived
//! axes with starts, several feeders and chains, offsets, spans, copies, huge strides on digits of
//! one value. The judge evaluates the sentences of docs/algebra.md digit by digit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::algebra::Subaxis;
use tensor_layout::program::Program;
use tensor_layout::rows::Format;
use tensor_layout::{Found, Layout, Level, Location, Placement};

const LEVELS: [Level; 4] = [Level::ADDR, Level::PE, Level::W, Level::L2B];

/// A digit as drawn: size, a choice of target, a step.
type Drawn = (u64, u8, u64);

#[derive(Clone, Copy, Debug)]
enum To {
    Level(usize, u64),
    Node(usize, u64),
}

/// Axes and derived axes alike: start, extent, digits major to minor.
#[derive(Clone, Debug, Default)]
struct Node {
    start: u64,
    extent: u64,
    digits: Vec<(u64, To)>,
}

#[derive(Clone, Debug)]
struct Plan {
    rank: usize,
    nodes: Vec<Node>,
    /// (size, level, stride)
    replicas: Vec<(u64, usize, u64)>,
    offsets: [u64; 4],
    span: u64,
}

/// A row: the place in all four levels, and the index unless it is padding.
type Row = ([u64; 4], Option<Vec<u64>>);

impl Plan {
    fn layout(&self) -> Option<Layout> {
        let subaxes = |node: &Node| -> Vec<Subaxis> {
            let digit = |(size, to): &(u64, To)| match to {
                To::Level(level, stride) => Subaxis::land(*size, LEVELS[*level], *stride),
                To::Node(node, weight) => Subaxis::feed(*size, node - self.rank, *weight),
            };
            node.digits.iter().map(digit).collect()
        };
        let mut builder = Layout::builder();
        for (at, node) in self.nodes.iter().enumerate() {
            builder = match at < self.rank {
                true => builder.axis(node.extent, subaxes(node)),
                false => builder.derived(node.start, node.extent, subaxes(node)),
            };
        }
        for (size, level, stride) in &self.replicas {
            builder = builder.replica(*size, LEVELS[*level], *stride);
        }
        for (level, offset) in LEVELS.into_iter().zip(self.offsets) {
            builder = builder.used(level).offset(level, offset);
        }
        builder.span(Level::ADDR, self.span).build().ok()
    }

    /// The values of all digits that land, and the place that they give.
    fn land(&self, index: &[u64]) -> (Vec<u64>, [u64; 4]) {
        let mut values: Vec<u64> = self.nodes.iter().map(|node| node.start).collect();
        values[..self.rank].copy_from_slice(index);
        let (mut landed, mut place) = (Vec::new(), self.offsets);
        for (at, node) in self.nodes.iter().enumerate() {
            let mut places = 1;
            for (size, to) in node.digits.iter().rev() {
                let digit = values[at] / places % size;
                places *= size;
                match to {
                    To::Level(level, stride) => {
                        place[*level] += digit * stride;
                        landed.push(digit);
                    }
                    To::Node(node, weight) => values[*node] += digit * weight,
                }
            }
        }
        (landed, place)
    }

    fn indexes(&self) -> Vec<Vec<u64>> {
        count(self.nodes[..self.rank].iter().map(|node| 0..node.extent))
    }

    /// Every slot of every copy, in order: elements before padding.
    fn rows(&self) -> Vec<Row> {
        let elements: BTreeMap<Vec<u64>, Vec<u64>> =
            self.indexes().into_iter().map(|index| (self.land(&index).0, index)).collect();
        let digits = self.nodes.iter().flat_map(|node| node.digits.iter().rev());
        let landing: Vec<(u64, usize, u64)> = digits
            .filter_map(|(size, to)| match to {
                To::Level(level, stride) => Some((*size, *level, *stride)),
                To::Node(..) => None,
            })
            .collect();
        let copies = count(self.replicas.iter().map(|replica| 0..replica.0));
        let mut rows = Vec::new();
        for slot in count(landing.iter().map(|digit| 0..digit.0)) {
            for copy in &copies {
                let mut place = self.offsets;
                let all = landing.iter().zip(&slot).chain(self.replicas.iter().zip(copy));
                all.for_each(|((_, level, stride), digit)| place[*level] += digit * stride);
                rows.push((place, elements.get(&slot).cloned()));
            }
        }
        rows.sort_by_key(|(place, index)| (in_columns(place), index.is_none(), index.clone()));
        rows
    }
}

/// Every choice of one number from each range, the last fastest.
fn count(ranges: impl Iterator<Item = Range<u64>>) -> Vec<Vec<u64>> {
    ranges.fold(vec![Vec::new()], |heads, range| {
        let longer = |head: &Vec<u64>| -> Vec<Vec<u64>> {
            range.clone().map(|next| [&head[..], &[next]].concat()).collect()
        };
        heads.iter().flat_map(longer).collect()
    })
}

/// The place in the order of the columns: L2B, PE, Addr, W.
fn in_columns(place: &[u64; 4]) -> [u64; 4] {
    [place[3], place[1], place[0], place[2]]
}

/// Puts what was drawn together: digits that feed need a node to feed, which must hold them.
fn plan(
    rank: usize,
    drawn: &[Vec<Drawn>],
    cuts: &[(u64, u64)],
    replicas: &[Drawn],
    offsets: [u64; 4],
    nested: bool,
    row_major: bool,
) -> Plan {
    let mut nodes = vec![Node::default(); drawn.len()];
    let mut slots = 1;
    let mut greatest: Vec<u64> = vec![0; drawn.len()];
    // From the last axis on, weights of what feeds one axis are row-major.
    let tensor: Vec<usize> = if row_major { (0..rank).rev().collect() } else { (0..rank).collect() };
    for at in tensor.into_iter().chain(rank..drawn.len()) {
        let (cut, start) = cuts[at];
        let node = &mut nodes[at];
        for (size, target, step) in &drawn[at] {
            let size = if slots * size > 400 { 1 } else { *size };
            slots *= size;
            let first = (at + 1).max(rank);
            let to = match drawn.len() - first {
                later if later > 0 && *target >= 70 => {
                    let to = first + usize::from(*target) % later;
                    let gap = u64::from(step % 6 == 5);
                    let weight = if nested { greatest[to] + 1 + gap } else { step % 7 + 1 };
                    greatest[to] += (size - 1) * weight;
                    To::Node(to, weight)
                }
                _ => To::Level(usize::from(target % 4), *step),
            };
            node.digits.push((size, to));
        }
        if row_major {
            node.digits.reverse();
        }
        let inner: u64 = node.digits.iter().map(|digit| digit.0).product();
        if at < rank {
            node.extent = inner - cut % (inner / 3 + 1);
        } else {
            node.start = start % 3;
            let most = greatest[at] + node.start;
            // A leading digit that makes the axis hold what it is fed.
            let size = (most + 1).div_ceil(inner);
            node.digits.insert(0, (size, To::Level(0, 1)));
            node.extent = (most + 1 + cut % 3).min(size * inner);
            slots *= size;
        }
    }
    let mut replicas: Vec<(u64, usize, u64)> =
        replicas.iter().map(|(size, target, step)| (*size, usize::from(target % 4), *step)).collect();
    let digits = nodes.iter_mut().flat_map(|node| &mut node.digits);
    let mut landing: Vec<(u64, usize, &mut u64)> = digits
        .filter_map(|(size, to)| match to {
            To::Level(level, stride) => Some((*size, *level, stride)),
            To::Node(..) => None,
        })
        .chain(replicas.iter_mut().map(|(size, level, stride)| (*size, *level, stride)))
        .collect();
    if nested {
        landing.sort_by_key(|(_, _, step)| **step);
        let mut next = [1; 4];
        for (size, level, stride) in &mut landing {
            **stride = next[*level] + **stride % 5 / 4;
            next[*level] = *size * **stride;
        }
    }
    // What never moves may have any stride.
    for (_, _, stride) in landing.iter_mut().filter(|(size, _, _)| *size == 1) {
        **stride <<= 58;
    }
    Plan { rank, nodes, replicas, offsets, span: offsets[0] % 3 * 40 }
}

fn plans() -> impl Strategy<Value = Plan> {
    let digit = || (select(vec![1_u64, 2, 2, 3, 4, 5]), 0_u8..160, 0_u64..12);
    let axes = prop::collection::vec(prop::collection::vec(digit(), 1..4), 0..7);
    let derived = prop::collection::vec(prop::collection::vec(digit(), 0..4), 0..4);
    let cuts = prop::collection::vec((any::<u64>(), any::<u64>()), 10);
    let replicas = prop::collection::vec((1_u64..3, 0_u8..4, 0_u64..12), 0..3);
    let offsets = [0..4_u64, 0..2, 0..2, 0..2];
    (axes, derived, cuts, replicas, offsets, 0..6_u8).prop_map(
        |(axes, derived, cuts, replicas, offsets, style)| {
            let nodes = [&axes[..], &derived].concat();
            plan(axes.len(), &nodes, &cuts, &replicas, offsets, style > 0, style > 2)
        },
    )
}

/// Layouts of at most 4000 slots whose elements have places of their own.
fn sound() -> impl Strategy<Value = (Plan, Placement)> {
    plans().prop_filter_map("not sound", |plan| {
        let layout = plan.layout().filter(|layout| layout.slots() <= 4000)?;
        let rows = plan.rows();
        let mut seen = BTreeSet::new();
        let apart = rows.iter().filter(|row| row.1.is_some()).all(|row| seen.insert(row.0));
        let placement = Placement::of(layout).build().ok().filter(|_| apart)?;
        Some((plan, placement))
    })
}

fn packed(program: &Program, place: &[u64; 4]) -> usize {
    let at = |level: Level| LEVELS.iter().position(|l| *l == level).map_or(0, |at| place[at]);
    let number = program.columns().fold(0, |sum, (level, size)| sum * size + at(level));
    usize::try_from(number).unwrap()
}

/// What every place of a window holds.
fn contents(program: &Program, rows: &[Row], window: &[Range<u64>]) -> Vec<Found<u64>> {
    let mut contents = vec![Found::Hole; usize::try_from(program.places()).unwrap()];
    // Elements stand before padding, and an element outside the window leaves a hole.
    for (place, index) in rows.iter().rev() {
        let inside = |index: &Vec<u64>| index.iter().zip(window).all(|(e, r)| r.contains(e));
        contents[packed(program, place)] = match index {
            None => Found::Padding,
            Some(index) if inside(index) => {
                let number = index.iter().zip(window).fold(0, |number, (entry, range)| {
                    number * (range.end - range.start) + entry - range.start
                });
                Found::Element(number)
            }
            Some(_) => Found::Hole,
        };
    }
    contents
}

fn check(plan: &Plan, placement: &Placement, cuts: &[(u64, u64)]) -> Result<(), TestCaseError> {
    let whole = placement.program().unwrap();
    prop_assume!(whole.places() < 60_000);
    let rows = plan.rows();
    let shape = placement.layout().shape();
    let full: Vec<Range<u64>> = shape.iter().map(|extent| 0..*extent).collect();
    let cut = |(extent, (a, b)): (&u64, &(u64, u64))| {
        let (a, b) = (a % (extent + 1), b % (extent + 1));
        a.min(b)..a.max(b)
    };
    let window: Vec<Range<u64>> = shape.iter().zip(cuts).map(cut).collect();
    for ranges in [full, window] {
        let program = whole.window(&ranges).unwrap();
        let indexes = count(ranges.iter().cloned());
        let expected: Vec<usize> =
            indexes.iter().map(|index| packed(&program, &plan.land(index).1)).collect();
        let mut table = vec![0_u32; indexes.len()];
        program.fill_packed(&mut table).unwrap();
        prop_assert!(table.iter().zip(&expected).all(|(a, b)| *a as usize == *b), "{:?}", table);
        for level in LEVELS {
            let mut column = vec![0_u16; indexes.len()];
            program.fill_column(level, &mut column).unwrap();
            for (cell, index) in column.iter().zip(&indexes) {
                let at = LEVELS.iter().position(|l| *l == level).unwrap();
                prop_assert_eq!(u64::from(*cell), plan.land(index).1[at]);
            }
        }
        for (index, number) in indexes.iter().zip(&expected) {
            prop_assert_eq!(program.place(index).unwrap() as usize, *number);
        }
        let contents = contents(&program, &rows, &ranges);
        check_inverse(&program, &contents)?;
        check_pack(&program, &contents, indexes.len())?;
        let runs = program.runs().flat_map(|run| {
            (0..run.length).map(move |at| (run.element + at, run.place + at * run.step))
        });
        let runs: Vec<(u64, u64)> = runs.collect();
        let in_order = (0..).zip(expected.iter().map(|place| *place as u64)).collect::<Vec<_>>();
        prop_assert_eq!(runs, in_order[..expected.len()].to_vec());
    }
    Ok(())
}

fn check_inverse(program: &Program, contents: &[Found<u64>]) -> Result<(), TestCaseError> {
    let cell = |found: &Found<u64>| match found {
        Found::Element(number) => u32::try_from(*number).unwrap(),
        Found::Padding => u32::MAX - 1,
        _ => u32::MAX,
    };
    let expected: Vec<u32> = contents.iter().map(cell).collect();
    let mut inverse = vec![7_u32; contents.len()];
    program.fill_inverse(&mut inverse).unwrap();
    prop_assert_eq!(&inverse, &expected);
    for (place, held) in (0..).zip(contents) {
        prop_assert_eq!(&program.element(place).unwrap(), held, "{}", place);
    }
    for unit in program.units().step_by(3).take(3) {
        let inside = |place: &u64| {
            let at = program.location(*place);
            unit.iter().all(|(level, of)| at.get(level) == Some(of))
        };
        let part: Vec<u32> =
            (0..program.places()).filter(inside).map(|at| expected[at as usize]).collect();
        let mut found = vec![7_u32; part.len()];
        program.fill_inverse_at(&unit, &mut found).unwrap();
        prop_assert_eq!(&found, &part, "{}", unit);
    }
    Ok(())
}

fn check_pack(
    program: &Program,
    contents: &[Found<u64>],
    elements: usize,
) -> Result<(), TestCaseError> {
    let tensor: Vec<u16> = (0..elements).map(|n| n as u16 ^ 0x5aa5).collect();
    let cell = |found: &Found<u64>| match found {
        Found::Element(number) => tensor[*number as usize],
        _ => 3,
    };
    let expected: Vec<u16> = contents.iter().map(cell).collect();
    let mut image = vec![9; contents.len()];
    program.pack(&tensor, &mut image, 3).unwrap();
    prop_assert_eq!(&image, &expected);
    let mut back = vec![0; elements];
    program.unpack(&image, &mut back).unwrap();
    prop_assert_eq!(&back, &tensor);
    let (mut parts, mut joined) = (vec![3; image.len()], vec![0; elements]);
    let most = image.len().div_ceil(5).max(1);
    for (part, from) in parts.chunks_mut(most).zip((0..).step_by(most)) {
        let places = from..from + part.len() as u64;
        program.scatter(&tensor, places.clone(), part).unwrap();
        program.gather(part, places, &mut joined).unwrap();
    }
    prop_assert_eq!(&parts, &expected);
    prop_assert_eq!(joined, tensor);
    let reach = program.reach();
    let element = |found: &Found<u64>| matches!(found, Found::Element(_));
    let taken = (0..).zip(contents).filter(|(_, found)| element(found)).map(|(at, _)| at);
    for place in taken {
        prop_assert!(reach.contains(&place) && reach.end <= program.places());
    }
    Ok(())
}

fn check_rows(plan: &Plan, placement: &Placement, parts: u64) -> Result<(), TestCaseError> {
    let rows = plan.rows();
    let columns = placement.columns();
    prop_assert_eq!(columns, [Level::L2B, Level::PE, Level::ADDR, Level::W]);
    for padding in [false, true] {
        let table = placement.table().with_padding(padding);
        let wanted = |row: &&Row| padding || row.1.is_some();
        let expected: Vec<([u64; 4], Option<Vec<u64>>)> = rows
            .iter()
            .filter(wanted)
            .map(|(place, index)| (in_columns(place), index.clone()))
            .collect();
        let mut found = Vec::new();
        for part in 0..parts {
            let table = table.clone().part(part, parts).unwrap();
            let _ = table
                .for_each(|row| {
                    found.push((row.place.try_into().unwrap(), row.index.map(<[u64]>::to_vec)));
                    ControlFlow::<()>::Continue(())
                })
                .unwrap();
        }
        prop_assert_eq!(&found, &expected);
        let mut csv = Vec::new();
        table.write(Format::Csv, &mut csv, &mut |_| {}).unwrap();
        let line = |(place, index): &([u64; 4], Option<Vec<u64>>)| {
            let place = place.iter().map(ToString::to_string);
            let entry = |axis: usize| index.as_ref().map_or(String::new(), |i| i[axis].to_string());
            place.chain((0..plan.rank).map(entry)).collect::<Vec<_>>().join(",")
        };
        let lines: Vec<String> = expected.iter().map(line).collect();
        prop_assert!(String::from_utf8(csv).unwrap().lines().skip(1).eq(lines));
    }
    let mut units: BTreeMap<(u64, u64), Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        units.entry((row.0[3], row.0[1])).or_default().push(row);
    }
    for ((l2b, pe), rows) in units {
        let unit: Location = [(Level::L2B, l2b), (Level::PE, pe)].into_iter().collect();
        for slot in placement.unit(&unit).unwrap().take(300) {
            let slot = slot.unwrap();
            let here = rows.iter().find(|row| (row.0[0], row.0[2]) == (slot.address, slot.lane));
            let expected = match here {
                None => Found::Hole,
                Some((_, None)) => Found::Padding,
                Some((_, Some(index))) => Found::Element(index.clone()),
            };
            prop_assert_eq!(slot.found, expected);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 500, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn programs_of_derived_axes_are_the_definition(
        (plan, placement) in sound(), cuts in prop::collection::vec((any::<u64>(), any::<u64>()), 7)
    ) {
        check(&plan, &placement, &cuts)?;
    }

    #[test]
    fn rows_are_all_slots_in_order((plan, placement) in sound(), parts in 1_u64..5) {
        check_rows(&plan, &placement, parts)?;
    }
}
