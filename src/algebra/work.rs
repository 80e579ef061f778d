//! A counter of the steps of an operation, for unit tests that bound them instead of measuring time.

#[cfg(test)]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps of a loop whose length a test bounds; does nothing outside of unit tests.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(test)]
    STEPS.with(|all| all.set(all.get() + crate::number::to_u64(steps)));
    #[cfg(not(test))]
    let _ = steps;
}

/// The steps that an operation counts.
#[cfg(test)]
pub(crate) fn of<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    STEPS.with(|steps| steps.set(0));
    let answer = operation();
    (answer, STEPS.with(std::cell::Cell::get))
}
