//! Routes of random pairs of layouts: each is moved word by word, and takes at least the cycles of the cost.

use std::collections::BTreeMap;

use tensor_layout::error::ErrorKind;
use tensor_layout::relayout::UnitPart;
use tensor_layout::route::Route;
use tensor_layout::{Level, Machine, Placement};

use crate::route::{cost_of, judge, memory};

/// A random number generator with the same numbers at every run (splitmix64).
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % limit as u64) as usize
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// The bits of a long word's number, major to minor, each with the level that it lands in: those of units
/// first, taken from the upper bits, then the rest in order, or out of order above the fourth.
fn bits(draw: &mut Draw, count: usize, units: &[(Level, u64, u32, bool)], low: usize) -> String {
    let mut landed: Vec<Option<(Level, u64)>> = vec![None; count];
    for (level, step, bits, is_low) in units {
        let start = if *is_low { 0 } else { low };
        let mut taken = 0;
        while taken < *bits {
            let free: Vec<usize> = (start..count).filter(|at| landed[*at].is_none()).collect();
            let Some(first) = free.first() else { break };
            let at = if *is_low { *first } else { free[draw.below(free.len())] };
            landed[at] = Some((*level, step << taken));
            taken += 1;
        }
    }
    let mut free: Vec<usize> = (0..count).filter(|at| landed[*at].is_none()).collect();
    if draw.chance(2) {
        let fixed = free.iter().take_while(|at| **at < low).count();
        for at in (fixed + 1..free.len()).rev() {
            free.swap(at, fixed + draw.below(at + 1 - fixed));
        }
    }
    for (order, at) in free.into_iter().enumerate() {
        landed[at] = Some((Level::ADDR, 1 << order));
    }
    let digit = |landing: &Option<(Level, u64)>| match landing.unwrap() {
        (Level::ADDR, step) => format!("2:{step}"),
        (level, step) => format!("2_{level}:{step}"),
    };
    landed.iter().rev().map(digit).collect::<Vec<_>>().join(", ")
}

/// A tensor of 2^count long words of floats in a memory.
fn drawn(draw: &mut Draw, memory: &str, count: usize) -> Option<Placement> {
    let (l2b, l1b) = (draw.chance(2), draw.chance(2));
    let high = |is: bool, level, step, bits| is.then_some((level, step, bits, false));
    let low = |is: bool, level, bits| is.then_some((level, 1, bits, true));
    let style = draw.below(3);
    let units = match memory {
        "DRAM" | "PDM" => vec![high(l2b, Level::L2B, 2, 2)],
        "L2BM" => vec![high(l2b, Level::L2B, 1, 3)],
        "L1BM" => vec![high(l2b, Level::L2B, 1, 3), high(l1b, Level::L1B, 1, 3)],
        _ => vec![
            low(style > 0, Level::PE, 2),
            low(style > 1, Level::MAB, 4),
            high(l2b, Level::L2B, 1, 3),
            high(l1b, Level::L1B, 1, 3),
            high(draw.chance(4), Level::TIME, 1, 1),
        ],
    };
    let units: Vec<_> = units.into_iter().flatten().collect();
    let text = format!("(({}), (2_W:1))", bits(draw, count, &units, 4));
    let placement = Placement::of(text.parse().unwrap()).on(&Machine::mn_core_2());
    placement.memory(memory).element_bits(32).build().ok()
}

/// The ends of a route and its movements.
fn text_of(route: &Route, ends: [&Placement; 2]) -> String {
    let ends = ends.map(|side| format!("{} @{}", Route::text(side), memory(side)));
    format!("{} by {}", ends.join(" to "), route.names().join(", "))
}

/// Checks that the cost is at most the cycles of the route; the ratio of the two.
fn bounded(route: &Route, ends: [&Placement; 2]) -> f64 {
    let (cost, (cycles, _)) = (cost_of(ends[0], ends[1]), route.cycles());
    assert!(cost.steps <= cycles, "{}: {cost}, {cycles} cycles", text_of(route, ends));
    if cycles == cost.steps { 1.0 } else { cycles as f64 / cost.steps as f64 }
}

/// Some pairs with a route, and those without one.
#[derive(Default)]
struct Pairs {
    /// The cycles of each route by the cost of its ends, with its text.
    ratios: Vec<(f64, String)>,
    /// The numbers of routes by their hops.
    lengths: BTreeMap<usize, u64>,
    refused: u64,
    out_of_reach: u64,
    /// Routes that cut a tensor into time slices, or join them.
    sliced: u64,
}

impl Pairs {
    fn drawn(seed: u64, routed: usize) -> Pairs {
        let (mut draw, mut pairs) = (Draw(seed), Pairs::default());
        while pairs.ratios.len() < routed {
            let count = 5 + draw.below(4);
            let ends = [(); 2].map(|()| MEMORIES[draw.below(MEMORIES.len())]);
            if let [Some(a), Some(b)] = ends.map(|memory| drawn(&mut draw, memory, count)) {
                pairs.add(&a, &b);
            }
        }
        pairs.ratios.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        pairs
    }

    fn add(&mut self, a: &Placement, b: &Placement) {
        match Route::new(a, b) {
            Ok(route) => {
                judge(&route, a, b);
                let [from, to] = [a, b].map(|side| UnitPart::with_inside(side, true, false));
                assert!(!from.unwrap().changes_inside(&to.unwrap()).unwrap().0);
                self.ratios.push((bounded(&route, [a, b]), text_of(&route, [a, b])));
                *self.lengths.entry(route.hops().len()).or_insert(0) += 1;
                let is_sliced =
                    |side: &Placement| side.layout().used_levels().contains(&Level::TIME);
                self.sliced += u64::from(is_sliced(a) != is_sliced(b));
            }
            Err(error) if error.kind() != ErrorKind::NoRoute => panic!("{error}"),
            Err(error) if error.number("hop").is_some() => self.refused += 1,
            Err(error) if error.fact("digit").is_some() => self.out_of_reach += 1,
            Err(other) => panic!("{other}"),
        }
    }

    fn print(&self) {
        let Pairs { ratios, lengths, refused, out_of_reach, .. } = self;
        println!("{refused} refused, {out_of_reach} out of reach; routes by hops: {lengths:?}");
        let share = |at: usize| ratios[(ratios.len() - 1) * at / 4].0;
        let [least, quarter, median, three, most] = [0, 1, 2, 3, 4].map(share);
        println!("route / cost: {least:.2}, quartiles {quarter:.2}, {median:.2}, {three:.2}");
        println!("at most {most:.2}: {}", ratios[ratios.len() - 1].1);
    }
}

const MEMORIES: [&str; 6] = ["DRAM", "PDM", "L2BM", "L1BM", "LM0", "LM1"];

#[test]
fn routes_of_random_pairs_serve_their_targets() {
    let pairs = Pairs::drawn(32, 150);
    pairs.print();
    let Pairs { refused, lengths, sliced, .. } = pairs;
    assert!(refused < 200 && lengths.len() > 3, "{refused} refused, {lengths:?}");
    assert!(sliced > 5, "{sliced} routes cut into time slices, or join them");
}

/// `ROUTES=10000 cargo test --test all -- --ignored --nocapture routes_of_many`
#[test]
#[ignore = "takes minutes"]
fn routes_of_many_random_pairs_serve_their_targets() {
    let routed = std::env::var("ROUTES").map_or(1000, |text| text.parse().unwrap());
    Pairs::drawn(63, routed).print();
}
