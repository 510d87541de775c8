//! One row a private wire, one a public input, and a few that repeat; or, with
//! fewer rows, some for two wires.

use crate::wires::{Place, Pool, Value, Wires};
use crate::BenchShape;
use bls_fields::Fr;
use ff::Field;
use groth16_core::r1cs::SparseMatrix;
use groth16_core::R1cs;
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

/// A sum of wires with coefficients.
type Terms = Vec<(u32, Fr)>;

const ONE: u32 = 0;

pub(crate) fn generate(shape: &BenchShape, seed: u64) -> groth16_core::Result<(R1cs, Vec<Fr>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let wires = Wires::draw(shape, &mut rng);
    let mut builder = Builder::new(shape, wires, rng);
    builder.chain(shape.n_riders());
    builder.bits();
    builder.public_inputs();
    builder.repeat_up_to(shape.n_constraints());
    builder.finish(shape)
}

struct Builder {
    wires: Wires,
    rng: ChaCha8Rng,
    n_inputs: usize,
    /// ONE, public inputs, private wires
    witness: Vec<Fr>,
    a: SparseMatrix,
    b: SparseMatrix,
    c: SparseMatrix,
    /// bits that may stand in A
    a_bits: Pool,
    /// bits that may stand in B: zeros, ones
    b_bits: [Pool; 2],
}

impl Builder {
    fn new(shape: &BenchShape, wires: Wires, rng: ChaCha8Rng) -> Self {
        let n_rows = shape.n_constraints();
        let mut witness = vec![Fr::ZERO; shape.n_inputs() + shape.n_aux()];
        witness[0] = Fr::ONE;
        for (element, value) in witness[shape.n_inputs()..].iter_mut().zip(&wires.values) {
            if *value == Value::One {
                *element = Fr::ONE;
            }
        }
        let in_b = |bit| wires.pool(move |value, place| value == bit && place == Place::InAAndB);
        Builder {
            a_bits: wires.pool(|value, place| value != Value::Full && place != Place::OnlyInC),
            b_bits: [in_b(Value::Zero), in_b(Value::One)],
            wires,
            rng,
            n_inputs: shape.n_inputs(),
            witness,
            a: SparseMatrix::with_capacity(n_rows, n_rows),
            b: SparseMatrix::with_capacity(n_rows, 2 * n_rows),
            c: SparseMatrix::with_capacity(n_rows, 3 * n_rows),
        }
    }

    /// The full values: a first one from nothing, then each from the one before; the last gives public
    /// input 1. So many of those that are only outputs ride on the rows of others.
    fn chain(&mut self, n_riders: usize) {
        let mut outputs = self.wires.pool(|value, _| value == Value::Full).into_wires();
        let riders = self.take_riders(&mut outputs, n_riders);
        let n_rounds = outputs.len() + 1;
        let mut riders = riders.into_iter().enumerate().peekable();
        let mut previous = None;
        for (round, output) in outputs.into_iter().map(Some).chain([None]).enumerate() {
            let (a, b) = self.round(previous);
            let wire = output.map_or(1, |output| self.number(output));
            let rider = riders.next_if(|(i, _)| i * n_rounds <= round * n_riders);
            self.push_product(a, b, wire, rider.map(|(_, rider)| rider));
            previous = output;
        }
    }

    /// Takes wires that occur in C alone out of `outputs`, evenly, and gives them
    /// values; returns their numbers.
    fn take_riders(&mut self, outputs: &mut Vec<u32>, n_riders: usize) -> Vec<u32> {
        let is_free = |wire: &u32| self.wires.places[*wire as usize] == Place::OnlyInC;
        let n_free = outputs.iter().filter(|wire| is_free(wire)).count();
        let (mut seen, mut riders) = (0, Vec::with_capacity(n_riders));
        outputs.retain(|wire| {
            let rides = is_free(wire) && riders.len() * n_free <= seen * n_riders && riders.len() < n_riders;
            seen += usize::from(is_free(wire));
            if rides {
                riders.push(*wire);
            }
            !rides
        });
        assert_eq!(riders.len(), n_riders, "shapes with riders have enough outputs");
        for rider in &mut riders {
            *rider = self.number(*rider);
            self.witness[*rider as usize] = Fr::random(&mut self.rng);
        }
        riders
    }

    /// The operands of one round: `operand` where it may stand, random constants and bits elsewhere. That one
    /// of them, or a product, is 0 or 1 has a chance of 2⁻²⁵⁴, and the tests' seeds show that it is not so.
    fn round(&mut self, operand: Option<u32>) -> (Terms, Terms) {
        let near = operand.unwrap_or(0) as usize;
        let place = operand.map_or(Place::OnlyInC, |wire| self.wires.places[wire as usize]);
        let own: Terms = operand
            .map(|wire| (self.number(wire), Fr::ONE))
            .into_iter()
            .collect();
        let (k_a, k_b) = (self.constant(), self.constant());
        match place {
            Place::InAAndB => {
                let with_constant = [own[0], k_b].to_vec();
                (own, with_constant)
            }
            Place::InA => (own, self.with_b_bit(k_b, near)),
            Place::OnlyInC => {
                let bit = self.a_bits.near(near, &mut self.rng);
                let a = [k_a]
                    .into_iter()
                    .chain(bit.map(|bit| (self.number(bit), Fr::ONE)));
                (a.collect(), self.with_b_bit(k_b, near))
            }
        }
    }

    /// One row for each bit.
    fn bits(&mut self) {
        for wire in 0..self.wires.values.len() {
            if self.wires.values[wire] != Value::Full {
                self.bit(wire);
            }
        }
    }

    fn bit(&mut self, wire: usize) {
        let (one, number) = (Fr::ONE, self.number(wire as u32));
        let place = self.wires.places[wire];
        if place == Place::InAAndB {
            return self.push([(number, one)], [(ONE, one), (number, -one)], []);
        }
        let w = self.witness[number as usize];
        let operands = self.a_bits.near(wire, &mut self.rng).and_then(|t| {
            let t = self.number(t);
            let u_is_one = w != self.witness[t as usize];
            let u = self.b_bits[usize::from(u_is_one)].near(wire, &mut self.rng)?;
            Some((t, self.number(u)))
        });
        match (operands, place) {
            (Some((t, u)), Place::InA) => {
                self.push(
                    [(number, one.double())],
                    [(u, one)],
                    [(number, one), (u, one), (t, -one)],
                );
            }
            (Some((t, u)), _) => {
                self.push(
                    [(t, one.double())],
                    [(u, one)],
                    [(t, one), (u, one), (number, -one)],
                );
            }
            // Hardly any bits to combine it with: it is held to its value.
            (None, Place::InA) => self.push([(number, one)], [(ONE, one)], [(ONE, w)]),
            (None, _) => self.push([(ONE, w)], [(ONE, one)], [(number, one)]),
        }
    }

    /// Public inputs from the second on, each from the one before.
    fn public_inputs(&mut self) {
        for input in 2..self.n_inputs as u32 {
            let (k_a, k_b) = (self.constant(), self.constant());
            let b = self.with_b_bit(k_b, input as usize);
            self.push_product(vec![k_a, (input - 1, Fr::ONE)], b, input, None);
        }
    }

    /// Repeats the first rows until there are as many as the shape has.
    fn repeat_up_to(&mut self, n_constraints: usize) {
        for row in 0..n_constraints - self.a.n_rows() {
            for matrix in [&mut self.a, &mut self.b, &mut self.c] {
                let terms: Terms = matrix.row(row).map(|(wire, value)| (wire, *value)).collect();
                matrix.push_row(terms);
            }
        }
    }

    fn finish(self, shape: &BenchShape) -> groth16_core::Result<(R1cs, Vec<Fr>)> {
        let r1cs = R1cs::new(shape.n_inputs(), shape.n_aux(), self.a, self.b, self.c)?;
        Ok((r1cs, self.witness))
    }

    /// The number of a private wire among all wires.
    fn number(&self, wire: u32) -> u32 {
        self.n_inputs as u32 + wire
    }

    /// k·ONE, with k at random
    fn constant(&mut self) -> (u32, Fr) {
        (ONE, Fr::random(&mut self.rng))
    }

    /// k + u for a bit u that may stand in B, or k where there is none.
    fn with_b_bit(&mut self, k: (u32, Fr), near: usize) -> Terms {
        let pool = &self.b_bits[(self.rng.next_u32() % 2) as usize];
        let bit = pool.near(near, &mut self.rng);
        let bit = bit.map(|bit| (self.number(bit), Fr::ONE));
        [k].into_iter().chain(bit).collect()
    }

    /// The row a·b = wire, or a·b = wire + rider, and the wire's value from it.
    fn push_product(&mut self, a: Terms, b: Terms, wire: u32, rider: Option<u32>) {
        let ridden = rider.map_or(Fr::ZERO, |rider| self.witness[rider as usize]);
        self.witness[wire as usize] = self.evaluate(&a) * self.evaluate(&b) - ridden;
        let outputs = [wire].into_iter().chain(rider);
        self.push(a, b, outputs.map(|wire| (wire, Fr::ONE)));
    }

    fn evaluate(&self, terms: &[(u32, Fr)]) -> Fr {
        terms
            .iter()
            .map(|(wire, coefficient)| self.witness[*wire as usize] * coefficient)
            .sum()
    }

    fn push(
        &mut self,
        a: impl IntoIterator<Item = (u32, Fr)>,
        b: impl IntoIterator<Item = (u32, Fr)>,
        c: impl IntoIterator<Item = (u32, Fr)>,
    ) {
        self.a.push_row(a);
        self.b.push_row(b);
        self.c.push_row(c);
    }
}
