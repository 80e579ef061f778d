//! The headers, made by `diplomat-tool` from the sources and compared with those that are committed.
//!
//! `UPDATE_HEADERS=1 cargo test -p tensor-layout-capi headers` writes them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use diplomat_tool::DocsUrlGenerator;
use diplomat_tool::config::Config;

/// Texts by their paths below `include/`.
type Headers = BTreeMap<PathBuf, String>;

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The headers of a language, below `dir`.
fn generated(language: &str, dir: &str, lib_name: Option<&str>) -> Headers {
    let out = tempfile::tempdir().unwrap();
    let mut config = Config::default();
    config.shared_config.lib_name = lib_name.map(str::to_owned);
    let (entry, links) = (package().join("src/lib.rs"), DocsUrlGenerator::default());
    diplomat_tool::r#gen(&entry, language, out.path(), &links, config, true).unwrap();
    let files = read(out.path()).into_iter();
    files.map(|(path, text)| (Path::new(dir).join(path), tidied(&text))).collect()
}

/// Without the blanks and empty lines that templates leave.
fn tidied(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.dedup_by(|a, b| a.is_empty() && b.is_empty());
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// All files below a directory.
fn read(dir: &Path) -> Headers {
    let mut files = Headers::new();
    let mut open = vec![dir.to_owned()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => {
                    let text = fs::read_to_string(&path).unwrap();
                    files.insert(path.strip_prefix(dir).unwrap().to_owned(), text);
                }
            }
        }
    }
    files
}

/// A header that includes all headers of a language.
fn umbrella(headers: &Headers, guard: &str, extension: &str) -> String {
    let is_whole = |path: &&PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(extension) && !name.contains(".d.")
    };
    let includes = headers.keys().filter(is_whole);
    let includes: String = includes.map(|of| format!("#include \"{}\"\n", of.display())).collect();
    format!("#ifndef {guard}\n#define {guard}\n\n{includes}\n#endif // {guard}\n")
}

/// The documentation of each function of C, which diplomat gives to C++ alone.
fn documentation() -> BTreeMap<String, Vec<String>> {
    let mut documented = BTreeMap::new();
    for source in read(&package().join("src")).values() {
        let (mut handle, mut lines) = ("", Vec::new());
        for line in source.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("impl tl0_") {
                handle = rest.trim_end_matches(" {");
            } else if let Some(text) = line.strip_prefix("/// ") {
                lines.push(text.to_owned());
            } else if let Some((name, _)) =
                line.strip_prefix("pub fn ").and_then(|fun| fun.split_once(['(', '<']))
            {
                documented.insert(format!("tl0_{handle}_{name}"), std::mem::take(&mut lines));
            } else if !line.starts_with("#[") {
                lines.clear();
            }
        }
    }
    documented
}

/// The headers with a comment above each function.
fn documented(headers: Headers) -> Headers {
    let all = documentation();
    let comment = |line: &str| {
        let names = line.split(['(', ' ', '*']).filter(|word| word.starts_with("tl0_"));
        let text =
            names.filter_map(|name| all.get(name)).next().filter(|_| line.ends_with(");"))?;
        Some(format!("/* {} */\n", text.join("\n * ")))
    };
    let with_comments = |text: String| -> String {
        text.lines().map(|line| comment(line).unwrap_or_default() + line + "\n").collect()
    };
    headers.into_iter().map(|(path, text)| (path, with_comments(text))).collect()
}

fn all() -> Headers {
    let mut c = documented(generated("c", "tensor_layout/c", None));
    let mut cpp = generated("cpp", "tensor_layout", Some("tensor_layout"));
    let both = [
        ("tensor_layout.h", umbrella(&c, "TENSOR_LAYOUT_H", ".h")),
        ("tensor_layout.hpp", umbrella(&cpp, "TENSOR_LAYOUT_HPP", ".hpp")),
    ];
    c.append(&mut cpp);
    c.extend(both.map(|(path, text)| (path.into(), text)));
    c
}

#[test]
fn headers_are_those_of_the_sources() {
    let (made, include) = (all(), package().join("include"));
    if env::var_os("UPDATE_HEADERS").is_some() {
        let _ = fs::remove_dir_all(&include);
        for (path, text) in &made {
            let path = include.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }
    let committed = read(&include);
    let differ = |path: &&PathBuf| committed.get(*path) != made.get(*path);
    let other: Vec<&PathBuf> = made.keys().chain(committed.keys()).filter(differ).collect();
    assert!(
        other.is_empty(),
        "{other:?} are not those of the sources: UPDATE_HEADERS=1 cargo test -p tensor-layout-capi headers"
    );
}
