//! PadLayout to layout, with elided strides resolved and replicas distinguished.

use std::str::FromStr;

use itertools::Itertools;

use super::write::MapText;
use super::{PadLayout, ReplicaText, SubaxisText};
use crate::algebra::{Layout, Subaxis, product};
use crate::error::{LayoutError, ParseError, Site, fault};
use crate::level::Level;
use crate::machine::Machine;
use crate::placement::check_known;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::mlir::{Memref, MemrefKind, affine_map, is_affine_map};
use crate::text::xla::{XlaDtype, XlaParser};
use crate::words::cut;

impl PadLayout {
    /// Returns the layout that the text describes.
    ///
    /// A stride may be elided where its level occurs once; without a shape the logical extents
    /// are the products of the sizes. Bare replicas have no effect here: unused levels are replicated anyway.
    /// Law: no text gives a layout that puts two real elements in one place.
    /// Cost: as [`Layout::collision`].
    ///
    /// # Errors
    /// A [`ParseError`] of kind [`Meaning`](crate::error::ParseErrorKind::Meaning) that points at the invalid
    /// part: `Invalid`, `Shape`, `Collision`, `NotDecided`, and all errors of
    /// [`LayoutBuilder::build`](crate::algebra::LayoutBuilder::build).
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::PadLayout;
    /// let text: PadLayout = "((2_PE, 6:4), (2_PE, 4:1))".parse()?;
    /// let error = text.lower().unwrap_err();
    /// assert!(error.to_string().starts_with("level `PE` occurs more than once"));
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.to_layout().map_err(|error| self.refuse(error))
    }

    /// Returns the layout that the text describes on a machine, which must have the levels of bare replicas.
    /// The levels that the layout uses are checked when it is [placed](crate::Placement).
    ///
    /// # Errors
    /// As [`lower`](PadLayout::lower), and `Unknown`.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::{Machine, notation::PadLayout};
    /// let text: PadLayout = "((4:1); B@[PEE])".parse()?;
    /// assert!(text.lower().is_ok());
    /// let refused = text.lower_on(&Machine::mn_core()).unwrap_err();
    /// assert_eq!(refused.help(), Some("did you mean `PE`?"));
    /// # Ok::<(), tensor_layout::ParseError>(())
    /// ```
    pub fn lower_on(&self, machine: &Machine) -> Result<Layout, ParseError> {
        let layout = self.lower()?;
        let mut replicas = self.broadcast.iter().enumerate();
        let known = replicas.try_for_each(|(at, replica)| match replica {
            ReplicaText::Bare(level) => check_known(Some(machine), *level, Site::Replica(at)),
            ReplicaText::Sized { .. } => Ok(()),
        });
        known.map_err(|error| self.refuse(error)).map(|()| layout)
    }

    /// Fills in the missing address strides so that the slots of a unit are row-major.
    ///
    /// If any address stride is written, "row-major" is undefined for the others, and the tree is returned
    /// unchanged.
    ///
    /// # Errors
    /// `TooLarge` where a stride does not fit in 64 bits.
    ///
    /// # Example
    /// ```
    /// use tensor_layout::notation::PadLayout;
    /// let incomplete: PadLayout = "((4_PE, 3), (8))".parse()?;
    /// assert_eq!(incomplete.row_major()?.to_string(), "((4_PE, 3:8), (8:1))");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn row_major(&self) -> Result<PadLayout, LayoutError> {
        let mut filled = self.clone();
        let is_address = |s: &&SubaxisText| s.level.unwrap_or(Level::ADDR) == Level::ADDR;
        let mut addresses = self.axes.iter().flat_map(|axis| &axis.subaxes).filter(is_address);
        if addresses.any(|subaxis| subaxis.stride.is_some()) {
            return Ok(filled);
        }
        let mut stride = Some(1_u64);
        for (number, axis) in filled.axes.iter_mut().enumerate().rev() {
            for (at, subaxis) in axis.subaxes.iter_mut().enumerate().rev() {
                if subaxis.level.unwrap_or(Level::ADDR) == Level::ADDR {
                    let site = Site::Subaxis(number, at);
                    let step = stride.ok_or_else(|| LayoutError::too_large(site, "the stride"))?;
                    subaxis.stride = Some(step);
                    stride = step.checked_mul(subaxis.size.max(1));
                }
            }
        }
        // The text that was written no longer matches the tree.
        filled.source = Default::default();
        Ok(filled)
    }

    /// Sets the logical extents, where the text leaves them to the caller.
    ///
    /// # Errors
    /// `Shape` where the text has another shape.
    pub fn with_shape(mut self, shape: Vec<u64>) -> Result<PadLayout, ParseError> {
        match &self.shape {
            Some(written) if *written != shape => {
                let (given, written) = (shape.iter().join(","), written.iter().join(","));
                Err(self.refuse(
                    fault!(
                        Shape,
                        "the shape ({given}) is not the shape ({written}) in the text",
                        [given, written]
                    )
                    .at(Site::Shape),
                ))
            }
            _ => {
                self.shape = Some(shape);
                Ok(self)
            }
        }
    }

    fn to_layout(&self) -> Result<Layout, LayoutError> {
        let extents = self.extents()?;
        let occurrences = Occurrences::of(self);
        let mut builder = Layout::builder();
        for (number, (axis, extent)) in self.axes.iter().zip(extents).enumerate() {
            let landing = |(at, text): (usize, &SubaxisText)| {
                let (size, level) = (text.size, text.level.unwrap_or(Level::ADDR));
                let site = Site::Subaxis(number, at);
                let elided = || self.elided(size, level, site, &occurrences);
                Ok(Subaxis::land(size, level, text.stride.map_or_else(elided, Ok)?))
            };
            let subaxes: Vec<Subaxis> =
                axis.subaxes.iter().enumerate().map(landing).collect::<Result<_, LayoutError>>()?;
            builder = builder.axis(extent, subaxes);
        }
        for (at, replica) in self.broadcast.iter().enumerate() {
            let site = Site::Replica(at);
            let ReplicaText::Sized { size, level, stride } = *replica else {
                self.check_bare(replica.level(), site, &occurrences)?;
                continue;
            };
            let elided = || self.elided(size, level, site, &occurrences);
            builder = builder.replica(size, level, stride.map_or_else(elided, Ok)?);
        }
        let layout = builder.build()?;
        layout.check_injective()?;
        Ok(layout)
    }

    /// The logical extents: as written, or the products of the sizes.
    fn extents(&self) -> Result<Vec<u64>, LayoutError> {
        let axes = self.axes.len();
        match &self.shape {
            Some(shape) if shape.len() != axes => {
                Err(LayoutError::rank_mismatch(shape.len(), axes))
            }
            Some(shape) => Ok(shape.clone()),
            None => (0..axes).map(|axis| self.slots(axis)).collect(),
        }
    }

    fn slots(&self, axis: usize) -> Result<u64, LayoutError> {
        let sizes = self.axes[axis].subaxes.iter().map(|subaxis| subaxis.size);
        let too_large = || LayoutError::too_large(Site::Axis(axis), "the product of the sizes");
        product(sizes).ok_or_else(too_large)
    }

    /// The stride of a level that was written without one.
    fn elided(
        &self,
        size: u64,
        level: Level,
        site: Site,
        occurrences: &Occurrences,
    ) -> Result<u64, LayoutError> {
        match occurrences.other(level, site) {
            _ if size == 1 => Ok(1),
            _ if level == Level::ADDR => Err(self.address_without_stride(site)),
            None => Ok(1),
            Some(other) => Err(level_without_stride(level, site, other)),
        }
    }

    /// The refusal of an address without a stride, with the layout that has row-major strides, if that has all of them.
    fn address_without_stride(&self, site: Site) -> LayoutError {
        // Filling in the strides of subaxes does not help a replica.
        let is_replica = matches!(site, Site::Replica(_));
        let row_major = self.row_major().ok().filter(|filled| !is_replica && filled != self);
        let error =
            fault!(Invalid, "the layout is incomplete: an address subaxis or copy lacks a stride",);
        match row_major.map(|filled| filled.to_string()) {
            Some(text) => {
                error.with_advice(Some(format!("with row-major strides: {}", cut(&text, 200))))
            }
            None => error.with_help(
                "give every subaxis and copy in `Addr` a stride, as in `8:1` and `B@[2_Addr:8]`",
            ),
        }
        .at(site)
    }

    fn check_bare(
        &self,
        level: Level,
        site: Site,
        occurrences: &Occurrences,
    ) -> Result<(), LayoutError> {
        let cannot_appear = || {
            fault!(Invalid, "level `{level}` cannot appear here in `B@[..]`", [level])
                .at(site)
                .with_help(
                    "name each level once; copies at other addresses need a size and a stride, as \
                     in `B@[2_Addr:8]`",
                )
        };
        if level == Level::ADDR {
            return Err(cannot_appear());
        }
        match occurrences.other(level, site) {
            None => Ok(()),
            Some(Site::Replica(_)) => Err(cannot_appear()),
            Some(_) => Err(fault!(
                Invalid,
                "level `{level}` cannot be replicated: a subaxis uses it",
                [level]
            )
            .at(site)
            .with_help(
                "a level used in part has holes, not copies; partial replication has a \
                 size, as in `B@[2_{level}:1]`",
            )),
        }
    }
}

/// The refusal of a level without a stride that another part has, too.
fn level_without_stride(level: Level, site: Site, other: Site) -> LayoutError {
    let help = match (site, other) {
        (Site::Replica(_), _) | (_, Site::Replica(_)) => {
            "`B@[{level}]` is for a level that no subaxis uses; remove it, or write how many copies there are \
             and how far apart, as in `B@[2_{level}:1]`"
        }
        _ => "give every `{level}` its stride, such as `2_{level}:2` here and `2_{level}:1` there",
    };
    fault!(Invalid, "level `{level}` occurs more than once, and this one lacks a stride", [level])
        .at(site)
        .beside(other)
        .with_help(help)
}

/// The places at which each level is named, sorted by level and then by place.
struct Occurrences(Vec<(Level, usize, Site)>);

impl Occurrences {
    fn of(text: &PadLayout) -> Occurrences {
        let axes = text.axes.iter().enumerate().flat_map(|(axis, of)| {
            let subaxes = of.subaxes.iter().enumerate();
            subaxes.map(move |(at, s)| (s.level.unwrap_or(Level::ADDR), Site::Subaxis(axis, at)))
        });
        let replicas =
            text.broadcast.iter().enumerate().map(|(at, r)| (r.level(), Site::Replica(at)));
        let all = axes.chain(replicas).filter(|(level, _)| *level != Level::ADDR).enumerate();
        Occurrences(
            all.map(|(order, (level, site))| (level, order, site))
                .sorted_unstable_by_key(|o| (o.0, o.1))
                .collect(),
        )
    }

    /// The first occurrence of `level` that is not at `site`.
    fn other(&self, level: Level, site: Site) -> Option<Site> {
        let start = self.0.partition_point(|(of, ..)| *of < level);
        let of_level = self.0[start..].iter().take_while(|(of, ..)| *of == level);
        of_level.map(|(.., at)| *at).find(|at| *at != site)
    }
}

impl FromStr for Layout {
    type Err = ParseError;

    /// Parses a PadLayout and lowers it; a memory suffix is ignored. [`LayoutText`](crate::LayoutText) reads all notations.
    fn from_str(text: &str) -> Result<Layout, ParseError> {
        let read = text.parse::<PadLayout>().map_err(|error| match Notation::of(text) {
            Notation::PadLayout => error,
            other => error.with_help(format!(
                "only a PadLayout parses as a `Layout`; parse {} as a `LayoutText` and `lower` it",
                other.in_messages()
            )),
        });
        read?.lower()
    }
}

impl NotationText for PadLayout {
    /// Text in no other notation.
    fn is_likely(_: &str) -> bool {
        true
    }

    fn read(text: &str, _: XlaParser) -> Result<PadLayout, ParseError> {
        let layout = match MemrefKind::of(text) {
            Some(_) => Memref::read(text)?.mapped()?,
            None if is_affine_map(text) => affine_map(text)?,
            None => return text.parse(),
        };
        PadLayout::of(&layout).map_err(|error| ParseError::whole(error, text))
    }

    fn write(
        layout: &Layout,
        like: Option<&PadLayout>,
        _: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        let MapText { mut text, said } = layout.closest_pad_layout()?;
        if let Some(tree) = like {
            let still = |level| !layout.used_levels().contains(&level);
            let bare = tree
                .broadcast
                .iter()
                .filter(|entry| matches!(entry, ReplicaText::Bare(level) if still(*level)));
            text.broadcast.extend(bare);
            text = PadLayout { memory: tree.memory, dtype: tree.dtype, ..text };
        }
        Ok(WrittenLayout { text: text.to_string(), note: said.unread_note(), layout: said })
    }

    fn xla_dtype(&self) -> Option<XlaDtype> {
        XlaDtype::from_name(self.dtype?.xla_name())
    }

    fn beyond_the_map(&self, other: Notation) -> Vec<String> {
        suffix(self, other == Notation::Xla)
    }
}

/// The parts of a PadLayout that are not in its map.
fn suffix(tree: &PadLayout, names_types: bool) -> Vec<String> {
    let memory = tree.memory.map(|memory| format!("@{}", memory.name()));
    let dtype = tree.dtype.filter(|_| !names_types).map(|dtype| format!("/ {dtype}"));
    let bare = tree.broadcast.iter().filter_map(|entry| match entry {
        ReplicaText::Bare(level) => Some(format!("B@[{level}]")),
        ReplicaText::Sized { .. } => None,
    });
    memory.into_iter().chain(dtype).chain(bare).collect()
}
