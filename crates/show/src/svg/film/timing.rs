//! The times of all movements: printed as key frames, or evaluated at one moment.

use std::fmt::Write;

use itertools::Itertools;

use crate::svg::marks::number;

/// The number of groups in which flyers leave, one after the other.
pub(super) const GROUPS: usize = 8;

/// The time that a flyer takes for a hop, like all times here in hundredths of a second.
pub(super) const FLIGHT: usize = 160;

/// The time from the first group to the last.
pub(super) const SPREAD: usize = 160;

/// The rest before each hop.
const REST: usize = 120;

/// The rest on the last frame.
const LAST: usize = 300;

/// The times of a film with some hops, that from the tensor counted.
pub(super) struct Timing {
    pub(super) hops: usize,
}

impl Timing {
    /// The length of the film in seconds.
    pub(super) fn seconds(&self) -> f64 {
        seconds(self.hundredths())
    }

    /// The length of the film in hundredths of a second.
    pub(super) fn hundredths(&self) -> usize {
        leaves(self.hops) - REST + LAST
    }

    /// The second at which the first group leaves.
    fn start(&self, hop: usize) -> f64 {
        seconds(leaves(hop))
    }

    /// The second at which the last group arrives.
    fn end(&self, hop: usize) -> f64 {
        seconds(leaves(hop) + SPREAD + FLIGHT)
    }

    /// The time from second to second as a share of the film.
    fn at(&self, seconds: f64) -> String {
        format!("{:.1}%", 100.0 * seconds / self.seconds())
    }

    /// The animations of all groups, bars and flyers that end early, and the classes that use them.
    pub(super) fn style(&self) -> String {
        let mut style = String::new();
        for group in 0..GROUPS {
            let _ = writeln!(style, "@keyframes f{group}{{{}}}", self.printed_flight(group));
        }
        for hop in 1..self.hops {
            let (from, to) = (self.at(self.start(hop)), self.at(self.end(hop)));
            let _ = writeln!(
                style,
                "@keyframes b{hop}{{0%,{from}{{transform:scaleX(0)}}{to}{{transform:none}}}}\n\
                 @keyframes q{hop}{{0%,{from}{{opacity:1}}{to}{{opacity:0}}}}"
            );
        }
        let seconds = self.seconds();
        let _ = write!(
            style,
            "@keyframes all{{0%,100%{{opacity:0}}2%,98%{{opacity:1}}}}\n\
             @media (prefers-reduced-motion:no-preference){{\
             .all,.e,.b,.q{{animation:all {seconds:.1}s ease-in-out infinite}}"
        );
        for group in 0..GROUPS {
            let _ = write!(style, ".f{group}{{animation-name:f{group}}}");
        }
        for hop in 1..self.hops {
            let _ =
                write!(style, ".b{hop}{{animation-name:b{hop}}}.q{hop}{{animation-name:q{hop}}}");
        }
        style + "}"
    }

    /// The key frames of a group, as seconds and stages: it rests in each stage, then flies to the next.
    fn flight(&self, group: usize) -> Vec<(f64, usize)> {
        let late = seconds(SPREAD) * number(group) / number(GROUPS - 1);
        let mut frames = vec![(0.0, 0)];
        for hop in 0..self.hops {
            let leaves = self.start(hop) + late;
            frames.extend([(leaves, hop), (leaves + seconds(FLIGHT), hop + 1)]);
        }
        frames.push((self.seconds(), self.hops));
        frames
    }

    fn printed_flight(&self, group: usize) -> String {
        let rests = self.flight(group).into_iter().tuples();
        let rest = |((from, stage), (to, _)): ((f64, usize), (f64, usize))| {
            format!("{},{}{{transform:var(--{})}}", self.at(from), self.at(to), name(stage))
        };
        rests.map(rest).join("")
    }

    /// The stages between which a group is at a second, and the share of the way that it has flown.
    pub(super) fn between(&self, group: usize, second: f64) -> (usize, usize, f64) {
        let frames = self.flight(group);
        let mut pairs = frames.into_iter().tuple_windows();
        match pairs.find(|(_, (end, _))| second < *end) {
            Some(((start, from), (end, to))) => (from, to, eased((second - start) / (end - start))),
            None => (self.hops, self.hops, 1.0),
        }
    }

    /// The share of a hop that is done at a second, as its bar shows it.
    pub(super) fn done(&self, hop: usize, second: f64) -> f64 {
        eased((second - self.start(hop)) / (self.end(hop) - self.start(hop)))
    }
}

/// The time at which the first group leaves for a hop.
pub(super) fn leaves(hop: usize) -> usize {
    REST + hop * (SPREAD + FLIGHT + REST)
}

pub(super) fn seconds(hundredths: usize) -> f64 {
    number(hundredths) / 100.0
}

/// `ease-in-out` of CSS, the cubic Bézier curve with the control points (0.42, 0) and (0.58, 1).
fn eased(share: f64) -> f64 {
    let share = share.clamp(0.0, 1.0);
    let curve = |t: f64, [a, b]: [f64; 2]| {
        3.0 * a * t * (1.0 - t).powi(2) + 3.0 * b * t.powi(2) * (1.0 - t) + t.powi(3)
    };
    // Both coordinates grow with t: 30 halvings are exact enough for every screen.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = (low + high) / 2.0;
        match curve(middle, [0.42, 0.58]) < share {
            true => low = middle,
            false => high = middle,
        }
    }
    curve(low, [0.0, 1.0])
}

/// The variable with the spot in a stage: `a`, `b`, and so on.
pub(super) fn name(stage: usize) -> String {
    let letter = u8::try_from(stage % 26).unwrap_or(0);
    let turns = if stage < 26 { String::new() } else { (stage / 26).to_string() };
    format!("{}{turns}", char::from(b'a' + letter))
}
