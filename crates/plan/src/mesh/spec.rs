//! The axes that cut a tensor.

use itertools::Itertools;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::grid::Mesh;
use crate::stablehlo::Dims;

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

    /// The spec that names the axes of each dimension.
    ///
    /// # Errors
    /// `Invalid` for an axis that the mesh lacks.
    pub fn named(dims: &[Vec<String>], mesh: &Mesh) -> Result<Spec, LayoutError> {
        let bit = |name: &String| {
            let axis = mesh.axes().iter().position(|(axis, _)| axis == name);
            axis.map(|axis| 1 << axis).ok_or_else(|| {
                let name = name.clone();
                fault!(
                    Invalid,
                    "a sharding of this program names axis `{name}`, which the mesh lacks",
                    [name]
                )
            })
        };
        let cut = |names: &Vec<String>| names.iter().try_fold(0, |cut, name| Ok(cut | bit(name)?));
        Ok(Spec(dims.iter().map(cut).collect::<Result<_, LayoutError>>()?))
    }

    /// The bytes that a device holds.
    #[must_use]
    pub fn bytes(&self, dims: &Dims, mesh: &Mesh) -> u64 {
        let parts =
            self.0.iter().zip(&dims.shape).map(|(cut, extent)| extent.div_ceil(mesh.size(*cut)));
        parts.fold(dims.element_bytes(), u64::saturating_mul)
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
