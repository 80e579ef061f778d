//! The times of all movements, in seconds, printed as key frames.

use std::fmt::Write;

use crate::svg::marks::number;

/// The number of groups in which flyers leave, one after the other.
pub(super) const GROUPS: usize = 8;

/// The time that a flyer takes for a hop.
const FLIGHT: f64 = 1.6;

/// The time from the first group to the last.
const SPREAD: f64 = 1.6;

/// The rest before each hop.
const REST: f64 = 1.2;

/// The rest on the last frame.
const LAST: f64 = 3.0;

/// The times of a film with some hops, that from the tensor counted.
pub(super) struct Timing {
    pub(super) hops: usize,
}

impl Timing {
    /// The length of the film in seconds.
    pub(super) fn seconds(&self) -> f64 {
        self.start(self.hops) - REST + LAST
    }

    /// The second at which the first group leaves.
    fn start(&self, hop: usize) -> f64 {
        REST + number(hop) * (SPREAD + FLIGHT + REST)
    }

    /// The time from second to second as a share of the film.
    fn at(&self, seconds: f64) -> String {
        format!("{:.1}%", 100.0 * seconds / self.seconds())
    }

    /// The animations of all groups, bars and flyers that end early, and the classes that use them.
    pub(super) fn style(&self) -> String {
        let mut style = String::new();
        for group in 0..GROUPS {
            let _ = writeln!(style, "@keyframes f{group}{{{}}}", self.flight(group));
        }
        for hop in 1..self.hops {
            let (from, to) = (self.at(self.start(hop)), self.at(self.start(hop) + SPREAD + FLIGHT));
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

    /// The key frames of a group: it rests in each stage, then flies to the next.
    fn flight(&self, group: usize) -> String {
        let late = SPREAD * number(group) / number(GROUPS - 1);
        let (mut frames, mut since) = (String::new(), "0%".to_owned());
        for hop in 0..self.hops {
            let leaves = self.start(hop) + late;
            let _ = write!(frames, "{since},{}{{transform:var(--{})}}", self.at(leaves), name(hop));
            since = self.at(leaves + FLIGHT);
        }
        let _ = write!(frames, "{since},100%{{transform:var(--{})}}", name(self.hops));
        frames
    }
}

/// The variable with the spot in a stage: `a`, `b`, and so on.
pub(super) fn name(stage: usize) -> String {
    let letter = u8::try_from(stage % 26).unwrap_or(0);
    let turns = if stage < 26 { String::new() } else { (stage / 26).to_string() };
    format!("{}{turns}", char::from(b'a' + letter))
}
