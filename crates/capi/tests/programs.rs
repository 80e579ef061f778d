//! C and C++ programs, compiled as a compiler's own code is: without exceptions, without RTTI, with all warnings.
//!
//! Without a compiler they are skipped, and a line on stderr says so. `CAPI_SANITIZE=address` has the C++ side watched;
//! `UPDATE_OUTPUTS=1` writes the expected outputs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use tempfile::TempDir;

/// The directory of the libraries that the programs are linked with: that of this test.
fn libraries() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The way in which a program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Linked {
    Statically,
    Shared,
}

/// A compiler by its name, and the standard that it compiles for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiler {
    name: &'static str,
    standard: &'static str,
}

const C: [Compiler; 2] = [
    Compiler { name: "gcc", standard: "-std=gnu11" },
    Compiler { name: "clang", standard: "-std=gnu11" },
];
const CPP: [Compiler; 3] = [
    Compiler { name: "g++", standard: "-std=c++17" },
    Compiler { name: "g++", standard: "-std=c++20" },
    Compiler { name: "clang++", standard: "-std=c++17" },
];

/// The compilers for a source that this machine has; none is a line on stderr.
pub(crate) fn compilers(source: &Path) -> Vec<Compiler> {
    let known = if source.extension().is_some_and(|of| of == "c") { &C[..] } else { &CPP[..] };
    let is_there = |of: &&Compiler| Command::new(of.name).arg("--version").output().is_ok();
    let found: Vec<Compiler> = known.iter().filter(is_there).copied().collect();
    if found.is_empty() {
        eprintln!("{} is skipped: this machine has none of {known:?}", source.display());
    }
    found
}

impl Compiler {
    /// The program of a source, compiled; the directory is that of the executable.
    pub(crate) fn compile(self, source: &Path, linked: Linked) -> (TempDir, PathBuf) {
        self.compile_with(source, linked, &[])
    }

    /// A program that needs other libraries, too.
    pub(crate) fn compile_with(
        self,
        source: &Path,
        linked: Linked,
        others: &[String],
    ) -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("program");
        let mut command = Command::new(self.name);
        command.args([self.standard, "-O1", "-Wall", "-Wextra", "-Werror"]);
        if self.standard.starts_with("-std=c++") {
            command.args(["-fno-exceptions", "-fno-rtti"]);
        }
        if let Ok(sanitizer) = env::var("CAPI_SANITIZE") {
            command.arg(format!("-fsanitize={sanitizer}"));
        }
        command.arg("-I").arg(package().join("include")).arg(source).arg("-o").arg(&program);
        let libraries = libraries();
        match linked {
            Linked::Statically => command.arg(libraries.join("libtensor_layout_c.a")),
            Linked::Shared => {
                let path = format!("-Wl,-rpath,{}", libraries.display());
                command.arg("-L").arg(&libraries).args(["-ltensor_layout_c", &path])
            }
        };
        let said = command.args(others).args(["-lpthread", "-ldl", "-lm"]).output().unwrap();
        let errors = String::from_utf8_lossy(&said.stderr);
        assert!(said.status.success(), "{command:?}\n{errors}");
        (dir, program)
    }
}

/// The output of a program, which has to succeed.
pub(crate) fn output(program: &Path, arguments: &[&Path]) -> String {
    // Cargo's own path leads to the library of `cargo build`, which may be older.
    let mut command = Command::new(program);
    let said = command.args(arguments).env_remove("LD_LIBRARY_PATH").output().unwrap();
    let errors = String::from_utf8_lossy(&said.stderr);
    assert!(said.status.success(), "{program:?}: {}\n{errors}", said.status);
    assert_eq!(errors, "");
    String::from_utf8(said.stdout).unwrap()
}

/// Compares the output of a program with the text beside it.
fn prints_what_is_expected(source: &Path, compiler: Compiler, linked: Linked) {
    let expected = source.with_extension("txt");
    let (_dir, program) = compiler.compile(source, linked);
    let printed = output(&program, &[]);
    if env::var_os("UPDATE_OUTPUTS").is_some() {
        fs::write(&expected, &printed).unwrap();
    }
    assert_eq!(printed, fs::read_to_string(&expected).unwrap(), "{compiler:?} {linked:?}");
}

/// An example, by every compiler, with either library.
fn example(source: &str) {
    let source = package().join(source);
    for (at, compiler) in compilers(&source).into_iter().enumerate() {
        prints_what_is_expected(&source, compiler, Linked::Statically);
        if at == 0 {
            prints_what_is_expected(&source, compiler, Linked::Shared);
        }
    }
}

/// A program that is a test.
fn test(source: &str) {
    let source = package().join(source);
    if let Some(compiler) = compilers(&source).first() {
        prints_what_is_expected(&source, *compiler, Linked::Statically);
    }
}

#[test]
fn the_planner_in_cpp_finds_its_layout() {
    example("examples/planner.cpp");
}

#[test]
fn the_loader_in_c_moves_a_tensor_and_back() {
    example("examples/loader.c");
}

#[test]
fn what_has_no_answer_is_an_error_in_c() {
    test("tests/refusals.c");
}

#[test]
fn threads_share_handles() {
    test("tests/threads.cpp");
}
