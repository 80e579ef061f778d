//! The methods that layouts and placements share.

use std::hash::Hash;
use std::sync::OnceLock;

use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use tensor_layout::algebra::IndexOrder;
use tensor_layout::notation::PadLayout;
use tensor_layout::program::Program;
use tensor_layout::xla::{XlaDtype, XlaShape};
use tensor_layout::{Found, Layout, LayoutError, LayoutText, Location, Machine, Placement};
use tensor_layout_show::Drawing;

use crate::location::{PyLocation, location_of};
use crate::number::entry_of;
use crate::number::{self, Read};
use crate::on_arguments::OnArguments;
use crate::python::{arrays, empty_of};
use crate::refusal::{Answer, Refusal, refused};
use crate::table::PyTable;
use crate::values::Tuple;

/// The methods that `Layout` and `Placement` share. Not instantiated directly.
#[pyclass(name = "Places", weakref, subclass, frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct Places {
    pub(crate) layout: Layout,
    /// The text that the layout was made from, and whether it is still that layout.
    like: Option<(LayoutText, bool)>,
    pub(crate) arguments: OnArguments,
    text: OnceLock<Option<LayoutText>>,
    placement: OnceLock<Result<Placement, LayoutError>>,
    program: OnceLock<Result<Program, LayoutError>>,
}

impl Places {
    /// A layout as it was written.
    pub(crate) fn written(text: LayoutText) -> Answer<Places> {
        let arguments = OnArguments::written(&text);
        Ok(Places::new(text.lower()?, Some((text, true)), arguments))
    }

    pub(crate) fn new(
        layout: Layout,
        like: Option<(LayoutText, bool)>,
        arguments: OnArguments,
    ) -> Places {
        let (text, placement, program) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Places { layout, like, arguments, text, placement, program }
    }

    /// The result of an edit of this layout.
    pub(crate) fn edited(&self, layout: Layout) -> Places {
        let like = self.like().map(|text| (text.clone(), false));
        Places::new(layout, like, self.arguments.clone())
    }

    /// A layout whose places are in other units than its text: memory and type no longer apply.
    pub(crate) fn in_other_units(&self, layout: Layout) -> Places {
        // CuTe and strided texts do not name a type.
        let like = self.like().filter(|text| text.is_function());
        let like = like.map(|text| (text.clone(), false));
        Places::new(layout, like, OnArguments::default())
    }

    /// This layout as placed, with the text that it has without the base.
    pub(crate) fn placed(&self, arguments: OnArguments, placement: Placement) -> Places {
        let text = OnceLock::from(self.text().cloned());
        let places = Places::new(placement.layout().clone(), self.like.clone(), arguments);
        Places { text, placement: OnceLock::from(Ok(placement)), ..places }
    }

    /// The text for exactly this layout, if there is one.
    pub(crate) fn text(&self) -> Option<&LayoutText> {
        self.written_text().or_else(|| self.text.get_or_init(|| self.find_text()).as_ref())
    }

    /// The text that this layout was written as, if it has not been edited since.
    pub(crate) fn written_text(&self) -> Option<&LayoutText> {
        self.like.as_ref().filter(|(_, exact)| *exact).map(|(text, _)| text)
    }

    /// The text, if a layout that is read from it has the same order of indexes, and may share places as this one may.
    pub(crate) fn whole_text(&self) -> Option<&LayoutText> {
        self.text().filter(|text| {
            text.index_order() == self.order() && text.is_function() == self.is_function()
        })
    }

    fn find_text(&self) -> Option<LayoutText> {
        let like = || {
            let text = self.like()?;
            let dtype = dtype_of(text)?;
            match text.write_edited(&self.layout, text.notation(), dtype) {
                Ok((text, None)) => exact(&text, &self.layout),
                _ => None,
            }
        };
        let pad_layout = || exact(&PadLayout::of(&self.layout).ok()?.to_string(), &self.layout);
        like().or_else(pad_layout)
    }

    /// The layout on a machine. A sharding numbers its devices through the machine's tree, once, when it is
    /// placed. Levels that only a text names are checked.
    pub(crate) fn on(&self, machine: Option<&Machine>) -> Answer<Layout> {
        match (self.written_text(), machine) {
            (Some(text), Some(machine)) if self.arguments.machine.is_none() => {
                let lowered = text.lower_on(machine)?;
                let is_sharded = matches!(text, LayoutText::Sharded(_));
                Ok(if is_sharded { lowered } else { self.layout.clone() })
            }
            _ => Ok(self.layout.clone()),
        }
    }

    /// The text that the notation and the order of indexes are taken from.
    pub(crate) fn like(&self) -> Option<&LayoutText> {
        self.like.as_ref().map(|(text, _)| text)
    }

    /// The order in which elements are numbered: that of the notation that the layout came from.
    pub(crate) fn order(&self) -> IndexOrder {
        self.like().map_or(IndexOrder::RowMajor, LayoutText::index_order)
    }

    /// Returns whether places are numbers that elements may share, as in the notation of the original text.
    pub(crate) fn is_function(&self) -> bool {
        self.like().is_some_and(LayoutText::is_function)
    }

    /// The properties in which equal maps may differ: the numbering of elements, memory and type.
    pub(crate) fn manner(&self) -> impl Eq + Hash {
        (self.order(), self.is_function(), &self.arguments.memory, self.arguments.element_bits)
    }

    /// Returns whether both are the same map in the same manner, however they were written.
    pub(crate) fn equals(&self, other: &Places) -> Answer<bool> {
        let (ours, theirs) = (&self.layout, &other.layout);
        Ok(self.manner() == other.manner() && (ours == theirs || ours.same_map(theirs)?.is_none()))
    }

    /// A hash that does not depend on the notation: of the shape and the places of a few elements.
    pub(crate) fn hash(&self) -> u64 {
        let shape = self.layout.shape();
        let place = |entry: &dyn Fn(usize, u64) -> u64| {
            let index = shape.iter().enumerate().map(|(axis, extent)| entry(axis, *extent));
            self.layout.locate(&index.collect::<Vec<_>>()).ok()
        };
        let middle = place(&|_, extent| extent / 2);
        let last = place(&|_, extent| extent.saturating_sub(1));
        let ends: Vec<_> = (0..shape.len())
            .map(|at| place(&|axis, extent| if axis == at { extent.saturating_sub(1) } else { 0 }))
            .collect();
        crate::values::hash_of(&(&shape, middle, last, ends, self.manner()))
    }

    /// Makes the error point into the text, if this layout has one.
    pub(crate) fn refuse(&self, error: LayoutError) -> Refusal {
        match self.written_text() {
            Some(text) => text.refuse(error).into(),
            None => error.into(),
        }
    }

    pub(crate) fn placement(&self) -> Answer<&Placement> {
        let place = || self.arguments.place(self.layout.clone(), self.is_function());
        let placement = self.placement.get_or_init(place);
        placement.as_ref().map_err(|error| self.refuse(error.clone()))
    }

    pub(crate) fn program(&self) -> Answer<&Program> {
        let placement = self.placement()?;
        let program = self.program.get_or_init(|| placement.program());
        program.as_ref().map_err(|error| self.refuse(error.clone()))
    }

    /// The title of pictures.
    pub(crate) fn title(&self) -> String {
        self.text().map_or_else(|| shape_text(&self.layout), ToString::to_string)
    }

    /// The width of an element in bits, if the layout or its text has one.
    pub(crate) fn element_bits(&self) -> Option<u64> {
        self.arguments.element_bits.or_else(|| self.text()?.element_bits())
    }

    /// A drawing of a placement, with its title and the tiles that the text names.
    pub(crate) fn drawing<'a>(&self, placement: &'a Placement) -> Drawing<'a> {
        let drawing = Drawing::new(placement).title(&self.title());
        match self.text() {
            Some(LayoutText::Xla(XlaShape::Array(array))) => drawing.tiles_of(array),
            _ => drawing,
        }
    }

    /// The sizes of an image, column by column.
    pub(crate) fn sizes(&self) -> Answer<Vec<u64>> {
        Ok(self.program()?.columns().map(|(_, size)| size).collect())
    }
}

/// The element type of a text; `f32` if the notation does not name one.
pub(crate) fn dtype_of(text: &LayoutText) -> Option<XlaDtype> {
    text.xla_dtype().or_else(|| XlaDtype::from_name("f32"))
}

/// The text, if it means exactly this layout.
fn exact(text: &str, layout: &Layout) -> Option<LayoutText> {
    let text = LayoutText::parse(text).ok()?;
    let same = text.lower().ok()?.same_map(layout).ok()?;
    same.is_none().then_some(text)
}

/// `a layout of shape (3, 4)`.
pub(crate) fn shape_text(layout: &Layout) -> String {
    let shape: Vec<String> = layout.shape().iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!("a layout of shape ({}{comma})", shape.join(", "))
}

#[pymethods]
impl Places {
    /// The extents of the tensor.
    #[getter]
    fn shape(&self) -> Tuple<u64> {
        Tuple(self.layout.shape())
    }

    /// The number of axes.
    #[getter]
    fn ndim(&self) -> usize {
        self.layout.rank()
    }

    /// The number of elements.
    #[getter]
    fn size(&self) -> u64 {
        self.layout.elements()
    }

    /// The levels of a place, the most significant first.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((4_PE, 3:8), (8:1))").levels
    /// ('PE', 'Addr')
    #[getter]
    fn levels(&self) -> Answer<Tuple<String>> {
        Ok(Tuple(self.placement()?.columns().iter().map(ToString::to_string).collect()))
    }

    /// The number of places of each element.
    #[getter]
    fn copies(&self) -> Answer<u64> {
        Ok(self.placement()?.copies())
    }

    /// The shape of a memory image: the size of every level, in the order of `levels`.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((4_PE, 3:8), (8:1))").image_shape
    /// (4, 24)
    #[getter]
    fn image_shape(&self) -> Answer<Tuple<u64>> {
        Ok(Tuple(self.sizes()?))
    }

    /// The place of an element, or of its first copy if it has several.
    ///
    /// Arrays of indexes give an array of coordinates for every level. Pass an array per axis (they are
    /// broadcast against each other), or one array whose last dimension is the index. Negative indexes count
    /// from the end, as in `layout[..]`.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> layout = Layout("((4_PE, 3:8), (8:1))")
    /// >>> layout.locate(4, 1)
    /// Location(PE=1, Addr=9)
    /// >>> import numpy as np
    /// >>> layout.locate(np.arange(3), 1)["Addr"]
    /// array([ 1,  9, 17])
    #[pyo3(signature = (*index: "typing.Any") -> "typing.Any")]
    fn locate<'py>(
        slf: &Bound<'py, Self>,
        index: &Bound<'py, PyTuple>,
    ) -> Answer<Bound<'py, PyAny>> {
        let (py, places) = (slf.py(), slf.get());
        if let Ok((only,)) = index.extract::<(Bound<'_, PyAny>,)>() {
            let only = match only.cast::<PyList>() {
                Ok(list) => list.to_tuple().into_any(),
                Err(_) => only,
            };
            if let Ok(index) = only.cast::<PyTuple>()
                && let Some(index) = places.one_index(index)?
            {
                return places.located(py, &index);
            }
        }
        if let Some(index) = places.one_index(index)? {
            return places.located(py, &index);
        }
        Ok(arrays(py, "locate")?.call1((slf, index))?)
    }

    /// All places of an element, copy by copy.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> Layout("((2:1); B@[3_PE:1])").locate_all(1)
    /// [Location(PE=0, Addr=1), Location(PE=1, Addr=1), Location(PE=2, Addr=1)]
    #[pyo3(signature = (*index: "int") -> "list[Location]")]
    fn locate_all(&self, py: Python<'_>, index: &Bound<'_, PyTuple>) -> Answer<Vec<PyLocation>> {
        let Some(index) = self.one_index(index)? else {
            return refused("locate_all takes the index of one element: an integer per axis");
        };
        let (placement, mut all) = (self.placement()?, Vec::new());
        let count = placement.copies();
        all.try_reserve_exact(crate::long::index(count)).map_err(|_| {
            PyMemoryError::new_err(format!("{count} copies of an element do not fit in memory"))
        })?;
        for place in placement.locate_all(&index)? {
            if all.len().is_multiple_of(1 << 16) {
                py.check_signals()?;
            }
            all.push(PyLocation(place));
        }
        Ok(all)
    }

    /// The index of the element at a place, or the reason why there is none (an `Empty`, which is falsy).
    ///
    /// Arrays of coordinates give an array of indexes, with -1 for holes, -2 for padding and -3 for
    /// places outside. A layout without axes has one column, which is 0 for its element, so that
    /// `found[..., 0] >= 0` marks the places with elements for every layout.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> layout = Layout("(10,7)/((3:7, 4_PE), (7:1))")
    /// >>> layout.element(PE=1, Addr=15)
    /// (9, 1)
    /// >>> layout.element("PE=3,Addr=20")
    /// <Empty.PADDING: -2>
    /// >>> import numpy as np
    /// >>> layout.element(PE=np.array([1, 3]), Addr=15).tolist()
    /// [[9, 1], [-2, -2]]
    #[pyo3(signature = (place: "typing.Any" = None, /, **coordinates: "typing.Any") -> "typing.Any")]
    fn element<'py>(
        slf: &Bound<'py, Self>,
        place: Option<&Bound<'py, PyAny>>,
        coordinates: Option<&Bound<'py, PyDict>>,
    ) -> Answer<Bound<'py, PyAny>> {
        let py = slf.py();
        match location_of(place, coordinates) {
            Ok(location) => slf.get().held(py, &location),
            Err(Refusal::Python(error))
                if error.is_instance_of::<pyo3::exceptions::PyTypeError>(py) =>
            {
                Ok(arrays(py, "element")?.call1((slf, place, coordinates))?)
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// The table of all places: a row per element and copy, sorted by place.
    ///
    /// `at` keeps the rows of a unit or subtree, `padding` adds the slots without an element, and
    /// `part=(k, n)` keeps the k-th of n parts.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> table = Layout("((2_PE, 2:1), (3:2))").table(at="PE=1")
    /// >>> table.to_numpy()[:2]
    /// array([(1, 0, 2, 0), (1, 1, 3, 0)],
    ///       dtype=[('PE', '<i8'), ('Addr', '<i8'), ('i0', '<i8'), ('i1', '<i8')])
    #[pyo3(signature = (
        at: "collections.abc.Mapping[str, int] | str | None" = None,
        *,
        padding = false,
        part: "tuple[int, int] | None" = None,
    ) -> "Table")]
    fn table(
        slf: &Bound<'_, Self>,
        at: Option<&Bound<'_, PyAny>>,
        padding: bool,
        #[pyo3(from_py_with = number::read)] part: Option<(u64, u64)>,
    ) -> Answer<PyTable> {
        PyTable::new(slf, location_of(at, None)?, padding, part.unwrap_or((0, 1)))
    }
}

impl Places {
    /// The index of one element, if that is what the arguments are; negative entries count from the end.
    pub(crate) fn one_index(&self, index: &Bound<'_, PyTuple>) -> Answer<Option<Vec<u64>>> {
        let mut entries = Vec::with_capacity(index.len());
        for entry in index {
            match i128::read(&entry) {
                Ok(entry) => entries.push(entry),
                // NumPy integers, too.
                Err(_) if entry.extract::<bool>().is_ok() => {
                    return Err(PyTypeError::new_err("an index is an integer, not bool").into());
                }
                Err(_) => return Ok(None),
            }
        }
        let (found, rank) = (entries.len(), self.layout.rank());
        if found != rank {
            return Err(LayoutError::index_rank(found, rank).into());
        }
        let entries = entries.into_iter().zip(self.layout.axes()).enumerate();
        let index = entries.map(|(axis, (entry, of))| entry_of(entry, axis, of.extent));
        index.collect::<Answer<_>>().map(Some)
    }

    pub(crate) fn located<'py>(&self, py: Python<'py>, index: &[u64]) -> Answer<Bound<'py, PyAny>> {
        let place = self.placement()?.locate(index)?;
        Ok(Bound::new(py, PyLocation(place))?.into_any())
    }

    fn held<'py>(&self, py: Python<'py>, place: &Location) -> Answer<Bound<'py, PyAny>> {
        match self.placement()?.element(place)? {
            Found::Element(index) => Ok(PyTuple::new(py, index)?.into_any()),
            Found::Padding => Ok(empty_of(py, "PADDING")?),
            Found::Hole => Ok(empty_of(py, "HOLE")?),
            Found::Outside => Ok(empty_of(py, "OUTSIDE")?),
        }
    }
}
