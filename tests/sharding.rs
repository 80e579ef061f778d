//! The meaning of shardings: the elements of each device, in layouts and in bytes, checked against XLA's own
//! `HloSharding` and by enumeration.

use std::ops::Range;

use tensor_layout::relayout::Relayout;
use tensor_layout::sharding::{
    HloSharding, Mesh, PartitionSpec, Placements, SdySharding, ShardedShape, Sharding,
};
use tensor_layout::xla::XlaShape;
use tensor_layout::{Found, Layout, LayoutText, Level, Machine, Placement};

/// XLA's answers for random shardings, written and described by `tests/python/check_sharding.py`. The
/// environment variable names a file with more of them.
fn xla_lines() -> String {
    match std::env::var("TENSOR_LAYOUT_XLA_SHARDINGS") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("data/shardings.txt").to_owned(),
    }
}

fn numbers(text: &str) -> Vec<u64> {
    text.split(',').filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect()
}

pub(crate) fn sharding(text: &str) -> Sharding {
    let read: HloSharding = text.parse().unwrap_or_else(|error| panic!("{text}\n{error}"));
    assert_eq!(read.to_string().parse::<HloSharding>().unwrap(), read, "{text}");
    read.lower().unwrap_or_else(|error| panic!("{text}\n{error}"))
}

fn held(parts: &[Range<u64>]) -> String {
    let part = |range: &Range<u64>| format!("{}x{}", range.start, range.end);
    parts.iter().map(part).collect::<Vec<_>>().join(",")
}

fn fnv(text: &str) -> String {
    let step = |state: u64, byte: u8| (state ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// All indexes of a tensor.
fn indexes(extents: &[u64]) -> Vec<Vec<u64>> {
    extents.iter().fold(vec![Vec::new()], |indexes, extent| {
        let longer = |index: Vec<u64>| {
            (0..*extent).map(move |at| index.iter().copied().chain([at]).collect())
        };
        indexes.into_iter().flat_map(longer).collect()
    })
}

/// The devices, in the order of their numbers, and the part of each.
fn shards(sharding: &Sharding, extents: &[u64]) -> Vec<(u64, Vec<Range<u64>>)> {
    let machine = sharding.machine().unwrap().unwrap();
    let units: u64 = machine.levels().map(|(_, size)| size).product();
    let of = |device| Some((device, sharding.shard(extents, device).unwrap()?));
    (0..units).filter_map(of).collect()
}

#[test]
fn shards_and_normal_forms_are_those_of_xla() {
    let mut placed = 0;
    for line in xla_lines().lines() {
        let [text, extents, printed, parts] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        let extents = numbers(extents);
        let sharding = sharding(text);
        assert_eq!(sharding.to_hlo().to_string(), printed, "{text}");
        if let (true, false) = (text.contains("devices="), parts.is_empty()) {
            let all = shards(&sharding, &extents).into_iter().map(|(_, shard)| held(&shard));
            assert_eq!(fnv(&all.collect::<Vec<_>>().join(";")), parts, "{line}");
            placed += 1;
        }
    }
    assert!(placed > 1000, "{placed}");
}

#[test]
fn locate_finds_every_device_whose_shard_has_the_element() {
    for line in xla_lines().lines().step_by(7) {
        let (text, rest) = line.split_once('|').unwrap();
        let extents = numbers(rest.split('|').next().unwrap());
        let sharding = sharding(text);
        let is_tiled = text.contains("devices=") && sharding.shard(&extents, 0).is_ok();
        if !is_tiled || extents.iter().product::<u64>() > 300 {
            continue;
        }
        for index in indexes(&extents) {
            let (devices, local) = sharding.locate(&extents, &index).unwrap();
            for (device, shard) in shards(&sharding, &extents) {
                let has = shard.iter().zip(&index).all(|(range, at)| range.contains(at));
                assert_eq!(has, devices.contains(&device), "{text} {index:?} {device}");
                if has {
                    let offsets = shard.iter().zip(&index).map(|(range, at)| at - range.start);
                    assert!(offsets.eq(local.iter().copied()), "{text} {index:?}");
                }
            }
        }
    }
}

/// The row-major layout of a shard.
fn row_major(extents: &[u64]) -> Layout {
    let dims: Vec<String> = extents.iter().map(u64::to_string).collect();
    format!("s32[{}]", dims.join(",")).parse::<XlaShape>().unwrap().lower().unwrap()
}

/// Every place of a layout as (device, address), from the digits of the levels.
fn places(layout: &Layout, index: &[u64], levels: &[(Level, u64)]) -> Vec<(u64, u64)> {
    let mut places: Vec<(u64, u64)> = layout
        .locate_all(index)
        .unwrap()
        .map(|place| {
            let unit = |number, (level, size): &(Level, u64)| {
                let at = place.get(*level).unwrap_or(0);
                assert!(at < *size, "{level} {at}");
                number * size + at
            };
            (levels.iter().fold(0, unit), place.get(Level::ADDR).unwrap())
        })
        .collect();
    places.sort_unstable();
    places
}

#[test]
fn the_layout_has_the_places_that_locate_says() {
    let trees = ["HOST=2,CHIP=4", "POD=3,HOST=4,CHIP=8", "A=6,B=2,C=7", "BIG=5,SMALL=16"];
    let (mut checked, mut refused) = (0, 0);
    for (number, line) in xla_lines().lines().enumerate() {
        let (text, rest) = line.split_once('|').unwrap();
        let extents = numbers(rest.split('|').next().unwrap());
        let sharding = sharding(text);
        if extents.iter().product::<u64>() > 400 || sharding.devices().is_none() {
            continue;
        }
        let shard = sharding.shard_extents(&extents).unwrap();
        let local = row_major(&shard);
        let machine: Machine = trees[number % trees.len()].parse().unwrap();
        let device = Level::new("Device").unwrap();
        let plain = (sharding.mesh().is_none()).then(|| vec![(device, u64::MAX >> 40)]);
        for (levels, machine) in
            [(plain, None), (Some(machine.levels().collect::<Vec<_>>()), Some(&machine))]
        {
            let Some(levels) = levels else { continue };
            let Ok(layout) = sharding.layout(&extents, &local, machine) else {
                refused += 1;
                continue;
            };
            checked += 1;
            if let Some(machine) = machine {
                // Including padding slots.
                let placement = Placement::of(layout.clone()).on(machine).build();
                assert!(placement.is_ok(), "{text} {machine:?}: {placement:?}");
            }
            for index in indexes(&extents) {
                let (devices, offset) = sharding.locate(&extents, &index).unwrap();
                let address = offset.iter().zip(&shard).fold(0, |a, (at, size)| a * size + at);
                let mut wanted: Vec<(u64, u64)> =
                    devices.iter().map(|device| (*device, address)).collect();
                wanted.sort_unstable();
                assert_eq!(places(&layout, &index, &levels), wanted, "{text} {machine:?}");
            }
        }
    }
    // Refusals are device lists, copies that are not digits, and machines that are too small.
    assert!(checked > 500 && refused < 2 * checked, "{checked} {refused}");
}

#[test]
fn meshes_are_read_as_they_are_printed_and_refused_without_names() {
    let wanted: Mesh = "x=2,y=4".parse().unwrap();
    for text in [
        "x:2,y:4",
        "x = 2, y = 4",
        "{'x': 2, 'y': 4}",
        "{\"x\": 2, \"y\": 4,}",
        "OrderedDict([('x', 2), ('y', 4)])",
        "OrderedDict({'x': 2, 'y': 4})",
        "AbstractMesh('x': 2, 'y': 4)",
        "Mesh(axis_sizes=(2, 4), axis_names=('x', 'y'), axis_types=(Auto, Auto))",
        "AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Auto), device_kind=TPU v5 lite, num_cores=1, platform=tpu)",
        "AbstractMesh('x': 2, 'y': 4, axis_types=(Auto, Auto), device_kind=cpu, num_tpu_cores=0)",
        "<[\"x\"=2, \"y\"=4]>",
    ] {
        assert_eq!(
            text.parse::<Mesh>().unwrap_or_else(|error| panic!("{error}")),
            wanted,
            "{text}"
        );
    }
    for text in ["(2,4)", "2,4", "[2, 4]"] {
        let error = text.parse::<Mesh>().unwrap_err().to_string();
        assert!(error.contains("name its axes, as in `x=2,y=4`"), "{error}");
    }
}

#[test]
fn the_dimensions_of_shardy_are_read_alone() {
    let shape = "f32[8,16], sharding=[{\"x\"}, {\"y\"}], mesh=x=2,y=4";
    let whole = "f32[8,16], sharding=#sdy.sharding<@mesh, [{\"x\"}, {\"y\"}]>, mesh=x=2,y=4";
    let layout = |text: &str| LayoutText::parse(text).unwrap().lower().unwrap();
    assert_eq!(layout(shape), layout(whole));
    let sharding: SdySharding = "[{\"x\"}, {\"y\", ?}], replicated={\"z\"}".parse().unwrap();
    assert_eq!(sharding.to_string().parse::<SdySharding>().unwrap(), sharding);
}

#[test]
fn mesh_axes_are_levels_and_device_ids_do_not_move_them() {
    let mesh: Mesh =
        "mesh['fsdp_transpose'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0)".parse().unwrap();
    let spec: PartitionSpec = "P(('y', 'fsdp_transpose'), None)".parse().unwrap();
    let sharding = spec.lower(Some(&mesh), 2).unwrap();
    let layout = sharding.layout(&[16, 3], &row_major(&[2, 3]), None).unwrap();
    let place = layout.locate(&[5, 1]).unwrap();
    assert_eq!(place.to_string(), "fsdp_transpose=0,y=1,Addr=4");
    assert_eq!(layout.element(&place).unwrap(), Found::Element(vec![5, 1]));
    assert_eq!(sharding.locate(&[16, 3], &[5, 1]).unwrap(), (vec![6], vec![1, 1]));
}

#[test]
fn a_sharding_fits_a_machine_that_has_a_unit_for_every_device() {
    for (text, machine, index, places) in [
        // The digits of the tile line up with the levels only in combination.
        (
            "f32[1], sharding={devices=[6,2]<=[2,2,3]T(2,1,0) last_tile_dim_replicate}",
            "A=6,B=2",
            0,
            "A=0,B=0,Addr=0 A=3,B=0,Addr=0",
        ),
        // Copies between two runs of digits, one of which does not line up.
        (
            "f32[24], sharding={devices=[12,2]<=[2,3,2,2]T(1,0,3,2) last_tile_dim_replicate}",
            "A=3,B=2,C=4",
            23,
            "A=2,B=1,C=1,Addr=1 A=2,B=1,C=3,Addr=1",
        ),
        // The last units have no device, in the outermost level or in all but one.
        ("f32[12], sharding={devices=[12]<=[12]}", "A=3,B=5", 11, "A=2,B=1,Addr=0"),
        ("f32[5], sharding={devices=[5]<=[5]}", "HOST=2,CHIP=8", 4, "CHIP=4,HOST=0,Addr=0"),
        (
            "f32[4], sharding={devices=[4,3]<=[3,4]T(1,0) last_tile_dim_replicate}",
            "A=2,B=40",
            1,
            "A=0,B=1,Addr=0 A=0,B=5,Addr=0 A=0,B=9,Addr=0",
        ),
    ] {
        let sharded: ShardedShape = text.parse().unwrap();
        let machine: Machine = machine.parse().unwrap();
        let layout = sharded.lower_on(&machine).unwrap();
        let placement = Placement::of(layout).on(&machine).build().unwrap();
        let mut found: Vec<String> =
            placement.locate_all(&[index]).unwrap().map(|place| place.to_string()).collect();
        found.sort();
        assert_eq!(found.join(" "), places, "{text}");
    }
}

#[test]
fn a_list_may_leave_devices_out_and_the_greatest_needs_a_unit() {
    let sharding = sharding("{devices=[2]0,4}");
    let on =
        |machine: &str| sharding.layout(&[2], &row_major(&[1]), Some(&machine.parse().unwrap()));
    assert_eq!(on("A=3,B=4").unwrap().locate(&[1]).unwrap().to_string(), "A=1,B=0,Addr=0");
    let refused = on("A=4").unwrap_err().to_string();
    assert!(
        refused.contains("has 4 units, numbered from 0; device 4 is beyond the last"),
        "{refused}"
    );
    assert_eq!(sharding.machine().unwrap().unwrap().levels().next().unwrap().1, 5);
}

#[test]
fn devices_with_numbers_near_the_end_of_64_bits_are_placed_or_refused() {
    for (last, is_placed) in [(1_u64 << 62, true), (1 << 63, true), (u64::MAX, false)] {
        let text = format!("f32[2], sharding={{devices=[2]0,{last}}}");
        let sharded: ShardedShape = text.parse().unwrap();
        let shards = sharded.by_device(None);
        assert_eq!(shards.is_ok(), is_placed, "{text}: {shards:?}");
        if let Ok(shards) = shards {
            assert_eq!(shards.locate_all(&[1]).unwrap()[0].iter().next().unwrap().1, last);
            // With or without a layout, there is no panic.
            let _ = sharded.lower();
        }
    }
    let carried: ShardedShape =
        "f32[4], sharding={devices=[4]0,9223372036854775808,18446744073709551614,1}"
            .parse()
            .unwrap();
    assert!(carried.lower().unwrap_err().to_string().contains("not a strided function"));
}

#[test]
fn a_negative_dimension_counts_from_the_last_as_pytorch_reads_it() {
    let mesh: Mesh = "x=2,y=4".parse().unwrap();
    let read = |text: &str, extents: &[u64]| {
        let placements: Placements = text.parse().unwrap();
        assert_eq!(placements.to_string().parse::<Placements>().unwrap(), placements);
        placements.lower(&mesh, extents)
    };
    let extents = [8, 16, 4];
    for (negative, plain) in [
        ("[Shard(-1), Replicate()]", "[Shard(2), Replicate()]"),
        ("[Shard(dim=-3), S(-2)]", "[Shard(0), Shard(1)]"),
        ("[Shard(1), Shard(-2)]", "[Shard(1), Shard(1)]"),
    ] {
        let hlo = |text| read(text, &extents).unwrap().to_hlo();
        assert_eq!(hlo(negative), hlo(plain), "{negative}");
    }
    for (text, extents) in
        [("[Shard(-4), R]", &extents[..]), ("[Shard(-1), R]", &[]), ("[Shard(3), R]", &extents)]
    {
        let error = read(text, extents).unwrap_err().to_string();
        assert!(error.contains("that a tensor of rank"), "{text}: {error}");
    }
    assert!("[Shard(-9223372036854775809)]".parse::<Placements>().is_err());
    assert!(read("[Shard(-9223372036854775808), R]", &extents).is_err());
}

/// The shards of successive cuts in PyTorch's way: every chunk by the next axis, rounding up.
fn torch_shards(extent: u64, cuts: &[u64], start: u64) -> Vec<Range<u64>> {
    let Some((cut, below)) = cuts.split_first() else { return vec![start..start + extent] };
    let chunk = extent.div_ceil(*cut);
    let chunks = (0..*cut).flat_map(|k| {
        let (from, to) = ((k * chunk).min(extent), ((k + 1) * chunk).min(extent));
        torch_shards(to - from, below, start + from)
    });
    chunks.collect()
}

#[test]
fn placements_are_read_exactly_where_cuts_in_turn_are_one_cut() {
    let (mut agree, mut differ) = (0, 0);
    for cuts in
        [vec![2, 2], vec![2, 3], vec![3, 2], vec![4, 2], vec![2, 2, 2], vec![3, 1, 4], vec![5]]
    {
        let axes = (0..).zip(&cuts).map(|(at, cut)| format!("a{at}={cut}"));
        let mesh: Mesh = axes.collect::<Vec<_>>().join(",").parse().unwrap();
        let placements: Placements =
            format!("[{}]", vec!["Shard(0)"; cuts.len()].join(", ")).parse().unwrap();
        for extent in 0..40 {
            let torch = torch_shards(extent, &cuts, 0);
            let all: u64 = cuts.iter().product();
            let size = extent.div_ceil(all);
            let one: Vec<Range<u64>> =
                (0..all).map(|k| (k * size).min(extent)..((k + 1) * size).min(extent)).collect();
            // The first element that is on another device, or at another place of its shard.
            let place = |shards: &[Range<u64>], at: u64| {
                let device = shards.iter().position(|range| range.contains(&at)).unwrap();
                (device, at - shards[device].start)
            };
            let first = (0..extent).find(|at| place(&torch, *at) != place(&one, *at));
            match (placements.lower(&mesh, &[extent]), first) {
                (Ok(sharding), None) => {
                    agree += 1;
                    for at in 0..extent {
                        let (device, offset) = place(&torch, at);
                        let found = sharding.locate(&[extent], &[at]).unwrap();
                        assert_eq!(found, (vec![device as u64], vec![offset]));
                    }
                }
                (Err(error), Some(first)) => {
                    differ += 1;
                    let named = format!("the first difference is element {first}");
                    assert!(error.to_string().contains(&named), "{cuts:?} {extent}: {error}");
                }
                (found, first) => panic!("{cuts:?} {extent}: {found:?} {first:?}"),
            }
        }
    }
    assert!(agree > 80 && differ > 80, "{agree} {differ}");
}

#[test]
fn a_layout_of_devices_and_shards_is_raised_to_its_sharding() {
    let (mut raised, mut refused) = (0, 0);
    for line in xla_lines().lines() {
        let (text, rest) = line.split_once('|').unwrap();
        let extents = numbers(rest.split('|').next().unwrap());
        let sharding = sharding(text);
        let all = extents.iter().product::<u64>();
        let (Some(devices), 1..=2000) = (sharding.devices(), all) else { continue };
        let local = row_major(&sharding.shard_extents(&extents).unwrap());
        let machine: Machine = format!("Device={devices}").parse().unwrap();
        let Ok(layout) = sharding.layout(&extents, &local, Some(&machine)) else { continue };
        match Sharding::of_layout(&layout, &machine) {
            Ok((found, shard)) => {
                raised += 1;
                for device in 0..devices {
                    let [ours, written] =
                        [&found, &sharding].map(|s| s.shard(&extents, device).unwrap().unwrap());
                    assert!(same_shard(&ours, &written), "{text} {extents:?}: {ours:?}");
                }
                let back = found.layout(&extents, &shard, Some(&machine)).unwrap();
                assert_eq!(back.same_up_to_padding(&layout), Ok(None), "{text}");
            }
            // A device number whose digits do not line up needs a derived axis.
            Err(error) => {
                refused += 1;
                assert!(!layout.derived_axes().is_empty(), "{text} {extents:?}: {error}");
            }
        }
    }
    assert!(raised > 200 && raised > 10 * refused, "{raised} {refused}");
}

#[test]
fn a_layout_that_is_not_a_sharding_is_refused_for_its_reason() {
    for (layout, reason) in [
        ("((2_PE, 6:1))", "does not use each of the 4 units"),
        ("((4:1, 4_PE))", "(a digit in memory is major to it)"),
        ("(10)/((4_PE, 4:1))", "is cut into 4 parts of 4; a sharding cuts it into parts of 3"),
        ("((2:1); B@[2_Addr:2])", "copies in `Addr`"),
    ] {
        let layout: Layout = layout.parse().unwrap();
        let error = Sharding::of_layout(&layout, &"PE=4".parse().unwrap()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}

/// `0:3,5:7` as ranges; `tests/python/make_placements.py` writes such lines.
fn ranges(text: &str) -> Vec<Range<u64>> {
    let range = |text: &str| text.split_once(':').map(|(from, to)| (from.parse(), to.parse()));
    let read = text.split(',').filter_map(range);
    read.map(|(from, to)| from.unwrap()..to.unwrap()).collect()
}

/// The elements of the devices, dimension by dimension, if each dimension is cut once by all of its mesh axes
/// together.
fn one_cut(placements: &str, mesh: &[u64], shape: &[u64]) -> Vec<Vec<Range<u64>>> {
    let axes: Vec<Option<usize>> = placements
        .split("), ")
        .map(|part| {
            part.split_once("Shard(")
                .map(|(_, dim)| dim.trim_end_matches([')', ']']).parse().unwrap())
        })
        .collect();
    let range = |at: &[u64], (dim, extent): (usize, &u64)| {
        let cut = || (0..mesh.len()).filter(|axis| axes[*axis] == Some(dim));
        let parts: u64 = cut().map(|axis| mesh[axis]).product();
        let part = cut().fold(0, |part, axis| part * mesh[axis] + at[axis]);
        let size = extent.div_ceil(parts);
        (part * size).min(*extent)..((part + 1) * size).min(*extent)
    };
    let devices = crate::slow::count(mesh);
    devices.iter().map(|at| shape.iter().enumerate().map(|dim| range(at, dim)).collect()).collect()
}

/// Ranges without elements are equal, wherever they begin.
fn same_shard(a: &[Range<u64>], b: &[Range<u64>]) -> bool {
    let is_empty = |shard: &[Range<u64>]| shard.iter().any(Range::is_empty);
    a == b || is_empty(a) && is_empty(b)
}

#[test]
fn placements_hold_what_pytorch_says_or_are_refused_because_its_cuts_are_not_one() {
    let (mut agree, mut differ) = (0, 0);
    for line in include_str!("data/placements.txt").lines() {
        let [text, mesh, shape, held] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        let (mesh, shape): (Mesh, Vec<u64>) = (mesh.parse().unwrap(), numbers(shape));
        let torch: Vec<Vec<Range<u64>>> = held.split(';').map(ranges).collect();
        let sizes: Vec<u64> = mesh.axes.iter().map(|(_, size)| *size).collect();
        let one = one_cut(text, &sizes, &shape);
        let is_one_cut = torch.iter().zip(&one).all(|(a, b)| same_shard(a, b));
        match text.parse::<Placements>().unwrap().lower(&mesh, &shape) {
            Ok(sharding) => {
                agree += 1;
                for (device, torch) in (0..).zip(&torch) {
                    let ours = sharding.shard(&shape, device).unwrap().unwrap_or_default();
                    let empty = torch.iter().any(Range::is_empty);
                    let ours_empty = ours.len() < shape.len() || ours.iter().any(Range::is_empty);
                    assert!(ours == *torch || empty && ours_empty, "{line}: {device}: {ours:?}");
                }
            }
            Err(error) => {
                differ += 1;
                assert!(!is_one_cut, "{line}: {error}");
                let extents = shape.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
                let text = format!("f32[{extents}], sharding={text}, mesh={mesh}");
                let shards = text.parse::<ShardedShape>().unwrap().by_device(None).unwrap();
                for index in crate::slow::count(&shape) {
                    let holds = |held: &Vec<Range<u64>>| {
                        held.iter().zip(&index).all(|(range, at)| range.contains(at))
                    };
                    let holders = torch.iter().filter(|held| holds(held)).count();
                    assert_eq!(
                        shards.locate_all(&index).unwrap().len(),
                        holders,
                        "{line}: {index:?}"
                    );
                }
            }
        }
    }
    assert!(agree > 300 && differ > 20, "{agree} {differ}");
}

#[test]
fn a_mesh_of_a_million_devices_is_not_a_list() {
    let sharding = sharding("{devices=[1024,1,1024]<=[1024,1024]T(1,0) last_tile_dim_replicate}");
    let extents = [1 << 40, 7];
    let shard = sharding.shard(&extents, 1_048_575).unwrap().unwrap();
    assert_eq!(shard, [(1 << 40) - (1 << 30)..1 << 40, 0..7]);
    let layout = sharding.layout(&extents, &row_major(&[1 << 30, 7]), None).unwrap();
    assert_eq!(layout.copies(), 1024);
}

/// The elements that enter the units of each level when the first sharding becomes the second.
fn into_levels(shape: &str, mesh: &str, specs: [&str; 2], machine: &str) -> Vec<u64> {
    let machine: Machine = machine.parse().unwrap();
    let [source, destination] = specs.map(|spec| {
        let text = format!("{shape}, sharding={spec}");
        let sharded: ShardedShape = text.parse().unwrap();
        let sharded = ShardedShape { mesh: Some(mesh.parse().unwrap()), ..sharded };
        let layout = sharded.lower_on(&machine).unwrap();
        Placement::of(layout).on(&machine).build().unwrap()
    });
    let traffic = Relayout::new(&source, &destination).unwrap().traffic().unwrap();
    traffic.levels.iter().map(|level| level.into).collect()
}

#[test]
fn resharding_moves_no_more_than_it_must() {
    let plane = |from, to| into_levels("f32[16,16]", "x=2,y=4", [from, to], "HOST=2,CHIP=4");
    assert_eq!(plane("P('x', 'y')", "P('y', 'x')"), [192, 128]);
    assert_eq!(plane("P(('x', 'y'), None)", "P(('y', 'x'), None)"), [192, 128]);
    let cube = ["P('y', None, 'x')", "P(None, ('x', 'y'), None)"];
    assert_eq!(into_levels("f32[16,16,16]", "x=4,y=2", cube, "HOST=4,CHIP=2"), [3584, 3072]);
}

#[test]
fn a_sharded_shape_is_recognised_and_keeps_its_tiling() {
    let text = "  %copy.239 = bf16[4096,14336]{1,0:T(8,128)(2,1)} copy(bf16[2]{0} %x), foo={1,2}, \
                sharding={devices=[4,1]<=[4]}, metadata={op_name=\"a, sharding=b\"}";
    let LayoutText::Sharded(sharded) = LayoutText::parse(text).unwrap() else { panic!() };
    assert_eq!(
        sharded.to_string(),
        "bf16[4096,14336]{1,0:T(8,128)(2,1)}, sharding={devices=[4,1]<=[4]}"
    );
    let shard: XlaShape = "bf16[1024,14336]{1,0:T(8,128)(2,1)}".parse().unwrap();
    let sizes = sharded.sizes().unwrap();
    assert_eq!(sizes.device_bytes, shard.sizes().unwrap().allocated_bytes);
    let (layout, local) = (sharded.lower().unwrap(), shard.lower().unwrap());
    for index in [[0, 0], [1023, 14335], [1024, 0], [4095, 129], [3000, 7777]] {
        let place = layout.locate(&index).unwrap();
        assert_eq!(place.get(Level::new("Device").unwrap()), Some(index[0] / 1024));
        let inside = local.locate(&[index[0] % 1024, index[1]]).unwrap();
        assert_eq!(place.get(Level::ADDR), inside.get(Level::ADDR));
    }
    let per_device = ShardedShape { per_device: true, ..*sharded };
    assert_eq!(per_device.extents().unwrap(), [16384, 14336]);
    assert_eq!(per_device.shard().unwrap().dims.len(), 2);
}

#[test]
fn sizes_count_devices_and_padding_as_enumeration() {
    for line in xla_lines().lines().step_by(3) {
        let (text, rest) = line.split_once('|').unwrap();
        let extents = numbers(rest.split('|').next().unwrap());
        let sharding = sharding(text);
        let dims = rest.split('|').next().unwrap();
        let sharded: ShardedShape = format!("f32[{dims}], sharding={text}").parse().unwrap();
        let sizes = sharded.sizes().unwrap();
        let Some(fill) = sizes.fill else { continue };
        let (mut full, mut short, mut empty, mut slots) = (0, 0, 0, 0);
        let shard_extents = sharding.shard_extents(&extents).unwrap();
        for (_, shard) in shards(&sharding, &extents) {
            let held: u64 = shard.iter().map(|range| range.end - range.start).product();
            let room: u64 = shard_extents.iter().product();
            slots += room;
            match held {
                0 => empty += 1,
                held if held == room => full += 1,
                _ => short += 1,
            }
        }
        assert_eq!((fill.full, fill.short, fill.empty), (full, short, empty), "{line}");
        let copies = sizes.copies.unwrap();
        let global = 4 * extents.iter().product::<u64>();
        assert_eq!(sizes.sharding_padding_bytes, 4 * slots / copies - global);
        assert_eq!(sizes.global_bytes, global);
    }
}
