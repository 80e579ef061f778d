//! Time of the processor instead of the clock, for work of many milliseconds on a busy machine.

use std::time::{Duration, Instant};

/// The time that this thread has had a processor, where the system tells (Linux).
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// An answer and how long it took: by the processor if the system tells, else by the clock.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (start, before) = (Instant::now(), on_processor());
    let answer = work();
    let elapsed = start.elapsed();
    let spent = before.zip(on_processor()).map(|(before, after)| after.saturating_sub(before));
    (answer, spent.unwrap_or(elapsed))
}
