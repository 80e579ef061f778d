//! Bitcasts: the bytes of one array read as another.
//!
//! ```text
//! f32[2,3]{1,0} read as f32[3,2]{0,1}    element (2, 1) is at 5, where (1, 2) was: a transpose
//! f32[2,3]{1,0} read as f32[6]{0}        element (5) is at 5, where (1, 2) was: a reshape
//! ```

use std::fmt;

use itertools::Itertools;
use num_integer::Integer;

use super::XlaArray;
use crate::algebra::{
    IndexOrder, Layout, LayoutBuilder, ReadAs, Subaxis, index_map, split, whole_axes,
};
use crate::error::{LayoutError, ParseError, Site, fault};
use crate::level::Level;
use crate::location::{Found, Location};

/// The index map that results from reading the bytes of one array as another.
///
/// ```
/// use tensor_layout::xla::{Bitcast, BitcastName, XlaShape, bitcast_map};
/// let bitcast = |a: &str, b: &str| {
///     let [a, b] = [a, b].map(|text| text.parse::<XlaShape>().unwrap());
///     bitcast_map(a.as_array().unwrap(), b.as_array().unwrap())
/// };
/// let transposed = bitcast("f32[2,3]{1,0}", "f32[3,2]{0,1}")?;
/// assert_eq!(transposed.name(), Some(BitcastName::Transpose));
/// assert_eq!(transposed.to_string(), "transpose, dimensions={1,0}");
/// assert_eq!(transposed.map().locate(&[2, 1])?.to_string(), "i0=1,i1=2,Addr=0");
/// // Row 3 of the first is padding, of the second it is an element.
/// assert!(bitcast("f32[3,128]{1,0:T(8,128)}", "f32[4,128]{1,0:T(8,128)}").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitcast {
    map: Layout,
    /// The indexes of the first array, and of the second, parts included.
    first: Vec<u64>,
    second: Vec<u64>,
    part_bits: Option<u64>,
    /// The axes of the first array that are longer than 1, in the order in which a row-major walk
    /// through the second runs through them, if it takes them whole.
    order: Option<Vec<usize>>,
}

/// The operations that a bitcast may be, the narrower before the wider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitcastName {
    /// Every element keeps its index.
    Identity,
    /// The row-major order is kept.
    Reshape,
    /// The dimensions are permuted.
    Transpose,
    /// The dimensions are permuted, and then reshaped.
    ReshapeOfTranspose,
    /// Both arrays have elements at the same bytes, in any order.
    Bytes,
}

/// An element that a bitcast takes from a different index than the operation of some name would.
///
/// If the widths differ, the last entry of an index counts the parts of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The index in the second array.
    pub index: Vec<u64>,
    /// The index in the first array of the element that is taken.
    pub from: Vec<u64>,
    /// The index in the first array that the operation would take; `None` if no single one can be named.
    pub wanted: Option<Vec<u64>>,
}

/// The index map that reading the bytes of `first` as `second` makes.
///
/// It is the inverse of `first` after `second`. Where the element widths differ, both count in parts whose width is the
/// greatest common divisor of theirs, the part of the lowest bits first.
/// Law: byte k of element `map(i)` of `first` is byte k of element i of `second`.
/// Cost: O(subaxes squared) if the map has plain digits, independent of the extents.
///
/// # Errors
/// As [`XlaArray::lower`]; [`LayoutError`] with a byte that holds an element of only one array, for arrays with
/// different prefixes, and for arrays with splits; `NotDecided` where derived axes remain and there are more
/// than 2^20 elements.
pub fn bitcast_map(first: &XlaArray, second: &XlaArray) -> Result<Bitcast, ParseError> {
    let (a, b) = (first.lower()?, second.lower()?);
    let bitcast = || {
        check_attributes(first, second)?;
        Bitcast::new((&a, first.element_bits()), (&b, second.element_bits()))
    };
    let is_split = |array: &XlaArray| !array.layout_or_default().splits.is_empty();
    bitcast().map_err(|error| {
        // With equal prefixes, the splits are at fault.
        let of_first = is_split(first) && !is_split(second) && error.fact("first").is_none();
        if of_first { first.refuse(error) } else { second.refuse(error) }
    })
}

/// Checks that the attributes outside of the index map agree: prefixes are equal, and there are no splits.
///
/// # Errors
/// `Unsupported`.
pub fn check_attributes(first: &XlaArray, second: &XlaArray) -> Result<(), LayoutError> {
    let [a, b] = [first, second].map(XlaArray::layout_or_default);
    let (prefix, other) = (a.prefix_bytes.max(0), b.prefix_bytes.max(0));
    if prefix != other {
        let (first, second) = (prefix.unsigned_abs(), other.unsigned_abs());
        return Err(fault!(
            Argument,
            "this is not a bitcast: the data begins {first} bytes into the first and \
             {second} bytes into the second",
            [first, second]
        ));
    }
    if a.splits.is_empty() && b.splits.is_empty() {
        Ok(())
    } else {
        Err(fault!(
            Argument,
            "this is not a bitcast: an array with `SC` is cut into pieces, so its \
             bytes do not follow each other"
        ))
    }
}

impl Bitcast {
    /// The bitcast of two layouts, each with the number of bits that its `Addr` counts in.
    fn new(first: (&Layout, u64), second: (&Layout, u64)) -> Result<Bitcast, LayoutError> {
        let part_bits = (first.1 != second.1).then(|| first.1.gcd(&second.1));
        let in_parts = |(layout, bits): (&Layout, u64)| match part_bits {
            Some(part) => layout.in_parts(bits / part),
            None => Ok(layout.clone()),
        };
        let (a, b) = (in_parts(first)?, in_parts(second)?);
        let map = match without_elements(&a, &b) {
            Some(map) => map?,
            None => match a.read_as(&b)? {
                ReadAs::Map(map) => map,
                ReadAs::Apart { place, first: a, second: b } => {
                    return Err(apart(&place, [a, b], part_bits, first.1)?);
                }
            },
        };
        let (first, second) = (a.shape(), b.shape());
        let order = match a.elements() {
            0 => Some(longer_than_1(&first)),
            _ => whole_axes(&walk(&map)?, &first),
        };
        Ok(Bitcast { map, first, second, part_bits, order })
    }

    /// The map from the index of the second array to that of the first: lands in `i0`, `i1`, .. If the
    /// widths differ, both indexes end with the [part](Bitcast::part_bits) of the element.
    #[must_use]
    pub fn map(&self) -> &Layout {
        &self.map
    }

    /// The number of bits of a part, the common divisor of both widths, if they differ.
    #[must_use]
    pub fn part_bits(&self) -> Option<u64> {
        self.part_bits
    }

    /// The narrowest name; `None` if elements of one width are reordered in another way. Where the
    /// widths differ it is always [`Bytes`](BitcastName::Bytes).
    #[must_use]
    pub fn name(&self) -> Option<BitcastName> {
        use BitcastName as N;
        if self.part_bits.is_some() {
            return Some(N::Bytes);
        }
        let names = [N::Identity, N::Reshape, N::Transpose, N::ReshapeOfTranspose];
        names.into_iter().find(|name| self.is(*name))
    }

    /// Returns whether the bitcast is the operation of this name; parts of elements count as a last
    /// dimension.
    #[must_use]
    pub fn is(&self, name: BitcastName) -> bool {
        let Some(order) = &self.order else { return name == BitcastName::Bytes };
        let keeps_order = order.is_sorted();
        match name {
            BitcastName::Identity => keeps_order && self.first == self.second,
            BitcastName::Reshape => keeps_order,
            BitcastName::Transpose => self.permutes(order),
            BitcastName::ReshapeOfTranspose | BitcastName::Bytes => true,
        }
    }

    /// The dimensions of the transpose, as XLA writes them: dimension k of its result is
    /// dimension `dimensions[k]` of the first array. Dimensions of size 1 are put where they fit.
    #[must_use]
    pub fn dimensions(&self) -> Option<Vec<usize>> {
        let order = self.order.as_ref()?;
        let mut units = (0..self.first.len()).filter(|axis| !order.contains(axis));
        if !self.permutes(order) {
            // A transpose before a reshape may have the dimensions of size 1 in front.
            return Some(units.chain(order.iter().copied()).collect());
        }
        let mut moved = order.iter().copied().collect_vec();
        let mut next = |extent: &u64| match *extent {
            1 => units.next(),
            extent => {
                let at = moved.iter().position(|axis| self.first[*axis] == extent)?;
                Some(moved.remove(at))
            }
        };
        self.second.iter().map(&mut next).collect()
    }

    /// Returns whether every dimension of the second array is one of the first.
    fn permutes(&self, order: &[usize]) -> bool {
        let moved = order.iter().map(|axis| self.first[*axis]);
        let second = self.second.iter().copied().filter(|extent| *extent != 1);
        match self.is_empty() {
            // Without elements any order holds.
            true => self.first.iter().sorted_unstable().eq(self.second.iter().sorted_unstable()),
            false => self.first.len() == self.second.len() && moved.eq(second),
        }
    }

    fn is_empty(&self) -> bool {
        self.first.contains(&0)
    }

    /// The first element of the second array, row-major, that proves that the bitcast is not the operation of
    /// this name; `None` if it is, or if there are no elements.
    ///
    /// # Errors
    /// `NotDecided`, `TooLarge`.
    pub fn first_moved(&self, name: BitcastName) -> Result<Option<Moved>, LayoutError> {
        if self.is(name) || self.is_empty() {
            return Ok(None);
        }
        let moved = match name {
            BitcastName::Identity if self.first == self.second => {
                self.apart_from(&(0..self.first.len()).collect::<Vec<_>>())
            }
            BitcastName::Identity | BitcastName::Reshape => self.out_of_order(),
            BitcastName::Transpose => self.not_transposed(),
            BitcastName::ReshapeOfTranspose => self.not_walked(),
            BitcastName::Bytes => return Ok(None),
        };
        moved.map(Some)
    }

    /// The first element whose row-major number changes; if none changes, only the shapes differ, and the
    /// last element shows it.
    fn out_of_order(&self) -> Result<Moved, LayoutError> {
        let order = IndexOrder::RowMajor;
        let numbers = self.map.as_function(order).linearised(&self.first)?;
        let weights = order.weights(&self.second)?;
        let axes = self.second.iter().zip(weights);
        let axis = |layout: LayoutBuilder, (n, weight): (&u64, u64)| {
            layout.axis(*n, [Subaxis::land(*n, Level::ADDR, weight)])
        };
        let kept = axes.fold(Layout::builder(), axis).build()?;
        if numbers.same_up_to_padding(&kept)?.is_none() {
            let index: Vec<u64> = self.second.iter().map(|extent| extent - 1).collect();
            return self.moved(index, None);
        }
        let index = first_difference(&numbers, &kept)?;
        let number = kept.locate(&index)?.get(Level::ADDR).unwrap_or(0);
        let mut wanted = vec![0; self.first.len()];
        split(number, self.first.iter().copied(), &mut wanted);
        self.moved(index, Some(wanted))
    }

    /// A witness against a transpose, whose dimensions would follow from one step along each. It is a step
    /// that is not a step along a single dimension, or that repeats a dimension; otherwise the first element
    /// whose index differs from that of the transpose with those dimensions.
    fn not_transposed(&self) -> Result<Moved, LayoutError> {
        let mut dimensions = Vec::new();
        for axis in longer_than_1(&self.second) {
            let mut index = vec![0; self.second.len()];
            index[axis] = 1;
            let step = self.axis_stepped(&index)?.filter(|to| !dimensions.contains(to));
            let Some(to) = step else { return self.moved(index, None) };
            dimensions.push(to);
        }
        let mut next = dimensions.into_iter();
        // Dimensions of size 1 do not move; any place beyond those of the first array does.
        let beyond = self.first.len();
        let all = self.second.iter();
        let all = all.map(|n| if *n == 1 { beyond } else { next.next().unwrap_or(beyond) });
        self.apart_from(&all.collect::<Vec<_>>())
    }

    /// The witness against a transpose that is then reshaped: as [`not_transposed`](Bitcast::not_transposed),
    /// for a row-major walk through the second array with steps at the products of the dimensions taken.
    fn not_walked(&self) -> Result<Moved, LayoutError> {
        let total: u64 = self.first.iter().product();
        let (mut taken, mut weight): (Vec<usize>, u64) = (Vec::new(), 1);
        while weight < total {
            let index = self.index_of(weight);
            let step = self.axis_stepped(&index)?.filter(|to| !taken.contains(to));
            let Some(to) = step else { return self.moved(index, None) };
            weight *= self.first[to];
            taken.push(to);
        }
        let digits =
            taken.iter().rev().map(|to| Subaxis::land(self.first[*to], Level::axis(*to), 1));
        let wanted = index_map(self.first.len()).axis(total, digits).build()?;
        let walk = walk(&self.map)?;
        let number = first_difference(&walk, &wanted)?;
        let wanted = self.entries(&wanted.locate(&number)?);
        self.moved(self.index_of(number[0]), Some(wanted))
    }

    /// The first element whose index is not the one that results if axis k lands in `dimensions[k]`.
    fn apart_from(&self, dimensions: &[usize]) -> Result<Moved, LayoutError> {
        let axes = self.second.iter().zip(dimensions);
        let axis = |layout: LayoutBuilder, (n, to): (&u64, &usize)| match *n {
            1 => layout.axis(1, []),
            n => layout.axis(n, [Subaxis::land(n, Level::axis(*to), 1)]),
        };
        let wanted = axes.fold(index_map(self.first.len()), axis).build()?;
        let index = first_difference(&self.map, &wanted)?;
        let there = self.entries(&wanted.locate(&index)?);
        let moved = self.moved(index, None)?;
        // Shapes may differ in dimensions of size 1 alone.
        let real = there.iter().zip(&self.first).all(|(entry, extent)| entry < extent);
        let wanted = (real && there != moved.from).then_some(there);
        Ok(Moved { wanted, ..moved })
    }

    fn moved(&self, index: Vec<u64>, wanted: Option<Vec<u64>>) -> Result<Moved, LayoutError> {
        let from = self.entries(&self.map.locate(&index)?);
        Ok(Moved { index, from, wanted })
    }

    /// The dimension of the first array along which an element of the second is one step from the
    /// first element.
    fn axis_stepped(&self, index: &[u64]) -> Result<Option<usize>, LayoutError> {
        let from = self.entries(&self.map.locate(index)?);
        let moved = from.iter().positions(|entry| *entry > 0).exactly_one().ok();
        Ok(moved.filter(|axis| from[*axis] == 1))
    }

    fn entries(&self, place: &Location) -> Vec<u64> {
        (0..self.first.len()).map(|axis| place.get(Level::axis(axis)).unwrap_or(0)).collect()
    }

    /// The index in the second array of the element of this number, row-major.
    fn index_of(&self, number: u64) -> Vec<u64> {
        let mut index = vec![0; self.second.len()];
        split(number, self.second.iter().copied(), &mut index);
        index
    }
}

/// A map between arrays without elements; `None` unless both are such.
fn without_elements(a: &Layout, b: &Layout) -> Option<Result<Layout, LayoutError>> {
    let empty = a.elements() == 0 && b.elements() == 0;
    let axis = |layout: LayoutBuilder, n: u64| {
        layout.axis(n, (n > 1).then(|| Subaxis::land(n, Level::ADDR, 0)))
    };
    empty.then(|| b.shape().into_iter().fold(index_map(a.rank()), axis).build())
}

/// A row-major walk through the second array, in merged digits.
fn walk(map: &Layout) -> Result<Layout, LayoutError> {
    map.as_function(IndexOrder::RowMajor).flattened()?.without_padding_if_decided()
}

/// The first index at which two layouts of one shape differ; there is one.
fn first_difference(a: &Layout, b: &Layout) -> Result<Vec<u64>, LayoutError> {
    Layout::first_wrong(&a.shape(), |ranges| {
        Ok(a.part(ranges)?.same_up_to_padding(&b.part(ranges)?)?.is_none())
    })
}

/// The axes that hold more than one index, or none.
fn longer_than_1(shape: &[u64]) -> Vec<usize> {
    shape.iter().positions(|extent| *extent != 1).collect()
}

/// The error for a part that holds an element of one array only.
fn apart(
    place: &Location,
    found: [Found; 2],
    part_bits: Option<u64>,
    element_bits: u64,
) -> Result<LayoutError, LayoutError> {
    let part = place.get(Level::ADDR).unwrap_or(0);
    let byte = byte_of(part, part_bits.unwrap_or(element_bits))?;
    let [first, second] = found.map(|found| whole(found, part_bits.is_some()));
    Ok(fault!(
        Argument,
        "this is not a bitcast: byte {byte} holds {first} in the first array and \
         {second} in the second",
        [byte, first, second]
    ))
}

/// An element without the part.
fn whole(found: Found, has_parts: bool) -> Found {
    match found {
        Found::Element(mut index) if has_parts => {
            index.pop();
            Found::Element(index)
        }
        found => found,
    }
}

/// The byte in which a part begins.
fn byte_of(part: u64, bits: u64) -> Result<u64, LayoutError> {
    let too_large = || LayoutError::too_large(Site::Layout, "the number of a byte");
    match bits.is_multiple_of(8) {
        true => part.checked_mul(bits / 8).ok_or_else(too_large),
        false => Ok(part.checked_mul(bits).ok_or_else(too_large)? / 8),
    }
}

impl BitcastName {
    /// All names, the narrower before the wider.
    pub const ALL: [BitcastName; 5] = [
        BitcastName::Identity,
        BitcastName::Reshape,
        BitcastName::Transpose,
        BitcastName::ReshapeOfTranspose,
        BitcastName::Bytes,
    ];
}

impl fmt::Display for BitcastName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            BitcastName::Identity => "identity",
            BitcastName::Reshape => "reshape",
            BitcastName::Transpose => "transpose",
            BitcastName::ReshapeOfTranspose => "reshape of a transpose",
            BitcastName::Bytes => "bytes",
        })
    }
}

impl fmt::Display for Bitcast {
    /// The name, with the dimensions of a transpose: `transpose, dimensions={1,0}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(name) = self.name() else { return f.write_str("none of the named maps") };
        write!(f, "{name}")?;
        match (name, self.dimensions()) {
            (BitcastName::Transpose | BitcastName::ReshapeOfTranspose, Some(dimensions)) => {
                write!(f, ", dimensions={{{}}}", dimensions.iter().join(","))
            }
            (BitcastName::Bytes, _) if self.is(BitcastName::Reshape) => {
                f.write_str(", in row-major order")
            }
            _ => Ok(()),
        }
    }
}
