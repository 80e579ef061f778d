//! The limits of the page's server: whom it answers, how long, and what it lights up.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::explore::Server;

#[test]
fn only_who_names_the_server_is_answered() {
    let server = Server::start(&[]);
    let host = server.host();
    let get = |headers: &[(&str, &str)]| server.request("GET /", headers, b"").0;
    assert_eq!(get(&[("Host", &host)]), 200);
    assert_eq!(get(&[("Host", &format!("localhost:{}", server.port))]), 200);
    for foreign in ["evil.example", "127.0.0.1", "127.0.0.1:1", "evil.example:80", ""] {
        assert_eq!(get(&[("Host", foreign)]), 403, "{foreign}");
    }
    assert_eq!(get(&[("Host", &host), ("Origin", &format!("http://{host}"))]), 200);
    for foreign in ["http://evil.example", "null", "https://evil.example", "http://127.0.0.1:1"] {
        assert_eq!(get(&[("Host", &host), ("Origin", foreign)]), 403, "{foreign}");
        let headers = [("Host", &*host), ("Origin", foreign)];
        assert_eq!(server.request("POST /api/ask", &headers, b"{}").0, 403, "{foreign}");
    }
}

#[test]
fn requests_of_other_pages_are_refused_even_without_an_origin() {
    let server = Server::start(&[]);
    let host = server.host();
    // A picture, a link or a download of another page comes without `Origin`.
    let table = "GET /api/table?format=csv&question=%7B%22layout%22%3A%22((4%3A1))%22%7D";
    let from = |line: &str, site: &str| {
        server.request(line, &[("Host", &host), ("Sec-Fetch-Site", site)], b"").0
    };
    for (site, status) in
        [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)]
    {
        assert_eq!(from(table, site), status, "{site}");
        // A link from elsewhere opens the page, which holds no data.
        assert_eq!(from("GET /", site), 200, "{site}");
    }
    let get = |headers: &[(&str, &str)]| server.request("GET /", headers, b"").0;
    for second in [&*host, "evil.example"] {
        assert_eq!(get(&[("Host", &host), ("Host", second)]), 403, "{second}");
    }
    let origin = format!("http://{host}");
    let two = [("Host", &*host), ("Origin", &origin), ("Origin", "http://evil.example")];
    assert_eq!(get(&two), 403);
}

#[test]
fn a_question_that_breaks_off_is_not_called_too_long() {
    let server = Server::start(&[]);
    let asked = |body: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        let head = format!("POST /api/ask HTTP/1.1\r\nHost: {}\r\n", server.host());
        stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    };
    let chunks = "Transfer-Encoding: chunked\r\n\r\n";
    for broken in ["zz\r\n{}\r\n0\r\n\r\n", "5\r\n{}", "2\r\n{}xx0\r\n\r\n"] {
        let answer = asked(&format!("{chunks}{broken}"));
        assert!(answer.starts_with("HTTP/1.1 400 "), "{broken}: {answer}");
        assert!(!answer.contains("long"), "{answer}");
    }
    let long = format!("{chunks}11170\r\n{}\r\n0\r\n\r\n", "x".repeat(0x11170));
    assert!(asked(&long).starts_with("HTTP/1.1 413 "));
}

#[test]
fn every_copy_lights_up_however_many_there_are() {
    let server = Server::start(&[]);
    let names: Vec<String> = (0..16).map(|level| format!("L{level}")).collect();
    let all = |what: &str| {
        names.iter().map(|name| format!("{name}={what}")).collect::<Vec<_>>().join(",")
    };
    // 65,536 copies on 16 levels, and 2048 on one.
    for (machine, last) in [(all("2"), all("1")), ("PE=2048".into(), "PE=2047".into())] {
        for at in ["", &*last] {
            let question = json!({ "layout": "((4:1))", "machine": machine, "at": at });
            let asked = json!({ "lights": { "question": question, "copies": true } });
            let cells = server.ask(&asked).1["cells"].clone();
            for side in ["tensor", "machine"] {
                let lit = cells[side].as_array().unwrap_or_else(|| panic!("{machine}: {cells}"));
                assert!(
                    lit.iter().all(|cells| !cells.as_array().unwrap().is_empty()),
                    "{side} {at}"
                );
            }
        }
    }
}

/// The one test that reads a clock: that the page recovers is a matter of time.
#[test]
fn a_plain_question_is_answered_within_a_second_of_a_thousand_hostile_ones() {
    let server = Server::start(&[]);
    let plain = json!({ "layout": "((4_PE, 3:8), (8:1))", "machine": "PE=4" });
    let expected = server.view(&plain);
    let joined =
        |n: usize, part: &dyn Fn(usize) -> String| (0..n).map(part).collect::<Vec<_>>().join(",");
    let texts = [
        format!("(({}))", joined(1_500, &|at| format!("1_L{at}"))),
        format!("({})", joined(62, &|at| format!("(2_L{at})"))),
        format!("(({}))", joined(62, &|at| format!("2_L{at}"))),
        format!("((4:1); B@[{}])", joined(60, &|at| format!("1_L{at}:1"))),
    ];
    let machines = [
        joined(1_500, &|at| format!("L{at}=1")),
        joined(62, &|at| format!("L{at}=2")),
        String::new(),
    ];
    let questions = texts.iter().flat_map(|text| machines.iter().map(move |on| (text, on)));
    let asked: Vec<_> = questions
        .map(|(layout, machine)| {
            json!({ "view": { "layout": layout, "machine": machine, "after": layout } }).to_string()
        })
        .collect();
    // From several clients that do not wait for their answers.
    std::thread::scope(|scope| {
        for client in 0..8 {
            let (server, asked) = (&server, &asked);
            scope.spawn(move || {
                for number in 0..125 {
                    let body = &asked[(client + number) % asked.len()];
                    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", server.port)) else {
                        continue;
                    };
                    let _ = stream.set_read_timeout(Some(Duration::from_millis(50)));
                    let head = format!(
                        "POST /api/ask HTTP/1.1\r\nHost: {}\r\nContent-Length: {}\r\n\r\n{body}",
                        server.host(),
                        body.len()
                    );
                    let _ = stream.write_all(head.as_bytes());
                    let _ = stream.read(&mut [0; 64]);
                }
            });
        }
    });
    let began = Instant::now();
    assert_eq!(server.view(&plain), expected);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}
