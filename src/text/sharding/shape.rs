//! A sharded shape: `bf16[4096,14336]{1,0:T(8,128)(2,1)}, sharding={devices=[4,1]<=[4]}`.

use std::fmt;
use std::str::FromStr;

use super::error::{list, no_mesh, other_rank, two_meshes};
use super::pieces::Pieces;
use super::value::{Sharding, ShardingKind};
use super::{Mesh, MeshDims, ShardingText, sharded_parts};
use crate::algebra::Layout;
use crate::error::{ErrorKind, LayoutError, ParseError, Span, fault};
use crate::machine::Machine;
use crate::text::kind::{Notation, NotationText, WrittenLayout};
use crate::text::xla::{XlaArray, XlaDim, XlaDtype, XlaParser, XlaShape};
use crate::words::counted;

/// A shape and its distribution over devices.
///
/// A sharding that only names its mesh, or its axes, needs the mesh before or after it: `f32[8],
/// sharding=P('x'), mesh=x=2,y=4`.
///
/// Dimensions are those of the whole tensor, unless `per_device` says otherwise; the layout is that of the shard. A whole HLO instruction is also accepted: the text
/// between the shape and `sharding=` is skipped.
///
/// ```
/// use tensor_layout::sharding::ShardedShape;
/// let text = "%p = f32[10,7]{1,0} parameter(0), sharding={devices=[2,4]<=[8]}";
/// let sharded: ShardedShape = text.parse()?;
/// assert_eq!(sharded.to_string(), "f32[10,7]{1,0}, sharding={devices=[2,4]<=[8]}");
/// let layout = sharded.lower()?;
/// assert_eq!(layout.locate(&[6, 3])?.to_string(), "Device=5,Addr=3");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ShardedShape {
    /// The array as written.
    pub array: XlaArray,
    /// The sharding as written.
    pub text: ShardingText,
    /// The mesh given beside the sharding, for one that only names its mesh or its axes.
    pub mesh: Option<Mesh>,
    /// True if the dimensions are those of one device, as in dumps after partitioning.
    pub per_device: bool,
}

impl fmt::Display for ShardedShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, sharding={}", self.array, self.text)?;
        // A spec is written without the mesh that it came with, unless the mesh has manual axes.
        let own = match &self.text {
            ShardingText::Jax(spec) if spec.manual_mesh().is_none() => spec.mesh.as_ref(),
            _ => None,
        };
        self.mesh.as_ref().or(own).map_or(Ok(()), |mesh| write!(f, ", mesh={mesh}"))
    }
}

impl ShardedShape {
    /// Parses a sharded shape; `xla` parses its shape.
    pub(crate) fn parse(text: &str, xla: XlaParser) -> Result<ShardedShape, ParseError> {
        let expected = || {
            let whole = Span::new(0, text.len());
            ParseError::expected("a shape, then `, sharding={..}`", whole, text)
        };
        let parts = sharded_parts(text).ok_or_else(expected)?;
        let ((shape_at, shape), (sharding_at, sharding)) = (parts.shape, parts.sharding);
        let moved = |error: ParseError, by: usize| error.within(text, by);
        let array = match xla.parse(shape).map_err(|error| moved(error, shape_at))? {
            XlaShape::Array(array) | XlaShape::Buffer(array) => array,
            _ => {
                let span = Span::new(shape_at, shape_at + shape.len());
                return Err(ParseError::invalid("a sharding belongs to one array", span, text));
            }
        };
        let text_of = sharding.parse().map_err(|error| moved(error, sharding_at))?;
        if let Some(at) = parts.stray {
            return Err(stray(text, at));
        }
        let mesh = parts.mesh.map(|(at, mesh)| mesh.parse().map_err(|error| moved(error, at)));
        Ok(ShardedShape { array, text: text_of, mesh: mesh.transpose()?, per_device: false })
    }

    /// The meaning of the sharding.
    ///
    /// # Errors
    /// As lowering the sharding.
    pub fn sharding(&self) -> Result<Sharding, LayoutError> {
        self.check_mesh()?;
        let extents = self.array.extents()?;
        match &self.text {
            ShardingText::Hlo(sharding) => {
                let lowered = sharding.lower()?;
                match (&lowered.kind, &self.mesh) {
                    // The mesh says how many devices have a copy.
                    (ShardingKind::Replicated(None), Some(mesh)) => {
                        Sharding::on_mesh(mesh, &MeshDims::default())
                    }
                    _ => Ok(lowered),
                }
            }
            ShardingText::Sdy(sharding) => {
                let (lowered, tiles) =
                    (sharding.lower(self.mesh.as_ref())?, sharding.dims.dims.len());
                match lowered.kind {
                    ShardingKind::Maximal(_) => Ok(lowered),
                    _ if tiles == extents.len() => Ok(lowered),
                    _ => Err(other_rank(tiles, extents.len())),
                }
            }
            ShardingText::Jax(spec) => spec.lower(self.mesh.as_ref(), extents.len()),
            ShardingText::Torch(_) if self.per_device => {
                Err(fault!(Missing, "cuts in turn need the extents of the whole tensor"))
            }
            ShardingText::Torch(placements) => {
                placements.lower(self.mesh.as_ref().ok_or_else(no_mesh)?, &extents)
            }
        }
    }

    /// The devices of every tile, and the pieces of every dimension that it consists of.
    pub(crate) fn held(&self) -> Result<(Sharding, Vec<Pieces>), LayoutError> {
        match (self.sharding(), &self.text, &self.mesh) {
            (Err(error), ShardingText::Torch(placements), Some(mesh))
                if error.kind() == ErrorKind::NoDigits =>
            {
                placements.in_turn(mesh, &self.array.extents()?)
            }
            (sharding, ..) => {
                let sharding = sharding?;
                let pieces = sharding.pieces(&self.extents()?)?;
                Ok((sharding, pieces))
            }
        }
    }

    /// Rejects a mesh given after a sharding that contradicts it: a mesh other than its own, or with another
    /// number of devices.
    fn check_mesh(&self) -> Result<(), LayoutError> {
        let Some(given) = &self.mesh else { return Ok(()) };
        let own = match &self.text {
            ShardingText::Hlo(sharding) if sharding.mesh().is_none() => {
                return check_devices(&sharding.lower()?, given);
            }
            ShardingText::Hlo(sharding) => sharding.mesh(),
            ShardingText::Sdy(sharding) => sharding.mesh.as_ref(),
            ShardingText::Jax(spec) => spec.mesh.as_ref(),
            ShardingText::Torch(_) => None,
        };
        own.filter(|own| *own != given).map_or(Ok(()), |own| {
            let own = if own.axes.is_empty() { "without axes".into() } else { own.to_string() };
            Err(two_meshes(own))
        })
    }

    /// The extents of the whole tensor.
    ///
    /// # Errors
    /// As [`sharding`](ShardedShape::sharding); extents beyond 64 bits.
    pub fn extents(&self) -> Result<Vec<u64>, LayoutError> {
        let shard = self.array.extents()?;
        if !self.per_device {
            return Ok(shard);
        }
        let tiles = self.sharding()?.tiles(shard.len())?;
        let whole = shard.iter().zip(&tiles).map(|(extent, tiles)| extent.checked_mul(*tiles));
        let whole: Option<Vec<u64>> = whole.collect();
        whole.ok_or_else(|| {
            fault!(
                TooLarge,
                "shards of ({shard}) in ({tiles}) tiles make extents that do not fit in 64 bits",
                [shard = list(&shard), tiles = list(&tiles)]
            )
        })
    }

    /// The array that every device holds: `ceil(extent / tiles)`, or the longest piece of successive cuts, laid out as
    /// written.
    ///
    /// # Errors
    /// As [`sharding`](ShardedShape::sharding).
    pub fn shard(&self) -> Result<XlaArray, LayoutError> {
        let (_, pieces) = self.held()?;
        let dims = pieces.iter().map(|pieces| XlaDim::Static(pieces.longest())).collect();
        Ok(XlaArray::new(self.array.dtype, dims, self.array.layout.clone()))
    }

    /// Returns the layout of the elements: the axes of the mesh, or `Device`, then the address in elements.
    ///
    /// # Errors
    /// As [`XlaArray::lower`] of the shard, and [`Sharding::layout`].
    pub fn lower(&self) -> Result<Layout, ParseError> {
        self.layout(None)
    }

    /// Returns the layout of the elements on a machine: its levels, then the address in elements.
    ///
    /// # Errors
    /// As [`lower`](ShardedShape::lower); a machine with fewer units than devices.
    pub fn lower_on(&self, machine: &Machine) -> Result<Layout, ParseError> {
        self.layout(Some(machine))
    }

    fn layout(&self, machine: Option<&Machine>) -> Result<Layout, ParseError> {
        self.array.validate()?;
        let refuse = |error| self.refuse(error);
        let (sharding, extents) =
            (self.sharding().map_err(refuse)?, self.extents().map_err(refuse)?);
        let shard = self.shard().map_err(refuse)?.lower()?;
        sharding.layout(&extents, &shard, machine).map_err(refuse)
    }

    /// The devices as a machine, as [`Sharding::machine`].
    ///
    /// # Errors
    /// As [`sharding`](ShardedShape::sharding).
    pub fn machine(&self) -> Result<Option<Machine>, ParseError> {
        let machine = self.sharding().and_then(|sharding| sharding.machine());
        machine.map_err(|error| self.refuse(error))
    }

    /// Wraps `error` in a [`ParseError`] that points at this text.
    pub fn refuse(&self, error: impl Into<LayoutError>) -> ParseError {
        ParseError::whole(error, &self.to_string())
    }
}

/// Rejects a mesh that lacks the one device of a sharding, or whose number of devices is not that of the
/// sharding.
fn check_devices(sharding: &Sharding, mesh: &Mesh) -> Result<(), LayoutError> {
    let given = mesh.len()?;
    match (&sharding.kind, mesh.maximal()) {
        (ShardingKind::Maximal(device), Some(only)) if *device != only => {
            let own = format!("maximal_mesh[device_id={device}]");
            Err(two_meshes(own))
        }
        (ShardingKind::Maximal(device), None) if *device >= given => Err(fault!(
            Invalid,
            "device {device} holds the tensor, but `mesh=` has only {given}",
            [device = *device, given = counted(given, "device")]
        )),
        _ => match sharding.devices().filter(|devices| *devices != given) {
            Some(devices) => Err(fault!(
                Invalid,
                "the sharding is for {devices}, but `mesh=` has {given}",
                [devices = counted(devices, "device"), given]
            )),
            None => Ok(()),
        },
    }
}

/// The error for text that is not an attribute of an instruction, or for one that there is already.
fn stray(text: &str, at: usize) -> ParseError {
    let span = Span::new(at, text.len());
    let rest = text.get(at..).unwrap_or_default().trim_start_matches([',', ' ']);
    match ["sharding=", "mesh="].into_iter().find(|key| rest.starts_with(key)) {
        Some(key) => ParseError::invalid(format!("`{key}` appears twice"), span, text),
        None => {
            let wanted =
                "`, mesh=..`, attributes of the instruction such as `, metadata={..}`, or the end";
            ParseError::expected(wanted, span, text)
        }
    }
}

impl FromStr for ShardedShape {
    type Err = ParseError;

    /// Parses a sharded shape, its shape strictly. Cost: linear in the text.
    fn from_str(text: &str) -> Result<ShardedShape, ParseError> {
        ShardedShape::parse(text, XlaParser::strict())
    }
}

impl NotationText for Box<ShardedShape> {
    fn is_likely(text: &str) -> bool {
        sharded_parts(text).is_some()
    }

    fn read(text: &str, xla: XlaParser) -> Result<Box<ShardedShape>, ParseError> {
        ShardedShape::parse(text, xla).map(Box::new)
    }

    fn write(
        _: &Layout,
        _: Option<&Box<ShardedShape>>,
        _: XlaDtype,
    ) -> Result<WrittenLayout, LayoutError> {
        Err(Notation::Sharded.cannot_express(fault!(
            Inexpressible,
            "it is a shape and a sharding; `Sharding::of_layout` reads the sharding"
        )))
    }

    fn xla_array(&self) -> Option<&XlaArray> {
        Some(&self.array)
    }
}
