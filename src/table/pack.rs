//! Runs of neighbouring elements, and moving data along them.

use super::program::{Inner, Outer, Program};
use crate::algebra::{Indexes, Location};
use crate::error::LayoutError;
use crate::level::Level;

/// Elements that follow each other in the tensor and step evenly in the memory of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The row-major number of the first element.
    pub element: u64,
    /// How many elements.
    pub length: u64,
    /// The packed number of the place of the first one; [`Program::location`] takes it apart.
    pub place: u64,
    /// How far apart they lie, in packed numbers; 1 for a single element.
    pub step: u64,
}

impl Program {
    /// The place with a packed number.
    #[must_use]
    pub fn location(&self, place: u64) -> Location {
        let mut rest = place;
        let columns: Vec<(Level, u64)> = self.columns().collect();
        let split = columns.into_iter().rev().map(|(level, size)| {
            let at = rest % size.max(1);
            rest /= size.max(1);
            (level, at)
        });
        split.collect()
    }

    /// Walks maximal runs of the first copy, in the order of the elements.
    ///
    /// Law: the runs are disjoint and hold every element once, in its place; none can be joined
    /// with the next.
    /// Cost: constant per run, but for joining those that meet where vectors end.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Placement, Run};
    /// let placement = Placement::of("((2_PE, 2:3), (3:1))".parse()?).build()?;
    /// let runs: Vec<Run> = placement.program()?.runs().collect();
    /// assert_eq!(runs, [
    ///     Run { element: 0, length: 6, place: 0, step: 1 },
    ///     Run { element: 6, length: 6, place: 6, step: 1 }, // PE 1
    /// ]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn runs(&self) -> Runs<'_> {
        let inner = Inner::new(&self.packed, &self.layout);
        let local = self.local_runs(&inner.vector);
        let rows = match self.layout.further.is_empty() {
            true => Rows::Vectors(Outer::new(&self.packed, &self.layout, &inner)),
            false => Rows::Elements(Indexes::new(self.layout.shape())),
        };
        let empty = self.elements() == 0;
        Runs {
            program: self,
            local,
            rows,
            row: (0, 0),
            next: usize::MAX,
            element: 0,
            last: None,
            empty,
        }
    }

    /// Moves a tensor into the memory of every unit: `image[place] = tensor[element]`, all copies
    /// written, everything else set to `fill`.
    ///
    /// The tensor is row-major; the image has a cell per packed number: units row-major, then
    /// addresses, then lanes, lane 0 first. Where a long word is one number, lane 0 is its most
    /// significant part.
    /// Law: [`unpack`](Program::unpack) gives the tensor back.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength).
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
        self.check_buffers(tensor.len(), image.len())?;
        image.fill(fill);
        if self.is_scattered() {
            return self
                .scatter(image, |element| tensor.get(usize::try_from(element).ok()?).copied());
        }
        let copies = self.packed.copies();
        for (run, copy) in self.runs().flat_map(|run| copies.iter().map(move |copy| (run, copy))) {
            let Some((from, to, step)) = bounds(&run, *copy) else { continue };
            let (source, target) = (&tensor[from], &mut image[to]);
            if step == 1 {
                target.copy_from_slice(source);
            } else {
                target
                    .iter_mut()
                    .step_by(step)
                    .zip(source)
                    .for_each(|(cell, value)| *cell = *value);
            }
        }
        Ok(())
    }

    /// Moves the first copy back into a row-major tensor: `tensor[element] = image[place]`.
    ///
    /// # Errors
    /// [`BufferLength`](LayoutError::BufferLength).
    pub fn unpack<T: Copy>(&self, image: &[T], tensor: &mut [T]) -> Result<(), LayoutError> {
        self.check_buffers(tensor.len(), image.len())?;
        if self.is_scattered() {
            let mut cells = tensor.iter_mut();
            return self.visit(&self.packed, |base, vector| {
                for (step, cell) in vector.iter().zip(&mut cells) {
                    let place = usize::try_from(base + step).unwrap_or(usize::MAX);
                    if let Some(value) = image.get(place) {
                        *cell = *value;
                    }
                }
            });
        }
        for run in self.runs() {
            let Some((from, to, step)) = bounds(&run, 0) else { continue };
            let (target, source) = (&mut tensor[from], &image[to]);
            if step == 1 {
                target.copy_from_slice(source);
            } else {
                target
                    .iter_mut()
                    .zip(source.iter().step_by(step))
                    .for_each(|(cell, value)| *cell = *value);
            }
        }
        Ok(())
    }

    /// Whether runs are so short that moving element by element is faster.
    fn is_scattered(&self) -> bool {
        const SHORT: usize = 8;
        let vector = Inner::new(&self.packed, &self.layout).vector;
        self.local_runs(&vector).len() * SHORT > vector.len()
    }

    fn check_buffers(&self, tensor: usize, image: usize) -> Result<(), LayoutError> {
        super::program::check_length(tensor, self.elements())?;
        super::program::check_length(image, self.places())
    }

    /// Numbers per unit: those with the same quotient share the memory of one unit.
    fn unit(&self) -> u64 {
        let inside = |level: &Level| *level == Level::ADDR || *level == Level::W;
        self.columns().filter(|(level, _)| inside(level)).map(|(_, size)| size).product()
    }

    /// The runs of an inner vector, relative to its base.
    fn local_runs(&self, vector: &[u64]) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (element, place) in (0..).zip(vector) {
            let single = Run { element, length: 1, place: *place, step: 1 };
            match runs.pop() {
                None => runs.push(single),
                Some(run) => match join(&run, &single, self.unit()) {
                    Some(joined) => runs.push(joined),
                    None => runs.extend([run, single]),
                },
            }
        }
        runs
    }
}

/// The elements, the places, and the step of a run.
type Bounds = (std::ops::Range<usize>, std::ops::Range<usize>, usize);

/// Buffers of these lengths are there, so the numbers fit.
fn bounds(run: &Run, copy: u64) -> Option<Bounds> {
    let from = usize::try_from(run.element).ok()?;
    let to = usize::try_from(run.place + copy).ok()?;
    let (length, step) = (usize::try_from(run.length).ok()?, usize::try_from(run.step).ok()?);
    // A run of step 0 would put several elements in one place.
    Some((from..from + length, to..to + (length - 1) * step + 1, step.max(1)))
}

/// Both runs as one, if the second goes on as the first does.
fn join(first: &Run, second: &Run, unit: u64) -> Option<Run> {
    let last = first.place + (first.length - 1) * first.step;
    let gap = second.place.checked_sub(last).filter(|gap| *gap > 0)?;
    let steps = |run: &Run| run.length == 1 || run.step == gap;
    let fits = last / unit == second.place / unit && steps(first) && steps(second);
    let length = first.length + second.length;
    fits.then_some(Run { length, step: gap, ..*first })
}

/// Maximal runs, made by [`Program::runs`].
#[derive(Debug)]
pub struct Runs<'a> {
    program: &'a Program,
    local: Vec<Run>,
    rows: Rows<'a>,
    /// The base of the row at hand, and its length.
    row: (u64, u64),
    /// The next local run of it.
    next: usize,
    /// The number of its first element.
    element: u64,
    last: Option<Run>,
    empty: bool,
}

#[derive(Debug)]
enum Rows<'a> {
    Vectors(Outer<'a>),
    /// With further axes, every element is a row of its own.
    Elements(Indexes),
}

impl Runs<'_> {
    /// The next run within a row, not joined yet.
    fn piece(&mut self) -> Option<Run> {
        loop {
            let (base, length) = self.row;
            if let Some(run) = self.local.get(self.next).filter(|run| run.element < length) {
                self.next += 1;
                // The last rows of an axis may end within a run.
                let cut = run.length.min(length - run.element);
                let (element, place) = (self.element + run.element, base + run.place);
                let step = if cut == 1 { 1 } else { run.step };
                return Some(Run { element, length: cut, place, step });
            }
            self.element += length;
            self.row = match &mut self.rows {
                Rows::Vectors(outer) => {
                    let (base, length) = outer.next()?;
                    (base, u64::try_from(length).unwrap_or(0))
                }
                Rows::Elements(indexes) => {
                    let index = indexes.next()?;
                    let base = self.program.packed.through(&self.program.layout, &index);
                    self.local = vec![Run { element: 0, length: 1, place: 0, step: 1 }];
                    (base, 1)
                }
            };
            self.next = 0;
        }
    }
}

impl Iterator for Runs<'_> {
    type Item = Run;

    fn next(&mut self) -> Option<Run> {
        let unit = self.program.unit();
        while !self.empty {
            let Some(piece) = self.piece() else { break };
            match self.last.take() {
                None => self.last = Some(piece),
                Some(run) => match join(&run, &piece, unit) {
                    Some(joined) => self.last = Some(joined),
                    None => {
                        self.last = Some(piece);
                        return Some(run);
                    }
                },
            }
        }
        self.empty = true;
        self.last.take()
    }
}
