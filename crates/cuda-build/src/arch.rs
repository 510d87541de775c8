//! Which architectures to compile for.

use crate::{Error, Result};

/// What is compiled for by default, where the compiler knows it: the data-centre
/// and workstation cards since 2020.
pub const PREFERRED_ARCHS: [u32; 6] = [80, 86, 89, 90, 100, 120];

/// The architectures of a build: machine code for each, and PTX for the newest,
/// which later cards compile at start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchPlan {
    /// Ascending, not empty, each known to the compiler.
    pub archs: Vec<u32>,
}

impl ArchPlan {
    /// Chooses from what the compiler knows; `wanted` (the value of `CUDA_ARCHS`) wins where it is given.
    ///
    /// # Errors
    /// [`Error::BadArchs`] if `wanted` does not parse, [`Error::UnknownArch`] if it names one that the
    /// compiler lacks, [`Error::NoCommonArch`] if no default is known to the compiler.
    pub fn choose(known: &[u32], wanted: Option<&str>) -> Result<ArchPlan> {
        let mut archs = match wanted.map(str::trim).filter(|value| !value.is_empty()) {
            Some(value) => parse(value)?,
            None => PREFERRED_ARCHS
                .iter()
                .copied()
                .filter(|arch| known.contains(arch))
                .collect(),
        };
        archs.sort_unstable();
        archs.dedup();
        if let Some(&arch) = archs.iter().find(|arch| !known.contains(arch)) {
            return Err(Error::UnknownArch {
                arch,
                known: known.to_vec(),
            });
        }
        if archs.is_empty() {
            return Err(Error::NoCommonArch {
                known: known.to_vec(),
            });
        }
        Ok(ArchPlan { archs })
    }

    /// The newest, which also gets PTX.
    pub fn newest(&self) -> u32 {
        *self.archs.last().unwrap_or(&0)
    }

    /// The compiler's arguments.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = Vec::new();
        for &arch in &self.archs {
            let code = if arch == self.newest() {
                format!("[sm_{arch},compute_{arch}]")
            } else {
                format!("sm_{arch}")
            };
            flags.push("-gencode".to_owned());
            flags.push(format!("arch=compute_{arch},code={code}"));
        }
        flags
    }

    /// One line for the log.
    pub fn describe(&self) -> String {
        let machine: Vec<String> = self.archs.iter().map(|arch| format!("sm_{arch}")).collect();
        format!("{}, PTX compute_{}", machine.join(" "), self.newest())
    }
}

fn parse(value: &str) -> Result<Vec<u32>> {
    value
        .split([',', ';', ' '])
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| {
            let digits = part
                .strip_prefix("sm_")
                .or_else(|| part.strip_prefix("compute_"))
                .unwrap_or(part);
            digits
                .parse::<u32>()
                .ok()
                .filter(|arch| (10..10_000).contains(arch))
                .ok_or_else(|| Error::BadArchs {
                    value: value.to_owned(),
                    part: part.to_owned(),
                })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(list: &[u32]) -> Vec<u32> {
        list.to_vec()
    }

    #[test]
    fn b104_every_emitted_architecture_is_one_the_compiler_lists() {
        let cuda_11_8 = range(&[35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90]);
        let cuda_12_8 = range(&[
            50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 120,
        ]);
        let cuda_13_0 = range(&[75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121]);
        for (known, expected) in [
            (cuda_11_8, vec![80, 86, 89, 90]),
            (cuda_12_8, vec![80, 86, 89, 90, 100, 120]),
            (cuda_13_0, vec![80, 86, 89, 90, 100, 120]),
        ] {
            let plan = ArchPlan::choose(&known, None).unwrap();
            assert_eq!(plan.archs, expected);
            let ptx: Vec<String> = plan
                .flags()
                .into_iter()
                .filter(|flag| flag.contains(",compute_"))
                .collect();
            assert_eq!(ptx.len(), 1, "one PTX target");
            assert!(ptx[0].contains(&format!("compute_{}]", expected[expected.len() - 1])));
        }
    }

    #[test]
    fn b104_the_override_wins_and_is_checked() {
        let known = [75, 80, 90, 120];
        assert_eq!(ArchPlan::choose(&known, Some("90")).unwrap().archs, [90]);
        assert_eq!(
            ArchPlan::choose(&known, Some("sm_90, 80,90")).unwrap().archs,
            [80, 90]
        );
        assert_eq!(ArchPlan::choose(&known, Some("  ")).unwrap().archs, [80, 90, 120]);
        let error = ArchPlan::choose(&known, Some("70")).unwrap_err().to_string();
        assert!(
            error.contains("70") && error.contains("75, 80, 90, 120"),
            "{error}"
        );
        let error = ArchPlan::choose(&known, Some("9.0")).unwrap_err().to_string();
        assert!(
            error.contains("9.0") && error.contains("CUDA_ARCHS=80,90"),
            "{error}"
        );
    }

    #[test]
    fn a_compiler_without_a_common_architecture_is_an_error() {
        assert!(matches!(
            ArchPlan::choose(&[35, 50], None),
            Err(Error::NoCommonArch { .. })
        ));
    }
}
