use crate::porep::SealProof;
use crate::post::{window_config, winning_config, PostProof};
use crate::update::UpdateProof;
use crate::work::Work;
use anyhow::{bail, Error, Result};
use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// The kinds of proof a storage provider makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// proof of replication, once a sector
    Porep,
    /// proof that data was put into a sealed sector ("SnapDeals")
    Update,
    /// proof of spacetime of one sector, for a block
    Winning,
    /// proof of spacetime of all sectors, in so many partitions
    Window { partitions: usize },
}

const NAMES: [(&str, Kind); 5] = [
    ("winning", Kind::Winning),
    ("window-1", Kind::Window { partitions: 1 }),
    ("window-2", Kind::Window { partitions: 2 }),
    ("update", Kind::Update),
    ("porep", Kind::Porep),
];

impl Kind {
    /// Seals what a proof of this kind is about, in `folder`.
    pub fn prepare(self, folder: &Path) -> Result<Box<dyn Work>> {
        Ok(match self {
            Kind::Porep => Box::new(SealProof::prepare(folder)?),
            Kind::Update => Box::new(UpdateProof::prepare(folder)?),
            Kind::Winning => Box::new(PostProof::prepare(folder, winning_config(), 1)?),
            // One sector more than fills all partitions but the last; the stack pads that one.
            Kind::Window { partitions } => {
                let config = window_config();
                let n_sectors = (partitions - 1) * config.sector_count + 1;
                Box::new(PostProof::prepare(folder, config, n_sectors)?)
            }
        })
    }

    /// Whose parameters it takes: partitions share theirs.
    pub fn key(self) -> &'static str {
        match self {
            Kind::Porep => "porep",
            Kind::Update => "update",
            Kind::Winning => "winning",
            Kind::Window { .. } => "window",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, _) = NAMES
            .iter()
            .find(|(_, kind)| kind == self)
            .expect("every kind used has a name");
        f.pad(name)
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match NAMES.iter().find(|(name, _)| *name == text) {
            Some((_, kind)) => Ok(*kind),
            None => bail!("no kind of proof is called {text:?}; {}", crate::USAGE),
        }
    }
}
