//! Places: mappings from levels to coordinates.

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use tensor_layout::{Level, Location};

use crate::number::{Read, shown};
use crate::refusal::{Answer, refused};
use crate::values::Items;

/// A place: one coordinate per level, as an immutable mapping.
///
/// >>> from tensor_layout import Location
/// >>> place = Location(PE=1, Addr=33)
/// >>> place["Addr"], place.get("L2B"), len(place)
/// (33, None, 2)
/// >>> dict(place)
/// {'PE': 1, 'Addr': 33}
/// >>> place == {"PE": 1, "Addr": 33} == Location("PE=1,Addr=33")
/// True
/// >>> print(place)
/// PE=1,Addr=33
#[pyclass(name = "Location", frozen, mapping, module = "tensor_layout")]
#[derive(Debug)]
pub(crate) struct PyLocation(pub(crate) Location);

/// A place from `PE=1,Addr=33`, a mapping, keywords, or several of these.
pub(crate) fn location_of(
    place: Option<&Bound<'_, PyAny>>,
    more: Option<&Bound<'_, PyDict>>,
) -> Answer<Location> {
    let mut location = place.map_or(Ok(Location::default()), one)?;
    for (level, at) in more.into_iter().flatten() {
        set(&mut location, &level, &at)?;
    }
    Ok(location)
}

fn one(place: &Bound<'_, PyAny>) -> Answer<Location> {
    if let Ok(place) = place.cast::<PyLocation>() {
        return Ok(place.get().0.clone());
    }
    if let Ok(text) = place.extract::<&str>() {
        return match text.trim() {
            "" => Ok(Location::default()),
            text => Ok(text.parse()?),
        };
    }
    let mut location = Location::default();
    if let Ok(dict) = place.cast::<PyDict>() {
        for (level, at) in dict {
            set(&mut location, &level, &at)?;
        }
        return Ok(location);
    }
    if !place.hasattr("keys")? {
        let what = place.get_type().name()?;
        return refused(format!(
            "a place is a mapping or a text such as 'PE=1,Addr=33', not {what}"
        ));
    }
    for level in place.call_method0("keys")?.try_iter()? {
        let level = level?;
        set(&mut location, &level, &place.get_item(&level)?)?;
    }
    Ok(location)
}

/// Sets a coordinate that has not been given yet.
fn set(location: &mut Location, level: &Bound<'_, PyAny>, at: &Bound<'_, PyAny>) -> Answer<()> {
    let (level, at) = (level_of(level)?, coordinate(at)?);
    if !Level::KNOWN.contains(&level) {
        // As a text it is refused where it is a known level in the wrong case.
        format!("{level}={at}").parse::<Location>()?;
    }
    if let Some(known) = location.get(level) {
        return refused(format!("`{level}` is given twice: {known} and {at}"));
    }
    location.set(level, at);
    Ok(())
}

/// A level by its name.
pub(crate) fn level_of(name: &Bound<'_, PyAny>) -> Answer<Level> {
    Ok(Level::new(name.extract()?)?)
}

fn coordinate(at: &Bound<'_, PyAny>) -> Answer<u64> {
    let signed = i128::read(at)?;
    let outside = || format!("a coordinate is from 0 to 2**64 - 1, not {}", shown(signed));
    u64::try_from(signed).or_else(|_| refused(outside()))
}

/// A view like those of a dict.
fn view<'py>(place: &Bound<'py, PyLocation>, class: &str) -> PyResult<Bound<'py, PyAny>> {
    place.py().import("collections.abc")?.getattr(class)?.call1((place,))
}

impl PyLocation {
    fn entry(&self, level: &str) -> Option<u64> {
        self.0.iter().find(|(of, _)| of.as_str() == level).map(|(_, at)| at)
    }
}

#[pymethods]
impl PyLocation {
    #[new]
    #[pyo3(signature = (
        place: "collections.abc.Mapping[str, int] | str | None" = None, /, **coordinates: "int"
    ))]
    fn new(
        place: Option<&Bound<'_, PyAny>>,
        coordinates: Option<&Bound<'_, PyDict>>,
    ) -> Answer<PyLocation> {
        Ok(PyLocation(location_of(place, coordinates)?))
    }

    fn __getitem__(&self, level: &str) -> PyResult<u64> {
        self.entry(level).ok_or_else(|| PyKeyError::new_err(level.to_owned()))
    }

    /// The coordinate in a level, or `default` if the place does not have the level.
    #[pyo3(signature = (level, default: "object" = None) -> "int | typing.Any")]
    fn get<'py>(
        &self,
        py: Python<'py>,
        level: &str,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.entry(level) {
            Some(at) => Ok(at.into_pyobject(py)?.into_any()),
            None => Ok(default.unwrap_or_else(|| py.None().into_bound(py))),
        }
    }

    fn __len__(&self) -> usize {
        self.0.iter().len()
    }

    fn __contains__(&self, level: &Bound<'_, PyAny>) -> bool {
        level.extract::<&str>().is_ok_and(|level| self.entry(level).is_some())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Items<'py, String>> {
        Items::of(py, self.0.iter().map(|(level, _)| level.as_str().to_owned()).collect())
    }

    /// The names of the levels.
    #[pyo3(signature = () -> "collections.abc.KeysView[str]")]
    fn keys<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "KeysView")
    }

    /// The coordinates.
    #[pyo3(signature = () -> "collections.abc.ValuesView[int]")]
    fn values<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "ValuesView")
    }

    /// Pairs of a level and its coordinate.
    #[pyo3(signature = () -> "collections.abc.ItemsView[str, int]")]
    fn items<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        view(slf, "ItemsView")
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        // A text is not a mapping, although a place can be made from one.
        !other.is_instance_of::<PyString>() && one(other).is_ok_and(|other| self.0 == other)
    }

    fn __hash__(&self) -> u64 {
        crate::values::hash_of(&self.0)
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Location({})", self.0.to_string().replace(',', ", "))
    }

    #[pyo3(signature = () -> "tuple[type[Location], tuple[str]]")]
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, pyo3::types::PyType>, (String,)) {
        (slf.get_type(), (slf.get().0.to_string(),))
    }
}
