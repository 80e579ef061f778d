//! Moving data: from a row-major tensor into the memory of every unit, and back.

use std::ops::Range;

use crate::error::LayoutError;
use crate::program::Inner;
use crate::program::Run;
use crate::program::{Program, check_length};

impl Program {
    /// Moves a tensor into the memory of every unit: `image[place] = tensor[element]`, all copies
    /// written, everything else set to `fill`.
    ///
    /// The tensor is row-major; the image has a cell per packed number: units row-major, then
    /// addresses, then lanes. For an XLA shape this is the tiled buffer.
    /// Law: [`unpack`](Program::unpack) gives the tensor back.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength); [`Collision`](LayoutError::Collision) where
    /// elements share places, as CuTe layouts and strides may.
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
        check_length(image.len(), self.places())?;
        self.layout.check_injective()?;
        if self.elements() * self.layout.copies() < self.places() {
            image.fill(fill);
        }
        self.scatter(tensor, 0..self.places(), image)
    }

    /// Moves the first copy back into a row-major tensor: `tensor[element] = image[place]`.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength).
    pub fn unpack<T: Copy>(&self, image: &[T], tensor: &mut [T]) -> Result<(), LayoutError> {
        self.gather(image, 0..self.places(), tensor)
    }

    /// Writes the elements of the [`window`](Program::window) that live in a range of places into
    /// the cells of that range; other cells stay.
    ///
    /// With [`reach`](Program::reach) this packs a tensor of any length part by part.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength).
    pub fn scatter<T: Copy>(
        &self,
        tensor: &[T],
        places: Range<u64>,
        image: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), places.end.saturating_sub(places.start))?;
        let short = self.has_short_runs();
        for copies in self.packed.copies() {
            match short {
                true => self.scatter_cells(tensor, &places, image, &copies),
                false => self.scatter_runs(tensor, &places, image, &copies),
            }
        }
        Ok(())
    }

    fn scatter_cells<T: Copy>(
        &self,
        tensor: &[T],
        places: &Range<u64>,
        image: &mut [T],
        copies: &[u64],
    ) {
        let mut values = tensor.iter();
        self.visit(|base, vector| {
            for (step, value) in vector.iter().zip(&mut values) {
                for copy in copies {
                    let at = (base + step + copy).wrapping_sub(places.start);
                    let at = usize::try_from(at).unwrap_or(usize::MAX);
                    if let Some(cell) = image.get_mut(at) {
                        *cell = *value;
                    }
                }
            }
        });
    }

    fn scatter_runs<T: Copy>(
        &self,
        tensor: &[T],
        places: &Range<u64>,
        image: &mut [T],
        copies: &[u64],
    ) {
        for (run, copy) in self.runs().flat_map(|run| copies.iter().map(move |copy| (run, copy))) {
            let Some((from, to, step)) = bounds(&run, *copy, places) else { continue };
            let (source, target) = (&tensor[from], &mut image[to]);
            if step == 1 {
                target.copy_from_slice(source);
            } else {
                let cells = target.iter_mut().step_by(step);
                cells.zip(source).for_each(|(cell, value)| *cell = *value);
            }
        }
    }

    /// Reads the elements of the [`window`](Program::window) whose first copy lives in a range of
    /// places from the cells of that range; other elements stay.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength).
    pub fn gather<T: Copy>(
        &self,
        image: &[T],
        places: Range<u64>,
        tensor: &mut [T],
    ) -> Result<(), LayoutError> {
        check_length(tensor.len(), self.elements())?;
        check_length(image.len(), places.end.saturating_sub(places.start))?;
        if self.has_short_runs() {
            let mut cells = tensor.iter_mut();
            self.visit(|base, vector| {
                for (step, cell) in vector.iter().zip(&mut cells) {
                    let at = (base + step).wrapping_sub(places.start);
                    let at = usize::try_from(at).unwrap_or(usize::MAX);
                    if let Some(value) = image.get(at) {
                        *cell = *value;
                    }
                }
            });
            return Ok(());
        }
        for run in self.runs() {
            let Some((from, to, step)) = bounds(&run, 0, &places) else { continue };
            let (target, source) = (&mut tensor[from], &image[to]);
            if step == 1 {
                target.copy_from_slice(source);
            } else {
                let values = source.iter().step_by(step);
                target.iter_mut().zip(values).for_each(|(cell, value)| *cell = *value);
            }
        }
        Ok(())
    }

    /// A range of places that holds all elements of the window, all copies.
    #[must_use]
    pub fn reach(&self) -> Range<u64> {
        let (least, greatest) = self.packed.bounds(&self.shape);
        let farthest = greatest + self.packed.farthest_copy();
        if self.elements() == 0 { 0..0 } else { least..farthest + 1 }
    }

    /// Whether runs are so short that moving element by element is faster.
    fn has_short_runs(&self) -> bool {
        const SHORT: usize = 8;
        if self.packed.is_fused() || self.elements() == 0 {
            return true;
        }
        let vector = Inner::new(&self.packed, &self.shape).vector;
        self.local_runs(&vector).len() * SHORT > vector.len()
    }
}

/// The elements, the places less the start of their range, and the step of a run.
type Bounds = (Range<usize>, Range<usize>, usize);

/// The part of a run in a range of places; buffers of these lengths are there, so numbers fit.
fn bounds(run: &Run, copy: u64, places: &Range<u64>) -> Option<Bounds> {
    let run = run.within(copy, places)?;
    let from = usize::try_from(run.element).ok()?;
    let to = usize::try_from(run.place - places.start).ok()?;
    let (length, step) = (usize::try_from(run.length).ok()?, usize::try_from(run.step).ok()?);
    // A run of step 0 would put several elements in one place.
    Some((from..from + length, to..to + (length - 1) * step + 1, step.max(1)))
}
