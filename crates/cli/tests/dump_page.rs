//! The page for browsers about a dump: the names and numbers of the pages of text, in one well-formed file.

use std::fs;

use crate::commands::ROOT;
use crate::run;

fn printed(arguments: &[&str]) -> String {
    String::from_utf8(run(&[&["hlo"], arguments].concat()).stdout).unwrap()
}

/// The page of a dump, and what the command prints beside it.
fn page_of(arguments: &[&str]) -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("dump.html");
    let report = ["--report", file.to_str().unwrap()];
    let printed = printed(&[arguments, &report].concat());
    (fs::read_to_string(&file).unwrap(), printed)
}

fn assert_well_formed(page: &str) {
    let body = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let mut open = Vec::new();
    for part in body.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        match (tag.strip_prefix('/'), tag.ends_with('/')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name)),
            (None, true) => {}
            (None, false) => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert_eq!(open, [""; 0]);
    for entity in body.split('&').skip(1) {
        assert!(["amp;", "lt;", "gt;"].iter().any(|known| entity.starts_with(known)), "{entity}");
    }
    // Nothing comes from elsewhere, and nothing runs.
    assert!(!["src=", "<link", "<script", "url("].iter().any(|what| page.contains(what)));
}

/// The text of the page, cut where rows begin.
fn rows(page: &str) -> Vec<String> {
    let text = |row: &str| {
        let text = row.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text));
        let text = text.collect::<Vec<_>>().join(" ");
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    };
    page.split("<li>").map(text).collect()
}

#[test]
fn a_row_of_the_page_has_the_name_and_the_numbers_of_the_row_of_text() {
    for name in ["waste", "sharded", "reshard", "scan", "mlp", "before"] {
        let file = format!("{ROOT}/crates/hlo/tests/data/{name}.txt");
        let machine = ["--collectives", "HOST=2,CHIP=4", "--mesh", "data=2,model=4"];
        // These run on one device, or on as many as the mesh has.
        let (page, printed) = page_of(&[&[&*file], &machine[..]].concat());
        assert_well_formed(&page);
        let rows = rows(&page);
        let mut lines = printed.lines().map(str::to_owned).collect::<Vec<_>>();
        for option in [&[][..], &["--memory"], &["--copies"]] {
            let text = self::printed(&[&[&*file], option].concat());
            lines.extend(text.lines().map(str::to_owned));
        }
        for line in lines {
            let cells = line.split("  ").map(|cell| cell.trim().trim_end_matches(" in fusion"));
            let cells: Vec<&str> = cells.filter(|cell| cell.contains(char::is_numeric)).collect();
            let has = |row: &String| cells.iter().all(|cell| row.contains(cell));
            assert!(rows.iter().any(has), "{name}: {cells:?}");
        }
    }
}

#[test]
fn a_page_says_in_one_line_what_a_dump_does_not_have() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a.hlo");
    let dump = "HloModule m\nENTRY e {\n  a = f32[8]{0} parameter(0)\n  ROOT b = f32[8]{0} \
                negate(a), metadata={op_name=\"f(<b> & {STYLE}\"}\n  c = f32[3]{7} negate(a)\n}\n";
    fs::write(&file, dump).unwrap();
    let file = file.to_str().unwrap();
    let (page, printed) = page_of(&[file, "--json"]);
    assert_well_formed(&page);
    assert_eq!(printed, self::printed(&[file, "--json"]));
    for part in [
        "<p class=\"soft\">0 collectives in all: received 0 B, one sends 0 B</p>",
        "<p class=\"soft\">0 B read, 0 B written: all that is not free: 0 of 0</p>",
        "this module is not scheduled: which values are live together is not decided</p>",
        "f(&lt;b&gt; &amp; {STYLE}",
        "1 place could not be read\n  line 5: ",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
}

#[test]
fn the_dot_of_a_curve_is_where_the_curve_is_highest() {
    let file = format!("{ROOT}/crates/hlo/tests/data/waste.txt");
    let (page, _) = page_of(&[&file]);
    let curves: Vec<&str> = page.split("<svg ").skip(1).collect();
    assert_eq!(curves.len(), 3);
    for curve in curves {
        let after = |what: &str| curve.split(what).nth(1).unwrap().split('"').next().unwrap();
        let columns = after(" d=\"M0 1000V").strip_suffix("V1000z").unwrap();
        let heights: Vec<&str> = columns.split('V').collect();
        let first = heights.iter().position(|height| *height == "0h1").unwrap();
        assert_eq!(after("x1=\""), format!("{first}.5"));
        assert_eq!(after("viewBox=\""), format!("0 0 {} 1000", heights.len()));
    }
}

#[test]
fn collectives_are_summed_by_the_axes_of_the_mesh() {
    let file = format!("{ROOT}/crates/hlo/tests/data/waste.txt");
    let row = |arguments: &[&str], part: &str| {
        let (page, _) = page_of(&[&[&*file], arguments].concat());
        assert_well_formed(&page);
        let has = rows(&page).iter().any(|row| row.contains(part));
        (has, page.contains("Without a mesh, the bytes along"))
    };
    // Groups are 0..4 and 4..8: rows of the one mesh, two axes of the other.
    assert_eq!(row(&["--mesh", "data=2,model=4"], "along model, 6 runs"), (true, false));
    assert_eq!(row(&["--mesh", "a=2,b=2,c=2"], "along b and c, 6 runs"), (true, false));
    assert_eq!(row(&[], "along model"), (false, true));
}
