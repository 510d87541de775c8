//! How one proof is divided between two devices: which of its sums each computes, and how many of H's terms.

use super::parts::Part;
use super::scheduler::GRACE;
use bls_fields::Fr;
use groth16_core::Assignment;
use group::ff::Field;
use std::ops::Range;

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
    pub(super) h: OfH,
    pub(super) l: bool,
    pub(super) a: bool,
    pub(super) b_g1: bool,
    pub(super) b_g2: bool,
}

/// Terms of the sum over H.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfH {
    /// The quotient, for which alone the rows are needed, and all terms but so many of the last.
    AllBut(usize),
    /// So many of the last, whose coefficients come from the other device.
    Last(usize),
}

impl Share {
    /// The whole proof.
    pub(super) const ALL: Share = Share {
        h: OfH::AllBut(0),
        l: true,
        a: true,
        b_g1: true,
        b_g2: true,
    };

    /// Whether a part's sum, or some of it, is in it.
    pub(super) fn has(self, part: Part) -> bool {
        match part {
            Part::H => self.h != OfH::Last(0),
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

    /// Whether any is: if not, the wires are not.
    pub(super) fn has_queries(self) -> bool {
        (0..3).any(|query| self.has_query(query))
    }

    pub(super) fn has_quotient(self) -> bool {
        matches!(self.h, OfH::AllBut(_))
    }

    /// Which of the `n_h` terms of H.
    pub(super) fn terms_of_h(self, n_h: usize) -> Range<usize> {
        match self.h {
            OfH::AllBut(n) => 0..n_h.saturating_sub(n),
            OfH::Last(n) => n_h.saturating_sub(n)..n_h,
        }
    }

    /// All that the other has not.
    pub(super) fn rest(self) -> Share {
        Share {
            h: match self.h {
                OfH::AllBut(n) => OfH::Last(n),
                OfH::Last(n) => OfH::AllBut(n),
            },
            l: !self.l,
            a: !self.a,
            b_g1: !self.b_g1,
            b_g2: !self.b_g2,
        }
    }

    /// Of a second device's share, what it can begin with.
    pub(super) fn without_h(self) -> Share {
        Share {
            h: OfH::Last(0),
            ..self
        }
    }

    /// And the rest of it.
    pub(super) fn only_h(self) -> Share {
        Share {
            h: self.h,
            ..Share::ALL.rest()
        }
    }
}

/// What a proof's time depends on.
#[derive(Clone, Copy, Debug)]
struct Size {
    domain: usize,
    n_wires: usize,
    n_l: usize,
    n_a: usize,
    n_b: usize,
    /// of the private wires, the share that is neither 0 nor 1
    full: f64,
}

/// Private wires that are looked at to estimate how many are neither 0 nor 1.
const SAMPLES: usize = 4096;
/// The least that must be saved, of the time on one device, beside the wait for whoever else may come for the second: so small
/// proofs, which take milliseconds in all, stay on one.
const MIN_SAVED: f64 = 0.1;

// Costs in the time of one term of a sum in G1 whose scalar is full, from what was measured on one H200 at 2^24 and 2^22
// (docs/performance.md): 99 ms for a sum over 2^24 terms.
/// Nanoseconds of that unit.
const UNIT_NS: f64 = 99e6 / (1 << 24) as f64;
/// A term in G2, where there are millions.
const G2: f64 = 2.1;
/// A term whose scalar is 0 or 1, in either group in proportion.
const SPARSE: f64 = 0.04;
/// The quotient, for each element of the domain and each of its levels: 23.3 ms for 2^24.
const QUOTIENT: f64 = 0.0098;
/// An element's way to a device, at 53 GB/s. A coefficient's way to a second device takes as long, as its
/// pieces go down while others go up.
const UPLOAD: f64 = 0.1;

/// The second device's share, or `None` where one device alone is to prove.
///
/// The quotient stays on the first. Of the sixteen divisions of the four sums over the witness, each with as
/// many of H's terms moved as make both devices end together, the one is taken that ends first.
pub(super) fn divide(circuit: &Assignment<'_>, policy: TwoDevices) -> Option<Share> {
    if policy == TwoDevices::Never {
        return None;
    }
    let size = Size {
        domain: circuit.n_rows().next_power_of_two(),
        n_wires: circuit.inputs.len() + circuit.aux.len(),
        n_l: circuit.aux.len(),
        n_a: circuit.inputs.len() + circuit.a_aux_density.n_dense(),
        n_b: circuit.b_input_density.n_dense() + circuit.b_aux_density.n_dense(),
        full: full_share(circuit.aux),
    };
    let (share, saved) = best(&size);
    (policy == TwoDevices::Always || pays(&size, saved)).then_some(share)
}

/// Both devices may wait for the whole of the grace.
fn pays(size: &Size, saved: f64) -> bool {
    let waited = GRACE.as_nanos() as f64 / UNIT_NS / end_of_first(size, Share::ALL);
    saved - waited >= MIN_SAVED
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
    let alone = end_of_first(size, Share::ALL);
    let shares = (0..16u32).map(|set| {
        let witness = Share {
            h: OfH::Last(0),
            l: set & 1 != 0,
            a: set & 2 != 0,
            b_g1: set & 4 != 0,
            b_g2: set & 8 != 0,
        };
        Share {
            h: OfH::Last(n_moved(size, witness)),
            ..witness
        }
    });
    let end = |share: Share| end_of_first(size, share.rest()).max(end_of_second(size, share));
    shares
        .map(|share| (share, 1.0 - end(share) / alone))
        .max_by(|x, y| x.1.total_cmp(&y.1))
        .unwrap_or((Share::ALL.rest(), 0.0))
}

/// How many of H's terms the second device takes beside these sums, for both to end together.
fn n_moved(size: &Size, witness: Share) -> usize {
    let lead = end_of_first(size, witness.rest()) - end_of_second(size, witness).max(quotient_at(size));
    // A term that is moved takes its time from the first device; on the second it takes that, and its
    // coefficient's way.
    let n = (lead / (2.0 + UPLOAD)).max(0.0) as usize;
    n.min(size.domain - 1)
}

/// When the first device has the quotient: a third of its transforms are a's, and run while b comes.
fn quotient_at(size: &Size) -> f64 {
    let vector = size.domain as f64 * UPLOAD;
    let transforms = size.domain as f64 * f64::from(size.domain.ilog2()) * QUOTIENT;
    vector + vector.max(transforms / 3.0) + transforms * 2.0 / 3.0
}

/// The wires come while the quotient is computed.
fn end_of_first(size: &Size, share: Share) -> f64 {
    let n_h = share.terms_of_h(size.domain - 1).len();
    quotient_at(size) + n_h as f64 + witness_sums(size, share)
}

/// Its sums over the witness come before its terms of H, which need the quotient.
fn end_of_second(size: &Size, share: Share) -> f64 {
    let witness = upload(size, share) + witness_sums(size, share);
    match share.h {
        OfH::Last(n) if n > 0 => witness.max(quotient_at(size)) + n as f64 * (1.0 + UPLOAD),
        _ => witness,
    }
}

/// Of the wires.
fn upload(size: &Size, share: Share) -> f64 {
    match share.has_queries() {
        true => size.n_wires as f64 * UPLOAD,
        false => 0.0,
    }
}

fn witness_sums(size: &Size, share: Share) -> f64 {
    let term = size.full + (1.0 - size.full) * SPARSE;
    let of = |has: bool, n: usize, each: f64| if has { n as f64 * each } else { 0.0 };
    of(share.l, size.n_l, term)
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
            n_wires: n,
            n_l: n,
            n_a: n * 97 / 100,
            n_b: n * 31 / 100,
            full,
        }
    }

    fn n_of_h(share: Share) -> usize {
        match share.h {
            OfH::Last(n) => n,
            OfH::AllBut(_) => panic!("{share:?} has the quotient"),
        }
    }

    #[test]
    fn a_full_witness_is_divided_evenly() {
        let (share, saved) = best(&size(24, 0.98));
        assert!(share.l && share.a && share.has_queries(), "{share:?}");
        assert!(share.rest().has_queries() && n_of_h(share) > 0, "{share:?}");
        assert!(saved > 0.45, "{share:?} saves {saved}");
    }

    #[test]
    fn a_sparse_witness_goes_to_the_second_device_whole_with_nearly_half_of_h() {
        let (share, saved) = best(&size(24, 0.01));
        assert_eq!(share.without_h(), Share::ALL.without_h());
        assert!(!share.rest().has_queries());
        let of_h = n_of_h(share) as f64 / f64::from(1 << 24);
        assert!((0.4..0.5).contains(&of_h), "{of_h}");
        assert!(saved > 0.35, "{share:?} saves {saved}");
    }

    #[test]
    fn terms_of_h_make_devices_end_together() {
        for log_n in [18, 22, 28] {
            for full in [0.0, 0.01, 0.2, 0.6, 1.0] {
                let size = size(log_n, full);
                let (share, _) = best(&size);
                let ends = [end_of_first(&size, share.rest()), end_of_second(&size, share)];
                // Where the witness sums alone are nearly even, none is moved.
                let most = if n_of_h(share) > 0 { 1e-4 } else { 0.03 };
                assert!(
                    (ends[0] / ends[1] - 1.0).abs() < most,
                    "{full}, {share:?}: {ends:?}"
                );
            }
        }
    }

    #[test]
    fn no_term_is_lost_and_none_summed_twice() {
        for log_n in [0, 1, 5, 18, 28] {
            for full in [0.0, 0.01, 0.2, 0.6, 1.0] {
                let size = size(log_n, full);
                let (share, saved) = best(&size);
                assert_eq!(share.rest().rest(), share);
                let n_h = size.domain - 1;
                let (first, second) = (share.rest().terms_of_h(n_h), share.terms_of_h(n_h));
                assert_eq!((first.start, first.end, second.end), (0, second.start, n_h));
                for part in [Part::L, Part::A, Part::BG1, Part::BG2] {
                    assert_ne!(share.has(part), share.rest().has(part));
                    assert_eq!(share.without_h().has(part), share.has(part));
                    assert!(!share.only_h().has(part));
                }
                assert!((0.0..=0.5).contains(&saved), "{saved}");
            }
        }
    }

    #[test]
    fn the_wait_for_a_second_device_must_be_worth_it() {
        for (full, smallest) in [(0.01, 21), (0.2, 20), (0.98, 19)] {
            let divided = (0..=28).filter(|log_n| {
                let size = size(*log_n, full);
                pays(&size, best(&size).1)
            });
            assert_eq!(
                divided.collect::<Vec<_>>(),
                (smallest..=28).collect::<Vec<_>>(),
                "{full}"
            );
        }
    }

    #[test]
    fn small_proofs_and_forbidden_ones_stay_on_one_device() {
        let r1cs = backend_tests::toy::binp();
        let assignment = r1cs.assign(&backend_tests::toy::binp_witness()).unwrap();
        let circuit = assignment.as_assignment();
        assert_eq!(divide(&circuit, TwoDevices::WhenSooner), None);
        assert_eq!(divide(&circuit, TwoDevices::Never), None);
        assert!(divide(&circuit, TwoDevices::Always).is_some_and(|share| !share.has_quotient()));
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
