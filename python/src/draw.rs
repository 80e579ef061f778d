//! `draw`: the options of a picture.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use tensor_layout::{LayoutError, Level, Location, Placement};
use tensor_layout_show::{Background, Drawing, Label, Picture};

use crate::layout::any;
use crate::location::location_of;
use crate::number;
use crate::on_arguments::{OnArguments, bits_of};
use crate::picture::PyPicture;
use crate::places::Places;
use crate::refusal::{Answer, refused};
use crate::relayout::paired;

/// The options of a drawing.
struct Wanted {
    by: Option<Coloring>,
    slice: BTreeMap<usize, (u64, u64)>,
    zoom: BTreeMap<usize, u64>,
    at: Location,
    labels: Vec<Label>,
    /// The width of an element, if it is given.
    bits: Option<u64>,
    blocks: Option<u64>,
    panels: Option<usize>,
}

/// What a colour says: a coordinate in a level, or the bank of shared memory.
#[derive(Clone, Copy, PartialEq)]
enum Coloring {
    Level(Level),
    Bank,
}

impl Coloring {
    fn of(by: &str) -> Answer<Coloring> {
        Ok(if by == "bank" { Coloring::Bank } else { Coloring::Level(Level::new(by)?) })
    }
}

impl Wanted {
    /// Rejects options that cannot change the picture, and counts that no picture has.
    fn check_options(&self) -> Answer<()> {
        let shows_banks = self.by == Some(Coloring::Bank)
            || self.labels.iter().any(|label| matches!(label, Label::Bank(_)));
        match (self.blocks, self.panels) {
            _ if self.bits.is_some() && !shows_banks => {
                refused("`dtype` goes with by='bank' or labels=['bank']")
            }
            (Some(blocks), _) if !(2..=64).contains(&blocks) => {
                refused(format!("blocks={blocks}: a side has 2 to 64 blocks"))
            }
            (_, Some(0)) => refused("panels=0: a picture has at least one panel"),
            _ => Ok(()),
        }
    }

    /// Rejects options that belong to the other view.
    fn check_view(&self, view: &str) -> Answer<()> {
        let cut = !self.slice.is_empty() || !self.zoom.is_empty();
        match view {
            "machine" if cut || self.by.is_some() || !self.labels.is_empty() => {
                refused("`by`, `slice`, `zoom` and `labels` go with view='tensor'")
            }
            "tensor" if self.at.iter().len() > 0 => refused("`at` goes with view='machine'"),
            "tensor" | "machine" => Ok(()),
            _ => refused(format!("`{view}` is not a view: tensor, machine")),
        }
    }

    /// The levels that are named.
    fn levels(&self) -> impl Iterator<Item = Level> {
        let labels = self.labels.iter().filter_map(|label| match label {
            Label::Level(level) => Some(*level),
            Label::Thread => Some(Level::LANE),
            _ => None,
        });
        let by = self.by.and_then(|by| match by {
            Coloring::Level(level) => Some(level),
            Coloring::Bank => None,
        });
        by.into_iter().chain(labels).chain(self.at.iter().map(|(level, _)| level))
    }

    /// Rejects levels and units that the placement does not have.
    fn check(&self, placement: &Placement) -> Answer<()> {
        let columns = placement.columns();
        if let Some(level) = self.levels().find(|level| !columns.contains(level)) {
            let columns: Vec<&str> = columns.iter().map(Level::as_str).collect();
            let columns = columns.join(", ");
            return refused(format!("`{level}` is not a level of the layout: {columns}"));
        }
        if self.labels.contains(&Label::Unit) && !columns.iter().any(|level| level.is_unit()) {
            return refused("labels: `unit`: the layout has no units");
        }
        if self.by == Some(Coloring::Bank) && placement.layout().uses(Level::LANE) {
            return refused("by='bank' is for layouts of shared memory; this is one of lanes");
        }
        self.at.iter().try_for_each(|(level, at)| match placement.coordinates(level) {
            _ if level.is_in_unit() => refused(format!("`{level}` does not name a unit")),
            extent if at < extent => Ok(()),
            size => Err(LayoutError::coordinate_out_of_range(level, at, size).into()),
        })
    }

    fn of<'a>(&self, places: &Places, placement: &'a Placement) -> Answer<Drawing<'a>> {
        self.check(placement)?;
        let bits = self.element_bits(places)?;
        let labels: Vec<Label> = self.labels.iter().map(|label| with_bits(*label, bits)).collect();
        let mut drawing = places.drawing(placement).labels(&labels).at(self.at.clone());
        drawing = match self.by {
            Some(Coloring::Level(level)) => drawing.by(level),
            Some(Coloring::Bank) => drawing.banks(bits),
            None => drawing,
        };
        if let Some(blocks) = self.blocks {
            drawing = drawing.most_blocks(blocks);
        }
        if let Some(panels) = self.panels {
            drawing = drawing.most_panels(panels);
        }
        for (axis, (from, to)) in &self.slice {
            drawing = drawing.slice(*axis, *from..*to)?;
        }
        for (axis, index) in &self.zoom {
            drawing = drawing.zoom(*axis, *index)?;
        }
        Ok(drawing)
    }

    /// The width of an element, which the layout must not contradict; 32 bits if nothing says it.
    fn element_bits(&self, places: &Places) -> Answer<u64> {
        match (self.bits, places.element_bits()) {
            (Some(given), Some(written)) if given != written => refused(format!(
                "dtype: elements of {given} bits contradict the {written} bits of the layout"
            )),
            (given, written) => Ok(given.or(written).unwrap_or(32)),
        }
    }
}

/// A label of banks for elements of so many bits.
fn with_bits(label: Label, bits: u64) -> Label {
    if let Label::Bank(_) = label { Label::Bank(bits) } else { label }
}

/// A picture with the frame that is asked for.
fn framed(
    picture: Picture,
    title: Option<String>,
    caption: bool,
    background: &str,
) -> Answer<Picture> {
    let background = match background {
        "white" => Background::White,
        "dark" => Background::Dark,
        "none" => Background::Clear,
        other => return refused(format!("`{other}` is not a background: white, dark, none")),
    };
    let picture = Picture { background, ..picture };
    match (title, caption) {
        (Some(_), false) => {
            refused("`title` is part of the caption, which caption=False leaves out")
        }
        (None, false) => Ok(picture.without_captions()),
        (title, true) => Ok(Picture { title: title.unwrap_or(picture.title), ..picture }),
    }
}

#[pymethods]
impl Places {
    /// Draws the tensor as a grid: each cell has its address and the colour of its unit.
    ///
    /// `after` is another layout, drawn beside it; `view="machine"` draws the memories instead.
    /// `by` is the level that sets the colour, or `"bank"`, for banks of shared memory and elements of `dtype`;
    /// `slice` the range of each axis to show, `zoom` the index per axis whose block is shown in detail, `at`
    /// the unit whose memory is drawn; `labels` are `address`, `unit`, `index`, `thread`, `value`, `bank` or levels.
    ///
    /// `blocks` is the most blocks of a large tensor along a side, `panels` the most panels. For papers there are
    /// `title`, `caption=False` for nothing around the panels, and `background`.
    ///
    /// >>> from tensor_layout import Layout
    /// >>> print(Layout("((2_PE, 2:3), (3:1))").draw().to_text(40).splitlines()[0])
    /// ((2_PE, 2:3), (3:1))
    #[pyo3(signature = (
        after: "Places | str | None" = None,
        *,
        view: "typing.Literal['tensor', 'machine']" = "tensor",
        by: "str | None" = None,
        slice: "collections.abc.Mapping[int, tuple[int, int]] | None" = None,
        zoom: "collections.abc.Mapping[int, int] | None" = None,
        at: "collections.abc.Mapping[str, int] | str | None" = None,
        labels: "collections.abc.Sequence[str]" = Vec::new(),
        dtype: "typing.Any" = None,
        blocks: "int | None" = None,
        panels: "int | None" = None,
        title: "str | None" = None,
        caption: "bool" = true,
        background: "typing.Literal['white', 'dark', 'none']" = "white",
    ) -> "Picture")]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn draw(
        &self,
        after: Option<&Bound<'_, PyAny>>,
        view: &str,
        by: Option<&str>,
        #[pyo3(from_py_with = number::read)] slice: Option<BTreeMap<usize, (u64, u64)>>,
        #[pyo3(from_py_with = number::read)] zoom: Option<BTreeMap<usize, u64>>,
        at: Option<&Bound<'_, PyAny>>,
        labels: Vec<String>,
        dtype: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = number::read)] blocks: Option<u64>,
        #[pyo3(from_py_with = number::read)] panels: Option<usize>,
        title: Option<String>,
        caption: bool,
        background: &str,
    ) -> Answer<PyPicture> {
        let wanted = Wanted {
            by: by.map(Coloring::of).transpose()?,
            slice: slice.unwrap_or_default(),
            zoom: zoom.unwrap_or_default(),
            at: location_of(at, None)?,
            labels: labels.iter().map(|label| label.parse()).collect::<Result<_, _>>()?,
            bits: dtype.map(bits_of).transpose()?,
            blocks,
            panels,
        };
        wanted.check_view(view)?;
        wanted.check_options()?;
        let picture = match (after, view) {
            (Some(_), "machine") => {
                return refused("two layouts are compared in the view of the tensor");
            }
            (Some(after), _) => {
                let after = any(after)?;
                let (from, to) = paired(self, after.get(), &OnArguments::default())?;
                wanted.of(self, &from)?.before_and_after(&wanted.of(after.get(), &to)?)?
            }
            (None, "machine") => wanted.of(self, self.placement()?)?.memory()?,
            (None, _) => wanted.of(self, self.placement()?)?.tensor(),
        };
        Ok(PyPicture(framed(picture, title, caption, background)?))
    }

    fn _repr_svg_(&self) -> Option<String> {
        Some(self.drawing(self.placement().ok()?).tensor().to_svg())
    }
}
