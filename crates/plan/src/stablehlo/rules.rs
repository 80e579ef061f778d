//! The rule of each operation, by families.

use itertools::Itertools;

use super::statement::Statement;
use crate::program::moves::{reshape, transpose};
use crate::program::{Axes, Dims, Fold, Rule};

/// The rule of a statement; `None` if there is none: operands and results are whole then.
pub(super) fn rule(of: &Statement<'_>, reads: &[&Dims], results: &[&Dims]) -> Option<Rule> {
    let (_, name) = of.name.rsplit_once('.').unwrap_or(("", of.name));
    let head = &of.head;
    let (first, result) = (reads.first().copied(), *results.first()?);
    let mut rule = match name {
        "constant" | "iota" => pointwise(reads, results)?,
        "broadcast_in_dim" => broadcast(first?, result, &numbers(head, "dims = ")?)?,
        "transpose" => transpose(first?, &numbers(head, "dims = ")?)?,
        "reshape" => reshape(first?, result),
        "dot_general" => product(head, first?, reads.get(1)?, result)?,
        "convolution" => convolution(head, first?, reads.get(1)?, result)?,
        "reduce" => reduction(of, reads, results)?,
        "gather" => gather(head, first?, reads.get(1)?, result)?,
        "scatter" => scatter(of, first?, reads.get(1)?, reads.get(2)?)?,
        "concatenate" => but(reads, results, &[number(head, "dim = ")?])?,
        "reverse" => but(reads, results, &numbers(head, "dims = ")?)?,
        "sort" => but(reads, results, &[number(head, "dimension = ")?])?,
        "slice"
        | "pad"
        | "dynamic_slice"
        | "dynamic_update_slice"
        | "reduce_window"
        | "select_and_scatter" => same_extents(head, reads, results)?,
        "custom_call" => return None,
        // XLA computes the greatest of all rows on every device.
        "top_k" => return None,
        "while" | "case" | "if" | "rng_bit_generator" | "rng" | "all_reduce" | "all_gather"
        | "all_to_all" | "collective_permute" => return None,
        _ => pointwise(reads, results)?,
    };
    rule.work = work(name, &rule, reads, results);
    fits(&rule, reads, results).then_some(rule)
}

/// Returns whether a rule has all axes of operands and results, and parts of a loop are parts of its axes.
fn fits(rule: &Rule, reads: &[&Dims], results: &[&Dims]) -> bool {
    let fit = |(axes, of): (&Axes, &&Dims)| {
        let is_cut = |(axis, extent): (&Option<usize>, &u64)| {
            axis.is_none_or(|at| extent.checked_rem(rule.loops[at].0).is_none_or(|rest| rest == 0))
        };
        axes.len() == of.shape.len() && axes.iter().zip(&of.shape).all(is_cut)
    };
    let all = |axes: &[Axes], of: &[&Dims]| axes.len() == of.len() && axes.iter().zip(of).all(fit);
    all(&rule.reads, reads) && all(&rule.results, results)
}

/// The operations on numbers: two for each product, and otherwise one for each element of the largest tensor.
fn work(name: &str, rule: &Rule, reads: &[&Dims], results: &[&Dims]) -> u64 {
    let made = results.first().map_or(1, |of| of.elements());
    match (name, reads) {
        ("dot_general", _) => {
            let summed = rule.loops.iter().filter(|(_, fold)| *fold == Fold::Reduced);
            summed.fold(made.saturating_mul(2), |all, (extent, _)| all.saturating_mul(*extent))
        }
        ("convolution", [_, kernel, ..]) => {
            let channels = results[0].shape.last().copied().unwrap_or(1).max(1);
            made.saturating_mul(2).saturating_mul(kernel.elements().div_ceil(channels))
        }
        _ => reads.iter().chain(results).map(|of| of.elements()).max().unwrap_or(1),
    }
}

/// Every axis is a loop; scalars serve all of them.
fn pointwise(reads: &[&Dims], results: &[&Dims]) -> Option<Rule> {
    but(reads, results, &[])
}

/// Every axis is a loop but some, which have to be whole.
fn but(reads: &[&Dims], results: &[&Dims], whole: &[usize]) -> Option<Rule> {
    let shape = &results.first()?.shape;
    let mut rule = Rule::default();
    let mut all = rule.kept(shape);
    for axis in whole {
        *all.get_mut(*axis)? = None;
    }
    let axes = |of: &&Dims| match of.shape.len() {
        0 => Some(Vec::new()),
        rank if rank == shape.len() => Some(all.clone()),
        _ => None,
    };
    rule.reads = reads.iter().map(axes).collect::<Option<_>>()?;
    rule.results = results.iter().map(axes).collect::<Option<_>>()?;
    Some(rule)
}

/// Axes whose extents operand and result share are loops; others are windows, and whole.
fn same_extents(head: &str, reads: &[&Dims], results: &[&Dims]) -> Option<Rule> {
    let rank = results.first()?.shape.len();
    let extents = |axis: usize| {
        let all = reads.iter().chain(results).filter(|of| of.shape.len() == rank);
        all.map(|of| of.shape[axis]).all_equal()
    };
    // A window over a whole axis may keep its extent.
    let windows = numbers(head, "window_dimensions = array<i64").unwrap_or_default();
    let is_window = |axis: &usize| windows.get(*axis).is_some_and(|extent| *extent != 1);
    let whole = (0..rank).filter(|axis| !extents(*axis) || is_window(axis)).collect_vec();
    but(reads, results, &whole)
}

fn broadcast(operand: &Dims, result: &Dims, dims: &[usize]) -> Option<Rule> {
    let mut rule = Rule::default();
    let all = rule.kept(&result.shape);
    let axis = |(extent, dim): (&u64, &usize)| {
        let is_same = result.shape.get(*dim)? == extent;
        Some(all[*dim].filter(|_| is_same))
    };
    if operand.shape.len() != dims.len() {
        return None;
    }
    let read = operand.shape.iter().zip(dims).map(axis).collect::<Option<_>>()?;
    (rule.reads, rule.results) = (vec![read], vec![all]);
    Some(rule)
}

/// Axes of both operands, of one alone, and axes that are added up.
fn product(head: &str, one: &Dims, other: &Dims, result: &Dims) -> Option<Rule> {
    let pairs = |key: &str| -> Option<(Vec<usize>, Vec<usize>)> {
        let Some(at) = head.find(key) else { return Some((Vec::new(), Vec::new())) };
        let (one, other) = head[at + key.len()..].split_once(" x ")?;
        Some((bracketed(one)?, bracketed(other)?))
    };
    let (batch, summed) = (pairs("batching_dims = ")?, pairs("contracting_dims = ")?);
    let mut rule = Rule::default();
    let mut axes: [Axes; 2] = [vec![None; one.shape.len()], vec![None; other.shape.len()]];
    let all = [(batch, Fold::Kept), (summed, Fold::Reduced)];
    for ((ones, others), fold) in &all {
        for (at, to) in ones.iter().zip(others) {
            let number = Some(rule.add(*one.shape.get(*at)?, *fold));
            *axes[0].get_mut(*at)? = number;
            *axes[1].get_mut(*to)? = number;
        }
    }
    let mut made: Axes = all[0].0.0.iter().map(|axis| axes[0][*axis]).collect();
    for (axes, of) in axes.iter_mut().zip([one, other]) {
        for (axis, extent) in axes.iter_mut().zip(&of.shape).filter(|(axis, _)| axis.is_none()) {
            *axis = Some(rule.add(*extent, Fold::Kept));
            made.push(*axis);
        }
    }
    rule.reads = axes.into();
    rule.results = vec![made];
    (rule.results[0].len() == result.shape.len()).then_some(rule)
}

/// Images, channels in and channels out; windows are whole, and so are channels in groups.
fn convolution(head: &str, input: &Dims, kernel: &Dims, result: &Dims) -> Option<Rule> {
    let (_, dims) = head.split_once("dim_numbers = ")?;
    let (first, rest) = dims.split_once(']')?;
    let (second, rest) = rest.split_once(']')?;
    let (third, _) = rest.split_once(']')?;
    let names = |text: &str| -> Vec<char> {
        let (_, inner) = text.split_once('[').unwrap_or_default();
        inner.split(", ").filter_map(|name| name.chars().next()).collect()
    };
    let (one, other, made) = (names(first), names(second), names(third));
    let place = |names: &[char], name: char| names.iter().position(|of| *of == name);
    let is_plain = |key: &str| number(head, key).is_none_or(|count| count == 1);
    let mut rule = Rule::default();
    let mut axes = [&one, &other, &made].map(|names| vec![None; names.len()]);
    if is_plain("batch_group_count = ") {
        let (from, to) = (place(&one, 'b')?, place(&made, 'b')?);
        let number = rule.add(*input.shape.get(from)?, Fold::Kept);
        (axes[0][from], axes[2][to]) = (Some(number), Some(number));
        if is_plain("feature_group_count = ") {
            let (from, to) = (place(&one, 'f')?, place(&other, 'i')?);
            let number = rule.add(*input.shape.get(from)?, Fold::Reduced);
            (axes[0][from], axes[1][to]) = (Some(number), Some(number));
            let (from, to) = (place(&other, 'o')?, place(&made, 'f')?);
            let number = rule.add(*kernel.shape.get(from)?, Fold::Kept);
            (axes[1][from], axes[2][to]) = (Some(number), Some(number));
        }
    }
    let [one, other, made] = axes;
    (made.len() == result.shape.len()).then_some(())?;
    (rule.reads, rule.results) = (vec![one, other], vec![made]);
    Some(rule)
}

/// Axes that stay, and axes that one known operation combines.
fn reduction(of: &Statement<'_>, reads: &[&Dims], results: &[&Dims]) -> Option<Rule> {
    let gone = numbers(&of.head, "dimensions = ")?;
    let known = ["add", "multiply", "maximum", "minimum", "and", "or"];
    let (_, applied) = of.head.split_once("applies stablehlo.").unwrap_or_default();
    let is_known = results.len() == 1 && known.contains(&applied.split(' ').next()?);
    let mut rule = Rule::default();
    let mut read = Axes::new();
    for (axis, extent) in reads.first()?.shape.iter().enumerate() {
        read.push(match (gone.contains(&axis), is_known) {
            (true, false) => None,
            (true, true) => Some(rule.add(*extent, Fold::Reduced)),
            (false, _) => Some(rule.add(*extent, Fold::Kept)),
        });
    }
    let stay = read.iter().enumerate().filter(|(axis, _)| !gone.contains(axis));
    let made: Axes = stay.map(|(_, axis)| *axis).collect();
    // Values and starts come in turn.
    let axes = |of: &&Dims| if of.shape.is_empty() { Axes::new() } else { read.clone() };
    rule.reads = reads.iter().map(axes).collect();
    rule.results = vec![made; results.len()];
    Some(rule)
}

/// Rows that are looked up: whole axes of the table, axes of the indexes, and the table's rows, which are added up.
fn gather(head: &str, table: &Dims, indexes: &Dims, result: &Dims) -> Option<Rule> {
    let list = |key: &str| numbers(head, key).unwrap_or_default();
    let (windows, sizes) = (list("offset_dims = "), list("slice_sizes = array<i64"));
    let (rows, looked_up) = (list("collapsed_slice_dims = "), list("start_index_map = "));
    let shared = (list("operand_batching_dims = "), list("start_indices_batching_dims = "));
    let mut rule = Rule::default();
    let made = rule.kept(&result.shape);
    let place = number(head, "index_vector_dim = ")?;
    let batches = (0..result.shape.len()).filter(|axis| !windows.contains(axis));
    let index = along_indexes(indexes, place, batches.map(|axis| made[axis]))?;
    let (mut read, mut kept) = (vec![None; table.shape.len()], windows.iter());
    for (axis, extent) in table.shape.iter().enumerate() {
        if let Some(at) = shared.0.iter().position(|of| *of == axis) {
            read[axis] = *index.get(*shared.1.get(at)?)?;
        } else if rows.contains(&axis) {
            // Rows of other devices count as zeros.
            let is_row = looked_up == [axis] && rows.len() == 1;
            read[axis] = is_row.then(|| rule.add(*extent, Fold::Reduced));
        } else {
            let to = *kept.next()?;
            let is_whole = u64::try_from(*sizes.get(axis)?) == Ok(*extent);
            read[axis] = made.get(to).copied()?.filter(|_| is_whole);
        }
    }
    // An axis that neither has is whole.
    let is_known = |of: &Option<usize>| of.is_some() && (read.contains(of) || index.contains(of));
    rule.results = vec![made.into_iter().map(|axis| Some(axis).filter(is_known)?).collect()];
    rule.reads = vec![read, index];
    Some(rule)
}

/// The axes of indexes in their order, but for the one of the parts of an index.
fn along_indexes(
    indexes: &Dims,
    place: usize,
    mut loops: impl Iterator<Item = Option<usize>>,
) -> Option<Axes> {
    let axis = |axis: usize| if axis == place { Some(None) } else { loops.next() };
    (0..indexes.shape.len()).map(axis).collect()
}

/// Rows that are added up: the axes of the updates that are no rows' are added up over devices.
fn scatter(of: &Statement<'_>, into: &Dims, indexes: &Dims, updates: &Dims) -> Option<Rule> {
    let head = &of.head;
    let body = of.regions.first()?;
    let adds = body.first().is_some_and(|first| first.name == "stablehlo.add");
    let list = |key: &str| numbers(head, key).unwrap_or_default();
    if !adds || of.results.len() != 1 {
        return None;
    }
    let (windows, rows) = (list("update_window_dims = "), list("inserted_window_dims = "));
    let shared = (list("input_batching_dims = "), list("scatter_indices_batching_dims = "));
    let place = number(head, "index_vector_dim = ")?;
    let mut rule = Rule::default();
    let batches = (0..updates.shape.len()).filter(|axis| !windows.contains(axis)).collect_vec();
    // The axes of the indexes, but for that of their parts: kept where the result has them.
    let of_indexes = (0..indexes.shape.len()).filter(|axis| *axis != place).collect_vec();
    let mut update: Axes = vec![None; updates.shape.len()];
    for (axis, from) in batches.iter().zip(&of_indexes) {
        let fold = if shared.1.contains(from) { Fold::Kept } else { Fold::Reduced };
        update[*axis] = Some(rule.add(updates.shape[*axis], fold));
    }
    let index = along_indexes(indexes, place, batches.iter().map(|axis| update[*axis]))?;
    let mut kept = windows.iter();
    let mut made: Axes = vec![None; into.shape.len()];
    for (axis, extent) in into.shape.iter().enumerate().filter(|(axis, _)| !rows.contains(axis)) {
        if let Some(at) = shared.0.iter().position(|of| *of == axis) {
            made[axis] = *index.get(*shared.1.get(at)?)?;
            continue;
        }
        let from = *kept.next()?;
        if updates.shape.get(from)? == extent {
            made[axis] = Some(rule.add(*extent, Fold::Kept));
            update[from] = made[axis];
        }
    }
    (rule.reads, rule.results) = (vec![made.clone(), index, update], vec![made]);
    Some(rule)
}

/// The numbers in brackets after a key, or after it in the form `array<i64: 1, 2>`.
fn numbers(text: &str, key: &str) -> Option<Vec<usize>> {
    let (_, rest) = text.split_once(key)?;
    match rest.strip_prefix(':') {
        Some(rest) => listed(rest.split_once('>')?.0),
        None => bracketed(rest).or_else(|| rest.starts_with('>').then(Vec::new)),
    }
}

/// The numbers in the brackets with which a text begins.
fn bracketed(text: &str) -> Option<Vec<usize>> {
    listed(text.strip_prefix('[')?.split_once(']')?.0)
}

fn listed(text: &str) -> Option<Vec<usize>> {
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

/// The number after a key.
fn number(text: &str, key: &str) -> Option<usize> {
    let (_, rest) = text.split_once(key)?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}
