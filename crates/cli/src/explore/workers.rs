//! The processes that answer questions: one that takes too long is ended, and its memory is free.
//!
//! A process answers one question after the other, until its input ends: it reads a length and a question, and
//! writes a length and an answer.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Duration;

/// The longest answer after which a process is kept for the next question; a larger one may have taken memory.
const LARGE: usize = 1 << 20;

/// The command that starts a process, and the processes that wait for a question.
#[derive(Debug)]
pub(super) struct Workers {
    command: Vec<OsString>,
    idle: Mutex<Vec<Worker>>,
}

#[derive(Debug)]
struct Worker {
    running: Running,
    pipes: Pipes,
}

/// A process, which is ended when it is dropped.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[derive(Debug)]
struct Pipes {
    to: ChildStdin,
    from: ChildStdout,
}

/// The reason that there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoAnswer {
    Late,
    Failed,
}

impl Workers {
    /// No processes yet; each is started with a program and its arguments.
    pub(super) fn new(command: Vec<OsString>) -> Workers {
        Workers { command, idle: Mutex::default() }
    }

    /// Asks an idle process, or a new one. It is ended if it is late, if it fails, and if nobody waits any more.
    pub(super) async fn ask(
        &self,
        question: Vec<u8>,
        longest: Duration,
    ) -> Result<Vec<u8>, NoAnswer> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let worker = idle.map_or_else(|| self.start(), Ok).map_err(|_| NoAnswer::Failed)?;
        let Worker { running, mut pipes } = worker;
        let asked = tokio::task::spawn_blocking(move || {
            write(&mut pipes.to, &question)?;
            let answer = read(&mut pipes.from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            Ok::<_, io::Error>((pipes, answer))
        });
        // The pipes of a process that is ended close, which ends the thread.
        let asked = tokio::time::timeout(longest, asked).await.map_err(|_| NoAnswer::Late)?;
        let Ok(Ok((pipes, answer))) = asked else { return Err(NoAnswer::Failed) };
        if answer.len() <= LARGE {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.push(Worker { running, pipes });
        }
        Ok(answer)
    }

    fn start(&self) -> io::Result<Worker> {
        let (program, arguments) = self.command.split_first().ok_or(io::ErrorKind::NotFound)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let running = Running(child);
        let (to, from) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(Worker { running, pipes: Pipes { to, from } })
    }
}

/// Answers questions from standard input. When it ends, nobody waits for an answer, not even for the current one.
pub(super) fn answer_all(answer: impl Fn(&[u8]) -> Vec<u8>) -> io::Result<()> {
    let (sender, questions) = mpsc::channel();
    std::thread::spawn(move || {
        let mut from = io::stdin().lock();
        while let Ok(Some(question)) = read(&mut from) {
            if sender.send(question).is_err() {
                break;
            }
        }
        std::process::exit(0);
    });
    let mut to = io::stdout().lock();
    questions.iter().try_for_each(|question| write(&mut to, &answer(&question)))
}

fn write(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&length.to_le_bytes())?;
    to.write_all(bytes)?;
    to.flush()
}

/// The next message; `None` at the end.
fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        read => read?,
    }
    let (mut bytes, length) = (Vec::new(), u64::from_le_bytes(length));
    let read = from.take(length).read_to_end(&mut bytes)?;
    let is_whole = u64::try_from(read).is_ok_and(|read| read == length);
    if is_whole { Ok(Some(bytes)) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

#[cfg(unix)]
#[allow(clippy::unwrap_used, reason = "tests fail by panic")]
#[cfg(test)]
mod tests {
    use super::*;

    fn asked(workers: &Workers) -> Result<Vec<u8>, NoAnswer> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(workers.ask(b"question".to_vec(), Duration::from_secs(1)))
    }

    fn idle(workers: &Workers) -> usize {
        workers.idle.lock().unwrap().len()
    }

    #[test]
    fn a_process_that_is_late_is_ended() {
        // It reads nothing, and never answers.
        let workers = Workers::new(vec!["sleep".into(), "1000".into()]);
        assert_eq!((asked(&workers), idle(&workers)), (Err(NoAnswer::Late), 0));
    }

    #[test]
    fn a_process_that_fails_is_not_asked_again() {
        for program in ["true", "no-such-program"] {
            let workers = Workers::new(vec![program.into()]);
            assert_eq!((asked(&workers), idle(&workers)), (Err(NoAnswer::Failed), 0));
        }
    }

    #[test]
    fn a_process_answers_one_question_after_the_other() {
        // It answers with the question.
        let workers = Workers::new(vec!["cat".into()]);
        for _ in 0..3 {
            assert_eq!((asked(&workers), idle(&workers)), (Ok(b"question".to_vec()), 1));
        }
    }
}
