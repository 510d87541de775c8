//! Runs in turns, one line of CSV for each side, and the table of ratios.

use std::fmt::Write;
use std::time::Instant;

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Ours,
    Predecessor,
}

/// The runs of one task by both sides, in milliseconds.
pub struct Task {
    pub what: String,
    pub log_n: u32,
    /// percent of private wires that are neither 0 nor 1; for proofs
    pub full_percent: Option<f64>,
    ours_ms: Vec<f64>,
    predecessor_ms: Vec<f64>,
}

pub const HEADER: &str = "what,log_n,full_percent,who,median_ms,best_ms,runs";

impl Task {
    /// Runs both in turns `runs` times, after a call of each that does not count;
    /// the calls check their results.
    pub fn run(
        what: &str,
        log_n: u32,
        full_percent: Option<f64>,
        runs: usize,
        mut call: impl FnMut(Side) -> crate::Result<()>,
    ) -> crate::Result<Self> {
        let mut task = Task {
            what: what.to_owned(),
            log_n,
            full_percent,
            ours_ms: Vec::new(),
            predecessor_ms: Vec::new(),
        };
        for run in 0..=runs {
            for side in [Side::Ours, Side::Predecessor] {
                let start = Instant::now();
                call(side)?;
                let took_ms = start.elapsed().as_secs_f64() * 1e3;
                if run > 0 {
                    task.times_of(side).push(took_ms);
                }
            }
        }
        task.ours_ms.sort_by(f64::total_cmp);
        task.predecessor_ms.sort_by(f64::total_cmp);
        Ok(task)
    }

    fn times_of(&mut self, side: Side) -> &mut Vec<f64> {
        match side {
            Side::Ours => &mut self.ours_ms,
            Side::Predecessor => &mut self.predecessor_ms,
        }
    }

    /// Both sides' lines of the record.
    pub fn csv(&self) -> String {
        let full = self.full_percent.map_or(String::new(), |full| full.to_string());
        let mut text = String::new();
        for (who, times) in [("ours", &self.ours_ms), ("predecessor", &self.predecessor_ms)] {
            let (what, log_n, runs) = (&self.what, self.log_n, times.len());
            let _ = writeln!(
                text,
                "{what},{log_n},{full},{who},{:.4},{:.4},{runs}",
                median(times),
                times[0]
            );
        }
        text
    }
}

/// A Markdown table: medians, and how many times faster ours is, by the medians and by the best runs.
pub fn table(tasks: &[Task]) -> String {
    let mut text = String::from(
        "| | n | full | predecessor ms | ours ms | times faster | by best runs |\n|---|---|---|---|---|---|---|\n",
    );
    for task in tasks {
        let (ours, theirs) = (median(&task.ours_ms), median(&task.predecessor_ms));
        let full = task
            .full_percent
            .map_or(String::new(), |full| format!("{full} %"));
        let _ = writeln!(
            text,
            "| {} | 2^{} | {full} | {theirs:.3} | {ours:.3} | {:.2} | {:.2} |",
            task.what,
            task.log_n,
            theirs / ours,
            task.predecessor_ms[0] / task.ours_ms[0]
        );
    }
    text
}

/// Of sorted values, at least one.
fn median(sorted: &[f64]) -> f64 {
    let n = sorted.len();
    (sorted[n / 2] + sorted[(n - 1) / 2]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_take_turns_and_the_first_call_of_each_does_not_count() {
        let mut calls = Vec::new();
        let task = Task::run("x", 3, Some(20.0), 2, |side| {
            calls.push(side);
            Ok(())
        })
        .unwrap();
        assert_eq!(calls, [Side::Ours, Side::Predecessor].repeat(3));
        let csv = task.csv();
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 2);
        for (line, who) in lines.iter().zip(["ours", "predecessor"]) {
            assert!(
                line.starts_with(&format!("x,3,20,{who},")) && line.ends_with(",2"),
                "{line}"
            );
            assert_eq!(line.split(',').count(), HEADER.split(',').count());
        }
    }

    #[test]
    fn ratios_are_the_predecessors_time_over_ours() {
        let task = Task {
            what: "msm".into(),
            log_n: 20,
            full_percent: None,
            ours_ms: vec![1.0, 2.0, 9.0],
            predecessor_ms: vec![5.0, 6.0, 7.0],
        };
        assert!(table(&[task]).contains("| msm | 2^20 |  | 6.000 | 2.000 | 3.00 | 5.00 |"));
    }
}
