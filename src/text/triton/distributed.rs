//! Encodings of tensors in registers: which lane of which warp holds an element, and in which register.
//!
//! Source: the rules of triton-lang/triton, `LinearLayoutConversions.cpp`, as of 3.9.

use itertools::Itertools;

use super::cluster::{Cluster, check_keys};
use super::keys::Keys;
use super::mma;
use super::tile::{Input, TritonTile};
use crate::error::ParseError;

/// The bases of an encoding on a tensor of this shape.
pub(super) fn tile(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    match &*keys.attribute.name {
        "blocked" => blocked(keys, shape),
        "linear" | "generic_linear" => linear(keys, shape),
        "slice" => slice(keys, shape),
        "dot_op" => operand(keys, shape),
        _ => mma::tile(keys, shape),
    }
}

/// Registers, then lanes, then warps, each over the dimensions in `order`.
fn blocked(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    check_blocked(keys)?;
    let (rank, order) = (shape.len(), keys.order("order", shape.len())?);
    let cluster = Cluster::of(keys, rank)?;
    let mut tile = TritonTile::new(rank);
    for (input, key) in THREADS {
        let counts = keys.powers(key, rank)?;
        order.iter().for_each(|dim| tile.grow(input, *dim, counts[*dim]));
    }
    tile.without_cut_registers(&cluster.part(shape));
    Ok(cluster.fit(tile, shape, &order))
}

const THREADS: [(Input, &str); 3] = [
    (Input::Register, "sizePerThread"),
    (Input::Lane, "threadsPerWarp"),
    (Input::Warp, "warpsPerCTA"),
];

fn check_blocked(keys: Keys<'_>) -> Result<(), ParseError> {
    let own = ["sizePerThread", "threadsPerWarp", "warpsPerCTA", "order"];
    check_keys(keys, &own)
}

/// The bases as they are written.
fn linear(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    let names = Input::ALL.map(|(_, name)| name);
    keys.check_known(&names)?;
    let is_generic = &*keys.attribute.name == "generic_linear";
    let mut tile = TritonTile::new(shape.len());
    let mut taken = Vec::new();
    for (input, key) in Input::ALL {
        for basis in keys.bases(key, shape.len())? {
            if is_generic {
                check_one_dimension(keys, input, key, &basis)?;
            } else if let Some(bit) = one_bit(keys, key, &basis)? {
                if taken.contains(&bit) {
                    let message = format!("two bits map to {} of dimension {}", bit.1, bit.0);
                    return Err(keys.refuse_key(key, message));
                }
                taken.push(bit);
            }
            tile.push(input, basis);
        }
    }
    // Dimensions grow in the order in which registers step through them, then from the last to the first.
    let registers = tile.bases(Input::Register).iter();
    let stepped = registers.filter_map(|basis| basis.iter().position(|value| *value > 0));
    let order: Vec<usize> = stepped.chain((0..shape.len()).rev()).unique().collect();
    if is_generic && !tile.is_within(shape) {
        return Err(keys.refuse("`generic_linear` reaches beyond the shape of the tensor"));
    }
    tile.without_cut_registers(shape);
    tile.fit(shape, &order);
    Ok(tile)
}

/// Only warps may step through several dimensions at once.
fn check_one_dimension(
    keys: Keys<'_>,
    input: Input,
    key: &str,
    basis: &[u64],
) -> Result<(), ParseError> {
    let moves = basis.iter().filter(|value| **value > 0).count();
    keys.check(key, moves <= 1 || input == Input::Warp, || {
        format!("a basis of `{key}` moves in one dimension; only those of `warp` may in several")
    })
}

/// The dimension and value of a basis; `None` for a copy.
fn one_bit(keys: Keys<'_>, key: &str, basis: &[u64]) -> Result<Option<(usize, u64)>, ParseError> {
    let set: Vec<(usize, u64)> =
        basis.iter().copied().enumerate().filter(|(_, value)| *value > 0).collect();
    match set[..] {
        [] => Ok(None),
        [(dim, value)] if value.is_power_of_two() => Ok(Some((dim, value))),
        _ => {
            let why = "a basis of `linear` is one bit of one dimension, or all 0";
            let refusal = keys.refuse_key(key, why);
            Err(refusal
                .with_help("`generic_linear` and the lines of a linear layout may have any bases"))
        }
    }
}

/// The parent at index 0 of a dimension that the tensor does not have.
fn slice(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    keys.check_known(&["dim", "parent"])?;
    let dim = keys.dimension("dim", shape.len() + 1)?;
    let mut whole = shape.to_vec();
    whole.insert(dim, 1);
    let mut tile = tile(keys.inner("parent")?, &whole)?.without(dim);
    // Registers that hold copies are left out.
    tile.bases_mut(Input::Register).retain(|basis| basis.iter().any(|value| *value > 0));
    Ok(tile)
}

/// An operand of a matrix product.
fn operand(keys: Keys<'_>, shape: &[u64]) -> Result<TritonTile, ParseError> {
    keys.check_known(&["opIdx", "parent", "kWidth"])?;
    let parent = keys.inner("parent")?;
    match &*parent.attribute.name {
        "blocked" => blocked_operand(keys, parent, shape),
        _ => mma::operand(keys, parent, shape),
    }
}

/// The parent with all of the summed dimension in registers, which lanes and warps along it copy.
fn blocked_operand(
    keys: Keys<'_>,
    parent: Keys<'_>,
    shape: &[u64],
) -> Result<TritonTile, ParseError> {
    check_blocked(parent)?;
    let rank = shape.len();
    let (_, summed) = keys.operand(rank)?;
    if keys.has("kWidth") && keys.number("kWidth")? != 0 {
        return Err(keys.refuse_key("kWidth", "an operand of `blocked` has no `kWidth`"));
    }
    let cluster = Cluster::of(parent, rank)?.summed(summed);
    let order = parent.order("order", rank)?;
    let mut tile = TritonTile::new(rank);
    for (input, key) in THREADS {
        let counts = parent.powers(key, rank)?;
        for &dim in &order {
            match (dim == summed, input) {
                (false, _) => tile.grow(input, dim, counts[dim]),
                (true, Input::Register) => tile.grow(input, dim, shape[dim]),
                (true, _) => tile.copy(input, counts[dim]),
            }
        }
    }
    Ok(cluster.fit(tile, shape, &order))
}
