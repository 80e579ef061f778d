//! Edits: new layouts of the same elements, with NumPy's names where they exist.

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyEllipsis, PySlice, PyTuple};
use tensor_layout::algebra::{Arrangement, Window};
use tensor_layout::einsum;
use tensor_layout::notation::{CuteLayout, CuteTiler};
use tensor_layout::{Layout, LayoutError, Level};

use crate::layout::{PyLayout, any, make};
use crate::location::location_of;
use crate::number::{self, entry_of, shown};
use crate::refusal::{Answer, refused};

/// A new layout from an old one.
pub(crate) fn edited(
    slf: &Bound<'_, PyLayout>,
    edit: impl FnOnce(&Layout) -> Result<Layout, LayoutError>,
) -> Answer<Py<PyLayout>> {
    let places = slf.as_super().get();
    let layout = edit(&places.layout)?;
    Ok(make(slf.py(), places.edited(layout))?)
}

/// An axis such as `1`, or `-1` from the end.
fn axis_of(axis: i128, rank: usize) -> Answer<usize> {
    let from_end = || Some(rank)?.checked_sub(usize::try_from(axis.unsigned_abs()).ok()?);
    let at = if axis < 0 { from_end() } else { usize::try_from(axis).ok() };
    match at.filter(|at| *at < rank) {
        Some(at) => Ok(at),
        None => {
            let axis = shown(axis);
            refused(format!("axis {axis} does not exist: the layout has {rank} axes"))
        }
    }
}

/// The arguments one by one, or as one sequence.
fn spread(arguments: &Bound<'_, PyTuple>) -> Answer<Vec<i128>> {
    if arguments.len() == 1
        && let Ok(all) = arguments.get_item(0)?.extract::<Vec<Bound<'_, PyAny>>>()
    {
        return Ok(all.iter().map(number::read).collect::<PyResult<_>>()?);
    }
    Ok(number::read(arguments)?)
}

/// A shape in which one extent may be -1, to be inferred from the others.
fn open_shape(shape: &[i128], elements: u64) -> Answer<Vec<u64>> {
    let known = |extent: &i128| u64::try_from(*extent).ok();
    if let Some(extent) = shape.iter().find(|extent| known(extent).is_none() && **extent != -1) {
        return refused(format!(
            "extents are from 0 to 2**64 - 1, and one may be -1; {} is not an extent",
            shown(*extent)
        ));
    }
    if shape.iter().filter(|extent| **extent == -1).count() > 1 {
        return refused(format!("{shape:?} is not a shape: only one extent may be -1"));
    }
    let product = shape.iter().filter_map(known).try_fold(1_u64, u64::checked_mul);
    let rest = product.filter(|product| *product > 0 && elements.is_multiple_of(*product));
    let rest = rest.map(|product| elements / product);
    let extent = |extent: &i128| known(extent).or(rest);
    match shape.iter().map(extent).collect::<Option<Vec<u64>>>() {
        Some(shape) => Ok(shape),
        None => refused(format!("{elements} elements do not determine the extent -1 of {shape:?}")),
    }
}

#[pymethods]
impl PyLayout {
    /// An element's place, or the layout of a part: integers, slices, `...` and `None` as in
    /// NumPy. Elements that a slice leaves out become padding.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> layout = Layout("((4_PE, 3:8), (8:1))")
    /// >>> layout[4, 1]
    /// Location(PE=1, Addr=9)
    /// >>> layout[:, ::2].shape, layout[2].shape, layout[None, ..., 0].shape
    /// ((12, 4), (8,), (1, 12))
    fn __getitem__<'py>(
        slf: &Bound<'py, Self>,
        key: &Bound<'py, PyAny>,
    ) -> Answer<Bound<'py, PyAny>> {
        let places = slf.as_super();
        let key = match key.cast::<PyTuple>() {
            Ok(key) => key.clone(),
            Err(_) => PyTuple::new(slf.py(), [key])?,
        };
        if key.len() == places.get().layout.rank()
            && let Some(index) = places.get().one_index(&key)?
        {
            return places.get().located(slf.py(), &index);
        }
        let layout = part(&places.get().layout, &key)?;
        Ok(make(slf.py(), places.get().edited(layout))?.into_bound(slf.py()).into_any())
    }

    /// A layout is not iterable: iterate over its indexes with `np.ndindex(layout.shape)`.
    #[classattr]
    #[pyo3(name = "__iter__")]
    const ITER: Option<bool> = None;

    /// The axes in reverse order.
    #[getter]
    #[pyo3(name = "T")]
    fn transposed(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        edited(slf, |layout| layout.permute(&(0..layout.rank()).rev().collect::<Vec<_>>()))
    }

    /// Permutes the axes; reverses them if no order is given.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(2:12, 3:4, 4:1)").transpose(2, 0, -2)
    /// Layout('((4:1), (2:12), (3:4))')
    #[pyo3(signature = (*axes: "int | collections.abc.Sequence[int]") -> "Layout")]
    fn transpose(slf: &Bound<'_, Self>, axes: &Bound<'_, PyTuple>) -> Answer<Py<PyLayout>> {
        if axes.is_empty() {
            return PyLayout::transposed(slf);
        }
        let rank = slf.as_super().get().layout.rank();
        let axes = spread(axes)?.into_iter().map(|axis| axis_of(axis, rank));
        let axes = axes.collect::<Answer<Vec<usize>>>()?;
        edited(slf, |layout| layout.permute(&axes))
    }

    /// Reshapes, in row-major order; one extent may be -1.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((4_PE, 3:8), (8:1))").reshape(4, -1)
    /// Layout('((4_PE:1), (3:8, 8:1))')
    #[pyo3(signature = (*shape: "int | collections.abc.Sequence[int]") -> "Layout")]
    fn reshape(slf: &Bound<'_, Self>, shape: &Bound<'_, PyTuple>) -> Answer<Py<PyLayout>> {
        let shape = open_shape(&spread(shape)?, slf.as_super().get().layout.elements())?;
        edited(slf, |layout| layout.reshape(&shape))
    }

    /// Inserts a new axis of extent 1 before axis `at`.
    #[pyo3(signature = (at: "int") -> "Layout")]
    fn insert_axis(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] at: i128,
    ) -> Answer<Py<PyLayout>> {
        let at = axis_of(at, slf.as_super().get().layout.rank() + 1)?;
        edited(slf, |layout| layout.insert_axis(at))
    }

    /// Removes an axis of extent 1, or all of them.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(1:5, 3:1, 1:7)").squeeze().shape
    /// (3,)
    #[pyo3(signature = (axis: "int | None" = None) -> "Layout")]
    fn squeeze(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: Option<i128>,
    ) -> Answer<Py<PyLayout>> {
        let rank = slf.as_super().get().layout.rank();
        let axis = axis.map(|axis| axis_of(axis, rank)).transpose()?;
        edited(slf, |layout| match axis {
            Some(axis) => layout.drop_axis(axis),
            None => layout
                .shape()
                .iter()
                .enumerate()
                .rev()
                .filter(|(_, extent)| **extent == 1)
                .try_fold(layout.clone(), |layout, (axis, _)| layout.drop_axis(axis)),
        })
    }

    /// Splits one axis into several, major to minor.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(12:1)").split(0, (3, 4))
    /// Layout('((3:4), (4:1))')
    #[pyo3(signature = (axis: "int", sizes: "collections.abc.Sequence[int]") -> "Layout")]
    fn split(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: i128,
        #[pyo3(from_py_with = number::read)] sizes: Vec<u64>,
    ) -> Answer<Py<PyLayout>> {
        let axis = axis_of(axis, slf.as_super().get().layout.rank())?;
        edited(slf, |layout| layout.split_axis(axis, &sizes))
    }

    /// Merges `count` axes into one, starting at `axis`.
    #[pyo3(signature = (axis: "int", count: "int" = 2) -> "Layout")]
    fn merge(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: i128,
        #[pyo3(from_py_with = number::read)] count: usize,
    ) -> Answer<Py<PyLayout>> {
        let axis = axis_of(axis, slf.as_super().get().layout.rank())?;
        edited(slf, |layout| layout.merge_axes(axis, count))
    }

    /// Extends an axis of extent 1 to `size` along a level, as the innermost coordinate of the level.
    #[pyo3(signature = (axis: "int", size: "int", level: "str" = "Addr") -> "Layout")]
    fn expand(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: i128,
        #[pyo3(from_py_with = number::read)] size: u64,
        level: &str,
    ) -> Answer<Py<PyLayout>> {
        let axis = axis_of(axis, slf.as_super().get().layout.rank())?;
        let level = Level::new(level)?;
        edited(slf, |layout| layout.expand(axis, size, level))
    }

    /// Repeats an axis `times` times, with the repetitions side by side along a level.
    #[pyo3(signature = (axis: "int", times: "int", level: "str" = "Addr") -> "Layout")]
    fn tile(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: i128,
        #[pyo3(from_py_with = number::read)] times: u64,
        level: &str,
    ) -> Answer<Py<PyLayout>> {
        let axis = axis_of(axis, slf.as_super().get().layout.rank())?;
        let level = Level::new(level)?;
        edited(slf, |layout| layout.tile(axis, times, level))
    }

    /// Enlarges the tensor to `shape`; padding slots become elements first.
    #[pyo3(signature = (*shape: "int | collections.abc.Sequence[int]") -> "Layout")]
    fn pad_to(slf: &Bound<'_, Self>, shape: &Bound<'_, PyTuple>) -> Answer<Py<PyLayout>> {
        let shape = spread(shape)?;
        let extent = |extent: &i128| u64::try_from(*extent).ok();
        match shape.iter().map(extent).collect::<Option<Vec<u64>>>() {
            Some(shape) => edited(slf, |layout| layout.pad_to(&shape)),
            None => refused(format!("extents are from 0 to 2**64 - 1: {shape:?}")),
        }
    }

    /// Removes as many padding slots as the digits allow; the map does not change.
    #[pyo3(signature = () -> "Layout")]
    fn minimal_padding(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        edited(slf, Layout::with_minimal_padding)
    }

    /// Removes the derived axes that are not needed; the map does not change.
    #[pyo3(signature = () -> "Layout")]
    fn simplified(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        edited(slf, |layout| Ok(layout.simplified()))
    }

    /// Replaces an axis by two: the windows, and the positions in each (NumPy's `sliding_window_view`). An
    /// element has one index for every window that reads it.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> rows = Layout("((4_PE, 4:8), (8:1))")
    /// >>> windows = rows.windows(0, 3, stride=2)
    /// >>> windows.shape, windows.locate(1, 2, 0) == rows.locate(4, 0)
    /// ((7, 3, 8), True)
    #[pyo3(signature = (axis: "int", size: "int", *, stride: "int" = 1, dilation: "int" = 1) -> "Layout")]
    fn windows(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] axis: i128,
        #[pyo3(from_py_with = number::read)] size: u64,
        #[pyo3(from_py_with = number::read)] stride: u64,
        #[pyo3(from_py_with = number::read)] dilation: u64,
    ) -> Answer<Py<PyLayout>> {
        let axis = axis_of(axis, slf.as_super().get().layout.rank())?;
        let window = Window { size, stride, dilation };
        let places = slf.as_super().get();
        let mut windows = places.edited(places.layout.windows(axis, window)?);
        windows.arguments.shared = true;
        Ok(make(slf.py(), windows)?)
    }

    /// The layout of a streamed tensor once all of its time slices are in memory. Addresses are numbered anew, without gaps.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((2_Time, 4_PE, 8:1))").at_rest()
    /// Layout('((2:8, 4_PE:1, 8:1))')
    #[pyo3(signature = () -> "Layout")]
    fn at_rest(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        let places = slf.as_super().get();
        Ok(make(slf.py(), places.edited(einsum::at_rest(&places.layout)?))?)
    }

    /// The layout of bytes for elements of `element_bits` bits: a new last axis counts the bytes of one.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(3,4):(4,1)").in_bytes(16).locate(1, 1, 0)["Addr"]
    /// 10
    #[pyo3(signature = (element_bits: "int") -> "Layout")]
    fn in_bytes(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] element_bits: u64,
    ) -> Answer<Py<PyLayout>> {
        let places = slf.as_super().get();
        Ok(make(slf.py(), places.in_other_units(places.layout.in_bytes(element_bits)?))?)
    }

    /// Adds `offset` to every coordinate in a level.
    #[pyo3(signature = (offset: "int", level: "str" = "Addr") -> "Layout")]
    fn with_offset(
        slf: &Bound<'_, Self>,
        #[pyo3(from_py_with = number::read)] offset: u64,
        level: &str,
    ) -> Answer<Py<PyLayout>> {
        let level = Level::new(level)?;
        edited(slf, |layout| layout.clone().with_offset(level, offset))
    }

    /// Keeps only the coordinates in one level.
    #[pyo3(signature = (level: "str") -> "Layout")]
    fn project(slf: &Bound<'_, Self>, level: &str) -> Answer<Py<PyLayout>> {
        let level = Level::new(level)?;
        edited(slf, |layout| Ok(layout.project(level)))
    }

    /// Composition: `(a @ b)` has the axes of `b`, whose places are indexes of `a`: the levels of `b` are
    /// `i0`, `i1` and so on, or only `Addr` for the number of an element.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> a, b = Layout("(6,2):(8,2)"), Layout("(4,3):(3,1)")
    /// >>> (a @ b).locate(1, 1)["Addr"], a.locate(4, 0)["Addr"]  # b(1, 1) is 4
    /// (32, 32)
    fn __matmul__(slf: &Bound<'_, Self>, map: &Bound<'_, PyAny>) -> Answer<Py<PyLayout>> {
        let (map, places) = (any(map)?, slf.as_super().get());
        edited(slf, |layout| {
            let composed = layout.as_function(places.order()).compose_axes(&map.get().layout)?;
            if places.is_function() { composed.without_padding() } else { Ok(composed) }
        })
    }

    /// `text @ layout`, for an outer layout given as text.
    fn __rmatmul__(slf: &Bound<'_, Self>, outer: &Bound<'_, PyAny>) -> Answer<Py<PyLayout>> {
        let outer = any(outer)?.cast_into::<PyLayout>().map_err(PyErr::from)?;
        PyLayout::__matmul__(&outer, slf.as_any())
    }

    /// Composition: `a.compose(b)` is `a @ b`.
    #[pyo3(signature = (map: "Layout | str") -> "Layout")]
    fn compose(slf: &Bound<'_, Self>, map: &Bound<'_, PyAny>) -> Answer<Py<PyLayout>> {
        PyLayout::__matmul__(slf, map)
    }

    /// Cuts the layout into tiles: the axes of `tile` come first, then the axes that number the tiles.
    ///
    /// In CuTe and strided notation the axes are grouped into modes as in CuTe, and the last tile may extend
    /// past the last element. There `tile` may be an integer, or a tuple with a tile or None per mode.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(8:16, 16:1)").divide("((4_i0:1), (2_i1:1))")
    /// Layout('((4:16), (2:1), (2:64), (8:2))')
    /// >>> Layout("10:1").divide(4)
    /// Layout('(4,3):(1,4)')
    /// >>> Layout("(8,16):(16,1)").divide((4, None), "logical")
    /// Layout('((4,2),16):((16,64),1)')
    #[pyo3(signature = (
        tile: "Layout | str | int | tuple[Layout | str | int | None, ...]",
        arrangement: "typing.Literal['logical', 'zipped', 'tiled', 'flat']" = "zipped",
    ) -> "Layout")]
    fn divide(
        slf: &Bound<'_, Self>,
        tile: &Bound<'_, PyAny>,
        arrangement: &str,
    ) -> Answer<Py<PyLayout>> {
        let (tile, places) = (Tile::read(tile)?, slf.as_super().get());
        let arrangement = arrangement_of(arrangement)?;
        edited(slf, |layout| match (&tile, places.is_function()) {
            (Tile::One(tile), true) => layout.as_function(places.order()).divide(tile, arrangement),
            (Tile::One(tile), false) => {
                layout.as_function(places.order()).divide_axes(tile, arrangement)
            }
            (Tile::Modes(modes), true) => {
                layout.as_function(places.order()).divide_modes(modes, arrangement)
            }
            (Tile::Modes(modes), false) => {
                let tiler = layout.as_function(places.order()).tiler(modes)?;
                layout.as_function(places.order()).divide_axes(&tiler, arrangement)
            }
        })
    }

    /// Repeats the layout by `pattern` in the places that it leaves free; an integer is a repeat count.
    ///
    /// In CuTe and strided notation the layout is the first mode and the pattern the second. There `pattern`
    /// may be a tuple with a pattern or None per mode: each mode is repeated in what it alone leaves free.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("(2,2):(1,2)").product("2:1")
    /// Layout('((2,2),2):((1,2),4)')
    /// >>> Layout("(2,2):(1,8)").product((4, 8))
    /// Layout('((2,4),(2,8)):((1,2),(8,1))')
    #[pyo3(signature = (
        pattern: "Layout | str | int | tuple[Layout | str | int | None, ...]",
        arrangement: "typing.Literal['logical', 'zipped', 'tiled', 'flat']" = "logical",
    ) -> "Layout")]
    fn product(
        slf: &Bound<'_, Self>,
        pattern: &Bound<'_, PyAny>,
        arrangement: &str,
    ) -> Answer<Py<PyLayout>> {
        let (pattern, places) = (Tile::read(pattern)?, slf.as_super().get());
        let arrangement = arrangement_of(arrangement)?;
        edited(slf, |layout| match (&pattern, places.is_function()) {
            (Tile::One(pattern), true) => {
                layout.as_function(places.order()).product(pattern, arrangement)
            }
            (Tile::One(pattern), false) => layout.product(pattern, arrangement),
            (Tile::Modes(modes), _) => {
                layout.as_function(places.order()).product_modes(modes, arrangement)
            }
        })
    }

    /// The places that the layout leaves free in `space`: a number of addresses, or a size per level.
    #[pyo3(signature = (space: "int | collections.abc.Mapping[str, int] | None" = None) -> "Layout")]
    fn complement(slf: &Bound<'_, Self>, space: Option<&Bound<'_, PyAny>>) -> Answer<Py<PyLayout>> {
        let space = match space {
            None => slf.as_super().get().layout.complement_space()?,
            // Anything that Python accepts as an integer.
            Some(space) if space.hasattr("__index__")? => vec![(Level::ADDR, number::read(space)?)],
            Some(space) => location_of(Some(space), None)?.iter().collect(),
        };
        let places = slf.as_super().get();
        edited(slf, |layout| match places.is_function() {
            true => layout.as_function(places.order()).complement(&space),
            false => layout.complement(&space),
        })
    }

    /// Maps places back to indexes. The result is arbitrary for places that hold no element.
    ///
    /// If `Addr` is the only level, `layout.left_inverse() @ layout` is the index: for CuTe layouts and
    /// strides, the number of the element. For a layout in several levels the inverse has an axis per
    /// level. No other layout names these axes, so use `locate` instead of `@`.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((4_PE, 3:8), (8:1))").left_inverse().locate(1, 17)
    /// Location(i0=5, i1=1, Addr=0)
    /// >>> Layout("(4,2):(2,1)").left_inverse()
    /// Layout('(2,4):(4,1)')
    #[pyo3(signature = () -> "Layout")]
    fn left_inverse(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        let places = slf.as_super().get();
        edited(slf, |layout| match places.is_function() {
            true => layout.as_function(places.order()).left_inverse(),
            false => layout.left_inverse(),
        })
    }

    /// Maps the places that are reached without a gap to indexes: `layout @ layout.right_inverse()`
    /// is the identity on them.
    #[pyo3(signature = () -> "Layout")]
    fn right_inverse(slf: &Bound<'_, Self>) -> Answer<Py<PyLayout>> {
        let places = slf.as_super().get();
        edited(slf, |layout| match places.is_function() {
            true => layout.as_function(places.order()).right_inverse(),
            false => layout.right_inverse(),
        })
    }

    /// The part in one unit or subtree: a layout of the other levels.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((4_PE, 3:8), (8:1))").restrict(PE=2)
    /// Layout('((3:8), (8:1))')
    #[pyo3(signature = (
        place: "collections.abc.Mapping[str, int] | str | None" = None, /, **coordinates: "int"
    ) -> "Layout")]
    fn restrict(
        slf: &Bound<'_, Self>,
        place: Option<&Bound<'_, PyAny>>,
        coordinates: Option<&Bound<'_, pyo3::types::PyDict>>,
    ) -> Answer<Py<PyLayout>> {
        let at = location_of(place, coordinates)?;
        edited(slf, |layout| Ok(layout.restrict(&at)?.layout))
    }
}

/// The divisor of a layout.
enum Tile {
    One(Layout),
    Modes(Vec<Option<Layout>>),
}

impl Tile {
    fn read(tile: &Bound<'_, PyAny>) -> Answer<Tile> {
        if let Ok(modes) = tile.cast::<PyTuple>() {
            let mode = |mode: Bound<'_, PyAny>| match mode.is_none() {
                true => Ok(None),
                false => Ok(Some(one_tile(&mode)?)),
            };
            return Ok(Tile::Modes(modes.iter().map(mode).collect::<Answer<_>>()?));
        }
        match tile.extract::<&str>() {
            Ok(text) if CuteTiler::is_begun_by(text) => {
                Ok(Tile::Modes(text.parse::<CuteTiler>()?.lower()?))
            }
            _ => Ok(Tile::One(one_tile(tile)?)),
        }
    }
}

/// A layout, or an integer for that many neighbours.
fn one_tile(tile: &Bound<'_, PyAny>) -> Answer<Layout> {
    match tile.hasattr("__index__")? {
        true => Ok(format!("{}:1", number::read::<u64>(tile)?).parse::<CuteLayout>()?.lower()?),
        false => Ok(any(tile)?.get().layout.clone()),
    }
}

fn arrangement_of(name: &str) -> Answer<Arrangement> {
    match name {
        "logical" => Ok(Arrangement::Logical),
        "zipped" => Ok(Arrangement::Zipped),
        "tiled" => Ok(Arrangement::Tiled),
        "flat" => Ok(Arrangement::Flat),
        _ => refused(format!("`{name}` is not an arrangement: logical, zipped, tiled, flat")),
    }
}

/// The number of axes that an index names; `...` covers the others.
fn named(key: &Bound<'_, PyTuple>) -> Answer<usize> {
    let open = key.iter().filter(PyAnyMethods::is_instance_of::<PyEllipsis>).count();
    if open > 1 {
        return Err(PyIndexError::new_err("an index has at most one `...`").into());
    }
    Ok(key.iter().filter(|item| !item.is_none()).count() - open)
}

/// A layout with some axes already indexed.
struct Indexed {
    layout: Layout,
    /// The next axis of the part, and the axis of the original layout that it comes from.
    axis: usize,
    of: usize,
}

impl Indexed {
    fn skip(&mut self, axes: usize) {
        self.axis += axes;
        self.of += axes;
    }

    fn extent(&self) -> u64 {
        self.layout.axes().get(self.axis).map_or(0, |axis| axis.extent)
    }

    fn insert(&mut self) -> Answer<()> {
        self.layout = self.layout.insert_axis(self.axis)?;
        self.axis += 1;
        Ok(())
    }

    fn take(&mut self, entry: i128) -> Answer<()> {
        let at = entry_of(entry, self.of, self.extent())?;
        self.layout = self.layout.slice(self.axis, at, at + 1, 1)?.drop_axis(self.axis)?;
        self.of += 1;
        Ok(())
    }

    fn slice(&mut self, slice: &Bound<'_, PySlice>) -> Answer<()> {
        self.layout = sliced(self, slice)?;
        self.skip(1);
        Ok(())
    }
}

/// The part of a layout that a NumPy-style index selects.
fn part(layout: &Layout, key: &Bound<'_, PyTuple>) -> Answer<Layout> {
    let (rank, named) = (layout.rank(), named(key)?);
    let open = rank.checked_sub(named).ok_or_else(|| LayoutError::index_rank(named, rank))?;
    let mut part = Indexed { layout: layout.clone(), axis: 0, of: 0 };
    for item in key {
        if item.is_none() {
            part.insert()?;
        } else if item.is_instance_of::<PyEllipsis>() {
            part.skip(open);
        } else if let Ok(slice) = item.cast::<PySlice>() {
            part.slice(slice)?;
        } else {
            part.take(number::read(&item)?)?;
        }
    }
    Ok(part.layout)
}

fn sliced(part: &Indexed, slice: &Bound<'_, PySlice>) -> Answer<Layout> {
    // Python's own method: extents may exceed the range of PyO3's integers.
    let bounds = slice.call_method1("indices", (part.extent(),))?;
    let (start, stop, step): (i128, i128, i128) = bounds.extract()?;
    let bound = |at: i128| u64::try_from(at).unwrap_or(0);
    match u64::try_from(step) {
        Ok(step) => Ok(part.layout.slice(part.axis, bound(start), bound(stop), step)?),
        Err(_) => refused(format!(
            "the step {step} of axis {} is negative: layouts with negative strides are not supported",
            part.of
        )),
    }
}
