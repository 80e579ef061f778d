//! The film of a small tensor, element by element.

use std::collections::{BTreeSet, HashMap, HashSet};

use itertools::Itertools;

use super::{Film, Flyer, Spot, Stage};
use crate::cut::length;
use crate::drawing::Drawing;
use crate::memory::{tick, unit_name};
use crate::{Cell, Panel};
use tensor_layout::algebra::Indexes;
use tensor_layout::relayout::{Distance, Relayout};
use tensor_layout::{LayoutError, Level, Location};
use tensor_layout_words::{product, to_index, to_u64};

/// The most cells of a stage.
const MOST_CELLS: u64 = 1024;

/// The most panels of the tensor.
const MOST_PANELS: usize = 16;

/// The most places of a memory in a row.
const ROW: u64 = 32;

/// A place as numbers: the memory, the address and the lane.
type Place = Vec<u64>;

/// The memories of a layout, every place a cell.
struct Memories<'a> {
    drawing: &'a Drawing<'a>,
    panel: Panel,
    /// The cells by their places.
    cells: HashMap<Place, usize>,
}

/// The origin of the element of a cell: a cell of the stage before, and how far away that is.
#[derive(Clone, Copy)]
struct Origin {
    spot: Spot,
    distance: Distance,
}

/// The stages of a film whose cells are elements.
pub(super) struct Stages<'a> {
    tensor: Vec<Panel>,
    /// The spots of the elements in the tensor.
    elements: HashMap<Vec<u64>, Spot>,
    memories: Vec<Memories<'a>>,
}

impl<'a> Stages<'a> {
    /// The stages of some layouts; nothing where they have too many cells.
    pub(super) fn new(all: &[&'a Drawing<'a>]) -> Result<Option<Stages<'a>>, LayoutError> {
        let units: Option<Vec<Vec<Location>>> =
            all.iter().filter(|drawing| is_small(drawing)).map(|drawing| units(drawing)).collect();
        let Some((first, units)) =
            all.first().zip(units).filter(|(_, units)| units.len() == all.len())
        else {
            return Ok(None);
        };
        let tensor = (*first).clone().most_panels(MOST_PANELS).tensor().panels;
        let cells = tensor.iter().enumerate().flat_map(|(panel, of)| {
            of.cells.iter().enumerate().map(move |(cell, of)| (Spot { panel, cell }, of))
        });
        let elements = cells.filter(|(_, cell)| cell.elements > 0);
        let elements = elements.map(|(spot, cell)| (index(cell), spot)).collect();
        let memories = all.iter().zip(units).map(|(drawing, units)| Memories::new(drawing, &units));
        let memories = memories.collect::<Result<_, _>>()?;
        Ok(Some(Stages { tensor, elements, memories }))
    }

    /// The film of these stages, given the relayout from each layout to the next and the levels that they cross.
    pub(super) fn drawn(
        mut self,
        relayouts: &[Relayout],
        levels: &[Level],
    ) -> Result<Film, LayoutError> {
        let origins = self.origins(relayouts)?;
        let mut flyers: Vec<Flyer> = Vec::new();
        for stage in 0..origins.len() {
            let read: HashSet<usize> = origins.get(stage + 1).map_or_else(HashSet::new, |next| {
                next.values().map(|origin| origin.spot.cell).collect()
            });
            let last = origins[stage].keys().filter(|cell| !read.contains(cell));
            flyers.extend(last.map(|cell| self.flyer(&origins[..=stage], *cell, levels)));
        }
        flyers.sort_by(|a, b| a.path.cmp(&b.path));
        self.color(&flyers);
        Ok(Film { stages: self.stages(), flyers, ..Film::default() })
    }

    /// For each layout, the origin of the element in each cell of its memories.
    fn origins(&self, relayouts: &[Relayout]) -> Result<Vec<Origins>, LayoutError> {
        let tensor = |cell: &Cell| self.elements.get(&index(cell)).copied();
        let first = self.memories.iter().take(1).map(|memories| memories.from(tensor));
        let hops = self.memories.windows(2).zip(relayouts).map(|(pair, relayout)| match pair {
            [from, to] => to.moved(from, relayout),
            _ => Ok(Origins::new()),
        });
        first.map(Ok).chain(hops).collect()
    }

    /// The flyer that ends in a cell of the last of some stages.
    fn flyer(&self, origins: &[Origins], cell: usize, levels: &[Level]) -> Flyer {
        let mut spot = Spot { panel: 0, cell };
        let (mut path, mut crossed) = (vec![spot], Vec::new());
        for stage in origins.iter().rev() {
            let Some(origin) = stage.get(&spot.cell) else { break };
            crossed.extend(match origin.distance {
                Distance::Level(level) => Some(level),
                _ => None,
            });
            spot = origin.spot;
            path.push(spot);
        }
        path.reverse();
        let of = &self.tensor[spot.panel].cells[spot.cell];
        let crosses = levels.iter().copied().find(|level| crossed.contains(level));
        Flyer { indexes: of.indexes.clone(), elements: 1, color: of.color, path, crosses }
    }

    /// Gives every cell of the memories the colour of the flyer that is there.
    fn color(&mut self, flyers: &[Flyer]) {
        for flyer in flyers {
            for (memories, spot) in self.memories.iter_mut().zip(flyer.path.iter().skip(1)) {
                memories.panel.cells[spot.cell].color = flyer.color;
            }
        }
    }

    fn stages(self) -> Vec<Stage> {
        let memories = self.memories.into_iter().map(|memories| Stage {
            caption: memories.drawing.title.clone(),
            panels: vec![memories.panel],
        });
        [Stage { caption: "the tensor".into(), panels: self.tensor }]
            .into_iter()
            .chain(memories)
            .collect()
    }
}

/// The origins of the cells of a stage.
type Origins = HashMap<usize, Origin>;

impl<'a> Memories<'a> {
    fn new(drawing: &'a Drawing<'a>, units: &[Location]) -> Result<Memories<'a>, LayoutError> {
        let panel = whole_memories(drawing, units)?;
        let elements = panel.cells.iter().enumerate().filter(|(_, cell)| cell.elements > 0);
        let cells = elements.map(|(at, cell)| (numbered(drawing, &place(cell)), at)).collect();
        Ok(Memories { drawing, panel, cells })
    }

    /// The origins of all elements in the tensor.
    fn from(&self, tensor: impl Fn(&Cell) -> Option<Spot>) -> Origins {
        let cells = self.cells.values().filter_map(|at| {
            let spot = tensor(self.panel.cells.get(*at)?)?;
            Some((*at, Origin { spot, distance: Distance::InPlace }))
        });
        cells.collect()
    }

    /// The origins of all copies in the memories of another layout; copies that do not move are in place.
    fn moved(&self, from: &Memories<'_>, relayout: &Relayout) -> Result<Origins, LayoutError> {
        let in_memory = |cell: usize, distance| Origin { spot: Spot { panel: 0, cell }, distance };
        // Each layout numbers places by its own levels.
        let stays = self.cells.values().filter_map(|at| {
            let read = numbered(from.drawing, &place(self.panel.cells.get(*at)?));
            Some((*at, in_memory(*from.cells.get(&read)?, Distance::InPlace)))
        });
        let mut origins: Origins = stays.collect();
        for transfer in relayout.transfers()? {
            for at in 0..transfer.length {
                let Some(read) = from.cell(&transfer.source, transfer.read.at(at), relayout) else {
                    continue;
                };
                let write = transfer.write.at(at);
                let to = transfer.destinations.iter();
                let to = to.filter_map(|unit| self.cell(unit, write, relayout));
                origins.extend(to.map(|cell| (cell, in_memory(read, transfer.distance))));
            }
        }
        Ok(origins)
    }

    /// The cell of a place in the memory of a unit.
    fn cell(&self, unit: &Location, place: u64, relayout: &Relayout) -> Option<usize> {
        let mut at = unit.clone();
        at.set(Level::ADDR, place / relayout.lanes());
        at.set(Level::W, place % relayout.lanes());
        self.cells.get(&numbered(self.drawing, &at)).copied()
    }
}

fn place(cell: &Cell) -> Location {
    cell.places.iter().map(|(level, span)| (*level, span.first)).collect()
}

/// The memory of a place, by its first unit, then the address and the lane.
fn numbered(drawing: &Drawing<'_>, place: &Location) -> Place {
    let at = |level: Level| place.get(level).unwrap_or(0);
    let levels = drawing.memory_levels().into_iter();
    let units = levels.map(|level| first_of(drawing, place, level));
    units.chain([at(Level::ADDR), at(Level::W)]).collect()
}

/// The coordinate of the first of the units that share the memory of a place.
fn first_of(drawing: &Drawing<'_>, place: &Location, level: Level) -> u64 {
    let at = place.get(level).unwrap_or(0);
    at - at % drawing.placement.units_per_memory(level)
}

fn index(cell: &Cell) -> Vec<u64> {
    cell.indexes.iter().map(|range| range.start).collect()
}

fn is_small(drawing: &Drawing<'_>) -> bool {
    let few = |sides: &[u64], most| product(sides.iter().copied()).is_some_and(|all| all <= most);
    let sides: Vec<u64> = drawing.ranges().iter().map(length).collect();
    let leading = &sides[..sides.len().saturating_sub(2)];
    drawing.is_small() && few(leading, to_u64(MOST_PANELS)) && few(&sides, MOST_CELLS)
}

/// The number of memories of the machine.
fn memories(drawing: &Drawing<'_>) -> Option<u64> {
    product(drawing.memory_sizes())
}

/// The units whose memories are drawn: all of them or, of very many, those that hold elements; `None` if these have
/// too many cells too.
fn units(drawing: &Drawing<'_>) -> Option<Vec<Location>> {
    let (words, lanes) = size(drawing);
    let fits = |units: u64| {
        let cells = units.checked_mul(words).and_then(|cells| cells.checked_mul(lanes));
        cells.is_some_and(|cells| cells <= MOST_CELLS)
    };
    if memories(drawing).is_some_and(fits) {
        return Some(drawing.memory_units());
    }
    let placement = drawing.placement;
    let copies = placement.layout().elements().checked_mul(placement.copies());
    copies.filter(|copies| *copies <= MOST_CELLS)?;
    let indexes = Indexes::new(placement.layout().shape());
    let places = indexes.flat_map(|index| placement.locate_all(&index).into_iter().flatten());
    let levels = drawing.memory_levels();
    let unit = |place: Location| -> Vec<u64> {
        levels.iter().map(|level| first_of(drawing, &place, *level)).collect()
    };
    let used: BTreeSet<Vec<u64>> = places.map(unit).collect();
    let named = |unit: &Vec<u64>| levels.iter().copied().zip(unit.iter().copied()).collect();
    fits(to_u64(used.len())).then(|| used.iter().map(named).collect())
}

/// The number of addresses of a memory and of lanes of an address.
fn size(drawing: &Drawing<'_>) -> (u64, u64) {
    let all = drawing.placement.with_copies();
    (all.span(Level::ADDR), all.extent(Level::W))
}

/// The memories of some units: for each a row or, of long ones, rows of 32 places.
fn whole_memories(drawing: &Drawing<'_>, units: &[Location]) -> Result<Panel, LayoutError> {
    let (words, lanes) = size(drawing);
    let levels = drawing.memory_levels();
    let has_all = memories(drawing) == Some(to_u64(units.len()));
    let per_row = (ROW / lanes).clamp(1, words.max(1));
    let columns = to_index(per_row * lanes);
    let (mut cells, mut row_ticks) = (Vec::new(), Vec::new());
    for unit in units {
        for first in (0..words).step_by(to_index(per_row)) {
            let name = unit_name(unit, &levels);
            row_ticks.push(match (levels.is_empty(), first) {
                (true, _) => first.to_string(),
                (false, 0) => name,
                (false, _) => format!("+{first}"),
            });
            for (word, lane) in (first..first + per_row).cartesian_product(0..lanes) {
                cells.push(match word < words {
                    true => Cell { label: String::new(), ..drawing.memory_cell(unit, word, lane)? },
                    false => Cell::default(),
                });
            }
        }
    }
    let column_ticks = (0..per_row).cartesian_product(0..lanes).map(|at| tick(at, lanes)).collect();
    Ok(Panel {
        caption: caption(&levels, has_all),
        cells,
        columns,
        row_ticks,
        column_ticks,
        ..Panel::default()
    })
}

/// Units without elements may be left out.
fn caption(levels: &[Level], has_all: bool) -> String {
    let which = if has_all { "" } else { " that holds elements" };
    match levels {
        [] => "addresses in rows".into(),
        levels => format!("a row per {}{which}, a column per address", levels.iter().join(".")),
    }
}
