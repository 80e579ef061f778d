//! Division into tiles, and product with a pattern of copies.

use itertools::Itertools;

use crate::algebra::complement::without_complement;
use crate::algebra::layout::{Layout, LinearFunction};
use crate::error::{LayoutError, Site};
use crate::level::Level;

/// The order of the axes of a division or product; all are permutations of the same axes.
///
/// [`LinearFunction`](crate::algebra::LinearFunction) groups them into the modes that CuTe has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arrangement {
    /// Tile and rest of the first axis, tile and rest of the second, ..
    #[default]
    Logical,
    /// All tile axes, then all rest axes. In CuTe each of the two groups is one mode.
    Zipped,
    /// As zipped; in CuTe only the tile axes form one mode.
    Tiled,
    /// As zipped; in CuTe each axis is a mode.
    Flat,
}

impl LinearFunction<'_> {
    /// Divides into tiles: the axes of `tile`, then those that number the tiles.
    ///
    /// `tile` lands either in the axes of `self` (`i0`, `i1`, ..) or only in `Addr`, the linear index of
    /// `self` in the given order. So does its complement, which numbers the tiles.
    /// Law: `a.as_function(order).divide_axes(b, _) == a o (b, complement of b in the shape of a)`; every
    /// arrangement is a permutation of the axes of the others; all elements stay in their places.
    /// Source: CuTe, `02_layout_algebra.md`, "Logical Divide".
    ///
    /// # Errors
    /// `CannotComplement` where `tile` has no complement in `self`; also the errors of
    /// [`compose`](Layout::compose).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::algebra::{Arrangement, IndexOrder};
    /// let matrix: Layout = "(8:16, 16:1)".parse()?;
    /// let tiles: Layout = "((4_i0:1), (2_i1:1))".parse()?; // 4 x 2
    /// let divided = matrix.as_function(IndexOrder::RowMajor).divide_axes(&tiles, Arrangement::Zipped)?;
    /// assert_eq!(divided, "((4:16), (2:1), (2:64), (8:2))".parse()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn divide_axes(
        &self,
        tile: &Layout,
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        let rest = self.layout.tiles(tile)?;
        self.compose_axes(&tile.concatenate(&rest)?)?.arranged(tile.rank(), arrangement)
    }
}

impl Layout {
    /// Multiplies: the axes of `self`, then those of `pattern`, which number copies of `self`.
    ///
    /// `pattern` arranges the copies in the part of `Addr` that `self` leaves free: its own `Addr` numbers
    /// the free places in order.
    /// Law: `a.product(b) == (a, complement of a o b)`; injective if both are.
    /// Source: CuTe, `02_layout_algebra.md`, "Logical Product"; the space is rounded up to what
    /// `self` fills.
    ///
    /// # Errors
    /// `CannotComplement` where `self` has no complement; `Argument` for levels other than `Addr` in either
    /// layout; also the errors of [`compose`](Layout::compose).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Layout;
    /// use tensor_layout::algebra::{Arrangement, IndexOrder};
    /// let tile: Layout = "((2:1, 2:4))".parse()?; // CuTe: (2,2):(4,1)
    /// let product = tile.product(&"(6:1)".parse()?, Arrangement::Logical)?;
    /// assert_eq!(product, "((2:1, 2:4), (3:8, 2:2))".parse()?); // CuTe: ((2,2),(2,3)):((4,1),(2,8))
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn product(
        &self,
        pattern: &Layout,
        arrangement: Arrangement,
    ) -> Result<Layout, LayoutError> {
        let copies = self.copies_at(pattern)?;
        self.concatenate(&copies)?.arranged(self.rank(), arrangement)
    }

    /// Orders the axes of the tile, which come first, and the rest.
    fn arranged(self, tiles: usize, arrangement: Arrangement) -> Result<Layout, LayoutError> {
        match arrangement {
            Arrangement::Logical => {
                let alternating = (0..tiles).interleave(tiles..self.rank());
                self.permute(&alternating.collect_vec())
            }
            Arrangement::Zipped | Arrangement::Tiled | Arrangement::Flat => Ok(self),
        }
    }

    /// The layout that numbers the tiles of a division.
    pub(super) fn tiles(&self, tile: &Layout) -> Result<Layout, LayoutError> {
        let named = tile.used.iter().any(|level| level.axis_number().is_some());
        let space: Vec<(Level, u64)> = match named {
            true => (0..).map(Level::axis).zip(self.shape()).collect(),
            false => vec![(Level::ADDR, self.elements())],
        };
        tile.complement(&space)
            .map_err(|error| without_complement(error, "this tile cannot divide the layout"))
    }

    /// The layout that numbers the copies of a product.
    pub(super) fn copies_at(&self, pattern: &Layout) -> Result<Layout, LayoutError> {
        let mut levels = self.levels_beside_addr().chain(pattern.levels_beside_addr());
        if let Some(level) = levels.next() {
            return Err(LayoutError::map_level(level, 0));
        }
        let too_large = || LayoutError::too_large(Site::Layout, "the space of the product");
        let filled = self.complement_space()?.iter().map(|(_, size)| *size).product();
        let room = self.elements() * self.copies();
        let room = room.checked_mul(pattern.extent(Level::ADDR)).ok_or_else(too_large)?;
        let room = room.checked_next_multiple_of(filled).ok_or_else(too_large)?;
        let free = self.complement(&[(Level::ADDR, room)]);
        let free =
            free.map_err(|error| without_complement(error, "the layout cannot be multiplied"))?;
        free.compose(pattern)
    }
}
