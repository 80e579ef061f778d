//! The block: its operations, and the memories of its tensors when it starts.

/// An operation: a sum, and whether its rows are then normalised along an axis.
pub(crate) struct Step {
    pub(crate) sum: &'static str,
    pub(crate) operands: &'static [&'static str],
    pub(crate) result: &'static str,
    /// True if the result is normalised along its last axis: each unit of a row needs the sums of that row.
    pub(crate) is_normalised: bool,
    /// True if the result is made and used slice by slice if it is too large.
    pub(crate) is_streamed: bool,
}

pub(crate) const fn step(
    sum: &'static str,
    operands: &'static [&'static str],
    result: &'static str,
    is_normalised: bool,
) -> Step {
    Step { sum, operands, result, is_normalised, is_streamed: false }
}

/// s, t: rows; d: model; h: heads; k: of a head; f: feed-forward.
pub(crate) const BLOCK: [Step; 10] = [
    step("sd,dhk->shk", &["x", "Wq"], "q", false),
    step("td,dhk->thk", &["x", "Wk"], "k", false),
    step("td,dhk->thk", &["x", "Wv"], "v", false),
    Step { is_streamed: true, ..step("shk,thk->hst", &["q", "k"], "p", true) },
    step("hst,thk->shk", &["p", "v"], "c", false),
    step("shk,hkd->sd", &["c", "Wo"], "o", false),
    step("sd,sd->sd", &["o", "x"], "y", true),
    step("sd,df->sf", &["y", "W1"], "u", false),
    step("sf,fd->sd", &["u", "W2"], "w", false),
    step("sd,sd->sd", &["w", "y"], "z", true),
];

/// Returns whether a tensor is in DRAM when the block starts; the others are in the memories of the PEs.
pub(crate) fn is_in_dram(tensor: &str) -> bool {
    tensor == "x" || tensor.starts_with('W')
}
