//! What a job and a device's kernels work in, as numbers of values, and the bytes that those take.

use super::parts::Part;
use groth16_core::params::KeyCounts;
use sppark_fork::{NttTable, Result, ScalarSplit};

const ELEMENT_BYTES: u64 = 32;
const WORD_BYTES: u64 = 4;

/// What a proof's sizes follow from: the counts of its key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape(pub(super) KeyCounts);

impl Shape {
    /// Points of a part, and so terms of its sum.
    pub(super) fn n(&self, part: Part) -> usize {
        match part {
            Part::H => self.0.h,
            Part::L => self.0.l,
            Part::A => self.0.a,
            Part::BG1 => self.0.b_g1,
            Part::BG2 => self.0.b_g2,
        }
    }

    pub(super) fn domain(&self) -> usize {
        (self.0.h + 1).next_power_of_two()
    }

    pub(super) fn wires(&self) -> usize {
        self.0.ic + self.0.l
    }

    /// Words of a query's bits: none where the query is of all wires.
    fn bit_words(&self, n_query: usize) -> usize {
        if n_query == self.wires() {
            0
        } else {
            self.wires().div_ceil(32)
        }
    }

    /// Indices of a part's query: none where the query is of all wires, or of all private ones.
    pub(super) fn indices(&self, part: Part) -> usize {
        match part {
            Part::H | Part::L => 0,
            Part::A | Part::BG1 | Part::BG2 if self.n(part) == self.wires() => 0,
            Part::A | Part::BG1 | Part::BG2 => self.n(part),
        }
    }
}

/// Room for the inputs of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct StageSizes {
    /// of a and of b
    pub(super) rows: usize,
    /// of c, where it is uploaded
    pub(super) c_rows: usize,
    pub(super) wires: usize,
    pub(super) a_words: usize,
    pub(super) b_words: usize,
}

impl StageSizes {
    pub(super) fn of(shape: &Shape, c_is_uploaded: bool) -> Self {
        StageSizes {
            rows: shape.domain(),
            c_rows: if c_is_uploaded { shape.domain() } else { 0 },
            wires: shape.wires(),
            a_words: shape.bit_words(shape.0.a),
            b_words: shape.bit_words(shape.0.b_g1),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        // a, b and c; the wires; a word of bits and its rank, for each query
        ELEMENT_BYTES * (2 * self.rows + self.c_rows + self.wires) as u64
            + 2 * WORD_BYTES * (self.a_words + self.b_words) as u64
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        StageSizes {
            rows: self.rows.max(other.rows),
            c_rows: self.c_rows.max(other.c_rows),
            wires: self.wires.max(other.wires),
            a_words: self.a_words.max(other.a_words),
            b_words: self.b_words.max(other.b_words),
        }
    }
}

/// Room for one query sorted by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SortSizes {
    pub(super) terms: usize,
    /// at least as many as terms; more where the buffer is also the quotient's third vector
    pub(super) scalars: usize,
    pub(super) indices: usize,
}

impl SortSizes {
    /// Whether there is nothing to sort.
    pub(super) fn has_no_split(&self) -> bool {
        self.terms == 0 && self.scalars == 0
    }

    fn bytes(&self) -> u64 {
        let split = match self.has_no_split() {
            true => 0,
            false => ScalarSplit::bytes(self.terms, self.scalars),
        };
        split + WORD_BYTES * self.indices as u64
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        SortSizes {
            terms: self.terms.max(other.terms),
            scalars: self.scalars.max(other.scalars),
            indices: self.indices.max(other.indices),
        }
    }
}

/// Room for points on their way through: two buffers of each kind, and two of sorted terms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ChunkSizes {
    pub(super) g1_points: usize,
    pub(super) g2_points: usize,
    pub(super) terms: usize,
}

impl ChunkSizes {
    fn bytes(&self) -> u64 {
        let split = match self.terms {
            0 => 0,
            terms => ScalarSplit::bytes(terms, terms),
        };
        2 * (96 * self.g1_points as u64 + 192 * self.g2_points as u64 + split)
    }

    fn max(&self, other: &Self) -> Self {
        ChunkSizes {
            g1_points: self.g1_points.max(other.g1_points),
            g2_points: self.g2_points.max(other.g2_points),
            terms: self.terms.max(other.terms),
        }
    }
}

/// What the kernels of a device work in, for one proof at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ScratchSizes {
    /// transforms of up to so many elements; 0 or 1: none
    pub(super) domain: usize,
    /// the quotient's third vector; 0 where it shares the scalars of the first sort
    pub(super) c: usize,
    /// L, A and B; the first alone where they are sorted one after another
    pub(super) sorts: [SortSizes; 3],
    pub(super) chunks: ChunkSizes,
    pub(super) workspace_bytes: u64,
    /// a second workspace, for the sums of the witness; 0 where they come after H
    pub(super) beside_bytes: u64,
}

impl ScratchSizes {
    /// # Errors
    /// [`CudaError::Invalid`](sppark_fork::CudaError::Invalid) for a domain over the largest.
    pub(super) fn bytes(&self) -> Result<u64> {
        let table = match self.domain {
            0 | 1 => 0,
            domain => NttTable::bytes(domain.ilog2())?,
        };
        let sorts: u64 = self.sorts.iter().map(SortSizes::bytes).sum();
        let c = ELEMENT_BYTES * self.c as u64;
        Ok(table + c + sorts + self.chunks.bytes() + self.workspace_bytes + self.beside_bytes)
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        ScratchSizes {
            domain: self.domain.max(other.domain),
            c: self.c.max(other.c),
            sorts: std::array::from_fn(|k| self.sorts[k].max(&other.sorts[k])),
            chunks: self.chunks.max(&other.chunks),
            workspace_bytes: self.workspace_bytes.max(other.workspace_bytes),
            beside_bytes: self.beside_bytes.max(other.beside_bytes),
        }
    }
}

/// All that a device holds beside keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) scratch: ScratchSizes,
    pub(super) stage: StageSizes,
    pub(super) n_stages: usize,
}

impl Layout {
    pub(super) fn bytes(&self) -> Result<u64> {
        Ok(self.scratch.bytes()? + self.n_stages as u64 * self.stage.bytes())
    }

    pub(super) fn max(&self, other: &Self) -> Self {
        Layout {
            scratch: self.scratch.max(&other.scratch),
            stage: self.stage.max(&other.stage),
            n_stages: self.n_stages.max(other.n_stages),
        }
    }

    /// Whether what `other` needs is there.
    pub(super) fn covers(&self, other: &Self) -> bool {
        *self == self.max(other)
    }
}
