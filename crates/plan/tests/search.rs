//! The least sum of costs: against all choices of small problems, and against its own bounds on larger ones.

use std::time::Instant;

use itertools::Itertools;
use tensor_layout_plan::search::{Edge, FORBIDDEN, Limits, Problem, Solution};

/// Random numbers, the same at each run: xorshift.
pub(crate) struct Draw(u64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 16) % u64::try_from(end).unwrap()).unwrap()
    }

    /// A cost below an end; every so often a forbidden one or more than that.
    pub(crate) fn cost(&mut self, end: usize, forbidden: usize) -> u64 {
        match self.below(100) {
            drawn if drawn < forbidden => [FORBIDDEN, FORBIDDEN + 1, u64::MAX][drawn % 3],
            _ => u64::try_from(self.below(end)).unwrap(),
        }
    }

    pub(crate) fn costs(&mut self, count: usize, end: usize, forbidden: usize) -> Vec<u64> {
        (0..count).map(|_| self.cost(end, forbidden)).collect()
    }

    /// A problem with some ends of edges; costs below a small end have many ties.
    pub(crate) fn problem(&mut self, choices: &[usize], ends: &[(usize, usize)]) -> Problem {
        let end = [2, 4, 30, 1_000_000][self.below(4)];
        let forbidden = [0, 0, 10, 60][self.below(4)];
        let own = choices.iter().map(|count| self.costs(*count, end, forbidden)).collect();
        let edge = |(from, to): &(usize, usize)| {
            let costs = self.costs(choices[*from] * choices[*to], end, forbidden);
            Edge { from: *from, to: *to, costs }
        };
        Problem::new(own, ends.iter().map(edge).collect()).unwrap()
    }

    /// A problem of up to six variables with any edges: parallel ones, in both directions, and from a variable to itself.
    pub(crate) fn small(&mut self) -> Problem {
        let variables = 1 + self.below(6);
        let choices: Vec<usize> = (0..variables).map(|_| 1 + self.below(5)).collect();
        let edges = self.below(16);
        let ends = (0..edges).map(|_| (self.below(variables), self.below(variables)));
        let ends = ends.collect_vec();
        self.problem(&choices, &ends)
    }

    /// A tree, and some more edges, not from a variable to itself.
    pub(crate) fn sparse(&mut self, variables: usize, more: usize) -> Problem {
        let choices: Vec<usize> = (0..variables).map(|_| 1 + self.below(4)).collect();
        let tree = (1..variables).map(|to| (self.below(to), to)).collect_vec();
        let others = (0..more).map(|_| (self.below(variables), self.below(variables)));
        let others = others.collect_vec().into_iter().filter(|(from, to)| from != to);
        let ends: Vec<(usize, usize)> = tree.into_iter().chain(others).collect();
        self.problem(&choices, &ends)
    }
}

pub(crate) fn optimum(problem: &Problem) -> u64 {
    let choices = problem.own.iter().map(|own| 0..own.len());
    choices.multi_cartesian_product().map(|choices| problem.cost(&choices)).min().unwrap()
}

pub(crate) fn tiny(cells: usize, rounds: usize) -> Limits {
    Limits { cells, rounds, decisions: rounds, ..Limits::default() }
}

fn assert_whole(problem: &Problem, solution: &Solution) {
    assert_eq!(problem.cost(&solution.choices), solution.cost);
    assert!(solution.bound <= solution.cost, "{solution:?}");
    assert!(solution.cost <= problem.cost(&problem.naive()));
    assert!(solution.cost <= problem.cost(&problem.greedy()));
}

#[test]
fn the_solution_of_a_small_problem_is_the_best_of_all_choices() {
    for seed in 0..1000 {
        let problem = Draw::new(seed).small();
        let (solution, optimum) = (problem.solve(&Limits::default()), optimum(&problem));
        assert_whole(&problem, &solution);
        assert_eq!((solution.cost, solution.bound), (optimum, optimum), "seed {seed}");
    }
}

#[test]
fn without_room_for_tables_the_optimum_is_between_bound_and_cost() {
    for seed in 0..1000 {
        let mut draw = Draw::new(seed);
        let (cells, problem) = (draw.below(7), draw.small());
        let optimum = optimum(&problem);
        for rounds in [0, 1, 40] {
            let solution = problem.solve(&tiny(cells, rounds));
            assert_whole(&problem, &solution);
            assert!(solution.bound <= optimum && optimum <= solution.cost, "seed {seed}");
        }
    }
}

#[test]
fn decisions_close_the_gap_of_a_small_problem() {
    let closed = |seed| {
        let problem = Draw::new(seed).small();
        let solution = problem.solve(&tiny(1, 5000));
        assert_eq!((solution.cost, solution.bound), (optimum(&problem), solution.cost), "{seed}");
    };
    (0..300).for_each(closed);
}

#[test]
fn on_sparse_graphs_a_search_with_small_tables_encloses_the_optimum() {
    for seed in 0..60 {
        let mut draw = Draw::new(seed);
        let more = draw.below(30);
        let problem = draw.sparse(30, more);
        let exact = problem.solve(&Limits::default());
        assert_eq!(exact.cost, exact.bound, "seed {seed}");
        for rounds in [0, 5] {
            let solution = problem.solve(&tiny(8, rounds));
            assert_whole(&problem, &solution);
            assert!(solution.bound <= exact.cost && exact.cost <= solution.cost, "seed {seed}");
        }
    }
}

#[test]
fn a_larger_graph_is_improved_by_regions() {
    for seed in 0..4 {
        let problem = Draw::new(seed).sparse(500, 120);
        let exact = problem.solve(&Limits::default());
        let solution = problem.solve(&Limits { decisions: 3, ..tiny(12, 4) });
        assert_eq!(exact.cost, exact.bound, "seed {seed}");
        assert_whole(&problem, &solution);
        assert!(solution.bound <= exact.cost && exact.cost <= solution.cost, "seed {seed}");
    }
}

#[test]
fn a_tree_is_solved_exactly_without_room_for_tables() {
    for seed in 0..100 {
        let problem = Draw::new(seed).sparse(60, 0);
        let (solution, exact) = (problem.solve(&tiny(0, 0)), problem.solve(&Limits::default()));
        assert_whole(&problem, &solution);
        assert_eq!((solution.cost, solution.bound), (exact.cost, exact.cost), "seed {seed}");
        assert!(solution.width <= 1);
    }
}

#[test]
fn a_solution_depends_on_nothing_but_the_problem_and_the_limits() {
    for seed in 0..20 {
        let problem = Draw::new(seed).sparse(40, 60);
        for limits in [Limits::default(), tiny(16, 20)] {
            assert_eq!(problem.solve(&limits), problem.solve(&limits));
        }
    }
}

#[test]
fn a_deadline_in_the_past_still_gives_a_solution_and_a_bound() {
    for seed in 0..20 {
        let problem = Draw::new(seed).sparse(40, 60);
        let optimum = problem.solve(&Limits::default()).cost;
        let solution = problem.solve(&Limits { until: Some(Instant::now()), ..tiny(16, 1000) });
        assert_whole(&problem, &solution);
        assert!(solution.bound <= optimum && optimum <= solution.cost, "seed {seed}");
    }
}

#[test]
fn equal_choices_become_the_first_of_them() {
    let costs = vec![1; 9];
    let edges = [(0, 1), (1, 2), (2, 0)].map(|(from, to)| Edge { from, to, costs: costs.clone() });
    let problem = Problem::new(vec![vec![4; 3]; 3], edges.to_vec()).unwrap();
    let solution = problem.solve(&Limits::default());
    assert_eq!((solution.choices, solution.cost), (vec![0, 0, 0], 15));
}

#[test]
fn a_problem_without_a_permitted_solution_costs_a_forbidden_sum() {
    let costs = vec![0, FORBIDDEN, u64::MAX, FORBIDDEN, FORBIDDEN, FORBIDDEN];
    let edge = Edge { from: 1, to: 0, costs };
    let problem = Problem::new(vec![vec![FORBIDDEN, 1, 2], vec![1, 1]], vec![edge]).unwrap();
    let solution = problem.solve(&Limits::default());
    assert_eq!((solution.cost, solution.bound), (FORBIDDEN, FORBIDDEN));
}

#[test]
fn a_hub_with_thousands_of_neighbours_is_summed_without_a_wrap() {
    let edge = |to| Edge { from: 0, to, costs: vec![FORBIDDEN - 1, 1, 1, FORBIDDEN - 1] };
    let problem = Problem::new(vec![vec![0, 0]; 6001], (1..6001).map(edge).collect()).unwrap();
    assert_eq!(problem.solve(&Limits::default()).cost, 6000);
}

#[test]
fn a_problem_without_variables_costs_nothing() {
    let solution = Problem::default().solve(&Limits::default());
    assert_eq!((solution.choices, solution.cost, solution.bound), (vec![], 0, 0));
}

#[test]
fn sizes_that_do_not_fit_are_errors() {
    let edge = |to, count| vec![Edge { from: 0, to, costs: vec![0; count] }];
    let of = |own: &[usize], edges| {
        Problem::new(own.iter().map(|count| vec![0; *count]).collect(), edges)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(of(&[1, 0], vec![]), "variable 1 has no choices");
    let missing = "edge 0 has an end at variable 2, there are 2";
    assert_eq!(of(&[1, 1], edge(2, 1)), missing);
    assert_eq!(
        of(&[2, 3], edge(1, 5)),
        "edge 0 needs 6 costs, one for each two choices, and has 5"
    );
}

#[test]
fn a_problem_is_read_back_from_its_text_and_checked() {
    let problem = Draw::new(7).sparse(10, 10);
    let text = serde_json::to_string(&problem).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), problem);
    let error = serde_json::from_str::<Problem>(r#"{"own": [[1], []], "edges": []}"#).unwrap_err();
    assert!(error.to_string().contains("variable 1 has no choices"), "{error}");
}
