//! Problems of the ASPLOS 2025 contest on intra-operator parallelism.

use serde::Deserialize;
use tensor_layout::LayoutError;
use tensor_layout::error::fault;

use super::memory::{Memory, Use};
use super::problem::{Edge, Problem};

#[derive(Deserialize)]
struct Text {
    problem: Contest,
}

#[derive(Deserialize)]
struct Contest {
    nodes: Nodes,
    edges: Edges,
    usage_limit: Option<u64>,
}

#[derive(Deserialize)]
struct Nodes {
    intervals: Vec<[u64; 2]>,
    costs: Vec<Vec<u64>>,
    usages: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
struct Edges {
    nodes: Vec<[usize; 2]>,
    costs: Vec<Vec<u64>>,
}

impl Problem {
    /// A problem of the contest, from its JSON: one memory, or none without a limit.
    ///
    /// # Errors
    /// `Invalid` for texts of another form and sizes that do not fit.
    pub fn from_iopddl(text: &str) -> Result<Problem, LayoutError> {
        let Text { problem: Contest { nodes, edges, usage_limit } } = serde_json::from_str(text)
            .map_err(|error| {
                fault!(
                    Invalid,
                    "not a problem of the contest: {error}",
                    [error = error.to_string()]
                )
            })?;
        let expected = nodes.costs.len();
        length("intervals", nodes.intervals.len(), expected, "nodes")?;
        length("usages", nodes.usages.len(), expected, "nodes")?;
        length("costs", edges.costs.len(), edges.nodes.len(), "edges")?;
        let ends = edges.nodes.into_iter().zip(edges.costs);
        let edges = ends.map(|([from, to], costs)| Edge { from, to, costs });
        let uses = nodes.intervals.into_iter().zip(nodes.usages).enumerate();
        let uses =
            uses.map(|(variable, ([from, to], amounts))| Use { variable, from, to, amounts });
        let memory = usage_limit.map(|limit| Memory { limit, uses: uses.collect() });
        let problem = Problem::new(nodes.costs, edges.collect())?;
        problem.with_memories(memory.into_iter().collect())
    }
}

fn length(
    list: &'static str,
    given: usize,
    expected: usize,
    of: &'static str,
) -> Result<(), LayoutError> {
    match given == expected {
        true => Ok(()),
        false => Err(fault!(
            Invalid,
            "{list} has {given} entries, there are {expected} {of}",
            [list, given, expected, of]
        )),
    }
}
