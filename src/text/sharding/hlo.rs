//! HLO shardings: tiles and devices (V1, V2) or a named mesh (V3).

use std::fmt;
use std::str::FromStr;

use itertools::Itertools;
use pest::iterators::Pair;

use super::read::{self, Rule};
use super::tree::{Mesh, MeshDims, Quoted, TileDevices};
use crate::error::ParseError;
use crate::text::pairs::{children, span};
use crate::text::xla::before_member;

/// A sharding as HLO text writes it, in any of its three forms.
///
/// Law: `parse(print(x)) == x`.
///
/// ```
/// use tensor_layout::sharding::HloSharding;
/// let sharding: HloSharding = "{ devices=[2,1,4] <= [8] last_tile_dim_replicate }".parse()?;
/// assert_eq!(sharding.to_string(), "{devices=[2,1,4]<=[8] last_tile_dim_replicate}");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
///
/// Source: openxla/xla, `hlo_parser.cc`, ParseSharding and ParseMesh; `hlo_sharding.cc`, Print.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct HloSharding {
    pub(super) form: HloForm,
    /// The text after it: groups of shardings, metadata.
    rest: String,
}

/// The forms of a sharding in HLO text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum HloForm {
    /// One sharding for every array of a tuple, depth first.
    Tuple(Vec<HloSharding>),
    /// One word for the whole tensor.
    Whole(WholeKind),
    /// `{maximal device=3}`: one device holds the whole tensor.
    Maximal(u64),
    /// Tiles.
    Tiles {
        /// The number of tiles in each dimension, then the number of devices of each further kind.
        dims: Vec<u64>,
        /// The device of each tile.
        devices: TileDevices,
        /// The kinds of the trailing entries of `dims` that do not count tiles.
        last: Vec<SubgroupKind>,
        /// True if they are written as `last_tile_dim_replicate`.
        short: bool,
    },
    /// A word for the whole tensor, on a mesh.
    NamedWhole(Mesh, WholeKind),
    /// `{maximal_mesh[device_id=3]}`
    NamedMaximal(u64),
    /// Axes of a mesh for every dimension.
    Named(Mesh, MeshDims),
}

/// The words for a whole tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum WholeKind {
    Replicated,
    Manual,
    Unreduced,
    /// Not decided yet.
    Unknown,
}

impl WholeKind {
    /// The kind that a word names; `None` for `maximal`, which takes a device.
    fn of(word: &str) -> Option<WholeKind> {
        match word {
            "replicated" => Some(WholeKind::Replicated),
            "manual" => Some(WholeKind::Manual),
            "unreduced" => Some(WholeKind::Unreduced),
            "unknown" => Some(WholeKind::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for WholeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WholeKind::Replicated => "replicated",
            WholeKind::Manual => "manual",
            WholeKind::Unreduced => "unreduced",
            WholeKind::Unknown => "unknown",
        })
    }
}

impl HloSharding {
    pub(super) fn of(form: HloForm) -> HloSharding {
        HloSharding { form, rest: String::new() }
    }

    /// The shardings of the arrays of a tuple, depth first; `None` for the sharding of one array.
    #[must_use]
    pub fn members(&self) -> Option<&[HloSharding]> {
        match &self.form {
            HloForm::Tuple(members) => Some(members),
            _ => None,
        }
    }

    /// The mesh that it is written with.
    pub(super) fn mesh(&self) -> Option<&Mesh> {
        match &self.form {
            HloForm::Named(mesh, _) | HloForm::NamedWhole(mesh, _) => Some(mesh),
            _ => None,
        }
    }
}

/// The relation between devices that hold the same tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum SubgroupKind {
    /// One of them holds the tile.
    Maximal,
    /// The program itself decides the placement of the elements.
    Manual,
    /// Every device holds a partial result.
    Unreduced,
    /// Every device holds a copy.
    Replicated,
}

impl SubgroupKind {
    /// The word in HLO text.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            SubgroupKind::Maximal => "maximal",
            SubgroupKind::Manual => "manual",
            SubgroupKind::Unreduced => "unreduced",
            SubgroupKind::Replicated => "replicated",
        }
    }

    fn of(word: &str) -> SubgroupKind {
        match word {
            "maximal" => SubgroupKind::Maximal,
            "manual" => SubgroupKind::Manual,
            "unreduced" => SubgroupKind::Unreduced,
            _ => SubgroupKind::Replicated,
        }
    }
}

impl fmt::Display for SubgroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for HloSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{")?;
        match &self.form {
            HloForm::Tuple(members) => {
                for (at, member) in members.iter().enumerate() {
                    write!(f, "{}{member}", before_member(at))?;
                }
            }
            HloForm::Whole(kind) => write!(f, "{kind}")?,
            HloForm::Maximal(device) => write!(f, "maximal device={device}")?,
            HloForm::Tiles { dims, devices, last, short } => {
                write!(f, "devices=[{}]{devices}", dims.iter().join(","))?;
                match (short, last.is_empty()) {
                    (true, _) => write!(f, " last_tile_dim_replicate")?,
                    (false, false) => write!(f, " last_tile_dims={{{}}}", last.iter().join(", "))?,
                    (false, true) => {}
                }
            }
            HloForm::NamedWhole(mesh, kind) => write!(f, "{mesh}, {kind}")?,
            HloForm::NamedMaximal(device) => write!(f, "maximal_mesh[device_id={device}]")?,
            HloForm::Named(mesh, dims) => write!(f, "{mesh}, {}", Quoted(dims, '\''))?,
        }
        write!(f, "{}}}", self.rest)
    }
}

impl FromStr for HloSharding {
    type Err = ParseError;

    /// Parses an HLO sharding. Cost: linear in the text.
    ///
    /// Words that contradict each other are an error; XLA uses whichever it checks first.
    fn from_str(text: &str) -> Result<HloSharding, ParseError> {
        let first = read::parse(Rule::hlo_text, text)?.next();
        first.map_or(Ok(HloSharding::of(HloForm::Tuple(Vec::new()))), |pair| sharding(pair, text))
    }
}

fn sharding(pair: Pair<'_, Rule>, text: &str) -> Result<HloSharding, ParseError> {
    match pair.as_rule() {
        Rule::tuple => {
            let is_member = |p: &Pair<'_, Rule>| matches!(p.as_rule(), Rule::named | Rule::flat);
            let members = pair.into_inner().filter(is_member).map(|p| sharding(p, text));
            Ok(HloSharding::of(HloForm::Tuple(members.try_collect()?)))
        }
        Rule::named => named(pair, text),
        _ => flat(pair, text),
    }
}

fn named(pair: Pair<'_, Rule>, text: &str) -> Result<HloSharding, ParseError> {
    let (mut mesh, mut dims, mut kind, mut rest) = (None, MeshDims::default(), None, String::new());
    let mut maximal = None;
    let whole = span(&pair);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::maximal_mesh => maximal = Some(read::one_int(part, text)?),
            Rule::hlo_mesh => mesh = Some(read::mesh(part, text)?),
            Rule::kind => kind = Some(WholeKind::of(part.as_str())),
            Rule::metadata => rest = format!(", {}", part.as_str()),
            _ => read::mesh_dims(part, &mut dims, text)?,
        }
    }
    let mesh = mesh.unwrap_or_default();
    let form = match (maximal, kind) {
        (Some(device), _) => HloForm::NamedMaximal(device),
        (None, Some(None)) => {
            let message = "a whole tensor on one device is `{maximal_mesh[device_id=..]}`";
            return Err(ParseError::invalid(message, whole, text));
        }
        (None, Some(Some(kind))) => HloForm::NamedWhole(mesh, kind),
        (None, None) => HloForm::Named(mesh, dims),
    };
    Ok(HloSharding { form, rest })
}

/// The items of a flat sharding, each at most once.
#[derive(Default)]
struct ShardingItems {
    /// `replicated`, `unknown` and so on.
    word: Option<String>,
    device: Option<u64>,
    tiles: Option<(Vec<u64>, TileDevices)>,
    last: Option<(Vec<SubgroupKind>, bool)>,
    group: Option<String>,
    metadata: Option<String>,
}

fn flat(pair: Pair<'_, Rule>, text: &str) -> Result<HloSharding, ParseError> {
    let whole = span(&pair);
    let mut items = ShardingItems::default();
    for part in pair.into_inner() {
        items.take(part, text)?;
    }
    items.finish().map_err(|message| ParseError::invalid(message, whole, text))
}

impl ShardingItems {
    fn take(&mut self, part: Pair<'_, Rule>, text: &str) -> Result<(), ParseError> {
        let here = span(&part);
        let is_repeated = match part.as_rule() {
            Rule::kind | Rule::unknown => self.word.replace(part.as_str().to_owned()).is_some(),
            Rule::device => self.device.replace(read::one_int(part, text)?).is_some(),
            Rule::devices => self.tiles.replace(tiles(part, text)?).is_some(),
            Rule::last_tile_dim_replicate => {
                self.last.replace((vec![SubgroupKind::Replicated], true)).is_some()
            }
            Rule::last_tile_dims => {
                let kinds = children(part, Rule::kind).map(|p| SubgroupKind::of(p.as_str()));
                self.last.replace((kinds.collect(), false)).is_some()
            }
            Rule::shard_group => {
                let word = part.as_str().split_whitespace().join(" ");
                self.group.replace(format!(" {word}")).is_some()
            }
            Rule::metadata => self.metadata.replace(format!(" {}", part.as_str())).is_some(),
            _ => false,
        };
        if is_repeated {
            let message = "a sharding has one of each: this contradicts what comes before it";
            return Err(ParseError::invalid(message, here, text));
        }
        Ok(())
    }

    fn finish(self) -> Result<HloSharding, String> {
        let ShardingItems { word, device, tiles, last, group, metadata } = self;
        let rest = group.unwrap_or_default() + &metadata.unwrap_or_default();
        if let Some(other) = word.as_deref().filter(|_| tiles.is_some()) {
            return Err(format!("`{other}` and `devices=` contradict each other"));
        }
        if device.is_some() && word.as_deref() != Some("maximal") {
            return Err("`device=` belongs to `maximal`".into());
        }
        if last.is_some() && tiles.is_none() {
            return Err("the last tile dimensions need `devices=`".into());
        }
        let form = match (word.as_deref().map(WholeKind::of), device, tiles) {
            (_, _, Some((dims, devices))) => {
                let (last, short) = last.unwrap_or_default();
                HloForm::Tiles { dims, devices, last, short }
            }
            (Some(Some(kind)), ..) => HloForm::Whole(kind),
            (Some(None), Some(device), _) => HloForm::Maximal(device),
            (Some(None), None, _) => return Err("`maximal` needs `device=`".into()),
            (None, ..) => return Err("this does not say where the tensor is".into()),
        };
        Ok(HloSharding { form, rest })
    }
}

fn tiles(pair: Pair<'_, Rule>, text: &str) -> Result<(Vec<u64>, TileDevices), ParseError> {
    let (mut dims, mut devices) = (Vec::new(), TileDevices::List(Vec::new()));
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::square => dims = read::ints(part, text)?,
            Rule::list => devices = TileDevices::List(read::ints(part, text)?),
            Rule::iota => devices = read::iota_devices(part, text)?,
            _ => {}
        }
    }
    Ok((dims, devices))
}
