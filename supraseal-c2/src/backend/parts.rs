//! The five parts of a key.

use groth16_core::timeline::Stage;

/// Points that one sum of a proof is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    H,
    L,
    A,
    BG1,
    BG2,
}

impl Part {
    /// In the order in which they are streamed, where not all can be resident: the sum of H takes longer than its points'
    /// way over the bus, whatever the witness, so its way is hidden; that of the others is hidden by a dense witness alone,
    /// and those of B are fewest.
    pub(super) const STREAMED_FIRST: [Part; 5] = [Part::H, Part::L, Part::A, Part::BG2, Part::BG1];

    pub(super) fn point_bytes(self) -> u64 {
        match self {
            Part::BG2 => 192,
            Part::H | Part::L | Part::A | Part::BG1 => 96,
        }
    }

    /// Which of the three witness queries it is a sum of; none for H.
    pub(super) fn query(self) -> Option<usize> {
        match self {
            Part::H => None,
            Part::L => Some(0),
            Part::A => Some(1),
            Part::BG1 | Part::BG2 => Some(2),
        }
    }

    /// Its place in [`Part::STREAMED_FIRST`].
    pub(super) fn index(self) -> usize {
        match self {
            Part::H => 0,
            Part::L => 1,
            Part::A => 2,
            Part::BG2 => 3,
            Part::BG1 => 4,
        }
    }

    /// The stage that an error names.
    pub(super) fn stage(self) -> &'static str {
        match self {
            Part::H => "MSM of H",
            Part::L => "MSM of L",
            Part::A => "MSM of A",
            Part::BG1 => "MSM of B in G1",
            Part::BG2 => "MSM of B in G2",
        }
    }

    /// The timeline's stage of its kernels.
    pub(super) fn kernels(self) -> Stage {
        match self {
            Part::H => Stage::MsmH,
            Part::L => Stage::MsmL,
            Part::A => Stage::MsmA,
            Part::BG1 => Stage::MsmBG1,
            Part::BG2 => Stage::MsmBG2,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Part::H => "H",
            Part::L => "L",
            Part::A => "A",
            Part::BG1 => "B in G1",
            Part::BG2 => "B in G2",
        }
    }
}
