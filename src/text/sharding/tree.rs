//! Parts that the shardings of all notations share.

use std::fmt;

use itertools::Itertools;

/// A mesh of devices: its axes with their sizes, major to minor, and the order of the devices.
///
/// ```
/// use tensor_layout::sharding::Mesh;
/// let mesh: Mesh = r#"sdy.mesh @m = <["x"=2, "y"=4]>"#.parse()?;
/// assert_eq!(mesh, "x=2,y=4".parse()?);
/// assert_eq!(mesh.to_string(), "mesh['x'=2,'y'=4]");
/// # Ok::<(), tensor_layout::ParseError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mesh {
    /// Names and sizes.
    pub axes: Vec<(String, u64)>,
    /// The device at each place of the mesh, places in row-major order; `None` for devices in the order of
    /// their numbers.
    pub devices: Option<TileDevices>,
}

/// An axis of a mesh, or a part of it.
///
/// `'x':(2)4` of an axis of 16 is the middle digit of 16 = 2 x 4 x 2.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MeshAxis {
    /// Its name.
    pub name: String,
    /// The product of the sizes before the part, and the size of the part.
    pub part: Option<(u64, u64)>,
}

/// The axes that cut one dimension of a tensor, major to minor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DimAxes {
    /// The axes.
    pub axes: Vec<MeshAxis>,
    /// `?`: a compiler may add axes.
    pub open: bool,
    /// `p1`: the order in which a compiler considers the dimension.
    pub priority: Option<u64>,
}

/// The parts of a sharding that refer to the axes of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct MeshDims {
    /// The axes of every dimension.
    pub dims: Vec<DimAxes>,
    /// Axes along which there are copies, and which no compiler may use.
    pub replicated: Vec<MeshAxis>,
    /// Axes along which devices hold partial results.
    pub unreduced: Vec<MeshAxis>,
    /// The reduction that combines partial results: `sum`, `max` or `min`.
    pub reduction: Option<String>,
    /// Axes along which the program itself decides the placement of the elements.
    pub manual: Vec<MeshAxis>,
}

impl MeshDims {
    /// The axes that are named, in dimensions and in lists.
    pub(super) fn all_axes(&self) -> impl Iterator<Item = &MeshAxis> {
        let lists = [&self.replicated, &self.unreduced, &self.manual];
        self.dims.iter().flat_map(|dim| &dim.axes).chain(lists.into_iter().flatten())
    }
}

/// The axes of a mesh in quotes: HLO uses `'`, Shardy `"`.
pub(super) struct Quoted<'a, T>(pub(super) &'a T, pub(super) char);

impl fmt::Display for Quoted<'_, MeshAxis> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quoted(MeshAxis { name, part }, quote) = self;
        write!(f, "{quote}{name}{quote}")?;
        part.map_or(Ok(()), |(pre, size)| write!(f, ":({pre}){size}"))
    }
}

impl fmt::Display for Quoted<'_, DimAxes> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quoted(DimAxes { axes, open, priority }, quote) = self;
        let axes = axes.iter().map(|axis| Quoted(axis, *quote).to_string());
        let parts = axes.chain(open.then(|| "?".to_owned()));
        write!(f, "{{{}}}", parts.collect_vec().join(", "))?;
        priority.map_or(Ok(()), |priority| write!(f, "p{priority}"))
    }
}

impl fmt::Display for Quoted<'_, MeshDims> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Quoted(MeshDims { dims, replicated, unreduced, reduction, manual }, quote) = self;
        write!(f, "[{}]", dims.iter().map(|dim| Quoted(dim, *quote)).join(", "))?;
        let list = |axes: &[MeshAxis]| axes.iter().map(|axis| Quoted(axis, *quote)).join(", ");
        if !replicated.is_empty() {
            write!(f, ", replicated={{{}}}", list(replicated))?;
        }
        if !unreduced.is_empty() {
            let reduction = reduction.as_deref().unwrap_or_default();
            write!(f, ", unreduced={reduction}{{{}}}", list(unreduced))?;
        }
        if !manual.is_empty() {
            write!(f, ", manual={{{}}}", list(manual))?;
        }
        Ok(())
    }
}

impl fmt::Display for Mesh {
    /// Writes the mesh as HLO does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let axes = self.axes.iter().map(|(name, size)| format!("'{name}'={size}"));
        write!(f, "mesh[{}]", axes.collect_vec().join(","))?;
        match &self.devices {
            None => Ok(()),
            Some(TileDevices::List(devices)) => {
                write!(f, ", device_ids=({})", devices.iter().join(","))
            }
            Some(TileDevices::Iota(dims, permutation)) => {
                write!(f, ", device_ids=({})", iota_text(dims, permutation))
            }
        }
    }
}

/// `[4,2]T(1,0)`, or `[8]`.
fn iota_text(dims: &[u64], permutation: &[u64]) -> String {
    let dims = dims.iter().join(",");
    match permutation.len() {
        0 | 1 => format!("[{dims}]"),
        _ => format!("[{dims}]T({})", permutation.iter().join(",")),
    }
}

/// The device of each tile, or of each place of a mesh; tiles and places are counted in row-major order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TileDevices {
    /// `<=[2,4]T(1,0)`, of a mesh `([2,4]T(1,0))`: the devices in row-major order of a shape, transposed.
    /// The transpose is empty for one number.
    Iota(Vec<u64>, Vec<u64>),
    /// One by one.
    List(Vec<u64>),
}

impl fmt::Display for TileDevices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TileDevices::List(devices) => write!(f, "{}", devices.iter().join(",")),
            TileDevices::Iota(dims, permutation) => {
                write!(f, "<={}", iota_text(dims, permutation))
            }
        }
    }
}
