//! Cuts in turn, which leave pieces of different lengths, against lists of elements that are cut as PyTorch does.

use proptest::prelude::*;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use itertools::Itertools;
use tensor_layout::relayout::Distance;
use tensor_layout::sharding::{DeviceShards, Fill, ShardedShape};
use tensor_layout_show::report::ShardingReport;

use crate::run::properties;

/// The mesh, and the dimension and the number of parts that each of its axes cuts.
#[derive(Clone, Debug)]
struct Cuts {
    extents: [u64; 2],
    axes: Vec<(u64, Option<(usize, u64)>)>,
}

impl Cuts {
    fn shards(&self) -> DeviceShards {
        let placement = |(_, cut): &(u64, Option<(usize, u64)>)| match cut {
            None => "Replicate()".to_owned(),
            Some((dim, 1)) => format!("Shard({dim})"),
            Some((dim, parts)) => format!("_StridedShard({dim}, sf={parts})"),
        };
        let placements = self.axes.iter().map(placement).join(", ");
        let mesh = "xyz".chars().zip(&self.axes).map(|(name, (size, _))| format!("{name}={size}"));
        let [rows, columns] = self.extents;
        let text =
            format!("f32[{rows},{columns}], sharding=[{placements}], mesh={}", mesh.format(","));
        text.parse::<ShardedShape>().unwrap().by_device(None).unwrap()
    }

    /// The elements of every device, dimension by dimension, in the order of its shard.
    fn held(&self) -> Vec<[Vec<u64>; 2]> {
        let mut devices = vec![self.extents.map(|extent| (0..extent).collect::<Vec<u64>>())];
        for (size, cut) in &self.axes {
            let units = |held: [Vec<u64>; 2]| {
                (0..*size).map(move |unit| {
                    let mut held = held.clone();
                    if let Some((dim, parts)) = *cut {
                        let chunks = |all: &[u64], number: u64| -> Vec<Vec<u64>> {
                            let length = (all.len() as u64).div_ceil(number).max(1);
                            all.chunks(length as usize).map(<[u64]>::to_vec).collect()
                        };
                        let pieces = chunks(&held[dim], parts);
                        let piece =
                            |part: &Vec<u64>| chunks(part, *size).get(unit as usize).cloned();
                        held[dim] = pieces.iter().filter_map(piece).flatten().collect();
                    }
                    held
                })
            };
            devices = devices.into_iter().flat_map(units).collect();
        }
        devices
    }

    /// Every element on every device, as device, address and index.
    fn rows(&self) -> BTreeSet<Vec<u64>> {
        let held = self.held();
        let width = held.iter().map(|[_, columns]| columns.len()).max().unwrap();
        let rows = |(device, [rows, columns]): (u64, &[Vec<u64>; 2])| {
            let places = rows.iter().enumerate().cartesian_product(columns.iter().enumerate());
            let row = |((i, row), (j, column)): ((usize, &u64), (usize, &u64))| {
                vec![device, (i * width + j) as u64, *row, *column]
            };
            places.map(row).collect::<Vec<_>>()
        };
        (0..).zip(&held).flat_map(rows).collect()
    }
}

#[test]
fn a_report_has_the_sizes_of_cuts_in_turn() {
    // 2, 1, 1 and 1 of 5 elements.
    let text = "f32[5], sharding=[Shard(0), Shard(0)], mesh=x=2,y=2";
    let report = ShardingReport::of(&text.parse().unwrap()).unwrap();
    assert_eq!((&*report.text, report.sizes.device_bytes), ("[Shard(0), Shard(0)]", 8));
    assert_eq!(report.sizes.fill, Some(Fill { full: 1, short: 3, empty: 0 }));
    assert_eq!(report.sizes.sharding_padding_bytes, 12);
}

fn cuts(extents: [u64; 2]) -> impl Strategy<Value = Cuts> {
    let cut = prop::option::weighted(0.8, (0..2_usize, prop_oneof![Just(1_u64), 1..5_u64]));
    let axes = prop::collection::vec((1..4_u64, cut), 1..=3);
    axes.prop_map(move |axes| Cuts { extents, axes })
}

properties! {
    #[test]
    fn cuts_in_turn_are_located_and_tabled_as_lists_are_cut(
        cuts in (1..20_u64, 1..6_u64).prop_flat_map(|(rows, columns)| cuts([rows, columns]))
    ) {
        let (shards, wanted) = (cuts.shards(), cuts.rows());
        let mut located = BTreeSet::new();
        for (row, column) in (0..cuts.extents[0]).cartesian_product(0..cuts.extents[1]) {
            for place in shards.locate_all(&[row, column]).unwrap() {
                let place = place.iter().map(|(_, at)| at);
                // The axes of the mesh are one number, major to minor.
                let place = place.collect::<Vec<_>>();
                let (address, axes) = place.split_last().unwrap();
                let sizes = shards.levels().map(|(_, size)| size);
                let device = axes.iter().zip(sizes).fold(0, |device, (at, size)| device * size + at);
                located.insert(vec![device, *address, row, column]);
            }
        }
        prop_assert_eq!(&located, &wanted);
        let mut rows = BTreeSet::new();
        let sizes: Vec<u64> = shards.levels().map(|(_, size)| size).collect();
        let visited = shards.table().for_each(|row| {
            let (units, address) = row.place.split_at(sizes.len());
            let device = units.iter().zip(&sizes).fold(0, |device, (at, size)| device * size + at);
            if let Some(index) = row.index {
                rows.insert([&[device], address, index].concat());
            }
            ControlFlow::<()>::Continue(())
        });
        prop_assert!(visited.unwrap().is_continue());
        prop_assert_eq!(rows, wanted);
    }

    #[test]
    fn traffic_between_cuts_in_turn_is_that_of_every_element(
        (from, to) in (1..20_u64, 1..6_u64).prop_flat_map(|(rows, columns)| {
            let axes = prop::collection::vec(1..4_u64, 1..=3);
            axes.prop_flat_map(move |sizes| {
                let on = move |sizes: Vec<u64>| cuts([rows, columns]).prop_filter_map("another mesh", move |cuts| {
                    let axes = sizes.iter().zip(cuts.axes.iter().cycle()).map(|(size, (_, cut))| (*size, *cut));
                    Some(Cuts { axes: axes.collect(), ..cuts })
                });
                (on(sizes.clone()), on(sizes))
            })
        })
    ) {
        let (from_rows, to_rows) = (from.rows(), to.rows());
        let (source, destination) = (from.shards(), to.shards());
        let traffic = source.traffic(&destination).unwrap();
        let stay = to_rows.intersection(&from_rows).count() as u64;
        prop_assert_eq!(traffic.count(Distance::InPlace), stay);
        let same = source.same_up_to_padding(&destination).unwrap();
        prop_assert_eq!(same.is_none(), from_rows == to_rows);
    }
}
