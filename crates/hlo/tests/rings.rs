//! Collectives, simulated part by part: each message, until every device has the parts it needs.

use std::collections::BTreeSet;

use tensor_layout::{Level, Machine};
use tensor_layout_hlo::{Collective, CollectiveTraffic, HloDump};

use crate::dumps::collectives;

/// Bytes on their way from one device to another.
type Message = (u64, u64, u64);

/// The state of a device: for each part, the devices whose contributions are in it.
type Parts = Vec<BTreeSet<usize>>;

/// Around the ring: in every step, all devices send one part on, and the receiver adds it to its own or
/// replaces its own with it.
fn around(group: &[u64], has: &mut [Parts], part: u64, first: usize, adds: bool) -> Vec<Message> {
    let g = group.len();
    let mut sent = Vec::new();
    for step in 0..g - 1 {
        let before = has.to_vec();
        for at in 0..g {
            let (next, which) = ((at + 1) % g, (at + first + g - step) % g);
            let moved = before[at][which].clone();
            assert!(!moved.is_empty(), "nothing to send");
            match adds {
                true => has[next][which].extend(moved),
                false => has[next][which] = moved,
            }
            sent.push((group[at], group[next], part));
        }
    }
    sent
}

/// The messages of a collective among the devices of a group, each of `bytes`; checks the final state of all
/// devices.
fn simulated(kind: &str, group: &[u64], bytes: u64) -> Vec<Message> {
    let g = group.len();
    let part = bytes / g as u64;
    let all: BTreeSet<usize> = (0..g).collect();
    let own = |at: usize| BTreeSet::from([at]);
    match kind {
        "all-gather" => {
            let mut has: Vec<Parts> = (0..g)
                .map(|at| (0..g).map(|p| if p == at { own(at) } else { BTreeSet::new() }).collect())
                .collect();
            let sent = around(group, &mut has, part, 0, false);
            assert!(has.iter().all(|parts| (0..g).all(|p| parts[p] == own(p))));
            sent
        }
        "reduce-scatter" | "all-reduce" => {
            let mut has: Vec<Parts> = (0..g).map(|at| vec![own(at); g]).collect();
            let mut sent = around(group, &mut has, part, 0, true);
            assert!((0..g).all(|at| has[at][(at + 1) % g] == all));
            if kind == "all-reduce" {
                sent.extend(around(group, &mut has, part, 1, false));
                assert!(has.iter().flatten().all(|sums| *sums == all));
            }
            sent
        }
        "all-to-all" => {
            let pairs = (0..g).flat_map(|from| (0..g).map(move |to| (from, to)));
            pairs
                .filter(|(from, to)| from != to)
                .map(|(from, to)| (group[from], group[to], part))
                .collect()
        }
        "collective-broadcast" => group.windows(2).map(|two| (two[0], two[1], bytes)).collect(),
        other => panic!("{other}"),
    }
}

/// The bytes that enter units of each level: those whose sender is in another unit, by the paths of both
/// through the tree.
fn into_levels(messages: &[Message], machine: &Machine) -> Vec<u64> {
    let sizes: Vec<u64> = machine.levels().map(|(_, size)| size).collect();
    let path = |device: u64| {
        let mut rest = device;
        let mut path: Vec<u64> =
            sizes.iter().rev().map(|size| (rest % size, rest /= size).0).collect();
        path.reverse();
        path
    };
    (1..=sizes.len())
        .map(|depth| {
            let enters = |(from, to, _): &&Message| path(*from)[..depth] != path(*to)[..depth];
            messages.iter().filter(enters).map(|(.., bytes)| bytes).sum()
        })
        .collect()
}

/// The devices in pseudo-random order, in groups.
fn groups(devices: u64, size: usize, seed: u64) -> Vec<Vec<u64>> {
    let mut order: Vec<u64> = (0..devices).collect();
    let key = |device: &u64| {
        (device + 1).wrapping_mul(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).rotate_left(29)
    };
    if seed > 0 {
        order.sort_by_key(key);
    }
    order.chunks(size).map(<[u64]>::to_vec).collect()
}

/// Groups as `replica_groups` lists them.
fn listed(groups: &[Vec<u64>]) -> String {
    let group = |group: &Vec<u64>| {
        format!("{{{}}}", group.iter().map(u64::to_string).collect::<Vec<_>>().join(","))
    };
    groups.iter().map(group).collect::<Vec<_>>().join(",")
}

#[test]
fn collectives_carry_into_every_level_what_a_simulation_sends() {
    let mut checked = 0;
    for tree in ["CHIP=6", "HOST=2,CHIP=4", "POD=2,HOST=2,CHIP=2", "A=3,B=2,C=2"] {
        let machine: Machine = tree.parse().unwrap();
        let devices = machine.units();
        for size in (1..=devices).filter(|size| devices.is_multiple_of(*size)) {
            for seed in 0..6 {
                let groups = groups(devices, size as usize, seed);
                for kind in [
                    "all-gather",
                    "reduce-scatter",
                    "all-reduce",
                    "all-to-all",
                    "collective-broadcast",
                ] {
                    let bytes = 5 * size;
                    let operand = if kind == "all-gather" { 5 } else { bytes };
                    let result = if kind == "reduce-scatter" { 5 } else { bytes };
                    let text = format!(
                        "HloModule m, replica_count={devices}\ne {{\n  a = s8[{operand}]{{0}} parameter(0)\n  \
                         b = s8[{result}]{{0}} {kind}(a), replica_groups={{{}}}\n}}",
                        listed(&groups)
                    );
                    let all = collectives(&text, tree);
                    let traffic = &all.entries[0].traffic;
                    let messages: Vec<Message> =
                        groups.iter().flat_map(|group| simulated(kind, group, bytes)).collect();
                    assert_eq!(
                        traffic.received,
                        messages.iter().map(|(.., b)| b).sum::<u64>(),
                        "{text}"
                    );
                    let into: Vec<u64> = traffic.into.iter().map(|(_, bytes)| *bytes).collect();
                    assert_eq!(into, into_levels(&messages, &machine), "{text}");
                    checked += 1;
                }
            }
        }
    }
    assert_eq!(checked, 5 * 6 * (4 + 4 + 4 + 6));
}

/// The collective of kibibytes among groups of the devices of a machine.
fn among(kind: &str, groups: &[Vec<u64>], machine: &Machine) -> Collective {
    let text = format!(
        "HloModule m, replica_count={}\ne {{\n  a = s8[1000]{{0}} parameter(0)\n  \
         ROOT b = s8[1000]{{0}} {kind}(a), replica_groups={{{}}}\n}}",
        machine.units(),
        listed(groups)
    );
    let mut dump = HloDump::new(text.as_bytes());
    let root = dump.next_computation().unwrap().unwrap().root().unwrap();
    root.collective().unwrap().unwrap()
}

/// The traffic by the list of all hops; of the levels only the innermost has a bandwidth, of 3 long words.
fn by_hops(of: &Collective, machine: &Machine) -> CollectiveTraffic {
    let messages: Vec<Message> = of.hops().map(|hop| (hop.from, hop.to, hop.bytes)).collect();
    let busiest = |unit: &dyn Fn(&Message) -> u64| {
        let units = 0..machine.units();
        let bytes = |at: u64| messages.iter().filter(|of| unit(of) == at).map(|of| of.2).sum();
        units.map(bytes).max().unwrap_or(0)
    };
    let (into, out_of) = (busiest(&|of| of.1), busiest(&|of| of.0));
    let levels = machine.levels().map(|(level, _)| level);
    CollectiveTraffic {
        received: messages.iter().map(|of| of.2).sum(),
        sent: out_of,
        into: levels.zip(into_levels(&messages, machine)).collect(),
        steps: Some(into.max(out_of).div_ceil(3 * 8)),
    }
}

#[test]
fn traffic_is_the_sum_over_all_hops() {
    for tree in ["CHIP=12", "HOST=3,CHIP=4", "POD=2,HOST=3,CHIP=4"] {
        let machine: Machine = tree.parse().unwrap();
        let machine = machine.with_bandwidth([(Level::new("CHIP").unwrap(), 3)]).unwrap();
        for (size, seed) in
            (1..=machine.units()).flat_map(|size| (0..6).map(move |seed| (size, seed)))
        {
            let mut groups = groups(machine.units(), size as usize, seed);
            for kind in ["all-reduce", "all-to-all", "reduce-scatter", "collective-broadcast"] {
                groups.retain(|group| group.len() as u64 == size || kind == "all-reduce");
                let collective = among(kind, &groups, &machine);
                let traffic = collective.traffic(Some(&machine)).unwrap();
                assert_eq!(traffic, by_hops(&collective, &machine), "{kind} {groups:?}");
            }
        }
    }
}

#[test]
fn an_all_to_all_of_very_many_devices_does_not_list_its_pairs() {
    let machine: Machine = "POD=64,HOST=1024,CHIP=4".parse().unwrap();
    let devices = machine.units();
    let collective = among("all-to-all", &[(0..devices).collect()], &machine);
    let traffic = collective.traffic(Some(&machine)).unwrap();
    // A byte for every pair, of which 2^18 x 2^12 are in one pod.
    assert_eq!((traffic.received, traffic.sent), (devices * (devices - 1), devices - 1));
    let into: Vec<u64> = traffic.into.iter().map(|(_, bytes)| *bytes).collect();
    assert_eq!(
        into,
        [devices * (devices - 4096), devices * (devices - 4), devices * (devices - 1)]
    );
}
