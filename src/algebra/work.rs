//! Counters of the steps of an operation, for tests that bound them instead of measuring time; other builds have none.

#[cfg(any(test, feature = "test-hooks"))]
thread_local! {
    static STEPS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    static SEEN: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// Counts steps of a loop whose length a test bounds.
#[inline]
pub(crate) fn count(steps: usize) {
    #[cfg(any(test, feature = "test-hooks"))]
    STEPS.with(|all| all.set(all.get() + crate::number::to_u64(steps)));
    #[cfg(not(any(test, feature = "test-hooks")))]
    let _ = steps;
}

/// Counts axes and digits that an operation looks at.
#[inline]
pub(crate) fn see(parts: usize) {
    #[cfg(any(test, feature = "test-hooks"))]
    SEEN.with(|all| all.set(all.get() + crate::number::to_u64(parts)));
    #[cfg(not(any(test, feature = "test-hooks")))]
    let _ = parts;
}

/// The steps that an operation counts.
#[cfg(test)]
pub(crate) fn of<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    STEPS.with(|steps| steps.set(0));
    let answer = operation();
    (answer, STEPS.with(std::cell::Cell::get))
}

/// The steps that an operation counts, and the axes and digits that it looks at.
#[cfg(feature = "test-hooks")]
pub fn steps_of<T>(operation: impl FnOnce() -> T) -> (T, u64) {
    [&STEPS, &SEEN].into_iter().for_each(|counter| counter.with(|all| all.set(0)));
    let answer = operation();
    (answer, STEPS.with(std::cell::Cell::get) + SEEN.with(std::cell::Cell::get))
}
