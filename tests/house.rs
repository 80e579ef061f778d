//! The house of `docs/design.md` as the code has it: no file needs itself through others, and no module needs one that
//! is drawn above it. Imports are read as text, in all packages; a name that a module passes on counts as the file it comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use itertools::Itertools;

/// The path of a module, from the root of its package, which is empty.
type Module = Vec<String>;

#[derive(Default)]
struct Source {
    /// Paths that the code names, as written; those that it only passes on are left out.
    needs: Vec<Vec<String>>,
    /// Names that the file imports or passes on, with the paths they come from.
    imports: BTreeMap<String, Vec<String>>,
}

struct Package(BTreeMap<Module, Source>);

impl Package {
    fn read(src: &Path) -> Package {
        Package(files(src).iter().map(|file| (module(src, file), source(file))).collect())
    }

    /// Returns the module that defines where `path` leads, as written in `module`; none if that is another package.
    fn definer(&self, module: &Module, path: &[String]) -> Option<Module> {
        let (mut at, rest) = match path.first()?.as_str() {
            "crate" => (Module::new(), &path[1..]),
            "self" => (module.clone(), &path[1..]),
            "super" => (module[..module.len().checked_sub(1)?].to_vec(), &path[1..]),
            child => {
                let inside = [module.as_slice(), &[child.to_owned()]].concat();
                let here =
                    self.0.contains_key(&inside) || self.0[module].imports.contains_key(child);
                (here.then(|| module.clone())?, path)
            }
        };
        for (depth, name) in rest.iter().enumerate() {
            if name == "super" {
                at.pop();
                continue;
            }
            let inside = [at.as_slice(), std::slice::from_ref(name)].concat();
            if self.0.contains_key(&inside) {
                at = inside;
            } else if let Some(alias) =
                self.0.get(&at)?.imports.get(name).filter(|path| path[0] != *name)
            {
                let from_here = [alias.as_slice(), &rest[depth + 1..]].concat();
                return self.definer(&at, &from_here).or(Some(at));
            } else {
                break;
            }
        }
        Some(at)
    }

    /// Returns, for each module, the others that its code needs.
    fn arrows(&self) -> BTreeMap<&Module, BTreeSet<Module>> {
        let needed = |(module, source): (&Module, &Source)| {
            source
                .needs
                .iter()
                .filter_map(|path| self.definer(module, path))
                .filter(|to| to != module)
                .collect()
        };
        self.0.iter().map(|each| (each.0, needed(each))).collect()
    }
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
        Some("mod" | "lib" | "main") => names[..names.len() - 1].to_vec(),
        _ => names,
    }
}

fn source(file: &Path) -> Source {
    let text = fs::read_to_string(file).expect("a source");
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let code = code.lines().map(|line| line.split("//").next().unwrap_or_default()).join("\n");
    let mut tokens = tokens(&code).into_iter().peekable();
    let (mut found, mut public) = (Source::default(), false);
    while let Some(token) = tokens.next() {
        match token {
            "pub" => {
                public = true;
                continue;
            }
            "(" | "crate" | "super" | "in" | ")" if public && tokens.peek() != Some(&"::") => {
                continue;
            }
            "use" => {
                let mut paths = Vec::new();
                tree(&mut tokens, &[], &mut paths);
                if !public {
                    found.needs.extend(paths.iter().map(|(path, _)| path.clone()));
                }
                found.imports.extend(paths.into_iter().map(|(path, name)| (name, path)));
            }
            name if is_name(name) => {
                let mut path = vec![name.to_owned()];
                while tokens.next_if_eq(&"::").is_some() {
                    path.extend(tokens.next_if(|token| is_name(token)).map(str::to_owned));
                }
                found.needs.extend((path.len() > 1).then_some(path));
            }
            _ => {}
        }
        public = false;
    }
    found
}

fn is_name(token: &str) -> bool {
    token.starts_with(|it: char| it == '_' || it.is_ascii_alphabetic())
}

/// Cuts code into names, `::` and single characters.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
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
