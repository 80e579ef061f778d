//! Writes the pages of the guide for rustdoc, which copies no files: links between pages point to modules,
//! and the pictures are inlined.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The pages of `docs/` and the tutorial, which are modules of `src/guide.rs`.
const PAGES: &str = "tutorial notation xla xla-reference algebra relayout relayout-reference \
                     routes specs plan planner gpu access vectors vectors-reference sharding \
                     sharding-reference sharding-dumps sharding-plan testing compare design performance";

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    for name in PAGES.split(' ') {
        let folder = Path::new(if name == "tutorial" { "src/guide" } else { "docs" });
        let text = read(&folder.join(format!("{name}.md")))?;
        let page = out.join(format!("{}.md", name.replace('-', "_")));
        fs::write(page, for_rustdoc(&text, folder)?)?;
    }
    Ok(())
}

fn read(path: &Path) -> io::Result<String> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path)
}

/// Replaces the target in every `[words](target)` that is a page or a picture; for a page outside the guide,
/// the path remains.
fn for_rustdoc(text: &str, folder: &Path) -> io::Result<String> {
    let mut parts = text.split("](");
    let mut page = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(')').unwrap_or(part.len());
        let (target, rest) = part.split_at(end);
        if is_outside(target) {
            page.truncate(page.rfind('[').unwrap_or(page.len()));
            page += &format!("`{target}`{}", rest.strip_prefix(')').unwrap_or(rest));
            continue;
        }
        page += "](";
        page += &match module(target) {
            Some(module) => module,
            None if target.ends_with(".svg") => data_uri(&read(&folder.join(target))?),
            None => target.to_owned(),
        };
        page += rest;
    }
    Ok(page)
}

/// `sharding.md#the-notations-side-by-side` as rustdoc's `crate::guide::sharding#the-..`.
fn module(target: &str) -> Option<String> {
    let (page, heading) = target.split_at(target.find('#').unwrap_or(target.len()));
    let page = page.strip_suffix(".md")?;
    // The tutorial is in another folder than the pages.
    let page = page.strip_prefix("../../docs/").unwrap_or(page);
    let is_module = PAGES.split(' ').any(|name| name == page);
    is_module.then(|| format!("crate::guide::{}{heading}", page.replace('-', "_")))
}

/// True if a link points to a page that is not in the guide.
fn is_outside(target: &str) -> bool {
    let page = target.split('#').next().unwrap_or(target);
    page.ends_with(".md") && !page.contains(':') && module(target).is_none()
}

/// The picture itself as a link target (a data URI).
fn data_uri(svg: &str) -> String {
    let byte = |byte: u8| match byte {
        b'-' | b'.' | b'/' | b'=' | b':' | b',' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    "data:image/svg+xml,".to_owned() + &svg.bytes().map(byte).collect::<String>()
}
