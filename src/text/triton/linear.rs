//! Linear layouts and the algebra: from the bits of the hardware to those of the tensor, and back.
//!
//! ```text
//! lane 1 -> (0,1)    lane 2 -> (1,1)      the index each bit of the hardware maps to
//! (0,1) -> lane 1    (1,0) -> lane 1 ^ 2  the place of each bit of the tensor: the inverse matrix
//! ```
//!
//! A layout of the algebra maps tensors to places, so the matrix is inverted, once, over two elements.

use itertools::Itertools;

use super::tile::out_dims;
use super::{LinearLayout, TritonLayout};
use crate::algebra::{BitSystem, Column, Layout, Replica, Subaxis, Target, bit_digits};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::location::Location;
use crate::text::Notation;
use crate::text::cute::starts_from;

/// The padding between the elements of a memory: `(8, 2)` for 2 after every 8.
#[derive(Clone, Debug, Default)]
pub(super) struct Padding(pub(super) Vec<(u64, u64)>);

impl Padding {
    /// The distance between elements whose offsets differ in only one bit; `None` beyond 64 bits.
    fn stride(&self, bit: u32) -> Option<u64> {
        let plain = 1_u64.checked_shl(bit)?;
        self.0
            .iter()
            .filter(|(every, _)| *every <= plain)
            .try_fold(plain, |stride, (every, add)| {
                stride.checked_add((plain / every).checked_mul(*add)?)
            })
    }
}

/// The rows of tensor memory, and the memories that share an encoding.
const ROW: Level = Level::literal("ROW");
const PARTITION: Level = Level::literal("PARTITION");

/// Returns whether nothing at a bit of a level leaves its places free, in a memory; otherwise the bit counts copies.
fn may_be_free(level: Level, bit: u32) -> bool {
    level == Level::ADDR || level == ROW && bit < 5
}

/// Returns whether an input counts places in a memory: those that nothing maps to are free.
fn is_address(name: &str) -> bool {
    matches!(name, "offset" | "col")
}

/// The level of an input.
fn level(name: &str) -> Result<Level, LayoutError> {
    Ok(match name {
        "register" | "offset" | "col" => Level::ADDR,
        "row" => ROW,
        "partition" => PARTITION,
        "lane" => Level::LANE,
        "warp" => Level::WARP,
        "block" => Level::BLOCK,
        _ => Level::new(name)?,
    })
}

/// A bit of the hardware.
struct Bit {
    level: Level,
    stride: u64,
    /// The bits of the tensor that it maps to, axis after axis.
    stands_for: u64,
}

impl LinearLayout {
    /// Returns the layout that the text describes: an axis per dimension; `register` and `offset` are `Addr`,
    /// `lane`, `warp` and `block` are the levels with those names. Bits that map to index 0 are copies or, in
    /// an offset, holes. `buffers` is the extent of one more axis in front, of memories like this one that follow
    /// each other.
    pub(super) fn to_layout(
        &self,
        padding: &Padding,
        buffers: Option<u64>,
    ) -> Result<Layout, LayoutError> {
        let shifts = self.shifts()?;
        let (held, copies) = self.bits(&shifts, padding)?;
        let column = |(digit, bit): (usize, &Bit)| Column { digit, bit: 0, flips: bit.stands_for };
        let system = BitSystem::new(held.iter().enumerate().map(column).collect());
        if !system.is_injective() {
            return Err(together());
        }
        let mut builder = Layout::builder();
        if let Some(count) = buffers {
            let distance = self.size(padding)?;
            builder = builder.axis(count, [Subaxis::land(count, Level::ADDR, distance)]);
        }
        for (axis, ((_, size), shift)) in self.outs.iter().zip(&shifts).enumerate() {
            let columns = (0..size.ilog2()).map(|bit| {
                let (rest, held_by) = system.reduced(1 << (shift + bit));
                if rest == 0 {
                    return Ok(held_by);
                }
                Err(fault!(
                    Invalid,
                    "no place holds index {value} of dimension {dim}",
                    [value = 1_u64 << bit, dim = axis + usize::from(buffers.is_some())]
                )
                .with_help("a basis is missing, or the shape is too large"))
            });
            let columns: Vec<u64> = columns.try_collect()?;
            let feed = |weight| Target::Feed { derived: 0, weight };
            builder = builder.axis(*size, bit_digits(columns.into_iter().map(feed)));
        }
        if !held.is_empty() {
            let land = |bit: &Bit| Target::Land { level: bit.level, stride: bit.stride };
            builder = builder.xor(0, bit_digits(held.iter().map(land)));
        }
        for Replica { size, level, stride } in neighbours(&copies) {
            builder = builder.replica(size, level, stride);
        }
        Ok(builder.build()?.simplified())
    }

    /// The number of places that the bits of the offset reach, with padding.
    fn size(&self, padding: &Padding) -> Result<u64, LayoutError> {
        let offset = self.bases.iter().find(|(name, _)| is_address(name));
        let bits = u32::try_from(offset.map_or(0, |(_, bases)| bases.len())).ok();
        bits.and_then(|bits| padding.stride(bits)).ok_or_else(too_large)
    }

    /// The linear layout of buffers that follow each other: the next bits of the offset count them.
    pub(super) fn in_buffers(mut self, count: u64) -> Result<LinearLayout, LayoutError> {
        if !count.is_power_of_two() {
            return Err(odd_size(0, count));
        }
        let rank = self.outs.len();
        let counting = |bit| std::iter::once(1_u64 << bit).chain(std::iter::repeat_n(0, rank));
        for (name, bases) in &mut self.bases {
            bases.iter_mut().for_each(|basis| basis.insert(0, 0));
            if is_address(name) {
                bases.extend((0..count.ilog2()).map(|bit| counting(bit).collect()));
            }
        }
        let sizes = self.outs.iter().map(|(_, size)| *size);
        self.outs = out_dims(&std::iter::once(count).chain(sizes).collect_vec());
        Ok(self)
    }

    /// The position of the first bit of each dimension in the concatenation of all of them.
    fn shifts(&self) -> Result<Vec<u32>, LayoutError> {
        let mut next = 0;
        let shift = |(dim, (_, size)): (usize, &(String, u64))| {
            if !size.is_power_of_two() {
                return Err(odd_size(dim, *size));
            }
            let shift = next;
            next += size.ilog2();
            if next < u64::BITS { Ok(shift) } else { Err(too_large()) }
        };
        self.outs.iter().enumerate().map(shift).collect()
    }

    /// The bits that hold something, and those that count copies.
    fn bits(&self, shifts: &[u32], padding: &Padding) -> Result<(Vec<Bit>, Vec<Bit>), LayoutError> {
        let (mut held, mut copies, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        for (name, bases) in &self.bases {
            let level = level(name)?;
            if levels.contains(&level) {
                return Err(fault!(Invalid, "two inputs are level `{level}`", [level]));
            }
            levels.push(level);
            for (bit_number, basis) in (0..).zip(bases) {
                let stride = match level {
                    Level::ADDR => padding.stride(bit_number),
                    _ => 1_u64.checked_shl(bit_number),
                };
                let stride = stride.ok_or_else(too_large)?;
                let stands_for = self.stands_for(name, basis, shifts)?;
                let bit = Bit { level, stride, stands_for };
                match stands_for {
                    // Nothing is at such an offset.
                    0 if is_address(name) || level == ROW && may_be_free(level, bit_number) => {}
                    0 => copies.push(bit),
                    _ => held.push(bit),
                }
            }
        }
        if held.len() > 64 { Err(together()) } else { Ok((held, copies)) }
    }

    fn stands_for(&self, name: &str, basis: &[u64], shifts: &[u32]) -> Result<u64, LayoutError> {
        let mut stands_for = 0;
        for (dim, ((value, (_, size)), shift)) in
            basis.iter().zip(&self.outs).zip(shifts).enumerate()
        {
            if value >= size {
                let (input, value, size) = (name.to_owned(), *value, *size);
                return Err(fault!(
                    Invalid,
                    "a basis of `{input}` is {value} in dimension {dim}, whose size is {size}",
                    [input, value, dim, size]
                ));
            }
            stands_for |= value << shift;
        }
        Ok(stands_for)
    }
}

impl TritonLayout {
    /// Writes the layout as a linear layout of Triton: the index that each bit of the hardware maps to.
    ///
    /// `Addr` is called `offset`, or `register` where the layout has other levels or copies; `LANE`, `WARP` and `BLOCK`
    /// are `lane`, `warp` and `block`, and other levels keep their names.
    /// Law: the text gives every element the same places.
    ///
    /// # Errors
    /// `Inexpressible`: extents that are not powers of two, an offset, places that are not XORs of bits,
    /// registers or units without elements.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::notation::TritonLayout;
    /// let layout: Layout = "((2_LANE:1, 2:1), (2_LANE:2))".parse()?;
    /// let text = TritonLayout::of(&layout)?.to_string();
    /// assert_eq!(text.lines().next(), Some(" - register=1 -> (1, 0)"));
    /// assert!(text.contains("   lane=2 -> (0, 1)\n"));
    /// assert!(text.ends_with("where out dims are: [dim0 (size 4), dim1 (size 2)]"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(layout: &Layout) -> Result<TritonLayout, LayoutError> {
        let inexpressible = |reason| Notation::Triton.cannot_express(reason);
        let written = LinearLayout::of(layout).map_err(inexpressible)?;
        // A map whose bits are right may still carry between them.
        let is_same = match written.to_layout(&Padding::default(), None) {
            Ok(read) => read.same_up_to_padding(layout)?.is_none(),
            Err(_) => false,
        };
        match is_same {
            true => Ok(TritonLayout::linear(written)),
            false => Err(inexpressible(not_bitwise())),
        }
    }
}

impl LinearLayout {
    /// The linear layout that has each bit of the tensor where this one has it.
    fn of(layout: &Layout) -> Result<LinearLayout, LayoutError> {
        let odd = |axis: &usize| !layout.axes()[*axis].extent.is_power_of_two();
        if let Some(axis) = (0..layout.rank()).find(odd) {
            let extent = layout.axes()[axis].extent;
            return Err(fault!(
                Inexpressible,
                "axis {axis} has extent {extent}, which is not a power of two",
                [axis, extent]
            ));
        }
        let offset = |level: &&Level| layout.offset(**level) > 0;
        if let Some(level) = layout.used_levels().iter().find(offset) {
            let offset = layout.offset(*level);
            return Err(starts_from(*level, offset));
        }
        HardwareBits::of(layout).bases(layout)
    }
}

/// Copies in as few replicas as possible: neighbouring bits count together.
fn neighbours(copies: &[Bit]) -> Vec<Replica> {
    let mut replicas: Vec<Replica> = Vec::new();
    for bit in copies {
        match replicas.last_mut() {
            Some(last) if last.level == bit.level && last.size * last.stride == bit.stride => {
                last.size *= 2;
            }
            _ => replicas.push(Replica { size: 2, level: bit.level, stride: bit.stride }),
        }
    }
    replicas
}

/// The bits of the hardware that a layout uses.
struct HardwareBits {
    /// (level, bit), in the order of the inputs.
    bits: Vec<(Level, u32)>,
    /// True for each bit that counts copies, in the order of `bits`.
    is_copy: Vec<bool>,
    /// Per input, its level and its number of bits.
    inputs: Vec<(Level, u32)>,
}

impl HardwareBits {
    fn of(layout: &Layout) -> HardwareBits {
        let distributed = [Level::ADDR, Level::LANE, Level::WARP, Level::BLOCK];
        let shared = [Level::ADDR, Level::BLOCK];
        let own = if is_memory(layout) { &shared[..] } else { &distributed };
        let others = layout.used_levels().iter().filter(|level| !own.contains(level));
        let held = images(layout);
        let input = |level: &Level| {
            let of_level = layout.replicas().iter().filter(|replica| replica.level == *level);
            let copied = of_level.flat_map(copied_bits);
            let held = held.iter().filter_map(|(_, place)| place.get(*level));
            let set = held.chain(copied).fold(0, |set, bits| set | bits);
            (*level, u64::BITS - set.leading_zeros())
        };
        let inputs = own.iter().chain(others).map(input).collect_vec();
        let bits = inputs
            .iter()
            .flat_map(|(level, bits)| (0..*bits).map(|bit| (*level, bit)))
            .collect_vec();
        let is_copy = bits.iter().map(|(level, bit)| {
            let of_level = layout.replicas().iter().filter(|replica| replica.level == *level);
            of_level.flat_map(copied_bits).any(|step| step == 1 << bit)
        });
        HardwareBits { is_copy: is_copy.collect(), bits, inputs }
    }

    fn bases(&self, layout: &Layout) -> Result<LinearLayout, LayoutError> {
        let shape = layout.shape();
        let images = images(layout);
        let columns = images.iter().enumerate();
        let columns =
            columns.map(|(digit, (_, place))| Column { digit, bit: 0, flips: self.flips(place) });
        let system = BitSystem::new(columns.collect());
        let basis = |at: usize| {
            let mut basis = vec![0; shape.len()];
            if self.is_copy[at] {
                return Ok(basis);
            }
            let (rest, made_of) = system.reduced(1 << at);
            let (level, bit) = self.bits[at];
            if rest != 0 {
                // This place is empty, which only the layout of a memory can express.
                return match is_memory(layout) && may_be_free(level, bit) {
                    true => Ok(basis),
                    false => Err(fault!(
                        Inexpressible,
                        "nothing is at {level}={at}, and only memories have holes",
                        [level, at = 1_u64 << bit]
                    )),
                };
            }
            let chosen = images.iter().enumerate().filter(|(at, _)| made_of >> at & 1 == 1);
            chosen.for_each(|(_, ((axis, value), _))| basis[*axis] |= value);
            Ok(basis)
        };
        if self.bits.len() > 64 {
            return Err(not_bitwise());
        }
        let mut all = (0..self.bits.len()).map(basis);
        let bases = self.inputs.iter().map(|(level, bits)| {
            let own = all.by_ref().take(usize::try_from(*bits).unwrap_or(0));
            Ok((input_name(*level, layout), own.collect::<Result<Vec<_>, LayoutError>>()?))
        });
        Ok(LinearLayout {
            bases: bases.collect::<Result<_, LayoutError>>()?,
            outs: out_dims(&shape),
        })
    }

    /// The bits that are set in a place.
    fn flips(&self, place: &Location) -> u64 {
        let is_set = |(level, bit): &(Level, u32)| place.get(*level).unwrap_or(0) >> bit & 1 == 1;
        let set = self.bits.iter().take(64).enumerate().filter(|(_, bit)| is_set(bit));
        set.fold(0, |flips, (at, _)| flips | 1 << at)
    }
}

/// The place of each bit of the axes, which is an axis and a value in it.
fn images(layout: &Layout) -> Vec<((usize, u64), Location)> {
    let bits = layout
        .axes()
        .iter()
        .enumerate()
        .flat_map(|(axis, of)| (0..of.extent.ilog2()).map(move |bit| (axis, 1_u64 << bit)));
    let place = |(axis, value): (usize, u64)| {
        let mut index = vec![0; layout.rank()];
        index[axis] = value;
        ((axis, value), layout.slot(&index))
    };
    bits.map(place).collect()
}

/// The steps between copies of a replica, one for each bit of its digit.
fn copied_bits(replica: &Replica) -> impl Iterator<Item = u64> + '_ {
    let bits = if replica.is_apart() { replica.size.ilog2() } else { 0 };
    (0..bits).filter_map(|bit| replica.stride.checked_mul(1 << bit))
}

/// Returns whether everything is in memory: no level but those of memories, and no distinct copies where places
/// may be free.
fn is_memory(layout: &Layout) -> bool {
    let of_memory = [Level::ADDR, Level::BLOCK, ROW, PARTITION];
    let is_free = |replica: &Replica| {
        let mut steps = copied_bits(replica);
        steps.any(|step| may_be_free(replica.level, step.ilog2()))
    };
    layout.used_levels().iter().all(|level| of_memory.contains(level))
        && !layout.replicas().iter().any(is_free)
}

fn input_name(level: Level, layout: &Layout) -> String {
    let is_memory = is_memory(layout);
    match level {
        Level::ADDR if is_memory && layout.uses(ROW) => "col".into(),
        Level::ADDR if is_memory => "offset".into(),
        Level::ADDR => "register".into(),
        Level::LANE => "lane".into(),
        Level::WARP => "warp".into(),
        Level::BLOCK => "block".into(),
        ROW if is_memory => "row".into(),
        PARTITION if is_memory => "partition".into(),
        level => level.to_string(),
    }
}

/// A layout whose places are not XORs of the bits of an index.
pub(crate) fn not_bitwise() -> LayoutError {
    fault!(
        Inexpressible,
        "its places are not XORs of the bits of an index: some steps carry, or copies overlap"
    )
}

fn together() -> LayoutError {
    fault!(
        Invalid,
        "some bases are XORs of others, so that several bits hold a part of the tensor together"
    )
    .with_help("copies are bases that are all 0")
}

fn too_large() -> LayoutError {
    fault!(TooLarge, "the layout does not fit in 64 bits")
}

pub(super) fn odd_size(dim: usize, size: u64) -> LayoutError {
    fault!(
        Invalid,
        "dimension {dim} has extent {size}, but extents in Triton are powers of two",
        [dim, size]
    )
}
