use crate::failure::Failure;
use crate::files;
use crate::report::{grouped, Report};
use groth16_core::params::{KeyCounts, ParamsIndex, TrailingBytes};
use groth16_core::CpuBackend;
use groth16_prover::{r1cs_from_circom, MappedParams, ParamsCheck, Proof, VerifyingKey};
use std::path::Path;

pub(crate) fn run(args: &crate::args::Inspect, report: &mut Report) -> Result<(), Failure> {
    let path = &args.file;
    let size = std::fs::metadata(path)
        .map_err(|e| Failure::io("open", path, &e))?
        .len();
    report.fact("file", "file", path.display().to_string());
    report.fact("bytes", "bytes", size);
    match kind(path, size)? {
        Kind::R1cs => r1cs(path, report),
        Kind::Wtns => wtns(path, report),
        Kind::Proof => proof(path, report),
        Kind::Vk => vk(path, args.check, report),
        Kind::Params => params(path, args.check, report),
    }
}

const CHECKED: &str = "encoding, curve, subgroup";

enum Kind {
    R1cs,
    Wtns,
    Proof,
    Vk,
    Params,
}

/// Told from the first bytes and the size: parameters have no magic number.
fn kind(path: &Path, size: u64) -> Result<Kind, Failure> {
    let head = files::read_at_most(path, VK_COUNT_END)?;
    Ok(match &head {
        head if head.starts_with(b"r1cs") => Kind::R1cs,
        head if head.starts_with(b"wtns") => Kind::Wtns,
        head if is_json_text(head) || size == Proof::BYTES as u64 => Kind::Proof,
        head if vk_bytes(head) == Some(size) => Kind::Vk,
        _ => Kind::Params,
    })
}

/// A key may begin with the bytes of white space and a brace by chance, but not go on in ASCII.
fn is_json_text(head: &[u8]) -> bool {
    files::is_json(head) && head[..head.len().min(64)].is_ascii()
}

/// Where the count of a verifying key's last points ends.
const VK_COUNT_END: u64 = ParamsIndex::VK_HEAD_BYTES as u64 + 4;

/// The size of the verifying key that begins like this. Parameters begin like it and go on.
fn vk_bytes(head: &[u8]) -> Option<u64> {
    let n_points = u32::from_be_bytes(head.get(ParamsIndex::VK_HEAD_BYTES..)?.try_into().ok()?);
    Some(VK_COUNT_END + 96 * u64::from(n_points))
}

fn r1cs(path: &Path, report: &mut Report) -> Result<(), Failure> {
    let file = circom_formats::read_r1cs(&files::read(path)?).map_err(|e| Failure::in_file(path, e))?;
    let r1cs = r1cs_from_circom(&file).map_err(|e| Failure::core_in_file(path, e))?;
    report.fact("kind", "kind", "r1cs");
    report.fact("constraints", "constraints", r1cs.n_constraints());
    report.fact("public_outputs", "public outputs", file.n_public_outputs);
    report.fact("public_inputs", "public inputs", file.n_public_inputs);
    report.fact("aux", "private wires", r1cs.n_aux());
    let terms: usize = r1cs.matrices().iter().map(|m| m.n_terms()).sum();
    report.fact("terms", "non-zero coefficients", terms);
    if let Some(wire) = r1cs.first_unconstrained_wire() {
        report.fact("unconstrained_wire", "first unconstrained wire", wire);
    }
    proof_needs(&r1cs.key_counts(), report);
    Ok(())
}

fn wtns(path: &Path, report: &mut Report) -> Result<(), Failure> {
    use ff::Field;
    let values = files::witness(path)?;
    let trivial = values
        .iter()
        .filter(|v| v.is_zero_vartime() || **v == groth16_prover::Fr::ONE)
        .count();
    report.fact("kind", "kind", "wtns");
    report.fact("values", "values", values.len());
    report.fact("zeros_and_ones", "zeros and ones", trivial);
    Ok(())
}

fn proof(path: &Path, report: &mut Report) -> Result<(), Failure> {
    let proof = files::proof(path)?;
    report.fact("kind", "kind", "proof");
    report.line("its three points are on their curves and in the subgroup of order r");
    report.field("proof", crate::prove::hex(&proof.to_bytes()));
    Ok(())
}

fn vk(path: &Path, check: bool, report: &mut Report) -> Result<(), Failure> {
    let level = if check {
        ParamsCheck::Subgroup
    } else {
        ParamsCheck::Lengths
    };
    let vk = VerifyingKey::from_bytes(&files::read(path)?, level.point_check())
        .map_err(|e| Failure::core_in_file(path, e))?;
    report.fact("kind", "kind", "vk");
    report.fact("public_inputs", "public inputs", vk.n_public());
    if check {
        report.fact("checked", "points checked", CHECKED);
    }
    Ok(())
}

fn params(path: &Path, check: bool, report: &mut Report) -> Result<(), Failure> {
    let params = MappedParams::open(path, TrailingBytes::Refuse)?;
    let counts = params.index().counts();
    report.fact("kind", "kind", "params");
    report.fact("public_inputs", "public inputs", counts.ic - 1);
    report.fact("ic", "points of ic", counts.ic);
    report.fact("h", "points of h", counts.h);
    report.fact("l", "points of l", counts.l);
    report.fact("a", "points of a", counts.a);
    report.fact("b_g1", "points of b_g1", counts.b_g1);
    report.fact("b_g2", "points of b_g2", counts.b_g2);
    proof_needs(&counts, report);
    if check {
        report.stage("check", "check every point", || {
            params.decode(ParamsCheck::Subgroup)
        })?;
        report.fact("checked", "points checked", CHECKED);
    }
    Ok(())
}

/// Domain, and the memory of a proof beyond the process itself.
fn proof_needs(counts: &KeyCounts, report: &mut Report) {
    let domain = counts.h as u64 + 1;
    let key_bytes =
        96 * (counts.ic + counts.h + counts.l + counts.a + counts.b_g1) as u64 + 192 * counts.b_g2 as u64;
    let rows_bytes = 64 * domain;
    let witness_bytes = 32 * (counts.ic + counts.l) as u64;
    let total = key_bytes + rows_bytes + witness_bytes + CpuBackend::work_bytes(domain as usize);
    report.fact("domain", "domain", domain);
    report.fact("log_domain", "domain, log2", domain.ilog2());
    report.field("proof_memory_bytes", total);
    let parts = format!(
        "{} bytes at most: key {}, rows and witness {}, work {}",
        grouped(total),
        grouped(key_bytes),
        grouped(rows_bytes + witness_bytes),
        grouped(CpuBackend::work_bytes(domain as usize))
    );
    report.line(format_args!("{:<28} {parts}", "memory of a proof (CPU)"));
}
