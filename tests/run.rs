//! The runner of the laws: one configuration, stored failing cases, counts of answers and refusals.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Debug;

use proptest::prelude::*;
use proptest::test_runner::{
    FileFailurePersistence, RngAlgorithm, TestCaseResult, TestError, TestRng, TestRunner,
    contextualize_config,
};
use tensor_layout::LayoutError;
use tensor_layout::error::ErrorKind;

/// The environment variable that scales the cases of every law.
const SCALE: &str = "LAW_CASES";

/// Answers and refusals of one law, by reason.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) cases: u64,
    pub(crate) answers: u64,
    pub(crate) refusals: BTreeMap<ErrorKind, u64>,
    /// Cases that did not reach a question.
    pub(crate) idle: u64,
}

impl Tally {
    /// The answer, or a refusal, which is counted by kind and must then be checked.
    pub(crate) fn count<T>(&mut self, result: Result<T, LayoutError>) -> Result<T, LayoutError> {
        match &result {
            Ok(_) => self.answers += 1,
            Err(error) => *self.refusals.entry(error.kind()).or_default() += 1,
        }
        result
    }

    /// An answer to a question that must not be refused for any of these layouts.
    pub(crate) fn answer<T>(&mut self, result: Result<T, LayoutError>) -> Result<T, TestCaseError> {
        self.count(result).map_err(|error| TestCaseError::fail(format!("refused: {error}")))
    }

    /// Counts a case without a question that could be refused.
    pub(crate) fn sure(&mut self) {
        self.answers += 1;
    }

    /// Questions so far.
    fn asked(&self) -> u64 {
        self.answers + self.refused()
    }

    fn refused(&self) -> u64 {
        self.refusals.values().sum()
    }

    /// The percentage of questions that were answered.
    pub(crate) fn percent(&self) -> f64 {
        100.0 * self.answers as f64 / self.asked().max(1) as f64
    }
}

/// A runner with the same cases at every run, so that a red test is red for all; longer runs use other cases.
fn runner(config: ProptestConfig) -> TestRunner {
    let is_longer = [SCALE, "LONG_RUN"].iter().any(|name| std::env::var_os(name).is_some());
    match is_longer {
        true => TestRunner::new(config),
        false => {
            let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
            TestRunner::new_with_rng(config, rng)
        }
    }
}

/// A case without its type. The runner of proptest is generic, and is compiled for these cases alone instead of for each law.
pub(crate) trait Case: Any + Debug {}

impl<T: Any + Debug> Case for T {}

type Cases = BoxedStrategy<Box<dyn Case>>;
type UntypedLaw = dyn Fn(Box<dyn Case>, &mut Tally) -> TestCaseResult;
type Outcome<T> = Result<T, TestError<Box<dyn Case>>>;

/// What a strategy draws, shrinks and shows, without its type.
fn untyped<T: Case>(strategy: impl Strategy<Value = T> + 'static) -> Cases {
    fn boxed<T: Case>(case: T) -> Box<dyn Case> {
        Box::new(case)
    }
    strategy.prop_map(boxed).boxed()
}

/// The case that a strategy drew, with its type.
fn typed<T: Case>(case: Box<dyn Case>) -> T {
    let case: Box<dyn Any> = case;
    *case.downcast().expect("a strategy draws cases of one type")
}

/// The only call of proptest's runner.
fn run_untyped(
    runner: &mut TestRunner,
    cases: &Cases,
    law: &dyn Fn(Box<dyn Case>) -> TestCaseResult,
) -> Outcome<()> {
    runner.run(cases, law)
}

/// `runner.run(&strategy, law)`.
pub(crate) fn run<T: Case>(
    runner: &mut TestRunner,
    strategy: impl Strategy<Value = T> + 'static,
    law: impl Fn(T) -> TestCaseResult,
) -> Outcome<()> {
    run_untyped(runner, &untyped(strategy), &|case| law(typed(case)))
}

/// What a test of `proptest!` does.
#[track_caller]
pub(crate) fn check<T: Case>(
    config: ProptestConfig,
    strategy: impl Strategy<Value = T> + 'static,
    law: impl Fn(T) -> TestCaseResult,
) {
    let mut runner = TestRunner::new(contextualize_config(config));
    if let Err(error) = run(&mut runner, strategy, law) {
        panic!("{error}\n{runner}");
    }
}

/// A law over generated cases.
pub(crate) struct Law {
    pub(crate) file: &'static str,
    pub(crate) name: &'static str,
    /// The minimum share of questions that are answered, in percent.
    floor: u32,
    cases: u32,
    strategy: Cases,
    law: Box<UntypedLaw>,
    /// The file that stores failing cases.
    failures: &'static str,
}

impl Law {
    pub(crate) fn new<T: Case>(
        [file, name, failures]: [&'static str; 3],
        (cases, floor): (u32, u32),
        strategy: impl Strategy<Value = T> + 'static,
        law: fn(&T, &mut Tally) -> TestCaseResult,
    ) -> Law {
        let law = Box::new(move |case, tally: &mut Tally| law(&typed(case), tally));
        Law { file, name, floor, cases, strategy: untyped(strategy), law, failures }
    }

    fn run(&self, mut runner: TestRunner) -> Outcome<Tally> {
        let tally = RefCell::new(Tally::default());
        run_untyped(&mut runner, &self.strategy, &|case| {
            let tally = &mut *tally.borrow_mut();
            tally.cases += 1;
            let asked = tally.asked();
            (self.law)(case, tally)?;
            tally.idle += u64::from(tally.asked() == asked);
            Ok(())
        })?;
        Ok(tally.into_inner())
    }

    /// The one configuration of all laws.
    fn config(&self, cases: u32) -> ProptestConfig {
        ProptestConfig {
            cases,
            failure_persistence: Some(Box::new(FileFailurePersistence::Direct(self.failures))),
            source_file: Some(self.file),
            // A law that rejects most of its cases is red.
            max_global_rejects: cases.saturating_mul(4),
            max_local_rejects: u32::MAX,
            max_shrink_iters: 20_000,
            ..ProptestConfig::default()
        }
    }

    /// Runs the law; asserts its minimum share of answers, and that most of its cases ask a question.
    pub(crate) fn check(&self) {
        let scale: u32 = std::env::var(SCALE).map_or(1, |scale| scale.parse().unwrap());
        let tally = self.tally(self.cases * scale);
        let (percent, floor) = (tally.percent(), f64::from(self.floor));
        assert!(percent >= floor, "{}: {percent:.1} % answered, {:?}", self.name, tally.refusals);
        let (idle, cases) = (tally.idle, tally.cases);
        assert!(2 * idle < cases, "{}: {idle} of {cases} cases ask nothing", self.name);
    }

    pub(crate) fn tally(&self, cases: u32) -> Tally {
        match self.run(runner(self.config(cases))) {
            Ok(tally) => tally,
            Err(TestError::Fail(why, case)) => {
                panic!("{}: {why}\nminimal failing input: {case:#?}", self.name)
            }
            Err(error) => panic!("{}: {error}", self.name),
        }
    }

    /// Runs one case, drawn from the seed that a fuzzer gives; `false` if the seed does not yield a case.
    pub(crate) fn on_bytes(&self, bytes: &[u8]) -> bool {
        let config = ProptestConfig {
            failure_persistence: None,
            max_local_rejects: 64,
            max_global_rejects: 1,
            max_shrink_iters: 0,
            ..self.config(1)
        };
        let mut seed = [0; 32];
        seed.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let outcome = self.run(TestRunner::new_with_rng(config, rng));
        match outcome {
            Ok(tally) => tally.cases > 0,
            Err(TestError::Abort(_)) => false,
            Err(TestError::Fail(why, case)) => panic!("{}: {why}\n{case:#?}", self.name),
        }
    }
}

/// Uses every law in the way that `fuzz/` does.
#[test]
fn the_seed_of_a_fuzzer_draws_a_case_of_every_law() {
    for law in crate::laws::all() {
        let mut seeds = (0..32_u8).map(|seed| [seed; 32]);
        assert!(seeds.any(|seed| law.on_bytes(&seed)), "{} draws no case", law.name);
    }
}

/// Laws as tests: `name: cases, floor %, strategy, law;`
macro_rules! laws {
    ($($(#[$meta:meta])* $name:ident: $cases:literal, $floor:literal %, $strategy:expr, $law:expr;)*) => {
        pub(super) fn laws() -> Vec<$crate::run::Law> {
            vec![$($name::law()),*]
        }
        $(
            $(#[$meta])*
            #[test]
            fn $name() {
                $name::law().check();
            }
            mod $name {
                use super::*;
                pub(super) fn law() -> $crate::run::Law {
                    let failures = concat!("tests/laws/failures/", stringify!($name), ".txt");
                    let names = [file!(), stringify!($name), failures];
                    $crate::run::Law::new(names, ($cases, $floor), $strategy, $law)
                }
            }
        )*
    };
}
pub(crate) use laws;

/// Tests as `proptest!` has them, without a runner of their own for each.
macro_rules! properties {
    (#![proptest_config($config:expr)] $(
        $(#[$meta:meta])*
        fn $name:ident($($case:pat in $strategy:expr),+ $(,)?) $body:block
    )*) => {
        $(
            $(#[$meta])*
            fn $name() {
                use proptest::sugar::NamedArguments;
                let config = ProptestConfig { source_file: Some(file!()), ..$config };
                let names = ($(stringify!($case),)+);
                let named = ($($strategy,)+).prop_map(move |parts| NamedArguments(names, parts));
                $crate::run::check(config, named, |NamedArguments(_, ($($case,)+))| {
                    $body
                    Ok(())
                });
            }
        )*
    };
    ($(#[$meta:meta])* fn $($tests:tt)*) => {
        $crate::run::properties! {
            #![proptest_config(ProptestConfig::default())]
            $(#[$meta])* fn $($tests)*
        }
    };
}
pub(crate) use properties;
