//! The programs on the pages: each is compiled and run, and prints the text behind it.

use std::path::Path;
use std::{env, fs};

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

/// Runs the programs of a page, linked with other libraries, too; the number of them, or `None` without a compiler.
fn run(page: &str, others: &[String]) -> Option<usize> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
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
        let compiler = compilers(&source).into_iter().next()?;
        let (_dir, program) = compiler.compile_with(&source, Linked::Statically, others);
        let (shown, expected) = &blocks[at + 1];
        assert_eq!((*shown, &output(&program, &[])), ("text", expected));
        ran += 1;
    }
    Some(ran)
}

#[test]
fn programs_on_the_page_print_what_it_shows() {
    assert!(run("cpp.md", &[]).is_none_or(|ran| ran == 2));
}

/// `CAPI_LLVM` is where LLVM has its `include` and `lib`.
#[test]
fn the_attribute_of_mlir_prints_what_the_page_shows() {
    let Ok(llvm) = env::var("CAPI_LLVM") else {
        return eprintln!("MLIR is skipped: CAPI_LLVM does not say where it is");
    };
    let flags = format!("-isystem {llvm}/include -L{llvm}/lib -Wl,-rpath,{llvm}/lib -lMLIR -lLLVM");
    let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
    assert_eq!(run("mlir.md", &flags), Some(1));
}
