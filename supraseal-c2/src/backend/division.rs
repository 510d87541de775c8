//! How one proof is divided between two devices: which of its sums each computes.

use super::parts::Part;
use bls_fields::Fr;
use groth16_core::Assignment;
use group::ff::Field;

/// Whether a proof that nothing waits behind is made by two devices, when a second one is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TwoDevices {
    /// Where the estimate says that it is sooner, and the second device has the key.
    #[default]
    WhenSooner,
    /// Wherever a second device is idle.
    Always,
    /// Never: a second device serves other proofs alone.
    Never,
}

/// The sums that a device computes of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// the quotient and the sum over H, for which alone the rows are needed
    pub(super) h: bool,
    pub(super) l: bool,
    pub(super) a: bool,
    pub(super) b_g1: bool,
    pub(super) b_g2: bool,
}

impl Share {
    /// The whole proof.
    pub(super) const ALL: Share = Share {
        h: true,
        l: true,
        a: true,
        b_g1: true,
        b_g2: true,
    };

    /// Whether a part's sum is in it.
    pub(super) fn has(self, part: Part) -> bool {
        match part {
            Part::H => self.h,
            Part::L => self.l,
            Part::A => self.a,
            Part::BG1 => self.b_g1,
            Part::BG2 => self.b_g2,
        }
    }

    /// Whether a witness query is needed.
    pub(super) fn has_query(self, query: usize) -> bool {
        Part::STREAMED_FIRST
            .into_iter()
            .any(|part| part.query() == Some(query) && self.has(part))
    }

    /// All that the other has not.
    pub(super) fn rest(self) -> Share {
        Share {
            h: !self.h,
            l: !self.l,
            a: !self.a,
            b_g1: !self.b_g1,
            b_g2: !self.b_g2,
        }
    }
}

/// What a proof's time depends on.
#[derive(Clone, Copy, Debug)]
struct Size {
    domain: usize,
    n_l: usize,
    n_a: usize,
    n_b: usize,
    /// of the private wires, the share that is neither 0 nor 1
    full: f64,
}

/// Private wires that are looked at to estimate how many are neither 0 nor 1.
const SAMPLES: usize = 4096;
/// Smaller domains take milliseconds in all, most of them fixed costs, which a second device does not share.
const MIN_LOG_DOMAIN: u32 = 18;
/// The least that must be saved, of the time on one device.
const MIN_SAVED: f64 = 0.1;

// Costs in the time of one term of a sum in G1 whose scalar is full, from what was measured on one H200 at 2^24 and 2^22
// (docs/performance.md): 99 ms for a sum over 2^24 terms.
/// A term in G2.
const G2: f64 = 3.2;
/// A term whose scalar is 0 or 1, in either group in proportion.
const SPARSE: f64 = 0.04;
/// The quotient, for each element of the domain and each of its levels: 23.3 ms for 2^24.
const QUOTIENT: f64 = 0.0098;

/// The second device's share, or `None` where one device alone is to prove.
///
/// The quotient and H stay on the first: its coefficients are there. The four sums over the witness can go; of their sixteen divisions the
/// one is taken in which the busier device has least to do.
pub(super) fn divide(circuit: &Assignment<'_>, policy: TwoDevices) -> Option<Share> {
    if policy == TwoDevices::Never {
        return None;
    }
    let size = Size {
        domain: circuit.n_rows().next_power_of_two(),
        n_l: circuit.aux.len(),
        n_a: circuit.inputs.len() + circuit.a_aux_density.n_dense(),
        n_b: circuit.b_input_density.n_dense() + circuit.b_aux_density.n_dense(),
        full: full_share(circuit.aux),
    };
    let (share, saved) = best(&size);
    let pays = size.domain.ilog2() >= MIN_LOG_DOMAIN && saved >= MIN_SAVED;
    (policy == TwoDevices::Always || pays).then_some(share)
}

/// Of evenly spaced wires.
fn full_share(aux: &[Fr]) -> f64 {
    let sample = aux.iter().step_by(aux.len().div_ceil(SAMPLES).max(1));
    let n = sample.clone().count();
    let full = sample.filter(|x| **x != Fr::ZERO && **x != Fr::ONE).count();
    full as f64 / n.max(1) as f64
}

/// The best share for the second device, and what of the time on one is saved.
fn best(size: &Size) -> (Share, f64) {
    let all = cost(size, Share::ALL);
    let shares = (1..16u32).map(|set| Share {
        h: false,
        l: set & 1 != 0,
        a: set & 2 != 0,
        b_g1: set & 4 != 0,
        b_g2: set & 8 != 0,
    });
    let busier = |share: Share| cost(size, share).max(cost(size, share.rest()));
    shares
        .map(|share| (share, 1.0 - busier(share) / all))
        .max_by(|x, y| x.1.total_cmp(&y.1))
        .unwrap_or((Share::ALL.rest(), 0.0))
}

fn cost(size: &Size, share: Share) -> f64 {
    let term = size.full + (1.0 - size.full) * SPARSE;
    let of = |has: bool, n: usize, each: f64| if has { n as f64 * each } else { 0.0 };
    let levels = f64::from(size.domain.ilog2());
    of(share.h, size.domain, 1.0 + levels * QUOTIENT)
        + of(share.l, size.n_l, term)
        + of(share.a, size.n_a, term)
        + of(share.b_g1, size.n_b, term)
        + of(share.b_g2, size.n_b, term * G2)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bench circuit's: 97 % of the wires in A, 31 % in B.
    fn size(log_n: u32, full: f64) -> Size {
        let n = 1usize << log_n;
        Size {
            domain: n,
            n_l: n,
            n_a: n * 97 / 100,
            n_b: n * 31 / 100,
            full,
        }
    }

    #[test]
    fn a_full_witness_is_divided_evenly() {
        let (share, saved) = best(&size(24, 0.98));
        assert!(!share.h && share.b_g2, "{share:?}");
        assert!(saved > 0.45, "{share:?} saves {saved}");
    }

    #[test]
    fn a_sparse_witness_goes_to_the_second_device_whole() {
        let (share, saved) = best(&size(24, 0.01));
        assert_eq!(
            share,
            Share {
                h: true,
                ..Share::ALL.rest()
            }
            .rest()
        );
        assert!((0.05..0.2).contains(&saved), "{saved}");
    }

    #[test]
    fn no_share_is_lost_and_none_done_twice() {
        for log_n in [0, 5, 18, 28] {
            for full in [0.0, 0.01, 0.2, 0.6, 1.0] {
                let size = size(log_n, full);
                let (share, saved) = best(&size);
                assert_eq!(share.rest().rest(), share);
                let parts = cost(&size, share) + cost(&size, share.rest());
                assert!((parts / cost(&size, Share::ALL) - 1.0).abs() < 1e-9);
                assert!((0.0..=0.5 + 1e-9).contains(&saved));
            }
        }
    }

    #[test]
    fn small_proofs_and_forbidden_ones_stay_on_one_device() {
        let r1cs = backend_tests::toy::binp();
        let assignment = r1cs.assign(&backend_tests::toy::binp_witness()).unwrap();
        let circuit = assignment.as_assignment();
        assert_eq!(divide(&circuit, TwoDevices::WhenSooner), None);
        assert_eq!(divide(&circuit, TwoDevices::Never), None);
        assert!(divide(&circuit, TwoDevices::Always).is_some_and(|share| !share.h));
    }

    #[test]
    fn the_sample_sees_how_full_a_witness_is() {
        let wires = |n: u64, every: u64| -> Vec<Fr> {
            (0..n)
                .map(|i| {
                    if i % every == 0 {
                        Fr::from(i + 2)
                    } else {
                        Fr::from(i % 2)
                    }
                })
                .collect()
        };
        assert_eq!(full_share(&[]), 0.0);
        assert_eq!(full_share(&wires(100, 1)), 1.0);
        // 4096 samples of 100,001 wires are every 25th.
        assert!((full_share(&wires(100_001, 7)) - 1.0 / 7.0).abs() < 0.02);
    }
}
