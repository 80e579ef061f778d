//! The example of the guide, and arrays for it.

use tensor_layout::notation::Dtype;
use tensor_layout_npy::NpyHeader;
use tensor_layout_vectors::{
    TensorDirection, VectorData, VectorHeader, VectorWriter, npy_descr, write_vectors,
};

/// Lines in the format that users know.
pub(crate) const EXAMPLE: &str = "\
# ======= In(0): ((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))@LM0 / Float =======
d set $lm0n0c0p0 1 3DCCCCCD3FC00000 # values=[0.10000000149011612, 1.5] / Float @[0,0],[0,1]
d set $lm0n0c0p1 1 C010000040533333 # values=[-2.25, 3.299999952316284] / Float @[0,2],[0,3]
";

pub(crate) fn header(direction: TensorDirection, number: u64, layout: &str) -> VectorHeader {
    VectorHeader { direction, number, layout: layout.parse().unwrap() }
}

/// A `.npy` file of elements by their bits.
pub(crate) fn npy(descr: &str, shape: &[u64], bits: impl IntoIterator<Item = u64>) -> Vec<u8> {
    let width: usize = descr[2..].parse().unwrap();
    let mut file = Vec::new();
    NpyHeader { descr: descr.into(), shape: shape.into() }.write(&mut file).unwrap();
    file.extend(bits.into_iter().flat_map(|bits| bits.to_le_bytes()[..width].to_vec()));
    file
}

/// A tensor whose elements have these bits.
pub(crate) fn data(dtype: Dtype, shape: &[u64], bits: impl IntoIterator<Item = u64>) -> VectorData {
    let descr = if dtype == Dtype::Half { "<u2" } else { npy_descr(dtype) };
    VectorData::from_npy(dtype, &mut &npy(descr, shape, bits)[..]).unwrap()
}

pub(crate) fn floats(shape: &[u64], values: impl IntoIterator<Item = f32>) -> VectorData {
    data(Dtype::Float, shape, values.into_iter().map(|value| value.to_bits().into()))
}

pub(crate) fn file(tensors: &[VectorWriter]) -> String {
    let mut out = Vec::new();
    write_vectors(tensors, &mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

pub(crate) fn lines(tensor: &VectorWriter) -> String {
    let mut out = Vec::new();
    tensor.write_lines(&mut out, &mut |_| {}).unwrap();
    String::from_utf8(out).unwrap()
}

/// 256 x 16 numbers that begin with those of the example.
pub(crate) fn example_data() -> VectorData {
    let first = [0.1, 1.5, -2.25, 3.3];
    floats(&[256, 16], (0..4096).map(|at| first.get(at).copied().unwrap_or(at as f32)))
}

pub(crate) const EXAMPLE_LM: &str = "((4_L2B:2, 64:2), (2:1, 4_PE:1, 2_W:1))";

pub(crate) fn example() -> Vec<VectorWriter> {
    let writer = |direction, number, layout: &str, data| {
        VectorWriter::new(header(direction, number, layout), data).unwrap()
    };
    let vector = || floats(&[16], [1.5, 0.1].into_iter().chain((2..16).map(|at| at as f32)));
    let mut expected: Vec<f32> = vec![0.0, 1.0, -2.25, 3.3];
    expected.resize(16, 0.0);
    vec![
        writer(TensorDirection::In, 0, &format!("{EXAMPLE_LM}@LM0 / Float"), example_data()),
        writer(TensorDirection::In, 1, "((8:1, 2_W:1))@DRAM / Float", vector()).base(3),
        writer(TensorDirection::Out, 0, &format!("{EXAMPLE_LM}@LM1 / Float"), example_data()),
        writer(TensorDirection::Out, 1, "((8:1, 2_W:1))@DRAM / Float", floats(&[16], expected)),
    ]
}
