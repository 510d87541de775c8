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

/// What supraseal-c2 said last: the device, or the CPU and why.
pub fn proofs_run_on() -> Option<String> {
    let said = LOGGER.0.lock().unwrap();
    Some(said.as_ref()?.split_once(" run on ")?.1.to_owned())
}

impl Log for Listener {
    fn enabled(&self, metadata: &Metadata) -> bool {
        metadata.level() <= Level::Warn || metadata.target().starts_with("supraseal_c2")
    }

    fn log(&self, record: &Record) {
        if record.target().starts_with("supraseal_c2") {
            *self.0.lock().unwrap() = Some(record.args().to_string());
        } else if record.level() <= Level::Warn {
            eprintln!("{} {}: {}", record.level(), record.target(), record.args());
        }
    }

    fn flush(&self) {}
}
