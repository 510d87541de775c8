//! The part of `cargo metadata` that the checks read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;

use crate::util::{capture, cargo, root};
use crate::Result;

/// `cargo metadata`, version 1.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) target_directory: PathBuf,
}

/// A package of the graph, ours or a dependency.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) readme: Option<PathBuf>,
    pub(crate) rust_version: Option<String>,
    /// `None`: to any registry. `Some([])`: `publish = false`.
    pub(crate) publish: Option<Vec<String>>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
    pub(crate) features: BTreeMap<String, Vec<String>>,
}

/// An edge as the manifest states it.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) kind: Option<Kind>,
    pub(crate) optional: bool,
}

/// `None` in [`Dependency::kind`] is a normal dependency.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Dev,
    Build,
}

impl Metadata {
    /// The workspace alone.
    pub(crate) fn workspace() -> Result<Self> {
        Self::read(&["--no-deps"])
    }

    /// The workspace and all it can depend on, whichever features are chosen.
    pub(crate) fn full() -> Result<Self> {
        Self::read(&["--all-features"])
    }

    fn read(options: &[&str]) -> Result<Self> {
        let text = capture(
            cargo()
                .args(["metadata", "--format-version", "1", "--locked"])
                .args(options),
        )?;
        serde_json::from_str(&text)
            .map_err(|error| format!("cannot read the output of cargo metadata: {error}"))
    }

    /// The workspace's own packages.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Package> {
        self.packages
            .iter()
            .filter(|package| self.workspace_members.contains(&package.id))
    }
}

impl Package {
    /// The package's folder relative to the repository's root.
    pub(crate) fn folder(&self) -> PathBuf {
        let folder = self.manifest_path.parent().expect("a manifest lies in a folder");
        folder.strip_prefix(root()).unwrap_or(folder).to_path_buf()
    }
}
