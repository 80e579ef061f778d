//! One rule per operator.

mod attention;
mod constant;
mod join;
mod lookup;
mod matmul;
mod pad;
mod pointwise;
mod pool;
mod quantize;
mod reduce;
mod resize;
mod rows;
mod scatter;
mod view;
mod window;

use super::context::{Rule, Rules};

const FAMILIES: &[Rules] = &[
    attention::RULES,
    constant::RULES,
    join::RULES,
    lookup::RULES,
    matmul::RULES,
    pad::RULES,
    pointwise::RULES,
    pool::RULES,
    quantize::RULES,
    reduce::RULES,
    resize::RULES,
    rows::RULES,
    scatter::RULES,
    view::RULES,
    window::RULES,
];

/// The operators of another domain that mean what is said here.
const MICROSOFT: &[&str] = &[
    "BiasGelu",
    "FastGelu",
    "Gelu",
    "LayerNormalization",
    "QuickGelu",
    "SimplifiedLayerNormalization",
    "SkipLayerNormalization",
    "SkipSimplifiedLayerNormalization",
];

/// The rule of an operator.
pub(super) fn rule(domain: &str, kind: &str) -> Option<Rule> {
    let is_known = match domain {
        "" | "ai.onnx" => true,
        "com.microsoft" => MICROSOFT.contains(&kind),
        _ => false,
    };
    let mut all = FAMILIES.iter().filter(|_| is_known).flat_map(|rules| rules.iter());
    all.find(|(name, _)| *name == kind).map(|(_, rule)| *rule)
}
