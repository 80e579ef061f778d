//! The programs on the pages: each is compiled and run, and prints the text behind it.

use std::fs;
use std::path::Path;

use crate::programs::{Linked, compilers, output};

/// The blocks of code of a page: their language and their text.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let (mut blocks, mut inside) = (Vec::<(&str, String)>::new(), false);
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(_) if inside => inside = false,
            Some(language) => {
                inside = true;
                blocks.push((language, String::new()));
            }
            None if inside => {
                let last = blocks.last_mut().unwrap();
                last.1 += &format!("{line}\n");
            }
            None => {}
        }
    }
    blocks
}

#[test]
fn programs_on_the_page_print_what_it_shows() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cpp.md");
    let page = fs::read_to_string(path).unwrap();
    let blocks = blocks(&page);
    let mut ran = 0;
    for (at, (language, program)) in blocks.iter().enumerate() {
        if !["c", "cpp"].contains(language) {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join(format!("page.{language}"));
        fs::write(&source, program).unwrap();
        let Some(compiler) = compilers(&source).into_iter().next() else { return };
        let (_dir, program) = compiler.compile(&source, Linked::Statically);
        let (shown, expected) = &blocks[at + 1];
        assert_eq!((*shown, &output(&program, &[])), ("text", expected));
        ran += 1;
    }
    assert_eq!(ran, 2);
}
