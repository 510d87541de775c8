//! What a command prints: a table for people, or one JSON object; and a spinner while something takes long.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::mpsc::{channel, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lines and fields of one command, in order.
pub(crate) struct Report {
    json: bool,
    fields: Map<String, Value>,
    /// The first error of standard output. The work goes on: its result may be a file.
    unwritten: Option<std::io::Error>,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Report {
            json,
            fields: Map::new(),
            unwritten: None,
        }
    }

    /// A fact: a line for people, a field for programs.
    pub(crate) fn fact(&mut self, name: &str, label: &str, value: impl Into<Value>) {
        let value = value.into();
        self.line(format_args!("{label:<28} {}", plain(&value)));
        self.fields.insert(name.to_owned(), value);
    }

    /// A line for people only.
    pub(crate) fn line(&mut self, text: impl std::fmt::Display) {
        if !self.json {
            self.print(text);
        }
    }

    /// Unlike `println!`, does not panic where nobody reads.
    fn print(&mut self, text: impl std::fmt::Display) {
        if let Err(error) = writeln!(std::io::stdout(), "{text}") {
            self.unwritten.get_or_insert(error);
        }
    }

    /// A field for programs only.
    pub(crate) fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// Does one stage of the work, timed: a spinner after a second on a terminal,
    /// then a line and a field `NAME_ms`.
    pub(crate) fn stage<T>(&mut self, name: &str, label: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = self.wait_for(label, work);
        let elapsed = start.elapsed();
        self.line(format_args!("{label:<28} {}", seconds(elapsed)));
        self.fields.insert(format!("{name}_ms"), millis(elapsed));
        result
    }

    /// Does work with a spinner alone.
    pub(crate) fn wait_for<T>(&self, label: &str, work: impl FnOnce() -> T) -> T {
        let _spinner = Spinner::start(label, self.json);
        work()
    }

    /// Prints the object, or the error; returns the exit status.
    ///
    /// A reader that has left, such as `head`, has what it wanted. Any other
    /// failure of standard output is one.
    pub(crate) fn finish(self, outcome: Result<(), Failure>) -> u8 {
        if let Err(failure) = &outcome {
            complain(failure.text());
        }
        self.conclude(outcome)
    }

    /// [`Report::finish`] for a failure that standard error has been told of.
    pub(crate) fn finish_silently(self, failure: Failure) -> u8 {
        self.conclude(Err(failure))
    }

    fn conclude(mut self, outcome: Result<(), Failure>) -> u8 {
        if let Err(failure) = &outcome {
            self.field("error", failure.text());
            self.field("error_kind", failure.kind());
        }
        if self.json {
            self.field("ok", outcome.is_ok());
            let object = Value::Object(std::mem::take(&mut self.fields));
            self.print(object);
        }
        match (outcome, self.unwritten) {
            (Err(failure), _) => failure.exit_code(),
            (Ok(()), Some(error)) if error.kind() != ErrorKind::BrokenPipe => {
                let failure = Failure::Device(format!("write standard output: {error}"));
                complain(failure.text());
                failure.exit_code()
            }
            (Ok(()), _) => 0,
        }
    }
}

fn complain(text: &str) {
    // If standard error is gone as well, the exit status remains.
    let _ = writeln!(std::io::stderr(), "error: {text}");
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(n) => n.as_u64().map_or_else(|| n.to_string(), grouped),
        other => other.to_string(),
    }
}

/// Digits in groups of three.
pub(crate) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub(crate) fn seconds(elapsed: Duration) -> String {
    format!("{:>10.3} s", elapsed.as_secs_f64())
}

pub(crate) fn millis(elapsed: Duration) -> Value {
    // Three decimals are microseconds, which is as fine as these stages repeat.
    ((elapsed.as_secs_f64() * 1e6).round() / 1e3).into()
}

/// Shows after a second that work goes on: only for people, only on a terminal.
struct Spinner(Option<(Sender<()>, JoinHandle<()>)>);

impl Spinner {
    const DELAY: Duration = Duration::from_secs(1);

    fn start(label: &str, json: bool) -> Self {
        if json || !std::io::stderr().is_terminal() {
            return Spinner(None);
        }
        let label = label.to_owned();
        let (done, wait) = channel();
        let show = move || {
            if wait.recv_timeout(Self::DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = ProgressBar::new_spinner()
                .with_message(label)
                .with_elapsed(Self::DELAY);
            if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
                bar.set_style(style);
            }
            bar.enable_steady_tick(Duration::from_secs(1));
            let _ = wait.recv();
            bar.finish_and_clear();
        };
        // Where there is no thread to be had there is no spinner.
        let thread = std::thread::Builder::new().spawn(show);
        Spinner(thread.ok().map(|thread| (done, thread)))
    }
}

impl Drop for Spinner {
    /// The line is cleared before anything else is printed.
    fn drop(&mut self) {
        if let Some((done, thread)) = self.0.take() {
            drop(done);
            let _ = thread.join();
        }
    }
}
