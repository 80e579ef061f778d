//! The equality of two layouts, with a witness.

use pyo3::prelude::*;
use tensor_layout::algebra::Difference;
use tensor_layout::{LayoutError, Location};

use crate::layout::any;
use crate::location::PyLocation;
use crate::places::Places;
use crate::refusal::{Answer, Refusal};
use crate::values::Tuple;

/// The answer of `same`: truthy, or falsy with a witness.
///
/// >>> from tensor_layout import Layout
/// >>> same = Layout("((4:1), (2:4))").same("((4:2), (2:1))")
/// >>> assert not same
/// >>> same.index, same.first, same.second
/// ((1, 0), [Location(Addr=1)], [Location(Addr=2)])
#[pyclass(name = "Same", frozen, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PySame(Option<Difference>);

impl PySame {
    pub(crate) fn of(first: &Places, second: &Places, up_to: Option<&str>) -> Answer<PySame> {
        let difference =
            match first.arguments.machine.is_some() || second.arguments.machine.is_some() {
                true => of_placements(first, second, up_to)?,
                false => of_layouts(first, second, up_to)?,
            };
        Ok(PySame(difference?))
    }
}

type Compared = Result<Option<Difference>, LayoutError>;

fn of_layouts(first: &Places, second: &Places, up_to: Option<&str>) -> Answer<Compared> {
    let (a, b) = (&first.layout, &second.layout);
    Ok(match up_to {
        None => a.same_map(b),
        Some("padding") => a.same_up_to_padding(b),
        Some("copies") => a.serves(b),
        Some(other) => return Err(unknown(other)),
    })
}

fn of_placements(first: &Places, second: &Places, up_to: Option<&str>) -> Answer<Compared> {
    let (a, b) = (first.placement()?, second.placement()?);
    Ok(match up_to {
        None => a.same_map(b),
        Some("padding") => a.copyable(b),
        Some("copies") => a.serves(b),
        Some(other) => return Err(unknown(other)),
    })
}

fn unknown(up_to: &str) -> Refusal {
    Refusal::Argument(format!("`up_to` is 'padding' or 'copies', not '{up_to}'"))
}

fn locations(places: &[Location]) -> Vec<PyLocation> {
    places.iter().cloned().map(PyLocation).collect()
}

#[pymethods]
impl Places {
    /// Compares two maps. The answer is truthy if they are equal, and otherwise has a witness.
    ///
    /// `up_to="padding"` ignores differences in padding and holes; `up_to="copies"` asks whether this layout
    /// can replace the other: it may have more copies.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> a, b = Layout("((4_PE, 3:8), (8:1))"), Layout("((4_PE, 3:16), (8:2))")
    /// >>> same = a.same(b)
    /// >>> bool(same), same.index
    /// (False, (1, 0))
    /// >>> assert a.same("((4_PE:1, 3:8), (2:4, 4:1))")
    #[pyo3(signature = (other: "Places | str", *, up_to: "typing.Literal['padding', 'copies'] | None" = None))]
    fn same(&self, other: &Bound<'_, PyAny>, up_to: Option<&str>) -> Answer<PySame> {
        let other = any(other)?;
        PySame::of(self, other.get(), up_to)
    }
}

#[pymethods]
impl PySame {
    fn __bool__(&self) -> bool {
        self.0.is_none()
    }

    /// The index of the first element whose places differ, or None.
    #[getter]
    fn index(&self) -> Option<Tuple<u64>> {
        match &self.0 {
            Some(Difference::Element { index, .. }) => Some(Tuple(index.clone())),
            _ => None,
        }
    }

    /// The places of that element in the first layout, at most 64 of them.
    #[getter]
    fn first(&self) -> Vec<PyLocation> {
        match &self.0 {
            Some(Difference::Element { first, .. }) => locations(first),
            _ => Vec::new(),
        }
    }

    /// The places of that element in the second layout.
    #[getter]
    fn second(&self) -> Vec<PyLocation> {
        match &self.0 {
            Some(Difference::Element { second, .. }) => locations(second),
            _ => Vec::new(),
        }
    }

    /// A place whose content differs although the places of all elements agree, or None.
    #[getter]
    fn place(&self) -> Option<PyLocation> {
        match &self.0 {
            Some(Difference::Place { place, .. }) => Some(PyLocation(place.clone())),
            _ => None,
        }
    }

    /// The difference in a sentence; empty if there is none.
    #[getter]
    fn reason(&self) -> String {
        self.0.as_ref().map_or_else(String::new, ToString::to_string)
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            None => "<Same: yes>".into(),
            Some(difference) => format!("<Same: no, {difference}>"),
        }
    }
}
