//! Ctrl-C, SIGTERM and SIGHUP: a search ends with what it has found, and unfinished files are removed.
//!
//! Other signals end the command immediately; the files that they leave are hidden and end in `.part`.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, Once, PoisonError};

static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static HANDLER: Once = Once::new();
static SEARCHES: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// A temporary file or directory, which an interrupted command removes.
#[derive(Debug)]
pub(super) struct Unfinished(PathBuf);

impl Unfinished {
    /// Creates a file or directory; a signal that arrives meanwhile waits, and then removes it.
    pub(super) fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Unfinished)> {
        handle();
        paths(|paths| {
            let made = make()?;
            let path = path(&made).to_owned();
            paths.push(path.clone());
            Ok((made, Unfinished(path)))
        })
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        paths(|paths| paths.retain(|path| *path != self.0));
    }
}

/// Runs a search that the first signal asks to end; the second one ends the command.
#[cfg(feature = "plan")]
pub(super) fn stoppable<T>(search: impl FnOnce(&AtomicBool) -> T) -> T {
    handle();
    SEARCHES.store(true, Ordering::Relaxed);
    let found = search(&STOPPED);
    SEARCHES.store(false, Ordering::Relaxed);
    found
}

fn handle() {
    HANDLER.call_once(|| {
        // Without a handler, the command still works but leaves files behind. None is set if the caller ignores
        // one of the signals, as `nohup` does, because it must stay ignored.
        let _ = ctrlc::try_set_handler(stop);
    });
}

/// Runs `run` to its end before a signal is handled; `run` must not create or drop unfinished files.
pub(super) fn uninterrupted<T>(run: impl FnOnce() -> T) -> T {
    paths(|_| run())
}

fn paths<T>(change: impl FnOnce(&mut Vec<PathBuf>) -> T) -> T {
    change(&mut UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Asks a search to end; without one, removes unfinished files and exits with the code of an interrupted command.
fn stop() {
    const INTERRUPTED: i32 = 130;
    if SEARCHES.swap(false, Ordering::Relaxed) {
        STOPPED.store(true, Ordering::Relaxed);
        return;
    }
    paths(|paths| {
        for path in paths.iter() {
            let _ = match path.is_dir() {
                true => std::fs::remove_dir_all(path),
                false => std::fs::remove_file(path),
            };
        }
        std::process::exit(INTERRUPTED)
    });
}
