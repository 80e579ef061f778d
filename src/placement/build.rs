//! The checks that make a layout a placement: sizes, lanes, capacity, elements that collide.

use std::sync::OnceLock;

use itertools::Itertools;

use super::{Placement, check_known};
use crate::algebra::Layout;
use crate::error::{ErrorKind, LayoutError, Site, fault};
use crate::level::Level;
use crate::machine::{Machine, MachineBuilder, Memory, WORD_BITS};
use crate::words::counted;

impl Placement {
    /// Starts the placement of another layout, such as that of a part, on the same machine and in the same
    /// memory; it may be oversized.
    pub(crate) fn builder_for(&self, layout: Layout) -> PlacementBuilder {
        PlacementBuilder {
            machine: self.machine.clone(),
            memory: self.memory().map(|(name, _)| name.into()),
            element_bits: self.element_bits,
            oversized: true,
            ..Placement::of(layout)
        }
    }

    /// Starts the placement of a layout.
    pub fn of(layout: Layout) -> PlacementBuilder {
        PlacementBuilder {
            layout,
            machine: None,
            memory: None,
            element_bits: None,
            base: 0,
            shared_places: false,
            oversized: false,
        }
    }
}

/// The settings of a [`Placement`]; [`build`](PlacementBuilder::build) checks them.
#[derive(Clone, Debug)]
#[must_use]
pub struct PlacementBuilder {
    pub(super) layout: Layout,
    pub(super) machine: Option<Machine>,
    pub(super) memory: Option<String>,
    pub(super) element_bits: Option<u64>,
    pub(super) base: u64,
    pub(super) shared_places: bool,
    pub(super) oversized: bool,
}

impl PlacementBuilder {
    /// Accepts a layout that exceeds the sizes of levels or the capacity of the memory, so that
    /// [`Placement::fits`] reports by how much.
    pub fn oversized(mut self) -> Self {
        self.oversized = true;
        self
    }

    /// Accepts a layout in which elements share places: a function that need not be injective, as in CuTe and
    /// NumPy.
    ///
    /// Without a machine, elements of such a layout can be located and reported, and tables can be made
    /// unless different elements give a derived axis the same value. Asking for the element at a place is an
    /// error if elements do share places.
    pub fn shared_places(mut self) -> Self {
        self.shared_places = true;
        self
    }

    /// Places the layout on a machine.
    pub fn on(mut self, machine: &Machine) -> Self {
        self.machine = Some(machine.clone());
        self
    }

    /// Chooses a memory of the machine, by name.
    pub fn memory(mut self, name: &str) -> Self {
        self.memory = Some(name.into());
        self
    }

    /// Sets the width of an element, so that lanes are known.
    pub fn element_bits(mut self, bits: u64) -> Self {
        self.element_bits = Some(bits);
        self
    }

    /// Sets the address of the first long word.
    pub fn base(mut self, base: u64) -> Self {
        self.base = base;
        self
    }

    /// Checks the layout against the machine, padding slots and [spans](Layout::span) included.
    ///
    /// Without a machine, levels and memory are not checked, because nothing is known about them. An index
    /// map, which lands in the axes `i0`, `i1`, .. as inverses do, is then a function whose elements may
    /// [share places](PlacementBuilder::shared_places).
    ///
    /// # Errors
    /// `Collision`, `NotDecided`, `TooLarge`; `Unknown` for a level or a memory that the machine lacks, `Limit`
    /// for places beyond a level, the memory or the long word, `Limit` for too many levels, `Uneven` for copies
    /// that do not line up with the groups of units that share a memory.
    pub fn build(self) -> Result<Placement, LayoutError> {
        let PlacementBuilder { layout, machine, memory, element_bits, base, .. } = self;
        let levels = layout.used_levels().len();
        if levels > Level::MOST && !layout.is_index_map() {
            return Err(fault!(
                Limit,
                "the layout uses {levels} levels, but a placement has at most {most}",
                [levels, most = Level::MOST]
            )
            .with_help(
                "leave out levels of size 1: a level that a layout does not name has copies",
            ));
        }
        let (shared_places, oversized) = (self.shared_places, self.oversized);
        let layout = layout.with_offset(Level::ADDR, base)?;
        let injective = OnceLock::new();
        let is_function = shared_places || layout.is_index_map();
        if !is_function || machine.is_some() {
            layout.check_injective()?;
            let _ = injective.set(Ok(()));
        }
        let word_bits = machine.as_ref().map_or(WORD_BITS, Machine::word_bits);
        let lanes = element_bits.map(|bits| check_lanes(&layout, word_bits, bits)).transpose()?;
        let named = |(machine, name): (&Machine, String)| machine.memory(&name).map(|m| (name, m));
        let memory = machine.as_ref().zip(memory).map(named).transpose()?;
        let (with_copies, columns) = match &machine {
            None => (layout.simplified(), layout.columns()),
            Some(machine) => {
                let fit = Check { layout: &layout, machine, memory: memory.as_ref() };
                fit.check(oversized)?;
                let with_copies = fit.with_copies(&fit.named()?, lanes)?.into_simplified();
                let columns = fit.columns(&with_copies);
                (with_copies, columns)
            }
        };
        Ok(Placement {
            layout,
            with_copies,
            machine,
            memory,
            element_bits,
            lanes,
            columns,
            injective,
            decoder: OnceLock::new(),
        })
    }
}

/// The first landing that takes the coordinate of `level` to `size` or beyond, and the greatest coordinate
/// of the layout there, its span included.
fn beyond(layout: &Layout, level: Level, size: u64) -> Option<(Site, u64)> {
    let reach = layout.span(level) - 1;
    if reach < size {
        return None;
    }
    let mut at = layout.offset(level);
    let landing = layout.landings_in(level).find(|landing| {
        at += (landing.size - 1) * landing.stride;
        at >= size
    });
    Some((landing.map_or(Site::Layout, |landing| landing.site), reach))
}

/// The number of elements in a long word; an error if the layout has lanes beyond it.
fn check_lanes(layout: &Layout, word_bits: u64, element_bits: u64) -> Result<u64, LayoutError> {
    let lanes = word_bits.checked_div(element_bits).unwrap_or(0);
    beyond(layout, Level::W, lanes).map_or(Ok(lanes), |(site, reach)| {
        Err(fault!(
            Limit,
            "a long word of {word_bits} bits has {lanes} of {element_bits} bits, but \
             {site} reaches lane {reach}",
            [word_bits, lanes = counted(lanes, "lane"), element_bits, site, reach]
        )
        .at(site)
        .with("capacity", lanes))
    })
}

impl Placement {
    /// Returns whether the layout exceeds the sizes of levels or the capacity of the memory.
    #[cfg(feature = "serde")]
    pub(super) fn is_oversized(&self) -> bool {
        let Placement { layout, memory, .. } = self;
        let exceeds =
            |machine| Check { layout, machine, memory: memory.as_ref() }.check(false).is_err();
        self.machine().is_some_and(exceeds)
    }
}

/// Checks that a machine has the levels and the units of a layout.
pub(crate) fn check_units(layout: &Layout, machine: &Machine) -> Result<(), LayoutError> {
    Check { layout, machine, memory: None }.check(false)
}

/// The checks of a layout on a machine.
struct Check<'a> {
    layout: &'a Layout,
    machine: &'a Machine,
    memory: Option<&'a (String, Memory)>,
}

impl Check<'_> {
    fn check(&self, oversized: bool) -> Result<(), LayoutError> {
        self.check_levels()?;
        if !oversized {
            self.check_sizes()?;
            self.check_capacity()?;
        }
        Ok(())
    }

    fn check_levels(&self) -> Result<(), LayoutError> {
        let mut used = self.layout.used_levels().iter();
        used.try_for_each(|level| self.check_level(*level, Site::Layout)).map_err(|refused| {
            // The error points at the first landing that causes it, if there is one.
            let mut landings = self.layout.landings();
            let first = landings.find_map(|l| self.check_level(l.level, l.site).err());
            first.unwrap_or(refused)
        })
    }

    /// Checks that the machine has the level, and that the chosen memory belongs to its units or to units
    /// below.
    fn check_level(&self, level: Level, site: Site) -> Result<(), LayoutError> {
        check_known(Some(self.machine), level, site)?;
        match self.memory {
            Some((memory, Memory { owner, .. }))
                if level.is_unit() && self.depth(level) > self.depth(*owner) =>
            {
                let (memory, owner) = (memory.clone(), *owner);
                Err(fault!(
                    Argument,
                    "level `{level}` is below the memory `{memory}`, which belongs to `{owner}`",
                    [level, memory, owner]
                )
                .at(site)
                .with_help("address the elements without `{level}`"))
            }
            _ => Ok(()),
        }
    }

    fn check_sizes(&self) -> Result<(), LayoutError> {
        for (level, size) in self.machine.levels() {
            if let Some((site, reach)) = beyond(self.layout, level, size) {
                let machine = self.machine.described();
                return Err(fault!(
                    Limit,
                    "level `{level}` of the {machine} has {size} units, but {site} reaches \
                     unit {reach}",
                    [level, machine, size, site, reach]
                )
                .at(site)
                .with_help(
                    "1 + the sum of (size - 1) x stride over `{level}` must be at most {size}",
                ));
            }
        }
        Ok(())
    }

    fn check_capacity(&self) -> Result<(), LayoutError> {
        let Some((memory, Memory { capacity: Some(capacity), .. })) = self.memory else {
            return Ok(());
        };
        beyond(self.layout, Level::ADDR, *capacity).map_or(Ok(()), |(site, reach)| {
            let (memory, capacity) = (memory.clone(), *capacity);
            Err(fault!(
                Limit,
                "memory `{memory}` holds {capacity} long words, but {site} reaches \
                 address {reach}",
                [memory, capacity, site, reach]
            )
            .at(site))
        })
    }

    fn depth(&self, level: Level) -> Option<usize> {
        self.machine.depth(level)
    }

    /// Returns whether the memory belongs to the units of a level or to units below, or nothing is known of
    /// it.
    fn is_above_memory(&self, level: Level) -> bool {
        self.memory.is_none_or(|(_, memory)| self.depth(level) <= self.depth(memory.owner))
    }

    /// Returns whether the chosen memory is above the leaves; an absent level is then unit 0.
    fn is_high_memory(&self) -> bool {
        let leaf = self.machine.levels().last().map(|(level, _)| level);
        self.memory.is_some_and(|(_, memory)| Some(memory.owner) != leaf || memory.group > 1)
    }

    /// The layout with each memory named by the first unit of its group; an error if elements coincide in
    /// the memory of a group.
    fn named(&self) -> Result<Layout, LayoutError> {
        match self.memory {
            Some((_, memory)) if memory.group > 1 => {
                let named = memory.named(self.layout)?;
                named.check_injective().map(|()| named)
            }
            _ => Ok(self.layout.clone()),
        }
    }

    /// The layout with its absent levels as replicas.
    fn with_copies(&self, layout: &Layout, lanes: Option<u64>) -> Result<Layout, LayoutError> {
        let used = |level: &Level| layout.uses(*level);
        let absent = self.machine.levels().filter(|(level, _)| !used(level));
        let mut absent = absent.filter(|(level, _)| self.is_above_memory(*level)).peekable();
        let lanes = lanes.filter(|lanes| *lanes > 1 && !used(&Level::W));
        let lanes = lanes.map(|lanes| (Level::W, lanes));
        if absent.peek().is_none() && lanes.is_none() {
            return Ok(layout.clone());
        }
        let mut builder = layout.to_builder();
        let is_high_memory = self.is_high_memory();
        for (level, size) in absent {
            builder = match is_high_memory {
                true => builder.used(level),
                false => builder.replica(size, level, 1),
            };
        }
        let builder = lanes.into_iter().fold(builder, |b, (level, n)| b.replica(n, level, 1));
        builder.build().map_err(|error| match error.kind() {
            ErrorKind::TooLarge => LayoutError::too_large(
                error.site(),
                "on this machine, the number of copies of all elements",
            ),
            _ => error,
        })
    }

    fn columns(&self, with_copies: &Layout) -> Vec<Level> {
        let used = |level: &Level| with_copies.uses(*level);
        let units = self.machine.levels().map(|(level, _)| level);
        let units = units.filter(|level| self.is_above_memory(*level));
        let time = [Level::TIME].into_iter().filter(used);
        let lane = [Level::W].into_iter().filter(used);
        time.chain(units).chain([Level::ADDR]).chain(lane).collect()
    }
}

impl Machine {
    /// Returns the smallest machine that has room for both layouts: the units that they name, in column
    /// order, as many of each as the layout that reaches farther needs. For layouts that name no units it is one
    /// unit, without levels.
    ///
    /// # Errors
    /// As [`MachineBuilder::build`](crate::machine::MachineBuilder::build).
    ///
    /// ```
    /// use tensor_layout::{Layout, Level, Machine};
    /// let (rows, columns): (Layout, Layout) = ("((8_PE, 4:1))".parse()?, "((4:8, 2_MAB, 4_PE))".parse()?);
    /// let machine = Machine::for_pair(&rows, &columns)?;
    /// assert_eq!([Level::MAB, Level::PE].map(|level| machine.size(level)), [Some(2), Some(8)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn for_pair(first: &Layout, second: &Layout) -> Result<Machine, LayoutError> {
        let named = [first, second].into_iter().flat_map(Layout::used_levels);
        let levels = named.copied().filter(|level| level.is_unit()).sorted().dedup().collect_vec();
        if levels.is_empty() {
            return Ok(Machine::one_unit());
        }
        let start = Machine::builder("inferred from the layouts");
        let add = |machine: MachineBuilder, level| {
            machine.level(level, first.extent(level).max(second.extent(level)))
        };
        levels.into_iter().fold(start, add).build()
    }
}
