//! The search for a route: forward from the source, backward from the target, and a movement between.
//!
//! ```text
//! DRAM (source)  --?-->  L2BM (needed)  <--l2bmd--  L1BM (needed)  <--l1bmm--  LM0 (target)
//! ```
//!
//! The layouts that a movement produces and needs follow in the [usual order](super::usual) of its beats, or have
//! digits in the units of the other end; where both sides meet, a movement may put its beats anywhere.
//!
//! Routes of one hop are searched first, then of two, and so on. Once one is known, a longer route is followed only
//! as far as its cycles so far and the [least](CostModel) that the rest takes are fewer: where the least of the whole
//! way is reached, the search ends.

use std::collections::{HashMap, HashSet};
use std::slice;
use std::sync::Arc;

use indexmap::IndexMap;
use itertools::Itertools;

use super::hand::{Hand, hands};
use super::hop::{Hop, memory, text};
use super::reach::Reach;
use super::step::made;
use super::usual::{given, slices_in_sequence, towards, wanted};
use crate::algebra::Layout;
use crate::error::{ErrorKind, LayoutError, fault};
use crate::placement::Placement;
use crate::relayout::{CostModel, CostUnit, Distance, Relayout};
use crate::words::cut;

/// The most hops that a route has between two named layouts.
pub(super) const MOST_HOPS: usize = 6;

/// The most pairs of layouts that a movement is tried on.
pub(super) const MOST_TRIED: usize = 1 << 12;

/// The most characters of a layout in an error.
const MOST_TEXT: usize = 300;

/// The number of layouts that are compared to find the nearest movement for an error.
const MOST_COMPARED: usize = 64;

/// A layout on the way, with the movements that lead to it or, in the search backward, from it to the target.
#[derive(Clone, Debug)]
struct Waypoint {
    placement: Arc<Placement>,
    hops: Hops,
}

/// Hops in order, which many routes share.
type Hops = Vec<Arc<Hop>>;

/// The layouts that a movement gives or needs, each with its hop.
type Steps = Arc<[(Arc<Placement>, Arc<Hop>)]>;

/// A search between two layouts.
pub(super) struct RouteSearch<'a> {
    hands: &'a [Hand<'a>],
    source: &'a Placement,
    target: &'a Placement,
    /// The memories between which the search leads.
    ends: (&'a str, &'a str),
    /// The memory at an open end, which has all time slices at once where it has room for them.
    open: Option<&'a str>,
    tried: usize,
    most: usize,
    /// The layouts by the number of hops from the source, and to the target.
    forward: Vec<Vec<Waypoint>>,
    backward: Vec<Vec<Waypoint>>,
    seen: [HashMap<(String, Layout), Price>; 2],
    /// What each movement was found to give from a layout, or to need for it, by the position of the movement.
    steps: HashMap<(usize, bool, Layout), Steps>,
    /// The cheapest route so far.
    cheapest: Option<Hops>,
    /// The least that was found to be left from a layout on the way, or to it.
    least: HashMap<(bool, String, Layout), u64>,
    /// The rates for a lower bound of the rest of a way, where the machine has any.
    model: Option<CostModel>,
}

impl<'a> RouteSearch<'a> {
    pub(super) fn new(
        hands: &'a [Hand<'a>],
        source: &'a Placement,
        target: &'a Placement,
    ) -> RouteSearch<'a> {
        let start = |of: &Placement| {
            vec![vec![Waypoint { placement: Arc::new(of.clone()), hops: Vec::new() }]]
        };
        let (forward, backward) = (start(source), start(target));
        let (ends, seen) = ((memory(source), memory(target)), Default::default());
        let (open, tried, most) = (None, 0, MOST_TRIED);
        let (cheapest, least, model) = (None, HashMap::new(), None);
        RouteSearch {
            hands,
            source,
            target,
            ends,
            open,
            tried,
            most,
            forward,
            backward,
            seen,
            steps: HashMap::new(),
            cheapest,
            least,
            model,
        }
    }

    /// The search with at most this many trials.
    pub(super) fn within(self, most: usize) -> RouteSearch<'a> {
        RouteSearch { most, ..self }
    }

    /// A search from one layout to all that its movements give in a memory or, if not `ahead`, from all in a memory
    /// that lead to it.
    pub(super) fn open(
        hands: &'a [Hand<'a>],
        of: &'a Placement,
        other: &'a str,
        ahead: bool,
    ) -> RouteSearch<'a> {
        let ends = if ahead { (memory(of), other) } else { (other, memory(of)) };
        RouteSearch { ends, open: Some(other), ..RouteSearch::new(hands, of, of) }
    }

    /// The layouts at the open end, each with the hops of its cheapest route: those of the fewest hops, and those
    /// of one more.
    pub(super) fn at_open_end(
        &mut self,
        ahead: bool,
    ) -> Result<Vec<(Placement, Vec<Hop>)>, LayoutError> {
        let Some(least) = self.distance(self.ends) else { return Err(self.unreachable()) };
        let hops = (least + 1).clamp(2, MOST_HOPS);
        self.grow(hops, ahead, hops);
        let (known, other) =
            if ahead { (&self.forward, self.ends.1) } else { (&self.backward, self.ends.0) };
        let there = known.iter().skip(1).flatten().filter(|stop| memory(&stop.placement) == other);
        Ok(there.map(|stop| (Placement::clone(&stop.placement), owned(&stop.hops))).collect())
    }

    /// The hops of the best route.
    pub(super) fn best(&mut self, reach: Option<&Reach<'_>>) -> Result<Vec<Hop>, LayoutError> {
        let ends = (memory(self.source), memory(self.target));
        let (from, to) = (self.source.with_copies(), self.target.with_copies());
        if ends.0 == ends.1 && serves(from, to)? {
            return Ok(Vec::new());
        }
        let Some(least) = self.distance(ends) else { return Err(self.unreachable()) };
        reach.map_or(Ok(()), |reach| reach.check(self.source, self.target))?;
        self.model = model_of(self.source);
        for hops in least.max(1)..=MOST_HOPS {
            if self.tried >= self.most || !self.may_be_cheaper([&[], &[]], self.source, self.target)
            {
                break;
            }
            self.of_length(hops);
        }
        if let Some(best) = self.cheapest.take() {
            return Ok(owned(&best));
        }
        // A tensor that is already in the right memory leaves it and comes back.
        Err(self.refused(if least == 0 { 2 } else { least }, false))
    }

    /// The best hop from the source to the target.
    pub(super) fn one(&mut self) -> Result<Hop, LayoutError> {
        self.join(0, 0);
        let found = self.cheapest.take().and_then(|hops| owned(&hops).pop());
        found.ok_or_else(|| self.refused(1, true))
    }

    /// Searches the routes of `hops` hops.
    fn of_length(&mut self, hops: usize) {
        self.forward.truncate(1);
        self.backward.truncate(1);
        self.seen.iter_mut().for_each(HashMap::clear);
        for ahead in 0..hops {
            let behind = hops - 1 - ahead;
            self.grow(ahead, true, hops);
            self.grow(behind, false, hops);
            self.join(ahead, behind);
        }
    }

    /// Searches the routes on which both searches meet: a movement joins them after `ahead` hops.
    fn join(&mut self, ahead: usize, behind: usize) {
        let hands = self.hands;
        let stops = |known: &[Vec<Waypoint>], at: usize| known.get(at).cloned().unwrap_or_default();
        let (from, to) = (stops(&self.forward, ahead), stops(&self.backward, behind));
        for (from, to) in from.iter().cartesian_product(&to) {
            let known = [&from.hops[..], &to.hops[..]];
            let mut hands =
                between(hands, memory(&from.placement), memory(&to.placement)).peekable();
            if hands.peek().is_none() || !self.may_be_cheaper(known, &from.placement, &to.placement)
            {
                continue;
            }
            for hand in hands {
                self.tried += 1;
                if self.tried > self.most {
                    return;
                }
                if let Some(hop) = hop(hand, &from.placement, &to.placement) {
                    self.keep([known[0], &[Arc::new(hop)], known[1]].concat());
                }
            }
        }
    }

    /// Keeps a route if it is the cheapest so far.
    fn keep(&mut self, route: Hops) {
        if self.cheapest.as_ref().is_none_or(|known| price(&route) < price(known)) {
            self.cheapest = Some(route);
        }
    }

    /// Returns whether a route with these hops, and others between two layouts, may have fewer cycles than the one
    /// that is known.
    fn may_be_cheaper(&self, hops: [&[Arc<Hop>]; 2], from: &Placement, to: &Placement) -> bool {
        let spent = hops.map(|hops| price(hops).0).into_iter().fold(0, u64::saturating_add);
        let sum = || spent.saturating_add(self.at_least(from, to));
        self.cheapest.is_none() || (self.is_below_best(spent) && self.is_below_best(sum()))
    }

    fn is_below_best(&self, cycles: u64) -> bool {
        self.cheapest.as_ref().is_none_or(|best| cycles < price(best).0)
    }

    /// As [`may_be_cheaper`](Self::may_be_cheaper), between a layout on the way and the other end.
    fn may_lead(&mut self, hops: &[Arc<Hop>], next: &Placement, ahead: bool) -> bool {
        let spent = price(hops).0;
        if self.cheapest.is_none() || !self.is_below_best(spent) {
            return self.cheapest.is_none();
        }
        let key = (ahead, memory(next).to_owned(), next.with_copies().clone());
        let left = self.least.get(&key).copied().unwrap_or_else(|| match ahead {
            true => self.at_least(next, self.target),
            false => self.at_least(self.source, next),
        });
        self.least.insert(key, left);
        self.is_below_best(spent.saturating_add(left))
    }

    /// A lower bound of the cycles between two layouts; 0 where none is known.
    fn at_least(&self, from: &Placement, to: &Placement) -> u64 {
        let of = |model: &CostModel| {
            let traffic = Relayout::new(from, to)?.traffic()?;
            Ok::<u64, LayoutError>(model.of_traffic(&traffic)?.steps)
        };
        self.model.as_ref().and_then(|model| of(model).ok()).unwrap_or(0)
    }

    /// Finds the layouts up to `depth` hops from one end.
    fn grow(&mut self, depth: usize, ahead: bool, hops: usize) {
        loop {
            let known = if ahead { &self.forward } else { &self.backward };
            if known.len() > depth || self.tried >= self.most {
                return;
            }
            let stops = known[known.len() - 1].clone();
            let left = hops.saturating_sub(known.len());
            let next = stops.iter().flat_map(|stop| self.neighbours(stop, ahead, left)).collect();
            let next = self.cheapest(next, ahead);
            if ahead { self.forward.push(next) } else { self.backward.push(next) }
        }
    }

    /// The layouts that were not met at a lower price, each with the movements of the least: the rest of a route
    /// costs as much after any others.
    fn cheapest(&mut self, found: Vec<Waypoint>, ahead: bool) -> Vec<Waypoint> {
        let seen = &mut self.seen[usize::from(ahead)];
        let mut cheapest: IndexMap<(String, Layout), Waypoint> = IndexMap::new();
        for stop in found {
            let placement = &stop.placement;
            let key = (memory(placement).to_owned(), placement.with_copies().clone());
            if seen.get(&key).is_some_and(|least| *least <= price(&stop.hops)) {
                continue;
            }
            let known = cheapest.entry(key).or_insert_with(|| stop.clone());
            if price(&stop.hops) < price(&known.hops) {
                *known = stop;
            }
        }
        seen.extend(cheapest.iter().map(|(key, stop)| (key.clone(), price(&stop.hops))));
        cheapest.into_values().collect()
    }

    /// The layouts one hop on, from where the other end is within `left` hops.
    fn neighbours(&mut self, stop: &Waypoint, ahead: bool, left: usize) -> Vec<Waypoint> {
        let mut found = Vec::new();
        for (at, hand) in self.hands.iter().enumerate() {
            let (from, to) = hand.memories();
            let (here, there) = if ahead { (from, to) } else { (to, from) };
            let ends = if ahead { (there, self.ends.1) } else { (self.ends.0, there) };
            if here != memory(&stop.placement) || self.distance(ends).is_none_or(|d| d > left) {
                continue;
            }
            for (next, hop) in self.steps(at, &stop.placement, ahead).iter() {
                let hops = match ahead {
                    true => [&stop.hops[..], slice::from_ref(hop)].concat(),
                    false => [slice::from_ref(hop), &stop.hops[..]].concat(),
                };
                if self.may_lead(&hops, next, ahead) {
                    found.push(Waypoint { placement: next.clone(), hops });
                }
            }
        }
        found
    }

    /// The layouts that a movement gives or needs, each with its hop: tried once, for routes of all lengths.
    fn steps(&mut self, at: usize, stop: &Placement, ahead: bool) -> Steps {
        let key = (at, ahead, stop.with_copies().clone());
        if let Some(known) = self.steps.get(&key) {
            return known.clone();
        }
        let hand = &self.hands[at];
        let (from, to) = hand.memories();
        let (end, there) = if ahead { (self.target, to) } else { (self.source, from) };
        let mut found = Vec::new();
        for next in nexts(hand, stop, end, ahead, there) {
            let next = if self.open == Some(there) { all_slices(hand, next) } else { next };
            self.tried += 1;
            if self.tried > self.most {
                return found.into();
            }
            let (from, to) = if ahead { (stop, &next) } else { (&next, stop) };
            let hop = hop(hand, from, to);
            found.extend(hop.map(|hop| (Arc::new(next), Arc::new(hop))));
        }
        self.steps.entry(key).or_insert(found.into()).clone()
    }

    /// The fewest hops between two memories.
    fn distance(&self, (source, target): (&str, &str)) -> Option<usize> {
        let mut reached: HashSet<&str> = HashSet::from([source]);
        for hops in 0..=MOST_HOPS {
            if reached.contains(target) {
                return Some(hops);
            }
            let next = self.hands.iter().filter(|hand| reached.contains(hand.memories().0));
            reached = next.map(|hand| hand.memories().1).chain(reached.iter().copied()).collect();
        }
        None
    }

    fn unreachable(&self) -> LayoutError {
        let source = self.ends.0;
        let all = self.source.machine().and_then(|machine| hands(machine).ok()).unwrap_or_default();
        let mut reached: Vec<&str> = vec![source];
        while let Some(hand) = all.iter().find(|hand| {
            reached.contains(&hand.memories().0) && !reached.contains(&hand.memories().1)
        }) {
            reached.push(hand.memories().1);
        }
        let reached = match reached.len() {
            1 => "no other memory".into(),
            _ => reached.iter().skip(1).join(", "),
        };
        let target_memory = self.ends.1.to_owned();
        let source_memory = source.to_owned();
        fault!(
            NoRoute,
            "no route of up to {hops} hops leads from {source_memory} to \
             {target_memory}; movements lead from {source_memory} to {reached}",
            [hops = MOST_HOPS, source_memory, target_memory, reached]
        )
        .with_help(
            "if one of these memories leads to the target, give a layout in it to \
             `Route::through`",
        )
    }

    /// The first hop of the shortest way, with the layout that the rest of the way needs.
    fn refused(&mut self, least: usize, alone: bool) -> LayoutError {
        self.grow(least - 1, false, least);
        let mut best: Option<(u64, &Placement, Nearest)> = None;
        let (source, hands) = (self.source.clone(), self.hands);
        let needed = self.backward.iter().take(least).rev().flatten();
        let pairs = needed.flat_map(|stop| {
            let leads = between(hands, memory(&source), memory(&stop.placement));
            leads.map(move |hand| (stop, hand)).collect_vec()
        });
        for (stop, hand) in pairs.take(MOST_COMPARED) {
            let nearest = nearest(hand, &source, &stop.placement);
            let far = nearest.as_ref().map_or(u64::MAX, |(far, _)| *far);
            if best.as_ref().is_none_or(|(least, ..)| far < *least) {
                let nearest = nearest.map(|(_, text)| (hand.movement.name.clone(), text));
                best = Some((far, &stop.placement, nearest));
            }
        }
        let (needed, nearest) = best.map_or((self.target, None), |(_, to, nearest)| (to, nearest));
        let given = match nearest {
            Some((name, layout)) => format!("`{name}` gives {layout}"),
            None => "no movement gives a layout there".into(),
        };
        let budget = match self.tried >= self.most {
            _ if alone => "only this movement was tried".into(),
            true => format!("stopped after {} trials", self.most),
            false => format!("all of up to {MOST_HOPS} hops, {} trials", self.tried),
        };
        fault!(
            NoRoute,
            "no movement makes hop {hop}, {source_memory} to {target_memory}: \
             {given}, and {needed} is needed ({budget})",
            [
                hop = 1_u64,
                source_memory = memory(self.source).to_owned(),
                target_memory = memory(needed).to_owned(),
                given,
                needed = cut(&text(needed.with_copies()), MOST_TEXT),
                budget
            ]
        )
        .with_help("give a layout on the way to `Route::through`")
    }
}

/// The nearest movement, and the layout that it produces.
type Nearest = Option<(String, String)>;

/// Returns whether a layout serves another; where that is not decided, the search goes on as if it did not.
pub(super) fn serves(from: &Layout, to: &Layout) -> Result<bool, LayoutError> {
    match from.serves(to) {
        Err(error) if error.kind() == ErrorKind::NotDecided => Ok(false),
        fault => Ok(fault?.is_none()),
    }
}

/// The movements from one memory to another.
fn between<'h>(hands: &'h [Hand<'h>], from: &str, to: &str) -> impl Iterator<Item = &'h Hand<'h>> {
    hands.iter().filter(move |hand| hand.memories() == (from, to))
}

/// The placements that a movement gives or needs: in the usual order of its beats, and with the units that the
/// other end of the search has.
fn nexts(
    hand: &Hand,
    placement: &Placement,
    end: &Placement,
    ahead: bool,
    memory: &str,
) -> Vec<Placement> {
    let layout = placement.with_copies();
    let usual = if ahead { given(hand, layout) } else { wanted(hand, layout) };
    let turned = if ahead { hand.clone() } else { hand.mirrored() };
    let led = towards(&turned, placement, end).filter(|led| usual.as_ref() != Some(led));
    let all = [usual, led].into_iter().flatten();
    all.filter_map(|next| placed(placement, next, memory)).collect()
}

/// The placement with its time slices one after another, if its memory has room for all.
fn all_slices(hand: &Hand, sliced: Placement) -> Placement {
    let room = sliced.memory().and_then(|(_, memory)| memory.capacity);
    let whole = slices_in_sequence(hand, sliced.with_copies());
    let whole = whole.and_then(|whole| placed(&sliced, whole, memory(&sliced)));
    let fits = |whole: &Placement| room.is_none_or(|room| whole.footprint_words() <= room);
    whole.filter(fits).unwrap_or(sliced)
}

/// A hop by a movement, if it leads there.
pub(super) fn hop(hand: &Hand, from: &Placement, to: &Placement) -> Option<Hop> {
    let map = made(hand, from, to)?;
    Hop::new(hand, map, from, to).ok()
}

/// A layout in another memory of the machine; more than its capacity passes in parts.
pub(super) fn placed(like: &Placement, layout: Layout, memory: &str) -> Option<Placement> {
    let placement = like.builder_for(layout).memory(memory).build().ok()?;
    let fits = |(level, size)| placement.layout().span(level) <= size;
    let fits = placement.machine()?.levels().all(fits);
    fits.then_some(placement)
}

/// The number of copies that the layout produced by the movement has elsewhere, and its text.
fn nearest(hand: &Hand, source: &Placement, needed: &Placement) -> Option<(u64, String)> {
    let given = placed(source, given(hand, source.with_copies())?, memory(needed))?;
    let traffic = Relayout::new(&given, needed).ok()?.traffic().ok()?;
    let all: u64 = traffic.by_distance.iter().map(|(_, count)| count).sum();
    let text = cut(&text(given.with_copies()), MOST_TEXT);
    Some((all.saturating_sub(traffic.count(Distance::InPlace)), text))
}

fn owned(hops: &[Arc<Hop>]) -> Vec<Hop> {
    hops.iter().map(|hop| Hop::clone(hop)).collect()
}

/// Cycles, the number of hops, then long words at the upper memories, then at the lower ones.
type Price = (u64, usize, u64, u64);

/// The price of some hops: a movement without a rate has the least one known between its two memories.
fn price(hops: &[Arc<Hop>]) -> Price {
    let sum =
        |count: fn(&Hop) -> u64| hops.iter().map(|hop| count(hop)).fold(0, u64::saturating_add);
    let (upper, lower) = (sum(|hop| hop.upper_words), sum(|hop| hop.lower_words));
    (sum(|hop| hop.compared), hops.len(), upper, lower)
}

/// The rates of the machine's movements, for elements as wide as those of a placement.
fn model_of(placement: &Placement) -> Option<CostModel> {
    let model = CostModel::new(placement.machine()?, placement.element_bits()?).ok()?;
    (model.unit() == CostUnit::Cycles).then_some(model)
}
