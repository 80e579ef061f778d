//! The links within the page: digits, cells, formula and code; the film; the example pages; keyboard use.

use std::time::Instant;

use serde_json::{Value, json};
use tensor_layout::{Machine, Placement};
use tensor_layout_show::{Drawing, Film};

use crate::explore::{Browser, Server};

const LIT: &str =
    "(box => [...document.querySelectorAll(box + ' .lit')].map(node => Number(node.dataset.at)))";

#[test]
fn a_digit_lights_the_cells_that_differ_in_it_alone_and_its_line_of_code() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let server = Server::start(&["(10,7)/((3:7, 4_PE), (7:1))", "--machine", "PE=4"]);
    page.open(&server.address);
    let chips =
        "[...document.querySelectorAll('.digit')].map(node => node.children[1].textContent)";
    let terms = ["Addr += 7 x (i0 / 4)", "PE += 1 x (i0 % 4)", "Addr += 1 x (i1)"];
    assert_eq!(page.run(chips), json!(terms));

    // Rows 0, 4 and 8 of column 0 differ in the first digit alone: addresses 0, 7 and 14 of PE 0.
    page.hover(".digit:nth-of-type(1)");
    page.wait(&format!("{LIT}('#tensor').length === 3"));
    assert_eq!(page.run(&format!("{LIT}('#tensor')")), json!([0, 28, 56]));
    assert_eq!(page.run(&format!("{LIT}('#units')")), json!([0, 7, 14]));
    let line = "[...document.querySelectorAll('#code .lit')].map(node => node.dataset.to)";
    assert_eq!(page.run(line), json!(["Addr"]));

    // A line of code highlights the digits that it uses.
    page.hover("#code [data-to='PE']");
    page.wait("document.querySelectorAll('.digit.lit').length === 1");
    assert_eq!(page.run(&format!("{LIT}('#tensor')")), json!([0, 7, 14, 21]));

    // The results of MLIR and the terms of isl do so too.
    for (language, terms) in [
        ("MLIR", ["d0 mod 4", " (d0 floordiv 4) * 7 + d1"]),
        ("isl", ["PE = i0 mod 4", "Addr = floor(i0/4) * 7 + i1 }"]),
    ] {
        page.run(&format!("{{ const name = document.getElementById('code-name'); name.value = '{language}'; name.dispatchEvent(new Event('change')); }}"));
        let parts =
            "[...document.querySelectorAll('#code [data-to]')].map(node => node.textContent)";
        assert_eq!(page.run(parts), json!(terms));
        page.hover("#code [data-to='Addr']");
        page.wait("document.querySelectorAll('.digit.lit').length === 2");
    }

    // A cell shows the values of its digits: row 9 is 2 x 4 + 1.
    page.hover("#tensor [data-at='65']");
    let values = "[...document.querySelectorAll('.digit .value')].map(node => node.textContent)";
    page.wait(&format!("({values}).join() === '= 2,= 1,= 2'"));
    // Keys move a digit: 3:7 moves to the position of 4_PE, and back.
    page.run("document.querySelectorAll('.digit')[0].focus()");
    let shift = json!({ "type": "keyDown", "key": "ArrowRight", "modifiers": 8 });
    page.call("Input.dispatchKeyEvent", shift);
    page.wait("document.getElementById('layout').value.includes('((4_PE:1, 3:7)')");
    page.wait(&format!("({chips})[1] === 'Addr += 7 x (i0 % 3)'"));
    page.run("document.getElementById('undo').click()");
    page.wait(&format!("({chips})[0] === 'Addr += 7 x (i0 / 4)'"));
    // Keys transfer a factor from its neighbour, and arrows return it; cells glide to their new positions.
    page.run("document.querySelectorAll('.digit')[0].focus()");
    let up = json!({ "type": "keyDown", "key": "ArrowUp", "modifiers": 8 });
    page.call("Input.dispatchKeyEvent", up);
    page.wait("document.getElementById('layout').value === '(10,7)/((6:7, 2_PE:1), (7:1))'");
    // The text changes immediately, the digits once the answer arrives.
    page.wait(&format!("({chips})[0] === 'Addr += 7 x (i0 / 2)'"));
    page.wait("document.activeElement === document.querySelectorAll('.digit')[0]");
    page.drag(".digit .size", 40.0);
    page.wait("document.getElementById('layout').value === '(10,7)/((3:7, 4_PE:1), (7:1))'");
    page.wait("document.querySelectorAll('#units [data-element]').length === 70");
    // A glide may end before a slow test looks, so glides are counted.
    page.run("{ window.glides = 0; const animate = Element.prototype.animate; Element.prototype.animate = function (...all) { window.glides += 1; return animate.apply(this, all); }; }");
    page.run("{ const layout = document.getElementById('layout'); layout.value = '(10,7)/((3:7, 4_PE:1), (7:2))'; layout.dispatchEvent(new Event('input')); }");
    page.wait("window.glides > 0");
    for (width, scheme) in [(1280, "light"), (1280, "dark"), (360, "light"), (3840, "light")] {
        page.screenshot("links", width, scheme);
    }
}

#[test]
fn digits_are_coloured_in_the_text_itself() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let server = Server::start(&["(10,7)/((3:7, 4_PE), (7:1))", "--machine", "PE=4"]);
    page.open(&server.address);
    let colored =
        "[...document.querySelectorAll('#over .digit')].map(node => node.firstChild.textContent)";
    assert_eq!(page.run(colored), json!(["3:7", "4_PE", "7:1"]));
    assert_eq!(page.run("document.getElementById('digits').textContent"), "");
    // Letter by letter: both are the same text in the same font and box, and no line of it is hidden.
    let over_it = "(() => { const [text, over] = ['layout', 'over'].map(id => document.getElementById(id)), style = node => { \
         const { font, lineHeight, paddingLeft, whiteSpace, overflowWrap, wordBreak } = getComputedStyle(node); \
         return [font, lineHeight, paddingLeft, whiteSpace, overflowWrap, wordBreak, node.clientWidth, node.clientHeight].join(); }; \
         const letters = [...over.childNodes].map(node => node.className === 'digit' ? node.firstChild.textContent : node.textContent).join(''); \
         return letters === text.value + '\\u200b' && style(text) === style(over) && text.scrollHeight <= text.clientHeight; })()";
    assert_eq!(page.run(over_it), true);
    // A click writes inside a digit, Enter on a digit selects it.
    let selected = "(({ selectionStart, selectionEnd, id }) => [id, selectionStart, selectionEnd])(document.activeElement)";
    page.click("#over [data-digit='1']");
    let caret = page.run(selected);
    assert_eq!(caret[0], "layout");
    assert!((14..=18).contains(&caret[1].as_u64().unwrap()) && caret[1] == caret[2], "{caret}");
    page.run("document.querySelector(\"#over [data-digit='2']\").focus()");
    page.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": "Enter" }));
    assert_eq!(page.run(selected), json!(["layout", 22, 25]));
    // Digits before and after an edit keep their colours at once, before there is an answer.
    page.run("{ const layout = document.getElementById('layout'); layout.value = '(10,7)/((3:7, 4_PE:1), (7:1))'; layout.dispatchEvent(new Event('input')); }");
    assert_eq!(page.run(colored), json!(["3:7", "4_PE", "7:1"]));
    page.wait(&format!("({colored})[1] === '4_PE:1'"));
    // Lines: an answer has none, and a long text wraps in both.
    page.run("document.getElementById('layout').select()");
    let long = "((2:96, 3:32, 2:16, 4_PE),\n(2:8, 4:2, 2:1))";
    page.call("Input.insertText", json!({ "text": long }));
    page.wait(&format!("({colored}).length === 7"));
    let narrow = json!({ "width": 330, "height": 900, "deviceScaleFactor": 1, "mobile": false });
    page.call("Emulation.setDeviceMetricsOverride", narrow);
    page.wait("document.getElementById('layout').clientHeight > 60");
    page.wait(over_it);
    assert_eq!(page.run("document.getElementById('layout').value"), long.replace('\n', " "));
    // CuTe does not write its digits: they are below its text.
    page.type_into("layout", "(4,8):(8,1)");
    page.wait("document.querySelectorAll('#digits .digit').length === 2");
    assert_eq!(page.run(colored), json!([]));
    page.wait(over_it);
}

#[test]
fn a_film_stands_where_the_slider_is() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let server = Server::start(&["((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))"]);
    page.open(&server.address);
    page.run("document.getElementById('film-box').open = true");
    page.wait("document.querySelector('#film-picture div')?.shadowRoot.querySelectorAll('.e').length === 96");
    let times = "new Set(film.moves.map(move => Math.round(move.currentTime / move.effect.getTiming().duration * 1000)))";
    page.run("{ const at = document.getElementById('film-at'); at.value = 500; at.dispatchEvent(new Event('input')); }");
    assert_eq!(page.run(&format!("[...{times}]")), json!([485]));
    page.screenshot("film", 1280, "light");
    // An element that flies lights its cells in both layouts and in both memories.
    page.run("film.moves.length && [...document.querySelector('#film-picture div').shadowRoot.querySelectorAll('.e')].find(node => node.textContent === '5,3').dispatchEvent(new PointerEvent('pointerenter'))");
    let lit = "[...document.querySelectorAll('#pair .lit')].map(node => node.dataset.of)";
    let cells = page.run(lit);
    assert!(cells.as_array().unwrap().len() >= 4, "{cells}");
    assert!(cells.as_array().unwrap().iter().all(|of| of == r#"[["5","6"],["3","4"]]"#), "{cells}");
    page.run("document.getElementById('film-save').click()");
    let file = dir.path().join("film.svg");
    let is_saved = || std::fs::read_to_string(&file).is_ok_and(|svg| svg.ends_with("</svg>"));
    let waited = std::time::Instant::now();
    while !is_saved() && waited.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let saved = std::fs::read_to_string(&file).unwrap();
    let own = film_of("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))").to_svg();
    assert!(saved.starts_with("<svg xmlns=") && saved.contains("@keyframes"));
    assert_eq!(saved.matches("class=\"e ").count(), own.matches("class=\"e ").count());
    // A still of the library is what the browser shows at its second; times of style sheets have a digit less.
    let film = film_of("((4_PE, 3:8), (8:1))", "((12:2), (4_PE, 2:1))");
    for share in [0.1, 0.2, 0.3, 0.5, 0.6, 0.75, 1.0] {
        let second = share * film.seconds();
        page.run(&format!("for (const move of film.moves) {{ move.pause(); move.currentTime = {second} * 1000 - 0.001; }}"));
        let shown = page.run(
            "[...document.querySelector('#film-picture div').shadowRoot.querySelectorAll('.e')]\
             .map(node => new DOMMatrix(getComputedStyle(node).transform)).map(at => [at.e, at.f])",
        );
        let still = film.still(second);
        let still: Vec<&str> = still
            .lines()
            .filter_map(|line| line.split_once("class=\"e\" transform=\"translate("))
            .map(|(_, at)| at.split_once(')').unwrap().0)
            .collect();
        assert_eq!(still.len(), 96);
        for (at, shown) in still.iter().zip(shown.as_array().unwrap()) {
            for (at, shown) in at.split(' ').zip(shown.as_array().unwrap()) {
                let (at, shown) = (at.parse::<f64>().unwrap(), shown.as_f64().unwrap());
                assert!((at - shown).abs() <= 4.0, "{share}: {at}, but {shown} in the browser");
            }
        }
    }
}

fn film_of(before: &str, after: &str) -> Film {
    let machine: Machine = "PE=4".parse().unwrap();
    let on = |text: &str| Placement::of(text.parse().unwrap()).on(&machine).build().unwrap();
    let (before, after) = (on(before), on(after));
    Drawing::new(&before).film(&[&Drawing::new(&after)]).unwrap()
}

#[test]
fn the_pages_of_the_examples_need_no_server() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let pages = dir.path().join("pages");
    crate::stdout(&["explore", "--export", pages.to_str().unwrap()]);
    page.open(&format!("file://{}/index.html", pages.display()));
    let links = page.run("[...document.querySelectorAll('#examples a')].map(node => node.href)");
    let links: Vec<Value> = links.as_array().unwrap().clone();
    assert!(links.len() > 6, "{links:?}");
    for link in links {
        page.open(link.as_str().unwrap());
        // Two layouts are compared in the place of one.
        let compared = page.run("!document.getElementById('pair-box').hidden") == true;
        let shown = if compared { "#pair section" } else { "#tensor" };
        let cells = format!("document.querySelectorAll('{shown} .cell').length");
        assert!(page.run(&cells).as_u64() > Some(3));
        page.hover(&format!("{shown} .cell.element"));
        page.wait(&format!(
            "document.querySelector('{shown}').querySelectorAll('.lit').length === 1"
        ));
        page.wait("document.getElementById('code').textContent.length > 20");
    }
}

#[test]
fn keys_alone_lead_into_a_block_and_out() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let server =
        Server::start(&["((16_L2B, 8_L1B, 8:8), (16_MAB, 8:1, 4_PE))", "--machine", "mn-core"]);
    page.open(&server.address);
    let caption = "document.getElementById('tensor-caption').textContent";
    let whole = page.run(caption);
    page.run("document.querySelector('#tensor .cell').focus()");
    let key = |page: &mut Browser, key: &str| {
        page.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": key }));
    };
    key(&mut page, "ArrowRight");
    key(&mut page, "Enter");
    page.wait(&format!("{caption} !== {whole} && document.activeElement.closest('#tensor')"));
    key(&mut page, "Escape");
    page.wait(&format!("{caption} === {whole} && document.activeElement.closest('#tensor')"));
    // Everything within reach of the mouse has a place in the tab order, and a name.
    let unnamed = "[...document.querySelectorAll('button, input, select, a, summary')].filter(node => \
        !(node.getAttribute('aria-label') || node.textContent.trim() || node.labels?.length)).map(node => node.id)";
    assert_eq!(page.run(unnamed), json!([]));
}

/// Prints timings on this machine: `cargo test -- --ignored --nocapture hover_is_timed`.
#[test]
#[ignore = "a measurement"]
fn hover_is_timed() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let layout = "(151936,1536)/((25_Time:1, 3:1536, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (96:16, 4_W:1, 4_PE:1); B@[L1B])";
    let server = Server::start(&[layout, "--machine", "mn-core-2"]);
    page.open(&server.address);
    page.wait("document.body.dataset.lights");
    for at in 0..8 {
        let start = Instant::now();
        let asked = format!(
            "(async () => {{ const t = performance.now(); await light('tensor', {at}); return performance.now() - t; }})()"
        );
        eprintln!("{at}: {} ms, {:?} with the protocol", page.run(&asked), start.elapsed());
    }
}

#[test]
fn colours_and_labels_are_those_that_are_asked_for() {
    let server = Server::start(&[]);
    let layout = "((4_PE, 3:8), (8:1))";
    let plain = server.view(&json!({ "layout": layout }));
    let other = server.view(&json!({ "layout": layout, "by": "Addr", "labels": "unit, index" }));
    assert_eq!(plain["tensor"]["cells"][27]["label"], "3");
    assert_eq!(other["tensor"]["cells"][27]["label"], "1\n3,3");
    assert_eq!(plain["tensor"]["key"][1][1], "PE 1");
    assert_eq!(other["tensor"]["key"][1][1], "Addr 3..5");
    for (field, value, words) in
        [("by", "L2B", "not a column"), ("labels", "no such", "is not a label")]
    {
        let refusal = &server.view(&json!({ "layout": layout, field: value }))["error"]["message"];
        assert!(refusal.as_str().is_some_and(|refusal| refusal.contains(words)), "{refusal}");
    }
}

#[test]
fn all_lights_at_once_are_those_of_each_cell() {
    let server = Server::start(&[]);
    for layout in ["((4_PE, 3:8), (8:1))", "(10,7)/((3:7, 4_PE), (7:1))", "((64_PE, 3:1), (4:3))"] {
        let question = json!({ "layout": layout, "machine": "L2B=2,PE=64" });
        for copies in [true, false] {
            let (_, all) =
                server.ask(&json!({ "lights": { "question": question, "copies": copies } }));
            for side in ["tensor", "machine"] {
                let cells = all["cells"][side].as_array().unwrap();
                for at in (0..cells.len()).step_by(7) {
                    let asked =
                        json!({ "question": question, "side": side, "cell": at, "copies": copies });
                    let (_, answer) = server.ask(&json!({ "light": asked }));
                    assert_eq!(answer["cells"], cells[at], "{layout} {side} {at}");
                }
            }
        }
    }
}

/// The answers in the text of a page.
pub(super) fn embedded(page: &str) -> Value {
    let (_, answers) = page.split_once("const ANSWERS = ").unwrap();
    serde_json::from_str(answers.split(";\n").next().unwrap()).unwrap()
}

#[test]
fn a_page_in_a_file_lights_all_copies_or_the_first_as_the_server_does() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.html");
    let (layout, machine) = ("((4_PE, 3:8), (8:1))", "L2B=2,PE=4");
    crate::stdout(&["draw", layout, "--machine", machine, "-o", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(&file).unwrap();
    let lit = &embedded(&page)["views"][0]["lit"];
    let server = Server::start(&[]);
    let question = json!({ "layout": layout, "machine": machine });
    for copies in [true, false] {
        let (_, all) = server.ask(&json!({ "lights": { "question": question, "copies": copies } }));
        let cells = all["cells"]["tensor"].as_array().unwrap();
        for (at, cells) in cells.iter().enumerate() {
            assert_eq!(lit[copies.to_string()][at.to_string()], *cells);
            assert_eq!(cells.as_array().unwrap().len(), if copies { 2 } else { 1 });
        }
    }
    // The page reads those that its checkbox asks for.
    assert!(page.contains("shown.answer.lit[copies]"));
}

#[test]
fn a_machine_file_of_the_command_line_is_that_of_its_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let toml = "[levels]\nPE = 4\n[memories]\nLM9 = 64\n";
    std::fs::write(path("m.toml"), toml).unwrap();
    let server =
        Server::start(&["((4_PE, 3:8), (8:1))", "--machine", &path("m.toml"), "--port", "0"]);
    let question = |machine: &str| json!({ "layout": "((4_PE, 3:8), (8:1))", "machine": machine, "memory": "LM9" });
    assert!(server.view(&question(&path("m.toml")))["report"].to_string().contains("LM9"));
    // No other file is read, and a memory needs a machine.
    std::fs::write(path("other.toml"), toml).unwrap();
    let refused = |machine: &str| server.view(&question(machine)).to_string();
    assert!(refused(&path("other.toml")).contains("is not a known machine"));
    assert!(refused("").contains("the memory `LM9` belongs to a machine"));
    let shaped = json!({ "layout": "(2,2):(1,2)", "shape": "3,3" });
    assert!(server.view(&shaped).to_string().contains("--shape is for PadLayouts"));
}
