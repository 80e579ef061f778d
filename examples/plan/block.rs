//! The block: its operations, and where its tensors are when it starts.

/// An operation: a sum, and whether its rows are then normalised along an axis.
pub(crate) struct Step {
    pub(crate) sum: &'static str,
    pub(crate) operands: &'static [&'static str],
    pub(crate) result: &'static str,
    /// The axis of the result along which sums of rows are wanted in all of it.
    pub(crate) rows: Option<usize>,
    /// Whether the result is made and used slice by slice where it is too large.
    pub(crate) streamed: bool,
}

pub(crate) const fn step(
    sum: &'static str,
    operands: &'static [&'static str],
    result: &'static str,
    rows: Option<usize>,
) -> Step {
    Step { sum, operands, result, rows, streamed: false }
}

/// s, t: rows; d: model; h: heads; k: of a head; f: feed-forward.
pub(crate) const BLOCK: [Step; 10] = [
    step("sd,dhk->shk", &["x", "Wq"], "q", None),
    step("td,dhk->thk", &["x", "Wk"], "k", None),
    step("td,dhk->thk", &["x", "Wv"], "v", None),
    Step { streamed: true, ..step("shk,thk->hst", &["q", "k"], "p", Some(2)) },
    step("hst,thk->shk", &["p", "v"], "c", None),
    step("shk,hkd->sd", &["c", "Wo"], "o", None),
    step("sd,sd->sd", &["o", "x"], "y", Some(1)),
    step("sd,df->sf", &["y", "W1"], "u", None),
    step("sf,fd->sd", &["u", "W2"], "w", None),
    step("sd,sd->sd", &["w", "y"], "z", Some(1)),
];

/// Whether a tensor is in DRAM when the block starts; the others are in the memories of the PEs.
pub(crate) fn is_in_dram(tensor: &str) -> bool {
    tensor == "x" || tensor.starts_with('W')
}
