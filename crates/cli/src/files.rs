//! Files and directories that appear under their names only when they are complete.
//!
//! A file is written under a hidden name beside its final one. Files of a directory are written in a
//! hidden directory and renamed together; only a signal that cannot be caught interrupts the renaming.
//! An output path that is a link stays a link: its target is replaced or created.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{TempDir, TempPath};

use super::failure::Failure;
use super::interrupt::{Unfinished, uninterrupted};

fn failed(path: &Path, error: io::Error) -> Failure {
    Failure::Io(path.display().to_string(), error)
}

/// The name of a file that is not complete.
pub(super) struct UnfinishedFile {
    hidden: TempPath,
    path: PathBuf,
    _guard: Unfinished,
}

impl UnfinishedFile {
    /// Creates a file that will replace the one at `path`, if any. An existing file must be writable, as
    /// for the `>` of a shell; the new file gets its mode.
    pub(super) fn new(path: &Path) -> io::Result<(File, UnfinishedFile)> {
        let old = writable(path)?;
        // The kernel resolves links to existing files; only dangling links are followed here.
        let path = if old.is_some() { fs::canonicalize(path)? } else { named(path) };
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let make = || {
            let prefix = prefix(&path);
            let mut builder = tempfile::Builder::new();
            let builder = builder.prefix(&prefix).suffix(SUFFIX);
            builder.make_in(parent.unwrap_or(Path::new(".")), |path| File::create_new(path))
        };
        let (made, guard) = Unfinished::make(make, |made| made.path())?;
        let (file, hidden) = made.into_parts();
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        Ok((file, UnfinishedFile { hidden, path, _guard: guard }))
    }

    /// Gives the file its name.
    pub(super) fn finish(self) -> io::Result<()> {
        self.hidden.persist(&self.path).map_err(|error| error.error)
    }
}

/// Files of a directory that get their names together: all of them or, on Ctrl-C, none.
pub(super) struct Files {
    hidden: TempDir,
    /// The path as the user wrote it.
    said: PathBuf,
    dir: PathBuf,
    _guard: Unfinished,
}

impl Files {
    /// Files below `path`, which need not exist. They are written in the directory itself or, so that an
    /// interrupted command leaves no empty directory, in its nearest existing ancestor.
    pub(super) fn new(path: &Path) -> Result<Files, Failure> {
        if path == Path::new("-") {
            let why = "several files do not go to standard output".to_owned();
            return Err(Failure::Advised(why, "give the name of a folder".into()));
        }
        // A link can only be read without a trailing slash.
        let dir = named(&path.components().collect::<PathBuf>());
        let above = dir.ancestors().filter(|above| !above.as_os_str().is_empty());
        let home = above.into_iter().find(|above| above.exists()).unwrap_or(Path::new("."));
        if !home.is_dir() {
            return Err(failed(path, io::ErrorKind::NotADirectory.into()));
        }
        let make = || {
            let mut builder = tempfile::Builder::new();
            builder.prefix(&prefix(&dir)).suffix(SUFFIX).tempdir_in(home)
        };
        let made = Unfinished::make(make, TempDir::path);
        // The error of the hidden directory is reported with the path that the user gave.
        let (hidden, guard) = made.map_err(|error| failed(path, error.kind().into()))?;
        Ok(Files { hidden, said: path.into(), dir, _guard: guard })
    }

    /// Creates files in the hidden directory. Signals wait meanwhile: their handler could not remove a
    /// directory that is being filled.
    pub(super) fn fill<T>(&self, fill: impl FnOnce(&Path) -> T) -> T {
        uninterrupted(|| fill(self.hidden.path()))
    }

    /// A new file of the directory, and its name as the user will see it.
    pub(super) fn file(&self, name: &Path) -> Result<(File, PathBuf), Failure> {
        let open = |dir: &Path| {
            let path = dir.join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            File::create(path)
        };
        let said = self.said.join(name);
        let file = self.fill(open).map_err(|error| failed(&said, error))?;
        Ok((file, said))
    }

    /// Gives all files their names; other files of an existing directory stay.
    pub(super) fn finish(self) -> Result<(), Failure> {
        self.fill(|hidden| {
            if !self.dir.is_dir() {
                let made = self.dir.parent().map_or(Ok(()), fs::create_dir_all);
                let renamed = made.and_then(|()| fs::rename(hidden, &self.dir));
                // Another process that writes another part of the table may have created it.
                if renamed.is_ok() || !self.dir.is_dir() {
                    return renamed.map_err(|error| failed(&self.said, error));
                }
            }
            // Errors that can be found in advance are reported before the first file has its name.
            each_file(hidden, &self.said, &mut |_, name| writable(name).map(|_| ()))?;
            each_file(hidden, &self.said, &mut |file, name| fs::rename(file, name))
        })
    }
}

const SUFFIX: &str = ".part";

/// `.table.csv.` of `.table.csv.Ab12Cd.part`: it includes the final name, and is never too long for a
/// file system that accepts that name.
fn prefix(path: &Path) -> String {
    // A character has at most 4 bytes; names have at most 255, with the digits and the suffix.
    const MOST_CHARACTERS: usize = 48;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!(".{}.", name.chars().take(MOST_CHARACTERS).collect::<String>())
}

/// The metadata of a file that may be replaced; `None` if nothing exists at the path.
fn writable(path: &Path) -> io::Result<Option<fs::Metadata>> {
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Ok(old) if old.is_file() => File::options().write(true).open(path).map(|_| Some(old)),
        Ok(old) if old.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
        Err(error) => Err(error),
    }
}

/// The path to which the links of `path` resolve, which may not exist yet.
fn named(path: &Path) -> PathBuf {
    // The number of links that the kernel follows; it rejects longer chains itself.
    const MOST_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(link) = fs::read_link(&path) else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    path
}

/// Visits all files below `from` with their paths below `to`, and creates its directories.
fn each_file(
    from: &Path,
    to: &Path,
    visit: &mut dyn FnMut(&Path, &Path) -> io::Result<()>,
) -> Result<(), Failure> {
    for entry in fs::read_dir(from).map_err(|error| failed(to, error))? {
        let entry = entry.map_err(|error| failed(to, error))?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() {
            fs::create_dir_all(&to).map_err(|error| failed(&to, error))?;
            each_file(&from, &to, visit)?;
        } else {
            visit(&from, &to).map_err(|error| failed(&to, error))?;
        }
    }
    Ok(())
}
