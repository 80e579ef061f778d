//! The command that starts this program again, in a process of its own.

use std::ffi::OsString;
use std::sync::OnceLock;

/// The command, where it is not the executable of the process.
static PROGRAM: OnceLock<Vec<OsString>> = OnceLock::new();

/// Says what starts this program again.
pub(super) fn set(program: Vec<OsString>) {
    PROGRAM.get_or_init(|| program);
}

/// The command that starts this program again.
#[cfg(feature = "explore")]
pub(super) fn program() -> Vec<OsString> {
    let own = || std::env::current_exe().map(|path| vec![path.into()]).unwrap_or_default();
    PROGRAM.get().cloned().unwrap_or_else(own)
}
