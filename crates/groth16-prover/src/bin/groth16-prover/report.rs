//! What a command prints: a table for people, or one JSON object; and a spinner while something takes long.

use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Lines and fields of one command, in order.
pub(crate) struct Report {
    json: bool,
    fields: Map<String, Value>,
}

impl Report {
    pub(crate) fn new(json: bool) -> Self {
        Report {
            json,
            fields: Map::new(),
        }
    }

    /// A fact: a line for people, a field for programs.
    pub(crate) fn fact(&mut self, name: &str, label: &str, value: impl Into<Value>) {
        let value = value.into();
        if !self.json {
            println!("{label:<28} {}", plain(&value));
        }
        self.fields.insert(name.to_owned(), value);
    }

    /// A line for people only.
    pub(crate) fn line(&self, text: impl std::fmt::Display) {
        if !self.json {
            println!("{text}");
        }
    }

    /// A field for programs only.
    pub(crate) fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// Does one stage of the work, timed: a spinner after a second on a terminal, then a line and a field `NAME_ms`.
    pub(crate) fn stage<T>(&mut self, name: &str, label: &str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let spinner = Spinner::start(label, self.json);
        let result = work();
        drop(spinner);
        let elapsed = start.elapsed();
        if !self.json {
            println!("{label:<28} {}", seconds(elapsed));
        }
        self.fields.insert(format!("{name}_ms"), millis(elapsed));
        result
    }

    /// Prints the object, or the error.
    pub(crate) fn finish(mut self, outcome: &Result<(), Failure>) {
        if let Err(failure) = outcome {
            eprintln!("error: {}", failure.text());
            self.field("error", failure.text());
            self.field("error_kind", failure.kind());
        }
        if self.json {
            self.fields.insert("ok".to_owned(), outcome.is_ok().into());
            println!("{}", Value::Object(self.fields));
        }
    }
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
struct Spinner(Option<ProgressBar>);

impl Spinner {
    fn start(label: &str, json: bool) -> Self {
        if json || !std::io::stderr().is_terminal() {
            return Spinner(None);
        }
        let bar = ProgressBar::new_spinner().with_message(label.to_owned());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_secs(1));
        Spinner(Some(bar))
    }
}

impl Drop for Spinner {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
