//! One form for all layouts that are the same map.

use itertools::Itertools;

use crate::algebra::layout::{DerivedAxis, Layout, Subaxis, Target};
use crate::error::LayoutError;
use crate::level::Level;

/// The canonical form of a layout: equal for the same map, whatever it was written like.
///
/// Axes keep what real elements need: digits that are always 0 are dropped, the major-most is cut
/// at the extent, neighbours that step evenly are merged. What slots take beyond that is a set of
/// coordinates per level, and so are the copies.
///
/// Law: `canonical(canonical(x)) == canonical(x)`; it keeps the map and the used levels. Without
/// derived axes two layouts have equal forms and hashes if and only if they are the same map.
/// With them equal forms are the same map, but not the other way round:
/// [`Layout::same_map`] decides.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Canonical {
    shape: Vec<u64>,
    axes: Vec<Vec<Subaxis>>,
    derived: Vec<DerivedAxis>,
    used: Vec<Level>,
    offsets: Vec<(Level, u64)>,
    spans: Vec<(Level, u64)>,
    copies: Vec<(Level, Coordinates)>,
    slots: Vec<(Level, Coordinates)>,
}

/// A set of coordinates that holds 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Coordinates {
    /// All sums of digit x stride over (size, stride), strides ascending, nested and merged:
    /// the one such form of the set.
    Nested(Vec<(u64, u64)>),
    /// Any other set, ascending.
    Listed(Vec<u64>),
    /// Too large to be listed: (size, stride), ascending by stride.
    Tangled(Vec<(u64, u64)>),
}

impl Layout {
    /// The canonical form.
    ///
    /// Cost: O(subaxes log subaxes) where strides nest; else a level is listed, up to 2^16
    /// coordinates.
    ///
    /// # Errors
    /// As [`simplified`](Layout::simplified).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// let canonical = |text: &str| text.parse::<Layout>().unwrap().canonical().unwrap();
    /// assert_eq!(canonical("(3)/((2:2, 2:1))"), canonical("(3)/((4:1))"));
    /// assert_eq!(canonical("((1:7, 6:1))"), canonical("((2:3, 3:1))"));
    /// assert_ne!(canonical("((6:1))"), canonical("((6:1, 1_PE))")); // PE is used
    /// ```
    pub fn canonical(&self) -> Result<Canonical, LayoutError> {
        let layout = self.simplified()?;
        let all = layout.landings().map(|l| (l.level, (l.size, l.stride)));
        let slots = coordinate_sets(all.collect());
        let replicas = layout.replicas.iter().map(|r| (r.level, (r.size, r.stride)));
        let copies = coordinate_sets(replicas.collect());
        let (axes, derived) = match layout.derived.is_empty() {
            true => (layout.axes_of_elements(), Vec::new()),
            false => {
                let axes = layout.axes.iter().map(|axis| axis.subaxes.clone()).collect();
                (axes, layout.derived.clone())
            }
        };
        Ok(Canonical {
            shape: layout.shape(),
            axes,
            derived,
            used: layout.used,
            offsets: layout.offsets,
            spans: layout.spans,
            copies,
            slots,
        })
    }

    /// Per axis the merged digits that real values need, none where there are no elements.
    pub(crate) fn axes_of_elements(&self) -> Vec<Vec<Subaxis>> {
        let empty = self.elements() == 0;
        let digits = |axis: &crate::algebra::Axis| match empty {
            true => Vec::new(),
            false => digits_of_elements(axis),
        };
        self.axes.iter().map(digits).collect()
    }
}

impl Canonical {
    /// The logical extents.
    #[must_use]
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// (size, stride) of the digits of elements that land in `level`.
    pub(crate) fn digits_in(&self, level: Level) -> Vec<(u64, u64)> {
        let digits = self.axes.iter().flatten().filter_map(|digit| match digit.target {
            Target::Land { level: of, stride } if of == level => Some((digit.size, stride)),
            _ => None,
        });
        digits.collect()
    }

    /// Whether derived axes are left, so that equality of forms is sufficient only.
    #[must_use]
    pub fn has_derived_axes(&self) -> bool {
        !self.derived.is_empty()
    }
}

/// The digits, major to minor, cut and merged.
fn digits_of_elements(axis: &crate::algebra::Axis) -> Vec<Subaxis> {
    let tops = axis.reaches(axis.extent.saturating_sub(1));
    let reached = axis.subaxes.iter().zip(tops).filter(|(_, top)| *top > 0);
    // Only the first digit that moves is cut; the others run through.
    let mut merged: Vec<Subaxis> = Vec::new();
    for (subaxis, top) in reached {
        let digit = Subaxis { size: top + 1, target: normal(subaxis.target) };
        match merged.last_mut() {
            Some(major) if steps_evenly(major, &digit) => {
                *major = Subaxis { size: major.size * digit.size, target: digit.target };
            }
            _ => merged.push(digit),
        }
    }
    if let Some(major) = merged.first().map(|major| major.size) {
        let rest: u64 = merged.iter().skip(1).map(|digit| digit.size).product();
        merged[0].size = major.min(axis.extent.div_ceil(rest));
    }
    merged
}

/// A digit that moves nothing moves nothing in any level.
fn normal(target: Target) -> Target {
    match target {
        Target::Land { stride: 0, .. } => Target::Land { level: Level::ADDR, stride: 0 },
        _ => target,
    }
}

/// Whether one step of the major digit is as much as all of the minor one.
fn steps_evenly(major: &Subaxis, minor: &Subaxis) -> bool {
    match (major.target, minor.target) {
        (Target::Land { level: a, stride: major }, Target::Land { level: b, stride }) => {
            a == b && stride.checked_mul(minor.size) == Some(major)
        }
        _ => false,
    }
}

/// Per level the set of sums, levels without one left out.
pub(crate) fn coordinate_sets(mut terms: Vec<(Level, (u64, u64))>) -> Vec<(Level, Coordinates)> {
    terms.retain(|(_, (size, stride))| *size > 1 && *stride > 0);
    terms.sort_unstable_by_key(|(level, (size, stride))| (*level, *stride, *size));
    let by_level = terms.into_iter().chunk_by(|(level, _)| *level);
    let sets = by_level
        .into_iter()
        .map(|(level, terms)| (level, Coordinates::of(terms.map(|(_, term)| term).collect())));
    sets.collect()
}

impl Coordinates {
    /// The sums of ascending (size, stride) terms.
    pub(crate) fn of(terms: Vec<(u64, u64)>) -> Coordinates {
        const MOST: u64 = 1 << 16;
        if let Some(nested) = merge_runs(&terms) {
            return Coordinates::Nested(nested);
        }
        let sums = terms.iter().try_fold(1_u64, |n, (size, _)| n.checked_mul(*size));
        if sums.is_none_or(|sums| sums > MOST) {
            return Coordinates::Tangled(terms);
        }
        let mut listed = vec![0];
        for (size, stride) in terms {
            let longer = listed.iter().flat_map(|at| (0..size).map(move |d| at + d * stride));
            listed = longer.sorted_unstable().dedup().collect();
        }
        nested_form(&listed).map_or(Coordinates::Listed(listed), Coordinates::Nested)
    }
}

/// Nested terms with even runs merged; `None` where terms overlap otherwise.
fn merge_runs(terms: &[(u64, u64)]) -> Option<Vec<(u64, u64)>> {
    let mut merged: Vec<(u64, u64)> = Vec::new();
    let mut reach = 0;
    for (size, stride) in terms {
        let below =
            merged.len().checked_sub(2).map_or(0, |_| reach_of(&merged[..merged.len() - 1]));
        match merged.last_mut() {
            // A run of `n` continues with steps of at most `n` of its own.
            Some((n, step))
                if stride.is_multiple_of(*step) && stride / *step <= *n && below < *step =>
            {
                *n += (size - 1) * (stride / *step);
            }
            _ if *stride > reach => merged.push((*size, *stride)),
            _ => return None,
        }
        reach += (size - 1) * stride;
    }
    Some(merged)
}

fn reach_of(terms: &[(u64, u64)]) -> u64 {
    terms.iter().map(|(size, stride)| (size - 1) * stride).sum()
}

/// The nested terms whose sums are exactly the ascending set, if there are such.
fn nested_form(set: &[u64]) -> Option<Vec<(u64, u64)>> {
    let (mut terms, mut covered) = (Vec::new(), 1_usize);
    while covered < set.len() {
        let stride = set[covered];
        let block = &set[..covered];
        let repeats = |n: &u64| {
            let start = usize::try_from(*n).ok().and_then(|n| n.checked_mul(covered));
            let next = start.and_then(|start| set.get(start..start + covered));
            next.is_some_and(|next| {
                next.iter().zip(block).all(|(a, b)| Some(*a) == b.checked_add(n * stride))
            })
        };
        let size = (1..).take_while(repeats).count() + 1;
        if size < 2 {
            return None;
        }
        terms.push((u64::try_from(size).ok()?, stride));
        covered *= size;
    }
    (covered == set.len()).then_some(terms)
}
