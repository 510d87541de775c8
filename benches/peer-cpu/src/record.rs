//! Records: a line of CSV for each measurement, appended as it is taken, and tables made of many.

use crate::measure::median;
use crate::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// One measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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

/// Appends one line, and the header to a new file.
pub fn append(path: &Path, record: &Record) -> Result<()> {
    let is_new = fs::metadata(path).map_or(true, |meta| meta.len() == 0);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    if is_new {
        writeln!(file, "{HEADER}")?;
    }
    let r = record;
    writeln!(
        file,
        "{},{},{},{},{},{:.4},{:.4},{},{:.2}",
        r.what, r.log_n, r.full_percent, r.threads, r.who, r.wall_s, r.cpu_s, r.work_bytes, r.load
    )?;
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

/// The records of one cell: who did it, how often, and the medians.
struct Cell {
    who: String,
    runs: usize,
    wall_s: f64,
    cpu_s: f64,
    work_bytes: u64,
}

/// Medians by task and library, tasks and libraries in order of their first record.
fn cells<'a>(records: impl IntoIterator<Item = &'a Record>) -> Vec<Cell> {
    let mut by_who: Vec<(String, Vec<&Record>)> = Vec::new();
    for record in records {
        match by_who.iter_mut().find(|(who, _)| *who == record.who) {
            Some((_, group)) => group.push(record),
            None => by_who.push((record.who.clone(), vec![record])),
        }
    }
    let cell = |(who, group): (String, Vec<&Record>)| {
        let median_of = |value: fn(&Record) -> f64| median(&group.iter().map(|r| value(r)).collect::<Vec<_>>());
        Cell {
            runs: group.len(),
            wall_s: median_of(|r| r.wall_s),
            cpu_s: median_of(|r| r.cpu_s),
            work_bytes: group.iter().map(|r| r.work_bytes).max().unwrap_or(0),
            who,
        }
    };
    by_who.into_iter().map(cell).collect()
}

/// The key by which records are compared: all but who did it.
fn tasks(records: &[Record]) -> BTreeMap<(String, u32, u64, usize), Vec<&Record>> {
    let mut tasks: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
    for record in records {
        let tenths = (record.full_percent * 10.0).round() as u64;
        let key = (record.what.clone(), record.log_n, tenths, record.threads);
        tasks.entry(key).or_default().push(record);
    }
    tasks
}

/// Markdown tables: one for the proofs, with memory, and one for all else.
pub fn tables(records: &[Record]) -> String {
    let mut proofs = String::from(
        "| n | full | threads | prover | runs | wall s | CPU s | CPU / wall | CPU against ours | working memory, bytes a constraint |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut others = String::from(
        "| task | n | threads | library | runs | wall ms | CPU ms | CPU against ours |\n|---|---|---|---|---|---|---|---|\n",
    );
    for ((what, log_n, tenths, threads), group) in tasks(records) {
        let cells = cells(group);
        let ours = cells.iter().find(|cell| cell.who == "ours").map(|cell| cell.cpu_s);
        for Cell { who, runs, wall_s, cpu_s, work_bytes } in &cells {
            let ratio = ours.map_or(String::new(), |ours| format!("{:.2}", cpu_s / ours));
            if what == "proof" {
                let n = 1u64 << log_n;
                let bytes = work_bytes / (n - n / 32);
                let full = tenths as f64 / 10.0;
                let both = cpu_s / wall_s;
                proofs += &format!(
                    "| 2^{log_n} | {full} % | {threads} | {who} | {runs} | {wall_s:.2} | {cpu_s:.2} | {both:.2} | {ratio} | {bytes} |\n"
                );
            } else {
                let (wall_ms, cpu_ms) = (wall_s * 1e3, cpu_s * 1e3);
                others += &format!(
                    "| {what} | 2^{log_n} | {threads} | {who} | {runs} | {wall_ms:.1} | {cpu_ms:.1} | {ratio} |\n"
                );
            }
        }
    }
    format!("{proofs}\n{others}")
}
