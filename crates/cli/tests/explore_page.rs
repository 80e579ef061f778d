//! The page at a glance: what is seen without scrolling, the colours and borders of both sides, and what is shared.

use serde_json::{Value, json};

use crate::explore::{Browser, Server};

const EMBEDDING: &str = "(151936,1536)/((25_Time:1, 3:1536, 8_L2B:1, 16_MAB:1, 4:1, 4:4), \
                         (96:16, 4_W:1, 4_PE:1); B@[L1B])";

/// The box of a node: left, top, right, bottom.
fn box_of(page: &mut Browser, selector: &str) -> [f64; 4] {
    let found = page.run(&format!(
        "(box => [box.left, box.top, box.right, box.bottom])(document.querySelector({selector:?}).getBoundingClientRect())"
    ));
    [0, 1, 2, 3].map(|at| found[at].as_f64().unwrap())
}

fn resize(page: &mut Browser, width: u32, height: u32) {
    let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
    page.call("Emulation.setDeviceMetricsOverride", size);
}

#[test]
fn tensor_machine_and_answer_are_seen_without_scrolling() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    for (layout, machine) in [
        ("(10,7)/((3:7, 4_PE), (7:1))", "L2B=2,PE=4"),
        (EMBEDDING, "mn-core-2"),
        ("((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))", "mn-core"),
    ] {
        let server = Server::start(&[layout, "--machine", machine]);
        resize(&mut page, 1280, 900);
        page.open(&server.address);
        let (tensor, machine) = (box_of(&mut page, "#tensor"), box_of(&mut page, "#units"));
        let answer = box_of(&mut page, "#status");
        // Side by side, and above the answer at the bottom of the window.
        assert!(tensor[2] <= machine[0] && answer[3] <= 900.0, "{tensor:?} {machine:?} {answer:?}");
        assert!(tensor[3] <= answer[1] && machine[3] <= answer[1], "{tensor:?} {machine:?}");
        resize(&mut page, 360, 800);
        page.open(&server.address);
        let (tensor, answer) = (box_of(&mut page, "#tensor"), box_of(&mut page, "#status"));
        assert!(tensor[3] <= answer[1], "{tensor:?} {answer:?}");
        assert_eq!(page.run("document.documentElement.scrollWidth <= innerWidth"), true);
    }
    // A comparison has its place.
    resize(&mut page, 1280, 900);
    let server =
        Server::start(&["((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))", "--machine", "PE=4"]);
    page.open(&server.address);
    let [before, after] =
        [1, 2].map(|at| box_of(&mut page, &format!("#pair section:nth-child({at}) .pane")));
    assert!(before[2] <= after[0] && after[3] <= 900.0, "{before:?} {after:?}");
}

#[test]
fn borders_and_colours_have_one_meaning_on_both_sides() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let layout = "((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))";
    let server = Server::start(&[layout, "--machine", "mn-core"]);
    page.open(&server.address);
    let colors =
        "['tensor', 'machine'].map(side => document.getElementById(side + '-colors').textContent)";
    assert_eq!(page.run(colors), json!(["coloured by L2B", "coloured by L2B"]));
    // Another L2B below a cell of the tensor is at depth 0, another L1B beside one of the machine at depth 1.
    let has = |page: &mut Browser, selector: &str| {
        page.run(&format!("Boolean(document.querySelector('{selector}'))"))
    };
    assert_eq!(has(&mut page, "#tensor [data-at=\"0\"].below0"), true);
    assert_eq!(has(&mut page, "#units [data-at=\"0\"].right1"), true);
    page.click("#tensor [data-at='0']");
    page.wait(&format!("({colors}).join() === 'coloured by L1B,coloured by L1B'"));
}

#[test]
fn an_instruction_is_shown_by_its_result_and_says_so() {
    let name = "SM80_16x8x16_F32F16F16F32_TN";
    let server = Server::start(&[name]);
    let found = server.view(&json!({ "layout": name }));
    let result = server.view(&json!({ "layout": format!("{name}:C") }));
    assert_eq!(found["tensor"], result["tensor"]);
    assert_eq!(found["tensor"]["cells"][0]["label"], "T0\nV0");
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.contains(&format!("`{name}:A`")), "{note}");
}

#[test]
fn what_is_shared_is_the_picture_and_the_page() {
    let server = Server::start(&[]);
    let question =
        json!({ "layout": "(8,64):(64,1)", "after": "S<3,3,3> o 0 o (8,64):(64,1)", "by": "bank" });
    let shared = |what: &str| -> Value { server.ask(&json!({ what: question })).1[what].clone() };
    let picture = shared("picture");
    let drawn = crate::stdout(&[
        "draw",
        "(8,64):(64,1)",
        "S<3,3,3> o 0 o (8,64):(64,1)",
        "--by",
        "bank",
        "--format",
        "svg",
    ]);
    assert_eq!(picture.as_str(), Some(&*drawn));
    let page = shared("page");
    let answers = crate::explore_links::embedded(page.as_str().unwrap());
    assert_eq!(answers["question"]["by"], "bank");
}

#[test]
fn a_page_in_a_file_offers_nothing_that_needs_a_server() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let file = dir.path().join("x.html");
    crate::stdout(&["draw", "((4_PE, 3:8), (8:1))", "-o", file.to_str().unwrap()]);
    page.open(&format!("file://{}", file.display()));
    let seen = "[...document.querySelectorAll('.live')].filter(node => node.getClientRects().length).length";
    assert_eq!(page.run(seen), 0);
    let alive = "[...document.querySelectorAll('header input, header textarea, #options input[type=text]')].filter(node => !node.disabled).length";
    assert_eq!(page.run(alive), 0);
    // By keys, a digit of a page with a server says how it is moved; here it says what it does.
    page.run("document.querySelector('.digit').focus()");
    let status = page.run("document.getElementById('status').textContent");
    assert!(!status.as_str().unwrap().contains("Shift"), "{status}");
    let server = Server::start(&["((4_PE, 3:8), (8:1))"]);
    page.open(&server.address);
    page.run("document.querySelector('.digit').focus()");
    page.wait("document.getElementById('status').textContent.includes('Shift and')");
}
