//! The axes that cut a tensor.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;
use tensor_layout::sharding::{MeshAxis, MeshDims, Placements, TorchPlacement};

use super::grid::Mesh;
use crate::program::Dims;

/// The axes of a mesh that cut each dimension of a tensor, a bit for each axis. Several axes of one dimension are in the order
/// of the mesh, the outermost first. On axes that cut nothing, devices hold copies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spec(pub Vec<u8>);

impl Spec {
    /// A tensor that is whole on every device.
    #[must_use]
    pub fn whole(rank: usize) -> Spec {
        Spec(vec![0; rank])
    }

    /// Returns whether it is what a sharding says: the axes of each dimension and, of an open one, perhaps more.
    ///
    /// # Errors
    /// `Invalid` for an axis that the mesh lacks, `Unsupported` for parts of axes, partial sums, and axes in another order than
    /// that of the mesh.
    pub(super) fn is_said(&self, said: &MeshDims, mesh: &Mesh) -> Result<bool, LayoutError> {
        if !said.unreduced.is_empty() || !said.manual.is_empty() {
            let said = said.unreduced.iter().chain(&said.manual).map(|axis| &axis.name).join(", ");
            return Err(fault!(
                Unsupported,
                "a sharding of this program leaves {said} to the program itself (`unreduced`, `manual`), which is not planned",
                [said]
            ));
        }
        let copied = axes_of(&said.replicated, mesh)?;
        let mut is_said = self.0.len() == said.dims.len() && self.axes() & copied == 0;
        for (cut, dim) in self.0.iter().zip(&said.dims) {
            let axes = axes_of(&dim.axes, mesh)?;
            is_said &= if dim.open { cut & axes == axes } else { *cut == axes };
        }
        Ok(is_said)
    }

    /// The bytes that a device holds.
    #[must_use]
    pub fn bytes(&self, dims: &Dims, mesh: &Mesh) -> u64 {
        let parts =
            self.0.iter().zip(&dims.shape).map(|(cut, extent)| extent.div_ceil(mesh.size(*cut)));
        dims.bytes_of(parts.fold(1, u64::saturating_mul))
    }

    /// All axes that cut something.
    #[must_use]
    pub fn axes(&self) -> u8 {
        self.0.iter().fold(0, |all, cut| all | cut)
    }

    /// As JAX writes it: `P('x', None, ('y', 'z'))`.
    #[must_use]
    pub fn partition_spec(&self, mesh: &Mesh) -> String {
        let dim = |cut: &u8| {
            let names = mesh.names(*cut).map(|name| format!("'{name}'")).collect_vec();
            match &names[..] {
                [] => "None".to_owned(),
                [name] => name.clone(),
                _ => format!("({})", names.join(", ")),
            }
        };
        let kept = self.0.iter().rposition(|cut| *cut != 0).map_or(0, |last| last + 1);
        format!("P({})", self.0[..kept].iter().map(dim).join(", "))
    }

    /// As PyTorch's `DTensor` has it: a placement for each axis of the mesh.
    #[must_use]
    pub fn placements(&self, mesh: &Mesh) -> Placements {
        let placement = |axis: usize| {
            let dim = self.0.iter().position(|cut| cut >> axis & 1 == 1);
            dim.and_then(|dim| i64::try_from(dim).ok())
                .map_or(TorchPlacement::Replicate, TorchPlacement::Shard)
        };
        Placements { placements: (0..mesh.axes().len()).map(placement).collect() }
    }

    /// All ways to cut a tensor into equal parts.
    pub(super) fn all(shape: &[u64], mesh: &Mesh) -> Vec<Spec> {
        let mut all = vec![Spec::whole(shape.len())];
        for axis in 0..mesh.axes().len() {
            let more = all.iter().flat_map(|spec| {
                (0..shape.len()).filter_map(|dim| spec.cut(dim, axis, shape[dim], mesh))
            });
            all.extend(more.collect_vec());
        }
        all
    }

    fn cut(&self, dim: usize, axis: usize, extent: u64, mesh: &Mesh) -> Option<Spec> {
        let mut spec = self.clone();
        spec.0[dim] |= 1 << axis;
        (mesh.size(1 << axis) > 1 && extent.is_multiple_of(mesh.size(spec.0[dim]))).then_some(spec)
    }
}

/// Axes that a sharding names, a bit for each.
fn axes_of(named: &[MeshAxis], mesh: &Mesh) -> Result<u8, LayoutError> {
    let place = |of: &MeshAxis| {
        let name = of.name.clone();
        if of.part.is_some() {
            return Err(fault!(
                Unsupported,
                "a sharding of this program cuts by a part of axis `{name}`",
                [name]
            ));
        }
        mesh.axes().iter().position(|(axis, _)| *axis == name).ok_or_else(|| {
            fault!(
                Invalid,
                "a sharding of this program names axis `{name}`, which the mesh lacks",
                [name]
            )
        })
    };
    let places: Vec<usize> = named.iter().map(place).try_collect()?;
    if !places.is_sorted() {
        let names = named.iter().map(|axis| &axis.name).join(", ");
        return Err(fault!(
            Unsupported,
            "a sharding of this program has axes in the order {names}: give the mesh in this order",
            [names]
        ));
    }
    Ok(places.iter().fold(0, |all, place| all | 1 << place))
}
