//! The tile that an encoding alone covers, hardware bit by hardware bit, and its extension to a larger or
//! smaller tensor.
//!
//! ```text
//! nvidia_mma 2      register (0,1) (8,0)    lane (0,2) (0,4) (1,0) (2,0) (4,0)     16 x 8
//! on 32 x 8         register (0,1) (8,0) (16,0)    registers cover the rest of the tensor
//! on 16 x 4         lane (0,2) 0 (1,0) (2,0) (4,0)    a bit beyond the tensor is a copy
//! ```

use super::LinearLayout;

/// The index that a bit of the hardware maps to; all 0 for a copy.
pub(super) type Basis = Vec<u64>;

/// The inputs of a distributed encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Register,
    Lane,
    Warp,
    Block,
}

impl Input {
    const fn number(self) -> usize {
        match self {
            Input::Register => 0,
            Input::Lane => 1,
            Input::Warp => 2,
            Input::Block => 3,
        }
    }

    /// Every input with the name that Triton gives it.
    pub(super) const ALL: [(Input, &'static str); 4] = [
        (Input::Register, "register"),
        (Input::Lane, "lane"),
        (Input::Warp, "warp"),
        (Input::Block, "block"),
    ];
}

/// Bases per input, and how far they reach.
#[derive(Clone, Debug)]
pub(super) struct TritonTile {
    /// 1 + the greatest index, per dimension; a power of two.
    size: Vec<u64>,
    bases: [Vec<Basis>; 4],
}

impl TritonTile {
    pub(super) fn new(rank: usize) -> TritonTile {
        TritonTile { size: vec![1; rank], bases: Default::default() }
    }

    pub(super) fn bases(&self, input: Input) -> &[Basis] {
        &self.bases[input.number()]
    }

    pub(super) fn bases_mut(&mut self, input: Input) -> &mut Vec<Basis> {
        &mut self.bases[input.number()]
    }

    /// Maps the next bit of an input to values in some dimensions, and to 0 in the others.
    pub(super) fn put<const K: usize>(&mut self, input: Input, values: [(usize, u64); K]) {
        let mut basis = vec![0; self.size.len()];
        values.iter().for_each(|(dim, value)| basis[*dim] = *value);
        self.push(input, basis);
    }

    /// Maps the next bit of an input to an index.
    pub(super) fn push(&mut self, input: Input, basis: Basis) {
        for (size, value) in self.size.iter_mut().zip(&basis) {
            let end = value.checked_add(1).and_then(u64::checked_next_power_of_two);
            *size = (*size).max(end.unwrap_or(u64::MAX));
        }
        self.bases_mut(input).push(basis);
    }

    /// Maps the next bits of an input to the next indexes of a dimension, which gets `factor` times as long.
    pub(super) fn grow(&mut self, input: Input, dim: usize, factor: u64) {
        for _ in 0..factor.ilog2() {
            self.put(input, [(dim, self.size[dim])]);
        }
    }

    /// Makes the next bits of an input count `factor` copies.
    pub(super) fn copy(&mut self, input: Input, factor: u64) {
        let none = vec![0; self.size.len()];
        let copies = std::iter::repeat_n(none, usize::try_from(factor.ilog2()).unwrap_or(0));
        self.bases_mut(input).extend(copies);
    }

    /// Fits the tile to a shape: more registers cover larger dimensions, in the order of `append`, and bits
    /// beyond the shape become copies.
    pub(super) fn fit(&mut self, shape: &[u64], append: &[usize]) {
        append.iter().for_each(|dim| self.cover(*dim, shape[*dim]));
        for basis in self.bases.iter_mut().flatten() {
            if basis.iter().zip(shape).any(|(value, extent)| value >= extent) {
                basis.fill(0);
            }
        }
        self.size = shape.to_vec();
    }

    /// Returns whether no bit reaches beyond a shape.
    pub(super) fn is_within(&self, shape: &[u64]) -> bool {
        self.size.iter().zip(shape).all(|(size, extent)| size <= extent)
    }

    /// Adds registers until the tile covers an extent of a dimension.
    pub(super) fn cover(&mut self, dim: usize, extent: u64) {
        while self.size[dim] < extent {
            self.put(Input::Register, [(dim, self.size[dim])]);
        }
    }

    /// Leaves out the registers beyond a shape, as Triton does since 3.9 for some encodings.
    pub(super) fn without_cut_registers(&mut self, shape: &[u64]) {
        let is_inside = |basis: &Basis| basis.iter().zip(shape).all(|(at, extent)| at < extent);
        self.bases_mut(Input::Register).retain(is_inside);
    }

    /// The tile of the other dimensions, at 0 of `dim`.
    pub(super) fn without(mut self, dim: usize) -> TritonTile {
        self.size.remove(dim);
        for basis in self.bases.iter_mut().flatten() {
            basis.remove(dim);
        }
        self
    }

    /// The tile as Triton's linear layout of a tensor of this shape, with these inputs.
    pub(super) fn to_linear(&self, inputs: &[(Input, &str)], shape: &[u64]) -> LinearLayout {
        let bases =
            inputs.iter().map(|(input, name)| ((*name).to_owned(), self.bases(*input).to_vec()));
        LinearLayout { bases: bases.collect(), outs: out_dims(shape) }
    }
}

/// The dimensions of a tensor, named as Triton does.
pub(super) fn out_dims(shape: &[u64]) -> Vec<(String, u64)> {
    shape.iter().enumerate().map(|(axis, extent)| (format!("dim{axis}"), *extent)).collect()
}
