//! The registry's Filecoin stack at work on a sector of 2 KiB, with this repository's prover under it.
//!
//! `filecoin-stack STATE prove KIND...` makes parameters, proves and verifies each kind, compares with bellperson's native
//! prover, and prints what it measured; `behave` tests what does not depend on the kind; `soak KIND N` makes N proofs in
//! one process. Each runs this program again for every [`Step`] (`step STEP KIND`), so that times and peaks of memory are
//! those of the step alone. `STATE` is a folder for all that is written. With `G16_REQUIRE_GPU=1` it is an error where keys or
//! proofs are not made on a CUDA device.

mod circuit;
mod device;
mod kind;
mod log;
mod parameters;
mod plan;
mod porep;
mod post;
mod process;
mod provers;
mod sector;
mod step;
mod table;
mod update;
mod work;

use anyhow::{bail, Context, Result};
use kind::Kind;
use std::path::PathBuf;
use step::Step;

const USAGE: &str = "usage: filecoin-stack STATE prove KIND... | behave | soak KIND N | step STEP KIND
    KIND: winning, window-1, window-2, update, porep";

fn main() -> Result<()> {
    let mut args = std::env::args().skip(1);
    let state = PathBuf::from(args.next().context(USAGE)?);
    let command = args.next().context(USAGE)?;
    let rest: Vec<String> = args.collect();
    let kind = |text: &String| text.parse::<Kind>();
    match (command.as_str(), rest.as_slice()) {
        ("prove", kinds) if !kinds.is_empty() => {
            plan::prove(&state, &kinds.iter().map(kind).collect::<Result<Vec<_>>>()?)
        }
        ("behave", []) => plan::behave(&state),
        ("soak", [of, n]) => plan::soak(&state, kind(of)?, n.parse().context(USAGE)?),
        ("step", [step, of]) => step.parse::<Step>()?.run(&state, kind(of)?),
        _ => bail!(USAGE),
    }
}
