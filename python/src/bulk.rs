//! Whole tables, and the answers to many questions at once, in NumPy's memory.

use bytemuck::{cast_slice, cast_slice_mut};
use numpy::PyUntypedArrayMethods;
use numpy::{
    BorrowError, Element, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2,
    PyReadwriteArray1, PyReadwriteArray2,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use tensor_layout::program::{Cell, Locator, Program};
use tensor_layout::{Found, Location};

use crate::location::location_of;
use crate::long::{PART, in_windows, index, parts, report};
use crate::number;
use crate::number::entry_of;
use crate::places::Places;
use crate::python::{allocated, arrays};
use crate::refusal::{Answer, Refusal, refused};
use crate::values::Tuple;

#[pymethods]
impl Places {
    /// The place of every element as one number that combines all coordinates, so that
    /// `image.reshape(-1)[packed]` is the tensor.
    ///
    /// The number is row-major over `image_shape`. `window` selects a part of the tensor by a range per axis,
    /// so a tensor of any size can be processed in windows. `out` is an integer array to write to; otherwise
    /// the type is `dtype`, any integer type that can hold the numbers (`uint32` takes half the memory).
    /// `progress(done, all)` is called periodically.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((2_PE, 2:3), (3:1))").packed()
    /// array([[ 0,  1,  2],
    ///        [ 3,  4,  5],
    ///        [ 6,  7,  8],
    ///        [ 9, 10, 11]])
    /// >>> Layout("((2_PE, 2:3), (3:1))").packed(window=[(1, 3), (2, 3)])
    /// array([[5],
    ///        [8]])
    #[pyo3(signature = (
        *,
        window: "collections.abc.Sequence[tuple[int, int]] | None" = None,
        out: "numpy.typing.NDArray[typing.Any] | None" = None,
        dtype: "numpy.typing.DTypeLike | None" = None,
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "numpy.typing.NDArray[typing.Any]")]
    fn packed<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = number::read)] window: Option<Vec<(u64, u64)>>,
        out: Option<Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyAny>> {
        let whole = self.program()?;
        let ranges = window.map(|window| window.into_iter().map(|(from, to)| from..to));
        let ranges = ranges.map(Iterator::collect::<Vec<_>>);
        let cut = ranges.map(|ranges| whole.window(&ranges)).transpose()?;
        let program = cut.as_ref().unwrap_or(whole);
        let shape = program.ranges().iter().map(|range| range.end - range.start);
        let out = output(py, out, dtype, &shape.collect::<Vec<u64>>())?;
        let (cells, bits) = cells(&out)?;
        let places = program.places();
        if u128::from(places) > 1 << bits {
            return refused(format!(
                "{places} places do not have numbers of {bits} bits: ask for a wider `dtype`"
            ));
        }
        filled(&cells, |out| packed(program, out, progress))?;
        Ok(out)
    }

    /// The row-major number of the element at every place of a memory image: -1 for holes, -2 for
    /// padding.
    ///
    /// `at` limits the result to the places of a unit or subtree, without its levels. `out` is an integer
    /// array to write to; otherwise the type is `dtype`, any signed integer type that can hold the numbers.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(3)/((2:1, 2_PE))").inverse()
    /// array([[ 0,  2],
    ///        [ 1, -2]])
    /// >>> Layout("(3)/((2:1, 2_PE))").inverse(at="PE=1")
    /// array([ 1, -2])
    #[pyo3(signature = (
        at: "collections.abc.Mapping[str, int] | str | None" = None,
        *,
        out: "numpy.typing.NDArray[typing.Any] | None" = None,
        dtype: "numpy.typing.DTypeLike | None" = None,
        progress: "collections.abc.Callable[[int, int], object] | None" = None,
    ) -> "numpy.typing.NDArray[typing.Any]")]
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        at: Option<&Bound<'py, PyAny>>,
        out: Option<Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> Answer<Bound<'py, PyAny>> {
        let program = self.program()?;
        let at = location_of(at, None)?;
        let free = program.columns().filter(|(level, _)| at.get(*level).is_none());
        let shape: Vec<u64> = free.map(|(_, size)| size).collect();
        let table = output(py, out, dtype, &shape)?;
        if table.getattr("dtype")?.getattr("kind")?.extract::<char>()? == 'u' {
            return refused("places without an element get negative numbers: use a signed type");
        }
        // The greatest numbers are markers, which are negative when read as signed.
        let (cells, bits) = cells(&table)?;
        let elements = program.elements();
        if u128::from(elements) > 1 << bits {
            let bits = bits + 1;
            return refused(format!("{elements} elements and a sign do not fit in {bits} bits"));
        }
        filled(&cells, |out| inverse(program, &at, out, progress))?;
        Ok(table)
    }

    /// The time in seconds of the Rust call that fills a table, for comparison in `bench/speed.py`.
    #[pyo3(signature = (out: "numpy.typing.NDArray[numpy.uint32]"))]
    fn _packed_seconds(&self, out: &Bound<'_, PyArrayDyn<u32>>) -> Answer<f64> {
        let (program, mut seconds) = (self.program()?, 0.0);
        with_slice(out, |(_, cells)| {
            let started = std::time::Instant::now();
            program.fill_packed(cells)?;
            seconds = started.elapsed().as_secs_f64();
            Ok(())
        })?;
        Ok(seconds)
    }

    /// The coordinates of many indexes: a row for each axis, and one for each level.
    #[pyo3(signature = (
        indexes: "numpy.typing.NDArray[typing.Any]",
        coordinates: "numpy.typing.NDArray[typing.Any]",
    ))]
    fn _coordinates(
        &self,
        py: Python<'_>,
        indexes: PyReadonlyArray2<'_, i64>,
        mut coordinates: PyReadwriteArray2<'_, i64>,
    ) -> Answer<()> {
        let (program, shape) = (self.program()?, self.layout.shape());
        let units =
            |(level, memories): (_, u64)| memories.saturating_mul(program.units_per_memory(level));
        if program.columns().map(units).any(|units| units > 1 << 63) {
            return refused(
                "a level has coordinates beyond 63 bits: ask for one element at a time",
            );
        }
        let points = coordinates.shape()[1];
        let indexes = contiguous(indexes.as_slice())?;
        let coordinates = cast_slice_mut(contiguous(coordinates.as_slice_mut())?);
        let axes: Vec<&[i64]> = indexes.chunks_exact(points.max(1)).collect();
        let mut columns: Vec<&mut [u64]> = coordinates.chunks_exact_mut(points.max(1)).collect();
        let (part, locator) =
            (index(PART), program.locator(u64::try_from(points).unwrap_or(u64::MAX)));
        for start in (0..points).step_by(part) {
            let range = start..points.min(start + part);
            py.detach(|| {
                let given = axes.iter().map(|axis| &axis[range.clone()]).collect::<Vec<_>>();
                let cells = columns.iter_mut().map(|column| &mut column[range.clone()]);
                located(&locator, &shape, &given, &mut cells.collect::<Vec<_>>())
            })?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// The number of coordinates in every level: of the machine if there is one, else of the layout.
    #[getter]
    fn _rooms(&self) -> Answer<Tuple<u64>> {
        let (placement, columns) = (self.placement()?, self.program()?.columns());
        Ok(Tuple(columns.map(|(level, size)| placement.size(level).unwrap_or(size)).collect()))
    }

    /// The number of units that share a memory, in every level: their coordinates are one place.
    #[getter]
    fn _units_per_memory(&self) -> Answer<Tuple<u64>> {
        let program = self.program()?;
        Ok(Tuple(program.columns().map(|(level, _)| program.units_per_memory(level)).collect()))
    }

    /// The row-major numbers of the elements at many places, given as packed numbers.
    #[pyo3(signature = (
        places: "numpy.typing.NDArray[typing.Any]",
        elements: "numpy.typing.NDArray[typing.Any]",
    ))]
    fn _elements(
        &self,
        py: Python<'_>,
        places: PyReadonlyArray1<'_, u64>,
        mut elements: PyReadwriteArray1<'_, i64>,
    ) -> Answer<()> {
        let program = self.program()?;
        if program.elements() > 1 << 63 {
            return refused("elements are numbered with 63 bits here, but there are more of them");
        }
        let places = contiguous(places.as_slice())?;
        let elements = contiguous(elements.as_slice_mut())?;
        let part = index(PART);
        for (places, elements) in places.chunks(part).zip(elements.chunks_mut(part)) {
            py.detach(|| {
                places.iter().zip(elements).try_for_each(|(place, element)| {
                    *element = number(program.element(*place)?);
                    Ok::<(), tensor_layout::LayoutError>(())
                })
            })?;
            py.check_signals()?;
        }
        Ok(())
    }
}

/// Writes the coordinates of elements; negative entries of their indexes count from the end.
fn located(
    locator: &Locator<'_>,
    shape: &[u64],
    given: &[&[i64]],
    columns: &mut [&mut [u64]],
) -> Answer<()> {
    // A negative entry is beyond every extent of 63 bits, as one that is too large.
    let entries: Vec<&[u64]> = given.iter().map(|axis| cast_slice(axis)).collect();
    if shape.iter().all(|extent| *extent <= 1 << 63) && locator.locate(&entries, columns).is_ok() {
        return Ok(());
    }
    let from_start = |(axis, (given, extent)): (usize, (&&[i64], &u64))| {
        given.iter().map(|entry| entry_of((*entry).into(), axis, *extent)).collect()
    };
    let entries = given.iter().zip(shape).enumerate().map(from_start);
    let entries: Vec<Vec<u64>> = entries.collect::<Answer<_>>()?;
    let entries: Vec<&[u64]> = entries.iter().map(Vec::as_slice).collect();
    Ok(locator.locate(&entries, columns)?)
}

/// The number of an element, or the marker of a place without one.
fn number(found: Found<u64>) -> i64 {
    match found {
        Found::Element(number) => i64::try_from(number).unwrap_or(i64::MAX),
        Found::Hole => -1,
        Found::Padding => -2,
        Found::Outside => -3,
    }
}

/// The array to write to: the given one or a new one.
fn output<'py>(
    py: Python<'py>,
    out: Option<Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
    shape: &[u64],
) -> Answer<Bound<'py, PyAny>> {
    match (out, dtype) {
        (Some(_), Some(_)) => refused("give `out` or `dtype`, not both: `out` has a type"),
        (Some(out), None) => {
            let found: Vec<u64> = out.getattr("shape")?.extract()?;
            match found == shape {
                true => Ok(out),
                false => refused(format!("`out` has the shape {found:?}, but {shape:?} is needed")),
            }
        }
        (None, Some(dtype)) => {
            let shape = pyo3::types::PyTuple::new(py, shape)?;
            Ok(arrays(py, "empty")?.call1((shape, dtype))?)
        }
        (None, None) => Ok(allocated(py, shape, "int64")?),
    }
}

/// The memory of an integer array as unsigned integers, and the number of bits available for a number.
fn cells<'py>(out: &Bound<'py, PyAny>) -> Answer<(Bound<'py, PyAny>, u32)> {
    let dtype = out.getattr("dtype")?;
    let (kind, bytes): (char, u32) =
        (dtype.getattr("kind")?.extract()?, dtype.getattr("itemsize")?.extract()?);
    let cells = arrays(out.py(), "unsigned")?.call1((out,))?;
    Ok((cells, 8 * bytes - u32::from(kind == 'i')))
}

/// The array as cells of unsigned integers of any width.
enum Cells<'a, 'py> {
    U8(&'a Bound<'py, PyArrayDyn<u8>>),
    U16(&'a Bound<'py, PyArrayDyn<u16>>),
    U32(&'a Bound<'py, PyArrayDyn<u32>>),
    U64(&'a Bound<'py, PyArrayDyn<u64>>),
}

fn filled(out: &Bound<'_, PyAny>, fill: impl FnOnce(Cells<'_, '_>) -> Answer<()>) -> Answer<()> {
    if let Ok(out) = out.cast() {
        fill(Cells::U32(out))
    } else if let Ok(out) = out.cast() {
        fill(Cells::U64(out))
    } else if let Ok(out) = out.cast() {
        fill(Cells::U16(out))
    } else if let Ok(out) = out.cast() {
        fill(Cells::U8(out))
    } else {
        Err(PyTypeError::new_err("tables are of uint8, uint16, uint32 or uint64").into())
    }
}

fn packed(
    program: &Program,
    out: Cells<'_, '_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<()> {
    fn fill<T: Cell + Element + Send>(
        program: &Program,
        out: &Bound<'_, PyArrayDyn<T>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> Answer<()> {
        with_slice(out, |(py, out)| {
            in_windows(py, program, 1, progress, |window, range| {
                let out = out.get_mut(range).unwrap_or_default();
                Ok(py.detach(|| window.fill_packed(out))?)
            })
        })
    }
    match out {
        Cells::U8(out) => fill(program, out, progress),
        Cells::U16(out) => fill(program, out, progress),
        Cells::U32(out) => fill(program, out, progress),
        Cells::U64(out) => fill(program, out, progress),
    }
}

fn inverse(
    program: &Program,
    at: &Location,
    out: Cells<'_, '_>,
    progress: Option<&Bound<'_, PyAny>>,
) -> Answer<()> {
    fn fill<T: Cell + Element + Send>(
        program: &Program,
        at: &Location,
        out: &Bound<'_, PyArrayDyn<T>>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> Answer<()> {
        with_slice(out, |(py, out)| {
            let all = program.places_at(at)?;
            if all <= PART || at.iter().len() > 0 {
                py.detach(|| program.fill_inverse_at(at, out))?;
                return report(progress, all, all);
            }
            for part in parts(0..all) {
                let cells = out.get_mut(index(part.start)..index(part.end)).unwrap_or_default();
                py.detach(|| program.fill_inverse_within(part.clone(), cells))?;
                py.check_signals()?;
                report(progress, part.end, all)?;
            }
            Ok(())
        })
    }
    match out {
        Cells::U8(out) => fill(program, at, out, progress),
        Cells::U16(out) => fill(program, at, out, progress),
        Cells::U32(out) => fill(program, at, out, progress),
        Cells::U64(out) => fill(program, at, out, progress),
    }
}

/// The cells of an array in C order, to be written.
fn with_slice<'py, T: Element>(
    out: &Bound<'py, PyArrayDyn<T>>,
    write: impl FnOnce((Python<'py>, &mut [T])) -> Answer<()>,
) -> Answer<()> {
    if !out.is_c_contiguous() {
        return refused("`out` is not in C order: pass an array that `np.empty` makes");
    }
    let mut locked = out.try_readwrite().map_err(in_use)?;
    write((out.py(), contiguous(locked.as_slice_mut())?))
}

pub(crate) fn contiguous<T>(slice: Result<T, impl Into<PyErr>>) -> Answer<T> {
    Ok(slice.map_err(Into::into)?)
}

/// The error for memory that another call is writing to: a call in another thread, or the one that
/// called `progress`.
pub(crate) fn in_use(error: BorrowError) -> Refusal {
    Refusal::Argument(match error {
        BorrowError::NotWriteable => "`out` is read-only".into(),
        _ => "another call that has not ended uses this array: pass another one".into(),
    })
}
