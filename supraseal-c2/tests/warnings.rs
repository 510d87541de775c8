//! What a stack that reads `log` records sees: no line but the ones that it needs.

mod common;

use common::*;
use log::{Level, LevelFilter, Log, Metadata, Record};
use std::sync::Mutex;
use supraseal_c2::SRS;

struct Collect(Mutex<Vec<String>>);

impl Log for Collect {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Warn
    }
    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let line = format!("{}: {}", record.target(), record.args());
            self.0.lock().unwrap().push(line);
        }
    }
    fn flush(&self) {}
}

static LINES: Collect = Collect(Mutex::new(Vec::new()));

fn lines() -> Vec<String> {
    std::mem::take(&mut LINES.0.lock().unwrap())
}

#[test]
fn each_load_warns_of_the_cpu_once_and_of_trailing_bytes_once() {
    log::set_logger(&LINES).unwrap();
    log::set_max_level(LevelFilter::Warn);

    let srs = load("mul.params");
    let warned = lines();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].starts_with("supraseal_c2: "), "{}", warned[0]);
    for word in ["mul.params", "run on the CPU", "`cuda`", "README"] {
        assert!(warned[0].contains(word), "{}", warned[0]);
    }
    prove_each(&[mul(3, 11)], &[3], &[5], &srs);
    assert!(lines().is_empty());

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("long.params");
    let mut bytes = std::fs::read(vector_path("mul.params")).unwrap();
    bytes.extend([0; 7]);
    std::fs::write(&path, bytes).unwrap();
    let srs = SRS::try_new(path.clone(), true).unwrap_or_else(|e| panic!("{e}"));
    let warned = lines();
    assert_eq!(warned.len(), 2, "{warned:?}");
    assert!(warned[0].contains("7 bytes after the last section (b_g2), from byte 2136 on"));
    assert_eq!(
        prove_each(&[mul(3, 11)], &[3], &[5], &srs)[0],
        vector_hex("P-mul-3-5")
    );

    // From the cache, nothing is loaded and nothing said.
    assert!(SRS::try_new(path, true).is_ok());
    assert!(lines().is_empty());
}
