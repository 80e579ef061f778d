//! Lines hold the long words that `pack` writes, over generated layouts.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use tensor_layout::image::join_lanes;

use super::*;
use crate::emulator::{Memory, carried_out, places};

/// A layout for MN-Core 2, with its memory, dtype and base.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) layout: PadLayout,
    pub(crate) memory: MemoryText,
    pub(crate) dtype: Dtype,
    pub(crate) base: u64,
    seed: u64,
}

/// The levels of a memory: each with its size, and the coordinate step from one unit to the next.
fn room(memory: MemoryText, dtype: Dtype) -> Vec<(Level, u64, u64)> {
    let lanes = (Level::W, 64 / dtype.bits(), 1);
    match memory {
        MemoryText::DRAM => vec![(Level::ADDR, 60, 1), (Level::L2B, 4, 2), lanes],
        _ => vec![
            (Level::ADDR, 24, 1),
            (Level::L2B, 8, 1),
            (Level::L1B, 8, 1),
            (Level::MAB, 16, 1),
            (Level::PE, 4, 1),
            lanes,
        ],
    }
}

/// Layouts of any rank up to 6: digits of all levels in any order, padding, holes, sized copies.
pub(crate) fn case() -> impl Strategy<Value = Case> {
    let memory = select(vec![MemoryText::LM0, MemoryText::LM1, MemoryText::DRAM]);
    let digit = || (1_u64..=4, any::<usize>(), any::<u64>());
    let axes = prop::collection::vec(prop::collection::vec(digit(), 0..4), 0..=6);
    let copies = prop::collection::vec(digit(), 0..2);
    let kind = (any::<bool>(), 0_u64..40, any::<u64>(), prop::collection::vec(0_u64..9, 6));
    (memory, select(Dtype::ALL.to_vec()), axes, copies, kind).prop_filter_map(
        "not injective",
        |(memory, dtype, axes, copies, (loose, base, seed, cuts))| {
            let mut room = room(memory, dtype);
            let mut used: BTreeMap<Level, u64> = BTreeMap::new();
            let levels = room.len();
            let mut digit = |(size, level, gap): (u64, usize, u64)| {
                let (level, free, step) = &mut room[level % levels];
                let size = size.min(*free);
                *free /= size;
                let next = used.entry(*level).or_insert(*step);
                // Free strides, where elements may collide, or nested ones with holes between them.
                let hole = if gap % 4 == 0 && *free > 1 { 2 } else { 1 };
                let stride = if loose { *step * (1 + gap % 6) } else { *next * hole };
                *free /= hole;
                *next = *next * hole * size;
                (size, *level, stride)
            };
            let mut axes: Vec<Vec<_>> =
                axes.into_iter().map(|axis| axis.into_iter().map(&mut digit).collect()).collect();
            if axes.iter().flatten().map(|(size, ..)| size).product::<u64>() > 400 {
                axes.truncate(2);
            }
            let replicas = copies.into_iter().map(&mut digit).collect();
            let slots = |axis: &Vec<(u64, Level, u64)>| axis.iter().map(|d| d.0).product::<u64>();
            let cut = |(axis, cut): (&Vec<_>, &u64)| slots(axis) - cut.min(&(slots(axis) - 1)) / 3;
            let shape = axes.iter().zip(&cuts).map(cut).collect();
            let slow = Plain { shape, axes, replicas };
            let mut layout = slow.is_injective().then(|| PadLayout::of(&slow.layout()).ok())??;
            (layout.memory, layout.dtype) = (Some(memory), Some(dtype));
            let case = Case { layout, memory, dtype, base, seed };
            case.placement().map(|_| case)
        },
    )
}

impl Case {
    /// The placement on the machine, if there is room.
    fn placement(&self) -> Option<Placement> {
        Placement::of(self.layout.lower().ok()?)
            .on(&Machine::mn_core_2())
            .memory(self.memory.name())
            .element_bits(self.dtype.bits())
            .base(self.base)
            .build()
            .ok()
    }

    /// The tensor at a higher base, if the machine has room there.
    pub(crate) fn moved(&self, by: u64) -> Option<Case> {
        let case = Case { base: self.base + by, ..self.clone() };
        case.placement().map(|_| case)
    }

    /// The bits of an element: any value of its type except NaN.
    fn bits(&self, element: u64) -> u64 {
        let bits = (element + 1).wrapping_mul(self.seed | 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = bits >> (64 - self.dtype.bits());
        match self.dtype {
            Dtype::Float => bits & 0xbfff_ffff,
            Dtype::Double => bits & 0xbfff_ffff_ffff_ffff,
            Dtype::Half => bits & 0xbfff,
            _ => bits,
        }
    }

    pub(crate) fn data(&self) -> VectorData {
        let shape = self.layout.lower().unwrap().shape();
        let count = shape.iter().product();
        data(self.dtype, &shape, (0..count).map(|element| self.bits(element)))
    }

    pub(crate) fn writer(&self, direction: TensorDirection) -> VectorWriter {
        let header = VectorHeader { direction, number: 0, layout: self.layout.clone() };
        VectorWriter::new(header, self.data()).unwrap().base(self.base)
    }

    /// The contents of the memories according to `pack`: long words that hold an element.
    pub(crate) fn packed(&self) -> Memory {
        let placement = self.placement().unwrap();
        let program = placement.program().unwrap();
        let layout = placement.layout();
        let lanes = 64 / self.dtype.bits();
        let lone = self.memory == MemoryText::DRAM
            && layout.used_levels().contains(&Level::W)
            && layout.extent(Level::W) == 1;
        let elements: Vec<u64> = (0..program.elements()).collect();
        let mut image = vec![u64::MAX; usize::try_from(program.places()).unwrap()];
        program.pack(&elements, &mut image, u64::MAX).unwrap();
        let mut memory = Memory::new();
        for (at, cells) in image.chunks(lanes as usize).enumerate() {
            if cells.iter().all(|cell| *cell == u64::MAX) {
                continue;
            }
            let bits = |cell: &u64| if *cell == u64::MAX { 0 } else { self.bits(*cell) };
            let cells: Vec<u64> =
                (0..cells.len()).map(|lane| bits(&cells[if lone { 0 } else { lane }])).collect();
            let place = program.location(at as u64 * lanes);
            let level = |level| place.get(level).unwrap_or(0);
            let (group, half) = (level(Level::L2B) / 2, level(Level::L2B) % 2);
            let unit = match self.memory {
                MemoryText::DRAM => [group, 0, 0, 0, 0],
                _ => [group, half, level(Level::L1B), level(Level::MAB), level(Level::PE)],
            };
            let name = match self.memory {
                MemoryText::LM0 => "lm",
                MemoryText::LM1 => "ln",
                _ => "d",
            };
            let place = (name.to_owned(), unit, level(Level::ADDR));
            *memory.entry(place).or_default() |= joined(lanes, &cells);
        }
        memory
    }
}

/// The one place that a text names.
fn one(text: &str) -> (String, [u64; 5], u64) {
    let (name, units, address) = places(text);
    let [unit] = units[..] else { panic!("{text} names several units") };
    (name, unit, address)
}

/// Packs lanes into a long word, using the library.
fn joined(lanes: u64, cells: &[u64]) -> u64 {
    let mut word = [0];
    match lanes {
        1 => join_lanes(cells, &mut word),
        2 => join_lanes(&cells.iter().map(|cell| *cell as u32).collect::<Vec<_>>(), &mut word),
        4 => join_lanes(&cells.iter().map(|cell| *cell as u16).collect::<Vec<_>>(), &mut word),
        _ => join_lanes(&cells.iter().map(|cell| *cell as u8).collect::<Vec<_>>(), &mut word),
    }
    .unwrap();
    word[0]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 150, failure_persistence: None, max_global_rejects: 1 << 20, ..ProptestConfig::default()
    })]

    #[test]
    fn law_02_lines_hold_what_pack_holds(case in case()) {
        let lines = lines(&case.writer(TensorDirection::In));
        prop_assert_eq!(carried_out(&lines), case.packed());
        // Every long word is written once, in the order of its first element.
        let place = |line: &str| line.split(" # ").next().unwrap().rsplit_once(' ').unwrap().0.to_owned();
        let places: BTreeSet<String> = lines.lines().map(place).collect();
        prop_assert_eq!(places.len(), lines.lines().count());
        let first = |line: &str| -> Vec<u64> {
            line.parse::<VectorLine>().unwrap().comment.unwrap().indexes.into_iter().min().unwrap()
        };
        let order: Vec<Vec<u64>> = lines.lines().map(first).collect();
        prop_assert!(order.is_sorted());
    }

    #[test]
    fn write_read_write_is_the_identity(case in case()) {
        let written = file(&[case.writer(TensorDirection::In), case.writer(TensorDirection::Out)]);
        let mut reader = VectorReader::new(written.as_bytes());
        let mut again = Vec::new();
        while let Some(read) = reader.next_tensor(&mut |_| {}).unwrap() {
            prop_assert_eq!((read.unset_count(), read.unset().count()), (0, 0));
            prop_assert_eq!(&read.data, &case.data());
            let elements = read.data.shape().iter().product::<u64>();
            prop_assert_eq!(read.base, if elements == 0 { 0 } else { case.base });
            again.push(VectorWriter::new(read.header, read.data).unwrap().base(read.base));
        }
        prop_assert_eq!(&file(&again), &written);
        let check = check_vectors(written.as_bytes(), &mut |_| {}).unwrap();
        prop_assert_eq!((check.findings, check.tensors), (vec![], 2));
        for line in written.lines().filter(|line| !line.starts_with('#')) {
            prop_assert_eq!(line.parse::<VectorLine>().unwrap().to_string(), line);
        }
    }

    #[test]
    fn a_simulator_that_keeps_its_memory_gives_what_is_expected(case in case(), flip in any::<u64>()) {
        let (set, read) = (lines(&case.writer(TensorDirection::In)), lines(&case.writer(TensorDirection::Out)));
        let mut memory = carried_out(&set);
        let header = case.writer(TensorDirection::Out).header().to_string();
        let expected = format!("{header}\n{read}");
        let result = |memory: &Memory| -> String {
            let word = |line: &str| {
                let place = line.split(' ').nth(2).unwrap();
                format!("{:016x}\n", memory[&one(place)])
            };
            read.lines().map(word).collect()
        };
        let compare = |result: &str| {
            compare_vectors(expected.as_bytes(), result.as_bytes(), &mut |_| {}).unwrap().remove(0)
        };
        let same = compare(&result(&memory));
        prop_assert_eq!((same.wrong, same.compared >= case.data().shape().iter().product()), (0, true));
        // Changing any other long word that is read is detected, at its place.
        let read_places: Vec<_> =
            read.lines().map(|line| one(line.split(' ').nth(2).unwrap())).collect();
        if read_places.is_empty() {
            return Ok(());
        }
        let at = read_places[usize::try_from(flip % read_places.len() as u64).unwrap()].clone();
        // Flips the sign or the top bit of every lane: no value is within the tolerance of the result.
        let top = joined(64 / case.dtype.bits(), &vec![1 << (case.dtype.bits() - 1); 8][..(64 / case.dtype.bits()) as usize]);
        let word = memory.get_mut(&at).unwrap();
        *word ^= top;
        let wrong = compare(&result(&memory));
        let is_float = matches!(case.dtype, Dtype::Float | Dtype::Double | Dtype::Half);
        prop_assert!(is_float || wrong.wrong > 0);
        for difference in &wrong.differences {
            prop_assert_eq!(&one(&difference.place.to_string()), &at);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn law_16_no_file_panics(edits in prop::collection::vec((any::<usize>(), 0..4_u8, any::<usize>()), 1..6)) {
        const TEXT: &[u8] = b"0123456789abcdef#=@[](),:_/$ nmpdr\n\xff-";
        let mut file = short().into_bytes();
        for (at, what, with) in edits {
            let (at, with) = (at % file.len(), TEXT[with % TEXT.len()]);
            match what {
                0 => file[at] = with,
                1 => file.insert(at, with),
                2 => drop(file.remove(at)),
                _ => drop(file.drain(at..(at + 30).min(file.len()))),
            }
        }
        let check = check_vectors(&file[..], &mut |_| {}).unwrap();
        for finding in &check.findings {
            prop_assert!(finding.line >= 1 && !finding.fault.to_string().is_empty());
        }
        let mut reader = VectorReader::new(&file[..]);
        while let Ok(Some(tensor)) = reader.next_tensor(&mut |_| {}) {
            prop_assert!(tensor.unset().count() as u64 == tensor.unset_count());
        }
        let _ = compare_vectors(&file[..], &file[..], &mut |_| {});
        for line in String::from_utf8_lossy(&file).lines() {
            let errors = [line.parse::<VectorLine>().err(), line.parse::<VectorHeader>().err()];
            for error in errors.into_iter().flatten() {
                let span = error.span();
                prop_assert!(span.start <= span.end && span.end <= error.text().len());
            }
        }
    }
}

/// A file of a few lines.
fn short() -> String {
    let writer = |direction, layout: &str, shape: &[u64]| {
        let count = shape.iter().product::<u64>();
        let values = floats(shape, (0..count).map(|at| at as f32 / 3.0));
        VectorWriter::new(header(direction, 0, layout), values).unwrap()
    };
    file(&[
        writer(TensorDirection::In, "(7)/((2:1, 2_PE:1, 2_W:1); B@[2_MAB:1])@LM0 / Float", &[7]),
        writer(TensorDirection::Out, "((2_L2B:2), (2:1, 2_W:1))@DRAM / Float", &[2, 4]),
    ])
}

#[test]
fn addresses_beyond_every_memory_are_refused() {
    let line = "d getd $d18446744073709551615n0 1 # expect=[1] / Int @[0]";
    let refused = line.parse::<VectorLine>().unwrap_err().to_string();
    assert!(refused.contains("is beyond the end of DRAM"), "{refused}");
}
