//! The options of a picture.

use std::ops::Range;

use super::bank::line;
use super::coloring::Scheme;
use super::{CellKind, Label, Panel, Picture};
use tensor_layout::LayoutError;
use tensor_layout::Level;
use tensor_layout::Location;
use tensor_layout::Placement;
use tensor_layout::algebra::{Combine, Subaxis, Target};
use tensor_layout::notation::PadLayout;
use tensor_layout::xla::XlaArray;

/// The settings of a picture of a placement.
///
/// ```
/// use tensor_layout::Placement;
/// use tensor_layout_show::{CellKind, Drawing};
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
#[must_use]
pub struct Drawing<'a> {
    pub(super) placement: &'a Placement,
    pub(super) title: String,
    pub(super) by: Option<Level>,
    window: Vec<Option<Range<u64>>>,
    pub(super) zoom: Vec<Option<u64>>,
    pub(super) at: Location,
    pub(super) units: Vec<(Level, Range<u64>)>,
    pub(super) first_address: u64,
    pub(super) labels: Vec<Label>,
    /// The bits of an element, in a picture of banks.
    pub(super) banks: Option<u64>,
    /// The scheme of the panel beside the memories, whose colours they have too.
    pub(super) shared: Option<Scheme>,
    pub(super) most_blocks: u64,
    pub(super) most_panels: usize,
    /// The most characters of a row of blocks.
    pub(super) most_characters: usize,
    /// Elements per tile, outermost first, with a name.
    pub(super) tiles: Vec<(u64, String)>,
    /// The number of tiles of the shape.
    all_tiles: usize,
}

impl<'a> Drawing<'a> {
    /// The picture of a placement, coloured by unit.
    pub fn new(placement: &'a Placement) -> Drawing<'a> {
        let title = PadLayout::map_of(placement.layout()).map(|(tree, _)| tree.to_string());
        let rank = placement.layout().rank();
        Drawing {
            placement,
            title: title.unwrap_or_else(|_| "a layout".into()),
            by: None,
            window: vec![None; rank],
            zoom: vec![None; rank],
            at: Location::default(),
            units: Vec::new(),
            first_address: 0,
            labels: Vec::new(),
            banks: None,
            shared: None,
            most_blocks: 16,
            most_panels: 8,
            most_characters: 136,
            tiles: Vec::new(),
            all_tiles: 0,
        }
    }

    /// Gives the picture a title, such as the text of the layout.
    pub fn title(mut self, title: &str) -> Drawing<'a> {
        self.title = title.into();
        self
    }

    /// Sets borders around tiles: the number of elements that each has in memory, and its name, outermost
    /// first; for an XLA shape, [`XlaArray::tiles`](tensor_layout::xla::XlaArray::tiles). Cells are coloured
    /// by the first one, and an arrow follows the addresses.
    pub fn tiles(mut self, tiles: Vec<(u64, String)>) -> Drawing<'a> {
        self.tiles = tiles;
        self.tiles.retain(|(elements, _)| *elements > 0);
        self
    }

    /// Sets borders around the tiles of an XLA shape; if only the outer ones are drawn, a note says so.
    pub fn tiles_of(mut self, array: &XlaArray) -> Drawing<'a> {
        self.all_tiles = array.layout.as_ref().map_or(0, |layout| layout.tiles.len());
        self.tiles(array.tiles())
    }

    /// Colours by the coordinate in one level.
    pub fn by(mut self, level: Level) -> Drawing<'a> {
        self.by = Some(level);
        self
    }

    /// Colours by the banks of shared memory, for elements of so many bits, with a border around every 128 bytes:
    /// a cell is as many elements as all rows have in up to four banks.
    pub fn banks(mut self, element_bits: u64) -> Drawing<'a> {
        self.banks = Some(element_bits.max(1));
        self
    }

    /// Draws only a range of an axis, including padding.
    ///
    /// # Errors
    /// `Shape` for an axis that does not exist, `OutOfRange` for a range beyond the [slots](Self::slots).
    pub fn slice(mut self, axis: usize, range: Range<u64>) -> Result<Drawing<'a>, LayoutError> {
        let slots = self.checked_slots(axis)?;
        if range.end > slots || range.start >= range.end {
            let index = range.end.max(range.start.saturating_add(1)) - 1;
            return Err(LayoutError::index_out_of_range(axis, index, slots));
        }
        self.window[axis] = Some(range);
        Ok(self)
    }

    /// Shows the block of a large tensor that holds this index in detail, instead of the first one
    /// that is partly padded.
    ///
    /// # Errors
    /// As [`slice`](Self::slice).
    pub fn zoom(mut self, axis: usize, index: u64) -> Result<Drawing<'a>, LayoutError> {
        let slots = self.checked_slots(axis)?;
        if index >= slots {
            return Err(LayoutError::index_out_of_range(axis, index, slots));
        }
        self.zoom[axis] = Some(index);
        Ok(self)
    }

    /// Shows only the units with these coordinates in a picture of the machine.
    pub fn at(mut self, at: Location) -> Drawing<'a> {
        self.at = at;
        self
    }

    /// Shows only units with coordinates in a range of a level in a picture of the machine: the range is
    /// clipped at the end of the level, and an empty range shows the unit at its start.
    pub fn units(mut self, level: Level, range: Range<u64>) -> Drawing<'a> {
        let all = self.placement.coordinates(level);
        let start = range.start.min(all.saturating_sub(1));
        self.units.retain(|(of, _)| *of != level);
        self.units.push((level, start..range.end.clamp(start + 1, all.max(start + 1))));
        self
    }

    /// Shows memories from an address on; an address beyond the last one shows the last.
    pub fn addresses(mut self, from: u64) -> Drawing<'a> {
        self.first_address = from.min(self.placement.with_copies().span(Level::ADDR) - 1);
        self
    }

    /// Sets the lines of text in every cell; by default the address, or the units where only they
    /// differ.
    pub fn labels(mut self, labels: &[Label]) -> Drawing<'a> {
        self.labels = labels.to_vec();
        self
    }

    /// Draws at most this many blocks along a side (at least 2; 16 by default). Single elements may be four
    /// times as many along a side, and four times as many in total.
    pub fn most_blocks(mut self, most: u64) -> Drawing<'a> {
        self.most_blocks = most.clamp(2, 64);
        self
    }

    /// Draws at most this many panels: fewer leading indexes, and less detail.
    pub fn most_panels(mut self, most: usize) -> Drawing<'a> {
        self.most_panels = most.max(1);
        self
    }

    /// The number of values of an axis that can be drawn, padding included.
    ///
    /// Values beyond the extent have a slot as long as every digit is within its size. If an axis feeds a
    /// derived axis that ends earlier, only the extent counts.
    #[must_use]
    pub fn slots(&self, axis: usize) -> u64 {
        let layout = self.placement.layout();
        let Some(of) = layout.axes().get(axis) else { return 0 };
        let feeds = of.subaxes.iter().any(|subaxis| subaxis.lands().is_none());
        if feeds && !self.derived_axes_hold_padding() { of.extent } else { of.slots() }
    }

    /// Returns whether no digits of padding make a derived axis exceed the values of its own digits.
    fn derived_axes_hold_padding(&self) -> bool {
        let layout = self.placement.layout();
        layout.derived_axes().iter().enumerate().all(|(number, derived)| {
            let step = |subaxis: &Subaxis| match subaxis.target {
                Target::Feed { derived, weight } if derived == number => {
                    (subaxis.size - 1) * weight
                }
                _ => 0,
            };
            let digits = layout.nodes().flat_map(|axis| &axis.subaxes);
            // An XOR writes every value that it has.
            derived.combine == Combine::Xor
                || derived.start + digits.map(step).sum::<u64>() < derived.axis.slots()
        })
    }

    fn checked_slots(&self, axis: usize) -> Result<u64, LayoutError> {
        let rank = self.placement.layout().rank();
        match axis < rank {
            true => Ok(self.slots(axis)),
            false => Err(LayoutError::index_rank(axis + 1, rank)),
        }
    }

    /// The values of an axis that are drawn, padding included.
    pub(super) fn range(&self, axis: usize) -> Range<u64> {
        self.window[axis].clone().unwrap_or_else(|| 0..self.slots(axis))
    }

    /// The ranges of all axes.
    pub(super) fn ranges(&self) -> Vec<Range<u64>> {
        (0..self.placement.layout().rank()).map(|axis| self.range(axis)).collect()
    }

    /// Returns whether every element is drawn; otherwise blocks are, and the elements of one of them.
    #[must_use]
    pub fn is_small(&self) -> bool {
        self.draws_elements_of(&self.ranges())
    }

    /// The unit levels in which places differ.
    pub(super) fn unit_levels(&self) -> Vec<Level> {
        let layout = self.placement.layout();
        let columns = self.placement.columns().iter().copied();
        columns.filter(|l| !l.is_in_unit() && layout.uses(*l)).collect()
    }

    /// The coordinates of a place in the levels of the units, and the numbers of its tiles.
    pub(super) fn path(&self, place: &Location, levels: &[Level]) -> Vec<u64> {
        let at = |level: Level| place.get(level).unwrap_or(0);
        let units = levels.iter().map(|level| at(*level));
        let lines = self.banks.map(|bits| line(at(Level::ADDR), bits));
        let tiles = self.tiles.iter().map(|(size, _)| at(Level::ADDR) / size);
        units.chain(lines).chain(tiles).collect()
    }

    /// The names of the borders around tiles.
    pub(super) fn tile_names(&self) -> Vec<String> {
        let lines = self.banks.map(|_| "128 bytes".to_owned());
        lines.into_iter().chain(self.tiles.iter().map(|(_, name)| format!("tile {name}"))).collect()
    }

    /// Title, description and notes around panels.
    pub(super) fn picture(&self, what: &str, panels: Vec<Panel>) -> Picture {
        let description = described(what, &self.title, &panels);
        let (title, notes) = (self.title.clone(), self.notes());
        Picture { title, description, panels, notes, ..Picture::default() }
    }

    /// The parts of the layout that its picture as a tensor leaves out: copies, inner tiles, hidden padding.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let copies = self.placement.copies();
        if copies > 1 {
            let replicated = self.placement.replicated();
            let levels: Vec<&str> = replicated.iter().map(Level::as_str).collect();
            notes.push(format!("{copies} copies over {}; the first is drawn", levels.join(", ")));
        }
        if self.all_tiles > XlaArray::MOST_TILES {
            let (most, all) = (XlaArray::MOST_TILES, self.all_tiles);
            notes.push(format!("the borders of the outer {most} of {all} tiles are drawn"));
        }
        notes.extend(self.hidden_padding());
        notes
    }
}

/// A description of the picture for people who cannot see it.
fn described(what: &str, title: &str, panels: &[Panel]) -> String {
    let mut description = format!("{what} of {title}. ");
    for panel in panels {
        description.push_str(&panel.caption);
        description.push_str(". ");
    }
    let cells = || panels.iter().flat_map(|panel| &panel.cells);
    let padding = cells().filter(|cell| cell.kind == CellKind::Padding).count();
    let partly = cells().filter(|cell| cell.is_partly_padded()).count();
    for (count, what) in [(padding, "padding"), (partly, "partly padding")] {
        if count > 0 {
            description.push_str(&format!("{count} cells are {what}. "));
        }
    }
    description.trim_end().to_owned()
}
