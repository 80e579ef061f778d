//! Meshes of devices.

use std::str::FromStr;

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

/// The most axes of a mesh.
const MOST: usize = 8;

/// Devices in a grid, with the rates that prices need.
///
/// # Example
/// ```
/// use tensor_layout_plan::mesh::Mesh;
/// let mesh: Mesh = "data=4,model=2".parse()?;
/// assert_eq!((mesh.devices(), mesh.size(0b10)), (8, 2));
/// # Ok::<(), tensor_layout::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    axes: Vec<(String, u64)>,
    /// What the compiler for these devices does with sums.
    pub backend: Backend,
    /// The rates.
    pub rates: MeshRates,
}

/// A compiler, by the collectives that it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// XLA for CPUs: a sum of which each device wants a part is an all-reduce.
    #[default]
    Cpu,
    /// XLA for GPUs and TPUs: a sum of which each device wants a part is a reduce-scatter.
    Accelerator,
}

/// The rates of a device, per second.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshRates {
    /// Operations on numbers.
    pub operations: u64,
    /// Bytes of its own memory.
    pub memory: u64,
    /// Bytes that it sends to the next device: one rate for all axes, or one for each.
    pub links: Vec<u64>,
    /// The picoseconds that a collective takes before its first byte.
    pub latency: u64,
}

impl Default for MeshRates {
    /// 10^14 operations, 10^12 bytes of memory, 10^11 bytes to the next device, a microsecond.
    fn default() -> MeshRates {
        MeshRates {
            operations: 100_000_000_000_000,
            memory: 1_000_000_000_000,
            links: vec![100_000_000_000],
            latency: 1_000_000,
        }
    }
}

impl Mesh {
    /// A mesh with the default rates.
    ///
    /// # Errors
    /// `Invalid` for no axis, two of one name, and an axis without devices; `TooLarge` for more than 8 axes, and for more devices
    /// than 2^32.
    pub fn new(axes: Vec<(String, u64)>) -> Result<Mesh, LayoutError> {
        if axes.is_empty() {
            return Err(fault!(Invalid, "a mesh has at least one axis, as in x=8", []));
        }
        for (at, (name, size)) in axes.iter().enumerate() {
            if axes[..at].iter().any(|(other, _)| other == name) {
                let name = name.clone();
                return Err(fault!(Invalid, "two axes of this mesh are called `{name}`", [name]));
            }
            if *size == 0 {
                let name = name.clone();
                return Err(fault!(Invalid, "axis `{name}` of this mesh has no device", [name]));
            }
        }
        let devices = axes.iter().try_fold(1_u64, |all, (_, size)| all.checked_mul(*size));
        if axes.len() > MOST || devices.is_none_or(|all| all > 1 << 32) {
            return Err(fault!(
                TooLarge,
                "a mesh has at most {MOST} axes and 2^32 devices",
                [MOST]
            ));
        }
        Ok(Mesh { axes, backend: Backend::default(), rates: MeshRates::default() })
    }

    /// The names and sizes of the axes, outermost first.
    #[must_use]
    pub fn axes(&self) -> &[(String, u64)] {
        &self.axes
    }

    /// The number of devices.
    #[must_use]
    pub fn devices(&self) -> u64 {
        self.size(u8::MAX)
    }

    /// The number of devices along some axes, a bit for each.
    #[must_use]
    pub fn size(&self, axes: u8) -> u64 {
        self.of(axes).map(|(_, (_, size))| size).product()
    }

    /// The names of some axes.
    pub(super) fn names(&self, axes: u8) -> impl Iterator<Item = &str> {
        self.of(axes).map(|(_, (name, _))| &**name)
    }

    fn of(&self, axes: u8) -> impl Iterator<Item = (usize, &(String, u64))> {
        self.axes.iter().enumerate().filter(move |(at, _)| axes >> at & 1 == 1)
    }

    /// The picoseconds in which each device of a ring along some axes sends bytes.
    pub(super) fn sending(&self, axes: u8, bytes: u64) -> u64 {
        let links = &self.rates.links;
        let link = |at: usize| links.get(at).or(links.last()).copied().unwrap_or(1);
        let slowest = self.of(axes).map(|(at, _)| link(at)).min().unwrap_or(1);
        self.rates.latency.saturating_add(picoseconds(bytes, slowest))
    }

    /// The picoseconds of an operation that takes so many steps and so many bytes of memory.
    pub(super) fn computing(&self, steps: u64, bytes: u64) -> u64 {
        picoseconds(steps, self.rates.operations).max(picoseconds(bytes, self.rates.memory))
    }
}

impl Mesh {
    /// Takes rates from a text: `operations=2e14,memory=1e12,links=5e10,model=4e11,latency=500`, in operations and bytes per
    /// second and nanoseconds. The name of an axis is the rate of its links, and `links` that of the links of all other axes.
    ///
    /// # Errors
    /// `Invalid` for other names, for a name that is there twice, and for values that are not numbers from 1 to 2^64 - 1.
    pub fn set_rates(&mut self, text: &str) -> Result<(), LayoutError> {
        let mut given: Vec<(&str, u64)> = text.split(',').map(named_rate).try_collect()?;
        if let Some(name) = given.iter().map(|(name, _)| *name).duplicates().next() {
            let name = name.to_owned();
            return Err(fault!(Invalid, "`{name}` has two rates", [name]));
        }
        // The rate of all links holds for the axes that have none of their own, wherever it stands.
        given.sort_by_key(|(name, _)| *name != "links");
        for (name, number) in given {
            let axis = self.axes.iter().position(|(axis, _)| axis == name);
            match (name, axis) {
                ("operations", None) => self.rates.operations = number,
                ("memory", None) => self.rates.memory = number,
                ("latency", None) => self.rates.latency = number.saturating_mul(1000),
                ("links", None) => self.rates.links = vec![number],
                (_, Some(axis)) => {
                    let last = self.rates.links.last().copied().unwrap_or(number);
                    self.rates.links.resize(self.axes.len(), last);
                    self.rates.links[axis] = number;
                }
                _ => {
                    let name = name.to_owned();
                    return Err(fault!(
                        Invalid,
                        "`{name}` is neither an axis nor `operations`, `memory`, `links` or `latency`",
                        [name]
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A name and its rate, as `links=5e10`.
fn named_rate(part: &str) -> Result<(&str, u64), LayoutError> {
    let (name, number) = part.split_once('=').unwrap_or((part, ""));
    let number = rate(number.trim()).ok_or_else(|| {
        let part = part.to_owned();
        fault!(
            Invalid,
            "`{part}` is not a rate: expected a name and a number, as in links=5e10",
            [part]
        )
    })?;
    Ok((name.trim(), number))
}

/// A whole number, as `25` or `25e9`.
fn rate(text: &str) -> Option<u64> {
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let number: u64 = digits.parse().ok()?;
    let rate = 10_u64.checked_pow(exponent.parse().ok()?)?.checked_mul(number)?;
    (rate > 0).then_some(rate)
}

/// The picoseconds of a number of things at a rate, rounded up.
fn picoseconds(count: u64, rate: u64) -> u64 {
    let all = (u128::from(count) * 1_000_000_000_000).div_ceil(u128::from(rate.max(1)));
    u64::try_from(all).unwrap_or(u64::MAX)
}

impl FromStr for Mesh {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Mesh, LayoutError> {
        let axis = |part: &str| {
            let (name, size) = part.split_once('=')?;
            let name = Some(name.trim()).filter(|name| !name.is_empty())?;
            Some((name.to_owned(), size.trim().parse().ok()?))
        };
        let axes: Option<_> = text.split(',').map(axis).collect();
        let error = || {
            let text = text.to_owned();
            fault!(
                Invalid,
                "`{text}` is not a mesh: expected names and sizes, as in x=4,y=2",
                [text]
            )
        };
        Mesh::new(axes.ok_or_else(error)?)
    }
}
