//! Shardings answered device by device, checked by enumerating the elements of every device.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use tensor_layout::algebra::Difference;
use tensor_layout::error::ErrorKind;
use tensor_layout::relayout::{Distance, Relayout, Traffic};
use tensor_layout::sharding::{DeviceShards, ShardedShape};
use tensor_layout::{Level, Machine, Placement};

use crate::slow;

/// A random sharding whose device order is either irregular or made of digits.
struct Case {
    text: String,
    tiles: Vec<u64>,
    /// The device at each position: tiles in row-major order, then copies.
    order: Vec<u64>,
    copies: u64,
}

/// A random number generator (xorshift) with the same numbers at every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }

    fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap()].clone()
    }

    fn shuffled(&mut self, count: u64) -> Vec<u64> {
        let mut left: Vec<u64> = (0..count).collect();
        (0..count)
            .map(|_| left.remove(usize::try_from(self.below(left.len() as u64)).unwrap()))
            .collect()
    }

    /// A list, or an iota whose radices need not line up with the tiles.
    fn case(&mut self, rank: usize) -> Case {
        let tiles: Vec<u64> = (0..rank).map(|_| self.of(&[1, 1, 2, 3, 4])).collect();
        // Without dimensions, there must be another number.
        let copies = if rank == 0 { self.of(&[2, 3, 6]) } else { self.of(&[1, 1, 2, 3, 6]) };
        let all = tiles.iter().product::<u64>() * copies;
        let (order, devices) = match self.below(3) {
            0 => {
                let list = self.shuffled(all);
                (list.clone(), joined(&list))
            }
            _ => {
                let mut radices = Vec::new();
                let mut rest = all;
                while rest > 1 {
                    let factor = (2..=rest).filter(|n| rest % n == 0);
                    let factor = self.of(&factor.collect::<Vec<_>>());
                    radices.push(factor);
                    rest /= factor;
                }
                if radices.is_empty() {
                    radices.push(1);
                }
                let places = self.shuffled(radices.len() as u64);
                let transposed = match places.len() {
                    1 => String::new(),
                    _ => format!("T({})", joined(&places)),
                };
                let devices = format!("<=[{}]{transposed}", joined(&radices));
                (iota(&radices, &places), devices)
            }
        };
        Case { text: sharding(&tiles, copies, &devices), tiles, order, copies }
    }
}

/// The text of tiles, and of copies of each, over devices.
fn sharding(tiles: &[u64], copies: u64, devices: &str) -> String {
    let dims: Vec<u64> = tiles.iter().copied().chain((copies > 1).then_some(copies)).collect();
    let replicate = if copies > 1 { " last_tile_dim_replicate" } else { "" };
    format!("{{devices=[{}]{devices}{replicate}}}", joined(&dims))
}

fn joined(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// `arange(n).reshape(radices).transpose(places).ravel()`.
fn iota(radices: &[u64], places: &[u64]) -> Vec<u64> {
    let at = |place: &u64| usize::try_from(*place).unwrap();
    let turned: Vec<u64> = places.iter().map(|place| radices[at(place)]).collect();
    let device = |index: Vec<u64>| {
        let mut digits = vec![0; radices.len()];
        places.iter().zip(index).for_each(|(place, digit)| digits[at(place)] = digit);
        digits.iter().zip(radices).fold(0, |number, (digit, radix)| number * radix + digit)
    };
    slow::count(&turned).into_iter().map(device).collect()
}

impl Case {
    /// The devices of an element, and its address in their row-major shards.
    fn held(&self, extents: &[u64], index: &[u64]) -> (BTreeSet<u64>, u64) {
        let (mut tile, mut address) = (0, 0);
        for ((extent, tiles), at) in extents.iter().zip(&self.tiles).zip(index) {
            let size = extent.div_ceil(*tiles);
            tile = tile * tiles + at / size;
            address = address * size + at % size;
        }
        let first = usize::try_from(tile * self.copies).unwrap();
        let copies = usize::try_from(self.copies).unwrap();
        (self.order[first..first + copies].iter().copied().collect(), address)
    }

    fn sharded(&self, extents: &[u64]) -> ShardedShape {
        let text = format!("f32[{}], sharding={}", joined(extents), self.text);
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }
}

fn path(device: u64, machine: &Machine) -> Vec<u64> {
    let sizes: Vec<u64> = machine.levels().map(|(_, size)| size).collect();
    let below = |at: usize| sizes[at + 1..].iter().product::<u64>();
    (0..sizes.len()).map(|at| device / below(at) % sizes[at]).collect()
}

fn extents(random: &mut Random, rank: usize) -> Vec<u64> {
    (0..rank).map(|_| random.of(&[1, 2, 3, 4, 5, 6, 7, 8])).collect()
}

/// The coordinates of every place of an element, in order.
fn places(shards: &DeviceShards, index: &[u64]) -> Vec<Vec<u64>> {
    let columns = shards.columns();
    let places = shards.locate_all(index).unwrap();
    places.iter().map(|p| columns.iter().map(|level| p.get(*level).unwrap()).collect()).collect()
}

#[test]
fn every_sharding_that_says_places_is_located_and_tabled_by_device() {
    let mut random = Random(0x5eed);
    let (mut listed, mut with_layout) = (0, 0);
    for _ in 0..400 {
        let rank = usize::try_from(random.below(4)).unwrap();
        let (case, extents) = (random.case(rank), extents(&mut random, rank));
        let machine: Machine = random.of(&["A=3,B=96", "A=6,B=2,C=96"]).parse().unwrap();
        let sharded = case.sharded(&extents);
        let shards = sharded.by_device(Some(&machine)).unwrap();
        let mut wanted = BTreeMap::new();
        for index in slow::count(&extents) {
            let (devices, address) = case.held(&extents, &index);
            let units =
                devices.iter().map(|device| [path(*device, &machine), vec![address]].concat());
            let units: Vec<Vec<u64>> = units.collect();
            assert_eq!(places(&shards, &index), units, "{sharded} {index:?}");
            wanted.extend(units.into_iter().map(|place| (place, index.clone())));
        }
        let mut found = Vec::new();
        let _ = shards
            .table()
            .for_each(|row| {
                found.push((row.place.to_vec(), row.index.unwrap().to_vec()));
                ControlFlow::<()>::Continue(())
            })
            .unwrap();
        assert!(found.iter().cloned().eq(wanted), "{sharded}: {found:?}");
        match sharded.lower_on(&machine) {
            Ok(layout) => {
                with_layout += 1;
                let placement = Placement::of(layout).on(&machine).build().unwrap();
                let mut rows = Vec::new();
                let _ = placement
                    .table()
                    .for_each(|row| {
                        rows.push((row.place.to_vec(), row.index.unwrap().to_vec()));
                        ControlFlow::<()>::Continue(())
                    })
                    .unwrap();
                assert_eq!(rows, found, "{sharded}");
            }
            Err(error) => {
                listed += 1;
                let error = error.to_string();
                assert!(error.contains("digits") || error.contains("not a strided"), "{error}");
            }
        }
    }
    assert!(listed > 60 && with_layout > 200, "{listed} {with_layout}");
}

#[test]
fn padding_rows_of_shards_are_their_slots_without_an_element() {
    let sharded: ShardedShape = "f32[5], sharding={devices=[4]3,1,0,2}".parse().unwrap();
    let shards = sharded.by_device(None).unwrap();
    let mut rows = Vec::new();
    let _ = shards
        .table()
        .with_padding(true)
        .for_each(|row| {
            rows.push((row.place.to_vec(), row.index.map(<[u64]>::to_vec)));
            ControlFlow::<()>::Continue(())
        })
        .unwrap();
    let row = |device, address, index: Option<u64>| (vec![device, address], index.map(|i| vec![i]));
    assert_eq!(
        rows,
        [
            row(0, 0, Some(4)),
            row(0, 1, None),
            row(1, 0, Some(2)),
            row(1, 1, Some(3)),
            row(2, 0, None),
            row(2, 1, None),
            row(3, 0, Some(0)),
            row(3, 1, Some(1)),
        ]
    );
}

/// Counts by distance, nearest first; then per level, innermost first, the elements that enter and leave.
type Counts = (Vec<(Distance, u64)>, Vec<(Level, u64, Option<u64>)>);

/// The moves, element by element.
fn moved(source: &Case, destination: &Case, extents: &[u64], machine: &Machine) -> Counts {
    let names: Vec<Level> = machine.levels().map(|(level, _)| level).collect();
    let mut distances: BTreeMap<usize, u64> = BTreeMap::new();
    let mut levels: Vec<(u64, Option<u64>)> = vec![(0, Some(0)); names.len()];
    // The depths at which paths diverge, then the address, then in place.
    let (address, in_place) = (names.len(), names.len() + 1);
    for index in slow::count(extents) {
        let (from, at) = source.held(extents, &index);
        let (to, wanted) = destination.held(extents, &index);
        for device in &to {
            let own = path(*device, machine);
            let common = |other: &u64| {
                own.iter().zip(path(*other, machine)).take_while(|(a, b)| **a == *b).count()
            };
            let nearest = from.iter().map(common).max().unwrap();
            let here = nearest == address && at == wanted;
            *distances.entry(if here { in_place } else { nearest }).or_default() += 1;
        }
        for (depth, (into, out_of)) in levels.iter_mut().enumerate() {
            let units = |devices: &BTreeSet<u64>| -> BTreeSet<Vec<u64>> {
                devices.iter().map(|device| path(*device, machine)[..=depth].to_vec()).collect()
            };
            let (sources, wanted) = (units(&from), units(&to));
            *into += wanted.difference(&sources).count() as u64;
            let leaves = u64::from(!wanted.is_subset(&sources));
            *out_of = out_of.filter(|_| sources.len() == 1).map(|count| count + leaves);
        }
    }
    let count = |at: usize| distances.get(&at).copied().unwrap_or(0);
    let mut by_distance =
        vec![(Distance::InPlace, count(in_place)), (Distance::Address, count(address))];
    let far = (0..names.len()).rev().map(|at| (Distance::Level(names[at]), count(at)));
    by_distance.extend(far);
    let levels = names.into_iter().zip(levels).rev();
    (by_distance, levels.map(|(level, (into, out_of))| (level, into, out_of)).collect())
}

#[test]
fn traffic_between_devices_is_that_of_every_element_and_of_the_layouts() {
    let mut random = Random(0xfeed);
    let (mut listed, mut with_layouts) = (0, 0);
    for _ in 0..300 {
        let rank = usize::try_from(random.below(4)).unwrap();
        let [a, b] = [(); 2].map(|()| random.case(rank));
        let extents = extents(&mut random, rank);
        let machine: Machine = random.of(&["A=6,B=96", "A=96,B=3,C=4", "D=384"]).parse().unwrap();
        let [source, destination] = [&a, &b].map(|case| case.sharded(&extents));
        let by_device = |sharded: &ShardedShape| sharded.by_device(Some(&machine)).unwrap();
        let traffic = by_device(&source).traffic(&by_device(&destination)).unwrap();
        let levels = traffic.levels.iter().map(|l| (l.level, l.into, l.out_of)).collect();
        let wanted = moved(&a, &b, &extents, &machine);
        assert_eq!((traffic.by_distance.clone(), levels), wanted, "{source} {destination}");
        let elements = extents.iter().product();
        assert_eq!((traffic.elements, traffic.copies), (elements, b.copies));
        let place = |sharded: &ShardedShape| {
            let layout = sharded.lower_on(&machine).ok()?;
            Some(Placement::of(layout).on(&machine).build().unwrap())
        };
        let (Some(from), Some(to)) = (place(&source), place(&destination)) else {
            listed += 1;
            continue;
        };
        with_layouts += 1;
        let relayout = Relayout::new(&from, &to).unwrap();
        let found = relayout.traffic().unwrap();
        assert_eq!(found.by_distance, traffic.by_distance, "{source} {destination}");
        let crossing = |traffic: &Traffic| -> Vec<_> {
            traffic.levels.iter().map(|level| (level.level, level.into, level.out_of)).collect()
        };
        assert_eq!(crossing(&found), crossing(&traffic), "{source} {destination}");
    }
    assert!(listed > 60 && with_layouts > 60, "{listed} {with_layouts}");
}

#[test]
fn tiled_shards_of_two_lists_stay_in_place_where_their_addresses_agree() {
    let shards = |text: &str| text.parse::<ShardedShape>().unwrap().by_device(None).unwrap();
    let source = shards("f32[8,6]{1,0:T(2,2)}, sharding={devices=[2,1]1,0}");
    let destination = shards("f32[8,6]{0,1:T(2,2)}, sharding={devices=[2,1]1,0}");
    let traffic = source.traffic(&destination).unwrap();
    let local = |text: &str| {
        let layout = text.parse::<tensor_layout::xla::XlaShape>().unwrap().lower().unwrap();
        Placement::of(layout).on(&"PE=1".parse().unwrap()).build().unwrap()
    };
    let own = Relayout::new(&local("f32[4,6]{1,0:T(2,2)}"), &local("f32[4,6]{0,1:T(2,2)}"));
    let own = own.unwrap().traffic().unwrap().count(Distance::InPlace);
    assert_eq!(traffic.count(Distance::InPlace), 2 * own);
    assert!(own > 0 && own < 24, "{own}");
}

#[test]
fn what_cannot_be_compared_or_placed_is_refused() {
    let sharded = |text: &str| text.parse::<ShardedShape>().unwrap();
    let shards = |text: &str| sharded(text).by_device(None).unwrap();
    let list = shards("f32[8], sharding={devices=[2]1,0}");
    for (other, reason) in [
        ("f32[7], sharding={devices=[2]1,0}", "the shapes differ"),
        ("f32[8], sharding={devices=[4]<=[4]}", "the levels differ"),
    ] {
        let error = list.traffic(&shards(other)).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    for (text, reason) in [
        ("f32[8], sharding={manual}", "leaves the placement"),
        ("f32[8], sharding={replicated}", "how many devices"),
        ("f32[8], sharding={devices=[2,2]<=[4] last_tile_dims={unreduced}}", "partial results"),
    ] {
        let error = sharded(text).by_device(None).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    // A number beyond the units: the list has two devices, and one of them is number 5.
    let beyond = sharded("f32[8], sharding={devices=[2]5,0}");
    assert!(beyond.by_device(Some(&"PE=5".parse().unwrap())).is_err());
    assert!(beyond.by_device(Some(&"PE=6".parse().unwrap())).is_ok());
    let many = sharded("f32[8], sharding={devices=[8388608]<=[8388608]}");
    assert!(many.by_device(None).unwrap_err().to_string().contains("4194304"));
    let error = list.locate_all(&[8]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange, "{error}");
}

#[test]
fn copies_are_counted_whatever_the_kind_of_the_sharding() {
    let copies = |text: &str| crate::sharding::sharding(text).copies();
    assert_eq!(copies("{devices=[2,3]<=[6] last_tile_dim_replicate}"), Some(3));
    assert_eq!(copies("{maximal device=3}"), Some(1));
    assert_eq!(copies("{replicated}"), None);
    assert_eq!(copies("{manual}"), None);
}

#[test]
fn shardings_are_the_same_device_by_device_where_elements_and_layouts_are() {
    let mut random = Random(0xace);
    let (mut same, mut with_layouts) = (0, 0);
    for round in 0..600 {
        let rank = usize::try_from(random.below(3)).unwrap();
        let a = random.case(rank);
        // Two random shardings are almost never equal, so in every other pair one is a list of the devices of
        // the other, with the copies of each tile in another order.
        let b = match round % 2 {
            0 => random.case(rank),
            _ => listed_anew(&a, &mut random),
        };
        let extents = extents(&mut random, rank);
        let machine: Machine = random.of(&["A=6,B=96", "D=384"]).parse().unwrap();
        let sides = [&a, &b].map(|case| case.sharded(&extents));
        let [ours, theirs] = [0, 1].map(|side| sides[side].by_device(Some(&machine)).unwrap());
        let wanted = slow::count(&extents)
            .into_iter()
            .all(|index| a.held(&extents, &index) == b.held(&extents, &index));
        let found = ours.same_up_to_padding(&theirs).unwrap();
        assert_eq!(found.is_none(), wanted, "{} {}", sides[0], sides[1]);
        if let Some(Difference::Element { index, first, second }) = &found {
            assert_eq!(first, &ours.locate_all(index).unwrap());
            assert!(first != second, "{} {}", sides[0], sides[1]);
        }
        same += usize::from(wanted);
        let map = ours.same_map(&theirs).unwrap();
        let lowered = sides.map(|side| side.lower_on(&machine));
        if let [Ok(a), Ok(b)] = lowered {
            with_layouts += 1;
            let wanted = a.same_map(&b).unwrap();
            assert_eq!(map.is_none(), wanted.is_none(), "{ours:?} {theirs:?}: {map:?} {wanted:?}");
        }
    }
    assert!(same > 150 && with_layouts > 100, "{same} {with_layouts}");
}

/// The sharding as a list of the same devices for every tile, with those of each tile in another order.
fn listed_anew(case: &Case, random: &mut Random) -> Case {
    let copies = usize::try_from(case.copies).unwrap();
    let tiles = case.order.chunks(copies).map(|tile| {
        let order = random.shuffled(case.copies);
        order.iter().map(|at| tile[usize::try_from(*at).unwrap()]).collect::<Vec<_>>()
    });
    let order = tiles.collect::<Vec<_>>().concat();
    let text = sharding(&case.tiles, case.copies, &joined(&order));
    Case { text, tiles: case.tiles.clone(), order, copies: case.copies }
}

#[test]
fn devices_that_hold_padding_alone_differ_from_devices_that_are_not_there() {
    let shards = |text: &str| text.parse::<ShardedShape>().unwrap().by_device(None).unwrap();
    let machine = Some("Device=4".parse().unwrap());
    let on =
        |text: &str| text.parse::<ShardedShape>().unwrap().by_device(machine.as_ref()).unwrap();
    let four = on("f32[2], sharding={devices=[4]0,1,3,2}");
    let two = on("f32[2], sharding={devices=[2]0,1}");
    assert_eq!(four.same_up_to_padding(&two).unwrap(), None);
    let difference = four.same_map(&two).unwrap().unwrap();
    assert_eq!(
        difference.to_string(),
        "at Device=2,Addr=0 the first has padding, the second has nothing (outside)"
    );
    let refused = shards("f32[4], sharding={devices=[2]1,0}")
        .same_map(&shards("f32[4], sharding={devices=[4]1,0,2,3}"));
    assert!(refused.is_err(), "the machines differ: {refused:?}");
}
