//! Packs tensors into memory images and unpacks them.

use bytemuck::{Pod, cast_slice, cast_slice_mut};
use numpy::PyUntypedArrayMethods;
use numpy::{Element, PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyUntypedArray};
use pyo3::prelude::*;
use tensor_layout::program::Program;

use crate::bulk::{contiguous, in_use};
use crate::long::{PART, in_windows, index, parts, report};
use crate::places::Places;
use crate::python::arrays;
use crate::refusal::{Answer, refused};

#[pymethods]
impl Places {
    /// Packs a tensor into a memory image of all units, with all copies written.
    ///
    /// The image has the shape `image_shape` and the type of the tensor: any type of 1, 2, 4, 8 or 16 bytes,
    /// including `ml_dtypes`, booleans and dates. Places without an element hold `fill`. `out` is an array to
    /// write to. The GIL is released; a tensor in C order is not copied.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> import numpy as np
    /// >>> Layout("(3)/((2:1, 2_PE))").pack(np.array([10., 11., 12.]), fill=-1)
    /// array([[10., 12.],
    ///        [11., -1.]])
    #[pyo3(signature = (
        tensor: "numpy.typing.ArrayLike",
        *,
        fill: "typing.Any" = None,
        out: "numpy.typing.NDArray[typing.Any] | None" = None,
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "numpy.typing.NDArray[typing.Any]")]
    fn pack<'py>(
        slf: &Bound<'py, Self>,
        tensor: &Bound<'py, PyAny>,
        fill: Option<&Bound<'py, PyAny>>,
        out: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyAny>> {
        let is_plain = fill.is_none() && out.is_none() && progress.is_none();
        if is_plain && let Some(image) = at_once(slf.get(), tensor, Way::Pack) {
            return Ok(image);
        }
        Ok(arrays(slf.py(), "pack")?.call1((slf, tensor, fill, out, progress))?)
    }

    /// Unpacks a memory image into a tensor, reading the first copy of every element.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> import numpy as np
    /// >>> layout = Layout("((2_PE, 2:3), (3:1))")
    /// >>> tensor = np.arange(12, dtype=np.float16).reshape(4, 3)
    /// >>> assert (layout.unpack(layout.pack(tensor)) == tensor).all()
    #[pyo3(signature = (
        image: "numpy.typing.ArrayLike",
        *,
        out: "numpy.typing.NDArray[typing.Any] | None" = None,
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "numpy.typing.NDArray[typing.Any]")]
    fn unpack<'py>(
        slf: &Bound<'py, Self>,
        image: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyAny>> {
        let is_plain = out.is_none() && progress.is_none();
        if is_plain && let Some(tensor) = at_once(slf.get(), image, Way::Unpack) {
            return Ok(tensor);
        }
        Ok(arrays(slf.py(), "unpack")?.call1((slf, image, out, progress))?)
    }

    /// Packs cells of one width; both arrays are flat.
    #[pyo3(signature = (
        tensor: "numpy.typing.NDArray[typing.Any]",
        image: "numpy.typing.NDArray[typing.Any]",
        fill: "numpy.typing.NDArray[typing.Any]",
        progress: "collections.abc.Callable[[int, int], object] | None",
    ))]
    fn _pack(
        &self,
        tensor: &Bound<'_, PyAny>,
        image: &Bound<'_, PyAny>,
        fill: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> Answer<()> {
        match width(tensor)? {
            1 => pack::<u8>(self, tensor, image, fill, progress),
            2 => pack::<u16>(self, tensor, image, fill, progress),
            4 => pack::<u32>(self, tensor, image, fill, progress),
            8 => pack::<u64>(self, tensor, image, fill, progress),
            _ => pack::<numpy::Complex64>(self, tensor, image, fill, progress),
        }
    }

    /// Unpacks cells of one width; both arrays are flat.
    #[pyo3(signature = (
        image: "numpy.typing.NDArray[typing.Any]",
        tensor: "numpy.typing.NDArray[typing.Any]",
        progress: "collections.abc.Callable[[int, int], object] | None",
    ))]
    fn _unpack(
        &self,
        image: &Bound<'_, PyAny>,
        tensor: &Bound<'_, PyAny>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> Answer<()> {
        let program = self.program()?;
        match width(image)? {
            1 => unpack::<u8>(program, image, tensor, progress),
            2 => unpack::<u16>(program, image, tensor, progress),
            4 => unpack::<u32>(program, image, tensor, progress),
            8 => unpack::<u64>(program, image, tensor, progress),
            _ => unpack::<numpy::Complex64>(program, image, tensor, progress),
        }
    }
}

/// The most cells on either side for a single move: too few to be worth releasing the GIL.
const FEW: u64 = 1 << 14;

#[derive(Clone, Copy)]
enum Way {
    Pack,
    Unpack,
}

/// Moves a small plain array of numbers into new memory.
///
/// `None` for everything else, and on errors of the library: NumPy's rules and messages apply there.
fn at_once<'py>(places: &Places, array: &Bound<'py, PyAny>, way: Way) -> Option<Bound<'py, PyAny>> {
    // Subclasses may be masked.
    array.cast_exact::<PyUntypedArray>().ok()?;
    let program = places.program().ok()?;
    if program.elements() > FEW || program.places() > FEW {
        return None;
    }
    let cells = |array| WholeMove { program, shape: places.layout.shape(), array, way };
    None.or_else(|| cells(array).moved::<f32, u32>())
        .or_else(|| cells(array).moved::<f64, u64>())
        .or_else(|| cells(array).moved::<i64, u64>())
        .or_else(|| cells(array).moved::<i32, u32>())
        .or_else(|| cells(array).moved::<u8, u8>())
}

/// An array to be moved in one piece.
struct WholeMove<'a, 'py> {
    program: &'a Program,
    shape: Vec<u64>,
    array: &'a Bound<'py, PyAny>,
    way: Way,
}

impl<'py> WholeMove<'_, 'py> {
    /// The shapes of the input and of the result.
    fn shapes(&self) -> (Vec<usize>, Vec<usize>) {
        let tensor = self.shape.iter().map(|extent| index(*extent)).collect();
        let image = self.program.columns().map(|(_, size)| index(size)).collect();
        match self.way {
            Way::Pack => (tensor, image),
            Way::Unpack => (image, tensor),
        }
    }

    /// Moves numbers of one type bit by bit, without conversion.
    fn moved<T: Element + Pod, C: Pod>(&self) -> Option<Bound<'py, PyAny>> {
        let array = self.array.cast::<PyArrayDyn<T>>().ok()?;
        let (given, made) = self.shapes();
        if array.shape() != given || !array.is_c_contiguous() {
            return None;
        }
        let made = PyArrayDyn::<T>::zeros(array.py(), made, false);
        let (source, mut target) = (array.try_readonly().ok()?, made.try_readwrite().ok()?);
        let source: &[C] = cast_slice(source.as_slice().ok()?);
        let target: &mut [C] = cast_slice_mut(target.as_slice_mut().ok()?);
        match self.way {
            Way::Pack => self.program.pack(source, target, C::zeroed()).ok()?,
            Way::Unpack => self.program.unpack(source, target).ok()?,
        }
        Some(made.into_any())
    }
}

/// The size of a memory page in bytes, or less.
const PAGE: usize = 4096;

/// The width of the cells of an array, one of five possible widths.
fn width(array: &Bound<'_, PyAny>) -> Answer<usize> {
    Ok(array.getattr("itemsize")?.extract()?)
}

fn pack<T: Element + Copy + Sync>(
    places: &Places,
    tensor: &Bound<'_, PyAny>,
    image: &Bound<'_, PyAny>,
    fill: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<()> {
    let (py, program) = (tensor.py(), places.program()?);
    let (tensor, fill) = (readable::<T>(tensor)?, readable::<T>(fill)?);
    let mut image = image.cast::<PyArray1<T>>()?.try_readwrite().map_err(in_use)?;
    let (tensor, fill) = (contiguous(tensor.as_slice())?, contiguous(fill.as_slice())?);
    let image = contiguous(image.as_slice_mut())?;
    let [fill] = *fill else { return refused("`fill` is one value") };
    if program.elements() <= PART && program.places() <= PART {
        py.detach(|| program.pack(tensor, image, fill))?;
        return report(progress, program.elements(), program.elements());
    }
    let placement = places.placement()?;
    py.detach(|| placement.check_injective()).map_err(|error| places.refuse(error))?;
    let copies = placement.copies();
    let written = u128::from(program.elements()) * u128::from(copies);
    let has_holes = written < u128::from(program.places());
    for part in image.chunks_mut(index(PART)) {
        py.detach(|| match has_holes {
            true => part.fill(fill),
            // The system maps pages on first touch: touch them in order, as one window may reach all.
            false => part.iter_mut().step_by(PAGE / size_of::<T>()).for_each(|cell| *cell = fill),
        });
        py.check_signals()?;
    }
    in_windows(py, program, copies, progress, |window, range| {
        let tensor = tensor.get(range).unwrap_or_default();
        // One element may have more copies than are written between two checks for signals.
        let all = 0..window.places();
        let cuts = if copies > PART { parts(window.reach()).collect() } else { vec![all] };
        for part in cuts {
            let cells = index(part.start)..index(part.end);
            let cells = image.get_mut(cells).unwrap_or_default();
            py.detach(|| window.scatter(tensor, part, cells))?;
            py.check_signals()?;
        }
        Ok(())
    })
}

fn unpack<T: Element + Copy + Sync>(
    program: &Program,
    image: &Bound<'_, PyAny>,
    tensor: &Bound<'_, PyAny>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<()> {
    let py = tensor.py();
    let image = readable::<T>(image)?;
    let image = contiguous(image.as_slice())?;
    let mut tensor = tensor.cast::<PyArray1<T>>()?.try_readwrite().map_err(in_use)?;
    let tensor = contiguous(tensor.as_slice_mut())?;
    in_windows(py, program, 1, progress, |window, range| {
        let tensor = tensor.get_mut(range).unwrap_or_default();
        Ok(py.detach(|| window.unpack(image, tensor))?)
    })
}

fn readable<'py, T: Element>(array: &Bound<'py, PyAny>) -> Answer<PyReadonlyArray1<'py, T>> {
    array.cast::<PyArray1<T>>()?.try_readonly().map_err(in_use)
}
