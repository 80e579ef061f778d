//! What is asked of a picture.

use std::ops::Range;

use super::{Cell, CellKind, Panel, Picture};
use crate::error::LayoutError;
use crate::level::Level;
use crate::location::Location;
use crate::placement::Placement;

/// How many colours there are before they repeat.
pub(super) const COLORS: u64 = 8;

/// A picture of a placement, to be made.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout::picture::{CellKind, Drawing};
/// let placement = Placement::of("(10,7)/((3:7, 4_PE), (7:1))".parse()?).build()?;
/// let picture = Drawing::new(&placement).tensor();
/// let panel = &picture.panels[0];
/// assert_eq!((panel.rows(), panel.columns), (12, 7));
/// let cell = panel.cell(9, 1).unwrap();
/// assert_eq!((cell.unit.as_str(), cell.label.as_str()), ("1", "15")); // PE 1, address 15
/// assert_eq!(panel.cell(10, 0).unwrap().kind, CellKind::Padding);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Drawing<'a> {
    pub(super) placement: &'a Placement,
    pub(super) title: String,
    by: Option<Level>,
    window: Vec<Option<Range<u64>>>,
    unit_labels: bool,
    /// Elements per tile, outermost first, with a name.
    pub(super) tiles: Vec<(u64, String)>,
}

impl<'a> Drawing<'a> {
    /// The picture of a placement, coloured by unit.
    #[must_use]
    pub fn new(placement: &'a Placement) -> Drawing<'a> {
        let title = placement.layout().to_pad_layout_map().map(|(tree, _)| tree.to_string());
        Drawing {
            placement,
            title: title.unwrap_or_else(|_| "a layout".into()),
            by: None,
            window: vec![None; placement.layout().rank()],
            unit_labels: false,
            tiles: Vec::new(),
        }
    }

    /// Gives the picture a title, such as the text of the layout.
    #[must_use]
    pub fn title(mut self, title: &str) -> Drawing<'a> {
        self.title = title.into();
        self
    }

    /// Borders around tiles: how many elements each has in memory, and what it is called, outermost
    /// first; of an XLA shape [`XlaArray::tiles`](crate::xla::XlaArray::tiles). Cells are coloured by
    /// the first one.
    #[must_use]
    pub fn tiles(mut self, tiles: Vec<(u64, String)>) -> Drawing<'a> {
        self.tiles = tiles;
        self.tiles.retain(|(elements, _)| *elements > 0);
        self
    }

    /// Colours by the coordinate in one level.
    #[must_use]
    pub fn by(mut self, level: Level) -> Drawing<'a> {
        self.by = Some(level);
        self
    }

    /// Draws a range of an axis only.
    ///
    /// # Errors
    /// [`IndexRank`](LayoutError::IndexRank) for an axis that is not there,
    /// [`IndexBeyond`](LayoutError::IndexBeyond) for a range beyond the extent.
    pub fn slice(mut self, axis: usize, range: Range<u64>) -> Result<Drawing<'a>, LayoutError> {
        let layout = self.placement.layout();
        let rank = layout.rank();
        let extent = layout
            .shape()
            .get(axis)
            .copied()
            .ok_or(LayoutError::IndexRank { found: axis + 1, rank })?;
        if range.end > extent || range.start >= range.end {
            let index = range.end.max(range.start + 1) - 1;
            return Err(LayoutError::IndexBeyond { axis, index, extent });
        }
        self.window[axis] = Some(range);
        Ok(self)
    }

    /// Writes the unit into every cell as well.
    #[must_use]
    pub fn unit_labels(mut self, unit_labels: bool) -> Drawing<'a> {
        self.unit_labels = unit_labels;
        self
    }

    /// The values of an axis that are drawn, padding included.
    pub(super) fn range(&self, axis: usize) -> Range<u64> {
        let of = &self.placement.layout().axes()[axis];
        let feeds = of.subaxes.iter().any(|subaxis| subaxis.feeds().is_some());
        // Padding inside a tile stands for no index.
        let slots = if feeds { of.extent } else { of.slots() };
        self.window[axis].clone().unwrap_or(0..slots)
    }

    /// The unit levels in which places differ.
    pub(super) fn unit_levels(&self) -> Vec<Level> {
        let layout = self.placement.layout();
        let columns = self.placement.columns().iter().copied();
        columns.filter(|l| !l.is_in_unit() && layout.used_levels().contains(l)).collect()
    }

    /// A cell for an element or a slot at a place.
    pub(super) fn cell(&self, kind: CellKind, place: &Location, label: String) -> Cell {
        let at = |level: &Level| place.get(*level).unwrap_or(0);
        let levels = self.unit_levels();
        let mut path: Vec<u64> = levels.iter().map(at).collect();
        let address = at(&Level::ADDR);
        path.extend(self.tiles.iter().map(|(size, _)| address / size));
        let unit: Vec<String> = levels.iter().map(|level| at(level).to_string()).collect();
        let unit = unit.join(".");
        let label = match (self.unit_labels, &levels[..]) {
            (false, _) | (_, []) => label,
            (true, [level]) => format!("{level} {unit}\n{label}"),
            (true, _) => format!("{unit}\n{label}"),
        };
        let color = (kind == CellKind::Element).then(|| self.color(place));
        Cell { kind, path, color, unit, label, mark: None }
    }

    pub(super) fn color(&self, place: &Location) -> usize {
        let at = |level: Level| place.get(level).unwrap_or(0);
        let number = match (self.by, self.tiles.first()) {
            (Some(level), _) => at(level),
            (None, Some((size, _))) => at(Level::ADDR) / size,
            (None, None) => self.unit_number(place),
        };
        usize::try_from(number % COLORS).unwrap_or(0)
    }

    /// Units numbered row-major over what the layout uses of each level.
    fn unit_number(&self, place: &Location) -> u64 {
        let layout = self.placement.layout();
        self.unit_levels().iter().fold(0_u64, |number, level| {
            let number = number.wrapping_mul(layout.extent(*level));
            number.wrapping_add(place.get(*level).unwrap_or(0))
        })
    }

    /// Title, legend and notes around panels.
    pub(super) fn picture(&self, what: &str, panels: Vec<Panel>, blocks: bool) -> Picture {
        let mut borders: Vec<String> = self.unit_levels().iter().map(ToString::to_string).collect();
        borders.extend(self.tiles.iter().map(|(_, name)| format!("tile {name}")));
        let (legend, mut notes) = self.legend(&panels, blocks);
        let replicated = self.placement.replicated();
        let copies = self.placement.copies();
        if copies > 1 {
            let levels: Vec<&str> = replicated.iter().map(Level::as_str).collect();
            notes.push(format!("{copies} copies over {}; the first is drawn", levels.join(", ")));
        }
        let kinds = |kind| panels.iter().flat_map(|p| &p.cells).filter(|c| c.kind == kind).count();
        let mut description = format!("{what} of {}. ", self.title);
        for panel in &panels {
            description.push_str(&panel.caption);
            description.push_str(". ");
        }
        if kinds(CellKind::Padding) > 0 {
            description.push_str(&format!("{} cells are padding. ", kinds(CellKind::Padding)));
        }
        let title = self.title.clone();
        let description = description.trim_end().to_owned();
        Picture { title, description, panels, legend, borders, notes }
    }

    /// The colours, if there are few units; else what they follow.
    fn legend(&self, panels: &[Panel], blocks: bool) -> (Vec<(usize, String)>, Vec<String>) {
        const MOST: usize = 16;
        let levels = self.unit_levels();
        let name = match (self.by, self.tiles.first()) {
            (Some(level), _) => level.to_string(),
            (None, Some((_, name))) => format!("tile {name}"),
            (None, None) => levels.iter().map(Level::as_str).collect::<Vec<_>>().join("."),
        };
        if name.is_empty() {
            return (Vec::new(), Vec::new());
        }
        let mut units: Vec<(&str, usize)> = Vec::new();
        for cell in panels.iter().flat_map(|panel| &panel.cells) {
            if let Some(color) = cell.color
                && !units.contains(&(&cell.unit, color))
                && units.len() <= MOST
            {
                units.push((&cell.unit, color));
            }
        }
        units.sort_by_key(|(unit, _)| {
            unit.split('.').map(str::parse::<u64>).filter_map(Result::ok).collect::<Vec<_>>()
        });
        if blocks {
            let by = self.by.map_or(String::new(), |level| format!(", not by {level}"));
            let note = "blocks are coloured by the outermost level in which they differ";
            return (Vec::new(), vec![format!("{note}{by}")]);
        }
        if self.by.is_some() || !self.tiles.is_empty() || units.len() > MOST {
            let cells = panels.iter().flat_map(|panel| &panel.cells);
            let mut tiles: Vec<u64> =
                cells.filter_map(|c| c.path.get(levels.len()).copied()).collect();
            tiles.sort_unstable();
            tiles.dedup();
            let few = self.by.is_none() && (1..=8).contains(&tiles.len());
            let repeats = if few { "" } else { "; every 8th alike" };
            return (Vec::new(), vec![format!("coloured by {name}{repeats}")]);
        }
        let entries = units.into_iter().map(|(unit, color)| (color, format!("{name} {unit}")));
        (entries.collect(), Vec::new())
    }
}

/// Address, and lane if lanes are used.
pub(super) fn address(place: &Location) -> String {
    let address = place.get(Level::ADDR).unwrap_or(0);
    place.get(Level::W).map_or(address.to_string(), |lane| format!("{address}.{lane}"))
}
