//! What the ablation takes away, one thing at a time.

use groth16_prover::schedule::{Batches, CRows, Staging, WitnessSums};
use groth16_prover::DeviceOptions;

/// How a proof's work is ordered on a CUDA device, and whether its key is there. The bytes are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Setting {
    /// inputs staged ahead, sums of the witness beside H, deferred batches, two workers, six transforms
    Default,
    /// inputs go up once the device is the proof's own
    NoPrestage,
    /// the sums of the witness come after that over H, on one stream
    OneStream,
    /// the results of each batch of an MSM are collected before the next begins
    PerBatch,
    /// one proof at a time on each device
    OneWorker,
    /// the rows of C are uploaded and transformed, too
    SevenTransforms,
    /// no part of the key is resident: each proof takes all of it from the host
    StreamedKey,
}

impl Setting {
    /// All, the one that others are compared with first.
    pub(super) const ALL: [Setting; 7] = [
        Setting::Default,
        Setting::NoPrestage,
        Setting::OneStream,
        Setting::PerBatch,
        Setting::OneWorker,
        Setting::SevenTransforms,
        Setting::StreamedKey,
    ];

    /// Its name in tables, which is that of the option.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Setting::Default => "default",
            Setting::NoPrestage => "no-prestage",
            Setting::OneStream => "one-stream",
            Setting::PerBatch => "per-batch",
            Setting::OneWorker => "one-worker",
            Setting::SevenTransforms => "seven-transforms",
            Setting::StreamedKey => "streamed-key",
        }
    }

    /// The options that make it.
    pub(super) fn options(self) -> DeviceOptions {
        let mut options = DeviceOptions::default();
        match self {
            Setting::Default => {}
            Setting::NoPrestage => options.schedule.staging = Staging::UnderLock,
            Setting::OneStream => options.schedule.witness_sums = WitnessSums::AfterH,
            Setting::PerBatch => options.schedule.batches = Batches::PerBatch,
            Setting::OneWorker => options.workers = Some(1),
            Setting::SevenTransforms => options.schedule.c_rows = CRows::Uploaded,
            Setting::StreamedKey => options.max_key_bytes = Some(0),
        }
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn names_are_those_of_the_option_and_settings_differ() {
        let mut seen = Vec::new();
        for setting in Setting::value_variants() {
            let option = setting.to_possible_value();
            assert_eq!(
                option.map(|value| value.get_name().to_owned()),
                Some(setting.name().to_owned())
            );
            assert!(Setting::ALL.contains(setting));
            assert!(!seen.contains(&setting.options()), "{}", setting.name());
            seen.push(setting.options());
        }
        assert_eq!(Setting::Default.options(), DeviceOptions::default());
    }
}
