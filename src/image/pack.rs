//! Moving data: from a row-major tensor into the memory of every unit, and back.

use std::ops::Range;

#[cfg(feature = "simd")]
use multiversion::multiversion;

use super::numbers::Numbers;
use super::transpose::transfer;
use crate::algebra::strided::{StridedDigit, merged};
use crate::error::LayoutError;
use crate::number::{seam, to_index, to_u64};
use crate::program::{GROUP, Group, PieceRow, Pieces, Program, StepGrid, check_length};

/// Where numbers are compiled once, cells of other types are moved one by one, in little code.
const ANY_IN_BLOCKS: bool = cfg!(not(feature = "simd"));

/// The bytes of an image that are filled before elements are written among them: they stay in the second-level cache.
fn filled_together() -> u64 {
    seam(1 << 18, 16)
}

/// The side that a move writes.
#[derive(Clone, Copy, PartialEq)]
enum Written {
    Image,
    Tensor,
}

impl Written {
    /// Moves the elements of a grid; the image begins at a place.
    fn transfer<T: Copy, const IN_BLOCKS: bool>(
        self,
        grid: &StepGrid,
        start: u64,
        source: &[T],
        target: &mut [T],
    ) {
        let (element, place) = (grid.element, grid.place - start);
        let steps = grid.steps.iter().copied();
        let (at, digits) = match self {
            Written::Image => ((element, place), merged(steps)),
            Written::Tensor => ((place, element), merged(steps.map(StridedDigit::flipped))),
        };
        transfer::<T, IN_BLOCKS>(source, target, at, &digits);
    }

    /// The same for cells that may be numbers.
    fn transfer_any<T: Copy>(self, grid: &StepGrid, start: u64, source: &[T], target: &mut [T]) {
        let mut as_numbers = |cells: Numbers<'_>| match cells {
            Numbers::Of1(source, target) => self.transfer::<_, true>(grid, start, source, target),
            Numbers::Of2(source, target) => self.transfer::<_, true>(grid, start, source, target),
            Numbers::Of4(source, target) => self.transfer::<_, true>(grid, start, source, target),
            Numbers::Of8(source, target) => self.transfer::<_, true>(grid, start, source, target),
        };
        if !Numbers::with(source, target, &mut as_numbers) {
            self.transfer::<T, ANY_IN_BLOCKS>(grid, start, source, target);
        }
    }
}

impl Program {
    /// Moves a tensor into the memory of every unit: `image[place] = tensor[element]`, all copies
    /// written, everything else set to `fill`.
    ///
    /// The tensor is row-major; the image has a cell per packed number: units row-major, then
    /// addresses, then lanes. For an XLA shape this is the tiled buffer.
    /// Law: [`unpack`](Program::unpack) gives the tensor back.
    ///
    /// # Errors
    /// `Shape`; `Collision` where elements share places, as CuTe layouts and strides may.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::Placement;
    /// let placement = Placement::of("(3)/((2:1, 2_PE))".parse()?).build()?;
    /// let program = placement.program()?;
    /// let mut image = [0; 4];
    /// program.pack(&[10, 11, 12], &mut image, -1)?;
    /// assert_eq!(image, [10, 12, 11, -1]); // PE 0: 10 12, PE 1: 11 and padding
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pack<T: Copy>(&self, tensor: &[T], image: &mut [T], fill: T) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), self.places())?;
        self.check_injective()?;
        self.pack_within(tensor, &(0..self.places()), image, fill);
        Ok(())
    }

    /// Packs a range of places. A large image is filled part by part, because the cells that are filled are still in the cache
    /// when the elements are written.
    pub(crate) fn pack_within<T: Copy>(
        &self,
        tensor: &[T],
        places: &Range<u64>,
        image: &mut [T],
        fill: T,
    ) {
        let most = filled_together() / to_u64(size_of::<T>().max(1));
        let is_full = self.fills_all_places();
        if is_full || to_u64(image.len()) <= 2 * most || self.movable_pieces(places).is_some() {
            if !is_full {
                image.fill(fill);
            }
            return self.move_any(Written::Image, tensor, image, places);
        }
        let mut filled = 0;
        self.visit_within(true, places, &mut |grid| {
            grid.in_parts(most, &mut |part| {
                let end = to_index(part.last() - places.start) + 1;
                if let Some(new) = image.get_mut(filled..end) {
                    new.fill(fill);
                    filled = end;
                }
                Written::Image.transfer_any(part, places.start, tensor, image);
            });
        });
        image[filled..].fill(fill);
    }

    /// Returns whether every place holds a copy of an element of the window, and no two share a place.
    pub(crate) fn fills_all_places(&self) -> bool {
        self.elements() * self.compiled.layout.copies() == self.places()
    }

    /// Moves the first copy back into a row-major tensor: `tensor[element] = image[place]`.
    ///
    /// # Errors
    /// `Shape`.
    pub fn unpack<T: Copy>(&self, image: &[T], tensor: &mut [T]) -> Result<(), LayoutError> {
        self.gather(image, 0..self.places(), tensor)
    }

    /// Writes the elements of the [`window`](Program::window) that are stored in a range of places into
    /// the cells of that range; other cells are unchanged.
    ///
    /// With [`reach`](Program::reach) this packs a tensor of any length part by part.
    ///
    /// # Errors
    /// `Shape`.
    pub fn scatter<T: Copy>(
        &self,
        tensor: &[T],
        places: Range<u64>,
        image: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), places.end.saturating_sub(places.start))?;
        self.move_any(Written::Image, tensor, image, &places);
        Ok(())
    }

    /// Reads the elements of the [`window`](Program::window) whose first copy is stored in a range of
    /// places from the cells of that range; other elements are unchanged.
    ///
    /// # Errors
    /// `Shape`.
    pub fn gather<T: Copy>(
        &self,
        image: &[T],
        places: Range<u64>,
        tensor: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), places.end.saturating_sub(places.start))?;
        self.move_any(Written::Tensor, image, tensor, &places);
        Ok(())
    }

    fn move_any<T: Copy>(&self, to: Written, source: &[T], target: &mut [T], places: &Range<u64>) {
        let mut as_numbers = |cells: Numbers<'_>| self.move_numbers(to, cells, places);
        if !Numbers::with(source, target, &mut as_numbers) {
            self.move_cells::<T, ANY_IN_BLOCKS>(to, source, target, places);
        }
    }

    fn move_numbers(&self, to: Written, cells: Numbers<'_>, places: &Range<u64>) {
        match cells {
            Numbers::Of1(source, target) => self.move_cells::<_, true>(to, source, target, places),
            Numbers::Of2(source, target) => self.move_cells::<_, true>(to, source, target, places),
            Numbers::Of4(source, target) => self.move_cells::<_, true>(to, source, target, places),
            Numbers::Of8(source, target) => self.move_cells::<_, true>(to, source, target, places),
        }
    }

    fn move_cells<T: Copy, const IN_BLOCKS: bool>(
        &self,
        to: Written,
        source: &[T],
        target: &mut [T],
        places: &Range<u64>,
    ) {
        if let Some(pieces) = self.movable_pieces(places) {
            return match to {
                Written::Image => scatter_pieces::<T, IN_BLOCKS>(pieces, source, target),
                Written::Tensor => gather_pieces::<T, IN_BLOCKS>(pieces, source, target),
            };
        }
        self.visit_within(to == Written::Image, places, &mut |grid| {
            to.transfer::<T, IN_BLOCKS>(grid, places.start, source, target);
        });
    }

    /// Calls `visit` with grids of the elements of the window that are stored in a range of places, with
    /// all copies or the first.
    pub(super) fn visit_within(
        &self,
        copies: bool,
        places: &Range<u64>,
        visit: &mut dyn FnMut(&StepGrid),
    ) {
        self.boxes(copies).visit(&self.window_ranges(), &mut |grid| grid.within(places, visit));
    }

    /// A range of places that holds all elements of the window, all copies.
    #[must_use]
    pub fn reach(&self) -> Range<u64> {
        let packed = &self.compiled.packed;
        let (least, greatest) = packed.bounds(&self.shape);
        let farthest = greatest + packed.farthest_copy;
        if self.elements() == 0 { 0..0 } else { least..farthest + 1 }
    }
}

/// Writes pieces into an image; for usual lengths of pieces the compiler knows the length.
fn scatter_pieces<T: Copy, const IN_BLOCKS: bool>(
    pieces: Pieces<'_>,
    tensor: &[T],
    image: &mut [T],
) {
    let length = pieces.length;
    pieces.each(|row| match length {
        2 if const { IN_BLOCKS } => scatter_row::<T, 2>(&row, tensor, image),
        4 if const { IN_BLOCKS } => scatter_row::<T, 4>(&row, tensor, image),
        8 if const { IN_BLOCKS } => scatter_row::<T, 8>(&row, tensor, image),
        16 if const { IN_BLOCKS } => scatter_row::<T, 16>(&row, tensor, image),
        _ => moves(&row, length, |element, place| {
            image[place].copy_from_slice(&tensor[element]);
        }),
    });
}

#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn scatter_row<T: Copy, const N: usize>(row: &PieceRow<'_>, tensor: &[T], image: &mut [T]) {
    let (cells, _) = tensor[row.element..].as_chunks::<N>();
    for (Group { place, flips }, cells) in row.groups.iter().zip(cells.as_chunks::<GROUP>().0) {
        if let Some(target) = image[row.base + place..].as_chunks_mut::<N>().0.first_chunk_mut() {
            move_group(cells, *flips, target);
        }
    }
    if row.groups.is_empty() {
        for (place, cells) in row.places.iter().zip(cells) {
            if let Some(target) = image[row.base + place..].first_chunk_mut() {
                *target = *cells;
            }
        }
    }
}

/// Moves piece k of a group to piece `k ^ flips`, which is its own inverse. If the compiler knows the flips,
/// it moves pairs of pieces as one.
#[inline]
fn move_group<P: Copy>(from: &[P; GROUP], flips: usize, to: &mut [P; GROUP]) {
    match flips {
        0 => *to = *from,
        1 => flip::<P, 1>(from, to),
        2 => flip::<P, 2>(from, to),
        3 => flip::<P, 3>(from, to),
        4 => flip::<P, 4>(from, to),
        5 => flip::<P, 5>(from, to),
        6 => flip::<P, 6>(from, to),
        _ => flip::<P, 7>(from, to),
    }
}

/// A loop and not an array that is returned, which would go through the stack.
#[inline]
fn flip<P: Copy, const FLIPS: usize>(from: &[P; GROUP], to: &mut [P; GROUP]) {
    for (piece, to) in to.iter_mut().enumerate() {
        *to = from[(piece ^ FLIPS) % GROUP];
    }
}

/// Reads pieces out of an image.
fn gather_pieces<T: Copy, const IN_BLOCKS: bool>(
    pieces: Pieces<'_>,
    image: &[T],
    tensor: &mut [T],
) {
    let length = pieces.length;
    pieces.each(|row| match length {
        2 if const { IN_BLOCKS } => gather_row::<T, 2>(&row, image, tensor),
        4 if const { IN_BLOCKS } => gather_row::<T, 4>(&row, image, tensor),
        8 if const { IN_BLOCKS } => gather_row::<T, 8>(&row, image, tensor),
        16 if const { IN_BLOCKS } => gather_row::<T, 16>(&row, image, tensor),
        _ => moves(&row, length, |element, place| {
            tensor[element].copy_from_slice(&image[place]);
        }),
    });
}

#[cfg_attr(feature = "simd", multiversion(targets("x86_64+avx2")))]
fn gather_row<T: Copy, const N: usize>(row: &PieceRow<'_>, image: &[T], tensor: &mut [T]) {
    let (cells, _) = tensor[row.element..].as_chunks_mut::<N>();
    if row.groups.is_empty() {
        for (place, cells) in row.places.iter().zip(cells) {
            if let Some(source) = image[row.base + place..].first_chunk() {
                *cells = *source;
            }
        }
        return;
    }
    for (Group { place, flips }, cells) in row.groups.iter().zip(cells.as_chunks_mut::<GROUP>().0) {
        if let Some(source) = image[row.base + place..].as_chunks::<N>().0.first_chunk() {
            move_group(source, *flips, cells);
        }
    }
}

/// Calls `visit` with the cells of each piece, in the tensor and in the image.
fn moves(row: &PieceRow<'_>, length: usize, mut visit: impl FnMut(Range<usize>, Range<usize>)) {
    for (element, place) in (row.element..).step_by(length).zip(row.places) {
        let place = row.base + place;
        visit(element..element + length, place..place + length);
    }
}
