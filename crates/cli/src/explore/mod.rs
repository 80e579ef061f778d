//! `explore`: an interactive page, served by the program itself or written as one file.

mod answer;
#[cfg(feature = "explore")]
mod asked;
mod digits;
#[cfg(feature = "explore")]
mod export;
mod file;
mod gallery;
#[cfg(all(test, feature = "test-hooks"))]
mod growth;
#[cfg(feature = "explore")]
mod moved;
mod panel;
mod question;
#[cfg(feature = "explore")]
mod server;
#[cfg(feature = "explore")]
mod workers;

pub use file::explore_page;
pub(super) use file::page_of;
pub(super) use question::Question;

#[cfg(feature = "explore")]
pub(super) use command::Explore;

#[cfg(feature = "explore")]
mod command {
    use std::ffi::OsString;
    use std::net::{Ipv4Addr, TcpListener};
    use std::path::PathBuf;
    use std::process::{Command, Stdio};

    use clap::Args as ClapArgs;
    use serde_json::json;
    use tensor_layout::notation::Atom;

    use super::export::export;
    use super::server;
    use crate::failure::{Failure, note};
    use crate::input::Reading;
    use crate::output::print;
    use crate::placing::On;
    use crate::program::program;

    /// The default port.
    const PORT: u16 = 8737;

    /// The number of ports to try.
    const NEXT: u16 = 20;

    /// Serve a web page for exploring layouts, with the tensor and the machine side by side.
    #[derive(Debug, ClapArgs)]
    #[command(after_help = "\
This program serves the page, to this machine only (127.0.0.1), until Ctrl-C.
The page reads any notation as you type, shows where an element lives and
which element lives at a place, zooms into blocks and units, compares two
layouts, edits, and saves pictures, tables and itself. The URL encodes the
current view, so you can bookmark it. --export writes pages that need no server:
put DIR on any web server to share them.

Examples:
  tensor-layout explore
  tensor-layout explore '(10,7)/((3:7, 4_PE), (7:1))' --open
  tensor-layout explore '((4_PE, 3:8), (8:1))' '((12:2), (4_PE, 2:1))' --machine PE=4
  tensor-layout explore --export pages")]
    pub(crate) struct Explore {
        /// The layout to show first, or - for standard input.
        #[arg(value_name = "LAYOUT")]
        layout: Option<String>,
        /// Another layout of the same tensor, to compare with LAYOUT.
        #[arg(value_name = "AFTER")]
        after: Option<String>,
        #[command(flatten)]
        reading: Reading,
        #[command(flatten)]
        on: On,
        /// The port (by default 8737 or the next free one; 0 for any free port).
        #[arg(long, value_name = "PORT")]
        port: Option<u16>,
        /// Write the page into DIR instead of serving it: index.html, and a page for each example.
        #[arg(long, value_name = "DIR", conflicts_with_all = ["port", "open"])]
        export: Option<PathBuf>,
        /// Open the page in a browser.
        #[arg(long)]
        open: bool,
        /// Answer the questions of a server from standard input.
        #[arg(long, hide = true)]
        answer: bool,
    }

    impl Explore {
        pub(crate) fn run(&self) -> Result<(), Failure> {
            let mut question = super::Question::on(&self.on)?;
            if self.answer {
                let failed = |error| Failure::Io("the question".into(), error);
                return server::work().map_err(failed);
            }
            question.layout = self.text(self.layout.as_deref())?;
            question.after = self.text(self.after.as_deref())?;
            if question.layout.is_empty() && (self.reading.is_said() || self.on.is_said()) {
                let why = "the options apply to a layout; give one as the first argument";
                return Err(Failure::Argument(why.into()));
            }
            if !question.layout.is_empty() {
                // An error is better reported here than in the browser.
                question.placed()?;
            }
            if let Some(dir) = &self.export {
                let question = Some(&question).filter(|question| !question.layout.is_empty());
                return export(dir, question);
            }
            let asked = self.port.unwrap_or(PORT);
            let failed = |error| Failure::Io(format!("port {asked} of 127.0.0.1"), error);
            let listener = self.listener().map_err(failed)?;
            let port = listener.local_addr().map_err(failed)?.port();
            let address = format!("http://127.0.0.1:{port}/{}", fragment(&question));
            print(&address)?;
            if self.open {
                open(&address);
            }
            server::serve(listener, port, self.worker()).map_err(failed)
        }

        /// The command of a process that answers questions: this program, which knows the machine if it is a file.
        fn worker(&self) -> Vec<OsString> {
            let mut command = program();
            command.extend(["explore".into(), "--answer".into()]);
            if let Some(machine) = &self.on.machine.machine {
                command.extend(["--machine".into(), machine.into()]);
            }
            command
        }

        /// A listener on the requested port, else on the default port or one of the next, so that bookmarks
        /// keep working.
        fn listener(&self) -> std::io::Result<TcpListener> {
            let bind = |port| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
            if let Some(port) = self.port {
                return bind(port);
            }
            let found = (PORT..PORT + NEXT).find_map(|port| Some((port, bind(port).ok()?)));
            let Some((port, listener)) = found else { return bind(0) };
            if port != PORT {
                note(&format!("port {PORT} is taken; bookmarks of it do not open this page"));
            }
            Ok(listener)
        }

        fn text(&self, argument: Option<&str>) -> Result<String, Failure> {
            let Some(argument) = argument else { return Ok(String::new()) };
            if Atom::matrices(argument).is_some() {
                return Ok(argument.to_owned());
            }
            Ok(self.reading.read(argument)?.to_string())
        }
    }

    /// The state of the page as encoded in its URL; empty without a layout.
    fn fragment(question: &super::Question) -> String {
        if question.layout.is_empty() {
            return String::new();
        }
        let mut said = json!(question);
        if let Some(fields) = said.as_object_mut() {
            let is_said = |text: &str| !text.is_empty() && text != "0";
            fields.retain(|_, value| value.as_str().is_some_and(is_said));
        }
        format!("#{}", encoded(&said.to_string()))
    }

    /// Percent-encodes everything but letters and digits.
    fn encoded(text: &str) -> String {
        let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        };
        text.bytes().map(byte).collect()
    }

    fn open(address: &str) {
        let program = match std::env::consts::OS {
            "macos" => "open",
            "windows" => "explorer",
            _ => "xdg-open",
        };
        let started =
            Command::new(program).arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        if started.is_err() {
            note("--open: no browser could be started; open the address above");
        }
    }
}
