//! A x BT -> C: whether the unit that multiplies has what it needs.
//!
//! ```text
//! C       ((8_L1B:1, 2:48), (25_Time:1, 8_L2B:1, 16_MAB:1, 4_W, 4_PE))
//! A       ((8_L1B:1, 2:1536), ..)        row m where C has it, in every L2B and MAB: they have other n
//! BT      ((25_Time:1, 8_L2B:1, 16_MAB:1, ..), ..; B@[L1B])
//! ```
//!
//! Products are made in a unit with several leaves (a MAB of MN-Core multiplies what its PEs have), so the levels
//! down to it have to agree; the leaves, the lanes and the addresses are its own business. Time slices are compared
//! apart: a slice of A stays while C runs over slices of n.

use std::collections::HashMap;
use std::error::Error;

use itertools::Itertools;
use serde::Serialize;
use tensor_layout::algebra::{Axis, Subaxis, Target};
use tensor_layout::einsum::{Einsum, Local, with_dense_addresses};
use tensor_layout::relayout::Relayout;
use tensor_layout::{Layout, Level, Machine, Placement};

use super::sums::SumRuns;

/// The outcome for one product: local or not, and the run of its slices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProductReport {
    /// The level of the units that multiply.
    pub level: String,
    /// True if every such unit has the operands of its part of the result, slice by slice.
    pub is_local: bool,
    /// The levels over which sums are left to add up.
    pub sums_over: Vec<String>,
    /// The operands.
    pub operands: Vec<OperandReport>,
    /// The disagreements.
    pub findings: Vec<String>,
}

/// The slices of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OperandReport {
    /// `A` or `BT`.
    pub name: &'static str,
    /// The number of its slices.
    pub slices: u64,
    /// The number of times that one of them is loaded while the slices of the result are made in turn.
    pub loads: u64,
}

/// The labels of the axes of A, BT and C: batch axes, then `m`, `n` and `k`. As in ONNX, a vector has `k` alone, and batch axes
/// that an operand lacks are leading ones. C has the axes of A, then those that only BT has.
fn labels([a, bt, c]: [&Layout; 3]) -> Result<[String; 3], String> {
    let batches = [a, bt].map(|of| of.rank().saturating_sub(2));
    let batch = ('a'..='j').take(batches[0].max(batches[1])).collect::<String>();
    let own = |of: usize, label: &'static str| {
        let is_vector = [a, bt][of].rank() < 2;
        let batch = batch.get(batch.len().saturating_sub(batches[of])..).unwrap_or_default();
        (batch, if is_vector { "" } else { label })
    };
    let ((of_a, m), (of_bt, n)) = (own(0, "m"), own(1, "n"));
    let of_bt_alone = of_bt.strip_suffix(of_a).unwrap_or_default();
    let result = format!("{of_a}{m}{of_bt_alone}{n}");
    let is_known = batch.len() == batches[0].max(batches[1]) && a.rank() > 0 && bt.rank() > 0;
    if !is_known || c.rank() != result.len() {
        return Err(format!(
            "A has {} axes, BT {} and C {}: expected [.., m, k], [.., n, k], [.., m, n]",
            a.rank(),
            bt.rank(),
            c.rank()
        ));
    }
    Ok([format!("{of_a}{m}k"), format!("{of_bt}{n}k"), result])
}

/// The extent of each label: the least that a layout has. Another layout may have more, if padding does not fill a step of its
/// first digit.
fn extents(labels: &[String; 3], layouts: [&Layout; 3]) -> Result<HashMap<char, u64>, String> {
    let all = labels.iter().zip(["A", "BT", "C"]).zip(layouts);
    let axes = all.flat_map(|((labels, name), of)| {
        labels.chars().zip(of.axes()).map(move |(label, axis)| (label, name, axis))
    });
    let axes = axes.collect_vec();
    let mut extents = HashMap::new();
    for (label, name, axis) in axes.iter().sorted_by_key(|(.., axis)| axis.extent) {
        let (least, extent) = *extents.entry(*label).or_insert((*name, axis.extent));
        let first = axis.subaxes.iter().map(|digit| digit.size).find(|size| *size > 1);
        if axis.extent > extent && axis.extent - extent >= axis.slots() / first.unwrap_or(1) {
            let other = axis.extent;
            return Err(format!("{label} is {extent} in {least} and {other} in {name}"));
        }
    }
    Ok(extents.into_iter().map(|(label, (_, extent))| (label, extent)).collect())
}

/// The operands that each unit needs for its part of C, if the parts of the sums are where A has `k`.
fn local(labels: &[String; 3], k: &Axis, c: &Layout) -> Result<Local, Box<dyn Error>> {
    let loops = SumRuns::of(k).before(c)?.to_builder().with_axis(k.clone()).build()?;
    let [a, bt, c] = labels;
    let einsum: Einsum = format!("{a},{bt}->{c}").parse()?;
    Ok(einsum.local_in(&with_dense_addresses(&loops)?)?)
}

impl ProductReport {
    /// Compares the layouts of a product on a machine.
    pub(crate) fn of(a: &Layout, bt: &Layout, c: &Layout, machine: &Machine) -> ProductReport {
        let levels = machine.levels().collect_vec();
        // The unit above the leaves multiplies.
        let down_to = levels.len().saturating_sub(1).max(1).min(levels.len());
        let levels = &levels[..down_to];
        let level = levels.last().map_or(Level::ADDR, |(level, _)| *level);
        let mut report = ProductReport {
            level: level.to_string(),
            is_local: false,
            sums_over: Vec::new(),
            operands: Vec::new(),
            findings: Vec::new(),
        };
        if let Err(why) = report.compare(a, bt, c, levels) {
            report.findings.push(why);
        }
        report.is_local = report.findings.is_empty();
        report
    }

    fn compare(
        &mut self,
        a: &Layout,
        bt: &Layout,
        c: &Layout,
        levels: &[(Level, u64)],
    ) -> Result<(), String> {
        let labels = labels([a, bt, c])?;
        let extents = extents(&labels, [a, bt, c])?;
        self.slices(&labels, [a, bt, c])?;
        let keep = levels.iter().map(|(level, _)| *level).collect_vec();
        let shape = |labels: &str| labels.chars().map(|label| extents[&label]).collect_vec();
        let given = |of: usize, layout| in_units(layout, &shape(&labels[of]), &keep);
        let (a, bt, c) = (given(0, a)?, given(1, bt)?, given(2, c)?);
        let local =
            local(&labels, &a.axes()[a.rank() - 1], &c).map_err(|error| error.to_string())?;
        self.sums_over = local.partial_levels().iter().map(Level::to_string).collect();
        let units = Machine::builder("units");
        let machine = levels.iter().fold(units, |of, (level, size)| of.level(*level, *size));
        let machine = machine.build().map_err(|error| error.to_string())?;
        for ((name, operand), wanted) in [("A", a), ("BT", bt)].iter().zip(local.operands()) {
            self.findings.extend(lacks(name, operand, wanted, &machine)?);
        }
        Ok(())
    }

    /// Compares the time slices of the operands with those of the result.
    fn slices(&mut self, labels: &[String; 3], layouts: [&Layout; 3]) -> Result<(), String> {
        let c = layouts[2];
        for (operand, name, label) in [(0, "A", 'm'), (1, "BT", 'n')] {
            let of_label = |of: usize| {
                let axes = labels[of].chars().zip(layouts[of].axes());
                axes.filter(|(own, _)| *own == label)
                    .flat_map(|(_, axis)| slices(axis))
                    .collect_vec()
            };
            let (own, within) = (of_label(operand), of_label(2));
            for digit in &own {
                let holds = |of: &Slices| of.place <= digit.place && digit.end() <= of.end();
                if !within.iter().any(holds) {
                    self.findings.push(format!(
                        "{name} has {}_Time at {} of {label}, and C has {}",
                        digit.size,
                        digit.place,
                        listed(&within)
                    ));
                }
            }
            let all = c.axes().iter().flat_map(slices).collect_vec();
            let least = within.iter().map(|digit| digit.stride).min();
            let is_cut = !own.is_empty();
            let mut outer = all.iter().filter(|digit| is_cut && Some(digit.stride) >= least);
            let product =
                |of: u64, digit: &Slices| of.checked_mul(digit.size).ok_or("too many slices");
            self.operands.push(OperandReport {
                name,
                slices: own.iter().try_fold(1, product)?,
                loads: outer.try_fold(1, product)?,
            });
        }
        Ok(())
    }

    /// The lines about it.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for OperandReport { name, slices, loads } in &self.operands {
            if *slices > 1 {
                lines.push(format!("{name:<3} {slices} slices, loaded {loads} times"));
            }
        }
        if self.is_local {
            let sums = match &self.sums_over[..] {
                [] => String::new(),
                levels => format!(", and sums over {} are left to add up", levels.join(", ")),
            };
            lines.push(format!("local: every {} has its operands{sums}", self.level));
        }
        lines.extend(self.findings.iter().map(|finding| format!("not local: {finding}")));
        lines
    }
}

/// A digit of time in the index of an axis.
#[derive(Clone, Copy, Debug)]
struct Slices {
    place: u64,
    size: u64,
    stride: u64,
}

impl Slices {
    fn end(&self) -> u64 {
        self.place.saturating_mul(self.size)
    }
}

fn slices(axis: &Axis) -> Vec<Slices> {
    let mut place = 1_u64;
    let mut found = Vec::new();
    for Subaxis { size, target } in axis.subaxes.iter().rev() {
        if let Target::Land { level: Level::TIME, stride } = *target
            && *size > 1
        {
            found.push(Slices { place, size: *size, stride });
        }
        place = place.saturating_mul(*size);
    }
    found
}

fn listed(slices: &[Slices]) -> String {
    match slices {
        [] => "none".into(),
        slices => slices.iter().map(|of| format!("{}_Time at {}", of.size, of.place)).join(", "),
    }
}

/// The layout of so many elements in some levels of units; all other digits are dense addresses.
fn in_units(layout: &Layout, shape: &[u64], keep: &[Level]) -> Result<Layout, String> {
    let mut of = Layout::builder().levels_of(layout, |level| keep.contains(&level));
    for (axis, extent) in layout.axes().iter().zip(shape) {
        let digit = |digit: &Subaxis| match digit.target {
            Target::Land { level, .. } if keep.contains(&level) => *digit,
            _ => Subaxis::land(digit.size, Level::ADDR, 1),
        };
        of = of.axis(*extent, axis.subaxes.iter().map(digit));
    }
    let built = of.build().map_err(|error| error.to_string())?;
    with_dense_addresses(&built).map_err(|error| error.to_string())
}

/// The lacks of an operand in the units that need it: the digits and the copies in which it differs.
fn lacks(
    name: &str,
    given: &Layout,
    wanted: &Layout,
    machine: &Machine,
) -> Result<Vec<String>, String> {
    let on = |layout: &Layout| Placement::of(layout.clone()).on(machine).build();
    let pair = on(given).and_then(|given| Relayout::new(&given, &on(wanted)?));
    let pair = pair.map_err(|error| error.to_string())?;
    let traffic = pair.traffic().map_err(|error| error.to_string())?;
    if traffic.levels.iter().all(|level| level.into == 0) {
        return Ok(Vec::new());
    }
    let account = pair.account().map_err(|error| error.to_string())?;
    let is_unit = |place: Option<(Level, u64)>| place.is_none_or(|(level, _)| level.is_unit());
    let moved = account.moves.iter().filter(|digit| {
        digit.size > 1 && !digit.stays() && (is_unit(digit.from) || is_unit(digit.to))
    });
    let moved = moved.map(|digit| format!("{name} would have to move: {digit}"));
    let copies = account.copies.iter().filter(|of| !of.in_source);
    let copies =
        copies.map(|of| format!("{name} lacks {} copies over {}", of.copies.size, of.copies.level));
    Ok(moved.chain(copies).collect())
}
