//! Imports, compared with the drawing in `docs/design.md`. Law: a room of the library (a folder or a file of `src/`) imports only from
//! rooms that are drawn below or beside it, and no two rooms import from one another. Borders between packages need no test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use itertools::Itertools;

/// Returns all Rust files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let (folders, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    rust.chain(folders.iter().flat_map(|folder| self::files(folder))).collect()
}

/// The code of a file without its tests and comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).join("\n")
}

/// The first names behind `prefix` in a text: of `crate::{a::B, C}` and `crate::d`, these are `a`, `C` and `d`.
fn names_behind<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let name = |path: &'t str| path.split(|c: char| c != '_' && !c.is_alphanumeric()).next();
    let after = text.split(prefix).skip(1);
    let paths = after.flat_map(|rest| match rest.strip_prefix('{') {
        Some(list) => {
            list.split('}').next().unwrap_or_default().split(',').map(str::trim).collect()
        }
        None => vec![rest],
    });
    paths.filter_map(name).collect()
}

/// Returns the rooms as `docs/design.md` draws them, floor by floor from the top.
fn floors() -> Vec<Vec<&'static str>> {
    let page = include_str!("../docs/design.md");
    let library = page.split("the library, src/").nth(1).expect("the border of the library");
    let lines = library.lines().skip(1).take_while(|line| *line != "```");
    lines.map(rooms_of_line).collect()
}

/// Returns the columns of a line but the last, which says what the rooms are for.
fn rooms_of_line(line: &str) -> Vec<&str> {
    let columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
    let mut names = columns.map(|column| column.trim_end_matches('/')).collect_vec();
    names.pop();
    names
}

#[test]
fn rooms_import_only_what_is_drawn_below_or_beside_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // Names that the front page re-exports, with their rooms.
    let front = code(&src.join("lib.rs"));
    let exports = front.split("pub use ").skip(1).filter_map(|export| export.split_once("::"));
    let exports: BTreeMap<&str, &str> = exports
        .flat_map(|(room, names)| {
            let names = names.split(';').next().unwrap_or_default().trim_matches(['{', '}']);
            names.split(',').map(move |name| (name.trim(), room))
        })
        .collect();
    let floors = floors();
    let floor = |room: &str| floors.iter().position(|rooms| rooms.contains(&room));
    let mut arrows = BTreeSet::new();
    for file in files(&src) {
        let room = file.strip_prefix(&src).unwrap().components().next().unwrap();
        let room = room.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        for name in names_behind(&code(&file), "crate::") {
            let below = exports.get(name).copied().unwrap_or(name);
            let Some(from) = floor(&room).filter(|_| below != room) else { continue };
            let to = floor(below).unwrap_or_else(|| panic!("{file:?} needs {below}: not drawn"));
            assert!(from <= to, "{} needs {below}, which is above it", file.display());
            arrows.insert((room.clone(), below.to_owned()));
        }
    }
    assert!(arrows.len() > floors.len(), "imports were read: {arrows:?}");
    let circle = arrows.iter().find(|(a, b)| arrows.contains(&(b.clone(), a.clone())));
    assert_eq!(circle, None, "two rooms that import from one another");
}

/// A tree keeps a text as it is written: numbers are read, and nothing is computed from them.
#[test]
fn no_tree_needs_the_algebra() {
    const MEANING: [&str; 6] =
        ["Layout", "Machine", "Placement", "algebra", "machine", "placement"];
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/text");
    let is_tree = |file: &PathBuf| file.ends_with("tree.rs") || file.ends_with("read.rs");
    let trees = files(&text).into_iter().filter(is_tree).collect_vec();
    assert!(trees.len() > 10, "{} trees", trees.len());
    for tree in trees {
        let code = code(&tree);
        let meaning = names_behind(&code, "crate::").into_iter().find(|to| MEANING.contains(to));
        assert_eq!(meaning, None, "{}", tree.display());
    }
}

/// The library and what is built on it speak of their own calls; options belong to the command.
#[test]
fn no_message_of_a_library_names_an_option_of_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [
        "src",
        "crates/code/src",
        "crates/hlo/src",
        "crates/show/src",
        "crates/plan/src",
        "crates/rows/src",
        "crates/vectors/src",
        "python/src",
    ];
    let is_option = |line: &str| {
        let mut options = line.match_indices("--").map(|(at, _)| &line[at + 2..]);
        let is_name = |rest: &str| rest.starts_with(|c: char| c.is_ascii_lowercase());
        options.any(|rest| is_name(rest) && !rest.starts_with("xla_"))
            || line.contains("`tensor-layout ")
    };
    for file in folders.iter().flat_map(|folder| files(&root.join(folder))) {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = code.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
        for line in lines {
            assert!(!is_option(line), "{}: {line}", file.display());
        }
    }
}
