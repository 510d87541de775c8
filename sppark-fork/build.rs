//! Compiles the C++ side: by nvcc for a card (feature `cuda`), by g++ for tests
//! (feature `host-check`), or not at all.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Err(message) = build() {
        eprintln!("{message}");
        std::process::exit(1);
    }
}

#[cfg(any(feature = "cuda", feature = "host-check"))]
fn units() -> Result<Vec<std::path::PathBuf>, String> {
    let entries = std::fs::read_dir("src").map_err(|error| format!("reading src: {error}"))?;
    let mut units: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    units.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    units.sort();
    // File by file: the folder has Rust too. A new unit comes with a new line in
    // the C header, which is watched.
    for unit in &units {
        println!("cargo:rerun-if-changed={}", unit.display());
    }
    Ok(units)
}

#[cfg(all(feature = "cuda", not(feature = "host-check")))]
fn build() -> Result<(), String> {
    let kernels = cuda_build::KernelBuild::new("sppark_fork")
        .units(units()?)
        .include("include");
    kernels.compile().map(|_| ()).map_err(|error| error.to_string())
}

#[cfg(all(feature = "host-check", not(feature = "cuda")))]
fn build() -> Result<(), String> {
    println!("cargo:rerun-if-changed=include");
    println!("cargo:rerun-if-changed=src/fake_cuda.cpp");
    println!("cargo:rerun-if-env-changed=SPF_SANITIZE");
    let mut host = cc::Build::new();
    host.cpp(true)
        .std("c++17")
        .opt_level(2)
        .include("include")
        .flag("-fvisibility=hidden");
    // The limb algorithms of the card, not the host's own, are what these tests are about.
    host.define("SPF_EMULATE_DEVICE", None);
    if let Ok(sanitizers) = std::env::var("SPF_SANITIZE") {
        host.flag(format!("-fsanitize={sanitizers}"))
            .flag("-fno-omit-frame-pointer")
            // The first report ends the test; code that need not go on after one is a third faster.
            .flag("-fno-sanitize-recover=all")
            // Reports name lines; to follow variables takes the compiler longer than the code does.
            .flag("-g1");
        // rustc links without the compiler's default libraries, so the sanitizers' are named.
        for sanitizer in sanitizers.split(',') {
            match sanitizer {
                "address" => println!("cargo:rustc-link-lib=dylib=asan"),
                "undefined" => println!("cargo:rustc-link-lib=dylib=ubsan"),
                other => {
                    return Err(format!(
                        "SPF_SANITIZE={sanitizers}: {other} is not address or undefined"
                    ))
                }
            }
        }
    }
    let failed = |error| format!("g++ could not compile the host tests' side: {error}");
    host.flag("-xc++");
    let objects = objects(&host, [vec!["src/fake_cuda.cpp".into()], units()?].concat()).map_err(failed)?;
    host.objects(objects).try_compile("sppark_fork").map_err(failed)
}

/// Compiles each unit, as many at once as cargo runs jobs: everything else waits for the slowest of them.
#[cfg(all(feature = "host-check", not(feature = "cuda")))]
fn objects(host: &cc::Build, units: Vec<std::path::PathBuf>) -> Result<Vec<std::path::PathBuf>, cc::Error> {
    let jobs = std::env::var("NUM_JOBS").map_or(1, |jobs| jobs.parse().unwrap_or(1));
    let queue = std::sync::Mutex::new(units.into_iter());
    let next = || queue.lock().expect("no thread panics with the lock").next();
    let work = || {
        std::iter::from_fn(next)
            .map(|unit| host.clone().file(unit).try_compile_intermediates())
            .collect::<Result<Vec<_>, _>>()
    };
    let objects: Result<Vec<_>, _> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, _>| thread.join().expect("no thread panics");
        threads.into_iter().map(join).collect()
    });
    Ok(objects?.into_iter().flatten().flatten().collect())
}

// Both at once is refused in lib.rs, with a sentence.
#[cfg(any(
    all(feature = "cuda", feature = "host-check"),
    not(any(feature = "cuda", feature = "host-check"))
))]
fn build() -> Result<(), String> {
    Ok(())
}
