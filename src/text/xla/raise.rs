//! The conversion of a layout to the XLA shape of the same map, if there is one.
//!
//! A layout does not have a unique text: `{3,2,0,1}` and `{3,2,1,0}` are the same map where dimension 1 is 1,
//! and so are `T(1024)` and `T(128)` on `f32[1024]`. A short list of texts is tried in the
//! order of preference, each lowered and compared with the layout, so that no answer is a guess.

use super::{TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout, order, popular, reading};
use crate::algebra::{Canonical, Layout};
use crate::error::{LayoutError, fault};
use crate::level::Level;
use crate::text::Notation;

impl XlaArray {
    /// Writes a layout as an XLA array: an order of the dimensions and tiles.
    ///
    /// Of the texts that describe the map, the first of this list is returned:
    ///
    /// 1. the tiling that TPU compilers choose for the type and the two minor dimensions;
    /// 2. no tile;
    /// 3. the other tilings seen in dumps;
    /// 4. tiles read off the digits of the axes, from the outside in.
    ///
    /// Among orders, the one with the greater dimension in the more minor place comes first, so that
    /// dimensions of size 1 are where `{3,2,1,0}` has them. The result lowers to the same map and
    /// span.
    /// Cost: a bounded number of shapes is lowered, at most a few per tiling, for any rank.
    ///
    /// # Errors
    /// `Inexpressible`, with the reason: levels, copies, offsets, addresses left free, or that none of these
    /// orders and tiles produces this map.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::xla::{XlaArray, XlaDtype};
    /// let layout: Layout = "(3,5)/((2:12, 2:2), (3:4, 2:1))".parse()?;
    /// let shape = XlaArray::of(&layout, XlaDtype::from_name("f32").unwrap())?;
    /// assert_eq!(shape.to_string(), "f32[3,5]{1,0:T(2,2)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(layout: &Layout, dtype: XlaDtype) -> Result<XlaArray, LayoutError> {
        Raise::of(layout, dtype)?.preferred()
    }

    /// Writes a layout as the XLA array that is most similar to this one, the array that the layout came from.
    ///
    /// This array itself is returned if it still expresses the map, bounds and splits included; otherwise its
    /// order and its tiles are tried before those of [`of`](XlaArray::of).
    /// Type, memory space, element width and prefix are kept in any case.
    ///
    /// # Errors
    /// As [`of`](XlaArray::of).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::xla::{XlaArray, XlaShape};
    /// let shape: XlaShape = "bf16[8,1,16,256]{3,2,0,1:T(8,128)(2,1)S(1)}".parse()?;
    /// let hint = shape.as_array().unwrap();
    /// let layout = shape.lower()?;
    /// assert_eq!(hint.laid_out_as(&layout)?, *hint);
    /// let text = hint.laid_out_as(&layout.permute(&[1, 0, 2, 3])?)?.to_string();
    /// assert_eq!(text, "bf16[1,8,16,256]{3,2,0,1:T(8,128)(2,1)S(1)}");
    /// assert_eq!(XlaArray::of(&layout, hint.dtype)?.to_string(),
    ///     "bf16[8,1,16,256]{3,2,1,0:T(8,128)(2,1)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn laid_out_as(&self, layout: &Layout) -> Result<XlaArray, LayoutError> {
        let mut raise = Raise::of(layout, self.dtype)?;
        let found = match raise.like(self) {
            Some(found) => found,
            None => raise.preferred()?,
        };
        Ok(with_attributes(found, self))
    }

    /// This array with the extents of a layout, if they differ and every element of the layout has its place there;
    /// padding may differ, as after a slice.
    pub(super) fn resized_to(&self, layout: &Layout) -> Option<XlaArray> {
        let extents = layout.shape();
        if extents.len() != self.dims.len() || self.extents().ok()? == extents {
            return None;
        }
        let dims = extents.into_iter().map(XlaDim::Static).collect();
        let written = XlaLayout { splits: Vec::new(), ..self.layout_or_default() };
        let array = XlaArray::new(self.dtype, dims, Some(written));
        let lowered = array.lower().ok()?;
        let same = lowered.used_levels() == layout.used_levels()
            && lowered.same_up_to_padding(layout).is_ok_and(|difference| difference.is_none());
        same.then_some(array)
    }
}

/// The array with the attributes of another that do not depend on the index.
fn with_attributes(mut array: XlaArray, hint: &XlaArray) -> XlaArray {
    if let (Some(layout), Some(written)) = (&mut array.layout, &hint.layout) {
        layout.element_bits = written.element_bits;
        layout.memory_space = written.memory_space;
        layout.prefix_bytes = written.prefix_bytes;
    }
    array
}

/// A search for the text of a layout.
struct Raise {
    /// The layout in plain digits if they can express it: orders and tiles are read off them.
    layout: Layout,
    wanted: Canonical,
    dtype: XlaDtype,
    dims: Vec<XlaDim>,
    /// `L`, where the span is more than the slots.
    tail: Option<i64>,
    /// The number of texts that were lowered and compared.
    tried: u64,
}

impl Raise {
    fn of(layout: &Layout, dtype: XlaDtype) -> Result<Raise, LayoutError> {
        layout.check_linear().map_err(inexpressible)?;
        let layout = layout.plainest();
        let (slots, extent) = (layout.slots(), layout.extent(Level::ADDR));
        if extent > slots {
            // Every XLA layout fills the addresses from 0 without a gap, padding included.
            return Err(inexpressible(fault!(
                Inexpressible,
                "the layout fills only {slots} of {extent} addresses",
                [slots, extent]
            )));
        }
        let wanted = layout.canonical()?;
        let dims = layout.shape().into_iter().map(XlaDim::Static).collect();
        let tail = tail(slots, layout.span(Level::ADDR));
        Ok(Raise { layout, wanted, dtype, dims, tail, tried: 0 })
    }

    /// The first text of the list that describes the map.
    fn preferred(&mut self) -> Result<XlaArray, LayoutError> {
        let found = self.default_tiling();
        let found = found.or_else(|| self.first(&order::orders(&self.layout, 0), &[]));
        let found = found.or_else(|| self.popular_tiling());
        found.or_else(|| self.read_tiling()).ok_or_else(|| {
            inexpressible(fault!(
                Inexpressible,
                "no order of the dimensions with tiles made of its digits gives this map"
            ))
        })
    }

    /// The hint with other dimensions, and its tiles in other orders.
    fn like(&mut self, hint: &XlaArray) -> Option<XlaArray> {
        let written = hint.layout_or_default();
        if hint.extents().is_ok_and(|extents| extents == self.layout.shape()) && self.says(hint) {
            return Some(hint.clone());
        }
        if hint.dims.len() == self.dims.len()
            && let Some(found) = self.holds(&written.minor_to_major, written.tiles.clone())
        {
            return Some(found);
        }
        let window = written.tiles.first().map_or(0, Vec::len);
        self.first(&order::orders(&self.layout, window), &written.tiles)
    }

    /// The array with the tiles that TPU compilers choose for the type and the two minor extents.
    fn default_tiling(&mut self) -> Option<XlaArray> {
        let shape = self.layout.shape();
        order::orders(&self.layout, 2).into_iter().find_map(|order| {
            let minor = order.iter().map(|axis| shape[*axis]);
            let tiles = popular::default_tiles(self.dtype, minor)?;
            self.holds(&numbers(&order), tiles)
        })
    }

    fn popular_tiling(&mut self) -> Option<XlaArray> {
        popular::TILINGS.iter().find_map(|tiling| {
            let window = tiling.first().map_or(0, |tile| tile.len());
            let tiles = popular::tiles(tiling);
            let mut orders = order::orders(&self.layout, window);
            orders.retain(|order| self.may_fit(order, &tiles));
            self.first(&orders, &tiles)
        })
    }

    fn read_tiling(&mut self) -> Option<XlaArray> {
        let (order, tiles) = reading::tiling(&self.layout)?;
        self.holds(&numbers(&order), tiles)
    }

    fn first(&mut self, orders: &[Vec<usize>], tiles: &[Vec<TileDim>]) -> Option<XlaArray> {
        orders.iter().find_map(|order| self.holds(&numbers(order), tiles.to_vec()))
    }

    /// The array with this order and these tiles, if it is the map.
    fn holds(&mut self, minor_to_major: &[i64], tiles: Vec<Vec<TileDim>>) -> Option<XlaArray> {
        let layout = XlaLayout {
            minor_to_major: minor_to_major.to_vec(),
            element_bits: popular::packed_bits(self.dtype, &tiles),
            tiles,
            tail_padding: self.tail,
            ..XlaLayout::default()
        };
        let array = XlaArray::new(self.dtype, self.dims.clone(), Some(layout));
        self.says(&array).then_some(array)
    }

    fn says(&mut self, array: &XlaArray) -> bool {
        self.tried += 1;
        let lowered = array.lower().ok();
        let Some(lowered) = lowered.filter(|lowered| lowered.slots() == self.layout.slots()) else {
            return false;
        };
        let form = lowered.canonical().ok();
        // With derived axes left, one map may have two forms: that of its plainest layout is wanted.
        form.as_ref() == Some(&self.wanted)
            || self.wanted.has_derived_axes()
                && form.is_some_and(|form| form.has_derived_axes())
                && lowered.plainest().canonical().as_ref() == Ok(&self.wanted)
    }

    /// A cheap necessary condition: the first tile pads the dimensions to the number of slots, because later
    /// tiles of popular tilings pad nothing.
    fn may_fit(&self, order: &[usize], tiles: &[Vec<TileDim>]) -> bool {
        let first = tiles.first().map(Vec::as_slice).unwrap_or_default();
        let entries = first.iter().rev().chain(std::iter::repeat(&TileDim::Size(1)));
        let missing = first.len().saturating_sub(order.len());
        let shape = self.layout.shape();
        let dims =
            order.iter().map(|axis| shape[*axis].max(1)).chain(std::iter::repeat_n(1, missing));
        let padded = dims.zip(entries).map(|(dim, entry)| match entry {
            TileDim::Size(size) => dim.checked_next_multiple_of(size.unsigned_abs()),
            TileDim::Combine => None,
        });
        let padded = padded.collect::<Option<Vec<u64>>>().and_then(crate::algebra::product);
        padded.is_none_or(|padded| padded == self.layout.slots())
    }
}

fn inexpressible(reason: LayoutError) -> LayoutError {
    Notation::Xla.cannot_express(reason)
}

fn numbers(order: &[usize]) -> Vec<i64> {
    order.iter().filter_map(|axis| i64::try_from(*axis).ok()).collect()
}

/// The `L` that rounds the slots up to the span: 1024 if it does, otherwise the span itself.
fn tail(slots: u64, span: u64) -> Option<i64> {
    const USUAL: u64 = 1024;
    if span <= slots {
        return None;
    }
    let usual = slots.checked_next_multiple_of(USUAL) == Some(span);
    i64::try_from(if usual { USUAL } else { span }).ok()
}

#[cfg(test)]
mod tests {
    use super::Raise;
    use crate::xla::XlaShape;

    /// The number of texts that are lowered to find a shape again or to find that there is none, and
    /// whether one was found.
    fn tried(text: &str) -> (u64, bool) {
        let shape: XlaShape = text.parse().unwrap();
        let array = shape.as_array().unwrap();
        let layout = shape.lower().unwrap();
        let mut raise = Raise::of(&layout, array.dtype).unwrap();
        let found = raise.preferred().is_ok();
        (raise.tried, found)
    }

    #[test]
    fn few_texts_are_tried_for_any_rank() {
        for (text, most) in [
            ("f32[4,5,6,7,8,9,10]{6,5,4,3,2,1,0:T(8,128)}", 2),
            ("f32[4,5,6,7,8,9,10]{0,3,6,5,4,2,1:T(8,128)}", 4),
            ("f32[2,3,2,3,2,3,2]{3,5,1,0,2,4,6}", 6),
            ("f32[2,3,2,3,2,3,2]{3,5,1,0,2,4,6:T(2,3,2)}", 8),
            ("f32[2,1,2,1,2,1,2,1,2,1,2,3]{11,9,7,5,3,1,10,8,6,4,2,0:T(2,2)}", 16),
            ("bf16[6,5,4,3,2,3,4,5,6]{8,0,7,1,6,2,5,3,4:T(3,5)(2,1)}", 40),
        ] {
            let (tried, found) = tried(text);
            assert!(found && tried <= most, "{text}: {tried} texts");
        }
        // `*` is not read off the digits: the failure takes few steps too.
        let (tried, found) = tried("f32[2,3,5,2,3,2,7]{6,5,4,3,2,1,0:T(*,3)}");
        assert!(!found && tried <= 120, "{tried} texts");
    }
}
