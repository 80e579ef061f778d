//! The documents: every `console` block is run, the list of commands matches the help, link targets exist,
//! and translations contain the commands of their pages. `UPDATE_DOCUMENTS=1` rewrites the outputs; review
//! them before committing.

use std::fs;
use std::path::{Path, PathBuf};

use crate::options::{commands, commands_of};
use crate::{command, stdout};

use crate::ROOT;

/// Every document that people read in a browser.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(ROOT);
    let folder = |name: &str| {
        let entries = fs::read_dir(root.join(name)).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|p| p.extension().is_some_and(|e| e == "md"))
    };
    let mut documents: Vec<PathBuf> =
        folder(".").chain(folder("docs")).chain(folder("docs/ja")).collect();
    documents.sort();
    documents
}

fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}

/// The terminal output of `$ tensor-layout ..`: standard output and standard error.
fn shown(line: &str) -> String {
    let words = words(line);
    assert_eq!(words[0], "tensor-layout", "{line}");
    let args: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    let output = command(&args).current_dir(ROOT).output().unwrap();
    let text =
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

/// The text with the current outputs of its `console` blocks, and the number of commands that ran.
fn run_blocks(text: &str) -> (String, usize) {
    let (mut written, mut ran, mut inside) = (String::new(), 0, false);
    for line in text.lines() {
        let ends = inside && line == "```";
        inside = (inside && !ends) || line == "```console";
        if inside && let Some(command) = line.strip_prefix("$ ") {
            written += &format!("{line}\n{}", shown(command));
            ran += 1;
        } else if !inside || line == "```console" {
            written += &format!("{line}\n");
        }
    }
    (written, ran)
}

fn same_or_update(path: &Path, fresh: &str) {
    if std::env::var_os("UPDATE_DOCUMENTS").is_some() {
        fs::write(path, fresh).unwrap();
    }
    let found = fs::read_to_string(path).unwrap_or_default();
    assert!(found == fresh, "{} is not what the command prints:\n{fresh}", path.display());
}

#[test]
fn every_console_block_shows_what_the_command_prints() {
    let mut commands = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        let (fresh, ran) = run_blocks(&text);
        same_or_update(&path, &fresh);
        commands += ran;
    }
    assert!(commands >= 50, "{commands} commands");
}

#[test]
fn outputs_in_documents_are_at_most_100_columns_wide() {
    for path in documents().iter().filter(|path| !path.ends_with("commands.md")) {
        let text = fs::read_to_string(path).unwrap();
        let mut inside = false;
        for line in text.lines() {
            inside = line == "```console" || (inside && line != "```");
            // Commands and layouts may be of any length; other lines are limited for 80-column pages.
            let is_text = line.starts_with(' ') && !line.contains("((");
            let wide = inside && is_text && line.chars().count() > 100;
            assert!(!wide, "{}: {line}", path.display());
        }
    }
}

/// The commands in a page that write a picture: `tensor-layout draw .. -o x.svg`, maybe over several lines.
fn drawn(text: &str) -> Vec<String> {
    let flat = text.replace('\n', " ");
    let commands = flat.split('`').filter(|part| part.starts_with("tensor-layout draw "));
    commands.filter(|part| part.ends_with(".svg")).map(str::to_owned).collect()
}

#[test]
fn the_pictures_of_a_page_are_made_by_the_commands_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for page in ["README.md", "docs/pictures.md"] {
        let text = fs::read_to_string(Path::new(ROOT).join(page)).unwrap();
        for line in drawn(&text) {
            let file = line.rsplit(' ').next().unwrap();
            let image = Path::new(ROOT).join("docs/img").join(file);
            if !text.contains(&format!("img/{file})")) {
                continue;
            }
            let args = words(&line)[1..].to_vec();
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let output = command(&args).current_dir(folder.path()).output().unwrap();
            assert!(output.status.success(), "{line}");
            let made = fs::read(folder.path().join(file)).unwrap();
            assert!(made == fs::read(image).unwrap(), "{line} does not make docs/img/{file}");
            count += 1;
        }
    }
    assert!(count >= 3, "{count} pictures");
}

/// A command and its subcommands.
fn with_inner(name: String) -> Vec<String> {
    let help = stdout(&[&name, "--help"]);
    let inner = if help.contains("\nCommands:\n") { commands_of(&[&name]) } else { Vec::new() };
    let inner = inner.into_iter().map(|inner| format!("{name} {inner}")).collect::<Vec<_>>();
    [vec![name], inner].concat()
}

#[test]
fn the_list_of_commands_is_the_help() {
    let mut page = String::from(
        "# Commands\n\nThis page is what `--help` prints; a test keeps it so. `tensor-layout man DIR` writes the same as \
         manual pages.\n\n```text\n",
    );
    page += &(stdout(&["--help"]).trim_end().to_owned() + "\n```\n");
    for name in commands().into_iter().flat_map(with_inner) {
        let help: Vec<&str> = name.split(' ').chain(["--help"]).collect();
        let help = stdout(&help);
        let help: String = help.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
        page += &format!("\n## {name}\n\n```text\n{}\n```\n", help.trim_end());
    }
    same_or_update(&Path::new(ROOT).join("docs/commands.md"), &page);
}

/// `[text](target)` outside code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.starts_with("```");
        let parts = line.split("](").skip(1).filter(|_| !code);
        links.extend(parts.filter_map(|part| part.split_once(')')).map(|(to, _)| to.to_owned()));
    }
    links
}

/// The anchors of the headings of a page, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let title = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-');
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The lines of Rust examples, with the number of each.
fn rust_lines(text: &str) -> Vec<(usize, &str)> {
    let mut inside = false;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        inside = line.starts_with("```rust") || (inside && *line != "```");
        inside
    });
    lines.collect()
}

#[test]
fn pages_show_nothing_that_only_rustdoc_understands() {
    let mut examples = 0;
    for path in documents() {
        let text = fs::read_to_string(&path).unwrap();
        // rustdoc hides lines that begin with `# `, and resolves paths; a browser does neither.
        for (number, line) in rust_lines(&text) {
            assert!(!line.starts_with("# Ok"), "{}:{}: {line}", path.display(), number + 1);
            examples += usize::from(line.starts_with("```rust"));
        }
        assert!(!text.contains("](crate::"), "{}", path.display());
    }
    assert!(examples >= 10, "{examples} examples");
}

#[test]
fn every_link_leads_to_a_file_and_its_heading() {
    let mut count = 0;
    for path in documents() {
        for link in links(&fs::read_to_string(&path).unwrap()) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", path.display());
            if !anchor.is_empty() {
                let found = anchors(&fs::read_to_string(&target).unwrap());
                assert!(found.iter().any(|a| a == anchor), "{}: {link}", path.display());
            }
            count += 1;
        }
    }
    assert!(count >= 30, "{count} links");
}

/// Reference pages may be as long as they need to be; so may those called `..-reference`.
const REFERENCES: [&str; 5] = ["algebra", "commands", "design", "notation", "performance"];

#[test]
fn pages_that_are_read_through_have_at_most_1500_words() {
    for path in documents() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_reference = REFERENCES.contains(&name) || name.ends_with("-reference");
        let words = fs::read_to_string(&path).unwrap().split_whitespace().count();
        assert!(is_reference || words <= 1500, "{}: {words} words", path.display());
    }
}

/// The levels of the headings outside code, and the commands inside code, including lines continued by a
/// backslash.
fn outline(text: &str) -> (Vec<usize>, Vec<&str>) {
    let (mut levels, mut commands) = (Vec::new(), Vec::new());
    let (mut code, mut continued) = (false, false);
    for line in text.lines() {
        let is_command = code && (continued || line.starts_with("$ "));
        if is_command {
            commands.push(line);
        } else if !code && line.starts_with('#') {
            levels.push(line.chars().take_while(|c| *c == '#').count());
        }
        continued = is_command && line.ends_with('\\');
        code ^= line.starts_with("```");
    }
    (levels, commands)
}

#[test]
fn translations_have_the_headings_and_commands_of_their_pages() {
    let root = Path::new(ROOT);
    let read = |path: &Path| {
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let mut compared = 0;
    for entry in fs::read_dir(root.join("docs/ja")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let (page, translation) = (read(&root.join("docs").join(name)), read(&path));
        let (levels, commands) = outline(&page);
        let (translated, shown) = outline(&translation);
        assert_eq!(translated, levels, "docs/ja/{name}: levels of headings");
        assert_eq!(shown, commands, "docs/ja/{name}: commands");
        assert!(page.contains(&format!("(ja/{name})")), "docs/{name} lacks its translation");
        assert!(translation.contains(&format!("(../{name})")), "docs/ja/{name} lacks its page");
        compared += 1;
    }
    assert!(compared >= 6, "{compared} translations");
}

/// The number of laws in a file of `tests/laws`, and the number of cases that they draw. A law is written
/// `name: cases, floor %, strategy, law;`, on one line or with the name on a line of its own.
fn laws_of(text: &str) -> (u64, u64) {
    let cases = |line: &str| -> Option<u64> {
        let numbers = line.split_once(": ").map_or(line, |(_, numbers)| numbers);
        let (cases, rest) = numbers.trim().split_once(", ")?;
        let (floor, _) = rest.split_once(" %,")?;
        let is_law = floor.parse::<u32>().is_ok();
        cases.replace('_', "").parse().ok().filter(|_| is_law)
    };
    let cases: Vec<u64> = text.lines().filter_map(cases).collect();
    (cases.len() as u64, cases.iter().sum())
}

/// `12345` as `12,345`.
fn with_comma(number: u64) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands},{rest:03}"),
    }
}

/// The rows of the table of laws: file, laws, cases; and their sum.
fn law_rows() -> String {
    let entries = fs::read_dir(Path::new(ROOT).join("tests/laws")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut rows, mut laws, mut cases) = (String::new(), 0, 0);
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("law_") {
            let (more, drawn) = laws_of(&fs::read_to_string(&path).unwrap());
            rows += &format!("| `{name}` | {more} | {} |\n", with_comma(drawn));
            laws += more;
            cases += drawn;
        }
    }
    rows + &format!("| together | {laws} | {} |\n", with_comma(cases))
}

#[test]
fn the_page_about_tests_counts_the_laws() {
    let path = Path::new(ROOT).join("docs/testing.md");
    let page = fs::read_to_string(&path).unwrap();
    let head = "| file | laws | cases |\n|---|---|---|\n";
    let (before, after) = page.split_once(head).unwrap();
    let old = after.lines().take_while(|line| line.starts_with('|'));
    let end: usize = old.map(|line| line.len() + 1).sum();
    same_or_update(&path, &format!("{before}{head}{}{}", law_rows(), &after[end..]));
}
