//! Plans the layouts of a small graph by dynamic programming: `cargo run --release --example plan`.
//!
//! ```text
//! x 256 x 64  --matmul w-->  h 256 x 128  --relu-->  r  --transpose-->  t 128 x 256  --sum rows-->
//! ```
//!
//! Every tensor may have any candidate layout that its operator can work with; an edge costs what
//! has to enter the units of each level, weighted by how slow the level is.

use std::error::Error;

use itertools::Itertools;
use tensor_layout::algebra::Target;
use tensor_layout::candidates::{Candidate, Candidates, Side};
use tensor_layout::{Layout, Level, Machine, Placement};

/// What an element costs that enters a unit of the level.
const COSTS: [(Level, u64); 4] =
    [(Level::PE, 1), (Level::MAB, 2), (Level::L1B, 8), (Level::L2B, 32)];

/// A tensor of the graph: what is wanted of its layout, and how its index comes from the one before.
struct Stage {
    name: &'static str,
    shape: [u64; 2],
    wants: fn(&Layout) -> bool,
    /// The axes of the tensor before, permuted, are those of this one.
    comes_from: Option<[usize; 2]>,
}

/// No unit splits the axis: each has whole vectors of it.
fn has_whole(layout: &Layout, axis: usize) -> bool {
    let in_address = |target| matches!(target, Target::Land { level: Level::ADDR, .. });
    layout.axes()[axis].subaxes.iter().all(|subaxis| in_address(subaxis.target))
}

fn cost(source: &Placement, destination: &Candidate) -> Result<u64, Box<dyn Error>> {
    let traffic = destination.traffic_from(source)?;
    let weight = |level: Level| COSTS.iter().find(|(of, _)| *of == level).map_or(0, |(_, c)| *c);
    Ok(traffic.levels.iter().map(|level| level.into * weight(level.level)).sum())
}

fn main() -> Result<(), Box<dyn Error>> {
    let machine: Machine = "L2B=2,L1B=4,MAB=4,PE=4".parse()?;
    let stages = [
        // A product over k wants whole rows of x; its result may lie as the rows do.
        Stage {
            name: "x, operand of the matmul",
            shape: [256, 64],
            wants: |l| has_whole(l, 1),
            comes_from: None,
        },
        Stage {
            name: "h, result of the matmul",
            shape: [256, 128],
            wants: |l| has_whole(l, 1),
            comes_from: None,
        },
        Stage { name: "r = relu(h)", shape: [256, 128], wants: |_| true, comes_from: Some([0, 1]) },
        Stage {
            name: "t = transpose(r)",
            shape: [128, 256],
            wants: |_| true,
            comes_from: Some([1, 0]),
        },
        Stage {
            name: "t, operand of the sum over rows",
            shape: [128, 256],
            wants: |l| has_whole(l, 1),
            comes_from: Some([0, 1]),
        },
    ];
    // Per candidate of the last stage: the cost so far, and the layouts that lead to it.
    let mut plans: Vec<(u64, Vec<Candidate>)> = vec![(0, Vec::new())];
    for stage in &stages {
        let wanted = Candidates::new(&machine, &stage.shape)
            .sides(&[Side::Major])
            .replicate(false)
            .capacity_words(2048)
            .padding_percent(0)
            .iter()?
            .filter_ok(|candidate| (stage.wants)(&candidate.layout));
        let mut next: Vec<(u64, Vec<Candidate>)> = Vec::new();
        for candidate in wanted {
            let candidate = candidate?;
            let mut best: Option<(u64, &Vec<Candidate>)> = None;
            for (so_far, path) in &plans {
                let edge = match (stage.comes_from, path.last()) {
                    (Some(axes), Some(last)) => {
                        let seen = last.layout.clone().permute(&axes)?;
                        cost(&Placement::of(seen).on(&machine).build()?, &candidate)?
                    }
                    _ => 0,
                };
                if best.is_none_or(|(least, _)| so_far + edge < least) {
                    best = Some((so_far + edge, path));
                }
            }
            if let Some((cost, path)) = best {
                let mut path = path.clone();
                path.push(candidate);
                next.push((cost, path));
            }
        }
        plans = next;
    }
    let (cost, path) = plans.into_iter().min_by_key(|(cost, _)| *cost).ok_or("no plan")?;
    println!("cost {cost}");
    for (stage, candidate) in stages.iter().zip(path) {
        let text = candidate.layout.to_pad_layout()?;
        println!("{:32} {text}, {} words per PE", stage.name, candidate.footprint_words);
    }
    Ok(())
}
