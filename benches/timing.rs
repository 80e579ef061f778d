//! Timing of two sides that run in turn.

use std::time::Instant;

/// One side of a comparison.
pub(super) struct Side<F>(pub(super) F);

fn time(work: &mut impl FnMut()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn middle(mut list: Vec<f64>) -> f64 {
    list.sort_by(f64::total_cmp);
    list[list.len() / 2]
}

/// The median time of some runs, in seconds, after one to warm up.
pub(super) fn median(runs: usize, mut work: impl FnMut()) -> f64 {
    middle((0..=runs).map(|_| time(&mut work)).skip(1).collect())
}

/// The median ratio of pairs of runs: noise on the machine affects both runs of a pair alike.
pub(super) fn ratio<A: FnMut(), B: FnMut()>(
    runs: usize,
    mut ours: Side<A>,
    mut rival: Side<B>,
) -> f64 {
    middle((0..runs + 2).map(|_| time(&mut ours.0) / time(&mut rival.0)).skip(2).collect())
}
