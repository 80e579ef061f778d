//! Outputs that fail, files that appear only when they are complete, commands that are interrupted.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::files::save;
use crate::{command, refused, stdout};

const SMALL: &str = "((2:1))";
const ROWS: &str = "Addr,i0\n0,0\n1,1\n";

/// A table too large to wait for.
const ENDLESS: &str = "((1048576:1048576), (1048576:1))";

fn full_disk() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
    names.sort();
    names
}

#[test]
fn exit_codes_hold_where_nobody_can_read_the_reason() {
    let asked: [(&[&str], i32); 9] = [
        (&["locate", "((2:1),(3:", "1"], 2),
        (&["table", "((4:1"], 2),
        (&["table", "((4:1", "--json"], 2),
        (&["explain", "((4:1", "--json"], 2),
        (&["same", "((4:1", SMALL], 2),
        (&["same", SMALL, "((2:2))"], 1),
        (&["table", "--no-such-option"], 2),
        (&[], 2),
        // A note and the answer.
        (&["explain", "((2:1); B@[PE])"], 0),
    ];
    for (args, code) in asked {
        for stderr in [full_disk(), closed_pipe()] {
            let output = command(args).stderr(stderr).output().unwrap();
            assert_eq!(output.status.code(), Some(code), "{args:?}");
        }
    }
}

#[test]
fn an_answer_that_a_full_disk_does_not_take_is_a_failure() {
    let asked: [&[&str]; 9] = [
        &["--version"],
        &["--help"],
        &["help"],
        &["table", "--help"],
        &["table", SMALL],
        &["same", SMALL, SMALL],
        &["completions", "bash"],
        &["machines"],
        #[cfg(feature = "explore")]
        &["explore", "--port", "0"],
        #[cfg(not(feature = "explore"))]
        &["dtypes"],
    ];
    for args in asked {
        let output = command(args).stdout(full_disk()).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        let why = "error: standard output: No space left on device (os error 28)\n";
        assert_eq!(said, why, "{args:?}");
        // A reader that closed the pipe has read all it wanted.
        assert!(command(args).stdout(closed_pipe()).status().unwrap().success(), "{args:?}");
    }
}

#[test]
fn a_file_may_have_any_name_that_the_file_system_takes() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["x".repeat(243), "x".repeat(255), "テ".repeat(85)] {
        let path = dir.path().join(&name);
        stdout(&["table", SMALL, "-o", path.to_str().unwrap()]);
        assert_eq!(fs::read_to_string(&path).unwrap(), ROWS);
    }
    assert_eq!(names(dir.path()).len(), 3);
}

#[test]
fn a_refusal_names_the_path_that_was_typed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    save(&dir.path().join("a.npy"), "<u4", &[2], &[1, 2], 4);
    fs::write(path("file"), "").unwrap();
    symlink("itself", path("itself")).unwrap();
    let missing = "No such file or directory (os error 2)";
    for (name, why) in [
        ("nodir/x.csv", missing),
        (&*"x".repeat(256), "File name too long (os error 36)"),
        ("file/x.csv", "Not a directory (os error 20)"),
        ("itself", "Too many levels of symbolic links (os error 40)"),
    ] {
        let to = path(name);
        assert_eq!(refused(&["table", SMALL, "-o", &to]), format!("error: {to}: {why}\n"));
    }
    let to = path("nodir/x.npy");
    let said = refused(&["pack", &path("a.npy"), SMALL, "-o", &to]);
    assert_eq!(said, format!("error: {to}: {missing}\n"));
    for to in [path("file"), path("file/man")] {
        assert_eq!(refused(&["man", &to]), format!("error: {to}: not a directory\n"));
    }
}

#[test]
fn a_link_stays_and_what_it_points_to_is_made() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    // A link to a link whose target does not exist yet.
    symlink("second", path("first")).unwrap();
    symlink(path("table.csv"), path("second")).unwrap();
    for _ in 0..2 {
        stdout(&["table", SMALL, "-o", &path("first")]);
        assert!(fs::symlink_metadata(path("first")).unwrap().is_symlink());
        assert!(fs::symlink_metadata(path("table.csv")).unwrap().is_file());
        assert_eq!(fs::read_to_string(path("table.csv")).unwrap(), ROWS);
    }
    symlink("pages", path("man")).unwrap();
    stdout(&["man", &path("man/")]);
    assert!(fs::symlink_metadata(path("man")).unwrap().is_symlink());
    assert!(names(&dir.path().join("pages")).contains(&"tensor-layout-table.1".into()));
    assert_eq!(names(dir.path()), ["first", "man", "pages", "second", "table.csv"]);
}

#[test]
fn a_file_keeps_its_mode_and_one_that_may_not_be_written_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.csv");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let write = || stdout(&["table", SMALL, "-o", path.to_str().unwrap()]);
    let plain = dir.path().join("plain");
    File::create(&plain).unwrap();
    write();
    assert_eq!(mode(&path), mode(&plain));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o620)).unwrap();
    write();
    assert_eq!(mode(&path), 0o620);
    fs::write(&path, "before").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    // Root can write it anyway.
    if File::options().write(true).open(&path).is_err() {
        let said = refused(&["table", SMALL, "-o", path.to_str().unwrap()]);
        assert!(said.ends_with("table.csv: Permission denied (os error 13)\n"), "{said}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "before");
    }
}

#[test]
fn files_of_a_directory_appear_together_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    // An obstacle is found before the first page is renamed into place.
    fs::create_dir_all(path("man/tensor-layout-same.1")).unwrap();
    let said = refused(&["man", &path("man")]);
    let in_the_way = path("man/tensor-layout-same.1");
    assert_eq!(said, format!("error: {in_the_way}: is a directory\n"));
    assert_eq!(names(&dir.path().join("man")), ["tensor-layout-same.1"]);
    fs::remove_dir(in_the_way).unwrap();
    fs::write(path("man/other.1"), "").unwrap();
    stdout(&["man", &path("man")]);
    let pages = names(&dir.path().join("man"));
    assert!(pages.len() > 20 && pages.contains(&"other.1".into()), "{pages:?}");
    // Parts of one table are written into one directory, which the first part creates.
    for part in ["1/2", "2/2"] {
        let args = ["table", "((3_PE, 4:1))", "--partition-by", "PE", "--part", part];
        stdout(&[&args[..], &["-o", &path("a/b/parts")]].concat());
    }
    assert_eq!(names(&dir.path().join("a/b/parts")), ["PE=0", "PE=1", "PE=2"]);
    assert_eq!(names(&dir.path().join("a/b/parts/PE=1")), ["part-1.csv", "part-2.csv"]);
    assert_eq!(names(dir.path()), ["a", "man"]);
}

fn signal(child: &Child, name: &str) {
    let kill = format!("kill -{name} {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}

/// Waits for something that must happen soon, with a time limit.
fn soon(child: &mut Child, what: &str, mut came: impl FnMut(&mut Child) -> bool) {
    let start = Instant::now();
    while !came(child) {
        if start.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{what} never came");
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// The exit status of a command that receives signals after it has written `files` files.
fn stopped(args: &[&str], dir: &Path, files: usize, signals: &[&str]) -> ExitStatus {
    let mut child = command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    soon(&mut child, "a file", |_| count(dir) >= files);
    signals.iter().for_each(|name| signal(&child, name));
    soon(&mut child, "the end", |child| child.try_wait().unwrap().is_some());
    child.wait().unwrap()
}

/// The number of files below a directory while another process writes there.
fn count(dir: &Path) -> usize {
    let Ok(entries) = fs::read_dir(dir) else { return 0 };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.map(|path| if path.is_dir() { count(&path) } else { 1 }).sum()
}

/// True if the tests run under `nohup` or in the background of a script, where signals are ignored.
pub(crate) fn signals_are_ignored() -> bool {
    const HANDLED: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 14;
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() & HANDLED != 0
}

#[test]
fn a_command_that_is_stopped_leaves_nothing() {
    if signals_are_ignored() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let formats = ["csv", "jsonl", "npy"].into_iter();
    let formats = formats.chain(cfg!(feature = "arrow").then_some("arrow"));
    let formats = formats.chain(cfg!(feature = "parquet").then_some("parquet"));
    for format in formats {
        let to = path(&format!("table.{format}"));
        let kind = if format == "npy" { "npy-packed" } else { format };
        let args = ["table", ENDLESS, "--format", kind, "-o", &to];
        for name in ["INT", "TERM", "HUP"] {
            let ended = stopped(&args, dir.path(), 1, &[name]);
            assert_eq!((ended.code(), names(dir.path())), (Some(130), vec![]), "{format} {name}");
        }
    }
    // Ten of 65,536 parts, in a new directory and in an existing one.
    let layout = "((65536_PE, 256:256), (256:1))";
    for there in [false, true] {
        if there {
            fs::create_dir(path("parts")).unwrap();
            fs::write(path("parts/other"), "").unwrap();
        }
        let args = ["table", layout, "--partition-by", "PE", "-o", &path("parts")];
        let ended = stopped(&args, dir.path(), 10, &["INT"]);
        assert_eq!(ended.code(), Some(130));
        assert_eq!(count(dir.path()), usize::from(there));
        assert_eq!(names(dir.path()).len(), usize::from(there));
    }
    fs::remove_dir_all(path("parts")).unwrap();
    // Units of an image.
    let cells = vec![0; 1 << 20];
    save(&dir.path().join("a.npy"), "<u4", &[1 << 20], &cells, 4);
    let args = ["pack", &path("a.npy"), "((65536_PE, 16:1))", "-o", &path("image/")];
    let ended = stopped(&args, dir.path(), 11, &["TERM"]);
    assert_eq!((ended.code(), names(dir.path())), (Some(130), vec!["a.npy".to_owned()]));
}

#[test]
fn a_command_that_is_killed_leaves_no_partial_file_under_its_name() {
    if signals_are_ignored() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.csv");
    for name in ["KILL", "QUIT", "XCPU"] {
        stopped(&["table", ENDLESS, "-o", path.to_str().unwrap()], dir.path(), 1, &[name]);
        let left = names(dir.path()).remove(0);
        assert!(left.starts_with(".table.csv.") && left.ends_with(".part"), "{left}");
        fs::remove_file(dir.path().join(left)).unwrap();
        assert!(!path.exists());
    }
}

#[test]
fn a_signal_that_the_caller_ignores_stays_ignored() {
    if signals_are_ignored() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("table.csv").display().to_string();
    let table = command(&["table", ENDLESS, "-o", &path]);
    let mut nohup = Command::new("sh");
    nohup.args(["-c", "trap '' HUP; exec \"$@\"", "sh"]).arg(table.get_program());
    let mut child = nohup.args(table.get_args()).spawn().unwrap();
    soon(&mut child, "a file", |_| count(dir.path()) == 1);
    signal(&child, "HUP");
    signal(&child, "INT");
    soon(&mut child, "the end", |child| child.try_wait().unwrap().is_some());
    const INT: i32 = 2;
    assert_eq!(child.wait().unwrap().signal(), Some(INT));
}
