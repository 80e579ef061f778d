//! Imports, compared with the drawing in `docs/design.md`. Law: no file depends on itself through others, in any package, and
//! a module of the library depends only on modules that are drawn below or beside it.
//!
//! Imports are read as text. A name that a file re-exports counts as the file that defines it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use itertools::Itertools;

/// The path of a module, from the root of its package, which is empty.
type Module = Vec<String>;

#[derive(Default)]
struct Source {
    /// Paths that the code names, as written; those that it only re-exports are left out.
    needs: Vec<Vec<String>>,
    /// Names that the file imports or re-exports, with the paths they come from.
    imports: BTreeMap<String, Vec<String>>,
}

struct Package(BTreeMap<Module, Source>);

impl Package {
    fn read(src: &Path) -> Package {
        Package(files(src).iter().map(|file| (module(src, file), source(file))).collect())
    }

    /// Returns the module that defines `path`, as written in `module`; `None` if that is another package.
    fn definer(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => self.follow(Module::new(), rest),
            "self" => self.follow(module.clone(), rest),
            "super" => self.follow(parent(module)?, rest),
            name if self.0.contains_key(&child(module, name)) => self.follow(module.clone(), path),
            name if self.0[module].imports.contains_key(name) => self.follow(module.clone(), path),
            _ => None,
        }
    }

    /// Follows a path from a module on, through its children and imports.
    fn follow(&self, at: Module, path: &[String]) -> Option<Module> {
        let Some((name, rest)) = path.split_first() else { return Some(at) };
        let inside = child(&at, name);
        if name == "super" {
            return self.follow(parent(&at)?, rest);
        } else if self.0.contains_key(&inside) {
            return self.follow(inside, rest);
        }
        // An import that begins with its own name is from another package.
        let import = self.0.get(&at)?.imports.get(name).filter(|import| import[0] != *name);
        let further = import.and_then(|import| self.definer(&at, &[import, rest].concat()));
        further.or(Some(at))
    }

    /// Returns, for each module, the others that its code needs.
    fn arrows(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let needed = |(module, source): (&Module, &Source)| {
            let definers = source.needs.iter().filter_map(|path| self.definer(module, path));
            definers.filter(|definer| definer != module).collect()
        };
        self.0.iter().map(|each| (each.0, needed(each))).collect()
    }
}

fn parent(module: &Module) -> Option<Module> {
    module.split_last().map(|(_, parent)| parent.to_vec())
}

fn child(module: &Module, name: &str) -> Module {
    [module.as_slice(), &[name.to_owned()]].concat()
}

/// Returns all Rust files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder)
        .expect("a folder of sources")
        .map(|entry| entry.expect("an entry").path());
    let (folders, others): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
    let rust = others.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs"));
    rust.chain(folders.iter().flat_map(|folder| files(folder))).collect()
}

fn module(src: &Path, file: &Path) -> Module {
    let inside = file.strip_prefix(src).expect("a file of the package").with_extension("");
    let names =
        inside.iter().map(|name| name.to_str().expect("a name in ASCII").to_owned()).collect_vec();
    match names.last().map(String::as_str) {
        Some("mod" | "lib") => names[..names.len() - 1].to_vec(),
        _ => names,
    }
}

fn source(file: &Path) -> Source {
    let text = fs::read_to_string(file).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let mut tokens = tokens(code).into_iter().peekable();
    let (mut found, mut public) = (Source::default(), false);
    // The number of open braces, and that number outside each inline module around the token.
    let (mut open, mut inline) = (0, Vec::new());
    while let Some(token) = tokens.next() {
        match token {
            "pub" => {
                public = true;
                continue;
            }
            "(" | "crate" | "super" | "in" | ")" if public && tokens.peek() != Some(&"::") => {
                continue;
            }
            "{" => open += 1,
            "}" => {
                open -= 1;
                inline.pop_if(|outside| *outside == open);
            }
            "mod" => {
                tokens.next();
                inline.extend((tokens.peek() == Some(&"{")).then_some(open));
            }
            "use" if tokens.peek() != Some(&"<") => {
                let mut paths = Vec::new();
                tree(&mut tokens, &[], &mut paths);
                for (path, name) in paths {
                    let path = from_file(path, inline.len());
                    found.needs.extend((!public).then(|| path.clone()));
                    found.imports.insert(name, path);
                }
            }
            name if is_name(name) => {
                let mut path = vec![name.to_owned()];
                while tokens.next_if_eq(&"::").is_some() {
                    path.extend(tokens.next_if(|token| is_name(token)).map(str::to_owned));
                }
                found.needs.extend((path.len() > 1).then(|| from_file(path, inline.len())));
            }
            _ => {}
        }
        public = false;
    }
    assert_eq!((open, inline.len()), (0, 0), "{}: braces", file.display());
    found
}

/// Turns a path that is written inside so many inline modules into one from the module of the file.
fn from_file(mut path: Vec<String>, inline: usize) -> Vec<String> {
    let up = path.iter().take(inline).take_while(|name| *name == "super").count();
    if up > 0 {
        path.splice(..up, ["self".to_owned()]);
    }
    path
}

fn is_name(token: &str) -> bool {
    token.starts_with(|it: char| it == '_' || it.is_ascii_alphabetic())
}

/// Cuts code into names, `::` and single characters, without comments, texts and characters in quotes.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        if let Some(length) = skipped(rest) {
            rest = rest[length..].trim_start();
            continue;
        }
        let length = match first {
            _ if is_name(rest) => {
                rest.find(|it: char| it != '_' && !it.is_ascii_alphanumeric()).unwrap_or(rest.len())
            }
            _ if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// Returns the length of the comment, the text or the character in quotes that code begins with.
fn skipped(code: &str) -> Option<usize> {
    if code.starts_with("//") {
        return code.find('\n').or(Some(code.len()));
    }
    if let Some(raw) = code.strip_prefix("r#\"") {
        return raw.find("\"#").map(|end| 3 + end + 2);
    }
    let quote = code.chars().next().filter(|first| ['"', '\''].contains(first))?;
    let mut chars = code.char_indices().skip(1);
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            _ if char == quote => return Some(at + 1),
            // The name of a lifetime.
            _ if quote == '\'' && !code[at + char.len_utf8()..].starts_with('\'') => {
                return Some(1);
            }
            _ => {}
        }
    }
    None
}

/// Reads what `use` says after `prefix`: each path with the name that it gets.
fn tree<'a>(
    tokens: &mut Peekable<impl Iterator<Item = &'a str>>,
    prefix: &[String],
    paths: &mut Vec<(Vec<String>, String)>,
) {
    let mut path = prefix.to_vec();
    while let Some(token) = tokens.next_if(|token| !["}", ",", ";"].contains(token)) {
        match token {
            "::" => {}
            "{" => {
                while tokens.peek().is_some_and(|token| !["}", ";"].contains(token)) {
                    tree(tokens, &path, paths);
                    tokens.next_if_eq(&",");
                }
                tokens.next();
                return;
            }
            "as" => return paths.extend(tokens.next().map(|name| (path.clone(), name.to_owned()))),
            "self" if !prefix.is_empty() => {}
            name => path.push(name.to_owned()),
        }
    }
    let name = path.last().cloned().unwrap_or_default();
    paths.push((path, name));
}

/// Returns a way from a module back to itself, if there is one.
fn circle(arrows: &BTreeMap<&Module, BTreeSet<Module>>) -> Option<String> {
    arrows.keys().find_map(|&start| {
        let mut from = BTreeMap::<&Module, &Module>::new();
        let mut next = vec![start];
        while let Some(at) = next.pop() {
            for to in &arrows[at] {
                if from.contains_key(to) {
                    continue;
                }
                from.insert(to, at);
                next.push(to);
            }
        }
        from.contains_key(start).then(|| {
            let back = std::iter::successors(Some(start), |at| {
                from.get(at).copied().filter(|&at| at != start)
            });
            back.map(|module| module.join("::")).join(" is needed by ")
        })
    })
}

/// The sources of all packages; a published package has only its own.
fn packages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).into_iter().flatten();
    let members = crates.map(|entry| entry.expect("an entry").path());
    let all = [root.to_owned(), root.join("python")].into_iter().chain(members);
    all.map(|package| package.join("src")).filter(|src| src.exists()).collect()
}

#[test]
fn no_file_needs_itself_through_others() {
    for src in packages() {
        let package = Package::read(&src);
        let arrows = package.arrows();
        assert!(arrows.values().any(|to| !to.is_empty()), "{}: no import was read", src.display());
        assert_eq!(circle(&arrows), None, "{}", src.display());
    }
}

/// Returns the modules of the library as `docs/design.md` draws them, line by line from the top.
fn floors() -> Vec<Vec<&'static str>> {
    let page = include_str!("../docs/design.md");
    let library = page.split("the library, src/").nth(1).expect("the border of the library");
    let lines = library.lines().skip(1).take_while(|line| *line != "```");
    lines.map(modules_of_line).collect()
}

/// Returns the columns of a line but the last, which says what the modules are for.
fn modules_of_line(line: &str) -> Vec<&str> {
    let columns = line.split("  ").map(str::trim).filter(|column| !column.is_empty());
    let mut names = columns.map(|column| column.trim_end_matches('/')).collect_vec();
    names.pop();
    names
}

#[test]
fn modules_need_only_what_is_drawn_below_or_beside_them() {
    let package = Package::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let floors = floors();
    let floor = |module: &Module| floors.iter().position(|names| names.contains(&&*module[0]));
    let arrows = package.arrows();
    let mut rooms: BTreeMap<Module, BTreeSet<Module>> = BTreeMap::new();
    for (from, to) in arrows.iter().flat_map(|(from, all)| all.iter().map(move |to| (*from, to))) {
        let ([above, ..], [below, ..]) = (&from[..], &to[..]) else { continue };
        if above == below {
            continue;
        }
        let arrow = format!("{} needs {}", from.join("::"), to.join("::"));
        assert!(floor(to).is_some(), "{arrow}, which is not drawn");
        assert!(
            floor(from).is_none_or(|from| Some(from) <= floor(to)),
            "{arrow}, which is above it"
        );
        rooms.entry(vec![above.clone()]).or_default().insert(vec![below.clone()]);
        rooms.entry(vec![below.clone()]).or_default();
    }
    let rooms = rooms.iter().map(|(room, needed)| (room, needed.clone())).collect();
    assert_eq!(circle(&rooms), None);
}

/// A tree keeps a text as it is written: numbers are read, and nothing is computed from them.
#[test]
fn no_tree_needs_the_algebra() {
    let package = Package::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    let arrows = package.arrows();
    let is_tree = |module: &Module| match &module[..] {
        [room, .., file] => room == "text" && ["tree", "read"].contains(&file.as_str()),
        _ => false,
    };
    let trees = arrows.iter().filter(|(module, _)| is_tree(module)).collect_vec();
    assert!(trees.len() > 10, "{} trees", trees.len());
    for (tree, needed) in trees {
        let meaning =
            needed.iter().find(|to| ["algebra", "machine", "placement"].contains(&to[0].as_str()));
        assert_eq!(meaning, None, "{}", tree.join("::"));
    }
}

/// The library and what is built on it speak of their own calls; options belong to the command.
#[test]
fn no_message_of_a_library_names_an_option_of_the_command() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        ["src", "crates/hlo/src", "crates/picture/src", "crates/vectors/src", "python/src"];
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
