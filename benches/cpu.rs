//! CPU time instead of wall-clock time, for work of many milliseconds on a busy machine.

use std::time::{Duration, Instant};

/// The CPU time of this thread, if the system reports it (Linux).
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// A result and its time: CPU time if the system reports it, otherwise wall-clock time.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let (start, before) = (Instant::now(), on_processor());
    let answer = work();
    let elapsed = start.elapsed();
    let spent = before.zip(on_processor()).map(|(before, after)| after.saturating_sub(before));
    (answer, spent.unwrap_or(elapsed))
}
