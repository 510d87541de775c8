//! Where the compiler and the runtime library are.

use crate::nvcc::Nvcc;
use crate::{Error, Result};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that the search reads; a build script tracks each.
pub(crate) const SEARCH_VARIABLES: [&str; 4] = ["NVCC", "CUDA_HOME", "CUDA_PATH", "CUDA_ARCHS"];

/// Where to look. Built from the process's environment by [`Search::from_env`], by hand in tests.
#[derive(Clone, Debug, Default)]
pub struct Search {
    /// Environment variables.
    pub variables: BTreeMap<String, OsString>,
    /// The usual toolkit folders, searched after the variables.
    pub usual: Vec<PathBuf>,
    /// Where `cargo xtask cuda-toolkit` installs, searched last.
    pub workspace_toolkit: Option<PathBuf>,
}

impl Search {
    /// The environment, `/usr/local/cuda`, `/opt/cuda`, the versioned folders
    /// beside the first, and `toolkit`.
    pub fn from_env(workspace_toolkit: Option<PathBuf>) -> Search {
        let variables = SEARCH_VARIABLES
            .iter()
            .chain(&["PATH"])
            .filter_map(|name| Some(((*name).to_owned(), std::env::var_os(name)?)))
            .collect();
        let mut usual = vec![PathBuf::from("/usr/local/cuda"), PathBuf::from("/opt/cuda")];
        usual.extend(versioned_folders(Path::new("/usr/local")));
        Search {
            variables,
            usual,
            workspace_toolkit,
        }
    }

    /// A variable's value, where it is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsString> {
        self.variables.get(name).filter(|value| !value.is_empty())
    }

    /// Finds the compiler: `NVCC`, then `PATH`, `CUDA_HOME`, `CUDA_PATH`, the
    /// usual folders, the workspace's own.
    ///
    /// A variable that names a compiler is an order: if `NVCC` does not run, that is the error, and the
    /// search goes no further (a build with another compiler than the one asked for would be a surprise).
    ///
    /// # Errors
    /// [`Error::NotFound`] with the places searched; what [`Nvcc::probe`] says of the compiler found.
    pub fn find(&self) -> Result<Toolkit> {
        let mut searched = Vec::new();
        if let Some(path) = self.variable("NVCC") {
            return Toolkit::at(&self.resolve(Path::new(path)), self);
        }
        searched.push("NVCC (not set)".to_owned());
        let mut candidates = Vec::new();
        match self.variable("PATH") {
            Some(path) => {
                candidates.extend(std::env::split_paths(path).map(|dir| ("PATH", dir.join("nvcc"))))
            }
            None => searched.push("PATH (not set)".to_owned()),
        }
        for name in ["CUDA_HOME", "CUDA_PATH"] {
            match self.variable(name) {
                Some(root) => candidates.push((name, Path::new(root).join("bin/nvcc"))),
                None => searched.push(format!("{name} (not set)")),
            }
        }
        candidates.extend(
            self.usual
                .iter()
                .map(|root| ("usual folder", root.join("bin/nvcc"))),
        );
        candidates.extend(
            self.workspace_toolkit
                .iter()
                .map(|root| ("cuda-toolkit", root.join("bin/nvcc"))),
        );
        for (origin, path) in candidates {
            if path.is_file() {
                return Toolkit::at(&path, self);
            }
            if origin != "PATH" {
                searched.push(format!("{} ({origin})", path.display()));
            }
        }
        if self.variable("PATH").is_some() {
            searched.insert(1, "every folder of PATH".to_owned());
        }
        Err(Error::NotFound { searched })
    }

    // `NVCC=nvcc` names a program on PATH, `NVCC=/x/nvcc` a file.
    fn resolve(&self, name: &Path) -> PathBuf {
        if name.components().count() == 1 {
            if let Some(path) = self.variable("PATH") {
                if let Some(found) = std::env::split_paths(path)
                    .map(|dir| dir.join(name))
                    .find(|file| file.is_file())
                {
                    return found;
                }
            }
        }
        name.to_owned()
    }
}

/// A compiler and the folder its runtime library may be in.
#[derive(Clone, Debug)]
pub struct Toolkit {
    /// The compiler, asked and answered.
    pub nvcc: Nvcc,
    roots: Vec<PathBuf>,
}

impl Toolkit {
    fn at(nvcc: &Path, search: &Search) -> Result<Toolkit> {
        let probed = Nvcc::probe(nvcc)?;
        let mut roots = Vec::new();
        // A link (`/usr/local/cuda`, `/usr/bin/nvcc`) and what it points to can both
        // have the libraries beside them.
        for path in [
            nvcc.to_owned(),
            nvcc.canonicalize().unwrap_or_else(|_| nvcc.to_owned()),
        ] {
            roots.extend(path.parent().and_then(Path::parent).map(Path::to_owned));
        }
        roots.extend(
            ["CUDA_HOME", "CUDA_PATH"]
                .iter()
                .filter_map(|name| search.variable(name))
                .map(PathBuf::from),
        );
        // A wrapper named by NVCC stands beside no library; the toolkit it wraps is then
        // the workspace's or a usual one.
        roots.extend(search.workspace_toolkit.iter().cloned());
        roots.extend(search.usual.iter().cloned());
        roots.dedup();
        Ok(Toolkit { nvcc: probed, roots })
    }

    /// The folder with `libcudart_static.a`, for processor `arch` (`x86_64`, `aarch64`).
    ///
    /// # Errors
    /// [`Error::NoCudart`] with the folders searched.
    pub fn library_folder(&self, arch: &str) -> Result<PathBuf> {
        let target = match arch {
            "aarch64" => "sbsa-linux",
            _ => "x86_64-linux",
        };
        let mut searched = Vec::new();
        for root in &self.roots {
            let folders = [
                "lib64".to_owned(),
                format!("targets/{target}/lib"),
                "lib".to_owned(),
            ];
            for folder in folders.into_iter().chain([format!("lib/{arch}-linux-gnu")]) {
                let folder = root.join(folder);
                if folder.join("libcudart_static.a").is_file() {
                    return Ok(folder);
                }
                searched.push(folder);
            }
        }
        Err(Error::NoCudart { searched })
    }
}

// `cuda-12.4` and its like, newest first, versions compared as integers.
fn versioned_folders(parent: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Vec::new();
    };
    let mut found: Vec<((u32, u32), PathBuf)> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let name = path.file_name()?.to_str()?.strip_prefix("cuda-")?.to_owned();
            let (major, minor) = name.split_once('.').unwrap_or((&name, "0"));
            Some(((major.parse().ok()?, minor.parse().ok()?), path))
        })
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versioned_folders_come_newest_first() {
        let root = tempfile::tempdir().unwrap();
        for name in ["cuda-12.9", "cuda-12.10", "cuda-11", "cudnn", "cuda-x.y"] {
            std::fs::create_dir(root.path().join(name)).unwrap();
        }
        let names: Vec<_> = versioned_folders(root.path())
            .into_iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["cuda-12.10", "cuda-12.9", "cuda-11"]);
    }
}
