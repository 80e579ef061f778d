//! From a layout to the XLA shape that says the same, if there is one.

use itertools::Itertools;

use crate::algebra::{Layout, Target, product};
use crate::error::LayoutError;
use crate::lower::xla_shape::popular;
use crate::notation::{TileDim, XlaArray, XlaDim, XlaDtype, XlaLayout};

/// The highest rank for which all orders of the dimensions are tried.
const MOST_RANK: usize = 7;

impl Layout {
    /// Writes the layout as an XLA array: an order of the dimensions and tiles.
    ///
    /// Orders are tried with no tile, with the tiles that the digits of the axes suggest, and
    /// with the popular ones; what is returned lowers to the same map and span.
    ///
    /// # Errors
    /// [`Unsayable`](LayoutError::Unsayable), with the reason: levels, copies, offsets, or that
    /// no such order and tiles give this map.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::xla::XlaDtype;
    /// let layout: Layout = "(3,5)/((2:12, 2:2), (3:4, 2:1))".parse()?;
    /// let shape = layout.to_xla_array(XlaDtype::from_name("f32").unwrap())?;
    /// assert_eq!(shape.to_string(), "f32[3,5]{1,0:T(2,2)}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_xla_array(&self, dtype: XlaDtype) -> Result<XlaArray, LayoutError> {
        let unsayable = |reason: String| LayoutError::Unsayable { notation: "XLA", reason };
        self.check_linear().map_err(unsayable)?;
        if self.rank() > MOST_RANK {
            let rank = self.rank();
            return Err(unsayable(format!("orders of {rank} dimensions are not tried")));
        }
        let wanted = self.canonical()?;
        let dims: Vec<XlaDim> = self.shape().into_iter().map(XlaDim::Static).collect();
        for order in self.orders() {
            for tiles in self.tilings(&order) {
                let minor_to_major = order.iter().rev().filter_map(|d| i64::try_from(*d).ok());
                let layout = XlaLayout {
                    minor_to_major: minor_to_major.collect(),
                    tiles,
                    ..XlaLayout::default()
                };
                let array = XlaArray::new(dtype, dims.clone(), Some(layout));
                let lowered = array.lower().ok().and_then(|lowered| lowered.canonical().ok());
                if lowered.as_ref() == Some(&wanted) {
                    return Ok(array);
                }
            }
        }
        Err(unsayable(
            "no order of the dimensions with tiles made of its digits gives this map".into(),
        ))
    }

    /// All orders of the axes, major to minor; the one that the strides suggest comes first.
    fn orders(&self) -> impl Iterator<Item = Vec<usize>> + use<> {
        let steepest = |axis: usize| {
            let strides = self.axes()[axis].subaxes.iter().filter(|s| s.size > 1);
            let strides = strides.filter_map(|subaxis| match subaxis.target {
                Target::Land { stride, .. } => Some(stride),
                Target::Feed { .. } => None,
            });
            strides.max().unwrap_or(0)
        };
        let rank = self.rank();
        let likely =
            (0..rank).sorted_by_key(|axis| std::cmp::Reverse(steepest(*axis))).collect_vec();
        std::iter::once(likely).chain((0..rank).permutations(rank))
    }

    /// No tile, the popular tiles, and for every choice of axes that lie within one first tile,
    /// those that the digits suggest.
    fn tilings(&self, order: &[usize]) -> Vec<Vec<Vec<TileDim>>> {
        let mut tilings = vec![Vec::new()];
        tilings.extend((0..1_usize << self.rank()).map(|within| self.aligned_tiles(order, within)));
        tilings.extend(popular::TILINGS.iter().map(|tiling| popular::tiles(tiling)));
        tilings.into_iter().filter(|tiles| self.may_fit(order, tiles)).unique().collect()
    }

    /// Tiles as if the n-th digit of every axis belonged to the n-th tile; an axis that lies
    /// within one first tile has a first digit of size 1, which is not written.
    fn aligned_tiles(&self, order: &[usize], within: usize) -> Vec<Vec<TileDim>> {
        let digits = |axis: &usize| {
            let unit = (within >> axis & 1 == 1).then_some(1);
            let sizes = self.axes()[*axis].subaxes.iter().map(|subaxis| subaxis.size);
            unit.into_iter().chain(sizes.skip_while(|size| *size == 1)).collect_vec()
        };
        let digits = order.iter().map(digits).collect_vec();
        let depth = digits.iter().map(Vec::len).max().unwrap_or(0);
        let inner = |sizes: &Vec<u64>, level: usize| sizes.iter().skip(level).product::<u64>();
        let tile = |level: usize| {
            let entries = digits.iter().map(|sizes| inner(sizes, level));
            let entries = entries.skip_while(|size| *size == 1);
            entries.filter_map(|size| i64::try_from(size).ok()).map(TileDim::Size).collect_vec()
        };
        (1..depth).map(tile).filter(|tile| !tile.is_empty()).collect()
    }

    /// A cheap necessary condition: the first tile alone does not pad beyond the slots.
    fn may_fit(&self, order: &[usize], tiles: &[Vec<TileDim>]) -> bool {
        let first = tiles.first().map(Vec::as_slice).unwrap_or_default();
        let entries = first.iter().rev().chain(std::iter::repeat(&TileDim::Size(1)));
        let dims = order.iter().rev().map(|axis| self.axes()[*axis].extent.max(1));
        let padded = dims.zip(entries).map(|(dim, entry)| match entry {
            TileDim::Size(size) => dim.checked_next_multiple_of(size.unsigned_abs()),
            TileDim::Combine => None,
        });
        let padded = padded.collect::<Option<Vec<u64>>>().and_then(product);
        padded.is_some_and(|padded| padded <= self.slots())
    }
}
