//! Compiling the units and telling cargo what to link.

use crate::arch::ArchPlan;
use crate::cache::{digest_of, prerequisites, Cache};
use crate::toolkit::{Search, Toolkit, SEARCH_VARIABLES};
use crate::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Host and device flags of every unit; `-v` makes ptxas say what registers each kernel takes, for the
/// report. Hidden visibility keeps all but the C ABI out of the linked program's symbols.
const FLAGS: [&str; 7] = [
    "-O3",
    "-std=c++17",
    "-lineinfo",
    "-Xptxas=-v",
    "-Xcompiler=-fvisibility=hidden",
    "-Xcompiler=-fPIC",
    "-Xcompiler=-Wall",
];

/// Units to compile, and where.
#[derive(Clone, Debug)]
pub struct KernelBuild {
    library: String,
    units: Vec<PathBuf>,
    includes: Vec<PathBuf>,
    flags: Vec<String>,
}

/// What a build did.
#[derive(Clone, Debug, Default)]
pub struct Built {
    /// The objects, in the order of the units.
    pub objects: Vec<PathBuf>,
    /// Units that went through the compiler, and how long each took.
    pub compiled: Vec<(PathBuf, Duration)>,
    /// Units whose object was still right.
    pub reused: Vec<PathBuf>,
    /// Every file that went into the objects.
    pub files: Vec<PathBuf>,
    /// What the compiler said of each unit, whenever it compiled it.
    pub said: Vec<(PathBuf, String)>,
}

struct Compiled {
    object: PathBuf,
    said: String,
    files: Vec<PathBuf>,
    took: Option<Duration>,
}

impl KernelBuild {
    /// A static library `lib<library>.a` with no units yet.
    pub fn new(library: &str) -> KernelBuild {
        KernelBuild {
            library: library.to_owned(),
            units: Vec::new(),
            includes: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Adds a `.cu` file.
    pub fn unit(mut self, path: impl Into<PathBuf>) -> Self {
        self.units.push(path.into());
        self
    }

    /// Adds several `.cu` files.
    pub fn units<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.units.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Adds an include folder.
    pub fn include(mut self, folder: impl Into<PathBuf>) -> Self {
        self.includes.push(folder.into());
        self
    }

    /// Adds a compiler flag.
    pub fn flag(mut self, flag: &str) -> Self {
        self.flags.push(flag.to_owned());
        self
    }

    /// Compiles what changed, archives the objects and prints the link lines. For build scripts.
    ///
    /// # Errors
    /// Every [`Error`], each with its remedy.
    pub fn compile(&self) -> Result<Built> {
        let variable = |variable: &'static str| {
            std::env::var(variable).map_err(|_| Error::NotInBuildScript { variable })
        };
        let os = variable("CARGO_CFG_TARGET_OS")?;
        if os != "linux" {
            return Err(Error::Unsupported { os });
        }
        println!("cargo:rerun-if-env-changed=SPF_SKIP_KERNELS");
        if std::env::var("SPF_SKIP_KERNELS").is_ok_and(|value| !value.is_empty() && value != "0") {
            // For linters and documentation: the Rust side is checked, nothing can be linked.
            eprintln!("SPF_SKIP_KERNELS is set: no kernels are compiled");
            return Ok(Built::default());
        }
        for name in SEARCH_VARIABLES
            .iter()
            .chain(&["NVCC_CCBIN", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"])
        {
            println!("cargo:rerun-if-env-changed={name}");
        }
        for folder in &self.includes {
            println!("cargo:rerun-if-changed={}", folder.display());
        }
        for unit in &self.units {
            println!("cargo:rerun-if-changed={}", unit.display());
        }
        let out_dir = PathBuf::from(variable("OUT_DIR")?);
        let target = target_folder(&out_dir);
        let toolkit_folder = workspace_toolkit(&target, Path::new(&variable("CARGO_MANIFEST_DIR")?));
        // The compiler may appear there later.
        if let Some(folder) = &toolkit_folder {
            println!("cargo:rerun-if-changed={}", folder.join("bin/nvcc").display());
        }
        let search = Search::from_env(toolkit_folder);
        let toolkit = search.find()?;
        println!("cargo:rerun-if-changed={}", toolkit.nvcc.path.display());
        let wanted = search
            .variable("CUDA_ARCHS")
            .map(|value| value.to_string_lossy().into_owned());
        let plan = ArchPlan::choose(&toolkit.nvcc.archs, wanted.as_deref())?;
        let jobs = std::env::var("NUM_JOBS")
            .ok()
            .and_then(|value| value.parse().ok())
            .unwrap_or(1);
        // On stderr, which cargo keeps in the build script's output file and shows with -vv or on failure.
        eprintln!(
            "nvcc {} at {}: {}",
            toolkit.nvcc.version,
            toolkit.nvcc.path.display(),
            plan.describe()
        );

        let built = self.objects(&toolkit, &plan, &target.join("cuda-cache"), jobs)?;
        for (unit, took) in &built.compiled {
            eprintln!("compiled {} in {:.1} s", unit.display(), took.as_secs_f64());
        }
        for unit in &built.reused {
            eprintln!("reused {}", unit.display());
        }
        for file in &built.files {
            println!("cargo:rerun-if-changed={}", file.display());
        }
        self.write_report(&built, &target.join("cuda-cache"))?;
        let mut archive = cc::Build::new();
        archive.objects(&built.objects);
        archive
            .try_compile(&self.library)
            .map_err(|error| Error::Archive {
                reason: error.to_string(),
            })?;
        let library_folder = toolkit.library_folder(&variable("CARGO_CFG_TARGET_ARCH")?)?;
        println!("cargo:rustc-link-search=native={}", library_folder.display());
        println!("cargo:rustc-link-lib=static=cudart_static");
        for library in ["stdc++", "dl", "rt", "pthread"] {
            println!("cargo:rustc-link-lib=dylib={library}");
        }
        Ok(built)
    }

    /// Brings the objects up to date in `cache`, `jobs` units at a time.
    ///
    /// # Errors
    /// [`Error::Compile`] with the first unit that failed, [`Error::Io`] if the cache cannot be written.
    pub fn objects(&self, toolkit: &Toolkit, plan: &ArchPlan, cache: &Path, jobs: usize) -> Result<Built> {
        let cache = Cache::at(cache.to_owned())?;
        let queue = Mutex::new(self.units.iter().enumerate());
        let results = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, self.units.len().max(1)) {
                scope.spawn(|| loop {
                    let next = queue
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())
                        .next();
                    let Some((i, unit)) = next else { break };
                    let result = self.bring_up_to_date(unit, toolkit, plan, &cache);
                    results
                        .lock()
                        .unwrap_or_else(|poisoned| poisoned.into_inner())
                        .push((i, result));
                });
            }
        });
        let mut results = results
            .into_inner()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        results.sort_by_key(|(i, _)| *i);
        let mut built = Built::default();
        for (i, result) in results {
            let done = result?;
            match done.took {
                Some(took) => built.compiled.push((self.units[i].clone(), took)),
                None => built.reused.push(self.units[i].clone()),
            }
            built.objects.push(done.object);
            built.said.push((self.units[i].clone(), done.said));
            built.files.extend(done.files);
        }
        built.files.sort();
        built.files.dedup();
        Ok(built)
    }

    fn bring_up_to_date(
        &self,
        unit: &Path,
        toolkit: &Toolkit,
        plan: &ArchPlan,
        cache: &Cache,
    ) -> Result<Compiled> {
        let mut arguments: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        arguments.extend(self.flags.iter().cloned());
        arguments.extend(plan.flags());
        arguments.extend(
            self.includes
                .iter()
                .map(|folder| format!("-I{}", folder.display())),
        );
        let here = std::env::current_dir().unwrap_or_default();
        let identity = [
            toolkit.nvcc.path.to_string_lossy().into_owned(),
            toolkit.nvcc.identity.clone(),
            arguments.join("\n"),
            unit.display().to_string(),
            here.display().to_string(),
            ["NVCC_CCBIN", "NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS"]
                .map(|name| std::env::var(name).unwrap_or_default())
                .join("\n"),
        ];
        let key = digest_of(&identity.each_ref().map(|part| part.as_bytes()));
        if let Some(found) = cache.look_up(unit, &key) {
            return Ok(Compiled {
                object: found.object,
                said: found.said,
                files: found.files,
                took: None,
            });
        }
        let object = cache.object(unit, &key);
        let rule = object.with_extension("d");
        let started = Instant::now();
        let mut command = Command::new(&toolkit.nvcc.path);
        command
            .args(&arguments)
            .arg("-MMD")
            .arg("-MF")
            .arg(&rule)
            .arg("-c")
            .arg(unit)
            .arg("-o")
            .arg(&object);
        let output = command
            .stdin(Stdio::null())
            .output()
            .map_err(|error| Error::NotRunnable {
                nvcc: toolkit.nvcc.path.clone(),
                asked: "-c".to_owned(),
                reason: error.to_string(),
            })?;
        let said = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        if !output.status.success() {
            return Err(Error::Compile {
                unit: unit.to_owned(),
                command: format!("{command:?}"),
                output: said,
            });
        }
        for line in said.lines().filter(|line| line.contains("warning")) {
            eprintln!("{line}");
        }
        let text = std::fs::read_to_string(&rule).map_err(|source| Error::Io {
            path: rule,
            doing: "reading",
            source,
        })?;
        let mut files = prerequisites(&text);
        if files.is_empty() {
            files.push(unit.to_owned());
        }
        cache.record(unit, &key, &files, &said)?;
        Ok(Compiled {
            object,
            said,
            files,
            took: Some(started.elapsed()),
        })
    }

    // `<library>.report` in the cache: what ptxas said of every kernel of this build,
    // for whoever holds it to a budget.
    fn write_report(&self, built: &Built, cache: &Path) -> Result<()> {
        let mut report = String::new();
        for (unit, said) in &built.said {
            report.push_str(&format!("## {}\n{said}", unit.display()));
        }
        let path = cache.join(format!("{}.report", self.library));
        std::fs::write(&path, report).map_err(|source| Error::Io {
            path,
            doing: "writing",
            source,
        })
    }
}

// OUT_DIR is <target>/[<triple>/]<profile>/build/<package>-<hash>/out; the cache is shared by the profiles.
fn target_folder(out_dir: &Path) -> PathBuf {
    out_dir.ancestors().nth(4).unwrap_or(out_dir).to_owned()
}

// `cargo xtask cuda-toolkit` installs into <target>/cuda-toolkit; with a target folder elsewhere
// (CARGO_TARGET_DIR), the workspace's own is looked at too.
fn workspace_toolkit(target: &Path, manifest: &Path) -> Option<PathBuf> {
    let mut candidates = vec![target.join("cuda-toolkit")];
    candidates.extend(target.parent().map(|parent| parent.join("cuda-toolkit")));
    candidates.extend(
        manifest
            .ancestors()
            .take(4)
            .map(|folder| folder.join("target/cuda-toolkit")),
    );
    let found = candidates.iter().find(|folder| folder.join("bin/nvcc").is_file());
    found.or(candidates.first()).cloned()
}
