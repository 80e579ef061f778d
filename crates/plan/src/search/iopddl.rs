//! Problems of the ASPLOS 2025 contest on intra-operator parallelism.

use serde::Deserialize;

use super::memory::{Memory, Use};
use super::problem::{Edge, Problem, ProblemError};

/// A text that is no problem of the contest.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IopddlError {
    /// A text of another form.
    #[error("not a problem of the contest: {0}")]
    Text(#[from] serde_json::Error),
    /// Numbers that do not fit together.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// Lists of nodes or of edges that differ in length.
    #[error("{list} has {given} entries, there are {expected} {of}")]
    Lengths {
        /// The list.
        list: &'static str,
        /// Its length.
        given: usize,
        /// The length that it needs.
        expected: usize,
        /// Of which there are as many.
        of: &'static str,
    },
}

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
    /// [`IopddlError`] for texts of another form and sizes that do not fit.
    pub fn from_iopddl(text: &str) -> Result<Problem, IopddlError> {
        let Text { problem: Contest { nodes, edges, usage_limit } } = serde_json::from_str(text)?;
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
        Ok(problem.with_memories(memory.into_iter().collect())?)
    }
}

fn length(
    list: &'static str,
    given: usize,
    expected: usize,
    of: &'static str,
) -> Result<(), IopddlError> {
    match given == expected {
        true => Ok(()),
        false => Err(IopddlError::Lengths { list, given, expected, of }),
    }
}
