//! The page: its server from outside, and the page in a real browser if one is installed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// A server process that is killed at the end of the test.
pub(super) struct Server {
    child: Child,
    pub(super) address: String,
    pub(super) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    pub(super) fn start(arguments: &[&str]) -> Server {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("tensor-layout"));
        let command = command.arg("explore").args(arguments).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut address).unwrap();
        let address = address.trim().to_owned();
        let port = address.strip_prefix("http://127.0.0.1:").unwrap();
        let port = port.split('/').next().unwrap().parse().unwrap();
        Server { child, address, port }
    }

    /// Sends a request with these headers; returns the status and the body.
    pub(super) fn request(
        &self,
        line: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> (u16, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(120))).unwrap();
        let mut head = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        let _ = stream.write_all(body);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        let status = text.split(' ').nth(1).unwrap_or("0").parse().unwrap();
        let start = answer
            .windows(4)
            .position(|four| four == b"\r\n\r\n")
            .map_or(answer.len(), |at| at + 4);
        let chunked = text.to_ascii_lowercase().contains("transfer-encoding: chunked");
        assert!(!chunked, "answers have a length");
        (status, answer[start..].to_vec())
    }

    pub(super) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(super) fn ask(&self, wanted: &Value) -> (u16, Value) {
        let headers = [("Host", &*self.host()), ("Content-Type", "application/json")];
        let (status, body) = self.request("POST /api/ask", &headers, wanted.to_string().as_bytes());
        (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
    }

    pub(super) fn view(&self, question: &Value) -> Value {
        let (status, answer) = self.ask(&json!({ "view": question }));
        assert_eq!(status, 200, "{question}");
        answer
    }
}

#[test]
fn hostile_questions_leave_the_server_answering() {
    let server = Server::start(&[]);
    let plain = json!({ "layout": "((4_PE, 3:8), (8:1))", "machine": "PE=4" });
    let expected = server.view(&plain);
    let deep = "(".repeat(5_000);
    let wide = format!("({})", vec!["9:1"; 2_000].join(","));
    let texts = [
        "",
        "-",
        "/etc/passwd",
        "((",
        "((18446744073709551615:18446744073709551615))",
        "\u{0}",
        "((4_PE",
        "bf16[99999999999999999999]",
        "((4_PE:0, 3))",
        "ｆ32[2]",
        "((1152921504606846976:1))",
        &deep,
        &wide,
        "f32[65536,65537,65539]{2,1,0:T(7,129)(3,5)(2,2)}",
        "(1:1):(1:1)",
        "<script>alert(1)</script>",
    ];
    let machines = ["", "mn-core-2", "PE=18446744073709551615", "/etc/passwd", "PE=4"];
    let windows = [
        json!([["0", "1"], null]),
        json!([["9", "3"]]),
        json!([["x", "-1"]]),
        json!([["18446744073709551615", "18446744073709551616"]]),
        json!([]),
    ];
    let places = ["", "PE=1", "PE=99", "=", "Addr=1"];
    let ends = ["", "((4:1))", "((", "f32[3,5]", "-"];
    for at in 0..1000 {
        let text = texts[at % texts.len()];
        let question = json!({
            "layout": text,
            "after": ends[at / 7 % ends.len()],
            "machine": machines[at / 3 % machines.len()],
            "window": windows[at / 5 % windows.len()],
            "at": places[at / 11 % places.len()],
        });
        let (status, answer) = server.ask(&json!({ "view": question }));
        assert!(status == 200 && answer.is_object() || status == 400, "{status} {question}");
    }
    for body in
        [&b"{"[..], b"[]", b"\xff\xfe", b"{\"view\":{\"no such field\":1}}", &[b'x'; 70_000]]
    {
        let (status, _) = server.request("POST /api/ask", &[("Host", &server.host())], body);
        assert!([400, 413].contains(&status), "{status}");
    }
    assert_eq!(server.view(&plain), expected);
}

/// A pseudo-random value from a list, the same at every run.
fn drawn<'a, T>(state: &mut u64, of: &'a [T]) -> &'a T {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    &of[(*state >> 33) as usize % of.len()]
}

#[test]
fn any_field_of_a_question_may_be_out_of_range() {
    let server = Server::start(&[]);
    let state = &mut 1;
    let layouts = [
        "(4_L2B:1)",
        "((4_L2B:1))",
        "((4_PE, 3:8), (8:1))",
        "(10,7)/((3:7, 4_PE), (7:1))",
        "((2_Time:1, 3_PE:1, 4:2), (2_W:1))",
        "((100_PE:1, 40:1))",
        "((40_L2B:1, 40_PE:1, 4:1))",
        "((1073741824_PE:1, 1024:1))",
        "(0)/((2:1))",
        "()",
        "((2:1), (3:2), (4:6))",
        "bf16[10,130]{1,0:T(8,128)(2,1)}",
        "((2:1); B@[3_PE:1])",
    ];
    let machines = ["", "mn-core", "L2B=4,PE=4", "PE=1", "L2B=18446744073709551615"];
    let numbers =
        ["0", "1", "2", "3", "4", "64", "18446744073709551615", "1152921504606846976", ""];
    let levels = ["L2B", "PE", "Time", "Addr", "W", "nope", ""];
    let texts =
        ["", "0", "3", "-1", "18446744073709551615", "Half", "LM0", "2,5", "PE=1", "Addr=99"];
    for _ in 0..2_000 {
        let mut number = || *drawn(state, &numbers);
        let window = json!([[number(), number()], null, [number(), number()]]);
        let (start, end, address, cell) =
            (number(), number(), number(), number().parse().unwrap_or(0_u64));
        let question = json!({
            "layout": drawn(state, &layouts),
            "after": drawn(state, &["", "", "", "((4:1))", "((12:2), (4_PE, 2:1))"]),
            "machine": drawn(state, &machines),
            "memory": drawn(state, &["", "", "", "LM0", "nope"]),
            "dtype": drawn(state, &["", "", "", "Half", "nope"]),
            "shape": drawn(state, &["", "", "", "10,7", "0", "4"]),
            "base": drawn(state, &["", "", "", "1", "18446744073709551615"]),
            "window": drawn(state, &[json!([]), json!([]), window]),
            "at": drawn(state, &["", "", "PE=1", "L2B=3,PE=1", "Time=9", "W=1"]),
            "address": drawn(state, &["", "", address]),
            "units": drawn(state, &[json!([]), json!([[drawn(&mut cell.clone(), &levels), start, end]])]),
        });
        let light = json!({ "question": question, "side": drawn(state, &["tensor", "machine", "nope"]), "cell": cell, "copies": true });
        let names = ["permute", "slice", "pad", "reshape", "tile", "offset", "nope"];
        let edit = json!({ "question": question, "name": drawn(state, &names), "value": drawn(state, &texts) });
        let wanted =
            [json!({ "view": question }), json!({ "light": light }), json!({ "edit": edit })];
        let wanted = drawn(state, &wanted);
        let (status, answer) = server.ask(wanted);
        assert!(status == 200 && answer.is_object() || status == 400, "{status} {wanted}");
    }
}

#[test]
fn empty_ranges_are_refused() {
    let server = Server::start(&[]);
    for (field, value) in [
        ("units", json!([["L2B", "2", "0"]])),
        ("units", json!([["L2B", "0", "0"]])),
        ("window", json!([["1", "1"]])),
    ] {
        let mut question = json!({ "layout": "((4_L2B:1))" });
        question[field] = value;
        let why = server.view(&question)["error"]["message"].as_str().unwrap().to_owned();
        assert!(why.starts_with(field) && why.ends_with("is an empty range"), "{why}");
    }
}

#[test]
fn requests_that_never_end_are_closed_and_others_are_answered() {
    // More connections than the server accepts at the same time.
    const UNFINISHED: usize = 100;
    let server = Server::start(&[]);
    let body =
        format!("POST /api/ask HTTP/1.1\r\nHost: {}\r\nContent-Length: 9\r\n\r\n{{", server.host());
    let starts = ["", "GET / HT", "GET / HTTP/1.1\r\nHost: ", &body];
    let begun = |at: usize| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        stream.write_all(starts[at % starts.len()].as_bytes()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    };
    let unfinished: Vec<TcpStream> = (0..UNFINISHED).map(begun).collect();
    assert_eq!(server.request("GET /", &[("Host", &server.host())], b"").0, 200);
    for mut stream in unfinished {
        let mut answer = Vec::new();
        // The stream ends or the server closes it; a timeout of this test would be a failure.
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
        let text = String::from_utf8_lossy(&answer);
        assert!(text.is_empty() || text.starts_with("HTTP/1.1 408 "), "{text}");
    }
}

#[test]
fn a_layout_of_2_to_the_60_elements_is_answered_like_a_small_one() {
    let server = Server::start(&[]);
    let view = server.view(&json!({ "layout": "((1073741824:1073741824), (1073741824:1))" }));
    let cells = view["tensor"]["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 32);
    assert_eq!(cells[31]["elements"], (1_u64 << 55).to_string());
    assert_eq!(
        view["tensor"]["cells"][31]["ranges"][1],
        json!([(1_u64 << 29).to_string(), (1_u64 << 30).to_string()])
    );
    // Numbers beyond 2^53 keep all their digits.
    let last = ((1_u64 << 30) - 2).to_string();
    let window = json!([[last, "1073741824"], [last, "1073741824"]]);
    let view = server
        .view(&json!({ "layout": "((1073741824:1073741824), (1073741824:1))", "window": window }));
    let label = &view["tensor"]["cells"][3]["label"];
    assert_eq!(label, &((1_u64 << 60) - 1).to_string());
}

#[test]
fn lit_cells_are_those_where_elements_live() {
    let server = Server::start(&[]);
    let question = json!({ "layout": "((4_PE, 3:8), (8:1))", "machine": "L2B=2,PE=4" });
    let view = server.view(&question);
    let light = |side: &str, cell: usize, copies: bool| -> Vec<usize> {
        let asked = json!({ "question": question, "side": side, "cell": cell, "copies": copies });
        let (_, answer) = server.ask(&json!({ "light": asked }));
        answer["cells"].as_array().unwrap().iter().map(|at| at.as_u64().unwrap() as usize).collect()
    };
    // Row 4 is on PE 1, at address 8 + column, of both L2Bs; each has a row of 24 addresses.
    let machine = &view["machine"];
    assert_eq!(machine["columns"], 24);
    assert_eq!(light("tensor", 4 * 8 + 5, true), [24 + 13, (4 + 1) * 24 + 13]);
    assert_eq!(light("tensor", 4 * 8 + 5, false), [24 + 13]);
    assert_eq!(light("machine", (4 + 1) * 24 + 13, true), [4 * 8 + 5]);
}

#[test]
fn a_page_in_a_file_holds_what_the_server_answers() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("x.html");
    let layout = "bf16[10,130]{1,0:T(8,128)(2,1)}";
    crate::stdout(&["draw", layout, "-o", file.to_str().unwrap()]);
    let page = std::fs::read_to_string(&file).unwrap();
    let answers = crate::explore_links::embedded(&page);
    let server = Server::start(&[]);
    for one in answers["views"].as_array().unwrap() {
        assert_eq!(server.view(&one["question"]), one["view"]);
    }
    // The marked block and what is in it.
    assert_eq!(answers["views"].as_array().unwrap().len(), 2);
    assert!(!page.contains("http://") && !page.contains("https://"));
}

/// Chromium, controlled through pipes: no port, no driver.
pub(super) struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: u64,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// A browser with one tab, if a browser is installed.
    pub(super) fn start(downloads: &str) -> Option<Browser> {
        let names = ["chromium", "chromium-browser", "google-chrome", "chrome"];
        let here = |name: &&&str| {
            let found = Command::new("sh").args(["-c", &format!("command -v {name}")]).output();
            found.is_ok_and(|found| found.status.success())
        };
        let Some(name) = names.iter().find(here) else {
            assert!(std::env::var_os("EXPLORE_NEEDS_BROWSER").is_none(), "there is no browser");
            eprintln!("skipped: there is no Chromium on this machine");
            return None;
        };
        // The protocol runs over descriptors 3 and 4.
        let script = format!(
            "exec {name} --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
             --user-data-dir={downloads}/profile --remote-debugging-pipe about:blank 3<&0 4>&1 0</dev/null 1>/dev/null"
        );
        let mut command = Command::new("sh");
        let command = command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let mut browser =
            Browser { child, to, from: BufReader::new(from), next: 0, session: String::new() };
        let target = browser.call("Target.createTarget", json!({ "url": "about:blank" }));
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let session = browser.call("Target.attachToTarget", attach);
        browser.session = session["sessionId"].as_str().unwrap().to_owned();
        let downloads = json!({ "behavior": "allow", "downloadPath": downloads });
        browser.call("Page.enable", json!({}));
        browser.call("Page.setDownloadBehavior", downloads);
        Some(browser)
    }

    pub(super) fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let mut message = json!({ "id": self.next, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        loop {
            let mut answer = Vec::new();
            self.from.read_until(0, &mut answer).unwrap();
            answer.pop();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            if answer["id"] == self.next {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    pub(super) fn run(&mut self, script: &str) -> Value {
        let parameters =
            json!({ "expression": script, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", parameters);
        assert!(answer["exceptionDetails"].is_null(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Waits until a condition on the page holds.
    pub(super) fn wait(&mut self, condition: &str) {
        let start = Instant::now();
        while self.run(&format!("Boolean({condition})")) != true {
            let page = self.run("document.body.innerText.slice(0, 3000)");
            assert!(start.elapsed() < Duration::from_secs(60), "{condition} never holds: {page}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub(super) fn open(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": "about:blank" }));
        self.call("Page.navigate", json!({ "url": address }));
        self.wait("document.body && document.body.dataset.ready");
    }

    /// Types into a field with real keys.
    pub(super) fn type_into(&mut self, field: &str, text: &str) {
        self.run(&format!("document.getElementById('{field}').focus(), document.getElementById('{field}').select()"));
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// The middle of a node, for the mouse, once all animations have ended.
    fn point(&mut self, selector: &str) -> (f64, f64) {
        let at = self.run(&format!(
            "(async () => {{ const node = document.querySelector({selector:?}); node.scrollIntoView({{ block: 'center' }}); \
             await Promise.all([...document.querySelectorAll('.cell')].flatMap(cell => cell.getAnimations()).map(glide => glide.finished.catch(() => 0))); \
             await new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))); \
             const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        (at[0].as_f64().unwrap(), at[1].as_f64().unwrap())
    }

    fn mouse(&mut self, kind: &str, (x, y): (f64, f64)) {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let event = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        self.call("Input.dispatchMouseEvent", event);
    }

    pub(super) fn hover(&mut self, selector: &str) {
        let at = self.point(selector);
        self.mouse("mouseMoved", at);
    }

    pub(super) fn click(&mut self, selector: &str) {
        let at = self.point(selector);
        for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(kind, at);
        }
    }

    /// Drags an element down by `down` pixels.
    pub(super) fn drag(&mut self, selector: &str, down: f64) {
        let (x, y) = self.point(selector);
        self.mouse("mouseMoved", (x, y));
        self.mouse("mousePressed", (x, y));
        let held =
            json!({ "type": "mouseMoved", "x": x, "y": y + down, "button": "left", "buttons": 1 });
        self.call("Input.dispatchMouseEvent", held);
        self.mouse("mouseReleased", (x, y + down));
    }

    /// Saves a PNG of the page, for inspection, in the directory that SCREENSHOTS names.
    pub(super) fn screenshot(&mut self, name: &str, width: u32, scheme: &str) {
        let Some(dir) = std::env::var_os("SCREENSHOTS") else { return };
        let size =
            json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
        let shot = self.call("Page.captureScreenshot", json!({ "format": "png" }));
        let file = std::path::Path::new(&dir).join(format!("{name}-{width}-{scheme}.base64"));
        std::fs::write(file, shot["data"].as_str().unwrap()).unwrap();
    }

    /// Takes screenshots in light and dark, narrow and wide.
    fn screenshots(&mut self, name: &str) {
        for (width, scheme) in
            [(1280, "light"), (1280, "dark"), (360, "light"), (80, "dark"), (3000, "light")]
        {
            self.screenshot(name, width, scheme);
        }
        self.call("Emulation.clearDeviceMetricsOverride", json!({}));
    }
}

#[test]
fn the_page_works_in_a_browser() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let server = Server::start(&["((4_PE, 3:8), (8:1))", "--machine", "L2B=2,PE=4"]);
    page.open(&server.address);
    assert_eq!(page.run("document.getElementById('layout').value"), "((4_PE, 3:8), (8:1))");
    page.screenshots("small");

    // A syntax error, with its caret, and the fix.
    page.type_into("layout", "((4_PE, 3:8, (8:1))");
    page.wait("document.getElementById('layout-refusal').textContent.includes('^')");
    page.screenshots("slip");
    page.type_into("layout", "(10,7)/((3:7, 4_PE), (7:1))");
    page.wait("document.getElementById('layout-refusal').textContent === '' && document.querySelectorAll('#tensor .padding').length === 14");

    // An element highlights its places, one per L2B, and a place highlights its element.
    let lit = "[...document.querySelectorAll('#units .lit')].map(node => Number(node.dataset.at))";
    page.hover("#tensor [data-at='37']");
    page.wait(&format!("{lit}.length === 2"));
    // Row 5, column 2: PE 1, address 9; a row of 21 addresses for each of eight units.
    assert_eq!(page.run(lit), json!([21 + 9, 5 * 21 + 9]));
    page.hover("#units [data-at='30']");
    page.wait("document.querySelector('#tensor .lit')?.dataset.at === '37'");
    page.screenshots("hover");

    // A click on an element shows its memory.
    page.click("#tensor [data-at='37']");
    page.wait("document.getElementById('machine-caption').textContent === 'the memory of L2B.PE 0.1 by address'");
    page.click("#machine-all");
    page.wait(
        "document.getElementById('machine-caption').textContent.startsWith('a row per unit')",
    );

    // Keys move from cell to cell.
    page.run("document.querySelector(\"#tensor [data-at='0']\").focus()");
    page.call("Input.dispatchKeyEvent", json!({ "type": "keyDown", "key": "ArrowDown" }));
    assert_eq!(page.run("document.activeElement.dataset.at"), "7");

    // Two layouts are compared.
    page.type_into("layout", "((4_PE, 3:8), (8:1))");
    page.type_into("after", "((12:2), (4_PE, 2:1))");
    page.wait("!document.getElementById('pair-box').hidden && document.querySelectorAll('#pair .grid').length === 4");
    page.wait("document.getElementById('pair-same').textContent.startsWith('They differ')");
    // Row 5, column 6 is in each of the four panels, twice in the machines, in the colour of its source.
    page.hover("#pair section:nth-child(1) [data-at='46']");
    let lit = "[...document.querySelectorAll('#pair .lit')]";
    page.wait(&format!("{lit}.length === 6"));
    assert_eq!(
        page.run(&format!("new Set({lit}.map(node => node.style.backgroundColor)).size")),
        1
    );
    let places = format!("{lit}.slice(2).map(node => Number(node.dataset.at))");
    // PE 1, address 22 before; PE 3, address 10 after; 24 addresses for each of eight units.
    assert_eq!(page.run(&places), json!([24 + 22, 5 * 24 + 22, 3 * 24 + 10, 7 * 24 + 10]));
    page.screenshots("pair");
    page.type_into("after", "");
    page.run("document.getElementById('after').dispatchEvent(new Event('input'))");

    // Options, tables and edits are folded.
    let unfold = "document.querySelectorAll('main > details').forEach(node => node.open = true)";
    page.run(unfold);
    // A large layout with time: zoom into the block that is partly padded, and back.
    page.type_into("machine", "mn-core-2");
    page.type_into("shape", "151936,1536");
    page.type_into(
        "layout",
        "((25_Time:1, 3:1536, 8_L2B:1, 16_MAB:1, 4:1, 4:4), (96:16, 4_W:1, 4_PE:1); B@[L1B])",
    );
    page.wait("document.querySelector('#tensor .partly') && document.getElementById('time')");
    page.screenshots("large");
    let before = page.run("document.getElementById('tensor-caption').textContent");
    page.click("#tensor .partly");
    page.wait(&format!("document.getElementById('tensor-caption').textContent !== {before}"));
    page.wait("document.getElementById('tensor-caption').textContent.startsWith('rows i0 122880')");

    // The time control changes the machine view.
    page.run("{ const time = document.getElementById('time'); time.value = 24; time.dispatchEvent(new Event('input')); }");
    page.wait("document.getElementById('machine-caption').textContent.includes('Time=24')");
    page.screenshots("time");

    // The link preserves all of it.
    let link = page.run("location.href").as_str().unwrap().to_owned();
    let captions = "document.getElementById('tensor-caption').textContent + document.getElementById('machine-caption').textContent";
    let shown = page.run(captions);
    page.open(&link);
    assert_eq!(page.run(captions), shown);
    assert_eq!(page.run("document.getElementById('time').value"), "24");

    // Options of a link are open; a table is saved.
    assert_eq!(page.run("document.getElementById('options').open"), true);
    page.run(unfold);
    page.type_into("machine", "");
    page.type_into("shape", "");
    page.type_into("layout", "(5,3)/((2:3, 3_PE), (3:1))");
    page.wait("document.querySelector('#downloads a[download=\"table.csv\"]') && document.getElementById('report').textContent.startsWith('(5,3)')");
    page.click("#downloads a[download='table.csv']");
    let saved = dir.path().join("table.csv");
    let start = Instant::now();
    while !saved.exists() {
        assert!(start.elapsed() < Duration::from_secs(60), "no table was saved");
        std::thread::sleep(Duration::from_millis(50));
    }
    let table = std::fs::read_to_string(saved).unwrap();
    assert_eq!(table, crate::stdout(&["table", "(5,3)/((2:3, 3_PE), (3:1))"]));

    // An edit, and undo.
    page.click("#edits button");
    page.wait("document.getElementById('report').textContent.startsWith('(3,5)')");
    page.click("#undo");
    page.wait("document.getElementById('report').textContent.startsWith('(5,3)')");
}

#[test]
fn the_page_in_a_file_needs_no_server() {
    let dir = tempfile::tempdir().unwrap();
    let Some(mut page) = Browser::start(dir.path().to_str().unwrap()) else { return };
    let file = dir.path().join("x.html");
    crate::stdout(&["draw", "bf16[10,130]{1,0:T(8,128)(2,1)}", "-o", file.to_str().unwrap()]);
    page.open(&format!("file://{}", file.display()));
    assert_eq!(page.run("document.querySelectorAll('#tensor .cell').length"), 4);
    page.hover("#tensor [data-at='0']");
    page.wait("document.querySelectorAll('#units .lit').length === 64");
    page.screenshots("file");
    page.click("#tensor [data-at='1']");
    page.wait("document.querySelectorAll('#tensor .cell').length > 4");
}
