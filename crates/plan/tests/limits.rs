//! Limits on usages: against all choices of small problems, and the laws of larger ones.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::Instant;

use itertools::Itertools;
use tensor_layout_plan::search::{
    FORBIDDEN, Limits, Memory, Outcome, Problem, Progress, Solution, Use,
};

use crate::search::{Draw, optimum, tiny};

impl Draw {
    /// A memory with usages over intervals, and a limit that is often exceeded.
    fn memory(&mut self, problem: &Problem) -> Memory {
        let (times, end) = (1 + self.below(6), [2, 5, 50, 1 << 40][self.below(4)]);
        let most = problem.own.len() * [0, 1, 2][self.below(3)];
        let uses: Vec<Use> = (0..=most).map(|_| self.usage(problem, times, end)).collect();
        let choices: Vec<usize> = problem.own.iter().map(|own| self.below(own.len())).collect();
        let peak = Memory { limit: 0, uses: uses.clone() }.peak(&choices);
        let limit = u64::try_from(peak).unwrap();
        let limit = [limit, limit, limit / 2, limit * 3 / 4, FORBIDDEN][self.below(5)];
        Memory { limit, uses }
    }

    fn usage(&mut self, problem: &Problem, times: usize, end: usize) -> Use {
        let variable = self.below(problem.own.len());
        let from = u64::try_from(self.below(times)).unwrap();
        let to = u64::try_from(self.below(times + 2)).unwrap();
        let forbidden = [0, 2][self.below(2)];
        let amounts = self.costs(problem.own[variable].len(), end, forbidden);
        Use { variable, from, to, amounts }
    }

    fn limited(&mut self, problem: Problem) -> Problem {
        let memories = (0..=self.below(2)).map(|_| self.memory(&problem)).collect();
        problem.with_memories(memories).unwrap()
    }
}

/// The laws of every solution.
fn assert_lawful(problem: &Problem, solution: &Solution) {
    assert_eq!(problem.cost(&solution.choices), solution.cost, "{problem:?}");
    assert!(solution.bound <= solution.cost, "{solution:?}");
    if solution.cost < FORBIDDEN {
        for memory in &problem.memories {
            assert!(memory.limit >= FORBIDDEN || usage_by_hand(memory, &solution.choices));
        }
    }
}

/// True if the usage is within the limit at each time: the definition.
fn usage_by_hand(memory: &Memory, choices: &[usize]) -> bool {
    let within = |time: u64| {
        let alive = memory.uses.iter().filter(|of| of.from <= time && time < of.to);
        let used: u128 = alive.map(|of| u128::from(of.amounts[choices[of.variable]])).sum();
        used <= u128::from(memory.limit)
    };
    memory.uses.iter().map(|of| of.from).all(within)
}

#[test]
fn with_limits_the_solution_of_a_small_problem_is_the_best_of_all_choices() {
    let mut outcomes = [0; 2];
    for seed in 0..1500 {
        let mut draw = Draw::new(seed);
        let problem = draw.small();
        let problem = draw.limited(problem);
        let (solution, optimum) = (problem.solve(&Limits::default()), optimum(&problem));
        assert_lawful(&problem, &solution);
        assert_eq!((solution.cost, solution.bound), (optimum, optimum), "seed {seed} {problem:?}");
        let outcome = [Outcome::Optimal, Outcome::Impossible][usize::from(optimum == FORBIDDEN)];
        assert_eq!(solution.outcome(), outcome);
        outcomes[usize::from(optimum == FORBIDDEN)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 300), "{outcomes:?}");
}

#[test]
fn with_limits_and_few_decisions_the_optimum_is_between_bound_and_cost() {
    for seed in 0..1000 {
        let mut draw = Draw::new(seed);
        let problem = draw.small();
        let (problem, cells) = (draw.limited(problem), draw.below(7));
        let optimum = optimum(&problem);
        for rounds in [0, 1, 3] {
            let solution = problem.solve(&tiny(cells, rounds));
            assert_lawful(&problem, &solution);
            let within = solution.bound <= optimum && optimum <= solution.cost;
            assert!(within, "seed {seed}: {optimum} {solution:?} {problem:?}");
        }
    }
}

#[test]
fn without_a_limit_that_binds_the_solution_costs_as_much_as_without_limits() {
    for seed in 0..40 {
        let mut draw = Draw::new(seed);
        let free = draw.sparse(40, 20);
        let mut uses = (0..60).map(|_| draw.usage(&free, 20, 9)).collect_vec();
        uses.iter_mut().for_each(|of| of.amounts.iter_mut().for_each(|of| *of %= 9));
        let limited = free.clone().with_memories(vec![Memory { limit: 480, uses }]).unwrap();
        let (free, limited) = (free.solve(&Limits::default()), limited.solve(&Limits::default()));
        assert_eq!((free.cost, free.bound), (limited.cost, limited.bound), "seed {seed}");
    }
}

#[test]
fn larger_problems_with_limits_have_lawful_solutions_that_depend_on_nothing_else() {
    let mut closed = 0;
    for seed in 0..12 {
        let mut draw = Draw::new(seed);
        let problem = draw.sparse(900, 300);
        let uses = (0..900).map(|_| draw.usage(&problem, 200, 50)).collect_vec();
        let free = problem.solve(&Limits::default());
        let peak = Memory { limit: 0, uses: uses.clone() }.peak(&free.choices);
        let limit = u64::try_from(peak).unwrap() / 10 * 9;
        let problem = problem.with_memories(vec![Memory { limit, uses }]).unwrap();
        let limits = Limits { decisions: 20, ..tiny(1 << 10, 4) };
        let solution = problem.solve(&limits);
        assert_lawful(&problem, &solution);
        assert!(free.bound <= solution.cost);
        assert_eq!(solution, problem.solve(&limits));
        closed += usize::from(solution.outcome() == Outcome::Optimal);
    }
    assert!(closed > 0);
}

/// The small example of `google/iopddl` (Apache 2.0).
fn example() -> &'static str {
    include_str!("data/iopddl/example.json")
}

#[test]
fn the_example_of_the_contest_is_read_and_solved() {
    let problem = Problem::from_iopddl(example()).unwrap();
    let solution = problem.solve(&Limits::default());
    assert_eq!((solution.cost, solution.bound), (445, 445));
    assert_eq!(optimum(&problem), 445);
    assert_eq!(problem.memories[0].limit, 50);
    assert!(problem.memories[0].peak(&solution.choices) <= 50);
    let tight = example().replace("\"usage_limit\": 50", "\"usage_limit\": 49");
    let tight = Problem::from_iopddl(&tight).unwrap();
    let solution = tight.solve(&Limits::default());
    assert_eq!((solution.cost, solution.bound), (optimum(&tight), optimum(&tight)));
    let none = Problem::from_iopddl(&example().replace("50\n", "24\n")).unwrap();
    assert_eq!(none.memories[0].limit, 24);
    assert_eq!(none.solve(&Limits::default()).outcome(), Outcome::Impossible);
}

#[test]
fn texts_that_are_no_problem_of_the_contest_are_errors() {
    let error = |text: &str| Problem::from_iopddl(text).unwrap_err();
    let other = error("{}").to_string();
    assert_eq!(other, "not a problem of the contest: missing field `problem` at line 1 column 2");
    let fewer = error(&example().replace("[15],\n        [55, 65]", "[55, 65]"));
    assert_eq!(fewer.to_string(), "intervals has 5 entries, there are 4 nodes");
    let fewer = error(&example().replace("[30, 40],", ""));
    assert_eq!(fewer.to_string(), "costs has 4 entries, there are 5 edges");
    let wrong = error(&example().replace("[25, 25]", "[25]"));
    assert_eq!(
        wrong.to_string(),
        "use 1 of memory 0 needs 2 amounts, one for each choice, and has 1"
    );
}

/// A problem that takes a while.
fn long() -> Problem {
    let mut draw = Draw::new(3);
    let problem = draw.sparse(600, 900);
    let uses = (0..600).map(|_| draw.usage(&problem, 100, 50)).collect_vec();
    let peak = Memory { limit: 0, uses: uses.clone() }.peak(&problem.solve(&tiny(1, 0)).choices);
    let limit = u64::try_from(peak).unwrap() / 8 * 7;
    problem.with_memories(vec![Memory { limit, uses }]).unwrap()
}

#[test]
fn a_search_that_is_stopped_keeps_its_best() {
    let problem = long();
    for steps in [0, 1, 5, 15] {
        let (asked, last) = (Cell::new(0), Cell::new(None::<Progress>));
        let solution = problem.solve_watched(&Limits::default(), &|progress| {
            asked.set(asked.get() + 1);
            last.set(Some(progress));
            match asked.get() > steps {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        assert_eq!(asked.get(), steps + 1);
        assert_lawful(&problem, &solution);
        let last = last.get().unwrap();
        assert!(last.bound <= solution.bound && solution.cost <= last.cost);
    }
}

#[test]
fn a_deadline_in_the_past_still_gives_a_bound() {
    let problem = long();
    let solution = problem.solve(&Limits { until: Some(Instant::now()), ..Limits::default() });
    assert_lawful(&problem, &solution);
    assert!(matches!(solution.outcome(), Outcome::Feasible | Outcome::NotFound));
}

#[test]
fn progress_never_goes_back() {
    let seen = Cell::new(Progress::default());
    let limits = Limits { decisions: 50, ..tiny(1 << 10, 6) };
    let solution = long().solve_watched(&limits, &|progress| {
        let before = seen.replace(progress);
        assert!(before.bound <= progress.bound && progress.cost <= before.cost);
        assert!(progress.bound <= progress.cost);
        ControlFlow::Continue(())
    });
    assert!(seen.get().bound <= solution.bound && solution.cost <= seen.get().cost);
}

#[test]
fn usages_that_do_not_fit_are_errors() {
    let problem = || Problem::new(vec![vec![1], vec![1, 2]], Vec::new()).unwrap();
    let of = |variable, count| {
        let uses = vec![Use { variable, from: 0, to: 1, amounts: vec![0; count] }];
        let memories = vec![Memory::default(), Memory { limit: 1, uses }];
        problem().with_memories(memories).unwrap_err().to_string()
    };
    let missing = "use 0 of memory 1 is of variable 2, there are 2";
    assert_eq!(of(2, 1), missing);
    let wrong = "use 0 of memory 1 needs 2 amounts, one for each choice, and has 3";
    assert_eq!(of(1, 3), wrong);
}

#[test]
fn a_problem_with_limits_is_read_back_from_its_text_and_checked() {
    let mut draw = Draw::new(7);
    let problem = draw.sparse(10, 10);
    let problem = draw.limited(problem);
    let text = serde_json::to_string(&problem).unwrap();
    assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), problem);
    let text = r#"{"own": [[1]], "edges": [], "memories": [{"limit": 3, "uses":
        [{"variable": 1, "from": 0, "to": 4, "amounts": [1]}]}]}"#;
    let error = serde_json::from_str::<Problem>(text).unwrap_err();
    assert!(error.to_string().contains("use 0 of memory 0 is of variable 1"), "{error}");
}
