//! Circuits of a Filecoin stack, by name, with the sizes that they were counted to have.
//!
//! `filecoin-proofs` 19.1 in all rows. The four circuits of 2 KiB sectors were counted whole:
//! constraints, inputs, wires and densities in the key that they make, values in the witness of a proof.
//! Of larger sectors, what was counted is:
//! * constraints and inputs of PoRep, update and winning PoSt: the blank circuit;
//! * wires and densities of PoRep at 32 GiB: as Curio's prover records them;
//! * constraints of window PoSt: the comment in `filecoin-proofs`' table of sizes, an exact
//!   multiple of its 2,349 and 2,300 sectors a partition; the inputs follow from those, 11 a sector
//!   and ONE, as in the 2 KiB circuit.
//!
//! What was not is taken in proportion to the constraints from a smaller circuit of the
//! same kind, which the table names.

use crate::{BenchShape, ShapeError};

/// A circuit with a name.
#[derive(Debug)]
pub struct RecordedShape {
    /// such as `porep-32g`
    pub name: &'static str,
    /// what it proves
    pub circuit: &'static str,
    /// constraints, without the rows of the inputs
    pub n_constraints: usize,
    /// inputs, ONE among them
    pub n_inputs: usize,
    /// private wires and densities
    pub wires: Wires,
    /// shares of the private wires that hold 0 and 1
    pub zeros_and_ones: [f64; 2],
}

/// Counts of private wires.
#[derive(Debug)]
pub enum Wires {
    /// as counted
    Counted {
        /// all
        n_aux: usize,
        /// those that occur in A
        n_a_dense: usize,
        /// those that occur in B; of the inputs, ONE alone does
        n_b_dense: usize,
    },
    /// in proportion to the constraints, as in the shape of this name
    AsIn(&'static str),
}

/// 1,377,453 zeros and 1,264,414 ones in one witness
const POREP_VALUES: [f64; 2] = [1_377_453.0 / 2_685_673.0, 1_264_414.0 / 2_685_673.0];
/// 877,126 zeros and 800,558 ones in one witness
const UPDATE_VALUES: [f64; 2] = [877_126.0 / 1_703_569.0, 800_558.0 / 1_703_569.0];
/// 0.7 % to 2.7 % zeros and ones together in several witnesses: the middle, half each
const WINNING_VALUES: [f64; 2] = [0.0085, 0.0085];
/// 0.9 % to 3.4 % zeros and ones together in several witnesses: the middle, half each
const WINDOW_VALUES: [f64; 2] = [0.01075, 0.01075];

const ALL: &[RecordedShape] = &[
    RecordedShape {
        name: "porep-2k",
        circuit: "PoRep of a 2 KiB sector, its one partition",
        n_constraints: 2_687_921,
        n_inputs: 40,
        wires: Wires::Counted {
            n_aux: 2_685_673,
            n_a_dense: 2_674_908,
            n_b_dense: 685_521,
        },
        zeros_and_ones: POREP_VALUES,
    },
    RecordedShape {
        name: "update-2k",
        circuit: "update of an empty 2 KiB sector, its one partition",
        n_constraints: 1_705_039,
        n_inputs: 5,
        wires: Wires::Counted {
            n_aux: 1_703_569,
            n_a_dense: 1_697_189,
            n_b_dense: 444_403,
        },
        zeros_and_ones: UPDATE_VALUES,
    },
    RecordedShape {
        name: "winning-2k",
        circuit: "winning PoSt over a 2 KiB sector",
        n_constraints: 90_750,
        n_inputs: 133,
        wires: Wires::Counted {
            n_aux: 91_674,
            n_a_dense: 69_300,
            n_b_dense: 66_792,
        },
        zeros_and_ones: WINNING_VALUES,
    },
    RecordedShape {
        name: "window-2k",
        circuit: "window PoSt over two 2 KiB sectors, a partition",
        n_constraints: 21_866,
        n_inputs: 23,
        wires: Wires::Counted {
            n_aux: 22_128,
            n_a_dense: 16_770,
            n_b_dense: 16_028,
        },
        zeros_and_ones: WINDOW_VALUES,
    },
    RecordedShape {
        name: "porep-32g",
        circuit: "PoRep of a 32 GiB sector, one of ten partitions",
        n_constraints: 130_278_541,
        n_inputs: 328,
        wires: Wires::Counted {
            n_aux: 130_169_893,
            n_a_dense: 129_753_292,
            n_b_dense: 33_112_281,
        },
        zeros_and_ones: POREP_VALUES,
    },
    RecordedShape {
        name: "update-32g",
        circuit: "update of an empty 32 GiB sector, one of 16 partitions",
        n_constraints: 81_049_499,
        n_inputs: 5,
        wires: Wires::AsIn("update-2k"),
        zeros_and_ones: UPDATE_VALUES,
    },
    RecordedShape {
        name: "winning-32g",
        circuit: "winning PoSt over a 32 GiB sector",
        n_constraints: 370_590,
        n_inputs: 133,
        wires: Wires::AsIn("winning-2k"),
        zeros_and_ones: WINNING_VALUES,
    },
    RecordedShape {
        name: "window-32g",
        circuit: "window PoSt over 2,349 sectors of 32 GiB, a partition",
        n_constraints: 125_279_217,
        n_inputs: 25_840,
        wires: Wires::AsIn("window-2k"),
        zeros_and_ones: WINDOW_VALUES,
    },
    RecordedShape {
        name: "porep-64g",
        circuit: "PoRep of a 64 GiB sector, one of ten partitions",
        n_constraints: 131_185_849,
        n_inputs: 328,
        wires: Wires::AsIn("porep-32g"),
        zeros_and_ones: POREP_VALUES,
    },
    RecordedShape {
        name: "update-64g",
        circuit: "update of an empty 64 GiB sector, one of 16 partitions",
        n_constraints: 85_006_101,
        n_inputs: 5,
        wires: Wires::AsIn("update-2k"),
        zeros_and_ones: UPDATE_VALUES,
    },
    RecordedShape {
        name: "winning-64g",
        circuit: "winning PoSt over a 64 GiB sector",
        n_constraints: 391_314,
        n_inputs: 133,
        wires: Wires::AsIn("winning-2k"),
        zeros_and_ones: WINNING_VALUES,
    },
    RecordedShape {
        name: "window-64g",
        circuit: "window PoSt over 2,300 sectors of 64 GiB, a partition",
        n_constraints: 129_887_900,
        n_inputs: 25_301,
        wires: Wires::AsIn("window-2k"),
        zeros_and_ones: WINDOW_VALUES,
    },
];

impl RecordedShape {
    /// Every shape that has a name.
    pub fn all() -> &'static [RecordedShape] {
        ALL
    }

    /// The shape of this name.
    ///
    /// # Errors
    /// [`ShapeError::UnknownName`], which lists the names there are.
    pub fn by_name(name: &str) -> Result<&'static RecordedShape, ShapeError> {
        ALL.iter()
            .find(|shape| shape.name == name)
            .ok_or_else(|| ShapeError::UnknownName {
                name: name.to_owned(),
            })
    }

    /// The benchmark circuit with these counts.
    pub fn shape(&self) -> BenchShape {
        let [n_aux, n_a_dense, n_b_dense] = self.wires();
        let share = |share: f64| (n_aux as f64 * share).round() as usize;
        let [n_zeros, n_ones] = self.zeros_and_ones.map(share);
        BenchShape {
            n_constraints: self.n_constraints,
            n_inputs: self.n_inputs,
            n_aux,
            n_a_dense,
            n_b_dense,
            n_zeros,
            n_full: n_aux - n_zeros - n_ones,
        }
    }

    /// Private wires: all, in A, in B.
    fn wires(&self) -> [usize; 3] {
        match self.wires {
            Wires::Counted {
                n_aux,
                n_a_dense,
                n_b_dense,
            } => [n_aux, n_a_dense, n_b_dense],
            Wires::AsIn(name) => {
                let other = ALL.iter().find(|shape| shape.name == name);
                let other = other.expect("the table names shapes that it has");
                other
                    .wires()
                    .map(|n| rounded_ratio(n, self.n_constraints, other.n_constraints))
            }
        }
    }
}

/// n·a/b, to the nearest integer
pub(crate) fn rounded_ratio(n: usize, a: usize, b: usize) -> usize {
    let (n, a, b) = (n as u128, a as u128, b as u128);
    ((2 * n * a + b) / (2 * b)) as usize
}
