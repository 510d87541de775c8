//! Records: a line of CSV for each measurement, appended as it is taken, and tables made of many.

use crate::measure::median;
use crate::Result;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// what was done: `proof`, `setup`, `msm-g1-full`, ...
    pub what: String,
    /// size: log₂ of the domain or of the number of points
    pub log_n: u32,
    /// percent of private wires that are neither 0 nor 1; 0 where there are none
    pub full_percent: f64,
    /// threads that each library was told to use
    pub threads: usize,
    /// who did it
    pub who: String,
    pub wall_s: f64,
    pub cpu_s: f64,
    /// peak resident memory less that before; 0 where it is not measured
    pub work_bytes: u64,
    /// the machine's load average before
    pub load: f64,
}

const HEADER: &str = "what,log_n,full_percent,threads,who,wall_s,cpu_s,work_bytes,load";

impl Record {
    /// The line of CSV, without its end.
    pub fn line(&self) -> String {
        let r = self;
        format!(
            "{},{},{},{},{},{:.4},{:.4},{},{:.2}",
            r.what, r.log_n, r.full_percent, r.threads, r.who, r.wall_s, r.cpu_s, r.work_bytes, r.load
        )
    }

    /// full_percent, as a key
    fn full_tenths(&self) -> u64 {
        (self.full_percent * 10.0).round() as u64
    }
}

/// Appends one line, and the header to a new file.
pub fn append(path: &Path, record: &Record) -> Result<()> {
    let is_new = fs::metadata(path).map_or(true, |meta| meta.len() == 0);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if is_new {
        writeln!(file, "{HEADER}")?;
    }
    writeln!(file, "{}", record.line())?;
    Ok(())
}

/// Reads what [`append`] wrote.
pub fn read(path: &Path) -> Result<Vec<Record>> {
    let text = fs::read_to_string(path)?;
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEADER) {
        return Err(format!("{}: line 1 is not {HEADER}", path.display()).into());
    }
    lines
        .map(|(i, line)| {
            parse(line).ok_or_else(|| format!("{}: line {} is no record", path.display(), i + 1).into())
        })
        .collect()
}

fn parse(line: &str) -> Option<Record> {
    let fields: Vec<&str> = line.split(',').collect();
    let &[what, log_n, full_percent, threads, who, wall_s, cpu_s, work_bytes, load] = &fields[..] else {
        return None;
    };
    Some(Record {
        what: what.to_owned(),
        log_n: log_n.parse().ok()?,
        full_percent: full_percent.parse().ok()?,
        threads: threads.parse().ok()?,
        who: who.to_owned(),
        wall_s: wall_s.parse().ok()?,
        cpu_s: cpu_s.parse().ok()?,
        work_bytes: work_bytes.parse().ok()?,
        load: load.parse().ok()?,
    })
}

/// All records of one library at one task.
struct Cell<'a> {
    who: &'a str,
    records: Vec<&'a Record>,
}

impl Cell<'_> {
    fn median(&self, value: fn(&Record) -> f64) -> f64 {
        median(&self.records.iter().map(|r| value(r)).collect::<Vec<_>>())
    }

    fn cpu_s(&self) -> f64 {
        self.median(|r| r.cpu_s)
    }

    /// Cores that were busy, on average over all runs.
    fn cores(&self) -> f64 {
        let total = |value: fn(&Record) -> f64| self.records.iter().map(|r| value(r)).sum::<f64>();
        total(|r| r.cpu_s) / total(|r| r.wall_s)
    }
}

/// What was done, log₂ n, tenths of a percent full, threads.
type Task = (String, u32, u64, usize);

/// Libraries in order of their first record, by task.
fn tasks(records: &[Record]) -> BTreeMap<Task, Vec<Cell<'_>>> {
    let mut tasks: BTreeMap<Task, Vec<Cell<'_>>> = BTreeMap::new();
    for record in records {
        let task = (
            record.what.clone(),
            record.log_n,
            record.full_tenths(),
            record.threads,
        );
        let cells = tasks.entry(task).or_default();
        match cells.iter_mut().find(|cell| cell.who == record.who) {
            Some(cell) => cell.records.push(record),
            None => cells.push(Cell {
                who: &record.who,
                records: vec![record],
            }),
        }
    }
    tasks
}

/// Markdown tables of medians: one of the proofs, with memory, and one of all else.
pub fn tables(records: &[Record]) -> String {
    let tasks = tasks(records);
    let mut proofs = String::new();
    let mut others = String::new();
    for (task, cells) in &tasks {
        let (what, log_n, tenths, threads) = task;
        let ours = cells.iter().find(|cell| cell.who == "ours").map(Cell::cpu_s);
        for cell in cells {
            let (who, runs) = (cell.who, cell.records.len());
            let (wall_s, cpu_s) = (cell.median(|r| r.wall_s), cell.cpu_s());
            let ratio = ours.map_or("-".into(), |ours| format!("{:.2}", cpu_s / ours));
            if what == "proof" {
                let full = *tenths as f64 / 10.0;
                let cores = cell.cores();
                let on_one = tasks.get(&(what.clone(), *log_n, *tenths, 1));
                let on_one = on_one.and_then(|cells| cells.iter().find(|one| one.who == who));
                let against_one = on_one.map_or("-".into(), |one| format!("{:.2}", cores / one.cores()));
                let work_bytes = cell.records.iter().map(|r| r.work_bytes).max().unwrap_or(0);
                let n = 1u64 << log_n;
                let per_constraint = work_bytes / (n - n / 32);
                proofs += &format!(
                    "| 2^{log_n} | {full} % | {threads} | {who} | {runs} | {cpu_s:.2} | {ratio} | {wall_s:.2} | {cores:.2} | {against_one} | {per_constraint} |\n"
                );
            } else {
                let (wall_ms, cpu_ms) = (wall_s * 1e3, cpu_s * 1e3);
                others += &format!(
                    "| {what} | 2^{log_n} | {threads} | {who} | {runs} | {cpu_ms:.1} | {ratio} | {wall_ms:.1} |\n"
                );
            }
        }
    }
    let mut text = String::new();
    if !proofs.is_empty() {
        text += "| n | full | threads | prover | runs | CPU s | against ours | wall s | CPU / wall | the same against one thread | working memory, bytes a constraint |\n\
                 |---|---|---|---|---|---|---|---|---|---|---|\n";
        text += &proofs;
    }
    if !others.is_empty() {
        text += "\n| task | n | threads | library | runs | CPU ms | against ours | wall ms |\n|---|---|---|---|---|---|---|---|\n";
        text += &others;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = Record {
            what: "proof".into(),
            log_n: 16,
            full_percent: 20.0,
            threads: 2,
            who: "ark".into(),
            wall_s: 1.5,
            cpu_s: 2.25,
            work_bytes: 1234,
            load: 0.5,
        };
        assert_eq!(parse(&record.line()), Some(record.clone()));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.csv");
        append(&path, &record).unwrap();
        append(&path, &record).unwrap();
        assert_eq!(read(&path).unwrap(), [record.clone(), record]);
        fs::write(&path, "other,header\n").unwrap();
        assert!(read(&path).is_err());
    }
}
