//! The server: serves the page and answers its questions, on this machine only.
//!
//! A request must name this server (`Host`, once, and `Origin` and `Sec-Fetch-Site` if a browser sends
//! them), so that no other page can send requests through a user's browser. Every request is limited in
//! size and time, and has its own connection, which is closed when its time is up, even while it waits. A few
//! are answered concurrently, each by a [process](super::workers) that is ended when its time is up; none
//! reads or writes a file.

use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Query, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tensor_layout_npy::NpyTable;
use tensor_layout_rows::{Format, write};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::answer::{film, found, picture, view};
use super::asked::{AskedSide, all_lit, changed, lit};
use super::file::page_of;
use super::file::served_page;
use super::moved::{moved, resized};
use super::question::Question;
use super::workers::{NoAnswer, Workers, answer_all};
use crate::edit::edited;
use crate::failure::Failure;

/// The most bytes of a question.
const MOST_BYTES: usize = 1 << 16;

/// The longest time that the head of a request may take to arrive, and then its body.
const LONGEST_PART: Duration = Duration::from_secs(5);

/// The longest time that an answer may take, and that it may wait for others.
const LONGEST: Duration = Duration::from_secs(10);

/// The longest life of a connection: both parts, both waits, and the reading of the answer.
const LONGEST_CONNECTION: Duration = Duration::from_secs(60);

/// Says whether a request comes from a page of this server; browsers do not let pages set it.
const FETCH_SITE: &str = "sec-fetch-site";

/// The number of connections that are open at a time; others wait to be accepted.
const CONNECTIONS: usize = 64;

/// The number of answers that are computed concurrently.
const AT_ONCE: usize = 4;

/// The most rows of a table that the page saves.
const MOST_ROWS: u64 = 1 << 20;

/// Scripts and styles of the page itself, and nothing from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; \
                      img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

#[derive(Clone)]
struct ServerState {
    hosts: Arc<[String; 2]>,
    running: Arc<Semaphore>,
    workers: Arc<Workers>,
}

/// Answers until the program ends, each question by a process that a command starts.
pub(super) fn serve(listener: TcpListener, port: u16, worker: Vec<OsString>) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let shared = ServerState {
        hosts: Arc::new([format!("127.0.0.1:{port}"), format!("localhost:{port}")]),
        running: Arc::new(Semaphore::new(AT_ONCE)),
        workers: Arc::new(Workers::new(worker)),
    };
    let page = Bytes::from(served_page());
    let app = Router::new()
        .route("/", get(async move || ([(CONTENT_TYPE, "text/html; charset=utf-8")], page.clone())))
        .route("/api/ask", post(ask))
        .route("/api/table", get(table))
        .layer(middleware::from_fn_with_state(shared.clone(), guarded))
        .with_state(shared);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        loop {
            let permit = connections.clone().acquire_owned().await.map_err(io::Error::other)?;
            match listener.accept().await {
                Ok((stream, _)) => drop(tokio::spawn(connection(stream, app.clone(), permit))),
                // The connection was aborted, or too many files are open: others will close soon.
                Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    })
}

/// Answers one request.
async fn connection(stream: TcpStream, app: Router, _permit: OwnedSemaphorePermit) {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(LONGEST_PART).keep_alive(false);
    let served = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(app));
    // A client that disconnects, or is too late, gets no message.
    let _ = tokio::time::timeout(LONGEST_CONNECTION, served).await;
}

impl ServerState {
    /// Returns whether a request names this server and, if it comes from a page, from this server's page. The
    /// page itself holds no data, so links from elsewhere may open it.
    fn is_meant(&self, request: &Request) -> bool {
        let named = |value: &HeaderValue, scheme: &str| {
            let host = value.to_str().ok().and_then(|value| value.strip_prefix(scheme));
            host.is_some_and(|host| self.hosts.iter().any(|known| known == host))
        };
        let headers = request.headers();
        let mut hosts = headers.get_all(HOST).iter();
        let is_host = hosts.next().is_some_and(|host| named(host, "")) && hosts.next().is_none();
        let mut origins = headers.get_all(ORIGIN).iter();
        // A picture or a download comes without `Origin`; `none` is an address that the user typed.
        let is_ours = |site: &HeaderValue| matches!(site.as_bytes(), b"same-origin" | b"none");
        is_host
            && origins.all(|origin| named(origin, "http://"))
            && (request.uri().path() == "/" || headers.get_all(FETCH_SITE).iter().all(is_ours))
    }
}

/// Rejects requests that do not name this server, and sets the headers that restrict the answer.
async fn guarded(State(shared): State<ServerState>, request: Request, next: Next) -> Response {
    let mut response = match shared.is_meant(&request) {
        true => match whole(request).await {
            Ok(request) => next.run(request).await,
            Err(response) => response,
        },
        false => (StatusCode::FORBIDDEN, "this page is for this machine only\n").into_response(),
    };
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CACHE_CONTROL, "no-store"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// A request with its whole body.
async fn whole(request: Request) -> Result<Request, Response> {
    let (head, body) = request.into_parts();
    match tokio::time::timeout(LONGEST_PART, to_bytes(body, MOST_BYTES)).await {
        Ok(Ok(bytes)) => Ok(Request::from_parts(head, Body::from(bytes))),
        Ok(Err(error)) if is_broken(&error) => {
            Err(refused(StatusCode::BAD_REQUEST, "the question did not arrive whole"))
        }
        Ok(Err(_)) => {
            let why = format!("the question is longer than {MOST_BYTES} bytes");
            Err(refused(StatusCode::PAYLOAD_TOO_LARGE, &why))
        }
        Err(_) => Err(refused(StatusCode::REQUEST_TIMEOUT, "the question did not arrive in time")),
    }
}

/// Returns whether a body broke off or was framed badly, rather than being too long.
fn is_broken(error: &(dyn Error + 'static)) -> bool {
    error.is::<hyper::Error>() || error.source().is_some_and(is_broken)
}

fn refused(status: StatusCode, why: &str) -> Response {
    (status, axum::Json(json!({ "error": { "message": why } }))).into_response()
}

/// A request of the page.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PageRequest {
    /// Everything that the page shows.
    View(Question),
    /// The cells that light up with one.
    Light { question: Question, side: AskedSide, cell: usize, copies: bool },
    /// A layout after a digit has moved to the place of another.
    Move { question: Question, from: usize, to: usize },
    /// A layout after a digit has taken a factor from its neighbour, or given it one.
    Resize { question: Question, digit: usize, larger: bool },
    /// The film of a layout, or of two.
    Film(Question),
    /// The layout, or both, as an SVG picture.
    Picture(Question),
    /// The page in one file.
    Page(Question),
    /// The cells that light up with each cell.
    Lights { question: Question, copies: bool },
    /// A layout after an edit.
    Edit { question: Question, name: String, value: String },
}

async fn ask(State(shared): State<ServerState>, body: Bytes) -> Response {
    let wanted: PageRequest = match serde_json::from_slice(&body) {
        Ok(wanted) => wanted,
        Err(error) => {
            return refused(StatusCode::BAD_REQUEST, &format!("not a question: {error}"));
        }
    };
    match bounded(&shared, &Job::Page(Box::new(wanted))).await {
        Ok(json) => ([(CONTENT_TYPE, "application/json")], json).into_response(),
        Err(response) => response,
    }
}

/// A question, as a process gets it.
#[derive(Debug, Serialize, Deserialize)]
enum Job {
    Page(Box<PageRequest>),
    Table(Download),
}

/// The first byte of an answer: what follows is the answer, or an error in JSON.
const ANSWERED: u8 = 0;
const REFUSED: u8 = 1;

/// Has a process do a job, a few concurrently; the request fails, and the process ends, if it takes too long.
async fn bounded(shared: &ServerState, job: &Job) -> Result<Vec<u8>, Response> {
    let late = || refused(StatusCode::SERVICE_UNAVAILABLE, "the answer takes too long");
    let failed = || refused(StatusCode::INTERNAL_SERVER_ERROR, "the answer failed");
    let question = serde_json::to_vec(job).map_err(|_| failed())?;
    let permit = tokio::time::timeout(LONGEST, shared.running.acquire());
    let Ok(_permit) = permit.await.map_err(|_| late())? else {
        return Err(refused(StatusCode::SERVICE_UNAVAILABLE, "the server is stopping"));
    };
    let answer = shared.workers.ask(question, LONGEST).await.map_err(|why| match why {
        NoAnswer::Late => late(),
        NoAnswer::Failed => failed(),
    })?;
    match answer.split_first() {
        Some((&ANSWERED, body)) => Ok(body.to_vec()),
        Some((&REFUSED, why)) => {
            let json = [(CONTENT_TYPE, "application/json")];
            Err((StatusCode::BAD_REQUEST, json, why.to_vec()).into_response())
        }
        _ => Err(failed()),
    }
}

/// Does jobs from standard input until it ends.
pub(super) fn work() -> io::Result<()> {
    answer_all(|job| {
        let done = serde_json::from_slice(job).map_err(|error| json!(error.to_string()));
        match done.and_then(done_job) {
            Ok(answer) => [vec![ANSWERED], answer].concat(),
            Err(why) => [vec![REFUSED], why.to_string().into_bytes()].concat(),
        }
    })
}

fn done_job(job: Job) -> Result<Vec<u8>, Value> {
    match job {
        Job::Page(wanted) => Ok(answer(*wanted).to_string().into_bytes()),
        Job::Table(Download { question, format }) => bytes(&question, &format),
    }
}

fn answer(wanted: PageRequest) -> Value {
    match wanted {
        PageRequest::View(question) => view(&question),
        PageRequest::Light { question, side, cell, copies } => lit(&question, side, cell, copies),
        PageRequest::Lights { question, copies } => all_lit(&question, copies),
        PageRequest::Move { question, from, to } => {
            changed(&question, |syntax| moved(syntax, from, to))
        }
        PageRequest::Resize { question, digit, larger } => {
            changed(&question, |syntax| resized(syntax, digit, larger))
        }
        PageRequest::Film(question) => film(&question),
        PageRequest::Picture(question) => found("picture", picture(&question)),
        PageRequest::Page(question) => found("page", page_of(&question)),
        PageRequest::Edit { question, name, value } => {
            changed(&question, |syntax| edited(syntax, &name, &value))
        }
    }
}

/// The question of a page, and the format of its table.
#[derive(Debug, Serialize, Deserialize)]
struct Download {
    question: String,
    format: String,
}

async fn table(State(shared): State<ServerState>, Query(download): Query<Download>) -> Response {
    let name = match &*download.format {
        "npy" => "table.npy",
        "jsonl" => "table.jsonl",
        "parquet" => "table.parquet",
        _ => "table.csv",
    };
    match bounded(&shared, &Job::Table(download)).await {
        Err(response) => response,
        Ok(bytes) => {
            let file = format!("attachment; filename=\"{name}\"");
            let headers = [
                (CONTENT_TYPE, "application/octet-stream".to_owned()),
                (CONTENT_DISPOSITION, file),
            ];
            (headers, bytes).into_response()
        }
    }
}

/// The table of a placement, in memory.
fn bytes(question: &str, format: &str) -> Result<Vec<u8>, Value> {
    let question: Question = serde_json::from_str(question)
        .map_err(|error| json!({ "error": { "message": format!("not a question: {error}") } }))?;
    written(&question, format).map_err(|failure| json!({ "error": failure.json() }))
}

fn written(question: &Question, format: &str) -> Result<Vec<u8>, Failure> {
    let placed = question.placed()?;
    let table = placed.placement.table();
    let rows = table.most_rows();
    if rows > MOST_ROWS {
        return Err(Failure::Advised(
            format!("the table has {rows} rows, and the page saves at most {MOST_ROWS}"),
            "write it with `tensor-layout table`".into(),
        ));
    }
    let mut out = Vec::new();
    let written = match format {
        "csv" => write(&table, Format::Csv, &mut out, &mut |_| {}),
        "jsonl" => write(&table, Format::JsonLines, &mut out, &mut |_| {}),
        "npy" => NpyTable::Packed.write(&placed.placement.program()?, &mut out),
        #[cfg(feature = "parquet")]
        "parquet" => {
            let wide = tensor_layout_rows::ColumnWidth::Wide;
            tensor_layout_rows::write_parquet(&table, wide, &mut out)
        }
        other => {
            let why = format!("this build does not write tables as `{other}`");
            return Err(Failure::Argument(why));
        }
    };
    written.map_err(|error| Failure::Argument(error.to_string()))?;
    Ok(out)
}
