//! Of the stack's log, the line of supraseal-c2 that says what proves, and warnings.

use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::Mutex;

/// The logger of the process, as there can be only one.
static LOGGER: Listener = Listener(Mutex::new(None));

struct Listener(Mutex<Option<String>>);

/// Call once, before a key is loaded.
pub fn listen() {
    if log::set_logger(&LOGGER).is_ok() {
        log::set_max_level(LevelFilter::Info);
    }
}

/// What supraseal-c2 said of the key that was loaded last: the device, or the CPU and why.
pub fn proofs_run_on() -> Option<String> {
    LOGGER.0.lock().unwrap().clone()
}

impl Log for Listener {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= Level::Warn || metadata.target().starts_with("supraseal_c2")
    }

    fn log(&self, record: &Record) {
        let text = record.args().to_string();
        let proofs_run_on = text
            .split_once(" run on ")
            .filter(|_| record.target() == "supraseal_c2");
        if let Some((_, on)) = proofs_run_on {
            *self.0.lock().unwrap() = Some(on.to_owned());
        } else if record.level() <= Level::Warn {
            eprintln!("{} {}: {text}", record.level(), record.target());
        }
    }

    fn flush(&self) {}
}
