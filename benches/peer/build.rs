//! Compiles `predecessor.cu` as the predecessor compiles its own files.

fn main() {
    println!("cargo:rerun-if-changed=predecessor.cu");
    let mut unit = sppark::build::ccmd();
    unit.define("FEATURE_BLS12_381", None);
    // As the build script of its prover decides: both must agree, as they share host code.
    #[cfg(target_arch = "x86_64")]
    if std::is_x86_feature_detected!("adx") {
        unit.define("__ADX__", None);
    }
    unit.file("predecessor.cu").compile("predecessor_entries");
}
